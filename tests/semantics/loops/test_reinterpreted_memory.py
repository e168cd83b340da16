"""One memory under several dtypes: the same bytes, whatever view writes them."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import Ints, TruthSet
from refrelax.semantics.numbers.poison import NEVER_WRITTEN
from refrelax.semantics.storage import Storage, fresh, holding

IEEE, ENCLOSURE = reading("ieee"), reading("enclosure")
SIZES = {
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "float16": 2,
    "int32": 4,
    "uint32": 4,
    "float32": 4,
    "int64": 8,
    "float64": 8,
}


def payload(dtype: str, pattern: int, numerics: Numerics = IEEE) -> Any:
    return numerics.at(dtype).from_bits(pattern & ((1 << 8 * SIZES[dtype]) - 1))


@example([("float32", 0, 31745), ("float16", 1, 0)])
@given(st.lists(st.tuples(st.sampled_from(sorted(SIZES)), st.integers(0, 15), st.integers(0, 2**64 - 1)), max_size=12))
def test_views_are_numpys(writes: list[tuple[str, int, int]]) -> None:
    """Any writes through any views leave the bytes that NumPy's views have (a NaN that is written is canonical)."""
    memory, storage = np.zeros(16, np.uint8), holding("uint8", [0] * 16)
    for dtype, place, pattern in writes:
        value = payload(dtype, pattern)
        if value != value:
            continue
        k = place % (16 // SIZES[dtype])
        storage.plane(dtype, IEEE)
        storage.store(dtype, k, value)
        memory.view(f"u{SIZES[dtype]}")[k] = pattern & ((1 << 8 * SIZES[dtype]) - 1)
    for dtype in SIZES:
        words = memory.view(f"u{SIZES[dtype]}").tolist()
        seen = [IEEE.at(dtype).to_bits(each) for each in storage.plane(dtype, IEEE)]
        wanted = [IEEE.at(dtype).to_bits(payload(dtype, each)) for each in words]
        assert seen == wanted, dtype


def test_a_part_that_was_never_written() -> None:
    storage = fresh("float32", 2)
    octets = storage.plane("uint8", IEEE)
    for k, octet in enumerate(struct.pack("<f", 1.5)[:3]):
        storage.store("uint8", k, octet)
        assert storage.planes["float32"][0] is NEVER_WRITTEN
    storage.store("uint8", 3, struct.pack("<f", 1.5)[3])
    assert storage.planes["float32"] == [1.5, NEVER_WRITTEN]
    assert octets[4:] == [NEVER_WRITTEN] * 4


def test_vectors_and_packed_numbers() -> None:
    storage = holding("float16x2", [(1.0, 2.0), (0.5, -1.0)])
    assert storage.plane("int32", IEEE) == [0x40003C00, -0x43FFC800]
    assert storage.plane("float16", IEEE) == [1.0, 2.0, 0.5, -1.0]
    packed = holding("uint8", [0x21, 0xF3])
    assert packed.plane("uint4", IEEE) == [1, 2, 3, 15]
    assert packed.plane("int4x4", IEEE) == [(1, 2, 3, -1)]
    packed.store("uint4", 1, 9)
    assert packed.planes["uint8"] == [0x91, 0xF3]


def test_bools_are_bytes() -> None:
    storage = holding("uint8", [0, 1, 2])
    rules = [IEEE.poison_rule(each) for each in storage.plane("bool", IEEE)]
    assert rules == [None, None, "st/byte-of-bool"]
    assert IEEE.at("bool").to_bits(storage.planes["bool"][1]) == 1


def test_enclosures() -> None:
    """Points keep their bits; anything wider may be any element, and keeps its own bounds at its own dtype."""
    point, wide = 1.5, Interval(1.0, 2.0)
    storage = holding("float32", [point, wide])
    words = storage.plane("int32", ENCLOSURE)
    assert words[0] == 0x3FC00000
    assert isinstance(words[1], Ints) and words[1].count == 1 << 32
    halves = storage.plane("uint16", ENCLOSURE)
    assert halves[:2] == [0, 0x3FC0] and all(each.count == 1 << 16 for each in halves[2:])
    assert isinstance(storage.plane("bool", ENCLOSURE)[4], TruthSet)
    storage.store("uint16", 0, 0)
    assert storage.planes["float32"] == [1.5, wide]
    storage.store("uint16", 2, 0)
    assert storage.planes["float32"][1] is not wide


@pytest.mark.parametrize("numerics", ["symbolic", "guarded", "sampled", "ieee", "enclosure"])
def test_every_reading_reassembles(numerics: str) -> None:
    chosen = reading(numerics)
    storage: Storage = holding("float32", [chosen.at("float32").lit(1.5)])
    assert chosen.at("int16").to_bits(storage.plane("int16", chosen)[1]) == 0x3FC0


TEXT = """
@T.prim_func(private=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = A[i] + T.float32(1)
        V = T.decl_buffer((4,), "int32", data=A.data)
        V[i] = T.bitwise_xor(V[i], T.int32(-2147483648))
        B[i] = A[i] * T.float32(2)
"""


@pytest.mark.parametrize("numerics", ["ieee", "sampled", "enclosure"])
def test_a_view_declared_after_the_store_of_a_loop(numerics: str) -> None:
    out = rr.run(rr.check(rr.parse(TEXT)), "main", [1.0, 2.0, 3.0, 4.0], [0.0] * 4, numerics=numerics)
    assert isinstance(out, rr.Returned)
    assert out.arguments[1].contains([-4.0, -6.0, -8.0, -10.0]) if numerics == "enclosure" else True
    if numerics != "enclosure":
        assert out.arguments[1].tolist() == [-4.0, -6.0, -8.0, -10.0]


def test_reductions_keep_the_planes_in_step() -> None:
    text = """
@T.prim_func(private=True, s_tir=True)
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((1,), "int32"), C: T.Buffer((2,), "int16")):
    V = T.decl_buffer((2,), "int16", data=B.data)
    for k in range(4):
        with T.sblock("sum"):
            vk = T.axis.reduce(4, k)
            with T.init():
                B[0] = 0
            B[0] = B[0] + A[vk]
    for i in range(2):
        C[i] = V[i]
"""
    for numerics in ("ieee", "enclosure", "sampled"):
        args = ([65536, 2, 3, 4], [0], [0, 0])
        out = rr.run(rr.check(rr.parse(text)), "main", *args, numerics=numerics)
        assert isinstance(out, rr.Returned)
        (low, high) = (out.arguments[2].lo, out.arguments[2].hi) if numerics == "enclosure" else (None, None)
        assert out.arguments[2].contains([9, 1]) if low is not None and high is not None else True
        if numerics != "enclosure":
            assert out.arguments[2].tolist() == [9, 1]


def test_local_memory_of_threads_keeps_its_views() -> None:
    text = """
@T.prim_func(private=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32")):
    L = T.alloc_buffer((1,), "float32", scope="local")
    V = T.decl_buffer((1,), "int32", data=L.data, scope="local")
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        L[0] = A[tx]
        T.tvm_storage_sync("shared")
        B[tx] = V[0]
"""
    out = rr.run(rr.check(rr.parse(text)), "main", [1.0, 2.0, 3.0, 4.0], [0] * 4)
    assert isinstance(out, rr.Returned), out
    assert out.arguments[1].tolist() == [0x3F800000, 0x40000000, 0x40400000, 0x40800000]
