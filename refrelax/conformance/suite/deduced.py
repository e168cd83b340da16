"""Deduced types: as a record has them, and an answer's held against those.

Two implementations may spell one dimension differently, and one may show less of ``sh/equal`` than the other, down to
``sh/required``. A record therefore says what that leaves: coarser types, or another answer to the whole question.

Spec: ``spec/01-conformance.md``, *The suite for other implementations*; ``spec/06-shapes.md``, ``sh/required``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from refrelax.conformance.judged import Word
from refrelax.errors import Rejection
from refrelax.semantics.dims import Facts, equal, shape_facts
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.lattice import is_base_of
from refrelax.semantics.types.wellformed import operands
from refrelax.semantics.types.wellformed.graph import function_types
from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.syntax import dtypes
from refrelax.syntax.json_ import node_from_json, to_json
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_variables, int_imm
from refrelax.syntax.types import Type, dims_of

Types = Mapping[str, Mapping[str, Any]]
Difference = tuple[Word, str]

REQUIRED = Facts(required=True)


def types_of(checked: CheckedModule) -> dict[str, dict[str, Any]]:
    """The deduced type of every binding and parameter of every graph-level function, in JSON."""
    return {
        name: {binding: json.loads(to_json(type_)) for binding, type_ in sorted(found.items())}  # type: ignore[arg-type]
        for name, found in sorted(checked.types.items())
    }


def required_of(module: Module, types: Types | None) -> dict[str, Any]:
    """What is deduced where no more than ``sh/required`` is shown, as far as it is something else: ``types``, those of
    the bindings that differ, or ``end``. ``types`` are ours, ``None`` of a module that is refused."""
    try:
        found = types_of(check(module, REQUIRED))
    except Rejection:
        return {"end": "rejected"} if types is not None else {}
    if types is None:
        return {"end": "accepted"}
    differing = {
        function: {name: type_ for name, type_ in bindings.items() if not _alike(types[function], name, type_)}
        for function, bindings in found.items()
    }
    kept = {function: bindings for function, bindings in differing.items() if bindings}
    return {"types": kept} if kept else {}


def _alike(ours: Mapping[str, Any], name: str, type_: Any) -> bool:
    return json.dumps(ours[name]) == json.dumps(type_) or _same(ours[name], type_, _extents(ours, _symbols(ours)))


def difference(wanted: Types, found: Any, required: Types | None = None) -> Difference | None:
    """Where deduced types are not ours, and whether that is wrong or not decided; ``None`` where they are.

    A type is ours if each is at least as precise as the other by ``sh/equal``; if its dimensions are ours by a proof;
    or if it is no more precise than ours and no less than what ``sh/required`` alone gives.
    """
    undecided = None
    for function, bindings in wanted.items():
        theirs = found.get(function) if isinstance(found, dict) else None
        if not isinstance(theirs, dict):
            return "failed", f"types: expected an object for the function {function}"
        symbols = _symbols(bindings)
        facts = _extents(bindings, symbols)
        coarsest = (required or {}).get(function, {})
        for name, type_ in bindings.items():
            if name not in theirs:
                return "failed", f"types: {function}/{name} has none"
            word = _held(type_, theirs[name], coarsest.get(name), facts, symbols)
            if word != "passed":
                told = word, f"types: {function}/{name} is {_short(type_)}, found {_short(theirs[name])}"
                if word == "failed":
                    return told
                undecided = undecided or told
    return undecided


def _held(wanted: Any, found: Any, coarsest: Any, facts: Facts, symbols: Symbols) -> Word:
    if json.dumps(found) == json.dumps(wanted):
        return "passed"
    if not _has_dims(node_from_json(found), symbols):
        return "failed"
    if _same(wanted, found, facts):
        return "passed"
    between = coarsest is not None and _base(found, wanted, facts) and _base(coarsest, found, facts)
    if between and (_derived_alike(wanted, found) or _derived_alike(coarsest, found)):
        return "passed"
    return _proved(wanted, found, facts)


Symbols = Mapping[str, Set[str]]
"""The dtypes that symbols have in our types, by their names."""


def _symbols(bindings: Mapping[str, Any]) -> Symbols:
    found: dict[str, set[str]] = {}
    for name, dtype in re.findall(r'"node": "SymVar", "name": "([^"]*)", "dtype": "([^"]*)"', json.dumps(bindings)):
        found.setdefault(name, set()).add(dtype)
    return found


def _has_dims(type_: Type, symbols: Symbols) -> bool:
    """Whether every dimension that somebody gives is one: an integer, arithmetic on scalars (``wf/scalar-form``), of
    symbols at their dtypes. No prover is asked of anything else."""
    for dim in dims_of(type_):
        if not dtypes.is_integer(dim.dtype) or operands.scalar(dim, None):
            return False
        if any(each.dtype not in symbols.get(each.name, {each.dtype}) for each in free_variables(dim)):
            return False
    inner = ((*(each.params or ()), each.ret) for each in function_types(type_))
    return all(_has_dims(part, {}) for parts in inner for part in parts)


def _same(wanted: Any, found: Any, facts: Facts) -> bool:
    return _base(wanted, found, facts) and _base(found, wanted, facts) and _derived_alike(wanted, found)


def _derived_alike(wanted: Any, found: Any) -> bool:
    """Whether the function types in two types have the same derivation functions. Subtyping looks at none beside
    parameters, but ``ty/join`` and a reader of the type do."""
    match wanted, found:
        case {"node": "FuncType"}, {"node": "FuncType"}:
            derive = wanted["derive_func"]
            if derive != found.get("derive_func"):
                return False
            if derive is not None and wanted["params"] is None:
                return True  # (its result is what that function deduces)
            ours, theirs = ([*(each["params"] or ()), each["ret"]] for each in (wanted, found))
            return len(ours) == len(theirs) and all(map(_derived_alike, ours, theirs))
        case {"node": "TupleType"}, {"node": "TupleType"}:
            return len(wanted["fields"]) == len(found["fields"]) and all(
                map(_derived_alike, wanted["fields"], found["fields"])
            )
        case _:
            return True


def _base(base: Any, derived: Any, facts: Facts) -> bool:
    return is_base_of(node_from_json(base), node_from_json(derived), facts)


def _extents(bindings: Mapping[str, Any], symbols: Symbols) -> Facts:
    """The symbols of a function's types are extents (``sh/facts``), but for variables that hold scalars."""
    scalars = {name.rpartition("/")[2] for name, type_ in bindings.items() if type_.get("node") == "PrimType"}
    return shape_facts(symbols.keys() - scalars)


