"""Runs of bindings that may be recorded.

Spec: ``spec/14-build.md``, ``lo/capture-region``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.lower.aliases import definitions, names_in
from refrelax.lower.symbols import symbols_in
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.graph.link import BY_NAME, nodes
from refrelax.semantics.types.renaming import definable
from refrelax.syntax.graph import (
    Binding,
    Call,
    Constant,
    ConstantRef,
    Expr,
    Function,
    GlobalVar,
    Op,
    PrimValue,
    ShapeExpr,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Intrinsic, SymVar, free_symbols

VIEWS = frozenset({"relax.memory.alloc_tensor", "relax.memory.view", "relax.reshape"})


@dataclass(frozen=True, slots=True)
class Region:
    """Bindings to be recorded. ``inputs``: names of tensors and storages that they use; ``outputs``: names that they
    define and that are used after them; ``kills``: what ends names that go on outside; ``symbols``: their key."""

    bindings: tuple[Binding, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    kills: tuple[Binding, ...]
    symbols: tuple[SymVar, ...]


@dataclass(slots=True)
class Regions:
    """The search in one function. ``static``: the names of what has the same address on every run; ``formed``: the
    symbols that the form of it follows; ``gone``: those that only a region knows."""

    module: Module
    func: Function
    storages: dict[str, Call]
    static: set[str] = field(default_factory=set)
    formed: dict[str, tuple[SymVar, ...]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    def parts(self) -> list[Binding | Region]:
        """The bindings of the function in order, with every region in place of its bindings. The static storages,
        and what kills them, are left out."""
        self.static = set(self.storages)
        known = {s.name for p in self.func.params if p.type is not None for s in definable(p.type)}
        bindings = [b for block in self.func.body.blocks for b in block.bindings if not self._of_storage(b)]
        result: list[Binding | Region] = []
        open_: list[Binding] = []
        for k, binding in enumerate(bindings):
            if self._captured(binding, known):
                open_.append(binding)
                continue
            result.extend(self._closed(open_, bindings[k:]))
            open_ = []
            if self._lives(binding):
                result.append(binding)
        return [*result, *self._closed(open_, [])]

    def _of_storage(self, binding: Binding) -> bool:
        """What allocates or kills a static storage."""
        match binding:
            case VarBinding(value=Call(op=Op(name=op), args=(Var(name=name), *_))) if op in KILLS:
                return name in self.storages
            case _:
                return binding.name in self.storages

    def _captured(self, binding: Binding, known: set[str]) -> bool:
        """Whether a binding may be recorded; its name is static then, if it names memory."""
        if not isinstance(binding, VarBinding):
            return False
        match binding.value:
            case Var(name=name):
                fits = name in self.static
            case Call(op=Op(name=op), args=(Var(name=name), *rest)) if op in VIEWS:
                fits = name in self.static and all(_known(each, known) for each in rest)
            case Call(op=Op(name=op), args=(Var(name=name),)) if op in KILLS:
                return name in self.static
            case Call(op=GlobalVar(name=name), args=args):
                return self._launch(name) and all(self._fixed(each, known) for each in args)
            case _:
                return False
        if fits:
            self.static.add(binding.name)
            self.formed[binding.name] = (*symbols_in(binding.value), *self.formed.get(name, ()))
        return fits

    def _launch(self, name: str) -> bool:
        """Whether a function is a loop program that does all of its work itself."""
        program = self.module.functions[name]
        if not isinstance(program, PrimFunc) or program.ret is not None:
            return False
        return not any(
            isinstance(n, Intrinsic) and (n.op in BY_NAME or n.op.startswith("cls.")) for n in nodes(program)
        )

    def _fixed(self, arg: Expr, known: set[str]) -> bool:
        match arg:
            case Var(name=name):
                return name in self.static
            case Constant() | ConstantRef():
                return True
            case _:
                return isinstance(arg, PrimValue) and _known(arg, known)

    def _closed(self, open_: list[Binding], rest: list[Binding]) -> list[Binding | Region]:
        """A run of bindings as a region that ends with its last launch, and what follows that."""
        last = max((k for k, b in enumerate(open_) if _is_launch(b)), default=-1)
        if last < 0:
            return [b for b in open_ if self._lives(b)]
        inside, after = open_[: last + 1], open_[last + 1 :]
        defined = set(definitions(tuple(inside)))
        later = set(names_in((tuple(b for b in (*after, *rest) if not _is_kill(b)), self.func.body.body)))
        kept = [b for b in inside if not _is_kill(b)]
        self.gone |= defined - later
        kills = tuple(b for b in inside if _is_kill(b) and self._lives(b))
        inputs = tuple(dict.fromkeys(n for n in names_in(tuple(kept)) if n not in defined))
        outputs = tuple(b.name for b in kept if b.name in later)
        given = (symbol for each in inputs for symbol in self.formed.get(each, ()))
        symbols = tuple(dict.fromkeys((*symbols_in(tuple(kept)), *given)))
        region = Region(tuple(kept), inputs, outputs, kills, symbols)
        return [region, *(b for b in after if self._lives(b))]

    def _lives(self, binding: Binding) -> bool:
        """Whether a binding is no kill of a name that is known inside a region alone."""
        return not (_is_kill(binding) and self.gone & set(names_in(binding)))


def _known(arg: Expr, known: set[str]) -> bool:
    """Whether an argument that is no memory is written, or computed from symbols of the signature."""
    match arg:
        case ShapeExpr(values=dims):
            return all(free_symbols(d) <= known for d in dims)
        case PrimValue(value=value):
            return free_symbols(value) <= known
        case _:
            return not isinstance(arg, Var)


def _is_launch(binding: Binding) -> bool:
    return (
        isinstance(binding, VarBinding) and isinstance(binding.value, Call) and isinstance(binding.value.op, GlobalVar)
    )


def _is_kill(binding: Binding) -> bool:
    match binding:
        case VarBinding(value=Call(op=Op(name=op))):
            return op in KILLS
        case _:
            return False
