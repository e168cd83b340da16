"""A call as a script that needs TVM and NumPy alone: for whoever does not have refrelax."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refrelax.interop.tvm import pass_steps
from refrelax.interop.tvm.spelling import text_for
from refrelax.interop.tvm.worker import readable
from refrelax.running.arrays import Tensor
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax import bits, dtypes
from refrelax.syntax.module import ConstantArray, Module

MOST_ELEMENTS = 256
"""Elements that are written out; more are bytes."""

_TEMPLATE = '''"""{title}

Needs apache-tvm{version} and numpy (ml_dtypes for dtypes that NumPy has not). Run with MALLOC_PERTURB_=165, so that
what is read before it was written differs from what is expected.
"""

import numpy as np
import tvm
from tvm import relax
{imports}
TEXT = """{text}"""

module = {read}
args = [
{args}]
{passes}vm = relax.VirtualMachine(tvm.compile(module, target={target!r}), tvm.cpu())
try:
    print("got:     ", vm["main"](*args))
except Exception as error:
    print("got:     ", type(error).__name__, str(error).strip().splitlines()[-1:])
print("expected:", """{expected}""")
'''


def script(
    module: Module,
    args: Sequence[Any],
    version: str,
    target: str,
    pipeline: str | None,
    title: str,
    expected: str,
    steps: Sequence[str] = (),
) -> str:
    """The text of the script. ``expected``: what to print beside what is got. ``steps``: passes by name, of which the
    last is at fault: the script shows the program before and after it, with ``pass_steps.py`` in it."""
    text, read = _readable(text_for(version, module))
    if steps:
        return _through(text, read, version, title, expected, steps, args)
    lines = "".join(f"    {argument(each)},\n" for each in args)
    wanted = {each.dtype for each in args if isinstance(each, Tensor | ConstantArray)}
    narrow = any(map(_narrow, wanted))
    made, passes = ("", "") if pipeline is None else _after(pipeline, target)
    return _TEMPLATE.format(
        title=_safe(title),
        version=f" {version}" if version else "",
        imports=("import ml_dtypes\n" if narrow else "") + made,
        read=read,
        text=_safe(text),
        args=lines,
        passes=passes,
        target=target,
        expected=_safe(expected),
    )


def _readable(text: str) -> tuple[str, str]:
    """A text that TVM reads, and the expression that reads it."""
    found = readable(text)
    if found == text:
        return text, "tvm.script.from_source(TEXT)"
    names = "**tvm.script.parser.core.entry._default_globals()"
    special = '"special": {each: float(each) for each in ("inf", "-inf", "nan", "-nan")}'
    return found, f"tvm.script.from_source(TEXT, extra_vars={{{names}, {special}}})"


def _after(pipeline: str, target: str) -> tuple[str, str]:
    """What a script has before it and does for a pipeline, as ``pass_worker.find_passes`` finds its passes."""
    before = ""
    if ":" in pipeline:
        path, _, name = pipeline.rpartition(":")
        before, made = "import runpy\n", f"runpy.run_path({path!r})[{name!r}]()"
    elif pipeline in ("cpu_generic", "target"):
        chosen = "llvm" if pipeline == "cpu_generic" else target
        made = f"relax.get_default_pipeline(tvm.target.Target({chosen!r}))"
    elif re.fullmatch(r"[a-z_]\w*", pipeline):  # passes by name have a capital
        made = f"relax.get_pipeline({pipeline!r})"
    else:
        before, made = f"\n{_source()}\n", f"[each for _, each in passes({pipeline!r})]"
    each = "for each in made if isinstance(made, (list, tuple)) else [made]:\n        module = each(module)"
    said = f"# after the pipeline {pipeline}\nmade = {made}\n"
    return before, f"{said}with tvm.target.Target({target!r}):\n    {each}\n"


def _source() -> str:
    """Of ``pass_steps.py``."""
    source = Path(pass_steps.__file__).read_text("utf-8")
    source = source.partition("from __future__ import annotations")[2].lstrip("\n")
    return source.replace("Imports nothing of refrelax.", "").rstrip()


_STEPS = '''"""{title}

Needs apache-tvm{version}. Prints the program before and after the last step{given}
"""

{steps}

TEXT = """{text}"""

if __name__ == "__main__":
    import tvm

    module = {read}
    with tvm.target.Target("llvm"):
        *before, (name, last) = passes({sequence!r})
        for _, step in before:
            module = step(module)
        print(module.script())
        print("after", name)
        print(last(module).script())
    print("expected:", """{expected}""")
'''


def _through(
    text: str, read: str, version: str, title: str, expected: str, steps: Sequence[str], args: Sequence[Any]
) -> str:
    shown = ", ".join(argument(each) for each in args)
    given = f"; they differ on\n\n    {shown}" if args else "."
    return _STEPS.format(
        title=_safe(title), version=f" {version}" if version else "", given=_safe(given), steps=_source(), read=read,
        text=_safe(text), sequence=",".join(steps), expected=_safe(expected),
    )  # fmt: skip


def _safe(text: str) -> str:
    """The text between three quotes; quotes at its end would be taken for theirs."""
    body = text.rstrip('"')
    escaped = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return escaped + '\\"' * (len(text) - len(body))


def argument(value: Any) -> str:
    """An argument as Python that makes it."""
    match value:
        case ConstantArray():
            return argument(Tensor.of(value))
        case Tensor():
            return f"tvm.runtime.tensor({_array(value)})"
        case Shape(dims):
            return f"tvm.runtime.ShapeTuple({list(dims)})"
        case Prim():
            return _number(value.value)
        case tuple():
            return f"({''.join(f'{argument(each)}, ' for each in value)})"
        case float():
            return _number(value)
        case _:
            return repr(value)


def _array(value: Tensor) -> str:
    dtype = f"ml_dtypes.{value.dtype}" if _narrow(value.dtype) else f'"{value.dtype}"'
    shape = f".reshape({tuple(value.shape)})"
    elements = _flat(value)
    if elements is None or len(elements) > MOST_ELEMENTS:
        data = value.tobytes()
        return f"np.frombuffer(bytes.fromhex({data.hex()!r}), {dtype}){shape}.copy()"
    return f"np.array([{', '.join(map(_number, elements))}], {dtype}){shape}"


def _narrow(dtype: str) -> bool:
    """Whether NumPy lacks a dtype."""
    return dtypes.is_float(dtype) and dtype not in ("float16", "float32", "float64")


def _flat(value: Tensor) -> list[Any] | None:
    patterns = value.patterns()
    known = [each for each in patterns if each is not None]
    return [bits.decode(value.dtype, each) for each in known] if len(known) == len(patterns) else None


def _number(value: Any) -> str:
    if isinstance(value, float):
        if value != value:
            return "np.nan"
        if value in (float("inf"), float("-inf")):
            return "np.inf" if value > 0 else "-np.inf"
    return repr(value)
