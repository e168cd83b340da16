"""Dtypes by NumPy's letters: ``float8_e4m3b11fnuz`` has that of ``uint64``, ``int1`` that of ``float16``.

``R.sort`` took such an array for one that NumPy sorts itself, which a NaN leaves in disorder.
"""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import refrelax as rr

PATTERNS = bytes([0, 1, 0x81, 0x80, 0x40, 0xC0, 0x7F, 0xFF, 0x80])
FORMATS = ("float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3", "float8_e3m4", "float8_e5m2")
CALLS = (
    "R.sort(x)",
    "R.sort(x, descending=True)",
    'R.topk(x, k=2, ret_type="values")',
    'R.topk(x, k=2, ret_type="values", largest=False)',
    'R.scatter_elements(x, R.const([1, 1, 1, 1, 0, 0, 0, 2, 2], "int64"), x, reduction="add")',
    "R.argsort(x)",
)


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("dtype", FORMATS)
def test_they_are_sorted_as_what_they_are(dtype: str, mode: str) -> None:
    for call in CALLS:
        text = f'@R.function\ndef main(x: R.Tensor((9,), "{dtype}")):\n    y = {call}\n    return y\n'
        checked, x = rr.check(rr.parse(text)), rr.Tensor.of_bytes(dtype, (9,), PATTERNS)
        wanted, found = rr.run(checked, "main", x), rr.compile(checked, mode=mode).run("main", x)
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
        assert wanted.value.patterns() == found.value.patterns(), call


@pytest.mark.parametrize(("wanted", "given"), [("float16", "int1"), ("uint64", "float8_e4m3b11fnuz")])
def test_one_is_not_taken_for_the_other(wanted: str, given: str) -> None:
    text = f'@R.function\ndef main(x: R.Tensor((2,), "{wanted}")):\n    y = R.add(x, x)\n    return y\n'
    compiled = rr.compile(rr.check(rr.parse(text)))
    found = compiled.run("main", rr.Tensor.of([0, 0], given))
    assert isinstance(found, rr.Trapped) and found.rule == "ev/param-dtype"
    with pytest.raises(rr.RunError, match="dtype"):
        compiled["main"](rr.Tensor.of([0, 0], given))
