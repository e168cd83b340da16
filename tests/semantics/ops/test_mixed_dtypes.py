"""One argument of an operator at another dtype, known before the run or not: it is refused, or ends in an outcome."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import refrelax as rr
from refrelax.conformance import data
from refrelax.conformance.cases import Case, load_examples
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module
from refrelax.syntax.types import TensorType

DTYPES = ("bool", "int8", "float64")
EXAMPLES = [
    c for c in load_examples() if c.file.startswith("spec/ops/") and c.entry == "main" and c.expect.kind == "Returned"
]


def retyped(module: Module, k: int, dtype: str | None) -> Module:
    """The module with parameter ``k`` of ``main`` at another dtype, and no word on the result."""
    main = module.functions["main"]
    assert isinstance(main, Function) and isinstance(main.params[k].type, TensorType)
    param = replace(main.params[k], type=replace(main.params[k].type, dtype=dtype))
    params = (*main.params[:k], param, *main.params[k + 1 :])
    return replace(module, functions={**module.functions, "main": replace(main, params=params, ret=None)})


@pytest.mark.by_day(5)
@pytest.mark.parametrize("family", sorted({c.file for c in EXAMPLES}), ids=lambda f: f.split("/")[-1])
def test_no_fault(family: str) -> None:
    for case in EXAMPLES:
        if case.file == family:
            mixed(case)


def mixed(case: Case) -> None:
    module = rr.parse(case.module)
    main = module.functions["main"]
    assert isinstance(main, Function)
    args = [data.to_value(each) for each in case.args]
    for k, param in enumerate(main.params):
        given = args[k]
        if not isinstance(param.type, TensorType) or not isinstance(given, rr.Tensor):
            continue
        for dtype in DTYPES:
            with np.errstate(invalid="ignore"):  # an example with NaN or an infinity, as integers
                other = given.numpy().astype(dtype)
            for known in (dtype, None):
                try:
                    checked = rr.check(retyped(module, k, known))
                except rr.Rejection:
                    continue
                numerics = "enclosure" if known else "ieee"
                rr.run(checked, "main", args=[*args[:k], other, *args[k + 1 :]], numerics=numerics)
