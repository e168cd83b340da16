"""Library dispatch: what is matched, what is not, and that what is done is proved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.lower import Lowered, lower
from refrelax.lower.counts import operators
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Call, ExternFunc, Op
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.dispatch_programs import PROGRAMS, SYMBOLS, library, program, tensor


def checked(text: str) -> CheckedModule:
    return rr.check(rr.parse(text))


def dispatched(before: CheckedModule, *names: str) -> Lowered:
    return lower(before, passes=["dispatch_library"], libraries=[rr.parse(library(*names))])


def calls(after: CheckedModule, entry: str = "main") -> list[str]:
    """The library functions that the entry calls, in order."""
    found = []
    for block in after.module.relax_functions()[entry].body.blocks:
        for binding in block.bindings:
            value: Any = getattr(binding, "value", None)
            if isinstance(value, Call) and value.op == Op("relax.call_dps_packed"):
                assert isinstance(value.args[0], ExternFunc)
                found.append(value.args[0].name.removeprefix("lib."))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_taken(name: str) -> None:
    it = PROGRAMS[name]
    after = dispatched(checked(program(name)), *it.tried).module
    assert calls(after) == list(it.taken)
    assert set(contracts_of(after.module)) == {f"lib.{each}" for each in it.taken}
    assert rr.parse(rr.print_module(after.module)) == after.module


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", [name for name, it in PROGRAMS.items() if it.taken])
def test_it_is_proved_for_all_shapes(name: str) -> None:
    before = checked(program(name))
    verdict = rr.validate(before, dispatched(before, *PROGRAMS[name].tried).module, rounds=1)
    assert isinstance(verdict, rr.Equivalent) and not verdict.relaxations, verdict
    assert f"the contract of lib.{PROGRAMS[name].taken[0]}" in verdict.evidence.trusts


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("name", [name for name, it in PROGRAMS.items() if it.taken])
def test_the_same_bits(name: str, n: int) -> None:
    """Of the definition, which runs the contract; and the backends agree with it."""
    before = checked(program(name))
    after = dispatched(before, *PROGRAMS[name].tried).module
    dims = {k: v for k, v in {"n": n, "m": 2, "k": 4}.items() if k in symbols_of(before.module, "main")}
    args = random_arguments(before.module, "main", 1, dims, "special")
    one, two = rr.run(before, "main", *args), rr.run(after, "main", *args)
    assert isinstance(one, rr.Returned) and isinstance(two, rr.Returned)
    assert one.value == two.value and one.poison == two.poison


def test_a_second_time_changes_nothing() -> None:
    """The contracts are in the module now: they are tried first, and are not looked into."""
    once = dispatched(checked(program("bias")), "matmul_bias", "matmul").module
    again = lower(once, passes=["dispatch_library"]).module
    assert again.module == once.module


def test_claims_are_kept_with_their_answers() -> None:
    for name, proved in (("aligned by a product", True), ("alignment unknown", False)):
        (first, *_) = dispatched(checked(program(name)), "aligned").claims
        assert first.rule == "lo/dispatch-extents" and first.fits == "int64"
        assert first.proved is proved, first
        assert "lib.aligned" in str(first)


def test_how_many_operators_went_where_is_told() -> None:
    before = checked(program("square product"))
    (step,) = lower(before, passes=["dispatch_library"]).steps
    taken = {name: list(calls(step.module)).count(name) for name in calls(step.module)}
    assert taken and all(f"{name} ({count})" in step.evidence for name, count in taken.items())
    total = operators(before.module, "main")
    left = operators(step.module.module, "main")
    told = "operators given to library functions"
    assert f"{told}: {total - left}, as" in step.evidence and f"loops: {left}" in step.evidence
    (nothing,) = lower(before, passes=["dispatch_library"], libraries=["cudnn"]).steps
    assert f"{told}: 0; left to become loops: {total}" in nothing.evidence


def test_blocks_in_branches() -> None:
    text = f"""{SYMBOLS}
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), x: {tensor("n, 3")}) -> {tensor("n, 3")}:
        if c:
            with R.dataflow():
                a = R.multiply(x, x)
                R.output(a)
            y = a
        else:
            with R.dataflow():
                b = R.exp(x)
                R.output(b)
            y = b
        return y
