"""Run-time values.

===================  =====================================================
Relax value          here
===================  =====================================================
tensor               ``TensorValue``: an immutable view over mutable storage
tuple, void          a Python tuple; ``()``
shape                ``Shape``
prim value           ``Prim``: dtype and a Python number
string, null         ``str``, ``None``
dtype                ``DType``
function             ``Closure`` (Relax), ``PackedFunc`` (library), both callable through the evaluator only
anything else        ``Opaque``
===================  =====================================================

Spec: ``spec/02-values.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.partial import Partial
from refrelax.semantics.numbers.plain import several_bits
from refrelax.semantics.storage import Cells, Storage, fresh, holding
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Function


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape as a value: its extents."""

    dims: tuple[int, ...]

    def __iter__(self) -> Iterator[int]:
        return iter(self.dims)

    def __len__(self) -> int:
        return len(self.dims)


@dataclass(frozen=True, slots=True)
class Prim:
    """A scalar that is no tensor: an exact Python number of ``dtype`` (a bool for ``bool``)."""

    dtype: str
    value: int | float


@dataclass(frozen=True, slots=True)
class DType:
    """A dtype as a value."""

    name: str


@dataclass(eq=False, slots=True)
class Closure:
    """A Relax function with the values and symbols that it captured; ``name`` for messages."""

    function: Function
    values: Mapping[str, Any]
    symbols: Mapping[str, int | float]
    name: str = ""


@dataclass(frozen=True, slots=True)
class PackedFunc:
    """A library function as a value, by name."""

    name: str


@dataclass(eq=False, slots=True)
class Opaque:
    """A foreign object that the program only passes around."""

    value: Any


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a compact tensor of ``shape``."""
    return _row_major(tuple(shape))


@lru_cache(maxsize=4096)
def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


@dataclass(eq=False, slots=True)
class TensorValue:
    """A view: ``shape`` elements of ``dtype`` in ``storage``, from element ``offset``, with ``strides`` in elements.

    ``numerics`` is the reading whose payloads the cells hold. Elements are read by index, ``x[i, j]``.
    """

    dtype: str
    shape: tuple[int, ...]
    storage: Storage
    numerics: Numerics
    offset: int = 0
    strides: tuple[int, ...] = field(default=())
    pointer: int = 0
    """The element of ``storage`` its data pointer points to: a kernel that is given the view counts from there."""

    def __post_init__(self) -> None:
        if not self.strides:
            self.strides = _row_major(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def compact(self) -> bool:
        """Whether the elements lie one after the other in row-major order."""
        return self.strides == row_major(self.shape)

    def __getitem__(self, index: int | tuple[int, ...]) -> Payload:
        """The payload at an index of Python integers (``x[()]`` for rank 0). No bounds check: callers index in
        range."""
        position = self.offset
        if isinstance(index, int):
            index = (index,)
        for i, stride in zip(index, self.strides, strict=True):
            position += i * stride
        cells = self.storage.plane(self.dtype, self.numerics)
        return self.numerics.at(self.dtype).settle(cells[position])

    def positions(self) -> Iterator[int]:
        """Cell numbers of the elements in row-major order."""
        if self.compact:
            return iter(range(self.offset, self.offset + self.size))
        if not self.size:
            return iter(())
        terms = [[i * stride for i in range(extent)] for extent, stride in zip(self.shape, self.strides, strict=True)]
        return (self.offset + sum(each) for each in product(*terms))

    def payloads(self) -> list[Payload]:
        """All payloads in row-major order, settled."""
        cells = self.storage.plane(self.dtype, self.numerics)
        if self.strides == _row_major(self.shape):
            found = cells[self.offset : self.offset + prod(self.shape)]
        else:
            found = [cells[k] for k in self.positions()]
        if not self.numerics.collects or Partial not in set(map(type, found)):
            return found
        settle = self.numerics.at(self.dtype).settle
        return [settle(x) if x.__class__ is Partial else x for x in found]

    def assign(self, payloads: Sequence[Payload]) -> None:
        """Overwrite every element, in row-major order."""
        self.storage.plane(self.dtype, self.numerics)
        for position, payload in zip(self.positions(), payloads, strict=True):
            self.storage.store(self.dtype, position, payload)

    def view(self, shape: tuple[int, ...]) -> TensorValue:
        """The same elements in the same order under another shape; shares the storage of a compact tensor, else
        copies."""
        if self.compact:
            return TensorValue(self.dtype, shape, self.storage, self.numerics, self.offset, pointer=self.pointer)
        return from_payloads(self.numerics, self.dtype, shape, self.payloads())

    def bits(self) -> list[int | None]:
        """Bit patterns in row-major order; ``None`` for poison. For readings with ``exact_bits``."""
        payloads = self.payloads()
        f = self.numerics.at(self.dtype)
        rule_of = self.numerics.poison_rule
        if self.numerics.name == "ieee":
            found, others = several_bits(self.dtype, payloads)
            for k in others:
                found[k] = None if rule_of(payloads[k]) is not None else f.to_bits(payloads[k])
            return found
        return [None if rule_of(p) is not None else f.to_bits(p) for p in payloads]

    def indices(self) -> Iterator[tuple[int, ...]]:
        """All indices in row-major order."""
        return every_index(self.shape)


@rule("num/no-operation")
def of_numbers(numerics: Numerics, dtype: str) -> None:
    """No element of a tensor is a vector, of one lane too, a pointer, or nothing."""
    if dtypes.element(dtype) != dtype:
        raise unspecified("num/no-operation", f"no element of a tensor has dtype {dtype}")
    numerics.at(dtype)  # which leaves the run open where it has no elements


def empty(numerics: Numerics, dtype: str, shape: Sequence[int], scope: str = "global", name: str = "") -> TensorValue:
    """A fresh tensor, no element written."""
    of_numbers(numerics, dtype)
    return TensorValue(dtype, tuple(shape), fresh(dtype, prod(shape), scope, name), numerics)


def from_payloads(numerics: Numerics, dtype: str, shape: Sequence[int], payloads: Cells) -> TensorValue:
    """A fresh compact tensor that holds ``payloads`` (row-major; the list is taken over)."""
    assert len(payloads) == prod(shape), (shape, len(payloads))
    return TensorValue(dtype, tuple(shape), holding(dtype, payloads), numerics)


def from_bits(numerics: Numerics, dtype: str, shape: Sequence[int], patterns: Sequence[int]) -> TensorValue:
    """A fresh tensor from bit patterns in row-major order; of bools any pattern but 0 is true (``st/byte-of-bool``)."""
    if dtype == "bool":
        patterns = [int(each != 0) for each in patterns]
    if numerics.name == "ieee" and dtypes.kind(dtype) in ("int", "uint", "float"):
        return from_payloads(numerics, dtype, shape, bits.decode_all(dtype, patterns))
    make = numerics.at(dtype).from_bits
    return from_payloads(numerics, dtype, shape, [make(each) for each in patterns])


def every_index(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All indices in row-major order; of a shape without elements none, however large its other extents."""
    return product(*(range(extent) for extent in shape)) if 0 not in shape else iter(())


def tabulate(numerics: Numerics, dtype: str, shape: Sequence[int], element: Callable[..., Payload]) -> TensorValue:
    """The tensor whose element at ``(i, j, …)`` is ``element(i, j, …)``: how every operator body is written."""
    cells = [element(*index) for index in every_index(shape)]
    return from_payloads(numerics, dtype, shape, cells)


Value = TensorValue | tuple[Any, ...] | Shape | Prim | str | None | DType | Closure | PackedFunc | Opaque
