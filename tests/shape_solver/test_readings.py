"""Loop programs that are read once for all their calls: the same as what reading each call by itself gives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.judge.same_calls import Calls
from refrelax.lower.pipeline import lower
from refrelax.shape_solver.pointwise import OPEN, Descent, Logic, TensorTerm, Terms, read
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.shape_solver.pointwise.readings import Readings
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import PrimExpr, SymVar, int_imm

PROGRAMS = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((n, 5), "float32"), w: R.Tensor((5, 3), "float32"), s: R.Tensor((n, 3), "float32"),
        b: R.Tensor((1, 3), "float32"), z: R.Tensor((0, 3), "float32"), i: R.Tensor((m,), "int64"),
    ):
        a = R.matmul(x, w)
        c = R.nn.softmax(a, axis=-1)
        d = R.add(c, b)
        e = R.concat((d, s, z), axis=0)
        f = R.permute_dims(e, axes=[1, 0])
        g = R.cumsum(R.astype(f, "int32"), axis=1)
        h = R.reshape(s, R.shape([3, n]))
        j = R.strided_slice(s, axes=[0], begin=[1], end=[7], strides=[2])
        k = R.nn.layer_norm(s, R.sum(w, axis=[0]), R.sum(w, axis=[0]), axes=[-1])
        l = R.take(s, i, axis=0)
        o = R.where(R.less(s, b), s, R.mean(s, axis=[1], keepdims=True))
        return (e, g, h, j, k, l, o)
"""


@cache
def kernels() -> Mapping[str, PrimFunc]:
    found = lower(rr.check(rr.parse(PROGRAMS)), passes=("legalize",)).module.module.functions
    return {name: each for name, each in found.items() if isinstance(each, PrimFunc)}


KERNELS = (
    "add", "cast", "concatenate", "cumsum", "layer_norm", "less", "matmul", "mean", "reshape", "softmax",
    "strided_slice", "sum", "take", "transpose", "where",
)  # fmt: skip


def test_these_are_all() -> None:
    assert sorted(kernels()) == list(KERNELS)


def table() -> tuple[Terms, Logic, Readings]:
    terms = Terms()
    logic = Logic(Sizes(terms.dtype_of), left=10**9)
    for name in ("n", "m"):
        logic.assume(compare("GE", SymVar(name), int_imm(0)))
    calls = Calls(logic)
    return terms, logic, Readings(terms, logic, calls.outline, calls.equal)


def given(terms: Terms, func: PrimFunc, of: int) -> tuple[dict[str, TensorTerm], dict[str, PrimExpr]]:
    """What a call is given: tensors of its own, computed ones at every second; its last buffer is not written yet."""
    buffers = [p.buffer for p in func.params if isinstance(p, BufferParam)]
    found = {}
    for k, each in enumerate(buffers):
        at = tuple(terms.fresh("o") for _ in each.shape)
        if each is buffers[-1]:
            found[each.name] = TensorTerm("out", each.shape, each.dtype, at, OPEN)
            continue
        found[each.name] = TensorTerm(f"x{of}{k}", each.shape, each.dtype)
        if (k + of) % 2 and each.dtype == "float32":
            load = terms.load(found[each.name], at)
            body = terms.apply("Add", each.dtype, (load, load))
            found[each.name] = TensorTerm(f"y{of}{k}", each.shape, each.dtype, at, body)
    names = {d.name for each in buffers for d in each.shape if isinstance(d, SymVar)}
    return found, {name: SymVar(name) for name in names}


@pytest.mark.parametrize("name", KERNELS)
def test_a_call_is_what_reading_it_by_itself_gives(name: str) -> None:
    terms, logic, readings = table()
    func = kernels()[name]
    for call in range(4):
        tensors, symbols = given(terms, func, call)
        left, rests_on = readings.read(func, tensors, symbols)
        alone, rests_on_alone = read(func, tensors, symbols, terms, logic)
        descent = Descent(terms, logic)
        for found, (buffer, wanted) in zip(left, alone.items(), strict=True):
            assert (found is tensors[buffer]) is (wanted is tensors[buffer])
            assert descent.tensors(wanted, found) and descent.tensors(found, wanted), (buffer, descent.failure())
        assert [each.purpose for each in rests_on] == [each.purpose for each in rests_on_alone]


