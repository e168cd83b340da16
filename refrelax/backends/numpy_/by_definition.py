"""Calls of operators without an array form: the definition itself runs them, element by element.

They compile, in both modes, with the definition's bits and at its speed. A comparison with the definition says nothing
of such a call, as there is no second implementation of it. What has no array form is an operator, or one at a dtype
that NumPy does not calculate in (``guests.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from refrelax.running.arrays import Tensor
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.numbers import reading
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.values import TensorValue
from refrelax.syntax.graph import Call, Expr, Function, Op, Var
from refrelax.syntax.module import Module
from refrelax.syntax.types import Type

BY_DEFINITION = frozenset(
    f"relax.{name}"
    for name in (
        "hamming_window", "multinomial_from_uniform", "nn.attention_var_len",
        "image.affine_grid", "vision.roi_align", "vision.roi_pool", "vision.get_valid_counts",
        "vision.multibox_transform_loc", "vision.non_max_suppression", "vision.all_class_non_max_suppression",
        "layout_transform", "grad.take_backward", "grad.nll_loss_backward", "grad.max_pool2d_backward",
        "grad.avg_pool2d_backward", "ccl.allreduce", "ccl.allgather", "ccl.broadcast_from_worker0",
        "ccl.scatter_from_worker0", "dist.redistribute_replica_to_shard",
    )
)  # fmt: skip
"""A compiled program runs alone: a collective has one worker."""


def calls_of(module: Module) -> list[Call]:
    """The calls of operators in a module, in the order of the text."""
    graph = [f for f in module.functions.values() if isinstance(f, Function)]
    return [node for func in graph for node in nodes(func) if isinstance(node, Call) and isinstance(node.op, Op)]


def numbers_of(module: Module) -> dict[int, int]:
    """The place of each of these calls, by identity."""
    return {id(each): k for k, each in enumerate(calls_of(module))}


def evaluated(known: Mapping[str, Mapping[str, Type]], call: Call, path: str, args: tuple[Any, ...]) -> Any:
    """The value of a call on arrays, as an array. ``known``: the types of the module's bindings; ``path``: the function
    and those inside it that the call is in."""
    assert isinstance(call.op, Op)
    ieee = reading("ieee")
    name, _, inner = path.partition("/")
    types, prefix = known.get(name, {}), f"{inner}/" if inner else ""

    def type_of(expr: Expr) -> Type | None:
        return (types.get(prefix + expr.name) or types.get(expr.name)) if isinstance(expr, Var) else None

    evaluation = Evaluation(ieee, [], call.span, lambda dim: dim_value(dim, {}), type_of=type_of)
    return _array(OPERATORS[call.op.name].evaluate(evaluation, call, tuple(map(_value, args))))


def _value(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return Tensor.over(np.asarray(value)).core
    return tuple(map(_value, value)) if isinstance(value, tuple) else value


def _array(value: Any) -> Any:
    if isinstance(value, TensorValue):
        return Tensor(value).numpy()
    return tuple(map(_array, value)) if isinstance(value, tuple) else value
