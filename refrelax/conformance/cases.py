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

``constants = […]`` gives the arrays behind ``metadata["ir.GenericConst"][0]``, ``[1]``, … . Further keys say how the
module is run:

* ``numerics = "enclosure"``, ``"strict"`` or ``"sampled"``: under that reading. ``value`` must then be permitted (by
  a set), and ``outside`` must not be;
* ``wide = 2``: of so many elements of the result the permitted set is too wide to tell (``num/decisive-width``); of
  none, if it does not say;
* ``check_regions = true``: the accesses of blocks are held to their ``T.reads`` and ``T.writes``;
* ``lower = "default"``, or a list of passes: the module is lowered, and what it was lowered to is run;
* ``remarks = ["y never"]``, of a module that is checked and not run: what the prover says of each equality that typing
  left open (``always``, ``never``, ``sometimes``, ``unknown``);

Three other things can stand in the place of ``module``:

* ``json = '''…'''``: the module as canonical JSON (trees that no text can spell);
* ``claim = "n*m == m*n"`` with ``assume = […]`` and, if needed, ``fits`` and ``division``: a question for the shape
  solver; ``expect`` is ``Proved``, ``Refuted``, ``Unknown`` or ``Malformed sh/claim-syntax``. With ``becomes = "…"``
  it is an integer expression, simplified to that;
* ``module`` and ``validate = '''…'''``: two programs, with the named relaxations ``relax = […]`` on, and
  ``correspond = true`` if they need not take the same; ``expect`` is ``Equivalent`` (whatever the
  evidence), ``Proved``, ``ProvedAt``, ``Tested``, ``Refuted`` or ``NoVerdict``.

``repeat = ["a mark", "text", 1000]`` replaces the mark in the module by that many copies of the text.

Arguments and values: a number, a string, a boolean, a list (a tuple), ``{dtype, shape, data}`` (a tensor, its data
flat or nested, ``"poison"`` for an element without meaning), ``{shape}`` (a shape value), ``{dtype, value}`` (a prim
value).

An example of the spec states the same in comments: ``# expect: IllTyped ty/…``, ``# entry: main``, ``# args: […]``,
``# value: …`` and ``# remarks: […]`` (JSON).

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from refrelax.conformance import spec_text

REJECTIONS = ("Malformed", "IllFormed", "IllTyped", "Unlinkable")
ENDS = ("Returned", "Trapped", "Exhausted", "Unspecified")

ANSWERS = ("Proved", "Refuted", "Unknown")
"""How a claim ends."""

_RUN_ENDS = ("accepts", *REJECTIONS, *ENDS)
READINGS = ("ieee", "enclosure", "strict", "sampled")
SETS = ("enclosure", "strict")
"""Readings of which a result is the set of what is permitted."""

VALIDATIONS = ("Equivalent", "Proved", "ProvedAt", "Tested", "Refuted", "NoVerdict")
"""How a pair of programs ends."""

