"""Pairs that differ where an extent is 0 alone: both halves of the answer, and a proof under the assumption."""

from __future__ import annotations

from pathlib import Path

import pytest

import refrelax as rr
from refrelax.cli import main

PARAMS = 'A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32"), C: T.Buffer((1,), "float32")'
MATRIX = 'A: T.Buffer((m, n), "float32"), B: T.Buffer((m,), "float32"), C: T.Buffer((1,), "float32")'
SUM = "C[0] = T.float32(0)\nfor i in range(n):\n    C[0] = C[0] + A[i]"
LOWEST = 'C[0] = T.float32("-inf")\nfor i in range(n):\n    C[0] = T.max(C[0], A[i])'


def text(body: str, params: str = PARAMS) -> str:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    symbols = 'n = TypeVar("n")\nm = TypeVar("m")\n'
    return f"{symbols}@I.ir_module\nclass Module:\n    @T.prim_func\n    def main({params}):\n{lines}"


PAIRS = {
    "a sum begins in its loop": (
        SUM,
        "for i in range(n):\n    if i == 0:\n        C[0] = T.float32(0)\n    C[0] = C[0] + A[i]",
    ),
    "a maximum begins in its loop": (
        LOWEST,
        "C[0] = T.float32(0)\nfor i in range(n):\n    if i == 0:\n"
        '        C[0] = T.float32("-inf")\n    C[0] = T.max(C[0], A[i])',
    ),
    "a store in a loop": ("C[0] = T.float32(3)", "for i in range(n):\n    C[0] = T.float32(3)"),
    "a store under a condition": ("C[0] = T.float32(3)", "if n > 0:\n    C[0] = T.float32(3)"),
    "an extent of at least one": (
        'C[0] = T.Cast("float32", n)',
        'C[0] = T.Cast("float32", T.max(n, T.int64(1)))',
    ),
    "a store beside others": (
        "for i in range(n):\n    B[i] = A[0]\nC[0] = T.float32(2)",
        "for i in range(n):\n    B[i] = A[0]\n    C[0] = T.float32(2)",
    ),
    "a load that is not there": (
        "C[0] = T.if_then_else(n > 0, A[0], T.float32(0))",
        "C[0] = T.if_then_else(n >= 0, A[0], T.float32(0))",
    ),
    "a store by one of many": (
        "C[0] = T.float32(1)\nfor i in range(n):\n    B[i] = A[i]",
        "for i in T.parallel(n):\n    B[i] = A[i]\n    if i == 0:\n        C[0] = T.float32(1)",
    ),
    "the last of many": ("C[0] = A[n - 1]\nB[n - 1] = A[0]", "for i in range(n):\n    C[0] = A[i]\nB[n - 1] = A[0]"),
    "what was there": ("B[0] = B[0] + C[0]", "for i in range(n):\n    B[0] = B[0] + C[0]"),
}
"""The last two are none: there the first program means nothing at 0, or they differ elsewhere as well."""

NONE = ("the last of many", "what was there")


@pytest.mark.parametrize("name", sorted(PAIRS.keys() - set(NONE)))
def test_a_difference_at_zero_alone(name: str) -> None:
    first, second = (rr.parse(text(body)) for body in PAIRS[name])
    found = rr.validate(first, second)
    assert str(found).startswith("PROVED for n >= 1, REFUTED at n = 0: ")
    assert isinstance(rr.validate(first, second, assume=["n >= 1"]), rr.Equivalent)


def test_rows_without_columns() -> None:
    first = text("for i in range(m):\n    B[i] = T.float32(1)", MATRIX)
    second = text("for i, j in T.grid(m, n):\n    B[i] = T.float32(1)", MATRIX)
    found = rr.validate(rr.parse(first), rr.parse(second))
    assert str(found).startswith("PROVED for n >= 1, REFUTED at n = 0: ")


def test_what_means_nothing_at_zero_is_no_difference() -> None:
    first, second = (rr.parse(text(body)) for body in PAIRS["the last of many"])
    assert not isinstance(rr.validate(first, second), rr.Refuted)


def test_a_difference_elsewhere_is_refuted_alone() -> None:
    first, second = (rr.parse(text(body)) for body in PAIRS["what was there"])
    found = rr.validate(first, second)
    assert isinstance(found, rr.Refuted) and found.otherwise == ()


def test_the_exit_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    for file, body in zip(files, PAIRS["a store in a loop"], strict=True):
        file.write_text(text(body))
    assert main(["validate", *map(str, files)]) == 1
    assert "PROVED for n >= 1, REFUTED at n = 0" in capsys.readouterr().out
    assert main(["validate", *map(str, files), "--assume", "n >= 1"]) == 0


def test_either_of_two_extents() -> None:
    """Each of two extents makes a difference where it alone is 0."""
    params = 'A: T.Buffer((m, n), "float32"), C: T.Buffer((2,), "float32")'
    first = text("C[0] = T.float32(1)\nC[1] = T.float32(2)", params)
    second = text("for i in range(m):\n    C[0] = T.float32(1)\nfor j in range(n):\n    C[1] = T.float32(2)", params)
    found = rr.validate(rr.parse(first), rr.parse(second))
    assert isinstance(found, rr.Refuted) and set(found.otherwise) == {"m", "n"}
    zeros = [name for name in ("m", "n") if found.model[name] == 0]
    said = str(found)
    assert said.startswith("PROVED for ") and "REFUTED at" in said
    assert all((f"{name} = 0" in said) is (name in zeros) for name in ("m", "n"))
    proved = rr.validate(rr.parse(first), rr.parse(second), assume=["m >= 1", "n >= 1"])
    assert isinstance(proved, rr.Equivalent)
