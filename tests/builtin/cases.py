"""Random uses of the built-in ops: mostly right ones, then some of them spoiled and partly hidden.

A generator takes a random source and returns (attrs, arguments). An argument is a list of dimensions,
V(...) for a known value, Held(shape) for a resource or reference to a variable of that shape, or a
List of those. Types, and the attrs that count arguments, follow from the op's definition.
"""

import dataclasses

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, types_pb2

AttrValue = attr_value_pb2.AttrValue


@dataclasses.dataclass
class V:
    """A known value; `open` entries of a vector are hidden from everybody but shape readers."""

    value: object
    open: tuple = ()


@dataclasses.dataclass
class Held:
    shape: object


class List(list):
    """The values of a list argument."""


# --- making shapes ------------------------------------------------------------------------------


def dim(r):
    return r.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8])


def shape(r, low=0, high=5):
    return [dim(r) for _ in range(r.randint(low, high))]


def broadcastable(r, to):
    """Something that broadcasts to `to`."""
    kept = to[r.randint(0, len(to)) :] if r.random() < 0.4 else to
    return [1 if r.random() < 0.3 else d for d in kept]


def flag(r):
    return r.random() < 0.5


def axis(r, rank):
    return r.randint(-rank, rank - 1) if rank else r.randint(-1, 1)


# --- generators, in the order of src/op/builtin ---------------------------------------------------


def broadcast(r):
    to = shape(r)
    return {}, [broadcastable(r, to), broadcastable(r, to)]


def equal(r):
    return {"incompatible_shape_error": flag(r)}, broadcast(r)[1]


def select(r):
    to = shape(r)
    return {}, [r.choice([[], to, to[:1]]), to, to]


def select_v2(r):
    to = shape(r)
    return {}, [broadcastable(r, to) for _ in range(3)]


