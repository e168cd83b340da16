"""What an ``if`` gives may be the memory of either branch: a call that stores there is given it twice."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.semantics.types.checked import CheckedModule

HEAD = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def reverse(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[n - 1 - vi]
    @R.function
    def main(x: R.Tensor((n,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
"""
ALLOC = 'R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))'
ROOM = 'R.memory.alloc_storage(R.shape([n * 8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))'
PLACE = 'R.memory.alloc_tensor(room, R.prim_value(0), R.shape([n]), R.dtype("float32"))'
FIRST = f"""
a = {ALLOC}
_ = cls.reverse(x, a)
d = {ALLOC}
_1 = cls.reverse(a, d)
return d
"""
JOINED = f"""
a = {ALLOC}
_ = cls.reverse(x, a)
b = {ALLOC}
_1 = cls.reverse(x, b)
if c:
    v = a
else:
    v = b
"""
SHARED = f"""
room = {ROOM}
a = {PLACE}
_ = cls.reverse(x, a)
b = {ALLOC}
_1 = cls.reverse(x, b)
if c:
    v = a
else:
    v = b
"""
ENDS = {
    "stored": JOINED + "_2 = cls.reverse(v, a)\nreturn a",
    "a view of it": JOINED + "u = R.memory.view(v, R.shape([n]))\n_2 = cls.reverse(u, a)\nreturn a",
    "a field of it": JOINED.replace("v = a", "v = (a, b)").replace("v = b", "v = (b, a)")
    + "u = v[0]\n_2 = cls.reverse(u, a)\nreturn a",
    "other bytes": SHARED + f"e = {PLACE}\n_2 = cls.reverse(v, e)\nreturn e",
}


def program(lines: str) -> CheckedModule:
    return rr.check(rr.parse(HEAD + "".join(f"        {line}\n" for line in lines.strip().splitlines())))


@pytest.mark.parametrize("name", ENDS)
def test_no_call_stores_in_what_it_reads(name: str) -> None:
    found = rr.validate(program(FIRST), program(ENDS[name]))
    assert isinstance(found, rr.Refuted), found


def test_what_neither_branch_gives_may_be_stored_in() -> None:
    found = rr.validate(program(FIRST), program(JOINED + f"e = {ALLOC}\n_2 = cls.reverse(v, e)\nreturn e"))
    assert isinstance(found, rr.Equivalent), found
