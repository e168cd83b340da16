"""Macros: the statements of a call, the names of the definition, and bounds."""

from __future__ import annotations

import pytest

from refrelax.errors import Malformed
from refrelax.syntax import parse, print_module
from refrelax.syntax.loops import AllocBuffer, BufferStore, PrimFunc
from refrelax.syntax.scalars import Literal

MAIN = """
@T.prim_func(s_tir=True)
def main(A: T.Buffer((7,), "float32"), B: T.Buffer((1, 5), "int32")):
"""


def read(macros: str, *lines: str) -> PrimFunc:
    module = parse(macros + MAIN + "".join(f"    {line}\n" for line in lines))
    assert parse(print_module(module)) == module
    (found,) = module.functions.values()
    assert isinstance(found, PrimFunc)
    return found


FILL = """
N = 3

@T.macro
def fill(to, i, by=2):
    k: T.int32 = i + N
    to[0, k] = by
"""


def test_a_call_stands_for_its_statements_with_names_of_their_own() -> None:
    body = read(FILL, "fill(B, 1)", "fill(to=B, i=0, by=9)").body
    cells = [each.buffer.name for each in body if isinstance(each, AllocBuffer)]
    stored = [each.value for each in body if isinstance(each, BufferStore)]
    assert cells == ["k", "k_1"]
    assert stored == [Literal("int32", 2), Literal("int32", 9)]


@pytest.mark.parametrize(("hygienic", "value"), [(True, 3), (False, 4)])
def test_names_mean_what_they_mean_where_it_is_defined(hygienic: bool, value: int) -> None:
    macro = f"N = 3\n@T.macro(hygienic={hygienic})\ndef put(to):\n    to[0, 1] = N\n"
    *_, store = read(macro, "N = T.meta_var(4)", "put(B)").body
    assert isinstance(store, BufferStore)
    assert store.value == Literal("int32", value)


def test_a_macro_inside_a_function_sees_its_names() -> None:
    body = read("", "@T.inline", "def zero(i):", "    A[i] = 0.0", "for j in range(7):", "    zero(j)").body
    assert len(body) == 1


@pytest.mark.parametrize(
    ("macros", "line", "rule"),
    [
        (FILL, "fill(B)", "syn/argument-count"),
        (FILL, "fill(B, 1, 2, 3)", "syn/argument-count"),
        (FILL, "fill(B, 1, i=2)", "syn/unknown-keyword"),
        (FILL, "fill(B, 1, j=2)", "syn/unknown-keyword"),
        (FILL, "A[0] = fill(B, 1)", "syn/unknown-intrinsic"),
        ("@T.macro\ndef f(*x):\n    pass\n", "f(A)", "syn/macro"),
        ("@T.macro(late=True)\ndef f(x):\n    pass\n", "f(A)", "syn/macro"),
        ("@T.macro\ndef f(x):\n    return x\n", "f(A)", "syn/macro"),
        ("@T.macro\ndef f(x):\n    g(x)\n@T.macro\ndef g(x):\n    f(x)\n", "f(A)", "syn/macro-expansion"),
    ],
)
def test_refused(macros: str, line: str, rule: str) -> None:
    with pytest.raises(Malformed) as stop:
        read(macros, line)
    assert stop.value.diagnostics[0].rule == rule


@pytest.mark.thorough
def test_expansion_is_bounded() -> None:
    doubling = "@T.macro\ndef m0(x):\n    x[0] = 1.0\n"
    doubling += "".join(f"@T.macro\ndef m{k}(x):\n    m{k - 1}(x)\n    m{k - 1}(x)\n" for k in range(1, 40))
    with pytest.raises(Malformed) as stop:
        read(doubling, "m39(A)")
    assert stop.value.diagnostics[0].rule == "syn/macro-expansion"
