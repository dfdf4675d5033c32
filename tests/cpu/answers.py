"""TensorFlow's answers in files, for replay/ to check the plugin against without TensorFlow.

A file per op and type, <op>.<type>, in the folder TENON_ANSWERS. Numbers are little-endian; a text is a
u32 of its size and its bytes; an array is u32 type (TensorFlow's number), u32 rank, i64 dimensions, and
its elements, each string as a text.

    file    "TENONAN1", then cases to the end
    case    u32 size of what follows; u32 number; f64 bar in ulp; u32 code; u32 calls, each a call;
            when the code is 0: u32 outputs, each an answer
    call    text op; u32 attributes, each text name, text value; u32 inputs, each
            u8 0 and an array, or u8 1, u32 call and u32 output: what an earlier call gave
    answer  array; u8 flags; with flag 1 the exact elements, rounded to the array's type; with flag 2 an
            f64 per element, the magnitude that errors are measured against

Few calls take long because they are large, so those beyond ROOM are left out.
"""

import os
import pathlib
import struct

import numpy

from cases.maker import name_of
from hosts import BUILD, Failure, Result, Sequence, attr_text, flat_inputs

FOLDER = pathlib.Path(os.environ.get("TENON_ANSWERS", BUILD / "answers"))
SMALL, ROOM = 1 << 15, 1 << 18
# Reads on a thread of its own, which gives its memory back some time after the answer: whoever counts
# blocks then would find one too many.
NOT_REPLAYED = {"ReadFile"}


def number(value):
    return struct.pack("<I", value)


def text(value):
    data = value.encode() if isinstance(value, str) else bytes(value)
    return number(len(data)) + data


def elements(array):
    if array.dtype == object:
        return b"".join(text(one) for one in array.reshape(-1))
    return array.tobytes()


class Writer:
    def __init__(self, tensorflow):
        self.type_number = tensorflow.number

    def array(self, array):
        array = numpy.asarray(array)
        return (number(self.type_number(name_of(array.dtype))) + number(array.ndim)
                + struct.pack(f"<{array.ndim}q", *array.shape) + elements(array))

    def call(self, call):
        parts = [text(call.op), number(len(call.attrs))]
        parts += [text(name) + text(attr_text(value)) for name, value in call.attrs.items()]
        inputs = flat_inputs(call.inputs)
        parts.append(number(len(inputs)))
        parts += [b"\1" + number(value.call) + number(value.output) if isinstance(value, Result)
                  else b"\0" + self.array(value) for value in inputs]
        return b"".join(parts)

    def answer(self, array, exact, scale):
        parts = [self.array(array)]
        measured = exact is not None and array.dtype.kind in "fcV" and not array.dtype.names
        parts.append(bytes([measured + 2 * (scale is not None)]))
        if measured:
            with numpy.errstate(all="ignore"):
                parts.append(elements(numpy.asarray(exact).astype(array.dtype)))
        if scale is not None:
            parts.append(numpy.broadcast_to(numpy.asarray(scale, "float64"), array.shape).tobytes())
        return b"".join(parts)

    def case(self, i, call, expected, exacts, bar):
        calls = call.calls if isinstance(call, Sequence) else [call]
        failed = isinstance(expected, Failure)
        parts = [struct.pack("<IdII", i, bar, expected.code if failed else 0, len(calls))]
        parts += [self.call(one) for one in calls]
        if not failed:
            parts.append(number(len(expected)))
            parts += [self.answer(array, *exact) for array, exact in zip(expected, exacts, strict=True)]
        data = b"".join(parts)
        return number(len(data)) + data

    def write(self, op, dtype, calls, expected, exacts, bar):
        if op in NOT_REPLAYED:
            return
        room = ROOM * (16 if dtype == "float32" else 1)
        FOLDER.mkdir(parents=True, exist_ok=True)
        path = FOLDER / f"{op}.{dtype}"
        with open(f"{path}.{os.getpid()}~", "wb") as file:
            file.write(b"TENONAN1")
            for i, call in enumerate(calls):
                data = self.case(i, call, expected[i], exacts[i], bar)
                if len(data) > SMALL:
                    room -= len(data)
                if len(data) <= SMALL or room >= 0:
                    file.write(data)
        os.replace(file.name, path)


def forget(groups):
    """Removes files of ops and types that have no cases any more."""
    for path in FOLDER.glob("*") if FOLDER.is_dir() else []:
        op, dtype = path.name.split(".", 1)
        if ((op, dtype) not in groups or op in NOT_REPLAYED) and not path.name.endswith("~"):
            path.unlink()
