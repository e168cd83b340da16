"""Running a text that was written down: the other side of the law ``evaluate(written(text)) = text on numbers``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product as points
from typing import Any, assert_never

from refrelax.errors import InternalError, unspecified
from refrelax.semantics.dims import value
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops.common import integral
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.several import by_integer
from refrelax.syntax.scalars import PrimExpr, SymVar

Cells = tuple[tuple[int, ...], Sequence[Payload] | Mapping[int, Payload]]
"""Extents and elements, row-major; by position where only some are there."""


class _Names(Mapping[str, int]):
    """The values of index variables and symbols; ``?k`` is evaluated when it is asked for."""

    def __init__(self, run: _Run, symbols: Mapping[str, int]) -> None:
        self.run, self.known = run, dict(symbols)

    def __getitem__(self, name: str) -> int:
        if name in self.known:
            return self.known[name]
        element, dtype = self.run.program.opaque[name]
        return integral(self.run.numerics, self.run.element(element), dtype)

    def __contains__(self, name: object) -> bool:
        return name in self.known or name in self.run.program.opaque

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


def evaluate(
    program: data.Program, numerics: Numerics, symbols: Mapping[str, int], operands: Sequence[Cells]
) -> list[Cells]:
    """The outputs of a program at concrete extents, under a reading.

    Raises:
        Ended: a requirement does not hold, an extent is negative, or an operation ends the run.
        InternalError: a premise does not hold, or a read is out of range: the text broke its promise.
    """
    return _Run(program, numerics, symbols, operands).outputs()


class _Run:
    def __init__(
        self, program: data.Program, numerics: Numerics, symbols: Mapping[str, int], operands: Sequence[Cells]
    ) -> None:
        self.program, self.numerics = program, numerics
        self.names = _Names(self, symbols)
        self.cells: dict[int, Cells] = {id(a): c for a, c in zip(program.operands, operands, strict=True)}
        self.seen: dict[int, Payload] = {}
        """What a shared operation gave at this point: terms are graphs, not trees."""

    def outputs(self) -> list[Cells]:
        for premise in self.program.premises:
            if not self.index(premise):
                raise InternalError("the operands are outside of what the text was written down for")
        for step in self.program.steps:
            self.step(step)
        return [self.cells[id(each)] for each in self.program.outputs]

    def step(self, step: data.Step) -> None:
        match step:
            case data.Requirement(condition, rule):
                if not self.index(condition):
                    raise unspecified(rule, rule)
            case data.Definition():
                dims = tuple(map(self.index, step.dims))
                if any(n < 0 for n in dims):
                    raise unspecified("ev/negative-extent", f"a result of shape {dims}")
                within = step.within
                rows = self.over(step.vars, dims, step.body) if within is None else self.rows(step, dims, *within)
                self.cells[id(step)] = dims, rows
            case _:
                assert_never(step)

    def over(
        self, names: Sequence[SymVar], dims: Sequence[int], item: data.Element, where: PrimExpr | None = None
    ) -> list[Payload]:
        found, outer = [], self.seen
        around = {v.name: self.names.known[v.name] for v in names if v.name in self.names.known}
        for at in points(*map(range, dims)) if 0 not in dims else ():
            self.names.known.update(zip((v.name for v in names), at, strict=True))
            self.seen = {}
            if where is None or self.index(where):
                found.append(self.element(item))
        self.seen = outer
        self.names.known.update(around)  # (a family inside one over the same names)
        return found

    def rows(self, step: data.Definition, dims: Sequence[int], start: PrimExpr, end: PrimExpr) -> Mapping[int, Payload]:
        """The elements that count, by position."""
        found: dict[int, Payload] = {}
        *outer, last = step.vars
        for row, at in enumerate(points(*map(range, dims[:-1]))):
            self.names.known.update(zip((v.name for v in outer), at, strict=True))
            self.seen = {}
            for j in range(self.index(start), self.index(end)):
                self.names.known[last.name], self.seen = j, {}
                found[row * dims[-1] + j] = self.element(step.body)
        self.seen = {}
        return found

    def index(self, e: PrimExpr) -> int:
        return value(e, self.names)

    def element(self, t: data.Element) -> Payload:
        match t:
            case data.Literal(dtype, number):
                return self.literal(dtype, number)
            case data.Read(array, at):
                return self.read(array, at)
            case data.Choice(condition, then, other):
                return self.element(then if self.index(condition) else other)
            case data.OpenElement(rule):
                return poison(rule)
            case data.Operation() | data.Either() | data.Fold() | data.Bound():
                if id(t) not in self.seen:
                    self.seen[id(t)] = self.computed(t)
                return self.seen[id(t)]
            case _:
                assert_never(t)

    def literal(self, dtype: str, number: Any) -> Payload:
        return self.numerics.at(dtype).lit(self.index(number) if isinstance(number, PrimExpr) else number)

    def read(self, array: data.Operand | data.Definition, at: Sequence[PrimExpr]) -> Payload:
        dims, cells = self.cells[id(array)]
        position = 0
        for e, n in zip(at, dims, strict=True):
            p = self.index(e)
            if not 0 <= p < n:
                raise InternalError(f"a text read {array.name} at {p} of {n}")
            position = position * n + p
        return cells[position]

    def bound(self, t: data.Bound) -> Payload:
        """The element of each integer, evaluated anew."""

        def value(k: int) -> Payload:
            outer, self.seen = self.seen, {}
            self.names.known[t.symbol.name] = k
            found = self.element(t.body)
            self.seen = outer
            return found

        other = None if t.other is None else self.element(t.other)
        candidates = range(self.index(t.low), self.index(t.high))
        return by_integer(self.numerics, t.dtype, self.element(t.index), candidates, value, other, t.rule)

    def computed(self, t: data.Operation | data.Either | data.Fold | data.Bound) -> Payload:
        match t:
            case data.Bound():
                return self.bound(t)
            case data.Operation(name=("negate" | "all_of" | "any_of") as name, args=args):
                return getattr(self.numerics, name)(*map(self.element, args))
            case data.Operation("cast", at, _, (a,), source):
                return self.numerics.at(at).cast(self.element(a), source)
            case data.Operation("ideal", at, _, args, of):
                return self.numerics.at(at).ideal(of, *map(self.element, args))
            case data.Operation(name, at, _, args):
                f = self.numerics.at(at)
                kind, _, function = name.rpartition(":")
                found = getattr(f, kind)(function) if kind else getattr(f, name)
                return found(*map(self.element, args))
            case data.Either(dtype, forms):
                return self.numerics.at(dtype).either(*(lambda form=form: self.element(form) for form in forms))
            case data.Fold("dot", at, _, _, (a, b), source):
                return self.numerics.at(at).dot(self.family(a), self.family(b), source)
            case data.Fold(name, at, _, op, families):
                items = [a for family in families for a in self.family(family)]
                return items[-1] if name == "last" else getattr(self.numerics.at(at), name)(op, items)
            case _:
                raise InternalError(f"{type(t).__name__} is no element")

    def family(self, f: data.Family) -> list[Payload]:
        if isinstance(f, data.Items):
            return list(map(self.element, f.items))
        return self.over(f.vars, tuple(map(self.index, f.dims)), f.item, f.where)
