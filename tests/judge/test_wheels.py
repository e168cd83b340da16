"""Since when, and until when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.judge.wheels import Told, history

VERSIONS = ("tvm 0.25.0", "tvm 0.26.0", "tvm 0.26.0.post1", "tvm 0.27.0", "tvm 0.100")


WORDS = ("AGREE", "DIVERGE", "OPEN", "DIVERGE", "AGREE")


@pytest.mark.parametrize(("words", "says"), [
    ("AGREE DIVERGE DIVERGE", "since tvm 0.26.0 (tvm 0.25.0 is right), still in tvm 0.26.0.post1"),
    ("DIVERGE AGREE AGREE", "in tvm 0.25.0, the oldest asked, last in tvm 0.25.0 (tvm 0.26.0 is right)"),
    ("NO-VERDICT FOUND FOUND", "since tvm 0.26.0 (no verdict on tvm 0.25.0), still in tvm 0.26.0.post1"),
    ("NONE NO-VERDICT FOUND", "since tvm 0.26.0.post1 (tvm 0.25.0 is right), still in tvm 0.26.0.post1"),
    ("DIVERGE AGREE DIVERGE", "in tvm 0.25.0, the oldest asked, still in tvm 0.26.0.post1, not in tvm 0.26.0"),
    ("AGREE AGREE OPEN", ""), ("DIVERGE", ""),
])  # fmt: skip
def test_a_history(words: str, says: str) -> None:
    assert history([Told(v, w) for v, w in zip(VERSIONS, words.split(), strict=False)]) == says


@given(
    st.permutations(
        [Told(v, w) for v, w in zip(VERSIONS, ["AGREE", "DIVERGE", "OPEN", "DIVERGE", "AGREE"], strict=True)]
    )
)
def test_the_order_of_asking_does_not_matter(told: list[Told]) -> None:
    assert history(told) == "since tvm 0.26.0 (tvm 0.25.0 is right), last in tvm 0.27.0 (tvm 0.100 is right)"
