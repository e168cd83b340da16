"""Inlining: a pointwise nest into the nests that read it, so that its buffer goes away.

``B[i] = f(i)`` and a load ``B[e]`` elsewhere: the load becomes ``f(e)``. Right if ``e`` is proved to lie inside of
``B`` wherever it is evaluated (a load outside would have been poison, and ``f`` may end the run there), and if it
stays in range of the index dtype. Elements are computed by the same operations on the same operands in the same
order, so every bit is the same.

Spec: ``spec/11-fusion.md``, ``lo/fuse-inline``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.lower.claims import Ledger, both, eq, within
from refrelax.lower.domains import Domain, is_plain
from refrelax.lower.fuse_loops.indices import Asker
from refrelax.lower.fuse_loops.program import Program
from refrelax.lower.nests import Nest, covers, parts, rebuilt
from refrelax.lower.pattern_kinds import read_once, unpacks
from refrelax.lower.weights import INTRINSIC, nodes, weigh
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.loops.indices import of_indices
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    int_imm,
    walk,
)

LARGEST = 600
"""The most nodes in a value that inlining makes."""

SHIFTS = frozenset({"shift_left", "shift_right"})


class Refused(Exception):
    """A load cannot be inlined."""


@rule("lo/fuse-inline")
def inline_all(p: Program, ledger: Ledger, where: str) -> bool:
    """Inline every intermediate that may be and is worth it, first ones first, until there is none (two readers may
    have become one); whether there was one."""
    changed = False
    while any([inline(p, name, ledger, where) for name in p.intermediates]):  # noqa: C419
        changed = True
    return changed


def inline(p: Program, name: str, ledger: Ledger, where: str) -> bool:
    """Inline one intermediate into all of its readers, or into none."""
    producers, readers = p.writers(name), p.readers(name)
    if not readers:
        p.drop(name)
        return True
    if len(producers) != 1 or producers[0].reduces or not covers(producers[0]):
        return False
    (producer,) = producers
    if not undisturbed(p, producer, readers) or not worth(producer, readers) or not whole(p, producer, ledger, where):
        return False
    try:
        new = [(nest, _Inliner(p, producer, nest, ledger, f"{where}: {name}").nest()) for nest in readers]
    except Refused:
        return False
    for old, rewritten in new:
        p.substitute(old, rewritten)
    p.drop(name)
    return True


@rule("lo/fuse-undisturbed")
def undisturbed(p: Program, producer: Nest, readers: list[Nest]) -> bool:
    """Whether every reader comes after the producer, and nothing from the producer to the last reader, that one
    included, stores into what the producer reads."""
    order = {id(nest): k for k, nest in enumerate(p.nests)}
    start, places = order[id(producer)], [order[id(nest)] for nest in readers]
    sources = {load.buffer for load in producer.loads()}
    return min(places) > start and not any(n.buffer in sources for n in p.nests[start : max(places) + 1])


def worth(producer: Nest, readers: list[Nest]) -> bool:
    """Whether inlining repeats no work worth mentioning.

    A reduction takes in what it reads once, a plain move of data, or what unpacks words; a pointwise nest takes in
    data movement always, and arithmetic that nobody else needs.
    """
    cost = weigh(producer.value)
    for nest in readers:
        loads = [load for load in nest.loads() if load.buffer == producer.buffer]
        if nest.reduces:
            moved = isinstance(producer.value, BufferLoad) or not any(producer.loads()) or unpacks(producer)
            if not moved and not (len(set(loads)) == 1 and all(read_once(nest, load) for load in loads)):
                return False
        if cost and cost * (len(loads) - 1) >= INTRINSIC:
            return False
        if nodes(nest.value) + len(loads) * nodes(producer.value) > LARGEST:
            return False
    return cost == 0 or len(readers) == 1


@rule("lo/fuse-covers")
def whole(p: Program, producer: Nest, ledger: Ledger, where: str) -> bool:
    """Whether a nest that ``covers`` stores every element of its buffer."""
    extents = {axis.var.name: axis.extent for axis in producer.axes}
    pairs = [
        (extents[index.name], dim)
        for index, dim in zip(producer.indices, p.buffers[producer.buffer].shape, strict=True)
        if isinstance(index, SymVar) and extents[index.name] != dim
    ]
    if not pairs:
        return True
    claim = both(*(eq(a, b) for a, b in pairs))
    given = p.domain(producer).about(claim).assumptions()
    return ledger.holds(claim, "lo/fuse-covers", f"{where}: {producer.buffer}", given, "int64")


class _Inliner:
    """Rewrites one reader of one buffer."""

    def __init__(self, p: Program, producer: Nest, reader: Nest, ledger: Ledger, where: str) -> None:
        self.p = p
        self.producer = producer
        self.reader = reader
        self.asker = Asker(ledger, f"{where} into {reader.buffer}")

    def nest(self) -> Nest:
        domain = self.p.domain(self.reader)
        if any(load.buffer == self.producer.buffer for i in self.reader.indices for load in _loads(i)):
            raise Refused
        init = None if self.reader.init is None else self.expr(self.reader.init, domain)
        return replace(self.reader, value=self.expr(self.reader.value, domain), init=init)

    def expr(self, e: PrimExpr, domain: Domain) -> PrimExpr:
        """``e`` with the loads of the buffer replaced; ``domain``: where ``e`` is evaluated."""
        match e:
            case BufferLoad():
                if any(load.buffer == self.producer.buffer for i in e.indices for load in _loads(i)):
                    raise Refused  # an element as an index: index arithmetic does not wrap, elements do
                return self.element(e, domain) if e.buffer == self.producer.buffer else e
            case Intrinsic(op="if_then_else", args=(condition, a, b)):
                chosen = self.condition(condition, domain)
                yes, no = self.expr(a, domain.when(condition)), self.expr(b, domain.when(Not(condition)))
                return replace(e, args=(chosen, yes, no))
            case Select(condition=condition, true_value=a, false_value=b):
                return rebuilt(e, (self.condition(condition, domain), self.expr(a, domain), self.expr(b, domain)))
            case _:
                return rebuilt(e, tuple(self.expr(part, domain) for part in parts(e)))

    def condition(self, e: PrimExpr, domain: Domain) -> PrimExpr:
        """A condition: one that read memory may become one of indices."""
        new = self.expr(e, domain)
        if of_indices(new) and not of_indices(e):
            self.elements_fit(new, domain)
            return self.asker.condition(new, domain)
        return new

    def element(self, load: BufferLoad, domain: Domain) -> PrimExpr:
        """What the producer stores at the load's index."""
        self.in_bounds(load, domain)
        by: dict[str, PrimExpr] = {}
        for own, index in zip(self.producer.indices, load.indices, strict=True):
            assert isinstance(own, SymVar)
            if own.dtype != index.dtype:
                raise Refused
            by[own.name] = index
        value = substitute(self.producer.value, by)
        return self.asker.shorter(value, domain)

    @rule("lo/fuse-in-bounds")
    def in_bounds(self, load: BufferLoad, domain: Domain) -> None:
        """The load stays inside of the buffer, or what the producer computes ends no run outside of it either."""
        extents = {axis.var.name: axis.extent for axis in self.reader.axes}
        bounds = []
        for index, dim in zip(load.indices, self.p.buffers[load.buffer].shape, strict=True):
            if not (isinstance(index, SymVar) and extents.get(index.name) == dim):
                bounds.append(within(index, int_imm(0, index.dtype), _as(dim, index.dtype)))
        if not bounds:
            return
        claim, at = both(*bounds), load.indices
        if ends_no_run(self.producer.value) and of_indices(claim) and not self.asker.known(claim, domain, at):
            return
        if not self.asker.holds(claim, "lo/fuse-in-bounds", domain, at):
            raise Refused

    @rule("lo/fuse-elements-fit")
    def elements_fit(self, e: PrimExpr, domain: Domain) -> None:
        """What was computed as an element is a condition of indices now: it wrapped, or was poison, and would be open.
        So it must not need to: each step fits in the dtype that it has."""
        steps: dict[str, list[PrimExpr]] = {}
        for node in walk(e):
            if isinstance(node, Intrinsic) and node.op in SHIFTS:
                raise Refused
            if _may_wrap(node):
                steps.setdefault(node.dtype, []).append(eq(node, node))
        for dtype, claims in steps.items():
            if not self.asker.holds(both(*claims), "lo/fuse-elements-fit", domain, (), dtype):
                raise Refused


def ends_no_run(e: PrimExpr) -> bool:
    """Whether a value is found at any index: floats loaded at variables and numbers, and what is computed of them."""
    if dtypes.kind(e.dtype) != "float":
        return False
    match e:
        case BufferLoad(indices=indices):
            return all(map(is_plain, indices))
        case Literal():
            return True
        case Cast() | Binary(op="Add" | "Sub" | "Mul" | "Div" | "Min" | "Max"):
            return all(map(ends_no_run, parts(e)))
        case _:
            return False


def _may_wrap(e: PrimExpr) -> bool:
    """Whether a number may leave the range of its dtype that its operands are in."""
    if not isinstance(e, Binary) or not dtypes.is_integer(e.dtype):
        return False
    return e.op in ("Add", "Sub", "Mul") or (e.op in ("FloorDiv", "Div") and as_int(e.b) is None)


def _loads(e: PrimExpr) -> list[BufferLoad]:
    return [node for node in walk(e) if isinstance(node, BufferLoad)]


def _as(dim: PrimExpr, dtype: str) -> PrimExpr:
    """A dim as an integer of the index's dtype, where it is a number."""
    value = as_int(dim)
    return dim if value is None or dim.dtype == dtype else int_imm(value, dtype)
