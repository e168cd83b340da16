"""Functions of LLVM and of the C library, which lowered loop programs call by name.

Most are other spellings of a ``T.*`` intrinsic (``LLVM``, ``C``); the rest are defined here over the numerics interface
(``OWN``). A function of C takes and gives one dtype, which its name tells; one of LLVM that of its first argument.

Source: LLVM's language reference, *Standard C/C++ library intrinsics*; C17 7.12; spec: ``spec/07-evaluation.md``,
*Intrinsics*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Element
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.scalar_operators import BINARY, TERNARY, UNARY
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Intrinsic, StringImm, as_int

LLVM_CALLS = frozenset({"call_llvm_intrin", "call_llvm_pure_intrin"})
C_CALLS = frozenset({"call_extern", "call_pure_extern"})

_SAME = (
    "exp", "exp2", "exp10", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "floor", "ceil", "trunc", "nearbyint", "copysign", "pow", "fma", "ldexp",
)  # fmt: skip

_MORE = ("expm1", "log1p", "erf", "asinh", "acosh", "atanh", "hypot", "fmod", "nextafter")

LLVM: dict[str, str] = {
    **{f"llvm.{name}": name for name in _SAME},
    "llvm.fabs": "abs",
    "llvm.rint": "round",
    "llvm.roundeven": "round",
    "llvm.ctpop": "popcount",
    "llvm.smax": "max",
    "llvm.umax": "max",
    "llvm.smin": "min",
    "llvm.umin": "min",
}
"""LLVM's name, and the intrinsic that it spells."""

C: dict[str, str] = {
    **{name: name for name in _SAME if name != "exp10"},
    **{name: name for name in _MORE},
    "fabs": "abs",
    "rint": "round",
}
"""The name in C at ``double``, and the intrinsic that it spells; the function of ``float`` has an ``f`` behind it."""

Function = tuple[int, Callable[[Arithmetic], Callable[..., Payload]]]
"""How many arguments count, and the function at a dtype."""


def _multiply_add(f: Arithmetic) -> Callable[[Payload, Payload, Payload], Payload]:
    return lambda a, b, c: f.either(lambda: f.add(f.mul(a, b), c), lambda: f.fma(a, b, c))


def _half_away(f: Arithmetic) -> Callable[[Payload], Payload]:
    """The nearest integer, halves away from zero: the fraction that ``trunc`` drops is exact."""
    trunc, size, sign = f.math("trunc"), f.math("abs"), f.math2("copysign")

    def rounded(x: Payload) -> Payload:
        whole = trunc(x)
        away = sign(f.add(size(whole), f.lit(1)), x)
        return f.select(f.less_equal(f.lit(0.5), size(f.sub(x, whole))), away, whole)

    return rounded


def _number_of(extreme: str) -> Callable[[Arithmetic], Callable[[Payload, Payload], Payload]]:
    """``fmax``, ``fmin``: a NaN counts only if both are."""

    def at(f: Arithmetic) -> Callable[[Payload, Payload], Payload]:
        best = BINARY[extreme](f)
        return lambda a, b: f.select(f.isnan(a), b, f.select(f.isnan(b), a, best(a, b)))

    return at


def _nan_of(extreme: str) -> Callable[[Arithmetic], Callable[[Payload, Payload], Payload]]:
    """``llvm.maximum``, ``llvm.minimum``: a NaN is the result."""

    def at(f: Arithmetic) -> Callable[[Payload, Payload], Payload]:
        best = BINARY[extreme](f)
        return lambda a, b: f.select(f.isnan(a), a, f.select(f.isnan(b), b, best(a, b)))

    return at


_OF_ZERO = poison("ev/llvm-intrinsic")


def _leading_zeros(f: Arithmetic) -> Callable[[Payload, bool], Payload]:
    width = f.lit(dtypes.bits(f.dtype))
    return lambda x, open_: f.select(f.equal(x, f.lit(0)), _OF_ZERO if open_ else width, f.clz(x))


def _trailing_zeros(f: Arithmetic) -> Callable[[Payload, bool], Payload]:
    def count(x: Payload, open_: bool) -> Payload:
        below = f.popcount(f.bit_and(f.bit_not(x), f.sub(x, f.lit(1))))
        return f.select(f.equal(x, f.lit(0)), _OF_ZERO, below) if open_ else below

    return count


def _absolute(f: Arithmetic) -> Callable[[Payload, bool], Payload]:
    least = f.lit(-(1 << (dtypes.bits(f.dtype) - 1)))
    size = f.math("abs")
    return lambda x, open_: f.select(f.equal(x, least), _OF_ZERO, size(x)) if open_ else size(x)


