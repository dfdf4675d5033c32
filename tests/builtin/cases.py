"""Random uses of the built-in ops, ready to be asked: mostly right ones, some of them spoiled, many partly
hidden."""

import dataclasses

import numpy as np
import tensorflow as tf
from generators import generator
from pieces import Held, List, V, dim, flag, hidden
from tensorflow.core.framework import attr_value_pb2, types_pb2

AttrValue = attr_value_pb2.AttrValue

# --- spoiling and hiding ----------------------------------------------------------------------------


HUGE = 2**62  # one such dimension is a shape, but arithmetic with it overflows


def spoiled_shape(r, of):
    of = list(of)
    what = r.randrange(4)
    if what == 0 or not of:
        of.insert(r.randint(0, len(of)), dim(r))
    elif what == 1:
        of.pop(r.randrange(len(of)))
    else:
        of[r.randrange(len(of))] = dim(r) if r.random() < 0.9 else HUGE
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
        i = r.randrange(value.size)
        if r.random() < 0.9 or value.dtype != np.int64:
            value.flat[i] += r.choice([-3, -2, -1, 1, 2, 9, 2**30])
        else:
            value.flat[i] = r.choice([2**31 - 1, -(2**31), 2**63 - 1, -(2**63)])
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
        return value + r.choice([-2, -1, 1]) if r.random() < 0.9 else r.choice([2**31, -(2**63), 2**63 - 1])
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
    attrs, args = generator(op)(r)
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
        with np.errstate(all="ignore"):
            value = np.array(given.value).astype(tf.as_dtype(dtype).as_numpy_dtype)
        # TensorFlow puts shapes together from scalars of these two types only.
        spells = dtype in (types_pb2.DT_INT32, types_pb2.DT_INT64)
        return Input(dtype, list(value.shape), value, given.open if spells else ())
    if isinstance(given, Held) and is_ref:
        return Input(dtype, None if given.shape is ... else given.shape, is_ref=True)
    if isinstance(given, Held):
        return Input(dtype, None if given.shape is ... else [], held=given.shape, held_dtype=holds)
    return Input(dtype, given)
