"""A generated module with arguments, as one strategy."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import refrelax as rr

POLICIES = ("dyadic", "special", "normal", "integer")


def programs(**options: Any) -> st.SearchStrategy[tuple[rr.CheckedModule, list[Any]]]:
    """A checked module and arguments for its ``main``."""
    return _with_arguments(rr.testing.modules(**options))


@st.composite
def _with_arguments(draw: Any, modules: st.SearchStrategy[rr.Module]) -> tuple[rr.CheckedModule, list[Any]]:
    module = draw(modules)
    args = draw(rr.testing.call_arguments(module, policy=draw(st.sampled_from(POLICIES))))
    return rr.check(module), args
