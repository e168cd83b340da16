"""A verdict never says more than was found: the word is derived from counts, and nothing compared is no agreement."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax import cli
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.report import EXIT
from refrelax.judge.stages import Stage, StagesEnded
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict
from refrelax.semantics.numbers.verdicts import Counts, Inside, Outside, Undecided

HEAD = "@I.ir_module\nclass Module:\n    @R.function\n"


def program(*lines: str, shape: str = "(2, 3)", ret: str = '(2,), "float32"') -> rr.CheckedModule:
    head = f'{HEAD}    def main(x: R.Tensor({shape}, "float32")) -> R.Tensor({ret}):\n'
    return rr.check(rr.parse(head + "".join(f"        {line}\n" for line in lines)))


TAKE = 'y = R.take(x, R.const({}, "int64"), axis=1, mode="fast")'
X = rr.Tensor.of([[1.5, -2.0, 0.25], [4.0, 0.5, -1.0]], "float32")


class Gives:
    """An implementation that gives what it is told."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def run(self, _module: rr.Module, _entry: str, args: Any) -> Any:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome(args) if callable(self.outcome) else self.outcome


def returned(*values: list[Any]) -> rr.Returned:
    tensors = tuple(rr.Tensor.of(each, "float32") for each in values)
    return rr.Returned(tensors[0] if len(tensors) == 1 else tensors)


# --- what is open is named -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("impl", ["numpy", Gives(returned([7.0, 8.0]))], ids=["numpy", "whole"])
@pytest.mark.parametrize("after", ["z = R.add(y, R.const(1.0, 'float32'))", "z = R.negative(y)", "z = y"])
def test_a_result_that_is_all_open_is_no_agreement(impl: Any, after: str) -> None:
    checked = program(TAKE.format(-1), after, "return z")
    verdict = rr.diff(checked, "main", [X], impl=impl)
    assert isinstance(verdict, rr.NoVerdict) and verdict.word == "OPEN" and EXIT[verdict.word] == 3
    (found,) = verdict.report.open
    assert (found.rule, found.binding, found.count) == ("op.take/out-of-range", "main/y", 2)
    assert found.span is not None and found.span.line == 5
    assert found.note == "index -1 of 3 on axis 1" and found.note in str(verdict)
    assert verdict.report.compared == 0 and verdict.report.excluded == 2
    assert "main/y"[5:] in str(verdict) and "op.take/out-of-range" in str(verdict)


def test_each_result_needs_something_compared() -> None:
    """One result that agrees does not cover another of which nothing is known."""
    checked = rr.check(rr.parse(
        f'{HEAD}    def main(x: R.Tensor((2, 3), "float32")):\n        {TAKE.format(-1)}\n'
        "        w = R.negative(x)\n        return (w, y)\n"
    ))  # fmt: skip
    verdict = rr.diff(checked, "main", [X], impl="numpy")
    assert isinstance(verdict, rr.NoVerdict) and verdict.word == "OPEN" and "the result[1]" in verdict.why


def test_what_is_partly_open_agrees_with_the_count_in_the_first_line() -> None:
    checked = rr.check(rr.parse(
        f'{HEAD}    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 2), "float32"):\n'
        '        y = R.take(x, R.const([0, 7], "int64"), axis=1, mode="fast")\n        return y\n'
    ))  # fmt: skip
    verdict = rr.diff(checked, "main", [X], impl="numpy")
    assert isinstance(verdict, rr.Agreement) and verdict.word == "AGREE"
    assert verdict.report.excluded == 2 and verdict.report.inside == 2
    assert "2 elements open" in str(verdict).splitlines()[0]


def test_a_run_that_is_open_as_a_whole_names_rule_binding_and_place() -> None:
    checked = rr.check(rr.parse(
        f'{HEAD}    def main(x: R.Tensor((3,), "int32")) -> R.Tensor((3,), "int32"):\n'
        '        a = R.negative(x)\n        y = R.floor_divide(a, R.subtract(x, x))\n        return y\n'
    ))  # fmt: skip
    verdict = rr.diff(checked, "main", [[1, 2, 3]], impl="numpy")
    assert isinstance(verdict, rr.NoVerdict) and verdict.word == "OPEN" and verdict.excluded
    (found,) = verdict.report.open
    assert (found.rule, found.binding, found.count) == ("num/int-division-by-zero", "main/y", None)
    assert found.span is not None and found.span.line == 6


