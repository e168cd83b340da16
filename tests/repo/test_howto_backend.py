"""``docs/howto-backend.md``: its implementation agrees, is judged as the page says, and does not when it is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.interop.foreign import Foreign

pytest.importorskip("numpy")

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "howto-backend.md").read_text("utf-8")
TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((3,), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.add(a, a)
            R.output(b)
        return b
"""
SUM = "np.add(known[a].numpy(), known[b].numpy())"


@pytest.mark.parametrize(("sums", "agrees"), [(SUM, True), (f"{SUM} * np.float32(1.001)", False)])
def test_the_implementation_of_the_guide(sums: str, agrees: bool) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None and SUM in found[1]
    made: dict[str, Any] = {}
    exec(compile(found[1].replace(SUM, sums), "mini.py", "exec"), made)
    args = [[[1.5, 2.25, 3.125], [0.5, 7.0, 9.0]], [1.0, 3.0, 5.0]]
    given = [rr.Tensor.of(each, "float32") for each in args]
    answer = rr.diff(rr.check(rr.parse(TEXT)), "main", given, impl=Foreign(made["Mini"]()))
    assert isinstance(answer, rr.Agreement) is agrees, answer
