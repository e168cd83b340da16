"""``R.unique`` and ``R.nonzero``: read no further, the same for the same call in both programs."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

TEXT = """
n, k = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "int64"), y: R.Tensor((n, 3), "int64")):
        a = R.add(x, y)
        b = R.subtract(x, y)
        u = R.unique(a{flags})
        v = R.match_cast(u{field}, R.Tensor({shape}, "int64"))
        w = R.multiply(v, v)
        z = R.add(w, v)
        return z
"""
FLAGS = "".join(f", R.prim_value({each})" for each in ("True", "False", "True", "False"))
FORMS = {
    "elements": ("", "", "(k,)"),
    "rows": (FLAGS.replace("True", "False") + ", R.prim_value(0)", "", "(k, 3)"),
    "with the inverse": (FLAGS, "[1]", "(k,)"),
}  # fmt: skip
PASSES = ("legalize", "fuse_ops", "fuse_loops", "to_destinations", "plan_memory")


def program(form: str, *edits: tuple[str, str]) -> rr.CheckedModule:
    flags, field, shape = FORMS[form]
    text = TEXT.format(flags=flags, field=field, shape=shape)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return rr.check(rr.parse(text))


@pytest.mark.by_day(3)
@pytest.mark.parametrize("op", ["unique", "nonzero"])
@pytest.mark.parametrize("form", FORMS)
def test_the_same_call_gives_the_same(form: str, op: str) -> None:
    edits = [] if op == "unique" else [(f"R.unique(a{FORMS[form][0]})", "R.nonzero(a)"), (FORMS[form][2], "(2, k)")]
    edits += [] if op == "unique" or not FORMS[form][1] else [("u[1]", "u")]
    first = program(form, *edits)
    for passes in (PASSES, (*PASSES, "build")):
        found = attempt(first, lower(first, passes=passes).module, "main")
        assert isinstance(found, Proved), found


@pytest.mark.parametrize(
    "edit",
    [
        ("R.unique(a", "R.unique(b"), ("R.multiply(v, v)", "R.add(v, v)"), ("R.unique(a)", "R.nonzero(a)"),
        ("R.unique(a)", "R.unique(a, R.prim_value(False))"), ("R.unique(a)", "R.reshape(a, R.shape([n * 3]))"),
    ],
)  # fmt: skip
def test_another_is_not(edit: tuple[str, str]) -> None:
    more = [("(k,)", "(3, k)")] if "nonzero" in edit[1] else []
    assert isinstance(attempt(program("elements"), program("elements", edit, *more), "main"), str)


def test_each_call_is_one_of_the_first_program() -> None:
    once = (
        "z = R.add(w, v)",
        "t = R.unique(a)\n        s = R.match_cast(t, R.Tensor((k,), 'int64'))\n        z = R.add(w, s)",
    )
    assert isinstance(attempt(program("elements"), program("elements", once), "main"), str)


def test_a_call_behind_a_check_is_not_made_before_it() -> None:
    check = '        R.assert_op(R.equal(R.sum(x), R.const(0, "int64")))\n'
    where = "        u = R.unique(a)\n"
    behind = ("    @R.function\n", "    @R.function(pure=False)\n")
    first, same = (program("elements", behind, (where, check + where)) for _ in range(2))
    assert isinstance(attempt(first, same, "main"), Proved)
    assert isinstance(attempt(first, program("elements", behind, (where, where + check)), "main"), str)
