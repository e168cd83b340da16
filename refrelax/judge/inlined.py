"""Calls read through: the entry with calls of graph functions, and of library functions by their contracts, in place.

What a call checks at its entry becomes a ``match_cast`` where the types do not already say it, so a proof has to show
that no check fails. A call that cannot be read so stays.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from refrelax.errors import InternalError, Rejection
from refrelax.judge.legalized import SHARING
from refrelax.judge.openings import openings
from refrelax.judge.put_in_place import PutInPlace, is_local
from refrelax.judge.renamed import Stays, with_functions
from refrelax.judge.stored_results import add_inputs, all_fresh, dynamic_call, never_traps, store_program
from refrelax.judge.told import IN_STORAGE
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run
from refrelax.lower.legalize.kernel import Kernel
from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes, reached
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.packing import same_form
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    Call,
    DataflowBlock,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    SeqExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import VOID, AnyType, TensorType, TupleType, Type

NO_MORE: Mapping[str, PrimFunc] = {}

DEEPEST = 8
"""How often calls inside of what was put in place are put in place."""


@dataclass(frozen=True, slots=True)
class Inlined:
    """A program with calls in place. ``contracts``: the library functions whose contracts were read; ``quiet``: no
    contract in place checks anything, so that it stands for the call in every run."""

    program: CheckedModule
    contracts: tuple[str, ...] = ()
    quiet: bool = True


@rule("va/inline")
def inlined(checked: CheckedModule, entry: str) -> Inlined:
    """The entry with calls in place, without the functions that it then reaches no more."""
    checked = _returning(checked, entry)
    contracts: dict[str, None] = {}
    quiet = True
    for _ in range(DEEPEST):
        function = checked.module.functions.get(entry)
        if not isinstance(function, Function):
            break
        inliner = _Inliner(checked, entry, contracts_of(checked.module))
        new = inliner.function(function)
        if not inliner.changed:
            break
        try:
            checked = check(_reachable(checked.module, entry, new, inliner.stores))
        except Rejection:
            break  # a call that only a run can tell to be right stays as it was
        contracts |= inliner.read
        quiet = quiet and inliner.quiet
    return Inlined(_pure(checked, entry), tuple(contracts), quiet)


def _returning(checked: CheckedModule, entry: str) -> CheckedModule:
    """The program with an entry whose result, if only a run can tell that it is of the declared type, is checked by a
    ``match_cast``: a proof has to show that it does not fail."""
    function = checked.module.functions.get(entry)
    promised = any((each.function, each.name) == (entry, "return") for each in checked.promises)
    if not isinstance(function, Function) or function.ret is None or not promised:
        return checked
    names = Taken(each.name for each in nodes(function) if isinstance(each, Var | SymVar | VarBinding | MatchCast))
    name = names.fresh("_returned")
    block = BindingBlock((MatchCast(name, function.body.body, function.ret),))
    body = replace(function.body, blocks=(*function.body.blocks, block), body=Var(name))
    try:
        return check(_reachable(checked.module, entry, replace(function, body=body)))
    except Rejection:
        return checked


def _pure(checked: CheckedModule, entry: str) -> CheckedModule:
    """The program with an entry that says that it is pure, if it is."""
    function = checked.module.functions.get(entry)
    if not isinstance(function, Function) or function.pure:
        return checked
    try:
        return check(_reachable(checked.module, entry, replace(function, pure=True)))
    except Rejection:
        return checked


def _reachable(module: Module, entry: str, new: Function, more: Mapping[str, PrimFunc] = NO_MORE) -> Module:
    return module.with_functions(reached({**module.functions, entry: new, **more}, (entry,)))


@dataclass(slots=True)
class _Inliner(PutInPlace):
    """One round over the blocks of one function."""

    contracts: Mapping[str, str]
    changed: bool
    quiet: bool
    read: dict[str, None]
    local: dict[str, Function]
    stores: dict[str, PrimFunc]
    _planned: bool | None

    def __init__(self, checked: CheckedModule, entry: str, contracts: Mapping[str, str]) -> None:
        self.checked, self.entry, self.contracts = checked, entry, contracts
        self.changed, self.quiet, self.read, self.local, self.stores = False, True, {}, {}, {}
        self._told = self._planned = None
        self.dataflow = False
        function = checked.module.functions[entry]
        self.names = Taken(name.rpartition("/")[2] for name in checked.types.get(entry, {}))
        self.names.add(*(each.name for each in nodes(function) if isinstance(each, Var | SymVar)))
        self.names.add(*(each for each in checked.module.functions))

    def function(self, function: Function) -> Function:
        body = self.sequence(function.body)
        used = {each.name for each in nodes(body) if isinstance(each, Var)}
        kept = tuple(
            replace(each, bindings=tuple(b for b in each.bindings if b.name in used or not is_local(b)))
            for each in body.blocks
        )
        self.changed |= kept != body.blocks
        return replace(function, body=replace(body, blocks=kept))

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        return replace(seq, blocks=tuple(map(self.block, seq.blocks)))

    def block(self, block: Block) -> Block:
        outer, self.dataflow = self.dataflow, isinstance(block, DataflowBlock)
        bindings = tuple(new for old in block.bindings for new in self.binding(old))
        self.dataflow = outer
        return replace(block, bindings=bindings)

    def binding(self, binding: Binding) -> list[Binding]:
        if not isinstance(binding, VarBinding):
            return [binding]
        if isinstance(binding.value, If):
            yes, no = self.sequence(binding.value.then_branch), self.sequence(binding.value.else_branch)
            return [replace(binding, value=replace(binding.value, then_branch=yes, else_branch=no))]
        if isinstance(binding.value, Function):
            self.local[binding.name] = binding.value
        if not isinstance(binding.value, Call):
            return [binding]
        try:
            new = self.call(binding, binding.value)
        except Stays:
            return [binding]
        self.changed = True
        return new

    def call(self, binding: VarBinding, call: Call) -> list[Binding]:
        """What stands for the binding of a call. Raises ``Stays``."""
        match call:
            case Call(op=Op(name="relax.call_dps_packed"), args=(callee, packed)):
                fields_ = packed.fields if isinstance(packed, Tuple) else (packed,)
                if not all(isinstance(self.type_of(each), TensorType) for each in fields_):
                    raise Stays  # a tuple by name is unpacked when the call is made
                return self.library(binding, callee, fields_, call)
            case Call(op=Op(name="relax.call_pure_packed"), args=(callee, *args)):
                return self.library(binding, callee, tuple(args), call)
            case Call(op=ExternFunc() as callee, args=args):
                return self.library(binding, callee, args, call)
            case Call(op=GlobalVar(name=name), args=args):
                function = self.checked.module.functions.get(name)
                if isinstance(function, Function) and name != self.entry:
                    return self.in_place(binding, self.without_closures(function, name), args, None, name)
            case Call(op=Var(name=name), args=args) if name in self.local:
                local = self.local[name]
                return self.in_place(binding, local, args, None, self.entry, self.symbols_around(local))
            case _:
                pass
        raise Stays

    def without_closures(self, function: Function, name: str) -> Function:
        """A function of the module with the calls of its own local functions in place."""
        if not any(is_local(b) for block in function.body.blocks for b in block.bindings):
            return function
        found = inlined(self.checked, name)
        self.read |= dict.fromkeys(found.contracts)
        self.quiet = self.quiet and found.quiet
        new = found.program.module.functions[name]
        assert isinstance(new, Function)
        return new

    def library(self, binding: VarBinding, callee: Expr, args: tuple[Expr, ...], call: Call) -> list[Binding]:
        name = (
            callee.name if isinstance(callee, ExternFunc) else callee.value if isinstance(callee, StringValue) else ""
        )
        if name not in self.contracts:
            raise Stays
        function = self.checked.module.functions[self.contracts[name]]
        assert isinstance(function, Function)
        count = len(function.params)
        if len(args) > count and isinstance(call.op, ExternFunc):
            if any(not isinstance(each, AnyType) and each != VOID for each in call.ty_args) or len(call.ty_args) > 1:
                raise Stays  # it gives nothing, which is then not what it says
            new = self.stored(binding, function, args[:count], args[count:], self.contracts[name])
        else:
            out = call.ty_args[0] if len(call.ty_args) == 1 else TupleType(call.ty_args) if call.ty_args else None
            given = self.checked.signatures[self.contracts[name]].ret
            if isinstance(call.op, Op) and call.op.name == "relax.call_dps_packed" and not same_form(out, given):
                raise Stays  # its results go to the outputs one by one, whatever tuples they come in
            apart = self.apart(args)
            new = [*apart, *self.in_place(binding, function, args, out, self.contracts[name])]
        self.read[name] = None
        self.quiet = self.quiet and all(map(never_traps, new))
        return new

    def stored(
        self, binding: VarBinding, function: Function, args: tuple[Expr, ...], outs: tuple[Expr, ...], where: str
    ) -> list[Binding]:
        """A library function that is given where its results go: its contract's results, each stored by a loop
        program. Raises ``Stays`` where a result may be memory of another's place, which is read before all stores."""
        own = function.ret
        types = own.fields if isinstance(own, TupleType) else (own,)
        if len(types) != len(outs) or (len(outs) > 1 and not all_fresh(function)):
            raise Stays
        result = self.names.fresh("_result")
        function = self.with_memory_of_its_own(function, where)
        new = self.in_place(VarBinding(result, binding.value, None), function, args, None, where)
        for k, (out, type_) in enumerate(zip(outs, types, strict=True)):
            if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or type_.dtype is None:
                raise Stays
            value: Expr = Var(result)
            if isinstance(own, TupleType):
                field_ = self.names.fresh("_field")
                new.append(VarBinding(field_, TupleGetItem(value, k), None))
                value = Var(field_)
            others = [each for each in dict.fromkeys((*args, *outs)) if isinstance(each, Var) and each != out]
            beside = [(each, found) for each in others if (found := self.tensor(each, outs, types)) is not None]
            store = GlobalVar(self.names.fresh("_store"))
            self.stores[store.name] = store_program((len(type_.shape), type_.dtype), [found for _, found in beside])
            name = binding.name if k == len(outs) - 1 else self.names.fresh("_stored")
            typed = isinstance(self.type_of(out), TensorType)
            given = (value, *(each for each, _ in beside), out)
            call = Call(store, given) if typed else dynamic_call(store, given)
            new.append(VarBinding(name, call, None))
        return new

    def apart(self, args: tuple[Expr, ...]) -> list[Binding]:
        """Where tensors lie in storages, those of functions that are put in place too: a call that is given what the
        library function is given, since no two of them may share memory."""
        if not self.planned():
            return []
        found = [(each, self.tensor(each, (), ())) for each in dict.fromkeys(args) if isinstance(each, Var)]
        tensors = [(each, type_) for each, type_ in found if type_ is not None]
        if len(tensors) < 2:
            return []
        callee = GlobalVar(self.names.fresh("_apart"))
        kernel = Kernel("apart")
        add_inputs(kernel, [type_ for _, type_ in tensors])
        self.stores[callee.name] = kernel.finish()
        return [VarBinding(self.names.fresh("_apart_call"), Call(callee, tuple(each for each, _ in tensors)), None)]

    def planned(self) -> bool:
        """Whether a function of the module has tensors in storages; looked for once a round."""
        if self._planned is None:
            functions = self.checked.module.relax_functions().values()
            used = (each for function in functions for each in nodes(function))
            self._planned = any(isinstance(each, Op | ExternFunc) and each.name in IN_STORAGE for each in used)
        return self._planned

    def tensor(self, e: Expr, outs: tuple[Expr, ...], types: Sequence[Type | None]) -> tuple[int, str] | None:
        """The rank and dtype of an argument of a library function, or of room for a result; ``None``: no tensor."""
        found = types[outs.index(e)] if e in outs else self.type_of(e)
        match found:
            case TensorType(dtype=str() as dtype) if found.ndim >= 0:
                return found.ndim, dtype
            case TensorType():
                raise Stays
            case _:
                return None

    def with_memory_of_its_own(self, function: Function, where: str) -> Function:
        """A contract whose operators that may give memory of an argument are loop programs instead: all of it is read
        before anything is stored, so that nobody can see the difference. Raises ``Stays`` where such an operator
        leaves something open that its loops determine."""
        shares = [each for each in nodes(function) if isinstance(each, Op) and each.name in SHARING]
        if not shares:
            return function
        if any(op in SHARING for op, _ in openings(self.checked, where)):
            raise Stays
        kept = reached(self.checked.module.functions, (where,))
        alone = replace(self.checked, module=self.checked.module.with_functions(kept), promises=())
        try:
            lowered = run(alone, Ledger(), frozenset(OPERATORS) - SHARING)
        except (Rejection, InternalError):
            raise Stays from None
        names = {name: self.names.fresh(name) for name in lowered.functions if name not in kept}
        for name, made in names.items():
            program = lowered.functions[name]
            assert isinstance(program, PrimFunc)
            self.stores[made] = program
        new = with_functions(lowered.functions[where], names)
        assert isinstance(new, Function)
        return new
