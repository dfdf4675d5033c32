"""Published device plugins: loaded, or refused before they are opened, with a reason that is right."""

import json

import pytest

from zoo import forget, tenon, unpacked, wanted

DIRECTML = "tensorflow-directml-plugin==0.4.0.dev230202"


def only(package):
    if not wanted(package):
        pytest.skip("not among TENON_ZOO_ONLY")
    return package


def devices(package, file):
    found = tenon("devices", "--json", "--no-default-plugins", "--plugin", unpacked(only(package), [".so", ".dylib"]) / file)
    return found.returncode, json.loads(found.stdout) if found.stdout.startswith("{") else None, found.stderr


def test_directml_loads_and_the_host_says_that_it_found_no_device():
    code, shown, _ = devices(DIRECTML, "tensorflow-plugins/libtfdml_plugin.so")
    assert code == 0
    assert [device["type"] for device in shown["devices"]] == ["CPU"]
    assert shown["notes"] == ["libtfdml_plugin.so: platform DML (type GPU) found no device on this machine"]


def test_directml_registers_its_kernels():
    file = unpacked(only(DIRECTML), [".so"]) / "tensorflow-plugins/libtfdml_plugin.so"
    shown = json.loads(tenon("kernels", "--json", "--no-default-plugins", "--plugin", file).stdout)
    assert len([kernel for kernel in shown["kernels"] if kernel["origin"] == str(file)]) == 1187


# What each lacks here, some of it by name.
REFUSED = {
    "intel-extension-for-tensorflow-lib==2.15.0.3.2": ("libitex_gpu.so", ["libsycl.so.8", "libze_loader.so.1", "libmkl_core.so.2"]),
    "zentf==2.21.0.0": ("libamdcpu_plugin.so", ["_ZN10tensorflow", "_ZN4absl12lts_20250814"]),
    "zentf==2.20.0.0": ("libamdcpu_plugin.so", ["_ZN10tensorflow", "_ZN4absl12lts_20250127"]),
}


@pytest.mark.parametrize("package", REFUSED)
def test_what_cannot_work_here_is_refused_before_it_is_opened_with_all_that_is_missing(package):
    name, missing = REFUSED[package]
    code, shown, told = devices(package, f"tensorflow-plugins/{name}")
    forget(package)
    assert code == 3 and not shown
    assert name in told and "first contact" not in told
    assert not [word for word in missing if word not in told], told


@pytest.mark.parametrize("version", ["0.5.1", "1.2.0"])
def test_a_file_of_another_system_is_recognised(version):
    package = f"tensorflow-metal=={version}"
    code, shown, told = devices(package, "tensorflow-plugins/libmetal_plugin.dylib")
    assert code == 3 and not shown and "a macOS library (Mach-O), not a shared object (ELF)" in told
    inspected = tenon("inspect", unpacked(package) / "tensorflow-plugins/libmetal_plugin.dylib")
    assert "macOS library (Mach-O)" in inspected.stdout + inspected.stderr
