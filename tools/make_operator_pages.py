"""Write ``spec/ops/*.md`` and ``refrelax/conformance/cases/ops_*.toml`` from the operators, their rules and their samples.

The pages say what the operators' own texts say; the values in them are computed by the reference and are those that
the tests compare with NumPy. Run it after a change: ``python tools/make_operator_pages.py``.
"""

# ruff: noqa: E501
from __future__ import annotations

import inspect
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
from operator_rules import RULES  # noqa: E402

import refrelax as rr  # noqa: E402
from refrelax.semantics.ops import FAMILIES, OPERATORS, OpDef, common, layout  # noqa: E402
from refrelax.syntax.signatures import has_signature, signature  # noqa: E402
from refrelax.syntax.write.types import type_text  # noqa: E402
from tests.semantics.ops.catalogue import SAMPLES, data  # noqa: E402

FORMULAS = {
    "isnan": "`out[i] = x[i] is NaN`; false for integers.", "isinf": "`out[i] = x[i] is infinite`; false for integers.",
    "isfinite": "`out[i] = x[i] is neither NaN nor infinite`; true for integers.",
    "abs": "`out[i] = |x[i]|`; the least integer is its own absolute value.", "negative": "`out[i] = -x[i]`, wrapping.",
    "sign": "`out[i]` is 1, 0 or -1; NaN for NaN.", "square": "`out[i] = x[i] * x[i]`.", "round": "`out[i]` is the nearest integer, half to even.",
    "logical_not": "`out[i] = not x[i]`; a number counts as `!= 0`.", "bitwise_not": "`out[i] = ~x[i]`.",
    "rsqrt": "`out[i] = 1 / sqrt(x[i])`.", "sigmoid": "`out[i] = 1 / (1 + exp(-x[i]))`.",
    "divide": "`out[i] = a[i] / b[i]`; on integers truncated toward zero.", "mod": "`out[i]` is the remainder of the truncated quotient, with the sign of `a`.",
    "floor_divide": "`out[i] = floor(a[i] / b[i])`; of floats the quotient is rounded first, that of an infinity and a number is an infinity, and 0 or -0 the other way round, so that -1 by an infinity is -0.", "floor_mod": "`out[i] = a[i] - floor(a[i] / b[i]) * b[i]`, of integers with the sign of `b`; of floats step by step, so that it is NaN by an infinity.",
    "power": "`out[i] = a[i] ** b[i]`; on integers the wrapped product of `b` factors.",
    "log_add_exp": "`out[i] = log(exp(a[i]) + exp(b[i]))`, as `max + log1p(exp(-|a - b|))`; the literal form is permitted.",
    "ones": "`out[i] = 1`.", "zeros": "`out[i] = 0`.", "ones_like": "`out[i] = 1`.", "zeros_like": "`out[i] = 0`.",
    "tril": "`out[…, i, j] = x[…, i, j] if j - i <= k else 0`.", "triu": "`out[…, i, j] = x[…, i, j] if j - i >= k else 0`.",
    "sum": "The sum; 0 of nothing.", "prod": "The product; 1 of nothing.", "max": "The greatest; poison of nothing.", "min": "The least; poison of nothing.",
    "argmax": "The first position of the greatest; poison of nothing.", "argmin": "The first position of the least; poison of nothing.",
}  # fmt: skip

FAMILY_NOTES = {
    "norm": "Sums in any order, in float32 or wider. A one-pass variance is a named relaxation.",
    "linear": "Products and sums in any order and association, fused, wider.",
    **dict.fromkeys(
        ("grid", "roi"),
        "In the steps every operation on positions and weights is correctly rounded, a product and the addition that uses it once or twice; weights are multiplied and summed in any order and association.",
    ),
    **dict.fromkeys(
        ("suppression", "detection"),
        "Decided by correctly rounded overlaps and scores; a product and the addition that uses it are rounded once or twice, `exp` may be off by its bound.",
    ),
}
FAMILY_NOTES["conv"] = FAMILY_NOTES["linear"]

