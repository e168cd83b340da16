"""What the text of an operator may use.

A text is a Python function over a ``Meaning`` and ``Array``s. It says which arrays there are and what each element of
them is, by index:

    top = m.tensor(one, x.dtype, lambda *i: f.reduce("maximum", x.over(line(i))))

===========================================  ==========================================================================
``m.tensor(dims, dtype, element)``           an array, ``element(*i)`` at each index; intermediates too, in the order of
                                             the text, each computed once
``m.pointwise(dtype, function, *arrays)``    the same with broadcasting
``m.rows(dims, dtype, runs, element)``       the same where only some positions of the last axis count: those of a
                                             ``Run`` that the index before it has
``x[i]``, ``x.get(i, other)``, ``x.over(i)`` an element; the element where there is one; a family of elements, a ``Run``
                                             in place of a coordinate
``m.each(dims, item, where)``                the family of ``item(*k)`` for all ``k`` below ``dims`` at which ``where``
``m.arrivals(dims, place)``                  ``at(i, item)``: the family of ``item(*k)`` for all ``k`` with place ``i``
``m.scan(op, x, axis, itself)``              folds of the elements up to each, along an axis
``m.indices(dims, element)``                 an array of indices, all of them computed where it stands in the text
``m.at(dtype)``                              the numerics interface: operations on elements, folds of families
``m.choose(condition, then, other)``         one of two, by a condition on *indices*; on elements: ``select``
``m.reached(table, i)``                      how many indices of a table that does not fall are at most ``i``
``m.taken(condition, guess)``               a condition to branch on: of symbolic extents the guess, a premise
``m.index_of(element, dtype)``               an element as an index; ends the run where it is none
``m.with_index(dtype, element, …)``          what an element as an index gives, also where several are permitted
``m.require``, ``m.ends``, ``m.poison``      the run is open unless; it is open where this index is asked for; the
                                             element is open
===========================================  ==========================================================================

Indices and extents support ``+ - * // %``, comparisons and ``m.least``, ``m.most``, ``m.every``, ``m.product``, and a
text never branches on one. Attributes are Python values, and a text may branch on them. Elements are opaque.

A shape, or a tuple of scalars, is given as its extents; a scalar as an array of one element that is also a ``number``,
and an ``index``; an absent operand as ``None``.

Requirements and definitions hold in the order of the text: the first that fails gives the rule by which a run ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Protocol

from refrelax.semantics.numbers.interface import Arithmetic, Payload, ReduceOp, Truth
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import PrimExpr

Index = Any
"""An index, an extent, or a condition on them: a Python integer or truth when a text is run."""

Extents = tuple[Index, ...]
"""A shape."""

At = Callable[[Sequence[Index]], tuple[Any, ...]]
"""An index to an index, perhaps with a ``Run`` in it."""

Family = Any
"""Elements that are folded together, in order."""


class Run:
    """In place of a coordinate: the positions ``start, start + step, …``, ``count`` of them (``None``: as many as the
    axis has); with ``inside`` those of them that the axis has, and then ``step`` is above 0."""

    __slots__ = ("count", "inside", "start", "step")

    def __init__(self, start: Index, count: Index | None, step: Index = 1, inside: bool = False) -> None:
        self.start, self.count, self.step, self.inside = start, count, step, inside


ALL = Run(0, None)
"""A whole axis."""


class Hits:
    """In place of a coordinate: the positions ``at(k)`` for those ``k`` below ``count`` at which ``where(k)``. The
    guard is asked once an axis, and nothing is read where it does not hold."""

    __slots__ = ("at", "count", "where")

    def __init__(self, count: Index, at: Callable[[Index], Index], where: Callable[[Index], Index]) -> None:
        self.count, self.at, self.where = count, at, where

    def positions(self) -> list[Index]:
        """All of them, at a concrete count."""
        at, where = self.at, self.where
        return [at(k) for k in range(self.count) if where(k)]


Coordinate = Any
"""An index, a ``Run`` or ``Hits``."""


class Array(Protocol):
    """An operand, or what a text defines."""

    @property
    def dtype(self) -> str: ...

    @property
    def dims(self) -> tuple[Index, ...]: ...

    @property
    def ndim(self) -> int: ...

    def __getitem__(self, at: tuple[Index, ...]) -> Payload:
        """The element at an index, which must be in range."""
        ...

    def get(self, at: Sequence[Index], other: Payload) -> Payload:
        """The element at an index; ``other`` where there is none."""
        ...

    def over(self, at: Sequence[Coordinate]) -> Family:
        """The elements at the indices that come of a ``Run`` or ``Hits`` in place of a coordinate, row-major."""
        ...


class Scalar(Array, Protocol):
    """An operand that is a scalar: an array of shape ``(1,)``."""

    @property
    def number(self) -> int | float:
        """The Python number that it is."""
        ...

    @property
    def index(self) -> Index:
        """The integer that it is; of a float without its fraction."""
        ...


class Meaning(Protocol):
    """What a text is written over."""

    def at(self, dtype: str) -> Arithmetic: ...

    def truth(self, value: bool) -> Truth: ...

    def negate(self, a: Truth) -> Truth: ...

    def all_of(self, a: Truth, b: Truth) -> Truth: ...

    def any_of(self, a: Truth, b: Truth) -> Truth: ...

    def tensor(self, dims: Iterable[Index], dtype: str, element: Callable[..., Payload]) -> Array: ...

    def pointwise(self, dtype: str, function: Callable[..., Payload], *arrays: Array) -> Array:
        """``function`` of the elements at each index. Where the first array is one of ``rows``, so is the result; the
        others have extent 1 on the last axis, and its extents elsewhere."""
        ...

    def rows(
        self, dims: Sequence[Index], dtype: str, runs: Callable[..., Run], element: Callable[..., Payload]
    ) -> Array:
        """An array of which, at ``(*i, j)``, only the elements count with ``j`` in the run ``runs(*i)``, of step 1 and
        within the axis, or ``ALL``. Nothing reads another; ``element`` has a value there too: loops may compute it."""
        ...

    def each(
        self, dims: Sequence[Coordinate], item: Callable[..., Payload], where: Callable[..., Index] | None = None
    ) -> Family:
        """The family of ``item(*k)``, row-major; each ``k`` below an extent, or a position of ``Hits``."""
        ...

    def indices(self, dims: Sequence[Index], element: Callable[..., Index]) -> Array:
        """An array whose elements are indices."""
        ...

    def reached(self, table: Array, i: Index) -> Index:
        """How many indices of a table, none of which is less than the one before it, are at most ``i``."""
        ...

    def arrivals(
        self, dims: Sequence[Index], place: Callable[..., Sequence[Index]]
    ) -> Callable[[Sequence[Index], Callable[..., Payload]], Family]:
        """``at(i, item)``: the family of ``item(*k)`` for all ``k`` below ``dims``, row-major, whose place is ``i``."""
        ...

    def scan(self, op: ReduceOp, x: Array, axis: int, itself: bool) -> Array:
        """At each index the elements of ``x`` before it along ``axis``, and the one at it if ``itself``, folded."""
        ...

    def after(self, first: Payload, family: Family) -> Family:
        """A family with one more element before it."""
        ...

    def size(self, family: Family) -> Index:
        """How many elements a family has."""
        ...

    def last(self, dtype: str, family: Family) -> Payload:
        """The last element of a family, which has one."""
        ...

    def mapped(self, function: Callable[[Payload], Payload], family: Family) -> Family:
        """The family of ``function`` of each element."""
        ...

    def broadcast(self, *shapes: Extents, rule: str = "op.common/broadcast-run") -> Extents:
        """The extents of operands aligned at the right."""
        ...

    def spread(self, x: Array, dims: Sequence[Index]) -> Array:
        """An array seen at extents that it broadcasts to."""
        ...

    def flat(self, x: Array) -> Array:
        """All elements along one axis, row-major."""
        ...

    def reshaped(self, x: Array, dims: Sequence[Index]) -> Array:
        """The same elements in the same order at other extents, as many."""
        ...

    def moved(self, x: Array, order: Sequence[int]) -> Array:
        """An array seen with its axes in another order."""
        ...

    def along(self, x: Array, axes: Sequence[int], dims: Sequence[Index]) -> Array:
        """An array seen at extents ``dims``: its element at ``(i[axes[0]], i[axes[1]], …)``, 0 on an axis of extent
        1. An axis may be named by several of its own, and by none."""
        ...

    def strided(self, x: Array, starts: Sequence[Index], steps: Sequence[Index], dims: Sequence[Index]) -> Array:
        """An array seen at ``starts + i * steps``."""
        ...

    def copy(self, x: Array) -> Array:
        """What is seen, as an array of its own."""
        ...

    def pieces(self, extents: Sequence[Index]) -> Callable[[Index, Callable[[int, Index], Any]], Any]:
        """``at(position, body)``: ``body(t, offset)`` for the run ``t`` that a position falls in, runs of these extents
        standing one after the other."""
        ...

    def choose(self, condition: Index, then: Callable[[], Any], other: Callable[[], Any]) -> Any: ...

    def pick(self, condition: Index, a: Any, b: Any) -> Any:
        """``choose`` between two that are there."""
        ...

    def taken(self, condition: Index, guess: bool) -> bool: ...

    def dim(self, e: PrimExpr) -> Index:
        """An extent that the type of the call says."""
        ...

    def told(self, x: Array, position: int, axis: int) -> bool:
        """Whether the type of argument ``position``, ``x``, says an extent as a number, or nothing of its rank."""
        ...

    def stretches(self, n: Index, wide: Index, rule: str, message: str = "") -> bool:
        """Whether an extent is 1 and stands for ``wide``; any other has to be ``wide``, else the run is open. Of a
        symbolic one that it is ``wide`` is a premise."""
        ...

    def least(self, a: Index, b: Index) -> Index: ...

    def most(self, a: Index, b: Index) -> Index: ...

    def every(self, conditions: Iterable[Index]) -> Index: ...

    def some(self, conditions: Iterable[Index]) -> Index: ...

    def product(self, extents: Iterable[Index]) -> Index: ...

    def index_of(self, element: Payload, dtype: str) -> Index:
        """An element as an index. Ends the run where it is poison, undetermined, or of a dtype without integers."""
        ...

    def with_index(
        self,
        dtype: str,
        index: Payload,
        candidates: tuple[Index, Index],
        value: Callable[[Index], Payload],
        otherwise: Payload | None = None,
        rule: str = "",
    ) -> Payload:
        """``value(k)``, of ``dtype``, for the int64 element ``index`` that is ``k``; poison where that is, of its rule
        or of ``rule``. Where several are permitted one of ``value(k)``, for ``k`` from the first to below the
        second of ``candidates``, or ``otherwise`` for every other one; the run ends if there is none."""
        ...

    def charge(self, count: int) -> None:
        """Charge elements that a text lists itself to the budget."""
        ...

    def value(self, expression: PrimExpr, names: Mapping[str, Index]) -> Index:
        """An expression of the language at indices."""
        ...

    def highest(self, dims: Sequence[Index], index: Callable[..., Index]) -> Index:
        """The greatest of the indices, -1 of none."""
        ...

    def counted(self, index: Index, extent: Index) -> Index:
        """An index that was read; under ``strict`` a negative one counts from the end, once."""
        ...

    def place(self, at: Sequence[Index], dims: Sequence[Index]) -> Index:
        """The row-major position of an index."""
        ...

    def stored(self, at: Sequence[Index], dims: Sequence[Index], rule: str, nothing: Index = False) -> Index:
        """The row-major position of an index, every coordinate of which is looked at; ends the run under ``rule`` where
        it lies outside, unless there is ``nothing`` to store."""
        ...

    # --- what is open

    def require(self, condition: Index, rule: str, message: str = "") -> None: ...

    def ends(self, rule: str, message: str = "") -> Index: ...

    def poison(self, rule: str) -> Payload: ...


Text = Callable[..., Any]
"""``text(m, call, *operands)``: an ``Array``, or a tuple of them."""


# --- what many texts share --------------------------------------------------------------------------------------------


def cast(m: Meaning, x: Array, dtype: str) -> Array:
    """``y[i] = x[i]`` at ``dtype``; ``x`` itself if it has it."""
    if x.dtype == dtype:
        return x
    f, source = m.at(dtype), x.dtype
    return m.pointwise(dtype, lambda a: f.cast(a, source), x)


def lines(
    x: Array, axes: Sequence[int]
) -> tuple[tuple[Index, ...], Callable[[Sequence[Index]], tuple[Index | Run, ...]]]:
    """The extents with 1 along ``axes``; and, for an index of those, the index of its line along ``axes``."""
    dims = tuple(1 if k in axes else n for k, n in enumerate(x.dims))
    if len(axes) == 1:
        (axis,) = axes
        return dims, lambda i: (*i[:axis], ALL, *i[axis + 1 :])
    return dims, lambda i: tuple(ALL if k in axes else p for k, p in enumerate(i))


def literal(m: Meaning, dtype: str, value: Any) -> Payload:
    """A number at a dtype; at ``bool`` whether it is not 0, at an integer dtype truncated, or poison beyond it."""
    if dtype == "bool":
        return m.truth(value != 0)
    if dtypes.is_float(dtype):
        return m.at(dtype).lit(value)
    low, high = dtypes.integer_range(dtype)
    fits = isfinite(value) and low <= int(value) <= high
    return m.at(dtype).lit(int(value)) if fits else m.poison("num/cast-range")


def agree(m: Meaning, a: Sequence[Index], b: Sequence[Index]) -> Index:
    """Whether two shapes are the same."""
    return m.every((len(a) == len(b), *(p == q for p, q in zip(a, b, strict=False))))


def is_scalar(x: Array) -> bool:
    """Whether an operand is a ``Scalar``."""
    return hasattr(type(x), "number")


def replaced(i: Sequence[Index], axis: int, p: Index | Run) -> tuple[Any, ...]:
    """An index with the coordinate of ``axis`` exchanged."""
    return (*i[:axis], p, *i[axis + 1 :])


WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64"}
"""Where an implementation may keep the sum of a mean until it is divided."""


def mean(m: Meaning, x: Array, axes: Sequence[int]) -> Array:
    """The sum along ``axes`` divided by the count, both at the array's dtype (or at a wider one, rounded once); poison
    of nothing."""
    f, (one, line), wider = m.at(x.dtype), lines(x, axes), WIDER.get(x.dtype, x.dtype)
    count, g = m.product(x.dims[k] for k in axes), m.at(wider)

    def quotient(whole: Family) -> Payload:
        return f.div(f.reduce("add", whole), f.lit(count))

    def widely(whole: Family) -> Payload:
        up = m.mapped(lambda a: g.cast(a, x.dtype), whole)
        return f.cast(g.div(g.reduce("add", up), g.lit(count)), wider)

    def of(whole: Family) -> Payload:
        return quotient(whole) if wider == x.dtype else f.either(lambda: quotient(whole), lambda: widely(whole))

    def element(*i: Index) -> Payload:
        return m.choose(count == 0, lambda: m.poison("num/empty-reduction"), lambda: of(x.over(line(i))))

    return m.tensor(one, x.dtype, element)


def moments(m: Meaning, x: Array, axes: Sequence[int]) -> tuple[Array, Array]:
    """The mean, and the mean of the squared deviations from it."""
    f, middle = m.at(x.dtype), mean(m, x, axes)
    apart = m.pointwise(x.dtype, f.sub, x, middle)
    return middle, mean(m, m.pointwise(x.dtype, lambda a: f.mul(a, a), apart), axes)
