"""Built modules with an ``if``: the condition that a call reads, and the table of shapes in branches."""

from __future__ import annotations

from functools import cache

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

BRANCHES = """
n, k = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((n, 4), "float32"),
        t: R.Tensor(ndim=1, dtype="float32"),
        c: R.Tensor((), "bool"),
        o: R.Tensor((), "bool"),
    ) -> R.Tensor((n * 4,), "float32"):
        a = R.exp(x)
        if c:
            p = R.negative(a)
            q = R.reshape(p, R.shape([n * 4]))
            r = R.nn.relu(q)
        else:
            q = R.reshape(a, R.shape([n * 4]))
            u = R.match_cast(t, R.Tensor((k,), "float32"))
            s = R.sum(u, axis=[0], keepdims=True)
            r = R.multiply(q, s)
        z = R.exp(r)
        return z
"""
PLANNED = ("legalize", "to_destinations", "plan_memory")


@cache
def stages() -> tuple[rr.CheckedModule, rr.CheckedModule, rr.CheckedModule]:
    """As written, planned, and built."""
    first = rr.check(rr.parse(BRANCHES))
    planned = lower(first, passes=PLANNED).module
    return first, planned, lower(planned, passes=("build",)).module


def test_branches_are_proved_from_the_text_to_the_built_module() -> None:
    first, planned, built = stages()
    assert "vm.builtin.read_if_cond" in rr.print_module(built.module)
    for before, after in ((planned, built), (first, built)):
        found = attempt(before, after, "main")
        assert isinstance(found, Proved), found


def edited(*edits: tuple[str, str]) -> rr.CheckedModule:
    text = rr.print_module(stages()[2].module)
    for old, new in edits:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return rr.check(rr.parse(text))


AFTER = "        _computed_3 = cls.shape_func_3(shape_heap)\n"
"""What computes again, behind the branches, an extent that each of them has computed."""


def test_a_slot_that_both_branches_leave_the_same_is_known_behind_them() -> None:
    assert isinstance(attempt(stages()[0], edited((AFTER, "")), "main"), Proved)


AGAIN = """\
            _again = R.call_packed("vm.builtin.match_shape", t, shape_heap, 1, 1, 2, R.str(""), ty_args=(R.Tuple,))
            _kill_2 = R.vm.kill_object(s)
"""
WRONG: dict[str, tuple[tuple[str, str], ...]] = {
    "another condition": (('read_if_cond", c,', 'read_if_cond", o,'),),
    "the condition is the result": (("        return z\n", "        return cond\n"),),
    "another kernel in a branch": (("cls.negative, a, p", "cls.exp, a, p"),),
    "a slot that the other branch has filled": (("            _computed_2 = cls.shape_func_2(shape_heap)\n", ""),),
    "a slot that one branch fills otherwise": ((AFTER, ""), ("            _kill_2 = R.vm.kill_object(s)\n", AGAIN)),
    "the symbol of a branch behind it": (
        ('gv_8 = R.call_packed("vm.builtin.make_shape", shape_heap, 1, 1, 2,',
         'gv_8 = R.call_packed("vm.builtin.make_shape", shape_heap, 1, 1, 3,'),
    ),
}  # fmt: skip


@pytest.mark.by_day(3)
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_branch_is_not_proved(fault: str) -> None:
    try:
        wrong = edited(*WRONG[fault])
    except rr.Rejection:
        return
    assert isinstance(attempt(stages()[0], wrong, "main"), str)


GIVEN = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((n, m), "float32"), y: R.Tensor((n, m), "float32"), c: R.Tensor((), "bool"), o: R.Tensor((), "bool")
    ) -> R.Tuple(R.Tensor((n, m), "float32"), R.Tensor((n,), "float32")):
        if c:
            if o:
                z = R.exp(x)
            else:
                z = R.add(y, y)
            r = R.multiply(z, y)
        else:
            r = R.negative(x)
        q = R.sum(r, axis=[1])
        return (r, q)
"""
"""A result that an ``if`` gives: its check looks at what both branches give."""


def built_given() -> tuple[rr.CheckedModule, str]:
    first = rr.check(rr.parse(GIVEN))
    return first, rr.print_module(lower(first, pipeline="build").module.module)


def test_the_check_of_what_branches_give_is_read() -> None:
    first, text = built_given()
    found = attempt(first, rr.check(rr.parse(text)), "main")
    assert isinstance(found, Proved), found


@pytest.mark.by_day(3)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('match_shape", gv_6, shape_heap, 2, 3, 0, 3, 1', 'match_shape", gv_6, shape_heap, 2, 3, 1, 3, 0'),
        ('match_shape", gv_6, shape_heap, 2, 3, 0, 3, 1', 'match_shape", gv_6, shape_heap, 2, 3, 0, 0, 3'),
        ('check_tensor_info", gv_6, 2, R.dtype("float32")', 'check_tensor_info", gv_6, 3, R.dtype("float32")'),
        ('check_tensor_info", gv_6, 2, R.dtype("float32")', 'check_tensor_info", gv_6, 2, R.dtype("float16")'),
    ],
)
def test_a_wrong_check_of_what_branches_give_is_not_proved(old: str, new: str) -> None:
    first, text = built_given()
    assert text.count(old) == 1, text
    assert not isinstance(attempt(first, rr.check(rr.parse(text.replace(old, new))), "main"), Proved)
