"""The nests of folds: sums and products, positions of extremes, prefixes, the last of many.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from math import prod
from typing import Any

from refrelax.lower.legalize import scalars as S
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.operations import combination, converted, operation
from refrelax.lower.legalize.prepare import below, nothing, symbols
from refrelax.lower.legalize.scalars import Scalar
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.dims import NO_FACTS, value
from refrelax.semantics.dims.simplify import simplify
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.indices import both
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, int_imm

Env = Mapping[str, Scalar]
"""Index variables of the text to what they are in the kernel."""

MOST_LENGTHS = 4096
"""Indices that are looked at for the greatest length of a fold."""


class Folds(ABC):
    """What writes a fold of a text into a kernel; how an element is written is said by who derives from it."""

    s: Site
    below: dict[str, PrimExpr]
    """What each variable of the text is less than."""
    opaque: Mapping[str, tuple[data.Element, str]]
    """What the symbols are that stand for elements."""

    @abstractmethod
    def element(self, t: data.Element, env: Env) -> Scalar:
        """An element of the text in the kernel."""

    @abstractmethod
    def index(self, e: PrimExpr, env: Env) -> Scalar:
        """An index of the text in the kernel."""

    @abstractmethod
    def needed(self, condition: PrimExpr) -> list[PrimExpr]:
        """The parts of a guard that the kernel has to ask."""

    def fold(self, out: Array, axes: Sequence[SymVar], fixed: Env, t: data.Fold) -> None:
        *first, family = t.families if t.name != "dot" else t.families[:1]
        listed = [e for f in first for e in (f.items if isinstance(f, data.Items) else (None,))]
        if isinstance(family, data.Items) or None in listed:
            raise Unfit("a list of elements that is folded")
        own, other = {v.name for v in axes}, t.families[-1]
        if any(v.name in own or v.name in self.opaque for d in family.dims for v in symbols(d)):
            if not listed and self.ending(axes, family) is not None:
                return self.prefix(out, axes, fixed, t, family)
            family = self.longest(family)
            other = self.longest(other) if isinstance(other, data.Each) else other
        lengths = [self.index(d, fixed) for d in family.dims]

        def env(i: Sequence[Scalar], f: data.Each) -> Env:
            return bound(fixed, (*axes, *f.vars), i)

        if t.name == "argreduce":
            return self.position(out, lengths, t, family, lambda i: env(i, family))
        guards = [] if family.where is None else self.needed(family.where)
        if listed or t.name == "last":
            before = [e for e in listed if e is not None]
            return self.collected(out, axes, fixed, t, before, replace(family, where=conjunction(guards)), lengths)
        connect, start = combination(t.op, t.at)

        def item(*i: Scalar) -> Scalar:
            found = self.element(family.item, env(i, family))
            if t.name == "dot":
                assert isinstance(other, data.Each)
                found = converted(t.at, found) * converted(t.at, self.element(other.item, env(i, other)))
            if not guards:
                return found
            return S.if_then_else(S.all_of([self.index(each, env(i, family)) for each in guards]), found, start)

        self.s.k.reduce(out, lengths, connect, start, item)
        return None

    def collected(
        self,
        out: Array,
        axes: Sequence[SymVar],
        fixed: Env,
        t: data.Fold,
        before: Sequence[data.Element],
        family: data.Each,
        lengths: Sequence[Scalar],
    ) -> None:
        """A fold that begins with elements, or the last of all: where a guard fails, a step leaves the result alone."""
        connect = start = None
        if t.name != "last":
            connect, start = combination(t.op, t.at)

        def joined(own: Scalar, new: Scalar) -> Scalar:
            return new if connect is None else Scalar(Binary(connect, own.node, new.node))

        def begin(*i: Scalar) -> Scalar:
            found = [self.element(e, bound(fixed, axes, i)) for e in before]
            if start is not None and (not found or connect in ("Add", "Mul")):
                found.insert(0, start)
            return reduce(joined, found or [self.element(nothing(t.dtype), {})])

        def step(own: Scalar, *i: Scalar) -> Scalar:
            env = bound(fixed, (*axes, *family.vars), i)
            new = joined(own, self.element(family.item, env))
            return new if family.where is None else S.if_then_else(self.index(family.where, env), new, own)

        self.s.k.fold(out, lengths, begin, step)

    def position(self, out: Array, lengths: Sequence[Scalar], t: data.Fold, family: data.Each, env: Any) -> None:
        """The first position of the extreme; the first NaN is the extreme. The extreme itself has a cell of its own: a
        position that is poison must not become an index."""
        if family.where is not None:
            raise Unfit("a position among some elements")
        dtype, k = "uint8" if t.at == "bool" else t.at, self.s.k
        extreme = k.alloc("extreme", out.dims, dtype)

        def at(i: Sequence[Scalar]) -> Scalar:
            digits = [i[-1]] if lengths else []
            for n in reversed(lengths[1:]):
                digits[:1] = [digits[0] // n, digits[0] % n]
            return S.cast(dtype, self.element(family.item, env((*i[:-1], *digits))))

        def nan(value: Scalar) -> Scalar:
            return operation("isnan", dtype, value)

        def greater(old: Scalar, *i: Scalar) -> Scalar:
            new = at(i)
            better = new > old if t.op == "maximum" else new < old
            if dtypes.is_float(dtype):
                better = better | (nan(new) & ~nan(old))
            return S.select(better, new, old)

        def first(found: Scalar, *i: Scalar) -> Scalar:
            new, best = at(i), extreme[i[:-1]]
            here = new.equals(best)
            if dtypes.is_float(dtype):
                here = here | (nan(new) & nan(best))
            return S.select(here & (found < 0), i[-1], found)

        count = S.product(lengths)
        k.fold(extreme, [count], S.least(dtype) if t.op == "maximum" else S.greatest(dtype), greater)
        k.fold(out, [count], S.index(-1), first)

    def longest(self, family: data.Each) -> data.Each:
        """A family of as many elements at each index as at the index that has most, the others guarded. One that begins
        where the axis that it reads does not runs over all of the axis."""
        dims, where, item = list(family.dims), family.where, family.item
        for k, (v, n) in enumerate(zip(family.vars, family.dims, strict=True)):
            if not symbols(n):
                continue
            greatest, start = self.greatest(n), None
            if greatest is None:
                greatest, start = axis_of(item, v)
            self.below[v.name] = dims[k] = greatest
            inside: PrimExpr = Binary("LT", v, n)
            if start is not None:
                if where is not None and v in symbols(where):
                    raise Unfit("a guard beside a start")
                item = from_start(item, v, start)
                inside = both(Binary("LE", start, v), Binary("LT", v, simplify(Binary("Add", start, n), NO_FACTS)))
            where = inside if where is None else both(inside, where)
        return replace(family, dims=tuple(dims), where=where, item=item)

    def greatest(self, n: PrimExpr) -> PrimExpr | None:
        """The greatest value of a length, if its variables have known ranges."""
        names = list(dict.fromkeys(symbols(n)))
        ranges = [as_int(self.below[each.name]) if each.name in self.below else None for each in names]
        sizes = [each for each in ranges if each is not None]
        if len(sizes) < len(names) or prod(sizes) > MOST_LENGTHS:
            return None
        points = product(*map(range, sizes))
        found = (value(n, dict(zip((each.name for each in names), at, strict=True))) for at in points)
        return int_imm(max(0, max(found, default=0)))

    @staticmethod
    def ending(axes: Sequence[SymVar], family: data.Each) -> int | None:
        """The axis up to whose position a family runs, if it is a prefix."""
        if len(family.dims) != 1:
            return None
        length = family.dims[0]
        return next((k for k, v in enumerate(axes) if length in (v, Binary("Add", v, int_imm(1)))), None)

    def prefix(self, out: Array, axes: Sequence[SymVar], fixed: Env, t: data.Fold, family: data.Each) -> None:
        """``out[i] = fold(x[0 .. i])``, or without the last: each from the one before it, in increasing order."""
        axis = self.ending(axes, family)
        if axis is None or t.name != "reduce" or family.where is not None:
            raise Unfit("a fold of a prefix that is no sum")
        length, (inner,) = family.dims[0], family.vars
        inside = (v for part, _ in below(family.item) for e in data.index_parts(part) for v in symbols(e))
        if axes[axis] in inside:
            raise Unfit("elements that depend on where the prefix ends")
        closed = length != axes[axis]
        connect, start = combination(t.op, t.at)

        def element(*i: Scalar) -> Scalar:
            env = bound(fixed, axes, i)
            before = out[[p - 1 if k == axis else p for k, p in enumerate(i)]]
            item = self.element(family.item, {**env, inner.name: i[axis] if closed else i[axis] - 1})
            if closed:
                first = S.function("if_then_else", i[axis] > 0, before, start, dtype=start.dtype)
                return Scalar(Binary(connect, first.node, item.node))
            both = Scalar(Binary(connect, before.node, item.node))
            return S.function("if_then_else", i[axis] > 0, both, start, dtype=start.dtype)

        self.s.k.scan(out, axis, element)


def axis_of(item: data.Element, v: SymVar) -> tuple[PrimExpr, PrimExpr | None]:
    """The extent of an axis at whose position ``v`` an element is read, whatever its index, so that ``v`` is below it;
    or at whose position ``v + start``, and that start.

    Raises:
        Unfit: there is none.
    """
    pending: list[data.Element] = [item]
    while pending:
        match pending.pop():
            case data.Read(array=array, at=at):
                for p, n in zip(at, array.dims, strict=True):
                    if p == v:
                        return n, None
                    if isinstance(p, Binary) and p.op == "Add" and p.a == v and v not in symbols(p.b):
                        return n, p.b
            case data.Operation(args=args):
                pending += args
            case _:
                pass
    raise Unfit("a fold whose greatest length is not known")


def from_start(item: data.Element, v: SymVar, start: PrimExpr) -> data.Element:
    """An element with ``v`` where it had ``v + start``.

    Raises:
        Unfit: it has ``v`` elsewhere too.
    """
    match item:
        case data.Read(at=at):
            new = tuple(v if p == Binary("Add", v, start) else p for p in at)
            if any(v in symbols(p) for p, q in zip(at, new, strict=True) if p is q):
                raise Unfit("a position that is counted from two places")
            return replace(item, at=new)
        case data.Operation(args=args):
            return replace(item, args=tuple(from_start(each, v, start) for each in args))
        case data.Literal(value=value) if not isinstance(value, PrimExpr):
            return item
        case _:
            raise Unfit("a position in an element that is no plain operation")


def bound(fixed: Env, names: Sequence[SymVar], i: Sequence[Scalar]) -> Env:
    return {**fixed, **dict(zip((v.name for v in names), i, strict=True))}


def conjunction(parts: Sequence[PrimExpr]) -> PrimExpr | None:
    return reduce(both, parts) if parts else None
