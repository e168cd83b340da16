"""What a text says twice, or in a form that nothing knows, is refused: one of the two was taken, or none was."""

from __future__ import annotations

import pytest

import refrelax as rr

LOOPS = '{}@T.prim_func{}\ndef main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):\n    {}\n'
GRAPH = '@R.function{}\ndef main(x: R.Tensor((2,), "float32")):\n    y = {}\n    return y\n'

TWICE = {
    "function": GRAPH.format("(pure=True, pure=False)", "R.add(x, x)"),
    "prim_func": LOOPS.format("", "(private=True, private=False)", "pass"),
    "buffer": LOOPS.format("", "", "pass").replace(
        'B: T.Buffer((8,), "float32")', 'B: T.Buffer(8, dtype="int8", dtype="int4")'
    ),
    "alloc": LOOPS.format("", "", 'C = T.alloc_buffer((2,), dtype="int32", dtype="float32")'),
    "loop": LOOPS.format("", "", 'for i in T.serial(8, annotations={"a": 1}, annotations={}):\n        B[i] = A[i]'),
    "cast": LOOPS.format("", "", 'B[0] = T.Cast(dtype="float32", dtype="float64", value=1)'),
    "macro": LOOPS.format("@T.macro(hygienic=True, hygienic=False)\ndef m():\n    T.evaluate(0)\n", "", "pass"),
    "parameters of a macro": LOOPS.format("@T.macro\ndef m(i, i):\n    T.evaluate(i)\n", "", "m(1, 2)"),
    "device": GRAPH.format("", "R.hint_on_device(x, R.device(device_type=1, device_type=2, index=0))"),
    "map": GRAPH.format("", "R.layout_transform(x, index_map=lambda i, i: (i,))"),
    "quoted": LOOPS.format("", "", "pass").replace(
        "(8,)", "(\"T.Cast(dtype='int32', dtype='int64', value=n)\", \"n\")"
    ),
}


@pytest.mark.parametrize("what", TWICE)
def test_a_name_that_is_given_twice(what: str) -> None:
    """``ast.parse`` reads these, Python's compiler does not."""
    with pytest.raises(rr.Malformed) as refused:
        rr.parse(TWICE[what])
    assert refused.value.diagnostics[0].rule == "syn/python-grammar"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (GRAPH.format("(check_well_formed=0)", "x"), "syn/decorator"),
        (LOOPS.format("", "", 'T.func_attr({"a": 1, "a": 2})'), "syn/attribute-value"),
        (LOOPS.format("@T.macro(True)\ndef m():\n    T.evaluate(0)\n", "", "m()"), "syn/macro"),
        (LOOPS.format("", "", 'C = A.view(-1, dtype="int8")\n    T.evaluate(0)'), "syn/unknown-keyword"),
        (LOOPS.format("", "", 'C = A.view("int8", shape=(2,))\n    T.evaluate(0)'), "syn/unknown-keyword"),
    ],
)
def test_what_no_form_knows(text: str, rule: str) -> None:
    """The dtype of the view was passed over: it was a view of float32."""
    with pytest.raises(rr.Malformed) as refused:
        rr.parse(text)
    assert refused.value.diagnostics[0].rule == rule
