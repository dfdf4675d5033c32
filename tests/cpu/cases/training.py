"""Steps of optimisers on variables: their values before and after."""

import numpy

from cases.maker import COMPLEXES, FLOATS, INDICES, dtype_of
from cases.registry import Call, Result, Sequence, Type, cases

NUMBERS = FLOATS + COMPLEXES
ADAM = ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"]
# Inputs by op; how many of them are variables; the attribute that has two forms.
OPS = {
    "ResourceApplyGradientDescent": (["var", "alpha", "delta"], 1, None),
    "ResourceApplyMomentum": (["var", "accum", "lr", "grad", "momentum"], 2, "use_nesterov"),
    "ResourceApplyKerasMomentum": (["var", "accum", "lr", "grad", "momentum"], 2, "use_nesterov"),
    "ResourceApplyAdam": (["var", "m", "v", *ADAM], 3, "use_nesterov"),
    "ResourceApplyAdamWithAmsgrad": (["var", "m", "v", "vhat", *ADAM], 4, None),
    "ResourceApplyAdagrad": (["var", "accum", "lr", "grad"], 2, "update_slots"),
    "ResourceApplyAdagradV2": (["var", "accum", "lr", "epsilon", "grad"], 2, "update_slots"),
    "ResourceApplyRMSProp": (["var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"], 3, None),
    "ResourceApplyCenteredRMSProp": (
        ["var", "mg", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"], 4, None),
    "ResourceApplyAdadelta": (["var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"], 3, None),
    "ResourceApplyFtrl": (
        ["var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"], 3, "multiply_linear_by_lr"),
    "ResourceApplyFtrlV2": (
        ["var", "accum", "linear", "grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"], 3,
        "multiply_linear_by_lr"),
    "ResourceSparseApplyMomentum": (["var", "accum", "lr", "grad", "indices", "momentum"], 2, "use_nesterov"),
    "ResourceSparseApplyKerasMomentum": (["var", "accum", "lr", "grad", "indices", "momentum"], 2, "use_nesterov"),
    "ResourceSparseApplyAdagrad": (["var", "accum", "lr", "grad", "indices"], 2, "update_slots"),
    "ResourceSparseApplyAdagradV2": (
        ["var", "accum", "lr", "epsilon", "grad", "indices"], 2, "update_slots"),
}
REAL_ONLY = ["ResourceApplyAdamWithAmsgrad", "ResourceApplyFtrl", "ResourceApplyFtrlV2"]


def gradient_descent(x, flag):
    x["var"] -= x["delta"] * x["alpha"]


def momentum(x, nesterov):
    x["accum"] *= x["momentum"]
    x["accum"] += x["grad"]
    x["var"] -= x["grad"] * x["lr"] + x["accum"] * x["momentum"] * x["lr"] if nesterov else x["accum"] * x["lr"]


def keras_momentum(x, nesterov):
    x["accum"] *= x["momentum"]
    x["accum"] -= x["grad"] * x["lr"]
    x["var"] += x["accum"] * x["momentum"] - x["grad"] * x["lr"] if nesterov else x["accum"]


def adam(x, nesterov):
    alpha = x["lr"] * numpy.sqrt(1 - x["beta2_power"]) / (1 - x["beta1_power"])
    x["m"] += (x["grad"] - x["m"]) * (1 - x["beta1"])
    x["v"] += (x["grad"] ** 2 - x["v"]) * (1 - x["beta2"])
    by = x["v"]
    if "vhat" in x:
        by = x["vhat"][...] = numpy.maximum(x["vhat"], x["v"])
    step = x["grad"] * (1 - x["beta1"]) + x["beta1"] * x["m"] if nesterov else x["m"]
    x["var"] -= step * alpha / (numpy.sqrt(by) + x["epsilon"])


def adagrad(x, update):
    if update:
        x["accum"] += x["grad"] ** 2
    x["var"] -= x["grad"] * x["lr"] / (numpy.sqrt(x["accum"]) + x.get("epsilon", 0))


def rmsprop(x, flag):
    x["ms"] += (x["grad"] ** 2 - x["ms"]) * (1 - x["rho"])
    by = x["ms"]
    if "mg" in x:
        x["mg"] += (x["grad"] - x["mg"]) * (1 - x["rho"])
        by = by - x["mg"] ** 2
    x["mom"] *= x["momentum"]
    x["mom"] += x["grad"] * x["lr"] / numpy.sqrt(by + x["epsilon"])
    x["var"] -= x["mom"]


def adadelta(x, flag):
    x["accum"] *= x["rho"]
    x["accum"] += x["grad"] ** 2 * (1 - x["rho"])
    step = numpy.sqrt(x["accum_update"] + x["epsilon"]) / numpy.sqrt(x["accum"] + x["epsilon"]) * x["grad"]
    x["var"] -= step * x["lr"]
    x["accum_update"] *= x["rho"]
    x["accum_update"] += step ** 2 * (1 - x["rho"])


def ftrl(x, times_lr):
    times, by = (x["lr"], 1) if times_lr else (1, x["lr"])
    total = x["accum"] + x["grad"] ** 2
    was, now = (value ** -x["lr_power"] for value in (x["accum"], total))
    shrunk = x["grad"] + 2 * x.get("l2_shrinkage", 0) * x["var"]
    x["linear"] += shrunk * times - (now - was) / by * x["var"]
    limit = x["l1"] * times
    x["var"][...] = numpy.where(numpy.abs(x["linear"]) > limit,
                                (limit * numpy.sign(x["linear"]) - x["linear"]) /
                                (now / by + 2 * x["l2"] * times), 0)
    x["accum"][...] = total


def rule_of(op):
    for word, rule in [("Descent", gradient_descent), ("Keras", keras_momentum), ("Momentum", momentum),
                       ("Adam", adam), ("Adagrad", adagrad), ("RMSProp", rmsprop), ("Adadelta", adadelta),
                       ("Ftrl", ftrl)]:
        if word in op:
            return rule
    raise KeyError(op)


def step_of(sequence):
    return next(call for call in sequence.calls if call.op in OPS)


def exact_step(sequence):
    """What all reads of the sequence give: the values before, and after."""
    call = step_of(sequence)
    names, count, flag = OPS[call.op]
    starts = [one.inputs[1] for one in sequence.calls if one.op == "AssignVariableOp"]
    kind = "clongdouble" if starts[0].dtype.kind == "c" else "longdouble"
    x = {name: value if name == "indices" else value.astype(kind)
         for name, value in zip(names, starts + list(call.inputs[count:]))}
    rule, form = rule_of(call.op), call.attrs.get(flag, flag == "update_slots")
    if "indices" in x:
        for i, row in enumerate(x["indices"]):
            part = {name: value[row] if name in names[:count] else value[i] if name == "grad" else value
                    for name, value in x.items()}
            part = {name: numpy.array(value) for name, value in part.items()}
            rule(part, form)
            for name in names[:count]:
                x[name][row] = part[name]
    else:
        rule(x, form)
    return [start.astype(kind) for start in starts] + [x[name] for name in names[:count]]


def step_scale(sequence):
    """A new value comes from the old and a difference, each no larger than old and new together."""
    exact = exact_step(sequence)
    half = len(exact) // 2
    return [None] * half + [numpy.abs(a) + numpy.abs(b) for a, b in zip(exact[:half], exact[half:])]


def scalar_of(make, name, dtype):
    low, high = {"lr": (0.01, 0.5), "alpha": (0.01, 0.5), "epsilon": (0.01, 0.1), "lr_power": (-0.9, -0.1),
                 "beta1_power": (0.1, 0.9), "beta2_power": (0.1, 0.9)}.get(name, (0.1, 0.95))
    return make.array(dtype if dtype not in COMPLEXES else "float32", [], low=low, high=high).astype(
        dtype_of(dtype))


def variable_of(make, name, dtype, shape):
    # Squares, and what is under a root.
    positive = name in ("accum", "v", "vhat", "ms", "accum_update")
    low, high = (1, 3) if positive else (-1, 1)
    return make.array(dtype, shape, low=low, high=high)


def sequence_of(make, op, dtype, starts, others, attrs):
    """Makes the variables, sets and reads them, does the step, reads them again."""
    count = len(starts)
    calls = [Call("VarHandleOp", [], {"dtype": Type(dtype), "shape": list(start.shape),
                                      "shared_name": make.name()}) for start in starts]
    calls += [Call("AssignVariableOp", [Result(i), start], {"dtype": Type(dtype)})
              for i, start in enumerate(starts)]
    reads = [Call("ReadVariableOp", [Result(i)], {"dtype": Type(dtype)}) for i in range(count)]
    step = Call(op, [Result(i) for i in range(count)] + others, attrs)
    return Sequence(calls + reads + [step] + reads)


def operands(make, op, dtype, shape):
    names, count, flag = OPS[op]
    starts = [variable_of(make, name, dtype, shape) for name in names[:count]]
    rows = make.random.integers(0, shape[0], 1 + make.below(6)) if "indices" in names else None
    others = []
    for name in names[count:]:
        if name == "indices":
            others.append(rows.astype(make.choose(INDICES)))
        elif name in ("grad", "delta"):
            others.append(make.array(dtype, shape if rows is None else [len(rows), *shape[1:]], low=-1, high=1))
        else:
            others.append(scalar_of(make, name, dtype))
    if "lr_power" in names and make.coin():
        others[-1] = numpy.array(-0.5, dtype_of(dtype))
    attrs = {"use_locking": make.coin()}
    if flag:
        attrs[flag] = make.coin()
    return starts, others, attrs


def all_steps(make, op, dtype):
    sparse = "Sparse" in op
    for shape in ([3], [1], [4, 5], [7, 300], [2, 3, 2], [5, 0], *([[], [0]] if not sparse else [])):
        for _ in range(2):
            yield sequence_of(make, op, dtype, *operands(make, op, dtype, shape))
    yield from wrong_steps(make, op, dtype)


def wrong_steps(make, op, dtype):
    names, count, _ = OPS[op]
    starts, others, attrs = operands(make, op, dtype, [4, 3])

    def changed(values, i, value):
        return [value if i == j else old for j, old in enumerate(values)]

    for i, name in enumerate(names[count:]):
        old = others[i]
        if name in ("grad", "delta"):
            wrong = [old[:, :2]] + ([] if "Sparse" in op else [old[0]])  # ends TensorFlow's process
        elif name == "indices":
            wrong = [old[None], old + 4, old - 10, old[:0]]
        else:
            wrong = [old[None], old[None, None]]
        for value in wrong:
            yield sequence_of(make, op, dtype, starts, changed(others, i, value), attrs)
    # TensorFlow's Adadelta and Amsgrad do not look at the shape of their last slot, and write beyond it.
    for i in range(1, count - ("Adadelta" in op or "Amsgrad" in op)):
        yield sequence_of(make, op, dtype, changed(starts, i, starts[i][:3]), others, attrs)
    # A variable without a value. (TensorFlow does nothing and says nothing when a slot has none, and
    # some ops do so for the variable too.)
    whole = sequence_of(make, op, dtype, starts, others, attrs).calls
    if op not in REAL_ONLY:
        yield Sequence([call for i, call in enumerate(whole) if call.op != "ReadVariableOp" and i != count])


@cases(*[op for op in OPS if op not in REAL_ONLY], dtypes=NUMBERS, reference=exact_step, scale=step_scale)
def steps(make, op, dtype):
    yield from all_steps(make, op, dtype)


@cases(*REAL_ONLY, dtypes=FLOATS, reference=exact_step, scale=step_scale)
def real_steps(make, op, dtype):
    yield from all_steps(make, op, dtype)
