"""What is known of sizes in the branches of an ``if``: a buffer that the first program has there bounds the second's
arithmetic there, and nowhere else."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

PLANNED = ("legalize", "fuse_ops", "fuse_loops", "to_destinations", "plan_memory")

EXPERTS = """
@I.ir_module
class Module:
    @R.function
    def main(
        c: R.Tensor((), "bool"),
        d: R.Tensor((), "bool"),
        x: R.Tensor(("n", 2), "float32"),
        w: R.Tensor((2, 96), "float32"),
        v: R.Tensor((96, 2), "float32"),
    ) -> R.Tensor(("n", 2), "float32"):
        if c:
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            y = R.matmul(b, v)
        else:
            y = x
        return y
"""

WIDE, NARROW = "            a = R.matmul(x, w)\n            b = R.nn.relu(a)\n            y = R.matmul(b, v)\n", "y = x"


def checked(text: str) -> rr.CheckedModule:
    return rr.check(rr.parse(text))


def test_experts_are_proved_from_the_text_to_the_built_module() -> None:
    first = checked(EXPERTS)
    planned = lower(first, passes=PLANNED).module
    for after in (planned, lower(planned, passes=("build",)).module):
        found = attempt(first, after, "main")
        assert isinstance(found, Proved), found


STORAGE = 'R.memory.alloc_storage(R.shape([n * {}]), 0, "global", "uint8")'
BYTES = 384
"""Of a row of the wide tensor."""


def with_storage(place: str, bytes_: int, text: str = EXPERTS) -> rr.CheckedModule:
    """The program with a storage that nobody uses, in a branch, before or behind both."""
    lines = text.replace('"n"', "n").replace("    @R.function", "    @R.function(pure=False)")
    made = STORAGE.format(bytes_)
    where = {
        "then": ("            b = R.nn.relu(a)\n", f"            s = {made}\n            b = R.nn.relu(a)\n"),
        "else": ("            y = x\n", f"            s = {made}\n            y = x\n"),
        "behind": ("        return y\n", f"        s = {made}\n        return y\n"),
        "before": ("        if c:\n", f"        s = {made}\n        if c:\n"),
    }
    old, new = where[place]
    assert lines.count(old) == 1
    return checked("n = T.int64()\n" + lines.replace(old, new))


@pytest.mark.parametrize("bytes_, fits", [(BYTES, True), (BYTES + 1, False)])
def test_a_branch_knows_the_sizes_of_the_same_branch(bytes_: int, fits: bool) -> None:
    first = with_storage("then", 1)
    assert isinstance(attempt(first, with_storage("then", bytes_), "main"), Proved) is fits


@pytest.mark.parametrize("place", ["else", "behind", "before"])
def test_they_are_not_known_elsewhere(place: str) -> None:
    first = with_storage(place, 1)
    found = attempt(first, with_storage(place, BYTES), "main")
    assert isinstance(found, str) and "n * 384 <= 9223372036854775807" in found
    assert isinstance(attempt(first, with_storage(place, 8), "main"), Proved), "x itself bounds it"


def test_they_are_known_behind_both_branches_where_both_have_them() -> None:
    other = EXPERTS.replace("            y = x\n", "            e = R.matmul(x, w)\n            y = R.matmul(e, v)\n")
    first = with_storage("behind", 1, other)
    assert isinstance(attempt(first, with_storage("behind", BYTES, other), "main"), Proved)


NESTED = EXPERTS.replace(
    "        if c:\n            a = R.matmul(x, w)\n            b = R.nn.relu(a)\n            y = R.matmul(b, v)\n",
    "        if {}:\n            if {}:\n                a = R.matmul(x, w)\n                y = R.matmul(a, v)\n"
    "            else:\n                y = x\n",
)


def test_all_conditions_around_count() -> None:
    assert NESTED != EXPERTS
    text = NESTED.replace('"n"', "n").replace("@R.function", "@R.function(pure=False)")
    text = "n = T.int64()\n" + text.replace("y = R.matmul(a, v)\n", "{}y = R.matmul(a, v)\n")
    storage = f"s = {STORAGE.format(BYTES)}\n                "
    before = checked(text.format("c", "d", ""))
    assert isinstance(attempt(before, checked(text.format("c", "d", storage)), "main"), Proved)
    outer = text.replace("            if {}:", f"            s = {STORAGE.format(BYTES)}\n            if {{}}:", 1)
    found = attempt(before, checked(outer.format("c", "d", "")), "main")
    assert isinstance(found, str) and "n * 384" in found
