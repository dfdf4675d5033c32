"""The header that the test plugin of a number is compiled with says what the real one says: compared where there is a real one."""

import os
import pathlib
import re
import subprocess
import sysconfig

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
WHEEL = pathlib.Path(sysconfig.get_path("purelib")) / "tensorflow/include"
REAL = ["xla/pjrt/c/pjrt_c_api.h", "xla/pjrt/c/pjrt_c_api_layouts_extension.h", "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h",
        "xla/pjrt/c/pjrt_c_api_profiler_extension.h"]
ABSENT = "PJRT_Gpu_"  # the wheel has no header for it


def test_sizes_offsets_constants_and_slots_are_those_of_the_header_in_the_tensorflow_wheel(tmp_path):
    real = (WHEEL / REAL[0]).read_text()
    minor = re.search(r"define PJRT_API_MINOR (\d+)", real)[1]
    made = (BUILD / f"tests/pjrt.dir/plugins/headers/0.{minor}/pjrt_api.h").read_text()
    asserts = re.findall(r"^_Static_assert\(.*\);$", made, flags=re.M)
    asserts += [f'_Static_assert({name} == {size}, "{name}");' for name, size in re.findall(r"^#define (\w+_STRUCT_SIZE) (\d+)$", made, flags=re.M)]
    asserts += [f'_Static_assert({name} == {value}, "{name}");' for name, value in re.findall(r"^  (PJRT_\w+) = (\d+),$", made, flags=re.M)]
    asserts = [text for text in asserts if ABSENT not in text]
    assert len(asserts) > 900
    source = tmp_path / "real.c"
    source.write_text("".join(f'#include "{path}"\n' for path in REAL) + "\n".join(asserts) + "\n")
    done = subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-isystem", WHEEL, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    slots = re.findall(r"_PJRT_API_STRUCT_FIELD\((PJRT_\w+)\)", real)
    assert re.findall(r"X\((PJRT_\w+)\)", re.search(r"#define PJRT_API_FUNCTIONS\(X\) (.*)", made)[1]) == slots
