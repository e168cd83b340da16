"""A generated module with arguments, as one strategy."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import refrelax as rr

POLICIES = ("dyadic", "special", "normal", "integer")


@st.composite
def programs(draw: Any, **options: Any) -> tuple[rr.CheckedModule, list[Any]]:
    """A checked module and arguments for its ``main``."""
    module = draw(rr.testing.modules(**options))
    args = draw(rr.testing.call_arguments(module, policy=draw(st.sampled_from(POLICIES))))
    return rr.check(module), args
