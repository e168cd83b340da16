"""The questions that a comparison asks of the solver: one place that filters assumptions, keeps answers and claims.

Spec: ``spec/06c-pointwise.md``, ``sh/element-term``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.shape_solver.claim import Answer, Effort, Proved, Refuted, Unknown
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.door import NoQuestion
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.linked import Linked
from refrelax.shape_solver.prover import Prover
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, BinaryOp, Cast, PrimExpr, SymVar, as_int, free_symbols, int_imm, walk

Given = tuple[PrimExpr, ...]

HARD = frozenset({
    "index", "every element is written", "store in bounds", "load in bounds", "a tensor lies in its storage",
    "tensors of one storage share no byte",
})  # fmt: skip
"""Purposes for which a question that stays open is asked again with more effort, at most ``MOST_HARD`` times."""

MOST_HARD = 10

NUMBERS = ("int32", "int64")

TURNED: dict[BinaryOp, BinaryOp] = {"LE": "GE", "LT": "GT", "GE": "LE", "GT": "LT"}

STEPS: dict[Effort, int] = {"quick": 4_000, "normal": 12_000, "thorough": 100_000}
"""What one comparison may take: a step of descent counts 1, a question to the solver ``QUESTION``."""

QUESTION = 3

SMALL = (12, 600)
"""Extents among which a shape is looked for at which a claim fails."""


class Spent(Exception):
    """The budget of one comparison has run out: no proof, whatever was being compared."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that was proved, and what it was proved under. ``purpose``: what it is for."""

    purpose: str
    statement: PrimExpr
    given: Given

    def __str__(self) -> str:
        from refrelax.syntax.write.scalars import expression

        under = f"  given {', '.join(map(expression, self.given))}" if self.given else ""
        return f"{self.purpose}: {expression(self.statement)}{under}"


