"""Small parts of the NumPy backend at the sizes and kinds at which they decide: blocks, memory, the border, what a run
shows, numbers that no format of NumPy's holds."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

import ml_dtypes  # noqa: F401  (registers the narrow dtypes)
import numpy as np

import refrelax as rr
from refrelax.backends.numpy_ import (
    blocks,
    border,
    calls,
    fast_operators,
    fast_rows,
    liveness,
    machine,
    memory,
    runtime,
)
from refrelax.backends.numpy_.compile import Running, spoil
from refrelax.backends.numpy_.names import program_name
from refrelax.backends.numpy_.operators import OPERATORS, whole_index
from refrelax.backends.numpy_.operators_index import _accumulated, _one_zero
from refrelax.errors import UsageError
from refrelax.syntax.graph import Call, ExternFunc, GlobalVar, Op, Var
from refrelax.syntax.module import ConstantArray
from refrelax.syntax.scalars import int_imm
from refrelax.syntax.types import PrimType, TensorType


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32) * np.float32(3)


# --- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "near"), [("erf", blocks.NEAR_WIDE), ("odds", blocks.NEAR_ODDS)])
def test_what_is_done_in_blocks_is_what_is_done_at_once(name: str, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    step, seen = getattr(blocks, name), list[int]()

    def counted(x: Any, out: Any) -> None:
        seen.append(x.size)
        step(x, out)

    monkeypatch.setattr(blocks, name, counted)
    for count, wanted in ((2 * near, [2 * near]), (2 * near + 1, [2 * near + 1, near, near, 1])):
        x = normal(count)
        out, whole = np.zeros_like(x), np.zeros_like(x)
        seen.clear()
        counted(x, out)
        assert seen == wanted
        for first in range(0, count, 5000):  # (parts that are never long)
            step(x[first : first + 5000], whole[first : first + 5000])
        assert out.tobytes() == whole.tobytes()
    turned = normal(2, near + 1).T
    out = np.zeros(turned.shape, np.float32)
    seen.clear()
    counted(turned, out)
    assert seen == [turned.size], "in no other order"
    counted(normal(2 * near + 2).reshape(2, -1), out := np.zeros((2, near + 1), np.float32))
    assert seen[1:] == [2 * near + 2, near, near, 2] and out.all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("size", [(4, 200), (4, 256), (1024,), (3, 700)])
def test_a_choice_by_bits(dtype: str, size: tuple[int, ...]) -> None:
    mask = np.random.default_rng(1).integers(0, 2, size).astype(bool)
    a, b = (normal(*size, seed=k).astype(dtype) for k in (2, 3))
    one = np.array(-0.0 if "float" in dtype else 7, dtype)
    some: list[Any] = [a, a[..., :1].copy(), a[0].copy(), one, np.array(3, dtype)]
    for x in some:
        for y in (b, b[..., :1].copy(), np.array(0, dtype)):
            for m in (mask, mask[..., :1].copy(), np.array(True)):
                out = np.zeros(size, dtype)
                blocks.where(m, x, y, out)
                assert out.tobytes() == np.broadcast_to(np.where(m, x, y), size).astype(dtype).tobytes()


@pytest.mark.parametrize(("count", "many"), [(63, False), (64, True), (1 << 20, True), ((1 << 20) + 1, False)])
def test_a_number_as_often_as_there_are_columns(count: int, many: bool) -> None:
    found = blocks.filled(np.float32(2), np.broadcast_to(np.float32(0), (2, count)))
    assert np.shape(found) == ((count,) if many else ()) and (found == 2).all()
    assert np.shape(blocks.filled(np.float32(2), np.zeros((), np.float32))) == ()


# --- memory ----------------------------------------------------------------------------------------------------------


def test_pieces_are_kept_up_to_a_bound_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: dict[int, list[Any]] = {}
    monkeypatch.setattr(memory, "_pieces", pieces)
    monkeypatch.setattr(memory, "KEPT", 10)
    for size, name in ((4, "a"), (4, "b"), (2, "c")):
        memory._keep(size, name)
    assert pieces == {4: ["a", "b"], 2: ["c"]}, "ten is the bound"
    memory._keep(3, "d")
    assert pieces == {4: ["b"], 2: ["c"], 3: ["d"]}
    memory._keep(5, "e")
    assert pieces == {2: ["c"], 3: ["d"], 5: ["e"]}
    memory._keep(20, "f")
    assert pieces == {20: ["f"]}, "what is too large alone is kept alone"
    pieces.clear()
    pieces[7] = []
    memory._keep(11, "g")
    assert pieces == {7: [], 11: ["g"]}


def test_what_is_counted_of_a_piece_that_nobody_holds() -> None:
    before = memory._FREE
    assert memory._count() == before == memory._FREE and before in (1, 2)


@pytest.mark.parametrize("shape", [(3, 4), (300, 400)])
def test_a_copy_in_rows(shape: tuple[int, ...]) -> None:
    x = normal(*shape).T
    found = memory.in_rows(x)
    assert found.flags.c_contiguous and (found == x).all() and not np.shares_memory(found, x)


# --- the border ------------------------------------------------------------------------------------------------------


def test_constants_are_arrays_of_their_own_where_a_copy_is_asked_for() -> None:
    raw = ConstantArray("float32", (2,), np.array([1, 2], "<f4").tobytes())
    for copy in (True, False):
        found = border.inward(raw, None, copy=copy)
        assert found.tolist() == [1, 2] and found.flags.writeable is copy
    truths = runtime.of_bytes("bool", (3,), b"\0\1\7")
    assert truths.tolist() == [False, True, True] and not truths.flags.writeable
    assert runtime.of_bytes("int16", (2,), b"\1\2\0\1").tolist() == [513, 256]
    assert runtime.of_bytes("float8_e4m3fn", (1,), b"\x38").astype(np.float32).tolist() == [1.0]


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((3,), (4,)), ((3,), (2,)), ((3,), (0,)), ((1,), (0,)), ((0, 3), (0, 0)), ((2, 3), (4, 8)), ((2, 3), (8, 4)),
        ((2, 3), (12, 4)), ((3, 2), (8, 12)), ((3, 3), (8, 12)), ((2, 2, 2), (4, 8, 16)), ((2, 2, 2), (4, 8, 12)),
        ((3, 2), (-4, 12)), ((2, 2), (6, 4)), ((2, 2, 3), (20, 12, 8)), ((2, 2, 2), (20, 12, 8)), ((2, 2, 2), (4, 12, 8)),
        ((2, 3), (20, 8)), ((4, 2), (12, 20)), ((6, 2), (12, 20)), ((2, 6), (20, 12)), ((2, 6), (18, 12)), ((3, 1), (4, 1)),
    ],
)  # fmt: skip
def test_elements_that_share_bytes(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    array = np.ndarray(shape, np.int32, np.zeros(400, np.uint8), 100, strides)
    starts = [sum(i * s for i, s in zip(at, strides, strict=True)) for at in np.ndindex(shape)]
    shared = any(abs(a - b) < 4 for k, a in enumerate(starts) for b in starts[k + 1 :])
    assert border.overlaps_itself(array) is shared


def test_values_are_compact_or_apart() -> None:
    x = normal(3, 4)
    whole, turned, number = border.compact([x, x.T, 5])
    assert whole is x and turned.flags.c_contiguous and (turned == x.T).all() and number == 5
    assert border.compact([np.array(3.0)])[0].shape == ()
    same = [x, normal(2), 7]
    assert border.apart(same) is same
    one, two, three, four = border.apart([x, x[1:], same[1], 7])
    assert not np.shares_memory(one, x) and not np.shares_memory(two, x) and three is same[1] and four == 7
    assert (one == x).all() and (two == x[1:]).all()


def test_truths_that_are_written_are_bytes_of_zero_and_one() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "bool"), B: T.Buffer((3,), "bool")):
        for i in range(2):
            with T.sblock("b"):
                v = T.axis.spatial(2, i)
                B[v] = A[v]
"""
    a, b = (np.array(each, np.uint8).view(bool) for each in ([2, 0, 1], [3, 9, 5]))
    rr.compile(rr.check(rr.parse(text)))["main"](a, b)
    assert b.view(np.uint8).tolist() == [1, 0, 1]


