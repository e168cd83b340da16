"""Running sums, sorting and searching.

Spec: ``spec/ops/scan.md``.
"""

from __future__ import annotations

from functools import cmp_to_key

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload, ReduceOp
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.activation import by_lines
from refrelax.semantics.ops.binary import meeting_dtype
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    as_checked,
    copy,
    extent,
    fits,
    known_dims,
    normal_axis,
    number,
    of_rank,
    rank,
    replace,
    retyped,
    scalar,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Index, Meaning, Run, Text, agree, cast, defined
from refrelax.semantics.values import TensorValue, Value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, PrimValue
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "scan"

# --- running sums ----------------------------------------------------------------------------------------------------


def deduce_scan(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type at ``dtype``; without an axis all elements in one axis, of which nothing is known (nor the
    rank, but for a vector) where dims of the argument are not."""
    arity(d, call, 1)
    x, axis = tensor(d, call, types, 0), A.optional_integer(call, "axis")
    dtype = A.dtype(call) or x.dtype
    dims = known_dims(x)
    if axis is None:
        if dims is None:  # of rank 1; TVM writes the argument's rank, which a text may repeat
            return of_rank(1 if x.ndim == 1 else UNKNOWN, dtype, x.vdevice)
        return with_dims((D.product(dims),), dtype, x.vdevice)
    if rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), axis)
    return retyped(x, dtype)


def _scan(op: ReduceOp) -> Text:
    """``out[k]`` is the sum (``cumsum``) or the product (``cumprod``) of ``x[0]`` to ``x[k]`` along ``axis``, of all
    elements in row-major order without one; exclusive, to ``x[k - 1]``. The elements are converted to the result's
    dtype first."""

    def text(m: Meaning, call: Call, x: Array) -> Array:
        axis, dtype = A.optional_integer(call, "axis"), A.dtype(call) or x.dtype
        m.require(dtype != "bool", "op.reduce/arithmetic-dtype", "at bool")
        x = cast(m, x, dtype)
        x, axis = (m.flat(x), 0) if axis is None else (x, axis % x.ndim)
        return m.scan(op, x, axis, itself=not A.flag(call, "exclusive"))

    return text


# --- sorting ---------------------------------------------------------------------------------------------------------


def deduce_sort(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), A.integer(call, "axis"))
    return x


def evaluate_sort(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """Every line along ``axis`` in increasing order, or in decreasing order if ``descending``. Equal elements, as 0 and
    -0 are, keep their order either way; NaNs come last either way."""
    x, descending = tensor_value(args[0]), A.flag(call, "descending")
    f = e.numerics.at(x.dtype)
    return by_lines(e, x, A.integer(call, "axis") % x.ndim, lambda items: f.order(items, descending)[0])


def deduce_argsort(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type at ``dtype``."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), A.integer(call, "axis"))
    return retyped(x, A.dtype(call) or x.dtype)


def evaluate_argsort(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """The positions that put every line along ``axis`` in the order of ``sort``, converted to ``dtype``."""
    x, descending = tensor_value(args[0]), A.flag(call, "descending")
    dtype = A.dtype(call) or x.dtype
    f, positions = e.numerics.at(x.dtype), e.numerics.at(dtype)

    def order(items: list[Payload]) -> list[Payload]:
        found = f.order(items, descending)[1]
        return found if dtype == "int64" else [positions.cast(p, "int64") for p in found]

    lines = by_lines(e, x, A.integer(call, "axis") % x.ndim, order)
    return e.tensor(dtype, x.shape, lines.storage.plane(x.dtype, x.numerics))


@rule("op.topk/ret-type")
def deduce_topk(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's dims with ``k`` along ``axis``, or as they are where ``k`` is below 1 or not below a literal dim;
    by ``ret_type`` values, positions at ``dtype``, or a pair of them."""
    arity(d, call, 1)
    x, k, kind = tensor(d, call, types, 0), A.integer(call, "k"), A.text(call, "ret_type")
    if kind not in ("both", "values", "indices"):
        d.fail("op.topk/ret-type", f'{short(call)}: ret_type must be "both", "values" or "indices", found {kind!r}')
    dims, dtype, axis = known_dims(x), A.dtype(call) or x.dtype, A.integer(call, "axis")
    if rank(x) != UNKNOWN:
        axis = normal_axis(d, call, rank(x), axis)
    if dims is None:
        values, positions = of_rank(x.ndim, x.dtype, x.vdevice), of_rank(x.ndim, dtype, x.vdevice)
    else:
        have = as_int(dims[axis])
        if k > 0 and (have is None or k < have):
            dims = (*dims[:axis], D.imm(k), *dims[axis + 1 :])
        values, positions = with_dims(dims, x.dtype, x.vdevice), with_dims(dims, dtype, x.vdevice)
    return TupleType((values, positions)) if kind == "both" else values if kind == "values" else positions


def evaluate_topk(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The first ``k`` of every line along ``axis``, in the order of ``sort`` (``descending`` if ``largest``), and their
    positions; all where ``k`` is below 1.

    All of a line that is shorter: but where the dim is no literal, so that the type says ``k``, the run is open then.
    """
    x, k, kind = tensor_value(args[0]), A.integer(call, "k"), A.text(call, "ret_type")
    axis, dtype = A.integer(call, "axis") % x.ndim, A.dtype(call) or x.dtype
    count = min(k, x.shape[axis]) if k > 0 else x.shape[axis]
    checked = as_checked(e, call, 0)
    said = None if checked is None else known_dims(checked)
    fits(e, call, said is None or as_int(said[axis]) is not None or count >= k, f"{k} of {x.shape[axis]}")
    f, positions = e.numerics.at(x.dtype), e.numerics.at(dtype)
    sorted_lines: dict[tuple[int, ...], tuple[list[Payload], list[Payload]]] = {}

    def line(i: tuple[int, ...]) -> tuple[list[Payload], list[Payload]]:
        at = replace(i, axis, 0)
        if at not in sorted_lines:
            items = [x[replace(i, axis, p)] for p in range(x.shape[axis])]
            sorted_lines[at] = f.order(items, A.flag(call, "largest"))
        return sorted_lines[at]

    shape = replace(x.shape, axis, count)
    values = e.tabulate(x.dtype, shape, lambda *i: line(i)[0][i[axis]])
    places = e.tabulate(dtype, shape, lambda *i: positions.cast(line(i)[1][i[axis]], "int64"))
    return (values, places) if kind == "both" else values if kind == "values" else places


# --- searching -------------------------------------------------------------------------------------------------------


@rule("op.bucketize/vector")
def deduce_bucketize(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the first argument at ``int64``, or ``int32`` if asked for; the boundaries are a vector."""
    arity(d, call, 2)
    x, edges = tensor(d, call, types, 0), tensor(d, call, types, 1)
    if rank(edges) not in (1, UNKNOWN):
        d.fail("op.bucketize/vector", f"{short(call)}: the boundaries must have rank 1, found rank {rank(edges)}")
    dtype, dims = "int32" if A.flag(call, "out_int32") else "int64", known_dims(x)
    return of_rank(x.ndim, dtype, x.vdevice) if dims is None else with_dims(dims, dtype, x.vdevice)


@rule("op.bucketize/ascending")
def bucketize(m: Meaning, call: Call, x: Array, edges: Array) -> Array:
    """The number of boundaries below ``x[i]``; with ``right`` also those equal to it. Both are converted to the dtype
    in which they meet (``op.binary/meeting-dtype``). Where the boundaries do not ascend strictly, or one of them is
    NaN, every element is poison; that of a NaN is, whatever the boundaries."""
    meeting, dtype = meeting_dtype(m, x.dtype, edges.dtype), "int32" if A.flag(call, "out_int32") else "int64"
    f, out, (count,) = m.at(meeting), m.at(dtype), edges.dims
    met, one, zero, poison = cast(m, edges, meeting), out.lit(1), out.lit(0), m.poison("op.bucketize/ascending")
    before, total, choice = f.less_equal if A.flag(call, "right") else f.less, out.reduce, out.select

    def after(p: Index) -> Payload:
        """Whether a boundary is no number, or not below the next."""
        b = met[p,]
        return m.choose(
            p == count - 1,
            lambda: choice(f.less_equal(b, b), zero, one),
            lambda: choice(f.less(b, met[p + 1,]), zero, one),
        )

    wrong = m.tensor((), dtype, lambda: total("add", m.each((count,), after)))

    def element(a: Payload) -> Payload:
        found = total("add", m.mapped(lambda b: choice(before(b, a), one, zero), met.over([ALL])))
        return choice(out.equal(wrong[()], zero), choice(f.less_equal(a, a), found, poison), poison)

    return m.pointwise(dtype, element, cast(m, x, meeting))


@rule("op.multinomial_from_uniform/float-dtype", "op.multinomial_from_uniform/integer-rows")
@rule("op.multinomial_from_uniform/ranks", "op.multinomial_from_uniform/extents")
def deduce_multinomial(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(n, 1)`` at ``dtype``; probabilities ``(rows, choices)``, samples and rows ``(n, 1)``."""
    arity(d, call, 3)
    p, u, rows = (tensor(d, call, types, k) for k in range(3))
    for t in (p, u):
        if t.dtype is not None and not dtypes.is_float(t.dtype):
            d.fail("op.multinomial_from_uniform/float-dtype", f"{short(call)} takes float tensors, found {t.dtype}")
    if rows.dtype is not None and dtypes.kind(rows.dtype) != "int":
        d.fail("op.multinomial_from_uniform/integer-rows", f"{short(call)}: the rows must be int, found {rows.dtype}")
    dtype = A.dtype(call)
    if any(rank(t) not in (2, UNKNOWN) for t in (p, u, rows)):
        d.fail("op.multinomial_from_uniform/ranks", f"{short(call)} takes three tensors of rank 2")
    if UNKNOWN in (rank(p), rank(u), rank(rows)):
        return of_rank(UNKNOWN, dtype, p.vdevice)
    samples, chosen = known_dims(u), known_dims(rows)
    if known_dims(p) is None or samples is None or chosen is None:
        return of_rank(2, dtype, p.vdevice)
    if d.equal(samples[0], chosen[0]) is not True or not (D.is_one(samples[1]) and D.is_one(chosen[1])):
        d.fail("op.multinomial_from_uniform/extents", f"{short(call)}: samples and rows must both be (n, 1)")
    return with_dims((samples[0], D.ONE), dtype, p.vdevice)


@rule("op.multinomial_from_uniform/row-range")
def multinomial(m: Meaning, call: Call, p: Array, u: Array, rows: Array) -> Array:
    """The first choice whose running sum of probabilities exceeds the sample; the last choice if none does. The sums
    are those of the row that the row number names, at the dtype of the probabilities, to which the sample is
    converted."""
    dtype, fit = A.dtype(call), m.every((agree(m, u.dims, rows.dims), agree(m, u.dims[1:], (1,))))
    assert dtype is not None
    m.require(fit, "op.common/fits-run", f"samples {u.dims}, rows {rows.dims}")
    f, out, (limit, choices) = m.at(p.dtype), m.at(dtype), p.dims
    one, zero, last = out.lit(1), out.lit(0), m.most(choices - 1, 0)

    def row(i: Index) -> Index:
        k = m.index_of(rows[i, 0], rows.dtype)
        outside = "op.multinomial_from_uniform/row-range"
        return m.choose(m.every((k >= 0, k < limit)), lambda: k, lambda: m.ends(outside, f"row {k} of {limit}"))

    chosen = m.indices((u.dims[0],), row)
    sums = m.tensor((u.dims[0], last), p.dtype, lambda i, j: f.reduce("add", p.over((chosen[i,], Run(0, j + 1)))))

    def element(i: Index, _: Index) -> Payload:
        sample = u[i, 0] if u.dtype == p.dtype else f.cast(u[i, 0], u.dtype)
        passed = m.mapped(lambda a: out.select(f.less_equal(a, sample), one, zero), sums.over((i, ALL)))
        return out.reduce("add", passed)

    return m.tensor(u.dims, dtype, element)


# --- sets ------------------------------------------------------------------------------------------------------------


def deduce_nonzero(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """An int64 tensor of rank 2, of unknown dims: a row an axis, a column an element."""
    arity(d, call, 1)
    return of_rank(2, "int64", tensor(d, call, types, 0).vdevice)


def evaluate_nonzero(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """Column ``k`` of the result is the index of the ``k``-th element that is not zero, row-major; a NaN is not
    zero."""
    x = tensor_value(args[0])
    f, out = e.numerics.at(x.dtype), e.numerics.at("int64")
    zero = f.lit(0) if x.dtype != "bool" else None
    found = [at for at in x.indices() if e.numerics.decide(x[at] if zero is None else f.not_equal(x[at], zero))]
    return e.tabulate("int64", (x.ndim, len(found)), lambda axis, k: out.lit(found[k][axis]))


def _unique_flags(call: Call) -> list[bool]:
    flags = [call.args[k] for k in (2, 3, 4)]
    return [bool(as_int(each.value)) if isinstance(each, PrimValue) else False for each in flags]


@rule("op.unique/constant-flags")
def deduce_unique(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The distinct elements, with int64 vectors behind them, as asked for and in this order: of ``return_index``,
    ``return_inverse``, ``return_counts``; a tuple if there is one. Extents are not known, but of an argument of rank 0
    they are 1. The rank is the argument's with an ``axis``, else 1."""
    arity(d, call, 5, 6)
    x = tensor(d, call, types, 0)
    for given, what in zip((types[1], *types[5:]), ("sorted", "the axis"), strict=False):
        scalar(d, call, given, what)
    for each in call.args[2:5]:
        if not isinstance(each, PrimValue) or as_int(each.value) is None:
            d.fail("op.unique/constant-flags", f"{short(call)}: the return flags must be literals")
    axis = call.args[5] if len(call.args) == 6 else None
    at = as_int(axis.value) if isinstance(axis, PrimValue) else None
    if at is not None and rank(x) != UNKNOWN:
        normal_axis(d, call, rank(x), at)

    def vector(dtype: str | None) -> TensorType:
        return with_dims((D.ONE,), dtype, x.vdevice) if rank(x) == 0 else of_rank(1, dtype, x.vdevice)

    values = vector(x.dtype) if rank(x) == 0 or axis is None else of_rank(x.ndim, x.dtype, x.vdevice)
    more = [vector("int64") for wanted in _unique_flags(call) if wanted]
    return TupleType((values, *more)) if more else values


def evaluate_unique(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The distinct slices along ``axis`` (without one: elements, row-major), each as it is where it is met first,
    ascending if ``sorted``, else as first met; slices are compared at the first element, row-major, in which they
    differ (0 and -0 do not). ``return_index`` gives for each the position where it is met first, ``return_inverse`` for
    each slice of the argument the position of its equal in the result, ``return_counts`` how often each occurs. With a
    NaN among them the run is open: which are distinct depends on the arrangement (``num/nan-in-extremes``)."""
    x, ascending = tensor_value(args[0]), bool(number(args[1]))
    if len(args) < 6 or args[5] is None:
        x, axis = copy(e, x, (x.size,)), 0
    else:
        axis = extent(args[5]) % x.ndim
    f, rest = e.numerics.at(x.dtype), [n for k, n in enumerate(x.shape) if k != axis]
    spots = [(*at[:axis], 0, *at[axis:]) for at in TensorValue(x.dtype, tuple(rest), x.storage, x.numerics).indices()]
    slices = [[x[replace(at, axis, k)] for at in spots] for k in range(x.shape[axis])]
    if dtypes.is_float(x.dtype) and any(e.numerics.decide(f.isnan(p)) for items in slices for p in items):
        raise unspecified("num/nan-in-extremes", f"{short(call)} of items with a NaN", e.span)

    def compare(a: int, b: int) -> int:
        for p, q in zip(slices[a], slices[b], strict=True):
            if x.dtype == "bool":
                p, q = e.numerics.at("uint8").cast(p, "bool"), e.numerics.at("uint8").cast(q, "bool")
            g = e.numerics.at("uint8") if x.dtype == "bool" else f
            if e.numerics.decide(g.less(p, q)):
                return -1
            if e.numerics.decide(g.less(q, p)):
                return 1
        return 0

    ranked = sorted(range(len(slices)), key=cmp_to_key(compare))
    groups: list[list[int]] = []
    for k in ranked:
        if groups and compare(groups[-1][0], k) == 0:
            groups[-1].append(k)
        else:
            groups.append([k])
    if not ascending:
        groups.sort(key=lambda group: group[0])
    values = e.tabulate(
        x.dtype, replace(x.shape, axis, len(groups)), lambda *i: x[replace(i, axis, groups[i[axis]][0])]
    )
    owner = {k: g for g, group in enumerate(groups) for k in group}
    columns = [[g[0] for g in groups], [owner[k] for k in range(len(slices))], [len(g) for g in groups]]
    out = e.numerics.at("int64")
    more = [
        e.tensor("int64", (len(column),), [out.lit(k) for k in column])
        for column, wanted in zip(columns, args[2:5], strict=True)
        if number(wanted)
    ]
    return (values, *more) if more else values


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.cumsum", deduce_scan, _scan("add"), PAGE),
    defined("relax.cumprod", deduce_scan, _scan("mul"), PAGE),
    OpDef("relax.sort", deduce_sort, evaluate_sort, PAGE),
    OpDef("relax.argsort", deduce_argsort, evaluate_argsort, PAGE),
    OpDef("relax.topk", deduce_topk, evaluate_topk, PAGE),
    defined("relax.bucketize", deduce_bucketize, bucketize, PAGE),
    defined("relax.multinomial_from_uniform", deduce_multinomial, multinomial, PAGE),
    OpDef("relax.nonzero", deduce_nonzero, evaluate_nonzero, PAGE),
    OpDef("relax.unique", deduce_unique, evaluate_unique, PAGE),
)
