"""Threads: lockstep, exchanges between threads, data races, declared regions, and what messages name."""

from __future__ import annotations

import pytest

import refrelax as rr

AB = 'A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")'


def run(params: str, body: str, *args: object, s_tir: bool = False, **options: object) -> object:
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    head = "@T.prim_func(private=True, s_tir=True)" if s_tir else "@T.prim_func(private=True)"
    text = f"n = TypeVar('n')\n{head}\ndef main({params}):\n{lines}\n"
    return rr.run(rr.check(rr.parse(text)), "main", *args, **options)  # type: ignore[arg-type]


def last(outcome: object) -> object:
    assert isinstance(outcome, rr.Returned), outcome
    return outcome.arguments[-1].tolist()


def rule_of(outcome: object) -> str:
    assert isinstance(outcome, rr.Unspecified), outcome
    return outcome.rule


SUM = """
for ty in T.thread_binding(3, thread="threadIdx.y"):
    for tx in T.thread_binding(5, thread="threadIdx.x"):
        r = T.alloc_buffer((1,), scope="local")
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", 0):
            T.tvm_thread_allreduce(T.uint32(1), A[ty * 5 + tx], tx < {least}, r[0], {over})
        B[ty * 5 + tx] = r[0]
"""


def test_a_reduction_runs_over_the_named_threads_only() -> None:
    data = [float(k) for k in range(15)]
    rows = last(run(AB.replace("(n,)", "(15,)"), SUM.format(over="tx", least=5), data, [0.0] * 15))
    assert rows == [10.0] * 5 + [35.0] * 5 + [60.0] * 5
    both = last(run(AB.replace("(n,)", "(15,)"), SUM.format(over="tx, ty", least=5), data, [0.0] * 15))
    assert both == [105.0] * 15
    some = last(run(AB.replace("(n,)", "(15,)"), SUM.format(over="tx", least=2), data, [0.0] * 15))
    assert some == [1.0] * 5 + [11.0] * 5 + [21.0] * 5


def test_a_reduction_without_order_is_enclosed() -> None:
    data = [1e8, 1.0, -1e8, 1.0, 0.5] * 3
    out = run(AB.replace("(n,)", "(15,)"), SUM.format(over="tx", least=5), data, [0.0] * 15, numerics="enclosure")
    assert isinstance(out, rr.Returned)
    for possible in (2.5, 0.5, 1.5):
        assert out.arguments[1].contains(rr.Tensor.of([possible] * 15, "float32"))
    assert not out.arguments[1].contains(rr.Tensor.of([100.0] * 15, "float32"))


def test_a_reducer_of_pairs_finds_the_extreme_and_its_place() -> None:
    body = """
for tx in T.thread_binding(4, thread="threadIdx.x"):
    k = T.alloc_buffer((1,), "int32", scope="local")
    v = T.alloc_buffer((1,), scope="local")
    with T.attr(
        T.comm_reducer(
            lambda i, a, j, b: (T.Select(a >= b, i, j), T.Select(a >= b, a, b)), [-1, T.float32(-1e30)]
        ),
        "reduce_scope",
        0,
    ):
        T.tvm_thread_allreduce(T.uint32(2), tx, A[tx], T.bool(True), k[0], v[0], tx)
    B[tx] = v[0] * T.float32(10) + T.Cast("float32", k[0])
"""
    assert last(run(AB, body, [3.0, 7.0, 1.0, 7.0], [0.0] * 4)) == [71.0] * 4


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("tvm_warp_shuffle_up", [0, 0, 1, 2, 4, 4]),
        ("tvm_warp_shuffle_down", [1, 2, 3, 3, 5, 6]),
        ("tvm_warp_shuffle_xor", [1, 0, 3, 2, 5, 4]),
    ],
)
def test_shuffles_stay_in_their_segment(op: str, expected: list[int]) -> None:
    body = f"""
for tx in T.thread_binding(7, thread="threadIdx.x"):
    B[tx] = T.{op}(T.uint32(127), A[tx], 1, 4, 32)
"""
    out = last(run(AB, body, [float(k) for k in range(7)], [0.0] * 7))
    assert isinstance(out, list)
    assert out[:6] == [float(k) for k in expected]


def test_a_lane_that_is_not_there_brings_poison() -> None:
    body = """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    B[tx] = T.tvm_warp_shuffle(T.uint32(7), A[tx], 3, 32, 32)
"""
    out = run(AB, body, [1.0, 2, 3], [0.0] * 3)
    assert isinstance(out, rr.Returned)
    assert [mark for _, mark in out.poison] == ["ev/warp-shuffle-inactive"] * 3


def test_shared_memory_of_the_threads_is_one_and_fresh_for_each_block() -> None:
    body = """
for bx in T.thread_binding(2, thread="blockIdx.x"):
    for tx in T.thread_binding(3, thread="threadIdx.x"):
        s = T.alloc_buffer((3,), scope="shared")
        if bx == 0:
            s[tx] = A[tx]
        T.tvm_storage_sync("shared")
        B[bx * 3 + tx] = s[2 - tx]
"""
    params = 'A: T.Buffer((3,), "float32"), B: T.Buffer((6,), "float32")'
    assert last(run(params, body, [1.0, 2, 3], [0.0] * 6)) == [3, 2, 1, None, None, None]


