"""The reading ``guarded``: ``ieee`` in opaque boxes, for tests.

A box raises when Python compares it, branches on it, indexes with it, hashes it for equality, or computes with it; and
the arithmetic of a dtype raises when it is given a payload of another dtype. A stray fold in an operator body, which
``ieee`` would compute silently, is found here. Spec: ``spec/02-values.md``, ``num/truth-is-opaque``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, Literal, NoReturn

from refrelax.errors import InternalError
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.interface import OPERATIONS, TESTS, Arithmetic, Numerics, Payload, ReduceOp, Truth
from refrelax.semantics.numbers.poison import OpaquePayload, Poison


class Box(OpaquePayload):
    """One payload of ``ieee`` with its dtype, which only this module opens."""

    __slots__ = ("_dtype", "_inside")

    def __init__(self, dtype: str, inside: Any) -> None:
        self._dtype = dtype
        self._inside = inside

    def __eq__(self, other: object) -> NoReturn:
        raise InternalError("Python compared an element: use equal")

    def __hash__(self) -> NoReturn:
        raise InternalError("Python hashed an element")

    def _computed(self, *_: object) -> NoReturn:
        raise InternalError("Python computed with an element: use the numerics interface")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = _computed
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = __lshift__ = __rshift__ = _computed
    __float__ = __int__ = __complex__ = __round__ = __iter__ = __len__ = __contains__ = _computed

    def __repr__(self) -> str:
        return f"Box({self._dtype}, {self._inside!r})"


def close(dtype: str, inside: Payload) -> Payload:
    """A payload of ``ieee`` in a box; poison stays as it is, since cells of fresh memory hold it bare."""
    return inside if isinstance(inside, Poison) else Box(dtype, inside)


def open_box(dtype: str, payload: Payload) -> Payload:
    """What a box of ``dtype`` holds.

    Raises:
        InternalError: ``payload`` is no box, or one of another dtype.
    """
    if isinstance(payload, Poison):
        return payload
    if not isinstance(payload, Box):
        raise InternalError(f"a payload of {dtype} was expected, found the Python {type(payload).__name__} {payload!r}")
    if payload._dtype != dtype:
        raise InternalError(f"a payload of {dtype} was expected, found one of {payload._dtype}")
    return payload._inside


class GuardedArithmetic:
    """One dtype of ``ieee``, boxes in and out."""

    def __init__(self, inner: Arithmetic) -> None:
        self.inner = inner
        self.dtype = inner.dtype
        for name in OPERATIONS:
            setattr(self, name, self._boxed(getattr(inner, name), self.dtype))
        for name in TESTS:
            setattr(self, name, self._boxed(getattr(inner, name), "bool"))

    def __getattr__(self, name: str) -> Callable[..., Payload]:
        # only for the type checker: every name of OPERATIONS and TESTS is set above
        raise AttributeError(name)

    def _boxed(self, function: Callable[..., Payload], result: str) -> Callable[..., Payload]:
        dtype = self.dtype
        return lambda *operands: close(result, function(*(open_box(dtype, each) for each in operands)))

    def _open(self, payload: Payload) -> Payload:
        return open_box(self.dtype, payload)

    def _close(self, inside: Payload) -> Payload:
        return close(self.dtype, inside)

    def lit(self, value: int | float | Fraction) -> Payload:
        if not isinstance(value, (int, float, Fraction)):
            raise InternalError(f"lit takes a number, found {type(value).__name__}")
        return self._close(self.inner.lit(value))

    def from_bits(self, bits: int) -> Payload:
        return self._close(self.inner.from_bits(bits))

    def to_bits(self, a: Payload) -> int:
        return self.inner.to_bits(self._open(a))

    def math(self, name: str) -> Callable[[Payload], Payload]:
        return self._boxed(self.inner.math(name), self.dtype)

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        function = self.inner.math2(name)
        second = "int32" if name == "ldexp" else self.dtype
        return lambda a, b: self._close(function(self._open(a), open_box(second, b)))

    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        return self._close(self.inner.select(open_box("bool", truth), self._open(a), self._open(b)))

    def cast(self, a: Payload, source: str) -> Payload:
        return self._close(self.inner.cast(open_box(source, a), source))

    def reinterpret(self, a: Payload, source: str) -> Payload:
        return self._close(self.inner.reinterpret(open_box(source, a), source))

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        return self._close(self.inner.assemble([open_box(source, each) for each in parts], source, start))

    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        home = acc or self.dtype
        return self._close(self.inner.reduce(op, [open_box(home, each) for each in items], acc))

    def scan(self, op: ReduceOp, items: Sequence[Payload]) -> list[Payload]:
        return list(map(self._close, self.inner.scan(op, list(map(self._open, items)))))

    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        left, right = [open_box(source, each) for each in a], [open_box(source, each) for each in b]
        return self._close(self.inner.dot(left, right, source, acc))

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        return close("int64", self.inner.argreduce(op, [self._open(each) for each in items]))

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        values, positions = self.inner.order([self._open(each) for each in items], descending)
        return [self._close(each) for each in values], [close("int64", each) for each in positions]

    def pick(self, items: Sequence[Payload], index: Payload) -> Payload:
        return self._close(self.inner.pick([self._open(each) for each in items], open_box("int64", index)))

    def ideal(self, of: Any, *args: Payload) -> Payload:
        return self._close(self.inner.ideal(of, *map(self._open, args)))

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        # every form is evaluated, so that a body that is wrong only in a later one is found too
        results = [self._close(self._open(form())) for form in forms]
        return results[0]

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        return lambda *xs: self.either(*[partial(each, *xs) for each in functions])

    def begin(self, op: ReduceOp, init: Payload) -> Payload:
        return self._close(self.inner.begin(op, self._open(init)))

    def accumulate(self, op: ReduceOp, partial: Payload, item: Payload) -> Payload:
        return self._close(self.inner.accumulate(op, self._open(partial), self._open(item)))

    def settle(self, partial: Payload) -> Payload:
        return self._close(self.inner.settle(self._open(partial)))


class Guarded:
    """The ``Numerics`` of this reading."""

    name = "guarded"
    exact_bits = True
    collects = False

    def __init__(self) -> None:
        self.inner = ieee()
        self._arithmetic: dict[str, GuardedArithmetic] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return guarded, ()

    def at(self, dtype: str) -> Any:
        found = self._arithmetic.get(dtype)
        if found is None:
            found = self._arithmetic[dtype] = GuardedArithmetic(self.inner.at(dtype))
        return found

    def truth(self, value: bool) -> Truth:
        if not isinstance(value, bool):
            raise InternalError(f"truth takes a Python bool, found {type(value).__name__}")
        return close("bool", self.inner.truth(value))

    def all_of(self, a: Truth, b: Truth) -> Truth:
        return close("bool", self.inner.all_of(open_box("bool", a), open_box("bool", b)))

    def any_of(self, a: Truth, b: Truth) -> Truth:
        return close("bool", self.inner.any_of(open_box("bool", a), open_box("bool", b)))

    def negate(self, a: Truth) -> Truth:
        return close("bool", self.inner.negate(open_box("bool", a)))

    def decide(self, truth: Truth) -> bool:
        return self.inner.decide(open_box("bool", truth))

    def to_index(self, a: Payload, dtype: str) -> int:
        return self.inner.to_index(open_box(dtype, a), dtype)

    def poison_rule(self, a: Payload) -> str | None:
        return a.rule if isinstance(a, Poison) else None


@cache
def guarded() -> Numerics:
    """The reading itself."""
    return Guarded()
