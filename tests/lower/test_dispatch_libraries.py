"""The libraries of the package: every contract is a pattern that takes its own body, is proved, and is kept by what the
NumPy backend runs for it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.cupy_.device import CuPyDevice
from refrelax.backends.libraries import TABLE, libraries_of
from refrelax.examples import load as load_example
from refrelax.lower import lower
from refrelax.lower.dispatch_library import KNOWN, load
from refrelax.lower.dispatch_library.library import in_order, patterns_of
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Function
from refrelax.testing.arguments import random_arguments, symbols_of

EXTENTS = {"b": 2, "c": 3, "h": 5, "k": 8, "m": 4, "n": 16, "o": 7, "s": 2, "t": 3}
SMALL = {"b": 1, "c": 1, "h": 1, "k": 8, "m": 1, "n": 8, "o": 1, "s": 1, "t": 1}
WINDOWS = {"n": 2, "k": 6}
"""Convolutions are dear: another batch and width for them."""
EMPTY = {"b": 2, "c": 3, "h": 5, "k": 8, "m": 0, "n": 16, "o": 0, "s": 2, "t": 3}
"""``k`` and ``n`` are multiples of 8: some contracts ask for that."""

BY_CONTRACT = {"flash.attention_f16", "flash.attention_causal_f16"}
"""Library functions that the backends run by their contract."""

NAMES = [(library, name) for library in KNOWN for name in in_order(load(library))]


@cache
def body_of(library: str, name: str) -> CheckedModule:
    """The body of a contract as a program of its own, without the contract."""
    contract = load(library).module.functions[name]
    assert isinstance(contract, Function)
    main = replace(contract, private=False, attrs=())
    return rr.check(load(library).module.with_functions({"main": main}))


@cache
def dispatched(library: str, name: str) -> CheckedModule:
    return lower(body_of(library, name), passes=["dispatch_library"], libraries=[library]).module


def called(checked: CheckedModule) -> set[str]:
    return set(contracts_of(checked.module))


@pytest.mark.parametrize("library", KNOWN)
def test_all_contracts_are_patterns_with_names_of_their_library(library: str) -> None:
    patterns = patterns_of(load(library))
    assert len(patterns) == len(load(library).module.functions)
    assert all(each.library.startswith(f"{library}.") for each in patterns)


@pytest.mark.parametrize("library", KNOWN)
def test_what_finds_more_is_tried_first(library: str) -> None:
    """A pattern that another one contains would never be found after it."""
    sizes = [each.depth for each in patterns_of(load(library))]
    assert library == "cutlass" or sizes == sorted(sizes, reverse=True)


def _needs_multiples(library: str, name: str) -> bool:
    return library == "cutlass" and "matmul" in name


@pytest.mark.by_day(4)
@pytest.mark.parametrize("library, name", NAMES, ids=[name for _, name in NAMES])
def test_a_contract_takes_its_own_body(library: str, name: str) -> None:
    wanted = contracts_of(load(library).module)
    found = called(dispatched(library, name))
    if _needs_multiples(library, name):  # nothing says that the extents are multiples of 8
        assert not found
    else:
        assert [wanted[each] for each in found] == [name]


PROVED = [pair for k, pair in enumerate(NAMES) if not _needs_multiples(*pair) and (k % 4 == 0 or pair[0] != "cublas")]


@pytest.mark.by_day(4)
@pytest.mark.parametrize("library, name", PROVED, ids=[name for _, name in PROVED])
def test_the_match_is_the_contract_for_all_shapes(library: str, name: str) -> None:
    assume = ["h >= s", "k >= t"] if library == "cudnn" else []  # or the few runs beside the proof are all open
    verdict = rr.validate(body_of(library, name), dispatched(library, name), rounds=1, assume=assume)
    assert isinstance(verdict, rr.Equivalent) and not verdict.relaxations, verdict
    assert any("the contract of" in each for each in verdict.evidence.trusts)


@pytest.mark.thorough
@pytest.mark.parametrize("library, name", NAMES, ids=[name for _, name in NAMES])
def test_numpy_keeps_the_contract(library: str, name: str) -> None:
    """What runs for the library function is the table's, and agrees with the contract at usual extents, at 1 and 0."""
    checked = called_directly(library, name)
    (library_name,) = called(checked)
    assert (library_name in libraries_of(checked.module, np)) is (library_name not in BY_CONTRACT)
    for extents in (EXTENTS, SMALL, EMPTY):
        wanted = extents if library != "cudnn" else extents | WINDOWS
        dims = {k: v for k, v in wanted.items() if k in symbols_of(checked.module, "main")}
        args = random_arguments(checked.module, "main", 1, dims, "normal")
        verdict = rr.diff(checked, "main", args, impl="numpy")
        wide = "attention" in name and name.endswith("f16")  # three steps in half precision permit too much to tell
        assert isinstance(verdict, rr.Agreement) or (wide and isinstance(verdict, rr.NoVerdict)), verdict


@cache
def called_directly(library: str, name: str) -> CheckedModule:
    """A program that calls the library function of a contract and does nothing else."""
    whole = load(library).module
    contract = whole.functions[name]
    assert isinstance(contract, Function)
    text = rr.print_module(whole.with_functions({name: contract}))
    params = ", ".join(f"{p.name}: {p.type}" for p in contract.params)
    (library_name,) = contracts_of(whole.with_functions({name: contract}))
    given = ", ".join(p.name for p in contract.params)
    main = f'''
    @R.function
    def main({params}) -> {contract.ret}:
        out = R.call_dps_packed("{library_name}", ({given},), out_ty={contract.ret})
        return out
'''
    return rr.check(rr.parse(text.rstrip("\n") + "\n" + main))