def _proved(wanted: Any, found: Any, facts: Facts) -> Word:
    """Whether two types that differ in dimensions alone are one: ``sh/equal`` is not complete, and who spells a
    dimension otherwise than we do is not to blame for what it does not see."""
    try:
        pairs = list(_dims(wanted, found))
    except _OtherForm:
        return "failed"
    worst: Word = "passed"
    for ours, theirs in pairs:
        if equal(ours, theirs, facts) is True:
            continue
        assume = [Binary("GE", SymVar(name), int_imm(0)) for name in facts.known]
        match prove(Binary("EQ", ours, theirs), assume, effort="quick"):
            case Proved():
                pass
            case Refuted():
                return "failed"
            case _:
                worst = "undecided"
    return worst


class _OtherForm(Exception):
    """Two types differ in more than dimensions."""


def _dims(wanted: Any, found: Any) -> Iterator[tuple[PrimExpr, PrimExpr]]:
    """The dimensions of two types, pairwise."""
    if not isinstance(found, dict) or wanted.get("node") != found.get("node"):
        raise _OtherForm
    field = {"TensorType": "shape", "ShapeType": "values", "TupleType": "fields"}.get(wanted["node"])
    ours, theirs = wanted.get(field), found.get(field)
    if not isinstance(ours, list) or not isinstance(theirs, list) or len(ours) != len(theirs):
        if json.dumps(wanted) != json.dumps(found):
            raise _OtherForm
        return
    if any(json.dumps(wanted[key]) != json.dumps(found.get(key)) for key in wanted if key != field):
        raise _OtherForm
    for a, b in zip(ours, theirs, strict=True):
        if wanted["node"] == "TupleType":
            yield from _dims(a, b)
        else:
            yield node_from_json(a), node_from_json(b)


def _short(type_: Any) -> str:
    text = json.dumps(type_)
    return text if len(text) < 200 else text[:197] + "…"
