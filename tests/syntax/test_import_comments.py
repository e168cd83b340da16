"""The imports that TVM prints as comments."""

from __future__ import annotations

import refrelax as rr

TEXT = """# from tvm.script import ir as Tree
# from tvm.script import relax as Graph

@Tree.ir_module
class Module:
    Tree.module_attrs({"a": 1})
    @Graph.function
    def main(x: Graph.Tensor((2,), "float32")) -> Graph.Tensor((2,), "float32"):
        return x
"""


def test_a_prefix_in_a_comment() -> None:
    usual = TEXT.replace("Tree", "I").replace("Graph", "R")
    assert rr.parse(TEXT) == rr.parse(usual)
    assert "Tree" not in rr.print_module(rr.parse(TEXT))
