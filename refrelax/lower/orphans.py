"""Loop programs that a pass left without a caller."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.semantics.graph.link import callees
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc


def called(functions: Mapping[str, BaseFunc]) -> set[str]:
    """Names of the functions that some function of the module refers to."""
    return {name for f in functions.values() for name in callees(f)}


def without_orphans(functions: Mapping[str, BaseFunc], before: Mapping[str, BaseFunc]) -> dict[str, BaseFunc]:
    """``functions`` without the private loop programs that had a caller in ``before`` and have none any more."""
    had, have = called(before), called(functions)
    lost = {name for name in had - have if isinstance(f := functions.get(name), PrimFunc) and f.private}
    return {name: f for name, f in functions.items() if name not in lost}
