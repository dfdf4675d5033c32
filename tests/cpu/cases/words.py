"""Strings: joining, splitting, cutting, hashing, and to numbers and back."""

import pathlib

import numpy

from cases.maker import COMPLEXES, FLOATS, INDICES, INTEGERS, NUMBERS, QUANTIZED, dtype_of
from cases.registry import Call, cases

TEXTS = numpy.array([b"a", b"b", b"c"], object)
# Words, blanks of all kinds, characters of one to four bytes, broken ones, zeros.
PIECES = [b"a", b"bc", b"Def", b"XYZ", b"123", b" ", b"  ", b"\t", b"\n\v\f\r", b",", b",,", b"--", b"-", b"=", b"\0",
          "\u00e9".encode(), "\u00c9".encode(), "\u20ac".encode(), "\U0001f600".encode(), b"\xff", b"\x80\x80",
          b"\xe2\x82", b"word", b"another one"]


BROKEN = (b"\xff", b"\x80\x80", b"\xe2\x82")


def texts(make, shape, pieces=PIECES):
    values = numpy.empty(int(numpy.prod(shape)), object)
    values[:] = [b"".join(make.choose(pieces) for _ in range(make.below(7))) for _ in range(values.size)]
    return values.reshape(shape)


def strings(*values):
    return numpy.array(values, object)


def scalar(value):
    made = numpy.empty([], object)
    made[()] = value
    return made


@cases("StringJoin", dtypes=["string"])
def join(make, op, dtype):
    for _ in range(60):
        shape = make.shape()
        inputs = [make.array("string", [] if make.below(3) == 0 else shape) for _ in range(make.below(6))]
        yield Call(op, [inputs], {"separator": make.choose(["", "-", ", " * 20])})
    yield Call(op, [[TEXTS, TEXTS[:2]]], {"separator": ""}, "must have the same shape, or one be a scalar")


@cases("ReduceJoin", dtypes=["string"])
def reduce_join(make, op, dtype):
    for _ in range(60):
        shape = make.shape(most=5)
        axes = make.axes(len(shape))
        make.random.shuffle(axes)
        attrs = {"keep_dims": make.coin(), "separator": make.choose(["", ",", "a\0b"])}
        yield Call(op, [texts(make, shape), axes], attrs)
    for axes, says in [([2], "reduction_indices[0] is 2"), ([-3], "reduction_indices[0] is -3"),
                       ([1, -1], "names dimension 1 twice")]:
        yield Call(op, [texts(make, [2, 3]), numpy.array(axes, "int32")], {}, says)


@cases("UnsortedSegmentJoin", dtypes=INDICES)
def segment_join(make, op, dtype):
    for _ in range(40):
        shape = make.shape(1 + make.rank(4))
        count = 1 + make.below(6)
        ids = make.random.integers(0, count, shape[:1 + make.below(len(shape))]).astype(dtype)
        yield Call(op, [texts(make, shape), ids, numpy.array(count, make.choose(INDICES))],
                   {"separator": make.choose(["", ",", "--"])})
    for shape, ids, count in [([3], [0, 1, 2], 2), ([3], [0, -1, 1], 2), ([3], [0, 1], 2), ([3], 0, 2),
                              ([3], [[0, 1, 2]], 3), ([2, 2], [0, 1, 0], 3), ([2], [0, 1], -1)]:
        yield Call(op, [texts(make, shape), numpy.array(ids, dtype), numpy.array(count, "int32")])


@cases("StringSplit", dtypes=["string"])
def split(make, op, dtype):
    for _ in range(60):
        delimiter = scalar(make.choose([b"", b" ", b",", b", ", b"-a", b"\0"]))
        yield Call(op, [texts(make, [make.below(8)]), delimiter], {"skip_empty": make.coin()})
    yield Call(op, [texts(make, [2, 2]), scalar(b",")], {}, "input input must be a vector")
    yield Call(op, [texts(make, [2]), strings(b",")], {}, "input delimiter must be a scalar")


@cases("StringSplitV2", dtypes=["string"])
def split_v2(make, op, dtype):
    for _ in range(80):
        separator = scalar(make.choose([b"", b"", b" ", b",", b"--", b"a", b"\0"]))
        yield Call(op, [texts(make, [make.below(8)]), separator], {"maxsplit": make.choose([-1, -1, 0, 1, 2, 3, -7])})
    for value in (b"", b" ", b"  a", b"a  ", b" a b "):
        for most in (-1, 0, 1, 2):
            for separator in (b"", b" "):
                yield Call(op, [strings(value), scalar(separator)], {"maxsplit": most})
    yield Call(op, [scalar(b"a"), scalar(b",")], {}, "input input must be a vector")
    yield Call(op, [texts(make, [2]), strings(b",")], {}, "input sep must be a scalar")


