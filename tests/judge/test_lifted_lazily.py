"""Parameters that are computed ahead by what fetches and sets by calls (``LiftTransformParams``, then
``LazyTransformParams``, or ``LazyGetInput`` and ``LazySetOutput``), and programs that both fetch."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Validation
from refrelax.judge.verdicts import NoVerdict

HEAD = 'k = TypeVar("k")\nm = TypeVar("m")\nn = TypeVar("n")\n\n@I.ir_module\nclass Module:\n'
X, W, V = (f'R.Tensor(({each}), "float32")' for each in ("n, m", "m, m", "m,"))
FIRST = f"""    @R.function
    def main(x: {X}, w: {W}, u: {W}, v: {V}) -> {X}:
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
            t = R.permute_dims(w)
            s = R.permute_dims(u)
            y = R.matmul(x, t)
            z = R.matmul(y, s)
            a = R.add(z, v)
            R.output(a)
        return a
"""
MAIN = f"""    @R.function
    def main(x: {X}, v: {V}, t: {W}, s: {W}) -> {X}:
        y = R.matmul(x, t)
        z = R.matmul(y, s)
        a = R.add(z, v)
        return a
"""
ITEMS = f"""    @R.function(pure=False)
    def main_transform_params() -> R.Tuple:
        m = T.int64()
        g = R.call_packed("get_item", 0, ty_args=(R.Any,))
        w = R.match_cast(g, {W})
        t = R.permute_dims(w)
        R.vm.kill_object(w)
        R.call_packed("set_item", 1, t, ty_args=(R.Any,))
        h = R.call_packed("get_item", 1, ty_args=(R.Any,))
        u = R.match_cast(h, {W})
        s = R.permute_dims(u)
        R.vm.kill_object(u)
        R.call_packed("set_item", 2, s, ty_args=(R.Any,))
        i = R.call_packed("get_item", 2, ty_args=(R.Any,))
        v = R.match_cast(i, {V})
        R.call_packed("set_item", 0, v, ty_args=(R.Any,))
        return R.tuple()

"""
GETTER = "fget: R.Callable((T.int64, R.Any), R.Any, True)"
SETTER = "fset: R.Callable((T.int64, R.Any), R.Tuple, False)"
BOTH = f"""    @R.function(pure=False)
    def main_transform_params({GETTER}, {SETTER}) -> R.Tuple:
        m = T.int64()
        g = fget(0, R.str("model_params"))
        p = R.match_cast(g, R.Tuple({W}, {W}, {V}))
        w = p[0]
        t = R.permute_dims(w)
        u = p[1]
        s = R.permute_dims(u)
        v = p[2]
        o = (v, t, s)
        fset(0, o)
        return R.tuple()

    @R.function(pure=False)
    def main(x: {X}, {GETTER}, {SETTER}) -> R.Tuple:
        g = fget(1, R.str("t"))
        t = R.match_cast(g, {W})
        y = R.matmul(x, t)
        i = fget(2, R.str("s"))
        s = R.match_cast(i, {W})
        z = R.matmul(y, s)
        h = fget(0, R.str("v"))
        v = R.match_cast(h, {V})
        a = R.add(z, v)
        fset(0, a)
        return R.tuple()
