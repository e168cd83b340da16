"""Views inside a loop program: a declared buffer over another one's memory, at another shape or another dtype.

After flattening a program names its memory twice, ``x`` and ``x_1 = T.decl_buffer((n * m,), data=x.data)``. The view
takes the memory over: its contents are the elements of ``x`` in row-major order, and nobody uses ``x`` itself any more;
at the end its contents are those of the view, at its own shape. A view at the shape of ``x`` is another name for it.

Spec: ``spec/06c-pointwise.md``, ``sh/whole-view``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from refrelax.rules import rule
from refrelax.shape_solver.pointwise.elements import NotRead, reinterpreted
from refrelax.shape_solver.pointwise.logic import Logic
from refrelax.shape_solver.pointwise.one_object import one_object
from refrelax.shape_solver.pointwise.row_major import reshaped_indices
from refrelax.shape_solver.pointwise.state import Memory
from refrelax.shape_solver.pointwise.terms import OPEN, TensorTerm, Terms
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer
from refrelax.syntax.scalars import Binary, BufferRef, PrimExpr, as_int, int_imm


@dataclass(slots=True)
class Views:
    """The views of one program. ``taken``: whose memory was taken over, by which view; ``names``: of what memory a view
    is another name."""

    terms: Terms
    logic: Logic
    taken: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def same(self, buffer: Buffer, shape: tuple[PrimExpr, ...], memory: Mapping[str, Memory]) -> str | None:
        """The buffer of which a view is another name: of the same shape and dtype."""
        match buffer.data:
            case BufferRef(name, "data", ()) if name in memory and name not in self.taken and is_plain(buffer):
                own = memory[name]
                equal = len(own.shape) == len(shape) and all(map(self.logic.equal, own.shape, shape))
                return name if equal and own.dtype == buffer.dtype else None
            case _:
                return None

    @rule("sh/whole-view")
    def over(self, buffer: Buffer, shape: tuple[PrimExpr, ...], contents: Mapping[str, TensorTerm]) -> TensorTerm:
        """The contents of a view, which takes the memory of the buffer that it names over.

        Raises:
            NotRead: it is no view of the whole of a buffer, whose elements are the same bytes, or the buffer has a view
                already.
        """
        base = buffer.data
        if not isinstance(base, BufferRef) or base.part != "data" or base.args or base.buffer not in contents:
            raise NotRead(f"the buffer {buffer.name} is a view of what is no buffer of this function")
        if base.buffer in self.taken:
            raise NotRead(f"the buffer {base.buffer} has two views")
        content = contents[base.buffer]
        whole = dtypes.same_bytes(content.dtype, buffer.dtype) and dtypes.is_integer(buffer.dtype)  # (of a NaN, one)
        if content.dtype != buffer.dtype and not whole:
            raise NotRead(f"the buffer {buffer.name} is a view at another dtype")
        if not is_plain(buffer):
            raise NotRead(f"the buffer {buffer.name} is a view with strides or an offset")
        self.taken[base.buffer] = buffer.name
        return at_dtype(self.terms, reshaped(self.terms, self.logic, content, shape), buffer.dtype)

    def holder(self, name: str) -> str:
        """The name under which the memory of a buffer is held now."""
        while name in self.taken:
            name = self.taken[name]
        return name

    def content(
        self, name: str, shape: tuple[PrimExpr, ...], dtype: str, contents: Mapping[str, TensorTerm]
    ) -> TensorTerm:
        """What is in a buffer at the end, at its own shape and dtype."""
        if name not in self.taken:
            return contents[name]
        return at_dtype(self.terms, reshaped(self.terms, self.logic, contents[self.holder(name)], shape), dtype)


def is_plain(buffer: Buffer) -> bool:
    """Whether a buffer begins where its memory does, its elements one behind the other."""
    offset = 0 if buffer.elem_offset is None else as_int(buffer.elem_offset)
    return not buffer.strides and offset == 0


def reshaped(terms: Terms, logic: Logic, x: TensorTerm, shape: tuple[PrimExpr, ...]) -> TensorTerm:
    """The same elements in row-major order.

    Raises:
        NotRead: the numbers of elements are not seen to be equal.
    """
    if not logic.equal(product(x.shape), product(shape), (), "number of elements"):
        raise NotRead("a reshape whose sizes may differ")
    at = tuple(terms.fresh("o") for _ in shape)
    body = OPEN if x.body is OPEN else terms.load(x, reshaped_indices(x.shape, shape, at))
    return one_object(terms, logic, TensorTerm(x.name, shape, x.dtype, at, body))


def at_dtype(terms: Terms, x: TensorTerm, dtype: str) -> TensorTerm:
    """The same bytes as elements of another dtype."""
    if x.dtype == dtype or x.body is OPEN:
        return replace(x, dtype=dtype)
    assert x.body is not None
    return replace(x, dtype=dtype, body=reinterpreted(terms, x.body, x.dtype, dtype))


def product(dims: tuple[PrimExpr, ...]) -> PrimExpr:
    """The number of elements."""
    whole: PrimExpr = int_imm(1)
    for d in dims:
        whole = Binary("Mul", whole, d)
    return whole
