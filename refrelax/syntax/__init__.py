"""The language as data: the AST of both levels, text and JSON to it and from it, and equality up to renaming."""

from __future__ import annotations

from refrelax.syntax.equal import structural_equal
from refrelax.syntax.json_ import from_json, to_json
from refrelax.syntax.read import parse
from refrelax.syntax.write.module import print_module

__all__ = ["from_json", "parse", "print_module", "structural_equal", "to_json"]
