"""The process that has TVM and a front end (PyTorch, ONNX): runs a program by its own means, imports it with TVM, and
prints both. Imports nothing of refrelax.

A request names a program by ``"source"`` (the text of a file that has the function ``program``), ``"make"``
(``FILE.py:NAME``) or ``"model"`` (``FILE.onnx``), and has ``"inputs"``, a list of arguments for each run, or none, then
the example inputs of the program are the only ones. What a name stands for is said by ``described``.

Lines ``{"step": …}`` say what begins: ``make``, ``eager``, ``export``, ``import``. The last is ``{"end": …}``, with
one of

* ``{"no_program": [step, message]}``: it is none, or PyTorch does not export it;
* ``{"eager": […], "inputs": […], "by": …, "versions": …}``, and then ``{"text", "constants", "well_formed"}`` or
  ``{"refused": [class, message], "place": …}``. A run is ``{"raised": message}``, ``{"returned": value}`` or
  ``{"other": message}`` where what was exported does another thing than the program itself, which is nobody's fault
  here. With ``"closely"`` in the request it also has ``"others"``, what the front end gives by other ways of its own:
  computed in float64 and rounded, and (PyTorch) decomposed as it is for the import.
"""

from __future__ import annotations

import base64
import copy
import importlib
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import live  # type: ignore[import-not-found]  # beside this file, which is run as a script
import pass_worker  # type: ignore[import-not-found]
import serve  # type: ignore[import-not-found]
import user_file  # type: ignore[import-not-found]
import worker  # type: ignore[import-not-found]


class NoProgram(Exception):
    """What was named is no program that could be imported; the message says why."""


# --- values ----------------------------------------------------------------------------------------------------------


def to_torch(value: Any) -> Any:
    """A tensor of the protocol."""
    import torch

    dtype, shape, data = value["tensor"]
    raw = base64.b64decode(data)
    kind = getattr(torch, dtype)
    flat = torch.frombuffer(bytearray(raw), dtype=kind) if raw else torch.empty(0, dtype=kind)
    return flat.reshape(shape).clone()


def of_torch(value: Any) -> dict[str, Any]:
    """A tensor for the protocol."""
    import torch

    if not isinstance(value, torch.Tensor) or value.is_sparse or value.is_quantized or value.is_complex():
        raise NoProgram(f"a result that is no plain tensor: {type(value).__name__}")
    flat = value.detach().cpu().contiguous().reshape(-1)
    data = bytes(flat.view(torch.uint8).numpy()) if flat.numel() else b""
    dtype = str(value.dtype).removeprefix("torch.")
    return {"tensor": [dtype, list(value.shape), base64.b64encode(data).decode()]}


# --- PyTorch ---------------------------------------------------------------------------------------------------------


class Torch:
    """A program of PyTorch, exported and imported."""

    by = "from_exported_program"

    def __init__(self, model: Any, example: Any, dynamic: Any) -> None:
        import torch

        self.example, self.dynamic = tuple(example), dynamic
        if isinstance(model, type):
            model = model()
        self.model = model if isinstance(model, torch.nn.Module) else _wrapped(model)
        self.exported: Any = None
        self.decomposed: Any = None
        self.versions = {"torch": str(torch.__version__)}
        if not all(isinstance(each, torch.Tensor) for each in self.example):
            raise NoProgram("its example inputs are not all tensors")

    def inputs(self, given: Any) -> list[list[Any]]:
        return [list(self.example)] if given is None else [[to_torch(each) for each in row] for row in given]

    def encoded(self, value: Any) -> dict[str, Any]:
        return of_torch(value)

    def export(self) -> None:
        import torch

        shapes = {} if self.dynamic is None else {"dynamic_shapes": self.dynamic}
        self.exported = torch.export.export(self.model, self.example, **shapes)

    def run(self, row: list[Any]) -> dict[str, Any]:
        """The program's own answer, twice the same."""
        try:
            given = [each.clone() for each in row]
            first = _flat(self.model(*given))
            second = _flat(self.model(*[each.clone() for each in row]))
        except BaseException as error:
            return {"raised": _said(error)}
        if not _same(given, row):
            return {"other": "the program writes to its inputs"}
        if not _same(first, second):
            return {"other": "the program does not give the same twice"}
        return {"returned": {"tuple": [of_torch(each) for each in first]}}

    def differs(self, row: list[Any], returned: Any) -> str:
        """How what was exported differs from the program itself on an input, in words."""
        try:
            found = [of_torch(each) for each in _flat(self.exported.module()(*[each.clone() for each in row]))]
        except BaseException as error:
            return f"the exported program raises {_said(error)}"
        return "" if {"tuple": found} == returned else "the exported program gives another result"

    def others(self, row: list[Any]) -> list[Any]:
        """The answer computed in float64, rounded to the dtypes of the answer itself; and that of the program as it is
        decomposed for the import, which is PyTorch's doing."""
        own = _flat(self.model(*[each.clone() for each in row]))
        found = []
        with suppress(Exception):
            model = copy.deepcopy(self.model).double()
            found.append(_flat(model(*[each.double() if each.is_floating_point() else each.clone() for each in row])))
        with suppress(Exception):
            if self.decomposed is None:
                self.decomposed = self.exported.run_decompositions().module()
            found.append(_flat(self.decomposed(*[each.clone() for each in row])))
        fits = [each for each in found if len(each) == len(own)]
        return [{"tuple": [of_torch(_rounded(a, b)) for a, b in zip(each, own, strict=True)]} for each in fits]

    def imported(self) -> Any:
        from tvm.relax.frontend.torch import from_exported_program

        return from_exported_program(self.exported)


