"""A built entry refuses what its types refuse, under the same rule: so its first checks stand in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

BEFORE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32"), t: R.Tuple(R.Tensor((n,), "float32"))):
        z = R.add(x, y)
        return z
"""


def _lines() -> tuple[list[str], list[int], list[int]]:
    """The text of the built program, and where its checks of kinds and of extents of parameters stand."""
    text = rr.print_module(lower(rr.check(rr.parse(BEFORE)), "build").module.module)
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    of = [k for k, line in enumerate(lines) if "loc=param" in line]
    kinds = [k for k in of if "check_tensor_info" in lines[k]]
    return lines, kinds, [k for k in of if "match_shape" in lines[k]]


def _proved(lines: list[str]) -> tuple[bool, rr.CheckedModule]:
    second = rr.check(rr.parse("\n".join(lines)))
    return isinstance(attempt(rr.check(rr.parse(BEFORE)), second, "main"), Proved), second


def test_as_it_is_built() -> None:
    assert _proved(_lines()[0])[0]


GOOD, KIND, RANK = np.ones(3, "float32"), np.ones(3, "int32"), np.ones((2, 2), "float32")
LONG = np.ones(4, "float32")


def _kinds_swapped(lines: list[str], kinds: list[int], extents: list[int]) -> None:
    lines[kinds[0]], lines[kinds[1]] = lines[kinds[1]], lines[kinds[0]]


def _extents_first(lines: list[str], kinds: list[int], extents: list[int]) -> None:
    lines[kinds[2] : kinds[2]] = [lines.pop(k) for k in sorted(extents[:2], reverse=True)][::-1]


@pytest.mark.parametrize(
    ("change", "args"), [(_kinds_swapped, (RANK, KIND, (GOOD,))), (_extents_first, (GOOD, LONG, (KIND,)))]
)
def test_in_another_order_it_ends_under_another_rule(change: Callable[..., None], args: tuple[Any, ...]) -> None:
    lines, kinds, extents = _lines()
    change(lines, kinds, extents)
    proved, second = _proved(lines)
    ends = [rr.run(each, "main", *args) for each in (rr.check(rr.parse(BEFORE)), second)]
    rules = [each.rule for each in ends if isinstance(each, rr.Trapped)]
    assert len(set(rules)) == 2
    assert not proved


def test_extents_that_cannot_differ_may_be_stored_early() -> None:
    lines, kinds, extents = _lines()
    lines.insert(kinds[1], lines.pop(extents[0]))
    assert _proved(lines)[0]
