"""Blocks of threads in a recording: lanes, the fronts where threads meet, shared memory."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import refrelax as rr
from refrelax.views.recording import record
from refrelax.views.stepper import page

TEXT = """
@T.prim_func(private=True)
def main(A: T.Buffer((6,), "float32"), B: T.Buffer((2,), "float32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(3, thread="threadIdx.x"):
            s = T.alloc_buffer((3,), scope="shared")
            s[tx] = A[bx * 3 + tx]
            T.tvm_storage_sync("shared")
            if tx == 0:
                B[bx] = s[0] + s[2]
"""


def recorded(text: str, *args: Any) -> dict[str, Any]:
    found: dict[str, Any] = record(rr.check(rr.parse(text)), "main", *args, loops=True).json()
    return found


def test_a_block_has_its_threads_its_fronts_and_its_shared_memory() -> None:
    found = recorded(TEXT, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0, 0.0])
    steps = found["steps"]
    blocks = [k for k, each in enumerate(steps) if each["kind"] == "block"]
    assert [steps[k]["value"] for k in blocks] == [{"threadIdx.x": 3}] * 2
    assert [steps[steps[k]["parent"]]["tag"] for k in blocks] == ["blockIdx.x"] * 2
    inside = [each for each in steps if each.get("parent") == blocks[0]]
    assert [each["kind"] for each in inside] == ["thread", "thread", "thread", "front", "thread"]
    assert [each["value"]["lane"] for each in inside if each["kind"] == "thread"] == [0, 1, 2, 0]
    assert inside[3]["value"] == {"lanes": [0, 1, 2]} and inside[3]["end"] <= steps[blocks[0]]["end"] <= blocks[1]
    (shared,) = [each for each in found["memory"] if each["scope"] == "shared"]
    assert (shared["names"], shared["shape"], shared["bytes"], shared["died"]) == (["s"], [3], 12, len(steps))


def test_a_thread_that_goes_on_says_which_loops_it_is_in() -> None:
    text = """
@T.prim_func(private=True)
def main(B: T.Buffer((2,), "int32")):
    for tx in T.thread_binding(2, thread="threadIdx.x"):
        for k in range(2):
            T.tvm_storage_sync("shared")
            B[tx] = k
        B[tx] = 5
"""
    steps = recorded(text, [0, 0])["steps"]
    found = [
        (step["value"], [(each["kind"], each["value"]) for each in steps[k + 1 : step["end"]]])
        for k, step in enumerate(steps)
        if step["kind"] == "thread" and step["value"]["lane"] == 0
    ]
    at = {"lane": 0, "at": {"threadIdx.x": 0}}
    assert found == [
        (at, [("loop", 0)]),
        ({**at, "loops": {"k": 0}}, [("write", 0), ("loop", 1)]),
        ({**at, "loops": {"k": 1}}, [("write", 1), ("write", 5)]),
    ]


def test_threads_that_never_meet_are_loops_with_a_tag() -> None:
    text = """
@T.prim_func(private=True)
def main(A: T.Buffer((3,), "int32")):
    for tx in T.thread_binding(3, thread="threadIdx.x"):
        A[tx] = tx
"""
    loops = [each for each in recorded(text, [0, 0, 0])["steps"] if each["kind"] == "loop"]
    assert [(each["tag"], each["value"]) for each in loops] == [("threadIdx.x", k) for k in range(3)]


def test_a_loop_around_a_barrier_is_told() -> None:
    text = TEXT.replace("            s[tx]", "            for k in range(2):\n              s[tx]").replace(
        "            T.tvm", "              T.tvm"
    )
    steps = recorded(text, [1.0] * 6, [0.0, 0.0])["steps"]
    assert {each["value"] for each in steps if each["kind"] == "loop" and each["name"] == "k"} == {0, 1}


def test_a_block_that_cannot_go_on_ends_the_recording() -> None:
    text = TEXT.replace("            T.tvm", "            if tx < 2:\n              T.tvm")
    found = recorded(text, [1.0] * 6, [0.0] * 2)
    assert found["outcome"]["rule"] == "ev/barrier-divergence"
    assert all(k < each["end"] <= len(found["steps"]) for k, each in enumerate(found["steps"]))


def test_a_long_recording_is_packed() -> None:
    recording = recorded(TEXT, [1.0] * 6, [0.0] * 2)
    recording["text"] += "# " + "x" * 500_000
    held = re.search(r'type="application/json">(.*?)</script>', page(recording), re.S)
    assert held is not None and len(held.group(1)) < 100_000
    assert json.loads(gzip.decompress(base64.b64decode(held.group(1))))["steps"] == recording["steps"]