def _wrapped(function: Any) -> Any:
    import torch

    class Program(torch.nn.Module):  # type: ignore[misc]
        def forward(self, *args: Any) -> Any:
            return function(*args)

    return Program()


def _flat(value: Any) -> list[Any]:
    from torch.utils import _pytree

    leaves: list[Any] = _pytree.tree_leaves(value)
    return leaves


def _rounded(wide: Any, own: Any) -> Any:
    return wide.to(own.dtype) if own.is_floating_point() or wide.shape != own.shape else own


def _same(first: list[Any], second: list[Any]) -> bool:
    return [of_torch(each) for each in first] == [of_torch(each) for each in second]


# --- ONNX ------------------------------------------------------------------------------------------------------------

WIDENED = (1, 10, 16)
"""``TensorProto``'s float, float16 and bfloat16; 11 is double."""


class Onnx:
    """A model of ONNX: the reference evaluator of the ``onnx`` package is its own answer."""

    by = "from_onnx"

    def __init__(self, model: Any, example: Any) -> None:
        import onnx

        onnx.checker.check_model(model)
        self.model, self.example = model, example
        self.versions = {"onnx": str(onnx.__version__)}
        held = {each.name for each in model.graph.initializer}
        self.names = [each.name for each in model.graph.input if each.name not in held]

    def inputs(self, given: Any) -> list[list[Any]]:
        if given is not None:
            return [[worker.to_array(each["tensor"]) for each in row] for row in given]
        return [] if self.example is None else [list(self.example)]

    def encoded(self, value: Any) -> dict[str, Any]:
        import numpy as np

        if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "biufV":
            raise NoProgram(f"a result that is no plain tensor: {type(value).__name__}")
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        return {"tensor": [str(array.dtype), list(array.shape), base64.b64encode(array.tobytes()).decode()]}

    def export(self) -> None:
        """A model is what an export would make."""

    def differs(self, _row: list[Any], _returned: Any) -> str:
        return ""

    def run(self, row: list[Any]) -> dict[str, Any]:
        try:
            found = self._evaluated(self.model, row)
        except BaseException as error:
            return {"raised": _said(error)}
        return {"returned": self._value(found)}

    def _evaluated(self, model: Any, row: list[Any]) -> list[Any]:
        import numpy as np
        from onnx.reference import ReferenceEvaluator

        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(model).run(None, dict(zip(self.names, row, strict=True)))
        return [np.asarray(each) for each in found]

    def _value(self, found: list[Any]) -> dict[str, Any]:
        values = [self.encoded(each) for each in found]
        return values[0] if len(values) == 1 else {"tuple": values}

    def others(self, row: list[Any]) -> list[Any]:
        """The answer computed in float64, rounded to the dtypes of the answer itself."""
        import numpy as np

        own = self._evaluated(self.model, row)
        wide = [each.astype("float64") if each.dtype.kind in "fV" else each for each in row]
        try:
            found = self._evaluated(self._widened(), wide)
        except Exception:
            return []
        with np.errstate(all="ignore"):
            kept = [a.astype(b.dtype) if b.dtype.kind in "fV" else b for a, b in zip(found, own, strict=True)]
        return [self._value(kept)] if [a.shape for a in kept] == [a.shape for a in own] else []

    def _widened(self) -> Any:
        """The model with float64 wherever it has a narrower float."""
        from onnx import helper, numpy_helper

        model = copy.deepcopy(self.model)
        graph = model.graph
        for each in (*graph.input, *graph.output, *graph.value_info):
            if each.type.tensor_type.elem_type in WIDENED:
                each.type.tensor_type.elem_type = 11
        for each in graph.initializer:
            if each.data_type in WIDENED:
                each.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(each).astype("float64"), each.name))
        for node in graph.node:
            for k, each in enumerate(node.attribute):
                if each.name in ("to", "dtype") and each.i in WIDENED:
                    node.attribute[k].CopyFrom(helper.make_attribute(each.name, 11))
        return model

    def imported(self) -> Any:
        from tvm.relax.frontend.onnx import from_onnx

        return from_onnx(self.model)


# --- what was named --------------------------------------------------------------------------------------------------