@cases("StringLength", dtypes=["string"])
def length(make, op, dtype):
    for _ in range(20):
        yield Call(op, [texts(make, make.shape())], {"unit": make.choose(["BYTE", "UTF8_CHAR"])})
    for unit in ("", "byte", "WORD"):
        yield Call(op, [TEXTS], {"unit": unit}, "not in the list of allowed values")


@cases("StringStrip", dtypes=["string"])
def strip(make, op, dtype):
    for _ in range(20):
        yield Call(op, [texts(make, make.shape())])


@cases("StringLower", "StringUpper", dtypes=["string"])
def change_case(make, op, dtype):
    # In Unicode, TensorFlow ends the string at a zero; so do we.
    for encoding in ("", "utf-8"):
        for _ in range(20):
            yield Call(op, [texts(make, make.shape())], {"encoding": encoding})
        for _ in range(4):
            # Sigma has two small letters; what stands around it decides.
            yield Call(op, [texts(make, [300], [c.encode() for c in "\u03a3\u03a3a.A' \u0345\u1f80\u0130\u01c5\u00df"])],
                       {"encoding": encoding})
        planes = [chr(c) for c in range(1, 0x20000) if not 0xd800 <= c < 0xe000]
        for words in (planes, ["A" + c + "\u03a3" for c in planes]):
            yield Call(op, [strings(*[" ".join(words[i:i + 64]).encode() for i in range(0, len(words), 64)])],
                       {"encoding": encoding})
    for encoding in ("UTF-8", "utf8", "latin-1"):
        yield Call(op, [TEXTS], {"encoding": encoding}, "must be one of")


@cases("Substr", dtypes=INDICES)
def substr(make, op, dtype):
    # TensorFlow's messages quote the string, and Python cannot read broken ones.
    whole = [piece for piece in PIECES if piece not in BROKEN]
    for unit, pieces in (("BYTE", whole), ("UTF8_CHAR", PIECES)):
        for _ in range(120):
            # Most short enough to be inside, some not.
            shape = make.choose([[], [3], [2, 3]])
            inner = make.choose([[], shape, shape[1:], [1] * len(shape)])
            if make.below(4) == 0:
                shape, inner = inner, shape
            reach = make.choose([1, 2, 3, 9])
            position = make.array(dtype, inner, low=-reach, high=reach)
            size = make.array(dtype, inner, low=make.choose([0, 0, -2]), high=9)
            yield Call(op, [texts(make, shape, pieces), position, size], {"unit": unit})
        for position, size in [([0, 0], [1]), ([], []), ([0] * 4, [1] * 4), ([9, 0, 0], [1, 1, 1]), ([0, -9, 0], [1, 1, 1])]:
            yield Call(op, [TEXTS, numpy.array(position, dtype), numpy.array(size, dtype)], {"unit": unit})


@cases("StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong", dtypes=["string"])
def buckets(make, op, dtype):
    lengths = numpy.empty(300, object)
    lengths[:] = [make.random.bytes(i) for i in range(300)]
    for i in range(12):
        attrs = {"num_buckets": make.choose([1, 2, 7, 1000, 2**40, 2**63 - 1])}
        if op == "StringToHashBucketStrong":
            attrs["key"] = [make.below(2**62) for _ in range(2)]
        yield Call(op, [lengths if i < 4 else texts(make, make.shape())], attrs)
    for count in (0, -1, -2**63):
        yield Call(op, [TEXTS], {**attrs, "num_buckets": count}, "must be at least minimum 1")
    if op == "StringToHashBucketStrong":
        for key in ([], [1], [1, 2, 3]):
            yield Call(op, [TEXTS], {"num_buckets": 3, "key": key})


NUMERALS = [b"1", b" 1", b"1 ", b"\t1\n", b"\v1\f", b"+1", b"-1", b"1.", b".5", b"1e5", b"1E-5", b"0x10", b"0x1p3",
            b"0X1.8", b"-0x10", b"inf", b"INF", b"infinity", b"-inf", b"+inf", b"nan", b"NaN", b"-nan", b"1e400",
            b"1e-400", b"-1e400", b"1e-40", b"3.4028235e38", b"3.4028236e38", b"99999999999", b"0001", b"-0", b"1" * 60,
            b"0." + b"1" * 60, b"1" * 400, b"2147483647", b"-2147483648", b"4294967295", b"9223372036854775807",
            b"-9223372036854775808", b"18446744073709551615", b" " * 300 + b"1"]
NO_NUMERALS = [b"", b" ", b"++1", b"- 1", b".", b"1e", b"1e+", b"1_0", b"1,5", b"1\0", b"\x001", b"1f", b"0b1", b"1e5 x",
               b"-", b"+", b"infx", b"in", b"0x", b"0xg", b"1p3", b"1e1.5", b"2147483648", b"-2147483649", b"4294967296",
               b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"\xc2\xa01"]


