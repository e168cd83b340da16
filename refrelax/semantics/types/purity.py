"""Purity: which calls may have an effect that their caller can see.

An operator says so itself, a function says so in its type; a loop-level function is pure if it stores only into
buffers that it allocates and calls no intrinsic with an effect.

Spec: ``spec/08-effects-and-storage.md``, Purity; ``spec/04-well-formedness.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.rules import rule
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    BufferStore,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    PrimFunc,
    Return,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import Intrinsic, PrimExpr, walk


def forces_purity(f: Function) -> bool:
    """Whether ``f`` carries ``relax.force_pure``, which switches the purity check off."""
    value = dict(f.attrs).get("relax.force_pure")
    return value is not None and getattr(value, "bits", value) != 0


_EFFECTS = (
    "call_extern", "call_packed", "call_cpacked", "call_llvm_intrin", "tvm_", "ptx_", "ptx.", "cuda.", "cls.", "atomic",
)  # fmt: skip
_PURE = frozenset({"call_pure_extern", "call_llvm_pure_intrin", "tvm_thread_invariant"})


def statements(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Every statement of ``body``, outer ones first."""
    pending = list(reversed(body))
    while pending:
        current = pending.pop()
        yield current
        for inner in reversed(_bodies(current)):
            pending.extend(reversed(inner))


def _bodies(s: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    match s:
        case For() | While() | LaunchThread() | AttrStmt():
            return (s.body,)
        case IfThenElse():
            return (s.then_body, s.else_body)
        case SBlock():
            return (s.init or (), s.body)
        case _:
            return ()


def expressions(s: Stmt) -> tuple[PrimExpr, ...]:
    """The expressions that a statement itself evaluates (its bodies left out)."""
    match s:
        case For():
            return (s.min, s.extent) if s.step is None else (s.min, s.extent, s.step)
        case While() | IfThenElse() | AssertStmt():
            return (s.condition,)
        case SBlock():
            own = tuple(e for it in s.iters for e in (it.min, it.extent, it.binding))
            return own if s.predicate is None else (*own, s.predicate)
        case BufferStore():
            own = (s.value, *s.indices)
            return own if s.predicate is None else (*own, s.predicate)
        case Bind() | Evaluate() | Return():
            return (s.value,)
        case AllocBuffer():
            return () if s.init is None else (s.init,)
        case LaunchThread():
            return (s.extent,)
        case AttrStmt():
            return (s.value,) if s.node is None else (s.node, s.value)
        case _:
            return ()


@rule("ty/prim-func-purity")
def prim_func_is_pure(f: PrimFunc) -> bool:
    """Whether ``f`` stores only into its own buffers and calls nothing with an effect. Stops at the first effect."""
    own = {each.name for each in f.root_allocs}
    for s in statements(f.body):
        if isinstance(s, AllocBuffer):
            own.add(s.buffer.name)
        elif isinstance(s, SBlock):
            own.update(each.name for each in s.allocs)
        elif isinstance(s, BufferStore) and s.buffer not in own:
            return False
    return not any(has_effect(e) for s in statements(f.body) for e in expressions(s))


def has_effect(e: PrimExpr) -> bool:
    """Whether ``e`` calls an intrinsic that may have an effect."""
    return any(may_act(each) for each in walk(e) if isinstance(each, Intrinsic))


def may_act(call: Intrinsic) -> bool:
    """Whether a call of an intrinsic may have an effect, whatever its arguments do."""
    return call.op not in _PURE and call.op.startswith(_EFFECTS)
