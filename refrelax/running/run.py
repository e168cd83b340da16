"""Running a function of a checked module: values in, outcome out.

``run`` converts surface values (lists, arrays, numbers) by the parameter types, evaluates under a reading, and shows
the outcome in surface values again.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from refrelax.errors import Effect, Ended, Exhausted, Outcome, Returned, UsageError
from refrelax.rules import rule
from refrelax.running.arrays import NoNumbers, Tensor, to_constant
from refrelax.running.scalars import extents, scalar, stated
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.builtins.contexts import param_types
from refrelax.semantics.graph.evaluate import Interpreter
from refrelax.semantics.graph.link import link
from refrelax.semantics.graph.machine import Listener
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.plain import plain
from refrelax.semantics.session import Session
from refrelax.semantics.types.checked import CheckedModule, wants
from refrelax.semantics.values import DType, Prim, Shape, TensorValue, from_bits, from_payloads
from refrelax.semantics.world import ALONE, World
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type, tensor_of

_HEADROOM = 50_000
"""Python frames allowed: evaluation recurses in Python, bounded by ``Budget.depth`` and the reader's nesting limit."""


def make_headroom() -> None:
    """Allow the depth of Python frames that evaluation may need."""
    if sys.getrecursionlimit() < _HEADROOM:
        sys.setrecursionlimit(_HEADROOM)


def run(
    checked: CheckedModule,
    entry: str = "main",
    *positional: Any,
    args: Sequence[Any] | None = None,
    numerics: str | Numerics = "ieee",
    budget: Budget | None = None,
    externs: Mapping[str, Callable[..., Any]] | None = None,
    listener: Listener | None = None,
    seed: int = 0,
    strict: bool = False,
    check_regions: bool = False,
    world: World = ALONE,
    session: Session | None = None,
    typed: bool = False,
) -> Outcome:
    """Run a function of a checked module under a reading.

    The arguments, one by one or as ``args=[…]``: numbers, nested lists, ``Tensor``, arrays, tuples, strings, tuples of
    ints for shapes; converted by the parameter types. A PrimFunc takes its buffers, outputs included. ``externs``:
    library functions by name, called as ``f(*inputs, *outputs)`` with ``Tensor``s, or giving a value. ``seed`` feeds
    the ``sampled`` reading. ``strict`` narrows ``enclosure`` to what other standards fix as well (``strict``).
    ``check_regions`` holds the accesses of every block to its ``T.reads`` and ``T.writes``. ``world``: the workers that
    run the program together (``run_workers``). ``session``: what the machine keeps from run to run, so that the next
    run with it replays what this one records. ``typed``: scalars of the result and of the final arguments are shown as
    ``Prim``, which tells their dtype, in place of numbers.

    Raises:
        UsageError: no such function; arguments given both ways; ``strict`` with another reading; an argument that is no
            value, or a number that its scalar parameter's dtype does not have.
        Unlinkable: a library function or constant is missing.
    """
    wants("run", checked, checked=True)
    if positional and args is not None:
        raise UsageError("the arguments are given one by one and as args=[…]")
    make_headroom()
    module, externs = checked.module, externs or {}
    link(checked, entry, externs)
    if strict and numerics not in ("enclosure", "strict"):
        raise UsageError(f"strict=True narrows what is permitted: it needs numerics='enclosure', found {numerics!r}")
    chosen = reading("strict" if strict else numerics, seed) if isinstance(numerics, str) else numerics
    given = positional if args is None else tuple(args)
    values = apart([inward(arg, type_, chosen) for arg, type_ in _paired(module, entry, given)])
    interpreter = Interpreter(
        module,
        chosen,
        Meter.of(budget or Budget()),
        listener=listener,
        check_regions=check_regions,
        world=world,
        types=checked.types,
        session=session or Session(),
    )
    if (tell := getattr(listener, "on_effect", None)) is not None:
        interpreter.effects = Watched(tell)
    interpreter.externs = {name: wrapped(f, chosen) for name, f in externs.items()}
    try:
        result = interpreter.enter(entry, values)
    except Ended as end:
        return end.outcome
    except RecursionError:
        return Exhausted("depth")
    except MemoryError:
        return Exhausted("memory")
    return Returned(
        outward(result, typed),
        tuple(outward(v, typed) for v in values),
        tuple(replace(each, payload=outward(each.payload)) for each in interpreter.effects),
        tuple(poison_of("value", result))
        + tuple(p for k, v in enumerate(values) for p in poison_of(f"arguments[{k}]", v)),
    )


class Watched(list[Effect]):
    """A list of effects that tells of each one as it is added."""

    def __init__(self, tell: Callable[[Effect], None]) -> None:
        super().__init__()
        self.tell = tell

    def append(self, effect: Effect) -> None:
        super().append(effect)
        self.tell(effect)


@rule("ev/library-memory")
def wrapped(function: Callable[..., Any], numerics: Numerics) -> Callable[..., Any]:
    """A library function, given surface values and giving run-time values. A tensor is over the same cells on both
    sides. A function that computes with numbers says nothing of a reading whose elements are sets."""

    def called(*args: Any) -> Any:
        try:
            found = function(*(outward(a) for a in args))
        except NoNumbers:
            raise Ended(Exhausted("single numbers for a library function")) from None
        return inward(found, None, numerics)

    return called