def program_of(request: dict[str, Any]) -> Torch | Onnx:
    """The program that a request names.

    Raises:
        NoProgram: there is none, or what it needs is not installed.
    """
    if "model" in request:
        path = Path(request["model"])
        if not path.is_file():
            raise NoProgram(f"{path}: no such file")
        onnx = _needed("onnx")
        try:
            return Onnx(onnx.load(str(path)), None)
        except Exception as error:
            raise NoProgram(f"{path}: no model of ONNX: {_said(error)}") from None
    if "source" in request:
        _needed("onnx" if "from onnx import" in request["source"] else "torch")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(request["source"], encoding="utf-8")
            return described(user_file.load(f"{path}:program"), "program", "program.py")
    named, _, name = request["make"].rpartition(":")
    try:
        return described(user_file.load(request["make"]), name, named)
    except user_file.UserFault as fault:
        raise NoProgram(str(fault)) from None


def described(names: dict[str, Any], name: str, path: str) -> Torch | Onnx:
    """What a name of a file stands for: a model (or a pair, or three: the model, its example inputs, and what
    ``torch.export`` takes as ``dynamic_shapes``), or a function without parameters that gives such. For a PyTorch model
    alone, the file has ``inputs`` and perhaps ``dynamic_shapes``."""
    import inspect

    made = names[name]
    if inspect.isfunction(made) and not inspect.signature(made).parameters:
        made = made()
    model, *rest = made if isinstance(made, tuple) else (made,)
    if type(model).__name__ == "ModelProto":
        return Onnx(model, rest[0] if rest else names.get("inputs"))
    example = rest[0] if rest else names.get("inputs")
    if example is None or not callable(model):
        expected = "a model with its example inputs: (model, (x, …)), or `inputs` in the file"
        raise NoProgram(f"{path}: {name}: expected {expected}; found a {type(model).__name__}")
    return Torch(model, example, rest[1] if len(rest) > 1 else names.get("dynamic_shapes"))


def _needed(package: str) -> Any:
    """The package of a front end."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise NoProgram(f"{package} is not installed where TVM is ({error})") from None


# --- an answer -------------------------------------------------------------------------------------------------------


def answer(request: dict[str, Any], say: serve.Say) -> None:
    """The answer to one request."""
    step = "make"

    def begin(name: str) -> None:
        nonlocal step
        step = name
        say({"step": name})

    try:
        begin("make")
        made = program_of(request)
        inputs = made.inputs(request.get("inputs"))
        begin("eager")
        runs = [made.run(row) for row in inputs]
        if runs and all("returned" not in each for each in runs):
            first = next(iter(runs[0].values()))
            raise NoProgram(first if "other" in runs[0] else f"it raises {first}")
        begin("export")
        made.export()
        for k, row in enumerate(inputs):
            if "returned" in runs[k] and (why := made.differs(row, runs[k]["returned"])):
                runs[k] = {"other": why}
            elif "returned" in runs[k] and request.get("closely"):
                runs[k]["others"] = made.others(row)
    except BaseException as error:
        said = str(error) if isinstance(error, NoProgram) else _said(error)
        say({"end": {"no_program": [step, said]}})
        return
    begin("import")
    given = [[made.encoded(each) for each in row] for row in inputs]
    say({"end": {"eager": runs, "inputs": given, "by": made.by, "versions": made.versions, **_imported(made)}})


def _imported(made: Torch | Onnx) -> dict[str, Any]:
    """The module, or why there is none."""
    from tvm import relax

    try:
        mod = made.imported()
        text, constants = live.text_and_constants(mod)
    except live.BridgeError as error:
        return {"unseen": str(error)}
    except BaseException as error:
        return {"refused": [type(error).__name__, str(error)], "place": place_of(error)}
    try:
        well_formed = bool(relax.analysis.well_formed(mod))
    except BaseException:
        well_formed = False
    return {
        "text": text,
        "constants": {str(k): pass_worker.triple(v) for k, v in constants.items()},
        "well_formed": well_formed,
    }


def place_of(error: BaseException) -> str:
    """The importer's own function that was at work: the innermost of a front end (of the error that was first, where
    one was raised for another), else the innermost of TVM."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    found, step = "", error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if "/frontend/" in code.co_filename:
            named = getattr(code, "co_qualname", code.co_name).partition("Importer.")
            found = f"{code.co_filename.rsplit('/', 1)[-1]}:{named[2] or named[0]}"
        step = step.tb_next
    return found or str(worker.place_of(error))


def _said(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:400]


def warm() -> None:
    """Import a program: PyTorch and TVM load much of themselves with the first."""
    worker.warm()
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)  # a pool of threads does not live on in a process that is forked
    made = Torch(lambda x: x + 1, (torch.ones(2),), None)
    made.export()
    made.imported()


if __name__ == "__main__":
    serve.serve(answer, warm, torch=True)
