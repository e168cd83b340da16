"""What is proved has a log: its search ends in no fault, finds one where the proof was short, and costs what it may."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, prove
from refrelax.shape_solver.certify import confirm

FAULTS = {
    "an operand and its complement, beside a mask": "((x ^ -3) ^ -3) * ((x & x) | (x & ~x)) == x * x",
    "the same below a quotient": "truncdiv(b, b) >= truncdiv((~((~b ^ b) ^ b | 32)) | (b & 32), b) or b < 0",
}


@pytest.mark.parametrize("claim", FAULTS.values(), ids=FAULTS)
def test_the_search_ends_in_no_fault(claim: str) -> None:
    answer = prove(claim)
    if isinstance(answer, Proved):
        assert not confirm(answer.certificate.document(), who="checker").rejected
