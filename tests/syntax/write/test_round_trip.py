"""The law of the printer: what it writes, the reader reads back to an equal module."""

from __future__ import annotations

import difflib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.syntax import parse, print_module
from refrelax.syntax.module import Module


def check(module: Module) -> None:
    text = print_module(module)
    again = parse(text, "printed.py")
    for name, function in module.functions.items():
        assert again.functions[name] == function, text
    assert again == module
    changed = "\n".join(difflib.unified_diff(text.splitlines(), print_module(again).splitlines(), lineterm=""))
    assert not changed


@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_graph_level_reads_back(graph_modules: Any, data: st.DataObject) -> None:
    check(data.draw(graph_modules))


@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_loop_level_reads_back(loop_modules: Any, data: st.DataObject) -> None:
    check(data.draw(loop_modules))


@pytest.mark.nightly
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_both_levels_read_back(any_modules: Any, data: st.DataObject) -> None:
    check(data.draw(any_modules))
