"""Calls that a quick form has to leave to the general one, or take all the same: axes counted from the end, one row,
exponents that are 2 in part, zeros of both signs, integers that binary64 does not hold, masks of another kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.numpy_ import exact, operators_linear
from refrelax.running.arrays import numpy_dtype

SHAPES = ((1, 5), (5, 1), (2, 3), (1, 1), (4, 0), (0, 3))


def program(params: str, *bindings: str) -> rr.CheckedModule:
    body = "\n".join(f"        {each}" for each in (*bindings, "return z"))
    heads = 'n = TypeVar("n")\nm = TypeVar("m")\n'
    return rr.check(rr.parse(f"{heads}@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n{body}\n"))


def agree(checked: rr.CheckedModule, *args: Any) -> None:
    for mode in ("fast", "bits"):
        verdict = rr.diff(checked, "main", args, mode=mode)
        assert not isinstance(verdict, rr.Divergence) and getattr(verdict, "reason", "") != "fault", (mode, verdict)


def numbers(shape: tuple[int, ...], seed: int, dtype: str = "float32") -> Any:
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(dtype) / np.array(2, dtype)


ODD = [
    *(f"R.{f}(x, axis=[{a}]{k})" for f in ("sum", "mean", "max", "min", "prod", "variance", "std")
      for a in ("-2", "-1", "0", "1", "-1, -2", "0, 1", "") for k in ("", ", keepdims=True")),
    *(f"R.{f}(x, axis={a}{k})" for f in ("argmax", "argmin") for a in (-2, -1, 0, 1, None)
      for k in ("", ", keepdims=True")),
    *(f"R.nn.rms_norm(x, R.sum(x, axis=[{1 - a % 2}]), axes=[{a}])" for a in (-2, -1, 0, 1)),
    *(f"R.nn.{f}(x, axis={a})" for f in ("softmax", "log_softmax") for a in (-2, -1, 0, 1)),
    *(f"R.{f}(x, axis={a})" for f in ("cumsum", "cumprod", "sort", "argsort") for a in (-2, -1, 0, 1)),
    "R.power(x, y)", "R.power(x, R.const(2, 'float32'))", "R.power(x, R.const([2], 'float32'))", "R.power(y, x)",
    "R.power(R.const(2, 'float32'), x)", "R.atan2(x, y)", "R.where(R.greater(x, y), x, R.const(0, 'float32'))",
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("call", ODD)
def test_an_odd_call(call: str) -> None:
    checked = program('x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("n", "m"), "float32")', f"z = {call}")
    for k, shape in enumerate(SHAPES):
        x, y = numbers(shape, k), numbers(shape, k + 9)
        if y.size:
            y.reshape(-1)[0] = 2.0
        agree(checked, x, y)


def test_an_exponent_that_is_two_in_part() -> None:
    checked = program('x: R.Tensor(("n", 2), "float32"), y: R.Tensor((2,), "float32")', "z = R.power(x, y)")
    agree(checked, numbers((3, 2), 0), np.array([2.0, 3.0], "float32"))


MASKS = {
    "plain": "R.const(-1e30, 'float32')", "of rank 1": "R.const([-1e30], 'float32')", "computed": "R.multiply(w, w)",
    "zero": "R.const(0, 'float32')",
}  # fmt: skip
CONDITIONS = {"given": "c", "constant": "R.const([[True, False], [True, True]], 'bool')", "computed": "R.equal(w, w)"}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_attention_with_another_mask(mask: str, condition: str) -> None:
    t = 'R.Tensor((2, 2), "float32")'
    checked = program(
        f'q: {t}, k: {t}, v: {t}, w: R.Tensor((), "float32"), c: R.Tensor((2, 2), "bool")',
        "s = R.matmul(q, k)", f"f = {MASKS[mask]}", f"d = {CONDITIONS[condition]}", "h = R.where(d, s, f)",
        "p = R.nn.softmax(h, axis=-1)", "z = R.matmul(p, v)",
    )  # fmt: skip
    q, k, v = (numbers((2, 2), seed) for seed in range(3))
    agree(checked, q, k, v, np.float32(1.5), np.array([[True, False], [True, True]]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int32"])
@pytest.mark.parametrize(
    "call", ["R.sort(x, axis=0{})", "R.argsort(x, axis=0{})", "R.topk(x, k=3, axis=0, ret_type='both')"]
)
def test_zeros_of_both_signs_stay_in_order(dtype: str, call: str) -> None:
    for more in ("", ", descending=True"):
        checked = program(f'x: R.Tensor(("n",), "{dtype}")', f"z = {call.format(more)}")
        for count in (0, 3, 70) if "topk" not in call else (3, 70):
            x = np.array([(0.0, -0.0, -0.0, 0.0, 1.0)[(k * k + k // 3) % 5] for k in range(count)])
            agree(checked, rr.Tensor.of(x.tolist(), dtype) if count else rr.Tensor.of([], dtype))


@pytest.mark.parametrize("source", ["int64", "uint64", "int32", "uint32"])
@pytest.mark.parametrize("target", ["float32", "float16", "bfloat16", "float8_e5m2"])
def test_integers_are_rounded_once(source: str, target: str) -> None:
    checked = program(f'x: R.Tensor(("n",), "{source}")', f'z = R.astype(x, "{target}")')
    width = int(source.lstrip("uint"))
    top = width if source[0] == "u" else width - 1
    found = {(1 << p) + (1 << q) + r for p in range(4, top) for q in range(0, p, 3) for r in (-1, 0, 1)}
    values = sorted(v for v in found if 0 <= v < 1 << top)
    values += [-v for v in values[::2]] if source[0] == "i" else []
    wanted = rr.run(checked, "main", rr.Tensor.of(values, source))
    given = rr.compile(checked, mode="bits").run("main", rr.Tensor.of(values, source))
    assert isinstance(wanted, rr.Returned) and isinstance(given, rr.Returned)
    assert wanted.value.patterns() == given.value.patterns()


@pytest.mark.parametrize("name", ["exp", "tanh", "log", "pow", "atan2"])
def test_few_results_are_doubted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What binary64 settles is not asked of the definition, one element after the other."""
    asked: list[Any] = []
    for each in ("_elementwise", "function2"):
        plain = getattr(exact, each)
        monkeypatch.setattr(exact, each, lambda *a, plain=plain: lambda *x: asked.append(x) or plain(*a)(*x))
    x = np.linspace(0.25, 7, 999).astype(np.float32)
    found = exact.binary(name, x, x[::-1]) if name in ("pow", "atan2") else exact.elementary(name, x)
    assert len(asked) < 20 and np.isfinite(found).all()
    if name not in ("pow", "atan2"):
        np.testing.assert_allclose(found, getattr(np, name)(x.astype(np.float64)), rtol=1e-6)


