# ruff: noqa: E501
"""Deduction, end to end: types as TVM 0.27 prints them, all diagnostics in one run, what a checked module carries."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import pytest

from refrelax.errors import IllFormed, IllTyped, Rejection
from refrelax.semantics.types import CheckedModule, check
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse


def checked(text: str, **constants: Any) -> CheckedModule:
    m = parse(text, "m.py")
    if constants:
        arrays = {int(k[1:]): v for k, v in constants.items()}
        m = Module(m.functions, m.attrs, m.global_infos, arrays)
    return check(m)


def types(c: CheckedModule, function: str = "main") -> dict[str, str]:
    return {name: str(ty) for name, ty in c.types[function].items()}


MLP = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 7), dtype="float32"), w: R.Tensor((12, 7), dtype="float32"), b: R.Tensor((12,), dtype="float32")):
        with R.dataflow():
            wt = R.permute_dims(w, axes=None)
            h = R.matmul(x, wt, out_dtype=None)
            y = R.add(h, b)
            R.output(y)
        return y
"""


def test_a_linear_layer() -> None:
    c = checked(MLP)
    found = types(c)
    assert found["wt"] == 'R.Tensor((7, 12), dtype="float32")'
    assert found["h"] == found["y"] == 'R.Tensor((n, 12), dtype="float32")'
    assert str(c.signatures["main"].ret) == 'R.Tensor((n, 12), dtype="float32")'
    assert any("wt" in line for line in c.explain("main"))
    assert pickle.loads(pickle.dumps(c)) == c


CALLS = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def f(x: R.Tensor(("n * 2",), dtype="float32"), y: R.Tensor((n,), dtype="float32")) -> R.Tensor(("n * 3 + 1",), dtype="float32"):
        z = R.call_dps_packed("g", (x,), out_ty=R.Tensor((n * 3 + 1,), dtype="float32"))
        return z

    @R.function
    def main(a: R.Tensor((7,), dtype="float32"), b: R.Tensor((4,), dtype="float32"), v: R.Tensor((m,), dtype="float32"), w: R.Tensor(("m * 2",), dtype="float32")):
        cls = Module
        p = cls.f(a, b)
        q = cls.f(a, v)
        r = cls.f(w, v)
        return (p, q, r)
"""


def test_a_call_substitutes_and_leaves_obligations() -> None:
    c = checked(CALLS)
    found = types(c)
    assert found["p"] == 'R.Tensor((13,), dtype="float32")'
    assert found["q"] == found["r"] == 'R.Tensor((m * 3 + 1,), dtype="float32")'
    left = {each.name: each.obligations for each in c.entry_checks}
    assert set(left) == {"p", "q"}  # the third call proves 2 * m == m * 2
    assert left["p"][0].argument == 0


NESTED = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
        @R.function
        def inner() -> R.Tensor((n,), dtype="float32"):
            z = R.add(x, x)
            return z
        w = inner()
        return w
"""


def test_a_nested_function_erases_captured_symbols() -> None:
    c = checked(NESTED)
    found = types(c)
    assert found["inner/z"] == 'R.Tensor((n,), dtype="float32")'
    assert found["w"] == 'R.Tensor(dtype="float32", ndim=1)'
    assert str(c.signatures["main"].ret) == 'R.Tensor((n,), dtype="float32")'
    assert {each.name for each in c.promises} == {"return", "inner/return"}


def module(body: str, signature: str, head: str = "", ret: str = "") -> str:
    lines = "\n".join("        " + line for line in body.strip("\n").split("\n"))
    return f"{head}@I.ir_module\nclass Module:\n    @R.function\n    def main({signature}){ret}:\n{lines}\n"


X3 = 'x: R.Tensor((3,), dtype="float32")'


@pytest.mark.parametrize(("annotation", "value", "expected"), [
    ("R.Tensor(ndim=1)", "R.add(x, x)", "R.Tensor(ndim=1)"),
    ("R.Tensor(ndim=1)", "x", 'R.Tensor((3,), dtype="float32")'),
    ("R.Tensor", "R.add(x, x)", "R.Tensor"),
    ("R.Any", "(x, x)", 'R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32"))'),
])  # fmt: skip
def test_an_annotation_decides_on_calls_only(annotation: str, value: str, expected: str) -> None:
    assert types(checked(module(f"y: {annotation} = {value}\nreturn y", X3)))["y"] == expected


def test_return_annotations() -> None:
    assert (
        str(checked(module("return x", X3, ret=" -> R.Tensor")).signatures["main"].ret)
        == 'R.Tensor((3,), dtype="float32")'
    )
    promised = checked(module("return x", X3, ret=' -> R.Tensor((4,), dtype="float32")'))
    assert str(promised.signatures["main"].ret) == 'R.Tensor((4,), dtype="float32")'
    assert [each.name for each in promised.promises] == ["return"]