STILL = """
@I.ir_module
class Module:
    @T.prim_func
    def still(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int64")
        for i in range(n):
            A[i] = A[i]
"""


def test_a_buffer_that_is_stored_in_is_another_tensor_though_it_be_the_same() -> None:
    """By this it is told what a call stores in: an input, memory that a library function knows."""
    _, _, readings = table()
    still = rr.check(rr.parse(STILL)).module.functions["still"]
    assert isinstance(still, PrimFunc)
    n = SymVar("n")
    (content,), _ = readings.read(still, {"A": TensorTerm("x", (n,), "int64")}, {"n": n})
    for _ in range(3):
        (left,), _ = readings.read(still, {"A": content}, {"n": n})
        assert left is not content
        assert left.body is content.body


def test_calls_have_bound_names_of_their_own() -> None:
    """A product of products: the sums inside one another are by the same loop program."""
    text = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "int32"), w: R.Tensor((3, 3), "int32"), v: R.Tensor((3, 3), "int32")):
        a = R.matmul(x, w)
        b = R.matmul(a, v)
        c = R.matmul(b, {})
        return c
"""
    first = rr.check(rr.parse(text.format("w")))
    assert isinstance(attempt(first, lower(first, passes=("legalize",)).module, "main"), Proved)
    assert isinstance(attempt(first, rr.check(rr.parse(text.format("v"))), "main"), str)


LAYERS = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")):
        a = R.nn.relu(R.matmul(x, w))
        b = R.nn.relu(R.matmul(a, v))
        c = R.nn.relu(R.matmul(b, w))
        d = R.nn.relu(R.matmul(c, v))
        return d
"""


@pytest.mark.thorough
@pytest.mark.parametrize("layer", range(4))
@pytest.mark.parametrize("fault", ["input", "weight", "operator"])
def test_a_fault_in_one_layer_is_not_proved(layer: int, fault: str) -> None:
    lines = LAYERS.splitlines()
    (at,) = [k for k, each in enumerate(lines) if each.strip().startswith(f"{'abcd'[layer]} = ")]
    before, weight, other = "xabc"[layer], "wv"[layer % 2], "vw"[layer % 2]
    edits = {
        "input": (f"matmul({before},", "matmul(x," if layer else "matmul(R.add(x, x),"),
        "weight": (f", {weight})", f", {other})"),
        "operator": ("nn.relu", "nn.silu"),
    }
    lines[at] = lines[at].replace(*edits[fault])
    first, wrong = rr.check(rr.parse(LAYERS)), rr.check(rr.parse("\n".join(lines)))
    assert isinstance(attempt(first, wrong, "main"), str)
    lowered = lower(wrong, passes=("legalize", "fuse_ops", "fuse_loops")).module
    assert isinstance(attempt(first, lowered, "main"), str)
    assert isinstance(attempt(wrong, lowered, "main"), Proved)


def test_a_size_that_is_known_in_one_place_alone_counts_there_alone() -> None:
    """A reading that rests on a size is taken where that is known, and nowhere else."""
    terms, logic, readings = table()
    flat = rr.check(rr.parse(FLAT)).module.functions["flat"]
    assert isinstance(flat, PrimFunc)
    n = SymVar("n")

    def rests_on(call: int) -> set[str]:
        out = TensorTerm("out", (int_imm(1),), "int64", (terms.fresh("o"),), OPEN)
        tensors = {"A": TensorTerm(f"x{call}", (n,), "int64"), "B": out}
        return {each.purpose for each in readings.read(flat, tensors, {"n": n})[1]}

    outside = dict(logic.sizes.known)
    assert "index arithmetic fits its dtype" in rests_on(0)
    logic.sizes.exists((n, int_imm(1000)), "int64")
    assert all("fits" not in each for call in (1, 2, 3) for each in rests_on(call))
    logic.sizes.known = outside
    assert "index arithmetic fits its dtype" in rests_on(4)
    assert "index arithmetic fits its dtype" in rests_on(5)


FLAT = """
@I.ir_module
class Module:
    @T.prim_func
    def flat(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int64")
        B = T.match_buffer(b, (1,), "int64")
        if n * 1000 > 7:
            B[0] = A[0]
"""
