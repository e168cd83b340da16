"""The host of a target by its name.

``host=None`` is one that is left out (it was no scalar expression), and the host stands behind the configuration
however it is given: by name it was read into its place, and the two were exchanged.
"""

from __future__ import annotations

import pytest

import refrelax as rr


def read(target: str) -> rr.Module:
    head = '@T.prim_func\ndef main(A: T.Buffer((4,), "float32")):\n'
    return rr.parse(f'{head}    with T.attr({target}, "target", 0):\n        A[0] = 1.0\n')


def test_a_host_that_is_none_is_left_out() -> None:
    assert read('T.target("llvm", host=None)') == read('T.target("llvm")') == read('T.target("llvm", None)')
    assert read('T.target("llvm", host="c")') == read('T.target("llvm", "c")') != read('T.target("llvm")')


def test_the_host_stands_behind_the_configuration() -> None:
    assert 'T.target("llvm", "c")' in rr.print_module(read('T.target(host="c", target_config="llvm")'))


def test_a_configuration_that_is_none_is_none() -> None:
    with pytest.raises(rr.Malformed):
        read("T.target(None)")