def bitcast(r):
    from_type, to_type = (r.choice(BITCAST) for _ in range(2))
    sizes = [tf.as_dtype(t).size for t in (from_type, to_type)]
    last = [sizes[1] // sizes[0]] if sizes[1] > sizes[0] and r.random() < 0.8 else []
    return {"T": from_type, "type": to_type}, [shape(r, 0, 4) + last]


BITCAST = [types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE, types_pb2.DT_UINT8, types_pb2.DT_HALF,
           types_pb2.DT_COMPLEX128, types_pb2.DT_QINT32]  # fmt: skip


def several(r):
    of = shape(r)
    return {}, [List([of] * r.randint(1, 4))]


def accumulate(r):
    attrs, args = several(r)
    return {"shape": hidden(r, shape(r))}, args


def matmul(r):
    a, b, n = dim(r), dim(r), dim(r)
    flips = flag(r), flag(r)
    return ({"transpose_a": flips[0], "transpose_b": flips[1]},
            [[n, a] if flips[0] else [a, n], [b, n] if flips[1] else [n, b]])  # fmt: skip


def batch_matmul(r):
    attrs, (a, b) = matmul(r)
    batch = shape(r, 0, 3)
    left, right = (batch, batch) if flag(r) else (broadcastable(r, batch), broadcastable(r, batch))
    return {"adj_x": attrs["transpose_a"], "adj_y": attrs["transpose_b"]}, [left + a, right + b]


EQUATIONS = """ab,bc->ac ab->ba a->a ->  ,-> aa->a aab,bc->ac ...ab,...bc->...ac a...b->b...a ...->...
  a...->... ab...,b->a... ab,ab-> abc,cd->abd i,j->ij ...a->a ...ab,...b->...a abcd->dcba a,b,c->abc
  ab,bc ab->bc ab->a->b ..a->a a....->a ab,bc->acc ...,...->... ab...c,c...->b... aa...->...a""".split()


def einsum(r):
    equation = r.choice(EQUATIONS)
    sizes = {}
    dots = shape(r, 0, 2)
    inputs = List()
    for labels in equation.split("->")[0].split(","):
        dims = []
        for part in labels.replace("...", ".").replace(" ", ""):
            dims += broadcastable(r, dots) if part == "." else [sizes.setdefault(part, dim(r))]
        inputs.append(dims)
    return {"equation": equation}, [inputs]


def cross(r):
    of = shape(r, 0, 3) + [3]
    return {}, [of, of]


def square(r):
    n = dim(r)
    return {}, [shape(r, 0, 3) + [n, n]]


def solve(r):
    batch, n, m = shape(r, 0, 2), dim(r), dim(r)
    a, b = (batch, batch) if flag(r) else (broadcastable(r, batch), broadcastable(r, batch))
    return {}, [a + [n, n], b + [n, m]]


def reduce(r):
    of = shape(r)
    axes = [axis(r, len(of)) for _ in range(r.randint(0, 3))]
    return {"keep_dims": flag(r)}, [of, V(axes[0] if len(axes) == 1 and flag(r) else axes)]


def arg_reduce(r):
    of = shape(r)
    return {}, [of, V(axis(r, len(of)))]


def segment(r):
    of = shape(r, 1)
    return {}, [of, of[:1]]


def unsorted_segment(r):
    of = shape(r)
    return {}, [of, of[: r.randint(0, len(of))], V(r.randint(-1, 5))]


def sparse_segment(r):
    n = dim(r)
    return {}, [shape(r, 1), [n], [n]]


def bincount(r):
    of = shape(r, 0, 3)
    return {}, [of, V(r.randint(-1, 5)), of]


def value_of(r, of):
    """A Const of that shape, for ops whose shape function reads an attr."""
    return AttrValue(tensor=tf.make_tensor_proto(np.zeros(of, np.float32)))


def const(r):
    return {"value": value_of(r, shape(r)), "dtype": types_pb2.DT_FLOAT}, []


def placeholder(r):
    return {"shape": hidden(r, shape(r))}, []


def with_attr_shape(r):
    of = shape(r)
    return {"shape": hidden(r, of)}, [of]


def identities(r):
    return {}, [List([shape(r) for _ in range(r.randint(1, 3))])]


def checked(r):
    return {}, [[], List([shape(r) for _ in range(r.randint(1, 3))])]


def vector_value(r, low=0, high=4):
    """A vector that spells a shape."""
    return V(shape(r, low, high))


def fill(r):
    return {}, [vector_value(r), []]


def linspace(r):
    return {}, [[], [], V(r.randint(-1, 5))]


def range_(r):
    kind = r.choice([types_pb2.DT_INT32, types_pb2.DT_INT8, types_pb2.DT_HALF, types_pb2.DT_INT64, types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE,
                     types_pb2.DT_UINT16, types_pb2.DT_BFLOAT16, types_pb2.DT_INT16,
                     types_pb2.DT_UINT64])  # fmt: skip
    real = kind in (types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE, types_pb2.DT_BFLOAT16, types_pb2.DT_HALF)
    unsigned = kind in (types_pb2.DT_UINT16, types_pb2.DT_UINT64)
    pick = (lambda: round(r.uniform(-9, 9), 2)) if real else lambda: r.randint(0 if unsigned else -9, 9)
    bounds = sorted([pick(), pick()])
    delta = abs(pick())
    if r.random() < 0.3 and not unsigned:
        bounds, delta = bounds[::-1], -delta
    return {"Tidx": kind}, [V(b) for b in bounds] + [V(delta)]


def two_vectors(r):
    return {}, [vector_value(r), vector_value(r)]


def reshape(r):
    of = shape(r)
    to = r.sample(of, len(of))
    if len(to) > 1 and flag(r):
        to = [to[0] * to[1]] + to[2:]
    if to and flag(r):
        to[r.randrange(len(to))] = -1
    return {}, [of, V(to)]


def expand_dims(r):
    of = shape(r)
    at = axis(r, len(of) + 1)
    return {}, [of, V([at] if r.random() < 0.2 else at)]


def squeeze(r):
    of = [r.choice([1, 1, 2, 3]) for _ in range(r.randint(0, 5))]
    ones = [i - r.choice([0, len(of)]) for i, d in enumerate(of) if d == 1]
    return {"squeeze_dims": r.sample(ones, r.randint(0, len(ones)))}, [of]


def transpose(r):
    of = shape(r)
    perm = r.sample(range(len(of)), len(of))
    return {}, [of, V([p - len(of) if r.random() < 0.1 else p for p in perm])]


def per_dim(pick):
    def generate(r):
        of = shape(r)
        return {}, [of, V([pick(r) for _ in of])]

    return generate


tile = per_dim(lambda r: r.choice([0, 1, 1, 2, 3]))


def pad(r):
    of = shape(r)
    return {}, [of, V(np.array([[r.randint(0, 2), r.randint(0, 2)] for _ in of]).reshape(-1, 2))]


def pad_v2(r):
    return {}, pad(r)[1] + [[]]


def mirror_pad(r):
    return {"mode": r.choice(["REFLECT", "SYMMETRIC"])}, pad(r)[1]


def reverse(r):
    of = shape(r, 0, 8)
    axes = r.sample(range(len(of)), r.randint(0, len(of)))
    return {}, [of, V([a - len(of) if r.random() < 0.2 else a for a in axes])]


def reverse_sequence(r):
    of = shape(r, 2)
    seq, batch = r.sample(range(len(of)), 2)
    return {"seq_dim": seq, "batch_dim": batch}, [of, [of[batch]]]


def roll(r):
    n = r.choice([[], [1], [2]])
    return {}, [shape(r, 1), n, n]


def broadcast_to(r):
    to = shape(r)
    return {}, [broadcastable(r, to), V([-1 if r.random() < 0.1 else d for d in to])]


def space_batch(r):
    blocks = [r.randint(1, 3) for _ in range(r.randint(0, 3))]
    edges = [[r.randint(0, 2), r.randint(0, 2)] for _ in blocks]
    dims = [max(0, b * r.randint(1, 3) - sum(e)) if flag(r) else dim(r) for b, e in zip(blocks, edges)]
    batch = int(np.prod(blocks)) * r.randint(0, 2)
    return {}, [[batch] + dims + shape(r, 0, 2), V(blocks), V(np.array(edges).reshape(-1, 2))]


def space_depth(r):
    block = r.randint(2, 3)
    form = r.choice(["NHWC", "NCHW", "NCHW_VECT_C"])
    h, w, d = block * r.randint(0, 3), block * r.randint(0, 3), block * block * r.randint(0, 2)
    of = [dim(r), h, w, d] if form == "NHWC" else [dim(r), d, h, w] + [4] * (len(form) > 4)
    return {"block_size": block, "data_format": form}, [of]


def diag_part(r):
    half = shape(r, 0, 3)
    return {}, [half + half]


def set_diag(r):
    of = shape(r, 2)
    return {}, [of, of[:-2] + [min(of[-2:])]]


def band(r, rows, columns):
    low = r.randint(-max(rows - 1, 0), max(columns - 1, 0))
    high = r.randint(low, max(columns - 1, low))
    return (low, low, V(low) if flag(r) else V([low])) if r.random() < 0.4 else (low, high, V([low, high]))


def longest(rows, columns, low, high):
    return min(rows + min(high, 0), columns - max(low, 0))


def matrix_diag_part_v3(r):
    of = shape(r, 2, 4)
    return {}, [of, band(r, *of[-2:])[2], []]


def diagonals(r, batch, rows, columns):
    low, high, k = band(r, rows, columns)
    return batch + [high - low + 1] * (low < high) + [longest(rows, columns, low, high)], k


def matrix_diag_v3(r):
    rows, columns = r.randint(1, 5), r.randint(1, 5)
    given, k = diagonals(r, shape(r, 0, 2), rows, columns)
    ends = [V(n if r.random() < 0.6 else -1) for n in (rows, columns)]
    return {}, [given, k] + ends + [[]]


def matrix_set_diag_v3(r):
    of = shape(r, 2, 4)
    given, k = diagonals(r, of[:-2], *of[-2:])
    return {}, [of, given, k]


def concat(r):
    of = shape(r, 1)
    at = axis(r, len(of))
    parts = List()
    for _ in range(r.randint(2, 4)):
        part = list(of)
        part[at] = dim(r)
        parts.append(part)
    return {}, [parts, V(at)]


def concat_offset(r):
    rank = r.randint(0, 4)
    return {}, [V(axis(r, rank)), List([V([dim(r) for _ in range(rank)]) for _ in range(r.randint(2, 3))])]


def split(r):
    of, count = shape(r, 1), r.randint(1, 4)
    at = axis(r, len(of))
    of[at] = count * r.randint(0, 3)
    return {"num_split": count}, [V(at), of]


def split_v(r):
    of = shape(r, 0 if r.random() < 0.1 else 1)
    sizes = [r.randint(0, 3) for _ in range(r.randint(1, 4))]
    at = axis(r, len(of))
    if of:
        of[at] = sum(sizes)
    if flag(r):
        sizes[r.randrange(len(sizes))] = -1
    return {"num_split": len(sizes)}, [of, V(sizes), V(at)]


def pack(r):
    of = shape(r)
    return {"axis": axis(r, len(of) + 1)}, [List([of] * r.randint(1, 4))]


def unpack(r):
    of = shape(r, 1)
    at = axis(r, len(of))
    return {"axis": at, "num": of[at] if r.random() < 0.9 else dim(r)}, [of]


def one_hot(r):
    of = shape(r)
    return {"axis": r.randint(-1, len(of))}, [of, V(r.randint(-1, 5)), [], []]


def stitch(r):
    extra, places, parts = shape(r, 0, 2), List(), List()
    for _ in range(r.randint(1, 3)):
        of = shape(r, 0, 2)
        places.append(V(np.array([r.randint(0, 9) for _ in range(int(np.prod(of)))]).reshape(of)))
        parts.append(of + extra)
    return {}, [places, parts]


def partition(r):
    of = shape(r)
    return {"num_partitions": r.randint(1, 3)}, [of, of[: r.randint(0, len(of))]]


def slice_(r):
    of = shape(r)
    begin = [r.randint(0, d) for d in of]
    return {}, [of, V(begin), V([r.choice([-1, r.randint(0, d - b)]) for b, d in zip(begin, of)])]


MASKS = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]


