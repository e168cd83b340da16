"""The tables and numbers that chapters keep by hand say what the definition's tables and constants say."""

from __future__ import annotations

import math
import re

from refrelax import errors
from refrelax.conformance import cases, spec_text
from refrelax.conformance.chapters.held import chapter, held, holds, numbered, same, says, table, words
from refrelax.conformance.citations import package
from refrelax.conformance.library import LIBRARY
from refrelax.conformance.suite import schemas
from refrelax.conformance.suite.records import PROFILES
from refrelax.errors import Ended
from refrelax.semantics.dims import required, terms
from refrelax.semantics.intrinsics import foreign, records
from refrelax.semantics.numbers import bounds
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.readings import READINGS
from refrelax.semantics.numbers.scalar_operators import UNARY
from refrelax.semantics.numbers.truth import TRUE
from refrelax.semantics.ops.accuracy import ACCURACY, WORDS
from refrelax.semantics.types.lattice import Check
from refrelax.shape_solver.checker.schemas import KINDS
from refrelax.syntax.dtypes import FLOAT_BITS
from refrelax.syntax.read import context, source
from refrelax.syntax.read.intrinsics import INTRINSICS

SPELLED = {"fabs": "abs", "nearbyint": "round"}
"""Second names of a function of chapter 02."""
NODES = {"if_then_else", "likely", "ret", "break_loop", "continue_loop"}
"""Intrinsics that the reader has forms of their own for."""
OF_TOOLS = {"--values", "--tvm"}
"""Options of what stands in ``tools/`` and ``benchmarks/``."""
ONE_FLOAT = "The functions of one float,"
"""How the line above the first table of chapter 07b begins."""
INFIX = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


# --- 00: the reading guide


@held("00-reading-guide.md")
def the_guide_has_every_chapter_and_every_area() -> None:
    guide = chapter("00-reading-guide.md").partition("## How a rule is written")[0]
    for path in numbered():
        number = path.name.partition("-")[0]
        holds(number == "00" or re.search(rf"\b{number}\b", guide), number)
    rows = table("00-reading-guide.md", "Text outside such paragraphs explains")
    areas = {cell.strip("`/") for row in rows for cell in (row[0], row[2]) if cell}
    same(areas, {re.sub(r"^op\..*", "op.NAME", each.rule.split("/")[0]) for each in spec_text.paragraphs()})


@held("02-values.md")
def the_words_name_readings_that_there_are() -> None:
    (meaning,) = (meaning for word, meaning in spec_text.glossary().items() if word == "reading")
    same(set(words(meaning)), READINGS.keys() - {"guarded"})  # a fence for authors of operators
    holds(READINGS.keys() <= set(re.findall(r"`(\w+)`", chapter("02-values.md"))))


@held("02-values.md")
def a_chapter_that_is_named_is_there() -> None:
    known = {path.name.partition("-")[0] for path in numbered()}
    for path in spec_text.chapters():
        named = set(re.findall(r"\bchapters? (\d\d[a-z]?)\b", path.read_text("utf-8")))
        holds(named <= known, path.name)


# --- 01: conformance


@held("01-conformance.md")
def the_cases_end_in_the_ways_of_the_table() -> None:
    ends = {each for row in table("01-conformance.md", "### What a case is") for each in words(row[2])}
    known = {"accepts", *cases.REJECTIONS, *cases.ENDS, *cases.ANSWERS, *cases.VALIDATIONS}
    same({each for each in ends if "/" not in each}, known)


@held("01-conformance.md")
def the_fields_and_the_profiles_of_a_case() -> None:
    rows = {row[0]: row[1] for row in table("01-conformance.md", "needs the definition. The fields of a case:")}
    same(set(words(rows["`profile`"])), {*PROFILES, "operators"})
    told = {"operators", "repeat", *words(" ".join(rows))}
    same(told, set(schemas.case()["properties"]))


@held("01-conformance.md")
def the_library_functions() -> None:
    section = chapter("01-conformance.md").partition("### Library functions")[2].partition("\n### ")[0]
    same(set(re.findall(r"`(conformance\.\w+)", section)), LIBRARY.keys())


@held("02-values.md")
def the_options_that_are_named_are_taken() -> None:
    taken = {
        option
        for path in (package() / "commands").glob("*.py")
        for option in re.findall(r"\"(--[a-z-]+)\"", path.read_text("utf-8"))
    }
    for path in spec_text.chapters():
        named = set(re.findall(r"(?<=[` ])--[a-z][a-z-]+", path.read_text("utf-8")))
        holds(named <= taken | OF_TOOLS, path.name)


# --- 02: numbers


