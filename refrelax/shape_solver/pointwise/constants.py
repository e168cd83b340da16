"""Elements of constant arrays at integer points.

Spec: ``spec/06c-pointwise.md``, ``sh/descent``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refrelax.semantics.dims.exact import arithmetic
from refrelax.shape_solver.pointwise.terms import Load
from refrelax.syntax import dtypes
from refrelax.syntax.bits import decode
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, SymVar, as_int

Point = Sequence[int]


def compiled(load: Load, names: Sequence[str]) -> Callable[[Point], int | None]:
    """The bits of a constant's element at a point (values of ``names``, in order); ``None`` out of bounds.

    The function raises ``ArithmeticError`` where an index is not plain integer arithmetic.
    """
    data, extents = load.tensor.data, [as_int(d) or 0 for d in load.tensor.shape]
    assert data is not None
    indices = [_compiled(e, {name: k for k, name in enumerate(names)}) for e in load.indices]

    def element(point: Point) -> int | None:
        flat = 0
        for index, extent in zip(indices, extents, strict=True):
            i = index(point)
            if not 0 <= i < extent:
                return None
            flat = flat * extent + i
        return data[flat]

    return element


def _compiled(e: PrimExpr, places: dict[str, int]) -> Callable[[Point], int]:
    match e:
        case Literal():
            known = as_int(e) or 0
            return lambda point: known
        case SymVar(name) if name in places:
            place = places[name]
            return lambda point: point[place]
        case Binary("Add", a, b):
            x, y = _compiled(a, places), _compiled(b, places)
            return lambda point: x(point) + y(point)
        case Binary("Mul", a, b):
            x, y = _compiled(a, places), _compiled(b, places)
            return lambda point: x(point) * y(point)
        case Binary("Sub" | "FloorDiv" | "FloorMod" | "Div" | "Mod" | "Min" | "Max" as op, a, b):
            x, y = _compiled(a, places), _compiled(b, places)
            return lambda point: arithmetic(op, x(point), y(point))
        case _:
            return _refused


def _refused(point: Point) -> int:
    raise ArithmeticError("no plain integer arithmetic")


def same_number(dtype: str, x: int, y: int) -> bool:
    """Equal bits, or two NaNs."""
    if x == y or not dtypes.is_float(dtype):
        return x == y
    a, b = decode(dtype, x), decode(dtype, y)
    return bool(a != a and b != b)
