"""The shapes that expressions must have: A-normal form, and the operators with a form of their own.

Spec: ``spec/04-well-formedness.md``, Normal form.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.ops import CALL_FORMS
from refrelax.syntax.graph import LEAVES, Call, Expr, Op, Tuple, TupleGetItem

LEAF_OR_TUPLE = (*LEAVES, Tuple)
"""What may stand inside another expression; the fields of a tuple are held to the same."""

_INLINE = frozenset(form.name for form in CALL_FORMS.values() if form.destinations and not form.library)


def children_of(e: Expr) -> Iterator[tuple[str, Expr]]:
    """The direct sub-expressions of a call, a tuple or a projection, each with the words for its place."""
    match e:
        case Call():
            if not isinstance(e.op, Op):
                yield "the callee", e.op
            for position, arg in enumerate(e.args):
                yield f"argument {position}", arg
        case Tuple():
            for position, field in enumerate(e.fields):
                yield f"field {position} of a tuple", field
        case TupleGetItem():
            yield "the operand of a projection", e.tuple
        case _:
            return


@rule("wf/call-tir-inline-tuple")
def call_tir_form(call: Call, span: Span | None) -> list[Diagnostic]:
    """The arguments of ``call_tir`` and its kin are a tuple written in place, never a variable that holds one."""
    if not isinstance(call.op, Op) or call.op.name not in _INLINE or len(call.args) != 2:
        return []
    if isinstance(call.args[1], Tuple):
        return []
    name = call.op.name.replace("relax.", "R.", 1)
    message = f"{name} takes its arguments as a tuple written in place, found {type(call.args[1]).__name__}"
    return [Diagnostic("wf/call-tir-inline-tuple", message, span)]
