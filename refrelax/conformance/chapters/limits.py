"""A number that a chapter gives as a limit is the constant that the code has: with another one the text would be wrong."""

# ruff: noqa: E501 (sentences of the text)
from __future__ import annotations

from importlib import import_module

from refrelax.conformance.chapters.held import chapter, held, holds
from refrelax.judge import inlined
from refrelax.lower import arena, claims, fold_constants, memory_sizes, plan_memory, weights
from refrelax.lower.dispatch_library import matching
from refrelax.lower.fuse_loops import inline
from refrelax.lower.fuse_ops import groups
from refrelax.semantics.dims import atoms, ranges, required
from refrelax.shape_solver import (
    allowance,
    cases,
    classes,
    context,
    digits,
    normal,
    parse,
    size,
    streams,
    subquestions,
    vectors,
)
from refrelax.shape_solver.checker import carries, places, points
from refrelax.shape_solver.claim import LIMITS as OF_EFFORTS
from refrelax.shape_solver.pointwise import descent, regroup
from refrelax.syntax.read import constants, macros, regions, source
from refrelax.syntax.read import context as reader

prove = import_module("refrelax.shape_solver.prove")  # the package has a function of that name

LIMITS: list[tuple[str, str, int]] = [
    ("03-syntax.md", "more than {} items", constants.MAX_ITEMS),
    ("03-syntax.md", "more than {} steps of comprehensions", reader.MAX_STEPS),
    ("03-syntax.md", "more than {} characters is refused before it is parsed", source.MAX_BYTES),
    ("03b-loops-syntax.md", "a text makes at most {} macro calls", macros.MAX_EXPANSIONS),
    ("03b-loops-syntax.md", "{}", regions.MOST_LANES),
    ("06-shapes.md", "more than {} terms before equal ones are joined", required.TERMS),
    ("06-shapes.md", "takes at most {} operations on terms", atoms.MAX_WORK),
    ("06-shapes.md", "At most {} polynomials that are no numbers are looked at", ranges.FUEL),
    ("06-shapes.md", "look at no more than {} terms", atoms.MAX_SPENT),
    ("06b-solver.md", "A text is nested at most {} levels", parse.MAX_DEPTH),
    ("06b-solver.md", "at most {} digits", parse.DIGITS),
    ("06b-solver.md", "more than {} formulas is left out", prove.MAX_FORMULAS),
    ("06b-solver.md", "at most {} nodes together, `sh/cases`", prove.AT_ONCE),
    ("06b-solver.md", "An expression of more than {} nodes replaces no symbol", context.MAX_IMAGE),
    ("06b-solver.md", "under more than {} assumptions row 5 is left out", context.CROWD),
    ("06b-solver.md", "at most {} parts in all", normal.MAX_SPLITS),
    ("06b-solver.md", "After {} such questions", normal.MAX_COMBINED),
    ("06b-solver.md", "Of more than {} hypotheses", normal.MAX_GIVEN),
    ("06b-solver.md", "with more than {} nodes in claim and assumptions together", size.MAX_NODES),
    ("06b-solver.md", "more than {} nodes in all", size.MAX_STEPS),
    ("06b-solver.md", "more than {} symbols, more than", classes.MAX_SYMBOLS),
    ("06b-solver.md", "more than {} comparisons |", classes.MAX_ATOMS),
    ("06b-solver.md", "fit into words of at most {} bits", vectors.MAX_WIDTH),
    ("06b-solver.md", "*Letters*, at most {},", streams.MAX_LETTERS),
    ("06b-solver.md", "with factors (at most {})", streams.MAX_FACTOR),
    ("06b-solver.md", "`<<` by a number up to {} are sums", streams.MAX_COUNT),
    ("06b-solver.md", "at most {} cases for all symbols together", cases.MAX_CASES),
    ("06b-solver.md", "of a claim of at most {} nodes) stands in the claim more than once", cases.MAX_NODES),
    ("06b-solver.md", "*Points at the numbers of a question*, at most {},", prove.MAX_POINTS),
    ("06b-solver.md", "with at most {} divisors", subquestions.MAX_DIVISORS // 2),
    ("06b-solver.md", "while claim and hypotheses have at most {} nodes", digits.MAX_IMAGE),
    ("06b-solver.md", "(up to `2**{}`", subquestions.MAX_EQUATED.bit_length() - 1),
    ("06b-solver.md", "(quick {}, normal", OF_EFFORTS["quick"].domain),
    ("06b-solver.md", ", normal {}, thorough", OF_EFFORTS["normal"].domain),
    ("06b-solver.md", ", thorough {}), at most 4 million nodes", OF_EFFORTS["thorough"].domain),
    ("06b-solver.md", "One question evaluates at most {} nodes, all points together", allowance.MAX_EVALUATED),
    ("06b-solver.md", "that *plain bounds* leave, at most {}.", points.MAX_POINTS),
    ("06b-solver.md", "{} nodes at all points together", points.MAX_WORK),
    ("06b-solver.md", "at most {} streams", carries.MAX_STREAMS),
    ("06b-solver.md", "more than {} bits)", points.MAX_BITS),
    ("06c-pointwise.md", "at every point of the finite ranges of their indices, at most {}.", descent.MOST_POINTS),
    ("06d-proof-logs.md", "`streams`, at most {}, are numbered", carries.MAX_STREAMS),
    ("06d-proof-logs.md", "at most {} of them | any |", places.MAX_LEAVES),
    ("06d-proof-logs.md", "at most {} bits", carries.MAX_LENGTH),
    ("10-lowering.md", "A claim that has more than {} nodes with its assumptions is not asked", claims.MAX_NODES),
    ("10-lowering.md", "after {} names of the contract were looked at", matching.STEPS),
    ("10-lowering.md", "no more than {} elements", fold_constants.LARGEST),
    ("11-fusion.md", "at most {} calls are in it", groups.LARGEST),
    ("11-fusion.md", "any other intrinsic {} and its arguments", weights.INTRINSIC),
    ("11-fusion.md", "are at most {} together", inline.LARGEST),
    ("12-memory.md", "rounded up to a multiple of {} bytes", arena.ALIGNMENT),
    ("12-memory.md", "{} of them at most", plan_memory.MOST_CANDIDATES),
    ("12-memory.md", "where every symbol is {} is kept", memory_sizes.USUAL),
]
"""A chapter, its words around the number, and the constant."""

IN_WORDS = {2: "two", 6: "six", 8: "eight"}

WORDS: list[tuple[str, str, int]] = [
    ("06b-solver.md", "The smallest divisor comes first, at most {} times", digits.MAX_DIGITS),
    ("06c-pointwise.md", "a call that stands in {} others that were put in place stays", inlined.DEEPEST),
    ("06c-pointwise.md", "with some of at most {} axes backwards", regroup.MOST_REVERSED),
]


def said(name: str) -> str:
    return " ".join(chapter(name).split())


def a_limit(name: str, words: str, spelled: tuple[str, ...]) -> None:
    """Register that these words stand in a chapter with one of these spellings of the constant."""

    @held(name)
    def a_limit_is_the_constant() -> None:
        text = said(name)
        holds(any(words.format(each) in text for each in spelled), f"{words!r} with {spelled[0]}")


for _name, _words, _limit in LIMITS:
    a_limit(_name, _words, (f"{_limit}", f"{_limit:,}".replace(",", " ")))
for _name, _words, _limit in WORDS:
    a_limit(_name, _words, (IN_WORDS[_limit],))