def strided_slice(r):
    of = shape(r, 0, 5)
    count = r.randint(0, len(of) + 1)
    masks = {m: sum(1 << i for i in range(count) if r.random() < 0.2) for m in MASKS if flag(r)}
    if "ellipsis_mask" in masks:
        masks["ellipsis_mask"] = 1 << r.randint(0, count) if r.random() < 0.9 else r.randint(0, 15)
    values = [[r.randint(-6, 8) for _ in range(count)] for _ in range(2)]
    strides = [r.choice([1, 1, 1, 1, 2, 3, -1, -2, 0 if r.random() < 0.2 else 1]) for _ in range(count)]
    return masks, [of] + [V(v) for v in values] + [V(strides)]


def strided_slice_grad(r):
    masks, (of, begin, end, strides) = strided_slice(r)
    return masks, [V(of), begin, end, strides, shape(r)]


def strided_slice_update(r):
    masks, args = strided_slice(r)
    return masks, args + [shape(r)]


def strided_slice_assign(r):
    masks, (of, *spec) = strided_slice(r)
    return masks, [Held(of), *spec, shape(r)]


def gather(r):
    return {}, [shape(r, 1), shape(r)]


def gather_v2(r):
    params, indices = shape(r, 1), shape(r, 0, 3)
    batch = r.choice([0, 0, r.randint(-len(indices), min(len(indices), len(params) - 1))])
    low = batch if batch >= 0 else batch + len(indices)
    at = r.randint(low, len(params) - 1) if low < len(params) else 0
    indices[: max(low, 0)] = params[: max(low, 0)]
    return {"batch_dims": batch}, [params, indices, V(at - len(params) if r.random() < 0.3 else at)]


