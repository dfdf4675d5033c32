#!/usr/bin/env python3
"""Writes src/cpu/math_fits.h or special_fits.h: minimax polynomials of elementwise functions.

    tools/fit_math.py math > src/cpu/math_fits.h
    tools/fit_math.py special > src/cpu/special_fits.h

Run by hand when a fit changes (needs mpmath); the build only reads the headers.
Each fit is a function of one variable, an interval, a number of coefficients, and the factor by which
an error of the polynomial counts (so that the error of the whole function is what is made small).
"""
import sys

from mpmath import mp, mpf

mp.prec = 200


def remez(function, low, high, count, weight, rounds=12):
    """The polynomial with `count` coefficients whose weighted error is smallest, and that error."""
    low, high = mpf(low), mpf(high)
    middle, radius = (low + high) / 2, (high - low) / 2
    # In Chebyshev's basis on [-1, 1] the linear systems stay well conditioned.
    size = 40 * count
    grid = [mp.cos(mp.pi * (2 * i + 1) / (2 * size)) for i in range(size)][::-1]
    values = [function(middle + radius * t) for t in grid]
    weights = [abs(weight(middle + radius * t)) for t in grid]
    basis = [[mp.cos(k * mp.acos(t)) for k in range(count)] for t in grid]
    nodes = [min(range(size), key=lambda j: abs(grid[j] + mp.cos(mp.pi * (i + 0.5) / (count + 1))))
             for i in range(count + 1)]
    for _ in range(rounds):
        matrix = mp.matrix(count + 1, count + 1)
        right = mp.matrix(count + 1, 1)
        for row, j in enumerate(nodes):
            for k in range(count):
                matrix[row, k] = basis[j][k]
            matrix[row, count] = (-1) ** row / (weights[j] if weights[j] else mpf(10) ** -40)
            right[row] = values[j]
        solution = mp.lu_solve(matrix, right)
        errors = [weights[j] * (values[j] - sum(solution[k] * basis[j][k] for k in range(count)))
                  for j in range(size)]
        # The largest error of each run of one sign.
        peaks, start = [], 0
        for j in range(1, size + 1):
            if j == size or (errors[j] > 0) != (errors[start] > 0):
                peaks.append(max(range(start, j), key=lambda i: abs(errors[i])))
                start = j
        if len(peaks) < count + 1:
            break
        while len(peaks) > count + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        worst = max(abs(e) for e in errors)
        nodes = peaks
        if worst < abs(solution[count]) * mpf("1.01"):
            break
    chebyshev = [solution[k] for k in range(count)]
    return monomials(chebyshev, middle, radius), max(abs(e) for e in errors)


def monomials(chebyshev, middle, radius):
    """Coefficients in x of sum c_k T_k((x - middle) / radius)."""
    def times_t(p):  # p(x) * (x - middle) / radius
        out = [mpf(0)] * (len(p) + 1)
        for i, c in enumerate(p):
            out[i + 1] += c / radius
            out[i] -= c * middle / radius
        return out

    def add(p, q, factor):
        out = [mpf(0)] * max(len(p), len(q))
        for i, c in enumerate(p):
            out[i] += c
        for i, c in enumerate(q):
            out[i] += factor * c
        return out

    before, now, total = [mpf(1)], times_t([mpf(1)]), [chebyshev[0]]
    for c in chebyshev[1:]:
        total = add(total, now, c)
        before, now = now, add([2 * x for x in times_t(now)], before, -1)
    return total


def odd(function):
    """(f(x) - x) / x^3 as a function of x^2."""
    def tail(z):
        if z < mpf(10) ** -12:
            z = mpf(10) ** -12
        x = mp.sqrt(z)
        return (function(x) - x) / (x * z)
    return tail


def away(function):
    """Keeps a removable singularity at 0 out of reach."""
    return lambda x: function(x if abs(x) > mpf(10) ** -12 else mpf(10) ** -12)


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def erfcx_of(t):  # x = 4 (1 + t) / (1 - t)
    x = 4 * (1 + t) / (1 - t)
    return erfcx(x) * (1 + 2 * x)


