"""How kernels of every form are launched, at the sizes where the answer changes."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

from refrelax.backends.cupy_.geometry import SHARED, WHOLE, Geometry, geometry, narrow
from refrelax.backends.cupy_.kernels import Kernel, Parameter
from refrelax.backends.cupy_.traffic import Touch
from refrelax.backends.intervals import NARROW, SLACK, UncheckedIndex
from refrelax.syntax.scalars import Binary, SymVar, int_imm

N, M, L = SymVar("n"), SymVar("m"), SymVar("l")


def kernel(form: Any, **rest: Any) -> Kernel:
    return Kernel("k", form, (), (), **{"batch": (N,), **rest})


def launched(made: Kernel, most: int | None = None, **symbols: int) -> tuple[int, ...]:
    """Blocks, threads, work, threads of a row, bytes, columns that stay."""
    found = geometry(made, symbols, most)
    assert found.symbols == symbols
    return found.blocks, found.threads, found.total, found.lanes, found.shared, found.fits


def test_what_is_not_said() -> None:
    assert Geometry(3, 4) == Geometry(3, 4, total=0, lanes=1, shared=0, fits=0, symbols={})


@pytest.mark.parametrize("form", ["elementwise", "fold"])
def test_a_thread_has_so_many_elements(form: str) -> None:
    flat, four = kernel(form), kernel(form, batch=(N, M), columns=(L,), width=4, threads=64)
    wanted = {0: (0, 0), 1: (1, 1), 256: (1, 256), 257: (2, 257), 512: (2, 512)}
    assert {n: launched(flat, n=n)[::2][:2] for n in wanted} == wanted
    assert launched(flat, n=-5) == (0, 256, 0, 1, 0, 0)
    assert launched(four, n=2, m=16, l=4) == (1, 64, 32, 1, 0, 0)
    assert launched(four, n=2, m=16, l=9) == (2, 64, 96, 1, 0, 0)
    assert launched(four, n=2, m=0, l=9) == (0, 64, 0, 1, 0, 0)


def test_one_thread_does_what_is_in_order() -> None:
    assert launched(kernel("sequential", threads=1), n=7) == (1, 1, 1, 1, 0, 0)


def test_tiles() -> None:
    made = kernel("tiled contraction", rows=(M,), columns=(L,))
    wanted = {(1, 1): 1, (16, 16): 1, (17, 16): 2, (16, 17): 2, (17, 33): 6, (0, 5): 0}
    assert {size: launched(made, n=1, m=size[0], l=size[1])[0] for size in wanted} == wanted
    assert launched(made, n=3, m=17, l=33) == (18, 256, 0, 1, 0, 0)


def test_scans_in_turn() -> None:
    made = kernel("scan in turn")
    assert [launched(made, n=n)[0] for n in (0, 1, 32, 33, 64, 65)] == [0, 1, 1, 2, 2, 3]
    assert launched(made, n=1) == (1, 256, 0, 1, 0, 0)


@pytest.mark.parametrize("form", ["scan", "sort"])
def test_a_row_that_fits_the_block(form: str) -> None:
    made = kernel(form, spans=((M,),), kept=(("float32", 0), ("int64", 0)))
    assert launched(made, n=5, m=3) == (5, 256, 0, 1, 16 + 32, WHOLE)
    assert launched(made, n=5, m=4) == (5, 256, 0, 1, 16 + 32, WHOLE)
    assert launched(made, n=5, m=5) == (5, 256, 0, 1, 32 + 48, WHOLE)
    assert launched(made, 80, n=5, m=5) == (5, 256, 0, 1, 80, WHOLE)
    assert launched(made, 79, n=5, m=5) == (5, 256, 0, 1, 0, 0)
    assert launched(made, n=5, m=SHARED // 12) == (5, 256, 0, 1, SHARED, WHOLE)
    assert launched(made, n=5, m=SHARED // 12 + 1) == (5, 256, 0, 1, 0, 0)
    assert launched(made, 0, n=5, m=0) == (5, 256, 0, 1, 0, WHOLE)


def test_attention_keeps_rows_of_a_tile_beside_its_own() -> None:
    made = kernel("attention", rows=(M,), spans=((L,),), kept=(("float32", 0),), static=100)
    assert launched(made, n=2, m=16, l=3) == (2, 256, 0, 16, 192, WHOLE)
    assert launched(made, n=2, m=17, l=3) == (4, 256, 0, 16, 192, WHOLE)
    assert launched(made, 292, n=2, m=17, l=3) == (4, 256, 0, 16, 192, WHOLE)
    assert launched(made, 291, n=2, m=17, l=3) == (4, 256, 0, 16, 0, 0)


def row(**rest: Any) -> Kernel:
    return kernel("row program", **{"spans": ((M,),), "kept": (("float32", 0),), **rest})


def test_short_rows_share_a_block() -> None:
    for n, blocks in {0: 0, 1: 1, 8: 1, 9: 2, 16: 2, 17: 3}.items():
        assert launched(row(), n=n, m=10) == (blocks, 256, n, 32, 8 * 40, WHOLE)
    assert launched(row(), n=9, m=1024) == (2, 256, 9, 32, 8 * 4096, WHOLE)
    # Eight rows of float64 are more than half of the memory; four are not.
    wide = row(kept=(("float64", 0),))
    assert launched(wide, n=9, m=768) == (2, 256, 9, 32, 8 * 6144, WHOLE)
    assert launched(wide, n=9, m=769)[:4] == (3, 128, 9, 32)
    assert launched(row(kept=(("float64", 0),) * 7), n=9, m=800)[:4] == (9, 32, 9, 32)
    assert launched(row(kept=(("float64", 0),) * 5), n=9, m=768)[:4] == (9, 32, 9, 32)
    assert launched(row(kept=(("float64", 0),) * 4), n=9, m=768)[:4] == (5, 64, 9, 32)


def test_long_rows_have_a_block_of_their_own() -> None:
    threads = {1025: 256, 8192: 256, 8193: 512, 16384: 512, 16385: 1024, 20000: 1024}
    assert {m: launched(row(), n=9, m=m)[1] for m in threads} == threads
    for m, lanes in threads.items():
        assert launched(row(), n=9, m=m) == (9, lanes, 9, lanes, -(-4 * m // 16) * 16, WHOLE)


def test_the_longest_span_says_how_long_a_row_is() -> None:
    both = row(spans=((M,), (L,)), kept=(("float32", 0), ("int8", 1)))
    assert launched(both, n=1, m=5, l=1025) == (1, 256, 1, 256, 32 + 1040, WHOLE)
    assert launched(both, n=1, m=1024, l=1024)[3] == 32
    assert launched(row(spans=(), kept=()), n=9) == (2, 256, 9, 32, 0, WHOLE)


def test_what_does_not_fit_stays_in_part() -> None:
    whole = 4 * 24576
    assert launched(row(), n=3, m=24576) == (3, 1024, 3, 1024, whole, WHOLE)
    assert launched(row(), n=3, m=24577) == (3, 1024, 3, 1024, SHARED - 16, SHARED // 4 - 4)
    assert launched(row(), 1000, n=3, m=2000) == (3, 256, 3, 256, 992, 246)
    assert launched(row(width=4), 1000, n=3, m=2000) == (3, 256, 3, 256, 976, 244)
    two = row(kept=(("float32", 0), ("float16", 0)))
    assert launched(two, 1000, n=3, m=2000) == (3, 256, 3, 256, 656 + 336, 161)
    assert launched(row(), 10, n=3, m=2000) == (3, 256, 3, 256, 0, 0)
    assert launched(row(kept=(("int8", 0),)), 15, n=3, m=2000) == (3, 256, 3, 256, 0, 0)
    assert launched(row(kept=(("int8", 0),)), 17, n=3, m=2000) == (3, 256, 3, 256, 16, 1)
    # Several rows of a block never keep a part.
    assert launched(row(), 1000, n=3, m=300) == (1, 256, 3, 32, 0, 0)
    assert launched(row(spans=((M,), (L,)), kept=(("float32", 0),)), 1000, n=3, m=2, l=2000)[4:] == (16, WHOLE)


def test_a_thread_alone_with_its_row() -> None:
    alone = row(alone=True)
    assert launched(alone, n=257, m=4) == (2, 256, 257, 1, 256 * 16, WHOLE)
    assert launched(alone, n=257, m=48) == (2, 256, 257, 1, 256 * 192, WHOLE)
    assert launched(alone, n=257, m=49) == (3, 128, 257, 1, 128 * 196, WHOLE)
    assert launched(alone, n=257, m=97) == (5, 64, 257, 1, 64 * 388, WHOLE)
    assert launched(alone, n=257, m=193) == (9, 32, 257, 1, 32 * 772, WHOLE)
    assert launched(alone, n=257, m=768) == (9, 32, 257, 1, SHARED, WHOLE)
    assert launched(alone, n=257, m=769) == (2, 256, 257, 1, 0, 0)


# --- 32 bits ---------------------------------------------------------------------------------------------------------

MOST = NARROW - SLACK


def touch(**rest: Any) -> Touch:
    return Touch(**{"buffer": "A", "dtype": "int8", "shape": (N,), "written": False, "indices": (N,), "loops": (),
                    "along": None, **rest})  # fmt: skip


BORDERS: dict[str, tuple[Kernel, dict[str, int]]] = {
    "threads": (kernel("elementwise"), {"n": MOST}),
    "rows": (kernel("elementwise", batch=(), rows=(N,)), {"n": MOST}),
    "columns": (kernel("elementwise", batch=(), columns=(N,)), {"n": MOST}),
    "threads times rows": (kernel("elementwise", batch=(int_imm(3),), rows=(N,)), {"n": MOST // 3}),
    "columns of 1024 rows": (kernel("row program", batch=(), spans=((N,),)), {"n": MOST // 1024}),
    "an array": (kernel("elementwise", batch=(), touches=(touch(),)), {"n": MOST}),
    "an index": (
        kernel("elementwise", batch=(), indices=(UncheckedIndex(Binary("Add", N, int_imm(1)), ()),)),
        {"n": NARROW - 1},
    ),
    "a loop": (
        kernel("elementwise", batch=(), touches=(touch(shape=(), loops=(("i", int_imm(0), N),)),)), {"n": MOST},
    ),
    "a scalar": (
        Kernel("k", "elementwise", (Parameter("number", "n", "int64"),), (), ()), {"n": NARROW},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BORDERS)
def test_the_greatest_sizes_of_32_bits(name: str) -> None:
    made, sizes = BORDERS[name]
    assert narrow(made, sizes)
    assert not narrow(made, {"n": sizes["n"] + 1})


def test_scalars_below_zero_and_floats() -> None:
    made, _ = BORDERS["a scalar"]
    assert narrow(made, {"n": -NARROW}) and not narrow(made, {"n": -NARROW - 1})
    assert narrow(made, {"n": 1e30}), "a float is no size"
    assert narrow(made, {})
    other = Kernel("k", "elementwise", (Parameter("buffer", "n", "int64"),), (), ())
    assert narrow(other, {"n": NARROW + 1}), "a buffer is no scalar"
