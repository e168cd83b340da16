"""A checked module as one Python source text, and the executable made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np

from refrelax.backends.executable import Frame, Observed
from refrelax.backends.lent import Lent
from refrelax.backends.libraries import libraries_of
from refrelax.backends.numpy_ import machine, origins, runtime
from refrelax.backends.numpy_.border import copied, given, inward, outward, refused, seen, types_of
from refrelax.backends.numpy_.by_definition import calls_of, evaluated
from refrelax.backends.numpy_.calls import FAILURES, Called, ended
from refrelax.backends.numpy_.fast_operators import FAST_OPERATORS
from refrelax.backends.numpy_.graph import function_source
from refrelax.backends.numpy_.graph_checks import GLANCED
from refrelax.backends.numpy_.graph_writer import Answers, Constants, Writer
from refrelax.backends.numpy_.loops import prim_func_source
from refrelax.backends.numpy_.names import function, program_name
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.errors import (
    Effect,
    Outcome,
    Returned,
    Trapped,
    Unspecified,
    UsageError,
    trap,
)
from refrelax.lower.fuse_loops.shared import sharing
from refrelax.lower.origins.expand import Expanded, expanded, proved_origins
from refrelax.lower.origins.text import Origin, hint
from refrelax.lower.origins.unbuilt import unbuilt
from refrelax.lower.orphans import called
from refrelax.running.arrays import Tensor
from refrelax.semantics.graph.link import link, nodes
from refrelax.semantics.graph.overwriting import overwrites
from refrelax.semantics.graph.unknown_calls import functions_among, of_library
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.packing import members
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Call, ExternFunc, Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.types import Type

Mode = Literal["bits", "fast"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is compiled: ``whole``, the module with operators in place of the loop programs that come from them;
    ``origins`` of those that are still called; ``alone``: nothing at graph level is overwritten; ``plain``: no loop
    program comes from an operator, so that a module that is observed is made ready in the same way."""

    whole: Expanded
    origins: Mapping[str, Origin]
    alone: bool
    plain: bool


def prepared(checked: CheckedModule, mode: Mode, observed: bool = False, loops: bool = False) -> Prepared:
    """A module made ready. ``loops``: nothing but loops for what comes from operators; ``observed``: every binding
    stays. A built module is that without the machine, where then nothing is overwritten."""
    if on_machine(checked.module) and not observed and not loops:
        read = unbuilt(checked)
        if read is not None and (made := prepared(read, mode)).alone:
            return made
    whole = Expanded(checked.module, checked.types)
    known = {} if loops else proved_origins(checked.module, origins.usable)
    plain = not known
    if known and not observed and not on_machine(checked.module):
        planned = origins.without_plan(whole, checked, known)
        if not overwritten(planned.module):
            whole = expanded(planned, checked, known)
        left = called(whole.module.functions)
        known = {name: each for name, each in known.items() if name in left}
    return Prepared(whole, known, not overwritten(whole.module), plain)


def source_of(made: Prepared, mode: Mode, observed: bool = False) -> str:
    """The program text: constants, then PrimFuncs, then Relax functions.

    Raises:
        Unsupported: something in the module has no translation.
    """
    constants, fast, module = Constants(copied=not made.alone), mode == "fast", made.whole.module
    reuse = fast and not observed and made.alone and not on_machine(module)
    shared, answers = sharing(module), Answers()
    parts = origins.operators_source(module, made.origins, constants, fast, answers)
    for name, func in module.functions.items():
        match func:
            case PrimFunc():
                attempt = origins.attempt(func, name, made.origins[name]) if name in made.origins else None
                parts.append(prim_func_source(name, func, fast, attempt, name in shared))
            case Function():
                types = made.whole.types.get(name, {})
                writer = Writer(
                    module, types, constants, observed, name, reuse=reuse, plain=made.plain, answers=answers
                )
                function_source(writer, function(name), func)
                parts.append(writer.lines)
            case _:
                pass
    head = [f'"""Generated by refrelax: NumPy, mode {mode}."""', *constants.lines()]
    return "\n\n\n".join("\n".join(lines) for lines in [head, *parts]) + "\n"