def erf_inverse(w):  # the x > 0 where 1 - erf(x)^2 = exp(-w)
    if w < mpf(10) ** -12:
        w = mpf(10) ** -12
    target = mp.log(mp.exp(-w) / (1 + mp.sqrt(-mp.expm1(-w))))
    x = mp.sqrt(w)
    for _ in range(60):
        tail = mp.erfc(x)
        step = (mp.log(tail) - target) * tail * mp.exp(x * x) * mp.sqrt(mp.pi) / 2
        x += step
        if abs(step) < x * mpf(2) ** -150:
            return x
    raise ValueError(w)


ROOT = mp.sqrt(2)
FITS = {
    # name: (type, function, low, high, coefficients, weight, what it is)
    "exp": ("double", away(lambda r: (mp.exp(r) - 1 - r) / r**2), "-0.3467", "0.3467", 10, abs,
            "(exp(r) - 1 - r) / r^2"),
    "exp_float": ("either", away(lambda r: (mp.exp(r) - 1 - r) / r**2), "-0.3467", "0.3467", 5, abs,
                  "(exp(r) - 1 - r) / r^2"),
    "log": ("double", away(lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) / mp.sqrt(z) - 2) / z),
            0, "0.02945", 7, abs, "(log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2"),
    "log_float": ("float", away(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3), 1 / ROOT - 1, ROOT - 1,
                  9, lambda f: f * f, "(log(1 + f) - f + f^2 / 2) / f^3"),
    "log_more": ("double",
                 away(lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) / mp.sqrt(z) - 2 - 2 * z / 3) / z**2),
                 0, "0.02945", 7, lambda z: z * z, "(log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 in s^2"),
    "sin": ("double", odd(mp.sin), 0, (mp.pi / 4 + mpf("0.001"))**2, 6, abs, "(sin(x) - x) / x^3 in x^2"),
    "cos": ("double", away(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2), 0,
            (mp.pi / 4 + mpf("0.001"))**2, 6, lambda z: z * z, "(cos(x) - 1 + x^2 / 2) / x^4 in x^2"),
    "asin": ("double", odd(mp.asin), 0, "0.25", 12, abs, "(asin(x) - x) / x^3 in x^2"),
    "atan": ("double", odd(mp.atan), 0, mp.tan(mp.pi / 8)**2 + mpf("0.0001"), 11, abs,
             "(atan(x) - x) / x^3 in x^2"),
    "sinh": ("double", odd(mp.sinh), 0, "1", 7, abs, "(sinh(x) - x) / x^3 in x^2"),
    "erf": ("double", away(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1), 0, "1", 12, lambda z: mpf(1),
            "erf(x) / x - 1 in x^2"),
    "erf_float": ("float", away(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1), 0, "0.81", 6,
                  lambda z: mpf(1), "erf(x) / x - 1 in x^2"),
    "erfc_float": ("float", lambda x: mp.log(mp.erfc(x)), "0.88", "4.0", 8, mp.erfc,
                   "log(erfc(x)), for x in [0.88, 4]"),
    "erfcx": ("double", erfcx_of, mpf("-0.7778"), "0.7531", 22, lambda t: 1 / erfcx_of(t),
              "(1 + 2 x) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x in [0.5, 28.4]"),
    # A step of Halley's method follows these three.
    "erfinv": ("double", lambda t: erf_inverse(t + 3) / mp.sqrt(-mp.expm1(-max(t + 3, mpf(10) ** -12))), -3, 3, 12,
               lambda t: mpf(1), "erfinv(x) / x in -log(1 - x^2) - 3"),
    "erfinv_far": ("double", lambda t: erf_inverse((t + mpf("4.25"))**2), "-1.82", "1.82", 12,
                   lambda t: 1 / (t + mpf("4.25")), "erfinv(x) in sqrt(-log(1 - x^2)) - 4.25"),
    "erfinv_farther": ("double", lambda r: erf_inverse(1 / r**2) * r, mpf("0.0365"), mpf("0.1655"), 12,
                       lambda r: mpf(1), "erfinv(x) r in r = 1 / sqrt(-log(1 - x^2))"),
}


def literal(value, kind):
    if kind != "double":
        import numpy
        return float(numpy.float32(float(value))).hex() + "f"
    return float(value).hex()


