"""A branch around a store, at any depth: what is not stored elsewhere stays what it was.

A condition that stands around a whole loop was once taken for known when the loop was left, and forgotten: the second
program was then called equal to one without the branch.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr

HEAD = 'n = TypeVar("n")\nm = TypeVar("m")\n\n@I.ir_module\nclass Module:\n    @T.prim_func(s_tir=True)\n'
PARAMS = '    def main(A: T.Buffer((n, m), "float32"), B: T.Buffer((n, m), "float32")):\n'
CONDITIONS = ("n > 1", "m > 1", "n > m", "n * 2 > m + 1")


def module(*lines: str) -> rr.Module:
    return rr.parse(HEAD + PARAMS + "".join(f"        {line}\n" for line in lines))


def nested(where: int, condition: str, kinds: tuple[str, str] = ("range", "range")) -> rr.Module:
    """``B = A`` with a branch before the outer loop (0), between the two (1) or inside (2); 3: nowhere."""
    opening = [f"for i in {kinds[0]}(n):", f"for j in {kinds[1]}(m):", "B[i, j] = A[i, j]"]
    opening[where:where] = [f"if {condition}:"] if where < 3 else []
    return module(*("    " * depth + line for depth, line in enumerate(opening)))


@pytest.mark.by_day(5)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("where", [0, 1, 2])
def test_a_branch_is_not_forgotten(where: int, condition: str) -> None:
    everywhere, branch = nested(3, condition), nested(where, condition)
    assert rr.validate(everywhere, branch).word == "REFUTED"
    assert rr.validate(branch, everywhere).word == "REFUTED"


def test_a_branch_around_one_store() -> None:
    all_, some = module("B[0, 0] = A[0, 0]"), module("if n > 1:", "    B[0, 0] = A[0, 0]")
    assert rr.validate(all_, some, assume=["m >= 1", "n >= 1"]).word == "REFUTED"
    assert rr.validate(some, all_, assume=["m >= 1", "n >= 1"]).word == "REFUTED"
    assert rr.validate(all_, some, assume=["m >= 1", "n > 1"]).word == "PROVED"


@pytest.mark.thorough
@settings(max_examples=12, deadline=None)
@given(
    st.tuples(st.sampled_from([0, 1, 2, 3]), st.sampled_from([0, 1, 2, 3])),
    st.sampled_from(CONDITIONS),
    st.sampled_from([("range", "range"), ("T.parallel", "range"), ("range", "T.parallel")]),
)
def test_where_a_branch_stands_makes_no_difference_and_whether_does(
    where: tuple[int, int], condition: str, kinds: tuple[str, str]
) -> None:
    first, second = (nested(each, condition, kinds) for each in where)
    assert (rr.validate(first, second).word == "PROVED") == ((3 in where) == (where == (3, 3)))
