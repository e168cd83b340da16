"""Entries with one shape: equal terms there are a proof for all arguments, and nothing else is."""

import pytest

import refrelax as rr
from refrelax.judge.pairs import Pair

RULE = "va/only-shape"


def proc(body: str, params: str = 'A: T.Buffer((5,), "float32"), B: T.Buffer((5,), "float32")') -> rr.Module:
    lines = "\n".join(" " * 8 + line for line in body.strip().splitlines())
    return rr.parse(f"@I.ir_module\nclass Module:\n    @T.prim_func\n    def main({params}):\n{lines}\n")


SCAN = """
B[0] = A[0]
for i in range(4):
    B[i + 1] = B[i] + A[i + 1]
"""

SAME = {
    "unrolled": "B[0] = A[0]\nB[1] = B[0] + A[1]\nB[2] = B[1] + A[2]\nB[3] = B[2] + A[3]\nB[4] = B[3] + A[4]",
    "two loops": """
B[0] = A[0]
for i in range(2):
    for j in range(2):
        B[i * 2 + j + 1] = B[i * 2 + j] + A[i * 2 + j + 1]
""",
}

OTHER = {
    "an element is forgotten": """
B[0] = A[0]
for i in range(3):
    B[i + 1] = B[i] + A[i + 1]
B[4] = A[4]
""",
    "the other way round": """
B[0] = A[0]
for i in range(4):
    B[i + 1] = B[i] - A[i + 1]
""",
    "sums in another order": """
B[0] = A[0]
for i in range(3):
    B[i + 1] = B[i] + A[i + 1]
B[4] = A[0] + (A[1] + (A[2] + (A[3] + A[4])))
""",
    "a zero of the other sign": """
B[0] = T.float32(0) - (T.float32(0) - A[0])
for i in range(4):
    B[i + 1] = B[i] + A[i + 1]
""",
    "nothing written at the end": """
B[0] = A[0]
for i in range(3):
    B[i + 1] = B[i] + A[i + 1]
""",
    "an element of memory that nobody wrote": """
C = T.alloc_buffer((5,), "float32")
B[0] = A[0]
for i in range(4):
    B[i + 1] = B[i] + A[i + 1]
B[4] = B[4] + C[4]
""",
    "a race": """
B[0] = A[0]
for i in T.parallel(4):
    B[i + 1] = B[i] + A[i + 1]
""",
    "a load past the end": """
B[0] = A[0]
for i in range(4):
    B[i + 1] = B[i] + A[i + 1] + A[i + 1 + i // 3]
""",
    "a branch on an element": """
B[0] = A[0]
for i in range(4):
    B[i + 1] = B[i] + A[i + 1]
if A[0] == T.float32(123456):
    B[0] = T.float32(0)
""",
}


@pytest.mark.parametrize("how", SAME)
def test_equal_terms_at_the_only_shape_are_a_proof(how: str) -> None:
    found = rr.validate(proc(SCAN), proc(SAME[how]))
    assert found.word == "PROVED"
    assert any("only shape" in each or "in step" in each for each in found.trusts)


@pytest.mark.parametrize("how", OTHER)
def test_other_terms_are_none(how: str) -> None:
    assert rr.validate(proc(SCAN), proc(OTHER[how])).word != "PROVED"


def test_a_shape_that_is_not_the_only_one_is_no_proof() -> None:
    text = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i]
        T_ = T.alloc_buffer((1,), "float32")
        for i in range(n - 1):
            {}
"""
    plain = "B[i + 1] = B[i] + A[i + 1]"
    kept = "T_[0] = B[i]\n            B[i + 1] = T_[0] + A[i + 1]"
    first, second = (rr.parse(text.format(each)) for each in (plain, kept))
    assert rr.validate(first, second, timeout=20).word == "PROVED-AT"


FMA = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32"), z: R.Tensor((3,), "float32")):
        with R.dataflow():
            {}
            R.output(c)
        return c
"""
STEPS, AT_ONCE = "a = R.multiply(x, y)\n            c = R.add(a, z)", "c = R.ewise_fma(x, y, z)"


def terms(first: str, second: str) -> bool:
    from refrelax.judge.pairs import Pair

    pair = Pair(rr.check(rr.parse(FMA.format(first))), rr.check(rr.parse(FMA.format(second))), "main", {}, ())
    return pair.equal_terms(0) is not None


def test_what_the_second_program_may_compute_otherwise_is_no_step_of_the_first() -> None:
    assert terms(AT_ONCE, AT_ONCE)
    assert terms(AT_ONCE, STEPS)
    assert not terms(STEPS, AT_ONCE)


def test_numbers_that_may_be_computed_in_several_ways_are_no_number() -> None:
    third = 'R.const(0.3333333, "float32")'
    constant = f"c = R.ewise_fma({third}, {third}, {third})"
    assert terms(constant, constant) is False  # each side takes its own way


def test_a_scalar_is_more_than_its_one_value() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), k: R.Prim("int64")) -> R.Prim("int64"):
        return {}
"""
    first, second = (rr.parse(text.format(each)) for each in ("k", "R.prim_value(T.int64(2))"))
    assert rr.validate(first, second).word != "PROVED"


def test_poison_among_unknown_elements_is_what_their_sum_is() -> None:
    body = "B[0] = T.float32(0)\nfor i in range({}):\n    B[0] = B[0] + A[i]"
    first, second = (proc(body.format(extent)) for extent in (5, 6))
    assert rr.validate(first, second).word == "REFUTED"


def test_arguments_that_no_run_could_take_are_not_made() -> None:
    params = 'A: T.Buffer((4096, 4096), "float32"), B: T.Buffer((4096, 4096), "float32")'
    body = "for i, j in T.grid(4096, 4096):\n    B[i, j] = A[i, j] {} A[i, j]"
    same, other = (rr.validate(proc(body.format("+"), params), proc(body.format(op), params)) for op in "+-")
    assert same.word == "PROVED" and other.word == "NO-VERDICT" and "too many" in str(other)


def test_too_many_unknowns_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1000, 1000), "float32"), B: T.Buffer((1,), "float32")):
        B[0] = A[7, 9]
"""
    module = rr.check(rr.parse(text))
    pair = Pair(module, module, "main", {}, (), frozenset(), lambda dims: True, None)
    monkeypatch.setattr(Pair, "_drawn", lambda *_: pytest.fail("a million arguments are made"))
    assert pair.equal_terms(0) is None
