"""The rows of operators against TVM's own register: every name is there, with the purity that the row says."""

from __future__ import annotations

import json
import subprocess

import pytest

from refrelax.interop.tvm import find_python
from refrelax.semantics.ops import CALL_FORMS, IMPURE, OPERATORS

CHILD = """
import json, sys
import tvm
from tvm import relax
print(json.dumps({n: bool(tvm.ir.Op.get(n).get_attr("FPurity")) for n in json.load(sys.stdin)}))
"""


@pytest.mark.tvm
@pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")
def test_purity_is_that_of_the_register() -> None:
    names = [*OPERATORS, *CALL_FORMS]
    python = str(find_python())
    done = subprocess.run(
        [python, "-c", CHILD], input=json.dumps(names), capture_output=True, text=True, check=True, timeout=120
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert {name for name, pure in found.items() if not pure} == IMPURE
