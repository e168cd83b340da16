"""Graph-level functions as element terms: bindings composed, loop programs read, branches joined, memory followed.

Whatever element terms cannot say raises ``NotRead``: no proof, never a wrong one.

Spec: ``spec/06c-pointwise.md``, ``va/pointwise``, ``va/branches``, ``va/planned-memory``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from refrelax.judge import recorded
from refrelax.judge.built import LIBRARIES, Table, called, computed
from refrelax.judge.planned import WITHIN, Joined, Memory, Place, Room, View
from refrelax.judge.same_calls import Calls, Made, repeatable, unknown
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.loops.visit import stored_to
from refrelax.semantics.ops import OVERWRITING
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.calls import inplace_indices
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.shape_solver.pointwise import OPEN, Definedness, Descent, Logic, NotRead, TensorTerm, Term, Terms, read
from refrelax.shape_solver.pointwise.elements import Reading
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.shape_solver.pointwise.views import reshaped
from refrelax.syntax import dtypes, graph
from refrelax.syntax.loops import BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, bool_imm, free_symbols, int_imm
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type
from refrelax.syntax.write.scalars import expression

Value = TensorTerm | tuple["Value", ...] | PrimExpr | graph.ShapeExpr | Place | View | Room | Joined | Table
"""What a binding holds: a tensor, a tuple, a scalar, a shape; in planned memory a place, a view of one, a storage; what
an ``if`` gives."""

MEMORY = ("relax.memory.", "relax.vm.alloc", "relax.vm.kill", "relax.builtin.alloc_tensor")
"""How the names of the operators on memory begin."""


def as_number(x: Value) -> PrimExpr | None:
    """A scalar, if it is one."""
    match x:
        case TensorTerm() | tuple() | graph.ShapeExpr() | Place() | View() | Room() | Joined() | Table():
            return None
        case _:
            return x


def _place(x: Place | View) -> Place:
    return x.of if isinstance(x, View) else x


def output_types(call: graph.Call) -> tuple[Type, ...]:
    """The types of what a call in destination form gives."""
    return call.ty_args[0].fields if isinstance(call.ty_args[0], TupleType) else call.ty_args


def _define_alone(dims: Sequence[PrimExpr], extents: Sequence[PrimExpr], symbols: dict[str, PrimExpr]) -> None:
    """Symbols that are a whole dim and have no value yet, as the extents there."""
    for d, extent in zip(dims, extents, strict=True):
        if isinstance(d, SymVar):
            symbols.setdefault(d.name, extent)


def stores(node: object) -> bool:
    """Whether something is stored in memory that has names, or allocates such."""
    match node:
        case graph.Call(op=graph.Op(name)):
            return name in OVERWRITING or name.startswith(MEMORY)
        case graph.Call(op=graph.GlobalVar() | graph.ExternFunc()):
            return True
        case _:
            return False


def product(factors: Sequence[PrimExpr]) -> PrimExpr:
    """The product, its numbers multiplied out."""
    known = prod(k for each in factors if (k := as_int(each)) is not None)
    found: PrimExpr = int_imm(known)
    for each in factors:
        if as_int(each) is None:
            found = each if as_int(found) == 1 else Binary("Mul", each, found)
    return found


def _reached(value: Value) -> Iterator[Place]:
    """The places that a value may be: of what an ``if`` gives, those of either branch."""
    match value:
        case Place() | View():
            yield _place(value)
        case Joined(_, yes, no):
            yield from _reached(yes)  # type: ignore[arg-type]
            yield from _reached(no)  # type: ignore[arg-type]
        case tuple():
            for each in value:
                yield from _reached(each)
        case _:
            return


def _is_nothing(e: graph.Expr, values: Mapping[str, Value]) -> bool:
    """Whether an argument is left out."""
    match e:
        case graph.Call(graph.Op("relax.null_value")) | graph.Tuple(()):
            return True
        case graph.Var(name):
            return values.get(name) == ()
        case _:
            return False


def _same_bytes(x: Value, rest: list[graph.Expr]) -> bool:
    """Whether a view begins where its argument does, at the same dtype."""
    match x:
        case Joined(_, yes, no):
            return _same_bytes(yes, rest) and _same_bytes(no, rest)  # type: ignore[arg-type]
        case Place() | View():
            dtype = _place(x).content.dtype
        case TensorTerm():
            dtype = x.dtype
        case _:
            return False
    match rest:
        case [] | [graph.DataTypeValue()] | [graph.PrimValue()] | [graph.DataTypeValue(), graph.PrimValue()]:
            named = all(each.dtype == dtype for each in rest if isinstance(each, graph.DataTypeValue))
            return named and all(as_int(each.value) == 0 for each in rest if isinstance(each, graph.PrimValue))
        case _:
            return False


def _no_memory(load: object, indices: object, scope: object) -> Term:
    raise NotRead("memory in an extent")


def _no_demand(term: object, scope: object) -> None:
    raise NotRead("memory in an extent")


@dataclass(slots=True)
class Program:
    """One program, its bindings evaluated to element terms. ``calls``: those that every run of the first one makes."""

    module: Module
    terms: Terms
    logic: Logic
    calls: Calls
    descent: Descent | None = None
    """Of the second program: how its calls are compared with those of the first."""
    obligations: list[Definedness] = field(default_factory=list)
    branches: int = 0
    """How many branches of an ``if`` are around."""
    memory: Memory = field(init=False)
    stores: bool = False
    """Whether the entry stores in memory that has names."""
    arguments: tuple[Value, ...] = ()
    """What the entry was given, as it is after the run."""
    symbols: dict[str, PrimExpr] = field(default_factory=dict)
    """Of the entry: those of its signature, and those that its checks define."""

    def __post_init__(self) -> None:
        self.memory = Memory(self.logic)

    def entry(self, name: str, inputs: tuple[Value, ...], symbols: Mapping[str, PrimExpr]) -> Value:
        func = self.module.functions[name]
        if isinstance(func, PrimFunc):
            paired = zip(func.params, inputs, strict=True)
            given = {p.buffer.name: t for p, t in paired if isinstance(p, BufferParam) and isinstance(t, TensorTerm)}
            contents = self.read(func, given, symbols)
            return tuple(contents[name] for name in given)
        assert isinstance(func, graph.Function)
        self.stores = any(map(stores, nodes(func)))
        values = {p.name: self.settled(t, p.name) for p, t in zip(func.params, inputs, strict=True)}
        own = [values[p.name] for p in func.params]
        self.symbols = dict(symbols)
        found = self.sequence(func.body, values, self.symbols)
        recorded.given_away(found)
        self.arguments = tuple(map(self.content, own))
        return self.content(found)

    def settled(self, value: Value, name: str = "") -> Value:
        """A tensor as a place in memory, where the program stores in what it is given."""
        match value:
            case TensorTerm() if self.stores:
                place = self.memory.allocated(value)
                place.name = name
                return place
            case tuple():
                return tuple(self.settled(each, f"{name}[{k}]") for k, each in enumerate(value))
            case _:
                return value

    def sequence(self, seq: graph.SeqExpr, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        for block in seq.blocks:
            for binding in block.bindings:
                value = self.expression(binding.value, values, symbols)
                if isinstance(binding, graph.MatchCast):
                    self.cast(self.content(value), binding.type, symbols)
                if isinstance(value, Place | Room) and not value.name:
                    value.name = binding.name
                values[binding.name] = value
        return self.expression(seq.body, values, symbols)

    def expression(self, e: graph.Expr, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        match e:
            case graph.Var(name):
                self.memory.alive(name)
                return values[name]
            case graph.If():
                return self.branch(e, values, symbols)
            case graph.Tuple(fields):
                return tuple(self.expression(f, values, symbols) for f in fields)
            case graph.TupleGetItem(whole, index):
                found = self.field(self.expression(whole, values, symbols), index)
                if found is None:
                    raise NotRead("a field of what is no tuple")
                return found
            case graph.Constant(dtype, shape, data):
                return self.terms.constant("constant", dtype, shape, data)
            case graph.ConstantRef(index):
                array = self.module.constants.get(index)
                if array is None:
                    raise NotRead(f"the constant {index} has no array")
                return self.terms.constant(f"constant {index}", array.dtype, array.shape, tuple(array.patterns()))
            case graph.PrimValue(value):
                return self.scalar(value, symbols)
            case graph.ShapeExpr(dims):
                return graph.ShapeExpr(tuple(self.scalar(d, symbols) for d in dims))
            case graph.Call(graph.Op("relax.call_tir")):
                return self.settled(self.call_tir(e, values, symbols))
            case graph.Call(graph.Op("relax.call_tir_inplace")):
                return self.call_tir_inplace(e, values, symbols)
            case graph.Call(graph.Op("relax.reshape"), (data, graph.ShapeExpr(dims))):
                x = self.expression(data, values, symbols)
                found = self.viewed(x, tuple(self.scalar(d, symbols) for d in dims), planned_only=True)
                return self.settled(found)
            case graph.Call(graph.Op("relax.null_value")):
                return ()
            case graph.Call(graph.Op("relax.shape_of"), (data,)):
                return self.shape_of(self.expression(data, values, symbols))
            case graph.Call(graph.Op("relax.hint_on_device" | "relax.to_vdevice"), (data, *_)):
                return self.elsewhere(self.expression(data, values, symbols))
            case graph.Call(graph.Op(name)) if name.startswith(MEMORY):
                return self.of_memory(name, e, values, symbols)
            case graph.Call(graph.Op("relax.call_builtin_with_ctx"), (graph.ExternFunc(name), graph.Tuple(args))):
                return self.promised(self.of_machine(name, args, values, symbols), e, symbols)
            case graph.Call(graph.ExternFunc(name), args) if name.startswith(LIBRARIES):
                return self.promised(self.of_machine(name, args, values, symbols), e, symbols)
            case graph.Call(graph.GlobalVar(name), args):
                return self.call_for_effect(name, tuple(self.expression(a, values, symbols) for a in args))
            case graph.Call(op=op):
                raise NotRead(f"a call of {getattr(op, 'name', op)}")
            case _:
                raise NotRead(f"{type(e).__name__} at graph level")

    def shape_of(self, value: Value) -> graph.ShapeExpr:
        match value:
            case TensorTerm(shape=shape) | View(shape=shape):
                return graph.ShapeExpr(shape)
            case Place(content):
                return graph.ShapeExpr(content.shape)
            case _:
                raise NotRead("the shape of what is no tensor")

    def elsewhere(self, value: Value) -> Value:
        """The same elements on another device."""
        if not isinstance(value, TensorTerm):
            raise NotRead("planned memory on another device")
        return value

    def field(self, whole: Value, index: int) -> Value | None:
        """A field of a tuple, or of what an ``if`` gives."""
        match whole:
            case tuple() if index < len(whole):
                return whole[index]
            case Joined(condition, yes, no):
                a, b = self.field(yes, index), self.field(no, index)  # type: ignore[arg-type]
                return None if a is None or b is None else a if a is b else Joined(condition, a, b)
            case _:
                return None

    # --- branches

    @rule("va/branches")
    def branch(self, e: graph.If, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        """Both branches from the same memory; afterwards every element is the one's or the other's."""
        condition = self.truth(self.content(self.expression(e.condition, values, symbols)))
        self.obligations.append(Definedness("no poison in a condition", bool_imm(True), (), condition))
        before, known = self.memory.state(), dict(self.logic.sizes.known)
        self.branches += 1
        yes = self.sequence(e.then_branch, dict(values), dict(symbols))
        then = self.memory.state()
        self.memory.restore(before)
        self.logic.sizes.known = dict(known)  # a buffer of a branch that is not taken does not exist
        no = self.sequence(e.else_branch, dict(values), dict(symbols))
        self.branches -= 1
        self.logic.sizes.known = known
        self.memory.join(before, then, lambda a, b: self.either(condition, a, b))
        return yes if yes is no else Joined(condition, yes, no)

    def truth(self, value: Value) -> Term:
        """The element that decides."""
        if not isinstance(value, TensorTerm) or value.dtype != "bool" or any(as_int(d) != 1 for d in value.shape):
            raise NotRead("a condition that is not one truth")
        return self.terms.load(value, tuple(int_imm(0, d.dtype) for d in value.shape))

    def either(self, condition: Term, yes: TensorTerm, no: TensorTerm) -> TensorTerm:
        """One tensor or another of the same type."""
        if yes.dtype != no.dtype or len(yes.shape) != len(no.shape):
            raise NotRead("branches that give tensors of different types")
        if not all(self.logic.equal(p, q) for p, q in zip(yes.shape, no.shape, strict=True)):
            raise NotRead("branches that give tensors of different shapes")
        at = tuple(self.terms.fresh("o", d.dtype) for d in yes.shape)
        body = self.terms.choose(condition, self.terms.load(yes, at), self.terms.load(no, at))
        return TensorTerm("if", yes.shape, yes.dtype, at, body)

    def chosen(self, condition: Term, yes: Value, no: Value) -> Value:
        match yes, no:
            case TensorTerm(), TensorTerm():
                return yes if yes is no else self.either(condition, yes, no)
            case tuple(), tuple() if len(yes) == len(no):
                return tuple(self.chosen(condition, a, b) for a, b in zip(yes, no, strict=True))
            case _:
                raise NotRead("branches that give other values than tensors")

    # --- planned memory

    def content(self, value: Value) -> Value:
        """A value with the elements that are in memory now."""
        match value:
            case Place():
                return self.memory.read(value)
            case View(of, shape):
                return self.reshaped(self.memory.read(of), shape)
            case Joined(condition, yes, no):
                return self.chosen(condition, self.content(yes), self.content(no))  # type: ignore[arg-type]
            case tuple():
                return tuple(map(self.content, value))
            case _:
                return value

    def viewed(self, x: Value, shape: tuple[PrimExpr, ...], planned_only: bool = False) -> Value:
        """A value at another shape: the same memory, if it lies in memory; with ``planned_only`` (``R.reshape``,
        ``ev/reshape-of-planned``) a new value unless it lies in a storage."""
        match x:
            case Joined(condition, yes, no):
                either = [self.viewed(each, shape, planned_only) for each in (yes, no)]  # type: ignore[arg-type]
                return Joined(condition, *either)
            case Place() | View() if not planned_only or _place(x).room is not None:
                self.reshaped(_place(x).content, shape)  # (the numbers of elements are equal)
                return View(_place(x), shape)
            case _:
                x = self.content(x)
        if not isinstance(x, TensorTerm):
            raise NotRead("a reshape of what is no tensor")
        return self.reshaped(x, shape)

    def of_memory(self, op: str, call: graph.Call, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        """An operator on explicit memory."""
        match op, call.args:
            case "relax.builtin.alloc_tensor", (shape, graph.DataTypeValue(dtype), *_):
                return self.memory.allocated(self.unwritten(self.extents(shape, values, symbols), dtype))
            case "relax.memory.alloc_storage", (shape, *_):
                return self.storage(self.extents(shape, values, symbols), 1)
            case "relax.vm.alloc_storage", (shape, _, graph.DataTypeValue(dtype), *_):
                return self.storage(self.extents(shape, values, symbols), dtypes.itemsize(dtype))
            case (
                "relax.memory.alloc_tensor" | "relax.vm.alloc_tensor",
                (graph.Var(name), offset, shape, graph.DataTypeValue(dtype), *_),
            ):
                self.memory.alive(name)
                room = values[name]
                if not isinstance(room, Room):
                    raise NotRead(f"a tensor in {name}, which is no storage")
                extents = self.extents(shape, values, symbols)
                return self.tensor_in(room, self.number(offset, values, symbols), extents, dtype)
            case "relax.memory.kill_tensor" | "relax.memory.kill_storage" | "relax.vm.kill_object", (graph.Var(name),):
                self.memory.alive(name)
                self.memory.dead.add(name)
                return ()
            case "relax.memory.view", (data, graph.ShapeExpr(dims), *rest):
                x = self.expression(data, values, symbols)
                if not _same_bytes(x, [e for e in rest if not _is_nothing(e, values)]):
                    raise NotRead("a view at another dtype or offset")
                return self.viewed(x, tuple(self.scalar(d, symbols) for d in dims))
            case "relax.memory.ensure_zero_offset", (data,):
                return self.expression(data, values, symbols)
            case _:
                raise NotRead(f"a call of {op} in this form")

    def in_place(self, function: graph.Function, given: Mapping[str, Any]) -> Value:
        """The body of a function on values for its parameters, whose types have to be seen to hold."""
        if self.branches:
            raise NotRead("a recorded run in a branch")
        values, symbols = dict(given), dict[str, PrimExpr]()
        for name, type_ in recorded.typed(function):
            self.define(self.content(values[name]), type_, symbols)
        for name, type_ in recorded.typed(function):
            self.cast(self.content(values[name]), type_, symbols)
        for claim in as_claims(function):
            if not self.logic.holds(substitute(claim, symbols), (), "what a recorded run promises of its symbols"):
                raise NotRead(f"a recorded run that promises {expression(claim)}")
        dead, self.memory.dead = self.memory.dead, set()
        found = self.sequence(function.body, values, symbols)
        self.memory.dead = dead
        if function.ret is not None:
            self.cast(self.content(found), function.ret, symbols)
        return found

    def tensor_in(self, room: Room, offset: PrimExpr, shape: tuple[PrimExpr, ...], dtype: str) -> Place:
        """A tensor in a storage, within its bytes."""
        if dtypes.memory_bits(dtype) % 8:
            raise NotRead(f"a tensor of {dtype} in a storage: no whole bytes")
        place = self.memory.allocated(self.unwritten(shape, dtype), room, offset)
        self.require(WITHIN, compare("GE", place.begin, int_imm(0)), ())
        self.require(WITHIN, compare("LE", place.end, room.size), ())
        return place

    def of_machine(
        self, name: str, args: tuple[graph.Expr, ...], values: dict[str, Value], symbols: dict[str, PrimExpr]
    ) -> Value:
        """A call of the machine's library."""
        if name in contracts_of(self.module):
            raise NotRead(f"a call of {name}, which has a contract")
        found = [
            each
            if isinstance(each, graph.DataTypeValue | graph.StringValue | graph.GlobalVar)
            else self.expression(each, values, symbols)
            for each in args
        ]
        match name.removeprefix("vm.builtin."), found:
            case "reshape", [x, graph.ShapeExpr(dims)]:
                return self.viewed(x, dims)  # type: ignore[arg-type]
            case "alloc_storage", [graph.ShapeExpr(dims), _, graph.DataTypeValue(dtype), *_]:
                for d in dims:
                    self.require("an extent that is not negative", compare("GE", d, int_imm(0, d.dtype)), ())
                return self.storage((product(dims),), dtypes.itemsize(dtype))
            case "alloc_tensor", [Room() as room, offset, graph.ShapeExpr(dims), graph.DataTypeValue(dtype), *_]:
                return self.tensor_in(room, self.integer(offset), dims, dtype)
            case "call_tir_dyn", [graph.GlobalVar(callee), *given, graph.ShapeExpr(dims)]:
                self.scalars(callee, args[1:-1])
                return self.call_for_effect(callee, (*given, *dims))  # type: ignore[arg-type]
            case "cuda_graph.get_cached_alloc", _:
                return recorded.kept(self.module, found, self.in_place)
            case "cuda_graph.run_or_capture", _:
                return recorded.in_place(self.module, found, self.in_place)  # type: ignore[return-value]
            case "runtime.TVMTensorCreateView", [x, graph.ShapeExpr(dims), graph.DataTypeValue(dtype), offset]:
                content = self.content(x)  # type: ignore[arg-type]
                same = isinstance(content, TensorTerm) and content.dtype == dtype
                if not same or as_int(self.integer(offset)) != 0:
                    raise NotRead("a view at another dtype or offset")
                return self.viewed(x, dims)  # type: ignore[arg-type]
            case "make_tuple", fields:
                return tuple(fields)  # type: ignore[arg-type]
            case "tuple_getitem", [tuple() as whole, k] if (at := as_number(k)) is not None:  # type: ignore[arg-type]
                return self.field_at(whole, at)
            case _:
                return called(name, found, self.logic, self.branches > 0)  # type: ignore[return-value]

    def promised(self, value: Value, call: graph.Call, symbols: Mapping[str, PrimExpr]) -> Value:
        """What a call of the machine's library gives, if it is seen to be what the call says."""
        for type_ in (call.ty_args[0],) if len(call.ty_args) == 1 else (TupleType(call.ty_args),) * bool(call.ty_args):
            self.as_said(value, type_, dict(symbols))
        return value

    def as_said(self, value: Value, type_: Type, symbols: dict[str, PrimExpr]) -> None:
        """See that a value is of a type; no element of it is read for that."""
        match value, type_:
            case graph.ShapeExpr(dims), ShapeType(values=None) if type_.ndim in (-1, len(dims)):
                return
            case (Table() | Place() | View() | TensorTerm(), TensorType(shape=None | tuple(), vdevice=None)):
                shape, dtype = self.kind(value)
                if type_.dtype not in (None, dtype) or type_.ndim not in (-1, len(shape)):
                    raise NotRead("a result of the machine's library that is not what the call says")
                if isinstance(type_.shape, tuple):
                    self.matched(type_.shape, shape, symbols)
            case tuple(), TupleType(fields) if len(fields) == len(value):
                for each, field_ in zip(value, fields, strict=True):
                    self.as_said(each, field_, symbols)
            case _, PrimType(dtype="int64") if as_number(value) is not None:
                return
            case _:
                self.cast(value, type_, symbols)

    def kind(self, value: Table | Place | View | TensorTerm) -> tuple[tuple[PrimExpr, ...], str]:
        """The extents and the dtype of what lies in memory."""
        match value:
            case Table(size):
                return (int_imm(size),), "int64"
            case Place(content):
                return content.shape, content.dtype
            case View(of, shape):
                return shape, of.content.dtype
            case TensorTerm():
                return value.shape, value.dtype

    def scalars(self, callee: str, args: tuple[graph.Expr, ...]) -> None:
        """See that a function that is called without types gets its scalars at their dtypes: the table and shapes hold
        ``int64``."""
        func = self.module.functions.get(callee)
        for k, param in enumerate(func.params if isinstance(func, PrimFunc) else ()):
            arg = args[k] if k < len(args) else None
            found = arg.value.dtype if isinstance(arg, graph.PrimValue) else "int64"
            if isinstance(param, ScalarParam) and (
                param.var.dtype != found or (isinstance(arg, graph.Var) and self.narrow())
            ):
                raise NotRead(f"a scalar of cls.{callee} that may be of another dtype")

    def narrow(self) -> bool:
        """Whether a name may be a scalar that is no ``int64``."""
        found = (each for function in self.module.relax_functions().values() for each in nodes(function))
        return any(
            (isinstance(each, graph.PrimValue) and each.value.dtype != "int64")
            or (isinstance(each, graph.Param) and isinstance(each.type, PrimType) and each.type.dtype != "int64")
            for each in found
        )

    def extents(self, e: graph.Expr, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> tuple[PrimExpr, ...]:
        match self.expression(e, values, symbols):
            case graph.ShapeExpr(dims):
                return dims
            case _:
                raise NotRead("a shape that is not known")

    def number(self, e: graph.Expr, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> PrimExpr:
        return self.integer(self.expression(e, values, symbols))

    def integer(self, value: Any) -> PrimExpr:
        found = as_number(value)
        if found is None:
            raise NotRead("an offset that is no number")
        return found

    def field_at(self, whole: tuple[Value, ...], at: PrimExpr) -> Value:
        k = as_int(at)
        if k is None or not 0 <= k < len(whole):
            raise NotRead("a field of a tuple that is not there")
        return whole[k]

    def storage(self, sizes: tuple[PrimExpr, ...], itemsize: int) -> Room:
        if len(sizes) != 1:
            raise NotRead("a storage of several sizes")
        size = product((sizes[0], int_imm(itemsize)))
        self.require("a storage whose size is not negative", compare("GE", size, int_imm(0)), ())
        return self.memory.storage(size)

    def call_for_effect(self, name: str, args: tuple[Value, ...]) -> Value:
        """A call of a loop program for what it stores in places."""
        func = self.module.functions.get(name)
        if not isinstance(func, PrimFunc) or func.ret is not None:
            raise NotRead(f"a call of {name}")
        if len(args) == 1 and isinstance(args[0], Table):
            if self.branches:
                raise NotRead("a table of shapes that is written in a branch")
            computed(func, args[0], self.terms, self.logic, self.require)
            return ()
        places = [each.of if isinstance(each, View) else each for each in args]
        reached = [tuple(_reached(each)) for each in args]
        self.memory.given(f"cls.{name}", list(dict.fromkeys(place for each in reached for place in each)))
        given, symbols = self.bound(func, tuple(map(self.content, args)))
        contents = self.read(func, given, symbols)
        for param, arg, place in zip(func.params, args, places, strict=True):
            if isinstance(param, ScalarParam) or contents[param.buffer.name] is given[param.buffer.name]:
                continue
            new = contents[param.buffer.name]
            if not isinstance(place, Place):
                raise NotRead(f"cls.{name} stores in what is not allocated here")
            if sum(place in each for each in reached) > 1:
                raise NotRead(f"cls.{name} stores in {place.name}, which it is given twice")
            self.memory.write(place, new if isinstance(arg, Place) else self.reshaped(new, place.content.shape))
        return ()

    def reshaped(self, x: TensorTerm, shape: tuple[PrimExpr, ...]) -> TensorTerm:
        """The same elements in row-major order."""
        return reshaped(self.terms, self.logic, x, shape)

    def scalar(self, e: PrimExpr, symbols: Mapping[str, PrimExpr]) -> PrimExpr:
        """An integer of the graph: index arithmetic, over the symbols in scope."""
        if any(name not in symbols for name in free_symbols(e)):
            raise NotRead("a symbol that is no dimension of a parameter")
        reading = Reading(self.terms, self.logic, symbols, (), _no_memory, None, self.require, _no_demand)
        return reading.index(e)

    def require(self, purpose: str, statement: PrimExpr, given: tuple[PrimExpr, ...]) -> None:
        self.obligations.append(Definedness(purpose, statement, given))

    def cast(self, value: Value, type_: Type, symbols: dict[str, PrimExpr]) -> None:
        """A ``match_cast`` that cannot fail, and the symbols that it defines."""
        match value, type_:
            case _, AnyType():
                return
            case TensorTerm(), TensorType(shape=tuple() as dims, dtype=dtype) if dtype in (None, value.dtype):
                self.matched(dims, value.shape, symbols)
            case graph.ShapeExpr(extents), ShapeType(values=tuple() as dims):
                self.matched(dims, extents, symbols)
            case tuple(), TupleType(fields) if len(fields) == len(value):
                for each, field_ in zip(value, fields, strict=True):
                    self.cast(each, field_, symbols)
            case _:
                raise NotRead("a match_cast that is not decided here")

    def define(self, value: Value, type_: Type, symbols: dict[str, PrimExpr]) -> None:
        """The symbols that stand alone in a type, as what the value says."""
        match value, type_:
            case (TensorTerm(shape=extents), TensorType(shape=tuple() as dims)) | (
                graph.ShapeExpr(extents),
                ShapeType(values=tuple() as dims),
            ) if len(dims) == len(extents):
                _define_alone(dims, extents, symbols)
            case tuple(), TupleType(fields) if len(fields) == len(value):
                for each, field_ in zip(value, fields, strict=True):
                    self.define(each, field_, symbols)
            case _:
                return

    def matched(self, dims: tuple[PrimExpr, ...], extents: tuple[PrimExpr, ...], symbols: dict[str, PrimExpr]) -> None:
        """Define the symbols that stand alone; every other extent must be equal."""
        if len(dims) != len(extents):
            raise NotRead("a check of extents that fails")
        _define_alone(dims, extents, symbols)
        for d, extent in zip(dims, extents, strict=True):
            if not self.logic.equal(self.scalar(d, symbols), extent, (), "extents that are checked"):
                raise NotRead("a check of extents that may fail")

    # --- calls of loop programs

    def call_tir(self, call: graph.Call, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        callee, packed = call.args[0], call.args[1]
        func = self.module.functions.get(callee.name) if isinstance(callee, graph.GlobalVar) else None
        if not isinstance(func, PrimFunc) or not isinstance(callee, graph.GlobalVar) or len(call.args) != 2:
            raise NotRead("a call_tir of what is no PrimFunc")
        value = self.expression(packed, values, symbols)
        self.memory.given(f"cls.{callee.name}", list(dict.fromkeys(_reached(value))))
        args = self.content(value)
        types = output_types(call)
        outs = tuple(self.fresh(t, symbols) for t in types)
        given = self.bound(func, (*(args if isinstance(args, tuple) else (args,)), *outs))
        contents = self.read(func, *given)
        names = [p.buffer.name for p in func.params[len(func.params) - len(outs) :] if isinstance(p, BufferParam)]
        self.untouched(given[0], contents, set(names))
        results = tuple(contents[name] for name in names)
        return results if isinstance(call.ty_args[0], TupleType) else results[0]

    @rule("va/in-place")
    def call_tir_inplace(self, call: graph.Call, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        """A call that stores in memory of its arguments: an output is that argument, or a place of its own."""
        callee, types = call.args[0], output_types(call)
        if not isinstance(callee, graph.GlobalVar) or len(call.args) != 2:
            raise NotRead("a call_tir_inplace in this form")
        packed = self.expression(call.args[1], values, symbols)
        args = packed if isinstance(packed, tuple) else (packed,)
        outputs: list[Value] = []
        fresh: list[Value] = []
        for k, type_ in zip(inplace_indices(call), types, strict=True):
            if k < 0:
                fresh.append(self.memory.allocated(self.fresh(type_, symbols)))
            elif k >= len(args) or not isinstance(args[k], Place | View):
                raise NotRead("a call_tir_inplace that stores in what is no memory of its own")
            outputs.append(fresh[-1] if k < 0 else args[k])
        self.call_for_effect(callee.name, (*args, *fresh))
        return tuple(outputs) if isinstance(call.ty_args[0], TupleType) else outputs[0]

    def fresh(self, type_: Type, symbols: Mapping[str, PrimExpr]) -> TensorTerm:
        """An output: nothing is written yet."""
        if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or type_.dtype is None:
            raise NotRead("an output whose shape is not known")
        return self.unwritten(tuple(self.scalar(d, symbols) for d in type_.shape), type_.dtype)

    def unwritten(self, shape: tuple[PrimExpr, ...], dtype: str) -> TensorTerm:
        """A tensor of which no element is written."""
        for d in shape:
            self.require("an extent that is not negative", compare("GE", d, int_imm(0, d.dtype)), ())
        self.logic.sizes.exists(shape, dtype)
        return TensorTerm("out", shape, dtype, tuple(self.terms.fresh("o", d.dtype) for d in shape), OPEN)

    def bound(self, func: PrimFunc, args: tuple[Value, ...]) -> tuple[dict[str, TensorTerm], dict[str, PrimExpr]]:
        """The contents of the parameters, and what the function's scalars and symbols stand for."""
        if len(args) != len(func.params):
            raise NotRead("a call with another number of arguments")
        symbols: dict[str, PrimExpr] = {}
        given: dict[str, TensorTerm] = {}
        for param, arg in zip(func.params, args, strict=True):
            if isinstance(param, ScalarParam):
                scalar = as_number(arg)
                if scalar is None:
                    raise NotRead("a scalar parameter without a scalar")
                symbols[param.var.name] = scalar
            elif not isinstance(arg, TensorTerm) or arg.dtype != param.buffer.dtype:
                raise NotRead("a buffer parameter without a tensor of its dtype")
            else:
                given[param.buffer.name] = arg
        buffers = [param.buffer for param in func.params if isinstance(param, BufferParam)]
        dims = tuple(d for buffer in buffers for d in buffer.shape)
        if any(len(buffer.shape) != len(given[buffer.name].shape) for buffer in buffers):
            raise NotRead("a buffer parameter of another rank")
        self.matched(dims, tuple(d for buffer in buffers for d in given[buffer.name].shape), symbols)
        return given, symbols

    def read(
        self, func: PrimFunc, given: Mapping[str, TensorTerm], symbols: Mapping[str, PrimExpr]
    ) -> dict[str, TensorTerm]:
        """The contents of a function's buffers after a call."""
        buffers = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
        before = tuple(given[name] for name in buffers)
        scalars = tuple(symbols[p.var.name] for p in func.params if isinstance(p, ScalarParam))
        if self.descent is not None and (found := self.calls.find(func, before, scalars)) is not None:
            return dict(zip(buffers, found.after(before), strict=True))
        try:
            contents, obligations = read(func, given, symbols, self.terms, self.logic)
        except NotRead as reason:
            return self.not_read(func, before, scalars, reason)
        self.obligations += obligations
        self.made(func, before, scalars, contents)
        return contents

    def not_read(
        self, func: PrimFunc, before: tuple[TensorTerm, ...], scalars: tuple[PrimExpr, ...], reason: NotRead
    ) -> dict[str, TensorTerm]:
        """The contents after a call that is not read: of the first program anything, of the second those that an equal
        call of the first one leaves."""
        buffers = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
        if self.descent is not None:
            found = self.calls.find(func, before, scalars, self.descent.tensors)
            if found is None:
                raise reason
            return dict(zip(buffers, found.after(before), strict=True))
        if self.branches or not repeatable(func):
            raise reason
        self.calls.unread.append(str(reason))
        changed = stored_to(func)
        contents = {n: unknown(t) if n in changed else t for n, t in zip(buffers, before, strict=True)}
        self.made(func, before, scalars, contents)
        return contents

    def made(
        self,
        func: PrimFunc,
        before: tuple[TensorTerm, ...],
        scalars: tuple[PrimExpr, ...],
        contents: Mapping[str, TensorTerm],
    ) -> None:
        """Note a call that every run of the first program makes."""
        if self.descent is None and not self.branches and repeatable(func):
            after = (contents[p.buffer.name] for p in func.params if isinstance(p, BufferParam))
            left = tuple(None if new is old else new for new, old in zip(after, before, strict=True))
            self.calls.keep(Made(func, before, scalars, left))

    def untouched(self, given: Mapping[str, TensorTerm], contents: Mapping[str, TensorTerm], outputs: set[str]) -> None:
        if any(contents[name] is not given[name] for name in given if name not in outputs):
            raise NotRead("a call_tir that writes to its input")
