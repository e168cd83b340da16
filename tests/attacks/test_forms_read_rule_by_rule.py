"""Corner inputs, a few for each rule of chapter 03: what is read is printed and read again as the same.

The texts below were read and printed as another module (or as none), ended in a fault, or were read though no rule
gives them a meaning.
"""

from __future__ import annotations

import pytest

import refrelax as rr

PARAMETER = """
@R.function
def main(p: {}):
    return p
"""
GRAPH = """
@R.function
def main(x: R.Tensor((4,), "float32"), p: T.int64):
    {}
    return x
"""
LOOPS = """
@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    {}
"""
BLOCK = 'for i in range(8):\n    with T.sblock("b"):\n        {}\n        A[i] = 0.0'
BUFFER = """
@T.prim_func
def main(A: T.Buffer((4,), {})):
    pass
"""
CLASS = """
{}
@I.ir_module{}
class M{}:
    pass
"""


def refused(text: str) -> bool:
    try:
        rr.parse(text)
    except rr.Malformed:
        return True
    return False


def comes_back(text: str) -> bool:
    module = rr.parse(text)
    return rr.parse(rr.print_module(module)) == module == rr.from_json(rr.to_json(module))


@pytest.mark.parametrize(
    "text",
    [
        '@R.function\ndef f[n: "int32"](x: R.Tensor((n,), "int8")):\n    return x',
        '@R.function\ndef f[m: "int32", n](x: R.Tensor((n, m), "int8")):\n    return x',
        '@R.function\ndef f[m, n](x: R.Tensor((n, m), "int8")):\n    return x',
        "@R.function\ndef f[n](x: R.Any):\n    return x",
        'n = TypeVar("n", bound="int32")\n@R.function\ndef f(x: R.Tensor((n, "n + 1"))):\n    return x',
        PARAMETER.format('R.Callable((R.Any,), R.Any, True, "f")'),
        PARAMETER.format('R.Tensor(("ﬁ",))'),
        GRAPH.format("z = T.int64(p)"),
        GRAPH.format("z = p + 0"),
        GRAPH.format('R.func_attr({"a": R.prim_value(3)})'),
        GRAPH.format('R.func_attr({"a": R.tuple(R.const(1), R.tuple())})'),
        PARAMETER.format("R.Callable()").replace("return p", "y = R.call_packed(p, p, ty_args=R.Any)\n    return y"),
        *(
            LOOPS.format(each.replace("\n", "\n    "))
            for each in (
                BLOCK.format('v = T.axis.spatial(8, i, "int64")'),
                BLOCK.format('v = T.axis.spatial(8, i, dtype="uint8")'),
                BLOCK.format("v = T.axis.spatial(8, i)\n        w = T.axis.spatial(v, i)"),
                BLOCK.format("v = T.axis.spatial(T.Range(n, n + 4), i)"),
                't = T.env_thread("threadIdx.x")\nT.launch_thread(t, T.int64(4))\nA[t] = 0.0',
                't = T.env_thread("x", "int64")\nwith T.launch_thread(t, 4):\n    A[t] = 0.0\nA[t] = 0.0',
            )
        ),
    ],
)
def test_what_is_read_comes_back(text: str) -> None:
    assert comes_back(text)


@pytest.mark.parametrize(
    "text",
    [
        *(CLASS.format(*parts) for parts in (("", "(1)", ""), ("", "", "(B)"), ("@I.ir_module", "", ""))),
        *(PARAMETER.format(each) for each in ("R.Any(3)", "R.PackedFunc(3)", "I.StringType(3)")),
        *(PARAMETER.format(f"R.Tensor(({each},))") for each in ('"if"', '"None"')),
        PARAMETER.format("R.Shape([4], ndim=2)"),
        PARAMETER.format("R.Tensor(ndim=9223372036854775808)"),
        PARAMETER.format('R.Tensor((4,), "int8", "cuda:٣")'),
        'n = TypeVar("n", bound=str)' + GRAPH.format("pass"),
        "@R.function\ndef f[x](x: R.Any):\n    return x",
        "@R.function\ndef f[n, n](x: R.Tensor((n,))):\n    return x",
        GRAPH.format("z = (x, x)[9223372036854775808]"),
        GRAPH.format('z = R.prim_value("a")'),
        GRAPH.format('z = R.prim_value(3, "int32x4")'),
        GRAPH.format('z = R.call_packed("f", x, func=3)'),
        GRAPH.format("z = R.call_packed(x, x, a=3)"),
        GRAPH.format('R.func_attr({"a": {1: 2}})'),
        GRAPH.format("z = R.layout_transform(x, index_map=lambda i, **k: (i,))"),
        *(
            LOOPS.format(each)
            for each in (
                "B = A.view(True)",
                'B = A.view("")',
                "B = A.view()",
                "z: T.int32(3) = 3",
                'return "a"',
                "for i in range(0, 8, 1.5): pass",
                "for i in range(start=0): pass",
                'for i in T.serial(4, dtype="float32"): pass',
                'for i in T.serial(4, dtype="bool"): pass',
            )
        ),
        *(
            BUFFER.format(f'"int8", {each}')
            for each in (
                "byte_offset=1.5",
                "elem_offset=1.5",
                "elem_offset=True",
                "align=9223372036854775808",
                "axis_separators=[True]",
                "annotations={}",
            )
        ),
    ],
)
def test_what_no_rule_gives_a_meaning_is_refused(text: str) -> None:
    assert refused(text)


def test_a_device_of_the_module_is_one() -> None:
    text = '@I.ir_module\nclass M:\n    I.module_global_infos({{"vdevice": [I.vdevice({})]}})'
    assert comes_back(text.format('T.target({"kind": "cuda"}), memory_scope="shared"'))
    for each in ("", '""', '"a:b"', '"cuda", -2', '"cuda", 1.5', '"cuda", 0, ""'):
        assert refused(text.format(each))


def test_a_module_with_functions_in_python_has_a_base() -> None:
    assert comes_back(CLASS.format("", "", "(BasePyModule)"))


def test_none_is_the_default_dtype_of_a_buffer() -> None:
    assert rr.parse(BUFFER.format("None")) == rr.parse(BUFFER.format('"float32"'))


def test_the_offset_of_a_buffer_is_an_integer_in_a_tree_too() -> None:
    text = rr.to_json(rr.parse(BUFFER.format('"int8", elem_offset=T.int64(3)')))
    text = text.replace('"dtype":"int64"', '"dtype":"float64"')
    with pytest.raises(rr.IllFormed, match="wf/extent-integer"):
        rr.check(rr.from_json(text))


@pytest.mark.parametrize("inside", ["def g[n](x):", '3 = TypeVar("3")', "3: T.let[T.int64] = 4"])
def test_what_stands_in_a_string_is_no_text(inside: str) -> None:
    """A head in a string lost its brackets, and a symbol called 3 was ``pass`` there."""
    text = f'@R.function\ndef f[n](x: R.Tensor((n,))):\n    R.func_attr({{"a": """\n{inside}\n"""}})\n    return x\n'
    function = rr.parse(text).relax_functions()["f"]
    assert dict(function.attrs)["a"] == f"\n{inside}\n"


def test_a_head_may_go_over_lines() -> None:
    text = "@R.function\ndef f[{}](x: R.Tensor((n, m))):\n    return x\n"
    assert rr.parse(text.format("n,  # rows\n  m: int32\n")) == rr.parse(text.format("n, m: int32"))
    assert refused("@R.function\ndef f[](x: R.Any):\n    return x\n")