@held("02-values.md")
def the_formats_of_floats() -> None:
    rows = table("02-values.md", "and one element for each index")
    same({each for row in rows for each in words(row[0]) if "float" in each}, FLOAT_BITS.keys())


@held("02-values.md")
def the_units() -> None:
    told = dict[str, float]()
    for names, units in table("02-values.md", "**`num/permitted-ulps`**"):
        amount = float(re.match(r"[0-9.]+", units)[0])  # type: ignore[index]
        told |= dict.fromkeys((INFIX.get(each, each) for each in words(names) if "intrinsics" not in each), amount)
    for heading in (ONE_FLOAT, "The others:"):
        told |= {row[0].strip("`"): float(row[-2]) for row in table("07b-intrinsics.md", heading) if row[-2]}
    steps = {"reduction", "stepwise", "scale"}
    same(
        {SPELLED.get(name, name): units for name, units in told.items()},
        {name: units for name, units in bounds.PERMITTED_ULPS.items() if name not in steps},
    )
    text = chapter("02-values.md")
    same(bounds.PERMITTED_ULPS["stepwise"], bounds.PERMITTED_ULPS["reduction"])
    same(bounds.PERMITTED_ULPS["reduction"], 1)
    says(text, "of a reduction, as one function | 1 |")
    same(bounds.ABSOLUTE, {"sigmoid": 0.5})
    says(text, "| `sigmoid` | 6, and half of the least normal number |")
    same(bounds.OF_ONE, {"tanh": 1})
    says(text, f"For formats of fewer than {bounds.NARROW} significant bits the allowance is 1")


@held("07b-intrinsics.md")
def the_special_values() -> None:
    """Chapter 07b, ``num/special-values``: the ends of each function, where else it is NaN, and its poles."""
    numbers = {
        "−∞": -math.inf, "+∞": math.inf, "−0": -0.0, "+0": 0.0, "1": 1.0, "−1": -1.0, "1/2": 0.5, "π/2": math.pi / 2,
        "−π/2": -math.pi / 2, "NaN": math.nan,
    }  # fmt: skip
    domains = {
        "NaN below 0": (0.0, math.inf), "NaN below −1": (-1.0, math.inf), "NaN below 1": (1.0, math.inf),
        "NaN outside of [−1, 1]": (-1.0, 1.0),
    }  # fmt: skip
    said = {}
    for cell, _, *told, more, _, _ in table("07b-intrinsics.md", ONE_FLOAT):
        facts = [each for each in more.split("; ") if each]
        positive = "≥ 0" in facts
        (domain,) = [domains[each] for each in facts if each in domains] or [(-math.inf, math.inf)]
        poles = [each for each in facts if each != "≥ 0" and each not in domains]
        pairs = [each.split(": ") for each in ", ".join(poles).split(", ") if each]
        (name,) = words(cell)
        said[name] = (
            [numbers[e] if e in numbers else float(e) for e in told],
            domain,
            {numbers[x]: numbers[y] for x, y in pairs},
            positive,
        )
    same(set(said), set(FUNCTIONS))
    for name, row in FUNCTIONS.items():
        ends, domain, infinities, positive = said[name]
        same(list(map(repr, ends)), list(map(repr, row.ends)), name)
        same(domain, row.domain, name)
        same(infinities, dict(row.poles), name)
        same(positive, row.no_less, name)


@held("02-values.md")
def the_operations_of_each_dtype() -> None:
    """Chapter 02, ``num/no-operation``: ``none`` is where the run is open, and nowhere else."""
    one = {"bool": TRUE, "int8": 1, "float32": 1.0}
    arity = dict.fromkeys(("neg", "bit_not", "popcount", "clz", "isnan", "isinf", "isfinite"), 1) | {"fma": 3}
    for names, *cells in table("02-values.md", "**`num/no-operation`**"):
        for name in words(names):
            for (dtype, value), cell in zip(one.items(), cells, strict=True):
                home = ieee().at(dtype)
                if name == "every" or (name == "pow" and dtype == "bool"):
                    continue
                try:
                    if name in FUNCTIONS:
                        home.math(name)(value)
                    elif name in ("pow", "atan2", "copysign", "fmod"):
                        home.math2(name)(value, value)
                    else:
                        getattr(home, name)(*[value] * arity.get(name, 2))
                    holds(cell != "none", (name, dtype))
                except Ended as end:
                    same(cell, "none", (name, dtype))
                    same(getattr(end.outcome, "rule", None), "num/no-operation", (name, dtype))


