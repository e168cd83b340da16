"""Loop-level evaluation: example tests of statements, blocks, buffers and what they leave open."""

from __future__ import annotations

import pytest

import refrelax as rr


def run(params: str, body: str, *args: object, numerics: str = "ieee") -> object:
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    text = f"n = TypeVar('n')\n@T.prim_func(private=True)\ndef main({params}):\n{lines}\n"
    return rr.run(rr.check(rr.parse(text)), "main", *args, numerics=numerics)


def last(outcome: object) -> object:
    assert isinstance(outcome, rr.Returned), outcome
    return outcome.arguments[-1].tolist()


TWO = 'A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")'
ONE = 'B: T.Buffer((4,), "int32")'


def test_a_load_out_of_bounds_is_poison_and_a_select_may_drop_it() -> None:
    out = run(TWO, "for i in range(n):\n    B[i] = A[i + 1]", [1.0, 2, 3], [0.0, 0, 0])
    assert last(out) == [2, 3, None]
    assert isinstance(out, rr.Returned)
    assert out.poison == (("arguments[1][2]", "ld/load-out-of-bounds"),)
    masked = "for i in range(n):\n    B[i] = T.Select(i < n - 1, A[i + 1], T.float32(7))"
    assert last(run(TWO, masked, [1.0, 2, 3], [0.0, 0, 0])) == [2, 3, 7]


def test_a_store_out_of_bounds_ends_the_run_and_names_the_index() -> None:
    out = run(TWO, "for i in range(n):\n    B[i + 1] = A[i]", [1.0, 2, 3], [0.0, 0, 0])
    assert isinstance(out, rr.Unspecified)
    assert out.rule == "ld/store-out-of-bounds"
    assert "B[3]" in out.message


def test_a_masked_out_cast_of_nan_does_not_matter() -> None:
    params = 'A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "int32")'
    body = 'for i in range(n):\n    B[i] = T.Select(A[i] == A[i], T.Cast("int32", A[i]), T.int32(-1))'
    a = rr.Tensor.of([1.5, float("nan"), -2.5], "float32")
    assert last(run(params, body, a, rr.Tensor.of([0, 0, 0], "int32"))) == [1, -1, -2]
    bare = 'for i in range(n):\n    B[i] = T.Cast("int32", A[i])'
    out = run(params, bare, a, rr.Tensor.of([0, 0, 0], "int32"))
    assert last(out) == [1, None, -2]


def test_division_by_zero_ends_the_run_but_not_in_the_arm_that_is_not_taken() -> None:
    body = "for i in range(4):\n    B[i] = 12 // i"
    out = run(ONE, body, rr.Tensor.of([0, 0, 0, 0], "int32"))
    assert isinstance(out, rr.Unspecified)
    assert out.rule == "num/int-division-by-zero"
    lazy = "for i in range(4):\n    B[i] = T.if_then_else(i == 0, -1, 12 // i)"
    assert last(run(ONE, lazy, rr.Tensor.of([0, 0, 0, 0], "int32"))) == [-1, 12, 6, 4]


def test_data_wraps_and_indices_do_not() -> None:
    data = "for i in range(4):\n    B[i] = B[i] + 2147483647"
    wrapped = [2147483647, -2147483648, -2147483647, -2147483646]
    assert last(run(ONE, data, rr.Tensor.of([0, 1, 2, 3], "int32"))) == wrapped
    index = "for i in range(4):\n    B[(i + 2147483647) % 4] = i"
    out = run(ONE, index, rr.Tensor.of([0, 0, 0, 0], "int32"))
    assert isinstance(out, rr.Unspecified)
    assert out.rule == "ld/index-overflow"


def test_reduction_block_folds_in_loop_order() -> None:
    params = 'A: T.Buffer((3, 4), "float32"), B: T.Buffer((3,), "float32")'
    body = """
for i, k in T.grid(3, 4):
    with T.sblock("sum"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            B[vi] = T.float32(0)
        B[vi] = B[vi] + A[vi, vk]
"""
    a = [[1e8, 1.0, -1e8, 1.0], [1.0, 2, 3, 4], [0.0, 0, 0, 0]]
    assert last(run(params, body, a, [9.0, 9, 9])) == [1.0, 10.0, 0.0]
    out = run(params, body, a, [9.0, 9, 9], numerics="enclosure")
    assert isinstance(out, rr.Returned)
    sums = out.arguments[-1]
    assert sums.contains(rr.Tensor.of([2.0, 10.0, 0.0], "float32")), (sums.lo, sums.hi)
    assert not sums.contains(rr.Tensor.of([2.0, 11.0, 0.0], "float32"))


