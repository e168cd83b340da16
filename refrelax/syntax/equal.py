"""Equality of modules up to renaming.

Two modules are structurally equal if one becomes the other when the variables, symbols, buffers and local functions of
each function of the module are renamed. The functions of the module themselves are known by name.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

from refrelax.syntax.alike import alike
from refrelax.syntax.module import Module


def structural_equal(a: object, b: object) -> bool:
    """Whether ``a`` and ``b`` (modules, functions, or any other syntax) are equal up to renaming.

    Spans, constant arrays and the source text take no part. Depth is no concern: nothing here recurses.
    """
    if not isinstance(a, Module) or not isinstance(b, Module):
        return alike(a, b)
    beside = alike((a.attrs, a.global_infos), (b.attrs, b.global_infos))
    return (
        a.functions.keys() == b.functions.keys()
        and beside
        and all(alike(f, b.functions[k]) for k, f in a.functions.items())
    )