def test_tensors_of_outcomes_are_arrays() -> None:
    made = rr.run(rr.check(rr.parse("""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return (x, (x, R.shape([2])))
""")), "main", np.zeros(2, np.float32))  # fmt: skip
    assert isinstance(made, rr.Returned)
    for found in (border.arrays_of(made.value), calls._arrays(made.value)):
        assert type(found[0]) is np.ndarray and type(found[1][0]) is np.ndarray and type(found[1][1]) is not np.ndarray


def test_what_was_written_to_copies_is_given_back() -> None:
    a, locked = np.zeros(3, ">f4"), np.zeros(3, ">f4")
    locked.flags.writeable = False
    calls.give_back((a, 5), [np.ones(3, np.float32), 5])
    assert a.tolist() == [1, 1, 1]
    calls.give_back((locked,), [np.zeros(3, np.float32)])
    with pytest.raises(UsageError, match="read-only"):
        calls.give_back((locked,), [np.ones(3, np.float32)])
    spread = np.broadcast_to(np.zeros(1, ">f4"), (3,))
    with pytest.raises(UsageError, match="share memory"):
        calls.give_back((spread,), [np.array([0, 1, 2], np.float32)])
    truths = np.array([1, 0, 2], np.uint8).view(bool)
    assert not calls._is_changed(truths, np.array([True, False, True])) and not calls._is_changed(truths, truths)
    assert calls._is_changed(truths, np.array([True, True, True])) and not calls._is_changed([1], np.zeros(1))
    assert not calls._is_changed(np.zeros(2, np.float32), np.ones(2)), "another dtype is a conversion"
    assert calls._differs(np.float32(0.0), np.float32(-0.0)) and not calls._differs(np.float32(1), np.float32(1))