@dataclass(slots=True)
class Logic:
    """Claims over symbolic integers, with their proofs. ``base``: what is known everywhere (no extent is negative)."""

    sizes: Sizes
    base: list[PrimExpr] = field(default_factory=list)
    claims: dict[tuple[PrimExpr, Given], Claim] = field(default_factory=dict)
    hard: int = 0
    left: int = STEPS["normal"]
    deadline: float | None = None
    """On ``perf_counter``."""
    shapes: dict[tuple[tuple[str, int], ...], None] = field(default_factory=dict)
    """Where claims failed, by shape symbols."""
    shorter: dict[tuple[PrimExpr, int], PrimExpr] = field(default_factory=dict)
    """Of ``simplify``: parts of indices, by what is known."""
    _linked: Linked = field(default_factory=Linked)
    _interned: dict[Given, Given] = field(default_factory=dict)
    _symbols: dict[int, tuple[PrimExpr, frozenset[str]]] = field(default_factory=dict)
    _provers: dict[tuple[Effort, Given], Prover] = field(default_factory=dict)
    _answers: dict[tuple[PrimExpr, Given], bool] = field(default_factory=dict)
    _same: dict[tuple[PrimExpr, Given, bool], Answer] = field(default_factory=dict)
    """By numbered symbols, and whether it was asked with more effort."""

    def assume(self, *facts: PrimExpr) -> None:
        """More that is known everywhere."""
        turned = [symbol_first(each) for each in facts]
        self.base += [each for each in dict.fromkeys(turned) if each not in self.base]
        self.sizes.suppose(turned)
        for each in turned:
            if isinstance(each, Binary) and each.op == "GE" and isinstance(each.a, SymVar) and as_int(each.b) == 0:
                self.sizes.extents.add(each.a.name)

    def fits(self, e: PrimExpr, dtype: str, given: Iterable[PrimExpr]) -> bool:
        """Whether an exact integer is seen to be in the range of a dtype by the sizes of buffers and domains alone."""
        return self.sizes.fits(e, dtype, [*self.base, *given])

    def natural(self, e: PrimExpr, given: Iterable[PrimExpr]) -> bool:
        """Whether an exact integer is seen not to be negative, by domains alone."""
        known = as_int(e)
        return known >= 0 if known is not None else self.sizes.natural(e, [*self.base, *given])

    def holds(self, claim: PrimExpr, given: Iterable[PrimExpr] = (), purpose: str = "index") -> bool:
        """Whether the claim is proved under ``given``: that it is defined there (no division by zero), and true."""
        if (known := as_int(claim)) is not None:
            return bool(known)
        if isinstance(claim, Binary) and claim.op == "And":
            given = tuple(given)
            return self.holds(claim.a, given, purpose) and self.holds(claim.b, assumed(given, claim.a), purpose)
        if isinstance(claim, Binary) and claim.op == "Or":
            given = tuple(given)
            fails = assumed(given, negation(claim.a))
            if self.holds(claim.a, given, purpose):
                return True
            has_value = all(self.holds(each, given, purpose) for each in conditions(claim.a))
            return has_value and self.holds(claim.b, fails, purpose)
        given = self.relevant(claim, given)
        if claim in given:
            return True
        key = (claim, given)
        if key not in self._answers:
            self._answers[key] = self._asked(claim, given, purpose)
        if self._answers[key]:
            self.claims.setdefault(key, Claim(purpose, claim, given))
        return self._answers[key]

    def _asked(self, claim: PrimExpr, given: Given, purpose: str) -> bool:
        """As the same question by other names was answered, or as the solver answers: a loop that is read once more has
        symbols of its own."""
        (claim, *rest), names = by_number((claim, *given))
        key, given = (claim, tuple(rest), purpose in HARD), tuple(rest)
        answer = self._same.get(key)
        if answer is None:
            self.spend(QUESTION)
            answer = _taken(lambda: self._prover(given, "quick").prove(claim))
            if isinstance(answer, Unknown) and purpose in HARD and self.hard < MOST_HARD:
                self.hard += 1
                answer = _taken(lambda: self._prover(given, "normal").prove(claim))
            self._same[key] = answer
        if isinstance(answer, Refuted):
            self._note({names.get(name, name): k for name, k in answer.model.items()})
        return isinstance(answer, Proved)

    @rule("sh/index-fits")
    def holds_of_numbers(self, claim: PrimExpr, given: Given, purpose: str) -> bool:
        """As ``holds``, where every symbol is known to be a number of its dtype."""
        known = self.relevant(claim, given)
        symbols = (v for e in (claim, *known) for v in walk(e) if isinstance(v, SymVar))
        return self.holds(claim, (*given, *ranges_of(symbols)), purpose)

    def words_hold(self, claim: PrimExpr, given: Given) -> bool:
        """Whether a claim about machine words is proved: arithmetic wraps in its dtype."""
        if (known := as_int(claim)) is not None:
            return bool(known)
        key = (claim, given)
        if key not in self._answers:
            self.spend(QUESTION)
            answer = _taken(lambda: Prover(given, "quick", division="require", arithmetic="wrap").prove(claim))
            self._answers[key] = isinstance(answer, Proved)
        if self._answers[key]:
            self.claims.setdefault(key, Claim("elements as words", claim, given))
        return self._answers[key]

    def look_for(self, claim: PrimExpr, given: Given) -> None:
        """Small shapes at which a claim fails that was not proved, if there are any: where to run both programs."""
        names = sorted(self.sizes.extents & {n for e in (claim, *given) for n in free_symbols(e)})
        for most in SMALL:
            small = [Binary("LE", SymVar(name), int_imm(most)) for name in names]
            known = (*self.base, *given, *small)
            answer = _taken(lambda: Prover(known, "normal", division="require").prove(claim))  # noqa: B023
            if isinstance(answer, Refuted):
                self._note(answer.model)
                return

    def spend(self, steps: int = 1) -> None:
        """Count steps.

        Raises:
            Spent: none are left, or the time is over.
        """
        self.left -= steps
        if self.left < 0:
            raise Spent("the steps of the proof are spent (--effort gives more)")
        if self.deadline is not None and perf_counter() > self.deadline:
            raise Spent("the time of the proof is over (--timeout gives more)")

    def _note(self, model: Mapping[str, int]) -> None:
        """Values of the shape symbols where a claim fails: there the programs may differ."""
        known = {e.a.name for e in self.base if isinstance(e, Binary) and isinstance(e.a, SymVar)}
        shape = tuple(sorted((name, k) for name, k in model.items() if name in known))
        if shape:
            self.shapes[shape] = None

    def interned(self, given: Given) -> Given:
        """The one object for these assumptions, so that memos can go by identity."""
        return self._interned.setdefault(given, given)

    def symbols(self, e: PrimExpr) -> frozenset[str]:
        """The free symbols of an expression, remembered."""
        found = self._symbols.get(id(e))
        if found is None:
            found = self._symbols[id(e)] = (e, free_symbols(e))
        return found[1]

    def relevant(self, claim: PrimExpr, given: Iterable[PrimExpr]) -> Given:
        """The assumptions, of those that always hold and of ``given``, that share symbols with the claim, directly or
        through each other."""
        for fact in self.base[len(self._linked.facts) :]:
            self._linked.add(fact, self.symbols(fact))
        found = self._linked.with_symbols(self.symbols(claim), [(each, self.symbols(each)) for each in given])
        return tuple(dict.fromkeys(found))

    def open_part(self, condition: PrimExpr, given: Given, purpose: str) -> PrimExpr | bool:
        """What is left of a condition when what is decided is taken out; its truth if nothing is left."""
        match condition:
            case Binary("And" | "Or" as op, x, y):
                decides = op == "Or"
                a = self.open_part(x, given, purpose)
                if isinstance(a, bool):
                    return a if a is decides else self.open_part(y, given, purpose)
                b = self.open_part(y, given, purpose)
                if isinstance(b, bool):
                    return b if b is decides else a
                return condition if a is x and b is y else Binary(op, a, b)
            case _ if self.holds(condition, given, purpose):
                return True
            case _ if self.holds(negation(condition), given, purpose):
                return False
            case _:
                return condition

    def domain(self, v: PrimExpr, extent: PrimExpr) -> Given:
        """``0 <= v < extent``; where the extent is a product, its factors (never negative) are then positive."""
        found = [*within(v, extent)]
        pending = [extent]
        while pending:
            e = pending.pop()
            zero = int_imm(0, e.dtype)
            if isinstance(e, Binary) and e.op == "Mul":
                pending += [e.a, e.b]
            elif e is not extent and isinstance(e, SymVar) and compare("GE", e, zero) in self.base:
                found.append(compare("GT", e, zero))
        if len(found) > 2 and not all(_factor(e, self.base) for e in _factors(extent)):
            return within(v, extent)
        return tuple(found)

    def _prover(self, given: Given, effort: Effort) -> Prover:
        key = (effort, given)
        if key not in self._provers:
            self._provers[key] = Prover(given, effort, division="require", arithmetic="no-overflow")
        return self._provers[key]

    def absurd(self, given: Given) -> bool:
        """Whether no point satisfies the assumptions."""
        if not given:
            return False
        last = given[-1]
        return self.holds(negation(last), given[:-1], "case") if free_symbols(last) else as_int(last) == 0

    def nowhere(self, given: Given) -> bool:
        """Whether nothing is asked: some assumption is false as it stands."""
        return any(as_int(each) == 0 for each in given)

    def equal(self, a: PrimExpr, b: PrimExpr, given: Iterable[PrimExpr] = (), purpose: str = "index") -> bool:
        """Whether two integers are equal."""
        if a == b:
            return True
        if equal(a, b, NO_FACTS) is True:
            return True
        if as_int(a) is not None and as_int(b) is not None:
            return as_int(a) == as_int(b)
        return self.holds(compare("EQ", a, b), given, purpose)


