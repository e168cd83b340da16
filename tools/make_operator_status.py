"""Write the table of ``spec/ops/status.md``: what there is of every operator, read from the tables that say so.

Run it after a change: ``python tools/make_operator_status.py``; a test holds the page to it. A cell where there is
nothing says why, in a word of ``WHY``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from refrelax.backends.cupy_.expressions import ELEMENTARY  # noqa: E402
from refrelax.backends.numpy_ import graph_values as numpy_graph  # noqa: E402
from refrelax.backends.numpy_ import machine  # noqa: E402
from refrelax.backends.numpy_.by_definition import BY_DEFINITION  # noqa: E402
from refrelax.backends.numpy_.operators import OPERATORS as NUMPY  # noqa: E402
from refrelax.conformance import cases  # noqa: E402
from refrelax.lower.legalize.table import AWAITED, BY_HAND, LEGALIZERS  # noqa: E402
from refrelax.semantics.numbers.functions import FUNCTIONS  # noqa: E402
from refrelax.semantics.ops import CALL_FORMS, DESTINATION_PASSING, OPERATORS  # noqa: E402
from refrelax.semantics.ops.meaning import procedures as P  # noqa: E402
from refrelax.testing import alike, control_rules, graph_rules, loop_functions, network_rules  # noqa: E402
from refrelax.testing.oracles import ORACLES  # noqa: E402
from refrelax.testing.sketches import SKETCHES  # noqa: E402
from tests.semantics.ops.catalogue import SAMPLES  # noqa: E402

PAGE = ROOT / "spec" / "ops" / "status.md"
BEGIN, END = "<!-- made by tools/make_operator_status.py -->", "<!-- end of what is made -->"

WHY = {
    "calls": "it calls something else: that has a meaning, loops and a kernel, not the call",
    "fact": "a fact of an array, or the argument itself: there is nothing to compute",
    "memory": "it says where elements lie, and has no elements of its own",
    "effect": "an effect, or nothing, is its whole meaning",
    "sorts": "the order of elements decides where each goes",
    "counts": "elements decide how many there are",
    "workers": "it needs the elements of other workers",
    "awaits": "a text that the reader of loops does not write yet; the reason stands in `lower/legalize/table.py`",
    "interpreter": "no form there: the module is refused as not translated, never guessed",
    "host": "no kernel: it runs on the host, as NumPy's form of it",
    "hand": "no line of a table could call it: tests that are written by hand do",
    "itself": "nobody else computes it; tests of its own say what it gives",
}
"""What a word says that stands where something is missing."""

WORDS = {
    "rule": "a type rule over the arguments' types",
    "out_ty": "the text says the type, and it is held against the callee",
    "text": "a text of the calculus (`semantics/ops/meaning`), the one definition that numbers, loops and terms read",
    "procedure": "plain Python, with laws",
    "laws": "opaque to proofs but for its laws",
    "by hand": "a legalizer that is written by hand",
    "own": "a form of its own",
    "definition": "run by the definition, element by element; once it is legalized, through its loop program",
    "loops": "through its loop program, once it is legalized",
    "kernel": "a kernel, made from its loop program",
    "modules": "drawn by `rr.testing.modules`, and called by the sweep",
    "sweep": "called by the sweep (`testing/sketches.py`)",
}
"""What a word says that stands where there is something."""

GENERATORS = (graph_rules, network_rules, control_rules, loop_functions)


def kind(name: str) -> str:
    """Why an operator has no text: a word of ``WHY``; empty where it has one."""
    if name in CALL_FORMS:
        return "calls"
    if name in P.PROCEDURES:
        return {P.SORTS: "sorts", P.COUNTS: "counts", P.WORKERS: "workers"}[P.PROCEDURES[name].reason]
    if name in P.WITHOUT_ELEMENTS:
        words = {P.FACT: "fact", P.IDENTITY: "fact", P.MEMORY: "memory", P.EFFECT: "effect"}
        return words[P.WITHOUT_ELEMENTS[name]]
    return ""


def typed(name: str) -> str:
    return "out_ty" if name in CALL_FORMS else "rule"


def valued(name: str) -> str:
    return "text" if not kind(name) else "procedure" if name in P.PROCEDURES else kind(name)


def loops(name: str) -> str:
    """What writes its loop program."""
    return "by hand" if name in BY_HAND else "awaits" if name in AWAITED else kind(name) or "text"


def terms(name: str) -> str:
    return "text" if not kind(name) else "laws" if name in P.PROCEDURES else kind(name)


def on_numpy(name: str) -> str:
    forms = {*NUMPY, *numpy_graph.EFFECTS, *DESTINATION_PASSING, "relax.call_pure_packed", "relax.null_value"}
    forms |= {*machine.MEMORY, *machine.KILLS}
    forms |= {"relax.builtin.alloc_tensor", "relax.call_builtin_with_ctx", "relax.vm.call_tir_dyn"}
    if name in BY_DEFINITION:
        return "definition"
    return (
        "own"
        if name in forms or name.startswith(numpy_graph.INSPECT)
        else "loops"
        if name in LEGALIZERS
        else "interpreter"
    )


def on_cuda(name: str) -> str:
    function = FUNCTIONS.get(name.removeprefix("relax."))
    unknown = function is not None and function.ulps > 0.5 and function.name not in ELEMENTARY
    host = on_numpy(name) in ("own", "definition")
    return "kernel" if name in LEGALIZERS and not unknown else "host" if host else "interpreter"


@cache
def drawn() -> frozenset[str]:
    """The operators that the generator of modules names."""
    named = {*alike.OF_FLOATS, *alike.TRUTHS}
    for rules in GENERATORS:
        tree = ast.parse(Path(rules.__file__).read_text(encoding="utf-8"))
        named |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return frozenset(f"relax.{each.removeprefix('relax.')}" for each in named)


def generated(name: str) -> str:
    return "modules" if name in drawn() else "sweep" if name.removeprefix("relax.") in SKETCHES else "hand"


@cache
def calls() -> Counter[str]:
    """How many cases, the examples of the spec included, call each operator."""
    found: Counter[str] = Counter()
    for case in (*cases.load(), *cases.load_examples()):
        found.update({f"relax.{each}" for each in re.findall(r"\bR\.([\w.]+)\(", case.module)})
    return found


LIBRARIES = {"numpy": "NumPy", "torch": "PyTorch", "tvm": "TVM"}


@cache
def oracles() -> dict[str, list[str]]:
    """The outside oracles by operator: of the table, else NumPy, in which the samples of the catalogue are modelled."""
    found = {name: rows for name, rows in ORACLES.items() if isinstance(rows, tuple)}
    of_table = {name: list(dict.fromkeys(LIBRARIES[row.library] for row in rows)) for name, rows in found.items()}
    return {f"relax.{s.op}": ["NumPy"] for s in SAMPLES if f"relax.{s.op}" not in ORACLES} | of_table


def oracle(name: str) -> str:
    return ", ".join(oracles().get(name, ())) or kind(name) or "itself"


@cache
def deviations() -> Counter[str]:
    """How many rows of ``spec/deviations.md`` name each operator; a star stands for any end of a name."""
    found: Counter[str] = Counter()
    every = (*OPERATORS, *CALL_FORMS)
    for row in (ROOT / "spec" / "deviations.md").read_text(encoding="utf-8").splitlines():
        named = re.findall(r"\b(?:R|relax)\.((?:[\w*]+\.)*[\w*]+)", row) if row.startswith("|") else []
        shapes = [re.compile(re.escape(each).replace(r"\*", r"\w*") + "$") for each in dict.fromkeys(named)]
        found.update(n for n in every if any(shape.match(n.removeprefix("relax.")) for shape in shapes))
    return found


COLUMNS: dict[str, Callable[[str], str]] = {
    "type": typed, "value": valued, "loops": loops, "terms": terms, "numpy": on_numpy, "cuda": on_cuda,
    "generator": generated, "cases": lambda name: str(calls()[name]), "oracle": oracle,
    "deviation": lambda name: str(deviations()[name]),
}  # fmt: skip


def rows() -> dict[str, list[str]]:
    """The cells of every operator, by its registered name."""
    return {name: [cell(name) for cell in COLUMNS.values()] for name in (*OPERATORS, *CALL_FORMS)}


def table() -> str:
    """The table and its legend, as Markdown."""
    found = rows()
    used = {cell for cells in found.values() for cell in cells}
    lines = [f"| operator | {' | '.join(COLUMNS)} |", "|---" * (1 + len(COLUMNS)) + "|"]
    lines += [f"| `{name}` | {' | '.join(cells)} |" for name, cells in found.items()]
    legend = [f"* `{word}`: {text}." for words in (WORDS, WHY) for word, text in words.items() if word in used]
    return "\n".join([*lines, "", "What the words say:", "", *legend])


def page() -> str:
    """The page, its made block anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{len(rows())} operators")