def arrays(value: Any) -> Any:
    """NumPy gives scalars where a tensor of rank 0 is meant: programs write to those."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    return tuple(arrays(each) for each in value) if isinstance(value, tuple) else value


class Operators(dict[str, Callable[..., Any]]):
    """``ops["sum"](x, axis=[1], keepdims=False)`` in generated source."""

    def __init__(self, fast: bool, views: bool = False) -> None:
        """``views``: results may share memory with operands, since nothing in the module is overwritten in place."""
        super().__init__()
        self.fast, self.views = fast, views

    def __missing__(self, name: str) -> Callable[..., Any]:
        row, fast = OPERATORS[f"relax.{name}"], self.fast
        if fast and self.views and f"relax.{name}" in FAST_OPERATORS:
            self[name] = apply = FAST_OPERATORS[f"relax.{name}"]
        elif self.views:
            self[name] = apply = lambda *args, **attrs: arrays(row(attrs, args, fast))
        else:
            self[name] = apply = lambda *args, **attrs: copied(arrays(row(attrs, args, fast)))
        return apply


@dataclass(slots=True)
class Running:
    """One run of generated source: what it needs from outside, and what it lets us see."""

    checked: CheckedModule
    externs: Mapping[str, Callable[..., Any]]
    effects: list[Effect] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    constants: dict[int, Any] = field(default_factory=dict)
    """The constants of the side table, read-only."""
    overwriting: bool = False
    """Whether the program overwrites memory: each run has its own constants then."""
    own: dict[int, Any] = field(default_factory=dict)
    """These, each one array in the whole run: what is stored in it is there at its next use."""
    machine: machine.Machine = field(default_factory=machine.Machine)
    """Memory and recorded runs, which the executable keeps."""
    functions: Mapping[str, Any] = field(default_factory=dict)
    """The compiled functions, by their name in the source."""
    brought: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """What runs in place of library functions whose contract is the package's own (``backends/libraries.py``)."""
    by_definition: list[Call] | None = None
    """The calls that the definition runs, in the order of the text that was compiled."""
    types: Mapping[str, Mapping[str, Type]] | None = None
    """The types of the bindings of the text that was compiled."""
    hidden: int = 0
    """Bindings that are not shown, since the definition itself gave their value."""
    given_contracts: Mapping[str, str] | None = None
    contracts: Mapping[str, str] = field(init=False)
    lent: Lent = field(init=False)
    """The tensors that library functions were given."""

    def __post_init__(self) -> None:
        self.lent = Lent(lambda array: self.held(array), lambda array, found: self.place(array, found))
        given_ = self.given_contracts
        self.contracts = contracts_of(self.checked.module) if given_ is None else given_

    def constant(self, index: int) -> Any:
        """A constant of the side table as an array."""
        if index not in self.constants:
            self.constants[index] = self.loaded(index)
        if not self.overwriting:
            return self.constants[index]
        if index not in self.own:
            self.own[index] = self.constants[index].copy()
        return self.own[index]

    def loaded(self, index: int) -> Any:
        """A constant of the side table, read."""
        raw = self.checked.module.constants[index]
        return runtime.of_bytes(raw.dtype, raw.shape, raw.data)

    def defined(self, number: int, path: str, *args: Any) -> Any:
        """A call of an operator that only the definition has (``by_definition``)."""
        if self.by_definition is None:
            self.by_definition = calls_of(self.checked.module)
        call = self.by_definition[number]
        types = self.checked.types if self.types is None else self.types
        return self.taken(evaluated(types, call, path, tuple(map(self.held, args))))

    def extern(self, name: str) -> Callable[..., Any]:
        return lambda _run, *args: self.library(name, list(args))

    def library(self, name: str, args: list[Any]) -> Any:
        """A library function for its result; where none is registered, its contract. With more arguments than its
        contract has parameters, the others are where the results go."""
        count = self.parameters(name)
        if count is not None and len(args) > count:
            self.library_into(name, args[:count], args[count:])
            return ()
        return self.library_result(name, args)

    def library_result(self, name: str, args: list[Any]) -> Any:
        """What a library function returns; what it stores in its arguments is stored."""
        if self.unregistered(name):
            return self.stand_in(name, args)
        return self.called(name, args)

    def library_into(self, name: str, args: list[Any], outputs: list[Any]) -> None:
        """A library function that writes its outputs; where none is registered, its contract."""
        if self.unregistered(name):
            self.placed(outputs, self.stand_in(name, args))
            return
        if name in self.contracts:
            spoil(outputs)
        self.called(name, [*args, *outputs])

    def result(self, found: Any) -> Any:
        """What a library function gave, as the program has it: a tensor that one was given is that memory still."""
        if isinstance(found, tuple):
            return tuple(map(self.result, found))
        array = self.lent.array_of(found) if isinstance(found, Tensor) else None
        return self.taken(inward(found, None)) if array is None else array

    def called(self, name: str, args: list[Any]) -> Any:
        """What a registered library function gives; what it stores in tensors, be they of an earlier call, is
        stored."""
        self.lent.refresh()
        given = list(map(self.lent.given, args))
        result = self.externs[name](*given)
        self.lent.collect()
        return self.result(result)

    def parameters(self, name: str) -> int | None:
        """How many parameters the contract of a library function has; ``None`` without one."""
        contract = self.checked.module.functions.get(self.contracts.get(name, ""))
        return len(contract.params) if isinstance(contract, Function) else None

    def stand_in(self, name: str, args: list[Any]) -> Any:
        """What the backend brings for a library function, or its contract."""
        if name in self.brought:
            return self.brought[name](*args)
        return self.functions[function(self.contracts[name])](self, *args)

    def unregistered(self, name: str) -> bool:
        """Whether a contract stands in for a library function. A call that is an effect is noted."""
        if name not in self.contracts:
            self.effects.append(Effect("call", name))
        return name in self.contracts and name not in self.externs

    def placed(self, outputs: list[Any], result: Any) -> tuple[()]:
        """Results where they go, all of them read before the first is written."""
        results = copied(self.held(members(result)))
        for array, found in zip(outputs, results, strict=True):
            self.place(array, found)
        return ()

    def place(self, array: Any, found: Any) -> None:
        """A result where it goes."""
        array[...] = found

    def held(self, value: Any) -> Any:
        """A value as the host has it."""
        return value

    def taken(self, value: Any) -> Any:
        """A value of the host as the program has it."""
        return value

    def shown(self, *args: Any) -> tuple[()]:
        """``R.print``: an effect with the format and the values as they are now."""
        self.effects.append(Effect("print", "relax.print", tuple(outward(copied(a)) for a in args)))
        return ()

    def asserted(self, condition: Any, *args: Any) -> tuple[()]:
        """``R.assert_op``: the run ends unless the condition holds."""
        if not runtime.truth(condition):
            text = args[0] if args and isinstance(args[0], str) else ""
            raise trap("op.assert_op/failed", text or "assertion failed")
        return ()

    # --- what is shown of each binding --------------------------------------------------------------------------------

    def entered(self, path: str, names: dict[str, Any]) -> None:
        self.frames.append(Frame(path, "", snapshot(names)))

    def before(self, path: str, name: str, names: dict[str, Any]) -> None:
        self.frames.append(Frame(path, name, snapshot(names)))

    def after(self, path: str, name: str, value: Any) -> None:
        for frame in reversed(self.frames):
            if frame.path == path and frame.name == name and not frame.done:
                frame.value, frame.done = seen(value), True
                return