def by_number(exprs: Sequence[PrimExpr]) -> tuple[tuple[PrimExpr, ...], dict[str, str]]:
    """The expressions with their free symbols numbered in the order in which they stand; and what each number was.

    Questions under the same assumptions share a prover, to which a symbol is one thing: truths have names of their own.
    """
    numbered: dict[str, PrimExpr] = {}
    for each in exprs:
        free = free_symbols(each)
        for node in walk(each):
            if isinstance(node, SymVar) and node.name in free:
                kind = "b" if node.dtype == "bool" else "s"
                known = numbered.setdefault(node.name, SymVar(f"{kind}{len(numbered)}", node.dtype))
                if known.dtype != node.dtype:
                    return tuple(exprs), {}
    names = {number.name: name for name, number in numbered.items() if isinstance(number, SymVar)}
    return tuple(substitute(each, numbered) for each in exprs), names


def _taken(ask: Callable[[], Answer]) -> Answer:
    """An answer; of what is no question to the solver, that there is none: programs compute with truths, which it does
    not."""
    try:
        return ask()
    except NoQuestion as error:
        return Unknown(str(error), "door")


def ranges_of(symbols: Iterable[SymVar]) -> Given:
    """That symbols are numbers of their dtypes, of those in ``NUMBERS``."""
    found: list[PrimExpr] = []
    for _, v in sorted({v.name: v for v in symbols if v.dtype in NUMBERS}.items()):
        low, high = integer_range(v.dtype)
        found += [Binary("GE", v, int_imm(low, v.dtype)), Binary("LE", v, int_imm(high, v.dtype))]
    return tuple(found)


