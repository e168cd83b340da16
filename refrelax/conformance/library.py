"""The library functions that conformance cases call. An implementation that runs the suite registers the same ones.

| name | does |
|---|---|
| `conformance.double` | gives its tensor, every element doubled |
| `conformance.copy_into(x, out)` | writes the elements of `x` into `out` |
| `conformance.one_element(x)` | gives a float32 tensor of shape (1,), whatever was promised |
| `conformance.first_scalar(x)` | gives the first element, as a number |
| `conformance.answer()` | gives the int64 42 |
| `conformance.keep(x)` | keeps its tensor, and gives null |
| `conformance.double_kept()` | doubles every element of what was kept last, where it is, and gives null |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.running.arrays import Tensor


def _double(x: Tensor) -> Tensor:
    return Tensor.of(_map(x.tolist()), x.dtype)


def _map(value: Any) -> Any:
    return [_map(each) for each in value] if isinstance(value, list) else 2 * value


def _copy_into(x: Tensor, out: Tensor) -> None:
    out.assign(x)


def _one_element(_x: Tensor) -> Tensor:
    return Tensor.of([1.0], "float32")


def _first_scalar(x: Tensor) -> Any:
    value = x.tolist()
    while isinstance(value, list):
        value = value[0]
    return value


def _answer() -> int:
    return 42


_KEPT: list[Tensor] = []


def _keep(x: Tensor) -> None:
    _KEPT[:] = [x]


def _double_kept() -> None:
    _KEPT[0].assign(_double(_KEPT[0]))


LIBRARY: dict[str, Callable[..., Any]] = {
    "conformance.double": _double,
    "conformance.copy_into": _copy_into,
    "conformance.one_element": _one_element,
    "conformance.first_scalar": _first_scalar,
    "conformance.answer": _answer,
    "conformance.keep": _keep,
    "conformance.double_kept": _double_kept,
}