@held("02-values.md")
def the_words_of_accuracy_and_the_relaxations() -> None:
    rows = {row[0].strip("`"): row[1] for row in table("02-values.md", "## Accuracy of operators")}
    same(rows.keys(), set(WORDS))
    found = re.search(r": 4 for `([^`]+)`, 0\.5 for `(\w+)`, 1 for", rows["stepwise"])
    assert found is not None
    units = {n.removeprefix("relax.").removeprefix("nn."): bounds.PERMITTED_ULPS[a.units]
             for n, a in ACCURACY.items() if a.word == "stepwise"}  # fmt: skip
    same({name for name, u in units.items() if u == 4}, set(found[1].split()))
    same({name for name, u in units.items() if u == 0.5}, {found[2]})
    same({*units.values()}, {4, 0.5, 1})
    same({row[0].strip("`") for row in table("02-values.md", "## Named relaxations")}, bounds.RELAXATIONS.keys())


# --- the other chapters


@held("03-syntax.md")
def limits_are_those_of_the_code() -> None:
    limits = (
        f"More than {source.MAX_BRACKETS} open brackets, a syntax tree of more than {source.MAX_TREE_DEPTH} levels, "
        f"or statements and expressions\nnested more than {context.MAX_DEPTH} deep"
    )
    holds(limits in chapter("03-syntax.md"))
    says(chapter("06-shapes.md"), f"more than {required.TERMS} terms before equal ones are joined")
    says(chapter("06-shapes.md"), f"A product that would have more than {terms.MAX_TERMS} terms is one atom.")


@held("06d-proof-logs.md")
def the_atoms_of_a_log() -> None:
    told = {name for row in table("06d-proof-logs.md", "the kinds below.") for name in words(row[0])}
    same(told, set(KINDS) | {"define"})


@held("07b-intrinsics.md")
def every_intrinsic_of_the_chapter_is_one() -> None:
    rows = re.findall(
        r"^\| `([^`]+)` \|", chapter("07b-intrinsics.md").partition("## Functions of LLVM and C")[0], re.M
    )
    holds(len(rows) == len(set(rows)) > 100)
    holds(set(rows) - {*INTRINSICS, *UNARY} <= NODES | {
        "pow", "max", "min", "truncmod", "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right",
    })  # fmt: skip


@held("07b-intrinsics.md")
def functions_of_llvm_and_c() -> None:
    rows = table("07b-intrinsics.md", "## Functions of LLVM and C")
    of_llvm = {name if name.startswith("llvm.") else f"llvm.{name}" for row in rows[:11] for name in words(row[0])}
    same(of_llvm - {"llvm."}, {n for n in {*foreign.LLVM, *foreign.OWN, *foreign.FLAGGED} if n.startswith("llvm.")})
    of_c = {name for row in rows[11:] for name in words(row[0])}
    same(of_c, {n for n in {*foreign.C, *foreign.OWN} if not n.startswith("llvm.")})
    for row in (rows[0], rows[11]):
        holds(all((foreign.LLVM | foreign.C)[n if n in foreign.C else f"llvm.{n}"] == n for n in words(row[0])[1:]))


@held("07-evaluation.md")
def fields_and_codes_of_records() -> None:
    numbers = [int(n) for row in table("07-evaluation.md", "## Host code") for n in row[0].split(",")]
    same(numbers, sorted({*range(11), records.TYPE_INDEX, records.VALUE, records.INT64_ELEMENT}))
    said = re.search(r"^The codes of dtypes: (.*?)\.\n", chapter("07-evaluation.md"), re.M | re.S)
    assert said is not None
    same({n: int(k) for n, k in re.findall(r"`(\w+)` (\d+)", said[1])}, records.CODES)


@held("09-outcomes.md")
def the_outcomes() -> None:
    rejections = {row[0].strip("`") for row in table("09-outcomes.md", "## Rejections")}
    same(rejections, {each.__name__ for each in errors.Rejection.__subclasses__()})
    same({each.__name__ for each in errors.Rejection.__subclasses__()}, set(cases.REJECTIONS))
    ends = {row[0].strip("`") for row in table("09-outcomes.md", "## Ends of a run")}
    same({each.partition("(")[0] for each in ends}, set(cases.ENDS))
    for each in ends:
        name, _, fields = each.rstrip(")").partition("(")
        holds(set(fields.split(", ")) <= set(getattr(errors, name).__dataclass_fields__), each)


# --- 05: the grades


@held("05-types.md")
def the_grades_of_a_subtype() -> None:
    """`L3` in the place of `L2` went by unseen."""
    grades = [word for row in table("05-types.md", "**`ty/subtype`**") for word in words(row[0])]
    same(sorted(grades), sorted(each.name for each in Check))
