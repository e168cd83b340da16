"""A pointer, a string or a buffer where an element is asked for leaves the run open (`ld/unknown-handle`).

Each ended in a fault of ours: from text for pointers, from trees for all that stands among arguments.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import refrelax as rr
from refrelax.testing.arguments import random_arguments

TEXTS = {
    "returned": "return A.data",
    "returned by name": "h: T.let[T.handle] = A.data\nreturn h",
    "chosen": "T.evaluate(T.Select(A[0] > T.float32(0), A.data, C.data))",
    "chosen, one arm": "T.evaluate(T.if_then_else(A[0] > T.float32(0), A.data, C.data))",
    "repeated": "T.evaluate(T.Broadcast(A.data, 2))",
    "at another type": "h: T.let[T.handle] = A.data\nT.evaluate(T.reinterpret('handle', h))",
}

TEMPLATE = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), C: T.Buffer((3,), "float32")):
        {body}
"""


def ended(module: rr.Module) -> Any:
    return rr.run(rr.check(module), "main", args=random_arguments(module, "main", 1))


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str) -> None:
    module = rr.parse(TEMPLATE.format(body=TEXTS[name].replace("\n", "\n        ")))
    outcome = ended(module)
    assert isinstance(outcome, rr.Unspecified)
    assert outcome.rule in ("ld/unknown-handle", "num/no-operation")  # the choice itself has no meaning at a pointer


ONE = {"node": "Literal", "dtype": "int32", "bits": "0x1"}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "BufferRef of data": {"node": "BufferRef", "buffer": "A", "part": "data"},
    "BufferRef": {"node": "BufferRef", "buffer": "A", "part": ""},
    "StringImm": {"node": "StringImm", "value": "x"},
    "CommReducer": {"node": "CommReducer", "lhs": [], "rhs": [], "result": [], "identity": []},
    "RangeArg": {"node": "RangeArg", "buffer": "A", "ranges": [[ONE, ONE]]},
}
EVALUATED = {"BufferRef of data", "BufferRef", "StringImm"}
"""What ``T.evaluate`` does nothing for."""


def tree(stmt: dict[str, Any]) -> rr.Module:
    buffer = {"node": "Buffer", "name": "A", "shape": [{**ONE, "bits": "0x4"}]}
    main = {"node": "PrimFunc", "params": [{"node": "BufferParam", "buffer": buffer}], "body": [stmt]}
    return rr.from_json(json.dumps({"node": "Module", "functions": {"main": main}}))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_returned(name: str) -> None:
    outcome = ended(tree({"node": "Return", "value": ARGUMENTS[name]}))
    assert isinstance(outcome, rr.Unspecified)
    assert outcome.rule == "ld/unknown-handle"


@pytest.mark.parametrize("name", ARGUMENTS)
def test_evaluated(name: str) -> None:
    outcome = ended(tree({"node": "Evaluate", "value": ARGUMENTS[name]}))
    assert isinstance(outcome, rr.Returned if name in EVALUATED else rr.Unspecified)


def test_a_let_that_only_names() -> None:
    """Naming a pointer is no use of it."""
    handle = {"node": "SymVar", "name": "h", "dtype": "handle"}
    let = {"node": "Let", "var": handle, "value": ARGUMENTS["BufferRef of data"], "body": ONE}
    assert isinstance(ended(tree({"node": "Evaluate", "value": let})), rr.Returned)
