"""A program of a front end as a script that needs the front end and TVM alone: for whoever does not have refrelax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refrelax.running.arrays import Tensor
from refrelax.syntax import bits
from refrelax.testing.front import Program

_TORCH = """

if __name__ == "__main__":
    import tvm
    from tvm import relax
    from tvm.relax.frontend.torch import from_exported_program

    model, example, *dynamic = program()
    args = [
{args}    ]
    print("PyTorch:", model(*args))
    module = from_exported_program(torch.export.export(model, example, dynamic_shapes=dynamic[0] if dynamic else None))
    print(module.script())
    vm = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    print("TVM:    ", [each.numpy() for each in vm["main"](*map(tvm.runtime.from_dlpack, args))])
"""

_ONNX = """

if __name__ == "__main__":
    import tvm
    from onnx.reference import ReferenceEvaluator
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    model = program()
    args = [
{args}    ]
    names = [each.name for each in model.graph.input]
    print("ONNX:", ReferenceEvaluator(model).run(None, dict(zip(names, args))))
    module = from_onnx(model)
    print(module.script())
    vm = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    got = vm["main"](*map(tvm.runtime.tensor, args))
    print("TVM: ", got.numpy() if hasattr(got, "numpy") else got)
"""


def script(program: Program, args: Sequence[Any], title: str) -> str:
    """The text of the script."""
    lines = "".join(f"        {_argument(program, each)},\n" for each in args if isinstance(each, Tensor))
    said = title.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    tail = _ONNX if program.framework == "onnx" else _TORCH
    return f'"""{said}\n\nNeeds apache-tvm and {program.framework}.\n"""\n\n{program.source}{tail.format(args=lines)}'


def _argument(program: Program, value: Tensor) -> str:
    numbers = ", ".join(_number(bits.decode(value.dtype, each)) for each in value.patterns() if each is not None)
    if program.framework == "torch":
        return f"torch.tensor([{numbers}], dtype=torch.{value.dtype}).reshape({tuple(value.shape)})"
    return f'np.array([{numbers}], "{value.dtype}").reshape({tuple(value.shape)})'


def _number(value: Any) -> str:
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return f'float("{value}")'
    return repr(value)
