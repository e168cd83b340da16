"""How entries that are loop programs correspond: by a packed call, by pointers, by the bytes of their elements.

Spec: ``spec/06c-pointwise.md``, ``va/packed``, ``va/pointers``, ``va/other-bytes``, ``va/laid-out``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from refrelax.errors import Rejection
from refrelax.judge.packed_arguments import Unlike, declared, is_packed, taken
from refrelax.judge.packed_entries import unpacked
from refrelax.judge.pointers import at_dtypes_of, has_pointers, with_buffers
from refrelax.judge.relaid import laid_out
from refrelax.semantics.graph.link import callees
from refrelax.semantics.types.check import check
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import as_int

PACKED = "is given in a packed call: compact tensors at offset 0, on device 0 of type 1"


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Two programs with one interface, and in words what was done for it."""

    first: Module
    second: Module
    words: tuple[str, ...]


def as_memory(first: Module, second: Module, entry: str, on_request: bool) -> Correspondence | None:
    """Two loop programs as ones that take buffers and scalars; ``None`` where they do, or are not seen to.

    ``on_request``: also where they do not take the same.
    """
    a, b = first.functions.get(entry), second.functions.get(entry)
    if not isinstance(a, PrimFunc) or not isinstance(b, PrimFunc):
        return None
    if not on_request and not any(is_packed(each) or has_pointers(each) for each in (a, b)):
        return None
    if any(entry in callees(each) for m in (first, second) for each in m.functions.values()):
        return None
    words: list[str] = []
    pair: tuple[PrimFunc, PrimFunc] | None = (a, b)
    if is_packed(a) or is_packed(b):
        pair = _out_of_packed_calls(a, b, on_request)
        words.append(f"what {entry} takes {PACKED}")
    if pair is not None and any(map(has_pointers, pair)):
        pair, more = _behind_pointers(*pair)
        words += more
    if pair is not None and on_request and (found := _at_other_dtypes(*pair)) is not None:
        pair = (pair[0], found[0])
        words += found[1]
    if pair is not None and on_request and (found := laid_out(*pair)) is not None:
        pair = (pair[0], found[0])
        words += found[1]
    if pair is None or not words:
        return None
    new = [replace(m, functions={**m.functions, entry: f}) for m, f in zip((first, second), pair, strict=True)]
    try:
        for each in new:
            check(each)
    except Rejection:
        return None
    return Correspondence(new[0], new[1], tuple(words))


def _out_of_packed_calls(a: PrimFunc, b: PrimFunc, on_request: bool) -> tuple[PrimFunc, PrimFunc] | None:
    """Both as they are called: with what one of them takes that is not packed, or what the first one declares. Without
    being asked to, where both check their arguments alike."""
    packed = [is_packed(each) for each in (a, b)]
    plain = a if packed[0] == packed[1] or not packed[0] else b
    given = declared(plain) if is_packed(plain) else taken(plain)
    ret = None if is_packed(plain) else plain.ret
    if given is None or (not all(packed) and not on_request):
        return None
    try:
        (one, ours), (two, theirs) = (
            unpacked(each, given, on_request, ret) if is_packed(each) else (each, ()) for each in (a, b)
        )
    except Unlike:
        return None
    return (one, two) if ours == theirs or on_request else None


def _behind_pointers(a: PrimFunc, b: PrimFunc) -> tuple[tuple[PrimFunc, PrimFunc] | None, Sequence[str]]:
    one, two = with_buffers(a), with_buffers(b)
    if one is None or two is None or len(one.params) != len(two.params):
        return None, ()
    words = []
    for old, p, q in zip(a.params, one.params, two.params, strict=True):
        if old is p:
            continue
        if not isinstance(p, BufferParam) or not isinstance(q, BufferParam):
            return None, ()
        extents = [tuple(map(as_int, each.buffer.shape)) for each in (p, q)]
        if extents[0] != extents[1]:
            return None, ()
        words.append(f"{p.buffer.name} is the memory behind a pointer: {extents[0]} of {p.buffer.dtype}")
    return (one, two), words


def _at_other_dtypes(a: PrimFunc, b: PrimFunc) -> tuple[PrimFunc, list[str]] | None:
    """The second on memory of the first one's dtypes."""
    pairs = [
        (p.buffer, q.buffer)
        for p, q in zip(a.params, b.params, strict=False)
        if isinstance(p, BufferParam) and isinstance(q, BufferParam) and p.buffer.dtype != q.buffer.dtype
    ]
    found = at_dtypes_of(a, b) if pairs else None
    if found is None:
        return None
    return found, [f"{q.name} is seen as {q.dtype}, the bytes of {p.dtype}" for p, q in pairs]


__all__ = ["Correspondence", "as_memory"]