def test_arguments_that_are_numbers_by_their_types() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), s: R.Prim("int64")):
        return x
"""
    call = rr.compile(rr.check(rr.parse(text)))["main"]
    x = np.zeros(2, np.float32)
    assert call(x, 3) is x
    with pytest.raises(rr.RunError):
        call(x, np.zeros((), np.float32))


def test_names_of_the_program() -> None:
    assert [program_name(each) for each in ("x_", "x__", "x", "_")] == ["x", "x_", "x", ""]


# --- what a run shows ------------------------------------------------------------------------------------------------


def test_a_binding_gives_its_value_to_its_own_last_frame() -> None:
    running = Running.__new__(Running)
    running.frames = []
    for path, name in (("f", "a"), ("g", "a"), ("f", "b"), ("f", "a")):
        running.before(path, name, {"run": 1, "x_": 2})
    running.after("f", "a", 5)
    assert [(frame.value, frame.done) for frame in running.frames] == [(None, False)] * 3 + [(5, True)]
    running.after("f", "a", 6)
    running.after("f", "b", 7)
    assert [frame.value for frame in running.frames] == [6, None, 7, 5]
    assert all(dict(frame.names) == {"x": 2} for frame in running.frames)


def test_fresh_memory_of_a_library_is_no_zeros() -> None:
    arrays = [np.zeros((2, 2), np.float32), np.zeros(3, bool), np.zeros((0, 2), np.int32), 5, np.zeros((), np.int8)]
    spoil(arrays)
    assert np.isnan(arrays[0]).all() and not arrays[1].any() and arrays[4] == -1  # type: ignore[union-attr]


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_numbers_from_bits_and_arrays_that_have_an_element() -> None:
    assert float(runtime.number("bfloat16", 0x3FC0)) == 1.5 and float(runtime.number("float8_e4m3fn", 0x38)) == 1.0
    x = np.ones((0, 3, 0), np.int8)
    assert runtime.some(x, 1) is x and runtime.some(x, 0).shape == (1, 3, 0)
    assert runtime.some(x, 0, 2).shape == (1, 3, 1) and not runtime.some(x, 0, 2).any()
    a = np.zeros(4)
    assert runtime.share_memory([a, a[1:]], []) and runtime.share_memory([a], [a[3:]])
    assert not runtime.share_memory([a], [np.zeros(4)]) and not runtime.share_memory([], [a, a])
    assert not runtime.share_memory([5], [a, a]) and not runtime.share_memory([a], [a, 5])


def test_the_square_of_what_is_broadcast() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((1, 1), "float32")):
        return R.power(x, y)
"""
    checked, args = rr.check(rr.parse(text)), (np.array([1, -2, 3], np.float32), np.array([[2]], np.float32))
    assert rr.compile(checked)["main"](*args).tolist() == rr.compile(checked, mode="bits")["main"](*args).tolist()
    two, x = np.array([[2.0]], np.float32), normal(3)
    found = OPERATORS["relax.power"]({}, (x, two), True)
    assert found.shape == (1, 3) and found.tobytes() == np.square(x).tobytes()
    assert OPERATORS["relax.power"]({}, (normal(2, 3), two[0]), True).shape == (2, 3)
    three = OPERATORS["relax.power"]({}, (np.array([2], np.float32), np.array([3], np.float32)), True)
    assert three.tolist() == [8]


