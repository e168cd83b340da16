"""Library dispatch on programs one step away from a contract: what is taken, and of the rest, what the evidence says is
different. (One row for each question that ``matching.py`` asks of a binding.)
"""

# ruff: noqa: E501
from __future__ import annotations

from typing import NamedTuple

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.dispatch_library.matching import Site as BlockSite
from refrelax.lower.dispatch_library.matching import _Matcher, _Way
from refrelax.lower.dispatch_library.misses import Misses
from refrelax.lower.dispatch_library.patterns import pattern_of
from refrelax.syntax.graph import DataflowBlock, Var
from tests.lower.dispatch_programs import SYMBOLS, contract, tensors


class Row(NamedTuple):
    """A contract (parameters, bindings, result), a program (parameters, bindings), and why the contract is called
    nowhere: ``""`` where it is called."""

    given: str
    contract: tuple[str, ...]
    result: str
    params: str
    bindings: tuple[str, ...]
    why: str = ""
    dtype: str = ""


X, XY = "x: m, n", "x: m, n; y: m, n"
NEAR, NEAR2 = "x: k, 3", "x: k, 3; y: k, 3"
OPERANDS, TYPES = (
    "{} has other operands than the contract",
    "the dtypes, ranks or extents at {} are not those of its types",
)
EXTENTS, INNER = "its extents are not seen to fit at main.out", "p is an argument of it as well"
CHAIN = ("a = R.exp(x)", "b = R.abs(a)", "z = R.add(b, y)")
BRANCHES = ("a = R.exp(x)", "b = R.abs(y)", "z = R.add(a, b)")
TWICE = ("a = R.exp(x)", "b = R.exp(y)", "z = R.add(a, b)")
CLIP, WHOLE = ("z = R.clip(x, 0.0, 6.0)",), ("z = R.clip(x, 0, 6)",)
JOIN = ("z = R.concat((x, y), axis=0)",)
FILLED = ("a = R.full(R.shape([m, n]), R.const(2, 'float32'), dtype='float32')", "z = R.add(x, a)")
LAST = ("z = R.take(x, R.const([1], 'int64'), axis=1)",)
HALF, PRODUCT = "x: m, k @ float16; w: k, n @ float16", ("y = R.matmul(x, w)", "z = R.exp(y)")
HALVES, FULL_PRODUCT = "x: n, 4 @ float16; w: 4, 3 @ float16", 'y = R.matmul(x, w, out_dtype="{}")'
ALIGNED = ("a = R.match_cast(w, R.Tensor((k // 8 * 8, n), dtype='float32'))", "y = R.matmul(x, a)")

