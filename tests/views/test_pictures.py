"""Derivations as trees, passes and answers side by side, memory plans as charts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main
from refrelax.views import comparison, derivation, plan

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32")) -> R.Tensor((n, 3), dtype="float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, a)
            c = R.cumsum(b, axis=0)
            d = R.multiply(c, b)
            R.output(d)
        return d
"""


def test_a_premise_is_the_binding_that_it_is_about() -> None:
    text = """
@R.function
def main(x: R.Tensor((2,), "float32"), body: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    value = R.exp(body)
    y = R.sqrt(x)
    @R.function
    def inner(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        b = R.negative(a)
        return b
    z = R.add(y, R.const(1.0, "float32"))
    w = R.match_cast(z, R.Tensor((2,), "float32"))
    v = R.add(y, value)
    return inner(w)
"""
    trees = derivation.trees(rr.check(rr.parse(text)), "main")
    said = ["".join(line.split(":")[0] for line in derivation.text(tree)) for tree in trees]
    assert said == [
        "inner/return└─ inner/b   └─ a",
        "v├─ y│  └─ x└─ value   └─ body",
        "return└─ gv   └─ w      └─ z         ├─ y         └─ (Constant)",
    ]


def test_a_derivation_is_a_tree_in_which_each_binding_is_derived_once() -> None:
    (root,) = derivation.trees(rr.check(rr.parse(TEXT)), "main")[:1]
    lines = list(derivation.text(root))
    assert sum("[op.exp]" in line for line in lines) == 1 and sum("[above]" in line for line in lines) >= 1
    at = {name: next(k for k, line in enumerate(lines) if re.search(rf"\b{name}: .*\[op", line)) for name in "abcd"}
    assert at["d"] < at["c"] < at["b"] < at["a"]


def test_a_long_chain_is_cut_into_trees_that_fit_on_a_page() -> None:
    chain = "".join(f"        v{k} = R.add(v{k - 1}, v{k - 1})\n" for k in range(1, 400))
    text = f"""
@R.function
def main(v0: R.Tensor((3,), dtype="float32")):
    with R.dataflow():
{chain}        R.output(v399)
    return v399
"""
    trees = derivation.trees(rr.check(rr.parse(text)), "main")
    lines = [line for tree in trees for line in derivation.text(tree)]
    assert max(map(len, lines)) < 150 and len(lines) < 1000
    for k in range(1, 400):
        assert sum(f"v{k}: " in line and "[op.add]" in line for line in lines) == 1


def test_its_picture_is_svg_with_every_type() -> None:
    trees = derivation.trees(rr.check(rr.parse(TEXT)), "main")
    picture = ET.fromstring(derivation.svg(trees, 'a "title" <b>'))
    said = ["".join(each.itertext()) for each in picture.iter() if each.tag.endswith("}text")]
    assert any("op.cumsum" in each for each in said) and any(each.startswith("x: R.Tensor((n, 3)") for each in said)


def test_a_pass_is_shown_side_by_side_with_its_claims() -> None:
    checked = rr.check(rr.parse(TEXT))
    page = comparison.lowered(rr.lower(checked), checked)
    assert "lo/size-fits" in page and "<h2>plan_memory</h2>" in page and "R.memory.alloc_storage" in page
    assert page.count("<tr>") > 10 and "<script" not in page


def test_a_refuted_change_is_shown_with_its_counterexample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, out = (tmp_path / name for name in ("a.py", "b.py", "out.html"))
    before.write_text(TEXT, encoding="utf-8")
    after.write_text(TEXT.replace("multiply(c, b)", "multiply(c, c)"), encoding="utf-8")
    assert main(["validate", str(before), str(after), "--html", str(out)]) == 1
    page = out.read_text(encoding="utf-8")
    assert "REFUTED" in page and "first binding that differs" in page and "main/d" in page
    gone, new = (re.findall(rf'<td class="{kind}">([^<]*)</td>', page) for kind in ("gone", "new"))
    assert [each.strip() for each in (*gone, *new)] == ["d = R.multiply(c, b)", "d = R.multiply(c, c)"]
    assert main(["validate", str(before), str(before), "--html", str(out)]) == 0
    assert "PROVED" in out.read_text(encoding="utf-8")
    assert "PROVED" in capsys.readouterr().out


def test_what_a_program_says_is_escaped() -> None:
    module = rr.parse(
        TEXT.replace("with R.dataflow():", 'R.func_attr({"s": "<img src=x>"})\n        with R.dataflow():')
    )
    assert "<img" not in comparison.difference(module, rr.parse(TEXT))


CHAIN = """
n = TypeVar("n")
@R.function
def main(x: R.Tensor((n, 3), dtype="float32"), c: R.Tensor((), "bool")):
    a = R.exp(x)
    b = R.negative(a)
    d = R.tanh(b)
    if c:
        e = R.sqrt(d)
        f = R.tanh(e)
        y = R.exp(f)
    else:
        y = R.tanh(d)
    g = R.add(y, y)
    return g
"""


@pytest.mark.parametrize("text", [TEXT, CHAIN])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_plan_lies_in_its_storages_and_what_lives_at_once_is_apart(n: int, text: str) -> None:
    lowered = rr.lower(rr.check(rr.parse(text)))
    steps = {step.name: step.module.module for step in lowered.steps}
    before, after = (plan.bars(steps[name], {"n": n}) for name in ("to_destinations", "plan_memory"))
    assert [each.bytes for each in before] == [12 * n] * len(before) and len(before) >= 3
    inside = [each for each in after if each.inside]
    sizes = {each.name: each.bytes for each in after if not each.inside}
    assert inside and all(each.offset + each.bytes <= sizes[each.inside] for each in inside)
    for a in inside:
        for b in inside:
            together = a.inside == b.inside and a.begin < b.end and b.begin < a.end and a is not b
            assert not together or a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset
    assert ET.fromstring(plan.chart(after, "after", 1.0)) is not None
    assert sum(sizes.values()) <= sum(each.bytes for each in before)


def test_what_a_branch_gives_lives_on_after_it() -> None:
    found = {each.name: each for each in plan.bars(rr.lower(rr.check(rr.parse(CHAIN))).module.module, {"n": 1})}
    results = [each for name, each in found.items() if name.startswith("y")]
    assert len(results) == 2 and all(each.end > found["g"].begin for each in results)
    assert found["a"].end < found["storage"].end


def test_the_command_draws_the_plan(tmp_path: Path) -> None:
    file, out = tmp_path / "a.py", tmp_path / "plan.html"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["lower", str(file), "--memory", "n=4,7", "--html", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert page.count("<svg") == 4 and "Memory at n=4" in page and "with the plan" in page
