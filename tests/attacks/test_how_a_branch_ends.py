"""The last binding of a branch names the value of the `if`, whatever stands behind it that binds nothing."""

from __future__ import annotations

import textwrap

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
        if c:
{branch}
        else:
            y = x
        return y
"""

LAST = "y = R.add(x, x)"
GOOD = {
    "two names": "a, y = x, R.add(x, x)",
    "pass": f"{LAST}\npass",
    "a string": f"{LAST}\n'said'",
    "a number with a name": f"{LAST}\nk = I.meta_var(4)",
    "a symbol": f"{LAST}\nk = T.int64()",
    "the module": f"{LAST}\ncls = Module",
    "a constant": f"{LAST}\nk = [1, 2]",
    "inside a branch": f"if c:\n    {LAST}\n    pass\nelse:\n    y = x",
}
BAD = {
    "two names, another last": "y, a = x, R.add(x, x)",
    "a list of that name": "z = R.add(x, x)\ny = [1, 2]",
    "nothing of that name": "z = R.add(x, x)\ny = None",
    "the module by that name": "z = R.add(x, x)\ny = Module",
    "a list by way of a name": "z = R.add(x, x)\nk = [1, 2]\ny = k",
    "nothing": "pass",
    "a dataflow block": f"with R.dataflow():\n    {LAST}\n    R.output(y)",
}


def _parsed(branch: str) -> rr.Module:
    return rr.parse(MODULE.format(branch=textwrap.indent(branch, " " * 12)))


@pytest.mark.parametrize("branch", GOOD.values(), ids=[*GOOD])
def test_it_ends_by_its_last_binding(branch: str) -> None:
    ended = rr.run(rr.check(_parsed(branch)), "main", rr.Tensor.of(True, "bool"), rr.Tensor.of([1, 2], "float32"))
    assert isinstance(ended, rr.Returned) and ended.value.tolist() == [2, 4], ended


@pytest.mark.parametrize("branch", BAD.values(), ids=[*BAD])
def test_it_binds_no_such_name_last(branch: str) -> None:
    with pytest.raises(rr.Malformed, match="syn/branches-bind-one-name"):
        _parsed(branch)
