"""What runs in place of a library function of ``lower/dispatch_library``, over NumPy or CuPy arrays.

On a CPU the products are BLAS's (NumPy calls it), on a GPU cuBLAS's (CuPy does); a convolution is a product with the
windows laid out. None of it is a meaning: that is the contract's, against which ``diff`` holds it.

Spec: ``spec/13-backends.md``, Libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import inf, prod
from typing import Any

from refrelax.lower.dispatch_library import KNOWN, load
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.equal import structural_equal
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module

Library = Callable[..., Any]
"""Called with the array module (``numpy`` or ``cupy``) and the arguments; gives the result."""


# --- products --------------------------------------------------------------------------------------------------------


def product(
    xp: Any, x: Any, w: Any, bias: Any = None, *, transposed: bool = False, activation: str = "", wide: bool = False
) -> Any:
    """``x @ w`` (``w`` with its last axes exchanged, which BLAS takes as a flag), then a bias, then an activation.
    Half precision is summed in float32; ``wide``: rounded after the sum alone."""
    kind = x.dtype
    if transposed:
        w = xp.swapaxes(w, -1, -2)
    single = x.astype(xp.float32) if kind == xp.float16 else x
    y = xp.matmul(single, w.astype(single.dtype) if wide or kind == xp.float16 else w).astype(kind)
    if bias is not None:
        y = y + bias
    match activation:
        case "relu":
            return xp.maximum(y, xp.zeros((), y.dtype))
        case "gelu":
            return gelu(xp, y)
        case _:
            return y


def gelu(xp: Any, y: Any) -> Any:
    """``y * Phi(y)`` with the error function of the array library's own."""
    half = xp.asarray(0.5, y.dtype)
    return y * (half + half * erf(xp, y * xp.asarray(0.7071067811865476, y.dtype)))


def erf(xp: Any, x: Any) -> Any:
    if xp.__name__ == "numpy":
        from refrelax.backends.numpy_.operators import OPERATORS

        return OPERATORS["relax.erf"]({}, (x,), True)
    from cupyx.scipy.special import erf as on_device

    return on_device(x)


# --- windows ---------------------------------------------------------------------------------------------------------


def conv2d(xp: Any, x: Any, w: Any, bias: Any = None, *, stride: int = 1, padding: int = 0, relu: bool = False) -> Any:
    """A convolution in NCHW: every window a row, one product for each sample."""
    if padding:
        x = xp.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    extents = [(size - window) // stride + 1 for size, window in zip(x.shape[2:], w.shape[2:], strict=True)]
    if min(extents) <= 0:  # a window that fits nowhere: the result is empty
        return xp.zeros((x.shape[0], w.shape[0], *(max(0, each) for each in extents)), x.dtype)
    windows = xp.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    n, _, height, width = windows.shape[:4]
    rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, height * width, prod(w.shape[1:]))
    y = xp.matmul(rows, w.reshape(w.shape[0], prod(w.shape[1:])).T).transpose(0, 2, 1)
    y = xp.ascontiguousarray(y).reshape(n, w.shape[0], height, width)
    if bias is not None:
        y = y + bias
    return xp.maximum(y, xp.zeros((), y.dtype)) if relu else y


# --- attention and norms ---------------------------------------------------------------------------------------------


def attention(xp: Any, q: Any, k: Any, v: Any, *, causal: bool = False) -> Any:
    """Attention in the layout batch, sequence, head, feature."""
    scale = 1.0 / q.shape[-1] ** 0.5 if q.shape[-1] else inf
    q, k, v = (xp.swapaxes(each, 1, 2).astype(xp.float32) for each in (q, k, v))
    return xp.ascontiguousarray(xp.swapaxes(of_heads(xp, q, k, v, scale, causal), 1, 2))


