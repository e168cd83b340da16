"""The memory of runs that a function says it never has is not told.

Spec: ``spec/12-memory.md``, *Report*; ``ev/symbol-bounds``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.cli import main
from refrelax.errors import UsageError
from refrelax.lower.memory_report import successive_use
from refrelax.views.plan import bars

SOURCE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "float32")):
        R.func_attr({ATTRS})
        a = R.exp(x)
        b = R.negative(a)
        return R.add(b, x)
"""
PROMISES = {
    '{"tir_var_upper_bound": {"n": 4}}': (0, 4),
    '{"tir_var_lower_bound": {"n": 2}, "tir_var_upper_bound": {"n": 7}}': (2, 7),
    '{"tir_var_lower_bound": {"n": 1}, "tir_non_negative_var": ["n"]}': (1, 2**62),
}


@pytest.mark.parametrize("attrs", PROMISES)
@given(n=st.integers(0, 9))
def test_a_run_beyond_a_promise_is_refused(attrs: str, n: int) -> None:
    module = rr.parse(SOURCE.replace("{ATTRS}", attrs))
    low, high = PROMISES[attrs]
    if low <= n <= high:
        assert len(successive_use(module, [{"n": low}, {"n": n}])) == 2
        bars(module, {"n": n})
        return
    with pytest.raises(UsageError, match=rf"promises .*n.*called with n = {n}"):
        successive_use(module, [{"n": low}, {"n": n}])
    with pytest.raises(UsageError, match="promises"):
        bars(module, {"n": n})


def test_the_command_names_the_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.py"
    file.write_text(SOURCE.replace("{ATTRS}", '{"tir_var_upper_bound": {"n": 4}}'), encoding="utf-8")
    assert main(["lower", str(file), "--pipeline", "paper", "--memory", "n=1,4"]) == 0
    capsys.readouterr()
    assert main(["lower", str(file), "--pipeline", "paper", "--memory", "n=4,1000"]) == 2
    said = capsys.readouterr()
    assert "n <= 4" in said.err and "n = 1000" in said.err and not said.out
