"""Which statements run together, and which must not; and that those which do give what the program gives."""

# ruff: noqa: E501

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.plan import plans
from refrelax.judge import diff
from refrelax.semantics.types.checked import CheckedModule

HEAD = """
from tvm.script import ir as I, tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.handle, o: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        O = T.match_buffer(o, (n, m), "float32")
        S = T.alloc_buffer((n,), "float32")
        B = T.alloc_buffer((n, m), "float32")
"""


def store(target: str, value: str, axes: str = "i j") -> str:
    names = axes.split()
    grid = ", ".join("n" if k in "ip" else "m" for k in names)
    lines = [
        f"        for {', '.join(names)} in T.grid({grid}):"
        if len(names) > 1
        else f"        for {names[0]} in range({grid}):"
    ]
    lines.append(f'            with T.sblock("{target[0].lower()}"):')
    lines += [f"                v{k} = T.axis.spatial({'n' if k in 'ip' else 'm'}, {k})" for k in names]
    return "\n".join([*lines, f"                {target} = {value}"])


def fold(value: str, start: str = "T.float32(0)", op: str = "S[vi] + {}", target: str = "S[vi]") -> str:
    return f"""        for i, k in T.grid(n, m):
            with T.sblock("fold"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    {target} = {start}
                {target} = {op.format(value)}"""


PROGRAMS: dict[str, tuple[int, list[str]]] = {
    "scaled": (1, [fold("A[vi, vk]"), store("O[vi, vj]", "A[vi, vj] / S[vi]")]),
    "stored_first": (1, [store("B[vi, vj]", "A[vi, vj] * A[vi, vj]"), fold("B[vi, vk]"), store("O[vi, vj]", "B[vi, vj] - S[vi]")]),
    "stored_twice": (1, [store("O[vi, vj]", "A[vi, vj] + T.float32(1)"), fold("O[vi, vk]"), store("O[vi, vj]", "O[vi, vj] * S[vi]")]),
    "two_folds": (1, [fold("A[vi, vk]"), store("B[vi, vj]", "A[vi, vj] - S[vi]"), fold("B[vi, vk] * B[vi, vk]"), store("O[vi, vj]", "B[vi, vj] * S[vi]")]),
    "empty_rows": (1, [store("S[vi]", "T.float32(7)", "i"), fold("A[vi, vk]"), store("S[vi]", "S[vi] + T.float32(1)", "i"), store("O[vi, vj]", "S[vi]")]),
    "another_row": (2, [fold("A[vi, vk]"), store("O[vi, vj]", "A[vi, vj] + S[n - T.int64(1) - vi]")]),
    "columns_apart": (2, [store("B[vi, vj]", "A[vi, vj] * T.float32(2)"), store("O[vi, vj]", "B[vi, m - T.int64(1) - vj]")]),
    "columns_before_a_fold": (2, [fold("A[vi, vk]"), store("B[vi, vj]", "A[vi, vj] - S[vi]"), store("O[vi, vj]", "B[vi, m - T.int64(1) - vj]")]),
    "elementwise": (1, [store("B[vi, vj]", "A[vi, vj] * T.float32(2)"), store("O[vi, vj]", "B[vi, vj] + T.exp(A[vi, vj])"), store("O[vi, vj]", "O[vi, vj] + B[vi, vj]")]),
    "sum_of_all": (2, [store("B[vi, vj]", "A[vi, vj] * A[vi, vj]"), fold("B[T.int64(0), vk]"), store("O[vi, vj]", "S[vi]")]),
    "unassigned": (1, [store("S[vi]", "S[vi] + T.float32(0)", "i"), fold("A[vi, vk]"), store("O[vi, vj]", "S[vi]")]),
    "product": (1, [fold("A[vi, vk]", "T.float32(1)", "S[vi] * {}"), store("O[vi, vj]", "S[vi]")]),
    "conditional": (1, [fold("T.if_then_else(vk < vi, A[vi, vk], T.float32(1))"), store("O[vi, vj]", "A[vi, vj] * S[vi]")]),
    "shifted": (1, [fold("T.if_then_else(vk > T.int64(0), A[vi, vk - T.int64(1)], T.float32(1))"), store("O[vi, vj]", "A[vi, vj] * S[vi]")]),
}  # fmt: skip
"""How many kernels, and the statements."""


@cache
def program(name: str) -> CheckedModule:
    return rr.check(rr.parse(HEAD + "\n".join(PROGRAMS[name][1]) + "\n", f"{name}.py"))


