"""Einsum: sums of products over labelled dimensions."""

import numpy

from cases.maker import INTEGERS
from cases.matmul import wide
from cases.registry import Call, cases

TYPES = ["float32", "float64", "float16", "bfloat16", "int32", "int64", "complex64", "complex128"]

ONE = ["ab->ba", "ab->ab", "abc->cab", "ab->a", "ab->b", "ab->", "abc->b", "aa->a", "aa->", "aab->b", "abab->ab",
       "...->...", "a...->...a", "...a->...", "ab...->b...a", "...ii->...i", "->", "i->ii", "ij->iij", "aab->bba",
       "A1->1", "a b-> b", "i->i...", "abcdefgh->hgfedcba", "ab->ac", "abcdefghijk->kb"]
TWO = ["ab,bc->ac", "ab,cb->ac", "ba,bc->ac", "ab,bc->ca", "ab,bc->", "ab,ab->ab", "ab,ab->", "ab,ab->a", "ab,ba->ab",
       "a,b->ab", "a,b->ba", "a,a->", "a,->a", ",->", "abc,cd->abd", "abc,dc->abd", "abc,acd->abd", "abc,abd->acd",
       "bhqd,bhkd->bhqk", "bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", "bij,bjk->bik", "bij,bkj->bki", "abcd,cbe->ade",
       "abcd,dbce->ae", "ab,cd->", "ab,cd->ac", "ab,cd->bd", "aab,bcc->ac", "aab,bcd->dac", "ij,jk->kii", "ab,b->abb",
       "...ij,...jk->...ik", "...ij,jk->...ik", "ij,...jk->...ik", "...a,...b->...ab", "a...,b...->ab...",
       "a...,b...->...ba", "...,...->...", "ab...,b->a...", "i,j->ij...", "...ab,b...->...a", "abc,abc->cab",
       "abcd,badc->acbd", "ab,ab->a..."]


def subscripts(call):
    """The equation with letters for every ellipsis, as numpy takes it, labels of nothing left out."""
    left, right = call.attrs["equation"].split("->")
    spare = [c for c in map(chr, range(0x100, 0x180))]
    parts, most = [], 0
    for part, array in zip(left.split(","), call.inputs[0]):
        rest = array.ndim - len(part.replace("...", ""))
        most = max(most, rest if "..." in part else 0)
        parts.append(part.replace("...", "".join(spare[:rest][::-1])))
    out = right.replace("...", "".join(spare[:most][::-1]))
    return parts, "".join(c for c in out if any(c in part for part in parts))


def contract(call, prepare):
    """By hand: labels become axes of one array, which is as large as all of them together."""
    parts, out = subscripts(call)
    labels = sorted(set("".join(parts)))
    product = None
    for part, array in zip(parts, call.inputs[0]):
        array = prepare(array)
        for label in set(part):
            while part.count(label) > 1:
                i, j = part.index(label), part.rindex(label)
                array = numpy.diagonal(array, axis1=i, axis2=j)
                part = part[:i] + part[i + 1:j] + part[j + 1:] + label
        array = array.transpose([part.index(label) for label in labels if label in part])
        array = array.reshape([array.shape[sorted(part).index(label)] if label in part else 1 for label in labels])
        product = array if product is None else product * array
    once = "".join(dict.fromkeys(out))
    summed = product.sum(tuple(i for i, label in enumerate(labels) if label not in once))
    kept = [label for label in labels if label in once]
    summed = numpy.asarray(summed).transpose([kept.index(label) for label in once])
    if once == out:
        return summed
    sizes = dict(zip(once, summed.shape))
    result = numpy.zeros([sizes[label] for label in out], summed.dtype)
    index = numpy.indices(summed.shape)
    result[tuple(index[once.index(label)] for label in out)] = summed
    return result


def exact(call):
    return [None if call.inputs[0][0].dtype.name in INTEGERS else contract(call, wide)]


def terms(call):
    return [contract(call, lambda x: numpy.abs(x).astype("float64"))]


def shapes_of(make, equation):
    left = equation.split("->")[0].split(",")
    usual = [1, 2, 3] if len(set("".join(left))) > 6 else [0, 1, 2, 3, 4, 5, 9]
    sizes = {label: make.choose(usual) for label in sorted(set("".join(left)))}
    spread = [make.choose([1, 2, 3]) for _ in range(3)]
    shapes = []
    for part in left:
        cut = spread[make.below(4):]
        some = [1 if make.below(3) == 0 else d for d in cut]
        before, found, after = part.partition("...")
        shapes.append([sizes[c] for c in before] + (some if found else []) + [sizes[c] for c in after])
    return shapes


@cases("Einsum", dtypes=TYPES, reference=exact, scale=terms)
def einsum(make, op, dtype):
    for equation in ONE + TWO + TWO:
        yield Call(op, [[make.array(dtype, shape, special=False, small=True)
                         for shape in shapes_of(make, equation)]], {"equation": equation})
    for equation, shapes in [("ab,bc->ac", [[70, 300], [300, 90]]), ("bqhd,bkhd->bhqk", [[2, 20, 3, 64]] * 2),
                             ("bi,bi->b", [[50, 400]] * 2), ("ab->b", [[500, 40]])]:
        # Nothing that a half could not hold on the way.
        low = {"low": -3, "high": 3} if dtype == "float16" else {"special": False}
        yield Call(op, [[make.array(dtype, shape, small=True, **low) for shape in shapes]], {"equation": equation})
    for equation, shapes, says in [
            ("ab,bc", [[2, 3], [3, 2]], "must have one '->'"), ("a->a->a", [[2]], "must have one '->'"),
            ("", [[]], "must have one '->'"), ("ab,bc,cd->ad", [[2, 2]] * 3, "one operand or two"),
            ("ab,b->a", [[2, 3]], "has 2 operands, and 1 are given"),
            ("ab->a", [[2, 3], [2]], "has 1 operands, and 2 are given"),
            ("ab,bc->ac", [[2, 3], [2, 3]], "dimension 0 of inputs[1] [2,3] is 2, and 3"),
            ("aa->a", [[2, 3]], "dimension 1 of inputs[0]"), ("abc->ab", [[2, 3]], "must have 3 dimensions"),
            ("a...b->ab...", [[2]], "must have at least 2 dimensions"),
            ("...a->a", [[2, 3]], "the output has none"),
            ("a...,b...->ab...", [[2, 2, 3], [4, 5, 1]], "and 2 where its label stands elsewhere")]:
        yield Call(op, [[make.array(dtype, shape, special=False, small=True) for shape in shapes]],
                   {"equation": equation}, says)
