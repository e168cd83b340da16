"""Where a text leaves an element, or the whole run, open: what has to hold for it to leave nothing open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from refrelax.semantics.dims import NO_FACTS, simplify, substitute
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.indices import in_range
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import (
    Binary,
    Intrinsic,
    Not,
    PrimExpr,
    SymVar,
    as_int,
    bool_imm,
    children,
    conjuncts,
    int_imm,
    walk,
)

Given = tuple[PrimExpr, ...]

PREMISE = "premise"
"""The rule of an opening that is a premise of the data: where it fails, the data does not say what the text means."""

EMPTY = "num/empty-reduction"

ZERO, ONE = int_imm(0), int_imm(1)
ALWAYS, NEVER = bool_imm(True), bool_imm(False)


@dataclass(frozen=True, slots=True)
class Opening:
    """The text leaves nothing open here if ``statement`` holds for all values of its variables at which ``given`` does.
    ``rule``: what it is open by; ``whole``: it is the run, else an element; ``read``: an element out of range at an
    index that is an element, which loops leave open as well. (At other indices they may have something else there.)"""

    rule: str
    statement: PrimExpr
    given: Given = ()
    whole: bool = False
    read: bool = False


def openings(program: data.Program) -> Iterator[Opening]:
    """Every place, in the order of the text, the premises first. What ``?k`` stands for is taken for any integer.

    What an operation on elements leaves open (a shift, a conversion) is not among them: a reader of the elements meets
    it there.
    """
    for premise in program.premises:
        yield Opening(PREMISE, premise)
    has_elements = _has_elements(program)
    for step in program.steps:
        match step:
            case data.Requirement(condition, rule):
                yield from _of_index(condition, (), program)
                yield Opening(rule, condition, whole=True)
            case data.Definition(_, dims, _, names, body, within):
                for n in dims:
                    size = as_int(n)
                    if size < 0 if size is not None else not isinstance(n, SymVar):
                        yield Opening("ev/negative-extent", Binary("GE", n, ZERO), whole=True)
                given = in_range(names, dims)
                if within is not None:
                    for e in within:
                        yield from _of_index(e, given[:-2], program)  # (the last two are of the last axis)
                    given = (*given, Binary("GE", names[-1], within[0]), Binary("LT", names[-1], within[1]))
                for each in _of(body, given, program):
                    empty = each.rule == EMPTY
                    yield replace(each, given=(*has_elements, *each.given)) if empty else each


def _has_elements(program: data.Program) -> Given:
    """That the value has an element: where it has none, nobody sees a reduction over nothing on the way. (Where an
    element is an index, one that is open may leave the whole run open.)"""
    if len(program.outputs) != 1 or program.opaque:
        return ()
    return tuple(Binary("GT", n, ZERO) for n in program.outputs[0].dims if as_int(n) is None)


def _of(root: data.Element, given: Given, program: data.Program) -> Iterator[Opening]:
    pending: list[tuple[data.Element, Given]] = [(root, given)]
    seen = set[tuple[int, Given]]()
    while pending:
        t, given = pending.pop()
        if (id(t), given) in seen:
            continue
        seen.add((id(t), given))
        for e in data.index_parts(t):
            yield from _of_index(e, given, program)
        match t:
            case data.Bound(index=index, body=body, other=other, rule=rule):
                if rule:
                    yield Opening(rule, NEVER, given)
                pending += [(a, given) for a in (other, body, index) if a is not None]
            case data.OpenElement(rule):
                yield Opening(rule, NEVER, given)
            case data.Literal(dtype, float() as value) if value != value and bits.nan_bits(dtype) is None:
                yield Opening("num/no-nan", NEVER, given)
            case data.Choice(condition, data.Read(array=array, at=at) as then, data.OpenElement(rule)) if _bounds(
                condition, at, array.dims
            ):
                found = any(isinstance(v, SymVar) and v.name in program.opaque for v in walk(condition))
                yield Opening(rule, condition, given, read=found)
                pending.append((then, (*given, condition)))
            case data.Choice(condition, then, other):
                for arm, when in ((other, Not(condition)), (then, condition)):
                    if isinstance(arm, data.OpenElement):
                        refused = condition if when is not condition else Not(condition)
                        yield Opening(arm.rule, refused, given)
                    else:
                        pending.append((arm, (*given, when)))
            case data.Operation(args=args):
                pending += [(a, given) for a in reversed(args)]
            case data.Either(forms=forms):
                pending += [(a, given) for a in reversed(forms)]
            case data.Fold(name, _, _, op, families):
                if op in ("maximum", "minimum") or name == "last":
                    yield _filled(families, given)
                for f in families:
                    if isinstance(f, data.Items):
                        pending += [(a, given) for a in f.items]
                    else:
                        where = () if f.where is None else (f.where,)
                        pending.append((f.item, (*given, *in_range(f.vars, f.dims), *where)))
            case _:
                pass


def _of_index(e: PrimExpr, given: Given, program: data.Program) -> Iterator[Opening]:
    """Where an index is none."""
    match e:
        case SymVar(name) if name in program.opaque:
            found, dtype = program.opaque[name]
            if isinstance(found, data.OpenElement):
                yield Opening(found.rule, NEVER, given)
            elif not dtypes.is_integer(dtype):
                yield Opening("op.common/integer-positions", NEVER, given)
        case Intrinsic("if_then_else", (condition, then, other)):
            yield from _of_index(condition, given, program)
            for arm, when, refused in ((then, condition, Not(condition)), (other, Not(condition), condition)):
                for each in _of_index(arm, (*given, when), program):
                    yield replace(each, statement=refused, given=given) if each.statement == NEVER else each
        case _:
            for part in children(e):
                yield from _of_index(part, given, program)


def _bounds(condition: PrimExpr, at: tuple[PrimExpr, ...], dims: tuple[PrimExpr, ...]) -> bool:
    """Whether a condition says no more than that an index is in range: a read out of range is open by itself."""
    said = [c for p, n in zip(at, dims, strict=True) for c in (Binary("GE", p, ZERO), Binary("LT", p, n))]
    return all(each in said for each in conjuncts(condition))


def _filled(families: tuple[data.Family, ...], given: Given) -> Opening:
    """That a fold has something to combine."""
    rule = EMPTY
    if any(isinstance(f, data.Items) and f.items for f in families):
        return Opening(rule, ALWAYS, given)
    for f in families:
        if isinstance(f, data.Each):
            return Opening(rule, _somewhere(f), given)
    return Opening(rule, NEVER, given)


def _somewhere(f: data.Each) -> PrimExpr:
    """That a family has an element: the first that its lower bounds let through. Sufficient, not necessary."""
    witness: dict[str, PrimExpr] = {v.name: ZERO for v in f.vars}
    parts = [] if f.where is None else conjuncts(f.where)
    for v in f.vars:
        for part in parts:
            if isinstance(part, Binary) and part.op == "GE" and part.b == ZERO:
                least = _least(part.a, v)
                if least is not None:
                    witness[v.name] = Binary("Max", witness[v.name], least)
    inside = [Binary("LT", witness[v.name], n) for v, n in zip(f.vars, f.dims, strict=True)]
    found: PrimExpr = ALWAYS
    for each in (*inside, *(substitute(part, witness) for part in parts)):
        found = Binary("And", found, each)
    return found


def _least(e: PrimExpr, v: SymVar) -> PrimExpr | None:
    """The least value of ``v`` at which ``e``, which grows by a number with it, is not negative."""
    if any(isinstance(n, Intrinsic) for n in walk(e)):
        return None
    start = simplify(substitute(e, {v.name: ZERO}), NO_FACTS)
    step = as_int(simplify(Binary("Sub", substitute(e, {v.name: ONE}), start), NO_FACTS))
    if step is None or step < 1:
        return None
    return Binary("FloorDiv", Binary("Sub", int_imm(step - 1), start), int_imm(step))


def renamed(opening: Opening, by: Mapping[str, PrimExpr]) -> Opening:
    """An opening with symbols replaced."""
    given = tuple(substitute(each, by) for each in opening.given)
    return replace(opening, statement=substitute(opening.statement, by), given=given)


__all__ = ["PREMISE", "Opening", "openings", "renamed"]