@cache
def executable(name: str, order: int) -> CudaExecutable:
    return CudaExecutable(program(name), "fast", EmulatedDevice(order))


@pytest.mark.parametrize("name", PROGRAMS)
def test_how_many_kernels(name: str) -> None:
    plan = plans(program(name).module, "fast")["main"]
    assert len(plan.kernels) == PROGRAMS[name][0], [k.form for k in plan.kernels]
    assert all(claim.proved for claim in plan.claims) or name == "sum_of_all"
    assert len(plans(program(name).module, "bits")["main"].kernels) == len(PROGRAMS[name][1])


class Emulated:
    def __init__(self, name: str, order: int) -> None:
        self.executable = executable(name, order)

    def run(self, _module: Any, entry: str, args: Any) -> Any:
        return self.executable.run(entry, *args)


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
@pytest.mark.parametrize("name", PROGRAMS)
def test_permitted(name: str) -> None:
    for order, (n, m) in enumerate([(3, 40), (7, 1), (2, 0), (0, 3)]):
        a = np.random.default_rng(order).standard_normal((n, m)).astype(np.float32)
        verdict = diff(program(name), "main", [a, np.full((n, m), 5, np.float32)], impl=Emulated(name, order % 3))
        assert not isinstance(verdict, rr.Divergence), verdict
        assert verdict.report.outside == 0


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
@given(st.sampled_from(sorted(PROGRAMS)), st.integers(0, 9), st.integers(0, 90), st.integers(0, 2))
@settings(max_examples=15)
def test_small_integers_give_the_same_bits(name: str, n: int, m: int, order: int) -> None:
    """Where every order of summation is exact, the elements are the program's."""
    if name in ("scaled", "elementwise", "product"):
        return
    a = np.random.default_rng(n + m).integers(-3, 4, (n, m)).astype(np.float32)
    found = executable(name, order).run("main", a, np.zeros_like(a))
    wanted = rr.run(program(name), "main", a, np.zeros_like(a))
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    if not wanted.poison:
        assert found.arguments[1].numpy().tolist() == wanted.arguments[1].numpy().tolist()


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
def test_arguments_that_share_memory_are_run_in_the_programs_order() -> None:
    """`O` is `A`: what the first statement stores, the others read."""
    device = EmulatedDevice()
    compiled = CudaExecutable(program("stored_twice"), "fast", device)
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    whole = device.upload(a)
    launcher = compiled.launchers["main"]
    launcher(whole, whole)
    wanted = a + 1
    assert device.download(whole).tolist() == (wanted * wanted.sum(axis=1, keepdims=True)).tolist()
    assert launcher.in_doubt == 1
    apart = device.upload(np.zeros_like(a))
    launcher(device.upload(a), apart)
    assert launcher.in_doubt == 1


# --- contractions and what is done with their elements ---------------------------------------------------------------

CONTRACTION = """
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "k"), "float32"), w: R.Tensor(("k", "m"), "float32"), b: R.Tensor(("m",), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.add(y, b)
            s = R.multiply(z, R.sigmoid(z))
            R.output(s)
        return s
"""


@cache
def contraction(order: int) -> CudaExecutable:
    from refrelax.lower.pipeline import lower

    return CudaExecutable(
        lower(rr.check(rr.parse(CONTRACTION)), pipeline="kernels").module, "fast", EmulatedDevice(order)
    )


@pytest.mark.thorough
def test_an_epilogue_is_no_launch_of_its_own() -> None:
    found = contraction(0).cost(n=64, m=48, k=32)
    assert [each.form for each in found.kernels] == ["tiled contraction"]
    assert found.read == 4 * (64 * 32 * 3 + 48 * 32 * 4 + 48) and found.written == 4 * 64 * 48


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.integers(0, 2))
@settings(max_examples=10)
def test_an_epilogue_is_permitted(n: int, m: int, k: int, order: int) -> None:
    if n * m * k > 4000:
        k = 3
    r = np.random.default_rng(n)
    args = [r.standard_normal(shape).astype(np.float32) for shape in ((n, k), (k, m), (m,))]
    compiled = contraction(order)

    class It:
        def run(self, _module: Any, entry: str, given: Any) -> Any:
            return compiled.run(entry, *given)

    verdict = diff(compiled.checked, "main", args, impl=It())
    assert not isinstance(verdict, rr.Divergence), verdict