def test_an_einsum_in_mode_fast_is_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError("point by point")

    monkeypatch.setattr(operators_linear, "_spread", refuse)
    checked = program(
        'x: R.Tensor((2, 3), "float32"), y: R.Tensor((3, 5), "float32")', 'z = R.einsum((x, y), subscripts="ij,jk->ik")'
    )
    found = rr.compile(checked)["main"](numbers((2, 3), 0), numbers((3, 5), 1))
    np.testing.assert_array_equal(found, numbers((2, 3), 0) @ numbers((3, 5), 1))


@pytest.mark.parametrize(
    "sizes", [((2, 3), (4, 5)), ((0, 3), (4, 5)), ((2, 3), (0, 5)), ((0, 3), (0, 0)), ((2, 0), (0, 4))]
)
@pytest.mark.parametrize("batch", [0, 2])
def test_images_without_elements(sizes: tuple[tuple[int, int], tuple[int, int]], batch: int) -> None:
    own, new = sizes
    checked = program(
        f'x: R.Tensor(("n", 3, {own[0]}, {own[1]}), "float32")', f'z = R.image.resize2d(x, {new}, layout="NCHW")'
    )
    agree(checked, numbers((batch, 3, *own), 4))


def test_an_array_is_no_number() -> None:
    """Also where every argument is an array of the machine's own."""
    call = rr.compile(program('k: R.Prim("int64")', "z = R.shape([k])"))["main"]
    assert tuple(call(3)) == (3,)
    with pytest.raises(rr.RunError, match="expected a scalar"):
        call(np.array(3))


def test_a_choice_between_truths_and_a_format_without_zero() -> None:
    """A truth becomes a number of that format, whose least stands for false, and that is true again."""
    bools = 'c: R.Tensor((2,), "bool"), x: R.Tensor((2,), "bool"), y: R.Tensor((2,), "float8_e8m0fnu")'
    y = np.array([0x7F, 0x80], np.uint8).view(numpy_dtype("float8_e8m0fnu"))
    agree(program(bools, "z = R.where(c, x, y)"), np.array([True, False]), np.array([False, False]), y)
