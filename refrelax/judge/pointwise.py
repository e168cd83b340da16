"""Proof of equality for all shapes and values: two programs as element terms, compared by congruence.

Calls of graph functions are put in place and operators legalized first; a graph of ``call_tir`` then composes the terms
of its loop programs. The entry's signatures must be the same up to the names of symbols. Whatever the terms cannot say
(effects, branches, library functions without a contract, checks at run time) means: no proof.

Spec: ``spec/06c-pointwise.md``, Pointwise equality.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

from refrelax.judge import recorded
from refrelax.judge.erased import spelled_out
from refrelax.judge.events import Events, same_value
from refrelax.judge.evidence import Proved
from refrelax.judge.graph_terms import Program
from refrelax.judge.graph_values import Value, as_number
from refrelax.judge.inlined import inlined
from refrelax.judge.legalized import legalized
from refrelax.judge.lockstep import Lockstep
from refrelax.judge.one_name import with_one_name
from refrelax.judge.openings import openings
from refrelax.judge.same_calls import Calls
from refrelax.judge.same_programs import same_callees, same_runs
from refrelax.judge.signatures import Parameters, binds_no_more, known_of_both
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.ops.meaning.openings import renamed
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import definable
from refrelax.shape_solver.claim import Effort
from refrelax.shape_solver.context import conjuncts
from refrelax.shape_solver.pointwise import Claim, Definedness, Descent, Logic, NotRead, TensorTerm, Terms
from refrelax.shape_solver.pointwise.elements import ELEMENT_FITS, FITS, ideal
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import STEPS, Spent, compare
from refrelax.shape_solver.pointwise.readings import Readings
from refrelax.shape_solver.pointwise.recording import Recorder, Result
from refrelax.shape_solver.pointwise.recording_tables import NoRecord
from refrelax.shape_solver.pointwise.show import Words
from refrelax.shape_solver.pointwise.state import ASSUMED
from refrelax.syntax import graph
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, bool_imm, free_symbols, int_imm, walk
from refrelax.syntax.write.scalars import expression

MOST_EXTENT = 2048
MOST_SHAPES = 6
"""Which shapes are looked at again, and how many."""

HYPOTHESES = (
    "extents are not negative",
    "sizes of buffers fit int64 (an empty extent counted as one)",
    "the first program's index arithmetic is defined",
)
"""What every proof assumes."""

SAME = "the programs are the same up to names"
UNREAD = "library functions depend on what they are given and what was called before"
KEEPS_NOTHING = "library functions in destination form keep nothing that they are given"
NO_ALIASES = "the buffers of the entry do not overlap"
IN_STEP = "statements in step"
OF_DTYPES = (FITS, ELEMENT_FITS)
"""Purposes of claims that need to know that symbols are numbers of their dtype."""

RECORD_STEPS = 200_000
"""What writing a descent down may take, as of ``STEPS``."""

PROCEDURES = ("congruence descent", "the shape solver")


@dataclass(frozen=True, slots=True)
class Options:
    """How a proof is searched for. ``relax``: named relaxations that are on; ``assume``: claims about the symbols of
    the first program's entry; ``deadline``: on ``perf_counter``;
    ``record``: whether the descent is written down."""

    relax: frozenset[str] = frozenset()
    assume: tuple[PrimExpr, ...] = ()
    effort: Effort = "normal"
    deadline: float | None = None
    record: bool = False


PLAIN = Options()


def search(
    first: CheckedModule, second: CheckedModule, entry: str, options: Options = PLAIN
) -> tuple[Proved | str, list[dict[str, int]]]:
    """A proof, or why there is none and shapes at which some step of it fails: where to look for a difference, the
    least usual first."""
    found, comparison = _compared(first, second, entry, options)
    if isinstance(found, Proved):
        return found, []
    shapes = [{name.split("%")[0]: k for name, k in shape} for shape in comparison.logic.shapes]
    small = [shape for shape in shapes if max(shape.values()) <= MOST_EXTENT]
    small.sort(key=lambda shape: -max(shape.values()))
    return found, small[:MOST_SHAPES]


def explain(first: CheckedModule, second: CheckedModule, entry: str = "main", options: Options = PLAIN) -> str:
    """Why no proof is found: what cannot be read, or the elements that are not seen to be equal. Of a proof, its
    claims."""
    found = attempt(first, second, entry, options)
    return "\n".join(map(str, found.claims)) if isinstance(found, Proved) else found


def attempt(first: CheckedModule, second: CheckedModule, entry: str, options: Options = PLAIN) -> Proved | str:
    """A proof, or why there is none."""
    return _compared(first, second, entry, options)[0]


@rule("va/same-call")
def _compared(
    first: CheckedModule, second: CheckedModule, entry: str, options: Options
) -> tuple[Proved | str, _Comparison]:
    """Without reading what both programs call as often, which is most of what a pass leaves as it was; then with it."""
    comparison = _Comparison.of(options)
    found = comparison.attempt(first, second, entry)
    if isinstance(found, Proved) or not comparison.closed:
        return found, comparison
    comparison = replace(_Comparison.of(options), closes=False)
    return comparison.attempt(first, second, entry), comparison


@dataclass(slots=True)
class _Comparison:
    terms: Terms
    logic: Logic
    options: Options
    trusts: dict[str, None] = field(default_factory=dict)
    closes: bool = True
    """Whether loop programs that both programs call as often are left unread."""
    closed: bool = False
    """Whether some were."""

    @staticmethod
    def of(options: Options) -> _Comparison:
        terms = Terms()
        logic = Logic(Sizes(terms.dtype_of), left=STEPS[options.effort], deadline=options.deadline)
        return _Comparison(terms, logic, options)

    def attempt(self, first: CheckedModule, second: CheckedModule, entry: str) -> Proved | str:
        try:
            return self.proof(first, second, entry)
        except NotRead as reason:
            return str(reason)
        except Spent as reason:
            return str(reason)
        except RecursionError:
            return "the programs nest too deeply for a proof"

    @rule("va/pointwise")
    def proof(self, first: CheckedModule, second: CheckedModule, entry: str) -> Proved | str:
        self.trusts = dict.fromkeys(HYPOTHESES)
        recorded.numbers_of_their_own(first.module)
        recorded.numbers_of_their_own(second.module)
        module_a, module_b = first.module, second.module
        one_read, two_read = inlined(first, entry), inlined(second, entry)
        first, second = one_read.program, two_read.program
        self.trusts |= {f"the contract of {name}": None for name in (*one_read.contracts, *two_read.contracts)}
        if two_read.quiet and same_runs(first.module, second.module, entry):
            return Proved(trusts=(*self.trusts, SAME), record=SAME)
        if (found := self.in_step(first.module, second.module, entry)) is not None:
            return found
        both = first.module, second.module, entry, self.options.assume
        known, more = known_of_both(*both), partial(known_of_both, *both, sizes=True)
        (ours, theirs), rests_on = legalized(first, second, entry=entry, assume=known, more=more)
        a = spelled_out(ours.functions.get(entry), {})
        b = spelled_out(theirs.functions.get(entry), theirs.functions if isinstance(a, graph.Function) else {})
        if isinstance(a, PrimFunc):
            self.trusts[NO_ALIASES] = None
        parameters = Parameters(self.terms, self.logic)
        inputs, names_a, names_b = parameters.values(a, b), parameters.ours, parameters.theirs
        self.assume(names_a)
        self.bound(ours.functions[entry], names_a)
        binds_no_more(ours.functions[entry], theirs.functions[entry])
        self.promised(ours.functions[entry], theirs.functions[entry], names_a, names_b)
        calls, descent = Calls(self.logic), Descent(self.terms, self.logic, self.options.relax)
        self.closed = self.closes and calls.close(ours, theirs)
        if self.closed and self.options.deadline is not None:  # the other half is for reading them
            self.logic.deadline = (perf_counter() + self.options.deadline) / 2
        events, readings = Events(), Readings(self.terms, self.logic, calls.outline, calls.equal)
        shared: dict[str, Any] = {"events": events, "readings": readings}
        one = Program(ours, self.terms, self.logic, calls, casts=own_casts(module_a, entry), **shared)
        two = Program(theirs, self.terms, self.logic, calls, descent, casts=own_casts(module_b, entry), **shared)
        self.suppose(first, entry, names_a, untrapped=True)
        x = one.entry(entry, inputs, names_a)  # a check that fails before a call that is open is an outcome
        if not events.made:  # at each of them a run may end, before it comes to what is open
            self.suppose(first, entry, names_a)
        events.sizes.append(self.logic.sizes.known)
        self.logic.sizes.known = dict(events.sizes[0])
        y = two.entry(entry, inputs, names_b)
        self.nothing_opened(second, entry, {**names_b, **two.symbols})
        if isinstance(a, graph.Function) and (one.arguments, two.arguments) != (inputs, inputs):
            self.trusts[NO_ALIASES] = None
            x, y = (x, one.arguments), (y, two.arguments)
        events.over()
        before: set[str] = set()
        if two.facts:  # what rests on no check comes before what all checks have found is known
            unproved = self.undischarged(one, two, descent)
            self.logic.assume(*two.facts)
            before, descent = descent.relaxations, Descent(self.terms, self.logic, self.options.relax)
        if not same_value(descent, x, y):
            return "\n".join([*calls.unread, descent.failure() or "the results have different forms"])
        if not two.facts:
            unproved = self.undischarged(one, two, descent)
        if unproved is not None:
            return unproved
        if library := sorted({str(each.what[1]) for each in events.made if each.what[0] == "a call of"}):
            self.trusts[f"{UNREAD}: {', '.join(library)}"] = None
        reaches = [each.reach for each in events.made]
        if "outputs" in reaches and "all" in reaches[reaches.index("outputs") :]:
            self.trusts[KEEPS_NOTHING] = None
        relaxations = tuple(sorted({*descent.relaxations, *before}))
        trusts = (*self.trusts, *rests_on, *PROCEDURES, *relaxations)
        claims = tuple(self.logic.claims.values())
        return Proved(claims, relaxations, trusts, self.written(descent, (x, y), calls, (one, two), events))

    def in_step(self, first: Module, second: Module, entry: str) -> Proved | None:
        """A proof that two loop programs run in step, if they do."""
        a, b = first.functions.get(entry), second.functions.get(entry)
        if not isinstance(a, PrimFunc) or not isinstance(b, PrimFunc) or not same_callees(first, second, entry):
            return None
        terms = Terms()
        logic = Logic(Sizes(terms.dtype_of), left=STEPS[self.options.effort], deadline=self.options.deadline)
        both = Lockstep(terms, logic)
        try:
            both.proof(*with_one_name(a, b))
        except (NotRead, Spent):
            return None
        calls = (f"{UNREAD}: what the entry calls",) if both.calls else ()
        trusts = (*self.trusts, NO_ALIASES, *calls, IN_STEP)
        return Proved(tuple(logic.claims.values()), (), trusts, IN_STEP)

    def written(
        self,
        descent: Descent,
        values: tuple[Value, Value],
        calls: Calls,
        sides: tuple[Program, Program],
        events: Events,
    ) -> dict[str, Any] | str | None:
        """The descent as a record, if that is asked for, or why there is none."""
        if not self.options.record:
            return None
        (one, two), asked = sides, [Result(*pair) for pair in calls.compared]
        asked += [Result(*pair) for event in events.compared for both in event for pair in pairs(*both)]
        for each in (*two.obligations, *(each for each in one.obligations if each.purpose == ELEMENT_FITS)):
            if each.term is not None and not self.logic.nowhere(each.given):
                truth = self.terms.integer(bool_imm(True)) if each.purpose == ASSUMED else None
                asked.append(Result(truth, each.term, each.given))
        if asked and two.facts:
            return "what was compared before a check had passed"
        asked += [Result(*pair) for pair in pairs(*values)]
        self.logic.deadline, self.logic.left, self.terms.tidy = None, RECORD_STEPS, False
        try:
            return Recorder(descent).document(asked)
        except NoRecord as step:
            return str(step)
        except Spent:
            return "the steps of writing it are spent"

    def undischarged(self, one: Program, two: Program, descent: Descent) -> str | None:
        """What the second program rests on and is not proved."""
        for each in (*two.obligations, *(each for each in one.obligations if each.purpose == ELEMENT_FITS)):
            if not self.discharged(each, descent):
                self.logic.look_for(each.statement, each.given)
                return str(self.shown(each))
        return None

    def bound(self, func: object, names: Mapping[str, PrimExpr]) -> None:
        """A symbol of a shape at the first program's entry is not negative, or the run is open or ends there. (Where
        types are erased nothing is bound.)"""
        for p in func.params if isinstance(func, graph.Function) else ():
            for each in () if p.type is None else definable(p.type):
                if each.name in names:
                    self.logic.assume(compare("GE", names[each.name], int_imm(0)))

    def promised(self, a: object, b: object, ours: Mapping[str, PrimExpr], theirs: Mapping[str, PrimExpr]) -> None:
        """What the first entry promises of its symbols is taken for granted; what the second does must follow. (Where
        types are erased nothing is promised: no symbol that is told from checks has a name in the program.)"""
        for func, names in ((a, ours), (b, theirs)):
            for claim in as_claims(func) if isinstance(func, graph.Function) else ():
                if not free_symbols(claim) <= names.keys():  # of a truth, which is no symbol of an extent
                    if func is b:
                        raise NotRead(f"the second program promises {expression(claim)}")
                    continue
                statement = substitute(claim, names)
                if func is a:
                    self.logic.assume(statement)
                elif not self.logic.holds(statement, (), "a promise of the second program"):
                    raise NotRead(f"the second program promises {expression(claim)}, the first does not")

    def suppose(self, first: CheckedModule, entry: str, names: Mapping[str, PrimExpr], untrapped: bool = False) -> None:
        """Where an operator of the first program leaves the whole run open, any second program will do. ``untrapped``:
        as far as a run comes to it whatever the extents are, which the checks on the way may rest on."""
        for _, found in openings(first, entry, untrapped=untrapped):
            for each in found or ():
                if each.whole and free_symbols(each.statement) <= names.keys():
                    self.logic.assume(*conjuncts(substitute(each.statement, names)))

    def nothing_opened(self, second: CheckedModule, entry: str, names: Mapping[str, PrimExpr]) -> None:
        """See that no operator of the second program leaves open what its loops determine."""
        for op, found in openings(second, entry, branches=True):
            if found is None:
                raise NotRead(f"{op} leaves open what its loops may determine")
            for each in found:
                own = {v.name for e in (each.statement, *each.given) for v in walk(e) if isinstance(v, SymVar)}
                if any("." not in name and "?" not in name for name in own - names.keys()):
                    raise NotRead(f"{op} leaves open what its loops may determine")
                new = renamed(each, names)
                if not self.logic.nowhere(new.given) and not self.logic.holds(new.statement, new.given, "open nowhere"):
                    raise NotRead(
                        f"{op} leaves open [{each.rule}] what its loops determine, unless {expression(each.statement)}"
                    )

    def discharged(self, each: Definedness, descent: Descent) -> bool:
        """Whether an obligation is proved."""
        if self.logic.nowhere(each.given):
            return True
        if each.term is not None and each.purpose == ASSUMED:
            return descent.equal(self.terms.integer(bool_imm(True)), each.term, each.given)
        if each.term is not None:
            return descent.poison.never(each.term, each.given)
        if self.logic.holds(each.statement, each.given, each.purpose):
            return True
        return each.purpose in OF_DTYPES and self.logic.holds_of_numbers(each.statement, each.given, each.purpose)

    def shown(self, each: Definedness) -> Claim | str:
        words = Words(self.terms)
        if each.term is not None:
            return f"{each.purpose}: {words.term(each.term)}"
        return Claim(each.purpose, words.named(each.statement), tuple(map(words.named, each.given)))

    def assume(self, names: Mapping[str, PrimExpr]) -> None:
        """Take the assumptions of the caller in. (A built entry has symbols in the texts of its checks alone.)"""
        for claim in self.options.assume:
            unknown = sorted(free_symbols(claim) - names.keys())
            if unknown:
                raise NotRead(f"an assumption about {unknown[0]!r}, which no parameter is seen to have")
            parts = conjuncts(ideal(substitute(claim, names)))
            self.logic.assume(*parts)
            self.trusts[f"assumed: {expression(claim)}"] = None


def pairs(x: Value, y: Value) -> Iterator[tuple[Any, Any]]:
    """The tensors and integers of two values that were seen to be the same; what nobody knows is one thing in both."""
    match x, y:
        case tuple(), tuple():
            for a, b in zip(x, y, strict=True):
                yield from pairs(a, b)
        case graph.ShapeExpr(a), graph.ShapeExpr(b):
            yield from zip(a, b, strict=True)
        case (TensorTerm(), TensorTerm()):
            yield x, y
        case _ if as_number(x) is not None:
            yield as_number(x), as_number(y)


def own_casts(module: Module, entry: str) -> frozenset[str]:
    """The names of an entry's own ``match_cast``; those that stand for other checks have names that it has not."""
    function = module.functions.get(entry)
    blocks = function.body.blocks if isinstance(function, graph.Function) else ()
    return frozenset(b.name for block in blocks for b in block.bindings if isinstance(b, graph.MatchCast))
