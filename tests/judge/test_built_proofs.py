"""Built modules, recorded runs, contracts with places and stores in arguments: what is proved, and what must not be."""

from __future__ import annotations

from dataclasses import replace

import pytest

import refrelax as rr
from refrelax import examples
from refrelax.conformance import cases
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.lower.pipeline import lower

CASES = {case.name: case for case in cases.load() if case.name.startswith("validation/")}


def texts(name: str) -> tuple[str, str]:
    case = CASES[f"validation/{name}"]
    assert case.module is not None and case.second is not None
    return case.module, case.second


def checked(text: str) -> rr.CheckedModule:
    return rr.check(rr.parse(text))


WRONG: list[tuple[str, str, str]] = [
    # a check fewer, weaker, of another extent, or after something else
    ("erased-signature", '        R.call_packed("vm.builtin.match_shape", x, heap, 1, 1, 0, R.str("loc=param[0]"), '
                         "ty_args=(R.Tuple,))\n", ""),
    ("erased-signature", "x, 1, R.dtype", "x, -1, R.dtype"),
    ("erased-signature", '"vm.builtin.match_shape", x, heap, 1, 1, 0', '"vm.builtin.match_shape", x, heap, 1, 0, 4'),
    ("erased-signature", 'x, 1, R.dtype("float32")', 'x, 1, R.dtype("float16")'),
    ("erased-signature", "b[i] = a[i] + a[i]", "b[i] = a[i] * a[i]"),
    ("erased-signature", 'm, 0, s, R.dtype("float32")', 'm, 4, s, R.dtype("float32")'),
    ("erased-signature", "cls.twice, x, y", "cls.twice, x, x"),
    # a recorded run on what moves, that is not one of its own, or whose memory is not what it seems
    ("recorded-run", "(cls.launches, (m,), 0)", "(cls.launches, (x,), 0)"),
    ("recorded-run", "        return y\n", "        return a\n"),
    ("recorded-run", "b[i] = T.float32(0.5)", "b[i] = b[i] + T.float32(0.5)"),
    ("recorded-run", "        cls.half(a)\n", ""),
    ("recorded-run", "R.shape([16])", "R.shape([12])"),
    # what is stored in an argument
    ("in-place", "a[n - 1 - i] = a[n - 1 - i] + T.float32(1)", "a[n - 1 - i] = a[n - 1 - i] - T.float32(1)"),
    ("in-place", "        z = R.multiply(a, x)\n", "        z = R.multiply(y, x)\n"),
    ("in-place", "        y = R.call_tir_inplace(cls.grow, (x,)", "        y = R.call_tir_inplace(cls.grow, (a,)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_a_wrong_module_is_not_proved(name: str, old: str, new: str) -> None:
    first, second = texts(name)
    assert second.count(old) >= 1
    try:
        other = checked(second.replace(old, new, 1))
    except rr.Rejection:
        return
    assert not isinstance(attempt(checked(first), other, "main"), Proved)


def test_a_view_that_is_overwritten_is_seen() -> None:
    """Operators whose result may be memory of an argument are no copies where that argument is overwritten."""
    first, _ = texts("in-place")
    view = first.replace("a = R.add(x, x)", "b = R.expand_dims(x, axis=[0])\n        a = R.squeeze(b, axis=[0])")
    copy = first.replace("a = R.add(x, x)", 'a = R.add(x, R.const(0, "float32"))')
    assert isinstance(attempt(checked(view), checked(copy), "main"), str)
    assert isinstance(attempt(checked(copy), checked(view), "main"), str)


def test_two_recorded_runs_under_one_number_are_not_read() -> None:
    first, second = texts("recorded-run")
    twice = second.replace(
        "        a = graph[0]\n",
        "        a = graph[0]\n"
        '        again = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, (m,), 0), '
        'ty_args=(R.Tuple(R.Tensor((4,), "float32")),))\n',
    )
    assert "under one number" in str(attempt(checked(first), checked(twice), "main"))


def test_an_entry_whose_arguments_overlap_is_named_in_the_trust() -> None:
    first, second = texts("in-place")
    found = attempt(checked(first), checked(second), "main")
    assert isinstance(found, Proved) and any("overlap" in each for each in found.trusts)


@pytest.mark.thorough
@pytest.mark.parametrize("pipeline", ["build", "paper"])
@pytest.mark.parametrize(
    "name",
    ["mlp", pytest.param("cnn", marks=pytest.mark.thorough), pytest.param("decoder", marks=pytest.mark.thorough),
     *(pytest.param(each, marks=pytest.mark.nightly) for each in examples.paper_names())],
)  # fmt: skip
def test_every_stage_of_a_model_is_proved_for_all_shapes(name: str, pipeline: str) -> None:
    example = examples.load(name)
    stage = example.stage("imported")
    model = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    for entry in example.functions:
        before, open_ = model, []
        for step in lower(model, pipeline=pipeline).steps:
            found = attempt(before, step.module, entry)
            open_ += [f"{step.name}: {found}"] if isinstance(found, str) else []
            before = step.module
        assert open_ == []


def built_cnn() -> tuple[rr.CheckedModule, str]:
    stage = examples.load("cnn").stage("imported")
    steps = lower(rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants)), pipeline="paper").steps
    return steps[-2].module, rr.print_module(steps[-1].module.module)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            'make_shape", shape_heap, 4, 1, 0, 0, 4, 0, 10, 0, 12',
            'make_shape", shape_heap, 4, 1, 0, 0, 4, 0, 12, 0, 10',
        ),
        ('make_shape", shape_heap, 4, 1, 0, 0, 4, 0, 5, 0, 6', 'make_shape", shape_heap, 4, 1, 0, 0, 4, 0, 5, 0, 5'),
        ('s2_p0_f32", lv6', 's2_p0_f32", lv5'),
    ],
)
def test_extents_told_where_a_tensor_is_made_are_checked(old: str, new: str) -> None:
    """A library's convolution in a module without types: what an allocation says is where to look, not what holds."""
    before, text = built_cnn()
    assert old in text
    for is_right, each in ((True, text), (False, text.replace(old, new, 1))):
        other = rr.check(replace(rr.parse(each), constants=before.module.constants))
        assert isinstance(attempt(before, other, "main"), Proved) == is_right


