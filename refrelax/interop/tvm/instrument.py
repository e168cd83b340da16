"""A module that shows its bindings while it runs: a copy whose functions call ``refrelax.observe`` with their
parameters, and with every value after it is bound.

A call is told apart by a number, its *site*. Nothing but calls is added, and what is pure stays so for its callers
(``relax.force_pure``); but what is shown must exist, so a dataflow block outputs all that it binds, and nothing is
fused away. Where some function writes to memory in place, dataflow blocks become ordinary ones and the inputs of every
binding are shown again just before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from refrelax import api
from refrelax.judge.bindings import composite
from refrelax.semantics.ops import LOW_LEVEL, OVERWRITING
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    Call,
    DataflowBlock,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar, int_imm
from refrelax.syntax.types import VOID, FuncType, PrimType, Type
from refrelax.syntax.write.lines import nodes

OBSERVE = "refrelax.observe"
"""The library function that is called; ``worker.py`` has it."""


Kind = Literal["enter", "leave", "made", "before", "after"]


@dataclass(frozen=True, slots=True)
class Site:
    """One call that shows something of the function ``path``.

    ``kind``: ``enter`` (its parameters), ``leave`` (nothing), ``made`` (nothing: the local function of ``binding``
    captures what there is), ``before`` (the inputs of a binding, again) or ``after`` (the value of ``binding``).
    ``shown``: variables, then ``symbols``, which come as one shape.
    """

    kind: Kind
    path: str
    shown: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    binding: Binding | None = None


@dataclass(frozen=True, slots=True)
class Instrumented:
    """The module that shows, what each site stands for, and how many bindings have none, by the reason."""

    module: Module
    sites: tuple[Site, ...]
    composite: frozenset[tuple[str, str]]
    """Bindings judged through those inside them: ``(path, name)``."""
    unobserved: tuple[tuple[str, int], ...]


def instrument(module: Module, entry: str) -> Instrumented:
    """The copy of a well-typed module. A loop-level ``entry`` has no bindings: nothing is shown.

    Raises:
        Rejection: the module is no checked module.
    """
    if not isinstance(module.functions[entry], Function):
        return Instrumented(module, (), frozenset(), ())
    work = _Work(api.check(module))
    functions = {
        name: work.function(name, each) if isinstance(each, Function) else each
        for name, each in module.functions.items()
    }
    copy = module.with_functions(functions)
    return Instrumented(copy, tuple(work.sites), frozenset(work.composite), tuple(sorted(work.unobserved.items())))


@dataclass(slots=True)
class _Work:
    checked: CheckedModule
    sites: list[Site] = field(default_factory=list)
    composite: set[tuple[str, str]] = field(default_factory=set)
    unobserved: Counter[str] = field(default_factory=Counter)
    in_place: bool = False
    path: str = ""
    types: Mapping[str, Type] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    """Symbols of the function that have been shown."""

    def __post_init__(self) -> None:
        module = self.checked.module
        self.in_place = any(_writes(node, module) for f in module.relax_functions().values() for node in nodes(f))

    def function(self, name: str, function: Function) -> Function:
        """A function of the module that shows. The names in it, local functions included, are unique."""
        self.types = {each.rpartition("/")[2]: type_ for each, type_ in self.checked.types[name].items()}
        self.taken = {each.name for each in nodes(function) if isinstance(each, VarBinding | MatchCast)}
        self.known = set()
        return self.shown(name, function)

    def shown(self, path: str, function: Function) -> Function:
        """A function, global or local, that shows."""
        outer, self.path = self.path, path
        self.known |= {each.name for each in function.params if isinstance(each.type, PrimType)}
        shown = tuple(each.name for each in function.params if not isinstance(each.type, FuncType))
        enter = self.call("enter", shown, self.fresh(tuple(each.type for each in function.params)))
        body = self.sequence(function.body)
        leave = self.call("leave")
        self.path = outer
        attrs = dict(function.attrs)
        if function.pure:
            attrs["relax.force_pure"] = True
        blocks = merged((BindingBlock((enter,)), *body.blocks, BindingBlock((leave,))))
        return replace(function, body=replace(body, blocks=blocks), attrs=tuple(sorted(attrs.items())))

    def sequence(self, seq: SeqExpr) -> SeqExpr:
        """The blocks of a function or branch, each binding shown."""
        return replace(seq, blocks=merged(each for block in seq.blocks for each in self.block(block)))

    def block(self, block: Block) -> Iterator[Block]:
        if isinstance(block, DataflowBlock) and not self.in_place:
            outputs = dict.fromkeys((*block.outputs, *(each.name for each in block.bindings)))
            after = tuple(call for each in block.bindings for call in self.after(each))
            yield replace(block, outputs=tuple(outputs))
            yield BindingBlock(after)
            return
        bindings: list[Binding] = []
        for each in block.bindings:
            bindings += self.before(each)
            bindings.append(self.inside(each))
            bindings += self.after(each)
        yield BindingBlock(tuple(bindings))

    def inside(self, binding: Binding) -> Binding:
        """A binding whose branches or local function show."""
        match binding:
            case VarBinding(value=If() as branch):
                value = replace(
                    branch,
                    then_branch=self.sequence(branch.then_branch),
                    else_branch=self.sequence(branch.else_branch),
                )
                return replace(binding, value=value)
            case VarBinding(value=Function() as function):
                return replace(binding, value=self.shown(f"{self.path}/{binding.name}", function))
        return binding

    def before(self, binding: Binding) -> Iterator[Binding]:
        """The inputs of a binding, where some may have been written to since they were shown."""
        inputs = tuple(each for each in used(binding) if each in self.types and self.can_be_shown(each))
        if self.in_place and inputs and not composite(self.checked, binding):
            yield self.call("before", inputs)

    def after(self, binding: Binding) -> Iterator[Binding]:
        """The value of a binding."""
        if composite(self.checked, binding):
            self.composite.add((self.path, binding.name))
        symbols = self.fresh(binding.type) if isinstance(binding, MatchCast) else ()
        type_ = self.types.get(binding.name)
        if isinstance(type_, PrimType):
            self.known.add(binding.name)
        if self.can_be_shown(binding.name):
            yield self.call("after", (binding.name,), symbols, binding)
        elif isinstance(binding, VarBinding) and isinstance(binding.value, Function):
            yield self.call("made", (), (), binding)
        elif type_ == VOID:
            self.unobserved["no value"] += 1
        else:
            self.unobserved["a function"] += 1

    def can_be_shown(self, name: str) -> bool:
        """Whether a library function can be given the value."""
        type_ = self.types.get(name)
        return type_ != VOID and not isinstance(type_, FuncType)

    def fresh(self, types: object) -> tuple[str, ...]:
        """The symbols in types that are not known yet; known from now on."""
        found = {each.name: None for each in nodes(types) if isinstance(each, SymVar) and each.dtype == "int64"}
        new = tuple(each for each in found if each not in self.known)
        self.known.update(new)
        return new

    def call(
        self,
        kind: Kind,
        shown: tuple[str, ...] = (),
        symbols: tuple[str, ...] = (),
        binding: Binding | None = None,
    ) -> VarBinding:
        """The call of a new site."""
        number = len(self.sites)
        self.sites.append(Site(kind, self.path, shown, symbols, binding))
        args: list[Expr] = [PrimValue(int_imm(number)), *map(Var, shown)]
        if symbols:
            args.append(ShapeExpr(tuple(SymVar(each, "int64") for each in symbols)))
        name = f"_site{number}"
        while name in self.taken:
            name = f"_{name}"
        return VarBinding(name, Call(ExternFunc(OBSERVE), tuple(args), ty_args=(VOID,)), VOID)


def merged(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks as the reader has them: ordinary ones side by side are one."""
    out: list[Block] = []
    for each in blocks:
        if out and isinstance(each, BindingBlock) and isinstance(out[-1], BindingBlock):
            out[-1] = BindingBlock((*out[-1].bindings, *each.bindings))
        elif each.bindings or isinstance(each, DataflowBlock):
            out.append(each)
    return tuple(out)


def used(binding: Binding) -> tuple[str, ...]:
    """The variables that a binding mentions, in order."""
    return tuple({each.name: None for each in nodes(binding) if isinstance(each, Var)})


def _writes(node: object, module: Module) -> bool:
    """Whether a call may write to what it is given, or give memory that is written to later."""
    match node:
        case Call(op=ExternFunc() | Op(name="relax.call_builtin_with_ctx")):
            return True
        case Call(op=Op(name=name)):
            return name in OVERWRITING or name in LOW_LEVEL
        case Call(op=GlobalVar(name=name)):
            return isinstance(module.functions.get(name), PrimFunc)
        case _:
            return False
