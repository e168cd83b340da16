"""TVM's analyzer beside the solver."""

from __future__ import annotations

import pytest

from refrelax.cli import main
from refrelax.interop.tvm.analyzer import TvmAnalyzer, contradicts, written
from refrelax.interop.tvm.process import find_python
from refrelax.shape_solver import Proved, Refuted, parse_claim, prove

needs_tvm = pytest.mark.skipif(find_python() is None, reason="TVM is not installed")


def test_what_contradicts_an_answer() -> None:
    claim = parse_claim("n + 1 > n")
    assert contradicts("DISPROVED", Proved(None), (claim,)) and not contradicts(
        "DISPROVED", Proved(None, True), (claim,)
    )
    assert not contradicts("OPEN", Proved(None), (claim,)) and not contradicts("PROVED", Proved(None), (claim,))
    false = parse_claim("n * n > n")
    assert contradicts("PROVED", Refuted({"n": 1}), (false,))
    assert not contradicts("PROVED", Refuted({"n": 2**62}), (false,)), "a step overflows there"
    assert not contradicts("DISPROVED", Refuted({"n": 1}), (false,))


def test_a_term_is_written_with_operands_of_one_dtype() -> None:
    assert written(parse_claim("int8(n) == n")) == [
        "EQ", ["Cast", "int64", ["Cast", "int8", ["sym", "n", "int64"]]], ["sym", "n", "int64"],
    ]  # fmt: skip
    x, y = (["Cast", "int64", ["Cast", "int8", ["sym", name, "int64"]]] for name in "xy")
    assert written(parse_claim("(int8(x) & int8(y)) == n"))[1] == ["bitwise_and", x, y], "claims compute in integers"


@needs_tvm
def test_tvm_is_asked_too(capsys: pytest.CaptureFixture[str]) -> None:
    analyzer = TvmAnalyzer()
    try:
        for claim, assume in (
            ("n // 4 * 4 <= n", []),
            ("i*m + j < n*m", ["0 <= i < n", "0 <= j < m"]),
            ("n*n == n", []),
        ):
            opinion = analyzer.opinion(claim, assume, prove(claim, assume))
            assert opinion.verdict in ("PROVED", "OPEN") and not opinion.disagrees, opinion
        assert analyzer.opinion("n // 4 * 4 <= n", [], prove("n // 4 * 4 <= n")).verdict == "PROVED"
        narrowed = analyzer.opinion("int8(n) == n", [], prove("int8(n) == n"))
        assert narrowed.disagrees == (narrowed.verdict == "PROVED")
    finally:
        analyzer.close()
    assert main(["prove", "n + 1 > n", "--also", "tvm"]) == 0
    assert "tvm: PROVED" in capsys.readouterr().out


def test_the_command_says_what_does_not_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "n + 1 > n", "--also", "tvm", "--fits", "int8"]) == 2
    assert main(["prove", "x*x*x + y*y*y != z*z*z + 4", "--timeout", "0.05"]) == 3
    assert "stopped by the time" in capsys.readouterr().out
