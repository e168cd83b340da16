"""Where the first program's run ends at a check, the buffers that it has behind the check do not exist: their sizes
show nothing of what the second program does before."""

from __future__ import annotations

import numpy as np

from tests.attacks.both_ends import both_ends

MODULE = """
n = TypeVar("n")
m = TypeVar("m")
q = TypeVar("q")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def fill(o: T.handle):
        k, l = T.int64(), T.int64()
        O = T.match_buffer(o, (k, l), "float32")
        for i, j in T.grid(k, l):
            with T.sblock("b"):
                v, w = T.axis.remap("SS", [i, j])
                O[v, w] = T.float32(0)
    @R.function
    def main({params}) -> R.Any:
        cls = Module
        {body}
        return v
"""


SIZES = 'x: R.Tensor((n, q), "int8"), y: R.Tensor((m, q), "int8")'
CHECKED = 's = R.match_cast(x, R.Tensor((m, q), "int8"))'
LARGE = 'v = R.call_tir(cls.fill, R.tuple(), out_ty=R.Tensor((n, m), "float32"))'


def test_a_buffer_behind_a_check_does_not_exist_before() -> None:
    args = (np.ones((2**40, 0), "int8"), np.ones((2**40 + 1, 0), "int8"))
    ends, proved = both_ends(MODULE, SIZES, (f"{CHECKED}; {LARGE}", f"a = R.shape([n * m]); {CHECKED}; {LARGE}"), args)
    assert [type(each).__name__ for each in ends] == ["Trapped", "Unspecified"]
    assert not proved


def test_a_buffer_behind_a_check_exists_behind_it() -> None:
    _, proved = both_ends(
        MODULE,
        SIZES,
        (f"{CHECKED}; {LARGE}", f"{CHECKED}; a = R.shape([n * m]); {LARGE}"),
        (np.ones((2, 0), "int8"),) * 2,
    )
    assert proved
