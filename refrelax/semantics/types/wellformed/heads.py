"""Conditions on the head of a function: its attributes.

Spec: ``spec/04-well-formedness.md``, Functions.
"""

from __future__ import annotations

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.syntax.graph import Attrs, StringValue


def text_of(value: object) -> str | None:
    """The text of a string attribute."""
    return value.value if isinstance(value, StringValue) else value if isinstance(value, str) else None


@rule("wf/global-symbol")
def diagnose_head(name: str, attrs: Attrs, private: bool, span: Span | None) -> list[Diagnostic]:
    """A ``global_symbol`` attribute repeats the function's own name; a private function has none."""
    symbol = text_of(dict(attrs).get("global_symbol"))
    if symbol is not None and private:
        message = f"{name} is private, and gives the global_symbol {symbol!r}; expected one of the two"
        return [Diagnostic("wf/global-symbol", message, span)]
    if symbol is None or symbol == name:
        return []
    return [Diagnostic("wf/global-symbol", f"expected global_symbol {name!r}, found {symbol!r}", span)]
