"""The call of a page's example, and its operator's definition written down for it.

Every extent that the example writes as a number above 1 becomes a symbol, equal numbers one symbol, where the text of
the operator can be written down so; what cannot be asked of symbols stays a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from refrelax import api
from refrelax.judge.openings import operands
from refrelax.lower.legalize.site import Typing
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.indices import Unfit
from refrelax.semantics.ops.meaning.terms import written
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Call, Function, Op, Tuple, Var, VarBinding
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int
from refrelax.syntax.signatures import has_signature, signature
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type

EXTENTS = "NMKHWDCUVXYZ"
"""What the extents of a sample are called, in the order in which they come."""


@dataclass(frozen=True, slots=True)
class Sample:
    """An example's call of the operator that it is about."""

    checked: CheckedModule
    entry: str
    call: Call

    @property
    def given(self) -> bool:
        """Whether the call takes an argument of the example: only then does it depend on what that is."""
        function = self.checked.module.functions[self.entry]
        assert isinstance(function, Function)
        fields = [each for a in self.call.args for each in (a.fields if isinstance(a, Tuple) else (a,))]
        names = {each.name for each in function.params}
        return any(isinstance(each, Var) and each.name in names for each in fields)


def sample(text: str, operator: str) -> Sample | None:
    """The first call of an operator in an example."""
    checked = api.check(api.parse(text))
    for entry, function in checked.module.functions.items():
        if isinstance(function, Function):
            for call in _calls(function):
                if isinstance(call.op, Op) and call.op.name == operator:
                    return Sample(checked, entry, call)
    return None


def _calls(function: Function) -> Iterable[Call]:
    for block in function.body.blocks:
        for binding in block.bindings:
            if isinstance(binding, VarBinding) and isinstance(binding.value, Call):
                yield binding.value


def program(found: Sample) -> data.Program | None:
    """The definition for the example's call; ``None`` of an operator without a text, or where none can be written."""
    text = OPERATORS[found.call.op.name].text if isinstance(found.call.op, Op) else None
    if text is None:
        return None
    typing = Typing(found.checked.module, found.checked.types.get(found.entry, {}).get)
    types = [typing.of(each) for each in found.call.args]
    for named in (types, None):
        names = Names() if named is not None else None
        try:
            given = [
                each
                for k, (arg, slot) in enumerate(zip(found.call.args, _slots(found.call), strict=True))
                for each in renamed(operands(k, arg, types[k] if names is None else names.of(types[k])), slot)
            ]
            return written(text, found.call, *given)
        except Unfit:
            continue
    return None


def renamed(operands: list[Any], slot: str) -> list[Any]:
    """Operands called as the signature calls their argument; of several with their number behind."""
    several = len(operands) > 1
    return [
        (f"{slot}{n if several else ''}", *each[1:]) if isinstance(each, tuple) else each
        for n, each in enumerate(operands)
    ]


def _slots(call: Call) -> list[str]:
    assert isinstance(call.op, Op)
    known = [each.name for each in signature(call.op.name).args] if has_signature(call.op.name) else []
    return [known[k] if k < len(known) else f"x{k}" for k in range(len(call.args))]


class Names:
    """Numbers of extents to the symbols that stand for them."""

    def __init__(self) -> None:
        self.known: dict[int, SymVar] = {}

    def dim(self, e: PrimExpr) -> PrimExpr:
        n = as_int(e)
        if n is None or n <= 1:
            return e
        if n not in self.known:
            k = len(self.known)
            self.known[n] = SymVar(EXTENTS[k] if k < len(EXTENTS) else f"N{k}")
        return self.known[n]

    def of(self, t: Type | None) -> Type | None:
        """A type with symbols in place of the numbers of its tensors."""
        match t:
            case TensorType(shape=tuple() as dims):
                return replace(t, shape=tuple(map(self.dim, dims)))
            case TupleType(fields=fields):
                return replace(t, fields=tuple(self.of(each) for each in fields))  # type: ignore[misc]
            case ShapeType():
                return t
            case _:
                return t
