"""Memory that mode ``fast`` reuses: only what nothing can see any more, and nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax import examples
from refrelax.backends.numpy_ import fast_operators, graph, runtime
from refrelax.backends.numpy_.liveness import IN_PLACE, Liveness, same_tensor
from refrelax.testing import random_arguments
from tests.draws import draws

PAIR = 'R.Tuple(R.Tensor((n, 3), "float32"), R.Tensor((n, 3), "float32"))'
ONE = 'R.Tensor((n, 3), "float32")'


def module(body: str, result: str = PAIR, more: str = "") -> str:
    """``main(x, s)`` of an (n, 3) tensor and a scalar condition."""
    lines = "\n".join("        " + line for line in body.strip().splitlines())
    return f"""
@I.ir_module
class Module:
{more}    @R.function(pure=False)
    def main(x: R.Tensor(("n", 3), "float32"), s: R.Tensor((), "bool")) -> {result}:
        n = T.int64()
{lines}
"""


CHAIN = module("a = R.add(x, x)\nb = R.multiply(a, x)\nc = R.negative(b)\nreturn c", ONE)

CASES = {
    "reshape": module("a = R.add(x, x)\nb = R.reshape(a, R.shape([n, 3]))\nc = R.negative(a)\n"
        "d = R.add(c, b)\nreturn (c, d)"),
    "chain-of-views": module(
        "a = R.add(x, x)\nb = R.permute_dims(a)\nc = R.permute_dims(b)\nd = R.negative(a)\ne = R.add(d, c)\n"
            "return (d, e)"
    ),
    "expand": module("a = R.add(x, x)\nb = R.expand_dims(a, axis=[0])\nc = R.negative(a)\n"
        "d = R.squeeze(b, axis=[0])\nreturn (c, d)"),
    "returned": module("a = R.add(x, x)\nb = R.negative(a)\nreturn (a, b)"),
    "returned-view": module("a = R.add(x, x)\nv = R.reshape(a, R.shape([n, 3]))\nb = R.negative(a)\nreturn (v, b)"),
    "twice": module("a = R.add(x, x)\nb = R.negative(a)\nc = R.multiply(a, b)\nd = R.add(c, c)\nreturn (b, d)"),
    "itself": module("a = R.add(x, x)\nb = R.multiply(a, a)\nreturn (b, x)"),
    "tuple": module("a = R.add(x, x)\nt = (a, x)\nb = R.negative(a)\nc = t[0]\nd = R.add(b, c)\nreturn (b, d)"),
    "split": module("a = R.concat((x, x), axis=1)\nt = R.split(a, 2, axis=1)\nu = t[0]\nv = t[1]\n"
                    "b = R.negative(u)\nc = R.add(v, u)\nreturn (b, c)"),
    "renamed": module("a = R.add(x, x)\nb = a\nc = R.negative(a)\nd = R.add(c, b)\nreturn (c, d)"),
    "match-cast": module(
        'a = R.add(x, x)\nb = R.match_cast(a, R.Tensor((n, 3), "float32"))\nc = R.negative(a)\n'
            'd = R.add(c, b)\nreturn (c, d)'
    ),
    "parameter": module("a = R.negative(x)\nb = R.add(a, x)\nreturn (b, x)"),
    "parameter-view": module("v = R.reshape(x, R.shape([n, 3]))\nb = R.negative(v)\nreturn (b, x)"),
    "broadcast": module(
        "a = R.sum(x, axis=[0], keepdims=True)\nb = R.broadcast_to(a, R.shape([n, 3]))\nc = R.negative(b)\n"
            "d = R.add(c, b)\n"
        "return (c, d)"
    ),
    "narrower": module("a = R.sum(x, axis=[0], keepdims=True)\nb = R.add(a, x)\nreturn (b, x)"),
    "transposed": module(
        "a = R.matmul(x, R.permute_dims(x))\nb = R.permute_dims(a)\nc = R.subtract(a, b)\n"
            "d = R.matmul(c, x)\nreturn (d, x)"
    ),
    "constant": module('a = R.const([[1, 2, 3]], "float32")\nb = R.negative(a)\nc = R.add(x, a)\n'
        'd = R.add(c, b)\nreturn (c, d)'),
    "branch": module(
        "a = R.add(x, x)\nif s:\n    b = R.negative(a)\n    r = R.multiply(b, b)\nelse:\n    b = R.add(a, x)\n"
        "    r = R.reshape(a, R.shape([n, 3]))\nc = R.add(r, r)\nd = R.add(a, c)\nreturn (r, d)"
    ),
    "branch-result": module(
        "a = R.add(x, x)\nif s:\n    b = R.negative(a)\n    r = b\nelse:\n"
            "    c = R.reshape(a, R.shape([n, 3]))\n    r = c\n"
        "d = R.negative(a)\ne = R.add(d, r)\nreturn (d, e)"
    ),
    "closure": module(
        f"a = R.add(x, x)\n@R.function\ndef inner(y: {ONE}) -> {ONE}:\n    b = R.add(y, a)\n    return b\n"
        "c = R.negative(a)\nd = inner(c)\ne = inner(c)\nreturn (d, e)"
    ),
    "called": module(
        "a = R.add(x, x)\nb = Module.same(a)\nc = R.negative(a)\nd = R.add(c, b)\nreturn (c, d)",
        more='    @R.function\n'
            '    def same(y: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):\n        return y\n\n',
    ),
    "where": module("a = R.add(x, x)\nb = R.greater(a, x)\nc = R.where(b, a, x)\nd = R.where(b, x, c)\nreturn (c, d)"),
    "group": module("a = R.add(x, x)\nv = R.reshape(a, R.shape([n, 3]))\nb = R.negative(a)\nc = R.multiply(b, x)\n"
        "w = R.reshape(c, R.shape([n, 3]))\nd = R.add(w, v)\nreturn (c, d)"),
    "chain": module("a = R.add(x, x)\nb = R.multiply(a, x)\nc = R.negative(b)\nd = R.nn.relu(c)\nreturn (d, x)"),
}  # fmt: skip


def compiled(text: str, mode: str = "fast") -> Any:
    return rr.compile(rr.check(rr.parse(text)), mode=mode)


def outcomes_agree(name: str) -> None:
    """Fast mode twice (so that nothing it may have spoilt stays), on small integers, against the definition."""
    checked = rr.check(rr.parse(CASES[name]))
    executable = rr.compile(checked, mode="fast")
    for n in (0, 1, 5):
        x = np.arange(3 * n, dtype=np.float32).reshape(n, 3) - 4
        for condition in (True, False):
            wanted = rr.run(checked, "main", x, np.array(condition))
            assert isinstance(wanted, rr.Returned)
            for _ in range(2):
                found = executable.run("main", x, np.array(condition))
                assert isinstance(found, rr.Returned), found
                for a, b in zip((*wanted.value, *wanted.arguments), (*found.value, *found.arguments), strict=True):
                    np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.fixture(autouse=True)
def by_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of few elements too go through blocks, where they may calculate in place."""
    monkeypatch.setattr(runtime, "FEW", -1)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every binding by itself: no groups (``fast_groups.py``)."""
    monkeypatch.setattr(graph, "group_at", lambda *_: None)


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    outcomes_agree(name)


@pytest.mark.parametrize("name", CASES)
def test_values_of_few_elements(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(runtime, "FEW", 1 << 11)
    outcomes_agree(name)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("alone")
def test_values_one_by_one(name: str) -> None:
    outcomes_agree(name)


BROKEN = {
    "aliases are forgotten": ("_join", lambda self, name, others: self.parent.setdefault(name, name), (
        "reshape", "chain-of-views", "tuple", "renamed", "match-cast", "returned-view", "branch-result",
        "called",
    )),
    "nothing lives on": (
        "_may_hold", lambda self, name, each, operands: same_tensor(self._type(name), self._type(each.name)),
        ("returned", "twice", "parameter", "branch", "reshape"),
    ),
    "nothing is kept": ("_keep", lambda self, names: None, ("closure",)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("method", "wrong", "name"),
    [(m, w, n) for m, w, names in BROKEN.values() for n in names],
    ids=lambda v: str(v)[:20],
)
@pytest.mark.usefixtures("alone")
def test_a_broken_analysis_is_noticed(monkeypatch: pytest.MonkeyPatch, method: str, wrong: Any, name: str) -> None:
    """The cases are sharp: with the rule that protects them taken away, they give wrong values (or none)."""
    monkeypatch.setattr(Liveness, method, wrong)
    with pytest.raises((AssertionError, NameError)):
        outcomes_agree(name)


@pytest.mark.parametrize("name", ["group", "branch"])
def test_a_group_that_spoils_an_operand_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    wrong = lambda self, name, each, first, last: same_tensor(self._type(name), self._type(each.name))  # noqa: E731
    monkeypatch.setattr(Liveness, "may_end_within", wrong)
    with pytest.raises((AssertionError, NameError)):
        outcomes_agree(name)


@pytest.mark.usefixtures("alone")
def test_the_source_says_what_is_reused() -> None:
    source = compiled(CHAIN).source
    assert "b = np.multiply(a, x, out=a)\n    del a\n" in source
    assert "c = ops['negative'](b, out=b)\n    del b\n" in source


@pytest.mark.parametrize("name", ["returned", "parameter-view", "narrower", "transposed", "constant", "closure"])
def test_nothing_to_write_over(name: str) -> None:
    source = compiled(CASES[name]).source
    assert not any(f"out={operand}" in source for operand in "axv")


@pytest.mark.parametrize("name", CASES)
def test_parameters_are_never_written_over(name: str) -> None:
    assert "out=x" not in compiled(CASES[name]).source


def test_only_fast_and_unobserved() -> None:
    executable = compiled(CHAIN)
    assert "out=" not in compiled(CHAIN, "bits").source
    x = np.ones((2, 3), dtype=np.float32)
    frames = {f.name: f.value for f in executable.observe("main", x, np.array(True)).frames}
    assert [frames[k][0, 0] for k in "abc"] == [2, 2, -2]


def test_not_where_something_is_overwritten() -> None:
    text = module(
        "a = R.add(x, x)\nb = R.negative(a)\n"
        'c = R.call_tir_inplace(Module.f, (b,), out_ty=R.Tensor((n, 3), "float32"), '
        "inplace_indices=[0])\nd = R.add(c, c)\nreturn d",
        ONE,
        """    @T.prim_func
    def f(p: T.handle):
        n = T.int64()
        A = T.match_buffer(p, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = A[vi, vj] + T.float32(1)

""",
    )
    assert "out=" not in compiled(text).source


# --- what the analysis believes of operators -------------------------------------------------------------------------

X = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
FLAG = X > 2
ROW = np.arange(2, 6, dtype=np.float32)
CUBE = np.arange(24, dtype=np.float32).reshape(1, 4, 6)
CHANNELS = {"channel_axis": 1, "axes": [2], "epsilon": 1e-5, "center": True, "scale": True}
SPECIAL: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "where": ((FLAG, X, X), {}), "clip": ((X, rr.Prim("int32", 3), rr.Prim("int32", 9)), {}),
    "nn.softmax": ((X,), {"axis": -1}), "nn.log_softmax": ((X,), {"axis": -1}),
    "nn.layer_norm": ((X, ROW, ROW + 1), {"axes": [-1], "epsilon": 1e-5, "center": True, "scale": True}),
    "nn.rms_norm": ((X, ROW), {"axes": [-1], "epsilon": 1e-5}),
    "nn.group_norm": ((CUBE, ROW, ROW + 1), {**CHANNELS, "num_groups": 2}),
    "nn.instance_norm": ((CUBE, ROW, ROW + 1), CHANNELS),
}  # fmt: skip
TWO = {"add", "subtract", "multiply", "divide"}


@pytest.mark.parametrize("name", sorted(n.removeprefix("relax.") for n in IN_PLACE))
def test_in_place_gives_the_same(name: str) -> None:
    """Into an operand, and into an operand that does not fit, which is left alone."""
    given_, attrs = SPECIAL.get(name, ((X, X) if name in TWO else (X,), {}))
    apply = fast_operators.FAST_OPERATORS[f"relax.{name}"]
    wanted = apply(*given_, **attrs)
    first = CUBE if given_[0] is CUBE else X
    own = first.copy()
    found = apply(*(own if a is first else a for a in given_), **attrs, out=own)
    assert np.shares_memory(found, own)
    np.testing.assert_array_equal(found, wanted)
    for unfit in (np.zeros((1, 4), np.float32), np.zeros((3, 4)), np.broadcast_to(np.float32(0), (3, 4))):
        np.testing.assert_array_equal(apply(*given_, **attrs, out=unfit), wanted)
        assert not unfit.any()


# --- whole models ----------------------------------------------------------------------------------------------------


class Fast:
    """Mode ``fast`` as it runs when nobody looks: memory reused."""

    def run(self, module_: rr.Module, entry: str, args: list[Any]) -> Any:
        executable = rr.compile(rr.check(module_), mode="fast")
        assert "out=" in executable.source or "del " in executable.source
        return executable.run(entry, *args)


@pytest.mark.parametrize("name", examples.names())
def test_the_examples_agree(name: str) -> None:
    """Judged on their results; and against the observed run, which reuses nothing."""
    found = examples.load(name).stage("imported")
    checked = rr.check(rr.bind_constants(rr.parse(found.text, str(found.path)), found.constants))
    args = random_arguments(checked.module, dims={"n": 3})
    assert isinstance(rr.diff(checked, "main", args, impl=Fast()), rr.Agreement)
    executable = rr.compile(checked, mode="fast")
    close(executable.run("main", *args), executable.observe("main", *args).outcome)


@settings(max_examples=draws(40))
@given(st.data())
def test_generated_modules(data: st.DataObject) -> None:
    """Reusing memory changes nothing."""
    checked = rr.check(data.draw(rr.testing.modules()))
    args = data.draw(rr.testing.call_arguments(checked.module))
    executable = rr.compile(checked, mode="fast")
    externs = rr.testing.EXTERNS
    close(executable.run("main", *args, externs=externs), executable.observe("main", *args, externs=externs).outcome)


def close(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, rr.Returned):
        same(a.value, b.value)
        same(a.arguments, b.arguments)


def same(a: Any, b: Any) -> None:
    if isinstance(a, tuple):
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, rr.Tensor):
        x, y = a.numpy(), b.numpy()
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        if x.dtype.name in ("float32", "float64"):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
        else:
            assert a == b or a.patterns() == b.patterns()


def test_a_norm_by_itself_is_not_computed_over_itself() -> None:
    """The scale was read where results stood already."""
    checked = rr.check(
        rr.parse(
            """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")):
        v = R.concat((x, x), axis=0)
        y = R.nn.rms_norm(v, v, axes=[-1])
        return y
"""
        )
    )
    executable = rr.compile(checked, mode="fast")
    x = np.arange(1, 4, dtype="float32")
    close(executable.run("main", x), executable.observe("main", x).outcome)
