"""libtenon by ctypes, as far as the tests of loading need it."""

import ctypes
import os
import pathlib

BUILD = pathlib.Path(os.environ.get("TENON_BUILD", pathlib.Path(__file__).parents[2] / "build"))
FAKES = BUILD / "tests" / "plugins"


class LoadOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("ext", ctypes.c_void_p),
        ("entry_points", ctypes.c_uint32),
        ("time_limit_ms", ctypes.c_uint32),
        ("first_contact", ctypes.c_bool),
        ("tensorflow_may_follow", ctypes.c_bool),
        ("allow_missing_weak", ctypes.c_bool),
    ]


class Refused(Exception):
    pass


def _library():
    library = ctypes.CDLL(str(BUILD / "lib" / "libtenon.so"))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in [
        ("tn_status_create", pointer, []),
        ("tn_status_destroy", None, [pointer]),
        ("tn_status_message", text, [pointer]),
        ("tn_plugin_load", pointer, [text, ctypes.POINTER(LoadOptions), pointer]),
        ("tn_plugin_name", text, [pointer]),
        ("tn_plugin_notes", text, [pointer]),
        ("tn_plugin_op_count", ctypes.c_size_t, [pointer]),
        ("tn_plugin_kernel_count", ctypes.c_size_t, [pointer]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _library()


class Plugin:
    """A plugin that Tenon has loaded."""

    def __init__(self, path, **options):
        status = library.tn_status_create()
        size = LoadOptions.allow_missing_weak.offset + 1
        self.handle = library.tn_plugin_load(
            os.fsencode(path), ctypes.byref(LoadOptions(struct_size=size, **options)), status)
        message = library.tn_status_message(status).decode()
        library.tn_status_destroy(status)
        if not self.handle:
            raise Refused(message)
        self.notes = library.tn_plugin_notes(self.handle).decode()

    @property
    def ops(self):
        return library.tn_plugin_op_count(self.handle)

    @property
    def kernels(self):
        return library.tn_plugin_kernel_count(self.handle)


def host_seen_by(path):
    """The library whose TF_* a fake plugin in this process is bound to."""
    flags = os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_NOLOAD
    host = ctypes.CDLL(str(path), mode=flags).fake_host_library
    host.restype = ctypes.c_char_p
    return pathlib.Path(host().decode()).name
