"""Terms as text, for messages."""

from __future__ import annotations

from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Identity, Int, Load, Number, Old, Open, Term


def shown(t: Term, depth: int = 3) -> str:
    """A term, cut off at ``depth``."""
    from refrelax.syntax.write.scalars import expression

    if depth == 0:
        return "…"
    match t:
        case Int(value):
            return expression(value)
        case Number(dtype, bits):
            from refrelax.syntax.bits import decode

            return f"{decode(dtype, bits)}"
        case Apply(op, _, args):
            return f"{op.removeprefix('T.')}({', '.join(shown(a, depth - 1) for a in args)})"
        case Load(tensor, indices):
            return f"{tensor.name}[{', '.join(map(expression, indices))}]"
        case Choose(condition, yes, no):
            return f"({shown(yes, depth - 1)} if {shown(condition, depth - 1)} else {shown(no, depth - 1)})"
        case Fold():
            axes = ", ".join(f"{v.name} < {expression(extent)}" for v, extent in t.axes)
            return f"{t.op} over {axes} of {shown(t.body, depth - 1)} from {shown(t.start, depth - 1)}"
        case Open():
            return "nothing"
        case Old():
            return "what was there"
        case Identity():
            return "no item"
