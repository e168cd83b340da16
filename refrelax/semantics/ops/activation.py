"""Activation functions.

Spec: ``spec/ops/activation.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from refrelax.rules import rule
from refrelax.semantics.numbers import multiprecision as mp
from refrelax.semantics.numbers.constants import RealConstant
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.numbers.real_steps import EXP_OF_DIFFERENCE
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    joined_dtype,
    normal_axis,
    rank,
    replace,
    short,
    tensor,
)  # fmt: skip
from refrelax.semantics.ops.definition import DeduceRule, Deduction, Evaluation, OpDef
from refrelax.semantics.ops.meaning import Array, Meaning, defined, lines
from refrelax.semantics.ops.unary import deduce_float, deduce_same
from refrelax.semantics.values import TensorValue
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.types import Type

PAGE = "activation"
INF = float("inf")

Function = Callable[[Payload], Payload]

# --- of one element --------------------------------------------------------------------------------------------------


def _relu(f: Arithmetic, call: Call) -> Function:
    """``maximum(x, 0)``."""
    zero = f.lit(0)
    return lambda a: f.maximum(a, zero)


def _leakyrelu(f: Arithmetic, call: Call) -> Function:
    """``x if x > 0 else x * alpha``."""
    zero, factor = f.lit(0), f.lit(A.real(call, "alpha"))
    return lambda a: f.select(f.less(zero, a), a, f.mul(a, factor))


def _silu(f: Arithmetic, call: Call) -> Function:
    """``x * sigmoid(x)``."""
    sigmoid = f.math("sigmoid")
    return lambda a: f.mul(a, sigmoid(a))


ROOT_HALF = RealConstant(Fraction(6369051672525773, 9007199254740992), mp.root_of_half)
"""sqrt(1/2)."""

ROOT_TWO_OVER_PI = RealConstant(Fraction(7186705221432913, 9007199254740992), mp.root_of_two_over_pi)
"""sqrt(2/pi)."""


def _gelu(f: Arithmetic, call: Call) -> Function:
    """``x * (0.5 + 0.5 * erf(x * sqrt(1/2)))``."""
    half, root, erf = f.lit(Fraction(1, 2)), f.lit(ROOT_HALF), f.math("erf")
    return lambda a: f.mul(a, f.add(half, f.mul(erf(f.mul(a, root)), half)))


def _gelu_tanh(f: Arithmetic, call: Call) -> Function:
    """``0.5 * x * (1 + tanh(sqrt(2/pi) * x * (1 + 0.044715 * x * x)))``."""
    half, one, tanh = f.lit(Fraction(1, 2)), f.lit(1), f.math("tanh")
    root, cubic = f.lit(ROOT_TWO_OVER_PI), f.lit(Fraction(44715, 1000000))

    def function(a: Payload) -> Payload:
        inner = f.mul(f.mul(root, a), f.add(one, f.mul(cubic, f.mul(a, a))))
        return f.mul(f.mul(half, a), f.add(one, tanh(inner)))

    return function


SELU_ALPHA = Fraction("1.6732632423543772848170429916717")
SELU_SCALE = Fraction("1.0507009873554804934193349852946")


def _selu(f: Arithmetic, call: Call) -> Function:
    """``scale * (x if x > 0 else alpha * (exp(x) - 1))``; ``exp(x) - 1`` rounded once or twice."""
    zero, one, exp, expm1 = f.lit(0), f.lit(1), f.math("exp"), f.math("expm1")
    alpha, scale = f.lit(SELU_ALPHA), f.lit(SELU_SCALE)

    def function(a: Payload) -> Payload:
        negative = f.either(lambda: f.sub(exp(a), one), lambda: expm1(a))
        return f.mul(scale, f.select(f.less(zero, a), a, f.mul(alpha, negative)))

    return function


def _softplus(f: Arithmetic, call: Call) -> Function:
    """``x`` where ``beta * x > threshold``, else ``log1p(exp(beta * x)) / beta``."""
    beta, threshold = f.lit(A.real(call, "beta")), f.lit(A.real(call, "threshold"))
    exp, log1p = f.math("exp"), f.math("log1p")

    def function(a: Payload) -> Payload:
        scaled = f.mul(beta, a)
        return f.select(f.less(threshold, scaled), a, f.div(log1p(exp(scaled)), beta))

    return function


def _row(name: str, make: Callable[[Arithmetic, Call], Function], deduce: DeduceRule = deduce_float) -> OpDef:
    def text(m: Meaning, call: Call, x: Array) -> Array:
        return m.pointwise(x.dtype, make(m.at(x.dtype), call), x)

    return defined(f"relax.nn.{name}", deduce, text, PAGE)


# --- prelu -----------------------------------------------------------------------------------------------------------


def deduce_prelu(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type; its dtype must be a float, and ``alpha``'s, and ``axis`` one of its axes."""
    arity(d, call, 2)
    x, alpha = tensor(d, call, types, 0), tensor(d, call, types, 1)
    if x.dtype is not None and not dtypes.is_float(x.dtype):
        d.fail("op.nn.softmax/float-dtype", f"{short(call)} takes a tensor of a float dtype, found {x.dtype}")
    if rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), A.integer(call, "axis"))
    joined_dtype(d, call, [x, alpha])
    return x


