"""Arrays whose memory is not what a program expects of it: bools of other bytes, elements that do not lie side by side.

A bool array of NumPy may hold any byte (``mask.view(bool)`` of an image's 0 and 255); NumPy prints a truth and sorts,
compares and moves the byte. The definition read its lowest bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate

BYTES = np.array([[0, 1, 2], [255, 128, 0]], np.uint8)
ODD: np.ndarray[Any, Any] = BYTES.view(bool)
EVEN = BYTES != 0

CALLS = {
    "astype": 'R.astype(x, "int32")',
    "sort": "R.sort(x)",
    "argmax": "R.argmax(x, axis=1)",
    "equal": "R.equal(x, R.logical_not(R.logical_not(x)))",
    "and": "R.bitwise_and(x, R.logical_not(R.logical_not(x)))",
    "where": 'R.where(x, R.const(1.0, "float32"), R.const(2.0, "float32"))',
    "sum": 'R.sum(R.astype(x, "uint8"), axis=[1])',
    "itself": "R.permute_dims(x)",
    "topk": 'R.topk(x, k=2, ret_type="indices")',
}
BACKENDS = [("numpy", "bits"), ("numpy", "fast")]


def program(call: str) -> rr.CheckedModule:
    return rr.check(rr.parse(f'@R.function\ndef main(x: R.Tensor(("n", 3), "bool")):\n    y = {call}\n    return y\n'))


def the_definition(checked: rr.CheckedModule, x: Any) -> Any:
    outcome = rr.run(checked, "main", x)
    assert isinstance(outcome, rr.Returned)
    return outcome.value


@pytest.mark.parametrize("lie", [lambda x: x, lambda x: np.asfortranarray(x), lambda x: x[::-1, ::-1]])
@pytest.mark.parametrize("name", CALLS)
def test_any_byte_but_0_is_true(name: str, lie: Callable[[Any], Any]) -> None:
    checked, x = program(CALLS[name]), lie(ODD)
    before, wanted = x.view(np.uint8).copy(), the_definition(checked, lie(EVEN))
    assert the_definition(checked, x) == wanted
    for backend, mode in BACKENDS:
        compiled = rr.compile(checked, backend=backend, mode=mode)
        found = compiled["main"](x)
        assert found.tobytes() == wanted.numpy().tobytes(), (backend, mode)
        outcome = compiled.run("main", x)
        assert isinstance(outcome, rr.Returned) and outcome.value == wanted
    assert (x.view(np.uint8) == before).all()


def test_bytes_and_constants() -> None:
    assert rr.Tensor.of_bytes("bool", (4,), b"\x00\x01\x02\xff").patterns() == [0, 1, 1, 1]
    assert rr.Tensor.of(ODD).patterns() == [0, 1, 1, 1, 1, 0]


FILL = """
@I.ir_module
class Module:
    @T.prim_func
    def k(A: T.Buffer((3,), "bool"), B: T.Buffer((3,), "bool")):
        for i in range(2):
            B[i] = T.Not(A[i])
"""


def test_an_output_holds_any_bytes() -> None:
    """Memory of ``np.empty``: its bytes become 0 and 1 of the same truths, and what is stored is seen there."""
    run = rr.compile(rr.check(rr.parse(FILL)))["k"]
    a, out = np.array([0, 7, 7], np.uint8).view(bool), np.array([9, 9, 9], np.uint8).view(bool)
    run(a, out)
    assert out.view(np.uint8).tolist() == [1, 0, 1]


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
def test_on_the_emulated_device() -> None:
    checked = rr.lower(program(CALLS["astype"])).module
    found = rr.compile(checked, backend="cuda-emulated")["main"](ODD)
    assert found.tolist() == EVEN.astype(int).tolist()


# --- views of bytes --------------------------------------------------------------------------------------------------

VIEW = """
@R.function
def main(x: R.Tensor((4,), "int32")):
    y = R.memory.view(x, R.shape([8]), R.dtype("int16"), 0)
    z = R.add(y, y)
    return z
"""
STORED = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def zero(A: T.Buffer((2, 2), "int16")):
        for i, j in T.grid(2, 2):
            A[i, j] = T.int16(0)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "int32")) -> R.Tensor((4,), "int32"):
        cls = Module
        y = R.memory.view(x, R.shape([2, 2]), R.dtype("int16"), 0)
        _ = cls.zero(y)
        return x
"""


def lies(x: Any) -> list[Any]:
    """The array in four layouts."""
    spread = np.zeros(9, x.dtype)
    spread[1::2] = x
    raw = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    raw[:] = x
    return [x, x[::-1].copy()[::-1], spread[1::2], raw]


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("text", [VIEW, STORED])
def test_a_view_of_elements_that_do_not_lie_side_by_side(text: str, mode: str) -> None:
    checked, x = rr.check(rr.parse(text)), np.arange(1, 5, dtype=np.int32) * 70_000
    outcome = rr.run(checked, "main", x.copy())
    assert isinstance(outcome, rr.Returned)
    wanted, left = outcome.value.numpy().tolist(), outcome.arguments[0].numpy().tolist()
    for array in lies(x.copy()):
        again = rr.compile(checked, mode=mode).run("main", array)
        assert isinstance(again, rr.Returned) and again.value.numpy().tolist() == wanted
        assert rr.compile(checked, mode=mode)["main"](array).tolist() == wanted
        assert array.tolist() == left  # what was stored is seen in the caller's array