def test_an_empty_reduction_never_initialises() -> None:
    params = 'A: T.Buffer((2, 0), "float32"), B: T.Buffer((2,), "float32")'
    body = """
for i, k in T.grid(2, 0):
    with T.sblock("max"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            B[vi] = T.min_value("float32")
        B[vi] = T.max(B[vi], A[vi, vk])
"""
    empty = rr.Tensor.of_bytes("float32", (2, 0), b"")
    assert last(run(params, body, empty, [5.0, 6.0])) == [5.0, 6.0]


def test_a_predicate_guards_body_and_init() -> None:
    params = 'A: T.Buffer((5,), "float32"), B: T.Buffer((5,), "float32")'
    body = """
for io, ii in T.grid(2, 3):
    with T.sblock("copy"):
        vi = T.axis.spatial(5, io * 3 + ii)
        T.where(io * 3 + ii < 5)
        B[vi] = A[vi] * T.float32(2)
"""
    assert last(run(params, body, [1.0, 2, 3, 4, 5], [0.0] * 5)) == [2, 4, 6, 8, 10]


def test_a_partly_filled_cache_is_poison_where_it_is_read_unfilled() -> None:
    params = 'A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")'
    body = """
cache = T.sblock_alloc_buffer((4,))
for i in range(3):
    with T.sblock("fill"):
        vi = T.axis.spatial(3, i)
        cache[vi] = A[vi]
for i in range(4):
    with T.sblock("use"):
        vi = T.axis.spatial(4, i)
        B[vi] = cache[vi] + T.float32(1)
"""
    out = run(params, body, [1.0, 2, 3, 4], [0.0] * 4)
    assert last(out) == [2, 3, 4, None]
    assert isinstance(out, rr.Returned)
    assert out.poison[0][1] == "st/never-written"


def test_while_break_continue_and_mutable_scalars() -> None:
    body = """
z: T.int32 = 0
while z < 4:
    B[z] = z * 10
    z = z + 1
"""
    assert last(run(ONE, body, rr.Tensor.of([0, 0, 0, 0], "int32"))) == [0, 10, 20, 30]
    jumps = """
for i in range(4):
    if i == 1:
        continue
    if i == 3:
        break
    B[i] = 1
"""
    assert last(run(ONE, jumps, rr.Tensor.of([0, 0, 0, 0], "int32"))) == [1, 0, 1, 0]


def test_an_assert_that_fails_traps() -> None:
    out = run(TWO, 'assert n > 5, "too short"\nB[0] = A[0]', [1.0, 2], [0.0, 0])
    assert isinstance(out, rr.Trapped)
    assert out.rule == "ld/assert-fails"
    assert "too short" in out.message


def test_threads_meet_at_a_barrier() -> None:
    params = 'A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")'
    body = """
shared = T.alloc_buffer((4,), "int32", scope="shared")
for tx in T.thread_binding(4, thread="threadIdx.x"):
    shared[tx] = A[tx]
    T.tvm_storage_sync("shared")
    B[tx] = shared[3 - tx]
"""
    ints = [rr.Tensor.of(v, "int32") for v in ([1, 2, 3, 4], [0, 0, 0, 0])]
    assert last(run(params, body, *ints)) == [4, 3, 2, 1]
    diverging = body.replace('    T.tvm_storage_sync("shared")', '    if tx < 2:\n        T.tvm_storage_sync("shared")')
    out = run(params, diverging, *ints)
    assert isinstance(out, rr.Unspecified)
    assert out.rule == "ev/barrier-divergence"


def test_wrong_arguments_of_a_prim_func_trap() -> None:
    body = "B[0] = A[0]"
    params = 'A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")'
    wanted = {
        "ev/arity": ([1.0, 2, 3],),
        "ev/buffer-param-dtype": (rr.Tensor.of([1, 2, 3], "int32"), [0.0] * 3),
        "ev/buffer-param-rank": ([[1.0, 2, 3]], [0.0] * 3),
        "ev/buffer-param-shape": ([1.0, 2], [0.0] * 3),
    }
    for rule, args in wanted.items():
        out = run(params, body, *args)
        assert isinstance(out, rr.Trapped), out
        assert out.rule == rule


@pytest.mark.parametrize("numerics", ["ieee", "sampled", "enclosure"])
def test_every_reading_runs_the_same_text(numerics: str) -> None:
    body = "for i in range(n):\n    B[i] = T.exp(A[i]) / (T.float32(1) + A[i] * A[i])"
    out = run(TWO, body, [0.5, 1.5], [0.0, 0.0], numerics=numerics)
    assert isinstance(out, rr.Returned)