def gather_nd(r):
    params = shape(r)
    return {}, [params, shape(r, 0, 3) + [r.randint(0, len(params))]]


def held(generate):
    """The same with a variable as first argument."""

    def generate_held(r):
        attrs, args = generate(r)
        return attrs, [Held(args[0])] + args[1:]

    return generate_held


def resource_gather(r):
    params, indices = shape(r, 1), shape(r, 0, 3)
    batch = r.randint(0, min(len(indices), len(params) - 1))
    indices[:batch] = params[:batch]
    return {"batch_dims": batch}, [Held(params), indices]


def tensor_scatter(r):
    of = shape(r, 1)
    depth, outer = r.randint(0, len(of)), shape(r, 0, 2)
    return {}, [of, outer + [depth], outer + of[depth:]]


def scatter_nd(r):
    of, indices, updates = tensor_scatter(r)[1]
    return {}, [indices, updates, V(of)]


def scatter(r):
    of, indices = shape(r, 1), shape(r, 0, 2)
    return {}, [of, indices, [] if r.random() < 0.2 else indices + of[1:]]


def top_k(r):
    of = shape(r, 1)
    return {"k": r.randint(0, of[-1])}, [of]


def top_k_v2(r):
    attrs, args = top_k(r)
    return {}, args + [V(attrs["k"])]


def in_top_k(r):
    n = dim(r)
    return {}, [[n, dim(r)], [n], []]


def vector(r):
    return {}, [[dim(r)]]


def unique_v2(r):
    of = shape(r)
    axes = [axis(r, len(of))] if len(of) != 1 or flag(r) else []
    return {}, [of, V(np.array(axes))]


def search_sorted(r):
    n = dim(r)
    return {}, [[n, dim(r)], [n, dim(r)]]


def softmax_loss(r):
    to = [dim(r), dim(r)]
    return {}, [to, to] if flag(r) else [broadcastable(r, to), broadcastable(r, to)]


def sparse_softmax_loss(r):
    n = dim(r)
    return {}, [[n, dim(r)], [n]]


def bias_add(r):
    form = r.choice(["NHWC", "NCHW"])
    of = shape(r, 2 if form == "NHWC" else 3)
    return {"data_format": form}, [of, [of[-1 if form == "NHWC" else 1]]]


def bias_add_grad(r):
    attrs, args = bias_add(r)
    return attrs, args[:1]


def batch_norm(r):
    form = r.choice(["NHWC", "NCHW", "NDHWC", "NCDHW"])
    of = [dim(r) for _ in form]
    channels = [of[form.index("C")]]
    factor = r.choice([1.0, 0.5])
    return ({"data_format": form, "is_training": flag(r), "exponential_avg_factor": factor},
            [of] + [channels] * 4)  # fmt: skip


def batch_norm_grad(r):
    attrs, (of, channels, *_) = batch_norm(r)
    attrs.pop("exponential_avg_factor")
    return attrs, [of, of, channels, channels, channels, [dim(r)]]


def window(r, form, explicit, size_low=1):
    """Image dimensions and what slides over them."""
    spatial = len(form) - 2 if len(form) < 6 else 2
    place = (lambda n, s, c: [n] + s + [c]) if form[-1] == "C" and len(form) < 6 else (lambda n, s, c: [n, c] + s)
    dims = [r.randint(0, 9) for _ in range(spatial)]
    sizes = [r.randint(size_low, 4) for _ in range(spatial)]
    attrs = {
        "strides": place(1, [r.randint(1, 3) for _ in range(spatial)], 1),
        "padding": r.choice(["SAME", "VALID"] + ["EXPLICIT"] * explicit),
        "data_format": form,
    }
    if attrs["padding"] == "EXPLICIT":
        pads = place([0, 0], [[r.randint(0, 3), r.randint(0, 3)] for _ in range(spatial)], [0, 0])
        attrs["explicit_paddings"] = sum(pads, [])
    dilations = place(1, [r.choice([1, 1, 2, 3]) for _ in range(spatial)], 1)
    return attrs, place, dims, sizes, dilations


def conv2d(r):
    attrs, place, dims, sizes, dilations = window(r, r.choice(["NHWC", "NCHW"]), True)
    groups, per_group = r.choice([1, 1, 2, 3]), r.randint(1, 3)
    attrs["dilations"] = dilations
    return attrs, [place(dim(r), dims, groups * per_group), sizes + [per_group, groups * r.randint(0, 3)]]


