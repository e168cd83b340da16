"""The library functions of the conformance suite, for TVM's runtime: ``refrelax/conformance/library.py`` says what they
do. Runs where ``tvm`` can be imported; imports nothing of refrelax.
"""

from __future__ import annotations

from typing import Any


def _double(x: Any) -> Any:
    import tvm

    return tvm.runtime.tensor(x.numpy() * 2)


def _copy_into(x: Any, out: Any) -> None:
    """Called from a loop-level function, ``out`` comes without an owner, with the memory itself."""
    import tvm

    target = tvm.runtime.from_dlpack(out) if not hasattr(out, "copyfrom") else out
    target.copyfrom(x if hasattr(x, "numpy") else tvm.runtime.from_dlpack(x))


def _one_element(_x: Any) -> Any:
    import numpy as np
    import tvm

    return tvm.runtime.tensor(np.ones(1, "float32"))


def _first_scalar(x: Any) -> Any:
    return x.numpy().reshape(-1)[0].item()


def _answer() -> int:
    return 42


_KEPT: list[Any] = []


def _keep(x: Any) -> None:
    _KEPT[:] = [x]


def _double_kept() -> None:
    _KEPT[0].copyfrom(_KEPT[0].numpy() * 2)


LIBRARY = {
    "conformance.double": _double,
    "conformance.copy_into": _copy_into,
    "conformance.one_element": _one_element,
    "conformance.first_scalar": _first_scalar,
    "conformance.answer": _answer,
    "conformance.keep": _keep,
    "conformance.double_kept": _double_kept,
}


def register() -> None:
    """Make them known to TVM, by name and as Python functions (``R.call_py_func``)."""
    import tvm

    python = tvm.get_global_func("vm.builtin.register_py_func", allow_missing=True)
    for name, function in LIBRARY.items():
        tvm.register_global_func(name, function, override=True)
        if python is not None:
            python(name, tvm.runtime.convert(function))
