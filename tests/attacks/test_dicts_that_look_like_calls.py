"""Attributes written as the dicts that the reader makes of ``I.vdevice(…)`` and its kin, with other keys or values."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        R.func_attr({"k": %s})
        return x
"""


@pytest.mark.parametrize(
    "value",
    [
        '{"$kind": "vdevice"}',
        '{"$kind": "vdevice", "target": "llvm", "vdevice_id": 0, "memory_scope": None}',
        '{"$kind": "vdevice", "target": "llvm", "vdevice_id": 0, "memory_scope": "global"}',
        '{"$kind": "device_mesh", "shape": [2]}',
        '{"$kind": "device_mesh", "shape": 3, "device_ids": None}',
        '{"$kind": "range", "start": 1, "stop": 2}',
        '{"$kind": "range", "start": 1, "end": 2, "step": 3}',
        '{"$kind": "dummy_global_info", "more": 1}',
        '{"$kind": "target"}',
        '{"$kind": "metadata", "table": 3, "index": 0}',
        '{"$kind": "metadata", "table": "t", "index": "y"}',
        '{"$kind": "metadata", "table": "t", "index": -1}',
        '{"$kind": "metadata", "table": "ir.GenericConst", "index": 0}',
        '{"$kind": "device", "index": 0}',
        '{"$kind": 3}',
        'I.vdevice({"kind": "llvm"}, 1)',
        "R.device_mesh((2, 2), I.Range(0, 4))",
    ],
)
def test_printed_and_read(value: str) -> None:
    module = rr.parse(TEXT % value)
    assert rr.parse(rr.print_module(module)) == module


def test_a_branch_inside_an_expression_has_no_text() -> None:
    module = rr.parse(
        """
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((3,), "float32")):
        if c:
            y = x
        else:
            y = R.add(x, x)
        z = (x, x)
        return z
"""
    )
    text = rr.to_json(module)
    branch = text[text.index('{"node":"If"') : text.index(',"annotation":null},{"node":"VarBinding","name":"z"')]
    start = text.index('"fields":[') + len('"fields":[')
    nested = rr.from_json(text[:start] + branch + "," + text[start:])
    with pytest.raises(rr.UsageError, match="bind it to a variable"):
        rr.print_module(nested)
    with pytest.raises(rr.IllFormed):
        rr.check(nested)


def test_an_attribute_around_itself() -> None:
    """A dict gives no key twice: each scope of another value is a statement of its own."""
    module = rr.parse(
        """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "int32")):
        T.attr(0, "k", 1)
        T.attr(0, "l", 1)
        T.attr(0, "k", 2)
        A[0] = 1
"""
    )
    text = rr.print_module(module)
    assert rr.parse(text) == module
    assert '{"k": 1, "l": 1}' in text
