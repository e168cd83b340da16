"""Which element a padded position shows, of every mode, on all small widths."""

from __future__ import annotations

from itertools import product

import pytest

import refrelax as rr

TEXT = """
@R.function
def main(x: R.Tensor(({n},), "float32")):
    y = R.nn.pad(x, pad_width=[{a}, {b}], pad_mode="{mode}", pad_value=9)
    return y
"""


def shown(mode: str, position: int, n: int) -> int | None:
    """The position of ``x``; ``None`` of one that is none."""
    if mode == "replicate":
        position = min(max(position, 0), n - 1)
    elif mode == "circular":
        position %= n
    elif mode == "reflect":
        position = abs(position) if position < n else 2 * (n - 1) - position
    return position if 0 <= position < n else None


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_a_padded_line(mode: str) -> None:
    for n, a, b in product((1, 3), (-1, 0, 2), (-1, 0, 2)):
        if n + a + b < 0 or (mode == "reflect" and max(a, b) >= n):
            continue
        checked = rr.check(rr.parse(TEXT.format(n=n, a=a, b=b, mode=mode)))
        ended = rr.run(checked, "main", [float(k + 1) for k in range(n)])
        places = [shown(mode, k - a, n) for k in range(n + a + b)]
        assert isinstance(ended, rr.Returned), (n, a, b)
        assert ended.value.tolist() == [9.0 if k is None else k + 1.0 for k in places], (n, a, b)
