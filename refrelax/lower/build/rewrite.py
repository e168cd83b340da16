"""One function built: the table, the checks of its parameters, its bindings as calls, the check of its result.

Spec: ``spec/14-build.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from refrelax.lower.build.calls import translated
from refrelax.lower.build.checks import check
from refrelax.lower.build.code import ANY, TABLE, Code, Unbuildable, number, packed, with_context
from refrelax.lower.build.table import GREATEST, Programs, Table, early
from refrelax.lower.claims import le
from refrelax.lower.kills import killed
from refrelax.lower.to_destinations import names_of
from refrelax.rules import rule
from refrelax.semantics.builtins import contexts
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.dropped import drops
from refrelax.semantics.types.renaming import dims_of
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    Expr,
    Function,
    If,
    MatchCast,
    Param,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.types import VOID, PrimType

__all__ = ["Unbuildable", "built"]


def built(checked: CheckedModule, name: str, function: Function, programs: Programs, hoist: bool = True) -> Function:
    """The function as calls. ``hoist``: extents that can always be computed are, at entry.

    Raises:
        Unbuildable: it has something that the machine has no call for.
    """
    return _Builder(checked.module, name, function, programs, checked.types.get(name, {})).run(hoist)


@dataclass(slots=True)
class _Builder:
    module: Module
    name: str
    function: Function
    programs: Programs
    types: object

    @rule("lo/erased")
    def run(self, hoist: bool) -> Function:
        """The function, its parameters and its result without annotations."""
        func = self.function
        taken = names_of(func)
        table = Table(self.programs)
        heap = Var(taken.fresh("shape_heap"))
        code = Code(table, heap, taken, self.types, self.name, killed(func))  # type: ignore[arg-type]
        self._entry(code, hoist)
        body = self._sequence(code, func.body)
        if func.ret is not None:
            check(code, [(body, func.ret, contexts.of_return(self.name, func.ret))])
        table.close()
        size = number(len(table.slots))
        room = VarBinding(heap.name, with_context("vm.builtin.alloc_shape_heap", (size,), TABLE))
        attrs = dict(func.attrs)
        if func.pure:
            attrs["relax.force_pure"] = True
        return replace(
            func,
            params=tuple(Param(p.name, ANY, span=p.span) for p in func.params),
            ret=ANY,
            body=SeqExpr((BindingBlock((room, *code.bindings)),), body),
            attrs=tuple(sorted(attrs.items())),
            symbols=(),
        )

    def _entry(self, code: Code, hoist: bool) -> None:
        """The checks of the parameters, and the extents that can be computed here."""
        params = self.function.params
        for p in params:
            code.bound(p.name, p.type)
        check(
            code,
            [
                (Var(p.name), p.type, contexts.of_param(self.name, k, p.name, p.type) if p.type is not None else "")
                for k, p in enumerate(params)
            ],
        )
        for p in params:
            if isinstance(p.type, PrimType) and p.type.dtype == "int64" and self._mentions(p.name):
                code.ready((SymVar(p.name, "int64"),))
        if hoist:
            known = frozenset(e.name for e in code.table.known if isinstance(e, SymVar))
            code.ready(early(self.programs.ledger, self.name, self._wanted(), known, self._given()))

    def _mentions(self, name: str) -> bool:
        return any(isinstance(node, SymVar) and node.name == name for node in nodes(self.function.body))

    def _wanted(self) -> Iterator[PrimExpr]:
        """The expressions that the body needs as extents or scalars."""
        for node in nodes(self.function.body):
            match node:
                case ShapeExpr(values=dims):
                    yield from (d for d in dims if as_int(d) is None)
                case PrimValue(value=value) if as_int(value) is None and value.dtype == "int64":
                    yield value

    def _given(self) -> tuple[PrimExpr, ...]:
        """What the checks of the parameters have shown: no extent is negative, and each could be computed."""
        dims = [d for p in self.function.params if p.type is not None for d in dims_of(p.type) if as_int(d) is None]
        known = [each for d in dims for each in (Binary("GE", d, int_imm(0)), le(d, GREATEST))]
        return tuple(dict.fromkeys(known))

    # --- sequences ---------------------------------------------------------------------------------------------------

    def _sequence(self, code: Code, seq: SeqExpr) -> Expr:
        """Write the bindings; the value of the sequence as a name, or what is written out."""
        for block in seq.blocks:
            for binding in block.bindings:
                self._binding(code, binding)
        return code.atom(seq.body) if not isinstance(seq.body, Call) else self._bound(code, seq.body, "gv")

    def _binding(self, code: Code, binding: Binding) -> None:
        if isinstance(binding, MatchCast):
            value = code.atom(binding.value)
            context = contexts.of_match_cast(self.name, binding.name, binding.type)
            check(code, [(value, binding.type, context)])
        else:
            value = self._value(code, binding.value, binding.name)
            if drops(binding) or self._is_dropped(code, binding):
                code.emit(value)
                value = code.compound(Tuple(()))
        code.bindings.append(VarBinding(binding.name, value, span=binding.span))
        code.bound(binding.name, code.types.get(binding.name))

    @staticmethod
    def _is_dropped(code: Code, binding: VarBinding) -> bool:
        """Whether it is a call of a function value that is deduced to give void (``ev/promised-type``)."""
        value = binding.value
        of_value = isinstance(value, Call) and isinstance(value.op, Var) and binding.annotation is None
        return of_value and code.types.get(binding.name) == VOID

    def _bound(self, code: Code, value: Expr, wish: str) -> Var:
        return code.emit(self._value(code, value, wish), wish)

    def _value(self, code: Code, value: Expr, wish: str) -> Expr:
        match value:
            case Call():
                return translated(code, self.module, value, wish)
            case If():
                return self._if(code, value)
            case Tuple() | TupleGetItem():
                return code.compound(value)
            case Function():
                raise Unbuildable("a local function")
            case PrimValue(value=expr):
                return code.scalar(expr, wish)
            case ShapeExpr(values=dims):
                return code.shape(dims, wish)
            case _:
                return value

    @rule("lo/built-if")
    def _if(self, code: Code, branch: If) -> If:
        """The condition is read by a call; what a branch puts in the table is not known after it."""
        read = packed("vm.builtin.read_if_cond", (code.atom(branch.condition),), PrimType("bool"))
        condition = code.emit(read, "cond")
        return If(condition, self._branch(code, branch.then_branch), self._branch(code, branch.else_branch))

    def _branch(self, code: Code, seq: SeqExpr) -> SeqExpr:
        table = code.table
        before = set(table.known)
        inner = code.branch()
        result = self._sequence(inner, seq)
        table.known = before
        blocks = (BindingBlock(tuple(inner.bindings)),) if inner.bindings else ()
        return SeqExpr(blocks, result)
