"""Proofs about flattened loop programs: views of the whole of a buffer, and other views, of which nothing is proved."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = "".join(f"{s} = TypeVar('{s}')\n" for s in "nm") + "@I.ir_module\nclass Module:\n    @T.prim_func\n"
PLAIN = """    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((n, m), "float32")):
        t = T.alloc_buffer((n, m), "float32")
        for i, j in T.grid(n, m):
            t[i, j] = x[i, j] * x[i, j]
        for i, j in T.grid(n, m):
            y[i, j] = t[i, j] + x[i, j]
"""
FLAT = """    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((n, m), "float32")):
        t = T.alloc_buffer((n * m,), "float32", elem_offset=0)
        x_1 = T.decl_buffer((n * m,), "float32", data=x.data)
        y_1 = T.decl_buffer((n * m,), "float32", data=y.data, elem_offset=0)
        t_1 = T.decl_buffer((n * m,), "float32", data=t.data)
        for i, j in T.grid(n, m):
            t_1[i * m + j] = x_1[i * m + j] * x_1[i * m + j]
        for i, j in T.grid(n, m):
            y_1[i * m + j] = t[i * m + j] + x_1[i * m + j]
"""
ROWS = """    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((n, m), "float32")):
        x_1 = T.decl_buffer((n, m), "float32", data=x.data)
        for i, j in T.grid(n, m):
            y[i, j] = x_1[i, j] * x[i, j]
            y[i, j] = y[i, j] + x_1[i, j]