"""
    after = dispatched(checked(text), "square").module
    assert "lib.square" in rr.print_module(after.module)
    assert isinstance(rr.validate(checked(text), after), rr.Equivalent)


def test_a_type_that_is_only_promised_is_not_matched() -> None:
    text = f"""{SYMBOLS}
@I.ir_module
class Module:
    @R.function
    def main(x: {tensor("n, m")}, s: R.Shape(["p", "k"])) -> {tensor("p, k")}:
        with R.dataflow():
            y: {tensor("p, k")} = R.multiply(x, x)
            R.output(y)
        return y
"""
    before = checked(text)
    assert before.promises
    assert calls(dispatched(before, "square").module) == []


def test_contracts_are_left_alone_and_dropped_with_their_last_call() -> None:
    before = checked(program("not aligned"))
    module = dispatched(checked(program("aligned")), "aligned").module
    (name,) = [f for f in module.module.functions if f != "main"]
    after = lower(module, pipeline="default").module
    assert after.module.functions[name] == module.module.functions[name]
    unused = rr.parse(library("aligned", text="\n" + rr.print_module(before.module).split("class Module:\n")[1]))
    assert len(unused.functions) == 2  # nothing called it before either: it stays
    assert len(lower(rr.check(unused), passes=["legalize"]).module.module.relax_functions()) == 2


def test_whole_pipeline_is_proved() -> None:
    before = checked(program("bias"))
    after = lower(before, pipeline="dispatch").module
    assert calls(after) == ["cublas.matmul_bias_f32"]
    assert isinstance(rr.validate(before, after, rounds=1), rr.Equivalent)
    for backend in ("numpy", "cuda-emulated"):
        args = random_arguments(before.module, "main", 1, {"n": 5}, "normal")
        verdict = rr.diff(after, "main", args, impl=backend)
        assert isinstance(verdict, rr.Agreement), verdict


# --- forms of calls that validate reads ------------------------------------------------------------------------------

FORMS = {
    "call_dps_packed": ('R.call_dps_packed("lib.square", (x,), out_ty={ty})', True),
    "call_pure_packed": ('R.call_pure_packed("lib.square", x, ty_args=({ty},))', True),
    "call_packed": ('R.call_packed("lib.square", x, ty_args=({ty},))', False),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_call_is_read(form: str) -> None:
    value, pure = FORMS[form]
    main = f"""
    @R.function{"" if pure else "(pure=False)"}
    def main(x: {tensor("n, 3")}) -> {tensor("n, 3")}:
        out = {value.format(ty=tensor("n, 3"))}
        return out
"""
    after = checked(library("square", text=main))
    before = checked(program("square").replace("@R.function", f"@R.function{'' if pure else '(pure=False)'}"))
    verdict = rr.validate(before, after)
    assert isinstance(verdict, rr.Equivalent), verdict


# --- libraries that are none ----------------------------------------------------------------------------------------

BAD = {
    "two results": ("y = R.exp(x)", "(y, y)", f"R.Tuple({tensor('m, n')}, {tensor('m, n')})", "expected the result"),
    "a parameter itself": ("y = R.exp(x)", "x", tensor("m, n"), "expected the result of an operator"),
    "unknown dims": ("y = R.exp(x)", "y", 'R.Tensor(dtype="float32", ndim=2)', "known dims and dtype"),
    "a symbol of its own": (
        "y = R.match_cast(x, R.Tensor((p, n), dtype='float32'))\n        z = R.exp(x)",
        "z",
        tensor("m, n"),
        "binds no symbol",
    ),
    "a library function": (
        f'y = R.call_dps_packed("other", (x,), out_ty={tensor("m, n")})',
        "y",
        tensor("m, n"),
        "operators without effects",
    ),
    "an unused parameter": ("y = R.exp(x)", "y", tensor("m, n"), "a contract that uses unused"),
    "a check of an inner result": (
        f"y = R.match_cast(e, {tensor('m, n')})\n        z = R.exp(y)",
        "z",
        tensor("m, n"),
        "expected a match_cast of a parameter",
    ),
    "a type that is promised": (f"y: {tensor('n, m')} = R.exp(x)", "y", tensor("n, m"), "expected a type of y that"),
}
AT_THE_BINDING = ("a symbol of its own", "a library function", "a check of an inner result")


@pytest.mark.parametrize("name", BAD)
def test_a_contract_that_is_no_pattern_is_an_error_with_its_place(name: str, tmp_path: Path) -> None:
    binding, result, type_, message = BAD[name]
    more = f", unused: {tensor('m')}" if "unused" in name else ""
    first = "e = R.exp(x)\n        " if "inner" in name else ""
    text = f"""{SYMBOLS}
