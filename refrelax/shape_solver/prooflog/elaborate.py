"""From a question that the prover answered to a log that the checker accepts, or nothing.

What the normal form proved is written down (``recorded``); what is linear, or was proved otherwise, is branched on
(``branching``).
Deterministic: limits count work, never time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.checker.check import check
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import MAX_WORK, Reading, flattened, ge
from refrelax.shape_solver.checker.terms import Fuel, Question, Rejected
from refrelax.shape_solver.claim import Effort, Query
from refrelax.shape_solver.prooflog.bitwise import cancelled, masks, multiples, powers
from refrelax.shape_solver.prooflog.blocks import blocks
from refrelax.shape_solver.prooflog.branching import Branching
from refrelax.shape_solver.prooflog.carried import carried, parted
from refrelax.shape_solver.prooflog.congruent import congruent
from refrelax.shape_solver.prooflog.counted import counted
from refrelax.shape_solver.prooflog.forms import Forms
from refrelax.shape_solver.prooflog.ledger import Ledger, Meter
from refrelax.shape_solver.prooflog.operands import lifted
from refrelax.shape_solver.prooflog.places import related
from refrelax.shape_solver.prooflog.prune import pruned
from refrelax.shape_solver.prooflog.recorded import MAX_SPLITS, closed, recorded, unequal
from refrelax.shape_solver.prooflog.roots import rootless
from refrelax.shape_solver.prooflog.search import take
from refrelax.shape_solver.prooflog.translate import Untranslatable, question

ALL, FIRST, SOON, LATER = slice(0, None), slice(0, 12), slice(0, 11), slice(11, None)
Attempt = tuple[Callable[..., int | None], int, tuple[Any, ...]]
"""A way to a log, its share of what the effort allows, and how it is asked."""

NORMAL = ("normal form", "digits")
"""Stages of which the log is written down."""

FEW = (12, 0, 0)
"""What is absurd after next to no splits costs less than to look at its bits."""

SIGNS = 4
"""How much more what the normal form found may cost in brief where several signs are split."""

PARTS = 4
"""How much more the search may cost where bits are looked at in blocks."""

COSTS: dict[Effort, int] = {"quick": 1_000_000, "normal": 5_000_000, "thorough": 20_000_000}
"""What the search for a log may cost: ``normal`` is some seconds at worst."""


@rule("sh/certificate-log")
def prooflog(query: Query, effort: Effort = "normal", attempts: slice = ALL, stage: str = "") -> dict[str, Any] | None:
    """A log for ``query`` that the checker accepts; ``None`` if none was found within what ``effort`` may cost.
    ``attempts``: which ways are tried. ``stage``: what proved it, which says what is to be written down."""
    try:
        return _prooflog(query, effort, attempts, stage)
    except (Untranslatable, Rejected, RecursionError):  # nothing that a certificate can state, or not within its bounds
        return None


def _prooflog(query: Query, effort: Effort, attempts: slice, stage: str) -> dict[str, Any] | None:
    asked = question(query)
    reading = Reading(Question.read(asked))
    given, wanted = reading.facts()
    reading.fuel = Fuel(2500 * MAX_WORK)  # the writer's work is counted by its meter
    ledger = Ledger(reading, list(query.symbols().items()), Meter(0))
    for fact in (*given, *wanted):
        ledger.add(fact)
    ledger.starts = len(ledger.facts)
    count, named = len(ledger.facts), len(reading.atoms)
    goals = list(range(len(given), count))
    goal = None
    kinds = Counter(atom.kind for atom in reading.atoms)
    for attempt, share, details in ordered(
        ATTEMPTS[attempts], linear(ledger), has_bits(ledger), paired(ledger, goals), kinds, stage
    ):
        more = SIGNS if attempt is briefly and kinds["td"] > 1 else 1
        meter = Meter(more * COSTS[effort] // share)
        goal = attempt(ledger, meter, goals, *details) if details else attempt(ledger, meter, goals, stage)
        if goal is not None:
            break
    if goal is None:
        return None
    log = pruned(ledger, count, named, goal)
    return log if check(asked, log).accepted else None


def ordered(
    attempts: tuple[Attempt, ...], simple: bool, bits: bool, pairs: bool, kinds: Counter[str], stage: str
) -> list[Attempt]:
    """What costs least, of what mostly does, comes first. The normal form is written down before more is searched for:
    at once, if what is asked is neither ``simple`` nor of ``bits``, or if several signs would be split. Equal terms
    are looked for among ``bits``, choices and ``pairs`` that it cancels; without ``bits`` at a glance, before the
    rest: where they are not soon found, splits find more in that time. What is ``simple``, and was proved by another
    stage, is not written down at first; its bits are not read before more splits. What was proved residue by residue
    takes as many splits; values are split one by one where it was proved at all of them, and nowhere else."""
    whole = {"residues": CASES, "all points": VALUES, "choices": VALUES}.get(stage)
    soon = attempts[:1] == ATTEMPTS[:1] or attempts == (whole,)
    attempts = tuple(each for each in attempts if each is not VALUES)
    if whole is not None:
        others = [each for each in attempts if each is not whole]
        return [whole, *others] if soon else others
    normal = stage in NORMAL
    signs = kinds["td"] > 1
    left = list(attempts)

    def taken(*wanted: Attempt) -> list[Attempt]:
        found = [each for each in wanted if each in left]
        left[:] = [each for each in left if each not in found]
        return found

    brief = taken(ROOTS, READ) if bits else taken(ROOTS)
    glance, equal = taken(GLANCED), taken(MATCHED)
    short = taken(SHORT)
    at_once = normal and (bits or kinds["ite"] > 0 or pairs)
    if at_once:
        brief += equal if bits else glance
        equal = [] if bits else equal
    first = [*taken(FEWEST), *(short if normal else []), *taken(LIFTED), *taken(BLOCKS)]
    first += [*(taken(MORE) if simple else []), *taken(BITS)] if bits else []
    left = [*(equal if normal else []), *left, *([] if normal else equal)]
    if not normal:
        plain = taken(PLAIN)
        return [*brief, *first, *left] if left and simple else [*brief, *first, *left[:1], *plain, *left[1:]]
    if signs and simple:
        return [*brief, *short, *taken(MORE), *first[2:], *taken(PLAIN), *left]
    if signs or not (simple or bits):
        first = [*short, *first[:1], *first[2:]]
    return [*brief, *first, *taken(PLAIN), *left]


def paired(ledger: Ledger, goals: list[int]) -> bool:
    """Whether what is claimed last has two atoms of one kind, neither a symbol, with opposite factors."""
    fact = ledger.facts[goals[-1]] if goals else None
    p = None if fact is None else fact[1] if fact[0] in ("ge", "eq") else unequal(fact)
    if p is None:
        return False
    kinds = ledger.reading.atoms
    found = {(kinds[mono[-1]].kind, c) for mono, c in p.terms.items() if mono and kinds[mono[-1]].kind != "sym"}
    return any((kind, -c) in found for kind, c in found)


def linear(ledger: Ledger) -> bool:
    """Whether nothing is multiplied with, divided by, a power of or ``&`` with what is no number: then branching is
    quick."""
    atoms = ledger.reading.atoms
    polys = [p for p in ledger.reduced if p is not None] + [arg for atom in atoms for arg in atom.args]
    divisors = [atom.args[1].constant() for atom in atoms if atom.kind in ("fd", "td")]
    special = any(atom.kind in ("p2", "and") for atom in atoms)
    return not special and None not in divisors and all(len(mono) < 2 for p in polys for mono in p.terms)


def read(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, by bits that are read one after another, of the facts as they stand."""
    if not has_bits(ledger):
        return None
    below = ledger.branch([])
    below.meter = meter
    found = carried(below, goals, 1, meter.limit)
    return None if found is None else below.adopted(ledger, found)


