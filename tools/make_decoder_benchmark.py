"""Print the decoder layer at hidden size 256 for ``benchmarks/decoder.py``: weights as parameters, so text only.

.venv-tvm/bin/python tools/make_decoder_benchmark.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
import make_examples as examples

OUT = Path(__file__).resolve().parents[1] / "benchmarks" / "data" / "decoder256.py"


def main() -> None:
    import tvm
    from tvm import relax, tirx
    from tvm.relax.frontend.torch import from_exported_program

    module = examples.Decoder(width=256, heads=4, groups=2, inner=688).eval()
    example = (torch.randn(1, 5, 256),)
    with torch.no_grad():
        program = torch.export.export(module, example, dynamic_shapes=({1: torch.export.Dim("n", min=1)},))
    mod = from_exported_program(program, keep_params_as_input=True)
    main_function = mod["main"]
    (size,) = relax.analysis.free_symbolic_vars(main_function) or relax.analysis.defined_symbolic_vars(main_function)
    renamed = main_function.bind_symbolic_vars({size: tirx.Var("n", "int64")})
    mod = tvm.IRModule({"main": renamed.without_attr("params").without_attr("tir_var_lower_bound")})
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(mod.script() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