def test_a_thread_that_ends_early_is_missed_at_the_next_barrier() -> None:
    body = """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    if tx == 1:
        T.thread_return()
    T.tvm_storage_sync("shared")
    B[tx] = A[tx]
"""
    out = run(AB, body, [1.0, 2, 3], [0.0] * 3)
    assert rule_of(out) == "ev/barrier-divergence"
    assert isinstance(out, rr.Unspecified)
    assert "threadIdx.x = 1 never reaches" in out.message


def test_barriers_inside_loops_and_break() -> None:
    body = """
s = T.alloc_buffer((4,), scope="shared")
for tx in T.thread_binding(4, thread="threadIdx.x"):
    s[tx] = A[tx]
    for k in range(3):
        if k == 2:
            break
        T.tvm_storage_sync("shared")
        y: T.let = s[(tx + 1) % 4]
        T.tvm_storage_sync("shared")
        s[tx] = y
    B[tx] = s[tx]
"""
    assert last(run(AB, body, [1.0, 2, 3, 4], [0.0] * 4)) == [3, 4, 1, 2]


# --- races -----------------------------------------------------------------------------------------------------------


def test_a_race_names_buffer_index_and_loop_variables() -> None:
    out = run(
        AB, "for i in T.parallel(2):\n    for j in range(3):\n        B[j] = A[i * 3 + j]", [1.0] * 5 + [9.0], [0.0] * 6
    )
    assert rule_of(out) == "ev/data-race"
    assert isinstance(out, rr.Unspecified)
    assert "B[2]" in out.message
    assert "i = 1, j = 2" in out.message


def test_order_between_loops_and_after_barriers_is_no_race() -> None:
    siblings = "for i in T.parallel(4):\n    B[i] = A[i]\nfor i in T.parallel(4):\n    B[3 - i] = A[i]"
    assert last(run(AB, siblings, [1.0, 2, 3, 4], [0.0] * 4)) == [4, 3, 2, 1]
    one_strand = "for i in T.parallel(4):\n    B[i] = A[i]\n    B[i] = B[i] + B[i]"
    assert last(run(AB, one_strand, [1.0, 2, 3, 4], [0.0] * 4)) == [2, 4, 6, 8]
    private = "for i in T.parallel(4):\n    t = T.alloc_buffer((1,))\n    t[0] = A[i]\n    B[i] = t[0]"
    assert last(run(AB, private, [1.0, 2, 3, 4], [0.0] * 4)) == [1, 2, 3, 4]


def test_blocks_race_though_their_threads_synchronise() -> None:
    body = """
for bx in T.thread_binding(2, thread="blockIdx.x"):
    for tx in T.thread_binding(2, thread="threadIdx.x"):
        T.tvm_storage_sync("shared")
        B[tx] = A[bx * 2 + tx]
"""
    assert rule_of(run(AB, body, [1.0, 2, 3, 4], [0.0] * 4)) == "ev/data-race"
    assert last(run(AB, body, [1.0, 2, 1, 2], [0.0] * 4)) == [1, 2, 0, 0]


def test_a_reduction_across_threads_takes_turns_and_a_parallel_one_races() -> None:
    body = """
for k in {kind}:
    with T.sblock("sum"):
        vk = T.axis.reduce(4, k)
        with T.init():
            B[0] = T.float32(0)
        B[0] = B[0] + A[vk]
"""
    threads = body.format(kind='T.thread_binding(4, thread="threadIdx.x")')
    assert last(run(AB, threads, [1.0, 2, 3, 4], [9.0] * 4, s_tir=True)) == [10, 9, 9, 9]
    parallel = run(AB, body.format(kind="T.parallel(4)"), [1.0, 2, 3, 4], [9.0] * 4, s_tir=True)
    assert rule_of(parallel) == "ev/data-race"


# --- declared regions, messages --------------------------------------------------------------------------------------

REGIONS = """
for i in range(3):
    with T.sblock("b"):
        vi = T.axis.spatial(3, i)
        T.reads(A[vi{more}])
        T.writes(B[vi])
        B[vi] = A[2 - vi]
"""


def test_regions_are_checked_on_request_only() -> None:
    args = ([1.0, 2, 3], [0.0] * 3)
    narrow, wide = REGIONS.format(more=""), REGIONS.replace("A[vi{more}]", "A[0:3]")
    assert last(run(AB, narrow, *args, s_tir=True)) == [3, 2, 1]
    assert last(run(AB, wide, *args, s_tir=True, check_regions=True)) == [3, 2, 1]
    out = run(AB, narrow, *args, s_tir=True, check_regions=True)
    assert rule_of(out) == "ld/undeclared-access"
    assert isinstance(out, rr.Unspecified)
    assert "A[2]" in out.message
    assert "i = 0" in out.message
    stores = REGIONS.replace("T.writes(B[vi])", "T.writes()").replace("A[vi{more}]", "A[0:3]")
    assert rule_of(run(AB, stores, *args, s_tir=True, check_regions=True)) == "ld/undeclared-access"


