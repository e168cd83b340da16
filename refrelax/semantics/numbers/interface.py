"""The numerics interface: what operator bodies and the loop evaluator may do with an element.

Bodies are written once, by index, over this interface, and run under every *reading*:

* ``ieee`` — exact bits, the defined reduction order, the canonical result where several are permitted;
* ``enclosure`` — per element the set of **all** permitted results (an interval, may-be-NaN, may-be-poison);
* ``sampled`` — a random legal implementation;
* ``exact`` (rationals) and ``symbolic`` (terms) fit the same interface.

A *payload* is what a reading keeps for one element; a ``Truth`` is what a comparison gives and ``select`` consumes,
and is at the same time the payload of dtype ``bool``. Both are opaque: shapes, index variables and padding tests are
Python integers in every reading, elements never are. ``Poison`` is a payload of every dtype in every reading.

Spec: ``spec/02-values.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, Protocol

from refrelax.semantics.numbers.functions import FUNCTIONS

Payload = Any
"""One element of a reading. Opaque to everything but that reading."""

Truth = Any
"""What a comparison gives; the payload of dtype ``bool``. Raises when Python uses it as a condition."""

ReduceOp = Literal["add", "mul", "maximum", "minimum", "and", "or", "bit_and", "bit_or", "bit_xor"]

DIVISIONS = frozenset({"div", "mod", "floordiv", "floormod"})
"""Operations that end the run where an integer divisor is zero or poison."""

OPERATIONS = (
    "add", "sub", "mul", "div", "mod", "floordiv", "floormod", "neg", "maximum", "minimum", "fma",
    "bit_and", "bit_or", "bit_xor", "bit_not", "shift_left", "shift_right", "popcount", "clz",
)  # fmt: skip
"""Operations from payloads of a dtype to one of the dtype."""

TESTS = ("less", "less_equal", "equal", "not_equal", "isnan", "isinf", "isfinite")
"""Operations from payloads of a dtype to a truth."""

MATH = tuple(FUNCTIONS)
"""Names for ``Arithmetic.math``: one argument, one result of the same dtype."""

MATH2 = ("pow", "atan2", "hypot", "copysign", "nextafter", "fmod", "ldexp")
"""Names for ``Arithmetic.math2``: two arguments of the dtype (``ldexp``: the second is an ``int32`` payload)."""


class Arithmetic(Protocol):
    """What can be done with payloads of one dtype; ``numerics.at(dtype)``.

    Integers wrap at the dtype's width. Division and remainder by an integer zero end the run
    (``Unspecified("num/int-division-by-zero")``); INT_MIN // -1 wraps. Poison in any operand gives poison.
    """

    dtype: str

    # making payloads
    def lit(self, value: int | float | Fraction) -> Payload: ...
    def from_bits(self, bits: int) -> Payload: ...
    def to_bits(self, a: Payload) -> int: ...  # the canonical element; InternalError on poison

    # arithmetic
    def add(self, a: Payload, b: Payload) -> Payload: ...
    def sub(self, a: Payload, b: Payload) -> Payload: ...
    def mul(self, a: Payload, b: Payload) -> Payload: ...
    def div(self, a: Payload, b: Payload) -> Payload: ...  # floats: IEEE; integers: truncated
    def mod(self, a: Payload, b: Payload) -> Payload: ...  # truncated remainder; floats: fmod
    def floordiv(self, a: Payload, b: Payload) -> Payload: ...  # floats: floor(a / b)
    def floormod(self, a: Payload, b: Payload) -> Payload: ...  # sign of the divisor; floats: a - floor(a/b)*b
    def neg(self, a: Payload) -> Payload: ...
    def maximum(self, a: Payload, b: Payload) -> Payload: ...  # NaN: permitted set {NaN, the other}; ieee returns NaN
    def minimum(self, a: Payload, b: Payload) -> Payload: ...
    def fma(self, a: Payload, b: Payload, c: Payload) -> Payload: ...  # a*b + c, rounded once (the named intrinsic)
    def math(self, name: str) -> Callable[[Payload], Payload]: ...
    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]: ...

    # bits of integers (on bool: the connectives)
    def bit_and(self, a: Payload, b: Payload) -> Payload: ...
    def bit_or(self, a: Payload, b: Payload) -> Payload: ...
    def bit_xor(self, a: Payload, b: Payload) -> Payload: ...
    def bit_not(self, a: Payload) -> Payload: ...
    def shift_left(self, a: Payload, b: Payload) -> Payload: ...  # count < 0 or >= width: poison num/shift-range
    def shift_right(self, a: Payload, b: Payload) -> Payload: ...  # arithmetic when signed
    def popcount(self, a: Payload) -> Payload: ...
    def clz(self, a: Payload) -> Payload: ...  # of zero: poison num/clz-of-zero

    # comparisons
    def less(self, a: Payload, b: Payload) -> Truth: ...  # NaN: false
    def less_equal(self, a: Payload, b: Payload) -> Truth: ...
    def equal(self, a: Payload, b: Payload) -> Truth: ...  # NaN: false; 0.0 equals -0.0
    def not_equal(self, a: Payload, b: Payload) -> Truth: ...  # NaN: true
    def isnan(self, a: Payload) -> Truth: ...
    def isinf(self, a: Payload) -> Truth: ...
    def isfinite(self, a: Payload) -> Truth: ...

    # choice and conversion
    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload: ...  # poison in the arm not chosen is dropped
    # to this dtype; NaN and out of range, float to int: poison num/cast-range
    def cast(self, a: Payload, source: str) -> Payload: ...
    def reinterpret(self, a: Payload, source: str) -> Payload: ...  # same bits, equal widths

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        """The element whose bits begin at bit ``start`` of the payloads ``parts`` of ``source``, the first lowest.

        Each part takes its ``dtypes.memory_bits``. A part that is one of several permitted ones leaves the element
        undetermined: everything that the dtype can hold.
        """
        ...

    # many elements at once
    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        """The items combined in the defined (increasing) order; permitted: any order and association.

        ``acc`` is the least accumulation dtype that is promised (default: this dtype). With an ``acc`` the items are
        payloads *of acc* and the result is cast to this dtype once. ``add`` of nothing is 0, ``mul`` of nothing 1,
        ``and`` true, ``or`` false; ``maximum`` and ``minimum`` of nothing are poison ``num/empty-reduction``.
        """
        ...

    def scan(self, op: ReduceOp, items: Sequence[Payload]) -> list[Payload]:
        """``reduce`` of the first item, of the first two, and so on: as many as there are items."""
        ...

    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        """The sum of products of two equally long runs of ``source`` payloads, accumulated in ``acc`` (or this dtype).

        Each operand is cast to the accumulation dtype, multiplied there, and added in increasing order; permitted: any
        order and association, fma. One call for the loop that costs most: readings may bound it tightly.
        """
        ...

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        """The int64 position of the extreme, the first on ties; a NaN counts as it (permitted: also ignored)."""
        ...

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        """Stably sorted payloads and their int64 positions; NaNs last in ``ieee`` (every order is permitted)."""
        ...

    def pick(self, items: Sequence[Payload], index: Payload) -> Payload:
        """``items[index]`` for an int64 payload that is in range."""
        ...

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        """Forms between which the spec lets an implementation choose; ``ieee`` takes the first."""
        ...

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        """``either`` of functions of the same arguments, for ``pointwise``: less is made anew for each element.

        ``last_holds``: what the last permits holds what the others do, for a reading of sets to ask for it alone.
        """
        ...

    def ideal(self, of: Any, *args: Payload) -> Payload:
        """A real function (``real_steps.py``) of the arguments, rounded once; permitted: the ulps of its name."""
        ...

    # reductions spread over a loop: a cell that holds a partial result
    def begin(self, op: ReduceOp, init: Payload) -> Payload:
        """The partial result that a reduction block's ``T.init`` stores."""
        ...

    def accumulate(self, op: ReduceOp, partial: Payload, item: Payload) -> Payload:
        """One more item. In ``ieee`` the plain operation, in loop order; ``enclosure`` and ``sampled`` collect."""
        ...

    def settle(self, partial: Payload) -> Payload:
        """The value of a partial result when something other than its own reduction reads it (``ieee``: itself)."""
        ...


class Numerics(Protocol):
    """A reading."""

    name: str
    exact_bits: bool
    """Whether payloads are single numbers with bits (``ieee``, ``sampled``), so that they can be exported as arrays."""
    collects: bool
    """Whether ``begin``/``accumulate`` keep partial results in cells; other reads must ``settle`` (``ieee``: no)."""

    def at(self, dtype: str) -> Arithmetic: ...

    def truth(self, value: bool) -> Truth: ...
    def all_of(self, a: Truth, b: Truth) -> Truth: ...  # both sides count: poison in either is poison
    def any_of(self, a: Truth, b: Truth) -> Truth: ...
    def negate(self, a: Truth) -> Truth: ...

    def decide(self, truth: Truth) -> bool:
        """The truth as a Python bool, to branch on.

        Raises:
            Ended: ``Unspecified`` under the poison's rule; or ``Unspecified("num/undetermined")`` when the reading
                holds both answers (enclosure).
        """
        ...

    def to_index(self, a: Payload, dtype: str) -> int:
        """An integer payload as a Python int, to index or bound a loop with. Raises as ``decide`` does."""
        ...

    def poison_rule(self, a: Payload) -> str | None:
        """The rule of a payload that is (or may be) poison, else ``None``."""
        ...