@pytest.mark.parametrize(("given", "word"), [([0.25, -1.0], "AGREE"), ([1.5, 4.0], "DIVERGE")])
def test_the_strict_profile_compares_what_onnx_fixes(given: list[float], word: str) -> None:
    """A negative index counts from the end in ONNX; Relax leaves it open."""
    checked = program(TAKE.format(-1), "return y")
    assert rr.diff(checked, "main", [X], impl=Gives(returned(given))).word == "OPEN"
    assert rr.diff(checked, "main", [X], impl=Gives(returned(given)), strict=True).word == word


def test_a_crash_on_an_open_run_is_reported_under_strict() -> None:
    checked = rr.check(rr.parse(
        f'{HEAD}    def main(x: R.Tensor((3,), "int32")) -> R.Tensor((3,), "int32"):\n'
        "        y = R.floor_divide(x, R.subtract(x, x))\n        return y\n"
    ))  # fmt: skip
    dies = Gives(ImplementationFailed("crash", "SIGFPE"))
    assert rr.diff(checked, "main", [[1, 2, 3]], impl=dies).word == "OPEN"
    found = rr.diff(checked, "main", [[1, 2, 3]], impl=dies, strict=True)
    assert isinstance(found, rr.Divergence) and found.kind == "crash" and "open" in found.message


# --- what is too wide, empty or no tensor ---------------------------------------------------------------------------


WIDE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 24), "float16")) -> R.Tensor((3, 24), "float16"):
        a = R.exp(x)
        b = R.subtract(a, R.exp(x))
        c = R.divide(b, R.subtract(a, R.exp(x)))
        return c
"""


def test_a_wide_set_is_never_agreement() -> None:
    given_ = rr.Tensor.of([[0.25 * k for k in range(1, 25)]] * 3, "float16")
    checked = rr.check(rr.parse(WIDE))
    verdict = rr.diff(
        checked, "main", [given_], impl=Gives(lambda _a: rr.Returned(rr.Tensor.of([[1.0] * 24] * 3, "float16")))
    )
    assert isinstance(verdict, rr.NoVerdict) and verdict.word == "UNDECIDED"
    assert verdict.report.undecided > 0 and EXIT[verdict.word] == 3


@pytest.mark.parametrize(("found", "word"), [((0, 3), "AGREE"), ((0, 4), "DIVERGE"), ((1, 3), "DIVERGE")])
def test_a_result_without_elements_is_compared_by_shape_and_dtype(found: tuple[int, int], word: str) -> None:
    np = pytest.importorskip("numpy")
    checked = program("y = R.negative(x)", "return y", shape="(0, 3)", ret='(0, 3), "float32"')
    verdict = rr.diff(
        checked, "main", [np.zeros((0, 3), "float32")], impl=Gives(rr.Returned(np.zeros(found, "float32")))
    )
    assert verdict.word == word and verdict.report.compared > 0


@pytest.mark.parametrize(("value", "word"), [(rr.Shape((2, 3)), "AGREE"), (rr.Shape((3, 2)), "DIVERGE")])
def test_a_shape_is_compared_by_value(value: rr.Shape, word: str) -> None:
    checked = rr.check(rr.parse(
        f'{HEAD}    def main(x: R.Tensor((2, 3), "float32")) -> R.Shape([2, 3]):\n'
        "        y = R.shape_of(x)\n        return y\n"
    ))  # fmt: skip
    verdict = rr.diff(checked, "main", [X], impl=Gives(rr.Returned(value)))
    assert verdict.word == word


# --- whose fault it is ------------------------------------------------------------------------------------------------


NEGATE = ("y = R.negative(x)", "z = R.sum(y, axis=[1])", "return z")


@pytest.mark.parametrize(
    ("kind", "word", "reason"),
    [
        ("absent", "NO-VERDICT", "absent"),
        ("unread", "NO-VERDICT", "unread"),
        ("unsupported", "NO-VERDICT", "unsupported"),
        ("fault", "NO-VERDICT", "fault"),
        ("crash", "DIVERGE", "crash"),
        ("hang", "DIVERGE", "hang"),
        ("refused", "DIVERGE", "refused"),
    ],
)
def test_how_an_implementation_fails_decides_whose_fault_it_is(kind: str, word: str, reason: str) -> None:
    verdict = rr.diff(program(*NEGATE), "main", [X], impl=Gives(ImplementationFailed(kind, "its own words")))
    assert verdict.word == word and "its own words" in str(verdict)
    assert (verdict.kind if isinstance(verdict, rr.Divergence) else verdict.reason) == reason  # type: ignore[union-attr]
    assert verdict.report.arguments == (X,)


def test_a_fault_of_ours_is_no_divergence() -> None:
    verdict = rr.diff(program(*NEGATE), "main", [X], impl=Gives(rr.InternalError("out of order")))
    assert isinstance(verdict, rr.NoVerdict) and verdict.reason == "fault"


# --- binding by binding, and the whole ------------------------------------------------------------------------------


class Shows:
    """Another module under the definition's own eyes: every binding is shown as it came out there."""

    def __init__(self, other: rr.CheckedModule, hide: str = "") -> None:
        self.other, self.hide = other, hide

    def run(self, _module: rr.Module, entry: str, args: Any) -> Any:
        return rr.run(self.other, entry, *args)

    def observe(self, _module: rr.Module, entry: str, args: Any) -> Any:
        found = rr.compile(self.other, mode="bits").observe(entry, *args)
        frames = tuple(each for each in found.frames if each.name != self.hide)
        return type(found)(found.outcome, frames)


