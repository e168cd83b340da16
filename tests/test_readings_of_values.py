"""Every public method of a tensor gives an answer in every reading, or says what to call instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import refrelax as rr

READINGS = ("ieee", "enclosure", "strict", "exact", "symbolic", "sampled")
PATTERNED = ("ieee", "sampled")

METHODS: dict[str, Callable[[rr.Tensor], Any]] = {
    "tolist": lambda t: t.tolist(), "numpy": lambda t: t.numpy(), "array": np.asarray, "tobytes": lambda t: t.tobytes(),
    "patterns": lambda t: t.patterns(), "poison": lambda t: t.poison(), "repr": repr, "hash": hash, "len": len,
    "eq": lambda t: t == t, "eq other": lambda t: t == rr.Tensor.of([1.0, 2.0]),
    "lo": lambda t: t.lo, "hi": lambda t: t.hi,
    "judge": lambda t: t.judge(np.float32([1, 2])), "contains": lambda t: t.contains(np.float32([1, 2])),
    "judge list": lambda t: t.judge([1.0, 2.0]), "assign": lambda t: t.assign(np.float32([1, 2])),
    "setitem": lambda t: t.__setitem__(..., np.float32([1, 2])), "of": lambda t: rr.Tensor.of(t),
    "judge other shape": lambda t: t.judge([1.0]), "judge itself": lambda t: t.judge(t), "str": str, "bool": bool,
    "as argument": lambda t: rr.run(_checked("R.exp(x)"), "main", t),
    "as argument, enclosed": lambda t: rr.run(_checked("R.exp(x)"), "main", t, numerics="enclosure"),
}  # fmt: skip


def _checked(call: str) -> rr.CheckedModule:
    head = '@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((2,), "float32")):\n'
    return rr.check(rr.parse(f"{head}        gv = {call}\n        return gv\n"))


@pytest.mark.parametrize("numerics", READINGS)
@pytest.mark.parametrize("name", sorted(METHODS))
@pytest.mark.parametrize("call", ["R.add(x, x)", "R.exp(x)"])
def test_answers_or_says_what_to_call(call: str, name: str, numerics: str) -> None:
    if numerics == "exact" and call != "R.add(x, x)":
        return
    out = rr.run(_checked(call), "main", [1.5, -2.0], numerics=numerics)
    assert isinstance(out, rr.Returned)
    try:
        METHODS[name](out.value)
    except rr.UsageError as error:
        assert numerics not in PATTERNED or name == "judge other shape", error
        assert "\n" not in str(error)


@pytest.mark.parametrize("method", ["tolist", "numpy", "tobytes", "patterns"])
def test_a_set_names_its_bounds(method: str) -> None:
    out = rr.run(_checked("R.exp(x)"), "main", [1.5, -2.0], numerics="enclosure")
    assert isinstance(out, rr.Returned)
    with pytest.raises(rr.UsageError, match=r"\.lo and \.hi"):
        getattr(out.value, method)()
