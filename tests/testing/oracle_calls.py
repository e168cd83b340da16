"""Calls of the table of oracles: programs, arguments, what a library answers, and whether that is permitted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

import refrelax as rr
from refrelax.syntax import dtypes
from refrelax.testing.oracles import Oracle

_PARAM = re.compile(r"(\w+):(\w+)\[([^\]]*)\](?:\{([^:}]*):?([^}]*)\})?")

Span = tuple[float, float] | None
"""Least and greatest of what is drawn; ``None``: NaN, infinities and numbers."""


@dataclass(frozen=True)
class Asked:
    """A call of the table, ready to be run."""

    oracle: Oracle
    names: tuple[str, ...]
    params: tuple[tuple[tuple[int, ...], str, Span], ...]
    expr: str

    @property
    def text(self) -> str:
        heads = ", ".join(
            f'{n}: R.Tensor({s}, dtype="{t}")' for n, (s, t, _) in zip(self.names, self.params, strict=True)
        )
        return (
            "@I.ir_module\nclass Module:\n    @R.function(pure=False)\n"
            f"    def main({heads}):\n        gv = {self.expr}\n        return gv\n"
        )

    def arguments(self, seed: int) -> list[np.ndarray]:
        """Small arrays, of the ranges that the table names; for NumPy, which says what it does with ties, of odd seeds
        whole and half numbers."""
        turn = np.random.default_rng(seed)
        found = [_drawn(turn, *param) for param in self.params]
        if seed % 2 and self.oracle.library == "numpy":
            return [_halves(a, span) for a, (_, _, span) in zip(found, self.params, strict=True)]
        return found


def _drawn(turn: Any, shape: tuple[int, ...], dtype: str, span: Span) -> np.ndarray:
    if dtype == "bool":
        return np.asarray(turn.integers(0, 2, shape)).astype(bool)
    if span is None:
        return turn.choice(np.asarray([np.nan, np.inf, -np.inf, 0, 1.5], dtype), shape)
    low, high = span
    if dtypes.is_float(dtype):
        return np.asarray(turn.uniform(low, high, shape)).astype(dtype)
    return np.asarray(turn.integers(int(low), int(high) + 1, shape)).astype(dtype)


def _halves(a: np.ndarray, span: Span) -> np.ndarray:
    if a.dtype.kind != "f" or span is None or span[1] - span[0] < 2:
        return a
    return np.clip(np.round(a * 2) / 2, *span).astype(a.dtype)


def asked(oracle: Oracle) -> Asked:
    head, _, call = oracle.call.partition("|")
    names, params = [], []
    for name, dtype, extents, low, high in _PARAM.findall(head):
        span = None if low == "special" else (float(low), float(high)) if low else (-2.0, 2.0)
        names.append(name)
        params.append((tuple(int(e) for e in extents.split(",") if e.strip()), dtype, span))
    return Asked(oracle, tuple(names), tuple(params), call.strip())


def by_numpy(call: Asked, arrays: list[Any]) -> list[Any]:
    """What NumPy gives, in binary64; of a list of arrays (a worker each), of the list."""

    def widened(a: Any) -> Any:
        return list(map(widened, a)) if isinstance(a, list) else a.astype("float64") if a.dtype.kind == "f" else a

    wide = {n: widened(a) for n, a in zip(call.names, arrays, strict=True)}
    with np.errstate(all="ignore"):
        return leaves(eval(call.oracle.expression, {"np": np}, wide))


def leaves(value: Any) -> list[Any]:
    """The fields of a tuple; the ints of a shape are one."""
    if isinstance(value, tuple | list) and not all(isinstance(each, int) for each in value):
        return [leaf for each in value for leaf in leaves(each)]
    return [tuple(value) if isinstance(value, tuple | list) else value]


def refused(permitted: Any, answers: list[Any]) -> str | None:
    """Why the answer of a library is none that is permitted; ``None`` if it is."""
    held = _fields(permitted)
    if len(held) != len(answers):
        return f"{len(held)} results, of the library {len(answers)}"
    for one, answer in zip(held, answers, strict=True):
        if isinstance(one, rr.Shape | int):
            if (one.dims if isinstance(one, rr.Shape) else one) != answer:
                return f"{one}, of the library {answer}"
            continue
        array = np.asarray(answer)
        if array.shape != one.shape:
            return f"shape {one.shape}, of the library {array.shape}"
        verdict = one.judge(array.astype(one.dtype))
        if isinstance(verdict, rr.Outside):
            return f"{verdict}: {array.reshape(-1)[:8]} of the library; permitted {one.lo} to {one.hi}"
    return None


def _fields(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in _fields(each)] if isinstance(value, tuple) else [value]