@pytest.mark.parametrize(
    "overwrite",
    [
        "_ = cls.grow(x)",
        'w = R.call_tir_inplace(cls.grow, (x,), out_ty=R.Tensor((n,), "float32"), inplace_indices=[0])',
    ],
)
@pytest.mark.parametrize("view", ["R.permute_dims(x, axes=[0])", "R.broadcast_to(x, R.shape([n]))"])
def test_what_shares_memory_that_is_overwritten_is_no_copy(overwrite: str, view: str) -> None:
    """However it is overwritten: there an operator that may give memory of its argument is not read."""
    header, _, _ = texts("in-place")[0].partition("    @R.function")
    text = (
        header
        + f"""
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({{"relax.force_pure": True}})
        cls = Module
        a = {view}
        {overwrite}
        z = R.multiply(a, a)
        return z
"""
    )
    other = text.replace(view, 'R.add(x, R.const(0, "float32"))')
    assert isinstance(attempt(checked(text), checked(other), "main"), str)
    assert isinstance(attempt(checked(other), checked(text), "main"), str)


@pytest.mark.parametrize(("declared", "proved"), [("(n,)", True), ("(n + 1,)", False)])
def test_a_declared_result_that_only_a_run_shows_is_checked(declared: str, proved: bool) -> None:
    """As TVM's VMShapeLower leaves it: a result of known rank alone under a type that says its extents."""
    first, second = texts("erased-signature")
    loose = second.replace("x: R.Any) -> R.Any", f'x: R.Tensor((n,), "float32")) -> R.Tensor({declared}, "float32")')
    result = 'm, 0, s, R.dtype("float32"), ty_args=(R.Any,)'
    assert loose.count(result) == 1
    loose = loose.replace(result, result.replace("R.Any", 'R.Tensor(ndim=1, dtype="float32")'))
    assert isinstance(attempt(checked(first), checked(loose), "main"), Proved) is proved


