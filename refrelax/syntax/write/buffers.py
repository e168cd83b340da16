"""Declarations of buffers as text: ``T.Buffer(…)``, ``T.alloc_buffer(…)``, ``T.match_buffer(…)`` and their kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refrelax.syntax.loops import Buffer
from refrelax.syntax.scalars import PrimExpr, SymVar
from refrelax.syntax.write.expressions import tuple_text
from refrelax.syntax.write.scalars import Style, expression, quoted

_ALLOCATORS = {"local": "T.alloc_local", "shared": "T.alloc_shared"}


def declaration(
    buffer: Buffer,
    head: str,
    style: Style,
    before: Sequence[str] = (),
    dim: Callable[[PrimExpr], str] | None = None,
    defining: frozenset[str] = frozenset(),
) -> str:
    """``head(before…, shape, dtype, keywords…)``; the dtype is left out when it is float32, except in annotations.

    ``dim`` writes one extent of the shape (a signature puts some in quotes); ``defining``: variables that the strides
    and the offset define, which are put in quotes.
    """
    write = dim or (lambda each: expression(each, style))
    parts = [*before, tuple_text([write(each) for each in buffer.shape])]
    if buffer.dtype != "float32" or head == "T.Buffer":
        parts.append(quoted(buffer.dtype))
    scope_implied = head in _ALLOCATORS.values()
    keywords = _keywords(buffer, style, defining)
    parts += [f"{key}={value}" for key, value in keywords if not (key == "scope" and scope_implied)]
    return f"{head}({', '.join(parts)})"


def _keywords(buffer: Buffer, style: Style, defining: frozenset[str]) -> list[tuple[str, str]]:
    def text(node: PrimExpr) -> str:
        if isinstance(node, SymVar) and node.name in defining:
            return quoted(node.name)
        return expression(node, style)

    found: list[tuple[str, str]] = []
    if buffer.data is not None:
        found.append(("data", expression(buffer.data, style)))
    if buffer.strides:
        found.append(("strides", tuple_text([text(each) for each in buffer.strides])))
    floating = isinstance(buffer.elem_offset, SymVar) and buffer.elem_offset.name in defining
    floating = floating and buffer.elem_offset == SymVar(f"{buffer.name}_elem_offset", _index_dtype(buffer))
    if buffer.elem_offset is not None and not floating:
        found.append(("elem_offset", text(buffer.elem_offset)))
    if buffer.scope != "global":
        found.append(("scope", quoted(buffer.scope)))
    if buffer.align != 64:
        found.append(("align", str(buffer.align)))
    if buffer.offset_factor != 1 or floating:  # which lets the offset float under that name
        found.append(("offset_factor", str(buffer.offset_factor)))
    if buffer.buffer_type:
        found.append(("buffer_type", quoted(buffer.buffer_type)))
    if buffer.axis_separators:
        found.append(("axis_separators", f"[{', '.join(map(str, buffer.axis_separators))}]"))
    if buffer.layout is not None:
        found.append(("layout", buffer.layout))
    return found


def _index_dtype(buffer: Buffer) -> str:
    return buffer.shape[0].dtype if buffer.shape else "int32"


def allocation(buffer: Buffer, style: Style, annotations: str) -> str:
    """The right side of ``L = T.alloc_local((16,))``."""
    text = declaration(buffer, _ALLOCATORS.get(buffer.scope, "T.alloc_buffer"), style)
    return text if not annotations else f"{text[:-1]}, annotations={annotations})"


def scalar_view(buffer: Buffer, style: Style) -> str:
    """``T.decl_scalar("int32", data=…, scope=…)``: a mutable scalar in existing memory."""
    parts = [quoted(buffer.dtype), *(f"{key}={value}" for key, value in _keywords(buffer, style, frozenset()))]
    if buffer.scope == "global":
        parts.append('scope="global"')
    return f"T.decl_scalar({', '.join(parts)})"