def test_the_table_names_nothing_else() -> None:
    known: set[str] = {name for library in KNOWN for name in contracts_of(load(library).module)}
    families = {name.rsplit(".", 1)[0] for name in TABLE}
    assert families == set(KNOWN)
    assert known - set(TABLE) == BY_CONTRACT


def test_another_contract_under_the_same_name_is_run_as_it_says() -> None:
    """The table is for the package's contracts alone."""
    text = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def mine(x: R.Tensor((n, 3), dtype="float32"), w: R.Tensor((3, 2), dtype="float32")) -> R.Tensor((n, 2), dtype="float32"):
        R.func_attr({"Contract": "cublas.matmul_f32"})
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.negative(y)
            R.output(z)
        return z
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32"), w: R.Tensor((3, 2), dtype="float32")) -> R.Tensor((n, 2), dtype="float32"):
        out = R.call_dps_packed("cublas.matmul_f32", (x, w), out_ty=R.Tensor((n, 2), dtype="float32"))
        return out
"""  # noqa: E501
    checked = rr.check(rr.parse(text))
    args: list[Any] = random_arguments(checked.module, "main", 1, {"n": 4}, "normal")
    assert isinstance(rr.diff(checked, "main", args, impl="numpy"), rr.Agreement)


def test_in_mode_bits_the_contract_runs() -> None:
    """To the interpreter's bits, which no BLAS promises."""
    checked = called_directly("cublas", "cublas_matmul_f32")
    args = random_arguments(checked.module, "main", 1, {"m": 4, "k": 33, "n": 5}, "normal")
    wanted = rr.run(checked, "main", *args)
    assert isinstance(wanted, rr.Returned)
    found = rr.compile(checked, backend="numpy", mode="bits").run("main", *args)
    assert isinstance(found, rr.Returned) and found.value == wanted.value


class _Cupy:
    """NumPy under CuPy's name: what the device's code asks of it is in both."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    __name__ = "numpy"

    @staticmethod
    def asnumpy(array: Any) -> Any:
        return np.asarray(array)


@pytest.mark.parametrize("name", ["cublas_matmul_transposed_bias_f32", "cutlass_rms_norm_2d_eps5_f32"])
def test_on_device_arrays(name: str) -> None:
    """The way through device memory, as bytes; NumPy stands in for CuPy."""
    checked = called_directly(name.split("_")[0], name)
    device = CuPyDevice.__new__(CuPyDevice)
    device.cupy = _Cupy()
    for extents in (EXTENTS, SMALL, EMPTY):
        dims = {k: v for k, v in extents.items() if k in symbols_of(checked.module, "main")}
        args = [each.numpy() for each in random_arguments(checked.module, "main", 1, dims, "normal")]
        (run,) = device.libraries(checked.module).values()
        found = device.download(run(*map(device.upload, args)))
        (host,) = libraries_of(checked.module, np).values()
        assert found.tobytes() == host(*args).tobytes() and found.shape == host(*args).shape


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["mlp", "cnn", pytest.param("decoder", marks=pytest.mark.nightly)])
def test_models(name: str) -> None:
    """Products, biases, rectifiers and convolutions of the package's models are taken; each pass is proved."""
    stage = load_example(name).stage("imported")
    before = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    lowered = lower(before, "dispatch")
    assert len(contracts_of(lowered.module.module)) == {"mlp": 2, "cnn": 3, "decoder": 2}[name]
    assert not any("matmul" in f or "conv2d" in f for f in lowered.module.module.prim_funcs())
    assert all(claim.proved for claim in lowered.claims)
    assert isinstance(rr.validate(before, lowered.steps[0].module, rounds=1), rr.Equivalent)
    assert isinstance(rr.validate(before, lowered.module, rounds=1), rr.Equivalent)
    args = random_arguments(before.module, "main", 1, {"n": 3}, "normal")
    assert isinstance(rr.diff(lowered.module, "main", args, impl="numpy"), rr.Agreement)


@pytest.mark.parametrize("stride, padding, kernel", [(1, 0, 3), (1, 1, 3), (1, 0, 1), (2, 0, 2), (2, 1, 3)])
def test_a_kernel_of_known_extents_on_images_of_any(stride: int, padding: int, kernel: int) -> None:
    """No extent on the way is larger than the image's: `h + 1 - 3` is no `h - 2` where `h + 1` has no int64."""
    text = f"""
from tvm.script import ir as I, relax as R
@I.ir_module
class M:
    @R.function
    def main(
        x: R.Tensor(("n", 4, "h", "v"), "float32"), w: R.Tensor((6, 4, {kernel}, {kernel}), "float32")
    ) -> R.Tensor(ndim=4, dtype="float32"):
        with R.dataflow():
            y = R.nn.conv2d(x, w, strides=[{stride}, {stride}], padding={[padding] * 4})
            R.output(y)
        return y
"""
    lowered = rr.lower(rr.check(rr.parse(text)), passes=("dispatch_library",))
    assert f'"cudnn.conv2d_s{stride}_p{padding}_f32"' in rr.print_module(lowered.module.module)
