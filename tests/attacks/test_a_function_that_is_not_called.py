"""A known name after ``T.`` that is not called was said to be unknown, beside the hint that it was meant."""

from __future__ import annotations

import pytest

import refrelax as rr


@pytest.mark.parametrize("name", ["exp", "Select", "tvm_storage_sync"])
def test_the_message_says_that_it_is_called(name: str) -> None:
    text = f'@T.prim_func\ndef main(A: T.Buffer((4,), "float32")):\n    A[0] = T.{name}\n'
    with pytest.raises(rr.Malformed) as caught:
        rr.parse(text)
    [found] = caught.value.diagnostics
    assert found.rule == "syn/unknown-intrinsic"
    assert f"T.{name} is no expression by itself" in str(found)
    assert "unknown;" not in str(found)


def test_a_name_that_is_not_known_has_the_nearest_ones() -> None:
    with pytest.raises(rr.Malformed, match=r"T\.expp is unknown; did you mean T\.exp"):
        rr.parse('@T.prim_func\ndef main(A: T.Buffer((4,), "float32")):\n    A[0] = T.expp(A[1])\n')
