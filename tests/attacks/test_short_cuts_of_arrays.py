"""What the short cuts of the NumPy backend forgot: extents of 0, narrow indices, roots of negative numbers."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.numpy_ import memory

HEAD = 'b = TypeVar("b")\nm = TypeVar("m")\nn = TypeVar("n")\n'


def checked(params: str, lines: str) -> rr.CheckedModule:
    body = "\n        ".join(lines.strip().splitlines())
    return rr.check(
        rr.parse(f"""{HEAD}
@I.ir_module
class Module:
    @R.function
    def main({params}):
        {body}
        return gv
""")
    )


def defined(module: rr.CheckedModule, args: list[Any]) -> Any:
    found = rr.run(module, "main", *args)
    assert isinstance(found, rr.Returned)
    return np.asarray(found.value)


ATTENTION = """s = R.matmul(q, k)
t = R.where(mask, s, R.const({fill}, "float32"))
w = R.nn.softmax(t, axis=-1)
gv = R.matmul(w, v)"""
TENSORS = ", ".join(
    f'{name}: R.Tensor({shape}, "{dtype}")'
    for name, shape, dtype in (
        ("q", "(b, m, 3)", "float32"),
        ("k", "(b, 3, n)", "float32"),
        ("v", "(b, n, 5)", "float32"),
        ("mask", "(b, m, n)", "bool"),
    )
)


@pytest.mark.parametrize("fill", ["-1e9", 'float("-inf")'])
@pytest.mark.parametrize(("b", "m", "n"), [(0, 4, 6), (2, 0, 6), (2, 4, 0), (0, 4, 0), (1, 1, 1), (2, 4, 6)])
def test_attention_over_nothing(b: int, m: int, n: int, fill: str) -> None:
    module = checked(TENSORS, ATTENTION.format(fill=fill))
    f = rr.compile(module)
    assert "rt.attend" in str(f.source)
    mask = np.broadcast_to(np.tri(m, n, dtype=bool), (b, m, n))
    args = [np.ones((b, m, 3), np.float32), np.ones((b, 3, n), np.float32), np.ones((b, n, 5), np.float32), mask]
    np.testing.assert_allclose(f["main"](*args), defined(module, args), rtol=1e-6)


STORES = {
    "scatter_elements": ("(3,)", 'R.scatter_elements(x, i, u, axis=0, reduction="add")'),
    "scatter_nd": ("(3, 1)", "R.scatter_nd(x, i, u)"),
    "index_put": ("(3,)", "R.index_put(x, (i,), u, accumulate=True)"),
    "index_tensor": ("(3,)", "R.index_tensor(x, (i,))"),
}


@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("name", STORES)
def test_a_negative_index_that_cannot_hold_the_extent(name: str, dtype: str) -> None:
    shape, call = STORES[name]
    extent = 200 if dtype == "int8" else 33_000
    module = checked(
        f'x: R.Tensor(({extent},), "int32"), i: R.Tensor({shape}, "{dtype}"), u: R.Tensor((3,), "int32")',
        f"gv = {call}",
    )
    index = np.array([-1, 2, -128], dtype).reshape((3, 1) if "1" in shape else (3,))
    args = [np.arange(extent, dtype=np.int32), index, np.array([5, 7, 11], np.int32)]
    wanted = defined(module, args)
    for mode in ("bits", "fast"):
        assert np.array_equal(rr.compile(module, mode=mode)["main"](*args), wanted)


@pytest.mark.parametrize("shape", [(1, 5), (2, 5)])
@pytest.mark.parametrize(("number", "epsilon"), [(1.0, -4.0), (0.0, 0.0), (1.0, -1.0), (float("nan"), 0.0)])
def test_a_root_of_no_positive_number(shape: tuple[int, ...], number: float, epsilon: float) -> None:
    module = checked(
        f'x: R.Tensor({shape}, "float32"), w: R.Tensor((5,), "float32")',
        f"gv = R.nn.rms_norm(x, w, axes=[-1], epsilon={epsilon})",
    )
    args = [np.full(shape, number, np.float32), np.ones(5, np.float32)]
    wanted = defined(module, args)
    np.testing.assert_array_equal(rr.compile(module)["main"](*args), wanted)


@pytest.mark.parametrize("lent", [0, 1])
def test_memory_is_not_given_out_while_somebody_holds_it(monkeypatch: pytest.MonkeyPatch, lent: int) -> None:
    """Versions of Python count references differently: from 3.14 on a name that is lent is not counted."""
    monkeypatch.setattr(memory, "getrefcount", lambda piece: getrefcount(piece) - 1 - lent)
    monkeypatch.setattr(memory, "_pieces", {})
    monkeypatch.setattr(memory, "_FREE", 0)
    assert memory._count() == 2 - lent
    shape = (1 << 17,)
    first = memory.fresh(shape, np.float32)
    view, place = first[::2], first.__array_interface__["data"][0]
    del first
    assert memory.fresh(shape, np.float32).__array_interface__["data"][0] != place
    del view
    held = [memory.fresh(shape, np.float32) for _ in range(3)]
    assert place in {each.__array_interface__["data"][0] for each in held}