NOTES = {
    **dict.fromkeys(
        ("maximum", "minimum", "max", "min", "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"),
        "Of NaN and a number either.",
    ),
    **dict.fromkeys(("argmax", "argmin"), "With NaNs the position of any, or of the extreme of the others."),
    **dict.fromkeys(("sort", "argsort", "topk"), "Positions after a NaN are open."),
    **dict.fromkeys(("mean", "variance", "std"), "A sum may stay in the wider format until it is divided."),
    **dict.fromkeys(
        ("nn.layer_norm", "nn.group_norm", "nn.instance_norm", "nn.batch_norm", "nn.rms_norm"), FAMILY_NOTES["norm"]
    ),
    "nn.log_softmax": "As `softmax` up to the sum; the two differences rounded each, or together.",
    "nn.relu": "Of NaN, NaN or 0.",
    "nn.selu": "`exp(x) - 1` rounded once or twice.",
    "nn.softmax": "`x - max` rounded or not, any order and association of the sum.",
    "nn.softplus": "`beta * x`, rounded or not, decides which arm is taken.",
    "floor_divide": "The floor of the rounded quotient, or of the real one, where both are finite.",
    "floor_mod": "Each step rounded, or the real remainder, where both are finite.",
    "log_add_exp": "The stable form or the literal one.",
    "image.resize2d": "In the steps positions and weights are exact and the weights rounded once, or computed step by step in the dtype of the sum; products and sums in any order and association, fused or not.",
    "image.resize3d": "As `resize2d`.",
    "index_put": "Nothing is rounded without `accumulate`.",
    "scatter_elements": "Nothing is rounded by `update`, `max` and `min` (of NaN and a number either).",
    "scatter_nd": "As `scatter_elements`.",
    "clip": "Of NaN, NaN or a bound.",
    "ewise_fma": "The product and the sum rounded each, or together.",
    "quantize": "A quotient that is rounded before it is rounded to an integer may fall to the other side.",
    "multinomial_from_uniform": "Running sums of probabilities decide the position.",
    "vision.get_valid_counts": "",  # what it decides by is an element
}
"""What single operators say beside their word (of ``semantics/ops/accuracy.py``)."""


def permitted(row: OpDef) -> str:
    """The line of what is permitted: the word, and what there is to say besides."""
    name = row.name.removeprefix("relax.")
    note = NOTES.get(name, FAMILY_NOTES.get(row.page, ""))
    return f"Permitted results: {OPERATORS[row.name].accuracy.sentence} {note}".rstrip()


FENCE = "```"

Written = tuple[str, str]
"""Where a file stands in the repository, and its text."""


def docs(function: Any, whole: bool = False) -> str:
    """The first paragraph of a docstring, or all of it, as a line of text."""
    text = inspect.getdoc(function) or ""
    return " ".join((text if whole else text.split("\n\n")[0]).split()).replace("``", "`")


def maker_docs(function: Any) -> str:
    """The docstring of what a rule was made from: the function or factory in its closure."""
    for cell in getattr(function, "__closure__", None) or ():
        if callable(cell.cell_contents) and docs(cell.cell_contents):
            return docs(cell.cell_contents)
    outer = getattr(function, "__qualname__", "").split(".")[0]
    return docs(getattr(sys.modules[function.__module__], outer, None))


def semantics(row: OpDef) -> str:
    name = row.name.removeprefix("relax.")
    source = row.text or row.evaluate
    text = FORMULAS.get(name) or docs(source, whole=True) or maker_docs(source)
    if text.startswith(("A function of real", "A method of", "A comparison", "A connective", "")) and not FORMULAS.get(
        name
    ):
        if row.page in ("unary",):
            return f"`out[i] = {name}(x[i])`."
        if row.page == "binary":
            return f"`out[i] = {name}(a[i], b[i])`."
    return text


SORTS = {
    "expr": "expression", "prim": "scalar", "shape": "shape", "tuple": "tuple", "dtype": "dtype", "str": "string",
    "int": "integer", "bool": "truth", "float": "number", "vdevice": "virtual device", "any": "anything",
    "index_map": "index map", "imm": "integer or float32", "sections": "integer or integers", "ints": "integers",
    "floats": "numbers", "imms": "integers or float32s",
}  # fmt: skip
"""What arguments and attributes are, by their kinds in ``syntax/signatures.py``; a digit counts."""


def sort(kind: str) -> str:
    """A kind in words."""
    plain = kind.rstrip("123")
    count = kind[len(plain) :]
    if plain == "pad":
        return f"{2 * int(count)} integers"
    if count == "1":
        return SORTS[plain].removesuffix("s")
    return f"{SORTS[plain]} of {count}" if plain == "shape" and count else f"{count} {SORTS[plain]}".strip()


def slots(name: str) -> list[str]:
    """The arguments and attributes as a table."""
    if not has_signature(name):
        return ["Arguments: see chapter 03.", ""]
    known = signature(name)
    if not known.args and not known.attrs:
        return ["It takes nothing.", ""]
    rows = []
    for slot in (*known.args, *known.attrs):
        default = slot.default
        if slot.optional and not slot.attribute:
            missing = "nothing"
        elif isinstance(default, str) and default.startswith("@"):
            missing = f"as `{default[1:]}`"
        else:
            missing = "" if slot.required else "none" if default is None else f"`{default!r}`"
        what = sort(slot.kind) + (" or none" if slot.optional and slot.attribute else "")
        rows.append(f"| `{slot.name}` | {'attribute' if slot.attribute else 'argument'} | {what} | {missing} |")
    return ["| name | is an | sort | where left out |", "|---|---|---|---|", *rows, ""]


