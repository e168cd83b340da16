"""Parameters that are fetched and results that are set by calls, compared with those that are taken and given."""

import pytest

import refrelax as rr

HEAD = 'm = TypeVar("m")\nn = TypeVar("n")\n\n@I.ir_module\nclass Module:\n'
X, W = 'R.Tensor((n, m), "float32")', 'R.Tensor((m,), "float32")'
FIRST = f"""    @R.function
    def main(x: {X}, w: {W}):
        a = R.add(x, w)
        b = R.multiply(w, R.const(2, "float32"))
        return (a, b)
"""
GETTER = f"""    @R.function
    def main(x: {X}, fget: R.Callable((R.Prim("int64"), R.Any), R.Any, True)):
        m = T.int64()
        g = fget({{}}, R.str("{{}}"))
        w = R.match_cast(g, {W})
        a = R.add(x, w)
        b = R.multiply(w, R.const(2, "float32"))
        return (a, b)
"""
SETTER = f"""    @R.function(pure=False)
    def main(x: {X}, w: {W}, fset: R.Callable((R.Prim("int64"), R.Any), R.Tuple, False)):
        a = R.add(x, w)
        {{}}
        b = R.multiply(w, R.const(2, "float32"))
        {{}}
        return R.tuple()
"""
ITEMS = f"""    @R.function(pure=False)
    def main():
        m = T.int64()
        n = T.int64()
        g = R.call_packed("get_item", {{}}, ty_args=(R.Any,))
        x = R.match_cast(g, {X})
        h = R.call_packed("get_item", {{}}, ty_args=(R.Any,))
        w = R.match_cast(h, {W})
        a = R.add(x, w)
        R.call_packed("set_item", {{}}, a, ty_args=(R.Any,))
        R.vm.kill_object(x)
        b = R.multiply(w, R.const(2, "float32"))
        R.call_packed("set_item", {{}}, b, ty_args=(R.Any,))
        return R.tuple()
"""


def word(second: str, first: str = FIRST) -> str:
    return rr.validate(rr.parse(HEAD + first), rr.parse(HEAD + second), timeout=20, correspond=True).word


@pytest.mark.parametrize(
    "second",
    [GETTER.format(0, "w"), SETTER.format("fset(0, a)", "fset(1, b)"), ITEMS.format(0, 1, 0, 1)],
    ids=["fetched", "set", "both"],
)
def test_they_correspond(second: str) -> None:
    assert word(second) == "PROVED"


WRONG = {
    "another name": GETTER.format(0, "x"),
    "no such number": GETTER.format(1, "w"),
    "set in the other order": SETTER.format("fset(1, a)", "fset(0, b)"),
    "set twice": SETTER.format("fset(0, a)", "fset(0, b)"),
    "not all are set": SETTER.format("fset(0, a)", "c = R.add(b, b)"),
    "another value": SETTER.format("fset(0, x)", "fset(1, b)"),
    "one that is not there": SETTER.format("fset(0, a)", "fset(2, b)"),
    "one more": SETTER.format("fset(0, a)\n        fset(2, w)", "fset(1, b)"),
    "fetched in the other order": ITEMS.format(1, 0, 0, 1),
    "the same twice": ITEMS.format(0, 0, 0, 1),
    "items set in the other order": ITEMS.format(0, 1, 1, 0),
}


@pytest.mark.parametrize("how", WRONG)
def test_others_do_not(how: str) -> None:
    assert not word(WRONG[how]).startswith("PROVED")


def test_what_is_fetched_is_used_as_it_was() -> None:
    other = GETTER.format(0, "w").replace("R.multiply(w", "R.add(w")
    assert word(other) == "REFUTED"