# --- values across the surface ---------------------------------------------------------------------------------------


def parameter_types(module: Module, entry: str) -> list[Type | None]:
    """The type of each parameter of a function, as far as arguments are converted by it."""
    match module.functions.get(entry):
        case Function() as function:
            return param_types(function)
        case PrimFunc(params=prim_params):
            return [_prim_param_type(p) for p in prim_params]
        case _:
            return []


def _prim_param_type(param: ScalarParam | BufferParam) -> Type | None:
    match param:
        case ScalarParam(var=var):
            return None if var.dtype.startswith("handle") else PrimType(var.dtype)
        case BufferParam(buffer=buffer):
            return tensor_of(buffer.shape, buffer.dtype)


@rule("ev/entry-arguments")
def apart(values: Sequence[Any]) -> list[Any]:
    """The arguments of a run, in memory of their own where the caller's tensors share some."""
    storages = [id(each.storage) for each in _tensors(values)]
    if len(set(storages)) == len(storages):
        return list(values)  # (most are apart)
    uses = Counter(storages)
    return [_own(each, uses) for each in values]


def _tensors(values: Sequence[Any]) -> Iterator[TensorValue]:
    for each in values:
        if isinstance(each, TensorValue):
            yield each
        elif isinstance(each, tuple):
            yield from _tensors(each)


def _own(value: Any, uses: Mapping[int, int]) -> Any:
    match value:
        case TensorValue() if uses[id(value.storage)] > 1:
            return from_payloads(value.numerics, value.dtype, value.shape, list(value.payloads()))
        case tuple():
            return tuple(_own(each, uses) for each in value)
        case _:
            return value


def _paired(module: Module, entry: str, args: tuple[Any, ...]) -> list[tuple[Any, Type | None]]:
    types = parameter_types(module, entry)
    return [(arg, types[k] if k < len(types) else None) for k, arg in enumerate(args)]


def inward(value: Any, type_: Type | None, numerics: Numerics) -> Any:
    """A surface value as a run-time value, guided by the type that it is wanted at. ``R.Any`` guides nothing."""
    if isinstance(type_, AnyType):
        type_ = None
    match value, type_:
        case Prim(), _:
            return stated(value)
        case ((TensorValue() | Shape() | DType() | None | str()), _):
            return value
        case _, PrimType(dtype=dtype) if isinstance(value, bool | int | float):
            return Prim(dtype, scalar(dtype, value))
        case ((tuple() | list()), ShapeType()):
            return Shape(extents(value))
        case ((tuple() | list()), TupleType(fields=fields)):
            inner = [*fields, *[None] * len(value)]
            return tuple(inward(v, t, numerics) for v, t in zip(value, inner, strict=False))
        case tuple(), None:
            return tuple(inward(v, None, numerics) for v in value)
        case ((bool() | int()), None):
            return Prim("bool", value) if isinstance(value, bool) else Prim("int64", scalar("int64", value))
        case float(), None:
            return Prim("float64", float(value))
        case Tensor(), _ if value.core.numerics is numerics:
            return TensorValue(
                value.dtype, value.shape, value.core.storage, numerics, value.core.offset, value.core.strides
            )
        case Tensor(), _ if (payloads := _shared(value.core, numerics)) is not None:
            return from_payloads(numerics, value.dtype, value.shape, payloads)
        case _ if _arrayish(value):
            typed = isinstance(type_, TensorType) and isinstance(value, list | bool | int | float)
            raw = to_constant(value, type_.dtype if typed and isinstance(type_, TensorType) else None)
            return from_bits(numerics, raw.dtype, raw.shape, raw.packed())
        case _:
            return value


def _shared(core: TensorValue, numerics: Numerics) -> list[Payload] | None:
    """The elements, where both readings keep them in the same way: those of ``ieee``, poison among them, are sets to
    ``enclosure``."""
    if core.numerics.name != "ieee" or numerics.name not in ("enclosure", "strict"):
        return None
    return core.payloads()


def _arrayish(value: Any) -> bool:
    if isinstance(value, list | bool | int | float | Tensor):
        return True
    return (
        any(hasattr(value, each) for each in ("__dlpack__", "__array__", "tobytes", "data"))
        or type(value).__name__ == "array"
    )


def outward(value: Any, typed: bool = False) -> Any:
    """A run-time value as the surface shows it. ``typed``: a scalar keeps its dtype."""
    match value:
        case TensorValue():
            return Tensor(value)
        case tuple():
            return tuple(outward(each, typed) for each in value)
        case Prim() if not typed:
            return value.value
        case _:
            return value


def poison_of(path: str, value: Any) -> list[tuple[str, str]]:
    """Observed elements without meaning: (path, rule)."""
    match value:
        case TensorValue():
            rule_of, payloads = value.numerics.poison_rule, value.payloads()
            if plain(payloads) or all(rule_of(each) is None for each in payloads):
                return []
            marks = map(rule_of, payloads)
            places = zip(value.indices(), marks, strict=True)
            return [(f"{path}[{', '.join(map(str, k))}]", mark) for k, mark in places if mark is not None]
        case tuple():
            return [each for k, item in enumerate(value) for each in poison_of(f"{path}[{k}]", item)]
        case _:
            return []
