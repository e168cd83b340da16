"""What the second program takes as the first one makes it is given to the next call again: nothing is stored there."""

from __future__ import annotations

import pytest

import refrelax as rr

LAYS_OUT = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "float32"), W: T.Buffer((4, 6), "float32")):
        V = T.alloc_buffer((6, 4))
        for i, j in T.grid(4, 6):
            V[j, i] = W[i, j]
        for i in range(3):
            A[i] = V[i, 1]
"""
LAID_OUT = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "float32"), V: T.Buffer((6, 4), "float32")):
        for i in range(3):
            A[i] = V[i, 1]
"""

HEAD = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(W: T.Buffer((5,), "float32")):
        for i in range(5):
            W[i] = W[i] + T.float32(1)

    @R.function
"""
VECTOR = 'R.Tensor((5,), "float32")'
MAIN = f"""    def main(x: {VECTOR}, w: {VECTOR}) -> {VECTOR}:
        cls = Module
        m = R.multiply(w, w)
        y = R.add(x, m)
        return y
"""
AHEAD = f"""    def main_transform_params(p: R.Tuple({VECTOR})) -> R.Tuple({VECTOR}):
        w = p[0]
        m = R.multiply(w, w)
        q = (m,)
        return q

    @R.function
    def main(x: {VECTOR}, m: {VECTOR}) -> {VECTOR}:
        cls = Module
        y = R.add(x, m)
        HERE
        return y
"""
INPLACE = "z = R.call_tir_inplace(cls.bump, (OF,), inplace_indices=[0], out_ty=TYPE)".replace("TYPE", VECTOR)


@pytest.mark.parametrize("change", ["", "        V[0, 0] = T.float32(7)\n", "        T.evaluate(V.data)\n"])
def test_a_layout_is_stored_in_by_nobody(change: str) -> None:
    found = rr.validate(rr.parse(LAYS_OUT), rr.parse(LAID_OUT + change), correspond=True)
    assert isinstance(found, rr.NoVerdict if change else rr.Equivalent)


@pytest.mark.parametrize(
    ("change", "proved"),
    [
        ("z = R.add(y, m)", True),
        (INPLACE.replace("OF", "y").replace("z = ", "t = R.add(x, m)\n        y = ").replace("(y,)", "(t,)"), False),
        (INPLACE.replace("OF", "m"), False),
        ("n = m\n        " + INPLACE.replace("OF", "n"), False),
        ("t = (x, m)\n        n = t[1]\n        " + INPLACE.replace("OF", "n"), False),
        ('z = R.call_packed("somebody", m, ty_args=R.Tuple())', False),
    ],
    ids=["read", "another tensor, another value", "in place", "by another name", "out of a tuple", "by a library"],
)
def test_what_is_computed_ahead_is_stored_in_by_nobody(change: str, proved: bool) -> None:
    first, second = rr.parse(HEAD + MAIN), rr.parse(HEAD + AHEAD.replace("HERE", change))
    assert isinstance(rr.validate(first, second, correspond=True), rr.Equivalent) is proved


def test_another_tensor_may_be_stored_in() -> None:
    change = "t = R.add(x, x)\n        " + INPLACE.replace("OF", "t")
    first, second = rr.parse(HEAD + MAIN), rr.parse(HEAD + AHEAD.replace("HERE", change))
    assert isinstance(rr.validate(first, second, correspond=True), rr.Equivalent)


HELPER = f"""
    @R.function(private=True, pure=False)
    def helper(k: {VECTOR}) -> R.Tuple():
        a = R.call_packed("somebody", k, ty_args=R.Tuple())
        return a
"""
LIBRARIES = {
    "by its name": 'z = R.call_packed("somebody", m, ty_args=R.Tuple())',
    "as a value": 'f = R.ExternFunc("somebody")\n        z = f(m)',
    "in a function": "z = cls.helper(m)",
}


@pytest.mark.parametrize("how", LIBRARIES)
def test_a_library_that_both_call_may_store_in_what_is_computed_ahead(how: str) -> None:
    """The first program gives it new memory each time, the second what the next call is given again."""
    call = f"{LIBRARIES[how]}\n        y = R.add(x, x)"
    first = HEAD.replace("@R.function", "@R.function(pure=False)") + MAIN.replace("y = R.add(x, m)", call)
    second = HEAD + AHEAD.replace("y = R.add(x, m)\n        HERE", call).replace(
        "@R.function\n    def main(", "@R.function(pure=False)\n    def main("
    )
    found = rr.validate(rr.parse(first + HELPER), rr.parse(second + HELPER), correspond=True)
    assert isinstance(found, rr.NoVerdict), found