def depthwise(r):
    attrs, place, dims, sizes, dilations = window(r, r.choice(["NHWC", "NCHW"]), True)
    attrs["dilations"] = dilations
    channels = dim(r)
    return attrs, [place(dim(r), dims, channels), sizes + [channels, dim(r)]]


def conv3d(r):
    attrs, place, dims, sizes, dilations = window(r, r.choice(["NDHWC", "NCDHW"]), False)
    groups, per_group = r.choice([1, 1, 2]), r.randint(1, 3)
    attrs["dilations"] = dilations
    return attrs, [place(dim(r), dims, groups * per_group), sizes + [per_group, groups * r.randint(0, 3)]]


def conv2d_input_grad(r):
    attrs, (image, filter_) = conv2d(r)
    nhwc = attrs["data_format"] == "NHWC"
    out = [image[0], dim(r), dim(r), filter_[3]] if nhwc else [image[0], filter_[3], dim(r), dim(r)]
    sizes = image if r.random() < 0.8 else image[1:3]
    return attrs, [V(sizes), filter_, out]


def filter_grad(generate):
    def generate_grad(r):
        attrs, (image, filter_) = generate(r)
        return attrs, [image, V(filter_), shape(r, len(image), len(image))]

    return generate_grad


def input_grad(generate):
    def generate_grad(r):
        attrs, (image, filter_) = generate(r)
        return attrs, [V(image), filter_, shape(r, len(image), len(image))]

    return generate_grad


def pool(*forms, explicit=False, channels=False):
    def generate(r):
        form = r.choice(forms)
        attrs, place, dims, sizes, _ = window(r, form, explicit)
        depth = r.randint(1, 2) if channels and r.random() < 0.2 else 1
        attrs["ksize"] = place(1, sizes, depth)
        return attrs, [place(dim(r), dims, dim(r)) + [4] * (len(form) > 5)]

    return generate


def without_format(generate):
    def generate_without(r):
        attrs, args = generate(r)
        attrs.pop("data_format")
        return attrs, args

    return generate_without


image_pool = pool("NHWC", "NCHW")


def max_pool_grad(r):
    attrs, (of,) = image_pool(r)
    return attrs, [of, shape(r, 4, 4), shape(r, 4, 4)]


def avg_pool_grad(r):
    attrs, (of,) = image_pool(r)
    return attrs, [V(of), shape(r, 4, 4)]


def resize(r):
    return {}, [shape(r, 4, 4), V([r.randint(0, 9), r.randint(0, 9)])]


def crop_and_resize(r):
    n = dim(r)
    return {}, [shape(r, 4, 4), [n, 4], [n], V([r.randint(0, 9), r.randint(0, 9)])]


def adjust(r):
    return {}, [shape(r, 3), []]


def colour(r):
    return {}, [shape(r, 0, 4) + [3]]


def string_join(r):
    of = shape(r)
    return {}, [List([r.choice([of, of, []]) for _ in range(r.randint(0, 4))])]


def split_text(r):
    return {}, [[dim(r)], []]


def substr(r):
    of = shape(r)
    part = broadcastable(r, of)
    return {}, [of, part, part]


def string_format(r):
    count = r.randint(0, 3)
    marks = count if r.random() < 0.8 else r.randint(0, 3)
    placeholder = r.choice(["%s", "{}", "aa"])
    return ({"template": "x".join([placeholder] * marks), "placeholder": placeholder},
            [List([shape(r) for _ in range(count)])])  # fmt: skip


def first_like(*rest):
    """Any first argument and then fixed shapes."""

    def generate(r):
        return {}, [shape(r)] + [list(s) for s in rest]

    return generate


def spelled(*rest):
    """A vector that spells the shape and then fixed shapes."""

    def generate(r):
        return {}, [vector_value(r)] + [list(s) for s in rest]

    return generate


def multinomial(r):
    return {}, [[dim(r), dim(r)], V(r.randint(-1, 5))]


def stateless_multinomial(r):
    return {}, multinomial(r)[1] + [[2]]


def gamma(r):
    return {}, [vector_value(r), shape(r, 0, 2)]


def variable(r):
    return {}, [Held(shape(r))]


def assign(r):
    of = shape(r)
    return {}, [Held(of), of]


def ref_assign(r):
    return {"validate_shape": flag(r)}, assign(r)[1]


def apply(text):
    """v: variable or slot, s: scalar, g: gradient, r: rows of a gradient, i: their indices."""

    def generate(r):
        of, rows = shape(r, 1 if "i" in text else 0), dim(r)
        kinds = {"v": lambda: Held(of), "s": list, "g": lambda: of, "r": lambda: [rows] + of[1:], "i": lambda: [rows]}
        return {}, [kinds[k]() for k in text]

    return generate


