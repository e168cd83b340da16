"""Parameters that are fetched and results that are set by calls, compared with those that are taken and given."""

import pytest

import refrelax as rr

HEAD = 'k = TypeVar("k")\nm = TypeVar("m")\nn = TypeVar("n")\n\n@I.ir_module\nclass Module:\n'
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


BUNDLED = f"""    @R.function
    def main(params: R.Tuple({X}, R.Shape([k]), {W})):
        x = params[0]
        w = params[2]
        a = R.add(x, w)
        b = R.full(R.shape([k, 3]), R.const(2, "float32"), "float32")
        return (a, b)
"""
UNBUNDLED = f"""    @R.function(pure=False)
    def main(loader: R.Any, held: R.Shape([k])):
        m = T.int64()
        n = T.int64()
        g = R.call_packed("load", {{}}, ty_args=(R.Any,))
        x = R.match_cast(g, {X})
        h = R.call_packed("load", {{}}, ty_args=(R.Any,))
        w = R.match_cast(h, {W})
        a = R.add(x, w)
        R.call_packed("store", 0, a, ty_args=(R.Any,))
        b = R.full(R.shape([k, 3]), R.const(2, "float32"), "float32")
        R.call_packed("store", 1, b, ty_args=(R.Any,))
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


def test_functions_of_other_names_and_what_they_are_given_first() -> None:
    second = UNBUNDLED.format("loader, 0", "loader, 2")
    found = rr.validate(rr.parse(HEAD + BUNDLED), rr.parse(HEAD + second), timeout=20, correspond=True)
    assert found.word == "PROVED"
    assert [each for each in found.trusts if each.startswith("interface")] == [
        "interface: held is params[1]",
        "interface: load is assumed to give what has the number, at each call (0: params[0], 2: params[2]), "
        "and to do no more",
        "interface: store is assumed to keep the fields of the result (0, 1), and to do no more",
        "interface: loader is assumed to be for these functions alone",
    ]


WRONG_BUNDLES = {
    "in the other order": UNBUNDLED.format("loader, 2", "loader, 0"),
    "numbers of tensors alone": UNBUNDLED.format("loader, 0", "loader, 1"),
    "one is given something else first": UNBUNDLED.format("loader, 0", "2"),
    "the loader is handed to another": UNBUNDLED.format("loader, 0", "loader, 2").replace(
        "        a = R.add", '        R.call_packed("other", loader, ty_args=(R.Any,))\n        a = R.add'
    ),
    "two functions load": UNBUNDLED.format("loader, 0", "loader, 2").replace('"load"', '"load_first"', 1),
    "one function does both": UNBUNDLED.format("loader, 0", "loader, 2").replace('"store"', '"load"'),
    "what storing gives is used": UNBUNDLED.format("loader, 0", "loader, 2")
    .replace('        R.call_packed("store", 0, a', '        s = R.call_packed("store", 0, a')
    .replace("return R.tuple()", "return s"),
    "more is given": UNBUNDLED.format("loader, 0", "loader, 2").replace("return R.tuple()", "return a"),
    "a shape of another rank": UNBUNDLED.format("loader, 0", "loader, 2").replace("[k])", "[k, k])"),
    "fetched where it depends": UNBUNDLED.format("loader, 0", "loader, k"),
}


@pytest.mark.parametrize("how", WRONG_BUNDLES)
def test_other_bundles_do_not(how: str) -> None:
    assert not word(WRONG_BUNDLES[how], BUNDLED).startswith("PROVED")


CHANGING = ITEMS.format(0, 1, 0, 1).replace("        h = ", "        {}\n        h = ")
IN_BETWEEN = {
    "another call before it is fetched": 'R.call_packed("other", ty_args=(R.Any,))',
    "what was fetched is handed to another": 'R.call_packed("other", x, ty_args=(R.Any,))',
}


@pytest.mark.parametrize("how", IN_BETWEEN)
def test_what_may_change_what_is_fetched_next(how: str) -> None:
    call = IN_BETWEEN[how]
    first = FIRST.replace("R.function\n", "R.function(pure=False)\n").replace(
        "        a = ", f"        {call}\n        a = "
    )
    assert word(CHANGING.format(call), first).startswith("NO")


def test_the_order_of_what_others_see() -> None:
    prints = 'R.print(a, format="{{}}")\n        R.print(b, format="{{}}")\n'
    first = FIRST.replace("R.function\n", "R.function(pure=False)\n").replace(
        "        return", f"        {prints}        return"
    )
    second = ITEMS.format(0, 1, 0, 1)
    same = second.replace("        return", f"        {prints}        return")
    other = same.replace("R.print(a", "R.print(c").replace("R.print(b", "R.print(a").replace("R.print(c", "R.print(b")
    assert word(same, first) == "PROVED"
    assert not word(other, first).startswith("PROVED")


def test_a_library_function_that_the_first_program_calls_is_what_it_was() -> None:
    first = FIRST.replace("R.function\n", "R.function(pure=False)\n").replace(
        "        a = ", '        R.call_packed("get_item", 0, ty_args=(R.Any,))\n        a = '
    )
    assert not word(ITEMS.format(0, 1, 0, 1), first).startswith("PROVED")


def test_a_tuple_among_others_is_fetched_as_one() -> None:
    first = f"""    @R.function
    def main(t: R.Tuple({X}, {W}), w: {W}):
        return (t[0], w)
