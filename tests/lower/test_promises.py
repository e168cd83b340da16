"""What a function promises of its symbols is given to the claims of its calls, and of no other's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.counts import launches, operators
from refrelax.testing.arguments import random_arguments

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"
HEAD += "b, n = T.int64(), T.int64()\n\n@I.ir_module\nclass Module:\n"
JOINED = """
    @R.function
    def {name}(x: R.Tensor((b, 2, 4, n), "float32")) -> R.Tensor((b * 2, 4, n), "float32"):
        R.func_attr({attrs})
        y = R.reshape(x, R.shape([b * 2, 4, n]))
        return y
"""
"""Where ``n`` is 0, ``b * 8`` need not be a number: the index of a row leaves int64 if ``b`` is not bounded."""


def promising(**functions: int | None) -> str:
    """Functions that join two axes, ``b`` promised to be at most a number."""
    written = [
        JOINED.format(name=name, attrs=f'{{"tir_var_upper_bound": {{"b": {most}}}}}' if most is not None else "{}")
        for name, most in functions.items()
    ]
    return HEAD + "".join(written)


@pytest.mark.thorough
@pytest.mark.parametrize("order", [("small", "nothing"), ("nothing", "small"), ("one", "huge", "small")])
def test_a_kernel_that_rests_on_a_promise_is_used_where_it_is_made(order: tuple[str, ...]) -> None:
    bounds = {"small": 64, "nothing": None, "one": 1, "huge": 2**62}
    checked = rr.check(rr.parse(promising(**{name: bounds[name] for name in order})))
    after = lower(checked, "legalize").module
    for name in order:
        bound = bounds[name]
        proved = bound is not None and bound <= 64
        assert (launches(after.module, name), operators(after.module, name)) == ((1, 0) if proved else (0, 1))


def test_sizes_at_and_beyond_a_promise() -> None:
    checked = rr.check(rr.parse(promising(main=5)))
    after = lower(checked, "legalize").module
    for sizes in ({"b": 5, "n": 3}, {"b": 0, "n": 1}, {"b": 1, "n": 0}):
        args = random_arguments(checked.module, "main", 0, sizes)
        assert isinstance(rr.run(after, "main", *args), rr.Returned)
    beyond = rr.run(after, "main", *random_arguments(checked.module, "main", 0, {"b": 6, "n": 3}))
    assert isinstance(beyond, rr.Unspecified) and beyond.rule == "ev/symbol-bounds"


@pytest.mark.thorough
def test_a_promise_of_a_name_that_nobody_has_is_told() -> None:
    text = promising(main=5, other=3)
    assert "promises" not in lower(rr.check(rr.parse(text)), "default").steps[-1].evidence
    slip = text.replace('{"b": 5}', '{"bb": 5, "n": 9}')
    told = lower(rr.check(rr.parse(slip)), "default").steps
    assert "main promises something of bb, which no function has" in next(
        each.evidence for each in told if each.name == "plan_memory"
    )


@pytest.mark.parametrize(
    ("attrs", "why"),
    [
        ('{"tir_var_upper_bound": {"b": "8"}}', "takes an integer for b; found '8'"),
        ('{"tir_var_upper_bound": {"b": 8.0}}', "takes an integer for b; found T.float64(8.0)"),
        ('{"tir_var_lower_bound": 8}', "takes a dict of integers by name; found 8"),
        ('{"tir_non_negative_var": "b"}', "takes a list of names; found 'b'"),
        ('{"tir_non_negative_var": ["b", ["n"]]}', "takes names; found a list"),
        ('{"tir_var_upper_bound": {"n": -1}}', "promises n <= -1; expected 0 or more"),
        ('{"tir_var_upper_bound": {"n": 1}, "tir_var_lower_bound": {"n": 2}}', "2 <= n <= 1 is promised"),
    ],
)
@pytest.mark.parametrize("local", [False, True])
def test_a_promise_of_a_wrong_form_is_refused(attrs: str, why: str, local: bool) -> None:
    """With its place: it was as if nothing had been promised."""
    text = HEAD + JOINED.format(name="main", attrs=attrs)
    if local:
        inner = """
        @R.function
        def inner(z: R.Tensor((b, n), "float32")) -> R.Tensor((b, n), "float32"):
            R.func_attr(ATTRS)
            return z
        y = R"""
        text = HEAD + JOINED.format(name="main", attrs="{}").replace("\n        y = R", inner.replace("ATTRS", attrs))
    with pytest.raises(rr.IllFormed) as found:
        rr.check(rr.parse(text))
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.rule == "wf/promise" and diagnostic.span is not None and why in diagnostic.message


@pytest.mark.thorough
def test_a_group_is_formed_under_a_promise() -> None:
    """``b * (n + 6)`` is a number only where ``n + 6`` is; without a bound it need not be, if ``b`` is 0."""
    text = """from tvm.script import ir as I, relax as R, tirx as T
b, n = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((b, n), "float32"), y: R.Tensor((b, 6), "float32")):
        {attrs}
        with R.dataflow():
            c = R.concat((x, y), axis=1)
            r = R.reshape(c, R.shape([b * (n + 6)]))
            e = R.exp(r)
            f = R.nn.relu(e)
            R.output(f)
        return f
"""
    bounded = text.format(attrs='R.func_attr({"tir_var_upper_bound": {"b": 5, "n": 9}})')
    checked = rr.check(rr.parse(bounded))
    lowered = lower(checked, "kernels")
    assert all(claim.proved for claim in lowered.claims)
    assert rr.validate(checked, lowered.module).word == "PROVED"


@pytest.mark.thorough
@given(
    st.sampled_from([(0, 2**63 - 1, 1), (1, 2**63 - 1, 1), (-3, 2**63 - 1, 2), (-(2**63), 2**63 - 1, 3),
                     (2**63 - 1, -(2**63), -1), (5, -(2**63), -2)]),
    st.sampled_from(["n", "7"]),
)  # fmt: skip
def test_a_slice_to_the_end_as_importers_write_it(bounds: tuple[int, int, int], extent: str) -> None:
    begin, end, stride = bounds
    text = f"""{HEAD}    @R.function
    def main(x: R.Tensor(({extent}, 2), "float32")) -> R.Tensor(ndim=2, dtype="float32"):
        y = R.strided_slice(x, (0,), ({begin},), ({end},), ({stride},), assume_inbound=False)
        return y
"""
    checked = rr.check(rr.parse(text))
    after = lower(checked, "legalize").module
    for n in (0, 1, 7):
        dims = {"n": n} if extent == "n" else {}
        args = random_arguments(checked.module, "main", 0, dims, "integer")
        wanted, found = rr.run(checked, "main", *args), rr.run(after, "main", *args)
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), found
        assert wanted.value.shape == found.value.shape and wanted.value.patterns() == found.value.patterns()
