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
    numpy.save(tmp_path / "x.npy", numpy.array([1.5, -2], "float32"))
    run(prefix / "bin/tenon", "run", "--op", op, tmp_path / "x.npy", "--plugin", library, "--out", tmp_path / "y.npy")
    assert numpy.load(tmp_path / "y.npy").tolist() == [factor * 1.5, factor * -2]
