"""Calls of loop programs into planned memory, written as operators with results of their own.

    storage = R.memory.alloc_storage(…)
    h = R.memory.alloc_tensor(storage, 0, R.shape([n, 16]), R.dtype("float32"))
    _ = cls.relu(x, h)
    ~> h = R.nn.relu(x)

This is done where nobody can tell the difference: ``h`` is stored once, whole, before anything reads it; while it is in
use nothing else is stored in its part of the storage; and what lies there later is stored whole before it is read. A
plan that is wrong keeps its meaning, which is to read what was stored last. A view of such a result that has all of
its elements is a reshape of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, prod

from refrelax.lower.legalize.site import Typing
from refrelax.lower.origins.calls import counted, expansion
from refrelax.lower.origins.text import Origin
from refrelax.lower.to_destinations import names_of
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.overwriting import stored_inputs
from refrelax.semantics.ops import CALL_FORMS, FRESH, IMPURE, LOW_LEVEL, OVERWRITING
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    Expr,
    Function,
    GlobalVar,
    MatchCast,
    Op,
    PrimValue,
    ShapeExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm
from refrelax.syntax.types import TensorType, TupleType, Type

ALLOCATES = ("relax.builtin.alloc_tensor", "relax.memory.alloc_tensor")
VIEWS = ("relax.memory.view",)
KILLS = ("relax.memory.kill_tensor", "relax.memory.kill_storage")


@dataclass(frozen=True, slots=True)
class Unplanned:
    """A function without the allocations of ``results``, the tensors that became such; ``types``: of the function's
    bindings."""

    function: Function
    types: Mapping[str, Type]
    results: frozenset[str]


def unplanned(checked: CheckedModule, name: str, origins: Mapping[str, Origin]) -> Unplanned | None:
    """The function ``name`` with such calls written as operators; ``None`` if it has none."""
    function = checked.module.functions[name]
    assert isinstance(function, Function)
    bindings = [b for block in function.body.blocks for b in block.bindings]
    if not any(_allocates(b) for b in bindings) or not all(isinstance(b, BindingBlock) for b in function.body.blocks):
        return None
    plan = _Plan(checked, dict(checked.types.get(name, {})), origins, bindings, function.body.body)
    chosen = plan.chosen()
    if not chosen:
        return None
    taken, new = names_of(function), list[Binding]()
    counts = plan.extents()
    typing = Typing(checked.module, plan.types.get)
    for k, b in enumerate(bindings):
        if b.name in chosen or _kills(b) in chosen:
            continue
        if k not in plan.calls:
            shared = plan.sharing(_vars(b.value))
            new.append(plan.reshaped(b) if shared and shared <= chosen else b)
            continue
        found = expansion(
            plan.calls[k].binding, plan.calls[k].callee, plan.calls[k].origin, typing, taken.fresh, counts
        )
        if found is None:
            return None  # (``chosen`` has asked)
        *before, last = found.bindings
        new += before
        plan.types |= found.types
        outs = plan.calls[k].outs
        if len(outs) == 1:
            new.append(replace(last, name=outs[0]))
        else:
            whole = taken.fresh("results")
            plan.types[whole] = TupleType(tuple(plan.types[out] for out in outs))
            new.append(replace(last, name=whole))
            new += [VarBinding(out, TupleGetItem(Var(whole), j)) for j, out in enumerate(outs)]
    body = replace(function.body, blocks=(BindingBlock(tuple(new)),))
    return Unplanned(replace(function, body=body), plan.types, frozenset(chosen))


def needed(bindings: list[Binding]) -> list[Binding]:
    """The bindings without storages in which nothing lies any more."""
    used = {v for b in bindings if not _kills(b) for v in _vars(b.value)}
    empty = {b.name for b in bindings if _is(b, ("relax.memory.alloc_storage",)) and b.name not in used}
    return [b for b in bindings if b.name not in empty and _kills(b) not in empty]


@dataclass(slots=True)
class _Tensor:
    """A tensor that the function allocates: where, what stores in it first, and when it is mentioned."""

    binding: VarBinding
    at: int
    storage: str | None
    region: tuple[int, int] | None = None
    """Its first byte and the one behind its last, where they are numbers."""
    stored: list[int] = field(default_factory=list)
    mentioned: list[float] = field(default_factory=list)
    whole: bool = True
    """Whether every mention of it, or of what shares its memory, only reads."""

    @property
    def life(self) -> tuple[float, float]:
        return min(self.mentioned, default=self.at), max(self.mentioned, default=self.at)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a loop program of known origin: as a ``call_tir`` into fresh memory, and the names of its results."""

    binding: VarBinding
    callee: PrimFunc
    origin: Origin
    outs: tuple[str, ...]


