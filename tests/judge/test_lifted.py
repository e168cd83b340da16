"""Parameters that a function of the second program computes ahead (``LiftTransformParams``)."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent

HEAD = 'n = TypeVar("n")\nk = TypeVar("k")\n\n@I.ir_module\nclass Module:\n'
FIRST = f"""{HEAD}    @R.function
    def main(x: R.Tensor((n, 5), "float32"), w: R.Tensor((5, 5), "float32"), v: R.Tensor((5,), "float32"), s: R.Shape([k])) -> R.Tensor((n, 5), "float32"):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
            t = R.permute_dims(w)
            y = R.matmul(x, t)
            m = R.multiply(v, v)
            z = R.add(y, m)
            R.output(z)
        return z
"""  # noqa: E501
SECOND = f"""{HEAD}    @R.function
    def main_transform_params(p: R.Tuple(R.Tensor((5, 5), "float32"), R.Tensor((5,), "float32"), R.Shape([k]))) -> R.Tuple(R.Shape([k]), R.Tensor((5,), "float32"), R.Tensor((5, 5), "float32")):
        with R.dataflow():
            w = p[0]
            t = R.permute_dims(w)
            v = p[1]
            m = R.multiply(v, v)
            q = (R.shape([k]), m, t)
            R.output(q)
        return q

    @R.function
    def main(x: R.Tensor((n, 5), "float32"), s: R.Shape([k]), m: R.Tensor((5,), "float32"), t: R.Tensor((5, 5), "float32")) -> R.Tensor((n, 5), "float32"):
        with R.dataflow():
            y = R.matmul(x, t)
            z = R.add(y, m)
            R.output(z)
        return z
"""  # noqa: E501


def changed(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_what_is_computed_ahead_is_put_in_place() -> None:
    first, second = rr.parse(FIRST), rr.parse(SECOND)
    found = rr.validate(first, second, correspond=True)
    assert isinstance(found, Equivalent)
    assert "interface: s, m, t are what main_transform_params gives of w, v, s" in found.report.trusts
    shared = rr.parse(SECOND.replace("main_transform_params", "transform_params"))
    assert isinstance(rr.validate(first, shared, correspond=True), Equivalent)
    assert not isinstance(rr.validate(first, second), Equivalent)


def test_what_stops_lifting_is_its_argument() -> None:
    stopped = FIRST.replace(
        "t = R.permute_dims(w)", "s_ = R.permute_dims(w)\n            t = R.builtin.stop_lift_params(s_)"
    )
    assert isinstance(rr.validate(rr.parse(stopped), rr.parse(SECOND), correspond=True), Equivalent)
    other = SECOND.replace("t = R.permute_dims(w)", "t = w")
    assert not isinstance(rr.validate(rr.parse(stopped), rr.parse(other), correspond=True), Equivalent)


@pytest.mark.parametrize("op", ["builtin.stop_lift_params", "grad.no_grad", "grad.start_checkpoint"])
def test_an_argument_itself_is_its_memory(op: str) -> None:
    program = f"""{HEAD}    @T.prim_func(private=True)
    def bump(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        for i in range(n):
            A[i] = A[i] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32")):
        cls = Module
        y = {{}}
        z = R.call_tir_inplace(cls.bump, (y,), inplace_indices=[0], out_ty=R.Tensor((n,), "float32"))
        return (x, z)
"""
    first = rr.parse(program.format(f"R.{op}(x)"))
    assert rr.validate(first, rr.parse(program.format("x"))).word == "PROVED"
    assert rr.validate(first, rr.parse(program.format('R.multiply(x, R.const(1, "float32"))'))).word == "REFUTED"


WRONG = {
    "not transposed": {"t = R.permute_dims(w)": "t = w"},
    "another product": {"m = R.multiply(v, v)": "m = R.add(v, v)"},
    "computed twice": {"y = R.matmul(x, t)": "u = R.permute_dims(t)\n            y = R.matmul(x, u)"},
    "another element of the tuple": {"R.matmul(x, t)": "R.matmul(x, R.permute_dims(t))"},
    "not added": {"z = R.add(y, m)": "z = R.subtract(y, m)"},
    "not transposed, where it is used": {"R.matmul(x, t)": "R.matmul(t, t)", "z = R.add(y, m)": "z = R.add(x, m)"},
    "no such function": {"main_transform_params": "prepare"},
    "a check of the shape that may fail": {
        "R.shape([k]), m": "R.shape([k - 1]), m",
        "R.Tuple(R.Shape([k]), R.Tensor((5,)": "R.Tuple(R.Shape([k - 1]), R.Tensor((5,)",
    },
}


@pytest.mark.by_day(3)
@pytest.mark.parametrize("how", WRONG)
def test_what_is_computed_otherwise_is_not_proved(how: str) -> None:
    try:
        second = rr.parse(changed(SECOND, WRONG[how]))
    except rr.Rejection:
        pytest.fail("the program is none")
    assert not isinstance(rr.validate(rr.parse(FIRST), second, correspond=True), Equivalent)
