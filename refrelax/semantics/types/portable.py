"""What of a program rests on more of ``sh/equal`` than every implementation shows.

Spec: ``spec/06-shapes.md``, ``sh/portable``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.errors import Diagnostic, Rejection
from refrelax.rules import rule
from refrelax.semantics.dims import Facts
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule


@rule("sh/portable")
def beyond_required(checked: CheckedModule) -> tuple[Diagnostic, ...]:
    """Why an implementation that shows no more than it must would reject this module; nothing if it would not."""
    try:
        check(checked.module, Facts(required=True))
    except Rejection as refused:
        return tuple(
            replace(each, rule="sh/portable", message=f"not portable: {each.message} [{each.rule}]")
            for each in refused.diagnostics
        )
    return ()


__all__ = ["beyond_required"]
