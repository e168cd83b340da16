"""Library functions: whatever they are given, they return or end the run; never an exception of Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.errors import Ended, Exhausted, Trapped, Unspecified
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.builtins.access import elements
from refrelax.semantics.builtins.kernels import KERNELS, call_kernel
from refrelax.semantics.builtins.kv_cache import create
from refrelax.semantics.builtins.missing import WITHOUT_MEANING, reason
from refrelax.semantics.builtins.sorting import SORTING
from refrelax.semantics.loops.frame import Context
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.storage import fresh
from refrelax.semantics.values import DType, Opaque, Prim, Shape, TensorValue, from_payloads

FORMS = {
    "tvm.contrib.sort.argsort_nms": "tttnn",
    "tvm.contrib.sort.topk": "tttnnsn",
    "tvm.contrib.sort.": "ttnn",
    "tvm.contrib.thrust.stable": "ttttn",
    "tvm.contrib.thrust.sort": "tttn",
    "tvm.contrib.thrust.sum_scan": "ttn",
    "tvm.contrib.": "tttnnff",
    "vm.builtin.sample_top_p_from_logits": "tfff",
    "vm.builtin.sample_top_p_from_prob": "tff",
    "vm.builtin.multinomial": "tt",
    "vm.builtin.apply_presence": "tttff",
    "vm.builtin.apply_softmax": "tf",
    "vm.builtin.apply_": "ttf",
    "vm.builtin.attention_kv_cache_create": "txn",
    "vm.builtin.attention_kv_cache_array": "xn",
    "vm.builtin.attention_kv_cache_view": "cx",
    "vm.builtin.": "ctnn",
}
"""What a function takes: tensors, integers, floats, strings, caches, anything else; the first that fits its name."""
SHAPES = st.sampled_from([(), (0,), (1,), (3,), (1, 4), (2, 3), (3, 2), (2, 1, 3), (0, 2)])
DTYPES = st.sampled_from(["float32", "float64", "int32", "int64", "bool", "float16", "uint8"])


def context(numerics: Numerics, elements: int = 10_000) -> Context:
    return Context(numerics, Meter.of(Budget(steps=10_000, elements=elements)), lambda *_: None)


@st.composite
def arguments(draw: st.DrawFn, numerics: Numerics, form: str) -> list[Any]:
    """Arguments of the kinds that a function takes, with any shapes and dtypes, in memory that may be too small."""
    shapes, dtypes = draw(st.lists(SHAPES, min_size=1, max_size=2)), draw(st.lists(DTYPES, min_size=1, max_size=2))

    def tensor() -> TensorValue:
        dtype, shape = draw(st.sampled_from(dtypes)), draw(st.sampled_from(shapes))
        count = 1
        for extent in shape:
            count *= extent
        f, truth = numerics.at(dtype), numerics.truth
        numbers = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
        cells = [truth(bool(each)) if dtype == "bool" else f.lit(each) for each in numbers]
        if draw(st.integers(0, 3)):
            return from_payloads(numerics, dtype, shape, cells)
        return TensorValue(dtype, shape, fresh(dtype, max(count - 1, 0)), numerics, draw(st.integers(-2, 2)))

    def cache() -> Any:
        first = from_payloads(numerics, "float32", (1, 3), [numerics.at("float32").lit(k) for k in range(3)])
        return create(context(numerics), [first, Shape((2, 3)), Prim("int64", -1)], None)

    makers = {
        "t": tensor,
        "n": lambda: Prim("int64", draw(st.integers(-2, 3))),
        "f": lambda: Prim("float64", draw(st.sampled_from([0.0, 0.25, 0.5, 2.0]))),
        "s": lambda: draw(st.sampled_from(["both", "values", "indices"])),
        "c": cache,
        "x": lambda: draw(st.sampled_from([None, "both", (), DType("int8"), Opaque(3), (cache(),), Shape(shapes[0])])),
    }
    kinds = draw(st.lists(st.sampled_from("tnfscx"), max_size=8)) if draw(st.integers(0, 5)) == 0 else list(form)
    return [makers[each]() for each in kinds]


@pytest.mark.thorough
@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
@pytest.mark.parametrize("name", sorted(set(KERNELS) - set(SORTING)))
def test_every_argument_has_an_outcome(name: str, numerics: str) -> None:
    chosen = reading(numerics)

    form = next(kinds for start, kinds in FORMS.items() if name.startswith(start))

    @given(arguments(chosen, form))
    def holds(args: list[Any]) -> None:
        try:
            call_kernel(context(chosen), name, args, None)
        except Ended as end:
            assert isinstance(end.outcome, Unspecified | Exhausted | Trapped)

    holds()


@pytest.mark.parametrize("first", [-1, 2])
def test_memory_that_is_not_there(first: int) -> None:
    numerics = reading("ieee")
    x = from_payloads(numerics, "float32", (3,), [1.0, 2.0, 3.0])
    seen = elements(TensorValue("float32", (2,), x.storage, numerics, first), context(numerics))
    assert [numerics.poison_rule(each) for each in seen].count("ld/load-out-of-bounds") == 1


@pytest.mark.parametrize("name", ["vm.builtin.attention_kv_cache_append", "tvm.contrib.cblas.matmul"])
def test_work_is_charged(name: str) -> None:
    numerics = reading("ieee")
    x = from_payloads(numerics, "float32", (5, 5), [numerics.at("float32").lit(1)] * 25)
    room = create(context(numerics), [x, Shape((8, 5)), Prim("int64", -1)], None)
    args = [room, x] if "cache" in name else [x, x, x, Prim("int64", 0), Prim("int64", 0)]
    with pytest.raises(Ended) as end:
        call_kernel(context(numerics, elements=10), name, args, None)
    assert end.value.outcome == Exhausted("elements")


def test_reasons() -> None:
    assert "random" in reason("tvm.contrib.random.uniform")
    assert "pages" in reason("vm.builtin.paged_attention_kv_cache_create_reduced")
    assert reason("my_function") == ""
    assert not any(name.startswith(start) for start in WITHOUT_MEANING for name in KERNELS if start.endswith("paged_"))