MEMORY = {"fresh": "fresh memory", "view": "memory of an argument", "either": "fresh memory, or that of an argument"}


def facts(row: OpDef) -> str:
    """What a call does beside its value, and whether TVM does otherwise."""
    stores = ", and stores into tensors that it is given" if row.overwrites else ""
    told = f"A call is {'pure' if row.pure else 'impure'}{stores}; its result is {MEMORY[row.memory]}."
    short = row.name.removeprefix("relax.")
    deviates = re.search(rf"`(relax|R)\.{re.escape(short)}`|`op\.{re.escape(short)}/", DEVIATIONS)
    return told + (" TVM 0.27 does otherwise in places: [deviations](../deviations.md)." if deviates else "")


DEVIATIONS = (ROOT / "spec" / "deviations.md").read_text("utf-8")


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
    if name in oc.MORE:
        params, expr, args = oc.MORE[name]
        text = module(params, expr)
        out = rr.run(rr.check(rr.parse(text)), "main", *[_array(a) for a in args])
        return in_dataflow(text), args, value_json(out.value)
    found = next((s for s in SAMPLES if s.op == name), None)
    if found is None:
        return None
    spans = [*found.ranges, *[None] * len(found.params)]
    arrays = [_small(a, span) if a.dtype.kind == "f" else a for a, span in zip(data(found), spans, strict=False)]
    out = rr.run(rr.check(rr.parse(found.text)), "main", *arrays)
    args = [{"dtype": a.dtype.name, "shape": list(a.shape), "data": a.reshape(-1).tolist()} for a in arrays]
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
    """Whole numbers where the operator is defined on some of the range that the sample draws from, else eighths."""
    import numpy as np

    whole = np.round(a)
    low, high = span if isinstance(span, tuple) and len(span) == 2 and not isinstance(span[0], tuple) else (None, None)
    inside = low is None or (low <= whole.min() and whole.max() <= high)
    fits = inside and (a.size < 2 or len(np.unique(whole)) > 1)
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


def page_rules(family: Any) -> list[str]:
    source = inspect.getsource(family)
    extra = inspect.getsource(layout) if family.PAGE == "conv" else ""
    return sorted(r for r in RULES if f'"{r}"' in source + extra)


def family_page(family: Any) -> Written:
    """The page of a family."""
    title, _, rest = (inspect.getdoc(family) or "").partition("\n")
    body = [f"# Operators: {title.rstrip('.')}", "", re.sub(r"Spec: .*", "", rest).strip().replace("``", "`"), ""]
    body += ["## Constraints", ""]
    for rule in page_rules(family):
        if rule.startswith("op.common/") or rule in SEEN:
            continue
        SEEN.add(rule)
        body += [f"**`{rule}`** — {RULES[rule]}", ""]
    for row in family.OPERATORS:
        body += [f"## {row.name}", "", f"Semantics: {semantics(row)}", "", *slots(row.name)]
        body += [f"Output: {docs(row.deduce) or maker_docs(row.deduce)}", "", permitted(row), "", facts(row), ""]
        found = sample(row.name.removeprefix("relax."))
        if found is not None:
            body += ["Example:", "", *example(*found)]
    return f"spec/ops/{family.PAGE}.md", re.sub(r"\n{3,}", "\n\n", "\n".join(body)).rstrip() + "\n"


def common_page() -> Written:
    """The page of what all share."""
    body = [
        "# Operators: what all share",
        "",
        (inspect.getdoc(common) or "").split("\n\nSpec:")[0].replace("``", "`"),
        "",
    ]
    for rule in (r for r in RULES if r.startswith("op.common/")):
        SEEN.add(rule)
        body += [f"**`{rule}`** — {RULES[rule]}", ""]
    return "spec/ops/common.md", "\n".join(body).rstrip() + "\n"


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


SEEN: set[str] = set()


def written() -> Iterator[Written]:
    """Every file that is made here, by its place in the repository, and its text."""
    SEEN.clear()
    yield common_page()
    yield from (family_page(family) for family in FAMILIES if family.PAGE != "memory")  # that page is written by hand
    yield from case_files()


if __name__ == "__main__":
    (ROOT / "spec" / "ops").mkdir(exist_ok=True)
    for place, text in written():
        (ROOT / place).write_text(text, encoding="utf-8")
    left = [r for r in RULES if r not in SEEN]
    print(f"{len(SEEN)} rules" + (f"; on no page: {left}" if left else ""))
