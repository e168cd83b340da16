"""``R.grad.nll_loss_backward`` deduces the type of the predictions, of any rank. A single number has no axis of
classes, which leaves the run open as other extents that do not fit do."""

import pytest

import refrelax as rr

PROGRAM = """
@R.function
def main(g: R.Tensor((), "float32"), p: R.Tensor((), "float32"), t: R.Tensor({targets}, "int64"){more}):
    x = R.grad.nll_loss_backward(g, p, t{weights}, reduction="{mode}", ignore_index=1)
    return x
"""
WEIGHTS = {"more": ', w: R.Tensor((3,), "float32")', "weights": ", w"}


@pytest.mark.parametrize("mode", ["none", "sum", "mean"])
@pytest.mark.parametrize("targets", ["()", "(4,)"])
@pytest.mark.parametrize("more", [WEIGHTS, {"more": "", "weights": ""}], ids=["weights", "no weights"])
def test_a_single_number_has_no_classes(mode: str, targets: str, more: dict[str, str]) -> None:
    module = rr.check(rr.parse(PROGRAM.format(mode=mode, targets=targets, **more)))
    args = rr.testing.random_arguments(module.module, "main", 0)
    found = rr.run(module, "main", *args)
    assert isinstance(found, rr.Unspecified) and found.rule == "op.grad.nll_loss_backward/extents"
    assert rr.validate(module, module.module).word == "OPEN"
