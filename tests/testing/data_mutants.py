"""Definitions of operators broken on purpose: one place of a text, as data, changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

import refrelax as rr
from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.ideal import ideal
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.common import extents
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.evaluate import Cells, evaluate
from refrelax.semantics.ops.meaning.numbers import Dense, given, operands
from refrelax.semantics.ops.meaning.terms import written
from refrelax.semantics.values import Prim, TensorValue, from_payloads
from refrelax.syntax import dtypes
from refrelax.syntax.bits import literal
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm

from .oracle_calls import Asked, refused

OTHER = {
    "add": "sub", "sub": "add", "mul": "add", "div": "mul", "maximum": "minimum", "minimum": "maximum",
    "less": "less_equal", "less_equal": "less", "equal": "not_equal", "not_equal": "equal", "bit_and": "bit_or",
    "bit_or": "bit_xor", "bit_xor": "bit_and", "all_of": "any_of", "any_of": "all_of", "shift_left": "shift_right",
    "shift_right": "shift_left", "floordiv": "div", "floormod": "mod", "mod": "floormod", "isnan": "isfinite",
    "isinf": "isfinite", "isfinite": "isnan", "math:exp": "math:exp2", "math:log": "math:log2",
    "math:floor": "math:ceil", "math:ceil": "math:floor", "math:round": "math:trunc", "math:trunc": "math:round",
    "math:sqrt": "math:square", "math:rsqrt": "math:sqrt", "math:tanh": "math:sigmoid", "math:sigmoid": "math:tanh",
    "math:erf": "math:tanh", "math:sin": "math:cos", "math:cos": "math:sin", "math:tan": "math:sin",
    "math:sinh": "math:cosh", "math:cosh": "math:sinh", "math:asin": "math:acos", "math:acos": "math:asin",
    "math:atan": "math:tanh", "math:asinh": "math:atan", "math:acosh": "math:sqrt", "math:atanh": "math:asin",
    "math:abs": "math:square", "math:sign": "math:abs", "math:square": "math:abs", "math:log1p": "math:log",
    "math:expm1": "math:exp", "math2:pow": "math2:atan2", "math2:atan2": "math2:pow",
}  # fmt: skip
"""An operation for another."""

SWAPPED = frozenset(
    {"sub", "div", "floordiv", "floormod", "mod", "math2:pow", "math2:atan2", "shift_left", "shift_right"}
)
OTHER_FOLD = {"add": "maximum", "mul": "add", "maximum": "minimum", "minimum": "maximum", "and": "or", "or": "and"}


@dataclass(frozen=True)
class Taken:
    """A call with concrete arguments: its text as data, and the elements."""

    program: data.Program
    cells: Callable[[Numerics], list[Cells]]
    dtypes: list[str]

    def run(self, numerics: Numerics, program: data.Program | None = None) -> list[Cells]:
        return evaluate(program or self.program, numerics, {}, self.cells(numerics))


def taken(name: str, call: Asked, arrays: list[np.ndarray]) -> Taken:
    """The call of the table, at these arguments. Raises ``Unfit`` where the text cannot be written down."""
    definition, caught = OPERATORS[name], []

    def catch(e: Evaluation, node: Any, args: tuple[Any, ...]) -> Any:
        caught.append((e, node, args))
        return definition.evaluate(e, node, args)

    OPERATORS[name] = replace(definition, evaluate=catch)
    try:
        rr.run(rr.check(rr.parse(call.text)), "main", *arrays)
    finally:
        OPERATORS[name] = definition
    e, node, args = caught[0]
    values = operands(args)

    def described(k: int, x: Any) -> Any:
        if isinstance(x, TensorValue):
            return f"x{k}", list(x.shape), x.dtype
        if isinstance(x, Prim):
            return f"x{k}", [1], x.dtype, literal(x.dtype, x.value)
        return None if x is None else list(extents(x))

    assert definition.text is not None
    program = written(definition.text, node, *(described(k, x) for k, x in enumerate(values)))

    def cells(numerics: Numerics) -> list[Cells]:
        found: list[Cells] = []
        for x in values:
            if isinstance(x, TensorValue):
                at = numerics.at(x.dtype)
                found.append((x.shape, [at.from_bits(p) for p in x.bits()]))
            elif isinstance(x, Prim):
                entered: Any = given(replace(e, numerics=numerics), x)
                assert isinstance(entered, Dense)
                found.append((entered.dims, entered.listed()))
        return found

    return Taken(program, cells, [each.dtype for each in program.outputs])


# --- one place changed ------------------------------------------------------------------------------------------------

Node = Any


def parts(node: Node) -> Iterator[Node]:
    """What a node is made of: elements, families, arrays; no index expressions."""
    for each in fields(node):
        value = getattr(node, each.name)
        yield from (x for x in (value if isinstance(value, tuple) else (value,)) if _of_data(x))


def _of_data(x: Any) -> bool:
    return type(x).__module__ == data.__name__


def nodes(program: data.Program) -> list[Node]:
    """All nodes that the outputs are made of, each once."""
    found: dict[int, Node] = {}
    pending: list[Node] = [*program.outputs, *program.steps]
    while pending:
        node = pending.pop()
        if id(node) not in found:
            found[id(node)] = node
            pending.extend(parts(node))
    return list(found.values())


def changed(program: data.Program, place: Node, new: Node) -> data.Program:
    """The program with one node exchanged."""
    return rebuilt(program, lambda node: new if node is place else node)


def pinned(program: data.Program, form: int) -> data.Program:
    """The program of an implementation that always takes one form (the last, where there are fewer)."""

    def one(node: Node) -> Node:
        while isinstance(node, data.Either):
            node = node.forms[min(form, len(node.forms) - 1)]
        return node

    return rebuilt(program, one)


def forms(program: data.Program) -> int:
    """How many forms the choice with the most has."""
    return max((len(n.forms) for n in nodes(program) if isinstance(n, data.Either)), default=1)


def rebuilt(program: data.Program, instead: Callable[[Node], Node]) -> data.Program:
    """The program with every node exchanged for another, which may be itself."""
    made: dict[int, Node] = {}

    def of(node: Node) -> Node:
        if id(node) not in made:
            source = instead(node)
            values = {f.name: _mapped(getattr(source, f.name), of) for f in fields(source)}
            made[id(node)] = source if isinstance(source, data.Operand) else type(source)(**values)
        return made[id(node)]

    opaque = {k: (of(element), dtype) for k, (element, dtype) in program.opaque.items()}
    outputs, steps = [of(x) for x in program.outputs], [of(x) for x in program.steps]
    return data.Program([of(x) for x in program.operands], steps, outputs, program.premises, opaque)


def _mapped(value: Any, of: Callable[[Node], Node]) -> Any:
    if isinstance(value, tuple):
        return tuple(_mapped(x, of) for x in value)
    return of(value) if _of_data(value) else value


def mutants(program: data.Program) -> Iterator[tuple[str, Callable[[], data.Program]]]:
    """What is done, and how to have the program in which it is: there are many."""
    for node in nodes(program):
        for what, new in _instead(node):
            yield f"{type(node).__name__}: {what}", partial(changed, program, node, new)


def _next(e: PrimExpr, n: PrimExpr) -> PrimExpr:
    """One further along an axis, around its end."""
    return Binary("FloorMod", Binary("Add", e, int_imm(1)), n)


def _instead(node: Node) -> Iterator[tuple[str, Node]]:
    match node:
        case data.Operation(name, _, _, args):
            if name in OTHER and _has(OTHER[name], node.at):
                yield f"{name} is {OTHER[name]}", replace(node, name=OTHER[name])
            if name in SWAPPED:
                yield f"{name} with swapped operands", replace(node, args=args[::-1])
            if name == "select":
                yield "select with swapped arms", replace(node, args=(args[0], args[2], args[1]))
        case data.Literal(dtype, number) if dtype != "bool" and isinstance(number, int | float | Fraction):
            if abs(float(number)) < 1e30:
                yield f"{float(number):g} is one more", replace(node, value=number + 1)
        case data.Read(array, at):
            for k, (e, n) in enumerate(zip(at, array.dims, strict=True)):
                if as_int(n) != 1:
                    yield f"axis {k} off by one", replace(node, at=(*at[:k], _next(e, n), *at[k + 1 :]))
            if len(at) > 1 and array.dims[0] != array.dims[1] and 1 not in map(as_int, array.dims[:2]):
                first, second = Binary("FloorMod", at[1], array.dims[0]), Binary("FloorMod", at[0], array.dims[1])
                yield "wrong axes", replace(node, at=(first, second, *at[2:]))
        case data.Choice():
            yield "the other arm", replace(node, then=node.other, other=node.then)
        case data.Fold(name, _, _, op, families):
            if op in OTHER_FOLD and name == "reduce":
                yield f"fold {op} is {OTHER_FOLD[op]}", replace(node, op=OTHER_FOLD[op])
            if name == "argreduce":
                yield f"argreduce {op} is {OTHER_FOLD[op]}", replace(node, op=OTHER_FOLD[op])
            yield from _short(node, families)
        case _:
            return


def _short(node: data.Fold, families: tuple[data.Family, ...]) -> Iterator[tuple[str, Node]]:
    """Folds without their last elements along an axis."""
    count = min((len(f.dims) if isinstance(f, data.Each) else 0 for f in families), default=0)
    for k in range(count):
        if any(as_int(f.dims[k]) in (0, 1) for f in families if isinstance(f, data.Each)):
            continue
        less = tuple(
            replace(f, dims=(*f.dims[:k], Binary("Sub", f.dims[k], int_imm(1)), *f.dims[k + 1 :]))
            for f in families
            if isinstance(f, data.Each)
        )
        yield f"last element of axis {k} dropped", replace(node, families=less)


def _has(name: str, dtype: str) -> bool:
    if name.startswith(("math", "div", "isnan", "isfinite")):
        return not dtype or dtypes.is_float(dtype) or name == "math:abs" or name == "math:square"
    return True


# --- who sees it ------------------------------------------------------------------------------------------------------

NEAR = 2.0**-10
"""How far the canonical result of a definition may be from a library's, of the greatest element: far more than float32
rounds in these small calls, and less than any fault that matters. It asks after each form of a choice by itself, which
the enclosure (of all) cannot."""


def seen(taken: Taken, broken: data.Program, answers: list[Any]) -> str | None:
    """What is wrong with a definition by what a library answered; ``None`` if nothing can be seen."""
    numerics = enclosure()
    try:
        pairs = zip(taken.dtypes, taken.run(numerics, broken), strict=True)
        value = tuple(rr.Tensor(from_payloads(numerics, dtype, dims, list(cells))) for dtype, (dims, cells) in pairs)
        why = refused(value, answers)
        forms_ = range(forms(broken)) if why is None else ()
        return why or next((found for k in forms_ if (found := _far(taken, pinned(broken, k), answers))), None)
    except Exception as error:  # a broken definition may do anything, and is seen by it
        return f"{type(error).__name__}: {error}"


def _far(taken: Taken, program: data.Program, answers: list[Any]) -> str | None:
    for (dims, cells), answer in zip(taken.run(ieee(), program), answers, strict=True):
        wanted = np.asarray(answer, dtype=float).reshape(-1)
        found = np.array([np.nan if isinstance(x, Poison) else float(getattr(x, "number", x)) for x in cells])
        finite = np.isfinite(wanted)
        reach = NEAR * max(1e-3, np.abs(wanted[finite]).max(initial=0))
        if not np.all(np.abs(found[finite] - wanted[finite]) <= reach):
            return f"{found[:6]} of {dims}, of the library {wanted[:6]}"
    return None


def changes(taken: Taken, broken: data.Program) -> bool:
    """Whether a definition gives anything else in exact arithmetic, in any form of its choices. (A sum in another
    order, or a softmax less another number than the greatest, is the same function.)"""
    numerics = ideal(160)
    for k in range(max(forms(broken), forms(taken.program))):
        try:
            found = taken.run(numerics, pinned(broken, k))
            plain = taken.run(numerics, pinned(taken.program, k))
        except Exception:
            return True
        for (shape, one), (other_shape, other), dtype in zip(found, plain, taken.dtypes, strict=True):
            if shape != other_shape or any(_apart(a, b, dtype) for a, b in zip(one, other, strict=True)):
                return True
    return False


def _apart(a: Any, b: Any, dtype: str) -> bool:
    if isinstance(a, Poison) or isinstance(b, Poison):
        return type(a) is not type(b)
    if not dtypes.is_float(dtype):
        return repr(a) != repr(b)
    if a.empty or b.empty or a.nan or b.nan:
        return (a.empty, a.nan) != (b.empty, b.nan)
    return bool(a.hi < b.lo or b.hi < a.lo)
