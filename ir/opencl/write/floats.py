"""Functions of floating-point numbers, as C functions of numbers and of vectors alike.

Processors' runtimes compute some of them element by element: a power of doubles took 165 nanoseconds on PoCL, NumPy's
13. These are arithmetic, which fills vectors.

Words stand for types: T for the type, D for doubles as many, UD for their bits, UI for those of floats. FUSED(a, b, c)
is a * b + c, rounded once, of T; EVERY(c) asks of all elements, BY_ELEMENT(f) is f of each element of a and b, LIMIT a
quarter of the first whole number behind which T has gaps.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial, log

__all__ = ["FLOATS"]

_ROOT = "0x3fe6a09e667f3bcdUL"
"""The bits of the root of a half: numbers are taken apart into a power of two and a factor from here to twice that."""

_ONE = "(UD)(0x3ff0000000000000UL)"
_WHOLE = "0x1.8p52"
"""Added to a double, it leaves the nearest whole number in the lowest bits; taken off again, that number."""


def _split(value: Fraction) -> tuple[str, str]:
    """A number as the sum of two doubles."""
    high = float(value)
    return high.hex(), float(value - Fraction(high)).hex()


def _polynomial(variable: str, coefficients: list[float]) -> str:
    """c_0 + v (c_1 + v (c_2 + ...))."""
    text = f"(D)({coefficients[-1].hex()})"
    for c in reversed(coefficients[:-1]):
        text = f"fused_T({variable}, {text}, (D)({c.hex()}))"
    return text


_LOG_E = 1 / sum((Fraction(1, k << k) for k in range(1, 120)), Fraction(0))
"""log2 e: the logarithm of 2 is the sum of 1 / (k 2^k)."""

_THIRD, _THIRD_LOW = _split(Fraction(1, 3))
_FACTOR, _FACTOR_LOW = _split(2 * _LOG_E)
_LOG_2 = log(2).hex()

# a = 2^e m, and log2 m = 2 / log 2 * (s + s^3/3 + s^5/5 + ...) where s = (m - 1) / (m + 1).
_TAKEN_APART = f"""
    UD bits = as_UD(a), biased = (bits + ({_ONE} - (UD)({_ROOT}))) >> (UD)(52);
    D e = as_D(biased | (UD)(0x4330000000000000UL)) - (0x1p52 + 1023.0);
    D m = as_D(bits - (biased << (UD)(52)) + {_ONE});"""

# 2^w, w a whole number.
_POWER_OF_TWO = f"as_D((as_UD(({{}}) + {_WHOLE}) << (UD)(52)) + {_ONE})"

# What C's `pow` gives for zeros, infinities, NaN and negative numbers; a is |x|.
_CASES = """
    if (EVERY((x > 0.0) & (x < INFINITY) & (fabs(y) < INFINITY))) return RESULT;
    r = fabs(y) == INFINITY ? (a == 1.0 ? (D)(1.0) : (a > 1.0) ^ (y > 0.0) ? (D)(0.0) : (D)(INFINITY)) : r;
    r = (a == 0.0) | (a == INFINITY) ? ((a == 0.0) ^ (y < 0.0) ? (D)(0.0) : (D)(INFINITY)) : r;
    D halved = 0.5 * y;
    r = (rint(y) == y) & (rint(halved) != halved) ? copysign(r, x) : r;
    r = (x < 0.0) & (x > -INFINITY) & (rint(y) != y) ? (D)(NAN) : r;
    r = (x != x) | (y != y) ? x + y : r;
    r = (y == 0.0) | (x == 1.0) ? (D)(1.0) : r;"""

_POWER_OF_DOUBLES = f"""T pow_T(T x, T y) {{
    D a = fabs(x) < 0x1p-1022 ? fabs(x) * 0x1p54 : fabs(x);{_TAKEN_APART}
    e = fabs(x) < 0x1p-1022 ? e - 54.0 : e;
    a = fabs(x);
    // each value beside what its rounding took: the logarithm has 64 bits
    D n = m - 1.0, d = m + 1.0, i = 1.0 / d;
    D s = n * i, s_low = (fused_T(-s, d, n) - s * (m - (d - 1.0))) * i;
    D z = s * s, z_low = fused_T(s, s, -z) + 2.0 * s * s_low;
    D p = z * {_polynomial("z", [1 / k for k in range(5, 25, 2)])};
    D q = {_THIRD} + p, q_low = ({_THIRD} - q) + p + {_THIRD_LOW};
    D t = z * q, t_low = fused_T(z, q, -t) + z * q_low + z_low * q;
    D u = s * t, u_low = fused_T(s, t, -u) + s * t_low + s_low * t;
    D h = s + u, h_low = (s - h) + u + (s_low + u_low);
    D g = h * {_FACTOR}, g_low = fused_T(h, (D)({_FACTOR}), -g) + h * {_FACTOR_LOW} + h_low * {_FACTOR};
    D l = e + g, l_low = (e - l) + g + g_low;
    D w = y * l, w_low = fused_T(y, l, -w) + y * l_low;
    w_low = fabs(w) > 1100.0 ? (D)(0.0) : w_low;
    w = fabs(w) > 1100.0 ? copysign((D)(1100.0), w) : w;
    D whole = (w + {_WHOLE}) - {_WHOLE}, c = ((w - whole) + w_low) * {_LOG_2};
    D r = 1.0 + fused_T(c * c, {_polynomial("c", [1 / factorial(k) for k in range(2, 14)])}, c);
    D first = (0.5 * whole + {_WHOLE}) - {_WHOLE};  // in two steps, as the result may be subnormal
    r = r * {_POWER_OF_TWO.format("first")} * {_POWER_OF_TWO.format("whole - first")};{_CASES.replace("RESULT", "r")}
    return r;
}}"""

_POWER_OF_FLOATS = f"""T pow_T(T base, T exponent) {{
    D x = convert_D(base), y = convert_D(exponent), a = fabs(x);{_TAKEN_APART}
    D s = (m - 1.0) / (m + 1.0), z = s * s;
    D w = y * fused_T(s, {_polynomial("z", [float(2 * _LOG_E / k) for k in range(1, 17, 2)])}, e);
    w = fabs(w) > 200.0 ? copysign((D)(200.0), w) : w;
    D whole = (w + {_WHOLE}) - {_WHOLE}, c = (w - whole) * {_LOG_2};
    D r = {_polynomial("c", [1 / factorial(k) for k in range(10)])};
    r *= {_POWER_OF_TWO.format("whole")};{_CASES.replace("RESULT", "convert_T(r)")}
    return convert_T(r);
}}"""


# x is k quarter turns and r more, an eighth of a turn at most; q has the quarter turns of the sine in its last bits.
_SINE = """T {name}_T(T angle) {{
    D x = convert_D(angle), k = (x * {inverse} + {whole}) - {whole};
    D r = fused_T(k, (D)(-{low}), fused_T(k, (D)(-{high}), x)), z = r * r;
    UD q = as_UD(k + {whole}) + (UD)({shift}UL);
    D s = r * {sine}, c = {cosine};
    D v = (q & (UD)(1UL)) != (UD)(0UL) ? c : s;
    T found = convert_T(as_D(as_UD(v) ^ ((q & (UD)(2UL)) << (UD)(62))));
    return EVERY(fabs(angle) < (T)(0x1p30f)) ? found : fabs(angle) < (T)(0x1p30f) ? found : {name}(angle);
}}"""


def _arc_tangent_of_inverse(n: int) -> Fraction:
    """Good for 180 bits."""
    return sum((Fraction((-1) ** k, (2 * k + 1) * n ** (2 * k + 1)) for k in range(40)), Fraction(0))


_QUARTER_TURN = 2 * (4 * _arc_tangent_of_inverse(5) - _arc_tangent_of_inverse(239))
"""Half of pi, by Machin's formula."""