"""


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def swapped(text: str, a: str, b: str) -> str:
    return changed(text, (a, "?"), (b, a), ("?", b))


def answer(second: str, first: str = FIRST, entry: str = "main") -> Validation:
    first_, second_ = rr.parse(HEAD + first, filename="first.py"), rr.parse(HEAD + second, filename="second.py")
    return rr.validate(first_, second_, entry, timeout=60, correspond=True)


def test_what_is_set_as_a_number_is_what_is_taken() -> None:
    found = answer(ITEMS + MAIN)
    assert found.word == "PROVED"
    assert [each for each in found.report.trusts if each.startswith("interface")] == [
        "interface: v, t, s are what main_transform_params gives of w, u, v",
        "interface: in main_transform_params, get_item is assumed to give what has the number, at each call "
        "(0: model_params[0], 1: model_params[1], 2: model_params[2]), and to do no more",
        "interface: in main_transform_params, set_item is assumed to keep the fields of the result (0, 1, 2), "
        "and to do no more",
    ]


def test_what_is_set_is_what_is_fetched() -> None:
    found = answer(BOTH)
    assert found.word == "PROVED"
    assert "interface: in main_transform_params, fset is assumed to keep the result, and to do no more" in (
        found.report.trusts
    )


EXCHANGED = {
    "items set": swapped(ITEMS, '"set_item", 1', '"set_item", 2') + MAIN,
    "items fetched": swapped(ITEMS, '"get_item", 0', '"get_item", 1') + MAIN,
    "fetched by number": swapped(swapped(BOTH, "fget(1", "fget(2"), '"t"', '"s"'),
    "fields": changed(BOTH, ("(v, t, s)", "(v, s, t)")),
    "one is used for both": changed(BOTH, ("matmul(y, s)", "matmul(y, t)")),
    "it is killed before it is used": swapped(ITEMS, "t = R.permute_dims(w)", "R.vm.kill_object(w)") + MAIN,
}


@pytest.mark.by_day(3)
@pytest.mark.parametrize("how", EXCHANGED)
def test_others_of_their_types_are_refuted(how: str) -> None:
    assert answer(EXCHANGED[how]).word == "REFUTED"


NOT_SO = {
    "set_item sets number 0, 2; there are 3 results, from number 0 on, and number 1 is not set": changed(
        ITEMS + MAIN, ('        R.call_packed("set_item", 1, t, ty_args=(R.Any,))\n', "")
    ),
    "main_transform_params gives 2 values, the entry takes 3 (v, t, s)": changed(
        ITEMS + MAIN, ('        R.call_packed("set_item", 2, s, ty_args=(R.Any,))\n', "")
    ),
    "second.py:19:9: set_item sets number 1 twice": changed(ITEMS + MAIN, ('"set_item", 2', '"set_item", 1')),
    'main_transform_params gives R.Tensor(dtype="float32", ndim=2) as number 0, v is R.Tensor((m,), dtype="float32")': (
        swapped(ITEMS, '"set_item", 0', '"set_item", 1') + MAIN
    ),
    "second.py:10:9: get_item fetches number 5; what may be fetched: 0: model_params[0], 1: model_params[1]": changed(
        ITEMS + MAIN, ('"get_item", 0', '"get_item", 5')
    ),
    "fget fetches number 1 as 's'; that number is 't'": changed(BOTH, ("fget(2", "fget(1")),
    "fget fetches number 2 as 't', as which another number is fetched": changed(BOTH, ('"s"', '"t"')),
    "fget fetches number 3; what may be fetched": changed(BOTH, ("fget(2", "fget(3")),
}


@pytest.mark.parametrize("said", NOT_SO)
def test_what_is_not_so_is_said(said: str) -> None:
    found = answer(NOT_SO[said])
    assert isinstance(found, NoVerdict) and said in found.why, found


ONE = f"""    @R.function
    def main(x: {X}, {GETTER}) -> {X}:
        {{}}
        w = R.match_cast(g, {W})
        y = R.matmul(x, w)
        {{}}
        v = R.match_cast(h, {V})
        a = R.add(y, v)
        return a
"""
FETCHING = ONE.format('g = fget(0, R.str("w"))', 'h = fget(1, R.str("v"))')
SETTING = changed(
    FETCHING,
    ("R.function", "R.function(pure=False)"),
    (f"{GETTER}) -> {X}", f"{GETTER}, {SETTER}) -> R.Tuple"),
    ("return a", "fset(0, a)\n        return R.tuple()"),
)


@pytest.mark.by_day(6)
@pytest.mark.parametrize(
    ("second", "word"),
    [
        (FETCHING, "PROVED"),
        (changed(FETCHING, ("R.add(y, v)", "R.add(v, y)")), "PROVED"),
        (SETTING, "PROVED"),
        (changed(FETCHING, ("R.add(y, v)", "R.add(y, y)")), "REFUTED"),
        (changed(SETTING, ("fset(0, a)", "fset(0, y)")), "REFUTED"),
        (changed(FETCHING, ("fget(1", "fget(0")), "NO-VERDICT"),
        (changed(FETCHING, ('"v"', '"u"')), "NO-VERDICT"),
        (changed(SETTING, ("fset(0", "fset(1")), "NO-VERDICT"),
        (changed(SETTING, ("fset(0, a)", "fset(0, a)\n        fset(1, a)")), "NO-VERDICT"),
    ],
)
def test_both_fetch(second: str, word: str) -> None:
    assert answer(second, FETCHING).word == word


def test_items_of_one_type_that_both_fetch() -> None:
    first = f"""    @R.function
    def main({GETTER}) -> R.Tensor(dtype="float32", ndim=2):
        n = T.int64()
        m = T.int64()
        g = fget(0, R.str("a"))
        a = R.match_cast(g, {X})
        h = fget(2, R.str("b"))
        b = R.match_cast(h, {X})
        c = R.subtract(a, b)
        return c
"""
    assert answer(first, first).word == "PROVED"
    names = swapped(first, '"a"', '"b"')
    assert answer(names, first).word == "NO-VERDICT"
    assert answer(swapped(names, "fget(0", "fget(2"), first).word == "REFUTED"


def test_what_takes_no_parameters_in_a_tuple_is_not_called_rejected() -> None:
    """Its call by the pairing had other arguments, and that was told as a fault of the program."""
    other = f"""    @R.function
    def main_transform_params(p: {V}) -> R.Tuple({V}, {W}, {W}):
        m = T.int64()
        w = R.zeros(R.shape([m, m]), "float32")
        r = (p, w, w)
        return r

"""
    found = answer(other + MAIN)
    assert isinstance(found, NoVerdict) and "rejected" not in found.why, found
