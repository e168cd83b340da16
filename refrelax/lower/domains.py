"""Where an index expression of a nest is evaluated: the ranges of its axes, the symbols, the conditions passed.

Spec: ``spec/11-fusion.md``, ``lo/fuse-in-bounds``, ``lo/fuse-index-equal``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from refrelax.lower.nests import Axis, Nest, parts, rebuilt
from refrelax.semantics.dims import Facts, shape_facts, simplify, substitute
from refrelax.semantics.loops.indices import of_indices
from refrelax.shape_solver import Proved
from refrelax.shape_solver.prover import Prover, prove
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, as_int, free_symbols, int_imm, walk

GREATEST = int_imm((1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class Domain:
    """``axes``: each over ``[0, extent)``; ``dims``: extents of the buffers, evaluated before, so in range and
    nonnegative; ``conditions``: what was found true on the way to the expression."""

    axes: tuple[Axis, ...]
    dims: tuple[PrimExpr, ...] = ()
    conditions: tuple[PrimExpr, ...] = ()

    def when(self, condition: PrimExpr) -> Domain:
        """The same domain where ``condition`` holds; one that is decided on elements, which wrap, says nothing."""
        return replace(self, conditions=(*self.conditions, condition)) if of_indices(condition) else self

    def about(self, *expressions: PrimExpr) -> Domain:
        """The part of the domain that bears on these expressions: axes, extents and conditions that share a symbol
        with them, directly or through one another."""
        wanted = {name for e in expressions for name in free_symbols(e)}
        while True:
            near = [a for a in self.axes if a.var.name in wanted]
            told = [c for c in self.conditions if free_symbols(c) & wanted]
            more = {n for a in near for n in free_symbols(a.extent)} | {n for c in told for n in free_symbols(c)}
            if more <= wanted:
                break
            wanted |= more
        dims = tuple(d for d in self.dims if free_symbols(d) & wanted)
        return Domain(tuple(near), dims, tuple(told))

    def assumptions(self) -> tuple[PrimExpr, ...]:
        """All of it as statements."""
        found: list[PrimExpr] = []
        for dim in dict.fromkeys(self.dims):
            if as_int(dim) is None and dim.dtype == "int64":
                found.append(Binary("GE", dim, int_imm(0)))
                if not isinstance(dim, SymVar):
                    found.append(Binary("LE", dim, GREATEST))
        for axis in self.axes:
            found.append(Binary("GE", axis.var, int_imm(0, axis.var.dtype)))
            found.append(Binary("LT", axis.var, axis.extent))
        return (*found, *self.conditions)

    def facts(self) -> Facts:
        """The part that ``simplify`` understands: constant bounds."""
        facts = shape_facts(d.name for d in self.dims if isinstance(d, SymVar))
        for axis in self.axes:
            extent = as_int(axis.extent)
            facts = facts.with_bounds(axis.var.name, 0, None if extent is None else extent - 1)
        return facts


def is_plain(index: PrimExpr) -> bool:
    """A variable or a number."""
    return isinstance(index, SymVar) or as_int(index) is not None


def shortest(index: PrimExpr, domain: Domain) -> PrimExpr:
    """A shorter index that should be equal on the domain: a proposal, to be claimed before it is used."""
    if is_plain(index) or any(isinstance(node, BufferLoad) for node in walk(index)):
        return index
    points: dict[str, PrimExpr] = {a.var.name: int_imm(0, a.var.dtype) for a in domain.axes if as_int(a.extent) == 1}
    prover, facts = Prover(domain.assumptions(), "quick", arithmetic="no-overflow"), domain.facts()
    index = substitute(index, points)
    for _ in range(4):
        shorter = simplify(_divisions(index, prover), facts)
        if shorter == index:
            break
        index = shorter
    return index


def _divisions(e: PrimExpr, prover: Prover) -> PrimExpr:
    """``(q * b + r) // b`` as ``q`` and ``(q * b + r) % b`` as ``r`` where ``0 <= r < b``, innermost first."""
    e = rebuilt(e, tuple(_divisions(part, prover) for part in parts(e)))
    match e:
        case Binary(op="FloorMod" | "FloorDiv", a=a, b=b):
            quotient, rest = _divided(terms(a), factors(b))
            q, r = spelled(quotient, e.dtype), spelled(rest, e.dtype)
            inside = Binary("And", Binary("GE", r, int_imm(0, e.dtype)), Binary("LT", r, b))
            if isinstance(prover.prove(inside), Proved):
                return r if e.op == "FloorMod" else q
        case _:
            pass
    return e


