"""No accepted loop-level expression ends in a fault: every intrinsic and operator, at every dtype and corner value."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.semantics.intrinsics.pure import PURE
from refrelax.testing.corners import ELEMENT_DTYPES
from refrelax.testing.sweep import Fault, Param, Program, examine

BINARY = ("pow", "atan2", "hypot", "copysign", "nextafter", "fmod", "bitwise_and", "bitwise_or", "bitwise_xor",
          "shift_left", "shift_right", "truncmod", "max", "min")  # fmt: skip
FORMS = {
    **{name: f"T.{name}(A[i])" for name in sorted(PURE - {"reinterpret", "fma", "ldexp", *BINARY})},
    **{name: f"T.{name}(A[i], B[i])" for name in BINARY},
    **{f"infix {op}": f"A[i] {op} B[i]" for op in ("+", "-", "*", "//", "%", "<", "<=", "==", "!=")},
    "Div": "T.Div(A[i], B[i])",
    "fma": "T.fma(A[i], B[i], A[i])",
    "ldexp": "T.ldexp(A[i], T.int32(2))",
    "Select": "T.Select(A[i] < B[i], A[i], B[i])",
    "if_then_else": "T.if_then_else(A[i] <= B[i], B[i], A[i])",
    "Cast": 'T.Cast("{to}", A[i])',
}
TRUTHS = ("isnan", "isinf", "isfinite", "infix <", "infix <=", "infix ==", "infix !=")
COUNTS = ("clz",)
CASTS = (
    "float32",
    "int8",
    "bool",
    "uint64",
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e8m0fnu",
    "int4",
    "float64",
)


class LoopProgram(Program):
    """One expression in a loop over three elements."""

    @property
    def text(self) -> str:
        dtype, result = self.params[0].dtype, self.params[1].dtype
        sig = f'A: T.Buffer((3,), "{dtype}"), B: T.Buffer((3,), "{dtype}"), C: T.Buffer((3,), "{result}")'
        types = f'a: R.Tensor((3,), "{dtype}"), b: R.Tensor((3,), "{dtype}")'
        return (
            "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"
            f"    def f({sig}):\n        for i in range(3):\n            C[i] = {self.call}\n\n"
            f"    @R.function\n    def main({types}):\n        cls = Module\n"
            f'        y = R.call_tir(cls.f, (a, b), out_ty=R.Tensor((3,), "{result}"))\n        return y\n'
        )

    def arguments(self, n: int, seed: int, policy: str) -> list[object]:
        own = Param("a", self.params[0].dtype, ("3",))
        return [own.value(n, seed, policy), own.value(n, seed + 2, policy)]


def loop_programs(name: str, dtype: str, to: str = "float32") -> Iterator[LoopProgram]:
    result = to if name == "Cast" else "bool" if name in TRUTHS else "int32" if name in COUNTS else dtype
    params = Param("a", dtype, ("n",)), Param("c", result, ("3",))
    yield LoopProgram(name, params, FORMS[name].format(to=to))


def faults_of(name: str, dtype: str, to: str) -> list[Fault]:
    return [fault for program in loop_programs(name, dtype, to) for fault in examine(program)]


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FORMS)), st.sampled_from(ELEMENT_DTYPES), st.sampled_from(CASTS))
def test_a_sample_of_expressions_has_no_fault(name: str, dtype: str, to: str) -> None:
    faults = faults_of(name, dtype, to)
    assert not faults, str(faults[0])


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(FORMS))
def test_every_expression_at_every_dtype(name: str) -> None:
    turn = random.Random(name)
    for dtype in ELEMENT_DTYPES:
        for to in CASTS if name == "Cast" else turn.sample(CASTS, 1):
            faults = faults_of(name, dtype, to)
            assert not faults, str(faults[0])