NETWORK = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 16), "float32"), w: R.Tensor((16, 16), "float32")) -> R.Tensor((4,), "float32"):
        a = R.matmul(x, w)
        b = R.nn.softmax(a, axis=-1)
        c = R.matmul(b, w)
        d = R.nn.softmax(c, axis=-1)
        e = R.matmul(d, w)
        f = R.nn.softmax(e, axis=-1)
        g = R.exp(f)
        h = R.divide(g, f)
        i = R.sum(h, axis=[1])
        return i
"""


def network_arguments() -> list[Any]:
    from refrelax.testing.arguments import random_arguments

    return random_arguments(rr.parse(NETWORK), "main", 3, {}, "normal")


@pytest.mark.parametrize("place", ["b", "d", "i"])
def test_a_small_error_inside_a_network_is_found_at_its_binding(place: str) -> None:
    line = next(each for each in NETWORK.splitlines() if each.strip().startswith(f"{place} ="))
    name, _, value = line.strip().partition(" = ")
    off = NETWORK.replace(line, f'        {name} = R.multiply({value}, R.const(1.0001, "float32"))')
    verdict = rr.diff(rr.check(rr.parse(NETWORK)), "main", network_arguments(), impl=Shows(rr.check(rr.parse(off))))
    assert isinstance(verdict, rr.Divergence) and verdict.binding == f"main/{place}"


def test_a_binding_that_is_not_shown_is_not_agreement() -> None:
    checked = rr.check(rr.parse(WIDE))
    args = [rr.Tensor.of([[0.25 * k for k in range(24)]] * 3, "float16")]
    whole = rr.diff(checked, "main", args, impl=Shows(checked))
    hidden = rr.diff(checked, "main", args, impl=Shows(checked, hide="b"))
    assert hidden.word == "UNDECIDED" and "1 were not shown" in str(hidden)
    assert whole.report.undecided <= hidden.report.undecided + 72


# --- the views agree -----------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([1.5, 2.0, float("nan"), None]), min_size=2, max_size=2), st.sampled_from([-1, 0, 2, 5])
)
def test_the_word_is_derived_from_the_counts(values: list[float | None], index: int) -> None:
    """Whatever an implementation gives: agreement has something inside, nothing outside and nothing undecided."""
    checked = program(TAKE.format(index), "return y")
    poison = tuple((f"value[{k}]", "impl/open") for k, each in enumerate(values) if each is None)
    outcome = rr.Returned(rr.Tensor.of([each or 0.0 for each in values], "float32"), poison=poison)
    verdict = rr.diff(checked, "main", [X], impl=Gives(outcome))
    counts = verdict.report.counts
    match verdict:
        case Agreement():
            assert counts.decided
        case Divergence():
            assert counts.outside > 0
        case NoVerdict():
            assert not counts.decided
    assert (index in (0, 2)) or verdict.word == "OPEN"


def test_text_json_and_exit_code_say_one_thing(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for index, word in ((-1, "OPEN"), (1, "AGREE")):
        file = tmp_path / f"m{index}.py"
        file.write_text(rr.print_module(program(TAKE.format(index), "return y").module), "utf-8")
        code = cli.main(["diff", str(file), "--impl", "numpy", "--random", "0", "--json"])
        row = json.loads(capsys.readouterr().out)
        assert code == EXIT[word] and row["verdict"] == word and row["says"].startswith(word)
        assert {"compared", "inside", "outside", "undecided", "excluded", "refused", "open", "relaxations", "trusts",
                "arguments"} <= row.keys()  # fmt: skip
        assert cli.main(["diff", str(file), "--impl", "numpy", "--random", "0"]) == code
        assert capsys.readouterr().out.startswith(word)


def test_counts_add_up() -> None:
    a, b = Counts(1, 0, 2, 3, 4), Counts(5, 6, 7, 8, 9)
    assert a + b == Counts(6, 6, 9, 11, 13) and (a + b).compared == 21
    assert not Counts().decided and Counts(inside=1).decided and not Counts(inside=1, undecided=1).decided


def test_an_all_open_tensor_is_not_inside() -> None:
    permitted = rr.run(program(TAKE.format(-1), "return y"), "main", X, numerics="enclosure")
    assert isinstance(permitted, rr.Returned)
    assert isinstance(permitted.value.judge([1.0, 2.0]), Undecided)
    partly = rr.run(program(TAKE.format(0), "return y"), "main", X, numerics="enclosure")
    assert isinstance(partly, rr.Returned)
    assert isinstance(partly.value.judge([1.5, 4.0]), Inside)
    assert isinstance(partly.value.judge([1.5, 4.5]), Outside)


# --- what an answer leaned on ----------------------------------------------------------------------------------------


def test_the_sign_of_a_zero_that_was_let_pass_is_named() -> None:
    checked = program("y = R.add(x, R.const(0.0, 'float32'))", "return y", shape="(3,)", ret='(3,), "float32"')
    x = rr.Tensor.of([0.0, 1.5, -2.0], "float32")
    crossed, plain = returned([-0.0, 1.5, -2.0]), returned([0.0, 1.5, -2.0])
    assert rr.diff(checked, "main", [x], impl=Gives(plain)).report.relaxations == ()
    verdict = rr.diff(checked, "main", [x], impl=Gives(crossed))
    assert isinstance(verdict, rr.Agreement) and verdict.report.relaxations == ("zero-sign",)
    assert str(verdict).endswith("under zero-sign")


def test_what_the_strict_profile_alone_refuses_says_so() -> None:
    checked = program("y = R.add(x, R.const(0.0, 'float32'))", "return y", shape="(3,)", ret='(3,), "float32"')
    x = rr.Tensor.of([0.0, 1.5, -2.0], "float32")
    sign = rr.diff(checked, "main", [x], impl=Gives(returned([-0.0, 1.5, -2.0])), strict=True)
    wrong = rr.diff(checked, "main", [x], impl=Gives(returned([0.0, 1.5, -3.0])), strict=True)
    assert isinstance(sign, rr.Divergence) and "Relax permits it" in sign.message
    assert isinstance(wrong, rr.Divergence) and "Relax permits it" not in wrong.message


def test_validate_names_the_sign_of_a_zero() -> None:
    first = program("y = R.add(x, R.const(0.0, 'float32'))", "return y", shape="(3,)", ret='(3,), "float32"')
    second = program("y = R.multiply(x, R.const(1.0, 'float32'))", "return y", shape="(3,)", ret='(3,), "float32"')
    args = [rr.Tensor.of([-0.0, 1.5, -2.0], "float32")]
    verdict = rr.validate(first, second, args=args)
    assert isinstance(verdict, rr.Tested) and verdict.relaxations == ("zero-sign",)
    assert "under zero-sign" in str(verdict) and "%" not in verdict.unproved


def test_a_refusal_is_counted_as_one() -> None:
    checked = program("y = R.negative(x)", "return y", shape="(3,)", ret='(3,), "float32"')
    x = rr.Tensor.of([0.0, 1.5, -2.0], "float32")
    verdict = rr.diff(checked, "main", [x], impl=Gives(ImplementationFailed("refused", "no")))
    assert isinstance(verdict, rr.Divergence) and verdict.kind == "refused"
    assert (verdict.report.refused, verdict.report.outside) == (1, 0)

    class Refusing:
        def stages(self, module: rr.Module, _pipeline: str) -> Any:
            yield Stage("read", rr.print_module(module), {})
            raise StagesEnded("Fuse", "refused", "no")

    found = rr.bisect(checked, "main", [x], impl=Refusing())
    assert isinstance(found, rr.WrongPass) and found.kind == "refused"
    assert (found.report.refused, found.report.outside) == (1, 0)


@pytest.mark.thorough
def test_runs_look_at_positions_of_long_axes() -> None:
    """Indices are drawn along axes that arguments have, not among the smallest numbers alone."""

    def take(index: str) -> rr.CheckedModule:
        return rr.check(rr.parse(
            f'{HEAD}    def main(x: R.Tensor((5000,), "float32"), i: R.Tensor((3,), "int64")):\n'
            f'        y = R.take(x, {index}, axis=0, mode="fast")\n        return y\n'
        ))  # fmt: skip

    # wrong from 2 000 to 3 999: neither numbers that the programs name nor an end of the axis
    thousands = 'R.floor_divide(i, R.const(1000, "int64"))'
    middle = f'R.equal(R.floor_divide({thousands}, R.const(2, "int64")), R.const(1, "int64"))'
    verdict = rr.validate(take("i"), take(f'R.where({middle}, R.const(0, "int64"), i)'))
    assert isinstance(verdict, rr.Refuted)
