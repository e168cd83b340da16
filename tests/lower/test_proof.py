"""Which functions are one call on their own parameters in order: only those are an origin without a proof by text."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.origins.proof import _only, origin_of
from refrelax.lower.origins.text import hint
from refrelax.lower.pipeline import lower

TWO = 'x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")'

ROWS: dict[str, tuple[str, str, bool]] = {
    "in order": (TWO, "out = R.subtract(x, y)", True),
    "one": ('x: R.Tensor(("n",), "float32")', "out = R.exp(x)", True),
    "in another order": (TWO, "out = R.subtract(y, x)", False),
    "one twice": (TWO, "out = R.subtract(x, x)", False),
    "one of two": (TWO, "out = R.exp(y)", False),
    "two calls": (TWO, "a = R.subtract(x, y); out = R.exp(a)", False),
    "no call": (TWO, "out = x", False),
    "a constant": (TWO, "out = R.subtract(x, R.const([1.0], 'float32'))", False),
}


def module(params: str, lines: str) -> rr.CheckedModule:
    body = "\n".join(f"        {each}" for each in lines.split("; "))
    text = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n{body}\n        return out\n"
    return lower(rr.check(rr.parse(text)), passes=("legalize",)).module


@pytest.mark.parametrize("name", ROWS)
def test_one_call_in_order(name: str) -> None:
    params, lines, wanted = ROWS[name]
    made = module(params, lines).module
    found = _only(made)
    assert (found is not None) is wanted
    if found is not None:
        assert found in made.prim_funcs().values()


def test_origins_name_operands_in_the_programs_order() -> None:
    """Whatever the order of the call, the origin computes what the loop program does of its parameters."""
    for lines in ("out = R.subtract(x, y)", "out = R.subtract(y, x)"):
        (func,) = module(TWO, lines).module.prim_funcs().values()
        origin = origin_of(func)
        assert hint(func) and origin is not None
        names = [name for name, _ in origin.tensors]
        assert len(names) == 2 and f"R.subtract({names[0]}, {names[1]})" in (hint(func) or "")
