"""Whether two entries are the same up to names.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.semantics.graph.link import reached
from refrelax.syntax.equal import structural_equal
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module


def same_programs(first: Module, second: Module, entry: str) -> bool:
    """Whether all that the entries reach is equal up to names, constants included; not what no run looks at: attributes
    of loop programs (targets, names for the linker) and of the module."""
    return structural_equal(_bare(first, entry), _bare(second, entry)) and _constants(first) == _constants(second)


def same_callees(first: Module, second: Module, entry: str) -> bool:
    """Whether the functions are equal that the entries reach besides themselves."""
    found = [reached(each.functions, (entry,)) for each in (first, second)]
    ours, theirs = ({n: _without_labels(f) for n, f in each.items() if n != entry} for each in found)
    return ours.keys() == theirs.keys() and structural_equal(Module(ours), Module(theirs))


def _bare(module: Module, entry: str) -> Module:
    kept = reached(module.functions, (entry,))
    return replace(module, functions={name: _without_labels(each) for name, each in kept.items()}, attrs=())


def _without_labels(function: BaseFunc) -> BaseFunc:
    """A loop program without the attributes that promise nothing."""
    if not isinstance(function, PrimFunc):
        return function
    promises = tuple((key, value) for key, value in function.attrs if key.startswith("tir_"))
    return replace(function, attrs=promises, private=False)


def _constants(module: Module) -> dict[int, tuple[object, ...]]:
    return {k: (a.dtype, a.shape, tuple(a.patterns())) for k, a in module.constants.items()}
