"""Loop programs that a pass left without a caller."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.semantics.types.purity import expressions, statements
from refrelax.semantics.types.signatures import callees
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc
from refrelax.syntax.scalars import Intrinsic, walk


def called(functions: Mapping[str, BaseFunc]) -> set[str]:
    """Names of the functions that some function of the module refers to."""
    found: set[str] = set()
    for f in functions.values():
        if isinstance(f, Function):
            found.update(callees(f))
        elif isinstance(f, PrimFunc):
            for s in statements(f.body):
                for e in expressions(s):
                    calls = (n.op for n in walk(e) if isinstance(n, Intrinsic))
                    found |= {op.removeprefix("cls.") for op in calls if op.startswith("cls.")}
    return found


def without_orphans(functions: Mapping[str, BaseFunc], before: Mapping[str, BaseFunc]) -> dict[str, BaseFunc]:
    """``functions`` without the private loop programs that had a caller in ``before`` and have none any more."""
    had, have = called(before), called(functions)
    lost = {name for name in had - have if isinstance(f := functions.get(name), PrimFunc) and f.private}
    return {name: f for name, f in functions.items() if name not in lost}