@I.ir_module
class Module:
    @R.function(private=True)
    def f(x: {tensor("m, n")}{more}) -> {type_}:
        R.func_attr({{"Contract": "lib.f"}})
        {first}{binding}
        return {result}
"""
    path = tmp_path / "bad.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rr.IllFormed) as caught:
        lower(checked(program("square")), pipeline="dispatch", libraries=[str(path)])
    (found,) = caught.value.diagnostics
    assert found.rule == "lo/dispatch-pattern" and message in found.message
    assert str(found).startswith(f"{path}:") and found.span is not None and found.span.line > 6
    line = text.splitlines()[found.span.line - 1].strip()
    assert line == binding.splitlines()[0] if name in AT_THE_BINDING else line.startswith(("def f", "@R.function"))
    # in a module of its own it says what it computes, and that is all
    own = checked(
        text + f"\n    @R.function\n    def main(x: {tensor('n, 3')}):\n        y = R.exp(x)\n        return y\n"
    )
    assert calls(lower(own, passes=["dispatch_library"], libraries=["cublas"]).module) == []


def test_a_file_without_contracts_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "none.py"
    for text, found, line in (
        (program("square"), "main", 10),
        ("@I.ir_module\nclass Module:\n    pass\n", "no function", 1),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(rr.IllFormed) as caught:
            lower(checked(program("square")), pipeline="dispatch", libraries=[path])
        (diagnostic,) = caught.value.diagnostics
        assert f"expected a function with the attribute Contract, found {found}" in diagnostic.message
        assert diagnostic.rule == "lo/dispatch-pattern"
        assert str(diagnostic.span).startswith(f"{path}:{line}:"), diagnostic
        assert line > 1 or str(diagnostic.span) == f"{path}:1:1"


def test_usage() -> None:
    before = checked(program("square"))
    with pytest.raises(rr.UsageError, match="no library 'nosuch'"):
        lower(before, pipeline="dispatch", libraries=["nosuch"])
    with pytest.raises(rr.UsageError, match="libraries are for the pass dispatch_library"):
        lower(before, pipeline="default", libraries=["cublas"])


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from refrelax.cli import main

    contracts, file, out = tmp_path / "lib.py", tmp_path / "p.py", tmp_path / "out.py"
    contracts.write_text(library("square", "half"), encoding="utf-8")
    file.write_text(program("square"), encoding="utf-8")
    given = ["lower", str(file), "--library", str(contracts)]
    assert main([*given, "--pipeline", "dispatch", "-o", str(out)]) == 0
    assert 'R.call_dps_packed("lib.square"' in out.read_text(encoding="utf-8")
    assert main(["validate", str(file), str(out), "--require", "proved"]) == 0
    capsys.readouterr()
    assert main(given) == 2
    assert "dispatch_library" in capsys.readouterr().err
    contracts.write_text(library("square").replace("R.multiply", "R.nosuch"), encoding="utf-8")
    assert main([*given, "--pipeline", "dispatch"]) == 1
    assert f"{contracts}:" in capsys.readouterr().err


# --- random graphs ---------------------------------------------------------------------------------------------------

UNARY = ("R.exp({0})", "R.nn.relu({0})", "R.nn.gelu({0})", "R.permute_dims({0}, axes=[1, 0])", "R.abs({0})")
BINARY = ("R.matmul({0}, {1})", "R.add({0}, {1})", "R.multiply({0}, {1})", "R.add({0}, b)", "R.add(b, {0})")


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """A block of operators on square matrices, so that most of them fit together."""
    names, lines = ["x", "w"], []
    for k in range(draw(st.integers(2, 7))):
        form = draw(st.sampled_from(UNARY + BINARY))
        operands = [draw(st.sampled_from(names[-3:])) for _ in range(2)]
        lines.append(f"            v{k} = {form.format(*operands)}")
        names.append(f"v{k}")
    outputs = draw(st.sets(st.sampled_from(names[2:]), max_size=2)) | {names[-1]}
    listed = ", ".join(sorted(outputs))
    body = "\n".join(lines)
    return f"""{SYMBOLS}
