"""The suite on real TVM 0.27: what is known of it is exact, and the list names rows of the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import refrelax as rr
from refrelax import conformance
from refrelax.conformance import ImplementationFailed
from refrelax.conformance.judged import FAULTS, judge_case
from refrelax.conformance.known import load_known
from refrelax.interop.tvm import TvmImplementation, find_python

ROOT = Path(__file__).parents[3]
KNOWN = load_known(TvmImplementation.known)
CASES = {case.name: case for case in conformance.load()}
without_tvm = pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")


def test_the_list_and_the_document_have_the_same_rows() -> None:
    section = (
        (ROOT / "spec/deviations.md").read_text(encoding="utf-8").split("## Conformance cases")[1].split("\n## ")[0]
    )
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (\w+) \| `([^`]+)` \|$", section, re.MULTILINE)
    assert {name for name, _, _ in rows} == {each.id for each in KNOWN.values()}
    for name, verdict, case in rows:
        assert KNOWN[case].id == name and KNOWN[case].verdict == verdict
    assert KNOWN.keys() <= CASES.keys()


@pytest.fixture(scope="module")
def tvm() -> Iterator[TvmImplementation]:
    implementation = TvmImplementation(timeout=40)
    yield implementation
    implementation.close()


HEAD = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((3,), 'float32')) -> R.Any:\n"


@pytest.mark.tvm
@without_tvm
def test_check_takes_and_refuses(tvm: TvmImplementation) -> None:
    tvm.check(rr.parse(HEAD + "        y = R.add(x, x)\n        return y\n"))
    impure = rr.parse(
        HEAD + "        y = R.call_packed('f', x, ty_args=(R.Tensor((3,), 'float32'),))\n        return y\n"
    )
    with pytest.raises(ImplementationFailed, match="read: ") as failed:
        tvm.check(impure)
    assert failed.value.kind == "unread"


@pytest.mark.tvm
@without_tvm
def test_what_tvm_cannot_have_is_unsupported(tvm: TvmImplementation) -> None:
    for name in ("host/packed-arguments", "threads/barrier", "distributed/worker-id", "types/unbound-constant"):
        assert judge_case(CASES[name], tvm).word == "unsupported", name


@pytest.mark.tvm
@without_tvm
def test_listed_cases_end_as_listed(tvm: TvmImplementation) -> None:
    """One case of each row; the rest by night."""
    first = {each.id: name for name, each in reversed(KNOWN.items())}
    assert {name: as_listed(name, judge_case(CASES[name], tvm).word) for name in first.values()} == {
        name: KNOWN[name].verdict for name in first.values()
    }


def as_listed(name: str, word: str) -> str:
    """What is listed, where nobody can say how the case ends this time."""
    known = KNOWN.get(name)
    return known.verdict if known is not None and known.unsure and word == "passed" else word


@pytest.mark.tvm
@without_tvm
@pytest.mark.nightly
def test_the_list_is_exact(tvm: TvmImplementation) -> None:
    """Every case that is listed ends as listed, and no other fails or is refused."""
    judged = [
        (r.case.name, as_listed(r.case.name, r.word), r.why) for r in conformance.judge_cases(list(CASES.values()), tvm)
    ]
    found = {name: (word, why) for name, word, why in judged if word in FAULTS}
    assert {name: word for name, (word, _) in found.items()} == {k: d.verdict for k, d in KNOWN.items()}, found
