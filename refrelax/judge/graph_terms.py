"""Graph-level functions as element terms: bindings composed, loop programs read, branches joined, memory followed.

Whatever element terms cannot say raises ``NotRead``: no proof, never a wrong one.

Spec: ``spec/06c-pointwise.md``, ``va/pointwise``, ``va/branches``, ``va/planned-memory``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from refrelax.judge import recorded
from refrelax.judge.built import LIBRARIES, Table, called, joined, matched
from refrelax.judge.counted import COUNTED
from refrelax.judge.effects import Effects
from refrelax.judge.graph_values import NOTHING, Truth, Value, as_number, is_nothing, places_in, product, same_bytes
from refrelax.judge.planned import Joined, Place, Room, View
from refrelax.rules import rule
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.dims import substitute
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.ops import OVERWRITING
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.calls import inplace_indices
from refrelax.semantics.types.packing import packed, parts
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.shape_solver.pointwise import Definedness, NotRead, TensorTerm, Term
from refrelax.shape_solver.pointwise.fits import Fits
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.syntax import dtypes, graph
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import PrimExpr, as_int, bool_imm, int_imm
from refrelax.syntax.types import TupleType, Type
from refrelax.syntax.write.scalars import expression

MEMORY = ("relax.memory.", "relax.vm.alloc", "relax.vm.kill", "relax.builtin.alloc_tensor")
"""How the names of the operators on memory begin."""


def stores(node: object) -> bool:
    """Whether something is stored in memory that has names, or allocates such."""
    match node:
        case graph.Call(op=graph.Op(name)):
            return name in OVERWRITING or name.startswith(MEMORY)
        case graph.Call(op=graph.GlobalVar() | graph.ExternFunc()):
            return True
        case _:
            return False


def named(callee: graph.Expr) -> str | None:
    """The library function that is meant."""
    match callee:
        case graph.ExternFunc(name) | graph.StringValue(name) if name not in LIBRARY and not name.startswith(LIBRARIES):
            return name
        case _:
            return None


def as_text(e: graph.Expr) -> str | None:
    """An argument that is a text or a dtype, as it is written."""
    match e:
        case graph.StringValue(text):
            return f"R.str({text})"
        case graph.DataTypeValue(dtype):
            return f"R.dtype({dtype})"
        case _:
            return None


SEEN = frozenset({"relax.run.print", "relax.run.assert_op"})
"""Functions of the machine's library that are events (``va/events``)."""

MACHINE = SEEN | COUNTED.keys()
"""Those that are operators of the graph."""


ITSELF = frozenset({
    "relax.builtin.stop_lift_params", "relax.grad.no_grad", "relax.grad.start_checkpoint", "relax.grad.end_checkpoint",
})  # fmt: skip
"""Operators that give their argument itself."""


def output_types(call: graph.Call) -> tuple[Type, ...]:
    """The types of what a call in destination form gives."""
    return parts(call.ty_args[0])