ROWS: dict[str, Row] = {
    # --- bindings
    "as it is": Row(XY, CHAIN, "m, n", NEAR2, ("p = R.exp(x)", "q = R.abs(p)", "out = R.add(q, y)")),
    "exchanged": Row(XY, CHAIN, "m, n", NEAR2, ("p = R.exp(x)", "q = R.abs(p)", "out = R.add(y, q)")),
    "an argument is an inner result": Row(
        XY, CHAIN, "m, n", NEAR, ("p = R.exp(x)", "q = R.abs(p)", "out = R.add(q, p)"), INNER
    ),
    "the first of two differences": Row(
        XY, BRANCHES, "m, n", NEAR2, ("p = R.sin(x)", "q = R.cos(y)", "out = R.add(p, q)"),
        "p is a R.sin, expected a R.exp",
    ),
    "the difference that comes later": Row(
        XY, BRANCHES, "m, n", NEAR2, ("p = R.exp(x)", "q = R.cos(y)", "out = R.add(p, q)"),
        "q is a R.cos, expected a R.abs",
    ),
    "the nearer of two places": Row(
        XY, BRANCHES, "m, n", NEAR2,
        ("p = R.exp(x)", "q = R.cos(y)", "out = R.add(p, q)", "s = R.sin(out)", "e = R.add(s, y)"),
        "q is a R.cos, expected a R.abs",
    ),
    "one binding for two": Row(XY, TWICE, "m, n", NEAR, ("p = R.exp(x)", "out = R.add(p, p)"), OPERANDS.format("out")),
    "two bindings for two": Row(XY, TWICE, "m, n", NEAR, ("p = R.exp(x)", "q = R.exp(x)", "out = R.add(p, q)")),
    "a parameter for an inner result": Row(
        X, ("a = R.exp(x)", "z = R.exp(a)"), "m, n", NEAR, ("out = R.exp(x)",), OPERANDS.format("out")
    ),
    "a constant for an inner result": Row(
        X, ("a = R.exp(x)", "z = R.exp(a)"), "m, n", NEAR, ("out = R.exp(R.const([[1.0, 2.0]], 'float32'))",),
        OPERANDS.format("out"),
    ),
    "a constant for a parameter": Row(
        X, ("a = R.exp(x)", "z = R.exp(a)"), "m, n", NEAR,
        ("p = R.exp(R.const([[1.0, 2.0]], 'float32'))", "out = R.exp(p)"),
    ),
    "another name where it occurs again": Row(
        X, ("a = R.exp(x)", "z = R.subtract(a, x)"), "m, n", NEAR2, ("p = R.exp(x)", "out = R.subtract(p, y)"),
        OPERANDS.format("out"),
    ),
    # --- operands
    "bounds": Row(X, CLIP, "m, n", NEAR, ("out = R.clip(x, 0.0, 6.0)",)),
    "a bound that is another zero": Row(
        X, CLIP, "m, n", NEAR, ("out = R.clip(x, -0.0, 6.0)",), OPERANDS.format("out")
    ),
    "a bound that is another": Row(X, CLIP, "m, n", NEAR, ("out = R.clip(x, 0.0, 5.0)",), OPERANDS.format("out")),
    "a bound of another dtype": Row(X, CLIP, "m, n", NEAR, ("out = R.clip(x, 0, 6)",), OPERANDS.format("out")),
    "bounds that are integers": Row(X, WHOLE, "m, n", NEAR, ("out = R.clip(x, 0, 6)",)),
    "an integer that is another": Row(X, WHOLE, "m, n", NEAR, ("out = R.clip(x, 0, 7)",), TYPES.format("out")),
    "a float for an integer": Row(X, WHOLE, "m, n", NEAR, ("out = R.clip(x, 0.0, 6.0)",), OPERANDS.format("out")),
    "two in a tuple": Row("x: m; y: m", JOIN, "m * 2", "x: k; y: k", ("out = R.concat((x, y), axis=0)",)),
    "three in a tuple": Row(
        "x: m; y: m", JOIN, "m * 2", "x: k; y: k", ("out = R.concat((x, y, y), axis=0)",), OPERANDS.format("out")
    ),
    "one in a tuple": Row("x: m; y: m", JOIN, "m * 2", "x: k; y: k", ("out = R.concat((x,), axis=0)",), OPERANDS.format("out")),
    "a shape and a constant": Row(
        X, FILLED, "m, n", NEAR,
        ("a = R.full(R.shape([k, 3]), R.const(2, 'float32'), dtype='float32')", "out = R.add(x, a)"),
    ),
    "another constant": Row(
        X, FILLED, "m, n", NEAR,
        ("a = R.full(R.shape([k, 3]), R.const(3, 'float32'), dtype='float32')", "out = R.add(x, a)"),
        OPERANDS.format("a"),
    ),
    "another shape": Row(
        X, FILLED, "m, n", NEAR,
        ("a = R.full(R.shape([1, 3]), R.const(2, 'float32'), dtype='float32')", "out = R.add(x, a)"), EXTENTS,
    ),
    # --- attributes
    "an axis from the end": Row(X, LAST, "m, 1", "x: k, 4", ("out = R.take(x, R.const([1], 'int64'), axis=-1)",)),
    "another axis": Row(
        X, LAST, "m, 1", "x: k, 4", ("out = R.take(x, R.const([1], 'int64'), axis=-2)",),
        "out has another axis than the contract",
    ),
    "an axis that is counted from elsewhere": Row(
        "x: m; y: m", JOIN, "m * 2", "x: k; y: k", ("out = R.concat((x, y), axis=-1)",),
        "out has another axis than the contract",
    ),
    "all axes of none": Row("x: ", ("e = R.exp(x)", "z = R.sum(e)"), "", "x: ", ("p = R.exp(x)", "out = R.sum(p, axis=[])")),
    "all axes of none, of a parameter": Row("x: ", ("z = R.sum(x, axis=[])",), "", "x: ", ("out = R.sum(x)",)),
    "an out_dtype that is written": Row(HALF, PRODUCT, "m, n", HALVES, (FULL_PRODUCT.format("float16"), "out = R.exp(y)"), "", "float16"),
    "an out_dtype that is another": Row(
        HALF, PRODUCT, "m, n", HALVES, (FULL_PRODUCT.format("float32"), "out = R.exp(y)"),
        "y has another out_dtype than the contract", "float16",
    ),
    # --- extents
    "a condition of a name that is used": Row(
        "x: m, k; w: k, n", ALIGNED, "m, n", "x: n, 16; w: 16, 3", ("out = R.matmul(x, w)",)
    ),
    "a condition that is not met": Row(
        "x: m, k; w: k, n", ALIGNED, "m, n", "x: n, 12; w: 12, 3", ("out = R.matmul(x, w)",), EXTENTS
    ),
    "a result of which less is said": Row(
        X, ("z = R.exp(x)",), "m, n", NEAR, ("out: R.Tensor(dtype='float32', ndim=2) = R.exp(x)",), TYPES.format("out")
    ),
    "symbols of other names": Row(X, ("z = R.exp(x)",), "m, n", "x: n, m", ("out = R.exp(x)",)),
    "a rank that is another": Row(X, ("z = R.exp(x)",), "m, n", "x: m", ("out = R.exp(x)",), TYPES.format("out")),
    "a dtype that is another": Row(X, ("z = R.exp(x)",), "m, n", "x: k, 3 @ float16", ("out = R.exp(x)",), TYPES.format("out")),
    "a number": Row("x: m, 4", ("z = R.exp(x)",), "m, 4", "x: k, 4", ("out = R.exp(x)",)),
    "a number that is another": Row("x: m, 4", ("z = R.exp(x)",), "m, 4", NEAR, ("out = R.exp(x)",), TYPES.format("out")),
    "a symbol for a number": Row("x: m, 4", ("z = R.exp(x)",), "m, 4", "x: k, n", ("out = R.exp(x)",), EXTENTS),
    "a number for a symbol": Row(X, ("z = R.exp(x)",), "m, n", "x: 1, 0", ("out = R.exp(x)",)),
    "an extent that is computed": Row("x: m, m * 2", ("z = R.exp(x)",), "m, m * 2", "x: n, n + n", ("out = R.exp(x)",)),
    "an extent that is computed otherwise": Row(
        "x: m, m * 2", ("z = R.exp(x)",), "m, m * 2", "x: n, n + 2", ("out = R.exp(x)",), EXTENTS
    ),
    "one symbol twice": Row("x: m, m", ("z = R.exp(x)",), "m, m", "x: n, n", ("out = R.exp(x)",)),
    "one symbol for two": Row("x: m, m", ("z = R.exp(x)",), "m, m", "x: n, k", ("out = R.exp(x)",), EXTENTS),
    "one symbol for two numbers": Row("x: m, m", ("z = R.exp(x)",), "m, m", "x: 2, 3", ("out = R.exp(x)",), TYPES.format("out")),
}  # fmt: skip