"""
    second = f"""    @R.function(pure=False)
    def main():
        m = T.int64()
        g = R.call_packed("get_item", 1, ty_args=(R.Any,))
        w = R.match_cast(g, {W})
        n = T.int64()
        {{}}
        return (x, w)
"""
    fields = f"""h = R.call_packed("get_item", 0, ty_args=(R.Any,))
        x = R.match_cast(h, {X})"""
    whole = f"""h = R.call_packed("get_item", 0, ty_args=(R.Any,))
        t = R.match_cast(h, R.Tuple({X}, {W}))
        x = t[0]"""
    assert not word(second.format(fields), first).startswith("PROVED")
    assert word(second.format(whole), first) in ("PROVED", "TESTED")


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


@pytest.mark.parametrize(("numbers", "said"), [((0, 1), "PROVED"), ((1, 0), "REFUTED"), ((0, 0), "REFUTED")])
def test_items_of_one_type(numbers: tuple[int, int], said: str) -> None:
    first = f"""    @R.function
    def main(params: R.Tuple({X}, {X})):
        a = R.subtract(params[0], params[1])
        return (a,)
"""
    second = f"""    @R.function(pure=False)
    def main():
        m = T.int64()
        n = T.int64()
        g = R.call_packed("get_item_0", {numbers[0]}, ty_args=(R.Any,))
        x = R.match_cast(g, {X})
        h = R.call_packed("get_item_0", {numbers[1]}, ty_args=(R.Any,))
        y = R.match_cast(h, {X})
        a = R.subtract(x, y)
        return (a,)
"""
    assert word(second, first) == said


KERNELS = """    @T.prim_func
    def doubled(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] * T.float32(2)

    @T.prim_func
    def tripled(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] * T.float32(3)

"""
FOUR = 'R.Tensor((4,), "float32")'
CALLED = f"""{KERNELS}    @R.function
    def main(x: {FOUR}):
        cls = Module
        a = R.call_tir(cls.doubled, (x,), out_ty={FOUR})
        b = R.call_tir(cls.tripled, (x,), out_ty={FOUR})
        return (a, b)
"""
STORAGE = 'R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))'
IN_STORAGE = 'R.memory.alloc_tensor({}, R.prim_value(0), R.shape([4]), R.dtype("float32"))'
PLANNED = f"""{KERNELS}    @R.function(pure=False)
    def main():
        cls = Module
        g = R.call_packed("get_item", 0, ty_args=(R.Any,))
        x = R.match_cast(g, {FOUR})
        s = {STORAGE}
        t = {STORAGE}
        a = {IN_STORAGE.format("s")}
        cls.doubled({{one}})
        R.call_packed("set_item", 0, a, ty_args=(R.Any,))
        R.memory.kill_tensor(a)
        b = {IN_STORAGE.format("{where}")}
        cls.tripled(x, b)
        R.call_packed("set_item", 1, b, ty_args=(R.Any,))
        return R.tuple()
"""


@pytest.mark.parametrize(
    ("one", "where", "proved"),
    [("x, a", "t", True), ("x, a", "s", False), ("a, x", "t", False)],
    ids=["apart", "where what was set lies", "what was fetched is stored in"],
)
def test_memory_of_what_is_set(one: str, where: str, proved: bool) -> None:
    found = word(PLANNED.format(one=one, where=where), CALLED)
    assert (found == "PROVED") is proved and (proved or found.startswith("NO"))
