"""Blocks of TensorIR: axes, predicate, init, and reductions.

A block with a reduce axis, a ``T.init`` and a commutative update ``C[…] = C[…] op item`` is a *reduction* in the
sense of
the numerics interface: ``ieee`` folds in loop order, the other readings allow any order. Any other order-dependent
code means what it says.

Spec: ``spec/07-evaluation.md``, *Blocks*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from refrelax.rules import rule
from refrelax.semantics.loops.buffers import build_alloc, build_match
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Frame, Index, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.memory import build_partial, build_store
from refrelax.semantics.loops.regions import declare
from refrelax.semantics.loops.visit import expressions, statements_of
from refrelax.semantics.numbers.interface import Payload, ReduceOp
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Bind, BufferStore, IterVar, SBlock, Stmt
from refrelax.syntax.scalars import Binary, BufferLoad, BufferRef, PrimExpr, RangeArg, SymVar, walk


@rule("ev/block")
def build_block(build: Builder, block: SBlock) -> Run:
    """One instance: bind the axes, stop if the predicate is false, init at the first reduction step, then the body."""
    inner = build.child()
    axes, predicate, allocs = _opening(inner, block)
    work = _work(inner, block)
    if not axes and predicate is None and not allocs:
        return work
    return _instance(axes, predicate, allocs, work)


def _instance(axes: list[Run], guard: Run | None, allocs: list[Run], work: Run) -> Run:
    def run(frame: Frame) -> None:
        for bind in axes:
            bind(frame)
        if guard is None or guard(frame):
            for allocate in allocs:
                allocate(frame)
            work(frame)

    return run


def block_prologue(build: Builder, block: SBlock) -> Run:
    """Everything of a block before its body, for blocks built as coroutines: whether the instance runs."""
    axes, guard, allocs = _opening(build, block)
    init = None if block.init is None else _instance([], None, [], _work(build, replace(block, body=())))

    def run(frame: Frame) -> bool:
        for bind in axes:
            bind(frame)
        if guard is not None and not guard(frame):
            return False
        for allocate in allocs:
            allocate(frame)
        if init is not None:
            init(frame)
        return True

    return run


def _opening(build: Builder, block: SBlock) -> tuple[list[Run], Run | None, list[Run]]:
    """The axis bindings that cost something, the predicate unless it is constantly true, and the allocations."""
    outside = frozenset(build.buffers) if build.context.check_regions else frozenset[str]()
    axes = [run for axis in block.iters if (run := _bind_axis(build, axis)) is not None]
    if build.depth and reduces_across(block, build.threads):
        build.unwatched |= folds(block)
    predicate = None if block.predicate is None else build_index(build, block.predicate)
    places = [keep for each in block.matches if (keep := build_match(build, each)) is not None]
    allocs = [*places, *(build_alloc(build, each) for each in block.allocs)]
    if build.context.check_regions:
        declared = declare(build, block, outside)
        build.declared = () if declared is None else (*build.declared, declared)
    return axes, None if predicate is None or predicate.constant == 1 else predicate.run, allocs


def _bind_axis(build: Builder, axis: IterVar) -> Run | None:
    """Give a block axis its value. An axis bound to a plain loop variable shares its slot, at no cost."""
    value = build_index(build, axis.binding)
    if value.slot is not None:
        build.variables[axis.var.name] = value
        return None
    lo, hi = value.lo, value.hi
    slot = build.variable(axis.var.name, lo, hi)
    run = value.run

    def bind(frame: Frame) -> None:
        frame[slot] = run(frame)

    return bind


def _work(build: Builder, block: SBlock) -> Run:
    if block.init is None:
        return build.body(block.body)
    reduction = as_reduction(block) if build.context.numerics.collects else None
    if reduction is not None:
        first, update = _collecting(build, block, reduction)
    else:
        first, update = build.body(block.init), build.body(block.body)
    starts = [_at_start(build, axis) for axis in block.iters if axis.kind == "reduce"]
    return _init_then_update(starts, first, update)


@rule("ev/block-init")
def _init_then_update(starts: list[Run], first: Run, update: Run) -> Run:
    """``T.init`` runs where every reduce axis is at its least value."""
    if not starts:

        def always(frame: Frame) -> None:
            first(frame)
            update(frame)

        return always
    if len(starts) == 1:
        (start,) = starts

        def once(frame: Frame) -> None:
            if start(frame):
                first(frame)
            update(frame)

        return once

    def run(frame: Frame) -> None:
        if all(start(frame) for start in starts):
            first(frame)
        update(frame)

    return run


def _at_start(build: Builder, axis: IterVar) -> Run:
    value, least = build.variables[axis.var.name], build_index(build, axis.min)
    if value.slot is not None and least.constant is not None:
        slot, constant = value.slot, least.constant
        return lambda frame: frame[slot] == constant
    run, low = value.run, least.run
    return lambda frame: run(frame) == low(frame)


def reduces_across(block: SBlock, threads: Iterable[str]) -> bool:
    """Whether a block with ``T.init`` has a reduce axis that a variable of ``threads`` runs over."""
    names = set(threads)
    return block.init is not None and any(
        axis.kind == "reduce" and any(isinstance(each, SymVar) and each.name in names for each in walk(axis.binding))
        for axis in block.iters
    )


@rule("ev/data-race")
def folds(block: SBlock) -> frozenset[str]:
    """The buffers that a block starts and folds into: all that it does with them is at the element that ``T.init``
    stores, and every other store is made of what the element held, directly or by names that it was let to."""
    starts = {each.buffer: each.indices for each in block.init or () if isinstance(each, BufferStore)}
    body = list(statements_of(block.body))
    stores = [each for each in body if isinstance(each, BufferStore)]
    lets = {each.var.name: each.value for each in body if isinstance(each, Bind)}
    parts = (each for stmt in body for expr in expressions(stmt) for each in walk(expr))
    others = {each.buffer for each in parts if isinstance(each, BufferRef | RangeArg) or _elsewhere(each, starts)}
    others |= {each.source.buffer for stmt in body if isinstance(stmt, SBlock) for each in stmt.matches}
    others |= {each.buffer for each in stores if starts.get(each.buffer) != each.indices}
    others |= {each.buffer for each in stores if not _made_of(each.value, each.buffer, lets)}
    return frozenset(starts) - others


def folded_over(stmts: Iterable[Stmt], var: str) -> set[str]:
    """The buffers into which blocks reduce over the variable of a loop: its threads take turns over one result."""
    blocks = (each for each in statements_of(stmts) if isinstance(each, SBlock))
    return {name for each in blocks if reduces_across(each, (var,)) for name in folds(each)}


def turns(block: SBlock, threads: Iterable[str]) -> tuple[bool, ...] | None:
    """Of each store of ``T.init``, in order, whether threads take turns over what it starts; ``None``: the block does
    not reduce over threads."""
    if not reduces_across(block, threads):
        return None
    folded = folds(block)
    return tuple(each.buffer in folded for each in block.init or () if isinstance(each, BufferStore))


def _elsewhere(expr: PrimExpr, starts: Mapping[str, object]) -> TypeGuard[BufferLoad]:
    return isinstance(expr, BufferLoad) and expr.indices != starts.get(expr.buffer)


def _made_of(expr: PrimExpr, buffer: str, lets: Mapping[str, PrimExpr]) -> bool:
    """Whether a value is made of an element of a buffer."""
    if _reads(expr, buffer):
        return True
    named = {each.name for each in walk(expr) if isinstance(each, SymVar)} & lets.keys()
    rest = {name: value for name, value in lets.items() if name not in named}
    return any(_made_of(lets[name], buffer, rest) for name in named)


# --- reductions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reduction:
    """``init``: the store of the identity; ``update``: the store ``C[…] = C[…] op item``."""

    op: ReduceOp
    init: BufferStore
    update: BufferStore
    item: PrimExpr


REDUCERS: dict[str, ReduceOp] = {
    "Add": "add",
    "Mul": "mul",
    "Max": "maximum",
    "Min": "minimum",
    "And": "and",
    "Or": "or",
}


def as_reduction(block: SBlock) -> Reduction | None:
    """The reduction that a block is, if it is one."""
    match block.init, block.body:
        case ((BufferStore() as init,), (BufferStore() as update,)) if init.buffer == update.buffer:
            pass
        case _:
            return None
    if init.indices != update.indices or not any(axis.kind == "reduce" for axis in block.iters):
        return None
    match update.value:
        case Binary(op=op, a=a, b=b) if op in REDUCERS and dtypes.lanes(update.value.dtype) == 1:
            for own, item in ((a, b), (b, a)):
                if _is_own(own, update) and not _reads(item, update.buffer):
                    return Reduction(REDUCERS[op], init, update, item)
        case _:
            pass
    return None


def _is_own(expr: PrimExpr, update: BufferStore) -> bool:
    return isinstance(expr, BufferLoad) and expr.buffer == update.buffer and expr.indices == update.indices


def _reads(expr: PrimExpr, buffer: str) -> bool:
    return any(isinstance(each, BufferLoad) and each.buffer == buffer for each in walk(expr))


@rule("ev/block-reduction")
def _collecting(build: Builder, block: SBlock, reduction: Reduction) -> tuple[Run, Run]:
    """The two stores of a reduction under a reading that collects items instead of folding them."""
    bound = build.buffers[reduction.update.buffer]
    f = build.context.numerics.at(bound.dtype)
    indices: list[Index] = [build_index(build, i) for i in reduction.update.indices]
    init, item = build_element(build, reduction.init.value), build_element(build, reduction.item)
    op, span, so_far = reduction.op, reduction.update.span, build_partial(build, bound, indices, reduction.update.span)

    def begun(frame: Frame) -> Payload:
        return f.begin(op, init(frame))

    def more(frame: Frame) -> Payload:
        return f.accumulate(op, so_far(frame), item(frame))

    return build_store(build, bound, indices, begun, span), build_store(build, bound, indices, more, span)