"""


def checked(text: str) -> rr.CheckedModule:
    return rr.check(rr.parse(HEAD + text))


@pytest.mark.parametrize(
    ("first", "second"),
    [(PLAIN, FLAT), (FLAT, PLAIN), (FLAT, ROWS)],
)
def test_flattening_is_proved(first: str, second: str) -> None:
    found = attempt(checked(first), checked(second), "main")
    assert isinstance(found, Proved), found


@pytest.mark.by_day(3)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y_1[i * m + j]", "y_1[j * n + i]"),
        ("y_1[i * m + j]", "y_1[i * n + j]"),
        ("t[i * m + j] + x_1[i * m + j]", "t[j * n + i] + x_1[i * m + j]"),
        ("x_1[i * m + j] * x_1[i * m + j]", "x_1[i * n + j] * x_1[i * m + j]"),
        ("t[i * m + j] + x_1", "t[0] + x_1"),
    ],
)
def test_a_wrong_flat_index_is_not_proved_and_is_refuted(old: str, new: str) -> None:
    assert old in FLAT
    second = checked(FLAT.replace(old, new))
    assert isinstance(attempt(checked(PLAIN), second, "main"), str)
    assert isinstance(rr.validate(checked(PLAIN), second), rr.Refuted)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            '(n * m,), "float32", data=y.data, elem_offset=0',
            '(n * m,), "float32", data=y.data, elem_offset=1',
            "offset",
        ),
        ('(n * m,), "float32", data=x.data', '(n * m + 1,), "float32", data=x.data', "sizes may differ"),
        ("data=x.data)", "data=x.data, strides=(2,))", "strides"),
        ("data=y.data", "data=x.data", "two views"),
        ("t[i * m + j] + x_1[i * m + j]", "t[i * m + j] + x[i, j]", "of which there is a view"),
    ],
)
def test_what_is_no_view_of_the_whole_is_not_read(old: str, new: str, why: str) -> None:
    assert old in FLAT
    found = attempt(checked(PLAIN), checked(FLAT.replace(old, new)), "main")
    assert isinstance(found, str)
    assert why in found


def test_a_view_is_written_and_its_memory_read_under_the_other_name() -> None:
    """Two names of one shape are one memory: what is stored under the one is read under the other."""
    one = """    def main(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        z = T.decl_buffer((n,), "float32", data=y.data)
        for i in range(n):
            y[i] = x[i]
        for i in range(n):
            z[i] = y[i] + x[i]
"""
    other = """    def main(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = x[i] + x[i]
"""
    assert isinstance(attempt(checked(one), checked(other), "main"), Proved)
    wrong = other.replace("x[i] + x[i]", "y[i] + x[i]")
    assert isinstance(attempt(checked(one), checked(wrong), "main"), str)
    shifted = one.replace("y[i] + x[i]", "y[0] + x[i]")
    assert isinstance(attempt(checked(one), checked(shifted), "main"), str)


def test_a_loop_that_reads_under_one_name_what_it_writes_under_the_other() -> None:
    scan = """    def main(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        z = T.decl_buffer((n,), "float32", data=y.data)
        for i in range(n):
            y[i] = T.if_then_else(0 < i, z[i - 1] + x[i], x[i])
"""
    copy = """    def main(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = T.if_then_else(0 < i, y[i - 1] + x[i], x[i])
"""
    assert isinstance(attempt(checked(scan), checked(copy.replace("y[i - 1] + x[i]", "y[i - 1] - x[i]")), "main"), str)


TURNED = """    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((m, n), "float32")):
        for i, j in T.grid(n, m):
            y[j, i] = x[i, j] + x[i, j]
"""
TURNED_FLAT = """    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((m, n), "float32")):
        y_1 = T.decl_buffer((m * n,), "float32", data=y.data)
        for i, j in T.grid(n, m):
            y_1[j * n + i] = x[i, j] + x[i, j]
"""
CUBE = """    def main(x: T.Buffer((3, 5, 7), "float32"), y: T.Buffer((7, 3, 5), "float32")):
        for i, j, k in T.grid(3, 5, 7):
            y[k, i, j] = x[i, j, k]
"""
CUBE_FLAT = """    def main(x: T.Buffer((3, 5, 7), "float32"), y: T.Buffer((7, 3, 5), "float32")):
        y_1 = T.decl_buffer((105,), "float32", data=y.data)
        for i, j, k in T.grid(3, 5, 7):
            y_1[k * 15 + i * 5 + j] = x[i, j, k]
"""


@pytest.mark.parametrize(("plain", "flat"), [(TURNED, TURNED_FLAT), (CUBE, CUBE_FLAT)])
def test_digits_of_a_stored_index_in_any_order_of_loops(plain: str, flat: str) -> None:
    for first, second in ((plain, flat), (flat, plain)):
        found = attempt(checked(first), checked(second), "main")
        assert isinstance(found, Proved), found


@pytest.mark.by_day(3)
@pytest.mark.parametrize(
    ("plain", "flat", "old", "new"),
    [
        (TURNED, TURNED_FLAT, "j * n + i", "j * m + i"),
        (TURNED, TURNED_FLAT, "T.grid(n, m)", "T.grid(n, m - 1)"),
        (CUBE, CUBE_FLAT, "i * 5 + j", "j * 5 + i"),
        (CUBE, CUBE_FLAT, "k * 15", "k * 14"),
        (CUBE, CUBE_FLAT, "k * 15 + i * 5 + j", "k * 15 + i * 5 + j // 2"),
        (CUBE, CUBE_FLAT, "T.grid(3, 5, 7)", "T.grid(3, 5, 6)"),
    ],
)
def test_wrong_digits_are_not_proved_and_are_refuted(plain: str, flat: str, old: str, new: str) -> None:
    assert old in flat
    first, second = checked(plain), checked(flat.replace(old, new))
    assert isinstance(attempt(first, second, "main"), str)
    assert isinstance(rr.validate(first, second), rr.Refuted)


ROWS_OF = """    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((n, m), "float32")):
        for i, j in T.grid(n, m):
            y[i, j] = x[i, j] * x[i, j]
"""
FUSED = """    def main(x: T.Buffer((n, m), "float32"), y: T.Buffer((n, m), "float32")):
        for f in range(n * m):
            y[f // m, f % m] = x[f // m, f % m] * x[f // m, f % m]
"""
BOX = """    def main(x: T.Buffer((3, 5, 7), "float32"), y: T.Buffer((3, 5, 7), "float32")):
        for i, j, k in T.grid(3, 5, 7):
            y[i, j, k] = x[i, j, k] * x[i, j, k]
"""
BOX_FUSED = """    def main(x: T.Buffer((3, 5, 7), "float32"), y: T.Buffer((3, 5, 7), "float32")):
        for g, h in T.grid(21, 5):
            with T.sblock("b"):
                i = T.axis.spatial(3, (g * 5 + h) // 35)
                j = T.axis.spatial(5, (g * 5 + h) % 35 // 7)
                k = T.axis.spatial(7, (g * 5 + h) % 7)
                y[i, j, k] = x[i, j, k] * x[i, j, k]
"""


@pytest.mark.parametrize(("plain", "fused"), [(ROWS_OF, FUSED), (BOX, BOX_FUSED)])
def test_fused_loops_are_proved(plain: str, fused: str) -> None:
    for first, second in ((plain, fused), (fused, plain)):
        found = attempt(checked(first), checked(second), "main")
        assert isinstance(found, Proved), found


@pytest.mark.by_day(3)
@pytest.mark.parametrize(
    ("plain", "fused", "old", "new"),
    [
        (ROWS_OF, FUSED, "y[f // m, f % m]", "y[f // n % n, f % m]"),
        (ROWS_OF, FUSED, "range(n * m)", "range(n * m - 1)"),
        (BOX, BOX_FUSED, "% 35 // 7", "// 7 % 4"),
        (BOX, BOX_FUSED, "% 35 // 7", "% 30 // 6"),
        (BOX, BOX_FUSED, "// 35)", "// 36)"),
        (BOX, BOX_FUSED, "(g * 5 + h) % 7)", "(g * 5 + h) % 6)"),
        (BOX, BOX_FUSED, "T.grid(21, 5)", "T.grid(20, 5)"),
        (BOX, BOX_FUSED, "y[i, j, k] =", "y[i, j, (k + 1) % 7] ="),
    ],
)
def test_wrongly_fused_loops_are_not_proved_and_are_refuted(plain: str, fused: str, old: str, new: str) -> None:
    assert old in fused
    first, second = checked(plain), checked(fused.replace(old, new))
    assert isinstance(attempt(first, second, "main"), str)
    assert isinstance(rr.validate(first, second), rr.Refuted)
