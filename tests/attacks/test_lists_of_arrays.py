"""All arguments in one list, or a list of arrays for one argument: an error of use, never a traceback."""

from __future__ import annotations

import pytest

import refrelax as rr

numpy = pytest.importorskip("numpy")

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "{dtype}"), y: R.Tensor((n,), "{dtype}")) -> R.Tensor((n,), "{dtype}"):
        z = R.add(x, y)
        return z
"""


@pytest.mark.parametrize("dtype", ["float32", "int8", "float16"])
def test_a_list_of_arrays_is_an_error_of_use(dtype: str) -> None:
    module = rr.check(rr.parse(PROGRAM.format(dtype=dtype)))
    array = numpy.array([1, 2], dtype)
    returned = rr.run(module, "main", array, array)
    assert isinstance(returned, rr.Returned)
    for given in ([array, array], [[array], [array]], [returned.value] * 2):
        with pytest.raises(rr.UsageError, match="list of arrays"):
            rr.run(module, "main", given)
