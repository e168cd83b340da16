"""Conformance cases as data: what stands in ``cases/*.toml`` and in the examples of the spec.

A case is a module, the verdict on it, and, if it runs, an entry with arguments and what must come back:

.. code-block:: toml

    [[case]]
    name = "match-cast/wrong-extent"
    rule = "ev/match-cast-mismatch"       # the rule that it is about
    verdict = "rejects"                   # "accepts": the rule lets it pass; "rejects": the rule ends it
    module = '''…TVMScript…'''
    entry = "main"
    args = [{ dtype = "float32", shape = [2, 3], data = [1, 2, 3, 4, 5, 6] }]
    expect = "Trapped ev/match-cast-mismatch"
    value = { dtype = "float32", shape = [2], data = [0.5, "nan"] }     # for Returned, optional

``constants = […]`` gives the arrays behind ``metadata["ir.GenericConst"][0]``, ``[1]``, … .

Arguments and values: a number, a string, a boolean, a list (a tuple), ``{dtype, shape, data}`` (a tensor, its data
flat or nested, ``"poison"`` for an element without meaning), ``{shape}`` (a shape value), ``{dtype, value}`` (a prim
value).

An example of the spec states the same in comments: ``# expect: IllTyped ty/…``, ``# entry: main``, ``# args: […]`` and
``# value: …`` (JSON).

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refrelax.conformance import spec_text

REJECTIONS = ("Malformed", "IllFormed", "IllTyped", "Unlinkable")
ENDS = ("Returned", "Trapped", "Exhausted", "Unspecified")

_CASES = Path(__file__).parent / "cases"
_KEYS = {"name", "rule", "verdict", "module", "entry", "args", "expect", "value", "note", "constants"}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must come back: ``kind`` is ``"accepts"``, one of ``REJECTIONS``, or one of ``ENDS``; ``rule`` if it
    names one."""

    kind: str
    rule: str | None = None

    def __str__(self) -> str:
        return self.kind if self.rule is None else f"{self.kind} {self.rule}"


@dataclass(frozen=True, slots=True)
class Case:
    """One case. ``rule`` is ``None`` only for an accepted example of the spec."""

    name: str
    rule: str | None
    verdict: str
    module: str
    entry: str | None
    args: tuple[Any, ...]
    expect: Expectation
    value: Any
    file: str
    line: int
    constants: tuple[Any, ...] = ()
    """The arrays behind ``metadata["ir.GenericConst"][k]``, in order."""

    @property
    def runs(self) -> bool:
        """Whether the case goes on past ``check``."""
        return self.expect.kind in ENDS

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


class BadCase(ValueError):
    """A case file that does not say what a case must say."""


def load(directory: Path | None = None) -> tuple[Case, ...]:
    """Every case of the suite, in the order of files and of the text.

    Raises:
        BadCase: a file that is no TOML, a missing or unknown key, a name used twice.
    """
    found = [case for path in sorted((directory or _CASES).rglob("*.toml")) for case in _load_file(path)]
    seen: dict[str, Case] = {}
    for case in found:
        if case.name in seen:
            raise BadCase(f"{case.place}: {case.name} is already the name of {seen[case.name].place}")
        seen[case.name] = case
    return tuple(found)


def load_examples(directory: Path | None = None) -> tuple[Case, ...]:
    """Every example of the spec that states its outcome, as a case."""
    return tuple(_from_example(each) for each in spec_text.examples(directory))


def parse_expectation(text: str, where: str) -> Expectation:
    """``"Trapped ev/rule"`` as an ``Expectation``.

    Raises:
        BadCase: an unknown kind, or more than two words.
    """
    words = text.split()
    if not words or len(words) > 2 or words[0] not in ("accepts", *REJECTIONS, *ENDS):
        raise BadCase(f"{where}: expected one of accepts, {', '.join(REJECTIONS + ENDS)} and a rule, found {text!r}")
    return Expectation(words[0], words[1] if len(words) == 2 else None)


def _load_file(path: Path) -> list[Case]:
    text = path.read_text(encoding="utf-8")
    try:
        rows = tomllib.loads(text).get("case", [])
    except tomllib.TOMLDecodeError as error:
        raise BadCase(f"{path.name}: {error}") from None
    lines = {m.group(1): text.count("\n", 0, m.start()) + 1 for m in re.finditer(r'^name\s*=\s*"([^"]+)"', text, re.M)}
    return [_from_row(row, f"refrelax/conformance/cases/{path.name}", lines) for row in rows]


_REFUSED_BY = {"syn": "Malformed", "wf": "IllFormed", "ty": "IllTyped", "link": "Unlinkable"}
"""How a module that breaks a rule of an area is refused, where a case does not say."""


def _refusal(rule: str, where: str) -> Expectation:
    kind = _REFUSED_BY.get(rule.split("/")[0])
    if kind is None:
        raise BadCase(f"{where}: a case that rejects must say what it expects")
    return Expectation(kind, rule)


def _from_row(row: Mapping[str, Any], file: str, lines: Mapping[str, int]) -> Case:
    name = str(row.get("name", ""))
    where = f"{file}:{lines.get(name, 1)}"
    missing = {"name", "rule", "verdict", "module"} - row.keys()
    unknown = row.keys() - _KEYS
    if missing or unknown:
        what = ", ".join(
            [*(f"lacks {k}" for k in sorted(missing)), *(f"has an unknown key {k}" for k in sorted(unknown))]
        )
        raise BadCase(f"{where}: case {name!r} {what}")
    if row["verdict"] not in ("accepts", "rejects"):
        raise BadCase(f'{where}: verdict must be "accepts" or "rejects", found {row["verdict"]!r}')
    runs = "entry" in row
    if "expect" in row:
        expect = parse_expectation(row["expect"], where)
    elif row["verdict"] == "accepts":
        expect = Expectation("Returned" if runs else "accepts")
    else:
        expect = _refusal(row["rule"], where)
    entry = row.get("entry", "main") if expect.kind in (*ENDS, "Unlinkable") else None
    args = tuple(row.get("args", ()))
    return Case(
        name,
        row["rule"],
        row["verdict"],
        row["module"],
        entry,
        args,
        expect,
        row.get("value"),
        file,
        lines.get(name, 1),
        tuple(row.get("constants", ())),
    )


_NOTE = re.compile(r"^\s*# (expect|entry|args|value): *(.*)$", re.MULTILINE)


def _from_example(example: spec_text.Example) -> Case:
    where = f"{example.file}:{example.line}"
    notes = {m.group(1): m.group(2).strip() for m in _NOTE.finditer(example.text)}
    expect = parse_expectation(notes["expect"], where)
    try:
        args = tuple(json.loads(notes.get("args", "[]")))
        value = json.loads(notes["value"]) if "value" in notes else None
    except json.JSONDecodeError as error:
        raise BadCase(f"{where}: {error}") from None
    verdict = "accepts" if expect.kind in ("accepts", "Returned") else "rejects"
    entry = notes.get("entry", "main") if expect.kind in ENDS else None
    return Case(where, expect.rule, verdict, example.text, entry, args, expect, value, example.file, example.line)
