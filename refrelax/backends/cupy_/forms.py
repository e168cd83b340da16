"""Which form a reduction takes in ``fast``: a row per block, a tiled contraction, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from refrelax.backends.cupy_.names import c_type, is_float
from refrelax.backends.cupy_.nests import Reduction, is_zero, variables
from refrelax.syntax.loops import For
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, as_int, walk

TILE = 16
"""Rows and columns of the tile that a block computes of a contraction."""

ROW_LEAST = 32
"""A row of fewer elements is folded by one thread."""

OPERATORS = {
    "Add": "Sum", "Mul": "Product", "Max": "Maximum", "Min": "Minimum", "Greatest": "Maximum", "Least": "Minimum",
    "First": "First",
}  # fmt: skip

ROW_DTYPES = frozenset({"float16", "bfloat16", "float32", "float64", "int32", "int64"})
"""What warps exchange."""


def wide(dtype: str) -> str:
    """The type that the fast forms accumulate in: binary32 for the 16-bit floats."""
    return "f32" if dtype in ("float16", "bfloat16") else c_type(dtype)


def neutral(combine: str, kind: str) -> str:
    """What changes no combination. (-0 for a sum: 0 would turn a sum of -0 into 0.)"""
    if combine in ("Mul", "First"):
        return "1" if combine == "Mul" else "-1"
    combine = {"Greatest": "Max", "Least": "Min"}.get(combine, combine)
    if kind in ("f32", "f64"):
        infinity = f"{kind}_from({'0x7f800000u' if kind == 'f32' else '0x7ff0000000000000ULL'})"
        return {"Add": "-0.0", "Max": f"-{infinity}", "Min": infinity}[combine]
    bits = int(kind[1:])
    return {"Add": "0", "Max": f"({kind})(1ULL << {bits - 1})", "Min": f"({kind})((1ULL << {bits - 1}) - 1)"}[combine]


def is_row(reduction: Reduction) -> bool:
    """Whether a block should fold a row: long, and contiguous along the last reduced loop."""
    dtype, item = reduction.store.value.dtype, reduction.item
    if reduction.combine is None or item is None or dtype not in ROW_DTYPES or _dependent(reduction.nest.sequential):
        return False
    sizes = [as_int(loop.extent) for loop in reduction.nest.sequential]
    known = 1
    for size in sizes:
        known *= ROW_LEAST if size is None else size
    if known < ROW_LEAST:
        return False
    last = reduction.nest.sequential[-1].var.name
    return any(
        isinstance(n, BufferLoad) and n.indices and last in variables(n.indices[-1], reduction.aliases)
        for n in walk(item)
    )


def _dependent(loops: Sequence[For]) -> bool:
    """Whether one loop's bounds depend on another's variable (no rectangle), or on memory."""
    names = {loop.var.name for loop in loops}
    for loop in loops:
        for node in (*walk(loop.min), *walk(loop.extent)):
            if isinstance(node, BufferLoad) or (isinstance(node, SymVar) and node.name in names):
                return True
    return False


@dataclass(frozen=True, slots=True)
class Contraction:
    """``C[batch, rows, columns] = Σ depth  left[batch, rows, depth] · right[batch, columns, depth]`` from zero."""

    reduction: Reduction
    batch: tuple[For, ...]
    rows: tuple[For, ...]
    columns: tuple[For, ...]
    depth: tuple[For, ...]
    left: PrimExpr
    right: PrimExpr


def contraction_of(reduction: Reduction) -> Contraction | None:
    """A reduction as a contraction: a float sum from zero of a product whose factors have loops of their own."""
    item, dtype = reduction.item, reduction.store.value.dtype
    if reduction.combine != "Add" or not is_zero(reduction.init) or not is_float(dtype):
        return None
    if not isinstance(item, Binary) or item.op != "Mul" or _dependent(reduction.nest.loops):
        return None
    parallel = reduction.nest.parallel
    one, other = (variables(f, reduction.aliases) for f in (item.a, item.b))
    of_one = tuple(p for p in parallel if p.var.name in one and p.var.name not in other)
    of_other = tuple(p for p in parallel if p.var.name in other and p.var.name not in one)
    if not of_one or not of_other or not any(r.var.name in one & other for r in reduction.nest.sequential):
        return None
    batch = tuple(p for p in parallel if p not in of_one and p not in of_other)
    left_first = parallel.index(of_one[0]) < parallel.index(of_other[0])
    rows, columns = (of_one, of_other) if left_first else (of_other, of_one)
    left, right = (item.a, item.b) if left_first else (item.b, item.a)
    return Contraction(reduction, batch, rows, columns, reduction.nest.sequential, left, right)