GENERATORS = {
    "Add AddV2 Sub Mul Div RealDiv FloorDiv TruncateDiv DivNoNan MulNoNan FloorMod TruncateMod Mod Pow "
    "Maximum Minimum SquaredDifference Xdivy Xlogy Xlog1py Atan2 NextAfter Complex BitwiseAnd BitwiseOr "
    "BitwiseXor LeftShift RightShift LogicalAnd LogicalOr Less LessEqual Greater GreaterEqual": broadcast,
    "Equal NotEqual": equal,
    "Select": select,
    "SelectV2": select_v2,
    "Bitcast": bitcast,
    "AddN": several,
    "AccumulateNV2": accumulate,
    "MatMul": matmul,
    "BatchMatMul BatchMatMulV2 BatchMatMulV3": batch_matmul,
    "Einsum": einsum,
    "Cross": cross,
    "Cholesky MatrixInverse MatrixDeterminant": square,
    "MatrixSolve MatrixTriangularSolve": solve,
    "Sum Mean Prod EuclideanNorm Max Min All Any ReduceJoin": reduce,
    "ArgMax ArgMin Cumsum Cumprod CumulativeLogsumexp": arg_reduce,
    "SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin": segment,
    "UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin": unsorted_segment,
    "SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN": sparse_segment,
    "Bincount DenseBincount": bincount,
    "Const": const,
    "Placeholder VariableV2 VarHandleOp": placeholder,
    "PlaceholderWithDefault EnsureShape": with_attr_shape,
    "IdentityN": identities,
    "ShapeN": several,
    "Assert": checked,
    "Fill": fill,
    "LinSpace": linspace,
    "Range": range_,
    "BroadcastArgs BroadcastGradientArgs": two_vectors,
    "ListDiff": lambda r: ({}, [[dim(r)], [dim(r)]]),
    "InvertPermutation Unique": vector,
    "Reshape": reshape,
    "ExpandDims": expand_dims,
    "Squeeze": squeeze,
    "Transpose ConjugateTranspose": transpose,
    "Tile": tile,
    "Pad": pad,
    "PadV2": pad_v2,
    "MirrorPad MirrorPadGrad": mirror_pad,
    "ReverseV2": reverse,
    "ReverseSequence": reverse_sequence,
    "Roll": roll,
    "BroadcastTo": broadcast_to,
    "SpaceToBatchND BatchToSpaceND": space_batch,
    "SpaceToDepth DepthToSpace": space_depth,
    "DiagPart": diag_part,
    "MatrixSetDiag": set_diag,
    "MatrixDiagV3": matrix_diag_v3,
    "MatrixDiagPartV3": matrix_diag_part_v3,
    "MatrixSetDiagV3": matrix_set_diag_v3,
    "MatrixBandPart": first_like([], []),
    "ConcatV2": concat,
    "ConcatOffset": concat_offset,
    "Split": split,
    "SplitV": split_v,
    "Pack": pack,
    "Unpack": unpack,
    "OneHot": one_hot,
    "DynamicStitch": stitch,
    "DynamicPartition": partition,
    "Slice": slice_,
    "StridedSlice": strided_slice,
    "StridedSliceGrad": strided_slice_grad,
    "TensorStridedSliceUpdate": strided_slice_update,
    "ResourceStridedSliceAssign": strided_slice_assign,
    "Gather": gather,
    "GatherV2": gather_v2,
    "GatherNd": gather_nd,
    "ResourceGather": resource_gather,
    "ResourceGatherNd": held(gather_nd),
    "ScatterNd": scatter_nd,
    "TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin": tensor_scatter,
    "ResourceScatterNdUpdate ResourceScatterNdAdd ResourceScatterNdSub": held(tensor_scatter),
    "ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv ResourceScatterMin "
    "ResourceScatterMax ResourceScatterUpdate ScatterAdd ScatterUpdate": held(scatter),
    "TopK": top_k,
    "TopKV2": top_k_v2,
    "InTopKV2": in_top_k,
    "UniqueV2 UniqueWithCountsV2": unique_v2,
    "LowerBound UpperBound": search_sorted,
    "SoftmaxCrossEntropyWithLogits": softmax_loss,
    "SparseSoftmaxCrossEntropyWithLogits": sparse_softmax_loss,
    "BiasAdd": bias_add,
    "BiasAddGrad": bias_add_grad,
    "FusedBatchNormV3": batch_norm,
    "FusedBatchNormGradV3": batch_norm_grad,
    "Conv2D": conv2d,
    "Conv2DBackpropInput": conv2d_input_grad,
    "Conv2DBackpropFilter": filter_grad(conv2d),
    "DepthwiseConv2dNative": depthwise,
    "DepthwiseConv2dNativeBackpropInput": input_grad(depthwise),
    "DepthwiseConv2dNativeBackpropFilter": filter_grad(depthwise),
    "Conv3D": conv3d,
    "Conv3DBackpropInputV2": input_grad(conv3d),
    "Conv3DBackpropFilterV2": filter_grad(conv3d),
    "MaxPool": pool("NHWC", "NCHW", "NCHW_VECT_C", explicit=True, channels=True),
    "MaxPoolGrad": max_pool_grad,
    "MaxPoolWithArgmax": without_format(pool("NHWC", channels=True)),
    "MaxPool3D AvgPool3D": pool("NDHWC", "NCDHW"),
    "AvgPool": image_pool,
    "AvgPoolGrad": avg_pool_grad,
    "LRN": lambda r: ({}, [shape(r, 4, 4)]),
    "ResizeBilinear ResizeBicubic ResizeNearestNeighbor ResizeArea ResizeNearestNeighborGrad": resize,
    "CropAndResize": crop_and_resize,
    "AdjustContrastv2 AdjustHue AdjustSaturation": adjust,
    "RGBToHSV HSVToRGB": colour,
    "StringJoin": string_join,
    "StringSplit StringSplitV2": split_text,
    "Substr": substr,
    "RegexReplace": first_like([], []),
    "RegexFullMatch": first_like([]),
    "StringFormat": string_format,
    "RandomUniform RandomStandardNormal TruncatedNormal": spelled(),
    "RandomUniformInt": spelled([], []),
    "RandomGamma": gamma,
    "Multinomial": multinomial,
    "StatelessMultinomial": stateless_multinomial,
    "StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal StatelessRandomUniformFullInt": spelled([2]),
    "StatelessRandomUniformInt": spelled([2], [], []),
    "StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2 "
    "StatelessRandomUniformFullIntV2": spelled([1], [2], []),
    "StatelessRandomUniformIntV2": spelled([1], [2], [], [], []),
    "StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg": lambda r: ({}, [[2]]),
    "ReadVariableOp VarIsInitializedOp VariableShape DestroyResourceOp IsVariableInitialized": variable,
    "AssignVariableOp AssignAddVariableOp AssignSubVariableOp AssignAdd AssignSub": assign,
    "Assign": ref_assign,
    "ApplyGradientDescent ResourceApplyGradientDescent": apply("vsg"),
    "ApplyAdam ResourceApplyAdam": apply("vvvssssssg"),
    "ResourceApplyAdamWithAmsgrad": apply("vvvvssssssg"),
    "ResourceApplyMomentum ResourceApplyKerasMomentum": apply("vvsgs"),
    "ResourceApplyAdagrad": apply("vvsg"),
    "ResourceApplyAdagradV2": apply("vvssg"),
    "ResourceApplyAdadelta": apply("vvvsssg"),
    "ResourceApplyRMSProp": apply("vvvssssg"),
    "ResourceApplyFtrl": apply("vvvgssss"),
    "ResourceSparseApplyMomentum ResourceSparseApplyKerasMomentum": apply("vvsris"),
    "ResourceSparseApplyAdagrad": apply("vvsri"),
}
GENERATORS = {name: generate for names, generate in GENERATORS.items() for name in names.split()}