@I.ir_module
class Module:
    @R.function
    def main(x: {tensor("n, n")}, w: {tensor("n, n")}, b: {tensor("n")}):
        with R.dataflow():
{body}
            R.output({listed})
        return ({listed},)
"""


OWN = ("matmul_bias", "transposed", "diamond", "relu_of_sum", "exp_exp", "square", "matmul")


def _held(text: str, libraries: Sequence[Any]) -> None:
    before = checked(text)
    after = lower(before, passes=["dispatch_library"], libraries=libraries).module
    args = random_arguments(before.module, "main", 1, {"n": 3}, "dyadic")
    one, two = rr.run(before, "main", *args), rr.run(after, "main", *args)
    assert isinstance(one, rr.Returned) and isinstance(two, rr.Returned)
    assert [t.patterns() for t in one.value] == [t.patterns() for t in two.value]


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(graphs())
def test_random_graphs(text: str) -> None:
    _held(text, [rr.parse(library(*OWN))])
    _held(text, ["cublas"])


@pytest.mark.nightly
@settings(max_examples=1500, deadline=None)
@given(graphs())
def test_many_random_graphs(text: str) -> None:
    _held(text, [rr.parse(library(*OWN)), "cublas"])
    before = checked(text)
    after = lower(before, pipeline="dispatch").module
    assert isinstance(rr.validate(before, after, rounds=1), rr.Equivalent | rr.ProvedAt)


LIBRARY = """m = TypeVar("m")
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def f(x: R.Tensor((m, n), "float32"), s: R.Tensor((n,), "float32")) -> R.Tensor((m, n), "float32"):
        R.func_attr({"Contract": "own.scaled_softmax"})
        with R.dataflow():
            y = R.multiply(x, s)
            z = R.nn.softmax(y, axis=1)
            R.output(z)
        return z
"""

PROGRAM = """m = TypeVar("m")
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((m, n), "float32"), s: R.Tensor((n,), "float32")):
        with R.dataflow():
            y = R.multiply(x, s)
            z = R.nn.softmax(y, axis=-1)
            w = R.add(z, x)
            R.output(w)
        return w
"""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("", "", None),  # the last axis is axis 1
        ("axis=-1", "axis=0", "z has another axis than the contract"),
        ("R.add(z, x)", "R.add(z, y)", "y is used beside it as well"),
        ("R.multiply(x, s)", "R.divide(x, s)", "y is a R.divide, expected a R.multiply"),
        ("R.nn.softmax(y, axis=-1)", "R.exp(y)", "no operator like its last one stands in a dataflow block"),
        ('s: R.Tensor((n,), "float32")', 's: R.Tensor((m, n), "float32")',
         "the dtypes, ranks or extents at z are not those of its types"),
    ],
)  # fmt: skip
def test_a_contract_that_is_called_nowhere_says_why(old: str, new: str, why: str | None) -> None:
    program = rr.check(rr.parse(PROGRAM.replace(old, new, 1) if old else PROGRAM))
    (step,) = rr.lower(program, passes=("dispatch_library",), libraries=[rr.parse(LIBRARY)]).steps
    said = f"own.scaled_softmax is called nowhere: {why}"
    assert (said in step.evidence) if why else "nowhere" not in step.evidence
