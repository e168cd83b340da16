"""What a library function was given it may keep: its bytes are no other tensor's afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

MODULE = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        _ = R.call_packed("lib.keep", a, ty_args=(R.Tuple,))
        b = R.multiply(x, x)
        c = R.add(b, x)
        d = R.call_packed("lib.kept", ty_args=(R.Tensor((4,), "float32"),))
        return (c, d)
"""
X = np.arange(4, dtype="float32")


def _checked() -> rr.CheckedModule:
    return rr.check(rr.parse(MODULE))


def _run(checked: rr.CheckedModule) -> rr.Outcome:
    kept: list[Any] = []
    externs = {"lib.keep": lambda a: kept.append(a) or (), "lib.kept": lambda: kept[-1]}
    return rr.run(checked, "main", X, externs=externs)


@pytest.mark.parametrize("pipeline", ["default", "paper"])
def test_a_plan_leaves_it_alone(pipeline: str) -> None:
    checked = _checked()
    for step in lower(checked, pipeline).steps:
        found = _run(step.module)
        assert isinstance(found, rr.Returned) and found.value[1].tolist() == [0, 2, 4, 6], step.name


OWN = 'a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))'
ROOM = 'storage = R.memory.alloc_storage(R.shape([16]), 0, R.str("global"), R.dtype("uint8"))'
SHARED = 'a = R.memory.alloc_tensor(storage, 0, R.shape([4]), R.dtype("float32"), 0)'


def test_a_plan_that_does_not_is_not_proved() -> None:
    checked = _checked()
    planned = rr.print_module(lower(checked, "default").module.module)
    assert planned.count(OWN) == planned.count(ROOM) == 1
    text = planned.replace(f"        {ROOM}\n", "").replace(OWN, f"{ROOM}\n        {SHARED}")
    shared = rr.check(rr.parse(text))
    found = _run(shared)
    assert isinstance(found, rr.Returned) and found.poison
    assert not isinstance(attempt(checked, shared, "main"), Proved)


STORED = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.float32(1)

    @R.function(private=True, pure=False)
    def twice(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        s = R.memory.alloc_storage(R.shape([16]), 0, "global", "float32")
        a = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        _ = cls.bump(x, a)
        u = R.memory.alloc_storage(R.shape([16]), 0, "global", "float32")
        b = R.memory.alloc_tensor(u, 0, R.shape([4]), "float32")
        _1 = cls.bump(a, b)
        _2 = R.call_packed("lib.keep", b, ty_args=(R.Tuple,))
        out = R.builtin.alloc_tensor(R.shape([4]), "float32", 0, "global")
        _3 = cls.bump(b, out)
        return out

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = Module.twice(x)
        b = Module.twice(a)
        c = R.call_packed("lib.first", ty_args=(R.Tensor((4,), "float32"),))
        return (b, c)
"""


@pytest.mark.parametrize("passes", [("capture",), ("capture", "build")])
def test_the_memory_of_the_next_run_is_another(passes: tuple[str, ...]) -> None:
    checked = rr.check(rr.parse(STORED))
    kept: list[Any] = []
    externs = {"lib.keep": lambda a: kept.append(a) or (), "lib.first": lambda: kept[0]}
    found = rr.run(lower(checked, passes=passes).module, "main", X, externs=externs)
    assert isinstance(found, rr.Returned) and not found.poison and found.value[1].tolist() == [2, 3, 4, 5]
