"""Strategies for sequences of passes."""

from __future__ import annotations

from collections.abc import Collection
from importlib.util import find_spec

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

from refrelax.lower.pipeline import PASSES, PIPELINES
from refrelax.testing.options import check_integer

ORDER = PIPELINES["default"]
"""The order in which passes build on each other."""


def available() -> tuple[str, ...]:
    """The passes that exist, in the order of the default pipeline, then the others."""
    names = [*ORDER, *(name for name in PASSES if name not in ORDER)]
    return tuple(name for name in names if find_spec(PASSES[name]) is not None)


def pass_sequences(
    *, passes: Collection[str] | None = None, max_size: int = 6, any_order: bool = False
) -> st.SearchStrategy[tuple[str, ...]]:
    """Sequences of passes for ``rr.lower(checked, passes=…)``.

    Without ``any_order`` a subsequence of the default pipeline, each pass at most once; with it, passes in any order
    and repeated. Shrinks to few passes.

    >>> pass_sequences(passes=["legalize", "dead_code"]).example()  # doctest: +SKIP
    ('legalize',)

    Raises:
        InvalidArgument: an unknown pass, or a negative size.
    """
    check_integer("max_size", max_size, 0)
    if isinstance(passes, str):
        raise InvalidArgument(f"passes={passes!r}: expected a collection of names")
    unknown = sorted(set(passes or ()) - set(PASSES))
    if unknown:
        raise InvalidArgument(f"passes: unknown {', '.join(unknown)}; known: {', '.join(PASSES)}")
    names = [name for name in available() if passes is None or name in passes]
    if not names or max_size == 0:
        return st.just(())
    if any_order:
        return st.lists(st.sampled_from(names), max_size=max_size).map(tuple)
    return st.lists(st.sampled_from(names), max_size=max_size, unique=True).map(
        lambda chosen: tuple(sorted(chosen, key=names.index))
    )
