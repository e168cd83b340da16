"""What library functions do with the tensors that they are given: every access is held to the memory that there is.

A tensor that loop-level code describes in place may reach beyond its memory. Reading there gives poison, writing there
leaves the run open, as anywhere else at that level.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.budget import Meter
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import dtypes

_OUTSIDE = poison("ld/load-out-of-bounds")


class Host(Protocol):
    """What runs a library function: the reading and the budget of the run."""

    @property
    def numerics(self) -> Numerics: ...
    @property
    def meter(self) -> Meter: ...


def wanted(condition: bool, what: str, span: Span | None) -> None:
    """Leave the run open (``vm/argument``) unless the arguments are what the function takes."""
    if not condition:
        raise unspecified("vm/argument", f"this function takes {what}", span)


def tensors(args: Sequence[Any], count: int, what: str, span: Span | None) -> list[TensorValue]:
    """The first ``count`` arguments, which must be tensors."""
    wanted(len(args) >= count and all(isinstance(each, TensorValue) for each in args[:count]), what, span)
    return list(args[:count])


def number(value: Any, span: Span | None) -> int | float:
    """A scalar argument as a number."""
    if not isinstance(value, Prim):
        raise unspecified("vm/argument", "this function takes a number here", span)
    return value.value


def integer(value: Any, span: Span | None) -> int:
    """A scalar argument as an integer."""
    wanted(isinstance(value, Prim) and not dtypes.is_float(value.dtype), "an integer here", span)
    return int(value.value)


def converted(numerics: Numerics, value: float, dtype: str) -> Payload:
    """A number of the host at a dtype: rounded once to a float, else converted as ``num/cast-range`` says."""
    f = numerics.at(dtype)
    if dtypes.is_float(dtype):
        return f.lit(value)
    source = "float64" if isinstance(value, float) else "int64"
    return f.cast(numerics.at(source).lit(value), source)


def elements(x: TensorValue, machine: Host) -> list[Payload]:
    """The elements in row-major order, charged to the budget; what lies outside of the memory is poison."""
    machine.meter.make(x.size)
    if _covers(x):
        return x.payloads()
    cells, settle = x.storage.plane(x.dtype, x.numerics), x.numerics.at(x.dtype).settle
    return [settle(cells[k]) if 0 <= k < len(cells) else _OUTSIDE for k in x.positions()]


@rule("ld/store-out-of-bounds")
def put(x: TensorValue, payloads: Sequence[Payload], span: Span | None) -> None:
    """Overwrite every element, in row-major order."""
    if not _covers(x):
        message = f"a library function writes {x.size} elements, which are not all in the memory of its argument"
        raise unspecified("ld/store-out-of-bounds", message, span)
    x.assign(payloads)


def _covers(x: TensorValue) -> bool:
    """Whether every element lies in the storage."""
    reach = [(n - 1) * stride for n, stride in zip(x.shape, x.strides, strict=True)] if x.size else []
    low, high = (x.offset + sum(bound(0, each) for each in reach) for bound in (min, max))
    return not x.size or (low >= 0 and high < len(x.storage.plane(x.dtype, x.numerics)))