def test_a_symbol_of_the_body_does_not_leave_it() -> None:
    body = 'k = T.int64()\ny = R.match_cast(x, R.Tensor((k, 3), dtype="float32"))\nz = R.add(y, y)\nreturn z'
    c = checked(module(body, "x: R.Any"))
    assert types(c)["z"] == 'R.Tensor((k, 3), dtype="float32")'
    assert str(c.signatures["main"].ret) == 'R.Tensor(dtype="float32", ndim=2)'


def test_an_if_joins() -> None:
    body = "if c:\n    r = R.add(x, x)\nelse:\n    r = R.add(y, y)\nreturn r"
    c = checked(
        module(
            body,
            'c: R.Tensor((), dtype="bool"), x: R.Tensor((3,), dtype="float32"), y: R.Tensor((4,), dtype="float32")',
        )
    )
    assert types(c)["r"] == 'R.Tensor(dtype="float32", ndim=1)'


CONSTANT = module('y = R.add(x, metadata["ir.GenericConst"][0])\nreturn y', X3)


def test_constants() -> None:
    array = SimpleNamespace(shape=(2, 3), dtype=SimpleNamespace(name="float32"))
    assert types(checked(CONSTANT, _0=array))["y"] == 'R.Tensor((2, 3), dtype="float32")'
    wrong = SimpleNamespace(shape=(2, 5), dtype=SimpleNamespace(name="float32"))
    with pytest.raises(IllTyped):
        checked(CONSTANT, _0=wrong)
    c = checked(CONSTANT)
    assert [each.rule for each in c.notes] == ["ty/unbound-constant"]
    trusted = module(
        'c: R.Tensor((2, 3), dtype="float32") = metadata["ir.GenericConst"][0]\ny = R.add(x, c)\nreturn y', X3
    )
    assert types(checked(trusted))["y"] == 'R.Tensor((2, 3), dtype="float32")'


TWO_ERRORS = module(
    """
a: R.Tensor((4,), dtype="float32") = R.add(x, x)
t = x[0]
b = R.add(a, a)
y = cls.nowhere(x)
u: R.Shape([3]) = R.multiply(x, x)
return b
""".replace("y = cls.nowhere(x)\n", ""),
    X3,
)


def test_all_diagnostics_in_one_run() -> None:
    with pytest.raises(IllTyped) as raised:
        checked(TWO_ERRORS)
    rules = [each.rule for each in raised.value.diagnostics]
    assert rules == ["ty/annotation-impossible", "ty/tuple-get-item", "ty/annotation-impossible"]
    lines = [each.span.line for each in raised.value.diagnostics if each.span is not None]
    assert lines == sorted(lines)
    assert len(lines) == 3


def test_structure_and_types_together() -> None:
    text = module('R.print(x, format=R.str("{}"))\na: R.Tensor((4,), dtype="float32") = R.add(x, x)\nreturn a', X3)
    with pytest.raises(IllFormed) as raised:
        checked(text)
    assert {each.rule for each in raised.value.diagnostics} == {
        "wf/impure-in-pure-function",
        "ty/annotation-impossible",
    }


def test_a_diagnostic_names_both_places() -> None:
    with pytest.raises(Rejection) as raised:
        checked(CALLS.replace('b: R.Tensor((4,), dtype="float32")', 'b: R.Tensor((4,), dtype="float16")'))
    found = raised.value.diagnostics[0]
    assert found.rule == "ty/call-argument"
    assert found.span is not None
    assert found.related[0][0] == "definition of f"
    assert 'expected R.Tensor((n,), dtype="float32"), found R.Tensor((4,), dtype="float16")' in found.message


def test_deep_call_chains_do_not_recurse() -> None:
    def one(k: int) -> str:
        body = f"y = cls.f{k - 1}(x)\n        return y" if k else "return x"
        return f"    @R.function\n    def f{k}({X3}):\n        cls = Module\n        {body}\n"

    c = checked("@I.ir_module\nclass Module:\n" + "".join(one(k) for k in range(400)))
    assert str(c.signatures["f399"].ret) == 'R.Tensor((3,), dtype="float32")'


@pytest.mark.parametrize(
    ("bound", "dtype", "expected"),
    [
        ("", "d", "R.Tensor((4,))"),  # a parameter: the run tells
        ('e = R.dtype("float16")', "e", 'R.Tensor((4,), dtype="float16")'),
        ("e = R.null_value()", "e", 'R.Tensor((4,), dtype="float32")'),
        ("e = d", "e", "R.Tensor((4,))"),
    ],
)
def test_the_dtype_of_a_view(bound: str, dtype: str, expected: str) -> None:
    c = checked(f"""
@R.function
def main(x: R.Tensor((4,), "float32"), d: R.Any):
    {bound or "pass"}
    y = R.memory.view(x, R.shape([4]), {dtype})
    return y
""")
    assert types(c)["y"] == expected