_CASES = Path(__file__).parent / "cases"
_SUBJECTS = ("module", "json", "claim")
_RUNNING = ("entry", "args", "value", "constants", "numerics", "outside", "lower", "check_regions", "wide")
_KEYS = {"name", "rule", "verdict", "expect", "note", "validate", "repeat", "assume", "fits", "division", "becomes"}
_KEYS.update(_SUBJECTS, _RUNNING, ("remarks", "relax", "correspond"))


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must come back: ``kind`` is ``"accepts"``, or one of ``REJECTIONS``, ``ENDS``, ``ANSWERS`` and
    ``VALIDATIONS``; ``rule`` if it names one; ``scope`` of an ``Unknown`` if it says where its question lies."""

    kind: str
    rule: str | None = None
    scope: str | None = None

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, self.rule, self.scope)))


@dataclass(frozen=True, slots=True)
class Question:
    """A claim for the shape solver."""

    claim: str
    assume: tuple[str, ...] = ()
    fits: str | None = None
    division: str = "assume"
    becomes: str | None = None
    """What ``claim``, then an integer expression, is simplified to."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a module is run: under a reading, and lowered by a pipeline (its name) or by passes first. ``outside``: a
    value that ``enclosure`` must not permit."""

    numerics: str = "ieee"
    lower: str | tuple[str, ...] | None = None
    outside: Any = None
    check_regions: bool = False
    relax: tuple[str, ...] = ()
    wide: int = 0
    """Of how many elements of the result the enclosure is too wide to tell."""
    correspond: bool = False


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
    manner: Manner = field(default_factory=Manner)
    json: str | None = None
    """The module as JSON; ``module`` is empty then."""
    question: Question | None = None
    """A claim; ``module`` is empty then."""
    second: str | None = None
    """The program that is compared with ``module``."""
    repeated: tuple[str, str, str, int] | None = None
    """Of a module that repeats one text: the text as it is written, the mark in it, what is repeated, how often."""
    remarks: tuple[str, ...] | None = None
    """What the prover says of the equalities that typing left open; ``None``: it is not asked."""

    @property
    def portable(self) -> bool:
        """Whether it says something about any implementation of the language: text, under one reading."""
        return (
            bool(self.module)
            and self.second is None
            and self.manner.numerics == "ieee"
            and not self.manner.check_regions
        )

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
    """Every case of the suite (read once in a process) or of ``directory``, in the order of files and of the text.

    Raises:
        BadCase: a file that is no TOML, a missing or unknown key, a name used twice.
    """
    return _suite() if directory is None else _load(directory)


@cache
def _suite() -> tuple[Case, ...]:
    return _load(_CASES)


def _load(directory: Path) -> tuple[Case, ...]:
    found = [case for path in sorted(directory.rglob("*.toml")) for case in _load_file(path)]
    seen: dict[str, Case] = {}
    for case in found:
        if case.name in seen:
            raise BadCase(f"{case.place}: {case.name} is already the name of {seen[case.name].place}")
        seen[case.name] = case
    return tuple(found)


def load_examples(directory: Path | None = None, silent: bool = False) -> tuple[Case, ...]:
    """Every example of the spec, or of the pages in a folder, as a case.

    ``silent``: programs that state no outcome are passed over, in pages that show them for something else.

    Raises:
        BadCase: a program that states no outcome, or in a way that is not understood.
    """
    found = spec_text.examples(directory)
    return tuple(_from_example(each) for each in found if not silent or "# expect:" in each.text)


def load_named_examples() -> tuple[Case, ...]:
    """The examples of the spec under names that do not change with its lines: ``example-binary/relax.add``.

    One that names no rule is about what the page of its operator says (``ty/operator``), or, in a chapter, about the
    call that it makes (``ev/function-call``).
    """
    named: dict[str, Case] = {}
    for example in spec_text.examples():
        if example.file.endswith("/deviations.md"):
            continue  # what TVM does otherwise: no chapter, and nothing that another implementation is asked
        area = Path(example.file).stem.split("-")[0]
        stem = f"example-{area}/{re.sub(r'[^a-z0-9._]+', '-', example.heading.lower()).strip('-')}"
        name, count = stem, 1
        while name in named:
            count += 1
            name = f"{stem}-{count}"
        case = _from_example(example)
        rule = case.rule or ("ty/operator" if "/ops/" in example.file else "ev/function-call")
        named[name] = replace(case, name=name, rule=rule)
    return tuple(named.values())


def parse_expectation(text: str, where: str) -> Expectation:
    """``"Trapped ev/rule"`` or ``"Unknown product"`` as an ``Expectation``.

    Raises:
        BadCase: an unknown kind, or more than two words.
    """
    words = text.split()
    known = ("accepts", *REJECTIONS, *ENDS, *ANSWERS, *VALIDATIONS)
    if not words or len(words) > 2 or words[0] not in known:
        raise BadCase(f"{where}: expected one of {', '.join(dict.fromkeys(known))} and a rule, found {text!r}")
    named = words[1] if len(words) == 2 else None
    return Expectation(words[0], scope=named) if words[0] == "Unknown" else Expectation(words[0], named)


@dataclass(frozen=True, slots=True)
class Block:
    """What one case is written as in its file, not parsed yet."""

    path: Path
    line: int
    rule: str
    text: str

    def case(self) -> Case:
        """The case that it states; raises as ``load``."""
        return _parsed(self.path, self.text, self.line)[0]


@cache
def blocks() -> tuple[Block, ...]:
    """Every case of the suite as it is written, in the order of ``load``: reading the few that somebody asks about
    takes no part of the time of reading them all."""
    return tuple(each for path in sorted(_CASES.rglob("*.toml")) for each in _blocks(path))


def _blocks(path: Path) -> Iterator[Block]:
    line = 1
    for text in re.split(r"^(?=\[\[case\]\]$)", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        if (rule := re.search(r'^rule\s*=\s*"([^"]+)"', text, re.MULTILINE)) is not None:
            yield Block(path, line, rule[1], text)
        line += text.count("\n")


def _load_file(path: Path) -> list[Case]:
    return _parsed(path, path.read_text(encoding="utf-8"), 1)


def _parsed(path: Path, text: str, first: int) -> list[Case]:
    """The cases of a text that begins in line ``first`` of its file."""
    try:
        rows = tomllib.loads(text).get("case", [])
    except tomllib.TOMLDecodeError as error:
        raise BadCase(f"{path.name}: {error}") from None
    names = re.finditer(r'^name\s*=\s*"([^"]+)"', text, re.M)
    lines = {m.group(1): text.count("\n", 0, m.start()) + first for m in names}
    return [_from_row(row, f"refrelax/conformance/cases/{path.name}", lines) for row in rows]


_REFUSED_BY = {"syn": "Malformed", "wf": "IllFormed", "ty": "IllTyped", "link": "Unlinkable"}
"""How a module that breaks a rule of an area is refused, where a case does not say."""


def _refusal(rule: str, where: str) -> Expectation:
    kind = _REFUSED_BY.get(rule.split("/")[0])
    if kind is None:
        raise BadCase(f"{where}: a case that rejects must say what it expects")
    return Expectation(kind, rule)


_VALUES = ({"dtype", "shape", "data"}, {"dtype", "value"}, {"dtype"}, {"shape"}, {"opaque"})
"""The keys of values that are objects: a tensor, a prim value, a dtype, a shape, what nothing is compared of."""


def _check_values(values: Any, where: str) -> None:
    """See that values are what ``data.to_value`` reads, with nothing beside that, which it would not look at."""
    match values:
        case list() | tuple():
            for each in values:
                _check_values(each, where)
        case Mapping() if values.keys() not in _VALUES:
            raise BadCase(f"{where}: expected a value with one of {_VALUES}, found the keys {sorted(values)}")
        case _:
            pass


def _from_row(row: Mapping[str, Any], file: str, lines: Mapping[str, int]) -> Case:
    name = str(row.get("name", ""))
    line = lines.get(name, 1)
    where = f"{file}:{line}"
    _check_keys(row, name, where)
    expect = _expectation(row, where)
    _check_values([row.get(each) for each in ("args", "value", "outside", "constants")], where)
    entry = row.get("entry", "main") if expect.kind in (*ENDS, *VALIDATIONS, "Unlinkable") else None
    return Case(
        name,
        row["rule"],
        row["verdict"],
        _module(row, where),
        None if "claim" in row else entry,
        tuple(row.get("args", ())),
        expect,
        row.get("value"),
        file,
        line,
        tuple(row.get("constants", ())),
        Manner(
            row.get("numerics", "ieee"),
            _lowering(row.get("lower")),
            row.get("outside"),
            row.get("check_regions", False),
            tuple(row.get("relax", ())),
            int(row.get("wide", 0)),
            row.get("correspond", False),
        ),
        row.get("json"),
        _question(row),
        row.get("validate"),
        (str(row["module"]), *row["repeat"]) if "repeat" in row else None,
        tuple(row["remarks"]) if "remarks" in row else None,
    )


def _check_keys(row: Mapping[str, Any], name: str, where: str) -> None:
    faults = [f"lacks {k}" for k in ("name", "rule", "verdict") if k not in row]
    faults += [f"has an unknown key {k}" for k in sorted(row.keys() - _KEYS)]
    if sum(k in row for k in _SUBJECTS) != 1:
        faults.append(f"needs one of {', '.join(_SUBJECTS)}")
    if "claim" in row or "validate" in row:
        faults += [f"cannot have {k}: nothing is run" for k in _RUNNING if k in row and k != "entry"]
    if faults:
        raise BadCase(f"{where}: case {name!r} {', '.join(faults)}")
    if row["verdict"] not in ("accepts", "rejects"):
        raise BadCase(f'{where}: verdict must be "accepts" or "rejects", found {row["verdict"]!r}')
    if row.get("numerics", "ieee") not in READINGS:
        raise BadCase(f"{where}: numerics must be one of {', '.join(READINGS)}, found {row['numerics']!r}")


def _expectation(row: Mapping[str, Any], where: str) -> Expectation:
    kind = "accepts" if "claim" not in row and "validate" not in row else "answers"
    if "expect" in row:
        expect = parse_expectation(row["expect"], where)
    elif kind == "answers":
        raise BadCase(f"{where}: a claim or a pair of programs must say what it expects")
    elif row["verdict"] == "accepts":
        expect = Expectation("Returned" if "entry" in row else "accepts")
    else:
        expect = _refusal(row["rule"], where)
    ends = ("Malformed", *ANSWERS) if "claim" in row else VALIDATIONS if "validate" in row else _RUN_ENDS
    if expect.kind not in ends:
        raise BadCase(f"{where}: such a case cannot end as {expect.kind}")
    return expect


def _module(row: Mapping[str, Any], where: str) -> str:
    """The text of the module, its repetition written out; empty if there is none."""
    text = str(row.get("module", ""))
    match row.get("repeat"):
        case None:
            return text
        case [str(mark), str(copied), int(count)] if mark in text:
            return text.replace(mark, copied * count)
        case other:
            raise BadCase(f"{where}: repeat must be [a mark of the module, a text, a number], found {other!r}")


def _lowering(spec: Any) -> str | tuple[str, ...] | None:
    return tuple(map(str, spec)) if isinstance(spec, list) else spec


def _question(row: Mapping[str, Any]) -> Question | None:
    if "claim" not in row:
        return None
    return Question(
        row["claim"], tuple(row.get("assume", ())), row.get("fits"), row.get("division", "assume"), row.get("becomes")
    )


_NOTE = re.compile(r"^\s*# (expect|entry|args|value|remarks): *(.*)$", re.MULTILINE)


def _from_example(example: spec_text.Example) -> Case:
    where = f"{example.file}:{example.line}"
    if example.language != "tvmscript":
        raise BadCase(f"{where}: an example that says how it ends is a block of tvmscript, found {example.language!r}")
    notes = {m.group(1): m.group(2).strip() for m in _NOTE.finditer(example.text)}
    if "expect" not in notes:
        raise BadCase(f"{where}: a program of the text does not say how it ends: expected a line '# expect: …'")
    expect = parse_expectation(notes["expect"], where)
    try:
        args = tuple(json.loads(notes.get("args", "[]")))
        value = json.loads(notes["value"]) if "value" in notes else None
        remarks = tuple(json.loads(notes["remarks"])) if "remarks" in notes else None
    except json.JSONDecodeError as error:
        raise BadCase(f"{where}: {error}") from None
    _check_values([args, value], where)
    verdict = "accepts" if expect.kind in ("accepts", "Returned") else "rejects"
    entry = notes.get("entry", "main") if expect.kind in ENDS else None
    return Case(
        where, expect.rule, verdict, example.text, entry, args, expect, value, example.file, example.line,
        remarks=remarks,
    )  # fmt: skip
