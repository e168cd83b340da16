"""Well-formedness: the structural conditions on a module, all of them found in one run.

``graph`` walks Relax functions, ``loops`` TensorIR functions; conditions that need types (purity) are found by
deduction.

Spec: ``spec/04-well-formedness.md``.
"""

from __future__ import annotations

from refrelax.errors import Diagnostic
from refrelax.semantics.types.wellformed.graph import diagnose_function
from refrelax.semantics.types.wellformed.heads import diagnose_contracts, diagnose_head
from refrelax.semantics.types.wellformed.loops import diagnose_prim_func
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module

__all__ = ["diagnose"]


def diagnose(module: Module) -> list[Diagnostic]:
    """Every structural condition that ``module`` breaks; empty for a well-formed one."""
    found: list[Diagnostic] = []
    for name, f in module.functions.items():
        match f:
            case Function():
                found += diagnose_head(name, f.attrs, f.private, f.span)
                found += diagnose_function(module, name, f)
            case PrimFunc():
                found += diagnose_prim_func(module, name, f)
            case _:
                continue
    return found + diagnose_contracts(module)
