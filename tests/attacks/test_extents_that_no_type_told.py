"""An extent that is a symbol in the types is asked for in the run: some rules were asked of literals alone.

Heads of an attention and the columns of a region of interest ended in a fault of refrelax, or gave a value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import refrelax as rr

HEAD = "@I.ir_module\nclass Module:\n    @R.function\n    def main({}):\n        y = {}\n        return y\n"


def ends(call: str, shapes: Sequence[Sequence[int]], known: bool) -> str:
    """How ``call`` of tensors ends whose extents are literals in the types, or symbols."""
    spelled = [", ".join(str(d) if known else f'"s{k}{a}"' for a, d in enumerate(s)) for k, s in enumerate(shapes)]
    params = ", ".join(f'{n}: R.Tensor(({s},), "float32")' for n, s in zip("abcd", spelled, strict=False))
    try:
        module = rr.check(rr.parse(HEAD.format(params, call)))
    except rr.IllTyped as e:
        return e.diagnostics[0].rule
    outcome = rr.run(module, "main", args=[np.zeros(s, "float32") for s in shapes])
    return outcome.rule if isinstance(outcome, rr.Unspecified) else type(outcome).__name__


@pytest.mark.parametrize(
    ("query", "key", "value", "fits"),
    [(2, 2, 2, True), (2, 1, 2, True), (6, 3, 2, True), (0, 2, 2, True), (0, 0, 2, True)]
    + [(3, 2, 1, False), (1, 2, 1, False), (3, 1, 2, False), (2, 0, 1, False), (2, 1, 0, False)],
)
def test_heads(query: int, key: int, value: int, fits: bool) -> None:
    """Three heads on two were a fault, one head on two gave a value, two heads on none were a fault."""
    shapes = [[1, 2, query, 3], [1, 4, key, 3], [1, 4, value, 5]]
    assert ends("R.nn.attention(a, b, c)", shapes, True) == ("Returned" if fits else "op.nn.attention/heads")
    assert ends("R.nn.attention(a, b, c)", shapes, False) in (
        ("Returned",) if fits else ("op.nn.attention/extents", "op.common/broadcast-run")
    )


@pytest.mark.parametrize(
    ("bias", "fits"), [((1, 2, 3, 4), True), ((1, 1, 1, 4), True), ((1, 2, 3, 1), False), ((1, 3, 1, 4), False)]
)
def test_a_bias(bias: Sequence[int], fits: bool) -> None:
    """One column for all keys is refused where it is known, and gave a value where it is not."""
    shapes = [[1, 3, 2, 2], [1, 4, 2, 2], [1, 4, 2, 2], bias]
    assert ends("R.nn.attention_bias(a, b, c, d)", shapes, True) == ("Returned" if fits else "op.nn.attention/dims")
    found = ends("R.nn.attention_bias(a, b, c, d)", shapes, False)
    assert found in (["Returned"] if fits else ["op.nn.attention/extents", "op.common/broadcast-run"])


@pytest.mark.parametrize("columns", [0, 3, 4, 5, 6])
@pytest.mark.parametrize("name", ["roi_align", "roi_pool"])
def test_columns_of_a_region(name: str, columns: int) -> None:
    call, shapes = f"R.vision.{name}(a, b, pooled_size=[2, 2], spatial_scale=1.0)", [[1, 1, 4, 4], [1, columns]]
    fits = columns == 5
    assert ends(call, shapes, True) == ("Returned" if fits else "op.vision.roi/five-columns")
    assert ends(call, shapes, False) == ("Returned" if fits else "op.common/fits-run")


def test_starts_that_are_no_vector() -> None:
    """A length in the place of the starts was a fault."""
    text = (
        'q: R.Tensor((1, 2, 1, 1), "float32"), s: R.Tensor((2,), "int32"), n: R.Tensor((), "int32")',
        "R.nn.attention_var_len(q, q, q, s, n, n, n)",
    )
    module = rr.check(rr.parse(HEAD.format(*text)))
    outcome = rr.run(module, "main", [[[[1.0]], [[2.0]]]], [0, 2], 2)
    assert isinstance(outcome, rr.Unspecified) and outcome.rule == "op.nn.attention_var_len/starts"
