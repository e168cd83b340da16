"""A built entry has its symbols in the texts of its checks: what is assumed of them is no mistake of the caller's."""

from __future__ import annotations

import refrelax as rr

SOURCE = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n, m), "float32")) -> R.Tensor((n * 2,), "float32"):
        with R.dataflow():
            z = R.concat((x, x), axis=0)
            R.output(z)
        return z
"""


def test_a_wrong_extent_of_a_built_module_is_refuted() -> None:
    built = rr.lower(rr.check(rr.parse(SOURCE)), "build").module
    text = rr.print_module(built.module)
    computed = "H[T.int64(0)] * T.int64(2)"
    assert computed in text
    wrong = rr.check(rr.parse(text.replace(computed, computed.replace("*", "+"))))
    for assume in ([], ["m >= 1"]):
        assert isinstance(rr.validate(built, wrong, assume=assume, rounds=2), rr.Refuted)
    assert isinstance(rr.validate(built, built, assume=["m >= 1"], rounds=2), rr.Equivalent)
