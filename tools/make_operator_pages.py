"""Write ``spec/ops/*.md`` and ``refrelax/conformance/cases/ops_*.toml`` from the operators, their rules and their samples.

The pages say what the operators' own texts say; the values in them are computed by the reference and are those that
the tests compare with NumPy. Run it after a change: ``python tools/make_operator_pages.py``.
"""

# ruff: noqa: E501
from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "tools"))

import operator_cases as oc  # noqa: E402
from operator_memory import MEMORY, memory_example  # noqa: E402

import refrelax as rr  # noqa: E402
from refrelax.conformance import citations, pages  # noqa: E402
from refrelax.conformance.cases import load  # noqa: E402
from refrelax.conformance.pages.constraints import RULES  # noqa: E402
from refrelax.semantics.ops import FAMILIES, OPERATORS  # noqa: E402
from refrelax.syntax.write.types import type_text  # noqa: E402
from tests.semantics.ops.catalogue import SAMPLES, data  # noqa: E402

FENCE = "```"

Written = tuple[str, str]
"""Where a file stands in the repository, and its text."""


def plain(value: Any) -> Any:
    """A result as JSON: numbers as they print exactly, NaN and infinities as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value


def tensor_json(tensor: Any) -> dict[str, Any]:
    flat, lost = tensor.numpy().reshape(-1).tolist(), [p is None for p in tensor.patterns()]
    data = ["poison" if gone else plain(v) for v, gone in zip(flat, lost, strict=True)]
    return {"dtype": tensor.dtype, "shape": list(tensor.shape), "data": data}


def value_json(value: Any) -> Any:
    if isinstance(value, rr.Tensor):
        return tensor_json(value)
    if isinstance(value, tuple):
        return [value_json(each) for each in value]
    if isinstance(value, int):
        return value
    return {"shape": list(value.dims)} if hasattr(value, "dims") else None


def module(params: tuple[str, ...], expr: str) -> str:
    heads = ", ".join(f"{n}: {p}" for n, p in zip("abcde", params, strict=False))
    known = {"mesh[": '"mesh": [R.device_mesh((2,), [0, 1])]', "llvm:": '"vdevice": [I.vdevice("llvm")]'}
    infos = ", ".join(info for mark, info in known.items() if mark in heads + expr)
    world = [f"    I.module_global_infos({{{infos}}})"] if infos else []
    lines = ["@I.ir_module", "class Module:", *world, "    @R.function(pure=False)", f"    def main({heads}):"]
    return "\n".join([*lines, f"        gv = {expr}", "        return gv", ""])


def sample(name: str) -> tuple[str, list[Any], Any] | None:
    """Text, arguments and value of the example of an operator: small, and with dyadic data."""
    import numpy as np

    if name in oc.MORE:
        params, expr, args = oc.MORE[name]
        text = module(params, expr)
        out = rr.run(rr.check(rr.parse(text)), "main", *[_array(a) for a in args])
        return in_dataflow(text), args, value_json(out.value)
    if name in MEMORY:
        text, given = memory_example(name), [{"dtype": "float32", "shape": [4], "data": [1, 2, 3, 4]}]
        out = rr.run(rr.check(rr.parse(text)), "main", *map(_array, given))
        return text, given, value_json(out.value)
    found = next((s for s in SAMPLES if s.op == name), None)
    if found is None:
        return None
    spans = [*found.ranges, *[None] * len(found.params)]
    arrays = [_small(a, span) if a.dtype.kind == "f" else a for a, span in zip(data(found), spans, strict=False)]
    arrays = (
        [np.array(d, a.dtype).reshape(a.shape) for d, a in zip(oc.TELLING[name], arrays, strict=True)]
        if name in oc.TELLING
        else arrays
    )
    out = rr.run(rr.check(rr.parse(found.text)), "main", *arrays)
    args = [
        {"dtype": a.dtype.name, "shape": list(a.shape), "data": [plain(v) for v in a.reshape(-1).tolist()]}
        for a in arrays
    ]
    return in_dataflow(found.text), args, value_json(out.value)


def in_dataflow(text: str) -> str:
    """A program of one pure call as people write it: in a dataflow block, with its type; any other as it is."""
    plain = text.replace("@R.function(pure=False)", "@R.function")
    heads, _, body = plain.partition("):\n")
    call = re.fullmatch(r"        gv = (.*)\n        return gv\n", body)
    if call is None:
        return text
    try:
        type_ = type_text(rr.check(rr.parse(plain)).types["main"]["gv"])
        inside = (
            f"        with R.dataflow():\n            gv = {call[1]}\n            R.output(gv)\n        return gv\n"
        )
        typed = f"{heads}) -> {type_}:\n{inside}"
        rr.check(rr.parse(typed))
    except rr.Rejection:  # an effect, or a type that no text of this function can spell
        return text
    return typed


def _small(a: Any, span: Any) -> Any:
    """Whole numbers, inside of the range that the sample draws from; eighths where that has none but one."""
    import numpy as np

    whole = np.round(a)
    low, high = span if isinstance(span, tuple) and len(span) == 2 and not isinstance(span[0], tuple) else (None, None)
    if low is not None:
        whole = np.clip(whole, math.ceil(low), math.floor(high))
    fits = low is None or math.ceil(low) < math.floor(high)
    return (whole + 0.0 if fits else np.round(a * 8) / 8).astype(a.dtype)


def _array(a: dict[str, Any]) -> Any:
    import numpy as np

    return np.array(a["data"], a["dtype"]).reshape(a["shape"])


def example(text: str, args: list[Any], value: Any) -> list[str]:
    head = ["# expect: Returned", "# entry: main", f"# args: {json.dumps(args)}"]
    if value is not None and not _has_effect(text):
        head.append(f"# value: {json.dumps(value)}")
    return [f"{FENCE}tvmscript", *head, *text.rstrip().splitlines(), FENCE, ""]


def _has_effect(text: str) -> bool:
    return "R.print" in text or "R.assert_op" in text


def family_page(family: Any) -> Written:
    """The page of a family."""
    body = [*pages.head(family, ENDS), ""]
    for row in family.OPERATORS:
        body += [f"## {row.name}", ""]
        found = sample(row.name.removeprefix("relax."))
        shown = example(*found) if found is not None else []
        made = {
            name: pages.marked(name, lines)
            for name, lines in pages.blocks(pages.section(row.name, "\n".join(shown))).items()
        }
        body += [line for lines in made.values() for line in lines]
        if shown:
            body += ["Example:", "", *shown]
    return f"spec/ops/{family.PAGE}.md", re.sub(r"\n{3,}", "\n\n", "\n".join(body)).rstrip() + "\n"


def common_page() -> Written:
    """The page of what all share: what is written by hand, and the rules."""
    place = "spec/ops/common.md"
    kept = (ROOT / place).read_text(encoding="utf-8").split("## Constraints\n")[0]
    return place, kept + "\n".join(pages.common(ENDS)) + "\n"


def toml(value: Any) -> str:
    """A value as inline TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    return json.dumps(value)