OWN: dict[str, Function] = {
    "llvm.fmuladd": (3, _multiply_add),
    "llvm.round": (1, _half_away),
    "llvm.maxnum": (2, _number_of("max")),
    "llvm.minnum": (2, _number_of("min")),
    "llvm.maximum": (2, _nan_of("max")),
    "llvm.minimum": (2, _nan_of("min")),
    "round": (1, _half_away),
    "fmax": (2, _number_of("max")),
    "fmin": (2, _number_of("min")),
}
"""What no intrinsic of ``T`` means."""

FLAGGED: dict[str, Callable[[Arithmetic], Callable[[Payload, bool], Payload]]] = {
    "llvm.ctlz": _leading_zeros,
    "llvm.cttz": _trailing_zeros,
    "llvm.abs": _absolute,
}
"""Functions of an integer and a flag: whether the one argument without a natural result gives poison."""


def c_name(symbol: str) -> tuple[str, str]:
    """The name at ``double`` and the dtype of a function of C, of CUDA's libdevice or of ROCm's device library."""
    base = symbol.removeprefix("__nv_")
    if base.startswith("__ocml_"):
        stem, _, suffix = base.removeprefix("__ocml_").rpartition("_")
        return stem, {"f16": "float16", "f32": "float32", "f64": "float64"}.get(suffix, "")
    if base in C or base in OWN:
        return base, "float64"
    return base.removesuffix("f"), "float32"


def symbol_of(call: Intrinsic) -> str:
    """The name of what a call calls."""
    first = call.args[0] if call.args else None
    if (number := as_int(first)) is not None:
        return str(number)
    return first.value if isinstance(first, StringImm) else str(first)


def has_meaning(call: Intrinsic) -> bool:
    """Whether the function that ``call`` names has a meaning here, at these dtypes and with these arguments."""
    return spelled(call) is not None or _own(call) is not None


def spelled(call: Intrinsic) -> Intrinsic | None:
    """The call of a ``T`` intrinsic that ``call`` is another spelling of, if it is one."""
    name, args = _name(call), call.args[1:]
    op = (LLVM if call.op in LLVM_CALLS else C).get(name)
    if op is None:
        return None
    count = 1 if op in UNARY else 2 if op in BINARY else 3 if op in TERNARY else 0
    return Intrinsic(op, args[:count], call.dtype, call.attrs, span=call.span) if _fits(call, name, count) else None


def _own(call: Intrinsic) -> Function | None:
    name = _name(call)
    if name in FLAGGED and len(call.args) == 3 and (given := as_int(call.args[2])) is not None:
        at, flag = FLAGGED[name], bool(given)
        whole = dtypes.kind(call.dtype) in ("int", "uint") and call.args[1].dtype == call.dtype
        return (1, lambda f: lambda x: at(f)(x, flag)) if whole else None
    function = OWN.get(name)
    return function if function is not None and _fits(call, name, function[0]) else None


def _name(call: Intrinsic) -> str:
    if call.op in LLVM_CALLS:
        return symbol_of(call)
    return c_name(symbol_of(call))[0] if call.op in C_CALLS else ""


_WHOLE = frozenset({"llvm.ctpop", "llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin"})


def _fits(call: Intrinsic, name: str, count: int) -> bool:
    """Whether a call has ``count`` arguments, of the dtypes that the function takes."""
    given, dtype = call.args[1:], call.dtype
    if len(given) != count:
        return False
    wanted = ("int", "uint") if name in _WHOLE else ("float",)
    if dtypes.kind(dtype) not in wanted or (call.op in C_CALLS and dtypes.element(dtype) != c_name(symbol_of(call))[1]):
        return False
    if name in ("llvm.umax", "llvm.umin", "llvm.smax", "llvm.smin") and (name[5] == "u") != (
        dtypes.kind(dtype) == "uint"
    ):
        return False
    return all(
        dtypes.element(each.dtype) == ("int32" if k and name in ("ldexp", "llvm.ldexp") else dtypes.element(dtype))
        for k, each in enumerate(given)
    )


@rule("ev/llvm-intrinsic", "ev/c-function")
def build_foreign(build: Builder, call: Intrinsic) -> Element:
    """A call that ``has_meaning``."""
    if (plain := spelled(call)) is not None:
        return build_element(build, plain)
    found = _own(call)
    assert found is not None
    count, function = found
    meaning: Callable[..., Any] = function(build.context.numerics.at(dtypes.element(call.dtype)))
    args = [build_element(build, each) for each in call.args[1 : 1 + count]]
    return lambda frame: meaning(*[arg(frame) for arg in args])
