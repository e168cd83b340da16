"""Arenas against a model of bytes: each byte remembers who wrote it last, with what."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.errors import Ended
from refrelax.semantics.arena import Arena, Region, allocate, keep_apart, name_memory, reused
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.poison import NEVER_WRITTEN, NotedPoison
from refrelax.semantics.values import Opaque, TensorValue
from refrelax.syntax import dtypes
from tests.draws import draws

IEEE = reading("ieee")
SIZE = 24
DTYPES = ("int8", "int16", "float32", "float64")

steps = st.lists(
    st.one_of(
        st.tuples(st.just("alloc"), st.sampled_from(DTYPES), st.integers(0, 2), st.integers(0, 3)),
        st.tuples(st.just("write"), st.integers(0, 5), st.integers(0, 3), st.integers(1, 100)),
        st.tuples(st.just("drop"), st.integers(0, 5), st.just(0), st.just(0)),
        st.tuples(st.just("look"), st.integers(0, 5), st.just(0), st.just(0)),
    ),
    max_size=24,
)


class Model:
    """What every byte of the arena holds: the tensor that wrote it, and a tag for the write."""

    def __init__(self) -> None:
        self.bytes: list[tuple[int, int] | None] = [None] * SIZE
        self.written: dict[tuple[int, int], int] = {}
        self.writes = 0

    def write(self, tensor: int, begin: int, size: int, element: int) -> None:
        self.writes += 1
        self.written[tensor, element] = self.writes
        for k in range(begin, begin + size):
            self.bytes[k] = (tensor, self.writes)

    def expected(self, tensor: int, begin: int, size: int, element: int) -> str:
        """``never``, ``stale`` or ``held``."""
        if (tensor, element) not in self.written:
            return "never"
        tag = (tensor, self.written[tensor, element])
        return "held" if all(self.bytes[k] == tag for k in range(begin, begin + size)) else "stale"


@settings(max_examples=draws(150), deadline=None)
@given(steps)
def test_against_bytes(program: list[tuple[str, object, int, int]]) -> None:
    arena, model = Arena(SIZE, name="s"), Model()
    tensors: dict[int, tuple[TensorValue, int]] = {}
    values: dict[tuple[int, int], int] = {}
    made = 0
    for what, first, a, b in program:
        if what == "alloc":
            dtype = str(first)
            begin, count = 8 * a, min(b, (SIZE - 8 * a) // dtypes.itemsize(dtype))
            tensors[made] = (allocate(arena, begin, (count,), dtype, IEEE, None), begin)
            made += 1
        elif not tensors:
            continue
        elif what == "write":
            key = sorted(tensors)[int(str(first)) % len(tensors)]
            tensor, begin = tensors[key]
            if a < tensor.size:
                size = dtypes.itemsize(tensor.dtype)
                value = IEEE.at(tensor.dtype).lit(1000 + model.writes if size > 1 else b)
                cells = tensor.storage.plane(tensor.dtype, tensor.numerics)
                if cells[a] is value:
                    continue  # the same object again is no write that can be seen, nor one that matters
                cells[a] = value
                model.write(key, begin + a * size, size, a)
                values[key, a] = value
        elif what == "drop":
            del tensors[sorted(tensors)[int(str(first)) % len(tensors)]]
        else:
            key = sorted(tensors)[int(str(first)) % len(tensors)]
            look(model, key, *tensors[key], values)
    for key, (tensor, begin) in tensors.items():
        look(model, key, tensor, begin, values)


def look(model: Model, key: int, tensor: TensorValue, begin: int, values: dict[tuple[int, int], int]) -> None:
    size = dtypes.itemsize(tensor.dtype)
    for k, payload in enumerate(tensor.payloads()):
        match model.expected(key, begin + k * size, size, k):
            case "never":
                assert payload is NEVER_WRITTEN
            case "stale":
                assert IEEE.poison_rule(payload) == "st/reused"
            case _:
                assert payload is values[key, k]


def tensor(arena: Arena, offset: int, count: int, dtype: str = "float32") -> TensorValue:
    return allocate(arena, offset, (count,), dtype, IEEE, None)


def test_the_poison_names_both_tensors() -> None:
    arena = Arena(16, name="s")
    a = tensor(arena, 0, 4)
    name_memory("a", a)
    a.assign([1.0] * 4)
    b = tensor(arena, 8, 2)
    name_memory("b", b)
    b.assign([5.0, 6.0])
    stale = a[2]
    assert isinstance(stale, NotedPoison) and "a was written through b" in stale.note
    assert a[0] == 1.0 and stale is a[3] is reused("a", "b")


@pytest.mark.thorough
def test_a_write_counts_after_its_tensor_is_gone() -> None:
    arena = Arena(16)
    a = tensor(arena, 0, 4)
    a.assign([1.0] * 4)
    b = tensor(arena, 0, 1)
    b.assign([2.0])
    del b
    gc.collect()
    assert IEEE.poison_rule(a[0]) == "st/reused" and a[1] == 1.0


def test_regions_side_by_side_cost_nothing() -> None:
    arena = Arena(16)
    a, b = tensor(arena, 0, 2), tensor(arena, 8, 2)
    assert isinstance(a.storage, Region) and not a.storage.shared
    a.assign([1.0, 2.0])
    b.assign([3.0, 4.0])
    assert a.payloads() == [1.0, 2.0] and b.payloads() == [3.0, 4.0]


@pytest.mark.parametrize(("offset", "count"), [(-4, 1), (4, 4), (16, 1)])
def test_outside(offset: int, count: int) -> None:
    with pytest.raises(Ended, match="st/outside-storage"):
        tensor(Arena(16, name="s"), offset, count)


def test_an_empty_tensor_fits_anywhere() -> None:
    assert tensor(Arena(0), 0, 0).payloads() == []


def test_arguments_that_share_bytes() -> None:
    arena = Arena(16, name="s")
    a, b = tensor(arena, 0, 2), tensor(arena, 4, 2)
    for name, each in (("a", a), ("b", b)):
        name_memory(name, each)
    keep_apart("f", [a, a.view((2, 1)), 3], None)
    with pytest.raises(Ended) as found:
        keep_apart("f", [a, b], None)
    assert "a and b, which share bytes of storage s" in str(found.value.outcome)
    keep_apart("f", [a, tensor(arena, 8, 2)], None)


def test_names_are_given_once() -> None:
    arena = Arena(8)
    name_memory("s", Opaque(arena))
    name_memory("t", Opaque(arena))
    a = tensor(arena, 0, 1)
    name_memory("a", a)
    name_memory("b", a.view((1, 1)))
    assert arena.name == "s" and a.storage.name == "a"