def _sine(name: str, shift: int) -> str:
    """The sine of an angle that so many quarter turns are added to."""
    high, low = _split(_QUARTER_TURN)
    text = _SINE.format(
        name=name,
        inverse=float(1 / _QUARTER_TURN).hex(),
        whole=_WHOLE,
        high=high,
        low=low,
        shift=shift,
        sine=_polynomial("z", [(-1) ** k / factorial(2 * k + 1) for k in range(6)]),
        cosine=_polynomial("z", [(-1) ** k / factorial(2 * k) for k in range(7)]),
    )
    return _on_processors(name, text, f"T {name}_T(T a) {{ return {name}(a); }}")


def _rounded(name: str, built_in: str, plain: str) -> str:
    """Compilers have an instruction for it, which PoCL's own functions do not use."""
    return f"""#if defined(__x86_64__) && defined(__has_builtin)
#if __has_builtin({built_in})
#define {name}_T(a) {built_in}(a)
#endif
#endif
#if !defined({name}_T)
#define {name}_T(a) {plain}(a)
#endif"""


def _on_processors(name: str, text: str, other: str) -> str:
    """The function for processors; other devices' own are right, and some of them compute with doubles slowly."""
    return f"""#if defined(__x86_64__) || defined(__aarch64__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#if defined(__FMA__)
D fused_{name}_T(D a, D b, D c) {{
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}}
#else
D fused_{name}_T(D a, D b, D c) {{ return fma(a, b, c); }}
#endif
{text.replace("fused_T", f"fused_{name}_T")}
#else
{other}
#endif"""


