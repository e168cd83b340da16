"""The public functions: thin joints between the rooms.

Names, arguments and outcomes are fixed by the contract; every function says what it takes, gives and raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from refrelax.running.arrays import to_constant
from refrelax.running.run import make_headroom, run
from refrelax.semantics.types.check import check as check_module
from refrelax.semantics.types.checked import CheckedModule, wants
from refrelax.syntax.module import Module


def parse(text: str, filename: str = "<string>") -> Module:
    """Read TVMScript text. Raises ``Malformed``."""
    from refrelax.syntax.read import parse as read

    return read(text, filename)


def bind_constants(module: Module, arrays: Mapping[int, Any]) -> Module:
    """``module`` with the arrays behind ``metadata["ir.GenericConst"][k]``; equality and text are unchanged."""
    bound = {int(k): to_constant(v) for k, v in arrays.items()}
    return replace(module, constants={**module.constants, **bound})


def check(module: Module | CheckedModule) -> CheckedModule:
    """Well-formedness and types; of what is checked already, itself.

    Raises:
        IllFormed, IllTyped: with all diagnostics.
        UsageError: this is no module.
    """
    if isinstance(module, CheckedModule):
        return module
    wants("check", module)
    make_headroom()
    return check_module(module)


def print_module(module: Module | CheckedModule) -> str:
    """Canonical TVMScript: ``parse(print_module(m)) == m``."""
    from refrelax.syntax.write.module import print_module as write

    wants("print_module", module)
    return write(module.module if isinstance(module, CheckedModule) else module)


def structural_equal(a: Module, b: Module) -> bool:
    """Equality up to the names of variables, symbols, buffers and local functions."""
    from refrelax.syntax.equal import structural_equal as equal

    return equal(a, b)


__all__ = ["bind_constants", "check", "parse", "print_module", "run", "structural_equal"]
