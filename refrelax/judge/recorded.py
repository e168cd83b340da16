"""Recorded runs under a proof: memory that is kept from call to call, and a recorded function as its call in place.

The definition does what was recorded by running the function again, and holds the addresses and what the host sees
against the rules. So a call in place is what every call of a session does, if the addresses are the same whenever the
key is, the host sees nothing, no two places share a number, and what is returned does not lie in memory that the next
call uses.

Spec: ``spec/06c-pointwise.md``, ``va/recorded``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from refrelax.judge.graph_values import Nothing
from refrelax.judge.planned import Joined, Place, Room, View
from refrelax.lower.aliases import aliases_of, names_in
from refrelax.lower.capture.numbers import CACHED, RECORDED, numbers
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes, reached
from refrelax.shape_solver.pointwise import NotRead
from refrelax.syntax import graph
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, free_symbols
from refrelax.syntax.types import ShapeType, TensorType, TupleType

Run = Callable[[graph.Function, Mapping[str, object]], object]
"""Runs a function's body with values for its parameters."""


@rule("va/recorded")
def numbers_of_their_own(module: Module) -> None:
    """See that no two places have one number, those that the entry does not reach included: all functions of a module
    go on in one session. A function that two others call, with memory that may differ, is two places."""
    found = numbers(module)
    for (builtin, number), count in found.items():
        if count > 1 or (number is None and sum(found[each] for each in found if each[0] == builtin) > 1):
            raise NotRead(f"two calls of {builtin} under one number")
    functions = module.relax_functions()
    called = (node for function in functions.values() for node in nodes(function) if isinstance(node, graph.GlobalVar))
    ways = Counter(each.name for each in called)
    ways.update(name for name, function in functions.items() if not function.private)
    for name in functions:
        within = reached(module.functions, (name,))
        if ways[name] > 1 and any(_records_what_it_is_given(module, each) for each in within.values()):
            raise NotRead(f"a call of {RECORDED} that runs come to in several ways, with what they bring")


def _records_what_it_is_given(module: Module, function: object) -> bool:
    """Whether a recorded run in a function may get memory that the function is given."""
    if not isinstance(function, graph.Function):
        return False
    calls = [each for each in nodes(function) if isinstance(each, graph.Call) and _is_of_recorded(each)]
    if not calls:
        return False
    aliases = aliases_of(module, function)
    given = {aliases.find(p.name) for p in function.params}
    return any(aliases.find(name) in given for name in names_in(tuple(calls)))


def _is_of_recorded(call: graph.Call) -> bool:
    return any(isinstance(each, graph.ExternFunc) and each.name == RECORDED for each in (call.op, *call.args))


def _function(module: Module, callee: object, number: object, builtin: str) -> graph.Function:
    """What is called once for a number that nothing else has."""
    k = as_int(number) if isinstance(number, PrimExpr) else None
    function = module.functions.get(callee.name) if isinstance(callee, graph.GlobalVar) else None
    if k is None or not isinstance(function, graph.Function):
        raise NotRead(f"a call of {builtin} in this form")
    used = numbers(module)
    if used[builtin, k] != 1 or used[builtin, None]:
        raise NotRead(f"two calls of {builtin} under one number")
    return function


@rule("va/recorded")
def kept(module: Module, args: Sequence[object], run: Run) -> tuple[Room, ...]:
    """Storages of literal sizes that are allocated on the first call and kept."""
    match args:
        case [callee, number]:
            function = _function(module, callee, number, CACHED)
        case _:
            raise NotRead(f"a call of {CACHED} in this form")
    found = run(function, {}) if not function.params else ()
    rooms = tuple(each for each in found if isinstance(each, Room)) if isinstance(found, tuple) else ()
    if not rooms or rooms != found or any(as_int(each.size) is None for each in rooms):
        raise NotRead("kept memory that is no tuple of storages of literal sizes")
    for each in rooms:
        each.kept = True
    return rooms


