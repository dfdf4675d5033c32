"""A plugin of somebody else's CMake project: tenon_add_plugin, with the build tree and with an installation."""

import os
import pathlib
import subprocess

import numpy
import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
PROJECT = """cmake_minimum_required(VERSION 3.16)
project(kernels CXX)
find_package(Tenon 0.1 REQUIRED)
"""
PLAIN = """#include "tenon/op_kernel.hpp"
class Twice : public tenon::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(tenon::OpKernelContext* context) override {
    const tenon::Tensor& x = context->input(0);
    tenon::Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    for (int64_t i = 0; i < x.NumElements(); ++i) y->base<float>()[i] = 2 * x.base<float>()[i];
  }
};
REGISTER_OP("OutOfTreeTwice").Input("x: float").Output("y: float").SetShapeFn(tenon::shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("OutOfTreeTwice").Device(tenon::DEVICE_CPU), Twice);
int not_for_others() { return 1; }
"""
PORTED = """#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
namespace tensorflow {
REGISTER_OP("OutOfTreeThrice").Input("x: T").Output("y: T").Attr("T: {float, double}");
template <typename T>
class ThriceOp : public OpKernel {
 public:
  explicit ThriceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    y->flat<T>().device(ctx->eigen_device<Eigen::ThreadPoolDevice>()) = x.flat<T>() * T(3);
  }
};
REGISTER_KERNEL_BUILDER(Name("OutOfTreeThrice").Device(DEVICE_CPU).TypeConstraint<float>("T"), ThriceOp<float>);
}  // namespace tensorflow
"""
# Registers a kernel for an op of the other file, and another op.
SECOND = """#include "tensorflow/core/framework/op_kernel.h"
namespace tensorflow {
class NothingOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({0}), &y));
  }
};
REGISTER_KERNEL_BUILDER(Name("OutOfTreeThrice").Device(DEVICE_CPU).TypeConstraint<double>("T"), NothingOp);
}  // namespace tensorflow
"""


