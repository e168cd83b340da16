"""Calls read through: the entry with calls of graph functions, and of library functions by their contracts, in place.

What a call checks at its entry becomes a ``match_cast`` where the types do not already say it, so a proof has to show
that no check fails. A call that cannot be read so stays.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from refrelax.errors import InternalError, Rejection
from refrelax.judge.erased import spelled_out
from refrelax.judge.legalized import SHARING
from refrelax.judge.openings import openings
from refrelax.judge.renamed import Renaming, Stays, define, mentions_only, same_types, told, with_functions
from refrelax.judge.stored_results import add_inputs, all_fresh, dynamic_call, never_traps, store_program
from refrelax.judge.told import IN_STORAGE, bindings_of, extents_of
from refrelax.lower.claims import Ledger
from refrelax.lower.legalize import run
from refrelax.lower.legalize.kernel import Kernel
from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.semantics.graph.link import nodes, reached
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.symbol_bounds import symbol_bounds
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import definable
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    Call,
    Constant,
    ConstantRef,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    Param,
    SeqExpr,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.types import VOID, AnyType, ShapeType, TensorType, TupleType, Type, tensor_of

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
class _Inliner:
    """One round over the blocks of one function."""

    checked: CheckedModule
    entry: str
    contracts: Mapping[str, str]
    changed: bool
    quiet: bool
    read: dict[str, None]
    local: dict[str, Function]
    stores: dict[str, PrimFunc]
    names: Taken
    _told: tuple[dict[str, Binding], dict[str, Type | None]] | None
    _planned: bool | None

    def __init__(self, checked: CheckedModule, entry: str, contracts: Mapping[str, str]) -> None:
        self.checked, self.entry, self.contracts = checked, entry, contracts
        self.changed, self.quiet, self.read, self.local, self.stores = False, True, {}, {}, {}
        self._told = self._planned = None
        function = checked.module.functions[entry]
        self.names = Taken(name.rpartition("/")[2] for name in checked.types.get(entry, {}))
        self.names.add(*(each.name for each in nodes(function) if isinstance(each, Var | SymVar)))
        self.names.add(*(each for each in checked.module.functions))

    def function(self, function: Function) -> Function:
        body = self.sequence(function.body)
        used = {each.name for each in nodes(body) if isinstance(each, Var)}
        kept = tuple(
            replace(each, bindings=tuple(b for b in each.bindings if b.name in used or not _is_local(b)))
            for each in body.blocks
        )
        self.changed |= kept != body.blocks
        return replace(function, body=replace(body, blocks=kept))

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        return replace(seq, blocks=tuple(map(self.block, seq.blocks)))

    def block(self, block: Block) -> Block:
        return replace(block, bindings=tuple(new for old in block.bindings for new in self.binding(old)))

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
        if not any(_is_local(b) for block in function.body.blocks for b in block.bindings):
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

    def made_and_checked(self) -> tuple[dict[str, Binding], dict[str, Type | None]]:
        """The bindings of the entry, and what its first checks say of its parameters; read once a round."""
        if self._told is None:
            entry = self.checked.module.functions[self.entry]
            typed = spelled_out(entry, self.checked.module.functions)
            own = {p.name: p.type for p in typed.params} if isinstance(typed, Function) else {}
            self._told = (bindings_of(entry) if isinstance(entry, Function) else {}, own)
        return self._told

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

    def symbols_around(self, local: Function) -> dict[str, PrimExpr]:
        """The symbols that a local function shares with the function around it: those of its parameters. Raises
        ``Stays`` where it mentions one that a check defines, which may stand before it or behind."""
        function = self.checked.module.functions[self.entry]
        assert isinstance(function, Function)
        around = (s for p in function.params if p.type is not None for s in definable(p.type))
        bindings = (b for block in function.body.blocks for b in block.bindings if not _is_local(b))
        casts = (each for b in bindings for each in nodes(b) if isinstance(each, MatchCast))
        checked = {s.name for each in casts for s in definable(each.type)}
        if any(each.name in checked for each in nodes(local) if isinstance(each, SymVar)):
            raise Stays
        return {s.name: s for s in around}

    def in_place(
        self,
        binding: VarBinding,
        function: Function,
        args: tuple[Expr, ...],
        out: Type | None,
        where: str,
        outer: Mapping[str, PrimExpr] | None = None,
    ) -> list[Binding]:
        """The bindings of ``function`` under names of their own, its parameters what the arguments are. ``outer``:
        symbols that have a value where the function stands, which no argument defines anew."""
        bindings = [b for block in function.body.blocks for b in block.bindings]
        plain = not any(isinstance(b, VarBinding) and isinstance(b.value, If) for b in bindings)
        if not plain or function.ret is None or len(args) != len(function.params):
            raise Stays
        if symbol_bounds(function):
            raise Stays  # its promises are its own: in its place they would be forgotten
        rename = Renaming(self.names)
        rename.symbols |= outer or {}
        new = self.arguments(function.params, args, rename)
        result: Type = rename(function.ret)
        wanted = result if out is None else out
        promised = any(p.function == where for p in self.checked.promises)
        checks = promised or not same_types(wanted, result)
        last = function.body.body
        named = last.name if isinstance(last, Var) and bindings and bindings[-1].name == last.name else None
        for b in bindings:
            took_name = not checks and b.name == named
            new.append(rename.binding(b, binding if took_name else None))
        if checks or named is None:
            given: Expr = rename(last)
            made = MatchCast(binding.name, given, wanted) if checks else VarBinding(binding.name, given)
            new.append(replace(made, annotation=binding.annotation))
        return new

    def arguments(self, params: tuple[Param, ...], args: tuple[Expr, ...], rename: Renaming) -> list[Binding]:
        """Give every parameter and symbol what it stands for; the checks that this takes."""
        types = [self.type_of(arg) for arg in args]
        checks: list[Binding] = []
        for param, arg, found in zip(params, args, types, strict=True):
            if param.type is None or found is None:
                raise Stays
            checks += self.bound(param, arg, found, rename.symbols)
            define(param.type, found, rename.symbols)
            if isinstance(found, AnyType) and isinstance(param.type, TensorType):
                told(param.type, extents_of(arg, *self.made_and_checked()), rename.symbols)
        defined = {s.name for p in params if p.type is not None for s in definable(p.type)}
        for name in sorted(defined - rename.symbols.keys()):
            rename.symbols[name] = SymVar(self.names.fresh(name), "int64")
        for param, arg, found in zip(params, args, types, strict=True):
            assert param.type is not None and found is not None
            wanted: Type = rename(param.type)
            if same_types(wanted, found):
                rename.variables[param.name] = self.named(param.name, arg, checks)
            elif isinstance(wanted, TensorType | ShapeType | TupleType):
                fresh = self.names.fresh(param.name)
                checks.append(MatchCast(fresh, arg, wanted))
                rename.variables[param.name] = Var(fresh)
            else:
                raise Stays
        return sorted(checks, key=mentions_only)

    @rule("ev/negative-extent")
    def bound(self, param: Param, arg: Expr, found: Type, known: Mapping[str, PrimExpr]) -> list[Binding]:
        """A shape with symbols binds others in a check by itself, since none may be negative; what the types say
        decides all else. Raises ``Stays`` where a shape in a tuple does, or where a negative number may be refused as
        another one than its symbol has."""
        dims = found.values if isinstance(found, ShapeType) else None
        if not isinstance(param.type, ShapeType) or not isinstance(dims, tuple) or param.type.values is None:
            if isinstance(param.type, TupleType) and any(isinstance(each, ShapeType) for each in nodes(param.type)):
                raise Stays
            return []
        if len(dims) != len(param.type.values):
            return []
        fresh = [isinstance(d, SymVar) for d in param.type.values]
        if all(not new or self.is_extent(d) for new, d in zip(fresh, dims, strict=True)):
            return []
        numbers = dict(known)
        for own, d in zip(param.type.values, dims, strict=True):
            if isinstance(own, SymVar) and not equal(numbers.setdefault(own.name, d), d, NO_FACTS):
                raise Stays
        values = tuple(
            SymVar(self.names.fresh("extent"), "int64") if new else d for new, d in zip(fresh, dims, strict=True)
        )
        return [MatchCast(self.names.fresh(param.name), arg, ShapeType(values, len(values)))]

    def is_extent(self, dim: PrimExpr) -> bool:
        """Whether an extent is seen to be none that is negative: it is written, or that of a tensor that is given."""
        entry = self.checked.module.functions[self.entry]
        types = nodes(tuple(p.type for p in entry.params)) if isinstance(entry, Function) else ()
        given = (d for each in types if isinstance(each, TensorType) for d in each.shape or () if isinstance(d, SymVar))
        number = as_int(dim)
        return number >= 0 if number is not None else dim in tuple(given)

    def named(self, wish: str, arg: Expr, before: list[Binding]) -> Expr:
        if isinstance(arg, Var | Constant | ConstantRef | ShapeExpr):
            return arg
        fresh = self.names.fresh(wish)
        before.append(VarBinding(fresh, arg))
        return Var(fresh)

    def type_of(self, e: Expr) -> Type | None:
        match e:
            case Var(name=name):
                return self.checked.types.get(self.entry, {}).get(name)
            case Constant(dtype=dtype, shape=shape):
                return tensor_of(tuple(map(int_imm, shape)), dtype)
            case ConstantRef(index=index):
                array = self.checked.module.constants.get(index)
                return None if array is None else tensor_of(tuple(map(int_imm, array.shape)), array.dtype)
            case ShapeExpr(values=values):
                return ShapeType(values, len(values))
            case Tuple(fields=parts):
                found = [self.type_of(each) for each in parts]
                known = tuple(each for each in found if each is not None)
                return TupleType(known) if len(known) == len(found) else None
            case _:
                return None


def _is_local(b: Binding) -> bool:
    return isinstance(b, VarBinding) and isinstance(b.value, Function)
