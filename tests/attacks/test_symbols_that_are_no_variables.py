"""Trees from JSON that name a symbol of a shape where a variable stands: no text gives them."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), s: R.Shape(ndim=1)):
        m = T.int64()
        y = R.add(x, x)
        z = (y, y)
        w = R.match_cast(s, R.Shape(["m"]))
        return y
"""


@pytest.mark.parametrize(
    ("at", "name"),
    [
        ('"body":{"node":"Var","name":"%s"}},"pure"', "y"),
        ('"fields":[{"node":"Var","name":"%s"}', "y"),
        ('"args":[{"node":"Var","name":"%s"}', "x"),
        ('"value":{"node":"Var","name":"%s"},"type":{"node":"ShapeType"', "s"),
    ],
)
@pytest.mark.parametrize("symbol", ["n", "m"])
def test_refused(at: str, name: str, symbol: str) -> None:
    text = rr.to_json(rr.parse(TEXT))
    assert at % name in text
    with pytest.raises(rr.IllFormed) as refused:
        rr.check(rr.from_json(text.replace(at % name, at % symbol, 1)))
    assert "wf/var-defined-before-use" in {each.rule for each in refused.value.diagnostics}
