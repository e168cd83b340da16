"""A text made ready to become nests.

Of forms between which an implementation may choose the first is taken; a choice between poison and an element that has
a value anyway becomes the element; a fold inside of an element gets an array of its own. Then it is settled which
arrays are written where they are read: those that only say where an element comes from, and those that are read once,
element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from refrelax.lower.legalize.site import Unfit
from refrelax.semantics.numbers.interface import DIVISIONS
from refrelax.semantics.ops.meaning import data
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, walk

LARGEST = 600
"""Nodes of one element; a text that shares more than that (an integer power) is no expression."""


MOST_ELEMENTS = 3
"""Elements in an index that is written wherever it is read."""


@dataclass(slots=True)
class Prepared:
    """What is to be written: ``steps`` in order, ``outputs``, and which definitions are ``inlined`` (by ``id``)."""

    program: data.Program
    steps: list[data.Step] = field(default_factory=list)
    outputs: list[data.Definition] = field(default_factory=list)
    inlined: set[int] = field(default_factory=set)


def prepared(program: data.Program, needed: Callable[[PrimExpr], bool]) -> Prepared:
    """See the module. ``needed``: whether what is read under a condition might not be in range without it.

    Raises:
        Unfit: an element is too large.
    """
    result = Prepared(program)
    renewed: dict[int, data.Definition] = {}
    resolve = _Resolver(renewed, needed)
    counts = counted(program)
    for step in program.steps:
        if isinstance(step, data.Requirement):
            result.steps.append(step)
            continue
        if weight(step.body) > LARGEST:
            raise Unfit("an element that is no expression of reasonable size")
        body = resolve.element(step.body)
        if isinstance(body, data.OpenElement):
            body = nothing(step.dtype)
        for name in counts.get(id(step), ()):
            count, dtype = program.opaque[name]
            made = data.Definition(f"{step.name}_count", step.dims, dtype, step.vars, resolve.element(count))
            program.opaque[name], renewed[id(made)] = (data.Read(made, step.vars, dtype), dtype), made
            result.steps.append(made)
        body, folds = hoisted(step, body)
        result.steps += folds
        renewed[id(step)] = new = replace(step, body=body)
        result.steps.append(new)
    result.outputs = [renewed[id(each)] for each in program.outputs]
    program.opaque.update({name: (resolve.element(e), dtype) for name, (e, dtype) in program.opaque.items()})
    _choose(result)
    return result


# --- elements without choices that need none --------------------------------------------------------------------------


class _Resolver:
    """Rewrites elements; what was shared stays shared."""

    def __init__(self, renewed: dict[int, data.Definition], needed: Callable[[PrimExpr], bool]) -> None:
        self.renewed, self.needed = renewed, needed
        self.known: dict[int, tuple[Any, Any]] = {}

    def element(self, t: Any) -> Any:
        if id(t) not in self.known:
            self.known[id(t)] = t, self.rewritten(t)
        return self.known[id(t)][1]

    def rewritten(self, t: Any) -> Any:
        match t:
            case data.Read(array=data.Definition() as array):
                return replace(t, array=self.renewed[id(array)])
            case data.Either(_, forms):
                return self.element(forms[0])
            case data.Bound():
                raise Unfit("an element that is chosen by an element")
            case data.Operation("select", args=(condition, then, other)):
                condition, then, other = map(self.element, (condition, then, other))
                for arm, rest in ((then, other), (other, then)):
                    if isinstance(arm, data.OpenElement):
                        return rest  # which is computed anyway: both operands of a ``select`` are
                return replace(t, args=(condition, then, other))
            case data.Operation(args=args):
                return replace(t, args=tuple(map(self.element, args)))
            case data.Choice(condition, then, other):
                then, other = self.element(then), self.element(other)
                for arm, rest in ((then, other), (other, then)):
                    if (
                        isinstance(arm, data.OpenElement)
                        and total(rest)
                        and not (reads(rest) and self.needed(condition))
                    ):
                        return rest
                dtype = t.dtype
                then, other = (nothing(dtype) if isinstance(each, data.OpenElement) else each for each in (then, other))
                return replace(t, then=then, other=other)
            case data.Fold("reduce", at, dtype, "add" | "mul" as op, (data.Items(items),)) if items:
                return reduce(lambda a, b: data.Operation(op, at, dtype, (a, b)), map(self.element, items))
            case data.Fold(families=families):
                return replace(t, families=tuple(map(self.family, families)))
            case _:
                return t

    def family(self, f: data.Family) -> data.Family:
        if isinstance(f, data.Items):
            return replace(f, items=tuple(map(self.element, f.items)))
        return replace(f, item=self.element(f.item))


def nothing(dtype: str) -> data.Literal:
    """What stands for an element that is left open."""
    return data.Literal(dtype, 1 if dtype == "float8_e8m0fnu" else 0)


def total(t: data.Element) -> bool:
    """Whether an element has a value for every index: no integer is divided."""
    return not any(
        isinstance(each, data.Operation) and each.name in DIVISIONS and not dtypes.is_float(each.at)
        for each, _ in below(t)
    )


def reads(t: data.Element) -> bool:
    """Whether an element reads an array, itself and not in what it folds."""
    match t:
        case data.Read():
            return True
        case data.Fold():
            return False
        case _:
            return any(map(reads, parts(t)))


def weight(t: data.Element) -> int:
    """The nodes of an element as it would be printed."""
    known: dict[int, int] = {}

    def of(each: Any) -> int:
        if id(each) not in known:
            known[id(each)] = 1 + sum(map(of, parts(each)))
        return known[id(each)]

    return of(t)


# --- folds ------------------------------------------------------------------------------------------------------------


def hoisted(a: data.Definition, body: data.Element) -> tuple[data.Element, list[data.Definition]]:
    """An element without folds, and the arrays of those that it had; a fold that is all of it stays."""
    if isinstance(body, data.Fold):
        return body, []
    found: dict[int, data.Definition] = {}

    def without(t: Any) -> Any:
        match t:
            case data.Fold():
                if id(t) not in found:
                    found[id(t)] = data.Definition(f"{a.name}_{t.op}", a.dims, t.dtype, a.vars, t)
                return data.Read(found[id(t)], a.vars, t.dtype)
            case data.Operation(args=args):
                return replace(t, args=tuple(map(shared, args)))
            case data.Choice(_, then, other):
                return replace(t, then=shared(then), other=shared(other))
            case _:
                return t

    shared = remembered(without)
    return shared(body), list(found.values())


def counted(program: data.Program) -> dict[int, list[str]]:
    """By definition, the symbols of its indices that are folds, as how many elements of a table are at most its index:
    those that it alone has, and none of which is asked for inside of what it folds."""
    users: dict[str, set[int]] = {}
    inner = {v.name for v, _ in ranges(program)} - {
        v.name for step in program.steps if isinstance(step, data.Definition) for v in step.vars
    }
    for step in program.steps:
        if isinstance(step, data.Definition):
            for each, _ in below(step.body, program=program):
                for name in {v.name for e in data.index_parts(each) for v in symbols(e)} & program.opaque.keys():
                    users.setdefault(name, set()).add(id(step))
    found: dict[int, list[str]] = {}
    for name, (element, _) in program.opaque.items():
        if isinstance(element, data.Fold) and len(users.get(name, ())) == 1:
            own = {v.name for f in element.families if isinstance(f, data.Each) for v in f.vars}
            inside = (e for each, _ in below(element, program=program) for e in data.index_parts(each))
            if not {v.name for e in inside for v in symbols(e)} & inner - own:
                found.setdefault(min(users[name]), []).append(name)
    return found


def remembered(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of nodes that gives what it gave before for the same node."""
    known: dict[int, tuple[Any, Any]] = {}

    def apply(t: Any) -> Any:
        if id(t) not in known:
            known[id(t)] = t, function(t)
        return known[id(t)][1]

    return apply


