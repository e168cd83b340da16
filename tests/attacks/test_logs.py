"""What is proved has a log: its search ends in no fault, finds one where the proof was short, and costs what it may."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, prove
from refrelax.shape_solver.certify import confirm

FAULTS = {
    "an operand and its complement, beside a mask": "((x ^ -3) ^ -3) * ((x & x) | (x & ~x)) == x * x",
    "an equation that replaces nothing": "abs(truncmod(a | a, a + 1)) <= abs(a | a)",
    "the same below a quotient": "truncdiv(b, b) >= truncdiv((~((~b ^ b) ^ b | 32)) | (b & 32), b) or b < 0",
}


@pytest.mark.parametrize("claim", FAULTS.values(), ids=FAULTS)
def test_the_search_ends_in_no_fault(claim: str) -> None:
    answer = prove(claim)
    if isinstance(answer, Proved):
        assert not confirm(answer.certificate.document(), who="checker").rejected


SHORTER = {
    "an exponent that is a number": ("(n << 5) >= (n << ((5 & m) | (5 & ~m)))", ["m >= 1", "m <= 4"]),
    "a divisor that is a number": ("x % ((16 & (y * x)) | (16 & ~(y * x))) == x % 16", ["y >= 1", "x % 5 == 4"]),
    "an operand below a quotient": ("x == (x ^ z) ^ ((z << 8) >> 8)", []),
    "a factor": ("(n // 9) <= (n * ((3 & m) | (3 & ~m))) // 27", ["m % 5 == 1"]),
    "a quotient of what is equal": ("(z ^ 7) // y == (z ^ 7) // min(y, (max(y, z) ^ w) ^ w)", []),
    "a power of a rounded number": ("(a >> 2) >= ((a * 4 + 1) // 4 >> (((2 & (2 | a)) ^ (b ^ 127)) ^ (b ^ 127)))", []),
    "a choice of what is equal": ("x & 65535 == x & select(1 < y, 65535, min(65535, max(65535, int32(w))))", []),
}  # fmt: skip


@pytest.mark.by_day(4)
@pytest.mark.parametrize(("claim", "given"), SHORTER.values(), ids=SHORTER)
def test_operands_that_are_equal_to_something_shorter_have_a_log(claim: str, given: list[str]) -> None:
    answer = prove(claim, given)
    assert isinstance(answer, Proved)
    document = answer.certificate.document()
    assert document["evidence"]["kind"] == "log"
    assert confirm(document, who="checker").by == "checker"
