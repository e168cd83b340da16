"""``R.layout_transform`` by maps that meet no position twice: read from where they come, as the arrivals say."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.semantics.ops import transform
from refrelax.syntax.loops import PrimFunc

MAPS = [
    "i, j: (j, i)",
    "i, j: (i, j // 4, j % 4)",
    "i, j: (j % 3, i // 2, j // 3, i % 2)",
    "i, j: (i % 5, j, i // 5)",
    "i, j: (T.Div(i, 2), T.truncmod(i, 2), j)",
]
OTHERS = [
    "i, j: (i, i, j)", "i, j: (i // 2, j, i % 3)", "i, j: (i // 2, j)", "i, j: (i % 4, j)", "i, j: (i * 2, j)",
    "i, j: (i // 2, i // 2, j)", "i, j: (i % 2, i % 2, j)", "i, j: (j // 2, i, j % 2, j)", "i, j: (i + j, j)",
    "i, j: (i, 1, j)",
]  # fmt: skip


def program(index_map: str, pad: str, shape: str) -> rr.CheckedModule:
    return rr.check(
        rr.parse(f"""
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({shape}, "int32")):
        return R.layout_transform(x, index_map=T.index_map(lambda {index_map}){pad})
""")
    )


@pytest.mark.by_day(6)
@pytest.mark.parametrize("index_map", MAPS)
@pytest.mark.parametrize("pad", ["", ", pad_value=T.int32(-7)"])
@pytest.mark.parametrize("shape", [(5, 7), (4, 12), (1, 3), (0, 6), (6, 0), (1, 1)])
def test_the_same_as_by_arrivals(
    index_map: str, pad: str, shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = rr.Tensor.of(np.arange(1, 1 + shape[0] * shape[1], dtype="int32").reshape(shape))
    for dims in (repr(shape), "(n, m)"):
        checked = program(index_map, pad, dims)
        direct = str(rr.run(checked, "main", x))
        with monkeypatch.context() as patched:
            patched.setattr(transform, "_sources", lambda _: None)
            assert str(rr.run(program(index_map, pad, dims), "main", x)) == direct
        assert str(rr.run(lower(checked, passes=("legalize",)).module, "main", x)) == direct or not pad


@pytest.mark.parametrize("index_map", OTHERS)
def test_other_maps_are_no_such(index_map: str) -> None:
    checked = program(index_map, "", "(6, 6)")
    found = next(b.value.attrs for block in checked.module.functions["main"].body.blocks for b in block.bindings)  # type: ignore[union-attr]
    assert transform._sources(dict(found)["index_map"]) is None


def test_loops_visit_each_element_once() -> None:
    module = lower(program("i, j: (i, j // 4, j % 4)", "", "(n, 8)"), passes=("legalize",)).module
    (kernel,) = [each for each in module.module.functions.values() if isinstance(each, PrimFunc)]
    assert rr.print_module(module.module).count("T.grid(n, T.int64(2), T.int64(4))") == 1 and kernel.body
