"""Where results lie: what an operator's row says of its memory holds in the interpreter and in the NumPy backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.liveness import VIEWED, WHOLE_VIEWS
from refrelax.semantics.arena import Region
from refrelax.semantics.graph.calls import CALL_FORMS as EVALUATED
from refrelax.semantics.ops import CALL_FORMS, FRESH, OPERATORS, OVERWRITING
from refrelax.semantics.types.calls import CALL_FORMS as TYPED
from refrelax.semantics.values import TensorValue
from refrelax.syntax.signatures import CALL_FORMS as WRITTEN
from refrelax.testing.sketches import SKETCHES
from refrelax.testing.sweep import BUDGET, programs

from .catalogue import SAMPLES, data

DTYPES = ("float32", "int64", "float64", "bool", "int8")


class Bound:
    """A listener: whether the tensors that ``gv`` names lie in memory of a parameter; ``None`` of no tensors."""

    shared: bool | None = None

    def on_binding(self, _path: str, binding: Any, value: Any, scope: Any) -> None:
        found = set(places(value))
        given_ = {each for name, other in scope.values.items() if name != binding.name for each in places(other)}
        self.shared = bool(found & given_) if found else None


def places(value: Any) -> Iterator[int]:
    """The memory of a value's tensors, those without elements left out."""
    match value:
        case TensorValue(storage=Region(arena=arena)):
            yield id(arena)
        case TensorValue(storage=storage) if value.size:
            yield id(storage)
        case tuple():
            for each in value:
                yield from places(each)
        case rr.Opaque(value=inner) if inner is not None:
            yield id(inner)


