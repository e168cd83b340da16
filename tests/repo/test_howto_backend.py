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
MINI, TEXT = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
"""The implementation of the guide, and its program."""
SUM = "np.add(known[a].numpy(), known[b].numpy())"


@pytest.mark.parametrize(("sums", "agrees"), [(SUM, True), (f"{SUM} * np.float32(1.001)", False)])
def test_the_implementation_of_the_guide(sums: str, agrees: bool) -> None:
    assert SUM in MINI
    made: dict[str, Any] = {}
    exec(compile(MINI.replace(SUM, sums), "mini.py", "exec"), made)
    args = [[[1.5, 2.25, 3.125], [0.5, 7.0, 9.0]], [1.0, 3.0, 5.0]]
    given = [rr.Tensor.of(each, "float32") for each in args]
    answer = rr.diff(rr.check(rr.parse(TEXT)), "main", given, impl=Foreign(made["Mini"]()))
    assert isinstance(answer, rr.Agreement) is agrees, answer