def case(name: str, rule: str, verdict: str, text: str, **more: Any) -> str:
    lines = ["[[case]]", f'name = "{name}"', f'rule = "{rule}"', f'verdict = "{verdict}"', f"module = '''\n{text}'''"]
    lines += [f"{k} = {toml(v)}" for k, v in more.items() if v is not None]
    return "\n".join(lines) + "\n"


def case_files() -> Iterator[Written]:
    """The files of cases."""
    by_page: dict[str, list[str]] = {}
    for rule, op, params, expr, args in [*oc.ROWS, *oc.POISON]:
        page = OPERATORS[f"relax.{op}"].page
        slug = rule.removeprefix("op.").replace("/", "-").replace(".", "-").replace("_", "-")
        cases = by_page.setdefault(page, [])
        found = sample(op)
        if found is not None:
            text, given, value = found
            value = None if _has_effect(text) else value
            cases.append(
                case(
                    f"ops-{page}/{slug}-holds",
                    rule,
                    "accepts",
                    text,
                    entry="main",
                    args=given,
                    expect="Returned",
                    value=value,
                )
            )
        text = module(params, expr)
        if args is None:
            cases.append(case(f"ops-{page}/{slug}", rule, "rejects", text, expect=f"IllTyped {rule}"))
        elif (rule, op, params, expr, args) in oc.POISON:
            cases.append(
                case(f"ops-{page}/{slug}-poison", rule, "accepts", text, entry="main", args=args, expect="Returned")
            )
        else:
            kind = "Trapped" if rule == "op.assert_op/failed" else "Unspecified"
            cases.append(
                case(f"ops-{page}/{slug}", rule, "rejects", text, entry="main", args=args, expect=f"{kind} {rule}")
            )
    for page, cases in by_page.items():
        yield (
            f"refrelax/conformance/cases/ops_{page}.toml",
            "# Written by tools/make_operator_pages.py.\n\n" + "\n".join(cases),
        )


ENDS = pages.ends_of(load(), citations.scan(areas=frozenset(rule.split("/")[0] for rule in RULES)))


def written() -> Iterator[Written]:
    """Every file that is made here, by its place in the repository, and its text."""
    yield common_page()
    yield from map(family_page, FAMILIES)
    yield from case_files()


if __name__ == "__main__":
    (ROOT / "spec" / "ops").mkdir(exist_ok=True)
    for place, text in written():
        (ROOT / place).write_text(text, encoding="utf-8")
    left = [rule for rule in RULES if rule not in pages.said()]
    print(f"{len(pages.said())} rules" + (f"; on no page: {left}" if left else ""))