def arrays(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [found for each in value for found in arrays(each)]
    return [value] if isinstance(value, np.ndarray) and value.size else []


def ways(checked: rr.CheckedModule, op: str, args: list[Any]) -> Iterator[bool | None]:
    """Whether the call of ``op`` shares memory in the interpreter and in each mode of the backend."""
    listener = Bound()
    if not isinstance(rr.run(checked, "main", *args, budget=BUDGET, listener=listener), rr.Returned):
        return
    yield listener.shared
    for mode in ("bits", "fast"):
        try:
            executable = rr.compile(checked, "numpy", mode)
        except Unsupported:
            continue
        rows, seen = executable._functions["ops"], []
        if f"ops[{op!r}]" not in executable.source:
            continue
        if mode == "fast" and f"relax.{op}" in VIEWED:  # (a view inside; what comes out counts)
            result = executable["main"](*args)
            yield any(np.shares_memory(a, b) for each in args for a in arrays(each) for b in arrays(result))
            continue

        def watched(*args: Any, _row: Any = rows[op], _seen: list[bool | None] = seen, **attrs: Any) -> Any:
            result = _row(*args, **attrs)
            pairs = [(a, b) for each in args for a in arrays(each) for b in arrays(result)]
            _seen.append(any(np.shares_memory(a, b) for a, b in pairs) if pairs else None)
            return result

        rows[op] = watched
        executable.run("main", *args)
        yield from seen


def calls(op: str, seed: int, per_dtype: int = 1, most: int = 3) -> Iterator[tuple[rr.CheckedModule, list[Any]]]:
    """Calls that are accepted, with arguments."""
    for sample in SAMPLES:
        if sample.op == op:
            yield rr.check(rr.parse(sample.text)), list(data(sample, seed))
    for program in programs(op, seed, per_dtype, DTYPES):
        try:
            checked = rr.check(rr.parse(program.text))
        except rr.Rejection:
            continue
        for n in (3, 1):
            yield checked, program.arguments(n, seed, "plain")
        most -= 1
        if not most:
            return


def says_where_its_result_lies(op: str, seed: int, **options: int) -> int:
    """How many results were looked at."""
    memory, found = OPERATORS[f"relax.{op}"].memory, 0
    for checked, args in calls(op, seed, **options):
        for shared in ways(checked, op, args):
            if shared is not None:
                found += 1
                assert memory == "either" or shared == (memory == "view"), (op, memory, checked.module)
    return found


@pytest.mark.by_day(4)
@pytest.mark.parametrize("op", sorted(SKETCHES))
def test_a_result_lies_where_its_row_says(op: str) -> None:
    says_where_its_result_lies(op, 0, most=1)


@pytest.mark.by_day(3)
@pytest.mark.parametrize("op", ["max", "min", "einsum", "gather_nd", "memory.view", "memory.alloc_tensor"])
def test_results_that_lay_in_memory_of_an_argument(op: str) -> None:
    """An extreme over no axis, a diagonal and a single position were views in the NumPy backend."""
    assert says_where_its_result_lies(op, 0, per_dtype=6, most=40)


NOTHING_TO_DO = (
    "R.nn.pad(x, pad_width=[0, 0, 0, 0])", "R.collapse_sum_to(x, (2, 3))", "R.collapse_sum_like(x, x)",
    "R.strided_slice(x, axes=[0], begin=[0], end=[2])", "R.tile(x, [1])", "R.repeat(x, 1, axis=0)", "R.concat((x,))",
    "R.stack((x,))", "R.nn.dropout(x)", "R.sum(x, axis=[])", "R.mean(x, axis=[])", "R.prod(x, axis=[])",
    "R.max(x, axis=[])", "R.min(x, axis=[])", "R.max(i, axis=[])", "R.min(i, axis=[])", "R.max(u, axis=[0])",
    "R.cumsum(u, axis=0)", "R.sort(u, axis=0)", 'R.topk(u, k=1, axis=0, ret_type="values")', "R.nn.batch_flatten(x)",
    'R.index_tensor(x, (R.const(0, "int64"),))', 'R.gather_nd(x, R.const([0], "int64"))',
    'R.take(x, R.const(0, "int64"), axis=0)', 'R.einsum((x,), "ij->ji")', 'R.einsum((q,), "ii->i")',
    "R.clip(x, -10, 10)", 'R.astype(x, "float32")', "R.tril(x, 5)", "R.nn.pixel_shuffle(w, 1)",
    "R.nn.adaptive_avg_pool2d(w)", "R.nn.avg_pool2d(w)", "R.nn.max_pool2d(w)", "R.floor(i)", "R.abs(b)",
    "R.slice_scatter(x, x, 0, 2, 1, axis=0)", "R.nn.softmax(u, axis=0)", "R.maximum(x, x)",
)  # fmt: skip
"""Calls that have nothing to compute, or a single place to look at: an implementation might give what it was given."""


@pytest.mark.parametrize("call", NOTHING_TO_DO)
def test_nothing_to_do_is_done_in_new_memory(call: str) -> None:
    shapes = {"x": (2, 3), "u": (1, 3), "w": (1, 1, 4, 4), "q": (3, 3), "i": (2, 3), "b": (2, 3)}
    dtypes = {"i": "int32", "b": "bool"}
    heads = ", ".join(f'{name}: R.Tensor({s}, "{dtypes.get(name, "float32")}")' for name, s in shapes.items())
    body = f"        gv = {call}\n        return gv\n"
    text = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({heads}):\n{body}"
    args = [np.ones(s, dtypes.get(name, "float32")) for name, s in shapes.items()]
    op = call[2 : call.index("(")]
    assert OPERATORS[f"relax.{op}"].memory == "fresh"
    assert not any(ways(rr.check(rr.parse(text)), op, args))


@pytest.mark.nightly
@pytest.mark.parametrize("op", sorted(SKETCHES))
def test_every_result(op: str) -> None:
    says_where_its_result_lies(op, 1, per_dtype=12, most=100)


def test_views_of_every_element() -> None:
    assert all(OPERATORS[name].memory == "either" for name in WHOLE_VIEWS)


def test_call_forms_are_the_same_everywhere() -> None:
    """Read, typed, evaluated: each by a function of its own, and all of them have a row."""
    written = {f"relax.{name}" for name in WRITTEN}
    assert set(CALL_FORMS) == written - set(OPERATORS) == set(TYPED) == set(EVALUATED) - set(OPERATORS)


# --- what overwrites -------------------------------------------------------------------------------------------------

BUMPS = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            A[i, j] = A[i, j] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), "float32")):
        cls = Module
        t = R.add(x, x)
        y = R.reshape(t, R.shape([6]))
        {call}
        z = R.add(y, y)
        return z
"""
STORES = {
    "a call in place": (
        'w = R.call_tir_inplace(cls.bump, (t,), inplace_indices=[0], out_ty=R.Tensor((2, 3), "float32"))'
    ),
    "a direct call": "cls.bump(t)",
    "a call by another name": "f = cls.bump\n        f(t)",
    "a dynamic call": "R.vm.call_tir_dyn(cls.bump, (t,))",
}


@pytest.mark.parametrize("how", STORES)
@pytest.mark.parametrize("target", ["lowered", "bits", "fast"])
def test_what_shares_memory_is_not_seen_through_a_store(how: str, target: str) -> None:
    """A reshape is a value of its own: nobody sees in it what is stored in its argument afterwards."""
    checked = rr.check(rr.parse(BUMPS.format(call=STORES[how])))
    x = np.arange(6, dtype="float32").reshape(2, 3) - 2
    wanted = rr.run(checked, "main", x)
    try:
        if target == "lowered":
            found = rr.run(rr.lower(checked).module, "main", x)
        else:
            found = rr.compile(checked, "numpy", target).run("main", x)
    except Unsupported:
        assert how == "a dynamic call"
        return
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), found
    assert wanted.value == found.value


def test_overwriting_forms_are_no_fresh_ones() -> None:
    assert not (OVERWRITING & FRESH) - {"relax.vm.call_tir_dyn"}  # which gives nothing
