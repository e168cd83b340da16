"""Built modules under a proof: the table of shapes, the checks that are spelled out, and shapes made from the table.

A slot of the table holds an integer expression over the symbols of the signature. Every check on the way has to be seen
to pass, as a ``match_cast``'s.

Spec: ``spec/06c-pointwise.md``, ``va/built``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from refrelax.judge.planned import Joined, Place, View
from refrelax.rules import rule
from refrelax.semantics.builtins import heap as builtin
from refrelax.shape_solver.pointwise import Logic, NotRead, TensorTerm, Term, Terms
from refrelax.shape_solver.pointwise.elements import ELEMENT_FITS, Reading
from refrelax.syntax import graph
from refrelax.syntax.loops import BufferParam, BufferStore, PrimFunc
from refrelax.syntax.scalars import BufferLoad, Literal, PrimExpr, as_int, int_imm

LIBRARIES = ("vm.builtin.", "runtime.TVMTensorCreateView")


@dataclass(eq=False, slots=True)
class Table:
    """A table of ``size`` slots; those that were written, with what they hold."""

    size: int
    slots: dict[int, PrimExpr] = field(default_factory=dict)

    def at(self, slot: int) -> PrimExpr:
        if slot not in self.slots:
            raise NotRead("a slot of the table of shapes that is read before it is written")
        return self.slots[slot]

    def put(self, slot: int, value: PrimExpr) -> None:
        if not 0 <= slot < self.size:
            raise NotRead("a slot beyond the table of shapes")
        self.slots[slot] = value


@rule("va/built")
def joined(one: dict[int, PrimExpr], other: dict[int, PrimExpr]) -> dict[int, PrimExpr]:
    """What is known of slots after either of two branches: those that both leave at the same."""
    return {slot: value for slot, value in one.items() if other.get(slot) == value}


@rule("va/built")
def called(name: str, args: Sequence[object], logic: Logic) -> object:
    """What a function of the machine's library gives.

    Raises:
        NotRead: no such function is read, or a check may fail.
    """
    match name.removeprefix("vm.builtin."), args:
        case "alloc_shape_heap", (size, *_) if (n := _number(size)) is not None and n >= 0:
            return Table(n)
        case "check_tensor_info", (x, ndim, *rest) if _is_tensor(x, _number(ndim), rest):
            return ()
        case "check_shape_info", (graph.ShapeExpr(dims), ndim, *_) if _number(ndim) in (-1, len(dims)):
            return ()
        case "check_tuple_info", (tuple() as fields, size, *_) if _number(size) == len(fields):
            return ()
        case "match_shape", (value, table, ndim, *rest):
            extents = _extents(value, logic)
            if _number(ndim) != len(extents):
                raise NotRead("a check of extents that fails")
            matched(extents, table, rest, logic)
            return ()
        case "make_shape", (table, ndim, *rest):
            return graph.ShapeExpr(_made(table, _number(ndim), _numbers(rest)))
        case "make_prim_value", (table, code, slot):
            (made,) = _made(table, 1, _numbers((code, slot)))
            return made
        case "shape_of", (value, *_):
            return graph.ShapeExpr(_extents(value, logic))
        case _:
            raise NotRead(f"a call of {name}")


def _number(value: object) -> int | None:
    return as_int(value) if isinstance(value, Literal) else None


def _numbers(args: Sequence[object]) -> list[int]:
    """The integers that a list of arguments begins with."""
    found: list[int] = []
    for each in args:
        k = _number(each)
        if k is None:
            break
        found.append(k)
    return found


def _is_tensor(x: object, ndim: int | None, rest: Sequence[object]) -> bool:
    if isinstance(x, Joined):
        return _is_tensor(x.yes, ndim, rest) and _is_tensor(x.no, ndim, rest)
    content = x.of.content if isinstance(x, View) else x.content if isinstance(x, Place) else x
    if not isinstance(content, TensorTerm) or ndim is None:
        return False
    rank = len(x.shape if isinstance(x, View) else content.shape)
    named = [each.dtype for each in rest if isinstance(each, graph.DataTypeValue)]
    return all(each in ("", "void", content.dtype) for each in named) and ndim in (-1, rank)


def _extents(value: object, logic: Logic) -> tuple[PrimExpr, ...]:
    """The extents of a tensor or a shape; of what an ``if`` gives those that are the same in both branches."""
    match value:
        case Joined(_, yes, no):
            one, other = _extents(yes, logic), _extents(no, logic)
            if len(one) != len(other) or not all(map(logic.equal, one, other)):
                raise NotRead("the extents of what an if gives, which may differ")
            return one
        case TensorTerm(shape=shape) | View(shape=shape) | Place(content=TensorTerm(shape=shape)):
            return shape
        case graph.ShapeExpr(dims):
            return dims
        case _:
            raise NotRead("the extents of what is no tensor and no shape")


def _pairs(size: int | None, numbers: list[int]) -> list[tuple[int, int]]:
    if size is None or size < 0 or len(numbers) < 2 * size:
        raise NotRead("a call on the table of shapes in this form")
    return [(numbers[2 * k], numbers[2 * k + 1]) for k in range(size)]


def matched(extents: tuple[PrimExpr, ...], table: object, codes: Sequence[object], logic: Logic) -> None:
    """Every extent held against the table, in order. ``codes``: what is done with each, and with which slot or number.

    Raises:
        NotRead: a check may fail, or is of no form that is read.
    """
    for extent, (code, slot) in zip(extents, _pairs(len(extents), _numbers(codes)), strict=True):
        match code:
            case builtin.NOTHING:
                continue
            case builtin.STORE if isinstance(table, Table):
                table.put(slot, extent)
                continue
            case builtin.EQUALS_IMMEDIATE:
                wanted: PrimExpr = int_imm(slot)
            case builtin.EQUALS_SLOT if isinstance(table, Table):
                wanted = table.at(slot)
            case _:
                raise NotRead("a call on the table of shapes in this form")
        if not logic.equal(extent, wanted, (), "extents that are checked"):
            raise NotRead("a check of extents that may fail")


def _made(table: object, size: int | None, numbers: list[int]) -> tuple[PrimExpr, ...]:
    found: list[PrimExpr] = []
    for code, slot in _pairs(size, numbers):
        if code == builtin.IMMEDIATE:
            found.append(int_imm(slot))
        elif code == builtin.LOAD and isinstance(table, Table):
            found.append(table.at(slot))
        else:
            raise NotRead("a call on the table of shapes in this form")
    return tuple(found)


@rule("va/built")
def computed(func: PrimFunc, table: Table, terms: Terms, logic: Logic, require: Callable[..., None]) -> None:
    """A loop program that does nothing but store integers in slots, from integers in slots."""
    match func:
        case PrimFunc(params=(BufferParam(buffer),), ret=None, root_allocs=()):
            pass
        case _:
            raise NotRead("a function of the table of shapes that is not read")
    own = buffer.dtype == "int64" and len(buffer.shape) == 1 and as_int(buffer.shape[0]) == table.size
    if not own or buffer.strides or buffer.elem_offset is not None:
        raise NotRead("a function of the table of shapes that is not read")

    def load(e: BufferLoad, indices: tuple[PrimExpr, ...], scope: object, hard: object) -> Term:
        slot = as_int(indices[0]) if len(indices) == 1 and e.buffer == buffer.name else None
        if slot is None:
            raise NotRead("a slot that is computed")
        return terms.integer(table.at(slot))

    def demand(term: Term, scope: object) -> None:
        raise NotRead("an element in a slot")

    reading = Reading(terms, logic, {}, (), load, None, require, demand)
    for stmt in func.body:
        match stmt:
            case BufferStore(name, value, (index,), None) if (
                name == buffer.name and (slot := as_int(index)) is not None
            ):
                table.put(slot, reading.index(value, ELEMENT_FITS))
            case _:
                raise NotRead("a function of the table of shapes that is not read")


__all__ = ["LIBRARIES", "Table", "called", "computed", "joined", "matched"]