def texts(row: Row) -> tuple[str, str]:
    """The library and the program of a row."""
    head = f"{SYMBOLS}\n@I.ir_module\nclass Module:\n"
    lines = "\n".join(f"            {each}" for each in row.bindings)
    main = f"    @R.function\n    def main({tensors(row.params)}):\n        with R.dataflow():\n{lines}\n"
    own = contract("f", row.given, row.contract, row.result, row.dtype)
    return head + own, f"{head}{main}            R.output(out)\n        return out\n"


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ROWS)
def test_what_is_taken_and_why_the_rest_is_not(name: str) -> None:
    library, program = texts(ROWS[name])
    checked = rr.check(rr.parse(program))
    (step,) = lower(checked, passes=("dispatch_library",), libraries=[rr.parse(library)]).steps
    _, nowhere, why = step.evidence.partition("lib.f is called nowhere: ")
    assert ("lib.f (1)" in step.evidence, why) == (not ROWS[name].why, ROWS[name].why), step.evidence
    assert [each.proved for each in step.claims] in ([], [True]) or (why, len(step.claims)) == (EXTENTS, 1)
    assert bool(nowhere) == ('R.call_dps_packed("lib.f"' not in rr.print_module(step.module.module))


@pytest.mark.parametrize(("name", "wanted"), [("as it is", 5), ("exchanged", 6), ("two bindings for two", 5)])
def test_how_many_names_are_looked_at(name: str, wanted: int) -> None:
    """A matcher that may look at fewer finds nothing: each name of the pattern counts, each time that it is tried."""
    library, program = (rr.check(rr.parse(each)) for each in texts(ROWS[name]))
    (block,) = program.module.relax_functions()["main"].body.blocks
    assert isinstance(block, DataflowBlock)
    site = BlockSite(program, program.types["main"], frozenset(), block)

    def ways(steps: int) -> list[_Way]:
        return list(_Matcher(pattern_of(library, "f"), site, steps).variable("z", Var("out"), _Way()))

    assert not any(ways(each) for each in range(wanted)) and ways(wanted)