# Idioms of TensorFlow's own sources.
IDIOMS = """#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
namespace tensorflow {
REGISTER_OP("OutOfTreeParts").Input("x: float").Output("parts: N * float").Attr("N: int >= 1").SetShapeFn(
    [](shape_inference::InferenceContext* c) -> absl::Status {
      for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
      return absl::OkStatus();
    });
class PartsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  absl::Status Check(const Tensor& x) {
    if (x.dims() == 1) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("no vector: ", x.shape().DebugString()));
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    LOG(INFO) << "an info";
    LOG(WARNING) << "a warning";
    VLOG(1) << "a first vlog";
    VLOG(2) << "a second vlog";
    OP_REQUIRES_OK(ctx, Check(x));
    OpOutputList parts(ctx, 0, ctx->num_outputs());
    OP_REQUIRES(ctx, x.NumElements() % parts.size() == 0,
                errors::InvalidArgument("cannot cut ", x.shape(), " into ", parts.size()));
    Tensor* first = nullptr;
    OP_REQUIRES_OK(ctx, parts.allocate(0, TensorShape({x.NumElements() / parts.size()}), &first));
    const int64_t size = first->NumElements();
    for (int64_t i = 0; i < size; ++i) parts[0]->flat<float>()(i) = x.flat<float>()(i);
    for (int i = 1; i < parts.size(); ++i) parts.set(i, x.Slice(i * size, (i + 1) * size));
  }
};
REGISTER_KERNEL_BUILDER(Name("OutOfTreeParts").Device(DEVICE_CPU), PartsOp);
}  // namespace tensorflow
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


@pytest.fixture(params=["build tree", "installation"])
def prefix(request, tmp_path):
    if request.param == "build tree":
        return BUILD
    run("cmake", "--install", BUILD, "--prefix", tmp_path / "prefix")
    return tmp_path / "prefix"


CASES = [
    ("OutOfTreeTwice", 2, "tenon_add_plugin(kernels plain.cc)", {"plain.cc": PLAIN}),
    ("OutOfTreeThrice", 3, "tenon_add_plugin(kernels ported.cc second.cc PORT)", {"ported.cc": PORTED, "second.cc": SECOND}),
]


@pytest.mark.parametrize("op, factor, line, files", CASES, ids=["plain", "ported"])
def test_a_project_of_its_own_builds_a_plugin_that_loads(prefix, tmp_path, op, factor, line, files):
    if "PORT" in line and "TENON_EIGEN" not in os.environ:
        pytest.skip("Eigen is not installed")
    project = tmp_path / "project"
    project.mkdir()
    for name, text in {"CMakeLists.txt": PROJECT + line, **files}.items():
        (project / name).write_text(text)
    run("cmake", "-S", project, "-B", tmp_path / "out", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -Wno-unused-parameter")
    run("cmake", "--build", tmp_path / "out")
    library = tmp_path / "out/libkernels.so"
    assert run("nm", "-D", "--defined-only", library).split()[2::3] == ["TF_InitKernel"]
    check_runs(prefix, tmp_path, op, factor, library)


def check_runs(prefix, tmp_path, op, factor, library):
    numpy.save(tmp_path / "x.npy", numpy.array([1.5, -2], "float32"))
    run(prefix / "bin/tenon", "run", "--op", op, tmp_path / "x.npy", "--plugin", library, "--out", tmp_path / "y.npy")
    assert numpy.load(tmp_path / "y.npy").tolist() == [factor * 1.5, factor * -2]


def by_hand(prefix, folder, source):
    """The plugin of one file, by one line of a shell."""
    if "TENON_EIGEN" not in os.environ:
        pytest.skip("Eigen is not installed")
    flags = run(prefix / "bin/tenon", "config", "--port").split()
    if not any("eigen" in flag for flag in flags):
        flags += ["-isystem", os.environ["TENON_EIGEN"]]
    (folder / "ops.cc").write_text(source)
    run("c++", "-shared", "-fPIC", "-o", folder / "libops.so", folder / "ops.cc", *flags)
    assert run("nm", "-D", "--defined-only", folder / "libops.so").split()[2::3] == ["TF_InitKernel"]
    return folder / "libops.so"


def test_one_line_of_a_shell_builds_a_ported_plugin(prefix, tmp_path):
    check_runs(prefix, tmp_path, "OutOfTreeThrice", 3, by_hand(prefix, tmp_path, PORTED))


def test_names_of_abseils_lists_of_outputs_and_levels_of_logs_are_as_in_tensorflow(tmp_path):
    library = by_hand(BUILD, tmp_path, IDIOMS)
    numpy.save(tmp_path / "x.npy", numpy.arange(6, dtype="float32"))
    numpy.save(tmp_path / "m.npy", numpy.zeros([2, 2], "float32"))

    def parts(count, file, **levels):
        return subprocess.run([BUILD / "bin/tenon", "run", "--op", "OutOfTreeParts", tmp_path / file, "--attr",
                               f"N={count}", "--plugin", library, "--out", tmp_path / "y.npz"],
                              env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0", **levels}, capture_output=True, text=True)

    done = parts(3, "x.npy", TF_CPP_MAX_VLOG_LEVEL="1")
    assert done.returncode == 0, done.stderr
    assert [list(part) for part in numpy.load(tmp_path / "y.npz").values()] == [[0, 1], [2, 3], [4, 5]]
    assert [said in done.stderr for said in ("an info", "a warning", "a first vlog", "a second vlog")] == [True] * 3 + [False]
    assert "cannot cut [6] into 4" in parts(4, "x.npy").stderr
    quiet = parts(2, "m.npy", TF_CPP_MIN_LOG_LEVEL="1").stderr
    assert "no vector: [2,2]" in quiet and "a warning" in quiet and "an info" not in quiet and "vlog" not in quiet
