"""A parameter whose type names the parameter itself as its shape was accepted; a second reader of the specification
refused it (``wf/var-defined-before-use``). Poison that was made before a tool cleared caches was another than after."""

from __future__ import annotations

import json

import pytest

import refrelax as rr
from refrelax.conformance.mutants import caches
from refrelax.semantics.numbers.poison import NEVER_WRITTEN, poison

OVER = {"node": "TensorType", "shape": "s", "dtype": "int32", "ndim": 2, "vdevice": None}
SHAPE = {"node": "ShapeType", "values": None, "ndim": 2}


def module(*params: tuple[str, dict[str, object]]) -> rr.Module:
    function = {
        "node": "Function", "params": [{"node": "Param", "name": name, "type": type_} for name, type_ in params],
        "ret": None, "body": {"node": "SeqExpr", "blocks": [], "body": {"node": "Var", "name": params[-1][0]}},
        "pure": True, "private": False, "attrs": [], "symbols": [],
    }  # fmt: skip
    tree = {"node": "Module", "functions": {"main": function}, "attrs": [], "global_infos": [], "constants": {}}
    return rr.from_json(json.dumps(tree))


@pytest.mark.parametrize("params", [(("s", OVER),), (("s", OVER), ("x", OVER)), (("x", OVER), ("s", SHAPE))])
def test_a_parameter_is_not_defined_in_its_own_type(params: tuple[tuple[str, dict[str, object]], ...]) -> None:
    with pytest.raises(rr.Rejection, match="wf/var-defined-before-use"):
        rr.check(module(*params))


def test_one_that_is_defined_before_is() -> None:
    rr.check(module(("s", SHAPE), ("x", OVER)))


def test_there_is_one_poison_of_a_rule_whatever_is_cleared() -> None:
    for each in caches():
        each.cache_clear()
    assert poison("st/never-written") is NEVER_WRITTEN
