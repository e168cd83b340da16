"""An implementation with a few defects of each kind: the definition itself, but for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import refrelax as rr
from refrelax.judge.implementation import ImplementationFailed
from refrelax.running.arrays import Tensor, pack
from refrelax.syntax.write.module import print_module


class Strange:
    """Refuses bfloat16, dies of ``R.tril``, and gives zeros for ``R.exp`` and ``R.sum``."""

    name = "strange"

    def run(self, module: rr.Module, entry: str, args: Sequence[Any]) -> Any:
        text = print_module(module)
        if "bfloat16" in text:
            raise ImplementationFailed("refused", "build: no bfloat16", "", "build.py:convert")
        if "R.tril(" in text:
            raise ImplementationFailed("crash", "SIGSEGV")
        end = rr.run(rr.check(module), entry, *args)
        if isinstance(end, rr.Returned) and isinstance(end.value, Tensor) and ("R.exp(" in text or "R.sum(" in text):
            zeros = Tensor.of_bytes(end.value.dtype, end.value.shape, pack(end.value.dtype, [0] * _size(end.value)))
            return rr.Returned(zeros, end.arguments)
        return end


def _size(value: Tensor) -> int:
    size = 1
    for each in value.shape:
        size *= each
    return size


def find(*_: Any) -> Strange:
    """What a plan asks for."""
    return Strange()
