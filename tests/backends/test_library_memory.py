"""A tensor that a library function was given is the program's memory as long as it is kept (``ev/library-memory``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        y = R.add(x, x)
        _ = R.call_packed("lib.keep", {given}, ty_args=(R.Tuple,))
        later = R.call_packed("lib.later", ty_args=({gives},))
        z = R.add(y, x)
        _1 = R.call_packed("lib.last", ty_args=(R.Tuple,))
        return ({result})
"""
BACKENDS = [("numpy", "bits"), ("numpy", "fast"), ("cuda-emulated", "bits"), ("cuda-emulated", "fast")]
Library = Callable[..., Any]


class Kept:
    """Library functions that keep what the first one is given."""

    def __init__(self, keep: Library, later: Library, last: Library) -> None:
        self.tensors: list[Any] = []
        self.seen: list[Any] = []
        self.externs = {
            "lib.keep": lambda *args: (self.tensors.extend(_flat(args)), keep(self), ())[-1],
            "lib.later": lambda: later(self),
            "lib.last": lambda: (last(self), ())[-1],
        }


def _flat(args: Any) -> list[Any]:
    return [each for a in args for each in (_flat(a) if isinstance(a, tuple) else [a])]


def _nothing(_kept: Kept) -> Any:
    return ()


def _read(kept: Kept) -> Any:
    kept.seen.append([each.tolist() for each in kept.tensors])
    return ()


def _store(kept: Kept) -> Any:
    kept.tensors[0].assign([7, 8])
    return ()


def _inward(kept: Kept) -> Any:
    """Its cells are asked for, so that it is no array any longer."""
    kept.tensors[0].tolist()
    return ()


def _both(keep: Library, later: Library, last: Library, **text: str) -> None:
    parts = {"given": "y", "gives": "R.Tuple", "result": "y, z"} | text
    checked = rr.check(rr.parse(MODULE.format(**parts)))
    wanted = Kept(keep, later, last)
    expected = rr.run(checked, "main", [1.0, 2.0], externs=wanted.externs)
    assert isinstance(expected, rr.Returned)
    for backend, mode in BACKENDS:
        found = Kept(keep, later, last)
        compiled = rr.compile(checked, backend=backend, mode=mode)  # type: ignore[arg-type]
        outcome = compiled.run("main", [1.0, 2.0], externs=found.externs)
        assert isinstance(outcome, rr.Returned), (backend, mode)
        assert outcome.value == expected.value, (backend, mode)
        assert outcome.arguments == expected.arguments, (backend, mode)
        assert found.seen == wanted.seen, (backend, mode)
        assert [t.tolist() for t in found.tensors] == [t.tolist() for t in wanted.tensors], (backend, mode)


@pytest.mark.parametrize("keep", [_nothing, _inward])
@pytest.mark.parametrize("given", ["y", "(x, y)", "y, y", "((y,), x)"])
def test_what_a_later_call_stores_in_what_is_kept_is_stored(keep: Library, given: str) -> None:
    _both(keep, _store, _read, given=given)


def test_a_store_in_a_tuple_s_tensor_is_stored() -> None:
    _both(_store, _nothing, _read, given="(y, x)")


def _give(kept: Kept) -> Any:
    return kept.tensors[0]


@pytest.mark.parametrize("keep", [_nothing, _inward])
def test_what_is_kept_and_given_back_is_that_memory(keep: Library) -> None:
    _both(keep, _give, _store, gives='R.Tensor((2,), "float32")', result="y, later, z")


IN_PLACE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(A: T.Buffer((2,), "float32")):
        for i in range(2):
            A[i] = A[i] * T.float32(2)
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        cls = Module
        y = R.add(x, x)
        _ = R.call_packed("lib.keep", y, ty_args=(R.Tuple,))
        z = R.call_tir_inplace(cls.twice, (y,), inplace_indices=[0], out_ty=R.Tensor((2,), "float32"))
        _1 = R.call_packed("lib.later", ty_args=(R.Tuple,))
        u = R.call_tir_inplace(cls.twice, (z,), inplace_indices=[0], out_ty=R.Tensor((2,), "float32"))
        return u
"""


def _read_and_halve(kept: Kept) -> Any:
    _read(kept)
    kept.tensors[0].assign([kept.tensors[0].tolist()[0], 1])
    return ()


@pytest.mark.by_day(4)
@pytest.mark.parametrize("keep", [_nothing, _inward])
@pytest.mark.parametrize(("backend", "mode"), BACKENDS)
def test_what_is_kept_has_what_the_program_stored_since(keep: Library, backend: Any, mode: Any) -> None:
    checked = rr.check(rr.parse(IN_PLACE))
    seen = []
    for compiled in (None, rr.compile(checked, backend=backend, mode=mode)):
        kept = Kept(keep, _read_and_halve, _nothing)
        if compiled is None:
            outcome = rr.run(checked, "main", [1.0, 2.0], externs=kept.externs)
        else:
            outcome = compiled.run("main", [1.0, 2.0], externs=kept.externs)
        assert isinstance(outcome, rr.Returned)
        seen.append((outcome.value, kept.seen, [t.tolist() for t in kept.tensors]))
    assert seen[0] == seen[1]
    assert seen[0][1:] == ([[[4.0, 8.0]]], [[8.0, 2.0]])
