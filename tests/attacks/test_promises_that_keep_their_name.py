"""What an attribute promises of a symbol follows the symbol's name, in every comparison up to names.

Spec: ``spec/03c-printing-and-json.md``, *Equality*; ``ev/symbol-bounds``.
"""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import Options, attempt
from refrelax.lower.pipeline import lower
from refrelax.syntax.alike import outline
from refrelax.syntax.module import Module

PROGRAM = """
{declared}
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({a}, {b}), "float32")) -> R.Tensor(({a}, {b}), "float32"):
        R.func_attr({attrs})
        y = R.exp(x)
        return y
"""
PROMISES = [
    '{"tir_var_upper_bound": {"n": 2}}',
    '{"tir_var_lower_bound": {"n": 2}}',
    '{"tir_var_upper_bound": {"m": 7, "n": 2}}',
    '{"tir_var_lower_bound": {"m": 1}, "tir_var_upper_bound": {"n": 2}}',
]


def program(attrs: str, a: str = "n", b: str = "m") -> Module:
    declared = "\n".join(f'{name} = TypeVar("{name}")' for name in dict.fromkeys((a, b)))
    return rr.parse(PROGRAM.format(declared=declared, a=a, b=b, attrs=attrs))


def outlines(module: Module) -> list[int]:
    return [outline(each) for each in module.functions.values()]


@pytest.mark.parametrize("attrs", PROMISES)
def test_the_other_extent_is_another_promise(attrs: str) -> None:
    """The signature's names change places and the attribute stays: it speaks of the other extent."""
    first, second = program(attrs), program(attrs, "m", "n")
    assert not rr.structural_equal(first, second) and not rr.structural_equal(second, first)
    assert outlines(first) != outlines(second)
    both = [rr.check(each) for each in (first, second)]
    assert not isinstance(attempt(*both, "main", Options()), Proved)
    assert isinstance(rr.validate(*both), rr.Refuted)


@pytest.mark.parametrize(
    "attrs", [*PROMISES, '{"tir_non_negative_var": ["n"]}', '{"tir_non_negative_var": ["n", "m"]}']
)
def test_renamed_together(attrs: str) -> None:
    """The names change and the attributes change with them, whatever the order of the new ones."""
    for n, m in (("p", "q"), ("q", "p"), ("m", "n")):
        by = {"n": n, "m": m}
        renamed = attrs.replace('"n"', '"{n}"').replace('"m"', '"{m}"')
        other = program(renamed.replace("{n}", by["n"]).replace("{m}", by["m"]), n, m)
        assert rr.structural_equal(program(attrs), other)
        assert outlines(program(attrs)) == outlines(other)


def test_a_list_of_another_symbol() -> None:
    first = program('{"tir_non_negative_var": ["n"]}')
    assert not rr.structural_equal(first, program('{"tir_non_negative_var": ["n"]}', "m", "n"))
    assert not rr.structural_equal(first, program('{"tir_non_negative_var": ["n", "n"]}'))


def test_names_that_the_signature_does_not_define() -> None:
    """They promise nothing, and stay the words that they are."""
    one, two = '{"tir_var_upper_bound": {"k": 2}}', '{"tir_var_upper_bound": {"l": 2}}'
    assert rr.structural_equal(program(one), program(one, "p", "q"))
    assert not rr.structural_equal(program(one), program(two))
    assert not rr.structural_equal(program(one), program(one, "k"))
    listed = '{"tir_non_negative_var": ["k", 3, ["n"]]}'
    assert rr.structural_equal(program(listed), program(listed, "p", "q"))
    assert not rr.structural_equal(program('{"bounds": {"n": 2}}'), program('{"bounds": {"p": 2}}', "p"))


@pytest.mark.parametrize("value", ["True", '"2"', "2.0", "{}", "[2]"])
def test_what_is_no_integer_is_compared(value: str) -> None:
    """Such a bound says nothing, and is no other one."""
    odd, even = (f'{{"tir_var_upper_bound": {{"n": {v}}}}}' for v in (value, "2"))
    assert rr.structural_equal(program(odd), program(odd.replace('"n"', '"p"'), "p"))
    assert not rr.structural_equal(program(odd), program(even))


def test_a_scalar_parameter() -> None:
    """Its promise follows the parameter's name."""
    text = """
@I.ir_module
class Module:
    @R.function
    def main({a}: R.Prim("int64"), {b}: R.Prim("int64"), x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        R.func_attr({{"tir_var_upper_bound": {{"{c}": 2}}}})
        y = R.exp(x)
        return y
"""
    one, same, other = (rr.parse(text.format(a=a, b=b, c=c)) for a, b, c in ("klk", "lkl", "lkk"))
    assert rr.structural_equal(one, same) and outlines(one) == outlines(same)
    assert not rr.structural_equal(one, other) and outlines(one) != outlines(other)
    assert not isinstance(rr.validate(rr.check(one), rr.check(other)), rr.Equivalent)


def test_a_local_function() -> None:
    """Its own signature says what its promise speaks of."""
    text = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "float32")) -> R.Tensor((n, 3), "float32"):
        {a} = TypeVar("{a}")
        {b} = TypeVar("{b}")
        @R.function
        def inner(y: R.Tensor(({a}, {b}), "float32")) -> R.Tensor(({a}, {b}), "float32"):
            R.func_attr({{"tir_var_upper_bound": {{"{c}": 2}}}})
            z = R.exp(y)
            return z
        w = inner(x)
        return w
"""
    one, same, other = (rr.parse(text.format(a=a, b=b, c=c)) for a, b, c in ("klk", "lkl", "lkk"))
    assert rr.structural_equal(one, same) and outlines(one) == outlines(same)
    assert not rr.structural_equal(one, other) and outlines(one) != outlines(other)
    assert not isinstance(rr.validate(rr.check(one), rr.check(other)), rr.Equivalent)


BUILT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def k(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            B[i] = A[{}] + T.float32(1)
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        cls = Module
        y = R.call_tir(cls.k, (x,), out_ty=R.Tensor((n,), "float32"))
        return y
"""


@pytest.mark.parametrize("name", ["n", "slot0"])
def test_a_built_entry_has_no_symbols_to_promise_of(name: str) -> None:
    """Its parameters are of any type: the names under which a proof knows the extents are the proof's own."""
    built = [rr.print_module(lower(rr.check(rr.parse(BUILT.format(at))), pipeline="build").module.module) for at in AT]
    promised = f'"relax.force_pure": True, "tir_var_upper_bound": {{"{name}": 4}}'
    both = [rr.check(rr.parse(each.replace('"relax.force_pure": True', promised))) for each in built]
    assert all(len(each.module.functions["main"].attrs) == 2 for each in both)
    assert not isinstance(attempt(*both, "main", Options()), Proved)
    assert isinstance(rr.validate(*both), rr.Refuted)


AT = ("i", "T.min(i, T.int64(3))")
