"""Graph-level evaluation: one example test a rule, accept and reject."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.semantics.graph import link

HEAD = "n = TypeVar('n')\nm = TypeVar('m')\n@I.ir_module\nclass Module:\n"


def run(body: str, *args: object, entry: str = "main", **options: object) -> rr.Returned | rr.Trapped | rr.Unspecified:
    checked = rr.check(rr.parse(HEAD + body))
    return rr.run(checked, entry, *args, **options)  # type: ignore[arg-type, return-value]


def value(outcome: object) -> object:
    assert isinstance(outcome, rr.Returned), outcome
    return outcome.value.tolist() if isinstance(outcome.value, rr.Tensor) else outcome.value


DOUBLE = """
    @R.function
    def main(x: R.Tensor((n, 2), "float32")) -> R.Tensor((n, 2), "float32"):
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        return y
"""


def test_a_function_gives_its_value_and_leaves_its_arguments_alone() -> None:
    outcome = run(DOUBLE, [[1, 2], [3, 4], [5, 6]])
    assert value(outcome) == [[2, 4], [6, 8], [10, 12]]
    assert outcome.arguments[0].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert outcome.poison == ()


@pytest.mark.parametrize("extent", [0, 1])
def test_extents_zero_and_one(extent: int) -> None:
    x = rr.Tensor.of_bytes("float32", (extent, 2), bytes(8 * extent))
    assert value(run(DOUBLE, x)) == [[0.0, 0.0]] * extent


@pytest.mark.parametrize(
    ("args", "rule"),
    [
        ((), "ev/arity"),
        ((1.0, 2.0), "ev/arity"),
        (("text",), "ev/param-type"),
        ((rr.Tensor.of([[1, 2]], "int32"),), "ev/param-dtype"),
        (([1.0, 2.0],), "ev/param-rank"),
        (([[1.0, 2.0, 3.0]],), "ev/param-shape"),
    ],
)
def test_arguments_that_contradict_the_signature_trap(args: tuple[object, ...], rule: str) -> None:
    outcome = run(DOUBLE, *args)
    assert isinstance(outcome, rr.Trapped)
    assert outcome.rule == rule


def test_a_compound_dim_may_stand_before_the_parameter_that_defines_its_symbol() -> None:
    body = """
    @R.function
    def main(x: R.Tensor(("n * 2",), "float32"), y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        z = R.add(y, y)
        return z
"""
    assert value(run(body, [1.0, 2, 3, 4, 5, 6], [1.0, 2, 3])) == [2, 4, 6]
    wrong = run(body, [1.0, 2, 3, 4, 5], [1.0, 2, 3])
    assert isinstance(wrong, rr.Trapped)
    assert wrong.rule == "ev/param-shape"


MATCH = """
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32")) -> R.Tensor(ndim=2, dtype="float32"):
        k = T.int64()
        y = R.match_cast(x, R.Tensor((k, 3), "float32"))
        z: R.Tensor((k, 3), "float32") = R.add(y, y)
        return z
"""


def test_match_cast_binds_and_checks() -> None:
    assert value(run(MATCH, [[1.0, 2, 3], [4, 5, 6]])) == [[2, 4, 6], [8, 10, 12]]
    outcome = run(MATCH, [[1.0, 2], [4, 5]])
    assert isinstance(outcome, rr.Trapped)
    assert outcome.rule == "ev/match-cast-mismatch"


def test_callee_symbols_are_its_own() -> None:
    body = """
    @R.function
    def halves(a: R.Tensor((n, m), "float32")) -> R.Tensor((m, n), "float32"):
        b = R.permute_dims(a)
        return b

    @R.function
    def main(x: R.Tensor((m, n), "float32")) -> R.Tensor((n, m), "float32"):
        cls = Module
        y = cls.halves(x)
        return y
"""
    assert value(run(body, [[1.0, 2, 3], [4, 5, 6]])) == [[1, 4], [2, 5], [3, 6]]


def test_local_functions_close_over_values_and_recurse() -> None:
    body = """
    @R.function
    def main(x: R.Tensor((3,), "int32"), steps: R.Tensor((), "int32")) -> R.Tensor((3,), "int32"):
        one = R.const(1, "int32")
        zero = R.const(0, "int32")

        @R.function
        def grow(k: R.Tensor((), "int32"), acc: R.Tensor((3,), "int32")) -> R.Tensor((3,), "int32"):
            done = R.equal(k, zero)
            if done:
                r = acc
            else:
                less = R.subtract(k, one)
                more = R.add(acc, x)
                r = grow(less, more)
            return r

        out = grow(steps, x)
        return out
"""
    steps = rr.Tensor.of(4, "int32")
    assert value(run(body, [1, 2, 3], steps)) == [5, 10, 15]


def test_endless_recursion_exhausts_the_depth() -> None:
    body = """
    @R.function
    def main(x: R.Tensor((3,), "int32")) -> R.Tensor((3,), "int32"):
        cls = Module
        y: R.Tensor((3,), "int32") = cls.main(x)
        return y
"""
    assert run(body, [1, 2, 3]) == rr.Exhausted("depth")


def test_call_tir_allocates_passes_prims_in_place_and_gives_several_outputs() -> None:
    body = """
    @T.prim_func(private=True)
    def both(A: T.Buffer((n,), "float32"), k: T.int64, S: T.Buffer((n,), "float32"), P: T.Buffer((n,), "float32")):
        for i in range(n):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                S[vi] = A[vi] + T.Cast("float32", k)
                P[vi] = A[vi] * T.Cast("float32", k)

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tuple(R.Tensor((n,), "float32"), R.Tensor((n,), "float32")):
        cls = Module
        t = R.call_tir(cls.both, (x, 3), out_ty=[R.Tensor((n,), "float32"), R.Tensor((n,), "float32")])
        return t
"""
    outcome = run(body, [1.0, 2])
    assert isinstance(outcome, rr.Returned)
    assert [each.tolist() for each in outcome.value] == [[4, 5], [3, 6]]


def test_an_output_that_is_not_written_is_poison() -> None:
    body = """
    @T.prim_func(private=True)
    def first(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        y = R.call_tir(cls.first, (x,), out_ty=R.Tensor((n,), "float32"))
        return y
"""
    outcome = run(body, [1.0, 2, 3])
    assert isinstance(outcome, rr.Returned)
    assert outcome.value.tolist() == [1.0, None, None]
    assert outcome.poison == (("value[1]", "st/never-written"), ("value[2]", "st/never-written"))


def test_an_inplace_call_gives_its_argument() -> None:
    body = """
    @T.prim_func(private=True)
    def bump(A: T.Buffer((n,), "float32")):
        for i in range(n):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                A[vi] = A[vi] + T.float32(1)

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        y = R.call_tir_inplace(cls.bump, (x,), out_ty=R.Tensor((n,), "float32"), inplace_indices=[0])
        return y
"""
    outcome = run(body, [1.0, 2])
    assert isinstance(outcome, rr.Returned)
    assert outcome.value.tolist() == [2, 3]
    assert outcome.arguments[0].tolist() == [2, 3]


PACKED = """
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        y = R.call_pure_packed("test.scale", x, ty_args=(R.Tensor((n,), "float32"),))
        z = R.call_dps_packed("test.into", (y,), out_ty=R.Tensor((n,), "float32"))
        return z
"""


def test_library_functions_by_registration() -> None:
    def into(source: rr.Tensor, target: rr.Tensor) -> None:
        target[...] = [v + 1 for v in source.tolist()]

    externs = {"test.scale": lambda x: [2.0 * v for v in x.tolist()], "test.into": into}
    outcome = run(PACKED, [1.0, 2, 3], externs=externs)
    assert value(outcome) == [3, 5, 7]
    assert [e.name for e in outcome.effects] == ["test.scale", "test.into"]


def test_a_library_result_of_another_type_leaves_the_run_open() -> None:
    externs = {"test.scale": lambda x: [1.0], "test.into": lambda *a: None}
    outcome = run(PACKED, [1.0, 2, 3], externs=externs)
    assert isinstance(outcome, rr.Unspecified)
    assert outcome.rule == "ev/packed-result-type"


def test_a_missing_library_function_is_found_before_the_run() -> None:
    with pytest.raises(rr.Unlinkable) as caught:
        run(PACKED, [1.0, 2, 3])
    assert {d.rule for d in caught.value.diagnostics} == {"link/library-function-missing"}
    assert len(caught.value.diagnostics) == 2


def test_what_a_run_needs_is_looked_for_once_and_asked_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = rr.check(rr.parse(HEAD + PACKED))
    asked: list[object] = []
    every = link.reached_nodes

    def counted(*which: object) -> object:
        asked.append(which)
        return every(*which)  # type: ignore[arg-type]

    monkeypatch.setattr(link, "reached_nodes", counted)
    externs = {"test.scale": lambda x: x, "test.into": lambda *_: None}
    for given, missing in ((externs, 0), ({}, 2), ({"test.scale": externs["test.scale"]}, 1), (externs, 0)):
        try:
            rr.run(checked, "main", [1.0, 2, 3], externs=given)
        except rr.Unlinkable as caught:
            assert len(caught.diagnostics) == missing
        else:
            assert not missing
    assert len(asked) == 1


def test_no_such_function_is_a_usage_error() -> None:
    with pytest.raises(rr.UsageError, match="main"):
        run(DOUBLE, entry="nothing")


def test_a_step_budget_ends_a_run() -> None:
    assert run(DOUBLE, [[1.0, 2]], budget=rr.Budget(steps=0)) == rr.Exhausted("steps")
    assert run(DOUBLE, [[1.0, 2]], budget=rr.Budget(elements=1)) == rr.Exhausted("elements")


def test_a_branch_on_poison_leaves_the_run_open() -> None:
    body = """
    @T.prim_func(private=True)
    def nothing(A: T.Buffer((), "bool")):
        T.evaluate(0)

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        c = R.call_tir(cls.nothing, R.tuple(), out_ty=R.Tensor((), "bool"))
        if c:
            r = R.add(x, x)
        else:
            r = x
        return r
"""
    outcome = run(body, [1.0, 2])
    assert isinstance(outcome, rr.Unspecified)
    assert outcome.rule == "st/never-written"
