"""A result with a negative extent is an end of the program that gave it, and no fault of what carries it."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from refrelax.interop.tvm import worker


class _Tensor:
    dtype = "float32"

    def numpy(self) -> Any:
        raise ValueError("negative dimensions are not allowed")


def test_a_tensor_that_no_array_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = SimpleNamespace(Tensor=_Tensor, ShapeTuple=type("ShapeTuple", (), {}))
    monkeypatch.setitem(sys.modules, "tvm", SimpleNamespace(runtime=runtime))
    assert worker.returned((_Tensor(), 1), []) == {"raised": ["ValueError", "negative dimensions are not allowed"]}
    assert worker.returned(3, [4]) == {"returned": 3, "arguments": [4]}
