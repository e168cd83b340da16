"""What the prover says of the equalities that typing leaves open."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.errors import Returned
from refrelax.shape_solver import Remark

HEAD = "@I.ir_module\nclass Module:\n    @R.function\n    def main("


def remarks(signature: str, body: str) -> dict[str, Remark]:
    lines = "".join(f"        {line}\n" for line in body.strip().split("\n"))
    checked = rr.check(rr.parse(f"{HEAD}{signature}):\n{lines}"))
    return {each.equality.name: each for each in rr.remarks(checked)}


def test_what_typing_decides_gets_no_remark() -> None:
    assert not remarks('x: R.Tensor(("n", "m"), "float32")', "y = R.reshape(x, R.shape([m * n]))\nreturn y")


def test_a_counterexample_is_one_at_run_time() -> None:
    """The extents that a remark names make the run end in a trap; others do not."""
    text = f"""{HEAD}x: R.Tensor(("n", "m"), "float32"), z: R.Tensor(("n * m + n",), "float32")):
        a = R.reshape(x, R.shape([n * m]))
        b = R.add(a, z)
        return b
"""
    checked = rr.check(rr.parse(text))
    (remark,) = rr.remarks(checked)
    assert remark.verdict == "sometimes"
    assert "n * m == n * m + n" in str(remark) and "sh/remark" in str(remark)

    def run(n: int, m: int) -> Any:
        return rr.run(checked, "main", [[1.0] * m] * n if n and m else empty((n, m)), [1.0] * (n * m + n))

    def empty(shape: tuple[int, ...]) -> Any:
        import numpy

        return numpy.zeros(shape, "float32")

    assert not isinstance(run(**dict(remark.fails_at)), Returned)
    assert isinstance(run(0, 3), Returned) or isinstance(run(1, 0), Returned)


@pytest.mark.parametrize(("wanted", "verdict"), [
    ("n + 1", "never"), ("n * 2", "sometimes"), ("(n * 2 + 1) // 2", None), ("n * (n + 1) // 2 * 2 - n * n", "always"),
])  # fmt: skip
def test_annotations(wanted: str, verdict: str | None) -> None:
    found = remarks('x: R.Tensor(("n",), "float32")', f'y: R.Tensor(({wanted},), "float32") = R.exp(x)\nreturn y')
    assert (found["y"].verdict if found else None) == verdict


def test_only_an_operator_may_broadcast() -> None:
    """`3 * m + 1 == m * m` has no solution; that `m * m` may be 1 matters to `add` alone, not to a parameter."""
    text = """m, k = T.int64(), T.int64()
@I.ir_module
class Module:
    @R.function
    def f(a: R.Tensor((k, k * k), "float32")) -> R.Tensor((k, k * k), "float32"):
        return a
    @R.function
    def main(x: R.Tensor((m, 3 * m + 1), "float32"), y: R.Tensor((m, m * m), "float32")):
        z = Module.f(x)
        w = R.add(x, y)
        return z
"""
    found = {each.equality.name: each.verdict for each in rr.remarks(rr.check(rr.parse(text)))}
    assert found == {"z": "never", "w": "sometimes"}


def test_the_same_question_is_asked_once() -> None:
    body = "\n".join(f"y{k} = R.add(x, z)" for k in range(5)) + "\nreturn y0"
    found = remarks('x: R.Tensor(("n",), "float32"), z: R.Tensor(("n * 2",), "float32")', body)
    assert {each.verdict for each in found.values()} == {"sometimes"} and len(found) == 5


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [("n + 2", "n + 3", "never"), ("n", "n + 1", "sometimes"), ("n + 2", "n + 2", None), ("n + 2", "1", None)],
)
def test_a_broadcast_that_is_told_apart_is_said(first: str, second: str, verdict: str | None) -> None:
    signature = f'x: R.Tensor(("{first}", "n"), "float32"), y: R.Tensor(("{second}", "n"), "float32")'
    found = remarks(signature, "z = R.add(x, y)\nreturn z")
    assert (found["z"].verdict if found else None) == verdict
