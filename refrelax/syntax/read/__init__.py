"""TVMScript text to a ``Module``. Chapter 03."""

from __future__ import annotations

from refrelax.syntax.module import Module
from refrelax.syntax.read.module import read_module
from refrelax.syntax.read.source import load, refuse

__all__ = ["parse"]


def parse(text: str, filename: str = "<string>") -> Module:
    """Read a module, in the current spelling or in that of TVM 0.22 and earlier.

    Raises:
        Malformed: the text is no module of the language; the diagnostic says where and why.
    """
    tree, source = load(text, filename)
    try:
        return read_module(source, tree)
    except RecursionError:
        raise refuse(filename, 1, 1, "syn/too-deep", "nesting too deep to read") from None
