"""What a campaign swallowed or blamed wrongly, and scripts of findings that did not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.errors import UsageError
from refrelax.interop.tvm.script import script
from refrelax.judge.bisect import WrongPass, follow
from refrelax.judge.campaign import sequences
from refrelax.judge.campaign.known import known_as, load
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.stages import Stage
from refrelax.semantics.values import Prim

TEXT = """
@I.ir_module
class Module:
    @R.function
    def helper(x: R.Tensor((2,), "float32")):
        lv = R.exp(x)
        return lv

    @R.function
    def main(x: R.Tensor((2,), "float32"), i: R.Tensor((2,), "int64")):
        lv = R.take(x, i, axis=0)
        return lv
"""
WIDE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 24), "float16")):
        a = R.exp(x)
        b = R.subtract(a, R.exp(x))
        c = R.divide(b, R.subtract(a, R.exp(x)))
        return c
"""


class Dies:
    """What is built dies; ``after``: what its one pass makes."""

    def __init__(self, after: str) -> None:
        self.after = after

    def stages(self, module: rr.Module, pipeline: str) -> Iterator[Stage]:
        if pipeline == "lacking":
            raise UsageError("this TVM has no such pass")
        yield Stage("read", rr.print_module(module), {})
        yield Stage("pass", self.after, {})

    def implementation(self, _pipeline: str) -> Any:
        return self

    def run(self, *_: Any) -> Any:
        raise ImplementationFailed("crash", "SIGSEGV")


def test_known_causes_are_lists_of_texts_where_a_star_alone_stands_for_more(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text('[[known]]\nid = "one"\ncauses = "refused: op.cc:*"\n')
    with pytest.raises(UsageError, match="expected a list"):
        load(path)
    path.write_text('[[known]]\nid = "one"\ncauses = ["refused: a[0] is *?"]\n')
    known = load(path)
    assert known_as("refused: a[0] is what?", known) == "one" and known_as("refused: a0 is what!", known) is None


@pytest.mark.parametrize(("binding", "operator"), [("main/lv", "R.take"), ("helper/lv", "R.exp")])
def test_a_binding_is_that_of_its_function(binding: str, operator: str) -> None:
    at = Stage("read", TEXT, {})
    wrong = WrongPass("LegalizeOps", 1, "it is outside", binding, at, at, (), rr.Returned(1), None)
    assert sequences.cause_of_step(wrong, rr.check(rr.parse(TEXT))).operators == (operator,)


def test_a_build_that_dies_is_found_where_elements_are_open_or_undecided() -> None:
    x, i = rr.Tensor.of([1.0, 2.0], "float32"), rr.Tensor.of([9, 9], "int64")
    wide = rr.Tensor.of([[0.25 * k for k in range(1, 25)]] * 3, "float16")
    ones = WIDE.replace("return c", 'd = R.ones((3, 24), "float16")\n        return d')
    for text, args, after in ((TEXT, [x, i], TEXT), (WIDE, [wide], ones)):
        answer = follow(rr.parse(text), "main", args, Dies(after), "p").answer
        assert isinstance(answer, WrongPass) and (answer.name, answer.kind, answer.part) == ("build", "crash", "run")


def test_a_pass_that_a_wheel_lacks_ends_no_campaign() -> None:
    x, i = rr.Tensor.of([1.0, 2.0], "float32"), rr.Tensor.of([1, 0], "int64")
    judged = sequences.judge(Dies(TEXT), sequences.Pair(TEXT, (x, i), ("lacking",)))
    assert judged.why is not None and judged.why.reason == "lacking"


@pytest.mark.parametrize("pipeline", ["LegalizeOps,FoldConstant", "cpu_generic", "zero", "passes.py:mine"])
def test_a_script_finds_its_pipeline_and_reads_infinities(pipeline: str) -> None:
    text = TEXT.replace("R.exp(x)", 'R.add(x, R.const(float("inf"), "float32"))')
    args = [Prim("float32", float("inf"))]
    said = script(rr.parse(text), args, "0.27.0", "llvm", pipeline, "a title", 'it says "no"')
    ast.parse(said)
    assert 'R.const(special["inf"]' in said and "    np.inf,\n" in said
    assert ("get_pipeline(" in said) is (pipeline == "zero") and f"pipeline {pipeline}\n" in said
