"""Well-typed modules that are near to a given one: other operators, operands, attributes, numbers, dtypes, extents.

A mutation changes one place of the tree, or one dtype or number wherever it stands; what does not check is thrown away.
A changed tree is checked as it is, neither printed nor read; ``has_text`` tells those of which there is no text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from refrelax.errors import InternalError, Rejection
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Call, Constant, If, MatchCast, Op, Tuple, Var, VarBinding
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse
from refrelax.syntax.scalars import Binary, Intrinsic, Literal
from refrelax.syntax.write.module import print_module
from refrelax.testing.alike import ELEMENTWISE, PAIRS
from refrelax.testing.corners import ELEMENT_DTYPES, corners

TRIES = 12
"""How often another mutation is tried where one does not check."""

ALIKE: tuple[tuple[str, ...], ...] = (
    tuple(f"relax.{each}" for each in ELEMENTWISE),
    tuple(f"relax.{each}" for each in PAIRS),
    ("relax.sum", "relax.mean", "relax.max", "relax.min", "relax.prod", "relax.variance", "relax.std"),
    ("relax.argmax", "relax.argmin"),
    ("relax.cumsum", "relax.cumprod"),
    ("relax.zeros", "relax.ones"),
    ("relax.zeros_like", "relax.ones_like"),
    ("relax.nn.softmax", "relax.nn.log_softmax"),
    *(tuple(f"relax.nn.{kind}_pool{n}d" for kind in ("max", "avg")) for n in (1, 2, 3)),
)
"""Operators that take the same."""

BINARIES: tuple[tuple[str, ...], ...] = (
    ("Add", "Sub", "Mul", "Max", "Min", "FloorDiv", "FloorMod"),
    ("LT", "LE", "GT", "GE", "EQ", "NE"),
    ("And", "Or"),
)
"""Operations of loop programs that take the same."""

Path = tuple[str | int, ...]

Mutation = Callable[[Module, random.Random, Sequence[str]], Module | str | None]
"""Changes one thing; the dtypes are those that may come in. Text is given where texts are changed."""


def mutated(module: Module, turn: random.Random, times: int = 1) -> Module | None:
    """The module after so many mutations that check; nothing if none was found. It is what its text says."""
    found = mutant(module, turn, times)
    return found.module if found is not None and has_text(found.module) else None


def mutant(
    module: Module, turn: random.Random, times: int = 1, dtypes: Sequence[str] = ELEMENT_DTYPES
) -> CheckedModule | None:
    """The same, checked, whether or not there is a text of it. ``dtypes``: those that may come in for others."""
    last: CheckedModule | None = None
    for _ in range(times):
        for _ in range(TRIES):
            found = _checked(turn.choice(MUTATIONS)(module, turn, dtypes))
            if found is not None and found.module.functions != module.functions:
                last, module = found, found.module
                break
        else:
            return None
    return last


def _checked(changed: Module | str | None) -> CheckedModule | None:
    if changed is None:
        return None
    try:
        return check(parse(changed) if isinstance(changed, str) else changed)
    except (Rejection, InternalError, RecursionError):
        return None
    except Exception:
        if isinstance(changed, Module) and not has_text(changed):
            return None  # reading would have refused it
        raise


def has_text(module: Module) -> bool:
    """Whether a module is what its own text says: reading refuses more than checking does."""
    try:
        return parse(print_module(module)).functions == module.functions
    except (Rejection, InternalError, ValueError, TypeError, AssertionError):
        return False


# --- places ----------------------------------------------------------------------------------------------------------


@cache
def _names(kind: type) -> tuple[str, ...]:
    """The fields of a node class that may hold nodes."""
    return tuple(f.name for f in fields(kind) if f.init and f.name not in ("span", "source"))


def places(root: Any, kinds: tuple[type, ...], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every node of these classes with the way to it, in source order."""
    if isinstance(root, tuple):
        for k, each in enumerate(root):
            yield from places(each, kinds, (*path, k))
    elif is_dataclass(root) and not isinstance(root, type):
        if isinstance(root, kinds):
            yield path, root
        for name in _names(type(root)):
            yield from places(getattr(root, name), kinds, (*path, name))


def put(root: Any, path: Path, new: Any) -> Any:
    """The same with another node at a place."""
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return (*root[:first], put(root[first], rest, new), *root[first + 1 :])
    return replace(root, **{first: put(getattr(root, first), rest, new)})


def _at_a_place(kinds: tuple[type, ...], change: Callable[[Any, random.Random], Any]) -> Mutation:
    def mutate(module: Module, turn: random.Random, _dtypes: Sequence[str]) -> Module | None:
        every = [(name, *at) for name, f in module.functions.items() for at in places(f, kinds)]
        turn.shuffle(every)
        for name, path, node in every[:8]:
            new = change(node, turn)
            if new is None or new == node:
                continue
            return module.with_functions({**module.functions, name: put(module.functions[name], path, new)})
        return None

    return mutate


def _operator(node: Call, turn: random.Random) -> Call | None:
    """Another operator that takes the same."""
    group = next((g for g in ALIKE if isinstance(node.op, Op) and node.op.name in g), None)
    return None if group is None else replace(node, op=Op(turn.choice(group)))


