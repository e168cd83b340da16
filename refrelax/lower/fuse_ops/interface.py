"""What a callee's symbols stand for at a call, and what must be equal for the call to go through.

Spec: ``spec/11-fusion.md``, ``lo/fuse-shape-equal``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.lower.claims import Ledger, both, eq
from refrelax.lower.domains import Domain
from refrelax.lower.fuse_ops.graph import Member, Operand
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.types.signatures import widened
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import TensorType


@dataclass(frozen=True, slots=True)
class Interface:
    """``given``: the callee's symbols and scalars over the caller's symbols; ``equal``: pairs of dims that the entry
    check compares."""

    given: dict[str, PrimExpr]
    equal: tuple[tuple[PrimExpr, PrimExpr], ...]


def interface(func: PrimFunc, operands: tuple[Operand, ...]) -> Interface | None:
    """The interface of a call with these operands (the output last); ``None`` if ranks, dtypes or index widths
    differ, or a symbol stays without a value."""
    given: dict[str, PrimExpr] = {}
    pairs: list[tuple[PrimExpr, PrimExpr]] = []
    for param, found in zip(func.params, operands, strict=True):
        if not isinstance(param, BufferParam):
            if isinstance(found, TensorType) or found.dtype != param.var.dtype:
                return None
            given[param.var.name] = found
    for param, found in zip(func.params, operands, strict=True):
        if isinstance(param, BufferParam):
            assert isinstance(found, TensorType) and isinstance(found.shape, tuple)
            if found.dtype != param.buffer.dtype or len(found.shape) != len(param.buffer.shape):
                return None
            for own, dim in zip(param.buffer.shape, found.shape, strict=True):
                if isinstance(own, SymVar) and own.name not in given:
                    if own.dtype != dim.dtype:
                        return None
                    given[own.name] = dim
                else:
                    pairs.append((own, dim))
    if any(not free_symbols(own) <= given.keys() for own, _ in pairs):
        return None
    return Interface(given, tuple((widened(substitute(own, given)), dim) for own, dim in pairs))


@rule("lo/fuse-shape-equal")
def interface_holds(ledger: Ledger, member: Member, where: str, assume: tuple[PrimExpr, ...]) -> bool:
    """Whether the call's entry check is proved to succeed: then it may be dropped."""
    found = interface(member.func, (*member.operands, member.out))
    if found is None:
        return False
    # Literals that agree need no proof; literals that differ cannot be claimed away.
    pairs = [(a, b) for a, b in found.equal if a != b or free_symbols(a)]
    return not pairs or ledger.holds(both(*(eq(a, b) for a, b in pairs)), "lo/fuse-shape-equal", where, assume, "int64")


@rule("lo/fuse-shape-equal")
def dims_equal(
    ledger: Ledger, pairs: list[tuple[PrimExpr, PrimExpr]], where: str, assume: tuple[PrimExpr, ...]
) -> bool:
    """Whether dims that are not written alike are proved equal: asked again of a function that nobody vouches for."""
    different = [(a, b) for a, b in pairs if a != b]
    claim = both(*(eq(a, b) for a, b in different)) if different else None
    return claim is None or ledger.holds(claim, "lo/fuse-shape-equal", where, assume, "int64")


def extents(types: list[TensorType], promises: tuple[PrimExpr, ...] = ()) -> tuple[PrimExpr, ...]:
    """What is known where these types are: their extents were evaluated, so they are nonnegative and in range; of the
    promises of their function, those about symbols of theirs."""
    dims = tuple(dict.fromkeys(dim for each in types for dim in (each.shape if isinstance(each.shape, tuple) else ())))
    symbols = {name for dim in dims for name in free_symbols(dim)}
    return (*Domain((), dims).assumptions(), *(each for each in promises if free_symbols(each) <= symbols))
