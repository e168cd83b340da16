"""The table of editions: code asks for flags, so that one more row turns nothing round."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.syntax import editions
from refrelax.syntax.editions import CURRENT, EDITIONS, Edition, edition_of
from refrelax.syntax.read import context, migration

PACKAGE = Path(rr.__file__).parent

TEXTS = {
    "current": """
@T.prim_func(s_tir=True)
def main(A: T.Buffer((3,), "int32")):
    x = A[0]
    x = x + 1
    A[1] = x
""",
    "blocks": """
@T.prim_func
def main(a: T.handle):
    A = T.match_buffer(a, (3,), "int32")
    T.func_attr({"tir.noalias": True})
    for i in range(3):
        with T.block("b"):
            v = T.axis.spatial(3, i)
            B = T.alloc_buffer((1,), "int32")
            x = A[v] + 1
            B[0] = x
            A[v] = B[0]
""",
    "struct info": """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((3,), "int32"), B: T.Buffer((3,), "int32")):
        for i in range(3):
            with T.sblock("b"):
                v = T.axis.spatial(3, i)
                B[v] = A[v]
    @R.function
    def main(x: R.Tensor((3,), "int32")) -> R.Tensor((3,), "int32"):
        y = R.call_tir(Module.f, (x,), out_sinfo=R.Tensor((3,), "int32"))
        return y
""",
}


def test_the_current_edition_gives_nothing_up_and_is_the_one_specified() -> None:
    flags = [each.name for each in fields(Edition) if each.name != "last"]
    assert not any(getattr(CURRENT, flag) for flag in flags)
    assert f"apache-tvm {CURRENT}" == rr.SPEC_EDITION
    assert [each.last for each in EDITIONS] == sorted(each.last for each in EDITIONS)


@pytest.mark.parametrize("flag", [each.name for each in fields(Edition) if each.name != "last"])
def test_what_was_given_up_does_not_come_back(flag: str) -> None:
    had = [getattr(each, flag) for each in EDITIONS]
    assert had == sorted(had, reverse=True) and any(had)


@pytest.mark.parametrize(("version", "last"), [
    ("0.20.0", (0, 22)), ("0.22.0", (0, 22)), ("0.23.0", (0, 25)), ("0.25.0.post1", (0, 25)), ("0.26.0", (0, 26)),
    ("0.27.0.post1", (0, 27)), ("0.28.dev3", (0, 27)), ("1.0", (0, 27)), ("", (0, 27)), ("unknown", (0, 27)),
])  # fmt: skip
def test_a_version_has_the_edition_that_it_reads(version: str, last: tuple[int, int]) -> None:
    assert edition_of(version).last == last


@pytest.mark.parametrize("name", TEXTS)
def test_one_more_edition_changes_no_reading(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rr.parse(TEXTS[name])
    later = Edition((0, 28))
    monkeypatch.setattr(migration, "CURRENT", later)
    monkeypatch.setattr(migration, "EDITIONS", (*EDITIONS, later))
    monkeypatch.setattr(context, "CURRENT", later)
    monkeypatch.setattr(editions, "CURRENT", later)
    assert rr.parse(TEXTS[name]) == before
    assert rr.parse(rr.print_module(before)) == before


def _asks_which(node: ast.AST) -> bool:
    """Whether a comparison is about an edition itself instead of one of its flags."""
    if not isinstance(node, ast.Compare):
        return False
    words = {getattr(each, "attr", getattr(each, "id", "")) for each in (node.left, *node.comparators)}
    return bool(words & {"edition", "CURRENT", "EDITIONS", "BLOCKS", "STRUCT_INFO", "SPEC_EDITION"})


@pytest.mark.thorough
def test_nobody_asks_which_edition_it_is() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if "examples" not in path.parts and path.name != "migration.py"  # which finds out
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _asks_which(node)
    ]
    assert not wrong
