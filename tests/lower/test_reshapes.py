"""Which loop programs are a reshape: all of the input, in order, and more than axes of extent 1."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.origins.text import ORIGIN, bare, unhinted
from refrelax.lower.reshapes import is_reshape

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.handle, b: T.handle{3}):
        n = T.int64()
        A = T.match_buffer(a, {0}, "float32")
        B = T.match_buffer(b, {1}, "float32")
{2}
"""


def nest(extents: str, store: str, value: str) -> str:
    names = "ijkl"[: len(extents.split(","))]
    lines = [f"        for {', '.join(names)} in T.grid({extents}):", '            with T.sblock("b"):']
    if len(names) == 1:
        lines[0] = f"        for {names} in range({extents}):"
    for name, extent in zip(names, extents.split(","), strict=True):
        lines.append(f"                v{name} = T.axis.spatial({extent.strip()}, {name})")
    return "\n".join([*lines, f"                B[{store}] = {value}"])


FLAT = "A[(vi * 3 + vj) // 2, (vi * 3 + vj) % 2]"
PROGRAMS: dict[str, tuple[bool, str, str, str]] = {
    "two axes": (True, "(3, 2)", "(2, 3)", nest("2, 3", "vi, vj", FLAT)),
    "joined": (True, "(n, 3)", "(n * 3,)", nest("n * 3", "vi", "A[vi // 3, vi % 3]")),
    "split": (True, "(n * 3,)", "(n, 3)", nest("n, 3", "vi, vj", "A[vi * 3 + vj]")),
    "a copy": (False, "(2, 3)", "(2, 3)", nest("2, 3", "vi, vj", "A[vi, vj]")),
    "turned": (False, "(3, 2)", "(2, 3)", nest("2, 3", "vi, vj", "A[vj, vi]")),
    "an axis more": (False, "(2, 3)", "(2, 1, 3)", nest("2, 1, 3", "vi, vj, vk", "A[vi, vk]")),
    "an axis more, written out": (False, "(2, 3)", "(2, 1, 3)", nest("2, 1, 3", "vi, vj, vk", "A[vi + vj, vk]")),
    "in another order": (False, "(3, 2)", "(2, 3)", nest("2, 3", "vi, vj", "A[(vj * 2 + vi) // 2, (vj * 2 + vi) % 2]")),
    "calculated": (False, "(3, 2)", "(2, 3)", nest("2, 3", "vi, vj", f"{FLAT} + T.float32(1)")),
    "a part": (False, "(3, 2)", "(1, 3)", nest("1, 3", "vi, vj", FLAT)),
    "part of the target": (False, "(3, 2)", "(4, 3)", nest("2, 3", "vi, vj", FLAT)),
    "of itself": (False, "(3, 2)", "(2, 3)", nest("2, 3", "vi, vj", "B[(vi * 3 + vj) // 3, (vi * 3 + vj) % 3]")),
    "twice": (False, "(3, 2)", "(2, 3)", "\n".join([nest("2, 3", "vi, vj", FLAT)] * 2)),
    "with a number": (False, "(3, 2)", "(2, 3)", nest("2, 3", "vi, vj", FLAT)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_reshapes(name: str) -> None:
    wanted, source, target, body = PROGRAMS[name]
    more = ", m: T.int64" if name == "with a number" else ""
    func: Any = rr.check(rr.parse(TEXT.format(source, target, body, more))).module.functions["main"]
    assert is_reshape(func) is wanted


def test_a_hint_is_taken_off_and_nothing_else() -> None:
    module = rr.lower(rr.check(rr.parse("""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        y = R.exp(x)
        return y
""")), "legalize").module.module  # fmt: skip
    (func,) = module.prim_funcs().values()
    named = dict(func.attrs)
    assert ORIGIN in named and len(named) > 1
    for without in (unhinted(func), bare(func)):
        assert dict(without.attrs) == {k: v for k, v in named.items() if k != ORIGIN}
