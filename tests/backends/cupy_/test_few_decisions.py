"""Single decisions of what is launched, read off the plans: what is a scan, what a library gets, what is written, what
is copied. No kernel runs."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_.compile import cost_of
from refrelax.backends.cupy_.devices import DeviceArray
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.geometry import _stay
from refrelax.backends.cupy_.kernels import Kernel
from refrelax.backends.cupy_.plan import plans
from refrelax.errors import Ended
from refrelax.lower.pipeline import lower
from refrelax.running.arrays import numpy_dtype
from refrelax.syntax.loops import BufferParam
from refrelax.syntax.scalars import as_int
from tests.backends.cupy_.near import of_graph
from tests.backends.cupy_.test_groups import PROGRAMS, program
from tests.backends.cupy_.test_launcher import BITS, PLANS, launcher, up

MODULE = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({}), "{}")):
        with R.dataflow():
            y = {}
            R.output(y)
        return y
"""


def forms(dims: str, call: str, dtype: str = "float32") -> list[str]:
    checked = rr.check(rr.parse(MODULE.format(dims, dtype, call)))
    made = plans(lower(checked, pipeline="kernels").module.module, "fast")
    return [k.form for plan in made.values() for k in plan.kernels]


@pytest.mark.parametrize(
    ("dims", "call", "is_scan"),
    [
        ("n, 31", "R.cumsum(x, axis=0)", True), ("n, 32", "R.cumsum(x, axis=0)", False),
        ("n, m", "R.cumsum(x, axis=0)", False), ("n, m", "R.cumsum(x, axis=1)", True),
        ("n, 4, 8", "R.cumsum(x, axis=0)", False), ("n, 4, 7", "R.cumsum(x, axis=0)", True),
    ],
)  # fmt: skip
def test_what_is_a_scan(dims: str, call: str, is_scan: bool) -> None:
    for dtype, form in (("float32", "scan in turn"), ("int32", "scan")):
        assert (form in forms(dims, call, dtype)) is is_scan


@pytest.mark.parametrize(("dims", "call"), [("n, m", "R.sort(x, axis=1)"), ("n, 7", "R.cumsum(x, axis=1)")])
def test_what_is_done_along_rows_among_other_statements(dims: str, call: str) -> None:
    assert len(forms(dims, call)) == 1
    assert set(forms(dims, call)) <= set(forms(dims, f"R.negative({call})"))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("written out", [True, True, False]), ("written out, masked", [True, False, True, False])],
)  # fmt: skip
def test_what_a_library_gets(name: str, wanted: list[bool]) -> None:
    found = [k for p in plans(of_graph(name, "float32"), "fast", library=True).values() for k in p.kernels]
    assert [k.product is not None for k in found] == wanted


BESIDE = ("two_folds", "columns_apart", "columns_before_a_fold", "sum_of_all")
"""Programs whose kernels need ``B`` in the device's memory; the first, where a row does not fit the block's."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_one_kernel_alone_uses_is_not_written(name: str) -> None:
    plan = plans(program(name).module, "fast")["main"]
    written = {p.name for k in plan.kernels for p in k.parameters if p.written}
    beside = {b.name for b in plan.temporaries}
    assert written == {"O", *beside}
    assert beside == ({"S"} if name == "another_row" else {"B"} if name in BESIDE else set())


@pytest.mark.parametrize(("dtype", "width"), [("float64", 2), ("float32", 4), ("float16", 8)])
def test_each_column_that_is_kept_has_a_place_of_its_own(dtype: str, width: int) -> None:
    (made,) = [k for p in plans(of_graph("row softmax", dtype), "fast").values() for k in p.kernels]
    texts = {found[1] for line in made.lines if (found := re.search(r"slot = (.*);", line))}
    assert made.width == width and texts
    for text, n, rows in product(texts, (1, 7, 16, 17), (1, 3)):
        expression = re.sub(r"(stay|count)a", str(n), text).replace("/", "//")
        places = [
            eval(expression, {"local": local, "step": step, "part": part})
            for local in range(rows) for step in range(0, n, width) for part in range(min(width, n - step))
        ]  # fmt: skip
        assert len({*places}) == rows * n and max(places) < rows * -(-n // width) * width


@pytest.mark.parametrize("room", [0, 15, 16, 20])
def test_nothing_stays_where_there_is_no_room(room: int) -> None:
    made = Kernel("k", "row program", (), (), batch=(), kept=(("int8", 0),))
    assert _stay(made, room) == max(0, room - 16)


class Counting(EmulatedDevice):
    copies = 0

    def copy(self, array: DeviceArray) -> Any:
        self.copies += 1
        return super().copy(array)


@pytest.mark.parametrize("exclusive", [False, True])
def test_a_scan_begins_with_the_first_or_with_what_is_before_it(exclusive: bool) -> None:
    checked = rr.check(rr.parse(MODULE.format("n, m", "int32", f"R.cumsum(x, axis=1, exclusive={exclusive})")))
    (made,) = plans(lower(checked, pipeline="kernels").module.module, "fast").values()
    assert any("(step - 1)" in line for line in made.kernels[0].lines) is exclusive


def given(parameter: Any) -> Any:
    if not isinstance(parameter, BufferParam):
        return 1
    shape = tuple(as_int(dim) or 2 for dim in parameter.buffer.shape)
    return up(np.zeros(shape, numpy_dtype(parameter.buffer.dtype)))


@pytest.mark.parametrize("mode", ["fast", "bits"])
def test_what_is_copied_before_a_launch(mode: str) -> None:
    """In mode ``bits`` what kernels write that may be in doubt about a rounding, else nothing."""
    for name, plan in (BITS if mode == "bits" else PLANS).items():
        device = Counting()
        args = [given(each) for each in plan.func.params]
        with suppress(Ended):
            launcher(plan, device, mode)[0](*args)
            assert (device.copies > 0) is (mode == "bits" and plan.reports), name


@pytest.mark.parametrize(
    ("call", "least"),
    [
        ("R.sort(x, axis=1)", "true"), ("R.sort(x, axis=1, descending=True)", "false"),
        ('R.topk(x, k=2, axis=1, ret_type="values", largest=True)', "false"),
        ('R.topk(x, k=2, axis=1, ret_type="values", largest=False)', "true"),
    ],
)  # fmt: skip
def test_which_end_a_sort_begins_with(call: str, least: str) -> None:
    checked = rr.check(rr.parse(MODULE.format("n, m", "float32", call)))
    (made,) = plans(lower(checked, pipeline="kernels").module.module, "fast").values()
    found = {each[1] for line in made.kernels[0].lines for each in re.finditer(r"sort_row<f32, (\w+)>", line)}
    assert found == {least}


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (0, 0), (3, 5)])
def test_what_has_no_element_costs_nothing(sizes: tuple[int, int]) -> None:
    checked = rr.check(rr.parse(MODULE.format("n, m", "float32", "R.negative(x)")))
    found = cost_of(lower(checked, pipeline="kernels").module, "main", dict(zip("nm", sizes, strict=True)))
    assert found.read == found.written == 4 * sizes[0] * sizes[1]
