"""The signature of a built entry, told from the checks that it begins with.

``lower --pipeline build`` and TVM's ``VMShapeLower`` erase the types of parameters and spell out what they said. Such
an entry accepts what its first checks accept: before anything else happens, the run ends where one fails.

Spec: ``spec/06c-pointwise.md``, ``va/erased``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.builtins import heap as builtin
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import graph
from refrelax.syntax.loops import BufferParam, BufferStore, PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, Literal, PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type

CHECK = "vm.builtin."
MATCHES = frozenset({"match_shape", "match_prim_value"})
"""What holds extents or a scalar against the table; all else looks at the kind of a value."""


@dataclass(slots=True)
class _Checks:
    """What the first checks of parameters ask: of a place its rank and dtype, or that it is a shape, an ``int64`` or a
    tuple of so many fields; and its extents. ``places``: of a variable, the parameter that it is, or the field of one.
    ``slots``: what stands in a slot of the table, a symbol or an expression over symbols; ``taken``: the names of other
    symbols. ``order``: where a place stands; ``seen``: the last place whose kind was checked; ``compared``: whether an
    extent may have been refused already."""

    taken: Taken
    places: dict[str, str]
    order: dict[str, tuple[int, ...]]
    seen: tuple[int, ...] = ()
    compared: bool = False
    tensors: dict[str, tuple[int, str]] = field(default_factory=dict)
    tuples: dict[str, int] = field(default_factory=dict)
    scalars: set[str] = field(default_factory=set)
    shapes: dict[str, int] = field(default_factory=dict)
    extents: dict[str, tuple[PrimExpr | None, ...]] = field(default_factory=dict)
    slots: dict[int, PrimExpr] = field(default_factory=dict)

    def type_of(self, name: str) -> Type | None:
        if name in self.tuples:
            fields = [self.type_of(_field(name, k)) for k in range(self.tuples[name])]
            told = tuple(each for each in fields if each is not None)
            return TupleType(told) if len(told) == len(fields) else None
        if name in self.scalars:
            return PrimType("int64")
        if name in self.tensors and name not in self.extents:
            rank, dtype = self.tensors[name]
            return TensorType(None, dtype, rank)
        dims = tuple(each for each in self.extents.get(name, (None,)) if each is not None)
        if len(dims) != len(self.extents.get(name, (None,))):
            return None
        if name in self.tensors and self.tensors[name][0] == len(dims):
            return TensorType(dims, self.tensors[name][1], len(dims))
        return ShapeType(dims, len(dims)) if self.shapes.get(name) == len(dims) else None

    def take(self, name: str, args: tuple[graph.Expr, ...]) -> bool:
        """Note a check. False where it is none, or not read."""
        told = args[-1].value if args and isinstance(args[-1], graph.StringValue) else None
        if told is None or ("loc=param" not in told and name != "match_prim_value"):
            return False  # a store that cannot fail is no check of anything
        numbers = [as_int(a.value) if isinstance(a, graph.PrimValue) else None for a in args]
        x = self.places.get(args[0].name) if isinstance(args[0], graph.Var) else None
        if x is None or not self.in_order(name, x, numbers):
            return False
        match name, args:
            case "check_tensor_info", (_, _, graph.DataTypeValue(dtype), *_) if numbers[1] is not None:
                self.tensors[x] = (numbers[1], dtype)
            case "check_shape_info", _ if numbers[1] is not None:
                self.shapes[x] = numbers[1]
            case "check_tuple_info", _ if numbers[1] is not None and numbers[1] >= 0:
                self.tuples[x] = numbers[1]
            case "check_prim_value_info", (_, graph.DataTypeValue("int64"), *_):
                self.scalars.add(x)
            case "match_prim_value", (_, graph.Var(), *_) if x in self.scalars:
                return self.scalar(x, numbers[2], numbers[3])
            case "match_shape", (_, graph.Var(), *_):
                return self.matched(x, numbers[2:])
            case _:
                return False
        return True

    def in_order(self, name: str, x: str, numbers: list[int | None]) -> bool:
        """Whether a check stands where a call that the signature refuses ends under the same rule: kinds from the left,
        and then extents."""
        if name in MATCHES:
            fails = (builtin.EQUALS_IMMEDIATE, builtin.EQUALS_SLOT)
            self.compared |= name == "match_shape" and any(each in fails for each in numbers[3::2])
            return x in self.tensors or x in self.shapes or x in self.scalars
        before, self.seen = self.seen, self.order[x]
        return before <= self.seen and not self.compared

    def scalar(self, x: str, code: int | None, slot: int | None) -> bool:
        """A scalar parameter is the symbol of its name; of a slot it is the first that is stored."""
        if code != builtin.STORE or slot is None or slot in self.slots:
            return False
        self.slots[slot] = SymVar(x, "int64")
        return True

    def projects(self, name: str, of: str, k: int | None) -> bool:
        """Note a field of a parameter that is seen to be a tuple with this field. False where it is none."""
        place = self.places.get(of)
        if place is None or k is None or not 0 <= k < self.tuples.get(place, 0):
            return False
        self.places[name] = _field(place, k)
        self.order[_field(place, k)] = (*self.order[place], k)
        return True

    def matched(self, x: str, numbers: list[int | None]) -> bool:
        """Extents of one place. What an earlier check left open is told now; what it told is told again, or not at
        all. A symbol that is stored is a new one."""
        size = numbers[0]
        codes = numbers[1 : 1 + 2 * size] if size is not None and size >= 0 else []
        if size is None or len(codes) != 2 * size or any(each is None for each in codes):
            return False
        pairs = [(code, slot) for code, slot in zip(codes[::2], codes[1::2], strict=True) if slot is not None]
        before = self.extents.get(x, (None,) * len(pairs))
        if len(before) != len(pairs):
            return False
        dims: list[PrimExpr | None] = []
        for (code, slot), dim in zip(pairs, before, strict=True):
            told = dim if code == builtin.NOTHING else self.told(code, slot, dim is not None)
            if code != builtin.NOTHING and (told is None or (dim is not None and told != dim)):
                return False
            dims.append(told)
        self.extents[x] = tuple(dims)
        return True

    def told(self, code: int | None, slot: int, again: bool) -> PrimExpr | None:
        """What an extent is held against."""
        match code:
            case builtin.EQUALS_IMMEDIATE:
                return int_imm(slot)
            case builtin.EQUALS_SLOT:
                return self.slots.get(slot)
            case builtin.STORE if slot not in self.slots and not again:
                return self.slots.setdefault(slot, SymVar(self.taken.fresh(f"slot{slot}"), "int64"))
            case _:
                return None

    def computes(self, func: object) -> bool:
        """Note a loop program that stores integers, computed from slots, in other slots. False where it is none.

        They may wrap: an extent that is held against one that did is open, and of one that none is held against the
        signature says nothing.
        """
        match func:
            case PrimFunc(params=(BufferParam(table),), ret=None, root_allocs=()) if table.dtype == "int64":
                return all(self.stores(each, table.name) for each in func.body)
            case _:
                return False

    def stores(self, stmt: object, table: str) -> bool:
        """Note a store of one integer in a slot that holds none yet."""
        match stmt:
            case BufferStore(name, value, (index,), None) if name == table:
                slot, found = as_int(index), self.expression(value, name)
            case _:
                return False
        if slot is None or found is None or slot in self.slots:
            return False
        self.slots[slot] = found
        return True

    def expression(self, e: PrimExpr, table: str) -> PrimExpr | None:
        """What is computed, over the symbols in the slots; nothing that may divide by zero."""
        match e:
            case Literal():
                return e
            case BufferLoad(buffer, (index,), "int64", None) if buffer == table and (k := as_int(index)) is not None:
                return self.slots.get(k)
            case Binary(op, x, y) if op in ("Add", "Sub", "Mul", "Min", "Max") or (
                op in ("FloorDiv", "FloorMod") and (by := as_int(y)) is not None and by > 0
            ):
                a, b = self.expression(x, table), self.expression(y, table)
                return None if a is None or b is None else replace(e, a=a, b=b)
            case _:
                return None


@rule("va/erased")
def spelled_out(func: object, functions: Mapping[str, object]) -> object:
    """The entry with the types that its first checks spell out, where its parameters say nothing. Only checks of
    parameters count, and only those before which nothing else happens but that an extent is computed and checked next;
    a parameter of which they do not say everything keeps no type.

    ``functions``: those of the module, of which some compute extents. They wrap where the annotated program is open, so
    that only the second of two programs is read so.
    """
    if not isinstance(func, graph.Function) or not any(_says_nothing(p) for p in func.params):
        return func
    checks = _Checks(
        Taken(each.name for each in nodes(func) if isinstance(each, SymVar | graph.Param)),
        {p.name: p.name for p in func.params},
        {p.name: (k,) for k, p in enumerate(func.params)},
    )
    for name, callee, args in _leading(func):
        if isinstance(callee, graph.GlobalVar):
            if not checks.computes(functions.get(callee.name)):
                break
            continue
        if callee == CHECK + "alloc_shape_heap":
            continue
        match callee, args:
            case "vm.builtin.tuple_getitem", (graph.Var(of), graph.PrimValue(k)):
                read = checks.projects(name, of, as_int(k))
            case _:
                read = bool(args) and checks.take(callee.removeprefix(CHECK), args)
        if not read:
            break
    params = tuple(replace(p, type=checks.type_of(p.name) or p.type) if _says_nothing(p) else p for p in func.params)
    return replace(func, params=params)


def _says_nothing(param: graph.Param) -> bool:
    return param.type is None or isinstance(param.type, AnyType)


def _field(place: str, k: int) -> str:
    return f"{place}[{k}]"


def _leading(func: graph.Function) -> Iterator[tuple[str, str | graph.GlobalVar, tuple[graph.Expr, ...]]]:
    """The calls that the body begins with: the name of each, the function of the machine's library, by name, or of the
    module, and its arguments."""
    for block in func.body.blocks:
        for binding in block.bindings:
            match binding:
                case graph.VarBinding(value=graph.Call(op=graph.ExternFunc(callee), args=args)):
                    yield binding.name, callee, args
                case graph.VarBinding(value=graph.Call(op=graph.GlobalVar() as own, args=args)):
                    yield binding.name, own, args
                case graph.VarBinding(
                    value=graph.Call(
                        op=graph.Op("relax.call_builtin_with_ctx"), args=(graph.ExternFunc(callee), graph.Tuple(args))
                    )
                ):
                    yield binding.name, callee, args
                case _:
                    return


__all__ = ["spelled_out"]