@rule("op.nn.prelu/alpha-extent")
def prelu(m: Meaning, call: Call, x: Array, alpha: Array) -> Array:
    """``out[i] = x[i] if x[i] > 0 else x[i] * alpha[i[axis]]``; an ``alpha`` of one element serves all."""
    axis, f = A.integer(call, "axis") % x.ndim, m.at(x.dtype)
    wrong = "op.nn.prelu/alpha-extent", f"alpha {alpha.dims} for {x.dims}, axis {axis}"
    m.require(alpha.ndim == 1, *wrong)
    m.stretches(alpha.dims[0], x.dims[axis], *wrong)
    zero = f.lit(0)
    return m.pointwise(
        x.dtype, lambda a, k: f.select(f.less(zero, a), a, f.mul(a, k)), x, m.along(alpha, [axis], x.dims)
    )


# --- softmax ---------------------------------------------------------------------------------------------------------


@rule("op.nn.softmax/float-dtype")
def deduce_softmax(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type; its dtype must be a float and ``axis`` one of its axes."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if x.dtype is not None and not dtypes.is_float(x.dtype):
        d.fail("op.nn.softmax/float-dtype", f"{short(call)} takes a tensor of a float dtype, found {x.dtype}")
    if rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), A.integer(call, "axis"))
    return x


def by_lines(
    e: Evaluation, x: TensorValue, axis: int, function: Callable[[list[Payload]], list[Payload]]
) -> TensorValue:
    """Every line of ``x`` along ``axis`` replaced by ``function(line)``, which keeps its length."""
    lines: dict[tuple[int, ...], list[Payload]] = {}

    def element(*i: int) -> Payload:
        at = replace(i, axis, 0)
        if at not in lines:
            lines[at] = function([x[replace(i, axis, k)] for k in range(x.shape[axis])])
        return lines[at][i[axis]]

    return e.tabulate(x.dtype, x.shape, element)


def raised(f: Arithmetic) -> Callable[[Payload, Payload], Payload]:
    """``exp(x - top)``; the difference rounded or not. The exponential is asked for by an element: a dtype may have
    none."""
    of = EXP_OF_DIFFERENCE
    return f.forms(lambda a, top: f.math("exp")(f.sub(a, top)), lambda a, top: f.ideal(of, a, top))


def softmax(m: Meaning, call: Call, x: Array) -> Array:
    """``exp(x - max)`` over its sum, along ``axis``; the difference rounded or not."""
    return softmax_along(m, x, A.integer(call, "axis") % x.ndim)


def softmax_along(m: Meaning, x: Array, axis: int) -> Array:
    """``softmax`` of the lines along an axis."""
    f, (one, line) = m.at(x.dtype), lines(x, [axis])
    top = m.tensor(one, x.dtype, lambda *i: f.reduce("maximum", x.over(line(i))))
    powers = m.pointwise(x.dtype, raised(f), x, top)
    total = m.tensor(one, x.dtype, lambda *i: f.reduce("add", powers.over(line(i))))
    return m.pointwise(x.dtype, f.div, powers, total)


def log_softmax(m: Meaning, call: Call, x: Array) -> Array:
    """``x - max - log(sum(exp(x - max)))``, along ``axis``; the two differences rounded each or together."""
    axis, f = A.integer(call, "axis") % x.ndim, m.at(x.dtype)
    log, (one, line) = f.math("log"), lines(x, [axis])
    top = m.tensor(one, x.dtype, lambda *i: f.reduce("maximum", x.over(line(i))))
    powers = m.pointwise(x.dtype, raised(f), x, top)
    total = m.tensor(one, x.dtype, lambda *i: log(f.reduce("add", powers.over(line(i)))))
    minus, fold = asked_once(f.neg), f.reduce

    def stepwise(a: Payload, t: Payload, s: Payload) -> Payload:
        return f.sub(f.sub(a, t), s)

    def in_any_order(a: Payload, t: Payload, s: Payload) -> Payload:
        return fold("add", [a, minus(t), minus(s)])

    return m.pointwise(x.dtype, f.forms(stepwise, in_any_order, last_holds=True), x, top, total)


def asked_once(function: Callable[[Payload], Payload]) -> Callable[[Payload], Payload]:
    """The same, asked once of each payload: every element of a line meets the line's maximum and its sum."""
    known: dict[int, Payload] = {}
    held: list[Payload] = []

    def of(x: Payload) -> Payload:
        found = known.get(id(x))
        if found is None:
            held.append(x)  # so that no other payload gets its identity
            found = known[id(x)] = function(x)
        return found

    return of


OPERATORS: tuple[OpDef, ...] = (
    _row("relu", _relu, deduce_same),
    _row("leakyrelu", _leakyrelu),
    _row("silu", _silu),
    _row("gelu", _gelu),
    _row("gelu_tanh", _gelu_tanh),
    _row("selu", _selu),
    _row("softplus", _softplus),
    defined("relax.nn.prelu", deduce_prelu, prelu, PAGE),
    defined("relax.nn.softmax", deduce_softmax, softmax, PAGE),
    defined("relax.nn.log_softmax", deduce_softmax, log_softmax, PAGE),
)
