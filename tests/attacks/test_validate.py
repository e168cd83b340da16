"""Pairs of programs that differ by a hair: none is called equal for all shapes and values.

Each row: what the second program forgets, the two programs, what the answer is.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import refrelax as rr
from refrelax.judge.outcomes import copies

HEAD = "n = TypeVar('n')\n@I.ir_module\nclass Module:\n    @T.prim_func(s_tir=True)\n    def main({params}):\n"
COPY = ("C[i] = A[i]",)


@dataclass(frozen=True)
class Attack:
    """``before`` and ``after``: statements; ``says``: the words that are right, ``because``: part of why."""

    name: str
    params: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    says: tuple[str, ...]
    because: str = ""


def over(*body: str, kind: str = "range", extent: str = "n") -> str:
    lines = "".join(f"            {line}\n" for line in body)
    return f"        for i in {kind}({extent}):\n{lines}"


FLOATS = 'A: T.Buffer((n,), "float32"), C: T.Buffer((n,), "float32")'
EIGHT = 'A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")'
WHOLE = 'X: T.Buffer((8,), "int32"), A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")'
PICKED = 'X: T.Buffer((8,), "int32"), A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")'
NOT_PROVED = ("REFUTED", "TESTED", "PROVED-AT")


def eight(*body: str) -> str:
    return over(*body, extent="8")


ATTACKS = [
    Attack(
        "an element in its own index",
        WHOLE,
        (eight("A[i] = T.bitwise_and(X[i], 7)"), eight("A[i] = B[A[i]]")),
        (eight("A[i] = T.if_then_else(X[i] == 123456, 3, T.bitwise_and(X[i], 7))"), eight("A[i] = B[A[i]]")),
        ("REFUTED",),
    ),
    Attack(
        "arithmetic on an element in its own index",
        WHOLE,
        (eight("A[i] = T.bitwise_and(X[i], 7)"), eight("A[i] = B[T.bitwise_and(A[i] + i, 7)]")),
        (eight("A[i] = T.bitwise_and(X[i], 7)"), eight("A[i] = B[T.bitwise_and(A[i] - i, 7)]")),
        ("REFUTED", "TESTED"),
    ),
    Attack(
        "an element in its own condition",
        WHOLE,
        (eight("A[i] = X[i]"), eight("A[i] = T.if_then_else(A[i] > 3, B[i], 0)")),
        (eight("A[i] = X[i] + 1"), eight("A[i] = T.if_then_else(A[i] > 3, B[i], 0)")),
        ("REFUTED",),
    ),
    Attack(
        "a guard that overflows int64",
        FLOATS,
        (over(*COPY),),
        (over("C[i] = T.if_then_else(i * T.int64(36028797018963968) >= T.int64(0), A[i], T.float32(0))"),),
        ("REFUTED",),
        "fits its dtype",
    ),
    Attack(
        "an index that overflows int64",
        FLOATS,
        (over(*COPY),),
        (over("C[i] = A[(i * T.int64(36028797018963968)) // T.int64(36028797018963968)]"),),
        ("REFUTED",),
        "fits its dtype",
    ),
    Attack(
        "an extent that overflows int64",
        FLOATS,
        (over(*COPY),),
        ('        t = T.alloc_buffer((n * T.int64(36028797018963968) + T.int64(1),), "int8")\n', over(*COPY)),
        NOT_PROVED + ("NO-VERDICT",),
        "fits its dtype",
    ),
    Attack(
        "the end of a loop that overflows int64",
        FLOATS,
        (over(*COPY),),
        (
            over(*COPY),
            over("C[0] = C[0]", extent="n * T.int64(36028797018963968) // T.int64(9223372036854775807)"),
        ),
        NOT_PROVED,
    ),
    Attack(
        "an index through int32",
        FLOATS,
        (over(*COPY),),
        (over("C[i] = A[T.Cast('int64', T.Cast('int32', i) + T.int32(1)) - T.int64(1)]"),),
        NOT_PROVED,
    ),
    Attack(
        "a race of stores",
        FLOATS,
        (over("C[i] = T.float32(0)"), over("C[T.int64(0)] = A[i]", extent="n // T.int64(16)")),
        (over("C[i] = T.float32(0)"), over("C[T.int64(0)] = A[i]", kind="T.parallel", extent="n // T.int64(16)")),
        ("REFUTED",),
        "parallel loop that write the same element",
    ),
    Attack(
        "a vectorised race of stores",
        FLOATS,
        (over("C[i] = T.float32(0)"), over("C[T.int64(0)] = A[i]")),
        (over("C[i] = T.float32(0)"), over("C[T.int64(0)] = A[i]", kind="T.vectorized")),
        NOT_PROVED,
        "vectorized loop that write the same element",
    ),
    Attack(
        "a race of a read",
        FLOATS,
        (over("C[i] = A[i]"), over("C[i] = C[T.int64(0)] + A[i]")),
        (over("C[i] = A[i]"), over("C[i] = C[T.int64(0)] + A[i]", kind="T.parallel")),
        ("REFUTED",),
    ),
    Attack(
        "a condition that may be poison",
        PICKED,
        (eight("C[i] = A[i]"),),
        (eight("C[i] = T.Select(A[T.if_then_else(X[i] == 123456, 999, 0)] > T.float32(0), A[i], A[i])"),),
        ("REFUTED",),
    ),
    Attack(
        "a condition that may be a cast out of range",
        EIGHT,
        (eight("C[i] = A[i]"),),
        (eight("C[i] = T.Select(T.Cast('int32', A[i]) > 0, A[i], A[i])"),),
        ("REFUTED",),
    ),
    Attack(
        "a branch on poison in a store that is overwritten",
        EIGHT,
        (eight("C[i] = A[i]"),),
        (eight("C[i] = T.if_then_else(T.Cast('int32', A[i]) > 0, A[i], T.float32(1))", "C[i] = A[i]"),),
        ("REFUTED",),
    ),
    Attack(
        "an index that is poison in a store that is overwritten",
        PICKED,
        (eight("C[i] = A[i]"),),
        (eight("C[i] = A[T.bitwise_and(X[i + 1], 7)]", "C[i] = A[i]"),),
        ("REFUTED",),
    ),
    Attack(
        "a division by zero in a store that is overwritten",
        PICKED.replace('A: T.Buffer((8,), "float32")', 'A: T.Buffer((8,), "int32")'),
        (eight("C[i] = T.float32(1)"),),
        (eight("C[i] = T.Cast('float32', A[i] // X[i])", "C[i] = T.float32(1)"),),
        ("REFUTED",),
    ),
    Attack(
        "the sign of a sum of zeros",
        'A: T.Buffer((3,), "float32"), C: T.Buffer((1,), "float32")',
        ("        C[0] = T.float32(0)\n        for k in range(3):\n            C[0] = C[0] + A[k]\n",),
        ("        C[0] = T.float32(-0.0)\n        for k in range(3):\n            C[0] = C[0] + A[k]\n",),
        ("TESTED",),  # the judge of runs takes a zero for a zero
        "is not seen to be",
    ),
    Attack(
        "adding zero",
        EIGHT,
        (eight("C[i] = A[i]"),),
        (eight("C[i] = T.Add(A[i], T.float32(0))"),),
        ("TESTED",),
        "is not seen to be",
    ),
    Attack(
        "a product with zero",
        EIGHT,
        (eight("C[i] = T.float32(0)"),),
        (eight("C[i] = T.Mul(A[i], T.float32(0))"),),
        ("REFUTED",),
    ),
    Attack(
        "a difference of equals", EIGHT, (eight("C[i] = T.float32(0)"),), (eight("C[i] = A[i] - A[i]"),), ("REFUTED",)
    ),
    Attack(
        "a maximum from the lowest finite number",
        'A: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")',
        ('        C[0] = T.float32("-inf")\n' + eight("C[0] = T.max(C[0], A[i])"),),
        ("        C[0] = T.float32(-3.4028234663852886e38)\n" + eight("C[0] = T.max(C[0], A[i])"),),
        ("REFUTED",),
    ),
    Attack(
        "floats in the condition of an index",
        EIGHT,
        (eight("C[i] = A[T.Select(T.floor(A[i]) > T.float32(3), i, 7 - i)]"),),
        (eight("C[i] = A[T.Select(T.floor(A[i]) > T.float32(4), i, 7 - i)]"),),
        ("REFUTED",),
    ),
    Attack(
        "an extent that may be negative",
        FLOATS,
        (over(*COPY),),
        ("        t = T.alloc_buffer((n - T.int64(3),), 'float32')\n", over(*COPY)),
        ("REFUTED",),
        "not negative",
    ),
    Attack(
        "two negative extents are no items",
        FLOATS,
        (over("C[i] = T.float32(0)", "for k in range(T.int64(0)):", "    C[i] = C[i] + T.float32(1)"),),
        (
            over(
                "C[i] = T.float32(0)",
                "for k, j in T.grid(i - n, i - n):",
                "    C[i] = C[i] + T.float32(1)",
            ),
        ),
        NOT_PROVED + ("PROVED",),  # equal; what matters is that no crash and no wrong reason is found
    ),
]


@pytest.mark.by_day(7)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_is_not_called_equal(attack: Attack) -> None:
    before, after = (
        rr.check(rr.parse(HEAD.format(params=attack.params) + "".join(body))) for body in (attack.before, attack.after)
    )
    found = rr.validate(before, after)
    assert found.word in attack.says, f"{found}\n{getattr(found, 'unproved', '')}"
    if attack.because and not isinstance(found, rr.Refuted):
        assert attack.because in found.unproved
    if isinstance(found, rr.Refuted):
        assert found.counterexample is not None
        ends = [rr.run(each, "main", *copies(found.counterexample.args)) for each in (before, after)]
        assert ends[0] != ends[1] or str(ends[0]) != str(ends[1])


SEVEN = ", ".join(f'A{k}: T.Buffer((n{k},), "float32")' for k in range(1, 8)) + ', C: T.Buffer((1,), "float32")'


@pytest.mark.parametrize("pair", [(1, 7), (1, 2), (6, 7), (3, 4)])
def test_symbols_are_drawn_apart(pair: tuple[int, int]) -> None:
    """Wrong wherever two of seven extents differ, and the prover cannot read it."""
    symbols = "".join(f"n{k} = TypeVar('n{k}')\n" for k in range(1, 8))
    text = symbols + HEAD.format(params=SEVEN) + '        assert n1 >= T.int64(0), "not read"\n        C[0] = {}\n'
    one, two = pair
    chosen = f"T.Select(n{one} == n{two}, T.float32(1), T.float32(2))"
    for right, wrong in (("T.float32(1)", chosen), ("T.float32(2)", chosen)):
        found = rr.validate(rr.parse(text.format(right)), rr.parse(text.format(wrong)))
        assert isinstance(found, rr.Refuted), (right, found)


def test_a_handle_that_cannot_be_made_up_is_named() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, n: T.int32) -> T.int32:
        return n + {}
"""
    found = rr.validate(rr.parse(text.format(1)), rr.parse(text.format(2)))
    assert isinstance(found, rr.NoVerdict) and "parameter a" in found.why and found.unproved