def snapshot(names: dict[str, Any]) -> dict[str, Any]:
    """The program's variables and symbols at a moment; arrays are copied, since in-place calls may change them."""
    return {program_name(k): seen(v) for k, v in names.items() if k != "run"}


def overwritten(module: Module) -> bool:
    """Whether a function of the module, or a library function that is not the machine's, overwrites a tensor that
    graph-level code can still see."""
    functions = module.functions
    for func in functions.values():
        if not isinstance(func, Function):
            continue
        walked = list(nodes(func))
        named = functions_among(walked)
        for node in walked:
            library = isinstance(node, Call) and of_library(node, functions, named, machine.MACHINE)
            if library or overwrites(node, functions):
                return True
    return False


def spoil(outputs: list[Any]) -> None:
    """Fill fresh memory with bytes 0xff (NaN, or -1): what a library function reads there means nothing, and zeros
    would hide that it does."""
    for array in outputs:
        if isinstance(array, np.ndarray) and array.dtype != np.bool_ and array.size:
            array.reshape(-1).view(np.uint8)[...] = 0xFF


def on_machine(module: Module) -> bool:
    """Whether a module calls the virtual machine's library: what its calls share, no type tells."""
    graph = [f for f in module.functions.values() if isinstance(f, Function)]
    return any(isinstance(node, ExternFunc) and node.name in machine.MACHINE for f in graph for node in nodes(f))


