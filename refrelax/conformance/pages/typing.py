"""What the type of a call is where deduction knows less of its arguments than in the example: executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from refrelax.conformance.pages.sample import Sample, sample
from refrelax.errors import Rejection
from refrelax.syntax.graph import Function, Var, VarBinding
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
    """The table of result types, and of the changes of one argument that are refused, and what is said of virtual
    devices; none where the example has no plain tensors."""
    first = head(text)
    if not TENSOR.search(first):
        return []
    rows = [("the example", _result(found))]
    for known, spelling in LESS if found.given else ():
        loose = untyped(text).replace(first, TENSOR.sub(spelling or _ranked, first))
        whole = _of(loose, operator)
        rows.append((f"{known} of tensors", whole))
        rows += _of_one(text, operator, known, spelling or _ranked, whole) if known != "nothing" else []
    for found_tensor in TENSOR.finditer(first) if found.given else ():
        for what, spelling in _others(*found_tensor.groups()):
            changed = first.replace(found_tensor.group(), spelling, 1)
            refused = _of(untyped(text).replace(first, changed), operator)
            rows += [(what, refused)] if refused.startswith("IllTyped") else []
    table = ["| what is known | type of the call |", "|---|---|", *(f"| {known} | {type_} |" for known, type_ in rows)]
    return [*table, *devices(text, operator)] if found.given else table


def _of_one(text: str, operator: str, known: str, spelling: Any, whole: str) -> Iterator[tuple[str, str]]:
    """The rows of what is known less of one argument alone, where the type is another than where it is of all."""
    first, found = head(text), dict[str, list[str]]()
    for each in TENSOR.finditer(first):
        changed = first.replace(each.group(), TENSOR.sub(spelling, each.group()), 1)
        found.setdefault(_of(untyped(text).replace(first, changed), operator), []).append(f"`{each.group(1)}`")
    for type_, names in found.items():
        if type_ != whole:
            yield f"{known} of {', '.join(names)} alone", type_


def must_be_tensors(found: Sample, text: str, operator: str) -> frozenset[int]:
    """The places of the arguments that have to be tensors: of ``R.Any`` in its place ``op.common/tensor-argument`` says
    so. What the example does not give by a parameter is not among them."""
    first, places = head(text), {each.name: k for k, each in enumerate(found.call.args) if isinstance(each, Var)}
    return frozenset(
        places[each.group(1)]
        for each in TENSOR.finditer(first)
        if each.group(1) in places
        and "`op.common/tensor-argument`"
        in _of(untyped(text).replace(first, first.replace(each.group(), f"{each.group(1)}: R.Any", 1)), operator)
    )


DEVICES = ("llvm:0", "cuda:0")
"""The virtual devices that arguments are put on."""

CLASS = "class Module:\n"


def devices(text: str, operator: str) -> list[str]:
    """On which virtual device the result lies, for each argument on one; nothing where the example names some."""
    first = head(text)
    tensors = [each.group() for each in TENSOR.finditer(first)]
    if "vdevice" in text or CLASS not in text:
        return []
    infos = "".join(f'I.vdevice("{each[:-2]}"), ' for each in DEVICES)
    world = untyped(text).replace(CLASS, f'{CLASS}    I.module_global_infos({{"vdevice": [{infos}]}})\n', 1)

    def on(*placed: tuple[str, str]) -> str:
        changed = first
        for tensor, device in placed:
            changed = changed.replace(tensor, f'{tensor[:-1]}, vdevice="{device}")', 1)
        return _of(world.replace(first, changed), operator)

    one, other = DEVICES
    givers = [each for each in tensors if f'"{one}' in on((each, one))]
    names = [f"`{each.partition(':')[0]}`" for each in givers]
    lies = f"Virtual device: that of {' or of '.join(names)}" if names else "Virtual device: none"
    if len(givers) < 2:
        return ["", f"{lies}."]
    both = on((givers[0], one), (givers[1], other))
    if f'"{one}' in both and f'"{other}' in both:
        return ["", f"{lies}, each of a field of the result."]
    unlike = "are refused" if both.startswith("IllTyped") else "make none"
    return ["", f"{lies}; two different ones {unlike}."]


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


__all__ = ["HEAD", "TENSOR", "head", "must_be_tensors", "types", "untyped"]