def of_heads(xp: Any, q: Any, k: Any, v: Any, scale: float = 1.0, causal: bool = False) -> Any:
    """Attention in the layout batch, head, sequence, feature."""
    scores = xp.matmul(q, xp.swapaxes(k, -1, -2)) * xp.asarray(scale, q.dtype)
    if causal:
        seen = xp.arange(scores.shape[-2])[:, None] >= xp.arange(scores.shape[-1])
        scores = xp.where(seen, scores, xp.asarray(-xp.inf, scores.dtype))
    if scores.shape[-1]:
        scores = xp.exp(scores - scores.max(axis=-1, keepdims=True))
        scores = scores / scores.sum(axis=-1, keepdims=True)
    return xp.matmul(scores, v)


def layer_norm(xp: Any, x: Any, gamma: Any, beta: Any, *, epsilon: float) -> Any:
    if not x.size:
        return x.copy()
    centred = x - x.mean(axis=-1, keepdims=True)
    return (
        centred / xp.sqrt((centred * centred).mean(axis=-1, keepdims=True) + xp.asarray(epsilon, x.dtype)) * gamma
        + beta
    )


def rms_norm(xp: Any, x: Any, gamma: Any, *, epsilon: float) -> Any:
    if not x.size:
        return x.copy()
    return x / xp.sqrt((x * x).mean(axis=-1, keepdims=True) + xp.asarray(epsilon, x.dtype)) * gamma


# --- the table -------------------------------------------------------------------------------------------------------


def _products() -> dict[str, Library]:
    """cuBLAS, CUTLASS: by layout, operands, epilogue and formats, as their contracts are named."""
    found: dict[str, Library] = {}
    for rank in ("", "_rows", "_batched", "_heads"):
        for side in ("", "_transposed"):
            for tail in ("", "_bias", "_bias_relu", "_bias_gelu"):
                for kind in ("f32", "f16", "f16_f32"):
                    run = partial(
                        product,
                        transposed=bool(side),
                        activation=tail.removeprefix("_bias").removeprefix("_"),
                        wide=kind == "f16_f32",
                    )
                    found[f"cublas.matmul{rank}{side}{tail}_{kind}"] = run
                    found[f"cutlass.matmul{rank}{side}{tail}_{kind}"] = run
    return found


TABLE: Mapping[str, Library] = {
    **_products(),
    **{f"cblas.{kind}gemm{rank}": product for kind in "sd" for rank in ("", "_batch")},
    **{f"cblas.{kind}gemm{rank}_nt": partial(product, transposed=True) for kind in "sd" for rank in ("", "_batch")},
    "cblas.sgemv": product,
    "cblas.dgemv": product,
    **{
        f"cudnn.conv2d{tail}_s{stride}_p{padding}_f32": partial(
            conv2d, stride=stride, padding=padding, relu=tail.endswith("relu")
        )
        for tail in ("", "_bias", "_bias_relu")
        for stride in (1, 2)
        for padding in (0, 1)
    },
    "flash.attention_f32": attention,
    "flash.attention_causal_f32": partial(attention, causal=True),
    "flash.attention_of_heads_unscaled_f32": of_heads,
    **{
        f"cutlass.{norm.__name__}_{rank}_eps{digit}_f32": partial(norm, epsilon=float(f"1e-0{digit}"))
        for norm in (layer_norm, rms_norm)
        for rank in ("rows", "2d")
        for digit in (5, 6)
    },
}
"""Library functions by name. What a library of contracts names and this table does not runs as its contract."""


def libraries_of(module: Module, xp: Any) -> dict[str, Library]:
    """What runs in place of the library functions of a module: of those alone whose contract is the package's own."""
    found: dict[str, Library] = {}
    for name, function in contracts_of(module).items():
        contract = _contracts().get(name)
        if name in TABLE and contract is not None and _same(contract, module.functions[function]):
            found[name] = partial(TABLE[name], xp)
    return found


def _same(a: Function, b: object) -> bool:
    return isinstance(b, Function) and structural_equal(a, b)


@cache
def _contracts() -> dict[str, Function]:
    """The package's contracts by the library function's name."""
    found: dict[str, Function] = {}
    for library in KNOWN:
        module = load(library).module
        for name, function in contracts_of(module).items():
            contract = module.functions[function]
            assert isinstance(contract, Function)
            found[name] = contract
    return found
