"""Every deliberately wrong variant of library dispatch is refuted, and so is every library that breaks its contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.errors import InternalError
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.dispatch_programs import PROGRAMS, program
from tests.lower.mutants_dispatch import MUTANTS, Mutant
from tests.lower.test_dispatch import checked, dispatched
from tests.lower.test_dispatch_libraries import called_directly


@pytest.mark.by_day(4)
@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.name for m in MUTANTS])
def test_mutant_is_refuted(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    it, before = PROGRAMS[mutant.shows], checked(program(mutant.shows))
    assert isinstance(rr.validate(before, dispatched(before, *it.tried).module, rounds=1), rr.Equivalent)
    for where, attribute, replacement in mutant.patches:
        monkeypatch.setattr(where, attribute, replacement)
    if mutant.how == "rejected":
        with pytest.raises((InternalError, rr.Rejection)):
            dispatched(before, *it.tried)
        return
    verdict = rr.validate(before, dispatched(before, *it.tried).module)
    assert isinstance(verdict, rr.Refuted), verdict
    assert verdict.counterexample is not None


def test_there_are_enough() -> None:
    assert len({m.name for m in MUTANTS}) == len(MUTANTS) >= 24
    assert len(BROKEN) >= 14


# --- libraries that break their contract, by what they compute: arrays to the output's elements ----------------------

Run = Callable[..., Any]


def _normed(x: Any, gamma: Any, epsilon: float) -> Any:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(epsilon)) * gamma


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _attention(q: Any, k: Any, v: Any, diagonal: int) -> Any:
    q, k, v = (np.swapaxes(each, 1, 2) for each in (q, k, v))
    scores = q @ np.swapaxes(k, 2, 3) / np.float32(np.sqrt(q.shape[-1]))
    seen = np.tril(np.ones(scores.shape[2:], bool), diagonal)
    return np.swapaxes(_softmax(np.where(seen, scores, np.float32(-np.inf))) @ v, 1, 2)


def _half_sums(x: Any, w: Any) -> Any:
    total = np.zeros((x.shape[0], w.shape[1]), np.float16)
    for k in range(x.shape[1]):
        total = (total + x[:, k : k + 1] * w[k : k + 1]).astype(np.float16)
    return total


def _tanh_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)))


def _relu(x: Any) -> Any:
    return np.maximum(x, np.float32(0))


def _with(index: Any, value: float, y: Any) -> Any:
    y = y.copy()
    y[index] = value
    return y


MATMUL, BIAS = "cublas_matmul_f32", "cublas_matmul_bias_f32"
HALF = "cublas_matmul_f16_f32"

BROKEN: dict[str, tuple[str, Run]] = {
    "transposed operand": (MATMUL, lambda x, w: x @ w.T),
    "product the other way": (MATMUL, lambda x, w: w @ x),
    "inputs rounded to half": (MATMUL, lambda x, w: np.float32(np.float16(x)) @ np.float32(np.float16(w))),
    "first row missing": (MATMUL, lambda x, w: _with(0, 0.0, x @ w)),
    "last column is another one": (MATMUL, lambda x, w: np.roll(x @ w, 1, axis=1)),
    "last term of the sum missing": (MATMUL, lambda x, w: x[:, :-1] @ w[:-1]),
    "alpha": (MATMUL, lambda x, w: np.float32(0.5) * (x @ w)),
    "a NaN": (MATMUL, lambda x, w: _with((1, 1), np.nan, x @ w)),
    "no bias": (BIAS, lambda x, w, b: x @ w),
    "bias along the rows": (BIAS, lambda x, w, b: x @ w + b[:, None]),
    "bias twice": (BIAS, lambda x, w, b: x @ w + b + b),
    "no activation": ("cublas_matmul_bias_relu_f32", lambda x, w, b: x @ w + b),
    "activation before the bias": ("cublas_matmul_bias_relu_f32", lambda x, w, b: _relu(x @ w) + b),
    "gelu by tanh": ("cublas_matmul_bias_gelu_f32", lambda x, w, b: _tanh_gelu(x @ w + b)),
    "not transposed": ("cublas_matmul_transposed_f32", lambda x, w: x @ w),
    "sums in half precision": (HALF, _half_sums),
    "another epsilon": ("cutlass_rms_norm_2d_eps5_f32", lambda x, g: _normed(x, g, 0.1)),
    "no mask": ("flash_attention_causal_f32", lambda q, k, v: _attention(q, k, v, 99)),
    "mask off by one": ("flash_attention_causal_f32", lambda q, k, v: _attention(q, k, v, 1)),
    "no scale": ("flash_attention_f32", lambda q, k, v: _attention(q * np.float32(2.0), k, v, 99)),
}  # fmt: skip

HONEST: dict[str, Run] = {
    MATMUL: lambda x, w: x @ w,
    BIAS: lambda x, w, b: x @ w + b,
    HALF: lambda x, w: (np.float32(x) @ np.float32(w)).astype(np.float16),
    "cublas_matmul_bias_relu_f32": lambda x, w, b: _relu(x @ w + b),
    "cutlass_rms_norm_2d_eps5_f32": lambda x, g: _normed(x, g, 1e-5),
    "flash_attention_causal_f32": lambda q, k, v: _attention(q, k, v, 0),
}


def _library_of(contract: str) -> str:
    return contract.split("_")[0]


def _held_against(contract: str, run: Run) -> Any:
    """The verdict on an implementation of a library function, on square operands: nothing shows in the shapes."""
    program_ = called_directly(_library_of(contract), contract)
    (name,) = contracts_of(program_.module)
    wide = contract == HALF
    dims = {s: {"b": 2, "h": 3}.get(s, 80 if wide and s == "k" else 4) for s in symbols_of(program_.module, "main")}
    args = random_arguments(program_.module, "main", 1, dims, "normal")

    def extern(*given: Any) -> None:
        *operands, out = given
        found = np.asarray(run(*(each.numpy() for each in operands)))
        out.assign(rr.Tensor.of(found.astype(out.dtype).tolist(), out.dtype))

    return rr.diff(program_, "main", args, impl="numpy", externs={name: extern})


@pytest.mark.parametrize("fault", BROKEN)
def test_a_library_that_breaks_its_contract_is_found(fault: str) -> None:
    verdict = _held_against(*BROKEN[fault])
    assert isinstance(verdict, rr.Divergence) and "out" in str(verdict), verdict


@pytest.mark.parametrize("contract", HONEST)
def test_one_that_keeps_it_agrees(contract: str) -> None:
    assert isinstance(_held_against(contract, HONEST[contract]), rr.Agreement)


MISBEHAVING = {
    "adds to what was there": lambda x, w, out: out.assign(_tensor(out.numpy() + x.numpy() @ w.numpy())),
    "writes to its operand": lambda x, w, out: (
        out.assign(_tensor(x.numpy() @ w.numpy())),
        w.assign(_tensor(w.numpy() * 2)),
    ),
    "writes nothing": lambda x, w, out: None,
}


def _tensor(array: Any) -> Any:
    return rr.Tensor.of(array.tolist(), "float32")


@pytest.mark.parametrize("fault", MISBEHAVING)
def test_a_library_that_misuses_memory_is_found(fault: str) -> None:
    text = rr.print_module(called_directly("cublas", MATMUL).module)
    call = next(line for line in text.splitlines() if "call_dps_packed" in line)
    twice = call + "\n" + call.replace("out =", "again =").replace("(x, w)", "(out, w)")
    program_ = checked(text.replace(call, twice).replace("return out", "return (out, again)").replace(
        '-> R.Tensor((m, n), dtype="float32"):\n        out', ":\n        out"))  # fmt: skip
    args = random_arguments(program_.module, "main", 1, {"m": 3, "k": 3, "n": 3}, "normal")
    verdict = rr.diff(program_, "main", args, impl="numpy", externs={"cublas.matmul_f32": MISBEHAVING[fault]})
    assert isinstance(verdict, rr.Divergence), verdict
