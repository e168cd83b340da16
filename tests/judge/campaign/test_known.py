"""Misbehaviours of TVM 0.27 that were known before refrelax was asked: what ``benchmarks/results/recall.md`` counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from refrelax.commands import findings
from refrelax.errors import Rejection
from refrelax.interop.tvm import find_python
from refrelax.semantics.types.check import check
from refrelax.syntax.read import parse
from tests.scripts import script

recall = script("recall")

TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(recall.KNOWN.glob("*.py"))}

SAMPLE = (
    "mean_of_integers", "pixel_shuffle", "deviation_along_nothing", "meshgrid_by_columns", "bundled_parameters",
    "two_branches_of_temporaries", "parallel_products_by_vectors", "nan_that_equals_itself", "maximum_of_nan",
)  # fmt: skip
"""A wrong dtype, refusals of a lowering, of the type rules and of a pass, crashes of a pass and of a run, wrong values
of code generation and under the strict profile."""


def test_there_are_as_many_as_are_counted() -> None:
    found = Counter(re.split("[,#]", recall.headers(text, "source")[0])[0] for text in TEXTS.values())
    assert found == {"spec/deviations.md": 18, "facts": 18, "apache/tvm": 18}


@pytest.mark.parametrize("name", TEXTS)
def test_each_says_what_is_wrong_and_who_is_to_be_blamed(name: str) -> None:
    text = TEXTS[name]
    assert all(len(recall.headers(text, each)) == 1 for each in ("source", "shows", "wrong", "blame"))
    if recall.headers(text, "shows") == ["accepted"]:
        with pytest.raises(Rejection):
            check(parse(text))
    else:
        assert "main" in check(parse(text)).module.functions
    recall.given(text)


@pytest.fixture(scope="module")
def compiler() -> Iterator[Any]:
    made = findings.compiler("tvm", None)
    yield made
    made.close()


@pytest.mark.tvm
@pytest.mark.thorough
@pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")
@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_is_found_and_rightly_blamed(name: str, compiler: Any) -> None:
    answer = recall.ask(TEXTS[name], compiler)
    assert answer.by and recall.rightly(TEXTS[name], answer), answer
    assert not answer.strict or recall.headers(TEXTS[name], "strict")