@cases("StringToNumber", dtypes=["float32", "float64", "int32", "int64", "uint32", "uint64"])
def to_number(make, op, dtype):
    attrs = {"out_type": dtype_of(dtype)}
    for value in NUMERALS + NO_NUMERALS:
        yield Call(op, [scalar(value)], attrs)
    for _ in range(20):
        shape = make.shape()
        if dtype in FLOATS:
            wide = make.array("float64", shape, extreme=True).reshape(-1)
            found = [("%.*e" % (make.below(20), v)).encode() for v in wide]
        else:
            found = [str(v).encode() for v in make.array(dtype, shape).reshape(-1)]
        values = numpy.empty(len(found), object)
        values[:] = found
        yield Call(op, [values.reshape(shape)], attrs)


@cases("AsString", dtypes=NUMBERS + ["bool", "string"])
def as_string(make, op, dtype):
    for i in range(40):
        attrs = {"width": make.choose([-1, -1, 0, 3, 12, 200]), "fill": make.choose(["", "", " ", "0", "-", "+", "#"])}
        if dtype in FLOATS + COMPLEXES + ["string"]:
            attrs |= {"precision": make.choose([-1, -1, 0, 1, 5, 20]),
                      "scientific": i % 3 == 1, "shortest": i % 3 == 2}
        # TensorFlow flushes denormal numbers in some conversions.
        array = make.array(dtype, make.shape(), extreme=dtype in INTEGERS)
        yield Call(op, [array], attrs)
    one = make.array(dtype, [2])
    yield Call(op, [one], {"scientific": True, "shortest": True})
    for fill in ("x", "ab", "5", "*", "%"):
        yield Call(op, [one], {"width": 5, "fill": fill}, "fill is")
    if dtype not in FLOATS + COMPLEXES + ["string"]:
        for attrs in ({"precision": 2}, {"scientific": True}, {"shortest": True}):
            yield Call(op, [one], attrs, "for floats and complex numbers only")


@cases("StringFormat", dtypes=NUMBERS + QUANTIZED + ["bool", "string"])
def string_format(make, op, dtype):
    for _ in range(30):
        count = make.below(4)
        inputs = [make.array(dtype, make.shape(most=4)) if dtype != "string" else texts(make, make.shape(most=4))
                  for _ in range(count)]
        place = make.choose(["{}", "%s", "aa"])
        yield Call(op, [inputs], {"template": "x ".join([place] * count) + "\0\u00e9" if count else "y",
                                  "placeholder": place, "summarize": make.choose([-1, 0, 1, 2, 3, 10])})
    one = make.array(dtype, [1])
    for inputs, template, place in [([], "{}", "{}"), ([one], "{}{}", "{}"), ([one], "abc", ""), ([one] * 2, "abc", ""),
                                    ([one] * 2, "aaaaa", "aa")]:
        yield Call(op, [inputs], {"template": template, "placeholder": place})


@cases("EncodeBase64", dtypes=["string"])
def encode(make, op, dtype):
    for pad in (False, True):
        for _ in range(10):
            yield Call(op, [make.array("string", make.shape())], {"pad": pad})


# Within TensorFlow, TensorFlow's own kernel reads files, so that what it says is not ours.
@cases("ReadFile", dtypes=["string"])
def read_file(make, op, dtype):
    some = str(pathlib.Path(__file__).parents[3] / "LICENSE")
    for name in (some, "/dev/null", "no such file", "/", "", f"{some}/below"):
        yield Call(op, [scalar(name.encode())])
    for names in ([], [[some.encode()]], [b"a", b"b"]):
        yield Call(op, [numpy.array(names, object)])


@cases("DecodeBase64", dtypes=["string"])
def decode(make, op, dtype):
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for _ in range(150):
        value = bytes(make.choose(letters) for _ in range(make.below(14)))
        yield Call(op, [scalar(value + make.choose([b"", b"", b"=", b"==", b"==="]))])
    for value in (b"", b"=", b"==", b"a", b"ab=c", b"a+bc", b"a/bc", b"ab c", b"ab\0c", b"abc=abc=", b"ab==ab==", b"abcd="):
        yield Call(op, [scalar(value)])


@cases("DecodeRaw", dtypes=["float16", "float32", "float64", "int32", "uint16", "uint8", "int16", "int8", "int64", "complex64",
                            "complex128", "bool", "bfloat16"])
def decode_raw(make, op, dtype):
    for _ in range(20):
        shape, size = make.shape(most=5), dtype_of(dtype).itemsize * make.below(6)
        values = numpy.empty(int(numpy.prod(shape)), object)
        values[:] = [bytes(make.random.integers(0, 2, size).astype("uint8")) for _ in range(values.size)]
        yield Call(op, [values.reshape(shape)], {"out_type": dtype_of(dtype), "little_endian": make.coin()})
    for values in ([b"a", b"ab"], [b"", b"a"], [b"abcdefghijklmnop", b"abc"], [b"abc", b"abc"], [b"", b""]):
        yield Call(op, [strings(*values)], {"out_type": dtype_of(dtype)})
