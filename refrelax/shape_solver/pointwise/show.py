"""Terms as text, for messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.semantics.dims import substitute
from refrelax.shape_solver.pointwise.terms import (
    Apply,
    Choose,
    Fold,
    Identity,
    Int,
    Load,
    Number,
    Old,
    OpenTerm,
    Term,
    Terms,
)
from refrelax.syntax.bits import decode
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.write.scalars import expression

DEPTH = 3


@dataclass(slots=True)
class Words:
    """How one message speaks of terms: fresh variables by a name as short as theirs alone, elements that stand in an
    index as what they are."""

    terms: Terms
    names: dict[str, str] = field(default_factory=dict)

    def name(self, variable: str) -> str:
        """The name of a variable: ``i`` for the first that was made of ``i``, ``i'`` for the next."""
        if variable not in self.names:
            found = variable.partition("%")[0]
            while found in self.names.values():
                found += "'"
            self.names[variable] = found
        return self.names[variable]

    def named(self, e: PrimExpr, depth: int = DEPTH) -> PrimExpr:
        """An index expression in the names of the message."""
        opaque = self.terms.opaque
        return substitute(
            e,
            {
                name: SymVar(self.term(opaque[name], depth - 1) if name in opaque else self.name(name))
                for name in sorted(free_symbols(e))
            },
        )

    def index(self, e: PrimExpr, depth: int = DEPTH) -> str:
        """An index expression."""
        return expression(self.named(e, depth))

    def term(self, t: Term, depth: int = DEPTH) -> str:
        """A term, cut off at ``depth``."""
        if depth == 0:
            return "…"
        match t:
            case Int(value):
                return self.index(value, depth)
            case Number(dtype, bits):
                return f"{decode(dtype, bits)}"
            case Apply(op, _, args):
                return f"{op.removeprefix('T.')}({', '.join(self.term(a, depth - 1) for a in args)})"
            case Load(tensor, indices):
                return f"{tensor.name}[{', '.join(self.index(i, depth) for i in indices)}]"
            case Choose(condition, yes, no):
                then, test, other = (self.term(each, depth - 1) for each in (yes, condition, no))
                return f"({then} if {test} else {other})"
            case Fold():
                axes = ", ".join(f"{self.name(v.name)} < {self.index(extent, depth)}" for v, extent in t.axes)
                return f"{t.op} over {axes} of {self.term(t.body, depth - 1)} from {self.term(t.start, depth - 1)}"
            case OpenTerm():
                return "nothing"
            case Old():
                return "what was there"
            case Identity():
                return "no item"


def unequal(terms: Terms, a: Term, b: Term) -> str:
    """That an element of the first program is not seen to be one of the second."""
    words = Words(terms)
    ours, theirs = words.term(a), words.term(b)
    if ours == theirs:
        return f"{ours} of the first program is not seen to be {theirs} of the second"
    return f"{ours}  is not seen to be  {theirs}"
