"""Elements that lie side by side, moved 16 bytes at a time.

A thread takes ``V`` elements in a row of a contiguous axis. ``loaded`` and ``stored`` of the prelude move them at once
where all of them exist and the address is a multiple of their size, which they test; so nothing here is assumed of
extents or pointers. What must be seen from the text is that the elements lie side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from refrelax.backends.cupy_ import statements
from refrelax.backends.cupy_.expressions import Text
from refrelax.backends.cupy_.groups import Indices
from refrelax.backends.cupy_.names import c_name, c_type, letters
from refrelax.backends.cupy_.statements import Lines
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.syntax.loops import Buffer, For
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, walk

BYTES = 16

Key = tuple[str, Indices]


def contiguous(buffer: Buffer, at: Indices, loops: Sequence[For]) -> bool:
    """Whether the element at these indices moves on by one when the innermost of ``loops`` does, and so on over all of
    their iterations."""
    if not loops or buffer.scalar or len(at) != len(buffer.shape) or len(at) < len(loops):
        return False
    names = {loop.var.name for loop in loops}
    for k, loop in enumerate(reversed(loops), 1):
        index, outermost = at[-k], k == len(loops)
        if _last_term(index) != loop.var or (_mentions(index, names - {loop.var.name})):
            return False
        if index != loop.var and (not outermost or sum(n == loop.var for n in walk(index)) > 1):
            return False
        if not outermost and equal(buffer.shape[-k], loop.extent, NO_FACTS) is not True:
            return False
    if len(loops) == 1 and at[-1] == loops[0].var:
        return not any(_mentions(i, names) for i in at[:-1])
    return not any(_mentions(i, names) for i in at[: len(at) - len(loops)])


def _last_term(index: PrimExpr) -> PrimExpr:
    """The variable that an index adds at its end."""
    return index.b if isinstance(index, Binary) and index.op == "Add" else index


def _mentions(e: PrimExpr, names: set[str]) -> bool:
    return any(isinstance(n, SymVar) and n.name in names for n in walk(e))


def width(dtypes: Iterable[str]) -> int:
    """How many elements of the widest of these dtypes are 16 bytes."""
    sizes = [int(numpy_dtype(dtype).itemsize) for dtype in dtypes]
    return BYTES // max(sizes) if sizes else 1


@dataclass(slots=True)
class Chunk:
    """``count`` elements from ``step`` on in the loops ``loops``, one after the other in ``part``. Writes what is moved
    at once around the text for one element."""

    loops: tuple[For, ...]
    width: int
    step: str
    many: str
    loads: tuple[BufferLoad, ...]
    stores: tuple[Key, ...]

    def before(self, out: Lines, text: Text) -> None:
        """Loads of all elements, and room for those to be stored."""
        out.line(f"const i32 many = {self.many};")
        for k, load in enumerate(self.loads):
            out.line(f"vec<{c_type(load.dtype)}, {self.width}> load{letters(k)};")
        for k, (name, _) in enumerate(self.stores):
            out.line(f"vec<{c_type(text.buffers[name].dtype)}, {self.width}> store{letters(k)};")
            out.line(f"i64 place{letters(k)};")
        out.open("")
        out.line(f"idx rest = {self.step};")
        inner = statements.unflatten(out, text, self.loops, "rest")
        for k, load in enumerate(self.loads):
            inner.used.buffers[load.buffer] = inner.buffers[load.buffer]
            inner.touch(inner.buffers[load.buffer], load.indices, written=False)
            buffer, kind = inner.buffers[load.buffer], c_type(load.dtype)
            found = f"loaded<{kind}, {self.width}>({c_name(load.buffer)}, {inner.offset(buffer, load.indices)}, many)"
            if some := inner.some(buffer, load.indices):
                found = f"{some} ? {found} : vec<{kind}, {self.width}>()"
            out.line(f"load{letters(k)} = {found};")
        for k, (name, at) in enumerate(self.stores):
            target, _ = statements.place(inner, inner.buffers[name], at)
            out.line(f"place{letters(k)} = {target};")
        out.close()

    def element(self, out: Lines, text: Text) -> Text:
        """Opens the loop over the elements; gives the scope of one."""
        out.line("UNROLL")
        out.open(f"for (i32 part = 0; part < {self.width}; ++part)")
        out.open("if (part < many)")
        out.line(f"idx rest = {self.step} + part;")
        inner = statements.unflatten(out, text, self.loops, "rest")
        for k, load in enumerate(self.loads):
            inner.kept[load.buffer, load.indices] = f"load{letters(k)}.at[part]"
        return inner

    def store(self, out: Lines, text: Text, key: Key, value: str) -> bool:
        """An element to be stored, if it is among those that are stored at once."""
        if key not in self.stores:
            return False
        text.used.buffers[key[0]] = text.buffers[key[0]]
        text.used.written.add(key[0])
        text.touch(text.buffers[key[0]], key[1], written=True)
        out.line(f"store{letters(self.stores.index(key))}.at[part] = {value};")
        return True

    def after(self, out: Lines, text: Text) -> None:
        """Closes the loop, and stores."""
        out.close()
        out.close()
        for k, (name, _) in enumerate(self.stores):
            kind = c_type(text.buffers[name].dtype)
            out.line(f"stored<{kind}, {self.width}>({c_name(name)}, place{letters(k)}, many, store{letters(k)});")