@rule("va/recorded")
def in_place(module: Module, args: Sequence[object], run: Run) -> object:
    """What a recorded function gives: its call, on arguments that are at one place whenever the key is the same."""
    match args:
        case [callee, tuple() as given, number]:
            key: tuple[PrimExpr, ...] = ()
        case [callee, tuple() as given, number, graph.ShapeExpr(key)]:
            pass
        case _:
            raise NotRead(f"a call of {RECORDED} in this form")
    function = _function(module, callee, number, RECORDED)
    if len(function.params) != len(given) or not all(_same_place(each, key) for each in given):
        raise NotRead("a recorded run on what may be elsewhere at its replay")
    seen = next(filter(None, map(_seen, nodes(function))), None)
    if seen is not None:
        raise NotRead(f"a recorded run that does more than launch: {seen}")
    found = run(function, {p.name: each for p, each in zip(function.params, given, strict=True)})
    if not _again(found):
        raise NotRead("a recorded run that gives memory of its own, which its replay makes again")
    return found


def _again(value: object) -> bool:
    """Whether a replay gives this in the memory that it was given, so that nothing of an earlier result is lost."""
    match value:
        case tuple():
            return all(map(_again, value))
        case Place(room=Room(kept=True)) | Room(kept=True) | graph.ShapeExpr() | Nothing():
            return True
        case View(of):
            return _again(of)
        case _:
            return isinstance(value, PrimExpr)


def _same_place(value: object, key: tuple[PrimExpr, ...]) -> bool:
    match value:
        case Room():
            return value.kept
        case graph.ShapeExpr(dims):
            return all(_keyed(d, key) for d in dims)
        case Place(content, Room(kept=True), begin):
            return _keyed(begin, key) and all(_keyed(d, key) for d in content.shape)
        case View(of, shape):
            return _same_place(of, key) and all(_keyed(d, key) for d in shape)
        case _:
            return False


def _keyed(e: PrimExpr, key: tuple[PrimExpr, ...]) -> bool:
    """Whether an integer is the same whenever the key is."""
    return e in key or free_symbols(e) <= {each.name for each in key if isinstance(each, SymVar)}


OPERATORS = frozenset({
    "relax.memory.alloc_tensor", "relax.vm.alloc_tensor", "relax.memory.kill_tensor", "relax.vm.kill_object",
    "relax.call_builtin_with_ctx", "relax.memory.view", "relax.null_value",
})  # fmt: skip
MACHINE = frozenset({
    "vm.builtin.alloc_shape_heap", "vm.builtin.alloc_tensor", "vm.builtin.call_tir_dyn", "vm.builtin.check_shape_info",
    "vm.builtin.check_tensor_info", "vm.builtin.check_tuple_info", "vm.builtin.make_prim_value",
    "vm.builtin.make_shape", "vm.builtin.make_tuple", "vm.builtin.match_shape", "vm.builtin.null_value",
    "vm.builtin.reshape", "vm.builtin.tuple_getitem",
})  # fmt: skip


def _seen(node: object) -> str | None:
    """What a recorded run may not do, since the host sees it or it is elsewhere at the replay."""
    match node:
        case graph.Call(op=graph.Op(name)):
            return None if name in OPERATORS else name
        case graph.ExternFunc(name) if name.startswith("vm.builtin."):
            return None if name in MACHINE else name
        case graph.If():
            return "a branch"
        case _:
            return None


def _rooms(value: object) -> Iterator[Room]:
    match value:
        case Place(room=Room() as room):
            yield room
        case View(of):
            yield from _rooms(of)
        case tuple():
            for each in value:
                yield from _rooms(each)
        case Joined(_, yes, no):
            yield from _rooms(yes)
            yield from _rooms(no)
        case Room():
            yield value
        case _:
            return


def given_away(value: object) -> None:
    """See that a result is no memory that the next call uses again."""
    if any(room.kept for room in _rooms(value)):
        raise NotRead("a result in memory that the next call uses again")


def typed(function: graph.Function) -> Iterator[tuple[str, TensorType | ShapeType | TupleType]]:
    """The parameters whose types say what is checked at a call."""
    for p in function.params:
        if isinstance(p.type, TensorType | ShapeType | TupleType):
            yield p.name, p.type


__all__ = ["given_away", "in_place", "kept", "typed"]
