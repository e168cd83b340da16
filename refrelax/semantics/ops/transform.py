"""Layouts by index maps, gradients of indexing, and facts about a tensor's memory.

Spec: ``spec/ops/transform.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    dims_of,
    extent,
    integer_scalar,
    normal_axis,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import DeduceRule, Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, agree, defined
from refrelax.semantics.values import Prim, Value
from refrelax.syntax import dtypes
from refrelax.syntax.bits import literal_value
from refrelax.syntax.graph import Call, IndexMap
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, SymVar, as_int, free_variables
from refrelax.syntax.types import PrimType, Type

PAGE = "transform"

# --- layout_transform ------------------------------------------------------------------------------------------------


def _map(call: Call) -> IndexMap:
    found = A.value(call, "index_map")
    assert isinstance(found, IndexMap)
    return found


def _padding(call: Call) -> Literal | None:
    """The number that the call pads with."""
    pad = A.value(call, "pad_value")
    return pad if isinstance(pad, Literal) else None


@rule("op.layout_transform/rank", "op.layout_transform/pad-dtype")
def deduce_layout_transform(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """On each axis ``E(e)`` of the map's expression ``e``, as if it rose with every parameter: of a parameter the
    extent of its axis, of a literal ``c`` ``c + 1``, of ``a % c`` ``c`` (a tile counts whole), of ``a // c`` ``(E(a) -
    1) // c + 1``, of ``a * c`` ``(E(a) - 1) * c + 1``, of ``a + b`` ``E(a) + E(b) - 1``. Of any other expression the
    dims are not known, and the extent is one more than the greatest position that the map gives, 0 of no elements. 14
    elements by ``(i // 16, i % 16)`` give ``(1, 16)``."""
    arity(d, call, 1)
    x, index_map, pad = tensor(d, call, types, 0), _map(call), _padding(call)
    if pad is not None and pad.dtype != x.dtype:
        d.fail("op.layout_transform/pad-dtype", f"{short(call)}: the padding is {pad.dtype}, the data {x.dtype}")
    if rank(x) not in (UNKNOWN, len(index_map.params)):
        d.fail("op.layout_transform/rank", f"{short(call)}: a map of {len(index_map.params)} axes, rank {rank(x)}")
    dims = dims_of(d, x)
    if dims is None:
        return of_rank(len(index_map.results), x.dtype, x.vdevice)
    at = dict(zip(index_map.params, dims, strict=True))
    found = [_extent(each, at) for each in index_map.results]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return of_rank(len(found), x.dtype, x.vdevice)
    return with_dims([d.simplify(each) for each in known], x.dtype, x.vdevice)


def _extent(e: PrimExpr, at: dict[str, PrimExpr]) -> PrimExpr | None:
    """One more than the greatest value of ``e``, which rises with every variable; ``None`` if that is not seen."""
    match e:
        case SymVar():
            return at.get(e.name)
        case Literal():
            return D.add(e, D.ONE)
        case Binary(op="FloorMod" | "Mod"):
            tile = as_int(e.b)
            return None if tile is None or _extent(e.a, at) is None else D.imm(tile)  # whole, the last one too
        case Binary(op="FloorDiv" | "Div" | "Mul" as op):
            inner, factor = _extent(e.a, at), as_int(e.b)
            if inner is None or factor is None:
                return None
            top = D.sub(inner, D.ONE)
            return D.add(D.mul(top, D.imm(factor)) if op == "Mul" else D.floordiv(top, D.imm(factor)), D.ONE)
        case Binary(op="Add"):
            a, b = _extent(e.a, at), _extent(e.b, at)
            return None if a is None or b is None else D.sub(D.add(a, b), D.ONE)
        case _:
            return None


def _sources(index_map: IndexMap) -> list[PrimExpr] | None:
    """Where the element at ``i0``, ``i1``, … of the result comes from, if each parameter goes to one axis whole, or to
    two as ``a // c`` and ``a % c``: the map meets no position twice. ``None`` for other maps."""
    results, taken, found = list(index_map.results), [], list[PrimExpr]()
    for name in index_map.params:
        own = [k for k, each in enumerate(results) if any(v.name == name for v in free_variables(each))]
        match [results[k] for k in own]:
            case [SymVar()]:
                found.append(SymVar(f"i{own[0]}"))
            case [Binary(op=high, a=SymVar(), b=c), Binary(op=low, a=SymVar(), b=d)] if c == d and (as_int(c) or 0) > 0:
                if (high in DIVISIONS) is (low in DIVISIONS) or not {high, low} <= DIVISIONS | REMAINDERS:
                    return None
                whole, rest = own if high in DIVISIONS else own[::-1]
                tile = D.imm(as_int(c) or 1)
                found.append(D.add(D.mul(SymVar(f"i{whole}"), tile), SymVar(f"i{rest}")))
            case _:
                return None
        taken += own
    return found if sorted(taken) == list(range(len(results))) else None


DIVISIONS, REMAINDERS = frozenset({"FloorDiv", "Div"}), frozenset({"FloorMod", "Mod"})


@rule("op.layout_transform/padding", "op.layout_transform/negative-position")
def layout_transform(m: Meaning, call: Call, x: Array) -> Array:
    """``out[map(i)] = x[i]``, of several ``i`` the last in row-major order; a position that no ``i`` reaches holds
    ``pad_value``, or poison without one that is a number."""
    index_map, pad, f = _map(call), _padding(call), m.at(x.dtype)
    names, results, value = index_map.params, index_map.results, m.value

    def target(*i: Index) -> list[Index]:
        at = dict(zip(names, i, strict=True))
        return [value(each, at) for each in results]

    def extent(k: int) -> Index:
        bound = _extent(results[k], {name: SymVar(name) for name in names})
        if bound is None:
            return m.highest(x.dims, lambda *i: target(*i)[k]) + 1
        return value(bound, dict(zip(names, x.dims, strict=True)))

    dims = [extent(k) for k in range(len(results))]

    def missing() -> Payload:
        return m.poison("op.layout_transform/padding") if pad is None else f.lit(literal_value(pad))

    sources = _sources(index_map)
    if sources is not None:

        def only(*i: Index) -> Payload:
            at = {f"i{k}": p for k, p in enumerate(i)}
            own = [value(each, at) for each in sources]
            inside = m.every([p < n for p, n in zip(own, x.dims, strict=True)])
            return m.choose(inside, lambda: x[tuple(own)], missing)

        return m.tensor(dims, x.dtype, only)
    places = m.indices(x.dims, lambda *i: m.stored(target(*i), dims, "op.layout_transform/negative-position"))
    taken = m.arrivals(x.dims, lambda *i: (places[i],))

    def element(*i: Index) -> Payload:
        family = taken((m.place(i, dims),), lambda *k: x[k])
        return m.choose(m.size(family) == 0, missing, lambda: m.last(x.dtype, family))

    return m.tensor(dims, x.dtype, element)


# --- gradients -------------------------------------------------------------------------------------------------------


def deduce_take_backward(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the data."""
    arity(d, call, 3)
    _, x, _ = (tensor(d, call, types, k) for k in range(3))
    if rank(x) != UNKNOWN:
        normal_axis(d, call, x.ndim, A.optional_integer(call, "axis", None) or 0)
    return x


@rule("op.grad.take_backward/range")
def take_backward(m: Meaning, call: Call, grad: Array, x: Array, indices: Array) -> Array:
    """Zeros of the data's shape, to which the gradient of every element taken is added where it came from, in row-major
    order; without an axis along axis 0. A ``mode`` says nothing."""
    axis = (A.optional_integer(call, "axis", None) or 0) % x.ndim
    wanted = (*x.dims[:axis], *indices.dims, *x.dims[axis + 1 :])
    fits = m.every([grad.dtype == x.dtype, agree(m, grad.dims, wanted)])
    m.require(fits, "op.common/fits-run", f"a gradient of {grad.dtype}{grad.dims}")
    f, n, given = m.at(x.dtype), x.dims[axis], m.indices(indices.dims, lambda *k: m.index_of(indices[k], indices.dtype))

    def place(*k: Index) -> Index:
        p, wrong = given[k], ("op.grad.take_backward/range", f"an index of {n}")
        return m.choose(m.every([p >= 0, p < n]), lambda: p, lambda: m.ends(*wrong))

    places = m.indices(indices.dims, place)
    taken = m.arrivals(indices.dims, lambda *k: (places[k],))

    def element(*i: Index) -> Payload:
        family = taken((i[axis],), lambda *k: grad[(*i[:axis], *k, *i[axis + 1 :])])
        return f.reduce("add", m.after(f.lit(0), family))

    return m.tensor(x.dims, x.dtype, element)


# --- inspection ------------------------------------------------------------------------------------------------------

CODES = {"int": 0, "uint": 1, "float": 2, "handle": 3, "bool": 6}
"""DLPack's type codes; bfloat16 has its own, 4."""


def _deduce_fact(dtype: str, axis: bool) -> DeduceRule:
    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        """A scalar."""
        arity(d, call, 2 if axis else 1)
        tensor(d, call, types, 0)
        if axis:
            integer_scalar(d, call, types[1], "the axis")
        return PrimType(dtype)

    return deduce


@rule("op.inspect/axis-range")
def fact(
    what: str,
    dtype: str,
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
    axis: int | None,
    span: Span | None,
) -> int:
    """What ``R.inspect.tensor_{what}`` says of a tensor. ``strides``, ``offset``: in elements; ``axis``: counted from
    0, of those facts that have one.

    Raises:
        Ended: the axis is out of range (Unspecified).
    """
    if axis is not None and not 0 <= axis < len(shape):
        raise unspecified("op.inspect/axis-range", f"axis {axis} of rank {len(shape)}", span)
    match what:
        case "ndim":
            return len(shape)
        case "dtype_bits":
            return 8 if dtype == "bool" else dtypes.bits(dtype)
        case "dtype_code":
            return 4 if dtype == "bfloat16" else CODES[dtypes.kind(dtype)]
        case "dtype_lanes":
            return 1
        case "byte_offset":
            return offset * dtypes.itemsize(dtype)
        case "elem_offset":
            return offset
        case _:
            return (shape if what == "shape_i" else strides)[axis or 0]


def _fact(what: str, dtype: str) -> EvaluateRule:
    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Prim:
        """The fact as a scalar."""
        x = tensor_value(args[0])
        axis = extent(args[1]) if len(args) > 1 else None
        return Prim(dtype, fact(what, x.dtype, x.shape, x.strides, x.offset, axis, e.span))

    return evaluate


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.layout_transform", deduce_layout_transform, layout_transform, PAGE),
    defined("relax.grad.take_backward", deduce_take_backward, take_backward, PAGE),
    OpDef("relax.inspect.tensor_ndim", _deduce_fact("int32", False), _fact("ndim", "int32"), PAGE),
    OpDef("relax.inspect.tensor_dtype_bits", _deduce_fact("uint8", False), _fact("dtype_bits", "uint8"), PAGE),
    OpDef("relax.inspect.tensor_dtype_code", _deduce_fact("uint8", False), _fact("dtype_code", "uint8"), PAGE),
    OpDef("relax.inspect.tensor_dtype_lanes", _deduce_fact("uint16", False), _fact("dtype_lanes", "uint16"), PAGE),
    OpDef("relax.inspect.tensor_shape_i", _deduce_fact("int64", True), _fact("shape_i", "int64"), PAGE),
    OpDef("relax.inspect.tensor_stride_i", _deduce_fact("int64", True), _fact("stride_i", "int64"), PAGE),
    OpDef("relax.inspect.tensor_byte_offset", _deduce_fact("uint64", False), _fact("byte_offset", "uint64"), PAGE),
    OpDef("relax.inspect.tensor_elem_offset", _deduce_fact("uint64", False), _fact("elem_offset", "uint64"), PAGE),
)