Term = tuple[int, tuple[PrimExpr, ...]]
"""A coefficient and the factors of a product."""


def factors(e: PrimExpr) -> Term | None:
    """``e`` as one product; ``None`` for a sum."""
    found = terms(e)
    return found[0] if len(found) == 1 else None


def terms(e: PrimExpr) -> list[Term]:
    """``e`` as a sum of products, multiplied out."""
    match e:
        case Binary(op="Add", a=a, b=b):
            return terms(a) + terms(b)
        case Binary(op="Sub", a=a, b=b):
            return terms(a) + [(-k, fs) for k, fs in terms(b)]
        case Binary(op="Mul", a=a, b=b):
            return [(j * k, (*fs, *gs)) for j, fs in terms(a) for k, gs in terms(b)]
        case _:
            value = as_int(e)
            return [(1, (e,))] if value is None else [(value, ())] if value else []


def _divided(whole: list[Term], divisor: Term | None) -> tuple[list[Term], list[Term]]:
    """The multiples of the divisor, divided by it, and the other terms."""
    if divisor is None or divisor[0] == 0:
        return [], whole
    quotient: list[Term] = []
    rest: list[Term] = []
    for k, fs in whole:
        left = list(fs)
        for f in divisor[1]:
            if f in left:
                left.remove(f)
        exact = len(left) == len(fs) - len(divisor[1]) and k % divisor[0] == 0
        (quotient if exact else rest).append((k // divisor[0], tuple(left)) if exact else (k, fs))
    return quotient, rest


def spelled(sum_: list[Term], dtype: str) -> PrimExpr:
    """A sum of products as an expression."""
    result: PrimExpr | None = None
    for k, fs in sum_:
        product: PrimExpr | None = None
        for f in (*fs, *(() if abs(k) == 1 and fs else (int_imm(abs(k), dtype),))):
            product = f if product is None else Binary("Mul", product, f)
        assert product is not None
        if result is None and k < 0:
            result = int_imm(0, dtype)
        result = product if result is None else Binary("Add" if k >= 0 else "Sub", result, product)
    return int_imm(0, dtype) if result is None else result


def dims_of(buffers: Iterable[tuple[PrimExpr, ...]]) -> tuple[PrimExpr, ...]:
    """The extents of some shapes, each once."""
    return tuple(dict.fromkeys(dim for shape in buffers for dim in shape))


def flat(indices: tuple[PrimExpr, ...], shape: tuple[PrimExpr, ...]) -> PrimExpr:
    """The row-major position of an index."""
    at: PrimExpr = int_imm(0)
    for index, dim in zip(indices, shape, strict=True):
        at = Binary("Add", Binary("Mul", at, dim), index)
    return at


def same_place(nest: Nest, source: tuple[PrimExpr, ...], target: tuple[PrimExpr, ...]) -> bool:
    """Whether a nest that copies one element reads it at the row-major position where it writes it."""
    if not isinstance(nest.value, BufferLoad):
        return False
    domain = Domain(nest.axes, dims_of((source, target)))
    claim = Binary("EQ", flat(nest.value.indices, source), flat(nest.indices, target))
    return isinstance(prove(claim, domain.assumptions(), "quick", arithmetic="no-overflow"), Proved)
