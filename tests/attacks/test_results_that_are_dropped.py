"""A call in destination form, or of which void is promised, drops what a library function gives; one of which nothing
is promised does not."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower

V = 'R.Tensor((3,), "float32")'
X = [1.0, -2.0, 5.0]
MODULE = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")):
        {}
"""
VOID = 'r = R.call_packed("lib.f", x, ty_args=R.Tuple)'
NOTHING = 'r = R.call_packed("lib.f", x)'
LIBRARIES = {"null": lambda *args: None, "a number": lambda *args: 3, "what it is given": lambda *args: args[-1]}


def checked(body: str, pure: bool = False) -> rr.CheckedModule:
    text = MODULE.format(body.replace("; ", "\n        "))
    return rr.check(rr.parse(text.replace("(pure=False)", "") if pure else text))


def copy(x: Any, out: Any) -> Any:
    out.assign(rr.Tensor.of(x.tolist(), "float32"))
    return out


@pytest.mark.parametrize("pipeline", ["default", "build", "paper"])
def test_what_a_destination_gives_is_dropped_when_it_is_spelled_out(pipeline: str) -> None:
    program = checked(f'y = R.call_dps_packed("lib.f", (x,), out_ty={V}); return y', pure=True)
    lowered = lower(program, pipeline=pipeline).module
    for each in (program, lowered):
        ended = rr.run(each, "main", X, externs={"lib.f": copy})
        assert isinstance(ended, rr.Returned) and ended.value.tolist() == X, ended
    assert rr.validate(program, lowered).word == "PROVED"
    for impl in ("numpy", "cuda-emulated"):
        assert isinstance(rr.diff(lowered, "main", [X], impl=impl, externs={"lib.f": copy}), rr.Agreement)


@pytest.mark.parametrize("library", LIBRARIES)
def test_of_the_promise_void_the_value_is_void(library: str) -> None:
    program, externs = checked(f"{VOID}; return r"), {"lib.f": LIBRARIES[library]}
    ended = rr.run(program, "main", X, externs=externs)
    assert isinstance(ended, rr.Returned) and ended.value == (), ended
    for impl in ("numpy", "cuda-emulated"):
        assert isinstance(rr.diff(program, "main", [X], impl=impl, externs=externs), rr.Agreement)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "bodies",
    [(f"{VOID}; return r", f"{NOTHING}; return r"), (f"{NOTHING}; return r", f"{VOID}; return r")],
    ids=["void first", "nothing first"],
)
def test_a_result_of_which_nothing_is_promised_is_not_void(bodies: tuple[str, str], library: str) -> None:
    before, after = map(checked, bodies)
    assert rr.validate(before, after).word != "PROVED"
    found = rr.validate(before, after, externs={"lib.f": LIBRARIES[library]})
    assert found.word == "REFUTED", found


def test_both_drop_what_they_do_not_use() -> None:
    before, after = checked(f"{VOID}; return x"), checked(f"{VOID}; return x")
    assert rr.validate(before, after).word == "PROVED"


BUILT = {
    "a library function": 'y: R.Tuple = R.call_packed("lib.f", x); return y',
    "a pure one": 'y: R.Tuple = R.call_pure_packed("lib.f", x, ty_args=R.Object); return y',
    "a function": "y: R.Tuple = Module.g(x); return y",
}
FUNCTION = """
    @R.function(private=True)
    def g(x: R.Object) -> R.Object:
        return x
"""


@pytest.mark.parametrize("pipeline", ["build", "paper"])
@pytest.mark.parametrize("name", BUILT)
def test_what_an_annotation_drops_is_void_when_annotations_are_erased(name: str, pipeline: str) -> None:
    text = MODULE.format(BUILT[name].replace("; ", "\n        "))
    lowered = lower(rr.check(rr.parse(text + FUNCTION)), pipeline=pipeline).module
    ended = rr.run(lowered, "main", X, externs={"lib.f": lambda x: x})
    assert isinstance(ended, rr.Returned) and ended.value == (), ended
