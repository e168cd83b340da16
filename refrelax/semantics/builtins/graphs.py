"""Recorded runs: ``vm.builtin.cuda_graph.*``.

A recorded run is a list of launches at the addresses that their arguments had. The definition does not keep the list: a
run that is recorded may not let the host see an element, so that running the function again does the same launches. It
keeps the addresses, and holds every replay against them.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.arena import Arena, Region, reused
from refrelax.semantics.builtins.checks import number
from refrelax.semantics.graph.machine import Machine
from refrelax.semantics.session import Address, Record
from refrelax.semantics.values import Closure, Opaque, PackedFunc, Prim, Shape, TensorValue
from refrelax.syntax.graph import Call


@rule("vm/cuda-graph-alloc")
def get_cached_alloc(run: Machine, args: list[Any], call: Call) -> Any:
    """``(f, number)``: what ``f`` gave when it was first called for that number."""
    _needs_a_function(args[0], call)
    place = number(args[1], call.span)
    if place not in run.session.allocated:
        run.session.allocated[place] = run.call_value(args[0], [], call.span)
    return run.session.allocated[place]


@rule("vm/cuda-graph", "vm/replay-moved")
def run_or_capture(run: Machine, args: list[Any], call: Call) -> Any:
    """``(f, args, number, shape?)``: run ``f`` and record it, or do again what was recorded for number and shape."""
    _needs_a_function(args[0], call)
    if not isinstance(args[1], tuple):
        raise unspecified("vm/argument", f"{call.op.name} takes a function, its arguments and a number", call.span)
    key = (number(args[2], call.span), _shape(args, call.span))
    addresses = tuple(address(each) for each in args[1])
    before, function = run.session.recorded.get(key), args[0]
    if before is not None:
        function = before.function  # what was recorded is done again, whatever function this call names
        for place, (then, now) in enumerate(zip(before.addresses, addresses, strict=False)):
            if then != now:
                message = f"argument {place} is {_told(now)}; recorded was {_told(then)}"
                raise unspecified("vm/replay-moved", message, call.span)
        if len(before.addresses) != len(addresses):
            message = f"{len(addresses)} arguments; recorded were {len(before.addresses)}"
            raise unspecified("vm/replay-moved", message, call.span)
        _given_away(before.made)
    effects = len(run.effects)
    run.capturing += 1
    result = run.call_value(function, list(args[1]), call.span)
    if len(run.effects) > effects:
        host_sees(run, f"an effect ({run.effects[-1].name})", call.span)
    run.capturing -= 1
    kept = {id(each.storage) for each in (*_tensors(args[1]), *run.constants.values())}
    made = tuple(each for each in _tensors(result) if id(each.storage) not in kept)
    run.session.recorded[key] = Record(function, addresses, args[1], made)
    return result


def _needs_a_function(value: Any, call: Call) -> None:
    """Asked of every call, one that calls it no more (its record or its memory is there) included."""
    if not isinstance(value, Closure | PackedFunc):
        raise unspecified("ev/call-non-function", f"{call.op.name} takes a function", call.span)


def _shape(args: list[Any], span: Span | None) -> tuple[int, ...]:
    if len(args) < 4 or isinstance(args[3], str):
        return ()
    if not isinstance(args[3], Shape):
        raise unspecified("vm/argument", "the symbols of a recorded run are a shape", span)
    return args[3].dims


def address(value: Any) -> Address:
    """What a launch keeps of an argument: where it is and what is said of its form; a scalar's value."""
    match value:
        case TensorValue(storage=Region() as region):
            offset = region.begin, value.offset
            return ("tensor", id(region.arena), offset, value.dtype, value.shape, value.strides)
        case TensorValue():
            return ("tensor", id(value.storage), value.offset, value.dtype, value.shape, value.strides)
        case Opaque(value=Arena() as arena):
            return ("storage", id(arena))
        case Shape(dims=dims):
            return ("shape", dims)
        case Prim(dtype=dtype, value=number_):
            return ("scalar", dtype, number_)
        case tuple():
            return ("tuple", *(address(each) for each in value))
        case _:
            return ("value", id(value))


def _told(where: Address) -> str:
    match where:
        case ("tensor", place, _, dtype, shape, _):
            return f"a {dtype} tensor {shape} in memory {place & 0xFFFF:04x}"
        case ("storage", place):
            return f"the storage {place & 0xFFFF:04x}"
        case (kind, *rest):
            return f"{kind} {rest}"
        case _:
            return "nothing"


def _tensors(value: Any) -> Iterator[TensorValue]:
    """The tensors of a value."""
    if isinstance(value, tuple):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, TensorValue):
        yield value


def _given_away(made: tuple[TensorValue, ...]) -> None:
    """What the recorded run made it makes again in the same place: the results of the run before are gone. (Of memory
    in a storage the storage knows.)"""
    stale = reused("a result of a recorded run", "its replay")
    for each in made:
        if not isinstance(each.storage, Region):
            for cells in each.storage.planes.values():
                cells[:] = [stale] * len(cells)


@rule("vm/capture-host")
def host_sees(run: Machine, what: str, span: Span | None) -> None:
    """The host reads elements or acts on the outside, which no recorded run can."""
    if run.capturing:
        raise unspecified("vm/capture-host", f"{what} while a run is recorded: a replay would not do it", span)
