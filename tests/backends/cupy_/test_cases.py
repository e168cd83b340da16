"""The conformance suite's programs in emulated CUDA: nothing that the definition does not permit."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.conformance import cases, data
from refrelax.conformance.cases import Case
from refrelax.conformance.library import LIBRARY
from refrelax.semantics.types.wellformed.heads import contracts_of

RUN = [each for each in cases.load() if each.verdict == "accepts" and each.module and each.expect.kind == "Returned"]


@pytest.mark.nightly
@pytest.mark.skipif(emulate.compiler() is None, reason="emulation needs a C++ compiler")
@pytest.mark.parametrize("case", RUN, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    constants = dict(enumerate(map(data.to_value, case.constants)))
    checked = rr.check(rr.bind_constants(rr.parse(case.module), constants))
    kept = contracts_of(checked.module)
    externs = {name: each for name, each in LIBRARY.items() if name not in kept}
    args = list(map(data.to_value, case.args))
    found = rr.diff(checked, case.entry or "main", args, impl="cuda-emulated", externs=externs)
    assert found.word != "DIVERGE" and getattr(found, "reason", "") != "fault", found
