"""A built program whose parameters say nothing, beside one that checks less: terms at the only shape do not show it.

Spec: ``va/only-shape``, ``va/interface``.
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved

PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "int8"), t: R.Tuple(R.Tensor((3,), "float32"), R.Shape([2]))):
        y = R.add(t[0], t[0])
        return y
"""

ODD = """
    @T.prim_func(private=True, s_tir=True)
    def odd(H: T.Buffer((T.int64(2),), "int64")):
        T.func_attr({"tirx.is_host_func": True})
        H[T.int64(1)] = (H[T.int64(0)] - T.int64(4)) * (H[T.int64(0)] - T.int64(6)) + T.int64(4)

    @R.function
    def main("""
LOOK = """_odd = cls.odd(shape_heap)
        _made = R.call_packed("vm.builtin.make_shape", shape_heap, 1, 1, 1, ty_args=(R.Any,))
        _match_odd = R.call_packed(
            "vm.builtin.match_shape", _made, shape_heap, 1, 0, 4, R.str("loc=param"), ty_args=(R.Tuple,)
        )
        _match"""


@pytest.fixture(scope="module", name="text")
def built() -> str:
    checked = rr.check(rr.parse(PROGRAM))
    return rr.print_module(rr.lower(checked, pipeline="build").module.module)


def verdict(before: str, after: str) -> object:
    assert before != after
    return rr.validate(rr.check(rr.parse(before)), rr.check(rr.parse(after)))


@pytest.mark.parametrize("check", ["check_tuple_info", "check_shape_info"])
def test_a_check_less(text: str, check: str) -> None:
    less = "\n".join(line for line in text.splitlines() if f"vm.builtin.{check}" not in line)
    assert not isinstance(verdict(text, less), Proved | rr.Equivalent)


def test_a_check_that_lets_another_extent_through(text: str) -> None:
    """Four or six elements where four are asked for: none of the arguments that are made up shows it."""
    wrong = text.replace("\n    @R.function\n    def main(", ODD).replace('shape_heap", (0,)', 'shape_heap", (2,)')
    head, match, rest = wrong.partition('"vm.builtin.match_shape", x, shape_heap, 1, 0, 4')
    wrong = head + '"vm.builtin.match_shape", x, shape_heap, 1, 1, 0' + rest
    place = wrong.index("_match", wrong.index('match_shape", x') + 20)
    wrong = wrong[:place] + LOOK + wrong[place + len("_match") :]
    assert match
    assert not isinstance(verdict(text, wrong), Proved | rr.Equivalent)


def test_the_same_program(text: str) -> None:
    module = rr.check(rr.parse(text))
    assert isinstance(rr.validate(module, module), rr.Equivalent)
