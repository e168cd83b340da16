"""Arguments made up for a function."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.conformance.inputs import make_arguments

TEXT = '''
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def twice(a: T.Buffer((T.int64(3),), "float32"), b: T.Buffer((T.int64(3),), "float32")):
        for i in range(T.int64(3)):
            with T.sblock("twice"):
                v = T.axis.spatial(T.int64(3), i)
                b[v] = a[v] * T.float32(2)

    @R.function
    def main(
        x: R.Tensor(("n", "m"), "float16"), y: R.Tensor(("n * 2",), "int32"), s: R.Shape(["n", "k"]), p: R.Prim("int64")
    ) -> R.Tensor(("n", "m"), "float16"):
        return x
'''


@pytest.fixture(scope="module")
def module() -> rr.Module:
    return rr.parse(TEXT.replace("p: R.Prim", "p: R.Prim"))


def test_sizes_are_given_or_chosen_distinct(module: rr.Module) -> None:
    args, sizes = make_arguments(module, "main", seed=1, dims={"n": 5})
    assert sizes["n"] == 5 and len(set(sizes.values())) == 3
    x, y, s, p = args
    assert x.shape == (5, sizes["m"]) and x.dtype == "float16"
    assert y.shape == (10,) and y.dtype == "int32"
    assert s == (5, sizes["k"]) and isinstance(p, int)


def test_the_same_seed_gives_the_same_arguments(module: rr.Module) -> None:
    first, second, other = (make_arguments(module, "main", seed)[0][0].tobytes() for seed in (7, 7, 8))
    assert first == second != other


def test_policies(module: rr.Module) -> None:
    for policy, step in (("dyadic", 4), ("integer", 1)):
        (x, *_), _sizes = make_arguments(module, "main", 3, {"n": 40}, policy)
        assert all((v * step).is_integer() for row in x.tolist() for v in row)


def test_output_buffers_of_a_prim_func_are_made(module: rr.Module) -> None:
    args, sizes = make_arguments(module, "twice")
    assert [a.shape for a in args] == [(3,), (3,)] and sizes == {}


def test_zero_extents(module: rr.Module) -> None:
    (x, *_), _sizes = make_arguments(module, "main", dims={"n": 0})
    assert x.shape[0] == 0 and x.tobytes() == b""


@pytest.mark.parametrize(
    ("entry", "dims", "says"),
    [("nope", {}, "no function 'nope'"), ("main", {"q": 3}, "no symbol 'q'"), ("main", {"n": -1}, "negative extent")],
)
def test_refusals(module: rr.Module, entry: str, dims: dict[str, int], says: str) -> None:
    with pytest.raises(rr.UsageError, match=says):
        make_arguments(module, entry, 0, dims)
