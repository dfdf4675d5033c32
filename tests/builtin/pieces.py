"""What uses of ops are made of: shapes, known values, variables, lists of those."""

import dataclasses

import numpy as np


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


def dim(r):
    return r.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8])


def shape(r, low=0, high=5):
    return [dim(r) for _ in range(r.randint(low, high))]


def broadcastable(r, to):
    """Something that broadcasts to `to`."""
    kept = to[r.randint(0, len(to)) :] if r.random() < 0.4 else to
    return [1 if r.random() < 0.3 else d for d in kept]


def broadcastables(r, to, count=2):
    return [broadcastable(r, to) for _ in range(count)]


def flag(r):
    return r.random() < 0.5


def axis(r, rank):
    return r.randint(-rank, rank - 1) if rank else r.randint(-1, 1)


def hidden(r, of):
    """Some dimensions, or the rank, unknown."""
    if of is None or r.random() < 0.4:
        return of
    if r.random() < 0.12:
        return None
    return [-1 if r.random() < 0.35 else d for d in of]


def spelled(r):
    """A vector that spells a shape."""
    return V(shape(r, 0, 4))


def pairs(numbers):
    return np.array(numbers, int).reshape(-1, 2)


# --- generators that many ops share: a random source in, (attrs, arguments) out -----------------------


def same(arguments):
    """One shape for so many arguments."""
    return lambda r: ({}, [shape(r)] * arguments)


def like(low, *rest):
    """A shape of rank `low` or more, then these."""
    return lambda r: ({}, [shape(r, low)] + [list(s) for s in rest])


def from_spelled(*rest):
    """A vector that spells a shape, then these shapes."""
    return lambda r: ({}, [spelled(r)] + [list(s) for s in rest])


def rows(*shapes):
    """Shapes in which "n" is one number and "?" any."""

    def generate(r):
        n = dim(r)
        return {}, [[{"n": n, "?": dim(r)}.get(d, d) for d in of] for of in shapes]

    return generate
