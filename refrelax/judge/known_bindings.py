"""What runs of the definition found for bindings of the entry, so that they are not evaluated again alone.

An implementation computes the first bindings of a program from the arguments, as the definition does: then the value in
the run of the whole is the value of the binding by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from refrelax.backends.executable import Frame
from refrelax.running.arrays import Tensor, to_constant
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.machine import Scope
from refrelax.semantics.graph.overwriting import stores_somewhere
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue
from refrelax.syntax.graph import Binding, Function, GlobalVar, If, Var, VarBinding
from refrelax.syntax.scalars import SymVar

UNKNOWN: Final = object()
"""Stands for a value that no run told."""


Names = Callable[[Binding], frozenset[str]]


def used(binding: Binding) -> frozenset[str]:
    """Variables and symbols that a binding mentions."""
    return frozenset(n.name for n in nodes(binding) if isinstance(n, Var | SymVar))


def _kept(names: Names) -> Names:
    """The same, asked once a binding."""
    found: dict[int, frozenset[str]] = {}

    def of(binding: Binding) -> frozenset[str]:
        if id(binding) not in found:
            found[id(binding)] = names(binding)
        return found[id(binding)]

    return of


def mentioned(_checked: CheckedModule) -> Names:
    """``used``, kept by binding (``CheckedModule.once``)."""
    return _kept(used)


def variables(_checked: CheckedModule) -> Names:
    """The variables that a binding mentions, kept by binding (``CheckedModule.once``)."""
    return _kept(lambda binding: frozenset(n.name for n in nodes(binding) if isinstance(n, Var)))


def mentioned_functions(checked: CheckedModule) -> frozenset[str]:
    """The functions of a module that its graph level mentions: they may be called by more than the caller of a run."""
    every = (n for each in checked.module.functions.values() for n in nodes(each))
    return frozenset(n.name for n in every if isinstance(n, GlobalVar))


def stores(checked: CheckedModule) -> bool:
    """Whether something in a module stores in a tensor."""
    return stores_somewhere(checked.module.functions)


def of_parameters(checked: CheckedModule) -> dict[str, frozenset[str]]:
    """By function: the bindings at its top that mention no variable but its parameters. None of a program that stores
    somewhere, or of a function that another mentions: there a name stands for several values."""
    called = checked.once(mentioned_functions)
    graph = checked.module.relax_functions()
    if checked.once(stores):
        return dict.fromkeys(graph, frozenset())
    return {name: _of_parameters(each) if name not in called else frozenset() for name, each in graph.items()}


def _of_parameters(function: Function) -> frozenset[str]:
    params = {each.name for each in function.params}
    every = [each for block in function.body.blocks for each in block.bindings]
    plain = [b for b in every if isinstance(b, VarBinding) and not isinstance(b.value, If | Function)]
    return frozenset(b.name for b in plain if {n.name for n in nodes(b.value) if isinstance(n, Var)} <= params)


@dataclass(slots=True)
class KnownBindings:
    """What the runs of one call told of the bindings ``of_parameters``, by reading."""

    checked: CheckedModule
    entry: str
    inputs: dict[str, Any] = field(default_factory=dict)
    """The values of parameters under ``ieee``."""
    symbols: dict[str, Any] = field(default_factory=dict)
    values: dict[tuple[str, str], Any] = field(default_factory=dict)
    """By reading and binding."""
    patterns: dict[str, list[int | None]] = field(default_factory=dict)
    told: frozenset[str] = field(init=False)
    """The bindings of the entry that runs tell of."""

    def __post_init__(self) -> None:
        self.told = self.checked.once(of_parameters).get(self.entry, frozenset()) if self.entry else frozenset()

    @property
    def tells(self) -> bool:
        """Whether some binding is known."""
        return bool(self.values)

    def note(self, numerics: str, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        """A binding of a run under a reading."""
        if path != self.entry or binding.name not in self.told:
            return
        self.values[numerics, binding.name] = value
        if numerics == "ieee":
            for name in self.checked.once(mentioned)(binding):
                if name in scope.values:
                    self.inputs[name] = scope.values[name]
                if name in scope.symbols:
                    self.symbols[name] = scope.symbols[name]

    def same(self, numerics: str, other: str) -> None:
        """A run under another reading would tell the same."""
        self.values |= {(other, name): value for (of, name), value in self.values.items() if of == numerics}

    def under(self, numerics: str) -> Noting:
        """A listener for a run under a reading."""
        return Noting(self, numerics)

    def value(self, numerics: str, binding: Binding, frame: Frame) -> Any:
        """What the definition gives for a binding from the values of a frame, or ``UNKNOWN``."""
        if frame.path != self.entry or (numerics, binding.name) not in self.values:
            return UNKNOWN
        names = self.checked.once(mentioned)(binding)
        for name in names:
            if name not in frame.names or not self._same(name, frame.names[name]):
                return UNKNOWN
        return self.values[numerics, binding.name]

    def _same(self, name: str, found: Any) -> bool:
        """Whether a frame holds what the run had, bit for bit."""
        wanted = self.inputs.get(name)
        if isinstance(wanted, TensorValue) and hasattr(found, "shape"):
            raw = found if isinstance(found, Tensor) else to_constant(found)
            if (raw.dtype, tuple(raw.shape)) != (wanted.dtype, wanted.shape):
                return False
            if name not in self.patterns:
                self.patterns[name] = wanted.bits()
            return raw.patterns() == self.patterns[name] and None not in self.patterns[name]
        return wanted is None and type(found) is int and self.symbols.get(name) == found


@dataclass(slots=True)
class Noting:
    """A listener that tells ``KnownBindings`` what a run gives."""

    known: KnownBindings
    numerics: str

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        """See ``Listener``."""
        self.known.note(self.numerics, path, binding, value, scope)
