"""Which types kernels are registered for: the plugin's, and those in TensorFlow's wheel.

A combination is a tuple of (attribute, type) pairs, one per type attribute of the op.
"""

import functools
import itertools
import json
import re
import subprocess

from hosts import BUILD, PLUGIN

# Types that TensorFlow's numbers name, without references.
NAMES = {1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string",
         8: "complex64", 9: "int64", 10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16",
         15: "qint16", 16: "quint16", 17: "uint16", 18: "complex128", 19: "float16", 20: "resource",
         21: "variant", 22: "uint32", 23: "uint64", 24: "float8_e5m2", 25: "float8_e4m3fn",
         26: "float8_e4m3fnuz", 27: "float8_e4m3b11fnuz", 28: "float8_e5m2fnuz", 29: "int4", 30: "uint4",
         31: "int2", 32: "uint2", 33: "float4_e2m1fn"}
ENUM = {"DT_" + {"float32": "float", "float64": "double", "float16": "half"}.get(name, name).upper(): name
        for name in NAMES.values()}


@functools.cache
def registered():
    """{op: [{attribute: types}]}: the constraints of the plugin's kernels, one dictionary each."""
    text = subprocess.run([BUILD / "bin/tenon", "kernels", "--no-default-plugins", "--plugin", PLUGIN, "--json"],
                          capture_output=True, text=True, check=True).stdout
    found = {}
    for kernel in json.loads(text)["kernels"]:
        if kernel["origin"] == "tenon" or kernel["device"] != "CPU":
            continue
        constraints = {}
        for constraint in kernel["constraints"]:
            attr, types = re.fullmatch(r"(\w+) in \[(.*)\]", constraint).groups()
            constraints[attr] = [ENUM[t] for t in types.split(", ")]
        found.setdefault(kernel["op"], []).append(constraints)
    return found


def definition(op):
    from tensorflow.python.framework import op_def_registry
    return op_def_registry.get(op)


@functools.cache
def type_attrs(op):
    """{attribute: the types that the op's definition allows}. (Lists of types are not looked into.)"""
    return {attr.name: [NAMES[t] for t in attr.allowed_values.list.type if t in NAMES] or list(NAMES.values())
            for attr in definition(op).attr if attr.type == "type"}


def combinations(op, constraints):
    """All that one kernel serves."""
    allowed = type_attrs(op)
    per_attr = [[(attr, t) for t in constraints.get(attr, types) if t in types] for attr, types in allowed.items()]
    return set(itertools.product(*per_attr))


@functools.cache
def ours(op):
    return set().union(*(combinations(op, constraints) for constraints in registered()[op]))


@functools.cache
def theirs(op):
    """Of TensorFlow's own CPU kernels."""
    from tensorflow.python.framework import kernels
    found = set()
    for kernel in kernels.get_registered_kernels_for_op(op).kernel:
        if kernel.device_type in ("CPU", "DEFAULT") and not kernel.label:
            found |= combinations(op, {c.name: [NAMES[t] for t in c.allowed_values.list.type if t in NAMES]
                                       for c in kernel.constraint})
    return found
