"""Values and their elements: what lies in memory now, at which shape, and what loop programs store there.

Spec: ``spec/06c-pointwise.md``, ``va/planned-memory``, ``va/branches``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.judge.built import Table, computed
from refrelax.judge.graph_values import Nothing, Value, place_of, places_in, product
from refrelax.judge.kernel_calls import KernelCalls
from refrelax.judge.planned import WITHIN, Joined, Memory, Place, Room, View
from refrelax.shape_solver.pointwise import NotRead, TensorTerm, Term
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.shape_solver.pointwise.one_object import one_object
from refrelax.shape_solver.pointwise.views import reshaped
from refrelax.syntax import dtypes
from refrelax.syntax.loops import PrimFunc, ScalarParam
from refrelax.syntax.scalars import PrimExpr, as_int, int_imm


@dataclass(slots=True)
class Contents(KernelCalls):
    """The memory of one program."""

    memory: Memory = field(init=False)
    reachable: list[Place] = field(default_factory=list, kw_only=True)
    """Memory that a library function was given or gave: it may have other names, and any later one may store in it."""

    def __post_init__(self) -> None:
        self.memory = Memory(self.logic)

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
        for d in shape:
            self.not_negative(d)  # (two that are may have the right product)
        match x:
            case Joined(condition, yes, no):
                either = [self.viewed(each, shape, planned_only) for each in (yes, no)]  # type: ignore[arg-type]
                return Joined(condition, *either)
            case Place() | View() if not planned_only or place_of(x).room is not None:
                self.reshaped(place_of(x).content, shape)  # (the numbers of elements are equal)
                return View(place_of(x), shape)
            case _:
                x = self.content(x)
        if not isinstance(x, TensorTerm):
            raise NotRead("a reshape of what is no tensor")
        return self.reshaped(x, shape)

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
        at = tuple(self.terms.fresh("o") for _ in yes.shape)
        body = self.terms.choose(condition, self.terms.load(yes, at), self.terms.load(no, at))
        return one_object(self.terms, self.logic, TensorTerm("if", yes.shape, yes.dtype, at, body))

    def chosen(self, condition: Term, yes: Value, no: Value) -> Value:
        match yes, no:
            case TensorTerm(), TensorTerm():
                return yes if yes is no else self.either(condition, yes, no)
            case tuple(), tuple() if len(yes) == len(no):
                return tuple(self.chosen(condition, a, b) for a, b in zip(yes, no, strict=True))
            case Nothing(), Nothing():
                return yes
            case _:
                raise NotRead("branches that give other values than tensors")

    def tensor_in(self, room: Room, offset: PrimExpr, shape: tuple[PrimExpr, ...], dtype: str) -> Place:
        """A tensor in a storage, within its bytes."""
        if dtypes.memory_bits(dtype) % 8:
            raise NotRead(f"a tensor of {dtype} in a storage: no whole bytes")
        place = self.memory.allocated(self.unwritten(shape, dtype), room, offset)
        self.require(WITHIN, compare("GE", place.begin, int_imm(0)), ())
        self.require(WITHIN, compare("LE", place.end, room.size), ())
        return place

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
            computed(func, args[0], self.terms, self.logic, self.require)
            return ()
        places = [each.of if isinstance(each, View) else each for each in args]
        reached = [tuple(places_in(each)) for each in args]
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
            self.known_to_nobody(f"cls.{name}", place)
            self.memory.write(place, new if isinstance(arg, Place) else self.reshaped(new, place.content.shape))
        return ()

    def known_to_nobody(self, callee: str, place: Place, itself: bool = True) -> None:
        """See that a call stores in no memory that a library function knows, be it under another name; ``itself``: nor
        as this tensor."""
        for each in self.reachable:
            shared = each.room is not None and each.room is place.room and not self.memory.apart(each, place)
            if itself if each is place else shared:
                raise NotRead(f"{callee} stores in {place.name}, which a library function knows")

    def reshaped(self, x: TensorTerm, shape: tuple[PrimExpr, ...]) -> TensorTerm:
        """The same elements in row-major order."""
        return reshaped(self.terms, self.logic, x, shape)
