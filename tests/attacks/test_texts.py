"""Messages that a newcomer stumbled over."""

from __future__ import annotations

import pytest

import refrelax as rr

FOUR = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), 'float32')):\n        return x\n"


def test_an_extent_that_is_a_number_is_said_once() -> None:
    """It said "expected 4 = 4, found 1"."""
    outcome = rr.run(rr.check(rr.parse(FOUR)), "main", [1.0])
    assert isinstance(outcome, rr.Trapped)
    assert "expected 4, found 1" in outcome.message


@pytest.mark.parametrize("before", ["ab", "é☃", "𝄞𝄞", "\u2028\x0c"])
def test_a_column_counts_characters(before: str) -> None:
    """Python's trees count the bytes of UTF-8, its own mistakes characters."""
    line = f"    y = R.str('{before}'); z = "
    text = f"@R.function\ndef main(x: R.Tensor((3,), 'float32')):\n{line}R.foo(x)\n    return y\n"
    with pytest.raises(rr.Rejection) as caught:
        rr.check(rr.parse(text, filename="a.py"))
    (found,) = caught.value.diagnostics
    assert found.span is not None and (found.span.line, found.span.column) == (3, len(line) + 1)
    with pytest.raises(rr.Rejection) as caught:
        rr.parse(text.replace("R.foo(x)", "R.foo(x) x"), filename="a.py")
    found = caught.value.diagnostics[0]
    assert found.span is not None and found.span.column >= len(line) + 1
