"""Destination passing: ``y = R.call_tir(f, args, out_ty)`` becomes an allocation and a plain call ``cls.f(*args, y)``.

Dataflow blocks become ordinary ones, since calls for their effect on memory are impure, and the functions are marked
``relax.force_pure``: they were checked pure before. A loop program that only reshapes becomes a view, unless some call
of the module updates memory in place. That needs the claim that the call's entry check succeeds, and nothing else does.

Spec: ``spec/12-memory.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from refrelax.lower.annotations import bound, promises_of, says_as_much
from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_ops.graph import operand
from refrelax.lower.fuse_ops.interface import dims_equal, extents, interface
from refrelax.lower.kills import killed
from refrelax.lower.names import Taken
from refrelax.lower.reshapes import is_reshape
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.overwriting import stores_somewhere
from refrelax.semantics.ops import DESTINATION_PASSING
from refrelax.semantics.types.calls import inplace_indices
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.packing import packed, parts
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    DataTypeValue,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import int_imm
from refrelax.syntax.types import VOID, TensorType, TupleType, Type


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The module with every destination-passing call spelled out."""
    module = checked.module
    views = not stores_somewhere(module.functions)
    functions: dict[str, BaseFunc] = {}
    for name, func in module.functions.items():
        functions[name] = func
        if isinstance(func, Function):
            types = by_name(checked.types.get(name, {}))
            promised = promises_of(checked, name)
            rewriter = _Rewriter(module, name, types, ledger, names_of(func), views, promised, taken_apart(func))
            functions[name] = rewriter.function(func)
    return module.with_functions(functions)


def names_of(func: Function) -> Taken:
    """Every name that a function defines or mentions."""
    taken = Taken()
    for node in nodes(func):
        name = getattr(node, "name", None)
        if isinstance(name, str):
            taken.add(name)
    return taken


def by_name(types: Mapping[str, Type]) -> dict[str, Type]:
    """The types of a function's variables, those of its local functions (``inner/x``) included; none of a name that two
    have at different types."""
    found: dict[str, set[Type]] = {}
    for path, type_ in types.items():
        found.setdefault(path.rpartition("/")[2], set()).add(type_)
    return {name: each.pop() for name, each in found.items() if len(each) == 1}


def taken_apart(func: Function) -> frozenset[str]:
    """The names of tuples that are mentioned in bindings of a field, and nowhere else. None, where the function ends
    the life of a name: a field may live longer."""
    if killed(func):
        return frozenset()
    mentions = Counter(node.name for node in nodes(func) if isinstance(node, Var))
    bound = (node.value for node in nodes(func) if isinstance(node, VarBinding))
    fields = Counter(e.tuple.name for e in bound if isinstance(e, TupleGetItem) and isinstance(e.tuple, Var))
    return frozenset(name for name, count in mentions.items() if fields[name] == count)


def allocation(ty: TensorType) -> Call:
    """``R.builtin.alloc_tensor`` of a type with known dims and dtype."""
    assert isinstance(ty.shape, tuple) and ty.dtype is not None
    args: tuple[Expr, ...] = (
        ShapeExpr(ty.shape), DataTypeValue(ty.dtype), PrimValue(int_imm(0)), StringValue("global")
    )  # fmt: skip
    return Call(Op("relax.builtin.alloc_tensor"), args)