def test_whole_numbers_as_places() -> None:
    big = np.array([3, 1 << 63, (1 << 64) - 1], np.uint64)
    assert whole_index(big, 0).tolist() == [3, (1 << 63) - 1, (1 << 63) - 1]
    assert whole_index(big, 10).tolist() == [3, (1 << 63) % 10, ((1 << 64) - 1) % 10]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32"])
def test_whether_equal_elements_have_equal_bits(dtype: str) -> None:
    kind = runtime.dtype(dtype)
    assert _one_zero(np.array([], kind)) and _one_zero(np.array([1, 0, -1], np.float32).astype(kind))
    assert _one_zero(np.array([0.0, -0.0], np.float32).astype(kind)) is (dtype == "int32")


@pytest.mark.parametrize("exclusive", [True, False])
@pytest.mark.parametrize("shape", [(3, 40000), (4, 3, 9000), (3, 5), (2, 3, 7), (1, 40000), (5, 100000)])
@pytest.mark.parametrize("axis", [0, 1])
def test_running_sums_line_by_line(exclusive: bool, shape: tuple[int, ...], axis: int) -> None:
    x = np.random.default_rng(3).integers(-5, 6, shape).astype(np.int64)
    wanted = np.cumsum(x, axis=axis) - (x if exclusive else 0)
    for given in (x, np.asfortranarray(x)):
        assert (_accumulated(np.add, given, axis, exclusive) == wanted).all()


# --- what is said no to ----------------------------------------------------------------------------------------------


def test_blocks_of_rows() -> None:
    near = fast_rows.NEAR
    assert fast_rows.blocks(2, near - 1) is fast_rows.WHOLE and fast_rows.blocks(1, near) is fast_rows.WHOLE
    assert list(fast_rows.blocks(2, near)) == [slice(0, 1), slice(1, 2)]
    assert list(fast_rows.blocks(3, near + 1)) == [slice(0, 1), slice(1, 2), slice(2, 3)], "a row is the least"
    assert list(fast_rows.blocks(5, 4, near=8)) == [slice(0, 2), slice(2, 4), slice(4, 6)]
    assert fast_rows.blocks(3, 4, near=8) is fast_rows.WHOLE and len(fast_rows.blocks(4, 4, near=8)) == 2