PARAMETERS = """n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(
        k: R.Prim("int64"), x: R.Tensor((n, 2), "float32"), z: R.Tensor((k, 3), "float32"),
        y: R.Tensor(ndim=1, dtype="float32"),
        t: R.Tuple(R.Tensor((k, 3), "float32"), R.Tuple(R.Tensor((n, 2), "float32"))),
    ) -> R.Tuple(R.Tensor((n, 2), "float32"), R.Tensor((k, 3), "float32"), R.Prim("int64")):
        b = t[1]
        o = R.add(x, b[0])
        c = t[0]
        p = R.add(z, c)
        return (o, p, k)
"""


def built(text: str) -> tuple[rr.CheckedModule, str]:
    steps = lower(checked(text), pipeline="build").steps
    return steps[-2].module, rr.print_module(steps[-1].module.module)


def test_a_built_entry_with_scalars_and_tuples_is_proved() -> None:
    before, after = built(PARAMETERS)
    assert isinstance(attempt(before, checked(after), "main"), Proved)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('check_tuple_info", t, 2', 'check_tuple_info", t, 3'),
        ('check_prim_value_info", k, R.dtype("int64")', 'check_prim_value_info", k, R.dtype("int32")'),
        ('match_prim_value", k, shape_heap, 1', 'match_prim_value", k, shape_heap, 2'),
        ('tuple_getitem", t, 0', 'tuple_getitem", t, 1'),
        ('check_tensor_info", y, 1', 'check_tensor_info", y, 2'),
        ('check_tensor_info", y, 1, R.dtype("float32")', 'check_tensor_info", y, 1, R.dtype("float64")'),
        ("_match_shape = ", "_other = R.call_packed(\"vm.builtin.match_shape\", y, shape_heap, 1, 0, 4, "
                            "R.str(\"loc=param[3]\"), ty_args=(R.Tuple,))\n        _match_shape = "),
    ],
)  # fmt: skip
def test_a_built_entry_that_takes_something_else_is_not_proved(old: str, new: str) -> None:
    before, after = built(PARAMETERS)
    assert old in after
    try:
        other = checked(after.replace(old, new, 1))
    except rr.Rejection:
        return
    assert not isinstance(attempt(before, other, "main"), Proved)


COMPUTED = """n, m = TypeVar("n"), TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(
        z: R.Tensor((n // 2, m % 3), "float32"), x: R.Tensor((n, m), "float32"),
        w: R.Tensor((n // 2, n * m), "float32"), v: R.Tensor((T.max(n, m), T.min(n, 4)), "float32"),
        t: R.Tuple(R.Shape([n + 1, m, n // 2]), R.Tensor((4, n * m - 1), "int8")), u: R.Tensor((m % 3, 5), "float32"),
    ) -> R.Tensor((n, m), "float32"):
        y = R.add(x, x)
        return y
"""


def test_a_built_entry_with_several_computed_extents_is_proved() -> None:
    before, after = built(COMPUTED)
    found = attempt(before, checked(after), "main")
    assert isinstance(found, Proved), found


