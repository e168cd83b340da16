"""Which kernels a loop program becomes, and which it must not become: a table of programs that differ in one thing."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from refrelax.backends.cupy_.plan import plans
from tests.backends.cupy_.loop_forms import FORMS, program


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    found = [kernel.form for kernel in plans(program(name).module, "fast")["main"].kernels]
    assert " ".join(found) == FORMS[name][2]


@pytest.mark.parametrize("name", FORMS)
def test_a_statement_is_a_kernel_of_its_own_where_bits_are_asked_for(name: str) -> None:
    """What adds in another order, or keeps a wider sum, is no form of mode ``bits``."""
    found = [kernel.form for kernel in plans(program(name).module, "bits")["main"].kernels]
    assert len(found) == len(FORMS[name][1])
    assert {*found} <= {"elementwise", "fold", "sequential"}