@dataclass(slots=True)
class Program(Effects):
    """One program, its bindings evaluated to element terms."""

    stores: bool = field(default=False, kw_only=True)
    """Whether the entry stores in memory that has names."""
    arguments: tuple[Value, ...] = field(default=(), kw_only=True)
    """What the entry was given, as it is after the run."""
    symbols: dict[str, PrimExpr] = field(default_factory=dict, kw_only=True)
    """Of the entry: those of its signature, and those that its checks define."""

    tables: list[Table] = field(default_factory=list, kw_only=True)
    """Those of shapes, as they are made."""

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
                    value = self.checked_cast(binding.name, value, binding.type, symbols)
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
                return NOTHING
            case graph.Call(graph.Op("relax.shape_of"), (data,)):
                return self.shape_of(self.expression(data, values, symbols))
            case graph.Call(graph.Op(name), (data, *_)) if name in ITSELF:
                return self.expression(data, values, symbols)
            case graph.Call(graph.Op("relax.hint_on_device" | "relax.to_vdevice"), (data, *_)):
                return self.elsewhere(self.expression(data, values, symbols))
            case graph.Call(graph.Op(name)) if name.startswith(MEMORY):
                return self.of_memory(name, e, values, symbols)
            case graph.Call(graph.Op("relax.call_builtin_with_ctx"), (graph.ExternFunc(name), graph.Tuple(args))):
                return self.promised(self.of_machine(name, args, values, symbols), e, symbols)
            case graph.Call(graph.Op(name), args) if name in COUNTED:
                return self.of_machine(name, args, values, symbols)
            case graph.Call(graph.ExternFunc(name), args) if name in MACHINE or name.startswith(LIBRARIES):
                return self.promised(self.of_machine(name, args, values, symbols), e, symbols)
            case graph.Call(graph.Op("relax.print"), args):
                return self.printed(self.given(args, values, symbols))
            case graph.Call(graph.Op("relax.assert_op"), args):
                return self.asserted(self.given(args, values, symbols))
            case graph.Call(graph.Op("relax.call_dps_packed"), (callee, given)) if (of := named(callee)) is not None:
                outs = tuple(self.settled(self.fresh(each, symbols)) for each in output_types(e))
                left = self.stored_by_library(of, self.unpacked(given, values, symbols), outs)
                return packed(e.ty_args[0], iter(left), tuple)
            case graph.Call(graph.Op("relax.call_pure_packed"), (callee, *args)) if (of := named(callee)) is not None:
                return self.given_by_library(of, self.given(args, values, symbols), e.ty_args, True, symbols)
            case graph.Call(graph.ExternFunc(name), args) if name not in LIBRARY:
                types = e.ty_args
                return self.given_by_library(name, self.given(args, values, symbols), types, False, symbols)
            case graph.Call(graph.GlobalVar(name), args):
                return self.call_for_effect(name, tuple(self.expression(a, values, symbols) for a in args))
            case graph.Call(op=op):
                raise NotRead(f"a call of {getattr(op, 'name', op)}")
            case _:
                raise NotRead(f"{type(e).__name__} at graph level")

    def given(
        self, args: Sequence[graph.Expr], values: dict[str, Value], symbols: dict[str, PrimExpr]
    ) -> list[Value | str]:
        """Arguments of what is not read; texts, dtypes and devices as they are written."""
        return [self.expression(each, values, symbols) if (text := as_text(each)) is None else text for each in args]

    def unpacked(self, given: graph.Expr, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> list[Value | str]:
        if isinstance(given, graph.Tuple):
            return self.given(given.fields, values, symbols)
        found = self.expression(given, values, symbols)
        return list(found) if isinstance(found, tuple) else [found]

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

    @rule("va/branches")
    def branch(self, e: graph.If, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        """Both branches from the same memory; afterwards every element is the one's or the other's."""
        decides = self.expression(e.condition, values, symbols)
        condition = (decides if isinstance(decides, Truth) else self.decided(decides)).term
        fork, known = self.memory.fork(), dict(self.logic.sizes.known)
        tables = {each: dict(each.slots) for each in self.tables}
        yes, here = self.arm(e.then_branch, (condition, True), known, values, symbols)
        then = self.memory.turn(fork)
        slots = {each: each.slots for each in tables}
        for table, first in tables.items():
            table.slots = first
        no, there = self.arm(e.else_branch, (condition, False), known, values, symbols)
        for table, left in slots.items():
            table.slots = joined(left, table.slots)
        self.logic.sizes.known = {key: size for key, size in here.items() if key in there}
        self.memory.join(fork, then, lambda a, b: self.either(condition, a, b))
        return yes if yes is no else Joined(condition, yes, no)

    def arm(
        self,
        body: graph.SeqExpr,
        decides: tuple[Term, bool],
        known: Fits,
        values: dict[str, Value],
        symbols: dict[str, PrimExpr],
    ) -> tuple[Value, Fits]:
        """One branch: what it gives, and what is known of sizes at its end. ``known``: of sizes before it; a buffer of
        a branch that is not taken does not exist."""
        path, self.path = self.path, self.path | {decides}
        self.logic.sizes.known = dict(known)
        if self.descent is not None:
            self.logic.sizes.known |= self.events.along(self.path)
        found = self.sequence(body, dict(values), dict(symbols))
        end = self.logic.sizes.known
        if self.descent is None:
            self.events.came_through(self.path, end)
        self.path = path
        return found, end

    def decided(self, value: Value) -> Truth:
        """What a condition is now, which has to be no poison."""
        found = Truth(self.truth(self.content(value)))
        self.obligations.append(Definedness("no poison in a condition", bool_imm(True), (), found.term))
        return found

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
            case _, (graph.Var(name),) if op in KILLS:
                self.memory.alive(name)
                self.memory.dead.add(name)
                return ()
            case "relax.memory.view", (data, graph.ShapeExpr(dims), *rest):
                x = self.expression(data, values, symbols)
                if not same_bytes(x, [e for e in rest if not is_nothing(e, values)]):
                    raise NotRead("a view at another dtype or offset")
                return self.viewed(x, tuple(self.scalar(d, symbols) for d in dims))
            case "relax.memory.ensure_zero_offset", (data,):
                return self.expression(data, values, symbols)
            case _:
                raise NotRead(f"a call of {op} in this form")

    def in_place(self, function: graph.Function, given: Mapping[str, Any]) -> Value:
        """The body of a function on values for its parameters, whose types have to be seen to hold."""
        if self.path:
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

    def of_machine(
        self, name: str, args: tuple[graph.Expr, ...], values: dict[str, Value], symbols: dict[str, PrimExpr]
    ) -> Value:
        """A call of the machine's library."""
        if name in contracts_of(self.module):
            raise NotRead(f"a call of {name}, which has a contract")
        if name in SEEN:
            return self.seen_by_others(name, self.given(args, values, symbols))
        if name in COUNTED:
            return self.settled(self.counted(COUNTED[name], [self.expression(a, values, symbols) for a in args]))
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
            case "check_prim_value_info", [value, graph.DataTypeValue("int64"), *_] if self.is_int64(value):
                return ()
            case "match_prim_value", [value, table, code, slot, *_] if self.is_int64(value):
                matched((self.integer(value),), table, (code, slot), self.logic)
                return ()
            case "read_if_cond", [value]:
                return self.decided(value)  # type: ignore[arg-type]
            case "make_tuple", fields:
                return tuple(fields)  # type: ignore[arg-type]
            case "tuple_getitem", [tuple() as whole, k] if (at := as_number(k)) is not None:  # type: ignore[arg-type]
                return self.field_at(whole, at)
            case _:
                made = called(name, found, self.logic)
                self.tables += [made] if isinstance(made, Table) else []
                return made  # type: ignore[return-value]

    def seen_by_others(self, name: str, args: list[Value | str]) -> Value:
        """``relax.run.print`` and ``relax.run.assert_op``, which mean the operators where they take what these do."""
        match name, args:
            case "relax.run.print", [str() as text, *_] if text.startswith("R.str("):
                return self.printed(args)
            case "relax.run.assert_op", [condition, *_] if self.is_truth(condition):
                return self.asserted(args)
            case _:
                raise NotRead(f"a call of {name} of something else than the operator takes")

    def is_truth(self, value: Value | str) -> bool:
        """Whether a value is seen to be a ``bool`` or a tensor of one."""
        if isinstance(value, str):
            return False
        content = self.content(value)
        if isinstance(content, TensorTerm):
            return content.dtype == "bool" and not content.shape
        return isinstance(content, PrimExpr) and content.dtype == "bool"

    def is_int64(self, value: Any) -> bool:
        """Whether a value is a scalar whose dtype can only be ``int64``."""
        return as_number(value) is not None and not self.narrow()

    def promised(self, value: Value, call: graph.Call, symbols: Mapping[str, PrimExpr]) -> Value:
        """What a call of the machine's library gives, if it is seen to be what the call says."""
        for type_ in (call.ty_args[0],) if len(call.ty_args) == 1 else (TupleType(call.ty_args),) * bool(call.ty_args):
            self.as_said(value, type_, dict(symbols))
        return value

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

    def call_tir(self, call: graph.Call, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        callee, given_as = call.args[0], call.args[1]
        func = self.module.functions.get(callee.name) if isinstance(callee, graph.GlobalVar) else None
        if not isinstance(func, PrimFunc) or not isinstance(callee, graph.GlobalVar) or len(call.args) != 2:
            raise NotRead("a call_tir of what is no PrimFunc")
        value = self.expression(given_as, values, symbols)
        self.memory.given(f"cls.{callee.name}", list(dict.fromkeys(places_in(value))))
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
        args_given = self.expression(call.args[1], values, symbols)
        args = args_given if isinstance(args_given, tuple) else (args_given,)
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
