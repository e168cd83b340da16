"""Edits of operators' texts that make the same function, and why: no case can see them, and nothing is wrong with that.

``refrelax rules mutate`` draws and runs them as any other; one that survives is counted apart if it is listed here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from refrelax.conformance.citations import package
from refrelax.conformance.mutants import Mutant, mutants

UNREAD = "what is computed besides is never read"
MIRRORED = "a position inside is its own mirror image: both arms give the same number"

MET = "a map that meets no position twice, taken for one that may: the same element, found by the longer way"
NO_TILE = "no map divides by the literal 0 (syn/constant-division-by-zero), and two parameters share no two axes"
TILES = "case [Binary(op=high, a=SymVar(), b=c), Binary(op=low, a=SymVar(), b=d)] if c == d and (as_int(c) or 0) > 0:"

Listed = tuple[str, str, int]
"""The line, the edit in words, and which of those of the line that are called the same, counted from 0."""

EQUIVALENT: dict[Listed, str] = {
    ("padded = m.tensor((b, c, *(m.most(r, 0) for r in room)), x.dtype, inner)", "0 becomes 1", 0): UNREAD,
    (
        "apart = f.add(f.maximum(a, b), log1p(exp(f.neg(absolute(f.sub(a, b))))))", "sub with swapped operands", 0
    ): "of the difference only the magnitude counts",
    (
        'far = f.math("abs")(f.sub(first, at))', "sub with swapped operands", 0
    ): "of the difference only the magnitude counts",
    (
        "inside = self.m.all_of(f.less_equal(first, at), f.less_equal(at, f.lit(low + span)))",
        "less_equal becomes less",
        0,
    ): MIRRORED,
    (
        "inside = self.m.all_of(f.less_equal(first, at), f.less_equal(at, f.lit(low + span)))",
        "less_equal becomes less",
        1,
    ): MIRRORED,
    (
        "inside = self.m.all_of(f.less_equal(first, at), f.less_equal(at, f.lit(low + span)))", "+ becomes -", 0
    ): MIRRORED,
    (
        "Fraction(1),",
        "1 becomes 2",
        0,
    ): "the one element of nearest_neighbor is read by its position, not weighed",
    (
        "return by_integers(m, dtype, [floor_index(m, f, p) for p in at], [near(n, 2) for n in size], summed)",
        "2 becomes 3",
        0,
    ): "positions of a result lie within the data or beside it, nearer than what is looked at",
    (
        'axis = (A.optional_integer(call, "axis") or 0) % xs[0].ndim',
        "0 becomes 1",
        0,
    ): "without an axis tensors have one axis (op.concat/flat)",
    (
        "return quotient(whole) if wider == x.dtype else f.either(lambda: quotient(whole), lambda: widely(whole))",
        "== becomes !=",
        0,
    ): "the bounds of a sum hold the exact one, and division and rounding are monotone",
    (
        "normal = standardised(m, call, split, sorted([c + 1, *(k + (k > c) for k in axes)]))",
        "> becomes >=",
        0,
    ): "the channel axis is none of the axes (op.norm/channel-axis)",
    (
        "return m.most((last - start + (run.step - 1)) // run.step, 0)",
        "0 becomes 1",
        0,
    ): "a window without elements sums to 0, whatever that is divided by",
    (
        "(aw, ah), (bw, bh) = ([f.sub(high[k], low[k]) for k in range(2)] for low, high in sides)",
        "sub with swapped operands",
        0,
    ): "both sides of a box change their sign, its area does not",
    (
        'return m.with_index(x.dtype, m.at("int64").cast(rois[i, 0], rois.dtype), (0, 0), known, rule=none)',
        "0 becomes 1",
        0,
    ): "from 1 to below 0 there is no candidate either",
    (
        'return m.with_index(x.dtype, m.at("int64").cast(rois[i, 0], rois.dtype), (0, 0), known, rule=none)',
        "0 becomes 1",
        1,
    ): "one image is known, or several are candidates of which the second is none: the run is open",
    (
        "ranks = x.ndim == len(w.layout.axes) and grad.ndim == len(w.out.axes)",
        "and becomes or",
        0,
    ): "data of another rank than its layout ends the run before (op.layout/rank)",
    (TILES, "> becomes >=", 0): NO_TILE,
    (TILES, "0 becomes 1", 1): NO_TILE,
    (TILES, "or becomes and", 0): MET,
    (TILES, "0 becomes 1", 0): MET,
    (
        "if (high in DIVISIONS) is (low in DIVISIONS) or not {high, low} <= DIVISIONS | REMAINDERS:", "<= becomes <", 0
    ): "two operators are never all four",
    ("tile = D.imm(as_int(c) or 1)", "1 becomes 2", 0): "a tile is at least 1 here",
}  # fmt: skip


def line_of(mutant: Mutant) -> str:
    """The line of the text that it breaks, without its indentation."""
    return _lines(mutant.file)[mutant.line - 1].strip()


def why_equivalent(mutant: Mutant) -> str | None:
    """Why a mutant is the same function, if it is listed."""
    return EQUIVALENT.get(listed(mutant))


def listed(mutant: Mutant) -> Listed:
    """How the table names a mutant."""
    place = mutant.file, mutant.line, mutant.what
    return line_of(mutant), mutant.what, [id(each) for each in _alike().get(place, ())].index(id(mutant))


@cache
def _alike() -> dict[tuple[str, int, str], list[Mutant]]:
    found: dict[tuple[str, int, str], list[Mutant]] = {}
    for each in mutants():
        if each.of_text:
            found.setdefault((each.file, each.line, each.what), []).append(each)
    return found


@cache
def _lines(file: str) -> list[str]:
    return (Path(package()).parent / file).read_text(encoding="utf-8").splitlines()