def _operands(node: Call | Tuple, turn: random.Random) -> Any:
    """Two operands exchanged, or one taken twice."""
    held = node.fields if isinstance(node, Tuple) else node.args
    if len(held) < 2:
        return None
    j, k = turn.sample(range(len(held)), 2)
    swapped = list(held)
    swapped[j] = held[k]
    if turn.random() < 0.5:
        swapped[k] = held[j]
    changed = tuple(swapped)
    return replace(node, fields=changed) if isinstance(node, Tuple) else replace(node, args=changed)


def _attribute(node: Call, turn: random.Random) -> Call | None:
    """One flag turned, or one integer a little off."""
    if not node.attrs:
        return None
    k = turn.randrange(len(node.attrs))
    name, value = node.attrs[k]
    new: Any
    match value:
        case bool():
            new = not value
        case int():
            new = turn.choice((value + 1, value - 1, -value, 0))
        case Literal(dtype=dtype) if dtypes.is_float(dtype):
            new = bits.literal(dtype, turn.choice((0.0, 1.0, -1.0, 0.5, 2.0, 1e-30)))
        case _:
            return None
    return replace(node, attrs=(*node.attrs[:k], (name, new), *node.attrs[k + 1 :]))


def _constant(node: Constant, turn: random.Random) -> Constant | None:
    """A corner among the elements."""
    if not node.data:
        return None
    k = turn.randrange(len(node.data))
    return replace(node, data=(*node.data[:k], turn.choice(corners(node.dtype)), *node.data[k + 1 :]))


def _scalar(node: Binary | Literal | Intrinsic, turn: random.Random) -> Any:
    """Another operation of loop programs, or a number a little off."""
    match node:
        case Binary():
            group = next((g for g in BINARIES if node.op in g), None)
            return None if group is None else replace(node, op=turn.choice(group))  # type: ignore[arg-type]
        case Literal(dtype=dtype) if dtypes.kind(dtype) in ("int", "uint"):
            return bits.literal(dtype, max(0, int(bits.decode(dtype, node.bits)) + turn.choice((1, -1, 2))))
        case _:
            return None


def _branch(node: If, turn: random.Random) -> If:
    """The branches exchanged."""
    return replace(node, then_branch=node.else_branch, else_branch=node.then_branch)


def _twice(node: VarBinding | MatchCast, turn: random.Random) -> Any:
    """One more function of each element of what is bound."""
    if not isinstance(node, VarBinding) or node.annotation is not None or not isinstance(node.value, Call):
        return None
    if not isinstance(node.value.op, Op) or not node.value.args or not isinstance(node.value.args[0], Var):
        return None
    inner = Call(Op(f"relax.{turn.choice(ELEMENTWISE)}"), (node.value.args[0],), ())
    return replace(node, value=replace(node.value, args=(inner, *node.value.args[1:])))


_DTYPE = re.compile(r'"(bool|(?:u?int|float|bfloat)\d+(?:_\w+)?)"')
_NUMBER = re.compile(r"(?<![\w.\"])(?<!e-)\d{1,3}(?![\w.\"])")
"""A whole number, and no exponent: of ``05`` and ``5`` a set does not say which comes first."""


def _text(module: Module) -> str | None:
    """A text of a module: the one that it was read from, if it was."""
    if module.source is not None:
        return module.source
    try:
        return print_module(module)
    except (Rejection, InternalError, ValueError, TypeError, AssertionError):
        return None


def _dtype_everywhere(module: Module, turn: random.Random, dtypes: Sequence[str]) -> str | None:
    """One dtype for another, in graph and loops."""
    text = _text(module) or ""
    present = sorted(set(_DTYPE.findall(text)))
    if not present:
        return None
    old = turn.choice(present)
    new = turn.choice(("float32", "float16", "float64", "int32", "int64", "int8", "uint8", "bool", *dtypes))
    return re.sub(rf"(?<=[\"T.]){old}(?=[\"(])", new, text)


def _number_everywhere(module: Module, turn: random.Random, _dtypes: Sequence[str]) -> str | None:
    """One number for another wherever it stands: an extent with all that follows from it."""
    text = _text(module) or ""
    present = sorted(set(_NUMBER.findall(text)), key=int)
    if not present:
        return None
    old = turn.choice(present)
    new = turn.choice((int(old) + 1, max(0, int(old) - 1), 1, 0, 2 * int(old)))
    return re.sub(rf"(?<![\w.\"])(?<!e-){old}(?![\w.\"])", str(new), text)


MUTATIONS: tuple[Mutation, ...] = (
    _at_a_place((Call,), _operator), _at_a_place((Call,), _operator), _at_a_place((Call, Tuple), _operands),
    _at_a_place((Call,), _attribute), _at_a_place((Constant,), _constant),
    _at_a_place((Binary, Literal), _scalar), _at_a_place((If,), _branch), _at_a_place((VarBinding,), _twice),
    _dtype_everywhere, _number_everywhere, _number_everywhere,
)  # fmt: skip
