"""Library functions for generated modules: ``EXTERNS`` by name.

They work on payloads through the reading of their arguments, so that every reading can run a module that calls them.
Destination-passing ones take their output last; the others give a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.running.arrays import Tensor
from refrelax.semantics.values import from_payloads


def copy_into(x: Tensor, out: Tensor) -> None:
    """``out[...] = x``."""
    out.core.assign(x.core.payloads())


def add_into(x: Tensor, y: Tensor, out: Tensor) -> None:
    """``out[...] = x + y``, all of one dtype and shape."""
    add = x.core.numerics.at(x.dtype).add
    out.core.assign([add(a, b) for a, b in zip(x.core.payloads(), y.core.payloads(), strict=True)])


def reversed_(x: Tensor) -> Tensor:
    """The elements in reverse order, under the same shape."""
    return _like(x, x.core.payloads()[::-1])


def doubled(x: Tensor) -> Tensor:
    """``x + x``."""
    add = x.core.numerics.at(x.dtype).add
    return _like(x, [add(a, a) for a in x.core.payloads()])


def _like(x: Tensor, payloads: list[Any]) -> Tensor:
    return Tensor(from_payloads(x.core.numerics, x.dtype, x.shape, payloads))


EXTERNS: dict[str, Callable[..., Any]] = {
    "testing.copy_into": copy_into,
    "testing.add_into": add_into,
    "testing.reversed": reversed_,
    "testing.doubled": doubled,
}
"""What to pass as ``externs=`` when a generated module runs."""
