"""What a text that is written down is written over: arrays by their indices, and operations kept as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from refrelax.errors import Ended
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.interface import TESTS
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.calculus import Hits, Run
from refrelax.semantics.ops.meaning.indices import TRUE, Ix, Unfit, node
from refrelax.syntax import dtypes
from refrelax.syntax.bits import literal_value
from refrelax.syntax.scalars import Cast, Literal, PrimExpr, SymVar


class Writing(Protocol):
    """What an array asks of the text that it belongs to (``terms.Terms``)."""

    def variable(self, letter: str) -> SymVar: ...

    def known(self, condition: Any) -> bool: ...

    def every(self, conditions: Iterable[Any]) -> Any: ...

    def choose(self, condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any: ...

    def index_of(self, element: data.Element, dtype: str) -> Ix: ...


View = Callable[[Sequence[Any]], Sequence[Any]]


class Symbolic:
    """An operand or a definition, perhaps seen through a view of its indices. See ``calculus.Array``."""

    __slots__ = ("array", "dims", "dtype", "m", "ndim", "runs", "view")

    def __init__(
        self, m: Writing, array: data.Operand | data.Definition, dims: tuple[Any, ...], view: View | None = None
    ) -> None:
        self.m, self.array, self.dims, self.view = m, array, dims, view
        self.runs: Callable[..., Run] | None = None
        """Of ``Meaning.rows``: which positions of the last axis count."""
        self.dtype, self.ndim = array.dtype, len(dims)

    def __getitem__(self, at: Sequence[Any]) -> data.Read:
        inner = at if self.view is None else self.view(at)
        return data.Read(self.array, tuple(map(node, inner)), self.dtype)

    def get(self, at: Sequence[Any], other: data.Element) -> Any:
        checks = [c for p, n in zip(at, self.dims, strict=True) for c in (p >= 0, p < n) if not self.m.known(c)]
        return self.m.choose(self.m.every(checks), lambda: self[at], lambda: other)

    def over(self, at: Sequence[Any]) -> data.Each:
        names, dims, index, where = [], [], [], []
        for p, n in zip(at, self.dims, strict=True):
            if not isinstance(p, Run | Hits):
                index.append(p)
                continue
            name = self.m.variable("r")
            names.append(name)
            dims.append(node(n if p.count is None else p.count))
            if isinstance(p, Hits):
                index.append(p.at(Ix(name)))
                where.append(p.where(Ix(name)))
            else:
                index.append(Ix(name) * p.step + p.start)
                where += [index[-1] >= 0, index[-1] < n] if p.inside else []
        condition = node(self.m.every(where))
        return data.Each(tuple(names), tuple(dims), self[index], None if condition == TRUE else condition)


class Table:
    """An array of indices."""

    __slots__ = ("dims", "ndim", "read")

    def __init__(self, dims: Sequence[Any], read: Callable[[Sequence[Any]], Ix]) -> None:
        self.dims, self.ndim, self.read = tuple(dims), len(tuple(dims)), read

    def __getitem__(self, at: Sequence[Any]) -> Ix:
        return self.read(at)


class SymbolicScalar(Symbolic):
    """A scalar operand, by its expression. See ``calculus.Scalar``."""

    __slots__ = ("expression",)

    def __init__(self, m: Writing, array: data.Operand, dims: tuple[Any, ...], expression: PrimExpr) -> None:
        super().__init__(m, array, dims)
        self.expression = expression

    @property
    def number(self) -> int | float:
        if not isinstance(self.expression, Literal):
            raise Unfit(f"a text took {self.expression} for a number")
        return literal_value(self.expression)

    @property
    def index(self) -> Ix:
        if isinstance(self.expression, Literal):
            return Ix(node(int(self.number)))
        if not dtypes.is_integer(self.dtype):
            raise Unfit(f"a text took {self.expression} for an index")
        return Ix(self.expression if self.dtype == "int64" else Cast("int64", self.expression))


Families = data.Family | list[data.Element] | tuple[data.Family, ...]
"""A family, the elements of one, or families one after the other."""


def joined(family: Families) -> tuple[data.Family, ...]:
    """Families that come one after the other."""
    if isinstance(family, list):
        return (data.Items(tuple(family)),)
    return family if isinstance(family, tuple) else (family,)


class Arithmetic:
    """``numerics.at(dtype)`` with its calls kept as data."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def lit(self, value: Any) -> data.Literal:
        return data.Literal(self.dtype, value.node if isinstance(value, Ix) else value)

    def cast(self, a: data.Element, source: str) -> data.Operation:
        return data.Operation("cast", self.dtype, self.dtype, (a,), source)

    def math(self, name: str) -> Callable[[data.Element], data.Operation]:
        self._has(name)
        return lambda a: data.Operation(f"math:{name}", self.dtype, self.dtype, (a,))

    def math2(self, name: str) -> Callable[[data.Element, data.Element], data.Operation]:
        return lambda a, b: data.Operation(f"math2:{name}", self.dtype, self.dtype, (a, b))

    def _has(self, name: str) -> None:
        """A run that asks for what a dtype has not ends at once, with or without elements."""
        try:
            ieee().at(self.dtype).math(name)
        except Ended as end:
            raise Unfit(str(end)) from None

    def reduce(self, op: str, family: Families) -> data.Fold:
        return data.Fold("reduce", self.dtype, self.dtype, op, joined(family))

    def ideal(self, of: Any, *args: data.Element) -> data.Operation:
        return data.Operation("ideal", self.dtype, self.dtype, args, of)

    def dot(self, a: Families, b: Families, source: str) -> data.Fold:
        return data.Fold("dot", self.dtype, self.dtype, "add", (*joined(a), *joined(b)), source)

    def argreduce(self, op: str, family: data.Each) -> data.Fold:
        return data.Fold("argreduce", self.dtype, "int64", op, (family,))

    def either(self, *forms: Callable[[], data.Element]) -> data.Either:
        return data.Either(self.dtype, tuple(form() for form in forms))

    def forms(self, *functions: Callable[..., data.Element], last_holds: bool = False) -> Callable[..., data.Either]:
        return lambda *xs: data.Either(self.dtype, tuple(each(*xs) for each in functions))

    def __getattr__(self, name: str) -> Callable[..., data.Operation]:
        if name.startswith("_"):
            raise AttributeError(name)
        dtype = "bool" if name in TESTS else self.dtype
        return lambda *args: data.Operation(name, self.dtype, dtype, args)
