"""Rules that emit calls of graph operators: elementwise, reductions, shapes, indexing, linear algebra.

A rule takes the function under construction, draws what it needs and emits one binding (now and then two). The tables
at the end are literal: rule by name, with the feature that switches it.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.syntax import dtypes
from refrelax.syntax.graph import AttrList, PrimValue, ShapeExpr, Tuple
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm
from refrelax.testing.alike import OF_FLOATS, TRUTHS
from refrelax.testing.building import Building, Dims, Given, dims_of, number

Rule = Callable[[Building], None]

BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "divide")
COMPARE = ("less", "equal", "greater_equal", "not_equal", "less_equal", "greater")
INTEGER = ("add", "subtract", "multiply", "maximum", "minimum")


# --- elementwise -----------------------------------------------------------------------------------------------------


def unary(b: Building) -> None:
    if b.options.floats:
        x, _ = b.tensor(b.options.floats)
        b.operator(b.pick(OF_FLOATS), x)


def unary_integer(b: Building) -> None:
    if b.options.integers:
        x, _ = b.tensor(b.options.integers)
        b.operator(b.pick(("negative", "abs", "square", "bitwise_not", "sign")), x)


def partner(b: Building, x: Given) -> Given:
    """A second operand that broadcasts with the first."""
    shape, dtype = dims_of(x[1]), x[1].dtype
    assert dtype is not None
    form = b.pick(("same", "scalar", "row", "ones"))
    if form == "scalar":
        return b.operand((), dtype)
    if form == "row" and shape:
        return b.operand(shape[-1:], dtype)
    if form == "ones" and shape:
        axis = b.integer(0, len(shape) - 1)
        return b.operand(tuple(int_imm(1) if k == axis else d for k, d in enumerate(shape)), dtype)
    return b.operand(shape, dtype)


def binary(b: Building) -> None:
    x = b.tensor(b.options.numbers or b.options.dtypes)
    if x[1].dtype == "bool":
        return logical(b)
    y = partner(b, x)
    names = BINARY if dtypes.is_float(x[1].dtype or "") else INTEGER
    swapped = b.flag()
    first, second = (y, x) if swapped else (x, y)
    b.operator(b.pick(names), first[0], second[0])
    return None


def binary_rare(b: Building) -> None:
    """Powers and angles of floats; shifts of integers by a count in range."""
    x = b.tensor(b.options.numbers or ("float32",))
    dtype = x[1].dtype or ""
    if dtypes.is_float(dtype):
        b.operator(b.pick(("power", "atan2", "log_add_exp")), x[0], partner(b, x)[0])
    else:
        b.operator(b.pick(("left_shift", "right_shift")), x[0], b.scalar_constant(dtype, b.integer(0, 7)))


def integer_division(b: Building) -> None:
    """Division by a constant that is not zero."""
    if b.options.integers:
        x, type_ = b.tensor(b.options.integers)
        op = b.pick(("floor_divide", "floor_mod", "divide", "mod"))
        b.operator(op, x, b.scalar_constant(type_.dtype or "int32", b.pick((2, 3, -2, -7))))


def compare(b: Building) -> None:
    x = b.tensor(b.options.numbers or b.options.dtypes)
    b.operator(b.pick(COMPARE), x[0], partner(b, x)[0])


def logical(b: Building) -> None:
    if "bool" in b.options.dtypes:
        x = b.tensor(("bool",))
        b.operator(b.pick(("logical_and", "logical_or", "logical_xor")), x[0], partner(b, x)[0])


def logical_not(b: Building) -> None:
    if "bool" in b.options.dtypes:
        b.operator("logical_not", b.tensor(("bool",))[0])


def finite(b: Building) -> None:
    if b.options.floats:
        b.operator(b.pick(TRUTHS), b.tensor(b.options.floats)[0])


def where(b: Building) -> None:
    if "bool" in b.options.dtypes:
        x = b.tensor(b.options.numbers or b.options.dtypes)
        condition, _ = b.operand(dims_of(x[1]), "bool")
        b.operator("where", condition, x[0], partner(b, x)[0])


def astype(b: Building) -> None:
    """A conversion; float to integer only from rounded, bounded numbers."""
    x, type_ = b.tensor(b.options.dtypes)
    dtype = b.pick(b.options.dtypes)
    if dtypes.is_float(type_.dtype or "") and dtypes.is_integer(dtype):
        x, _ = b.operator("clip", x, number(-4), number(4))
    b.operator("astype", x, dtype=dtype)


def clip(b: Building) -> None:
    if b.options.numbers:
        x, _ = b.tensor(b.options.numbers)
        b.operator("clip", x, number(b.integer(-2, 0)), number(b.integer(1, 3)))


# --- reductions and scans --------------------------------------------------------------------------------------------


def axes(b: Building, rank: int) -> list[int] | None:
    """Some axes, each possibly counted from the end; ``None`` for all of them."""
    if rank == 0 or b.flag():
        return None
    chosen = b.pick([[0], [rank - 1], [-1], list(range(rank))])
    return list(chosen)


def reduction(b: Building) -> None:
    x, type_ = b.tensor(b.options.numbers or b.options.dtypes, low=1)
    if type_.dtype == "bool":
        return
    float_only = ("mean", "variance", "std") if dtypes.is_float(type_.dtype or "") else ()
    op = b.pick(("sum", "max", "min", "prod", *float_only))
    b.operator(op, x, axis=axes(b, len(dims_of(type_))), keepdims=b.flag())


def arg_reduction(b: Building) -> None:
    if b.options.numbers:
        x, type_ = b.tensor(b.options.numbers, low_rank=1, low=1)
        axis = b.integer(-1, len(dims_of(type_)) - 1)
        b.operator(b.pick(("argmax", "argmin")), x, axis=axis, keepdims=b.flag())


def scan(b: Building) -> None:
    if b.options.numbers:
        x, type_ = b.tensor(b.options.numbers, low_rank=1)
        axis = b.integer(0, len(dims_of(type_)) - 1)
        b.operator(b.pick(("cumsum", "cumprod")), x, axis=axis, exclusive=b.flag())


def ordering(b: Building) -> None:
    if b.options.numbers:
        x, type_ = b.tensor(b.options.numbers, low_rank=1, low=1)
        axis = b.integer(-1, len(dims_of(type_)) - 1)
        op = b.pick(("sort", "argsort"))
        b.operator(op, x, axis=axis, descending=b.flag())


def topk(b: Building) -> None:
    if b.options.numbers:
        x, type_ = b.tensor(b.options.numbers, low_rank=1, low=2)
        last = as_int(dims_of(type_)[-1])
        if last is not None:
            kind = b.pick(("both", "values", "indices"))
            b.operator("topk", x, k=b.integer(1, last), axis=-1, ret_type=kind, largest=b.flag())


def softmax(b: Building) -> None:
    if b.options.floats:
        x, type_ = b.tensor(b.options.floats, low_rank=1, low=1)
        axis = b.integer(-1, len(dims_of(type_)) - 1)
        b.operator(b.pick(("nn.softmax", "nn.log_softmax")), x, axis=axis)


# --- shapes ----------------------------------------------------------------------------------------------------------


def permute_dims(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes)
    rank = len(dims_of(type_))
    k = b.integer(0, rank) if rank else 0
    order = [*range(k, rank), *range(k)]
    b.operator("permute_dims", x, axes=None if b.flag() else order)


def reshape(b: Building) -> None:
    """Two neighbouring axes become one, an axis of one appears, or everything is flattened."""
    x, type_ = b.tensor(b.options.dtypes)
    shape = list(dims_of(type_))
    copied = any(as_int(d) == 0 for d in shape)  # R.reshape takes a literal 0 for "the extent that stands here"
    form = "flatten" if copied else b.pick(("flatten", "merge", "one"))
    if form == "merge" and len(shape) >= 2:
        b.operator("reshape", x, ShapeExpr((Binary("Mul", shape[0], shape[1]), *shape[2:])))
    elif form == "one":
        at = b.integer(0, len(shape))
        b.operator("reshape", x, ShapeExpr((*shape[:at], int_imm(1), *shape[at:])))
    else:
        b.operator("flatten", x)


def expand_dims(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, high_rank=2)
    b.operator("expand_dims", x, axis=[b.integer(-1, len(dims_of(type_)))])


def squeeze(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes)
    ones = [k for k, d in enumerate(dims_of(type_)) if as_int(d) == 1]
    if ones:
        b.operator("squeeze", x, axis=[b.pick(ones)])


def broadcast_to(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, high_rank=2)
    wider = tuple(b.dim() if as_int(d) == 1 else d for d in dims_of(type_))
    b.operator("broadcast_to", x, ShapeExpr((b.dim(), *wider)))


def concat(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1)
    shape, axis = dims_of(type_), b.integer(0, len(dims_of(type_)) - 1)
    other: Dims = tuple(b.dim() if k == axis and b.flag() else d for k, d in enumerate(shape))
    y, _ = b.operand(other, type_.dtype or "")
    b.operator("concat", Tuple((x, y) if b.flag() else (y, x)), axis=axis)


def stack(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, high_rank=2)
    y, _ = b.operand(dims_of(type_), type_.dtype or "")
    b.operator("stack", Tuple((x, y)), axis=b.integer(0, len(dims_of(type_))))


def split(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1, low=1)
    shape = dims_of(type_)
    axis = b.integer(0, len(shape) - 1)
    extent = as_int(shape[axis])
    if extent is not None and extent >= 2:
        at = b.integer(1, extent - 1)
        b.operator("split", x, indices_or_sections=AttrList((at,)), axis=axis)


def repeat(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1)
    b.operator("repeat", x, repeats=b.integer(1, 2), axis=b.integer(-1, len(dims_of(type_)) - 1))


def tile(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1, high_rank=2)
    b.operator("tile", x, repeats=[b.integer(1, 2) for _ in dims_of(type_)])


def flip(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1)
    b.operator("flip", x, axis=b.integer(-1, len(dims_of(type_)) - 1))


def triangle(b: Building) -> None:
    if b.options.numbers:
        x, _ = b.tensor(b.options.numbers, low_rank=2)
        b.operator(b.pick(("tril", "triu")), x, number(b.integer(-1, 1)))


def creation(b: Building) -> None:
    form, dtype = b.pick(("zeros", "full", "arange")), b.pick(b.options.numbers or b.options.dtypes)
    if form == "arange":
        end = b.scalar(b.dim())  # (no end is a variable)
        b.operator("arange", number(0), end if isinstance(end, PrimValue) else number(3), number(1), dtype=dtype)
    elif form == "full":
        b.operator("full", ShapeExpr(b.dims(0, 2)), b.scalar_constant(dtype, 3 if dtype != "bool" else 1), dtype=dtype)
    else:
        b.operator(b.pick(("zeros", "ones")), ShapeExpr(b.dims(0, 3)), dtype=dtype)


def like(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes)
    b.operator(b.pick(("zeros_like", "ones_like")), x, dtype=b.pick((None, type_.dtype)))


def shape_of(b: Building) -> None:
    b.operator("shape_of", b.tensor(b.options.dtypes)[0])


# --- indexing --------------------------------------------------------------------------------------------------------


def indices(b: Building, shape: Dims, extent: PrimExpr) -> Given:
    """Positions below ``extent``: a remainder of arbitrary numbers, or an ``arange``."""
    known = as_int(extent)
    x, _ = b.operand(shape, "int64")
    divisor = known if known is not None else 1
    return b.operator("floor_mod", x, b.scalar_constant("int64", max(divisor, 1)))


def take(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1, low=1)
    axis = b.integer(0, len(dims_of(type_)) - 1)
    some = (
        as_int(dims_of(type_)[axis]) is not None
    )  # from an axis that is empty in some run there is nothing to wrap to
    mode = b.pick(("fast", "clip", "wrap") if some else ("fast",))
    shape = b.dims(0, 2)
    found = indices(b, shape, dims_of(type_)[axis]) if mode == "fast" else b.operand(shape, "int64")
    b.operator("take", x, found[0], axis=axis, mode=mode)


def strided_slice(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1)
    axis = b.integer(0, len(dims_of(type_)) - 1)
    begin, end, stride = b.integer(0, 2), b.integer(2, 5), b.pick((1, 2))
    parts = [Tuple((number(k),)) for k in (axis, begin, end, stride)]
    b.operator("strided_slice", x, *parts)


def gather_elements(b: Building) -> None:
    x, type_ = b.tensor(b.options.dtypes, low_rank=1, high_rank=2, low=1)
    shape = dims_of(type_)
    axis = b.integer(0, len(shape) - 1)
    found = indices(b, shape, shape[axis])
    b.operator("gather_elements", x, found[0], axis=axis)


def scatter_elements(b: Building) -> None:
    if b.options.numbers:
        x, type_ = b.tensor(b.options.numbers, low_rank=1, high_rank=2, low=1)
        shape = dims_of(type_)
        found = indices(b, shape, shape[0])
        updates, _ = b.operand(shape, type_.dtype or "")
        b.operator("scatter_elements", x, found[0], updates, axis=0, reduction="add")


def one_hot(b: Building) -> None:
    x, _ = b.operand(b.dims(0, 2), "int64")
    dtype = b.pick(b.options.floats or ("float32",))
    b.operator("one_hot", x, number(1, dtype), number(0, dtype), depth=b.integer(1, 3), axis=-1)


def pad(b: Building) -> None:
    if b.options.floats:
        x, type_ = b.tensor(b.options.floats, low_rank=1, high_rank=2)
        widths = [b.integer(0, 2) for _ in range(2 * len(dims_of(type_)))]
        b.operator("nn.pad", x, pad_width=widths, pad_value=float(b.pick((0, 1))), pad_mode="constant")


# --- linear algebra --------------------------------------------------------------------------------------------------


def matmul(b: Building) -> None:
    x, type_ = b.tensor(b.options.floats or b.options.numbers or ("float32",), low_rank=1)
    inner = dims_of(type_)[-1]
    y, _ = b.operand((inner, b.dim()) if b.flag() or len(dims_of(type_)) == 1 else (inner,), type_.dtype or "")
    b.operator("matmul", x, y)


def einsum(b: Building) -> None:
    if b.options.floats:
        x, type_ = b.tensor(b.options.floats, low_rank=2, high_rank=2)
        i, j = dims_of(type_)
        form = b.pick(("ij,kj->ik", "ij,ij->j", "ij,j->i", "ij,k->kji"))
        shape = {"kj": (b.dim(), j), "ij": (i, j), "j": (j,), "k": (b.dim(),)}[form.split(",")[1].split("->")[0]]
        y, _ = b.operand(shape, type_.dtype or "")
        b.operator("einsum", Tuple((x, y)), subscripts=form)


def outer(b: Building) -> None:
    if b.options.floats:
        x, type_ = b.tensor(b.options.floats, low_rank=1, high_rank=1)
        y, _ = b.operand((b.dim(),), type_.dtype or "")
        b.operator("outer", x, y)


ELEMENTWISE: dict[str, Rule] = {
    "unary": unary, "binary": binary, "compare": compare, "where": where, "astype": astype, "clip": clip,
    "unary_integer": unary_integer, "integer_division": integer_division, "logical": logical,
    "binary_rare": binary_rare,
    "logical_not": logical_not, "finite": finite,
}  # fmt: skip

REDUCTIONS: dict[str, Rule] = {
    "reduction": reduction, "softmax": softmax, "arg_reduction": arg_reduction, "scan": scan, "ordering": ordering,
    "topk": topk,
}  # fmt: skip

SHAPES: dict[str, Rule] = {
    "permute_dims": permute_dims, "reshape": reshape, "expand_dims": expand_dims, "squeeze": squeeze,
    "broadcast_to": broadcast_to, "concat": concat, "stack": stack, "split": split, "repeat": repeat, "tile": tile,
    "flip": flip, "triangle": triangle, "creation": creation, "like": like, "shape_of": shape_of,
}  # fmt: skip

INDEXING: dict[str, Rule] = {
    "take": take, "strided_slice": strided_slice, "gather_elements": gather_elements,
    "scatter_elements": scatter_elements, "one_hot": one_hot, "pad": pad,
}  # fmt: skip

LINEAR: dict[str, Rule] = {"matmul": matmul, "einsum": einsum, "outer": outer}