@dataclass(slots=True)
class _Rewriter:
    """One function of the module, ``where``; ``types`` of what it binds. ``views``: reshapes may share memory;
    ``promised``: names whose annotation is a promise; ``apart``: tuples of which nothing but fields is used;
    ``outputs``: what those of them are that were spelled out."""

    module: Module
    where: str
    types: Mapping[str, Type]
    ledger: Ledger
    taken: Taken
    views: bool
    promised: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    outputs: dict[str, tuple[Expr, ...]] = field(default_factory=dict)

    @rule("lo/destinations")
    def function(self, func: Function) -> Function:
        """The function, its nested functions included."""
        attrs = dict(func.attrs)
        if func.pure:
            attrs["relax.force_pure"] = True
        return replace(func, body=self.sequence(func.body), attrs=tuple(sorted(attrs.items())))

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        """One block of ordinary bindings."""
        found: list[Binding] = []
        for block in seq.blocks:
            for binding in block.bindings:
                found.extend(self.binding(binding))
        blocks = (BindingBlock(tuple(found)),) if found else ()
        return replace(seq, blocks=blocks)

    def binding(self, binding: Binding) -> list[Binding]:
        """What stands in the place of a binding."""
        if isinstance(binding, MatchCast):
            return [binding]
        match binding.value:
            case Function() as inner:
                return [replace(binding, value=self.function(inner))]
            case If() as branch:
                then, other = self.sequence(branch.then_branch), self.sequence(branch.else_branch)
                return [replace(binding, value=replace(branch, then_branch=then, else_branch=other))]
            case Call(op=Op(name=name)) as call if name in DESTINATION_PASSING:
                return self.spelled_out(binding, call) or [binding]
            case TupleGetItem(tuple=Var(name=name), index=index) if name in self.outputs:
                return [replace(binding, value=self.outputs[name][index])]
            case _:
                return [binding]

    def spelled_out(self, binding: VarBinding, call: Call) -> list[Binding]:
        """The allocations, the call, and the name; nothing where the call has another form than these."""
        types = _outputs(call)
        given = call.args[1]
        trailing = call.args[2:]
        if types is None or not isinstance(given, Tuple) or not all(isinstance(e, ShapeExpr) for e in trailing):
            return []
        view = self._view(binding, call, types)
        if view is not None:
            return [view]
        extents = [PrimValue(d) for e in trailing if isinstance(e, ShapeExpr) for d in e.values]
        places = inplace_indices(call) or (-1,) * len(types)
        own = call.ty_args[0]
        several = isinstance(own, TupleType)
        found: list[Binding] = []
        outputs: list[Expr] = []
        fresh: list[Expr] = []
        given = self.named(given, places, found)
        for k, (place, ty) in enumerate(zip(places, types, strict=True)):
            if place >= 0:
                outputs.append(given.fields[place])
                continue
            plain = not several and binding.annotation in (None, ty)  # (else the call would see another type)
            name = binding.name if plain else self.taken.fresh(f"{binding.name}_{k}")
            annotation = binding.annotation if plain else ty
            found.append(VarBinding(name, allocation(ty), annotation, span=call.span))
            outputs.append(Var(name))
            fresh.append(Var(name))
        found.append(VarBinding(self.taken.fresh("_call"), self._call(call, (*given.fields, *fresh, *extents)), None))
        given_back = packed(own, iter(outputs), Tuple)
        if isinstance(given_back, Tuple) and binding.name in self.apart and says_as_much(binding, own, self.promised):
            self.outputs[binding.name] = given_back.fields
        elif several:
            found.append(bound(binding, given_back, own, self.promised))
        elif outputs != [Var(binding.name)]:
            found.append(bound(binding, outputs[0], own, self.promised))
        return found

    def named(self, given: Tuple, places: tuple[int, ...], before: list[Binding]) -> Tuple:
        """The arguments, with a name for what is written down and stored in: written twice it is memory of its own
        twice."""
        fields = list(given.fields)
        for place in places:
            if place >= 0 and not isinstance(fields[place], Var):
                name = self.taken.fresh("_kept")
                before.append(VarBinding(name, fields[place], None))
                fields[place] = Var(name)
        return Tuple(tuple(fields))

    def _call(self, call: Call, args: tuple[Expr, ...]) -> Call:
        """``cls.f(…)``, or a library function called for its effect."""
        match call.args[0]:
            case GlobalVar() as callee:
                return Call(callee, args, span=call.span)
            case ExternFunc(name=name) | StringValue(value=name):
                return Call(ExternFunc(name), args, ty_args=(VOID,), span=call.span)
            case other:
                assert isinstance(other, Var)
                return Call(other, args, ty_args=(VOID,), span=call.span)

    @rule("lo/views")
    def _view(self, binding: VarBinding, call: Call, types: tuple[TensorType, ...]) -> VarBinding | None:
        """A reshape of one tensor as a view of it."""
        callee, given = call.args[0], call.args[1]
        if not self.views or not isinstance(callee, GlobalVar) or not isinstance(given, Tuple) or len(types) != 1:
            return None
        func = self.module.functions[callee.name]
        (ty,) = types
        if not isinstance(func, PrimFunc) or len(given.fields) != 1 or len(call.args) > 2 or not is_reshape(func):
            return None
        if inplace_indices(call) or isinstance(call.ty_args[0], TupleType):
            return None
        if not self._passes(func, given.fields[0], ty, f"{self.where}/{binding.name}"):
            return None
        assert isinstance(ty.shape, tuple) and ty.dtype is not None
        args = (given.fields[0], ShapeExpr(ty.shape), DataTypeValue(ty.dtype), PrimValue(int_imm(0)))
        return replace(binding, value=Call(Op("relax.memory.view"), args, span=call.span))

    @rule("lo/fuse-shape-equal")
    def _passes(self, func: PrimFunc, given: Expr, ty: TensorType, where: str) -> bool:
        """Whether the entry check of a call is proved to succeed: a view does not make it."""
        source = operand(self.module, self.types, given)
        if not isinstance(source, TensorType):
            return False
        found = interface(func, (source, ty))
        return found is not None and dims_equal(self.ledger, list(found.equal), where, extents([source, ty]))


def _outputs(call: Call) -> tuple[TensorType, ...] | None:
    """The types of the outputs, where an allocation can be written for each."""
    (annotation,) = call.ty_args
    fields = parts(annotation)
    for each in fields:
        if not isinstance(each, TensorType) or not isinstance(each.shape, tuple) or each.dtype is None or each.vdevice:
            return None
    return tuple(each for each in fields if isinstance(each, TensorType))