PROMISED = """{symbols}
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, m), "float32"), s: R.Shape(["p", "k"])):
        with R.dataflow():
            e{main} = R.exp(x)
            out = R.sum(e, axis=[0, 1])
            R.output(out)
        return out

    @R.function
    def other(x: R.Tensor((n, m), "float32"), s: R.Shape(["p", "k"])):
        with R.dataflow():
            e{other} = R.exp(x)
            out = R.sum(e, axis=[0, 1])
            R.output(out)
        return out
"""


def test_a_promise_is_one_of_its_own_function() -> None:
    """What checks a promise, and may end the run there, stays; a name of another function is another name."""
    annotation = ': R.Tensor((p, k), "float32")'
    library = rr.parse(
        texts(Row(X, ("e = R.exp(x)", "z = R.sum(e, axis=[0, 1])"), "", NEAR, ()))[0].partition("\n    @R.function\n")[
            0
        ]
    )
    for main, other in (("", ""), (annotation, ""), ("", annotation), (annotation, annotation)):
        checked = rr.check(rr.parse(PROMISED.format(symbols=SYMBOLS, main=main, other=other)))
        made = lower(checked, passes=("dispatch_library",), libraries=[library]).module.module
        for name, promise in (("main", main), ("other", other)):
            text = rr.print_module(made).partition(f"def {name}(")[2].partition("return")[0]
            assert ("lib.f" in text) is not bool(promise), (name, main, other)


@pytest.mark.parametrize(("low", "high", "is_taken"), [(4, 4, True), (4, 5, False), (3, 4, False)])
def test_what_the_caller_promises_of_its_symbols_counts(low: int, high: int, is_taken: bool) -> None:
    library, program = texts(Row("x: m, 4", ("z = R.exp(x)",), "m, 4", "x: k, n", ("out = R.exp(x)",)))
    said = f'"tir_var_lower_bound": {{"n": {low}}}, "tir_var_upper_bound": {{"n": {high}}}'
    program = program.replace("        with R.dataflow", f"        R.func_attr({{{said}}})\n        with R.dataflow")
    made = lower(rr.check(rr.parse(program)), passes=("dispatch_library",), libraries=[rr.parse(library)]).module.module
    assert ('R.call_dps_packed("lib.f"' in rr.print_module(made)) is is_taken


def test_the_nearest_miss_is_kept() -> None:
    misses = Misses({"a", "b"})
    for library, matched, why in (
        ("a", 0, "none"),
        ("a", 2, "first"),
        ("a", 2, "later"),
        ("a", 1, "less"),
        ("c", 3, "?"),
    ):
        misses.note(library, matched, why)
    assert misses.told() == {"a": "first", "b": "no operator like its last one stands in a dataflow block"}
