"""A program one of whose branches is taken at one extent alone, which no test is likely to draw."""

from __future__ import annotations

import textwrap

import refrelax as rr

MODULE = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def rare(a: T.handle, b: T.Buffer((), "bool")):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        with T.sblock("b"):
            b[()] = n == 777
    @R.function
    def main({params}) -> R.Any:
        cls = Module
        t = R.call_tir(cls.rare, (x,), out_ty=R.Tensor((), "bool"))
        if t:
{then}
        else:
{otherwise}
        return v
"""


def checked(params: str, then: str, otherwise: str) -> rr.CheckedModule:
    """The program that does ``then`` where ``x`` has 777 elements; both branches bind ``v``."""
    bodies = (textwrap.indent(each, " " * 12) for each in (then, otherwise))
    return rr.check(rr.parse(MODULE.format(params=params, **dict(zip(("then", "otherwise"), bodies, strict=True)))))
