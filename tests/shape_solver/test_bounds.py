"""Every question ends soon, however it is built: chains, crowds, nests, shared parts, numbers of any size."""

from __future__ import annotations

import time

import pytest

from refrelax.shape_solver import Proved, Refuted, Unknown, prove, z3_
from refrelax.shape_solver.certificate import NoCertificate
from tests.clock import seconds_since

MANY = 1_000
SECONDS = 10.0


def chained(count: int, op: str = "<=") -> list[str]:
    return [f"s{k} {op} s{k + 1}" for k in range(count)]


def nested(head: str, levels: int, tail: str = ")") -> str:
    return head * levels + "x" + tail * levels


PROVED: dict[str, tuple[str, list[str]]] = {
    "chain": (f"s0 <= s{MANY}", chained(MANY)),
    "strict chain": (f"s0 + {MANY} <= s{MANY}", chained(MANY, "<")),
    "equations": (f"s0 + {MANY} == s{MANY}", [f"s{k} + 1 == s{k + 1}" for k in range(MANY)]),
    "33": ("s0 <= s33", chained(33)),
    "bounds at both ends": ("s40 >= 7", [*chained(40), "s0 >= 7"]),
    "sum": (" + ".join(f"s{k}" for k in range(MANY)) + " >= 0", [f"s{k} >= 0" for k in range(MANY)]),
    "minimum of sums": ("min(" + ", ".join(f"s{k} + {k}" for k in range(60)) + ") <= s0", []),
    "disjunction": (" or ".join(f"n == {k}" for k in range(300)), ["0 <= n < 300"]),
    "divisibilities": ("n % 2 ** 16 == 0", [f"n % {2**k} == 0" for k in range(40)]),
    "absolute values": (nested("abs(", 40) + " >= 0", []),
    "conversions": (nested("int8(", 60) + " <= 127", []),
    "bits": (" | ".join(f"s{k}" for k in range(20)) + " >= 0", [f"s{k} >= 0" for k in range(20)]),
    "large numbers": ("n * (1 << 4000) * (1 << 4000) * (1 << 4000) >= 0", ["n >= 0"]),
}
NO_Z3 = {name for name in PROVED if name not in ("minimum of sums", "absolute values", "bits")}


@pytest.mark.by_day(1)
@pytest.mark.parametrize("name", PROVED)
def test_large_questions_are_proved_soon(name: str) -> None:
    claim, assume = PROVED[name]
    if not z3_.AVAILABLE and name not in NO_Z3:
        pytest.skip("needs z3")
    start = time.process_time()
    answer = prove(claim, assume)
    assert isinstance(answer, Proved) and not answer.vacuous, answer
    assert seconds_since(start) < SECONDS


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(NO_Z3))
def test_most_of_them_without_z3(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3_, "AVAILABLE", False)
    assert isinstance(prove(*PROVED[name]), Proved)


OTHERS: dict[str, tuple[str, list[str]]] = {
    "false chain": (f"s0 < s{MANY}", chained(MANY)),
    "halves that double": ("x24 >= 0", [f"x{k + 1} == x{k} // 2 + x{k} // 3" for k in range(24)]),
    "exclusive or": (" ^ ".join(f"s{k}" for k in range(60)) + " >= 0", [f"s{k} >= 0" for k in range(60)]),
    "product of sums": (" * ".join(f"(a{k} + b{k})" for k in range(24)) + " >= 0", ["a0 >= 0", "b0 >= 0"]),
    "cubes": ("x*x*x + y*y*y != z*z*z + 4", ["x >= 1", "y >= 1", "z >= 1"]),
    "nested remainders": (nested("(x + y) % (3 + ", 40) + " >= 0", ["x >= 1"]),
    "many powers": (" + ".join(f"2 ** k{j}" for j in range(8)) + " >= 8", [f"k{j} >= 0" for j in range(8)]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", OTHERS)
def test_other_large_questions_end_soon(name: str) -> None:
    for _ in range(3):  # (a busy machine makes seconds longer, never shorter)
        start = time.process_time()
        answer = prove(*OTHERS[name])
        if (seconds := seconds_since(start)) < SECONDS:
            break
    assert seconds < SECONDS, answer
    assert not isinstance(answer, Unknown) or answer.reason


def test_a_chain_of_sums_under_fits_is_as_deep_as_it_is_long() -> None:
    answer = prove(" + ".join(["n"] * 400) + " >= n", ["n >= 0"], fits="int32")
    assert isinstance(answer, Unknown) and answer.stage == "size"
    assert isinstance(prove(" and ".join(["n + 1 > n"] * 400), ["0 <= n < 9"], fits="int32"), Proved)


def test_contradictions_through_bounds_and_residues() -> None:
    for assume in (
        ["i <= 2", "i > -3", "i % 16 == 5"], ["0 <= i <= 3", "i % 8 == 7"], ["i % 6 == 5", "7 <= i", "i <= 10"],
        ["i == j + 4", "0 <= i <= 3", "0 <= j"],
    ):  # fmt: skip
        for claim in ("m == 7", "m * i == 7", "1 << m == 3"):
            answer = prove(claim, assume)
            assert isinstance(answer, Proved) and answer.vacuous, (claim, assume)
        assert isinstance(prove("m == 7", assume, fits="int8"), Proved)


def test_a_bound_that_is_wrong_by_one_is_not_proved() -> None:
    assume = [*chained(40, "<"), "s0 >= 7"]
    assert isinstance(prove("s40 >= 47", assume), Proved)
    assert isinstance(prove("s40 >= 48", assume), Refuted)
    assert isinstance(prove("s0 + 41 <= s40", assume), Refuted)
    assert isinstance(prove("s40 <= s0 + 40", assume), Refuted)


def test_a_certificate_that_the_checker_would_not_read_is_refused() -> None:
    power = "*".join(["(n + m + 1)**16"] * 12)
    answer = prove(f"({power}) * ({power}) >= 0 or n >= n")
    assert isinstance(answer, Proved)
    start = time.process_time()
    with pytest.raises(NoCertificate):
        answer.certificate.document()
    assert seconds_since(start) < SECONDS
    assert len(prove("n * (1 << 4000) * (1 << 4000) >= 0", ["n >= 0"]).certificate.document()) >= 5  # type: ignore[union-attr]