class _Plan:
    """Who stores where, and who reads it, in the bindings of a function in a row."""

    def __init__(
        self,
        checked: CheckedModule,
        types: dict[str, Type],
        origins: Mapping[str, Origin],
        bindings: list[Binding],
        result: Expr,
    ) -> None:
        self.module: Module = checked.module
        self.types = types
        self.origins = origins
        self.bindings = bindings
        self.calls: dict[int, _Call] = {}
        self.tensors: dict[str, _Tensor] = {}
        self.memory: dict[str, set[str]] = {}
        """For each name, the tensors that its value may share memory with."""
        self.storages = {b.name for b in bindings if _is(b, ("relax.memory.alloc_storage",))}
        self.strange: set[str] = set()
        """Storages that anything but an allocation mentions."""
        self.known: dict[str, frozenset[int]] = {}
        for k, b in enumerate(bindings):
            self.binding(k, b)
        for tensor in self.sharing(_vars(result)):
            self.tensors[tensor].mentioned.append(inf)

    # --- reading --------------------------------------------------------------------------------------------------

    def binding(self, k: int, b: Binding) -> None:
        shared = self.sharing(_vars(b.value))
        if not _allocates(b) and not _kills(b):
            self.strange |= set(_vars(b.value))
        match b.value:
            case Call(op=Op(name="relax.memory.alloc_tensor"), args=(Var(name=storage), offset, *_)):
                self.tensors[b.name] = _Tensor(VarBinding(b.name, b.value), k, storage, self.region(b.name, offset))
                self.memory[b.name] = {b.name}
            case Call(op=Op(name="relax.builtin.alloc_tensor")):
                self.tensors[b.name] = _Tensor(VarBinding(b.name, b.value), k, None)
                self.memory[b.name] = {b.name}
            case Call(op=Op(name=op)) if op in KILLS:
                pass
            case Call(op=GlobalVar(name=callee), args=args) if isinstance(self.module.functions.get(callee), PrimFunc):
                self.call(k, callee, args)
            case Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=callee), Tuple(fields=args))) if isinstance(
                self.module.functions.get(callee), PrimFunc
            ):
                self.read(k, shared)
                if self.stores(callee) & set(range(len(args))):
                    self.spoil(shared)
            case Call(op=Op(name=op)) if op not in IMPURE | OVERWRITING | set(CALL_FORMS) and (
                op in VIEWS or op not in LOW_LEVEL
            ):
                self.read(k, shared)
                if op not in FRESH:
                    self.memory[b.name] = shared
            case Var() | Tuple() | TupleGetItem() if not isinstance(b, MatchCast):
                self.read(k, shared)
                self.memory[b.name] = shared
            case _:
                self.read(k, shared)
                self.spoil(shared)
                self.memory[b.name] = shared

    def sharing(self, names: Iterable[str]) -> set[str]:
        return {tensor for name in names for tensor in self.memory.get(name, ())}

    def read(self, k: int, tensors: set[str]) -> None:
        for each in tensors:
            self.tensors[each].mentioned.append(k)

    def spoil(self, tensors: set[str]) -> None:
        for each in tensors:
            self.tensors[each].whole = False

    def region(self, name: str, offset: Expr) -> tuple[int, int] | None:
        type_ = self.types.get(name)
        start = as_int(offset.value) if isinstance(offset, PrimValue) else None
        if start is None or not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple):
            return None
        dims = [as_int(d) for d in type_.shape]
        numbers = [d for d in dims if d is not None]
        if len(numbers) != len(dims) or type_.dtype is None:
            return None
        return start, start + -(-prod(numbers) * dtypes.memory_bits(type_.dtype) // 8)

    def call(self, k: int, callee: str, args: tuple[Expr, ...]) -> None:
        """A loop program called with the places of its results."""
        func, stored = self.module.functions[callee], self.stores(callee)
        assert isinstance(func, PrimFunc)
        for place, arg in enumerate(args):
            shared = self.sharing(_vars(arg))
            self.read(k, shared)
            if place in stored:
                for each in shared:
                    self.tensors[each].stored.append(k)
                if not isinstance(arg, Var) or shared != {arg.name}:
                    self.spoil(shared)
        origin = self.origins.get(callee)
        if origin is None:
            self.spoil(self.sharing(v for place in stored if place < len(args) for v in _vars(args[place])))
            return
        count = len(origin.tensors) + sum(isinstance(p, ScalarParam) for p in func.params)
        outs = tuple(a.name for a in args[count:] if isinstance(a, Var))
        types = tuple(self.types.get(out) for out in outs)
        fresh = all(out in self.tensors for out in outs) and len(set(outs)) == len(outs) == len(args) - count
        known = tuple(t for t in types if isinstance(t, TensorType))
        if not fresh or len(known) != len(outs) or stored != frozenset(range(count, len(args))):
            return
        annotation: Type = known[0] if len(known) == 1 else TupleType(known)
        value = Call(Op("relax.call_tir"), (GlobalVar(callee), Tuple(args[:count])), ty_args=(annotation,))
        self.calls[k] = _Call(VarBinding(outs[0], value), func, origin, outs)

    def stores(self, callee: str) -> frozenset[int]:
        """The parameters in which a loop program stores."""
        if callee not in self.known:
            func = self.module.functions[callee]
            assert isinstance(func, PrimFunc)
            self.known[callee] = stored_inputs(func, len(func.params))
        return self.known[callee]

    # --- choosing -------------------------------------------------------------------------------------------------

    def chosen(self) -> set[str]:
        """The tensors that become results; ``calls`` keeps the calls that give them."""
        found, counts = set[str](), self.extents()
        kept: dict[int, _Call] = {}
        for k, call in self.calls.items():
            typing = Typing(self.module, self.types.get)
            fits = expansion(call.binding, call.callee, call.origin, typing, lambda name: name, counts)
            if fits is not None and all(self.own(self.tensors[out], k) for out in call.outs):
                found |= set(call.outs)
                kept[k] = call
        self.calls = kept
        return found

    def reshaped(self, b: Binding) -> Binding:
        """A view of a whole tensor at its own dtype as ``R.reshape``."""
        match b:
            case VarBinding(
                value=Call(op=Op(name="relax.memory.view"), args=(Var(name=source), ShapeExpr() as shape, *_))
            ):
                before, after = self.types.get(source), self.types.get(b.name)
                if isinstance(before, TensorType) and isinstance(after, TensorType) and _same_elements(before, after):
                    return VarBinding(b.name, Call(Op("relax.reshape"), (Var(source), shape)), span=b.span)
            case _:
                pass
        return b

    def extents(self) -> frozenset[str]:
        return frozenset(counted(self.types.values()))

    def own(self, tensor: _Tensor, k: int) -> bool:
        """Whether a tensor is stored at ``k``, first and only, and no other is stored in its bytes while it lives."""
        if not tensor.whole or tensor.stored != [k] or tensor.life[0] != k or tensor.mentioned.count(k) != 1:
            return False
        if tensor.storage is None:
            return True
        if tensor.storage in self.strange or tensor.storage not in self.storages:
            return False
        others = [t for t in self.tensors.values() if t.storage == tensor.storage and t is not tensor]
        return all(_elsewhere(tensor, each) or self.in_turn(tensor, each) for each in others)

    def in_turn(self, a: _Tensor, b: _Tensor) -> bool:
        """Whether ``b`` is used before ``a`` alone, or after it, and begins by being stored whole."""
        if b.life[1] < a.life[0]:
            return True
        first = self.calls.get(int(b.life[0])) if b.life[0] < inf else None
        whole = first is not None and b.binding.name in first.outs and b.mentioned.count(b.life[0]) == 1
        return a.life[1] < b.life[0] and (whole or not b.mentioned)


def _elsewhere(a: _Tensor, b: _Tensor) -> bool:
    """Whether two tensors are known to lie apart."""
    return a.region is not None and b.region is not None and (a.region[1] <= b.region[0] or b.region[1] <= a.region[0])


def _same_elements(a: TensorType, b: TensorType) -> bool:
    """Whether two types have one dtype and, for all sizes, as many elements; none of the extents is 0."""
    if a.dtype != b.dtype or not isinstance(a.shape, tuple) or not isinstance(b.shape, tuple) or not b.shape:
        return False
    if any(as_int(dim) == 0 for dim in b.shape):
        return False
    return equal(_count(a.shape), _count(b.shape), NO_FACTS) is True


def _count(dims: tuple[PrimExpr, ...]) -> PrimExpr:
    whole: PrimExpr = int_imm(1)
    for dim in dims:
        whole = Binary("Mul", whole, dim)
    return whole


def _allocates(b: Binding) -> bool:
    return _is(b, ALLOCATES)


def _is(b: Binding, operators: tuple[str, ...]) -> bool:
    return isinstance(b.value, Call) and isinstance(b.value.op, Op) and b.value.op.name in operators


def _kills(b: Binding) -> str:
    """The tensor or storage whose end a binding says."""
    match b:
        case VarBinding(value=Call(op=Op(name=op), args=(Var(name=name),))) if op in KILLS:
            return name
        case _:
            return ""


def _vars(e: Expr) -> list[str]:
    return [node.name for node in nodes(e) if isinstance(node, Var)]
