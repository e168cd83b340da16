"""What the arithmetic of ``ieee`` has in common over all dtypes: folds, choices, order, poison.

Payloads are Python floats, Python ints, ``TRUE``/``FALSE`` or ``Poison``. The fast forms try the plain Python
operation; poison raises ``TypeError`` (or ``InternalError`` from a comparison) there, and ``careful`` sorts it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce as fold
from itertools import accumulate
from typing import Any, Literal, NoReturn

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload, ReduceOp, Truth
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import bits, dtypes

CAUGHT = (TypeError, InternalError)
"""What a plain Python operation raises when an operand is no number."""


def careful(name: str, *operands: Payload) -> Payload:
    """The first poison among ``operands``; without one the caller mixed payloads up.

    Raises:
        InternalError: no operand is poison.
    """
    for each in operands:
        if isinstance(each, Poison):
            return each
    raise InternalError(f"{name} was given {', '.join(type(each).__name__ for each in operands)}")


def empty_reduction() -> Poison:
    """``num/empty-reduction``: the extreme of nothing."""
    return poison("num/empty-reduction")


class Base:
    """The dtype-independent part of ``ieee``; subclasses are ``Floats``, ``Integers`` and ``Bools``."""

    in_order = True
    """Whether ``reduce`` combines the items one after another, and has that one result."""

    dtype: str
    zero: Any
    one: Any
    ones: Any
    add: Callable[[Payload, Payload], Payload]
    mul: Callable[[Payload, Payload], Payload]
    less: Callable[[Payload, Payload], Truth]
    less_equal: Callable[[Payload, Payload], Truth]
    equal: Callable[[Payload, Payload], Truth]
    not_equal: Callable[[Payload, Payload], Truth]

    def __init__(self, numerics: Numerics, dtype: str) -> None:
        self.numerics = numerics
        self.dtype = dtype
        self._casts: dict[str, Callable[[Payload], Payload]] = {}
        self._folds: dict[str, tuple[Callable[[Payload, Payload], Payload], Payload]] = {}

    # --- bits ---------------------------------------------------------------------------------------------------------

    def from_bits(self, pattern: int) -> Payload:
        return bits.decode(self.dtype, pattern)

    @rule("num/nan-canonical")
    def to_bits(self, a: Payload) -> int:
        if isinstance(a, Poison):
            raise InternalError(f"poison ({a.rule}) has no bits")
        return bits.encode(self.dtype, a)

    def reinterpret(self, a: Payload, source: str) -> Payload:
        if isinstance(a, Poison):
            return a
        return self.from_bits(self.numerics.at(source).to_bits(a))

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        home, width = self.numerics.at(source), dtypes.memory_bits(source)
        for each in parts:
            if isinstance(each, Poison):
                return each
        word = sum(home.to_bits(each) << width * k for k, each in enumerate(parts)) >> start
        return self.of_memory(word & ((1 << dtypes.memory_bits(self.dtype)) - 1))

    def of_memory(self, pattern: int) -> Payload:
        """The element that memory with these bits holds."""
        return self.from_bits(pattern)

    # --- choice and conversion ----------------------------------------------------------------------------------------

    @rule("num/truth-is-opaque")
    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        if truth is TRUE:
            return a
        if truth is FALSE:
            return b
        return careful("select", truth)

    def cast(self, a: Payload, source: str) -> Payload:
        convert = self._casts.get(source)
        if convert is None:
            convert = self._casts[source] = self.converter(source)
        return convert(a)

    def converter(self, source: str) -> Callable[[Payload], Payload]:
        """The function that converts payloads of ``source`` to this dtype."""
        raise NotImplementedError

    # --- many elements ------------------------------------------------------------------------------------------------

    def folding(self, op: ReduceOp) -> tuple[Callable[[Payload, Payload], Payload], Payload]:
        """The binary operation of a reduction and what it starts from (``None``: the first item)."""
        found = self._folds.get(op)
        if found is None:
            found = self._folds[op] = self.folding_of(op)
        return found

    def folding_of(self, op: ReduceOp) -> tuple[Callable[[Payload, Payload], Payload], Payload]:
        f: Any = self
        match op:
            case "add":
                return f.add, self.zero
            case "mul":
                return f.mul, self.one
            case "maximum" | "minimum":
                return getattr(f, op), None
            case "and" | "bit_and":
                return f.bit_and, self.ones
            case "or" | "bit_or":
                return f.bit_or, self.zero
            case "bit_xor":
                return f.bit_xor, self.zero

    @rule("num/reduction-order", "num/empty-reduction")
    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        if acc is not None and acc != self.dtype:
            return self.cast(self.numerics.at(acc).reduce(op, items), acc)
        combine, start = self.folding(op)
        if start is not None:
            return fold(combine, items, start)
        rest = iter(items)
        for first in rest:
            return fold(combine, rest, first)
        return empty_reduction()

    def scan(self, op: ReduceOp, items: Sequence[Payload]) -> list[Payload]:
        if self.in_order:  # each is one step from the one before
            combine, start = self.folding(op)
            return list(accumulate(items, combine, initial=start))[start is not None :]
        return [self.reduce(op, items[:k]) for k in range(1, len(items) + 1)]

    @rule("num/reduction-order")
    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        acc = acc or self.dtype
        home: Arithmetic = self.numerics.at(acc)
        mul = home.mul
        if source == acc:
            products = [mul(x, y) for x, y in zip(a, b, strict=True)]
        else:
            cast = home.cast
            products = [mul(cast(x, source), cast(y, source)) for x, y in zip(a, b, strict=True)]
        total = home.reduce("add", products)
        return total if acc == self.dtype else self.cast(total, acc)

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        best: Any = None
        position = 0
        for k, each in enumerate(items):
            if isinstance(each, Poison):
                return each
            key = self.key(each)
            if key != key:
                # a NaN is the extreme; what is left to find is only whether poison follows
                later = [x for x in items[k:] if isinstance(x, Poison)]
                return later[0] if later else k
            if best is None or (key > best if op == "maximum" else key < best):
                best, position = key, k
        return empty_reduction() if best is None else position

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        for each in items:
            if isinstance(each, Poison):
                return [each] * len(items), [each] * len(items)
        keys = [self.key(each) for each in items]
        numbers = sorted((k for k, key in enumerate(keys) if key == key), key=keys.__getitem__, reverse=descending)
        positions = numbers + [k for k, key in enumerate(keys) if key != key]
        return [items[k] for k in positions], list(positions)

    def key(self, a: Payload) -> Any:
        """The number by which payloads of this dtype are ordered; not equal to itself for NaN."""
        return a

    def pick(self, items: Sequence[Payload], index: Payload) -> Payload:
        if isinstance(index, Poison):
            return index
        return items[index]

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        return forms[0]()

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        return functions[0]

    def ideal(self, of: Any, *args: Payload) -> Payload:
        self.no(of.name)

    # --- partial results ----------------------------------------------------------------------------------------------

    def begin(self, op: ReduceOp, init: Payload) -> Payload:
        return init

    def accumulate(self, op: ReduceOp, partial: Payload, item: Payload) -> Payload:
        return self.folding(op)[0](partial, item)

    def settle(self, partial: Payload) -> Payload:
        return partial

    # --- what only some dtypes have -----------------------------------------------------------------------------------

    @rule("num/no-operation")
    def no(self, name: str) -> NoReturn:
        """An operation that this dtype does not have, where checking could not know or does not look."""
        raise unspecified("num/no-operation", f"{self.dtype} has no operation {name}")

    def isnan(self, a: Payload) -> Truth:
        return a if isinstance(a, Poison) else FALSE

    def isinf(self, a: Payload) -> Truth:
        return a if isinstance(a, Poison) else FALSE

    def isfinite(self, a: Payload) -> Truth:
        return a if isinstance(a, Poison) else TRUE

    def math(self, name: str) -> Callable[[Payload], Payload]:
        self.no(name)

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        self.no(name)

    def fma(self, a: Payload, b: Payload, c: Payload) -> Payload:
        return self.add(self.mul(a, b), c)

    def bit_and(self, a: Payload, b: Payload) -> Payload:
        self.no("bit_and")

    def bit_or(self, a: Payload, b: Payload) -> Payload:
        self.no("bit_or")

    def bit_xor(self, a: Payload, b: Payload) -> Payload:
        self.no("bit_xor")

    def bit_not(self, a: Payload) -> Payload:
        self.no("bit_not")

    def shift_left(self, a: Payload, b: Payload) -> Payload:
        self.no("shift_left")

    def shift_right(self, a: Payload, b: Payload) -> Payload:
        self.no("shift_right")

    def popcount(self, a: Payload) -> Payload:
        self.no("popcount")

    def clz(self, a: Payload) -> Payload:
        self.no("clz")


def compare(test: Callable[[Any, Any], bool], name: str) -> Callable[[Payload, Payload], Truth]:
    """A comparison on Python numbers as one on payloads."""

    def comparison(a: Payload, b: Payload) -> Truth:
        try:
            return TRUE if test(a, b) else FALSE
        except CAUGHT:
            return careful(name, a, b)

    return comparison


def less(a: Payload, b: Payload) -> Truth:
    try:
        return TRUE if a < b else FALSE
    except CAUGHT:
        return careful("less", a, b)


def less_equal(a: Payload, b: Payload) -> Truth:
    try:
        return TRUE if a <= b else FALSE
    except CAUGHT:
        return careful("less_equal", a, b)


def equal(a: Payload, b: Payload) -> Truth:
    # ``==`` would answer for poison as well, ``<=`` raises on it
    try:
        return TRUE if a <= b <= a else FALSE
    except CAUGHT:
        return careful("equal", a, b)


def not_equal(a: Payload, b: Payload) -> Truth:
    try:
        return FALSE if a <= b <= a else TRUE
    except CAUGHT:
        return careful("not_equal", a, b)
