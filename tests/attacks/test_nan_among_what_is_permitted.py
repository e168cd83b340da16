"""What is said of a permitted set names NaN, and does not call determined, or forbidden, what means nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main
from refrelax.semantics.judging import set_text
from refrelax.semantics.numbers.intervals import Interval
from refrelax.views import permitted

EXTREME = "@R.function\ndef main(x: R.Tensor((3,), 'float32')):\n    y = R.max(x)\n    return y\n"
ROOT = "@R.function\ndef main(x: R.Tensor((2,), 'float32')):\n    y = R.sqrt(x)\n    return y\n"
CARELESS = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        T.evaluate(0)
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((3,), "float32"))
        return y
"""


def test_a_set_of_numbers_and_nan() -> None:
    assert set_text(Interval(1.0, 2.0, True), "float32") == "1 to 2 or nan"
    assert set_text(Interval(1.0, 1.0, True), "float32") == "1 or nan"
    assert (set_text(1.0, "float32"), set_text(float("nan"), "float32")) == ("1", "nan")


def test_bounds_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``from -inf to 2.0`` of what is NaN in the canonical run; ``None`` of what is NaN alone."""
    (tmp_path / "max.py").write_text(EXTREME)
    (tmp_path / "root.py").write_text(ROOT)
    given = ["run", str(tmp_path / "max.py"), "--arg", 'x=[1,"nan",2]', "--numerics", "enclosure"]
    assert main(given) == 0 and "from -inf to 2.0 or nan\n" in capsys.readouterr().out
    assert main([*given, "--json"]) == 0 and json.loads(capsys.readouterr().out)["value"]["nan"] == [[]]
    root = ["run", str(tmp_path / "root.py"), "--arg", "x=[-1,4]", "--numerics", "enclosure"]
    assert main(root) == 0 and "from [nan, 2.0] to [nan, 2.0]\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "given", "said", "never"),
    [
        (EXTREME, [1.0, float("nan"), 2.0], "from -inf to 2.0, and NaN", "no number"),
        (ROOT, [-1.0, -4.0], "NaN alone is permitted", "open"),
        (CARELESS, [1.0, 2.0, 3.0], "3 open, nothing to compare", "exact, 3"),
        (CARELESS, [1.0, 2.0, 3.0], "the element means nothing", "no number is permitted"),
    ],
)
def test_the_page_of_what_is_permitted(text: str, given: list[float], said: str, never: str) -> None:
    page = permitted.page(rr.check(rr.parse(text)), "main", [given])
    assert said in page and never not in page


def test_what_is_open_is_not_drawn_as_determined() -> None:
    page = permitted.page(rr.check(rr.parse(CARELESS)), "main", [[1.0, 2.0, 3.0]])
    assert "#16a34a" not in page
