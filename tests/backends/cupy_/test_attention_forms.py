"""Which extents and formulas are one launch of attention: near misses, told by the forms that are launched."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import refrelax as rr
from refrelax.backends.cupy_.attention import WIDEST
from refrelax.backends.cupy_.compile import cost_of
from refrelax.lower.pipeline import lower

SIZES = {"n": 3, "s": 5, "t": 7, "l": 4, "d": 4}
ONE = ["attention"]


def forms(params: str, call: str, **more: int) -> list[str]:
    given = []
    for each in params.split(", "):
        name, dims = each.split(": ")
        shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims.split())
        given.append(f'{name}: R.Tensor(({shape},), "float32")')
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main({", ".join(given)}):
        with R.dataflow():
            out = {call}
            R.output(out)
        return out
"""
    having = {d for each in params.split(", ") for d in each.split(": ")[1].split() if not d.isdigit()}
    module = lower(rr.check(rr.parse(text)), pipeline="kernels").module
    found = cost_of(module, "main", {name: (SIZES | more)[name] for name in having})
    return [each.form for each in found.kernels]


CALL = "R.nn.attention(q, k, v)"
WRITTEN = "R.matmul(R.nn.softmax(R.matmul(q, k), axis=-1), v)"

TAKEN = {
    "as it is": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 5", CALL),
    "the widest depth": (f"q: 1 s 1 {WIDEST}, k: 1 t 1 {WIDEST}, v: 1 t 1 2", CALL),
    "the widest features": (f"q: 1 s 1 2, k: 1 t 1 2, v: 1 t 1 {WIDEST}", CALL),
    "written out": ("q: s 3, k: 3 t, v: t 5", WRITTEN),
    "written out with a bias": (
        "q: s 3, k: 3 t, v: t 5, m: s t", WRITTEN.replace("R.matmul(q, k)", "R.add(R.matmul(q, k), m)"),
    ),
    "written out and scaled": (
        "q: s 3, k: 3 t, v: t 5, m: s t", WRITTEN.replace("R.matmul(q, k)", "R.multiply(R.matmul(q, k), m)"),
    ),
    "with something behind it": ("q: s 3, k: 3 t, v: t 5, y: s 5", f"R.add({WRITTEN}, y)"),
}  # fmt: skip

NOT_TAKEN = {
    "a depth that is not known": ("q: s d, k: d t, v: t 5", WRITTEN),
    "features that are not known": ("q: 1 s 2 3, k: 1 t 2 3, v: 1 t 2 l", CALL),
    "a wider depth": (f"q: 1 s 1 {WIDEST + 1}, k: 1 t 1 {WIDEST + 1}, v: 1 t 1 2", CALL),
    "wider features": (f"q: 1 s 1 2, k: 1 t 1 2, v: 1 t 1 {WIDEST + 1}", CALL),
    "a greatest instead of a sum": (
        "q: s 3, k: 3 t, v: t", "R.max(R.multiply(R.nn.softmax(R.matmul(q, k)), v), axis=[1])",
    ),
    "across the other axis": ("q: s 3, k: 3 s, v: s 5", "R.matmul(R.nn.softmax(R.matmul(q, k), axis=0), v)"),
    "no rows between": ("q: s 3, k: 3 t, v: t 5", "R.matmul(R.matmul(q, k), v)"),
    "from the right": ("q: s 3, k: 3 t, v: 5 s", "R.matmul(v, R.nn.softmax(R.matmul(q, k), axis=-1))"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    assert forms(*TAKEN[name]) == ONE


@pytest.mark.by_day(5)
@pytest.mark.parametrize("name", NOT_TAKEN)
def test_not_taken(name: str) -> None:
    found = forms(*NOT_TAKEN[name])
    assert "attention" not in found and len(found) > 1