_POWER = "T pow_T(T a, T b) { return pow(a, b); }"
FLOATS: dict[str, dict[str, str]] = {
    "float32": {
        "pow": _on_processors("pow", _POWER_OF_FLOATS, _POWER),
        "sin": _sine("sin", 0),
        "cos": _sine("cos", 1),
        "round_to_tf32": """T round_to_tf32_T(T a) {
    UI bits = (as_UI(a) + (UI)(0x1000)) & (UI)(0xffffe000);
    return a != a ? a : as_T(bits);
}""",
        "cut_to_tf32": "T cut_to_tf32_T(T a) { return a != a ? a : as_T(as_UI(a) & (UI)(0xffffe000)); }",
    },
    "float64": {"pow": _on_processors("pow", _POWER_OF_DOUBLES, _POWER)},
}
"""By types of elements and primitives."""

for _each in FLOATS.values():
    _each |= {
        "floor": _rounded("floor", "__builtin_elementwise_floor", "floor"),
        "ceil": _rounded("ceil", "__builtin_elementwise_ceil", "ceil"),
        "trunc": _rounded("trunc", "__builtin_elementwise_trunc", "trunc"),
        "round": _rounded("round", "__builtin_elementwise_roundeven", "rint"),
        "sign": """T sign_T(T a) {
    T r = a > 0 ? (T)(1) : a < 0 ? (T)(-1) : a;
    return a == 0 ? (T)(0) : r;
}""",
        # The quotient is exact, or off by one, also where division is off by some units; then so is what is left.
        "fmod": """T fmod_T(T a, T b) {
    T q = trunc_T(a / b), r = FUSED(-q, b, a);
    r = (r != 0) & ((r < 0) ^ (a < 0)) ? r + copysign(b, a) : r;
    r = fabs(r) >= fabs(b) ? r - copysign(b, a) : r;
    r = r == 0 ? copysign((T)(0), a) : r;
    return EVERY((fabs(q) < (T)(LIMIT)) & (fabs(b) < (T)(INFINITY))) ? r : BY_ELEMENT(fmod);
}""",
        "remainder": """T remainder_T(T a, T b) {
    T m = fmod_T(a, b);
    T r = (m != 0) & ((m < 0) ^ (b < 0)) ? m + b : m;
    return m == 0 ? copysign((T)(0), b) : r;
}""",
        "floor_divide": """T floor_divide_T(T a, T b) {
    T m = fmod_T(a, b), q = (a - m) / b;
    q = (m != 0) & ((m < 0) ^ (b < 0)) ? q - (T)(1) : q;
    T r = floor_T(q);
    r = q - r > (T)(0.5f) ? r + (T)(1) : r;
    r = q != 0 ? r : copysign((T)(0), a / b);
    return b == 0 ? a / b : r;
}""",
    }
