"""Operators over every float format and over integers: their loop programs give what the definition gives."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.running.arrays import Tensor, pack
from refrelax.syntax import bits

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({shape}, "{dtype}")):
        y = {value}
        return y
"""
EXTREMES = {
    "max": "R.max(x, axis=[2])",
    "min": "R.min(x, axis=[2])",
    "argmax": "R.argmax(x, axis=2)",
    "argmin": "R.argmin(x, axis=2)",
    "softmax": "R.nn.softmax(x)",
    "max_pool1d": "R.nn.max_pool1d(x, pool_size=2)",
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("dtype", bits.FORMATS)
def test_an_extreme_of_any_format_starts_from_a_number(dtype: str, name: str) -> None:
    # NaN has no place among the starts: formats without infinities encode these as NaN
    program = MODULE.format(shape=(1, 2, 3), dtype=dtype, value=EXTREMES[name])
    numbers = [bits.encode(dtype, v) for v in (1.0, 2.0, 4.0, 4.0, 1.0, 2.0)]
    x = Tensor.of_bytes(dtype, (1, 2, 3), pack(dtype, numbers))
    try:
        checked = rr.check(rr.parse(program))
    except rr.Rejection:
        return  # (a softmax of what has no negatives)
    wanted = rr.run(checked, "main", x)
    found = rr.run(rr.lower(checked, pipeline="legalize").module, "main", x)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert found.value.patterns() == wanted.value.patterns()


@pytest.mark.parametrize("dtype", ("int32", "uint8", "bool"))
def test_attention_of_integers_is_left_alone(dtype: str) -> None:
    program = MODULE.format(shape=(1, 2, 1, 2), dtype=dtype, value="R.nn.attention(x, x, x)")
    rr.lower(rr.check(rr.parse(program)), pipeline="legalize")


def test_sign_of_a_format_without_zero() -> None:
    """The least number of ``float8_e8m0fnu`` is positive, and 0 is not in the format."""
    head = '@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((3,), "float8_e8m0fnu")):\n'
    checked = rr.check(rr.parse(f"{head}        return R.sign(x)\n"))
    given = rr.Tensor.of_bytes("float8_e8m0fnu", (3,), bytes([0, 127, 255]))
    wanted, found = (rr.run(each, "main", given) for each in (checked, rr.lower(checked, passes=("legalize",)).module))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert wanted.value.tobytes() == found.value.tobytes() == bytes([127, 127, 255])


@pytest.mark.parametrize("value", ["avg_pool1d(x, pool_size=2)", "adaptive_avg_pool1d(x, output_size=[2])"])
def test_an_average_of_truths_is_left_alone(value: str) -> None:
    checked = rr.check(rr.parse(MODULE.format(shape=(1, 2, 4), dtype="bool", value=f"R.nn.{value}")))
    assert rr.lower(checked, pipeline="legalize").module.module.functions.keys() == {"main"}


TRUTHS = {
    "avg_pool": ('x: R.Tensor((1, 2, 4, 4), "bool")', "R.nn.avg_pool2d(x, pool_size=[2, 2])"),
    "avg_pool_backward": (
        'g: R.Tensor((1, 2, 2, 2), "bool"), x: R.Tensor((1, 2, 4, 4), "bool")',
        "R.grad.avg_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2])",
    ),
    "cross_entropy": (
        'x: R.Tensor(("n", 2), "bool"), y: R.Tensor(("n", 2), "bool")',
        "R.nn.cross_entropy_with_logits(x, y)",
    ),
    "nll_loss": ('p: R.Tensor(("n", 2), "bool"), t: R.Tensor(("n",), "int64")', "R.nn.nll_loss(p, t)"),
    "nll_loss_backward": (
        'g: R.Tensor((), "bool"), p: R.Tensor(("n", 2), "bool"), t: R.Tensor(("n",), "int64")',
        "R.grad.nll_loss_backward(g, p, t)",
    ),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_truths_are_not_divided(name: str) -> None:
    """The definition divides truths, which have no quotient: the module did not check ("a fault of refrelax")."""
    head, value = TRUTHS[name]
    program = (
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main({head}):\n        y = {value}\n        return y\n"
    )
    lowered = rr.lower(rr.check(rr.parse(program)), pipeline="legalize")
    assert not any(name != "main" for name in lowered.module.module.functions)


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e5m2", "float8_e4m3fn", "float32", "float64"])
def test_what_is_asked_of_special_values_can_be_read_again(name: str, dtype: str) -> None:
    text = f"""
    n = TypeVar("n")
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((n,), "{dtype}")):
            y = R.{name}(x)
            return y
    """
    checked = rr.check(rr.parse(text))
    lowered = rr.lower(checked, pipeline="legalize").module.module
    assert rr.parse(rr.print_module(lowered)) == lowered
    numbers = rr.Tensor.of([0.5, -2.0, float("nan"), 0.0], dtype)
    infinite = [rr.Tensor.of([float("inf"), float("-inf")], dtype)] if "e4m3" not in dtype else []
    for x in (numbers, *infinite):
        runs = [rr.run(each, "main", x).value.tolist() for each in (checked, rr.check(lowered))]
        assert runs[0] == runs[1]


@pytest.mark.parametrize(
    "value", ["R.argmax(x, axis=0)", "R.sort(x, axis=0)", "R.topk(x, k=2, axis=0, ret_type='values')"]
)
def test_an_order_of_halves_can_be_read_again(value: str) -> None:
    text = f"""
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((4,), "float16")):
            y = {value}
            return y
    """
    lowered = rr.lower(rr.check(rr.parse(text)), pipeline="legalize").module.module
    assert rr.parse(rr.print_module(lowered)) == lowered
