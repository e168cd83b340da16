"""TVM 0.27 reads the printed text to the program it stands for. In a process of its own: it may crash."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from refrelax.syntax import parse, print_module

PYTHON = os.environ.get("REFRELAX_TVM_PYTHON", "python")

MAKE = """
import sys
from pathlib import Path
import tvm
from tvm import relax
from tvm.relax.frontend import nn

out = Path(sys.argv[1])

class Model(nn.Module):
    def __init__(self):
        self.up, self.norm = nn.Linear(7, 12), nn.RMSNorm(12, axes=[-1], epsilon=2**-10, bias=False)

    def forward(self, x):
        y = self.norm(nn.relu(self.up(x)))
        return nn.concat([nn.softmax(y), nn.reshape(y, [x.shape[0], 12])], 1)

@tvm.instrument.pass_instrument
class Save:
    def run_after_pass(self, module, info):
        (out / f"{len(list(out.iterdir())):03d}.py").write_text(module.script())

module, _ = Model().export_tvm({"forward": {"x": nn.spec.Tensor(["n", 7], "float32")}})
for name in ("zero", "default_build"):
    with tvm.target.Target("llvm"), tvm.transform.PassContext(instruments=[Save()]):
        relax.get_pipeline(name)(module)
"""

COMPARE = """
import sys
from pathlib import Path
import tvm
from tvm.script import from_source

compared = 0
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        theirs = from_source(path.read_text(), check_well_formed=False)
    except Exception:  # TVM does not take back its own ty_args on R.builtin.alloc_tensor
        continue
    ours = from_source((Path(sys.argv[2]) / path.name).read_text(), check_well_formed=False)
    tvm.ir.assert_structural_equal(ours, theirs)
    compared += 1
assert compared > 20, compared
"""


def run(code: str, *args: Path) -> None:
    done = subprocess.run(
        [PYTHON, "-c", code, *map(str, args)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.nightly
@pytest.mark.tvm
def test_tvm_reads_what_is_printed(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    run(MAKE, theirs)
    made = sorted(theirs.iterdir())
    assert len(made) > 20
    for path in made:
        (ours / path.name).write_text(print_module(parse(path.read_text(), path.name)))
    run(COMPARE, theirs, ours)