def matched(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, by terms that are equal but for equal terms in them."""
    reading = ledger.reading
    count, masked = len(reading.atoms), len(reading.masks)
    below = ledger.branch([])
    below.meter = meter
    found = congruent(below, goals)
    if found is None:
        reading.forget(count, masked)
        return None
    return below.adopted(ledger, found)


def rooted(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, from a quadratic equation without an integer root."""
    return rootless(ledger)


def shortened(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, after parts gave way to shorter ones that they are equal to."""
    reading = ledger.reading
    count, masked = len(reading.atoms), len(reading.masks)
    below = ledger.branch([])
    below.meter = meter
    found = lifted(below, goals)
    if found is None:
        reading.forget(count, masked)
        return None
    return below.adopted(ledger, found)


def carrying(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, by bits that are read one after another."""
    if not has_bits(ledger):
        return None
    below = ledger.branch([])
    below.meter = meter
    found = parted(below, goals)
    return None if found is None else below.adopted(ledger, found)


def apart(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, where each part of a conjunction that is claimed has a way of its own, and so has
    each value of an exponent."""
    below = ledger.branch([])
    below.meter = meter
    found = _apart(below, goals, stage)
    return None if found is None else below.adopted(ledger, found)


def _apart(ledger: Ledger, goals: list[int], stage: str) -> int | None:
    meter = ledger.meter
    parted = next((each for each in goals if ledger.facts[each][0] == "or" and -1 - each not in ledger.used), None)
    if parted is None:
        return counted(ledger, goals, lambda below, asked: _tried(below, meter, asked, stage))
    others, branches = [each for each in goals if each != parted], []
    for part in ledger.facts[parted][1:]:
        below = ledger.branch(flattened([part]))
        below.used.add(-1 - parted)
        fresh = [*others, *range(len(ledger.facts), len(below.facts))]
        found = _tried(below, meter, fresh, stage)
        if found is None:
            found = _apart(below, fresh, stage)
        if found is None:
            return None
        below.goal = found
        branches.append(below)
    return ledger.cases({"or": parted}, branches, ABSURD)


def _tried(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    for attempt, share, details in WAYS:
        own = Meter(min(COSTS["normal"] // share, meter.limit - meter.spent))
        found = attempt(ledger, own, goals, *details) if details else attempt(ledger, own, goals, stage)
        meter.spent += own.spent
        if found is not None or meter.empty:
            return found
    return None


def has_bits(ledger: Ledger) -> bool:
    return bool(ledger.reading.masks) or any(atom.kind == "and" for atom in ledger.reading.atoms)


def branched(
    ledger: Ledger, meter: Meter, goals: list[int], nodes: int, products: int, changes: int, values: int = 0
) -> int | None:
    """The number of an absurdity, by ``Branching``."""
    reading = ledger.reading
    count, masked = len(reading.atoms), len(reading.masks)
    below = ledger.branch([])
    below.meter = meter
    masks(below)
    related(below)
    found = Branching(nodes, products, Forms(goals[0] if goals else len(ledger.facts)), changes, values).absurd(below)
    if found is None:
        reading.forget(count, masked)
        return None
    return below.adopted(ledger, found)


def followed(ledger: Ledger, meter: Meter, goals: list[int], stage: str, depth: int = 0) -> int | None:
    """The number of an absurdity, by what the prover's context and normal form are (``recorded``); where there are bit
    operators, also by the blocks of their bits."""
    found = briefly(ledger, meter, goals, stage, depth)
    return blocked(ledger, Meter(PARTS * meter.limit), goals, stage, depth) if found is None else found


def briefly(ledger: Ledger, meter: Meter, goals: list[int], stage: str, depth: int = 0) -> int | None:
    """The same without a look at blocks of bits."""
    return _followed(ledger, meter, goals, stage, depth, parts=False)


def blocked(ledger: Ledger, meter: Meter, goals: list[int], stage: str, depth: int = 0) -> int | None:
    """The same with one."""
    return _followed(ledger, meter, goals, stage, depth, parts=True) if has_bits(ledger) else None


def _followed(ledger: Ledger, meter: Meter, goals: list[int], stage: str, depth: int, parts: bool) -> int | None:
    reading = ledger.reading
    count, masked = len(reading.atoms), len(reading.masks)
    below = ledger.branch([])
    below.meter = meter
    if parts:
        before = len(below.facts)
        blocks(below)
        below.beside = range(before, len(below.facts))
    below.starts = len(below.facts)
    take(below)
    below.starts = 0
    if parts:
        blocks(below)
    powers(below)
    multiples(below)
    cancelled(below)
    related(below)
    found = closed(below, goals) if parts else None
    if found is None:
        found = recorded(below, goals, stage, depth)
    if found is None:  # another attempt would look at these atoms
        reading.forget(count, masked)
        return None
    return below.adopted(ledger, found)


SHORT: Attempt = (briefly, 2_000, ())
"""What the normal form found, where that is little."""
BLOCKS: Attempt = (blocked, 500, ())

ABSURD = ge(Poly.of(-1))
ROOTS: Attempt = (rooted, 5_000, ())
READ: Attempt = (read, 5_000, ())
MATCHED: Attempt = (matched, 1_500, ())
GLANCED: Attempt = (matched, 12_500, ())
FEWEST: Attempt = (branched, 4_000, FEW)
LIFTED: Attempt = (shortened, 150, ())
BITS: Attempt = (carrying, 100, ())
MORE: Attempt = (branched, 2_000, (40, 0, 0))
VALUES: Attempt = (branched, 4, (1_000, 0, 0, 300))
CASES: Attempt = (branched, 50, (120, 0, 40))
PLAIN: Attempt = (followed, 200, ())
ATTEMPTS: tuple[Attempt, ...] = (
    ROOTS, READ, GLANCED, MATCHED, SHORT, FEWEST, LIFTED, BLOCKS, BITS, MORE, PLAIN,
    CASES, VALUES, (followed, 50, ("", MAX_SPLITS)), (branched, 16, (400, 6, 40)), (apart, 25, ()),
)  # fmt: skip
"""In order, but for ``ordered``."""

WAYS: tuple[Attempt, ...] = (READ, MATCHED, FEWEST, SHORT, BLOCKS, BITS, (branched, 100, (80, 0, 40)))
"""To a part of what is claimed."""