def compare(op: BinaryOp, a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """A comparison of exact integers; literals take the dtype of the other side, or that the literal's if it does not
    hold them."""
    if a.dtype != b.dtype:
        if (known := as_int(b)) is not None:
            a, b = (a, int_imm(known, a.dtype)) if is_in(known, a.dtype) else (Cast(b.dtype, a), b)
        elif (known := as_int(a)) is not None:
            a, b = (int_imm(known, b.dtype), b) if is_in(known, b.dtype) else (a, Cast(a.dtype, b))
    return Binary(op, a, b)


def is_in(number: int, dtype: str) -> bool:
    """Whether an integer dtype holds a number."""
    low, high = integer_range(dtype)
    return low <= number <= high


def symbol_first(fact: PrimExpr) -> PrimExpr:
    """An order with the symbol on its left: ``n >= 0`` for ``0 <= n``."""
    if isinstance(fact, Binary) and fact.op in TURNED and isinstance(fact.b, SymVar) and not isinstance(fact.a, SymVar):
        return Binary(TURNED[fact.op], fact.b, fact.a)
    return fact


def within(e: PrimExpr, extent: PrimExpr) -> Given:
    """``0 <= e``, ``e < extent``."""
    return (compare("GE", e, int_imm(0, e.dtype)), compare("LT", e, extent))


def _factors(e: PrimExpr) -> list[PrimExpr]:
    return [*_factors(e.a), *_factors(e.b)] if isinstance(e, Binary) and e.op == "Mul" else [e]


def _factor(e: PrimExpr, base: list[PrimExpr]) -> bool:
    """Whether a factor is never negative."""
    known = as_int(e)
    return known >= 0 if known is not None else compare("GE", e, int_imm(0, e.dtype)) in base


def all_of(parts: Iterable[PrimExpr]) -> PrimExpr | None:
    """Their conjunction; ``None`` for nothing."""
    whole: PrimExpr | None = None
    for each in parts:
        whole = each if whole is None else Binary("And", whole, each)
    return whole


def assumed(given: Given, condition: PrimExpr) -> Given:
    """``given`` and the parts of ``condition``."""
    return (*given, *(each for each in conjuncts(condition) if each not in given))


def symbols_nonnegative(exprs: Iterable[PrimExpr]) -> Given:
    """``s >= 0`` for each plain symbol among extents."""
    return tuple(dict.fromkeys(compare("GE", e, int_imm(0, e.dtype)) for e in exprs if isinstance(e, SymVar)))