def horner(name, kind, coefficients, what, error):
    lines = [f"// {what}; error 2^{float(mp.log(error, 2)):.1f}."]
    if kind == "either":  # a float or a vector of them
        first, *rest = [literal(c, kind) for c in reversed(coefficients)]
        lines.append(f"#define FIT_{name.upper()}(x) \\")
        lines.append(f"  ({'(' * len(rest)}{first}" + "".join(f" * (x) + {c})" for c in rest) + ")")
        return "\n".join(lines + [""])
    lines.append(f"TN_MATH {kind} fit_{name}({kind} x) {{")
    lines.append(f"  {kind} p = {literal(coefficients[-1], kind)};")
    for c in reversed(coefficients[:-1]):
        lines.append(f"  p = p * x + {literal(c, kind)};")
    lines += ["  return p;", "}", ""]
    return "\n".join(lines)


def table(name, function, low, width, pieces, count, weight, what):
    """Polynomials on intervals of one width, each in t from -1 to 1."""
    rows, worst = [], mpf(0)
    for i in range(pieces):
        start = mpf(low) + i * mpf(width)
        inside = lambda t: start + (t + 1) / 2 * mpf(width)  # noqa: B023, E731
        coefficients, error = remez(lambda t: function(inside(t)), -1, 1, count, lambda t: weight(inside(t)))
        rows.append(coefficients)
        worst = max(worst, error)
    lines = [f"// {what}; error 2^{float(mp.log(worst, 2)):.1f}.",
             f"static const double fit_{name}[{pieces}][{count}] = {{"]
    lines += ["    {" + ", ".join(literal(c, "double") for c in row) + "}," for row in rows]
    return "\n".join(lines + ["};", ""]), worst


def i_near(order):  # in z = (x/2)^2
    return lambda z: mp.besseli(order, 2 * mp.sqrt(z)) / mp.sqrt(z)**order if z > 0 else mpf(1)


def far_of(function, at):  # in u = 2 at / x - 1, for x >= at
    return lambda u: (lambda x: mp.sqrt(x) * function(x))(2 * mpf(at) / max(u + 1, mpf(10)**-9))


def k0_near(z):  # in z = (x/2)^2
    return mp.besselk(0, 2 * mp.sqrt(z)) + mp.log(mp.sqrt(z)) * mp.besseli(0, 2 * mp.sqrt(z))


def k1_near(z):
    x = 2 * mp.sqrt(z)
    return x * (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x))


