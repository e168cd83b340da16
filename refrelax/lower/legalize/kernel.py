"""Building a loop program: arrays, elementwise nests, reductions, scans.

    k = Kernel("add", symbols)
    a, b = k.input("a", shape, "float32"), k.input("b", shape, "float32")
    out = k.output("out", shape, "float32")
    k.compute(out, lambda i, j: a[i, j] + b[i, j])

Every nest is one block with one store, whose indices are the spatial axes in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from refrelax.lower.legalize.scalars import Scalar, index
from refrelax.rules import rule
from refrelax.syntax.loops import (
    Buffer,
    BufferParam,
    BufferStore,
    For,
    IterKind,
    IterVar,
    PrimFunc,
    SBlock,
    ScalarParam,
    Stmt,
)
from refrelax.syntax.scalars import Binary, BinaryOp, BufferLoad, PrimExpr, SymVar, as_int, int_imm, walk

Index = Sequence[Scalar | int]
Body = Callable[..., Scalar]

ZERO = int_imm(0)


@dataclass(frozen=True, slots=True)
class Array:
    """A buffer inside a kernel, or a number that stands for one of shape ``shape`` (``number`` set)."""

    name: str
    dims: tuple[Scalar, ...]
    dtype: str
    number: Scalar | None = None

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def __getitem__(self, at: Index | Scalar | int) -> Scalar:
        """The element at an index."""
        if self.number is not None:
            return self.number
        where = (at,) if isinstance(at, Scalar | int) else at
        return Scalar(BufferLoad(self.name, nodes(where), self.dtype))


def nodes(at: Index) -> tuple[PrimExpr, ...]:
    """An index as expressions."""
    return tuple(index(i).node for i in at)


@dataclass(slots=True)
class Kernel:
    """A PrimFunc under construction."""

    name: str
    taken: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    """Of the names that are taken, those that the kernel made: they are no symbols of its caller."""
    blocks: set[str] = field(default_factory=set)
    inputs: list[BufferParam] = field(default_factory=list)
    scalars: list[ScalarParam] = field(default_factory=list)
    outputs: list[BufferParam] = field(default_factory=list)
    allocs: list[Buffer] = field(default_factory=list)
    body: list[Stmt] = field(default_factory=list)

    # --- arrays -------------------------------------------------------------------------------------------------------

    def fresh(self, name: str) -> str:
        """A name that nothing else in the kernel has."""
        chosen, k = name, 0
        while chosen in self.taken:
            k += 1
            chosen = f"{name}_{k}"
        self.taken.add(chosen)
        self.own.add(chosen)
        return chosen

    def input(self, name: str, dims: Sequence[PrimExpr], dtype: str) -> Array:
        """The next argument."""
        buffer = Buffer(self.fresh(name), tuple(dims), dtype)
        self.inputs.append(BufferParam(buffer))
        return _array(buffer)

    def output(self, name: str, dims: Sequence[PrimExpr], dtype: str) -> Array:
        """The next result."""
        buffer = Buffer(self.fresh(name), tuple(dims), dtype)
        self.outputs.append(BufferParam(buffer))
        return _array(buffer)

    def alloc(self, name: str, dims: Sequence[Scalar], dtype: str) -> Array:
        """Memory for an intermediate result."""
        buffer = Buffer(self.fresh(name), tuple(d.node for d in dims), dtype)
        self.allocs.append(buffer)
        return _array(buffer)

    # --- nests --------------------------------------------------------------------------------------------------------

    def compute(self, out: Array, element: Body) -> Array:
        """``out[i] = element(*i)`` for every index of ``out``."""
        loops, axes = self._axes(out.dims, "i", "spatial")
        at = [axis.var for axis in axes]
        store = BufferStore(out.name, element(*map(Scalar, at)).node, tuple(at))
        self._nest(loops, SBlock(self._block(out), axes, (store,)))
        return out

    def reduce(
        self, out: Array, lengths: Sequence[Scalar], op: BinaryOp, identity: Scalar, item: Callable[..., Scalar]
    ) -> Array:
        """``out[i] = item(*i, *r)`` combined over all ``r`` below ``lengths``, in increasing order, from ``identity``.

        Where a length may be 0 while ``out`` has elements, ``identity`` is stored first.
        """
        return self.fold(out, lengths, identity, lambda own, *at: Scalar(Binary(op, own.node, item(*at).node)))

    @rule("lo/empty-reduction")
    def fold(self, out: Array, lengths: Sequence[Scalar], start: Scalar | Body, step: Callable[..., Scalar]) -> Array:
        """``out[i] = start(*i)``, then ``out[i] = step(out[i], *i, *r)`` for all ``r`` below ``lengths``."""
        begin: Body = (lambda *_: start) if isinstance(start, Scalar) else start
        if self._may_be_empty(out, lengths):
            self.compute(out, begin)
        loops, axes = self._axes(out.dims, "i", "spatial")
        inner, steps = self._axes(lengths, "r", "reduce")
        at = tuple(axis.var for axis in axes)
        own = Scalar(BufferLoad(out.name, at, out.dtype))
        update = BufferStore(out.name, step(own, *map(Scalar, at), *(Scalar(a.var) for a in steps)).node, at)
        init: tuple[BufferStore, ...] | None = (BufferStore(out.name, begin(*map(Scalar, at)).node, at),)
        if not lengths:  # one step, nothing to initialise for
            value = step(begin(*map(Scalar, at)), *map(Scalar, at)).node
            update, init = BufferStore(out.name, value, at), None
        block = SBlock(self._block(out), (*axes, *steps), (update,), init=init)
        self._nest([*loops, *inner], block)
        return out

    @staticmethod
    def _may_be_empty(out: Array, lengths: Sequence[Scalar]) -> bool:
        """Whether a symbolic length may be 0 where the result has elements."""
        symbolic = [n for n in lengths if as_int(n.node) is None]
        if any(as_int(n.node) == 0 for n in lengths):
            return True
        return any(all(n.node != d.node for d in out.dims) for n in symbolic)

    def scan(self, out: Array, axis: int, element: Callable[..., Scalar]) -> Array:
        """``out[i] = element(*i)`` in increasing order along ``axis``, so that earlier elements may be read."""
        order = [k for k in range(out.ndim) if k != axis] + [axis]
        loops = [SymVar(self.fresh(f"i{k}")) for k in range(out.ndim)]
        at = tuple(loops)
        stmt: Stmt = BufferStore(out.name, element(*map(Scalar, at)).node, at)
        for k in reversed(order):
            stmt = For(loops[k], ZERO, out.dims[k].node, (stmt,))
        self.body.append(stmt)
        return out

    def _axes(self, dims: Sequence[Scalar], name: str, kind: IterKind) -> tuple[list[For], tuple[IterVar, ...]]:
        loops = [SymVar(self.fresh(f"{name}{k}")) for k in range(len(dims))]
        axes = tuple(
            IterVar(SymVar(self.fresh(f"v_{loop.name}")), ZERO, d.node, kind, loop)
            for loop, d in zip(loops, dims, strict=True)
        )
        return [For(loop, ZERO, d.node, ()) for loop, d in zip(loops, dims, strict=True)], axes

    def _block(self, out: Array) -> str:
        """A block is called like what it computes; the one that computes the result, like the kernel."""
        sole = len(self.outputs) == 1 and self.outputs[0].buffer.name == out.name
        name = self.name if sole else out.name
        chosen, k = name, 0
        while chosen in self.blocks:
            k += 1
            chosen = f"{name}_{k}"
        self.blocks.add(chosen)
        return chosen

    def _nest(self, loops: Sequence[For], block: SBlock) -> None:
        stmt: Stmt = block
        for loop in reversed(loops):
            stmt = For(loop.var, loop.min, loop.extent, (stmt,))
        self.body.append(stmt)

    # --- the function -------------------------------------------------------------------------------------------------

    def finish(self) -> PrimFunc:
        """The function: arguments, scalar arguments, results."""
        params: tuple[BufferParam | ScalarParam, ...] = (*self.inputs, *self.scalars, *self.outputs)
        own = {p.var.name for p in self.scalars}
        symbols: dict[str, SymVar] = {}
        for param in (*self.inputs, *self.outputs):
            for dim in param.buffer.shape:
                for node in walk(dim):
                    if isinstance(node, SymVar) and node.name not in own:
                        symbols.setdefault(node.name, node)
        return PrimFunc(
            params,
            tuple(self.body),
            attrs=(("tirx.noalias", True),),
            private=True,
            s_tir=True,
            symbols=tuple(symbols.values()),
            root_allocs=tuple(self.allocs),
        )


def _array(buffer: Buffer) -> Array:
    return Array(buffer.name, tuple(Scalar(d) for d in buffer.shape), buffer.dtype)
