"""Live ``tvm.IRModule`` objects to text and constants. Runs where ``tvm`` can be imported.

A constant prints as ``metadata["ir.GenericConst"][k]``, so its array is lost in text. It is recovered here by
walking the objects in the order in which their text is written, beside the list of indices that stand in the text:
the numbers are read, never guessed. (``show_meta=True`` would tell them too, but ends the process with some versions
of apache-tvm-ffi.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_REFERENCE = re.compile(r'metadata\["(?:ir\.GenericConst|relax\.expr\.Constant)"\]\[(\d+)\]')


class BridgeError(RuntimeError):
    """A module that the bridge cannot carry over; the message says why."""


def text_and_constants(mod: Any) -> tuple[str, dict[int, Any]]:
    """The script of a live module, and the NumPy array behind each constant index in it.

    Args:
        mod: a ``tvm.IRModule``, or a single Relax function or PrimFunc, which becomes ``main``.

    Raises:
        BridgeError: the text and the objects do not tell the same constants.
    """
    import tvm

    if not isinstance(mod, tvm.IRModule):
        mod = tvm.IRModule({"main": mod})
    text = mod.script()
    written = [int(k) for k in _REFERENCE.findall(text)]
    held = [c for c in _module_constants(mod) if _is_indexed(c)] if written else []
    if len(written) != len(held):
        raise BridgeError(f"the text refers to constants {len(written)} times, the objects hold {len(held)}")
    table: dict[int, Any] = {}
    for index, constant in zip(written, held, strict=True):
        first = table.setdefault(index, constant)
        if not first.same_as(constant):
            raise BridgeError(f"two constants print as index {index}")
    return text, {index: _tensor(constant).numpy() for index, constant in table.items()}


_INLINE = {"int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"}


def _tensor(constant: Any) -> Any:
    """The array of a constant (``value``; ``data`` up to TVM 0.26)."""
    return constant.value if hasattr(constant, "value") else constant.data


def _is_indexed(constant: Any) -> bool:
    """Whether the printer writes an index: everything but 0-d constants of the common dtypes, which it writes
    inline."""
    tensor = _tensor(constant)
    if not hasattr(tensor, "shape"):  # a dtype as a value is a constant too
        return False
    return len(tensor.shape) > 0 or str(tensor.dtype) not in _INLINE


def _module_constants(mod: Any) -> Iterator[Any]:
    """Every constant use in the order of the text: functions by name, ``main`` last, then as the bindings stand."""
    from tvm import relax

    functions = {gv.name_hint: func for gv, func in mod.functions_items()}
    for name in sorted(functions, key=lambda each: (each == "main", each)):
        if isinstance(functions[name], relax.Function):
            yield from _constants(functions[name])


def _constants(node: Any) -> Iterator[Any]:
    from tvm import relax

    match node:
        case _ if type(node).__name__ in ("GenericConst", "Constant"):
            yield node
        case relax.Function():
            yield from _constants(node.body)
        case relax.SeqExpr():
            for block in node.blocks:
                for binding in block.bindings:
                    yield from _constants(binding.value)
            yield from _constants(node.body)
        case relax.If():
            for part in (node.cond, node.true_branch, node.false_branch):
                yield from _constants(part)
        case relax.Call():
            yield from _constants(node.op)
            for argument in node.args:
                yield from _constants(argument)
        case relax.Tuple():
            for field in node.fields:
                yield from _constants(field)
        case relax.TupleGetItem():
            yield from _constants(node.tuple_value)
        case _:
            return
