"""Tables of shapes that branches write, and conditions that were read: what is known where, and what is not."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def exp(a: T.handle, b: T.handle):
        p = T.int64()
        A = T.match_buffer(a, (p,), "float32")
        B = T.match_buffer(b, (p,), "float32")
        for i in range(p):
            B[i] = T.exp(A[i])

    @T.prim_func(private=True)
    def flip(a: T.Buffer((), "bool"), b: T.Buffer((), "bool")):
        b[()] = not a[()]

    @T.prim_func(private=True)
    def turn(b: T.Buffer((), "bool")):
        b[()] = not b[()]

    @T.prim_func(private=True)
    def right(H: T.Buffer((4,), "int64")):
        H[1] = H[0]

    @T.prim_func(private=True)
    def wrong(H: T.Buffer((4,), "int64")):
        H[1] = H[2]

    @R.function
    def main(
        x: R.Tensor((n,), "float32"),
        y: R.Tensor((m,), "float32"),
        c: R.Tensor((), "bool"),
        o: R.Tensor((), "bool"),
    ):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        h = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (4,), ty_args=(R.Tensor(dtype="int64", ndim=1),))
        _x = R.call_packed("vm.builtin.match_shape", x, h, 1, 1, 0, R.str(""), ty_args=(R.Tuple,))
        _y = R.call_packed("vm.builtin.match_shape", y, h, 1, 1, 2, R.str(""), ty_args=(R.Tuple,))
"""
READ = 'R.call_packed("vm.builtin.read_if_cond", {}, ty_args=(R.Prim("bool"),))'
SHAPE = 'R.call_packed("vm.builtin.make_shape", h, 1, 1, {}, ty_args=(R.Any,))'


def proved(first: str, second: str) -> bool:
    """By the prover alone: ``validate`` runs what it proved, and would hide a wrong proof."""
    return isinstance(attempt(program(first), program(second), "main"), Proved)


def program(body: str) -> rr.CheckedModule:
    return rr.check(rr.parse(HEAD + "".join(f"        {line}\n" for line in body.strip().splitlines())))


def result(slot: int) -> str:
    """``exp`` of the first parameter, of so many elements."""
    return f"""
s = {SHAPE.format(slot)}
room = R.call_builtin_with_ctx("vm.builtin.alloc_storage", (s, 0, R.dtype("float32"), R.str("")), ty_args=(R.Any,))
r = R.call_packed("vm.builtin.alloc_tensor", room, 0, s, R.dtype("float32"), ty_args=(R.Any,))
_r = R.call_packed("vm.builtin.call_tir_dyn", cls.exp, x, r, R.shape([]), ty_args=(R.Tuple,))
return r
"""


def either(then: str, other: str, slot: int = 1, before: str = "_0 = cls.right(h)") -> str:
    def within(text: str) -> str:
        return "".join(f"    {line}\n" for line in text.splitlines())

    return (
        f"{before}\nk = {READ.format('c')}\nif k:\n{within(then)}    v = x\nelse:\n{within(other)}    v = x\n"
        + result(slot).lstrip()
    )


WRONG, RIGHT = "_w = cls.wrong(h)", "_w = cls.wrong(h)\n_v = cls.right(h)"
NESTED = "k2 = {}\nif k2:\n    {}\n    w = x\nelse:\n    w = x"


def nested(body: str) -> str:
    return NESTED.format(READ.format("o"), body.replace("\n", "\n    "))


@pytest.mark.parametrize(
    ("then", "other", "known"),
    [
        ("", "", True),
        (WRONG, "", False),
        ("", WRONG, False),
        (RIGHT, "", True),
        ("", RIGHT, True),
        (nested(WRONG), "", False),
        ("", nested(WRONG), False),
        (nested(RIGHT), nested(RIGHT), True),
    ],
)
def test_what_a_branch_leaves_in_a_slot(then: str, other: str, known: bool) -> None:
    assert proved(result(0), either(then, other)) is known


def test_a_branch_does_not_see_what_the_other_has_written() -> None:
    read = f"s1 = {SHAPE.format(1)}"
    assert not proved(result(0), either("_w = cls.right(h)", read, 0, before=""))
    assert proved(result(0), either(f"_w = cls.right(h)\n{read}", "", 0, before=""))


def chosen(condition: str, before: str) -> str:
    other = f"    v = R.call_tir(cls.exp, (x,), out_ty={OF_X})"
    return f"{before.strip()}\nif {condition}:\n    v = x\nelse:\n{other}\nreturn v"


OF_X = 'R.Tensor((n,), "float32")'
FLIPPED = 'b = R.builtin.alloc_tensor(R.shape([]), R.dtype("bool"), 0, R.str("global"))\n_b = cls.flip(c, b)\n'
READ_FIRST = f"{FLIPPED}k = {READ.format('b')}\n_t = cls.turn(b)"
READ_LAST = f"{FLIPPED}_t = cls.turn(b)\nk = {READ.format('b')}"


def test_a_condition_is_what_it_was_when_it_was_read() -> None:
    turned = f"{FLIPPED}_t = cls.turn(b)"
    assert proved(chosen("b", turned), chosen("k", READ_LAST))
    assert proved(chosen("b", FLIPPED), chosen("k", READ_FIRST))
    assert not proved(chosen("b", turned), chosen("k", READ_FIRST))
    assert not proved(chosen("b", FLIPPED), chosen("k", READ_LAST))


@pytest.mark.parametrize(
    "before",
    [
        f"k = {READ.format('o')}",
        f"{FLIPPED}k = {READ.format('b')}",
        f"k0 = {READ.format('c')}\nif k0:\n    e = o\nelse:\n    e = c\nk = {READ.format('e')}",
    ],
)
def test_another_condition(before: str) -> None:
    assert not proved(chosen("c", ""), chosen("k", before))


def test_a_condition_that_nobody_wrote_is_read() -> None:
    """It decides nothing, but a run is open where it is read."""
    unwritten = FLIPPED.splitlines()[0] + f"\nk = {READ.format('b')}\n"
    assert proved(chosen("c", ""), chosen("c", f"k = {READ.format('o')}"))
    assert not proved(chosen("c", ""), chosen("c", unwritten))


@pytest.mark.parametrize("said", ['R.Prim("int64")', 'R.Tensor((), "bool")', "R.Shape(ndim=1)"])
def test_a_condition_of_which_the_call_says_something_else(said: str) -> None:
    read = READ.format("c").replace('R.Prim("bool")', said)
    assert not proved("return x", f"k = {read}\nreturn x")


def test_a_condition_is_no_result() -> None:
    one, other = (f"k = {READ.format(each)}\nreturn {{}}" for each in "co")
    for form in ("k", "(k, x)", "R.prim_value(k)"):
        assert not proved(one.format(form), other.format(form))
        assert not proved("return c", one.format(form))
