"""The three laws of element terms, on one pair of generated programs.

* *Extraction*: where what a reading rests on holds, the run returns, and every element is what its term says, bit for
  bit, poison included.
* *Simplification*: a term that is put in the place of another has its value wherever that one has one; where the
  second program is read, it is poison where that one is. (Where an index has no value, nothing is asked: that it has
  one is what a reading rests on.)
* *Called equal*: two terms that a descent calls equal are equal wherever the first is determined. (The other has no
  value where the second program looks outside of a buffer: that it does not is what its reading rests on.)

Everything is heard while ``judge.pointwise`` compares two programs, and evaluated afterwards at small extents.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any
from unittest.mock import patch

import refrelax as rr
from refrelax.errors import Ended, Returned
from refrelax.judge import contents, graph_terms, kernel_calls, pointwise
from refrelax.judge.evidence import Proved
from refrelax.judge.inputs import KINDS, literals, made
from refrelax.judge.legalized import legalized
from refrelax.running.arrays import pack
from refrelax.running.run import run
from refrelax.semantics.numbers.bounds import EXTREME_IDENTITY, REASSOCIATION, ZERO_SIGN
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import from_payloads
from refrelax.shape_solver.pointwise import NotRead, descent, elements, extract, memories, views
from refrelax.shape_solver.pointwise import one_object as objects
from refrelax.shape_solver.pointwise.logic import Given
from refrelax.shape_solver.pointwise.regroup import Regroup
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Load, TensorTerm, Term, Terms
from refrelax.syntax import bits
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int
from refrelax.testing.arguments import symbols_of
from tests.lower.cases import CASES, module_text

from .pair_programs import pair
from .term_values import At, Dangling, Env, Nothing, Undefined, excused, outcome, same, whole

RELAXATIONS = frozenset({REASSOCIATION, EXTREME_IDENTITY, ZERO_SIGN})
EXTENTS = (0, 1, 2, 3, 5, 9)
WIDER = (0, 1, 2, 3, 5, 9, 70)
MOST_HEARD = 60
"""Of each kind, in one comparison; more are drawn from."""
MOST_POINTS = 4096
TRIES = 12

FLOATS = {
    "integer": (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0),
    "zeros": (0.0, -0.0),
    "minus": (-0.0,),
    "least": (float("-inf"),),
    "special": (0.0, -0.0, 1.0, -2.5, float("inf"), float("-inf"), float("nan"), 3e38, 1e-45, 16777217.0),
}
INTEGERS = (0, 1, 2, 3, 5, 7, -1, 123456, 123456, 1 << 30, -(1 << 31))


class Broken(AssertionError):
    """A law does not hold."""


@dataclass(frozen=True, slots=True)
class Read:
    """One program as it was read: what it rests on, the tensors of its parameters before and after."""

    program: Any
    inputs: tuple[TensorTerm, ...]
    results: tuple[TensorTerm, ...]


@dataclass(slots=True)
class Heard:
    """What one comparison did. ``steps``: (what, before, after, given, whether it was the second program's, table);
    ``terms``: the table of the programs that were read. Statements in step have a table of their own, in which the same
    names stand for other elements."""

    rng: random.Random
    programs: list[Read] = field(default_factory=list)
    steps: list[tuple[str, Term, Term, Given, bool, Terms]] = field(default_factory=list)
    equal: list[tuple[Term, Term, Given, frozenset[str], Terms]] = field(default_factory=list)
    terms: Terms | None = None
    runs: dict[int, Any] = field(default_factory=dict)
    mentioned: dict[tuple[int, int], tuple[Term, frozenset[str]]] = field(default_factory=dict)
    """What was asked of indices and terms at one point and is the same at the next: of ``At``."""

    def keep(self, where: list[Any], what: Any) -> None:
        """One more, in the place of a random other where there are many."""
        if len(where) < MOST_HEARD:
            where.append(what)
        elif self.rng.random() < 0.5:
            where[self.rng.randrange(MOST_HEARD)] = what


@contextmanager
def heard(h: Heard) -> Iterator[None]:
    """Hear what is read, simplified and called equal."""
    entry, equal, head, settle = (
        graph_terms.Program.entry, descent.Descent.equal, descent.Descent._head, Regroup.collapsed
    )  # fmt: skip
    simplified, apply, choose = descent.simplified, elements.apply, Terms.choose
    one_object = memories.one_object

    @wraps(entry)
    def entered(self: Any, name: str, inputs: Any, symbols: Any) -> Any:
        h.terms = self.terms
        found = entry(self, name, inputs, symbols)
        h.programs.append(Read(self, inputs, found))
        return found

    @wraps(equal)
    def compared(self: Any, a: Term, b: Term, given: Given, whole: bool = True) -> bool:
        outer, self.needs = self.needs, set()
        found = equal(self, a, b, given, whole)
        needed, self.needs = self.needs - {descent.OTHER_ORDER}, outer | self.needs
        if found and a is not b:
            h.keep(h.equal, (a, b, given, frozenset(needed), self.terms))
        return found

    @wraps(head)
    def brought(self: Any, t: Term, given: Given, checked: bool) -> Term:
        new = head(self, t, given, checked)
        if new is not t:
            h.keep(h.steps, ("head", t, new, given, checked, self.terms))
        return new

    @wraps(settle)
    def collapsed(self: Any, t: Fold, checked: bool) -> Term:
        new = settle(self, t, checked)
        if new is not t:
            h.keep(h.steps, ("collapsed", t, new, self.given, checked, self.descent.terms))
        return new

    @wraps(simplified)
    def shorter(e: PrimExpr, given: Given, logic: Any) -> PrimExpr:
        new = simplified(e, given, logic)
        if new is not e:
            table = logic.sizes.dtype_of.__self__
            h.keep(h.steps, ("simplified", table.integer(e), table.integer(new), given, False, table))
        return new

    @wraps(apply)
    def applied(terms: Terms, op: str, dtype: str, args: tuple[Term, ...], attrs: Any = ()) -> Term:
        new = apply(terms, op, dtype, args, attrs)
        plain = terms.apply(op, dtype, args, attrs)
        if new is not plain:
            h.keep(h.steps, ("apply", plain, new, (), True, terms))
        return new

    @wraps(choose)
    def chosen(self: Terms, condition: Term, yes: Term, no: Term) -> Term:
        new = choose(self, condition, yes, no)
        if not isinstance(new, Choose):
            h.keep(h.steps, ("choose", Choose(condition, yes, no), new, (), True, self))
        return new

    @wraps(one_object)
    def known(terms: Terms, logic: Any, new: TensorTerm) -> TensorTerm:
        """Of two that are one object each other time the second is kept: it has to be proved equal then."""
        found = one_object(terms, logic, new)
        if found is new or new.body is None:
            return found
        inside = tuple(c for v, d in zip(new.vars, new.shape, strict=True) for c in logic.domain(v, d))
        h.keep(h.steps, ("one object", new.body, terms.at(found, new.vars), inside, True, terms))
        return found if h.rng.random() < 0.5 else new

    with ExitStack() as stack:
        for where, name, what in (
            (graph_terms.Program, "entry", entered), (descent.Descent, "equal", compared),
            (descent.Descent, "_head", brought), (Regroup, "collapsed", collapsed), (descent, "simplified", shorter),
            (objects, "simplified", shorter), (memories, "one_object", known), (views, "one_object", known),
            (contents, "one_object", known),
            (elements, "apply", applied), (descent, "apply", applied), (Terms, "choose", chosen),
            (pointwise, "same_runs", lambda *_: False),  # a program beside itself is read all the same
            (kernel_calls, "repeatable", lambda *_: False),  # what cannot be read has no value to look at
            (kernel_calls.Calls, "find", lambda *_: None),
        ):  # fmt: skip
            stack.enter_context(patch.object(where, name, what))
        yield


# --- one pair ---------------------------------------------------------------------------------------------------------


def laws(seed: int, texts: tuple[str, str] | None = None) -> Counter[str]:
    """What was looked at in one pair of programs.

    Raises:
        Broken: a law does not hold.
    """
    rng, counts = random.Random(seed), Counter[str]()
    texts = texts or pair(seed, straight=bool(seed % 2))
    try:
        both = [rr.check(rr.parse(text)) for text in texts]
    except rr.Rejection:
        counts["refused"] += 1
        return counts
    relax = RELAXATIONS if rng.random() < 0.25 else frozenset()
    h = Heard(rng)
    with heard(h):
        found = pointwise.attempt(*both, "main", pointwise.Options(relax=relax, effort="quick"))
    counts["proved"] += isinstance(found, Proved)
    counts["read"] += len(h.programs)
    if not h.programs:
        return counts
    try:
        for n in (rng.choice(EXTENTS[:2]), *rng.sample(EXTENTS[2:], 2)):
            _at(n, rng, h, both, found if isinstance(found, Proved) else None, counts)
    except (Broken, Dangling) as problem:
        raise Broken(f"seed {seed}: {problem}\n{texts[0]}\n{texts[1]}") from None
    return counts


def _at(
    n: int, rng: random.Random, h: Heard, both: list[CheckedModule], proved: Proved | None, counts: Counter[str]
) -> None:
    kind = rng.choice(tuple(FLOATS))
    function = both[0].module.functions["main"]
    assert isinstance(function, PrimFunc)
    buffers = [p.buffer for p in function.params if isinstance(p, BufferParam)]
    sizes = [n if isinstance(b.shape[0], SymVar) else as_int(b.shape[0]) or 0 for b in buffers]
    arguments = [_tensor(b.dtype, size, kind, rng) for b, size in zip(buffers, sizes, strict=True)]
    outcomes = [run(each, "main", *map(_copy, arguments)) for each in both[: len(h.programs)]]
    _judged(h, arguments, outcomes, kind, counts)
    if proved is not None and not proved.relaxations:
        ordered = any(x.body is not None and _ordered(x.body, kind) for read in h.programs for x in read.results)
        _refined(outcomes, not ordered)


def _judged(h: Heard, arguments: Sequence[rr.Tensor], outcomes: Sequence[Any], kind: str, counts: Counter[str]) -> None:
    """The laws at one point. ``outcomes``: of the programs that were read, as they run there."""
    assert h.terms is not None
    inputs = h.programs[0].inputs
    env = {
        d.name: extent
        for x, given in zip(inputs, arguments, strict=True)
        for d, extent in zip(x.shape, given.shape, strict=True)
        if isinstance(d, SymVar)
    }
    tables: dict[int, At] = {}

    def by(terms: Terms) -> At:
        """Where terms of this table are evaluated."""
        named = {x.name: id(x) for x in inputs}
        return tables.get(id(terms)) or tables.setdefault(
            id(terms), At(terms, _cells(inputs, arguments), frozenset(env), named, h.runs, h.mentioned)
        )

    at, rests = by(h.terms), True
    for read, found in zip(h.programs, outcomes, strict=True):
        rests = False
        try:
            rests = _extraction(at, env, read.program, read.results, found)
            counts["extracted"] += rests
        except Wide:
            counts["wide"] += 1
    for what, before, after, given, second, terms in h.steps:
        counts["simplified"] += _kept(by(terms), env, what, before, after, given, second, h.rng)
    for a, b, given, relaxed, terms in h.equal:
        counts["equal"] += _equal(by(terms), env, a, b, given, relaxed, kind, h.rng, rests)


# --- one operator -----------------------------------------------------------------------------------------------------


def operator_laws(seed: int, only: str = "") -> Counter[str]:
    """The laws for a call of one operator: its element terms, read from its loops, are its elements.

    Raises:
        Broken: a law does not hold.
    """
    rng, counts = random.Random(seed), Counter[str]()
    op, params, call = rng.choice([each for each in CASES if only in each[0]])
    checked = rr.check(rr.parse(module_text(params, call)))
    h = Heard(rng)
    with heard(h):
        pointwise.attempt(checked, checked, "main", pointwise.Options(effort="quick"))
    dims = {name: rng.choice(WIDER) for name in symbols_of(checked.module, "main")}
    kind = rng.choice(KINDS)
    given = [_poisoned(x, rng) for x in made(checked.module, "main", seed, dims, kind, literals([checked.module]))]
    found = run(checked, "main", *given)
    if not isinstance(found, Returned):
        return counts
    try:
        _as_loops(checked, given, found)
        tensors = _results(tuple(given))
        if h.programs and len(inputs := _results(h.programs[0].inputs)) == len(tensors):
            counts["read"] += 1
            h.programs[:] = [replace(h.programs[0], inputs=inputs)]
            _judged(h, tensors, [found], "special", counts)
    except (Broken, Dangling) as problem:
        raise Broken(f"seed {seed}, {op}: {call} of {params} at {dims}, {kind}: {problem}") from None
    return counts


def _as_loops(checked: CheckedModule, given: Sequence[rr.Tensor], found: Returned) -> None:
    """The loops of an operator run as it does, also where terms cannot say them."""
    try:
        (module,), _ = legalized(checked)
    except NotRead:
        return
    loops = run(rr.check(module), "main", *given)
    if not isinstance(loops, Returned):
        raise Broken(f"extraction: the operator returns, and its loops ended {loops}")
    for x, y in zip(_results(found.value), _results(loops.value), strict=True):
        for p, q in zip(x.core.payloads(), y.core.payloads(), strict=True):
            if not isinstance(p, Poison) and not same(x.dtype, p, q):
                raise Broken(f"extraction: {p} by the operator, {q} by its loops")


def _results(value: Any) -> tuple[Any, ...]:
    """The tensors of a result or of arguments, those of tuples within tuples too, from left to right."""
    return tuple(x for each in value for x in _results(each)) if isinstance(value, tuple) else (value,)


def _poisoned(x: Any, rng: random.Random) -> Any:
    """Sometimes, one element is poison."""
    if isinstance(x, tuple):
        return tuple(_poisoned(each, rng) for each in x)
    if not x.size or rng.random() < 0.7:
        return x
    numerics, hole = ieee(), rng.randrange(x.size)
    payloads = [numerics.at(x.dtype).from_bits(p) for p in x.patterns()]
    payloads[hole] = poison("st/never-written")
    return rr.Tensor(from_payloads(numerics, x.dtype, x.shape, payloads))


def _tensor(dtype: str, n: int, kind: str, rng: random.Random) -> rr.Tensor:
    values = FLOATS[kind] if dtype == "float32" else INTEGERS
    encoded = [bits.encode(dtype, rng.choice(values)) for _ in range(n)]
    return rr.Tensor.of_bytes(dtype, (n,), pack(dtype, encoded))


def _copy(x: rr.Tensor) -> rr.Tensor:
    return rr.Tensor.of_bytes(x.dtype, x.shape, x.tobytes())


def _cells(inputs: Sequence[TensorTerm], arguments: Sequence[rr.Tensor]) -> dict[int, Any]:
    return {id(t): (a.shape, list(a.core.payloads())) for t, a in zip(inputs, arguments, strict=True)}


def _extraction(at: At, env: dict[str, int], program: Any, results: Sequence[TensorTerm], run_: Any) -> bool:
    """Where what a reading rests on holds, the run returns what the terms say. Of an operator, what it leaves open may
    be anything, but it is an element."""
    operator = not isinstance(program.module.functions["main"], PrimFunc)
    for each in program.obligations:
        if not _discharged(at, env, each):
            return False
    if not isinstance(run_, Returned):
        raise Broken(f"extraction: nothing speaks against a run, and it ended {run_}")
    values = _results(run_.value) if operator else run_.arguments
    for k, (tensor, found) in enumerate(zip(_results(results), values, strict=True)):
        try:
            wanted = whole(at, tensor, env)
        except Dangling as name:
            raise Broken(f"extraction: argument {k} mentions {name}") from None
        for i, (x, y) in enumerate(zip(wanted, found.core.payloads(), strict=True)):
            if x is None or not (same(tensor.dtype, x, y) or (operator and isinstance(y, Poison))):
                raise Broken(f"extraction: element {i} of argument {k} is {y}, by its term {x}, at {env}")
    return True


def _discharged(at: At, env: dict[str, int], each: extract.Obligation) -> bool:
    """Whether it holds at every point of the loops around it."""
    exprs = [at.terms.integer(e) for e in (each.statement, *each.given)] + ([each.term] if each.term else [])
    for point in _points(at, env, exprs, each.given):
        if each.term is not None:
            found = outcome(at, each.term, point)
            if found is None or isinstance(found, Poison):
                return False
        try:
            if not at.index(each.statement, point):
                return False
        except (Undefined, Ended):
            return False
    return True


def _points(at: At, env: dict[str, int], parts: Sequence[Term], given: Given) -> Iterator[Env]:
    """All points at which the assumptions hold. Each is looked at as soon as what it speaks of is known."""
    names = sorted(set().union(*map(at.names, parts)) - env.keys())
    top = max([8, *env.values()])
    if (top + 1) ** len(names) > MOST_POINTS:
        raise Wide
    ready: list[list[PrimExpr]] = [[] for _ in range(len(names) + 1)]
    for e in given:
        ready[max((names.index(x) + 1 for x in at.names(at.terms.integer(e)) if x in names), default=0)].append(e)

    def below(point: dict[str, int], k: int) -> Iterator[Env]:
        here = Env(at, point)
        if not _holds(at, here, ready[k]):
            return
        if k == len(names):
            yield here
            return
        for value in range(top + 1):
            yield from below(point | {names[k]: value}, k + 1)

    yield from below(env, 0)


class Wide(Exception):
    """More variables than are tried in full."""


def _holds(at: At, point: Env, given: Sequence[PrimExpr]) -> bool:
    try:
        return all(at.index(e, point) for e in given)
    except (Undefined, Ended):
        return False


def _drawn(at: At, env: dict[str, int], parts: Sequence[Term], given: Given, rng: random.Random) -> Iterator[Env]:
    """Some points at which the assumptions hold."""
    every = [*parts, *(at.terms.integer(e) for e in given)]
    names = sorted(set().union(*map(at.names, every)) - env.keys())
    top = max([1, *env.values()]) if env else 8
    for _ in range(TRIES if names else 1):
        point = Env(at, env | {name: rng.randint(0, top) for name in names})
        if _holds(at, point, given):
            yield point


def _kept(
    at: At, env: dict[str, int], what: str, before: Term, after: Term, given: Given, second: bool, rng: random.Random
) -> int:
    count = 0
    try:
        for point in _drawn(at, env, (before, after), given, rng):
            x, y = outcome(at, before, point), outcome(at, after, point)
            none, less = x is None or isinstance(x, Poison), y is None or isinstance(y, Poison)
            if not none and (less or not same(before.dtype, x, y)):
                raise Broken(f"simplification ({what}): {x} became {y} at {point}: {before} -> {after}")
            if second and isinstance(x, Poison) and not less:
                raise Broken(f"simplification ({what}): poison became {y} at {point}: {before} -> {after}")
            count += 1
    except Dangling:  # (the value before a store: extraction shows what became of it)
        return 0
    return count


def _equal(
    at: At, env: dict[str, int], a: Term, b: Term, given: Given, relaxed: frozenset[str], kind: str,
    rng: random.Random, rests: bool,
) -> int:  # fmt: skip
    """Reductions in any order are compared where that changes nothing; relaxations, where what they name is not met.
    ``rests``: whether what the second program's reading rests on holds here."""
    if kind != "integer" and (relaxed or _ordered(a, kind) or _ordered(b, kind)):
        return 0
    count = 0
    for point in _drawn(at, env, (a, b), given, rng):
        try:
            x, y = outcome(at, a, point), outcome(at, b, point)
        except Dangling as name:
            raise Broken(f"called equal: {name}: {a} | {b}") from None
        if x is None or isinstance(x, Poison):
            continue
        if isinstance(x, Nothing) or isinstance(y, Nothing):
            continue  # (a point that does not count against a neutral number)
        if y is None and (not rests or excused(at, b, point)):
            continue
        if y is None or not (same(a.dtype, x, y) or (relaxed and _plain(x) == _plain(y))):
            raise Broken(f"called equal: {x} and {y} at {point}, relaxed {sorted(relaxed)}: {a} | {b}")
        count += 1
    return count


def _plain(x: Any) -> Any:
    return getattr(x, "number", x)


def _ordered(t: Term, kind: str) -> bool:
    """Whether a reduction that may be done in any order gives, on such numbers, another result in another order."""
    pending: list[Any] = [t]
    seen: set[int] = set()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case Fold(op="Max" | "Min", free=True) if kind in ("special", "zeros"):
                return True
            case Fold(free=True) if kind == "special":
                return True
            case Fold():
                pending += [each.start, each.body]
            case Load(tensor):
                pending += [tensor.body] if tensor.body is not None else []
            case Choose():
                pending += [each.condition, each.yes, each.no]
            case Apply():
                pending += each.args
            case _:
                pass
    return False


def _refined(outcomes: Sequence[Any], exact: bool) -> None:
    """What is proved of the whole: where the first returns, the second does, with what the first determines."""
    first, second = outcomes
    if not isinstance(first, Returned):
        return
    if not isinstance(second, Returned):
        raise Broken(f"called equal: the first returned, the second ended {second}")
    for k, (x, y) in enumerate(zip(first.arguments, second.arguments, strict=True)):
        for p, q in zip(x.core.payloads(), y.core.payloads(), strict=True):
            if not isinstance(p, Poison) and exact and not same(x.dtype, p, q):
                raise Broken(f"called equal: {p} and {q} in argument {k}")