def alike(op):
    """For ops without a generator: one shape for every argument."""

    def generate(r):
        of = shape(r)
        return {}, [list(of) for _ in op.input_arg]

    return generate


# --- spoiling and hiding ----------------------------------------------------------------------------


def hidden(r, of):
    """Some dimensions, or the rank, unknown."""
    if of is None or r.random() < 0.4:
        return of
    if r.random() < 0.12:
        return None
    return [-1 if r.random() < 0.35 else d for d in of]


def spoiled_shape(r, of):
    of = list(of)
    what = r.randrange(4)
    if what == 0 or not of:
        of.insert(r.randint(0, len(of)), dim(r))
    elif what == 1:
        of.pop(r.randrange(len(of)))
    else:
        of[r.randrange(len(of))] = dim(r)
    return of


def spoiled_value(r, value):
    value = np.array(value)
    what = r.randrange(5)
    if what == 0 and value.ndim == 1:
        return np.append(value, value.dtype.type(r.randint(-1, 3)))
    if what == 1 and value.ndim == 1 and value.size:
        return value[1:]
    if what == 2:
        return value.reshape((1,) + value.shape) if flag(r) or value.size != 1 else value.reshape(())
    if value.size:
        value = value.copy()
        value.flat[r.randrange(value.size)] += r.choice([-3, -2, -1, 1, 2, 9])
    return value


def spoil(r, arg):
    if isinstance(arg, List):
        spoiled = List(arg)
        if spoiled:
            i = r.randrange(len(spoiled))
            spoiled[i] = spoil(r, spoiled[i])
        return spoiled
    if isinstance(arg, V):
        return V(spoiled_value(r, arg.value))
    if isinstance(arg, Held):
        return Held(spoiled_shape(r, arg.shape))
    return spoiled_shape(r, arg)


def spoiled_attr(r, value):
    if isinstance(value, bool) or not isinstance(value, (int, list)):
        return value
    if isinstance(value, int):
        return value + r.choice([-2, -1, 1])
    value = list(value)
    what = r.randrange(3)
    if what == 0:
        value.append(1)
    elif value and what == 1:
        value.pop()
    elif value:
        value[r.randrange(len(value))] = r.randint(-1, 3)
    return value


