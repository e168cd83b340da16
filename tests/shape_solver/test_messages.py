"""What is said of a text that is no claim: which text, where in it, and what to write instead."""

from __future__ import annotations

import re

import pytest

from refrelax.errors import Malformed
from refrelax.shape_solver import Proved, Prover, Refuted, parse_claim, prove


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n >", "1:4: expected a claim in Python's expression syntax, found 'n >'"),
        ("  n >", "1:6: expected a claim"),
        ("(n ==\n m))", "2:4: expected a claim"),
        (
            "n / 2 == 1",
            "1:3: expected one of + - * // % << >> & | ^ **, // (floor) or truncdiv for a quotient, found '/'",
        ),
        ("(n) @ (2) == 1", "1:5: expected one of + - * // % << >> & | ^ **, found '@'"),
        ("\n  1 + é / 2 == 1", "2:9: expected one of"),
        ("(n\n / 2) == 1", "2:2: expected one of"),
        ("n is m", "1:3: expected one of == != < <= > >=, found 'is'"),
        ("n == 1 and n not in m", "1:14: expected one of == != < <= > >=, found 'not in'"),
        ("!n", "1:1: expected 'not', found '!'"),
        ("n && m", "1:3: expected 'and', found '&&'"),
        ("n || m", "1:3: expected 'or', found '||'"),
        ("n = m", "1:3: expected '==', found '='"),
        ("T.Let(x = 1, where={x: 2})", "1:1: expected a symbol"),
        ("T.Let(x > 1, where={x: 2}) = n", "1:28: expected '==', found '='"),
        ("n >= 0 && m != 2", "1:8: expected 'and', found '&&'"),
        ("max() == n", "1:1: expected 2 or more arguments of max (found 0), found 'max()'"),
        ("n == min(n)", "1:6: expected 2 or more arguments of min (found 1), found 'min(n)'"),
        ("abs(n, m) == n", "1:1: expected 1 argument of abs (found 2), found 'abs(n, m)'"),
        ("truncdiv(n) == n", "1:1: expected 2 arguments of truncdiv (found 1), found 'truncdiv(n)'"),
        ("n == cdiv(n, 2)", "1:6: expected a function of claims (perhaps ceildiv), found 'cdiv'"),
        ("trunc_div(n, 2) == n", "1:1: expected a function of claims (perhaps truncdiv"),
        ("T.maxx(n, 2) == n", "1:1: expected a function of claims (perhaps max), found 'T.maxx'"),
        ("zzz(n) == n", "1:1: expected one of the functions Add, And, Div,"),
        ("int128(n) == n", "1:1: expected an integer dtype (int1 to int64, uint1 to uint64) or bool, found 'int128'"),
        ("float32(n) == n", "1:1: expected an integer dtype (int1 to int64, uint1 to uint64) or bool, found"),
        ("n ++", "1:5: expected a claim"),
        ("", "1:1: expected a claim"),
    ],
)
def test_a_message_says_where_and_what_instead(text: str, said: str) -> None:
    with pytest.raises(Malformed, match=re.escape(f"<claim>:{said}")):
        parse_claim(text)


def test_what_python_reads_is_not_taken_for_a_mistake() -> None:
    assert parse_claim("T.Let(x != 1, where={x: n}) and n <= 2 and 3 >= m and not n == m and 0x1f > 10_000")


def test_an_assumption_is_called_by_its_number() -> None:
    with pytest.raises(Malformed, match=r"<assumption 2>:1:4: expected a claim"):
        prove("n == n", ["n > 0", "n >"])
    with pytest.raises(Malformed, match=r"<assumption 1>:1:3: expected one of"):
        Prover(["n / 2 == 1"])
    with pytest.raises(Malformed, match=r"<claim>:1:4"):
        Prover(["n > 0"]).prove("n >")


def test_what_wraps_and_what_a_symbol_is() -> None:
    """``sh/arithmetic``: a dtype bounds no symbol; a choice is no operation that wraps; no step has another value."""
    bounds = ["-(1 << 63) <= n", "n < 1 << 63"]
    for claim in ("n + 0 == n", "max(n, 0) >= n", "n // 1 == n", "n << 0 == n"):
        assert prove(claim, arithmetic="wrap") == Refuted({"n": 1 << 63}), claim
        assert isinstance(prove(claim, bounds, arithmetic="wrap"), Proved), claim
    for claim in ("n == n", "select(n > 0, n, 0) >= n", "Select(n > 0, n, 0) >= n"):
        assert isinstance(prove(claim, arithmetic="wrap"), Proved), claim
    assert prove("n + 1 <= (1 << 63) - 1", arithmetic="no-overflow") == Refuted({"n": (1 << 63) - 1})
    assert isinstance(prove("int64(n) == n", arithmetic="no-overflow"), Proved)
    assert prove("int64(n) == n") == prove("int64(n) == n", arithmetic="wrap") == Refuted({"n": 1 << 63})
    assert prove("int8(y + 1) > y", ["-128 <= y <= 127"]) == Refuted({"y": 127})