@pytest.mark.by_day(4)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("// T.int64(2)", "// T.int64(3)"),
        ("% T.int64(3)", "% T.int64(2)"),
        ("% T.int64(3)", "% H[T.int64(0)]"),
        ("H[T.int64(3)] = ", "H[T.int64(2)] = "),
        ("H[T.int64(3)] = ", "H[T.int64(1)] = "),
        ('match_shape", z, shape_heap, 2, 3, 2, 3, 3', 'match_shape", z, shape_heap, 2, 3, 2, 0, 0'),
        ('match_shape", z, shape_heap, 2, 3, 2, 3, 3', 'match_shape", z, shape_heap, 2, 3, 3, 3, 2'),
        ('match_shape", z, shape_heap, 2, 3, 2, 3, 3', 'match_shape", z, shape_heap, 2, 3, 2, 1, 3'),
        ('match_shape", u, shape_heap, 2, 3, 3, 0, 5', 'match_shape", u, shape_heap, 2, 3, 2, 0, 5'),
        ('match_shape", gv, shape_heap, 3, 3, 7, 3, 1, 3, 2', 'match_shape", gv, shape_heap, 3, 3, 7, 3, 1, 4, 0'),
        ("H[T.int64(0)] + T.int64(1)", "H[T.int64(1)] + T.int64(1)"),
        ("H[T.int64(1)] - T.int64(1)", "H[T.int64(1)] - T.int64(2)"),
    ],
)
def test_a_built_entry_that_computes_something_else_is_not_proved(old: str, new: str) -> None:
    before, after = built(COMPUTED)
    assert old in after, after
    assert not isinstance(attempt(before, checked(after.replace(old, new, 1)), "main"), Proved)


PERMUTED = """n, m = TypeVar("n"), TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def grow(a: T.Buffer((n, m), "float32")):
        for i, j in T.grid(n, m):
            a[i, j] = a[i, j] + T.float32(1)

    @T.prim_func(private=True)
    def twice(a: T.Buffer((n, m), "float32"), b: T.Buffer((n, m), "float32")):
        for i, j in T.grid(n, m):
            b[i, j] = a[i, j] * T.float32(2)

    @T.prim_func(private=True)
    def same(a: T.Buffer((n, m), "float32"), b: T.Buffer((n, m), "float32")):
        for i, j in T.grid(n, m):
            b[i, j] = a[i, j]

    @R.function
    def main(x: R.Tensor((n, m), "float32")) -> R.Tensor((m, n), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        y = R.permute_dims(x)
        a = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((n, m), "float32"))
        b = R.call_tir_inplace(cls.grow, (a,), out_ty=R.Tensor((n, m), "float32"), inplace_indices=[0])
        c = R.permute_dims(b)
        z = R.add(c, y)
        return z
"""


def test_an_operator_beside_memory_is_a_loop_where_nothing_it_shares_is_stored_in_later() -> None:
    before = checked(PERMUTED)
    after = lower(before, passes=("to_destinations",)).module
    assert "R.builtin.alloc_tensor" in rr.print_module(after.module)
    found = attempt(before, after, "main")
    assert isinstance(found, Proved), found


@pytest.mark.by_day(4)
@pytest.mark.parametrize(
    "overwrite",
    ["_ = cls.grow({0})", "_ = cls.twice(x, {0})",
     'w = R.call_tir_inplace(cls.grow, ({0},), out_ty=R.Tensor((n, m), "float32"), inplace_indices=[0])',
     "v = R.permute_dims({0}, axes=[0, 1])\n        _ = cls.grow(v)",
     "t = ({0}, x)\n        v = t[0]\n        _ = cls.grow(v)"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a", "b"])
def test_what_an_operator_may_share_is_overwritten_later(overwrite: str, name: str) -> None:
    """With an identity for a permutation, a result may be memory of its argument."""
    wrong = PERMUTED.replace(
        "        z = R.add(c, y)\n",
        f"        d = R.permute_dims(b, axes=[0, 1])\n        {overwrite.format(name)}\n"
        "        e = R.permute_dims(d)\n        z = R.add(e, y)\n",
    )
    after = rr.print_module(lower(checked(wrong), passes=("to_destinations",)).module.module)
    copy = 'd = R.call_tir(cls.same, (b,), out_ty=R.Tensor((n, m), "float32"))'
    copied = after.replace("d = R.permute_dims(b, axes=[0, 1])", copy)
    assert copied != after
    assert isinstance(attempt(checked(copied), checked(after), "main"), str)
    assert isinstance(attempt(checked(after), checked(copied), "main"), str)
