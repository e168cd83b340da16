"""A built module read back as one with planned memory: symbols in place of the table, operators in place of calls of
the machine.

    _ = R.call_packed("vm.builtin.match_shape", x, heap, 2, 1, 0, 0, 16, …)   ~> x: R.Tensor((n, 16), "float32")
    _ = cls.shape_func(heap)                                                  ~> slot 1 is n * 64
    s = R.call_packed("vm.builtin.make_shape", heap, 1, 1, 1)                 ~> R.shape([n * 64])
    _ = R.call_packed("vm.builtin.call_tir_dyn", cls.relu, x, h, R.shape([])) ~> cls.relu(x, h)

For a reader that knows more of operators than of the machine. It reads straight functions of tensors, in which every
call is one of these; where a run of what it gives returns, the built module gives the same. Where a run ends otherwise
nothing is promised: a reader that wants to know how runs the built module.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from refrelax.errors import Rejection
from refrelax.lower.names import Taken
from refrelax.lower.nests import parts, rebuilt
from refrelax.lower.to_destinations import names_of
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.builtins.heap import EQUALS_IMMEDIATE, EQUALS_SLOT, IMMEDIATE, LOAD, NOTHING, STORE
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    Op,
    Param,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import BufferParam, BufferStore, PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import BufferLoad, PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.types import TensorType

Dims = tuple[PrimExpr, ...]
BYTES = DataTypeValue("uint8")


class _Strange(Exception):
    """Something that is not read."""


def unbuilt(checked: CheckedModule) -> CheckedModule | None:
    """The module without the machine; ``None`` if something in it is not read."""
    module = checked.module
    functions: dict[str, BaseFunc] = {}
    try:
        for name, func in module.functions.items():
            match func:
                case Function():
                    functions[name] = _Reader(module, func, names_of(func)).function()
                case PrimFunc() if not dict(func.attrs).get("tirx.is_host_func"):
                    functions[name] = func
                case PrimFunc():
                    pass  # (read where it is called)
                case _:
                    return None
        return check(module.with_functions(functions))
    except (_Strange, Rejection, ValueError):  # (``rebuilt`` of what stands in no nest)
        return None


@dataclass(slots=True)
class _Reader:
    """One function as far as it is read. ``heap``: the table, of ``size`` slots; ``slots``: those that are filled, by
    number; ``shapes``: what variables are shapes; ``rooms``: storages, with the shape and the dtype that they are of.
    """

    module: Module
    source: Function
    taken: Taken
    heap: str = ""
    size: int = 0
    slots: dict[int, PrimExpr] = field(default_factory=dict)
    shapes: dict[str, Dims] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)
    extents: dict[str, list[PrimExpr | None]] = field(default_factory=dict)
    rooms: dict[str, tuple[Dims, DataTypeValue]] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    bindings: list[Binding] = field(default_factory=list)

    def function(self) -> Function:
        func = self.source
        for block in func.body.blocks:
            for each in block.bindings:
                if not isinstance(each, VarBinding):
                    raise _Strange
                self.binding(each.name, each.value)
        params = tuple(self.param(each) for each in func.params)
        body = replace(func.body, blocks=(BindingBlock(tuple(self.bindings)),), body=self.value(func.body.body))
        return replace(func, params=params, ret=None, body=body)

    def param(self, param: Param) -> Param:
        """A parameter with the annotation that its checks came from."""
        rank, dims = self.ranks.get(param.name), self.extents.get(param.name, [])
        known = tuple(dim for dim in dims if dim is not None)
        if rank is None or len(known) != rank:
            raise _Strange
        return replace(param, type=TensorType(known, self.dtypes[param.name], rank))

    def put(self, name: str, value: Expr) -> None:
        self.bindings.append(VarBinding(name, value))

    # --- bindings ---------------------------------------------------------------------------------------------------

    def binding(self, name: str, value: Expr) -> None:
        match value:
            case Call(op=Op(name="relax.call_builtin_with_ctx"), args=(ExternFunc(name=library), Tuple(fields=args))):
                self.library(name, library, args)
            case Call(op=ExternFunc(name=library), args=args):
                self.library(name, library, args)
            case Call(op=GlobalVar(name=callee), args=(Var(name=heap),)) if heap == self.heap:
                self.computed(callee)
            case Call(op=GlobalVar(name=callee), args=args) if isinstance(self.module.functions[callee], PrimFunc):
                self.put(name, replace(value, args=tuple(map(self.value, args))))
            case Call(op=Op(name=op)) if op in KILLS:
                pass
            case Var() | Tuple() | TupleGetItem() | Constant() | ConstantRef():
                self.put(name, self.value(value))
            case _:
                raise _Strange

    def library(self, name: str, library: str, args: tuple[Expr, ...]) -> None:
        """A call of the machine."""
        match library.removeprefix("vm.builtin."), args:
            case "alloc_shape_heap", (PrimValue() as size,) if not self.heap:
                self.heap, self.size = name, self.number(size)
            case "check_tensor_info", (Var(name=x), PrimValue() as rank, DataTypeValue(dtype=dtype), StringValue()):
                if x not in {p.name for p in self.source.params} or x in self.ranks:
                    raise _Strange
                self.ranks[x], self.dtypes[x] = self.number(rank), dtype
                self.extents[x] = [None] * self.ranks[x]
            case "match_shape", (Var(name=x), Var(name=heap), PrimValue() as size, *codes) if heap == self.heap:
                self.matched(x, self.number(size), codes)
            case "make_shape", (Var(name=heap), PrimValue() as size, *codes) if heap == self.heap:
                self.shapes[name] = self.made([self.number(each) for each in codes], self.number(size))
            case "alloc_storage", (shape, PrimValue() as device, DataTypeValue() as dtype, StringValue(value="global")):
                if self.number(device):
                    raise _Strange
                self.rooms[name] = (self.dims(shape), dtype)
            case "alloc_tensor", (Var(name=room), PrimValue() as offset, shape, DataTypeValue() as dtype):
                self.allocated(name, room, offset, self.dims(shape), dtype)
            case "call_tir_dyn", (GlobalVar() as callee, *given, ShapeExpr(values=())):
                self.put(name, Call(callee, tuple(map(self.value, given)), ty_args=()))
            case "reshape", (Var() as x, shape):
                self.put(name, Call(Op("relax.reshape"), (x, ShapeExpr(self.dims(shape)))))
            case "runtime.TVMTensorCreateView", (Var() as x, shape, DataTypeValue() as dtype, PrimValue() as offset):
                self.put(name, Call(Op("relax.memory.view"), (x, ShapeExpr(self.dims(shape)), dtype, offset)))
            case "make_tuple", _:
                self.put(name, Tuple(tuple(map(self.value, args))))
            case "tuple_getitem", (Var() as whole, PrimValue() as place):
                self.put(name, TupleGetItem(whole, self.number(place)))
            case _:
                raise _Strange

    def allocated(self, name: str, room: str, offset: PrimValue, dims: Dims, dtype: DataTypeValue) -> None:
        """A tensor in a storage; one that a storage was made for is memory of its own."""
        if room not in self.rooms:
            raise _Strange
        size, kind = self.rooms[room]
        if kind == BYTES and len(size) == 1:
            if room not in self.written:
                self.written.add(room)
                made = (ShapeExpr(size), PrimValue(int_imm(0)), StringValue("global"), BYTES)
                self.put(room, Call(Op("relax.memory.alloc_storage"), made))
            placed = (Var(room), offset, ShapeExpr(dims), dtype, PrimValue(int_imm(0)))
            self.put(name, Call(Op("relax.memory.alloc_tensor"), placed))
            return
        if size != dims or kind != dtype or self.number(offset):
            raise _Strange
        del self.rooms[room]  # (a second tensor in it is not read)
        own = (ShapeExpr(dims), dtype, PrimValue(int_imm(0)), StringValue("global"))
        self.put(name, Call(Op("relax.builtin.alloc_tensor"), own))

    def matched(self, x: str, size: int, codes: list[Expr]) -> None:
        """Extents of a parameter that are stored, or held against numbers or slots."""
        dims = self.extents.get(x)
        if dims is None or len(dims) != size or len(codes) not in (2 * size, 2 * size + 1):
            raise _Strange
        for axis in range(size):
            code, slot = self.number(codes[2 * axis]), self.number(codes[2 * axis + 1])
            if code == NOTHING:
                continue
            if code == STORE and slot not in self.slots:
                self.fill(slot, SymVar(self.taken.fresh("n"), "int64"))
            elif code == STORE or code not in (EQUALS_IMMEDIATE, EQUALS_SLOT):
                raise _Strange
            if dims[axis] is not None:
                raise _Strange
            dims[axis] = int_imm(slot) if code == EQUALS_IMMEDIATE else self.slot(slot)

    def computed(self, callee: str) -> None:
        """A host program: slots that are computed from slots."""
        func = self.module.functions[callee]
        if not isinstance(func, PrimFunc):
            raise _Strange
        (param,) = func.params
        assert isinstance(param, BufferParam)  # (it is given the table alone)
        buffer = param.buffer
        if (buffer.dtype, tuple(map(as_int, buffer.shape))) != ("int64", (self.size,)):
            raise _Strange
        table = buffer.name
        for each in func.body:
            if not isinstance(each, BufferStore) or each.buffer != table:
                raise _Strange
            place = as_int(each.indices[0])
            if place is None or place in self.slots:
                raise _Strange
            self.fill(place, self.over_symbols(each.value, table))

    def over_symbols(self, e: PrimExpr, table: str) -> PrimExpr:
        if isinstance(e, BufferLoad):
            place = as_int(e.indices[0])
            if e.buffer != table or place is None:
                raise _Strange
            return self.slot(place)
        return rebuilt(e, tuple(self.over_symbols(each, table) for each in parts(e))) if parts(e) else e

    # --- values -----------------------------------------------------------------------------------------------------

    def fill(self, place: int, value: PrimExpr) -> None:
        if not 0 <= place < self.size:
            raise _Strange
        self.slots[place] = value

    def slot(self, place: int) -> PrimExpr:
        if place not in self.slots:
            raise _Strange
        return self.slots[place]

    def made(self, codes: list[int], size: int) -> Dims:
        if len(codes) != 2 * size or not set(codes[::2]) <= {IMMEDIATE, LOAD}:
            raise _Strange
        pairs = zip(codes[::2], codes[1::2], strict=True)
        return tuple(int_imm(number) if code == IMMEDIATE else self.slot(number) for code, number in pairs)

    def dims(self, e: Expr) -> Dims:
        match e:
            case Var(name=name) if name in self.shapes:
                return self.shapes[name]
            case ShapeExpr(values=values) if all(as_int(each) is not None for each in values):
                return values
            case _:
                raise _Strange

    def number(self, e: Expr) -> int:
        value = as_int(e.value) if isinstance(e, PrimValue) else None
        if value is None:
            raise _Strange
        return value

    def value(self, e: Expr) -> Expr:
        """A value that is no part of the machine."""
        match e:
            case Var(name=name):
                if name in self.rooms:  # (the table and shapes are bound nowhere: what has one is no program)
                    raise _Strange
                return e
            case Tuple(fields=fields):
                return replace(e, fields=tuple(map(self.value, fields)))
            case TupleGetItem(tuple=inner):
                return replace(e, tuple=self.value(inner))
            case Constant() | ConstantRef():
                return e
            case _:
                raise _Strange