def test_messages_name_the_loop_variables() -> None:
    out = run(AB, "for i in range(2):\n    for j in range(3):\n        B[i * 3 + j] = A[0]", [1.0] * 5, [0.0] * 5)
    assert isinstance(out, rr.Unspecified)
    assert "B[5]" in out.message
    assert out.message.endswith("(where i = 1, j = 2)")
    unread = 't = T.alloc_buffer((2,), "int32")\nfor i in range(2):\n    if t[i] > 0:\n        B[i] = A[i]'
    out = run(AB, unread, [1.0] * 2, [0.0] * 2)
    assert isinstance(out, rr.Unspecified)
    assert out.rule == "st/never-written"
    assert "t[0]" in out.message
    assert "i = 0" in out.message


def test_no_threads() -> None:
    body = 'for tx in T.thread_binding(n, thread="threadIdx.x"):\n    T.tvm_storage_sync("shared")\n    B[tx] = A[tx]'
    empty = rr.Tensor.of_bytes("float32", (0,), b"")
    assert last(run(AB, body, empty, empty)) == []
    assert last(run(AB, body, [5.0], [0.0])) == [5.0]


# --- what belongs to a thread, while all run the same closures --------------------------------------------------------

OWN = {
    "local memory keeps its contents while others run": (
        """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    r = T.alloc_buffer((2,), scope="local")
    for k in range(2):
        r[k] = A[tx] + T.float32(k)
        T.tvm_storage_sync("shared")
    B[tx] = r[0] * T.float32(10) + r[1]
""",
        [12.0, 23.0, 34.0],
    ),
    "memory of an outer thread is one for its inner threads": (
        """
for ty in T.thread_binding(2, thread="threadIdx.y"):
    g = T.alloc_buffer((2,), scope="global")
    for tx in T.thread_binding(2, thread="threadIdx.x"):
        if ty * 2 + tx < 3:
            g[tx] = A[ty * 2 + tx]
        T.tvm_storage_sync("shared")
        if ty == 0:
            B[tx] = g[1 - tx]
        else:
            if tx == 0:
                B[2] = g[0]
""",
        [2.0, 1.0, 3.0],
    ),
    "two names of one memory at two dtypes": (
        """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    r = T.alloc_buffer((1,), scope="local")
    i = T.decl_buffer((1,), "int32", data=r.data, scope="local")
    r[0] = A[tx]
    T.tvm_storage_sync("shared")
    i[0] = T.bitwise_or(i[0], T.int32(-2147483648))
    T.tvm_storage_sync("shared")
    B[tx] = r[0]
""",
        [-1.0, -2.0, -3.0],
    ),
    "extents that depend on the thread": (
        """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    r = T.alloc_buffer((tx + 1,), scope="local")
    for k in range(tx + 1):
        r[k] = A[k]
    T.tvm_storage_sync("shared")
    B[tx] = r[tx]
""",
        [1.0, 2.0, 3.0],
    ),
    "a second launch finds what each thread left": (
        """
r = T.alloc_buffer((1,), scope="local")
for tx in T.thread_binding(3, thread="threadIdx.x"):
    r[0] = A[tx]
    T.tvm_storage_sync("shared")
for tx in T.thread_binding(3, thread="threadIdx.x"):
    T.tvm_storage_sync("shared")
    B[tx] = r[0]
""",
        [1.0, 2.0, 3.0],
    ),
    "the same thread by another loop of its tag": (
        """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    T.tvm_storage_sync("shared")
    for t in T.thread_binding(3, thread="threadIdx.x"):
        T.tvm_storage_sync("shared")
        B[t] = A[tx]
""",
        [1.0, 2.0, 3.0],
    ),
    "lanes of a shuffle are those that run": (
        """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    B[tx] = T.tvm_warp_shuffle(T.uint32(7), A[tx], (tx + 1) % 3, 32, 32)
""",
        [2.0, 3.0, 1.0],
    ),
}


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
def test_what_belongs_to_a_thread(name: str, numerics: str) -> None:
    body, wanted = OWN[name]
    found = run(AB.replace("(n,)", "(3,)"), body, [1.0, 2.0, 3.0], [0.0] * 3, numerics=numerics)
    assert isinstance(found, rr.Returned), found
    assert (
        found.arguments[-1].contains(rr.Tensor.of(wanted, "float32")) if numerics != "ieee" else last(found) == wanted
    )


def test_a_thread_does_not_find_what_another_left() -> None:
    """Memory is fresh where it is allocated, for each thread."""
    body = """
for tx in T.thread_binding(3, thread="threadIdx.x"):
    r = T.alloc_buffer((1,), scope="local")
    if tx == 0:
        r[0] = A[0]
    T.tvm_storage_sync("shared")
    B[tx] = r[0]
"""
    found = run(AB.replace("(n,)", "(3,)"), body, [1.0, 2.0, 3.0], [0.0] * 3)
    assert isinstance(found, rr.Returned) and last(found) == [1.0, None, None]