TENSOR = 'R.Tensor((2,), "float32")'


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (f"x: {TENSOR}, p: R.Tuple({TENSOR})", "parameter 1"),
        (f"x: {TENSOR}", "arguments"),
        (f'x: {TENSOR}, w: R.Tensor((2,), "float16")', "parameter 1"),
        (f'x: {TENSOR}, w: R.Tensor((3,), "float32")', "parameter 1"),
        (f'x: {TENSOR}, w: R.Tensor((n,), "float32")', "parameter 1"),
        (f"x: {TENSOR}, w: R.Prim('float32')", "parameter 1"),
    ],
)
def test_other_interfaces_are_not_compared(other: str, said: str) -> None:
    text = "n = TypeVar('n')\n@I.ir_module\nclass Module:\n    @R.function\n    def main({}):\n        return x\n"
    first, second = text.format(f"x: {TENSOR}, w: {TENSOR}"), text.format(other)
    for a, b in ((first, second), (second, first)):
        found = rr.validate(rr.parse(a), rr.parse(b))
        assert isinstance(found, rr.NoVerdict) and said in found.why, found


def test_one_symbol_is_not_two() -> None:
    text = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor(({},), "float32")):
        return x
"""
    found = rr.validate(rr.parse(text.format("n")), rr.parse(text.format("m")))
    assert isinstance(found, rr.NoVerdict)


def test_constants_are_part_of_the_program() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        y = R.add(x, metadata["ir.GenericConst"][0])
        return y
"""
    one, two = (rr.bind_constants(rr.parse(text), {0: rr.Tensor.of(c, "float32")}) for c in ([1.0, 2.0], [1.0, 3.0]))
    assert isinstance(rr.validate(one, one), rr.Equivalent)
    assert isinstance(rr.validate(one, two), rr.Refuted)


def test_what_is_open_everywhere_is_no_verdict() -> None:
    """Nothing was compared: poison in the first program at each element."""
    open_, other = (
        rr.parse(HEAD.format(params=FLOATS) + over(f"C[i] = A[{index}]")) for index in ("i - n", "i - n - T.int64(1)")
    )
    found = rr.validate(open_, other)
    assert isinstance(found, rr.NoVerdict) and found.word == "OPEN"
    assert "ld/load-out-of-bounds" in found.why and found.report.compared == 0


def test_a_run_that_is_open_everywhere_is_no_verdict() -> None:
    bad, other = (rr.parse(HEAD.format(params=FLOATS) + over(f"C[i + n] = A[{k}]")) for k in ("i", "0"))
    found = rr.validate(bad, other)
    assert isinstance(found, rr.NoVerdict) and found.word == "OPEN" and "ld/store-out-of-bounds" in found.why
