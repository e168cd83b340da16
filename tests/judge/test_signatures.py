"""Entries that take scalars, shapes and tuples; the table of shapes of a built module."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = "".join(f"{s} = TypeVar('{s}')\n" for s in "nm") + "@I.ir_module\nclass Module:\n"


def checked(text: str) -> rr.CheckedModule:
    return rr.check(rr.parse(HEAD + text))


SCALAR = """    @T.prim_func
    def main(x: T.Buffer((n,), "float32"), k: T.int64, y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = T.if_then_else(k <= i and 0 <= k, x[i], T.float32(0))
"""
FLOAT = """    @T.prim_func
    def scaled(x: T.Buffer((n,), "float32"), k: T.float32, y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = x[i] * k + k

    @R.function
    def main(x: R.Tensor((n,), "float32"), k: R.Prim("float32"), l: R.Prim("float32")):
        cls = Module
        y = R.call_tir(cls.scaled, (x, k), out_ty=R.Tensor((n,), "float32"))
        z = R.call_tir(cls.scaled, (y, l), out_ty=R.Tensor((n,), "float32"))
        return z
"""
GRAPH = """    @R.function
    def main(s: R.Shape([n, m]), t: R.Tuple(R.Tensor((n,), "float32"), R.Tensor((m,), "float32"))):
        a = t[0]
        b = t[1]
        c = R.multiply(a, a)
        return (c, b, R.shape([n, 4]))
"""


@pytest.mark.by_day(4)
@pytest.mark.parametrize(
    ("first", "old", "new", "wrong"),
    [
        (SCALAR, "k <= i and 0 <= k", "not (i < k) and k > -1", "k <= i"),
        (SCALAR, "k <= i and 0 <= k", "0 <= k and k < i + 1", "0 <= k and k < i"),
        (FLOAT, "x[i] * k + k", "k + k * x[i]", "k + k * k"),
        (FLOAT, "(x, k)", "(x, k) ", "(x, l)"),
        (GRAPH, "R.multiply(a, a)", "R.square(a)", "R.add(a, a)"),
        (GRAPH, "R.shape([n, 4])", "R.shape([n, 2 + 2])", "R.shape([m, 4])"),
        (GRAPH, "b = t[1]", "b = R.add(t[1], R.const(-0.0, 'float32'))", "b = R.add(t[1], R.const(1.0, 'float32'))"),
    ],
)
def test_parameters_of_every_kind_are_read(first: str, old: str, new: str, wrong: str) -> None:
    assert old in first
    found = attempt(checked(first), checked(first.replace(old, new)), "main")
    assert isinstance(found, Proved), found
    second = checked(first.replace(old, wrong))
    assert isinstance(attempt(checked(first), second, "main"), str)
    assert isinstance(rr.validate(checked(first), second), rr.Refuted | rr.NoVerdict)


def test_a_scalar_may_be_negative() -> None:
    """An extent is not; the same program is right for extents alone."""
    scalar = SCALAR.replace("k <= i and 0 <= k", "0 <= k")
    assert isinstance(attempt(checked(scalar), checked(scalar.replace("0 <= k", "T.bool(True)")), "main"), str)


FILLED = """    @T.prim_func(private=True)
    def fill(O: T.Buffer((m,), "float32")):
        for i in range(m):
            O[i] = T.float32(7)
    @R.function
    def main(x: R.Tensor((n,), "float32"), k: R.Prim("int64")):
        cls = Module
        z = R.call_tir(cls.fill, R.tuple(), out_ty=R.Tensor((k,), "float32"))
        return (x, z)
"""


def test_where_the_first_program_makes_a_tensor_of_it_a_scalar_is_not() -> None:
    """(Else the run is open.) The second one may make more of that size, but none where the first has none."""
    one = 'z = R.call_tir(cls.fill, R.tuple(), out_ty=R.Tensor((k,), "float32"))'
    more = FILLED.replace(one, f"{one}\n        w = {one[4:]}")
    assert isinstance(attempt(checked(FILLED), checked(more), "main"), Proved)
    none = FILLED.replace(f"        {one}\n", "").replace("(x, z)", "(x, x)")
    assert isinstance(attempt(checked(none), checked(FILLED.replace("(x, z)", "(x, x)")), "main"), str)


TABLE = """    @T.prim_func
    def sizes(H: T.Buffer((4,), "int64")):
        H[2] = H[0] * H[1]

    @R.function
    def main(x: R.Tensor((n, m), "float32"), y: R.Tensor((n * m,), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        heap: SLOTS = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (4,), ty_args=(SLOTS,))
        R.call_packed("vm.builtin.check_tensor_info", x, 2, R.dtype("float32"), R.str("x"), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", x, heap, 2, 1, 0, 1, 1, R.str("x"), ty_args=(R.Tuple,))
        cls.sizes(heap)
        R.call_packed("vm.builtin.match_shape", y, heap, 1, 3, 2, R.str("y"), ty_args=(R.Tuple,))
        s: R.Shape(ndim=1) = R.call_packed("vm.builtin.make_shape", heap, 1, 1, 2, ty_args=(R.Shape(ndim=1),))
        a: ROW = R.call_packed("vm.builtin.reshape", x, s, ty_args=(ROW,))
        return a
"""
TABLE = TABLE.replace("SLOTS", 'R.Tensor((4,), dtype="int64")').replace("ROW", 'R.Tensor(ndim=1, dtype="float32")')
RESHAPED = """    @R.function
    def main(x: R.Tensor((n, m), "float32"), y: R.Tensor((n * m,), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        a: R.Tensor((n * m,), "float32") = R.reshape(x, R.shape([n * m]))
        return a
"""


def test_a_table_of_shapes_is_followed() -> None:
    found = attempt(checked(RESHAPED), checked(TABLE), "main")
    assert isinstance(found, Proved), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("H[0] * H[1]", "H[0] + H[1]"),
        ("H[0] * H[1]", "H[0] * H[3]"),
        ("x, heap, 2, 1, 0, 1, 1,", "x, heap, 2, 1, 1, 0, 3,"),
        ("x, heap, 2, 1, 0, 1, 1,", "x, heap, 2, 1, 0, 3, 0,"),
        ("y, heap, 1, 3, 2,", "y, heap, 1, 3, 0,"),
        ("y, heap, 1, 3, 2,", "y, heap, 1, 0, 6,"),
        ('x, 2, R.dtype("float32")', 'x, 3, R.dtype("float32")'),
        ('x, 2, R.dtype("float32")', 'x, 2, R.dtype("float16")'),
        ('make_shape", heap, 1, 1, 2', 'make_shape", heap, 1, 1, 0'),
        ('make_shape", heap, 1, 1, 2', 'make_shape", heap, 1, 0, 6'),
        ("R.Shape(ndim=1)", "R.Shape(ndim=2)"),
    ],
)
def test_a_fault_in_the_table_is_not_proved(old: str, new: str) -> None:
    assert old in TABLE
    assert isinstance(attempt(checked(RESHAPED), checked(TABLE.replace(old, new)), "main"), str)
