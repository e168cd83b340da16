"""What the type of a call is where deduction knows less of its arguments than in the example: executed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from refrelax.conformance.pages.sample import Sample, sample
from refrelax.errors import Rejection
from refrelax.syntax.graph import Function, VarBinding
from refrelax.syntax.write.types import type_text

TENSOR = re.compile(r"(\w+): R\.Tensor\(\(([^()]*)\), (?:dtype=)?\"(\w+)\"\)")
HEAD = re.compile(r"(    def main\(.*?\))(?: -> .*)?:\n")

LESS = (
    ("no dtypes", r"\1: R.Tensor((\2))"),
    ("no extents", ""),
    ("no ranks", r'\1: R.Tensor(dtype="\3")'),
    ("nothing", r"\1: R.Tensor()"),
)
"""What is known of every tensor argument."""


def head(text: str) -> str:
    """The line of an example that names its arguments and their types."""
    found = HEAD.search(text)
    return found.group(1) if found else ""


def untyped(text: str) -> str:
    """An example without the type of its result."""
    return HEAD.sub(lambda m: f"{m.group(1)}:\n", text, count=1)


def types(found: Sample, text: str, operator: str) -> list[str]:
    """The table of result types, and of the changes of one argument that are refused; none where the example has no
    plain tensors."""
    first = head(text)
    if not TENSOR.search(first):
        return []
    rows = [("the example", _result(found))]
    for known, spelling in LESS if found.given else ():
        loose = untyped(text).replace(first, TENSOR.sub(spelling or _ranked, first))
        rows.append((f"{known} of tensors", _of(loose, operator)))
    for found_tensor in TENSOR.finditer(first) if found.given else ():
        for what, spelling in _others(*found_tensor.groups()):
            changed = first.replace(found_tensor.group(), spelling, 1)
            refused = _of(untyped(text).replace(first, changed), operator)
            rows += [(what, refused)] if refused.startswith("IllTyped") else []
    return ["| what is known | type of the call |", "|---|---|", *(f"| {known} | {type_} |" for known, type_ in rows)]


def _others(name: str, dims: str, dtype: str) -> Iterator[tuple[str, str]]:
    """An argument of another dtype, and of another rank."""
    for other in ("float16", "int32", "bool"):
        if other != dtype:
            yield f"`{name}` of {other}", f'{name}: R.Tensor(({dims}), dtype="{other}")'
    extents = [each.strip() for each in dims.split(",") if each.strip()]
    for what, changed in (("one axis more", ["1", *extents]), ("one axis less", extents[1:])):
        if changed != extents:
            spelled = "".join(f"{each}, " for each in changed)
            yield f"`{name}` with {what}", f'{name}: R.Tensor(({spelled}), dtype="{dtype}")'


def _ranked(found: re.Match[str]) -> str:
    rank = len([each for each in found.group(2).split(",") if each.strip()])
    return f'{found.group(1)}: R.Tensor(dtype="{found.group(3)}", ndim={rank})'


def _of(text: str, operator: str) -> str:
    try:
        found = sample(text, operator)
    except Rejection as refused:
        return f"{type(refused).__name__}: " + ", ".join(dict.fromkeys(f"`{d.rule}`" for d in refused.diagnostics))
    return _result(found) if found is not None else "?"


def _result(found: Sample) -> str:
    function = found.checked.module.functions[found.entry]
    assert isinstance(function, Function)
    for block in function.body.blocks:
        for binding in block.bindings:
            if isinstance(binding, VarBinding) and binding.value is found.call:
                return f"`{type_text(found.checked.types[found.entry][binding.name])}`"
    return "?"


__all__ = ["HEAD", "TENSOR", "head", "types", "untyped"]
