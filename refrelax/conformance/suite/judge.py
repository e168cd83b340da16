"""An answer held against a record. Nothing is run here.

Spec: ``spec/01-conformance.md``, *What is said of a case*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from refrelax.conformance.cases import REJECTIONS
from refrelax.conformance.judged import Word
from refrelax.conformance.suite import deduced, values
from refrelax.conformance.suite.records import Record
from refrelax.errors import UsageError
from refrelax.judge.bindings import compare
from refrelax.judge.outcomes import cores
from refrelax.semantics.numbers.verdicts import Outside
from refrelax.shape_solver import Proved, Refuted, parse_claim, prove
from refrelax.shape_solver.claim import Query
from refrelax.shape_solver.core import integer
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, SymVar, bool_imm

Said = tuple[Word, str]
Answer = Mapping[str, Any]

ENDS = {
    "accepted": "the module is well-formed and well-typed (`check`); with `types`, the type of every binding",
    "rejected": "it is not (`check`, `run`); `why`",
    "returned": "the run returned `value`, left `arguments` and had `effects`",
    "trapped": "the run ended with an error that the language promises; `why`",
    "proved": "the claim holds for all values",
    "refuted": "it does not; `model`",
    "unknown": "neither was found",
    "unsupported": "the implementation has no such thing; `why`",
    "crash": "written by the runner: the process died",
    "hang": "written by the runner: no answer in time",
}
"""How an answer may end."""

BEYOND = "it rests on an equality that an implementation need not show (`sh/required`)"

STRUCTURE = ("unsupported", "crash", "hang")


def judge(record: Record, answer: Answer) -> Said:
    """What is said of a case, and why where it is not passed. What comes in pairs (``pairs``) is not settled here."""
    end = answer.get("end")
    if not isinstance(end, str) or end not in ENDS:
        return "failed", f"expected an end, one of {', '.join(ENDS)}; found {end!r}"
    why = str(answer.get("why", ""))
    if end == "unsupported":
        return "unsupported", why
    if end in STRUCTURE:
        return "failed", f"{end}: {why}".rstrip(": ")
    expected = record["expect"].split()[0]
    try:
        if record["ask"] == "prove":
            return _claim(record, expected, answer)
        if record.get("required", {}).get("end") == end:
            return "excluded", BEYOND
        if expected in REJECTIONS:
            return _refusal(expected, record["expect"], end)
        if end == "rejected":
            return "refused", why or "the module is rejected"
        return _checked(record, answer) if record["ask"] == "check" else _ran(record, expected, answer)
    except UsageError as error:
        return "failed", str(error)
    except RecursionError:
        return "failed", "the answer is nested deeper than anything that is expected"


def _claim(record: Record, expected: str, answer: Answer) -> Said:
    end = answer["end"]
    if expected == "Malformed":
        return ("passed", "") if end == "rejected" else ("failed", f"expected the claim to be rejected, found {end}")
    if end not in ("proved", "refuted", "unknown"):
        return "failed", f"expected proved, refuted or unknown, found {end}"
    if expected == "Unknown":
        return "excluded", "the claim is not decided here"
    if end == "unknown":
        return "undecided", f"the claim is {expected.lower()} here"
    if end != expected.lower():
        return "failed", f"the claim is {expected.lower()}, found {end}"
    return _model(record, answer["model"]) if "model" in answer else ("passed", "")


def _model(record: Record, model: Any) -> Said:
    """What is said of the values at which a claim is said to fail: the claim is asked there."""
    if not isinstance(model, dict) or not all(isinstance(each, int) for each in model.values()):
        return "failed", f"model: expected an object from symbols to integers, found {values.shown(model)}"
    claim, *assume = (parse_claim(each) for each in (record["claim"], *record.get("assume", ())))
    symbols = Query(claim, tuple(assume)).symbols()
    for name, value in model.items():
        if name not in symbols:
            return "failed", f"model: the claim has no symbol {name!r}"
        symbol, is_truth = SymVar(name, symbols[name]), symbols[name] == "bool"
        at = bool_imm(bool(value)) if is_truth else integer(value)
        assume.append(Binary("EQ", symbol, at))
    match prove(claim, assume, fits=record.get("fits"), division=record.get("division", "assume")):
        case Refuted():
            return "passed", ""
        case Proved():
            return "failed", "model: the claim holds there, or an assumption does not: " + values.shown(model)
        case unknown:
            return "undecided", f"model: {unknown.reason}"


def _refusal(expected: str, expect: str, end: str) -> Said:
    linking = expected == "Unlinkable"
    if end == "rejected" or (linking and end == "trapped"):
        return "passed", ""
    found = "something that the entry reaches is missing" if linking else f"the module is accepted ({end})"
    return "failed", f"{found}: expected {expect}" + (f", found {end}" if linking else "")


def _checked(record: Record, answer: Answer) -> Said:
    if answer["end"] != "accepted":
        return "failed", f"expected accepted or rejected, found {answer['end']}"
    if "types" not in answer:
        return "passed", ""
    required = record.get("required", {}).get("types")
    return deduced.difference(record["types"], answer["types"], required) or ("passed", "")


def _ran(record: Record, expected: str, answer: Answer) -> Said:
    end = answer["end"]
    if expected in ("Unspecified", "Exhausted"):
        return "excluded", f"the run is open: {record['expect']}"
    if end not in ("returned", "trapped"):
        return "failed", f"expected returned or trapped, found {end}"
    if expected == "Trapped" or end == "trapped":
        same = expected == "Trapped" and end == "trapped"
        return (
            ("passed", "") if same else ("failed", f"expected {record['expect']}, found {end} {answer.get('why', '')}")
        )
    if record["permitted"] is None:
        return "excluded", "nothing is said of this result: it is an interval, or one decides control"
    return _returned(record, answer)


def _returned(record: Record, answer: Answer) -> Said:
    theirs = answer.get("effects", [])
    if _names(theirs) != _names(record["effects"]):
        return "failed", f"effects: expected {_names(record['effects'])}, found {_names(theirs)}"
    parts = [("value", record["permitted"]["value"], record["value"], answer.get("value"))]
    given = answer.get("arguments", [])
    if not isinstance(given, list) or len(given) != len(record["arguments"]):
        return "failed", f"expected {len(record['arguments'])} final arguments, found {values.shown(given)}"
    for k, each in enumerate(zip(record["permitted"]["arguments"], record["arguments"], given, strict=True)):
        parts.append((f"arguments[{k}]", *each))
    for k, (permitted, own, found) in enumerate(
        zip(record["permitted"]["effects"], record["effects"], theirs, strict=True)
    ):
        parts.append((f"effects[{k}]", permitted, own["payload"], found.get("payload", [])))
    compared = left_out = 0
    for path, permitted, canonical, found in parts:
        if (other := _other_kind(canonical, found, BARE[path.partition("[")[0]])) is not None:
            return "failed", f"{path}: {other}"
        exact = cores(values.from_json(canonical))
        told = values.from_json(_at_dtype(canonical, found, BARE[path.partition("[")[0]]))
        result = compare(values.permitted_from_json(values.whole(permitted, canonical)), told, exact)
        if isinstance(result.verdict, Outside) and result.counts.compared:
            return "failed", _place(path, result.verdict)
        compared += result.counts.inside
        left_out += result.counts.excluded + result.counts.undecided
    return ("excluded", NOTHING_ASKED) if left_out and not compared else ("passed", "")


Bare = Literal["own", "parameter", "number"]
"""What a bare number is in an answer: of the dtype that it has alone (a result), of the parameter's (a final argument),
or a number whatever its dtype (what is printed: ``va/refinement``)."""


BARE: dict[str, Bare] = {"value": "own", "arguments": "parameter", "effects": "number"}


def _other_kind(wanted: Any, found: Any, bare: Bare) -> str | None:
    """How an answer is of another kind than a value of which less is compared than how it is written: a prim value is
    no tensor of rank 0 and is of the dtype that we tell, something opaque is told as such."""
    match wanted, found:
        case list(), list():
            parts = zip(wanted, found, strict=False)
            return next((said for w, f in parts if (said := _other_kind(w, f, bare)) is not None), None)
        case {"opaque": _}, dict() if "opaque" in found:
            return None
        case {"opaque": _}, _:
            return f"expected something opaque, found {values.shown(found)}"
        case ((bool() | int() | {"dtype": _, "value": _}), {"dtype": _, "shape": _}):
            return f"expected a prim value, found a tensor {values.shown(found)}"
        case ((bool() | int() | {"dtype": _, "value": _}), (bool() | int() | float() | {"dtype": _, "value": _})):
            return _other_dtype(_dtype_of(wanted), found, bare)
        case _:
            return None


def _dtype_of(scalar: Any) -> Any:
    """The dtype that a scalar is of: the one it tells, or the one of a bare number."""
    match scalar:
        case dict():
            return scalar["dtype"]
        case bool():
            return "bool"
        case int():
            return "int64"
        case _:
            return "float64"


def _other_dtype(wanted: str, found: Any, bare: Bare) -> str | None:
    theirs = _dtype_of(found)
    if isinstance(found, dict):
        same = _sort(wanted) == _sort(theirs) if bare == "number" else wanted == theirs
        return None if same else f"expected a prim value of {wanted}, found one of {values.shown(theirs)}"
    if bare != "own":
        truth = theirs == "bool" and wanted != "bool"  # (0 and 1 may stand for a truth, no truth for a number)
        return f"expected a prim value of {wanted}, found a truth" if truth else None
    if theirs == wanted or (wanted == "float64" and theirs == "int64"):  # (1.0 is 1 to many a writer of JSON)
        return None
    told = '{"dtype": …, "value": …}'
    return f"expected a prim value of {wanted}, found {found!r}, which alone is one of {theirs}: tell it as {told}"


def _at_dtype(wanted: Any, found: Any, bare: Bare) -> Any:
    """An answer in which a bare number in the place of a float is rounded to its dtype once, as in ``data``: who writes
    the shortest digits that give 2 ** 63 back writes another integer. What is printed is a float64."""
    match wanted, found:
        case list(), list() if len(wanted) == len(found):
            return [_at_dtype(w, f, bare) for w, f in zip(wanted, found, strict=True)]
        case {"dtype": str(dtype), "value": _}, int() | float() if _sort(dtype) == "float":
            return values.rounded("float64" if bare == "number" else dtype, found)
        case _:
            return found


def _sort(dtype: Any) -> str:
    """Truths, integers, or floats; of what is no dtype, that."""
    if dtype == "bool" or not isinstance(dtype, str) or not dtypes.is_dtype(dtype):
        return str(dtype)
    return "float" if dtypes.is_float(dtype) else "integer"


NOTHING_ASKED = "all of the result is left open, or its permitted sets are too wide to tell"
"""Of a wide set nobody's answer is agreement, our own included: an element that has one asks nothing, as an open one
does."""


def _names(effects: Any) -> list[str] | None:
    """Kind and name of every effect; ``None`` for what is no list of effects."""
    if not isinstance(effects, list) or not all(isinstance(each, dict) for each in effects):
        return None
    return [f"{each.get('kind')} {each.get('name')}" for each in effects]


def _place(path: str, outside: Outside) -> str:
    index = list(outside.index) if outside.index else ""
    seen = f": found {outside.found}, permitted {outside.permitted}" if outside.found else ""
    return f"{path}{index} is outside the permitted results{seen}"
