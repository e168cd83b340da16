"""What a notebook and a prompt show: short, escaped, and what it is."""

from __future__ import annotations

from typing import Any

import refrelax as rr
from refrelax.views.recording import record

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
        R.func_attr({"note": "<script>alert(1)</script>"})
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        return y
"""


def values() -> dict[str, Any]:
    module = rr.parse(TEXT)
    checked = rr.check(module)
    return {
        "module": module,
        "checked": checked,
        "lowered": rr.lower(checked),
        "returned": rr.run(checked, "main", [1.0, 2.0]),
        "exhausted": rr.run(checked, "main", [1.0, 2.0], budget=rr.Budget(elements=1)),
        "report": rr.validate(checked, checked).report,
        "recording": record(checked, "main", [1.0, 2.0]),
        "proved": rr.prove("n // 2 <= n", assume=["n >= 0"]),
        "refuted": rr.prove("n > m"),
        "equivalent": rr.validate(checked, checked),
        "counterexample": rr.validate(checked, rr.parse(TEXT.replace("add(x, x)", "multiply(x, x)"))),
        "agreement": rr.diff(checked, "main", [[1.0, 2.0]], impl="numpy"),
    }


def test_the_repr_of_each_is_short() -> None:
    for name, value in values().items():
        assert len(repr(value)) < 600, (name, len(repr(value)))
    assert repr(values()["module"]) == "<Module: main>"
    assert "2 types" in repr(values()["checked"])


def test_a_notebook_shows_each_escaped() -> None:
    for name, value in values().items():
        shown = value._repr_html_()
        assert shown.startswith("<") and "<script>alert" not in shown, name
        assert len(shown) < 200_000, name


def test_a_notebook_says_of_an_answer_what_it_rests_on() -> None:
    shown = {name: value._repr_html_() for name, value in values().items()}
    assert "REFUTED" in shown["counterexample"] and "argument 0" in shown["counterexample"]
    assert "n" in shown["refuted"] and "stage" in shown["proved"] and "main/y" in shown["agreement"]
    assert "plan_memory" in shown["lowered"] and "trusts" in shown["equivalent"]


def test_a_long_module_is_folded_and_a_short_one_is_not() -> None:
    lines = "".join(f"            y{k + 1} = R.add(y{k}, x)\n" for k in range(60))
    text = TEXT.replace("            y = R.add(x, x)\n", "            y0 = R.add(x, x)\n" + lines)
    long = rr.parse(text.replace("output(y)", "output(y60)").replace("return y", "return y60"))
    assert long._repr_html_().startswith("<details>") and rr.parse(TEXT)._repr_html_().startswith("<div>")
