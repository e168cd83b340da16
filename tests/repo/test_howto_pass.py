"""``docs/howto-pass.md``: the pass that it adds is one, and its rewrite is proved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import refrelax as rr
from refrelax.lower.claims import Ledger

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "howto-pass.md").read_text("utf-8")
TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(x)
            c = R.add(a, b)
            R.output(c)
        return c
"""


def test_the_pass_of_the_guide() -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    made: dict[str, Any] = {}
    exec(compile(found[1], "howto-pass.md", "exec"), made)
    before = rr.check(rr.parse(TEXT))
    after = rr.check(made["run"](before, Ledger()))
    text = rr.print_module(after.module)
    assert text.count("R.exp(x)") == 1 and "b = a" in text
    assert rr.validate(before, after).word == "PROVED"
