"""Making programs and inputs: random arguments by type, and Hypothesis strategies for modules.

    from hypothesis import given, strategies as st

    @given(st.data())
    def test_my_backend(data):
        module = data.draw(rr.testing.modules())
        args = data.draw(rr.testing.call_arguments(module))

Hypothesis is an optional dependency (``refrelax[testing]``): the strategies are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from refrelax.extras import optional
from refrelax.testing.arguments import random_arguments

if TYPE_CHECKING:
    from refrelax.testing.externs import EXTERNS
    from refrelax.testing.module_strategies import modules
    from refrelax.testing.options import DTYPES, FEATURES, LEVELS
    from refrelax.testing.passes import pass_sequences
    from refrelax.testing.scalar_strategies import float_terms, index_terms, truth_terms
    from refrelax.testing.type_strategies import dims, tensor_types, types
    from refrelax.testing.values import call_arguments, elements, tensors

_HOME: dict[str, str] = {
    "EXTERNS": "externs",
    "modules": "module_strategies",
    **dict.fromkeys(("DTYPES", "FEATURES", "LEVELS"), "options"),
    "pass_sequences": "passes",
    **dict.fromkeys(("float_terms", "index_terms", "truth_terms"), "scalar_strategies"),
    **dict.fromkeys(("dims", "tensor_types", "types"), "type_strategies"),
    **dict.fromkeys(("call_arguments", "elements", "tensors"), "values"),
}


def __getattr__(name: str) -> Any:
    """A public name from its file, imported on first use."""
    if name in _HOME:
        with optional(f"refrelax.testing.{name}"):
            home = import_module(f"refrelax.testing.{_HOME[name]}")
        found = globals()[name] = getattr(home, name)
        return found
    raise AttributeError(f"module 'refrelax.testing' has no attribute {name!r}")


__all__ = [
    "DTYPES", "EXTERNS", "FEATURES", "LEVELS", "call_arguments", "dims", "elements", "float_terms",
    "index_terms", "modules", "pass_sequences", "random_arguments", "tensor_types", "tensors", "truth_terms", "types",
]  # fmt: skip
