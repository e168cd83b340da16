"""The tie between the spec, the code and the tests: ``@rule`` and ``require``.

A rule id is mnemonic and never ordinal: ``area/what-it-says`` (``wf/var-defined-once``, ``ev/match-cast-mismatch``,
``op.common/axis-range``). The paragraph of ``spec/`` that defines it begins with the id in bold code,
**`area/what-it-says`**;
the code that implements it names it in ``@rule``, ``require``, a diagnostic, a trap or a poison; a conformance case
names
the rule that it targets.
``refrelax rules check`` (``refrelax/conformance/tie.py``) compares the three by reading the source, not by importing
it.

Neither form costs anything while a program runs: which rules fired is observed from outside (``conformance/fired.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from refrelax.errors import Diagnostic, IllTyped, Rejection, Span

F = TypeVar("F", bound=Callable[..., object])

IMPLEMENTED_BY: dict[str, list[Callable[..., object]]] = {}
"""Every function that says it implements a rule, by rule id (``refrelax explain`` shows where they live)."""


def rule(*ids: str) -> Callable[[F], F]:
    """Mark a function as the implementation of the rules ``ids``. The function itself is returned unchanged."""

    def mark(function: F) -> F:
        for each in ids:
            IMPLEMENTED_BY.setdefault(each, []).append(function)
        return function

    return mark


def require(
    condition: bool,
    id: str,
    message: str,
    span: Span | None = None,
    *,
    rejection: type[Rejection] = IllTyped,
    related: tuple[tuple[str, Span | None], ...] = (),
) -> None:
    """Reject the program under rule ``id`` unless ``condition`` holds.

    Raises:
        Rejection: of the class ``rejection`` (``IllTyped`` unless told), with one diagnostic.
    """
    if not condition:
        raise rejection([Diagnostic(id, message, span, related)])
