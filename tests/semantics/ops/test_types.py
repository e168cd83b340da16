"""Deduced types, symbolic and unknown dims included, against texts that were compared with TVM 0.27."""

from __future__ import annotations

from pathlib import Path

import pytest

import refrelax as rr
from refrelax.semantics.ops import FAMILIES, OPERATORS
from refrelax.syntax.signatures import CALL_FORMS, OPERATOR_NAMES
from refrelax.syntax.write.types import type_text

from .catalogue import SAMPLES, Sample, data, identify
from .typing_samples import ROWS, deduced

EXPECTED = (Path(__file__).parent / "expected_types.txt").read_text().splitlines()


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda k: f"{k}-{ROWS[k][1].split('(')[0]}")
def test_deduced_type(row: int) -> None:
    assert deduced(ROWS[row]) == EXPECTED[row]


@pytest.mark.parametrize("sample", SAMPLES[::5], ids=identify)
def test_value_has_deduced_type(sample: Sample) -> None:
    """Dims and dtype of the value are those of the type, where the type knows them."""
    checked = rr.check(rr.parse(sample.text))
    out = rr.run(checked, "main", *data(sample))
    assert isinstance(out, rr.Returned)
    value, text = out.value, type_text(checked.types["main"]["gv"])
    if isinstance(value, rr.Tensor) and text.startswith("R.Tensor(("):
        dims = ", ".join(map(str, value.shape)) + ("," if len(value.shape) == 1 else "")
        assert text == f'R.Tensor(({dims}), dtype="{value.dtype}")'


def test_operator_names_are_registered_names() -> None:
    assert set(OPERATORS) <= set(OPERATOR_NAMES)
    assert sum(len(family.OPERATORS) for family in FAMILIES) == len(OPERATORS)


def test_impure_operators() -> None:
    memory = {"memory.kill_storage", "memory.kill_tensor", "vm.kill_object", "vm.call_tir_dyn"}
    impure = {"print", "assert_op", *memory}
    assert {name for name, row in OPERATORS.items() if not row.pure} == {f"relax.{name}" for name in impure}
    assert {"print", "assert_op"} <= set(CALL_FORMS)
