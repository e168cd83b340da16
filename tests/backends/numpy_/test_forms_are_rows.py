"""A quick form gives what the row of its operator gives: every form, at dtypes, ranks, sizes and attributes of all
kinds, called as generated source calls it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from refrelax.backends.numpy_ import fast_operators
from refrelax.backends.numpy_.fast_operators import FAST_OPERATORS
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.errors import Ended
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.values import Prim, Shape

DTYPES = ("float32", "float64", "float16", "bfloat16", "int8", "int64", "bool")
CLOSE = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2, "bfloat16": 5e-2}


def numbers(dtype: str, *shape: int, seed: int = 0) -> Any:
    found = np.random.default_rng(seed).integers(-6, 7, shape)
    return (found if dtype in ("int8", "int64", "bool") else found / 4).astype(numpy_dtype(dtype))


def same(found: Any, wanted: Any, why: object) -> None:
    if isinstance(wanted, tuple):
        for a, b in zip(found, wanted, strict=True):
            same(a, b, why)
        return
    assert type(found) is np.ndarray, why
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), why
    close = CLOSE.get(wanted.dtype.name, 0)
    a, b = (each.astype(np.float64) for each in (found, wanted))
    assert np.allclose(a, b, rtol=close, atol=close, equal_nan=True), (why, found, wanted)


def agree(name: str, args: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """Whether there was a result to compare."""
    with np.errstate(all="ignore"):
        try:
            wanted = OPERATORS[f"relax.{name}"](attrs, args, True)
        except (Ended, TypeError, ValueError, KeyError, AttributeError):
            return False
        found = FAST_OPERATORS[f"relax.{name}"](*args, **attrs)
        same(found, wanted, (name, [(a.dtype, a.shape) if isinstance(a, np.ndarray) else a for a in args], attrs))
    return True


ALONG = [{"axis": axis, "keepdims": keep} for axis in (None, [0], [-1], [0, 1], [1, 2], [-3], [2, 0], [])
         for keep in (False, True)]  # fmt: skip
ONE = [{"axis": axis, "keepdims": keep} for axis in (None, 0, -1, 1) for keep in (False, True)]
CUBES = ((2, 3, 4), (2, 0, 4), (1, 1, 40))
FEW = ("float32", "bfloat16", "int64")


PRODUCTS: tuple[tuple[Any, ...], ...] = (
    ("bij,jk->bik", (3, 8, 64), (64, 64)), ("bij,jk->bik", (3, 2, 4), (4, 5)), ("bij,kj->bik", (3, 8, 64), (64, 64)),
    ("bij,jk->bki", (3, 8, 64), (64, 64)), ("bij,jk->bik", (3, 8, 1), (64, 64)), ("aij,aj->ai", (2, 3, 4), (2, 4)),
    ("i,j->ij", (3,), (4,)), ("ii->i", (3, 3)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)), ("ij,ij->", (2, 3), (2, 3)),
    ("...i,i->...", (2, 3, 4), (4,)),
)  # fmt: skip


def calls(name: str) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    match name:
        case "sum" | "mean" | "max" | "min" | "variance" | "std":
            for dtype, shape, attrs in product(FEW, CUBES, ALONG):
                yield (numbers(dtype, *shape),), attrs
        case "argmax" | "argmin":
            for dtype, shape, attrs in product(FEW, CUBES, ONE):
                yield (numbers(dtype, *shape),), attrs
        case "matmul":
            pairs = (
                *((each, each) for each in DTYPES),
                ("float32", "float64"),
                ("float16", "float32"),
                ("int8", "int64"),
            )
            for (a, b), out in product(pairs, (None, "void", "float32")):
                if a == b or out == "float32":
                    yield (numbers(a, 3, 2), numbers(b, 2, 4)), {"out_dtype": out}
                    yield (numbers(a, 2, 3, 2), numbers(b, 2)), {"out_dtype": out}
                    yield (numbers(a, 2), numbers(b, 2, 4)), {"out_dtype": out}
            for dtype in DTYPES:
                yield (numbers(dtype, 9, 8), numbers(dtype, 8, 3)), {"out_dtype": None}
        case "einsum":
            for dtype, (text, *shapes) in product(DTYPES[:4], PRODUCTS):
                given = tuple(numbers(dtype, *shape, seed=k) for k, shape in enumerate(shapes))
                yield (given,), {"subscripts": text}
            yield ((numbers("float32", 2, 3), numbers("float64", 3, 2)),), {"subscripts": "ij,jk->ik"}
        case "add" | "subtract" | "multiply" | "divide":
            for dtype, shape in product(DTYPES, ((), (4,), (3, 1), (2, 3, 4))):
                yield (numbers(dtype, *shape), numbers(dtype, 4, seed=1)), {}
                yield (numbers(dtype, *shape), np.asarray(numbers(dtype, seed=1))), {}
        case "where":
            for dtype, of, shape in product(DTYPES, ("bool", "int8", "float32"), ((), (4,), (3, 1))):
                yield (numbers(of, 3, 4), numbers(dtype, *shape), numbers(dtype, 4, seed=1)), {}
        case "clip":
            for dtype, (low, high) in product(DTYPES, ((-1, 1), (0, 0), (1, -1), (-0.5, 0.75))):
                yield (numbers(dtype, 3, 4), low, high), {}
        case "squeeze":
            for axis in (None, 0, -1, [0, 2], [-3], [0, -3]):
                yield (numbers("float32", 1, 3, 1),), {"axis": axis}
        case "expand_dims":
            for axis in (0, -1, [0, -1], [1, 2], [-1, -3]):
                yield (numbers("float32", 2, 3),), {"axis": axis}
        case "permute_dims":
            for axes in (None, [2, 0, 1], [0, -1, 1]):
                yield (numbers("int8", 2, 3, 4),), {"axes": axes}
        case "broadcast_to":
            for shape in ((2, 3), (4, 2, 3)):
                yield (numbers("float32", 2, 3), Shape(shape)), {}
        case "reshape":
            for shape in ((6,), (3, 2), (-1, 2), (0, -1)):
                yield (numbers("float32", 2, 3), Shape(shape)), {"kept": (0,) if 0 in shape else ()}
        case "concat":
            for dtype, axis, other in product(("float32", "int8"), (0, 1, -1, None), ((2, 3), (0, 3), (2, 0))):
                yield (tuple(numbers(each, *s) for each, s in ((dtype, (2, 3)), (dtype, other))),), {"axis": axis}
        case "split":
            for cuts, axis in product((1, 2, 3, 4, [1], [1, 3], [3, 1], [0, 9], []), (0, 1, -1)):
                yield (numbers("float32", 4, 6),), {"indices_or_sections": cuts, "axis": axis}
        case "arange":
            for start, stop, step in product((0, 1, 0.0), (5, 0, -2, 3.5), (1, 2, -1, 0.5)):
                for dtype in ("int64", "float32", "int8"):
                    yield (start, stop, step), {"dtype": dtype, "rounded": False}
        case "nn.softmax" | "nn.log_softmax":
            for dtype, shape, axis in product(DTYPES[:4], ((2, 3, 4), (1, 40), (0, 3), (5,)), (-1, 0)):
                yield (numbers(dtype, *shape),), {"axis": axis}
        case "nn.rms_norm" | "nn.layer_norm":
            for dtype, shape, axes in product(
                DTYPES[:4], ((2, 3, 4), (1, 4), (3, 4), (0, 4), (4,)), ([-1], [0], [-2, -1])
            ):
                if max(-a for a in axes) <= len(shape):
                    own = [shape[a] for a in axes]
                    beside = [numbers(dtype, *own, seed=k) for k in range(2)]
                    flags = {"center": axes == [-1], "scale": True} if name == "nn.layer_norm" else {}
                    given = beside if flags else beside[:1]
                    yield (numbers(dtype, *shape, seed=5), *given), {"axes": axes, "epsilon": 0.25, **flags}
        case "nn.group_norm" | "nn.instance_norm":
            for dtype, shape, groups in product(DTYPES[:4], ((2, 4, 3), (1, 4, 2, 2), (0, 4, 3)), (1, 2, 4)):
                attrs: dict[str, Any] = {"epsilon": 0.25, "center": groups < 4, "scale": groups > 1, "channel_axis": 1}
                attrs["axes"] = list(range(2, len(shape)))
                if name == "nn.group_norm":
                    attrs["num_groups"] = groups
                given = [numbers(dtype, *shape), *(numbers(dtype, 4, seed=k) for k in range(2))]
                yield tuple(given), attrs
        case "nn.batch_norm":
            for dtype, shape, training in product(DTYPES[:4], ((2, 4, 3), (3, 4, 2, 5), (1, 4), (5, 4)), (False, True)):
                attrs = {"axis": 1, "epsilon": 0.25, "center": True, "scale": True, "momentum": 0.25}
                given = [numbers(dtype, *shape), *(abs(numbers(dtype, 4, seed=k)) for k in range(4))]
                yield tuple(given), {**attrs, "training": training}
        case "quantize" | "dequantize":
            kinds = (
                (("float32", "int8"), ("float16", "int8"))
                if name == "quantize"
                else (("int8", "float32"), ("int8", "float16"))
            )
            for (dtype, out), shape, (axis, many) in product(
                kinds, ((3, 4), (0, 4), (3, 4, 2)), ((1, True), (-1, False), (0, False))
            ):
                scale = abs(numbers("float32", *((4,) if many else ()))) + np.float32(0.5)
                zero = numbers("int8", *((4,) if many else ()), seed=3)
                yield (numbers(dtype, *shape), scale, zero), {"axis": axis, "out_dtype": out}
        case "nn.cross_entropy_with_logits":
            for dtype, shape in product(DTYPES[:4], ((3, 4), (4,), (0, 4), (1, 1))):
                yield (numbers(dtype, *shape), numbers(dtype, *shape, seed=1)), {}
        case "nn.nll_loss":
            for dtype, how, ignored in product(DTYPES[:4], ("mean", "sum", "none"), (-100, 2)):
                target = np.array([0, 2, 1], np.int64)
                for weights in ((), (abs(numbers(dtype, 4)) + numpy_dtype(dtype).type(1),)):
                    yield (numbers(dtype, 3, 4), target, *weights), {"reduction": how, "ignore_index": ignored}
        case "flip":
            for dtype, shape, axis in product(DTYPES, CUBES, (0, -1)):
                yield (numbers(dtype, *shape),), {"axis": axis}
        case "astype":
            for dtype, out, shape in product(DTYPES, (*DTYPES, "uint8"), ((), (0,), (2, 3))):
                yield (abs(numbers("int8", *shape)).astype(numpy_dtype(dtype)),), {"dtype": out}
        case "stack":
            for dtype, shape, axis in product(DTYPES, ((), (0,), (2, 3)), (None, 0, 1, -1)):
                yield (tuple(numbers(dtype, *shape, seed=k) for k in range(3)),), {"axis": axis}
        case "one_hot":
            for index, (on, off), axis in product(([], [1], [0, 2], [4], [-1]), ((1, 0), (2.5, -0.0), (0, 1)), (-1, 0)):
                for dtype, out in product(("int64", "int32"), ("float32", "float16", "int8")):
                    given = [Prim(out, each if "float" in out else int(each)) for each in (on, off)]
                    yield (np.array(index, dtype), *given), {"depth": 3, "axis": axis}
        case "scatter_nd":
            for dtype, index, how in product(DTYPES, ([], [1], [3, 0], [1, 1], [-1], [9]), ("update", "add", "max")):
                for width in ((3,), (0,), (2, 2)):
                    at = np.array(index, np.int64).reshape(-1, 1)
                    given = numbers(dtype, 4, *width), at, numbers(dtype, len(at), *width, seed=1)
                    yield given, {"reduction": how}
                    yield (given[0].T.copy().T, at, given[2].T.copy().T), {"reduction": how}
        case "index_put":
            for dtype, index, add in product(DTYPES, ([], [1], [3, 0], [1, 1, 1], [-1], [9]), (True, False)):
                at = np.array(index, np.int64)
                values = -numbers(dtype, len(at), seed=1) * 0 if dtype[:5] == "float" else numbers(dtype, len(at))
                for given in (numbers(dtype, 4, 5) * 0, numbers(dtype, 4, 5), numbers(dtype, 5, 4).T):
                    yield (given, (at, at // 2), values), {"accumulate": add}
                    yield (given, (at, at // 2), numbers(dtype, len(at), seed=2)), {"accumulate": add}
                yield (numbers(dtype, 4), at, values), {"accumulate": add}
        case "nn.prelu":
            for dtype, shape, alpha in product(DTYPES[:4], ((3, 4), (2, 3, 30), (0, 3)), (0.5, 1.0, 2.0, -1.0)):
                axis = len(shape) - 2 if len(shape) > 2 else -1
                factors = np.full(shape[axis], numpy_dtype(dtype).type(alpha))
                yield (numbers(dtype, *shape), factors), {"axis": axis}
                yield (numbers(dtype, *shape), factors[:1]), {"axis": axis}
        case "nn.softplus":
            for dtype, shape, beta in product(DTYPES[:4], ((), (0,), (2, 30)), (1.0, 0.5)):
                yield (numbers(dtype, *shape) * numpy_dtype(dtype).type(16),), {"beta": beta, "threshold": 20.0}
        case "slice_scatter":
            for dtype, (start, stop, step), axis in product(
                DTYPES, ((1, 3, 1), (0, 4, 2), (2, 2, 1), (3, 9, 1)), (0, -1)
            ):
                source = numbers(dtype, *((2, 5) if axis == 0 else (4, 2)), seed=1)
                bounds = [Prim("int64", each) for each in (start, stop, step)]
                yield (numbers(dtype, 4, 5), source, *bounds), {"axis": axis}
                yield (numbers(dtype, 5, 4).T, source.T.copy().T, *bounds), {"axis": axis}
        case "topk":
            for dtype, shape, k, largest in product(
                DTYPES, ((2, 40), (40,), (0, 40), (3, 4)), (0, 1, 3), (True, False)
            ):
                for axis, what in product((-1, 0), ("values", "indices", "both")):
                    yield (
                        (numbers(dtype, *shape),),
                        {"k": k, "axis": axis, "ret_type": what, "largest": largest, "dtype": "int32"},
                    )
        case "nn.conv2d":
            for dtype, shape, many, kernel in product(
                ("float32", "float64", "float16"), ((2, 3, 4, 5), (0, 3, 2, 2), (1, 3, 0, 2)), (0, 4), (1, 2)
            ):
                usual: dict[str, Any] = {"strides": [1, 1], "padding": [0, 0, 0, 0], "dilation": [1, 1], "groups": 1}
                usual |= {"data_layout": "NCHW", "kernel_layout": "OIHW", "out_layout": "NCHW", "out_dtype": None}
                given = numbers(dtype, *shape), numbers(dtype, many, 3, kernel, kernel, seed=1)
                yield given, usual
                yield (given[0].transpose(0, 1, 3, 2), given[1]), usual
                yield given, {**usual, "strides": [2, 1], "padding": [1, 0, 0, 2]}
        case "strided_slice":
            for axis, begin, end, step in product((0, -1), (0, 2, -1, 9), (3, -9, 9), (1, -2)):
                yield (numbers("int8", 4, 5), (axis,), (begin,), (end,), (step,)), {"assume_inbound": False}
        case _:
            for dtype, shape in product(DTYPES, ((), (5,), (2, 3), (0,))):
                yield (numbers(dtype, *shape),), {}


@pytest.mark.parametrize("name", sorted(each.removeprefix("relax.") for each in FAST_OPERATORS))
def test_a_form_is_its_row(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_operators, "LARGE", 64)
    found = [agree(name, args, attrs) for args, attrs in calls(name)]
    assert sum(found) > len(found) // 3, (name, sum(found), len(found))
