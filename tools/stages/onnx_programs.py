"""ONNX graphs with dynamic sizes, imported by TVM. Runs where TVM and onnx are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

PROGRAMS: dict[str, Callable[[], Any]] = {}

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name: str, dtype: int, *shape: int | str) -> Any:
    return helper.make_tensor_value_info(name, dtype, list(shape))


def array(name: str, data: Any, dtype: str = "float32") -> Any:
    return numpy_helper.from_array(np.array(data, dtype), name)


def add(name: str, nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: list[Any] | None = None) -> None:
    """Register a graph."""

    def build() -> Any:
        from tvm.relax.frontend.onnx import from_onnx

        graph = helper.make_graph(nodes, name, inputs, outputs, initializer=constants or [])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
        model.ir_version = 9
        return from_onnx(model, keep_params_in_input=False)

    PROGRAMS[f"onnx_{name}"] = build


node = helper.make_node
WEIGHTS = (np.arange(24, dtype="float32").reshape(6, 4) - 9) / 8

add(
    "gemm",
    [node("Gemm", ["x", "w", "b"], ["y"]), node("Relu", ["y"], ["z"])],
    [value("x", F32, "n", 6)],
    [value("z", F32, "n", 4)],
    [array("w", WEIGHTS), array("b", [1, -1, 0.5, 2])],
)
add(
    "convolution",
    [node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1]), node("MaxPool", ["y"], ["z"], kernel_shape=[2, 2])],
    [value("x", F32, "n", 2, 5, 6)],
    [value("z", F32, "n", 3, 4, 5)],
    [array("w", (np.arange(54).reshape(3, 2, 3, 3) - 20) / 16)],
)
add(
    "shapes",
    [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"]),
        node("Concat", ["n", "rest"], ["to"], axis=0),
        node("Reshape", ["x", "to"], ["y"]),
    ],
    [value("x", F32, "n", 2, 3)],
    [value("y", F32, "n", 6)],
    [array("zero", [0], "int64"), array("rest", [6], "int64")],
)
add(
    "layer_norm",
    [node("LayerNormalization", ["x", "g", "b"], ["y"], axis=-1, epsilon=0.25)],
    [value("x", F32, "n", 4)],
    [value("y", F32, "n", 4)],
    [array("g", [1, 2, 0.5, -1]), array("b", [0, 1, 0, -2])],
)
add(
    "reductions",
    [node("ReduceMean", ["x", "one"], ["m"]), node("ReduceMax", ["x", "one"], ["g"]), node("Sub", ["g", "m"], ["y"])],
    [value("x", F32, "n", 4)],
    [value("y", F32, "n", 1)],
    [array("one", [1], "int64")],
)
add(
    "slices",
    [
        node("Slice", ["x", "from", "to", "axis"], ["y"]),
        node("Pad", ["y", "pads"], ["z"]),
        node("Transpose", ["z"], ["t"]),
    ],
    [value("x", F32, "n", 6)],
    [value("t", F32, 6, "n")],
    [
        array("from", [1], "int64"),
        array("to", [5], "int64"),
        array("axis", [1], "int64"),
        array("pads", [0, 1, 0, 1], "int64"),
    ],
)
add(
    "selection",
    [
        node("Gather", ["x", "i"], ["y"], axis=1),
        node("Greater", ["y", "zero"], ["c"]),
        node("Where", ["c", "y", "zero"], ["z"]),
    ],
    [value("x", F32, "n", 6), value("i", I64, 3)],
    [value("z", F32, "n", 3)],
    [array("zero", 0.0)],
)
add(
    "activations",
    [
        node(each, ["x"], [each.lower()], **extra)
        for each, extra in (
            ("Sigmoid", {}),
            ("Elu", {"alpha": 0.5}),
            ("HardSigmoid", {}),
            ("Softplus", {}),
            ("Erf", {}),
            ("Softmax", {"axis": -1}),
        )
    ],
    [value("x", F32, "n", 5)],
    [value(each, F32, "n", 5) for each in ("sigmoid", "elu", "hardsigmoid", "softplus", "erf", "softmax")],
)
add(
    "top",
    [node("TopK", ["x", "k"], ["v", "i"], axis=-1)],
    [value("x", F32, "n", 6)],
    [value("v", F32, "n", 2), value("i", I64, "n", 2)],
    [array("k", [2], "int64")],
)
add(
    "resizing",
    [node("Resize", ["x", "", "s"], ["y"], mode="nearest")],
    [value("x", F32, 1, 2, 3, 4)],
    [value("y", F32, 1, 2, 6, 8)],
    [array("s", [1, 1, 2, 2])],
)
add(
    "branch",
    [
        node(
            "If",
            ["c"],
            ["y"],
            then_branch=helper.make_graph([node("Add", ["x", "x"], ["a"])], "yes", [], [value("a", F32, 3, 4)]),
            else_branch=helper.make_graph([node("Neg", ["x"], ["b"])], "no", [], [value("b", F32, 3, 4)]),
        )
    ],
    [value("c", BOOL), value("x", F32, 3, 4)],
    [value("y", F32, 3, 4)],
)
