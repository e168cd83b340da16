"""Bindings whose annotation drops what their call gives.

Spec: ``spec/07-evaluation.md``, ``ev/promised-type``.
"""

from __future__ import annotations

from refrelax.syntax.graph import Binding, Call, VarBinding
from refrelax.syntax.types import VOID


def drops(binding: Binding) -> bool:
    """Whether a binding is of void, whatever its call gives."""
    return isinstance(binding, VarBinding) and isinstance(binding.value, Call) and binding.annotation == VOID


__all__ = ["drops"]