def hide(r, arg):
    if isinstance(arg, List):
        return List([hide(r, a) for a in arg])
    if isinstance(arg, V):
        value = np.array(arg.value)
        if r.random() < 0.2:
            return hidden(r, list(value.shape))
        if value.ndim == 1 and value.size and r.random() < 0.15:
            return V(value, tuple(i for i in range(value.size) if flag(r)) or (0,))
        return V(value)
    if isinstance(arg, Held):
        return Held(hidden(r, arg.shape) if r.random() < 0.9 else ...)
    return hidden(r, arg)


# --- one case, ready to be asked --------------------------------------------------------------------

ANY_TYPE = [types_pb2.DT_FLOAT, types_pb2.DT_INT32, types_pb2.DT_INT64, types_pb2.DT_BOOL,
            types_pb2.DT_STRING, types_pb2.DT_HALF, types_pb2.DT_COMPLEX64]  # fmt: skip


@dataclasses.dataclass
class Input:
    dtype: int
    shape: object  # None: unknown rank
    value: object = None  # a numpy array
    open: tuple = ()
    held: object = ...  # the shape of what a resource refers to; ... when it is unknown
    held_dtype: int = 0
    is_ref: bool = False


@dataclasses.dataclass
class Case:
    op: str
    attrs: dict  # name to AttrValue
    args: list  # of Input or lists of Input

    def inputs(self):
        return [i for arg in self.args for i in (arg if isinstance(arg, list) else [arg])]


def shape_proto(of):
    return tf.TensorShape(None if of is None else [None if d < 0 else d for d in of]).as_proto()


def attr_value(attr, value):
    if isinstance(value, AttrValue):
        return value
    if attr.type == "type":
        return AttrValue(type=value)
    if attr.type == "shape":
        return AttrValue(shape=shape_proto(value))
    if attr.type == "bool":
        return AttrValue(b=value)
    if attr.type == "int":
        return AttrValue(i=value)
    if attr.type == "float":
        return AttrValue(f=value)
    if attr.type == "string":
        return AttrValue(s=value.encode())
    if attr.type == "list(type)":
        return AttrValue(list=AttrValue.ListValue(type=value))
    return AttrValue(list=AttrValue.ListValue(i=value))


REQUIRED = {"string": "text", "int": 1, "list(int)": [1], "list(float)": AttrValue(list=AttrValue.ListValue(f=[0, 1])),
            "shape": [2], "bool": True}  # fmt: skip


def make(r, op):
    """A random use of `op`."""
    attrs, args = GENERATORS.get(op.name, alike(op))(r)
    if args and r.random() < 0.3:
        i = r.randrange(len(args))
        args[i] = spoil(r, args[i])
    if r.random() < 0.6:
        args = [hide(r, a) for a in args]
    attrs = dict(attrs)
    types = {a.name for a in op.attr if a.type == "type"}
    given = sorted(attrs.keys() - types)
    if given and r.random() < 0.1:
        name = r.choice(given)
        attrs[name] = spoiled_attr(r, attrs[name])
    lists = {a.type_list_attr: given for a, given in zip(op.input_arg, args) if a.type_list_attr}
    for attr in op.attr:
        if attr.name in attrs:
            continue
        if attr.type == "type":
            attrs[attr.name] = r.choice(list(attr.allowed_values.list.type) or ANY_TYPE)
        elif attr.type == "list(type)":
            attrs[attr.name] = [r.choice(ANY_TYPE) for _ in lists[attr.name]]
        elif attr.type == "bool" and r.random() < 0.3:
            attrs[attr.name] = flag(r)
        elif not attr.HasField("default_value"):
            allowed = attr.allowed_values.list.s
            attrs[attr.name] = r.choice(allowed).decode() if allowed else REQUIRED.get(attr.type)
    made = []
    for arg, given in zip(op.input_arg, args):
        if arg.number_attr:
            attrs[arg.number_attr] = len(given)
        types = attrs[arg.type_list_attr] if arg.type_list_attr else None
        dtype = attrs[arg.type_attr] if arg.type_attr else arg.type
        holds = attrs.get("dtype", attrs.get("T", types_pb2.DT_FLOAT))
        if r.random() < 0.03:
            holds = r.choice(ANY_TYPE)
        several = [to_input(g, types[k] if types else dtype, arg.is_ref, holds)
                   for k, g in enumerate(given if isinstance(given, List) else [given])]  # fmt: skip
        made.append(several if isinstance(given, List) else several[0])
    defs = {a.name: a for a in op.attr}
    return Case(op.name, {n: attr_value(defs[n], v) for n, v in attrs.items() if v is not None}, made)


def to_input(given, dtype, is_ref, holds):
    if isinstance(given, V):
        value = np.array(given.value).astype(tf.as_dtype(dtype).as_numpy_dtype)
        # TensorFlow puts shapes together from scalars of these two types only.
        spells = dtype in (types_pb2.DT_INT32, types_pb2.DT_INT64)
        return Input(dtype, list(value.shape), value, given.open if spells else ())
    if isinstance(given, Held) and is_ref:
        return Input(dtype, None if given.shape is ... else given.shape, is_ref=True)
    if isinstance(given, Held):
        return Input(dtype, None if given.shape is ... else [], held=given.shape, held_dtype=holds)
    return Input(dtype, given)
