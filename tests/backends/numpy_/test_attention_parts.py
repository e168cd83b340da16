"""Attention over blocks of queries: which scores are computed (a key that is hidden from a block is left out, and taken
after all where that would be seen), and what comes out, against the plain softmax."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

from refrelax.backends.numpy_ import attention

N, M, LOW, INF = 3, 5, -1e30, -np.inf


def truths(*hidden: int, n: int = N, m: int = M) -> Any:
    """Which keys are seen: all but some."""
    found = np.ones((n, m), bool)
    found[:, list(hidden)] = False
    return found


def causal() -> Any:
    return np.tril(np.ones((N, M), bool), 1)


def blind() -> Any:
    found = truths(0)
    found[1] = False
    return found


def operands(n: int = N, m: int = M, lead: tuple[int, ...] = ()) -> tuple[Any, Any, Any]:
    """All scores are 1 or more."""
    rng = np.random.default_rng(n + m)
    q, k, v = (rng.integers(1, 4, (*lead, *shape)).astype(np.float32) for shape in ((n, 2), (2, m), (m, 4)))
    return q, k, v


def plain(scores: Any, v: Any) -> Any:
    with np.errstate(all="ignore"):
        wide = scores.astype(np.float64)
        raised = np.exp(wide - wide.max(-1, keepdims=True))
        return raised / raised.sum(-1, keepdims=True) @ v.astype(np.float64)


HIDDEN: dict[str, tuple[Any, float, list[tuple[int, ...]]]] = {
    "nothing": (truths(), LOW, [(N, M)]), "the first": (truths(0), LOW, [(N, M - 1)]), "the last": (truths(4), LOW, [(N, 4)]),
    "both ends": (truths(0, 4), LOW, [(N, 3)]), "the middle": (truths(2), LOW, [(N, M)]), "all but one": (truths(0, 1, 3, 4), LOW, [(N, 1)]),
    "later ones": (causal(), LOW, [(N, 4)]), "all from one query": (blind(), LOW, [(N, M)]), "by one row": (truths(0, n=1), LOW, [(N, 4)]),
    "by a vector": (truths(0, 1)[0], LOW, [(N, 3)]), "by a column": (truths()[:, :1], LOW, [(N, M)]),
    "by infinity": (truths(0), INF, [(N, 4)]), "by a little less": (truths(0), -1e8, [(N, 4)]),
    "from nobody else": (np.zeros((N, M), bool), LOW, [(N, M)]),
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_keys(name: str) -> None:
    mask, fill, wanted = HIDDEN[name]
    q, k, v = operands()
    asked: list[tuple[int, ...]] = []

    def step(scores: Any, own: Any, result: Any) -> None:
        asked.append(scores.shape)
        np.copyto(result, np.where(own, scores, np.float32(fill)))

    with np.errstate(all="ignore"):
        found = attention.attend(step, q, k, v, (mask,), 0, fill, [])
    assert asked == wanted
    np.testing.assert_allclose(found, plain(np.where(mask, q @ k, np.float32(fill)), v), rtol=1e-5)


def test_the_bound_of_what_is_hidden() -> None:
    """A score of exactly half of what stands for hidden ones is not far above it."""
    q, k, v = np.full((2, 1), -1, np.float32), np.full((1, 3), 2, np.float32), operands(2, 3)[2]
    mask = truths(0, n=2, m=3)
    for fill, count in ((-4.0, 2), (-4.5, 1), (-3.5, 2)):
        asked: list[int] = []

        def step(scores: Any, own: Any, result: Any, asked: list[int] = asked, fill: float = fill) -> None:
            asked.append(scores.shape[-1])
            np.copyto(result, np.where(own, scores, np.float32(fill)))

        attention.attend(step, q, k, v, (mask,), 0, fill, [])
        assert asked == [2, 3][:count], fill


def added(*pairs: tuple[int, float], n: int = N) -> Any:
    found = np.zeros((n, M), np.float32)
    for key, number in pairs:
        found[:, key] = number
    return found


BIASES: dict[str, tuple[Any, float, list[tuple[int, ...]]]] = {
    "nothing": (added(), 1.0, [(N, M)]), "a little": (added((0, -3.0)), 1.0, [(N, M)]), "infinity": (added((0, INF)), 1.0, [(N, 4)]),
    "the bound": (added((0, -1e8)), 1.0, [(N, 4)]), "less than the bound": (added((0, -9.9e7)), 1.0, [(N, M)]), "more": (added((4, -1e30)), 1.0, [(N, 4)]),
    "infinity and more": (added((0, INF), (4, -1e9)), 0.5, [(N, 3)]), "infinity everywhere": (added(*((k, INF) for k in range(M))), 1.0, [(N, M)]),
    "a row": (added((0, INF), n=1), 1.0, [(N, 4)]), "a vector": (added((0, INF))[0], 2.0, [(N, 4)]), "a column": (added()[:, :1], 1.0, [(N, M)]),
    "not a number": (added((0, np.nan), (4, INF)), 1.0, [(N, 4)]), "from what is not far above": (added((0, -1e9), *((k, -6e7) for k in range(1, M))), 1.0, [(N, 4), (N, M)]),
    "from what is far above": (added((0, -1e9), *((k, -4e7) for k in range(1, M))), 1.0, [(N, 4)]),
    "by infinity, from what is low": (added((0, INF), *((k, -6e7) for k in range(1, M))), 1.0, [(N, 4)]),
    "times what is usual": (added((0, INF)), 5e4, [(N, 4)]), "times much": (added((0, INF)), 1e6, [(N, M)]), "times less than nothing": (added((0, INF)), -1e6, [(N, M)]),
    "times infinity": (added((0, INF)), np.inf, [(N, M)]),
}  # fmt: skip


@pytest.mark.parametrize("name", BIASES)
def test_what_is_added(name: str) -> None:
    bias, scale, wanted = BIASES[name]
    q, k, v = operands()
    asked: list[tuple[int, ...]] = []

    def step(scores: Any, own: Any, result: Any) -> None:
        asked.append(scores.shape)
        np.add(scores * np.float32(scale), own, out=result)

    with np.errstate(all="ignore"):
        found = attention.attend_biased(step, q, k, v, (bias,), 0, scale, [])
        np.testing.assert_allclose(found, plain((q @ k) * np.float32(scale) + bias, v), rtol=1e-5)
    assert asked == wanted


def test_the_bound_of_usual_scores() -> None:
    """``features * |scale| * max |q| * max |k|`` is 1e6 at most, of each of which there may be the other sign."""
    v, bias = operands()[2], added((0, INF))
    for top, other, keys in (
        (500.0, 1000.0, 4),
        (-500.0, -1000.0, 4),
        (501.0, 1000.0, M),
        (500.0, -1001.0, M),
        (np.nan, 1.0, M),
    ):
        q, k = np.full((N, 2), top, np.float32), np.full((2, M), other, np.float32)
        asked: list[int] = []

        def step(scores: Any, own: Any, result: Any, asked: list[int] = asked) -> None:
            asked.append(scores.shape[-1])
            np.add(scores, own, out=result)

        with np.errstate(all="ignore"):
            attention.attend_biased(step, q, k, v, (bias,), 0, 1.0, [])
        assert asked == [keys], (top, other)


@pytest.mark.parametrize(("queries", "blocks"), [(64, [64]), (65, [65]), (128, [128]), (130, [128, 2]), (1, [1])])
def test_blocks_of_queries(queries: int, blocks: list[int]) -> None:
    q, k, v = operands(queries, 3, (2,))
    asked: list[tuple[int, ...]] = []

    def step(scores: Any, result: Any, spare: Any) -> None:
        assert spare.shape == scores.shape and spare.dtype == np.float32
        asked.append(scores.shape)

    found = attention.attend(lambda s, m, *r: step(s, *r), q, k, v, (truths(n=1, m=3),), 0, LOW, ["float32"])
    assert asked == [(2, each, 3) for each in blocks]
    np.testing.assert_allclose(found, plain(q @ k, v), rtol=1e-5)


def test_many_keys_make_small_blocks() -> None:
    for heads, queries, keys in ((1, 200, 10), (4, 200, attention.NEAR // 400), (8, 200, attention.NEAR), (0, 200, 0)):
        rows = attention.rows_of(heads, queries, keys)
        assert rows == (128 if heads * keys < 100 else 100 if heads == 4 else 16)
    assert attention.rows_of(1 << 9, 64, 1 << 20) == 64 and attention.rows_of(1 << 9, 65, 1 << 20) == 16


def test_values_that_are_infinite_are_all_taken() -> None:
    q, k, v = operands()
    v[0, 0] = np.inf
    asked: list[int] = []
    attention.attend(lambda s, m, r: asked.append(s.shape[-1]), q, k, v, (truths(0),), 0, LOW, [])
    assert asked == [M]


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 0)])
def test_nothing_to_look_at(shape: tuple[int, int]) -> None:
    q, k, v = (np.ones(s, np.float32) for s in ((shape[0], 2), (2, shape[1]), (shape[1], 4)))
    found = attention.attend(lambda *_: 1 / 0, q, k, v, (np.ones(shape, bool),), 0, LOW, [])
    assert found.shape == (shape[0], 4) and (found == 0).all()
    found = attention.attend_biased(lambda *_: 1 / 0, q, k, v, (np.zeros(shape, np.float32),), 0, 1.0, [])
    assert found.shape == (shape[0], 4) and (found == 0).all()


@pytest.mark.parametrize("lead", [((2, 1), (1, 3), (2, 3)), ((), (2,), (2,)), ((2,), (), ()), ((), (), (3,))])
def test_heads_that_broadcast(lead: tuple[tuple[int, ...], ...]) -> None:
    (q, _, _), (_, k, _), (_, _, v) = (operands(lead=each) for each in lead)
    found = attention.attend(lambda s, m, r: None, q, k, v, (truths(),), 0, LOW, [])
    wanted = plain(q @ k, v)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


LIMITS = ([1, 2, 3], [5, 5, 5], [3, 3, 4], [1, 1, 1], [2, 5, 5])


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("biased", [False, True])
def test_the_first_keys(limits: list[int], biased: bool) -> None:
    q, k, v = operands(lead=(2, 2))
    bias = np.linspace(-1, 1, N * M, dtype=np.float32).reshape(N, M) if biased else None
    asked: list[int] = []

    def scale(scores: Any) -> Any:
        asked.append(scores.shape[-1])
        return scores * np.float32(0.5)

    found = attention.direct(q, np.swapaxes(k, -1, -2), v, bias, scale, np.array(limits))
    assert asked == [max(limits)]
    scores = q @ k / 2 + (0 if bias is None else bias)
    seen = np.arange(M) < np.array(limits)[:, None]
    np.testing.assert_allclose(found, plain(np.where(seen, scores, -np.inf), v), rtol=1e-5)
