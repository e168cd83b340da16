"""TVMScript text to a ``Module``. Chapter 03."""

from __future__ import annotations

from refrelax.errors import Malformed
from refrelax.rules import rule
from refrelax.syntax.module import Module
from refrelax.syntax.read.module import read_module
from refrelax.syntax.read.source import load, refuse

__all__ = ["parse"]

SHALLOW = 60
"""Nesting up to which the canonical text of what was read is surely Python: none of its limits is below 100, and a
level of the text read takes one level of the canonical text, or two."""


@rule("syn/too-deep")
def parse(text: str, filename: str = "<string>") -> Module:
    """Read a module, in the current spelling or in that of TVM 0.22 and earlier.

    Raises:
        Malformed: the text is no module of the language; the diagnostic says where and why.
    """
    tree, source = load(text, filename)
    try:
        module = read_module(source, tree)
        if source.deepest > SHALLOW:
            from refrelax.syntax.write.module import print_module

            try:
                load(print_module(module))
            except Malformed as refusal:
                message = f"the canonical text cannot be read: {refusal.diagnostics[0].message}"
                raise refuse(filename, 1, 1, "syn/too-deep", message) from None
    except RecursionError:
        raise refuse(filename, 1, 1, "syn/too-deep", "nesting too deep to read") from None
    return module