def dawson(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def asymptotic(ratio):
    """The sum of terms that begin with 1 and each have ratio(n) to the one before, up to the least."""
    total, term, n = mpf(1), mpf(1), 0
    while abs(term) > mpf(2)**-150:
        term *= ratio(n)
        total += term
        n += 1
    return total


def fresnel_f(v):  # pi x f(x) in v = 1/x
    if v < 0.09:
        return asymptotic(lambda m: -(4 * m + 1) * (4 * m + 3) * (v * v / mp.pi)**2)
    x = 1 / v
    angle = mp.pi * x * x / 2
    f = (0.5 - mp.fresnels(x)) * mp.cos(angle) - (0.5 - mp.fresnelc(x)) * mp.sin(angle)
    return mp.pi * x * f


def fresnel_g(v):  # pi^2 x^3 g(x)
    if v < 0.09:
        return asymptotic(lambda m: -(4 * m + 3) * (4 * m + 5) * (v * v / mp.pi)**2)
    x = 1 / v
    angle = mp.pi * x * x / 2
    g = (0.5 - mp.fresnelc(x)) * mp.cos(angle) + (0.5 - mp.fresnels(x)) * mp.sin(angle)
    return mp.pi**2 * x**3 * g


def expint_far(w):  # x exp(-x) Ei(x) in w = 1/x
    if w < 0.008:
        return asymptotic(lambda n: (n + 1) * w)
    return mp.exp(-1 / w) * mp.ei(1 / w) / w


def one(x):
    return mpf(1)


SPECIAL_FITS = {
    "i0": ("double", i_near(0), 0, 16, 16, lambda z: 1 / i_near(0)(z), "I0(x) in (x/2)^2, for x <= 8"),
    "i1": ("double", i_near(1), 0, 16, 16, lambda z: 1 / i_near(1)(z), "2/x I1(x) in (x/2)^2, for x <= 8"),
    "i0_far": ("double", far_of(lambda x: mp.exp(-x) * mp.besseli(0, x), 8), -1, 1, 25,
               lambda u: mpf(2.5), "sqrt(x) exp(-x) I0(x) in 16/x - 1, for x >= 8"),
    "i1_far": ("double", far_of(lambda x: mp.exp(-x) * mp.besseli(1, x), 8), -1, 1, 25,
               lambda u: mpf(2.5), "sqrt(x) exp(-x) I1(x) in 16/x - 1, for x >= 8"),
    "k0": ("double", away(k0_near), 0, "0.25", 8, one, "K0(x) + log(x/2) I0(x) in (x/2)^2, for x <= 1"),
    "k1": ("double", away(k1_near), 0, "0.25", 8, one, "x (K1(x) - log(x/2) I1(x)) in (x/2)^2, for x <= 1"),
    "k0_far": ("double", far_of(lambda x: mp.exp(x) * mp.besselk(0, x), 1), -1, 1, 31, one,
               "sqrt(x) exp(x) K0(x) in 2/x - 1, for x >= 1"),
    "k1_far": ("double", far_of(lambda x: mp.exp(x) * mp.besselk(1, x), 1), -1, 1, 31, one,
               "sqrt(x) exp(x) K1(x) in 2/x - 1, for x >= 1"),
    "dawson": ("double", away(lambda z: dawson(mp.sqrt(z)) / mp.sqrt(z)), 0, 1, 13, one,
               "dawson(x) / x in x^2, for x <= 1"),
    "dawson_far": ("double", away(lambda w: dawson(1 / mp.sqrt(w)) / mp.sqrt(w)), 0, mpf(1) / 49, 12,
                   lambda w: mpf(2), "x dawson(x) in 1/x^2, for x >= 7"),
    "spence": ("double", away(lambda u: (mp.polylog(2, 1 - mp.exp(-u)) - u + u * u / 4) / u**3), "-0.7", "0.7",
               12, lambda u: u * u, "(spence(x) - u + u^2/4) / u^3 in u = -log(x)"),
    "expint": ("double", away(lambda x: (mp.ei(x) - mp.euler - mp.log(x)) / x), 0, 2, 18,
               lambda x: mpf(1), "(Ei(x) - log(x) - Euler's constant) / x, for x <= 2"),
    "fresnel_sin": ("double", away(lambda q: mp.fresnels(mp.root(q, 4)) / mp.root(q, 4)**3), 0, "2.5", 12, one,
                    "S(x) / x^3 in x^4, for x^4 <= 2.5"),
    "fresnel_cos": ("double", away(lambda q: mp.fresnelc(mp.root(q, 4)) / mp.root(q, 4)), 0, "2.5", 12, one,
                    "C(x) / x in x^4, for x^4 <= 2.5"),
}
TABLES = {  # name: (function, low, width, pieces, coefficients, weight, what it is)
    "dawson_pieces": (dawson, 1, 1, 6, 19, lambda x: 1 / dawson(x), "dawson(x) from 1 to 7"),
    "expint_pieces": (expint_far, 0, mpf(1) / 32, 16, 18, one, "x exp(-x) Ei(x) in 1/x from 0 to 1/2"),
    "fresnel_f": (fresnel_f, 0, "0.1", 8, 14, one, "pi x f(x) in 1/x from 0 to 0.8"),
    "fresnel_g": (fresnel_g, 0, "0.1", 8, 14, one, "pi^2 x^3 g(x) in 1/x from 0 to 0.8"),
}


def main():
    which, wanted = sys.argv[1], sys.argv[2:]
    guard = f"TENON_CPU_{which.upper()}_FITS_H_"
    print("// Minimax polynomials. Written by tools/fit_math.py; errors are those of exact coefficients,")
    print("// relative to the function that the polynomial is a part of.")
    print("// clang-format off")
    print(f"#ifndef {guard}")
    print(f"#define {guard}\n")
    for name, (kind, function, low, high, count, weight, what) in (FITS if which == "math" else SPECIAL_FITS).items():
        if wanted and name not in wanted:
            continue
        coefficients, error = remez(function, low, high, count, weight)
        print(horner(name, kind, coefficients, what, error))
        print(name, float(mp.log(error, 2)), file=sys.stderr)
    for name, arguments in (TABLES if which == "special" else {}).items():
        if wanted and name not in wanted:
            continue
        text, error = table(name, *arguments)
        print(text)
        print(name, float(mp.log(error, 2)), file=sys.stderr)
    print(f"#endif  // {guard}")


if __name__ == "__main__":
    main()
