"""What ``relax.run.unique`` gives beside the elements is decided by the flags' values, literals or not."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.outcomes import Difference, Reference
from refrelax.judge.pointwise import attempt
from refrelax.semantics.budget import Budget

TYPE = 'R.Tuple(R.Tensor(dtype="int64"), R.Tensor(dtype="int64"))'
TEXT = """
n, k = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((n, 3), "int64")):
        t = R.prim_value(1)
        f = R.prim_value(0)
        u = R.call_packed("relax.run.unique", x, {flags}, ty_args=(TYPE,))
        v = R.match_cast(u[1], R.Tensor((k,), "int64"))
        return v
""".replace("TYPE", TYPE)


@pytest.mark.parametrize("names", ["t, f, t, f", "t, R.prim_value(0), t, f"])
def test_flags_by_a_name_are_flags(names: str) -> None:
    literal = names.replace("t,", "R.prim_value(1),").replace("f", "R.prim_value(0)")
    first, second = (rr.check(rr.parse(TEXT.replace("{flags}", each))) for each in (literal, names))
    given = (np.array([[1, 2, 1]]),)
    found = Reference(first, "main", given, {}, Budget()).judge(rr.run(second, "main", *given))
    assert isinstance(attempt(first, second, "main"), Proved)
    assert not isinstance(found, Difference), found
