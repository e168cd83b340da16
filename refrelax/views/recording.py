"""A run as data: its steps as a tree, the values at each, memory over time, and where poison arose.

``record`` runs a function and gives a ``Recording``; ``Recording.json()`` is the documented trace format
(``docs/trace-format.md``), from which every page and picture is made. Nothing here decides anything: what is written
down is what the definition told its listener.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from refrelax.conformance.fired import Fired, again, observing
from refrelax.errors import Effect, Ended, Span
from refrelax.judge.outcomes import cores
from refrelax.running.run import run
from refrelax.semantics.arena import Arena, Region
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.graph.machine import Scope
from refrelax.semantics.loops.frame import Bound
from refrelax.semantics.loops.visit import statements_of
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.numbers.partial import Partial
from refrelax.semantics.numbers.poison import NEVER_WRITTEN
from refrelax.semantics.storage import Storage
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import Closure, Opaque, TensorValue
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Binding, Call, ExternFunc, Function, MatchCast, Op, Tuple, Var, VarBinding
from refrelax.syntax.loops import BufferParam, For, LaunchThread, PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.views import equations
from refrelax.views.shown import element, nbytes, shown
from refrelax.views.steps import Memory, Origin, Place, RecordedStep, Recording

STEPS = 100_000
"""How many steps are kept; the run goes on, unrecorded."""


def record(
    checked: CheckedModule, entry: str = "main", *args: Any, loops: bool = False, keep: int = STEPS, **options: Any
) -> Recording:
    """Run a function and write down what happens. ``loops``: also every loop step and every element read or written;
    ``keep``: how many steps are kept; ``options``: those of ``run``.

    Raises:
        as ``run``.
    """
    numerics = options.get("numerics", "ieee")
    if isinstance(numerics, str):
        seen_by = reading("strict" if options.get("strict") else numerics, options.get("seed", 0))
    else:
        seen_by = numerics
    with observing() as fired:
        recorder = Recorder(checked.module, fired, loops, keep, seen_by)
        outcome = run(checked, entry, *args, listener=recorder, **options)
        recorder.finish()
    module = checked.module
    spans = [f.span for f in module.functions.values() if getattr(f, "span", None) is not None]
    return Recording(
        module.source or "",
        spans[0].file if spans and spans[0] is not None else "",
        entry,
        seen_by.name,
        recorder.steps,
        recorder.memory,
        recorder.origins,
        outcome,
        {name: {k: str(t) for k, t in found.items()} for name, found in checked.types.items()},
        recorder.arguments,
        recorder.lost > 0,
    )


Given = list[tuple[str, Any, Any]]
"""What a call is given: name, value, and how it was shown then."""


class Recorder:
    """The listener that writes steps down."""

    def __init__(self, module: Module, fired: Fired, loops: bool, most: int, numerics: Numerics) -> None:
        self.module, self.fired, self.most = module, fired, most
        self.steps: list[RecordedStep] = []
        self.memory: list[Memory] = []
        self.origins: list[Origin] = []
        self.arguments: list[Any] = []
        self.lost = 0
        self.numerics = numerics
        self._open: list[RecordedStep] = []
        self._scopes: list[Scope | None] = []
        self._dying: Any = None
        self._known: dict[int, tuple[object, int]] = {}
        self._seen: set[tuple[str, str]] = set()
        self._thread: tuple[str, int, dict[str, int]] | None = None
        self._inside: dict[int, dict[str, int]] = {}
        self._loops: dict[str, int] | None = None
        self._accesses = loops
        self._local: dict[str, Function] = {}
        self._given: list[Given] = []
        self._stored: list[tuple[RecordedStep, Any]] = []
        self._tags: dict[str, dict[str, str]] = {}
        if loops:
            self.on_step, self.on_loop_end, self.on_access = self._step, self._loop_end, self._access
            self.on_block, self.on_block_end = self._block, self._block_end
            self.on_thread, self.on_front = self._goes_on, self._front

    # --- what is told ------------------------------------------------------------------------------------------------

    def on_call(self, path: str, args: list[Any]) -> None:
        """A function is entered."""
        if not self.steps:
            self.arguments = [shown(each) for each in args]
        step = self._begin("call", path, path.rpartition("/")[2], None)
        function = self._called(path, len(args))
        step.value, step.parameters = [shown(each) for each in args], _parameters(function)
        step.equations = equations.of_parameters(function)
        for name, each in zip(step.parameters, args, strict=False):
            self._remember(each, name)
        step.places = [self._at(each) for each in args]
        names = [*step.parameters, *("" for _ in args[len(step.parameters) :])]
        self._given.append(list(zip(names, args, step.value, strict=False)))

    def _called(self, path: str, count: int) -> BaseFunc | None:
        """The function that is called: a local one, or one of the module, of which ``make_closure`` may have given the
        last arguments already."""
        found = self.module.functions.get(path)
        return found if len(_parameters(found)) == count else self._local.get(path, found)

    def _at(self, value: Any) -> Place | None:
        """The memory of a tensor, the first bit of its first element there, and its strides if they are its own."""
        if not isinstance(value, TensorValue) or (number := self._number(value.storage)) is None:
            return None
        bit = value.offset * dtypes.memory_bits(value.dtype)
        return [number, bit] if value.compact else [number, bit, list(value.strides)]

    def on_return(self, path: str) -> None:
        """A function is left."""
        while self._open and not (self._open[-1].kind == "call" and self._open[-1].path == path):
            self._close()
        if self._open:
            call = self._open[-1]
            begun = call.number
            self._stores(call)
            self._close()
            for each in self.memory:
                if each.own and each.died is None and each.born >= begun:
                    each.died = len(self.steps)

    def on_start(self, path: str, binding: Binding, scope: Scope) -> None:
        """A binding begins."""
        self._close_loops()
        kind = "match" if isinstance(binding, MatchCast) else "bind"
        step = self._begin(kind, path, binding.name, _place(binding), scope)
        self._dying = self._ended(binding, scope)
        self._given.append(_given(binding, scope))
        if isinstance(binding, MatchCast):
            step.equations = equations.of_match(binding, set(scope.symbols))

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        """A binding is done."""
        while self._open and not (self._open[-1].kind in ("bind", "match") and self._open[-1].name == binding.name):
            self._close()
        if not self._open:
            return
        step = self._open[-1]
        step.value = shown(value)
        step.symbols = {name: bits.json_number(each) for name, each in scope.symbols.items()}
        step.memory = self._remember(value, binding.name)
        if (place := self._at(value)) is not None:
            step.places = [place]
        if isinstance(value, Closure):
            self._local[value.name] = value.function
        self._poison(step, value)
        self._stores(step)
        self._poison_in_arguments()
        if self._dying is not None:
            self._deaths(self._dying)
            self._dying = None
        self._close()

    def on_allocation(
        self, path: str, name: str, dtype: str, shape: tuple[int, ...], scope: str, storage: Storage
    ) -> None:
        """A buffer is allocated inside a loop-level function."""
        step = self._begin("allocate", path, name, None)
        scope = scope or "global"
        step.value = {"dtype": dtype, "shape": list(shape), "scope": scope}
        if self._accesses:
            private = scope == "local"  # that of a thread is not followed; otherwise its first access shows it
            step.memory = self._number(storage) if private else self._own(storage, name, dtype, shape, scope)
        self._close()

    def on_effect(self, effect: Effect) -> None:
        """Something observable happened."""
        step = self._begin("effect", "", effect.name, None)
        step.value = {"kind": effect.kind, "payload": [shown(cores(each)) for each in effect.payload]}
        self._close()

    def _step(self, path: str, name: str, value: int) -> None:
        self._close_loops(name)
        if self._loops is not None:
            self._loops.pop(name, None)
        self._enter_thread()
        step = self._begin("loop", path, name, None)
        step.value, step.tag = value, self._tag(path, name)
        if self._loops is not None:
            self._loops[name] = value

    def _loop_end(self, _path: str, name: str) -> None:
        """What comes next is outside of the loop; a thread that did nothing since it went on has none open."""
        if self._loops is not None:
            self._loops.pop(name, None)
        if self._thread is None:
            self._close_loops(name)

    def _access(
        self, path: str, does: str, bound: Bound, index: list[int], payload: Any, span: Span | None, cell: int | None
    ) -> None:
        self._enter_thread()
        step = self._begin(does, path, bound.name, span)
        step.index, step.memory = index, self._buffer(bound)
        if step.memory is not None:
            step.bit = None if cell is None else cell * dtypes.memory_bits(bound.dtype)
            step.dtype = bound.dtype if bound.dtype != self.memory[step.memory].dtype else ""
        step.value = element(payload, bound.dtype, self.numerics)
        if not isinstance(payload, tuple | Partial) and (rule := self.numerics.poison_rule(payload)) is not None:
            self._lost(step, {(rule, getattr(payload, "note", "")): 1})
        self._close()

    # --- threads of a block ------------------------------------------------------------------------------------------

    def _block(self, path: str, extents: dict[str, int], shared: dict[str, Bound]) -> None:
        step = self._begin("block", path, "block", None)
        step.value = extents
        step.fresh = [number for each in shared.values() if (number := self._buffer(each)) is not None]
        self._inside.clear()

    def _block_end(self, _path: str) -> None:
        self._thread = self._loops = None
        self._close_to("block")
        self._close()

    def _goes_on(self, path: str, lane: int, coords: tuple[tuple[str, int], ...]) -> None:
        """A thread goes on; a step is made of it when it does something."""
        self._thread = path, lane, dict(coords)
        self._loops = self._inside.setdefault(lane, {})

    def _enter_thread(self) -> None:
        if self._thread is None:
            return
        (path, lane, at), self._thread = self._thread, None
        self._close_to("block")
        step = self._begin("thread", path, f"thread {lane}", None)
        step.value = {"lane": lane, "at": at}
        if inside := self._inside[lane]:
            step.value["loops"] = dict(inside)

    def _front(self, path: str, what: str, span: Span | None, lanes: list[int]) -> None:
        self._thread = None
        self._close_to("block")
        self._begin("front", path, what, span).value = {"lanes": lanes}
        self._close()

    def _close_to(self, kind: str) -> None:
        """Close what is open inside the innermost step of a kind."""
        while self._open and self._open[-1].kind != kind:
            self._close()

    def _tag(self, path: str, name: str) -> str:
        """The thread tag that a loop variable is bound to, or nothing."""
        if path not in self._tags:
            function = self.module.functions.get(path)
            stmts = statements_of(function.body if isinstance(function, PrimFunc) else ())
            self._tags[path] = {s.var.name: s.thread or "" for s in stmts if isinstance(s, For | LaunchThread)}
        return self._tags[path].get(name, "")

    # --- steps -------------------------------------------------------------------------------------------------------

    def _begin(self, kind: str, path: str, name: str, span: Span | None, scope: Scope | None = None) -> RecordedStep:
        self._credit()
        parent = self._open[-1].number if self._open else None
        step = RecordedStep(len(self.steps), kind, path, name, parent, span)
        if len(self.steps) < self.most:
            self.steps.append(step)
        else:
            self.lost += 1
        self._open.append(step)
        self._scopes.append(scope)
        return step

    def _close(self) -> None:
        self._credit()
        self._open.pop().end = len(self.steps)
        self._scopes.pop()

    def _close_loops(self, name: str = "") -> None:
        """Loop steps end where the next iteration of their loop begins, where it is over, or something outside of loops
        begins."""
        depth = next((k for k, s in enumerate(self._open) if s.kind == "loop" and (not name or s.name == name)), None)
        last = max((k for k, s in enumerate(self._open) if s.kind == "call"), default=-1)
        if depth is not None and depth > last:
            while len(self._open) > depth:
                self._close()

    def _credit(self) -> None:
        """What fired since the last step belongs to the innermost one that is open."""
        heard = again(self.fired)
        if heard and self._open:
            step = self._open[-1]
            step.rules = tuple(dict.fromkeys((*step.rules, *sorted(heard))))

    def finish(self) -> None:
        """Close what is open."""
        while self._open:
            self._close()
        self._poison_in_arguments()

    # --- memory ------------------------------------------------------------------------------------------------------

    def _number(self, storage: object) -> int | None:
        known = self._known.get(id(storage))
        return known[1] if known is not None and known[0] is storage else None

    def _remember(self, value: Any, name: str) -> int | None:
        """The memory of a value, noted when it is first seen, and the name that it has now."""
        match value:
            case TensorValue(storage=storage):
                found = self._note(storage, storage.nbytes, storage.scope)
                memory = self.memory[found]
                if not memory.dtype:
                    memory.dtype, memory.shape, memory.bytes = (
                        value.dtype,
                        value.shape,
                        max(nbytes(value), memory.bytes),
                    )
            case Opaque(value=Arena() as arena):
                found = self._note(arena, arena.nbytes, arena.scope)
            case tuple():
                numbers = [self._remember(each, f"{name}[{k}]") for k, each in enumerate(value)]
                return next((each for each in numbers if each is not None), None)
            case _:
                return None
        memory = self.memory[found]
        if name not in memory.names:
            memory.names.append(name)
        memory.name = memory.name or name
        return found

    def _buffer(self, bound: Bound) -> int | None:
        """The memory of a buffer of a loop-level function; what belongs to one thread is not followed."""
        found = self._number(bound.storage)
        extents = [each.constant for each in bound.shape]
        if found is not None or (bound.scope == "local" and bound.depth) or None in extents:
            return found
        shape = tuple(each for each in extents if each is not None)
        return self._own(bound.storage, bound.name, bound.dtype, shape, bound.scope)

    def _own(self, storage: Storage, name: str, dtype: str, shape: tuple[int, ...], scope: str) -> int:
        """The memory of an allocation inside a loop-level function; it may be larger another time."""
        found = self._note(storage, storage.nbytes, scope)
        memory = self.memory[found]
        memory.name, memory.names, memory.dtype, memory.shape, memory.own = name, [name], dtype, shape, True
        memory.bytes = max(memory.bytes, prod(shape) * dtypes.itemsize(dtype))
        return found

    def _note(self, storage: Storage | Arena, size: int, scope: str) -> int:
        number = self._number(storage)
        if number is not None:
            return number
        number = len(self.memory)
        memory = Memory(number, size, scope, len(self.steps))
        self.memory.append(memory)
        self._known[id(storage)] = storage, number
        if isinstance(storage, Region):
            memory.inside, memory.offset = self._note(storage.arena, storage.arena.nbytes, scope), storage.begin
        return number

    def _ended(self, binding: Binding, scope: Scope) -> Any:
        """What a ``kill_*`` is about to end a name of."""
        match binding:
            case VarBinding(value=Call(op=Op(name=op), args=(Var(name=name), *_))) if op in KILLS:
                return scope.values.get(name)
            case _:
                return None

    def _deaths(self, value: Any) -> None:
        """Memory ends with the last name of it that some call has; a storage also with the last tensor in it."""
        held: set[int] = set()
        for scope in self._scopes:
            for each in () if scope is None else scope.values.values():
                _held(each, held)
        for storage in _storages(value):
            for each in (storage, storage.arena) if isinstance(storage, Region) else (storage,):
                number = self._number(each)
                if number is not None and id(each) not in held and self.memory[number].died is None:
                    self.memory[number].died = len(self.steps)

    # --- poison ------------------------------------------------------------------------------------------------------

    def _poison(self, step: RecordedStep, value: Any) -> None:
        """Elements without meaning whose mark was not there before."""
        if isinstance(value, tuple):
            for each in value:
                self._poison(step, each)
        if not isinstance(value, TensorValue):
            return
        try:
            payloads = value.payloads()
        except Ended:
            return
        counts: dict[tuple[str, str], int] = {}
        for each in payloads:
            if (rule := value.numerics.poison_rule(each)) is not None:
                key = rule, getattr(each, "note", "")
                counts[key] = counts.get(key, 0) + 1
        self._lost(step, counts)

    def _stores(self, step: RecordedStep) -> None:
        """The arguments of a call whose elements are not what they were when it began."""
        for name, value, was in self._given.pop():
            if isinstance(value, TensorValue) and value.storage.alive and (now := shown(value)) != was:
                step.stored.append({"name": name, "place": self._at(value), "value": now})
                self._stored.append((step, value))

    def _poison_in_arguments(self) -> None:
        """What calls left in their arguments and no binding shows."""
        for step, value in self._stored:
            self._poison(step, value)
        self._stored.clear()

    def _lost(self, step: RecordedStep, counts: dict[tuple[str, str], int]) -> None:
        for (rule, why), count in counts.items():
            if rule != NEVER_WRITTEN.rule and (rule, why) not in self._seen:
                self._seen.add((rule, why))
                self.origins.append(Origin(step.number, rule, why, count))


def _storages(value: Any) -> Iterator[Storage | Arena]:
    """The memory that a value is in, or is."""
    match value:
        case TensorValue(storage=storage):
            yield storage
        case Opaque(value=Arena() as arena):
            yield arena
        case tuple():
            for each in value:
                yield from _storages(each)
        case _:
            return


def _held(value: Any, found: set[int]) -> None:
    """The memory that lives as long as a value does: also what a closure has, and the storage that a tensor is in."""
    for storage in _storages(value):
        found.add(id(storage))
        if isinstance(storage, Region):
            found.add(id(storage.arena))
    match value:
        case Closure(values=values) if id(value) not in found:
            found.add(id(value))
            for each in values.values():
                _held(each, found)
        case tuple():
            for each in value:
                _held(each, found)
        case _:
            return


def _parameters(function: BaseFunc | None) -> list[str]:
    """The names of a function's parameters."""
    match function:
        case Function(params=params):
            return [each.name for each in params]
        case PrimFunc(params=params):
            return [each.buffer.name if isinstance(each, BufferParam) else each.var.name for each in params]
        case _:
            return []


def _given(binding: Binding, scope: Scope) -> Given:
    """The tensors that a call of a library function is given, by name: it may store in them, and nobody tells."""
    match binding:
        case VarBinding(value=Call(op=Op() | ExternFunc(), args=args)):
            names = [
                each.name
                for arg in args
                for each in (arg.fields if isinstance(arg, Tuple) else (arg,))
                if isinstance(each, Var)
            ]
            found = [(name, scope.values.get(name)) for name in dict.fromkeys(names)]
            return [(name, value, shown(value)) for name, value in found if isinstance(value, TensorValue)]
        case _:
            return []


def _place(binding: Binding) -> Span | None:
    return binding.span or getattr(binding.value, "span", None)


__all__ = ["Memory", "Origin", "Recorder", "Recording", "RecordedStep", "record"]
