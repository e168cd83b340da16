"""Writing down that integers and truths are equal as machine words.

Both elements are laid out: what is loaded from computed tensors is put in its place, by rewrites, until only operations
on words and leaves are left. Then it is one step.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-words``.
"""

from __future__ import annotations

from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.checker.terms import Rejected, dtype_range
from refrelax.shape_solver.claim import Query
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.descents.by_words import NOTHING_KNOWN
from refrelax.shape_solver.descents.claims import Shown
from refrelax.shape_solver.descents.terms import Expr, Table
from refrelax.shape_solver.descents.words import WORDS, Settled
from refrelax.shape_solver.pointwise.recording_claims import documented
from refrelax.shape_solver.pointwise.recording_folds import Prove
from refrelax.shape_solver.pointwise.recording_moves import word_move
from refrelax.shape_solver.pointwise.recording_sides import Sides
from refrelax.shape_solver.pointwise.recording_tables import NoRecord, Scope
from refrelax.shape_solver.pointwise.recording_truths import Laid
from refrelax.shape_solver.pointwise.terms import Term
from refrelax.shape_solver.prooflog.translate import BINARY, INTRINSIC
from refrelax.syntax.scalars import Binary, BinaryOp, Cast, Intrinsic, Not, PrimExpr, SymVar, bool_imm

MOST_MOVES = 60
OF_RINGS: dict[str, BinaryOp] = {name: op for op, name in BINARY.items()}  # type: ignore[misc]
OF_BITS = {name: op for op, name in INTRINSIC.items()}
COMPARED: dict[str, BinaryOp] = {"lt": "LT", "le": "LE", "gt": "GT", "ge": "GE", "eq": "EQ", "ne": "NE"}


@rule("sh/descent-words")
def by_words(recorder: Sides, prove: Prove, a: Term, b: Term, at: Scope) -> int:
    """The step by which ``b`` may stand for ``a`` as words.

    Raises:
        NoRecord: there is none.
    """
    chain: list[tuple[Term, Term, bool, Any]] = []
    for second in (False, True):
        for _ in range(MOST_MOVES):
            moved = word_move(recorder, b if second else a, at, second)
            if moved is None:
                break
            chain.append((a, b, second, moved))
            a, b = (a, moved[2]) if second else (moved[2], b)
    found = _step(recorder, prove, a, b, at)
    for one, other, second, (how, claims, _) in reversed(chain):
        side = "second" if second else "first"
        found = recorder.step("rewrite", one, other, at, side=side, by=how, claims=claims, premises=[found])
    return found


def _step(recorder: Sides, prove: Prove, a: Term, b: Term, at: Scope) -> int:
    table, dtype = recorder.table, a.dtype
    first, second = Laid(table, {}), Laid(table, {})
    if dtype not in WORDS or dtype != b.dtype:
        raise NoRecord(f"elements of {dtype} that are no words")
    try:
        x, y = first.word(recorder.term(a), dtype), second.word(recorder.term(b), dtype)
    except Rejected as problem:
        raise NoRecord(f"words: {problem}") from None
    meets: dict[int, int | None] = {}
    premises: list[int] = []
    claims: list[Any] = []
    for t in second.leaves:
        other, premise = _met(recorder, prove, t, list(first.leaves), at)
        meets[t] = other
        if premise is not None:
            premises.append(premise)
        if other not in first.strict:
            claims += recorder.never(recorder.objects[t], at)
    for other in first.leaves:
        if sum(each == other for each in meets.values()) > 1 and other not in first.strict:
            claims += recorder.never(recorder.objects[other], at)
    y = _over(y, meets)
    shown = certified(table, ("iff" if dtype == "bool" else "eq", x, y), recorder.documents)
    if shown is None:
        raise NoRecord("words that are equal by a claim without a log")
    claims += shown
    leaves = [["elem", t] for t in first.leaves]
    rows = [[["elem", t]] if other is None else [["elem", t], ["elem", other]] for t, other in meets.items()]
    return recorder.step("words", a, b, at, leaves=leaves, meets=rows, premises=premises, claims=claims)


def _met(recorder: Sides, prove: Prove, t: int, ours: list[int], at: Scope) -> tuple[int | None, int | None]:
    """The leaf of the first element for which one of the second may stand, and the step that says so."""
    table, term = recorder.table, recorder.objects[t]
    for other in sorted(ours, key=lambda each: table.key(each) != table.key(t)):
        mine = recorder.objects[other]
        if mine.dtype == term.dtype and (mine is term or recorder.descent.equal(mine, term, at.given)):
            try:
                return other, prove(mine, term, at)
            except NoRecord:
                continue
    if not Settled(table)(t):
        raise NoRecord(f"a leaf that is not one value: {table.nodes[t][:3]}")
    return None, None


def _over(e: Expr, meets: dict[int, int | None]) -> Expr:
    """An integer or truth over the leaves of the first element."""
    match e:
        case ("elem", t):
            other = meets[t]
            return e if other is None else ("elem", other)
    return tuple(_over(part, meets) if isinstance(part, tuple) else part for part in e)


# --- certificates


def certified(table: Table, claim: Expr, documents: list[Any]) -> list[Any] | None:
    """The claim that words are equal, by a certificate over the ranges of leaves; nothing where there is no log."""
    if Shown(table, []).holds(table.truth_key(claim), NOTHING_KNOWN):
        return []
    names: dict[int, SymVar] = {}
    asked = asked_of(claim, names, table.dtype)
    given: list[PrimExpr] = []
    for t, symbol in names.items():
        if symbol.dtype != "bool" and table.nodes[t][0] != "int":
            low, high = dtype_range(table.dtype(t))
            given += [Binary("GE", symbol, integer(low)), Binary("LE", symbol, integer(high))]
    query = Query(asked, tuple(given), None, "require")
    number = documented(query, documents)
    by = {symbol.name: t for t, symbol in names.items()}
    return None if number is None else [[number, [["elem", by[name]] for name in query.symbols()]]]


def asked_of(e: Expr, names: dict[int, SymVar], dtype: Any) -> PrimExpr:
    """A claim of the checker in the solver's language: integers are exact, a cast wraps."""

    def part(x: Expr) -> PrimExpr:
        return asked_of(x, names, dtype)

    match e:
        case ("const", value):
            return integer(value)
        case ("true" | "false" as truth,):
            return bool_imm(truth == "true")
        case ("elem", t):
            kind = "bool" if dtype(t) == "bool" else "int64"
            return names.setdefault(t, SymVar(f"{'b' if kind == 'bool' else 's'}{len(names)}", kind))
        case ("wrap", target, a):
            return Cast(target, part(a))
        case ("select", c, a, b):
            yes = part(a)
            return Intrinsic("if_then_else", (part(c), yes, part(b)), "bool" if yes.dtype == "bool" else "int64")
        case ("not", a):
            inner = part(a)
            return Not(inner) if inner.dtype == "bool" else Intrinsic("bitwise_not", (inner,), "int64")
        case (("iff" | "eq"), a, b):
            return Binary("EQ", part(a), part(b))
        case (op, a, b):
            x, y = part(a), part(b)
            if op in COMPARED:
                return Binary(COMPARED[op], x, y)
            if x.dtype == "bool":
                return Binary("And" if op == "and" else "Or", x, y)
            if op in OF_RINGS:
                return Binary(OF_RINGS[op], x, y)
            return Intrinsic(OF_BITS[op], (x, y), "int64")
    raise AssertionError(e)