class NumPyExecutable:
    """A compiled module. ``source`` is the generated text; ``run`` gives an outcome, ``f["main"](…)`` arrays."""

    def __init__(self, checked: CheckedModule, mode: Mode, watched: bool = False) -> None:
        """``watched``: the text for runs that nobody observes is made when one is asked for."""
        self.checked = checked
        self.mode = mode
        self._made = made = prepared(checked, mode)
        self._views = made.alone
        if not (watched and made.plain):
            _ = self.source
        self._constants: dict[int, Any] = {}
        self._brought = libraries_of(checked.module, np) if mode == "fast" else {}
        self._machine = machine.Machine()
        self._contracts = contracts_of(checked.module)
        self._defined, self._types = calls_of(made.whole.module), made.whole.types
        self._kept = on_machine(made.whole.module)
        self._calls: dict[str, Callable[..., Any]] = {}
        self._again = made.alone and any(hint(func) is not None for func in checked.module.prim_funcs().values())
        """Whether a run that ends is run again with loops: those may have a meaning where their operators have none."""

    def __reduce__(self) -> tuple[object, ...]:
        return NumPyExecutable, (self.checked, self.mode)

    def _load(self, source: str, made: Prepared) -> dict[str, Any]:
        """The generated text, which is ours alone (names of the program, never its text), as functions."""
        names: dict[str, Any] = {
            "np": np,
            "rt": runtime,
            **GLANCED,
            "vm": machine,
            "ops": Operators(self.mode == "fast", made.alone),
            "pure": Operators(self.mode == "fast", True),
            "origins": origins,
        }
        exec(compile(source, "<refrelax numpy>", "exec"), names)  # noqa: S102
        return names

    def run(self, entry: str = "main", *args: Any, externs: Mapping[str, Callable[..., Any]] | None = None) -> Outcome:
        """Run a function; arguments as in ``rr.run``.

        Raises:
            UsageError, Unlinkable: as ``rr.run``.
        """
        outcome = self._run(self._functions, entry, args, externs or {})[0]
        if self._again and isinstance(outcome, Trapped | Unspecified):
            return self._run(self._loops, entry, args, externs or {})[0]
        return outcome

    @cached_property
    def source(self) -> str:
        """The generated text.

        Raises:
            Unsupported: something in the module has no translation.
        """
        return source_of(self._made, self.mode)

    @cached_property
    def _functions(self) -> dict[str, Any]:
        """What ``source`` defines: made when it is first run, for who observes runs something else."""
        return self._load(self.source, self._made)

    @cached_property
    def _loops(self) -> dict[str, Any]:
        """The functions with nothing but loops in place of loops."""
        made = prepared(self.checked, self.mode, loops=True)
        return self._load(source_of(made, self.mode), made)

    @cached_property
    def _observed(self) -> dict[str, Any]:
        """The functions that keep every binding."""
        made = self._made if self._made.plain else prepared(self.checked, self.mode, observed=True)
        return self._load(source_of(made, self.mode, observed=True), made)

    def cost(self, entry: str = "main", /, **symbols: int) -> NoReturn:
        """NumPy launches no kernels.

        Raises:
            UsageError: always; it says what counts launches.
        """
        raise UsageError(
            "the backend numpy launches no kernels: a cost is that of the kernels of a lowered module, as in "
            'rr.compile(rr.lower(checked).module, backend="cuda-emulated").cost(n=…), '
            "or refrelax lower FILE --pipeline kernels --cost n=…"
        )

    def observe(self, entry: str, *args: Any, externs: Mapping[str, Callable[..., Any]] | None = None) -> Observed:
        """Run and keep, for every binding, what it was computed from and what it gave."""
        outcome, running = self._run(self._observed, entry, args, externs or {}, machine.Machine())
        hidden = (("run by the definition", running.hidden),) if running.hidden else ()
        return Observed(outcome, tuple(running.frames), hidden)

    def _run(
        self,
        functions: dict[str, Any],
        entry: str,
        args: tuple[Any, ...],
        externs: Mapping[str, Callable[..., Any]],
        fresh: machine.Machine | None = None,
    ) -> tuple[Outcome, Running]:
        func = self._entry(entry, externs)
        types = types_of(func, len(args))
        if (trapped := refused(func, entry, args, types)) is not None:
            return trapped, Running(self.checked, externs)
        values = [inward(a, t) for a, t in zip(args, types, strict=True)]
        running = self._running(functions, externs, fresh)
        try:
            runtime.expect_arity(entry, len(values), len(func.params))
            with np.errstate(all="ignore"):
                first = [running, *values] if isinstance(func, Function) else values
                result = functions[function(entry)](*first)
        except FAILURES as error:
            return ended(error), running
        finally:
            running.lent.refresh()
        shown = outward(given(result, (), True) if not self._kept else copied(result))
        return Returned(shown, tuple(outward(v) for v in values), tuple(running.effects)), running

    def _entry(self, entry: str, externs: Mapping[str, Callable[..., Any]]) -> Function | PrimFunc:
        link(self.checked, entry, externs)
        func = self.checked.module.functions[entry]
        if not isinstance(func, Function | PrimFunc):
            raise UsageError(f"{entry} is a library function")
        return func

    def _running(
        self,
        functions: dict[str, Any],
        externs: Mapping[str, Callable[..., Any]],
        fresh: machine.Machine | None = None,
    ) -> Running:
        return Running(
            self.checked,
            externs,
            constants=self._constants,
            overwriting=not self._views,
            functions=functions,
            brought=self._brought,
            machine=fresh or self._machine,
            given_contracts=self._contracts,
            by_definition=self._defined,
            types=self._types,
        )

    def __getitem__(self, entry: str) -> Callable[..., Any]:
        """A function of arrays to arrays, over the caller's memory (``Called``)."""
        if entry not in self._calls:
            self._calls[entry] = Called(self, entry).quickest()
        return self._calls[entry]
