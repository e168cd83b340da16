"""A view of the whole of a buffer, at its shape and dtype, is another name for it: a program without these names.

Spec: ``spec/06c-pointwise.md``, ``sh/whole-view``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.loops.visit import statements_of, with_parts
from refrelax.shape_solver.pointwise.views import is_plain
from refrelax.syntax.loops import AllocBuffer, Buffer, BufferParam, DeclBuffer, Evaluate, PrimFunc, SBlock
from refrelax.syntax.scalars import BufferRef, int_imm


@rule("sh/whole-view")
def with_one_name(func: PrimFunc) -> PrimFunc:
    """A program in which a view, wherever it is declared, has the name of the buffer that it is the whole of."""
    stmts = list(statements_of(func.body))
    made = [p.buffer for p in func.params if isinstance(p, BufferParam)]
    made += [*func.root_allocs, *(b for s in stmts if isinstance(s, SBlock) for b in s.allocs)]
    made += [s.buffer for s in stmts if isinstance(s, AllocBuffer | DeclBuffer)]
    counts = Counter(each.name for each in made)
    known = {each.name: each for each in made if counts[each.name] == 1}
    names: dict[str, str] = {}
    for stmt in stmts:  # (a view of a view is declared after it)
        if isinstance(stmt, DeclBuffer) and (base := _same(stmt.buffer, known)) is not None:
            names[stmt.buffer.name] = names.get(base, base)
    if not names or any(s.matches for s in stmts if isinstance(s, SBlock)):
        return func
    return replace(func, body=renamed(func.body, names, frozenset(names)))


def _same(view: Buffer, known: Mapping[str, Buffer]) -> str | None:
    """The buffer that a view is the whole of, under names that are declared once."""
    match view.data:
        case BufferRef(name, "data", ()) if name in known and view.name in known:
            base = known[name]
            alike = (base.shape, base.dtype, base.scope) == (view.shape, view.dtype, view.scope)
            whole = is_plain(view) and is_plain(base) and (base.data is None or base.elem_offset is None)
            return name if alike and whole and name != view.name else None
        case _:
            return None


def renamed(root: Any, names: Mapping[str, str], views: frozenset[str] = frozenset()) -> Any:
    """A text with other names of memory, without the declarations of ``views``."""
    if isinstance(root, DeclBuffer) and root.buffer.name in views:
        return Evaluate(int_imm(0, "int32"))
    new = with_parts(root, lambda part: renamed(part, names, views))
    own = getattr(new, "buffer", None)
    return replace(new, buffer=names[own]) if isinstance(own, str) and own in names else new


__all__ = ["renamed", "with_one_name"]
