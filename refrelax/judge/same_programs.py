"""Whether two modules are the same up to names.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from refrelax.syntax.equal import structural_equal
from refrelax.syntax.module import Module


def same_programs(first: Module, second: Module) -> bool:
    """Equal up to names, constants included."""
    return structural_equal(first, second) and _constants(first) == _constants(second)


def _constants(module: Module) -> dict[int, tuple[object, ...]]:
    return {k: (a.dtype, a.shape, tuple(a.patterns())) for k, a in module.constants.items()}