# --- which arrays there are -------------------------------------------------------------------------------------------


def _choose(result: Prepared) -> None:
    """Backwards, as whoever reads an array stands after it: what is read by nobody is left out."""
    outputs = {id(each) for each in result.outputs}
    reads: dict[int, list[bool]] = {}
    """Of each array, whether each read of it is an element of a whole that is computed once."""
    kept: list[data.Step] = []
    for step in reversed(result.steps):
        if isinstance(step, data.Requirement):
            kept.append(step)
            continue
        if id(step) not in outputs and id(step) not in reads:
            continue
        kept.append(step)
        own = reads.get(id(step), []) == [True]
        if (
            id(step) not in outputs
            and not isinstance(step.body, data.Fold)
            and (own or light(step.body, result.program))
        ):
            result.inlined.add(id(step))
        else:
            own = True
        scope = sum(as_int(n) != 1 for n in step.dims)
        for each, around in below(step.body, scope, result.program):
            if isinstance(each, data.Read) and isinstance(each.array, data.Definition):
                reads.setdefault(id(each.array), []).append(own and whole(each, around))
    result.steps = kept[::-1]


def whole(read: data.Read, around: int) -> bool:
    """Whether a read within ``around`` variables meets each element of its array once."""
    wide = [p for p, n in zip(read.at, read.array.dims, strict=True) if as_int(n) != 1]
    return len({p.name for p in wide if isinstance(p, SymVar)}) == len(wide) == around