def test_types_that_are_no_tensors_or_have_no_shape_are_not_the_same() -> None:
    def tensor(*dims: int, dtype: str = "float32") -> TensorType:
        return TensorType(tuple(map(int_imm, dims)), dtype, len(dims))

    one = tensor(2, 3)
    unknown = TensorType(None, "float32", 2)
    for same in (liveness.same_tensor, liveness.same_shape):
        assert same(one, tensor(2, 3)) and not same(one, tensor(3, 2)) and not same(one, tensor(2, 3, 1))
        for other in (None, PrimType("float32"), unknown, tensor()):
            assert not same(one, other) and not same(other, one) and not same(other, other)
    assert liveness.same_shape(one, tensor(2, 3, dtype="int8")) and not liveness.same_tensor(
        one, tensor(2, 3, dtype="int8")
    )
    assert not liveness.same_tensor(tensor(2, dtype="int8"), tensor(2, dtype="int8")), "float formats alone"


def test_what_a_list_of_launches_may_hold() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def device(A: T.Buffer((2,), "float32")):
        A[0] = T.float32(1)

    @T.prim_func(s_tir=True)
    def host(A: T.Buffer((2,), "float32")):
        T.func_attr({"tirx.is_host_func": True})
        A[0] = T.float32(1)

    @R.function
    def graph(x: R.Tensor((2,), "float32")):
        return x
"""
    module = rr.parse(text)

    def listed(node: object) -> bool:
        return machine._is_listed(node, module)

    def call(op: Any) -> Call:
        return Call(op, ())

    assert listed(call(GlobalVar("device"))) and not listed(call(GlobalVar("host")))
    assert not listed(call(GlobalVar("graph"))) and not listed(call(GlobalVar("nobody")))
    assert not listed(call(Op("relax.add"))) and all(listed(call(Op(name))) for name in machine.MEMORY)
    for name in machine.MACHINE:
        assert listed(ExternFunc(name)) is (name not in machine.UNLISTED)
    assert not listed(ExternFunc("of.somebody")) and listed(call(ExternFunc("of.somebody")))
    assert listed(Var("x")) and not listed(call(Var("f")))
    assert not listed(module.functions["graph"])


def test_shapes_that_do_not_broadcast_fit_nothing() -> None:
    out = np.zeros((2, 3), np.float32)
    assert fast_operators.fits(out, ((3,), (2, 1))) and not fast_operators.fits(out, ((3,), (2,)))
    assert not fast_operators.fits(out, ((3,), (1, 1))) and not fast_operators.fits(out, ((4, 2, 3),))
    locked = np.zeros((2, 3), np.float32)
    locked.flags.writeable = False
    assert (
        fast_operators.room(out, out.dtype, (2, 3), ()) is out
        and fast_operators.room(out, out.dtype, (3,), (2, 1)) is out
    )
    for given, dtype, shapes in (
        (None, out.dtype, ((2, 3),)), (locked, out.dtype, ((2, 3),)), (out, np.dtype(np.float64), ((2, 3),)),
        (out, out.dtype, ((3,),)), (out, out.dtype, ((2, 3), (4, 2, 3))), (out, out.dtype, ((2, 3), (2,))),
    ):  # fmt: skip
        assert fast_operators.room(given, dtype, *shapes) is None


@pytest.mark.parametrize("of", ["float32", "float64"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, [1], [0, 1], [-2]])
@pytest.mark.parametrize("width", [fast_rows.SHORT, fast_rows.SHORT + 1, 2 * fast_rows.SHORT])
def test_sums_of_products_of_long_rows(of: str, axis: Any, width: int) -> None:
    a, b = (np.random.default_rng(k).integers(-2, 3, (2, width)).astype(of) for k in range(2))
    along = tuple(axis) if isinstance(axis, list) else axis
    for keepdims in (False, True):
        total = np.sum(a * b, axis=along, keepdims=keepdims)
        found = fast_operators.sum_of_products(a, b, axis, keepdims, mean=False)
        assert np.shape(found) == np.shape(total) and (found == total).all()
        count = a.size // max(np.size(total), 1)
        found = fast_operators.sum_of_products(a, b, axis, keepdims, mean=True)
        assert np.allclose(found, total / count, rtol=1e-6) and np.shape(found) == np.shape(total)
