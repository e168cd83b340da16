"""A loop program with one name for its memory: what a view of the whole of a buffer names is named by the buffer.

After flattening a program reads ``A_1[i*n + j]`` of ``A_1 = T.decl_buffer((m*n,), data=A.data)``: that is the element
``A[(i*n + j) // n, (i*n + j) % n]``, in bounds exactly where ``A_1`` is. (Of a view with several axes that would not be
so: an index beyond one axis may be an element of the next row.)

Spec: ``spec/06c-pointwise.md``, ``va/lockstep``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from refrelax.judge.loop_text import parts_of, wide
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.semantics.loops.visit import with_parts
from refrelax.shape_solver.pointwise.row_major import reshaped_indices
from refrelax.shape_solver.pointwise.views import is_plain, product
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer, BufferParam, BufferStore, DeclBuffer, PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, BufferRef, Literal, PrimExpr, SymVar, as_int


@dataclass(frozen=True, slots=True)
class Whole:
    """A view of the whole of ``base``, a parameter."""

    view: Buffer
    base: Buffer


@rule("va/lockstep")
def with_one_name(a: PrimFunc, b: PrimFunc) -> tuple[PrimFunc, PrimFunc]:
    """Two programs without those of their views of whole parameters, at other shapes, that are loaded and stored alone.

    A load through a view that nobody needs may be out of bounds; as one of its base it would have no index at all
    where the base is empty. So where that happens to the first program, neither is without these views.
    """
    loads = {each.buffer for each in parts_of(a.body) if isinstance(each, BufferLoad)}
    divided = any(name in loads and _divides(each) for name, each in _views(a).items())
    return _without(a, divided), _without(b, divided)


def _divides(found: Whole) -> bool:
    """Whether an element of the base is told by a division by what may be 0."""
    if found.view.shape == found.base.shape:
        return False
    at = reshaped_indices(found.base.shape, found.view.shape, (SymVar("at", "int64"),))
    divisions = [e for each in at for e in parts_of(each) if isinstance(e, Binary) and e.op in ("FloorDiv", "FloorMod")]
    return not all(as_int(each.b) for each in divisions)


def _without(func: PrimFunc, divided: bool) -> PrimFunc:
    """A program without its views, or, if one of the first program is told by division, without the others."""
    views = {name: each for name, each in _views(func).items() if not divided or not _divides(each)}
    if not views:
        return func
    kept = [s for s in func.body if not (isinstance(s, DeclBuffer) and s.buffer.name in views)]
    return replace(func, body=_renamed(tuple(kept), views))


def _views(func: PrimFunc) -> dict[str, Whole]:
    """The views that are other names of a parameter's elements."""
    given = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam) and _in_order(p.buffer)}
    symbols = {s.name for s in func.symbols} | {
        e.name for p in func.params for e in parts_of(p) if isinstance(e, SymVar)
    }
    views: dict[str, Whole] = {}
    for stmt in func.body:
        found = _whole(stmt.buffer, given, views, symbols) if isinstance(stmt, DeclBuffer) else None
        if found is not None and _only_elements(found, func.body):
            views[found.view.name] = found
    return views


def _in_order(buffer: Buffer) -> bool:
    return buffer.data is None and is_plain(buffer) and buffer.scope in ("", "global")


def _whole(buffer: Buffer, given: Mapping[str, Buffer], views: Mapping[str, Whole], symbols: set[str]) -> Whole | None:
    """What a declared buffer is a view of, if it is all of a parameter, and its extents are seen to be defined."""
    if not isinstance(buffer.data, BufferRef) or buffer.data.part != "data" or buffer.data.args:
        return None
    name = buffer.data.buffer
    base = views[name].base if name in views else given.get(name)
    if base is None or base.dtype != buffer.dtype or not is_plain(buffer) or buffer.scope not in ("", "global"):
        return None
    if not all(_defined(d, symbols) for d in buffer.shape) or (len(buffer.shape) != 1 and buffer.shape != base.shape):
        return None
    return Whole(buffer, base) if equal(product(base.shape), product(buffer.shape), NO_FACTS) is True else None


def _defined(extent: PrimExpr, symbols: set[str]) -> bool:
    """Whether an extent is a number, a symbol of the signature, or a product of such that the size of a parameter
    bounds."""
    match extent:
        case Literal():
            return True
        case SymVar(name):
            return name in symbols
        case Binary("Mul", a, b):
            return extent.dtype == "int64" and _defined(a, symbols) and _defined(b, symbols)
        case _:
            return False


def _only_elements(whole: Whole, body: tuple[Any, ...]) -> bool:
    """Whether a view is named by loads and stores of single elements, and where views of it are declared, alone; of one
    element, at 0."""
    name, single = whole.view.name, whole.view.shape != whole.base.shape and as_int(whole.view.shape[0]) == 1
    for e in parts_of(body):
        match e:
            case BufferLoad() | BufferStore() if e.buffer == name:
                if e.predicate is not None or any(dtypes.lanes(i.dtype) != 1 for i in e.indices):
                    return False
                if single and as_int(e.indices[0]) != 0:
                    return False
                if isinstance(e, BufferStore) and dtypes.lanes(e.value.dtype) != 1:
                    return False
            case BufferRef(buffer=found, part=part, args=args) if found == name:
                if part != "data" or args:
                    return False
            case Buffer(name=found) if found == name:
                pass
            case _ if getattr(e, "buffer", None) == name:
                return False
            case _:
                pass
    return True


def _renamed(root: Any, views: Mapping[str, Whole]) -> Any:
    """A text in which every view is its base."""
    match root:
        case BufferLoad(buffer=name) | BufferStore(buffer=name) if name in views:
            new = _at_its_base(root, views[name], _renamed(root.indices, views))
            return replace(new, value=_renamed(root.value, views)) if isinstance(root, BufferStore) else new
        case BufferRef(buffer=name) if name in views:
            return replace(root, buffer=views[name].base.name)
        case _:
            return with_parts(root, lambda part: _renamed(part, views))


def _at_its_base(e: BufferLoad | BufferStore, found: Whole, indices: tuple[PrimExpr, ...]) -> BufferLoad | BufferStore:
    """A load or a store through a view as one of its base."""
    if found.view.shape != found.base.shape:
        own, shape, at = (tuple(map(wide, each)) for each in (found.base.shape, found.view.shape, indices))
        indices = reshaped_indices(own, shape, at)
    return replace(e, buffer=found.base.name, indices=indices)


__all__ = ["with_one_name"]
