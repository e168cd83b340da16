"""Forms that give something and stand alone: what they give had the empty name, which no text can spell."""

from __future__ import annotations

import pytest

import refrelax as rr

KERNEL = """
@T.prim_func
def main(A: T.Buffer((4,), "int32"), h: T.handle, n: T.int32):
    {}
    A[0] = n
"""


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("T.bind(n + 1)", "v"),
        ("T.alloc_buffer((2,), 'int32')", "buffer"),
        ("T.decl_buffer((2,), 'int32', data=A.data)", "buffer"),
        ("T.match_buffer(h, (2,), 'int32')", "buffer"),
    ],
)
def test_what_is_given_has_a_name_that_can_be_read(form: str, name: str) -> None:
    module = rr.parse(KERNEL.format(form))
    text = rr.print_module(module)
    assert rr.parse(text) == module
    assert f" {name}" in text