def light(t: data.Element, program: data.Program) -> bool:
    """Whether an element only says where one comes from, at what dtype; an index that is computed of many elements
    does more."""
    kinds = (data.Read, data.Choice)
    return all(
        isinstance(e, kinds)
        or (isinstance(e, data.Operation) and e.name == "cast")
        or (isinstance(e, data.Literal) and not computed(e, program))
        for e, _ in below(t)
    )


def computed(t: data.Literal, program: data.Program) -> bool:
    """Whether it is an index that is computed of many elements."""
    return any(len({v.name for v in symbols(e)} & program.opaque.keys()) > MOST_ELEMENTS for e in data.index_parts(t))


# --- walking ----------------------------------------------------------------------------------------------------------


def parts(t: Any) -> Sequence[Any]:
    """The elements that an element is made of."""
    match t:
        case data.Operation(args=args):
            return args
        case data.Either(forms=forms):
            return forms
        case data.Choice(_, then, other):
            return then, other
        case data.Fold(families=families):
            return [e for f in families for e in (f.items if isinstance(f, data.Items) else (f.item,))]
        case _:
            return ()


def below(t: Any, scope: int = 0, program: data.Program | None = None) -> Iterator[tuple[Any, int]]:
    """An element and everything below it, each with the number of variables around it, what is shared once; with a
    ``program``, elements in indices too."""
    pending, seen = [(t, scope)], set()
    while pending:
        each, around = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each, around
        if isinstance(each, data.Fold) and isinstance(each.families[0], data.Each):
            around += len(each.families[0].vars)
        pending += [(part, around) for part in parts(each)]
        if program is not None:
            pending += [(program.opaque[v.name][0], around) for e in data.index_parts(each) for v in symbols(e)
                        if v.name in program.opaque]  # fmt: skip


def ranges(program: data.Program) -> Iterator[tuple[SymVar, PrimExpr]]:
    """Every variable with what it is less than."""
    for step in program.steps:
        if isinstance(step, data.Definition):
            yield from zip(step.vars, step.dims, strict=True)
            for each, _ in below(step.body, program=program):
                for f in each.families if isinstance(each, data.Fold) else ():
                    if isinstance(f, data.Each):
                        yield from zip(f.vars, f.dims, strict=True)


def symbols(e: PrimExpr) -> list[SymVar]:
    """The variables of an index expression."""
    return [n for n in walk(e) if isinstance(n, SymVar)]
