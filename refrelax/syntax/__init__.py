"""The language as data: the AST of both levels, text and JSON to it and from it, and equality up to renaming."""

from __future__ import annotations

from refrelax.syntax.equal import structural_equal
from refrelax.syntax.json_ import from_json, to_json
from refrelax.syntax.module import Module
from refrelax.syntax.write.module import print_module


def parse(text: str, filename: str = "<text>") -> Module:
    """Read TVMScript.

    Raises:
        Malformed: the text is no module of the language.
    """
    from refrelax.syntax.read.parse import parse as read  # the reader is large; most users of the AST do without it

    return read(text, filename)


__all__ = ["from_json", "parse", "print_module", "structural_equal", "to_json"]
