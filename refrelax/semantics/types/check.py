"""``check``: the only maker of a ``CheckedModule``.

Spec: ``spec/04-well-formedness.md``, ``spec/05-types.md``.
"""

from __future__ import annotations

from refrelax.errors import Diagnostic, IllFormed, IllTyped
from refrelax.semantics.dims import NO_FACTS, Facts
from refrelax.semantics.types.checked import CheckedModule, make_checked
from refrelax.semantics.types.context import Journal, TypingContext
from refrelax.semantics.types.deduce import function_type
from refrelax.semantics.types.named_variables import diagnose_named
from refrelax.semantics.types.signatures import base_type, deduction_order
from refrelax.semantics.types.wellformed import diagnose
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module
from refrelax.syntax.types import FuncType, Type


def check(module: Module, facts: Facts = NO_FACTS) -> CheckedModule:
    """Check that ``module`` is well-formed and deduce the type of everything in it, with ``facts`` where it begins.

    Raises:
        IllFormed: some diagnostic is about structure (``wf/…``); the others found are there too.
        IllTyped: deduction found a contradiction. Both carry *all* diagnostics: first those about structure, of which
            others may be consequences, each kind in source order.
    """
    problems = diagnose(module)
    journal = Journal()
    signatures: dict[str, FuncType] = {name: base_type(f) for name, f in module.functions.items()}
    types: dict[str, dict[str, Type]] = {}
    for name in deduction_order(module):
        f = module.functions[name]
        assert isinstance(f, Function)
        frame = TypingContext(module, journal, signatures, name, f.pure, facts=facts)
        signatures[name] = function_type(frame, f)
        types[name] = frame.named
        journal.diagnostics += diagnose_named(f, frame.types, frame.spans)
    problems = _in_order([*problems, *journal.diagnostics])
    if problems:
        ill_formed = any(each.rule.startswith("wf/") for each in problems)
        raise (IllFormed if ill_formed else IllTyped)(problems)
    return make_checked(
        module,
        {name: types[name] for name in sorted(types)},
        signatures,
        tuple(journal.promises),
        tuple(journal.entry_checks),
        tuple(journal.steps),
        tuple(dict.fromkeys(journal.notes)),
        tuple(journal.open_equalities),
    )


def _in_order(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Without repetitions, structure first, by place; what has no place comes last."""

    def place(each: Diagnostic) -> tuple[bool, bool, str, int, int]:
        span, types = each.span, not each.rule.startswith("wf/")
        return (types, span is None, span.file if span else "", span.line if span else 0, span.column if span else 0)

    return sorted(dict.fromkeys(problems), key=place)
