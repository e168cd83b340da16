"""Prints, assertions, casts that may fail, library functions without a contract: the same, in the same order."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = 'n = TypeVar("n")\nm = TypeVar("m")\n\n@I.ir_module\nclass Module:\n'
STORE = """    @T.prim_func(private=True)
    def bump(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        for i in range(n):
            A[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def beyond(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i]
        B[n] = T.float32(0)

"""
PARAMS = 'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")'
X = 'R.Tensor((n,), "float32")'


def module(body: str, params: str = PARAMS) -> rr.Module:
    lines = "".join(" " * 8 + line + "\n" for line in body.strip().splitlines())
    return rr.parse(f"{HEAD}{STORE}    @R.function(pure=False)\n    def main({params}):\n{lines}")


def word(first: str, second: str, params: str = PARAMS) -> str:
    return rr.validate(module(first, params), module(second, params), timeout=20).word


A, B = 'R.print(x, format="a")', 'R.print(y, format="b")'
FALSE = 'R.assert_op(R.const(False, "bool"), format="no")'
CALL = 'R.call_packed("f", x, ty_args=R.Tuple())'
GIVES = f'r = R.call_packed("g", x, ty_args={X})'
PURE = f'R.call_dps_packed("h", (x, y), out_ty={X})'
BEYOND = f"z = R.call_tir(cls.beyond, (x,), out_ty={X})"
HALF = 'c = R.add(x, R.const(0.5, "float32"))'
OF_HALF = 'R.call_packed("f", R.const(0.5, "float32"), ty_args=R.Tuple())'
OTHER_CALL, OF_Y = CALL.replace('"f"', '"k"'), CALL.replace("x,", "y,")
PURE_OTHER = PURE.replace('"h"', '"k"')
EXCHANGED, AGAIN = PURE.replace("(x, y)", "(y, x)"), GIVES.replace("r =", "s =")
INPLACE = f"z = R.call_tir_inplace(cls.bump, (x,), inplace_indices=[0], out_ty={X})"

SAME = {
    "prints": (f"{A}\n{B}\na = R.add(x, y)\nreturn a", f"{A}\na = R.add(y, x)\n{B}\nreturn a"),
    "an assertion that fails": (f"{FALSE}\nreturn x", f"a = R.add(x, y)\n{FALSE}\nreturn x"),
    "a library function": (f"{CALL}\na = R.add(x, y)\nreturn a", f"{CALL}\na = R.add(y, x)\nreturn a"),
    "what a library function gives": (f"{GIVES}\na = R.add(r, y)\nreturn a", f"{GIVES}\na = R.add(y, r)\nreturn a"),
    "outputs of a library function": (
        f"a = {PURE}\nb = R.add(a, y)\nreturn b",
        f"a = {PURE}\nb = R.add(y, a)\nreturn b",
    ),
}

OTHER = {
    "prints in another order": (f"{A}\n{B}\nreturn x", f"{B}\n{A}\nreturn x"),
    "a print less": (f"{A}\n{A}\nreturn x", f"{A}\nreturn x"),
    "a print more": (f"{A}\nreturn x", f"{A}\n{A}\nreturn x"),
    "another text": (f"{A}\nreturn x", 'R.print(x, format="b")\nreturn x'),
    "another value": (f"{A}\nreturn x", 'R.print(y, format="a")\nreturn x'),
    "a print behind an assertion": (f"{A}\n{FALSE}\nreturn x", f"{FALSE}\n{A}\nreturn x"),
    "an assertion less": (f"{FALSE}\nreturn x", "return x"),
    "a store out of bounds before an assertion": (
        f"cls = Module\n{FALSE}\n{BEYOND}\nreturn z",
        f"cls = Module\n{BEYOND}\n{FALSE}\nreturn z",
    ),
    "read after a library function may have stored": (
        f"a = R.add(x, y)\n{CALL}\nreturn a",
        f"{CALL}\na = R.add(x, y)\nreturn a",
    ),
    "another library function": (f"{CALL}\nreturn x", f"{OTHER_CALL}\nreturn x"),
    "a library function that is given another tensor": (f"{CALL}\nreturn x", f"{OF_Y}\nreturn x"),
    "outputs, the arguments exchanged": (f"a = {PURE}\nreturn a", f"a = {EXCHANGED}\nreturn a"),
    "outputs of another library function": (f"a = {PURE}\nreturn a", f"a = {PURE_OTHER}\nreturn a"),
    "a library function called once more": (f"{GIVES}\nreturn r", f"{GIVES}\n{AGAIN}\nreturn r"),
    "a result that may be the argument, which is overwritten": (
        f"cls = Module\n{GIVES}\na = R.add(r, y)\n{INPLACE}\nreturn a",
        f"cls = Module\n{GIVES}\n{INPLACE}\na = R.add(r, y)\nreturn a",
    ),
    "a result that a later call may change": (
        f'{GIVES}\na = R.add(r, y)\nR.call_packed("f", y, ty_args=R.Tuple())\nreturn a',
        f'{GIVES}\nR.call_packed("f", y, ty_args=R.Tuple())\na = R.add(r, y)\nreturn a',
    ),
    "a constant that a library function may store in": (
        f"{HALF}\n{OF_HALF}\nreturn c",
        f"{OF_HALF}\n{HALF}\nreturn c",
    ),
}


@pytest.mark.parametrize("how", SAME)
def test_the_same_events_are_proved(how: str) -> None:
    assert word(*SAME[how]) == "PROVED"


@pytest.mark.parametrize("how", OTHER)
def test_other_events_are_not(how: str) -> None:
    assert not word(*OTHER[how]).startswith("PROVED")


SQUARE = 'x: R.Tensor((n, m), "float32")'
CAST = 's = R.match_cast(x, R.Tensor((n, n), "float32"))'

CASTS = {
    "the same cast": (f"{CAST}\na = R.add(s, s)\nreturn a", f"{CAST}\na = R.add(x, x)\nreturn a", True),
    "what it found is known afterwards": (
        f'{CAST}\na = R.broadcast_to(R.const(0, "float32"), (n, m))\nreturn a',
        f'{CAST}\na = R.broadcast_to(R.const(0, "float32"), (m, n))\nreturn a',
        True,
    ),
    "without the cast": (f"{CAST}\na = R.add(s, s)\nreturn a", "a = R.add(x, x)\nreturn a", False),
    "a cast more": ("a = R.add(x, x)\nreturn a", f"{CAST}\na = R.add(x, x)\nreturn a", False),
    "another cast": (
        f"{CAST}\nreturn x",
        's = R.match_cast(x, R.Tensor((m + 1, m), "float32"))\nreturn x',
        False,
    ),
    "a print before the cast": (
        f'{CAST}\nR.print(x, format="")\nreturn x',
        f'R.print(x, format="")\n{CAST}\nreturn x',
        False,
    ),
    "not known without it": (
        'a = R.broadcast_to(R.const(0, "float32"), (n, m))\nreturn a',
        'a = R.broadcast_to(R.const(0, "float32"), (m, n))\nreturn a',
        False,
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("how", CASTS)
def test_casts_that_may_fail(how: str) -> None:
    first, second, right = CASTS[how]
    assert word(first, second, SQUARE).startswith("PROVED") == right


STORED = f'y1 = R.call_dps_packed("h", (x,), out_ty={X})\nreturn y1'
CALLED = (
    'y1 = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0)\n'
    'r = R.call_packed("h", x, y1{}, ty_args={})\nreturn {}'
)


@pytest.mark.parametrize(
    "second, proved",
    [
        (CALLED.format("", "R.Tuple()", "y1"), True),
        (CALLED.format("", "R.Any", "y1"), True),
        (CALLED.format("", "R.Any", "r"), False),  # the first program drops what it gives
        (CALLED.format("", X, "y1"), False),  # and nobody promises what that is
        (CALLED.format(", y1", "R.Any", "y1"), False),
        (CALLED.format("", "R.Any", "x"), False),
    ],
)
def test_a_call_for_what_it_stores_may_say_that_it_gives_something(second: str, proved: bool) -> None:
    found = attempt(rr.check(module(STORED)), rr.check(module(second)), "main")
    assert isinstance(found, Proved) is proved, found


def test_what_a_check_finds_is_not_known_before_it() -> None:
    store = """    @T.prim_func(private=True)
    def turned(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        for i, j in T.grid(n, m):
            B[j, i] = A[i, j]

    @R.function(pure=False)
"""
    call = 't = R.call_tir(cls.turned, (x,), out_ty=R.Tensor((n, m), "float32"))'
    texts = [f"{CAST}\n{call}\nreturn t", f"{CAST}\n{call}\na = t\nreturn a", f"{call}\n{CAST}\nreturn t"]
    start = HEAD + store + f"    def main({SQUARE}):\n        cls = Module\n        "
    first, same, other = (rr.parse(start + text.replace("\n", "\n" + " " * 8) + "\n") for text in texts)
    assert rr.validate(first, same, timeout=20).word == "PROVED"
    assert not rr.validate(first, other, timeout=20).word.startswith("PROVED")


def test_a_check_of_an_argument_is_no_cast() -> None:
    """Both trap, under other rules."""
    inner = """    @R.function(private=True)
    def square(s: R.Tensor((n, n), "float32")) -> R.Tensor((n, n), "float32"):
        return s

    @R.function(pure=False)
    def main(x: R.Tensor((n, m), "float32")):
        cls = Module
        {}
        a = R.add(x, x)
        return a
"""
    first, second = (rr.parse(HEAD + inner.format(each)) for each in (CAST, "s = cls.square(x)"))
    assert not rr.validate(first, second, timeout=20).word.startswith("PROVED")


def test_what_a_library_function_gives_is_cast_alike() -> None:
    get = 'g = R.call_packed("get", R.prim_value({}), ty_args=R.Any)\ns = R.match_cast(g, R.Tensor((n, {}), "float32"))'
    one, other, narrow = (f"{get.format(*each)}\na = R.add(s, s)\nreturn a" for each in ((0, "m"), (1, "m"), (0, "3")))
    assert word(one, one.replace("R.add", "R.multiply"), "") == "NO-VERDICT"
    plus = one.replace("R.add(s, s)", 'R.multiply(s, R.const(2, "float32"))')
    assert word(plus, plus.replace('s, R.const(2, "float32")', 'R.const(2, "float32"), s'), "") == "PROVED"
    assert word(one, other, "") != "PROVED"
    assert word(one, narrow, "") != "PROVED"


def test_a_library_call_in_a_branch_is_named() -> None:
    text = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((n,), "float32"):
        if c:
            z = R.call_dps_packed("my.f", (x,), out_ty=R.Tensor((n,), "float32"))
        else:
            z = R.{}(x)
        return z
"""
    first, second = (rr.check(rr.parse(text.format(op))) for op in ("exp", "sin"))
    assert attempt(first, second, "main") == "a call of my.f in a branch"


NESTED = """    @R.function
    def main(x: R.Tensor((n, 3), "float32")):
        y = R.call_dps_packed("three", (x,), out_ty={out})
        return {result}
"""
ONE = 'R.Tensor((n, 3), "float32")'
IN_TUPLES = f"R.Tuple(R.Tuple({ONE}, {ONE}), {ONE})"
TUPLES = {
    "the same": (IN_TUPLES, "(y[0], y[1])", "PROVED"),
    "one tuple": (f"R.Tuple({ONE}, {ONE}, {ONE})", "((y[0], y[1]), y[2])", "PROVED"),
    "another order": (f"R.Tuple({ONE}, {ONE}, {ONE})", "((y[1], y[0]), y[2])", "NO VERDICT"),
    "other tuples": (f"R.Tuple({ONE}, R.Tuple({ONE}, {ONE}))", "((y[1][0], y[0]), y[1][1])", "NO VERDICT"),
}


@pytest.mark.parametrize("how", TUPLES)
def test_outputs_in_tuples_of_tuples(how: str) -> None:
    out, result, said = TUPLES[how]
    one = rr.check(rr.parse(HEAD + NESTED.format(out=IN_TUPLES, result="(y[0], y[1])")))
    two = rr.check(rr.parse(HEAD + NESTED.format(out=out, result=result)))
    assert rr.validate(one, two, timeout=20).word.replace("-", " ") == said
