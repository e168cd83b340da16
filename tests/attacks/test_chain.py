"""Bindings that are right one by one, on values that are not those of the run: none agrees, and a right one does."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.backends.executable import Frame, Observed

np = pytest.importorskip("numpy")

HEAD = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((2,), "float32")):
        for i in range(2):
            A[i] = A[i] + T.float32(1)
"""
PLAIN = (
    HEAD
    + """
    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        a = R.exp(x)
        r = R.mod(a, R.const(1000.0, "float32"))
        return r
"""
)
BESIDE = (
    HEAD
    + """
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        cls = Module
        own = R.add(w, w)
        q = R.call_tir_inplace(cls.bump, (own,), inplace_indices=[0], out_ty=R.Tensor((2,), "float32"))
        a = R.exp(x)
        r = R.mod(a, R.const(1000.0, "float32"))
        return r
"""
)
X = np.array([30, 31], "float32")
W = np.array([1, 2], "float32")
OTHER = np.array([123, 456], "float32")


class Shows:
    """The bindings of a right run, but for one thing."""

    def __init__(self, checked: rr.CheckedModule, lie: str) -> None:
        self.checked, self.lie = checked, lie

    def run(self, module: Any, entry: str, args: Any) -> rr.Outcome:
        return self.observe(module, entry, args).outcome

    def observe(self, _module: Any, entry: str, args: Any) -> Observed:
        given = [OTHER / 100, *args[1:]] if self.lie == "arguments" else args
        seen = rr.compile(self.checked).observe(entry, *(np.array(each) for each in given))
        if self.lie == "result":
            return Observed(rr.Returned(rr.Tensor.of([1, 2], "float32")), seen.frames)
        if self.lie == "input":
            last = next(f for f in seen.frames if f.name == "r")
            frames = [f for f in seen.frames if f.name != "r"]
            frames.append(Frame(last.path, last.name, {**last.names, "a": OTHER}, OTHER, True))
            return Observed(rr.Returned(rr.Tensor.of(OTHER, "float32")), tuple(frames))
        assert isinstance(seen.outcome, rr.Returned)
        return Observed(rr.Returned(seen.outcome.value), seen.frames)


@pytest.mark.parametrize("program", [PLAIN, BESIDE], ids=["plain", "beside an in-place call"])
@pytest.mark.parametrize("lie", ["arguments", "input", "result", ""])
def test_bindings_on_other_values_prove_nothing(program: str, lie: str) -> None:
    """``exp`` leaves every remainder possible, so only the bindings can say that the result is right."""
    checked = rr.check(rr.parse(program))
    verdict = rr.diff(checked, "main", [X, W], Shows(checked, lie))
    assert verdict.word == ("UNDECIDED" if lie else "AGREE"), str(verdict)
    assert not lie or "do not hang together" in str(verdict)
