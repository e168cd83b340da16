"""Programs made with ``relax.BlockBuilder`` and tensor expressions. Runs where TVM is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tvm
from tvm import relax, te, tirx, topi

PROGRAMS: dict[str, Callable[[], Any]] = {}


def program(body: Callable[[relax.BlockBuilder], None]) -> Callable[[relax.BlockBuilder], None]:
    """Register a builder under its function's name."""

    def build() -> Any:
        builder = relax.BlockBuilder()
        body(builder)
        return builder.finalize()

    PROGRAMS[f"builder_{body.__name__}"] = build
    return body


def tensor(*shape: Any, dtype: str = "float32") -> Any:
    return relax.TensorType(list(shape), dtype)


def size(name: str) -> Any:
    return tirx.Var(name, "int64")


@program
def chain(b: relax.BlockBuilder) -> None:
    n = size("n")
    x, y = relax.Var("x", tensor(n, 4)), relax.Var("y", tensor(n, 4))
    with b.function("main", [x, y]):
        with b.dataflow():
            a = b.emit(relax.op.add(x, y))
            c = b.emit(relax.op.multiply(a, relax.const(np.array([0.5, 2, -1, 4], "float32"))))
            out = b.emit_output(relax.op.nn.relu(c))
        b.emit_func_output(out)


def flattened(t: te.Tensor) -> te.Tensor:
    """Row by row, plus one."""
    return te.compute((t.shape[0] * 3,), lambda i: t[i // 3, i % 3] + 1.0, name="flat")


@program
def tensor_expressions(b: relax.BlockBuilder) -> None:
    n = size("n")
    x, y = relax.Var("x", tensor(n, 4)), relax.Var("y", tensor(4, 3))
    with b.function("main", [x, y]):
        with b.dataflow():
            a = b.emit_te(topi.matmul, x, y)
            c = b.emit_te(flattened, a)  # a lambda would be printed as `def lambda`, which is no Python
            d = b.emit_te(topi.sum, a, axis=1, keepdims=True)
            out = b.emit_output(relax.Tuple([c, d]))
        b.emit_func_output(out)


@program
def casts_between_shapes(b: relax.BlockBuilder) -> None:
    n, m = size("n"), size("m")
    x = relax.Var("x", relax.TensorType(dtype="float32", ndim=2))
    with b.function("main", [x]):
        with b.dataflow():
            a = b.match_cast(x, tensor(n, m))
            c = b.emit(relax.op.reshape(a, (n * m,)))
            d = b.emit(relax.op.concat([c, c], axis=0))
            out = b.emit_output(relax.op.reshape(d, (2, n, m)))
        b.emit_func_output(out)


@program
def tuples(b: relax.BlockBuilder) -> None:
    x = relax.Var("x", tensor(6, 5))
    t = relax.Var("t", relax.TupleType([tensor(6, 5), relax.TupleType([tensor(2), tensor(3)])]))
    with b.function("main", [x, t]):
        with b.dataflow():
            parts = b.emit(relax.op.split(x, 3, axis=0))
            a = b.emit(relax.TupleGetItem(parts, 1))
            c = b.emit(relax.TupleGetItem(relax.TupleGetItem(t, 1), 0))
            out = b.emit_output(relax.Tuple([a, relax.Tuple([c, x])]))
        b.emit_func_output(out)


@program
def two_functions(b: relax.BlockBuilder) -> None:
    n = size("n")
    x = relax.Var("x", tensor(n, 4))
    with b.function("helper", [x]):
        b.emit_func_output(b.emit(relax.op.exp(x)))
    m = size("m")
    y = relax.Var("y", tensor(m, 4))
    helper = b.get().get_global_var("helper")
    with b.function("main", [y]):
        a = b.emit(relax.Call(helper, [y]))
        b.emit_func_output(b.emit(relax.op.subtract(a, y)))


@program
def library_calls(b: relax.BlockBuilder) -> None:
    n = size("n")
    x = relax.Var("x", tensor(n, 4))
    with b.function("main", [x], pure=False):
        a = b.emit(relax.op.call_dps_packed("my.first", [x], out_ty=tensor(n, 4)))
        c = b.emit(relax.Call(relax.ExternFunc("my.second"), [a], ty_args=[tensor(n, 4)]))
        b.emit_func_output(b.emit(relax.op.add(a, c)))


@program
def shapes_as_values(b: relax.BlockBuilder) -> None:
    n, m = size("n"), size("m")
    s = relax.Var("s", relax.ShapeType([n, m]))
    x = relax.Var("x", tensor(n))
    with b.function("main", [x, s]):
        with b.dataflow():
            a = b.emit(relax.op.broadcast_to(relax.op.expand_dims(x, 1), relax.ShapeExpr([n, m])))
            c = b.emit(relax.op.full(relax.ShapeExpr([n, m + 1]), relax.const(1.5, "float32"), "float32"))
            d = b.emit(relax.op.concat([a, c], axis=1))
            out = b.emit_output(relax.op.sum(d, axis=[0]))
        b.emit_func_output(out)


@program
def many_dtypes(b: relax.BlockBuilder) -> None:
    kinds = ("int8", "uint8", "int32", "int64", "float16", "float64", "bool")
    xs = [relax.Var(f"x{k}", tensor(3, dtype=kind)) for k, kind in enumerate(kinds)]
    with b.function("main", xs):
        with b.dataflow():
            wide = [b.emit(relax.op.astype(x, "float32")) for x in xs]
            total = wide[0]
            for each in wide[1:]:
                total = b.emit(relax.op.add(total, each))
            out = b.emit_output(relax.op.astype(total, "int32"))
        b.emit_func_output(out)


@program
def reductions(b: relax.BlockBuilder) -> None:
    n = size("n")
    x = relax.Var("x", tensor(n, 4, 3))
    with b.function("main", [x]):
        with b.dataflow():
            found = [
                b.emit(relax.op.sum(x, axis=[1])),
                b.emit(relax.op.max(x, axis=[2], keepdims=True)),
                b.emit(relax.op.mean(x, axis=[1, 2])),
                b.emit(relax.op.variance(x, axis=[0])),
                b.emit(relax.op.argmax(x, axis=1)),
                b.emit(relax.op.cumsum(x, axis=2)),
                b.emit(relax.op.nn.log_softmax(x, axis=-1)),
            ]
            out = b.emit_output(relax.Tuple(found))
        b.emit_func_output(out)


@program
def gradient(b: relax.BlockBuilder) -> None:
    x, w = relax.Var("x", tensor(3, 4)), relax.Var("w", tensor(4, 2))
    with b.function("main", [x, w]):
        with b.dataflow():
            y = b.emit(relax.op.nn.relu(relax.op.matmul(x, w)))
            out = b.emit_output(relax.op.sum(y))
        b.emit_func_output(out)


def with_gradient() -> Any:
    """``gradient`` after TVM's reverse-mode pass."""
    return relax.transform.Gradient("main")(PROGRAMS["builder_gradient"]())


def simplified() -> Any:
    """``tensor_expressions`` after canonicalisation and dead code."""
    passes = [relax.transform.CanonicalizeBindings(), relax.transform.DeadCodeElimination()]
    return tvm.transform.Sequential(passes)(PROGRAMS["builder_tensor_expressions"]())


PROGRAMS["builder_with_gradient"] = with_gradient
PROGRAMS["builder_simplified"] = simplified
