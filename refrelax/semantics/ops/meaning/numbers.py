"""A text run on numbers: indices are Python integers, elements the payloads of a reading."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, starmap
from itertools import product as points
from math import prod
from operator import mul
from typing import Any, NoReturn

from refrelax.errors import unspecified
from refrelax.semantics.dims.exact import value as exact_value
from refrelax.semantics.numbers.interface import Payload, ReduceOp
from refrelax.semantics.numbers.poison import Poison, out_of_range, poison
from refrelax.semantics.numbers.strict import is_strict
from refrelax.semantics.ops.common import (
    UNKNOWN,
    as_checked,
    broadcast_shape,
    extents,
    integral,
    known_dims,
    rank,
    short,
)
from refrelax.semantics.ops.definition import DeduceRule, EvaluateRule, Evaluation, Memory, OpDef
from refrelax.semantics.ops.meaning.calculus import ALL, Hits, Run, Text, replaced
from refrelax.semantics.ops.meaning.several import by_integer
from refrelax.semantics.values import Prim, TensorValue, Value, from_payloads
from refrelax.semantics.values import row_major as _row_major
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import PrimExpr, as_int

Shape = tuple[int, ...]

row_major = lru_cache(maxsize=4096)(_row_major)


@lru_cache(maxsize=4096)
def offsets(parts: tuple[tuple[Any, ...], ...]) -> list[int]:
    """Where the elements of a family lie, from its first: ``parts`` holds (count, distance) of each run, or (places,)
    of hits."""
    found = [0]
    for part in parts:
        spots = part[0] if len(part) == 1 else [k * part[1] for k in range(part[0])]
        found = [a + k for a in found for k in spots]
    return found


@lru_cache(maxsize=4096)
def stretched(dims: Shape, wide: Shape, strides: Shape) -> Shape:
    """The strides of an array of ``dims`` where it is stretched to the extents ``wide``: 0 along what it has not."""
    lead = len(wide) - len(dims)
    pairs = zip(dims, wide[lead:], strides, strict=True)
    return (*[0] * lead, *(0 if own == 1 and n != 1 else stride for own, n, stride in pairs))


MANY = 4096
"""Elements that are read run by run, instead of by offsets that are remembered."""


def read(cells: list[Payload], base: int, size: int, parts: tuple[tuple[Any, ...], ...]) -> list[Payload]:
    """The ``size`` elements at the ``offsets`` of ``parts`` from ``base``."""
    if size <= MANY:
        return [cells[base + k] for k in offsets(parts)]
    *outer, inner = parts
    spots = inner[0] if len(inner) == 1 else [k * inner[1] for k in range(inner[0])]
    found: list[Payload] = []
    for first in offsets.__wrapped__(tuple(outer)):
        if len(inner) == 2 and inner[1] > 0:
            found += cells[base + first : base + first + spots[-1] + 1 : inner[1]]
        else:
            found += [cells[base + first + k] for k in spots]
    return found


def clipped(run: Run, n: int) -> tuple[int, int]:
    """Start and count of the positions of a run that an axis of ``n`` has."""
    count = n if run.count is None else run.count
    skipped = max(0, -(run.start // run.step))
    return run.start + skipped * run.step, min(count, -((run.start - n) // run.step)) - skipped


class Dense:
    """Elements by index: a list of cells with strides. See ``calculus.Array``."""

    __slots__ = ("cells", "dims", "dtype", "ndim", "offset", "spend", "strides", "whole")

    def __init__(
        self,
        dtype: str,
        dims: Shape,
        cells: list[Payload],
        spend: Callable[[int], None],
        strides: Shape | None = None,
        offset: int = 0,
    ) -> None:
        self.dtype, self.dims, self.cells, self.spend = dtype, dims, cells, spend
        self.whole = strides is None
        """Whether the cells are its elements, row-major, and no others."""
        self.strides = row_major(dims) if strides is None else strides
        self.offset, self.ndim = offset, len(dims)

    def __getitem__(self, at: Sequence[int]) -> Payload:
        match len(at):  # spelled out: most of the time of many operators goes here
            case 1:
                return self.cells[at[0] * self.strides[0] + self.offset]
            case 2:
                (i, j), (a, b) = at, self.strides
                return self.cells[i * a + j * b + self.offset]
            case 3:
                (i, j, k), (a, b, c) = at, self.strides
                return self.cells[i * a + j * b + k * c + self.offset]
            case 4:
                (i, j, k, n), (a, b, c, d) = at, self.strides
                return self.cells[i * a + j * b + k * c + n * d + self.offset]
        return self.cells[sum(map(mul, at, self.strides), self.offset)]

    def get(self, at: Sequence[int], other: Payload) -> Payload:
        position = self.offset
        for p, n, stride in zip(at, self.dims, self.strides, strict=True):
            if not 0 <= p < n:
                own = isinstance(other, Poison) and other.rule.startswith("op.")  # not an operand's, handed in
                return out_of_range(other.rule, at, self.dims) if own else other
            position += p * stride
        return self.cells[position]

    def over(self, at: Sequence[Any]) -> list[Payload]:
        base, axis = self.offset, -1
        for k, p in enumerate(at):  # most families are one line
            if p.__class__ is int:
                base += p * self.strides[k]
            elif p is ALL and axis < 0:
                axis = k
            else:
                break
        else:
            if axis >= 0 and self.strides[axis] > 0:
                n, distance = self.dims[axis], self.strides[axis]
                self.spend(n)
                return self.cells[base : base + (n - 1) * distance + 1 : distance] if n else []
        return self.family(at)

    def family(self, at: Sequence[Any]) -> list[Payload]:
        """``over`` of any runs and hits."""
        base, size = self.offset, 1
        parts: list[tuple[Any, ...]] = []
        for p, stride, n in zip(at, self.strides, self.dims, strict=True):
            kind = p.__class__
            if kind is Run:
                start, count = clipped(p, n) if p.inside else (p.start, n if p.count is None else p.count)
                base += start * stride
                parts += ((count, p.step * stride),)
                size *= count if count > 0 else 0
            elif kind is Hits:
                spots = [k * stride for k in p.positions()]
                size *= len(spots)
                if spots:
                    base += spots[0]
                    parts += ((tuple([each - spots[0] for each in spots]),),)
            else:
                base += p * stride
        self.spend(size)
        if not size:
            return []
        if len(parts) == 1 and len(parts[0]) == 2:
            ((count, distance),) = parts
            if distance > 0:
                return self.cells[base : base + (count - 1) * distance + 1 : distance]
        return read(self.cells, base, size, tuple(parts))

    def listed(self) -> list[Payload]:
        """All elements, row-major: a list that may be the cells themselves."""
        if self.whole:
            return self.cells
        if 0 in self.dims:
            return []
        if self.strides == row_major(self.dims):
            size = prod(self.dims)
            return self.cells if size == len(self.cells) else self.cells[self.offset : self.offset + size]
        return read(self.cells, self.offset, prod(self.dims), tuple(zip(self.dims, self.strides, strict=True)))


class Rows:
    """Elements by index, of which each row holds one run of the last axis. See ``Meaning.rows``."""

    __slots__ = ("cells", "dims", "dtype", "ends", "firsts", "ndim", "outer", "spend")

    def __init__(
        self,
        dtype: str,
        dims: Shape,
        cells: list[Payload],
        firsts: list[int],
        ends: list[int],
        spend: Callable[[int], None],
    ) -> None:
        self.dtype, self.dims, self.cells, self.spend = dtype, dims, cells, spend
        self.firsts, self.ends = firsts, ends
        """Of each row, where position 0 of the axis would lie among the cells, and where the cells of the row end."""
        self.ndim, self.outer = len(dims), row_major(dims[:-1])

    def __getitem__(self, at: Sequence[int]) -> Payload:
        return self.cells[self.firsts[sum(map(mul, at[:-1], self.outer))] + at[-1]]

    def over(self, at: Sequence[Any]) -> list[Payload]:
        *row, run = at
        first = self.firsts[sum(map(mul, row, self.outer))] + run.start
        count = self.dims[-1] if run.count is None else max(run.count, 0)
        self.spend(count)
        return self.cells[first : first + count]

    def pointwise(self, dtype: str, function: Callable[..., Payload], columns: list[list[Payload]]) -> Rows:
        """The function of each element and of what stands beside its row."""
        self.spend(len(self.cells))
        cells: list[Payload] = []
        for end, *beside in zip(self.ends, *columns, strict=True):
            cells += [function(a, *beside) for a in self.cells[len(cells) : end]]
        return Rows(dtype, self.dims, cells, self.firsts, self.ends, self.spend)


class Number(Dense):
    """A scalar operand. See ``calculus.Scalar``. Most are extents or positions: a cell is made for who asks for it."""

    __slots__ = ("at", "number")

    def __init__(self, e: Evaluation, given: Prim) -> None:
        self.dtype, self.dims, self.spend, self.strides = given.dtype, (1,), e.spend, (1,)
        self.offset, self.ndim, self.at, self.number, self.whole = 0, 1, e.numerics.at, given.value, True

    def __getattr__(self, name: str) -> list[Payload]:
        if name != "cells":
            raise AttributeError(name)
        self.cells = [self.at(self.dtype).lit(self.number)]
        return self.cells

    @property
    def index(self) -> int:
        return int(self.number)


class Numbers:
    """One evaluation of an operator. See ``calculus.Meaning``."""

    __slots__ = ("at", "call", "e", "numerics")

    def __init__(self, e: Evaluation, call: Call) -> None:
        self.e, self.call, self.numerics, self.at = e, call, e.numerics, e.numerics.at

    truth = property(lambda self: self.numerics.truth)
    negate = property(lambda self: self.numerics.negate)
    all_of = property(lambda self: self.numerics.all_of)
    any_of = property(lambda self: self.numerics.any_of)

    # --- arrays

    def tensor(self, dims: Iterable[int], dtype: str, element: Callable[..., Payload]) -> Dense:
        shape = tuple(dims)
        self.e.no_negative(shape)
        self.e.spend(prod(shape))
        cells = list(starmap(element, points(*map(range, shape)))) if 0 not in shape else []
        return Dense(dtype, shape, cells, self.e.spend)

    def rows(self, dims: Sequence[int], dtype: str, runs: Callable[..., Run], element: Callable[..., Payload]) -> Rows:
        self.e.no_negative(dims)
        cells: list[Payload] = []
        firsts: list[int] = []
        ends: list[int] = []
        for i in points(*map(range, dims[:-1])):
            run = runs(*i)
            count = dims[-1] if run.count is None else max(run.count, 0)
            self.e.spend(count + 1)
            firsts.append(len(cells) - run.start)
            cells += [element(*i, j) for j in range(run.start, run.start + count)]
            ends.append(len(cells))
        return Rows(dtype, tuple(dims), cells, firsts, ends, self.e.spend)

    def pointwise(self, dtype: str, function: Callable[..., Payload], *arrays: Any) -> Any:
        if isinstance(arrays[0], Rows):
            return arrays[0].pointwise(dtype, function, [x.listed() for x in arrays[1:]])
        dims = self.broadcast(*[x.dims for x in arrays])
        self.e.spend(prod(dims))
        columns = [(x if x.dims == dims else self.spread(x, dims)).listed() for x in arrays]
        return Dense(dtype, dims, list(map(function, *columns)), self.e.spend)

    def each(
        self, dims: Sequence[int | Hits], item: Callable[..., Payload], where: Callable[..., bool] | None = None
    ) -> list[Payload]:
        columns = [n.positions() if isinstance(n, Hits) else range(n) for n in dims]
        self.e.spend(prod(map(len, columns)))
        return [item(*k) for k in points(*columns) if where is None or where(*k)]

    def indices(self, dims: Sequence[int], element: Callable[..., int]) -> Dense:
        return self.tensor(dims, "int64", element)

    @staticmethod
    def reached(table: Dense, i: int) -> int:
        return bisect_right(table.listed(), i)

    def arrivals(
        self, dims: Sequence[int], place: Callable[..., Sequence[int]]
    ) -> Callable[[Sequence[int], Callable[..., Payload]], list[Payload]]:
        self.e.spend(prod(dims))
        found: dict[Shape, list[Shape]] = {}
        for k in points(*map(range, dims)):
            found.setdefault(tuple(place(*k)), []).append(k)
        return lambda i, item: [item(*k) for k in found.get(tuple(i), ())]

    def scan(self, op: ReduceOp, x: Dense, axis: int, itself: bool) -> Dense:
        f, n, lines = self.at(x.dtype), x.dims[axis], dict[Shape, list[Payload]]()

        def element(*i: int) -> Payload:
            at = replaced(i, axis, 0)
            if at not in lines:
                self.e.spend(n * n // 2 if self.numerics.collects else 0)  # (each fold is bounded by itself there)
                found = f.scan(op, x.over(replaced(i, axis, ALL)))
                lines[at] = found if itself else [f.reduce(op, []), *found]
            return lines[at][i[axis]]

        return self.tensor(x.dims, x.dtype, element)

    @staticmethod
    def after(first: Payload, family: list[Payload]) -> list[Payload]:
        return [first, *family]

    @staticmethod
    def size(family: list[Payload]) -> int:
        return len(family)

    @staticmethod
    def last(dtype: str, family: list[Payload]) -> Payload:
        return family[-1]

    @staticmethod
    def mapped(function: Callable[[Payload], Payload], family: list[Payload]) -> list[Payload]:
        return list(map(function, family))

    def broadcast(self, *shapes: Shape, rule: str = "op.common/broadcast-run") -> Shape:
        first = shapes[0]
        return first if shapes.count(first) == len(shapes) else broadcast_shape(self.e, *shapes, rule=rule)

    def spread(self, x: Dense, dims: Sequence[int]) -> Dense:
        wide = tuple(dims)
        if x.dims == wide:
            return x
        return Dense(x.dtype, wide, x.cells, x.spend, stretched(x.dims, wide, x.strides), x.offset)

    def flat(self, x: Dense) -> Dense:
        return self.reshaped(x, (prod(x.dims),))

    def reshaped(self, x: Dense, dims: Sequence[int]) -> Dense:
        self.e.no_negative(dims)  # (two that are may have the right product)
        cells = x.listed()
        self.e.spend(len(cells))
        return Dense(x.dtype, tuple(dims), cells, self.e.spend)

    def moved(self, x: Dense, order: Sequence[int]) -> Dense:
        dims, strides = tuple(x.dims[k] for k in order), tuple(x.strides[k] for k in order)
        return Dense(x.dtype, dims, x.cells, x.spend, strides, x.offset)

    def along(self, x: Dense, axes: Sequence[int], dims: Sequence[int]) -> Dense:
        strides = [0] * len(dims)
        for axis, own, stride in zip(axes, x.dims, x.strides, strict=True):
            strides[axis] += stride if own != 1 else 0
        return Dense(x.dtype, tuple(dims), x.cells, x.spend, tuple(strides), x.offset)

    def strided(self, x: Dense, starts: Sequence[int], steps: Sequence[int], dims: Sequence[int]) -> Dense:
        offset = sum(map(mul, starts, x.strides), x.offset)
        return Dense(x.dtype, tuple(dims), x.cells, x.spend, tuple(map(mul, steps, x.strides)), offset)

    def copy(self, x: Dense) -> Dense:
        self.e.no_negative(x.dims)
        self.e.spend(prod(x.dims))
        return Dense(x.dtype, x.dims, x.listed(), x.spend)

    @staticmethod
    def pieces(extents: Sequence[int]) -> Callable[[int, Callable[[int, int], Any]], Any]:
        ends = list(accumulate(extents))

        def at(position: int, body: Callable[[int, int], Any]) -> Any:
            piece = bisect_right(ends, position)
            return body(piece, position - ends[piece] + extents[piece])

        return at

    # --- indices and conditions

    @staticmethod
    def choose(condition: bool, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        return then() if condition else other()

    @staticmethod
    def pick(condition: bool, a: Any, b: Any) -> Any:
        return a if condition else b

    def dim(self, e: PrimExpr) -> int:
        return self.e.dim(e)

    def told(self, x: Dense, position: int, axis: int) -> bool:
        said = as_checked(self.e, self.call, position)
        dims = None if said is None else known_dims(said)
        if dims is None:
            return said is not None and rank(said) == UNKNOWN
        return as_int(dims[axis]) is not None

    @staticmethod
    def taken(condition: bool, guess: bool) -> bool:
        return condition

    def stretches(self, n: int, wide: int, rule: str, message: str = "") -> bool:
        self.require(n in (1, wide), rule, message)
        return n == 1

    @staticmethod
    def least(a: int, b: int) -> int:
        return a if a < b else b

    @staticmethod
    def most(a: int, b: int) -> int:
        return a if a > b else b

    @staticmethod
    def every(conditions: Iterable[bool]) -> bool:
        return all(conditions)

    @staticmethod
    def some(conditions: Iterable[bool]) -> bool:
        return any(conditions)

    @staticmethod
    def product(extents: Iterable[int]) -> int:
        return prod(extents)

    def index_of(self, element: Payload, dtype: str) -> int:
        return integral(self.numerics, element, dtype)

    def with_index(
        self,
        dtype: str,
        index: Payload,
        candidates: tuple[int, int],
        value: Callable[[int], Payload],
        otherwise: Payload | None = None,
        rule: str = "",
    ) -> Payload:
        return by_integer(self.numerics, dtype, index, range(*candidates), value, otherwise, rule)

    def charge(self, count: int) -> None:
        self.e.spend(count)

    @staticmethod
    def value(expression: PrimExpr, names: Mapping[str, int]) -> int:
        return exact_value(expression, names)

    @staticmethod
    def highest(dims: Sequence[int], index: Callable[..., int]) -> int:
        return max((index(*i) for i in points(*map(range, dims))), default=-1)

    def counted(self, index: int, extent: int) -> int:
        return index + extent if index < 0 and is_strict(self.numerics) else index

    @staticmethod
    def place(at: Sequence[int], dims: Sequence[int]) -> int:
        position = 0
        for p, n in zip(at, dims, strict=True):
            position = position * n + p
        return position

    def stored(self, at: Sequence[int], dims: Sequence[int], rule: str, nothing: bool = False) -> int:
        position = 0
        for p, n in zip(at, dims, strict=True):
            if not (0 <= p < n or nothing):
                self.ends(rule, f"a store at {list(at)} of {tuple(dims)}")
            position = position * n + p
        return position

    # --- what is open

    def ends(self, rule: str, message: str = "") -> NoReturn:
        raise unspecified(rule, f"{short(self.call)}: {message or rule}", self.e.span)

    def require(self, condition: bool, rule: str, message: str = "") -> None:
        if not condition:
            raise unspecified(rule, f"{short(self.call)}: {message or rule}", self.e.span)

    @staticmethod
    def poison(rule: str) -> Payload:
        return poison(rule)


# --- a text as a value rule -------------------------------------------------------------------------------------------


def enter(e: Evaluation, x: TensorValue) -> Dense:
    """A tensor as an array."""
    if not e.numerics.collects and x.strides == row_major(x.shape):
        cells = x.storage.plane(x.dtype, x.numerics)
        if len(cells) == x.size:
            return Dense(x.dtype, x.shape, cells, e.spend, x.strides)
    return Dense(x.dtype, x.shape, x.payloads(), e.spend)


def operands(args: Sequence[Value]) -> list[Value]:
    """The arguments of a call, a tuple of tensors replaced by its fields."""
    return [
        field for each in args for field in (each if isinstance(each, tuple) and _of_tensors(each) else (each,))
    ]  # fmt: skip


def _of_tensors(values: tuple[Value, ...]) -> bool:
    return bool(values) and isinstance(values[0], TensorValue)


def given(e: Evaluation, value: Value) -> Dense | Shape | None:
    """An operand as a text takes it: an array; of a shape, or of a tuple of scalars, the extents."""
    if isinstance(value, TensorValue):
        return enter(e, value)
    if isinstance(value, Prim):
        return Number(e, value)
    return None if value is None else extents(value)


def leave(e: Evaluation, x: Dense, taken: list[list[Payload]]) -> TensorValue:
    """An array as a tensor in fresh memory: cells that are ``taken`` are copied."""
    cells = x.listed()
    if any(cells is each for each in taken):
        cells = list(cells)
    taken.append(cells)
    return from_payloads(e.numerics, x.dtype, x.dims, cells)


def value_rule(text: Text) -> EvaluateRule:
    """The value rule that runs a text."""

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
        entered = [given(e, each) for each in operands(args)]
        found = text(Numbers(e, call), call, *entered)
        taken = [each.cells for each in entered if type(each) is Dense]
        if isinstance(found, tuple):
            return tuple(leave(e, each, taken) for each in found)
        return leave(e, found, taken)

    return evaluate


def defined(name: str, deduce: DeduceRule, text: Text, page: str, memory: Memory = "fresh") -> OpDef:
    """The operator whose value is a text."""
    return OpDef(name, deduce, value_rule(text), page, text=text, memory=memory)
