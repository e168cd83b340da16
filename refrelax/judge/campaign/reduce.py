"""The smallest of a composed program that still has a cause: fewer bindings, parameters, functions.

Hypothesis shrinks the choices that a program was made of; what those do not reach is done here, on the program itself:
a binding alone, with whatever it uses as parameters of the values that the run had there; the program up to an earlier
binding; without what nothing uses; a branch instead of an ``if``. Tries are counted, not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.errors import InternalError, Rejection, Unlinkable, UsageError
from refrelax.judge.outcomes import copies
from refrelax.running.arrays import Tensor
from refrelax.running.run import run
from refrelax.running.trace import seen
from refrelax.semantics.budget import Budget
from refrelax.semantics.graph.link import nodes, reached
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import definable
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    DataflowBlock,
    Expr,
    Function,
    If,
    Param,
    Var,
    VarBinding,
)
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import TensorType
from refrelax.syntax.write.module import print_module

Program = tuple[Module, list[Any]]
"""A module, and arguments of its ``main``."""

BUDGET = Budget(steps=400_000, elements=400_000)

FAILURES = (Rejection, Unlinkable, InternalError, UsageError)
"""Why a candidate is none: it does not check, or cannot be run."""


@dataclass(slots=True)
class _Values:
    """The value of each binding of ``main``, as it was bound first."""

    found: dict[str, Any] = field(default_factory=dict)

    def on_binding(self, path: str, binding: Binding, value: Any, _scope: Any) -> None:
        if path == "main":
            self.found.setdefault(binding.name, seen(value))


def reduce(program: Program, still: Callable[[Module, list[Any]], bool], most: int = 60) -> Program:
    """A program that is no larger and of which ``still`` holds, after at most so many questions."""
    left = most
    tried: set[str] = set()
    while left > 0:
        for module, args in candidates(*program):
            text = print_module(module)
            if size(module) >= size(program[0]) or text in tried:
                continue
            tried.add(text)
            left -= 1
            if still(module, args):
                program = module, args
                break
            if left <= 0:
                return program
        else:
            return program
    return program


def size(module: Module) -> tuple[int, int, int]:
    """Bindings, parameters and functions, and characters."""
    functions = list(module.relax_functions().values())
    held = sum(isinstance(each, Binding) for f in functions for each in nodes(f))
    return held, sum(len(f.params) for f in functions) + len(module.functions), len(print_module(module))


def candidates(module: Module, args: Sequence[Any]) -> Iterator[Program]:
    """Smaller programs that check, the boldest first."""
    main = module.functions.get("main")
    if not isinstance(main, Function):
        return
    try:
        checked = check(module)
    except FAILURES:
        return
    values = _values(checked, args)
    bindings = [each for block in main.body.blocks for each in block.bindings]
    at = _At(module, main, list(args), checked, values)
    ways: list[Callable[[], Iterator[tuple[list[Binding], Expr, set[str]]]]] = [
        lambda: ((([each], Var(each.name), _names(each))) for each in bindings),
        lambda: ((bindings[k - 1 : k + 1], Var(b.name), _names(bindings[k - 1]) | _names(b))
                 for k, b in enumerate(bindings) if k),
        lambda: ((bindings[: k + 1], Var(each.name), set()) for k, each in enumerate(bindings[:-1])),
        lambda: iter([(bindings, main.body.body, set())]),
        lambda: (([b for b in bindings if b is not each], main.body.body, {each.name}) for each in bindings),
        lambda: ((_with_branch(bindings, k, els), main.body.body, set())
                 for k, b in enumerate(bindings) if isinstance(b, VarBinding) and isinstance(b.value, If)
                 for els in (False, True)),
    ]  # fmt: skip
    for way in ways:
        for kept, result, cut in way():
            found = at.program(kept, result, cut - {each.name for each in kept})
            if found is not None:
                yield found


@dataclass(slots=True)
class _At:
    """A program, and what its bindings were."""

    module: Module
    main: Function
    args: list[Any]
    checked: CheckedModule
    values: dict[str, Any]

    def program(self, kept: Sequence[Binding], result: Expr, cut: set[str]) -> Program | None:
        """These bindings and what they need, with the names of ``cut`` as parameters; nothing if it does not check."""
        wanted = _live(kept, result)
        own = {p.name for p in self.main.params}
        new = []
        for name in sorted(cut & wanted.used - own):
            type_ = self.checked.types.get("main", {}).get(name)
            if type_ is None or name not in self.values:
                return None
            new.append(Param(name, type_))
        chosen = _with_symbols(self.main.params, wanted.used, new)
        given = [(p, arg) for p, arg in zip(self.main.params, self.args, strict=True) if p.name in chosen]
        params = [*(p for p, _ in given), *new]
        args = [*(arg for _, arg in given), *(self.values[p.name] for p in new)]
        blocks = _blocks(self.main, wanted.bindings, result)
        body = replace(self.main.body, blocks=blocks, body=result)
        main = replace(self.main, params=tuple(params), ret=None, body=body)
        functions = reached({**self.module.functions, "main": main}, ["main"])
        try:
            module = parse(print_module(self.module.with_functions(dict(functions))))
            module = replace(module, constants=self.module.constants)
            return check(module).module, args
        except FAILURES:
            return None


@dataclass(slots=True)
class _Live:
    bindings: list[Binding]
    used: set[str]


def _live(kept: Sequence[Binding], result: Expr) -> _Live:
    """The bindings that the result needs, and every name that occurs in them."""
    used, bindings = set(_names(result)), []
    for each in reversed(kept):
        names = _names(each)
        if each.name in used or _new_symbols(each) & used:
            bindings.append(each)
            used |= names
    return _Live(bindings[::-1], used)


def _new_symbols(binding: Binding) -> set[str]:
    """Symbols that a cast may define."""
    type_ = getattr(binding, "type", None)
    return set() if type_ is None else _names(type_)


def _names(root: Any) -> set[str]:
    """Names of variables and symbols that occur below ``root``."""
    found = {n.name for n in nodes(root) if isinstance(n, Var | SymVar)}
    return found | {n.shape for n in nodes(root) if isinstance(n, TensorType) and isinstance(n.shape, str)}


def _with_symbols(params: Sequence[Param], used: set[str], new: Sequence[Param]) -> set[str]:
    """Names of the parameters that are used, and of those that define a symbol of what is used or of their types."""
    chosen = {p.name for p in params if p.name in used}
    while True:
        kept = [*(p for p in params if p.name in chosen), *new]
        mentioned = used.union(*map(_mentions, kept))
        undefined = mentioned.difference(*map(_defines, kept))
        lacking = [p.name for p in params if p.name not in chosen and (p.name in mentioned or _defines(p) & undefined)]
        if not lacking:
            return chosen
        chosen.add(lacking[0])


def _mentions(param: Param) -> set[str]:
    return set() if param.type is None else _names(param.type)


def _defines(param: Param) -> set[str]:
    """The symbols that stand alone as a dim of a parameter."""
    return set() if param.type is None else {symbol.name for symbol in definable(param.type)}


def _with_branch(bindings: list[Binding], k: int, other: bool) -> list[Binding]:
    """The bindings with a branch in the place of an ``if``."""
    at = bindings[k]
    assert isinstance(at, VarBinding) and isinstance(at.value, If)
    branch = at.value.else_branch if other else at.value.then_branch
    inner = [each for block in branch.blocks for each in block.bindings]
    return [*bindings[:k], *inner, replace(at, value=branch.body), *bindings[k + 1 :]]


def _blocks(main: Function, bindings: Sequence[Binding], result: Expr) -> tuple[Block, ...]:
    """The blocks of ``main`` with what is left of them; what is new stands by itself."""
    of: dict[str, int] = {b.name: k for k, block in enumerate(main.body.blocks) for b in block.bindings}
    found: list[tuple[int, list[Binding]]] = []
    for each in bindings:
        k = of.get(each.name, -1)
        if not found or found[-1][0] != k:
            found.append((k, []))
        found[-1][1].append(each)
    made: list[Block] = []
    for j, (k, held) in enumerate(found):
        block = main.body.blocks[k] if k >= 0 else BindingBlock(())
        if isinstance(block, DataflowBlock):
            later = _names(result).union(*(_names(b) for _, rest in found[j + 1 :] for b in rest))
            outputs = tuple(b.name for b in held if b.name in later)
            made.append(DataflowBlock(tuple(held), outputs) if outputs else BindingBlock(tuple(held)))
        else:
            made.append(BindingBlock(tuple(held)))
    return tuple(made)


def _values(checked: CheckedModule, args: Sequence[Any]) -> dict[str, Any]:
    listener = _Values()
    try:
        run(checked, "main", *copies(args), budget=BUDGET, listener=listener)
    except FAILURES:
        return {}
    return {name: value for name, value in listener.found.items() if _given(value)}


def _given(value: Any) -> bool:
    """Whether a value can be an argument: all of its elements mean something."""
    match value:
        case Tensor():
            return None not in value.patterns()
        case tuple():
            return all(map(_given, value))
        case _:
            return isinstance(value, Shape | Prim | bool | int | float)


__all__ = ["Program", "candidates", "reduce", "size"]
