"""What became of mutants so far, in a file: ``rules mutate --state FILE`` stops, and goes on where it ended.

A JSON object a line: first what the mutants are of, then which cases run which lines, then one a mutant. A draw is the
same every time, so a number is a mutant's name. What a case saw stays seen while the case is the same; what survived is
asked again when there are other cases.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from refrelax.conformance import tie
from refrelax.conformance.citations import package
from refrelax.conformance.mutants import ROOMS
from refrelax.conformance.mutate import Lines, MutantResult
from refrelax.errors import UsageError

Told = tuple[str | None, int]
"""Who saw a mutant (``None``: nobody), and how many cases were asked."""


class Kept:
    """The state of a campaign. ``path`` may be ``None``: then nothing outlives the process.

    Raises:
        UsageError: the file is of other mutants, or no such file.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path | None, **draw: Any) -> None:
        self.path = path
        self.of = {**draw, "code": _code()} if path is not None else draw
        self.lines: Lines | None = None
        self.told: dict[int, Told] = {}
        """By number of the mutant among all that the draw chose."""
        if path is not None:
            self._read(path)
            self._rewrite(path)

    def keep_lines(self, lines: Lines) -> None:
        """Which cases run which lines."""
        self.lines = lines
        self._add(self._lines_row(lines))

    def keep(self, number: int, verdict: MutantResult) -> None:
        """What became of one more."""
        self.told[number] = verdict.killer, verdict.cases
        self._add(_row(number, self.told[number]))

    def _add(self, row: dict[str, Any]) -> None:
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

    def _lines_row(self, lines: Lines) -> dict[str, Any]:
        names = sorted({name for names in lines.values() for name in names})
        numbers = {name: k for k, name in enumerate(names)}
        return {
            "lines": [[_inside(file), line, [numbers[n] for n in of]] for (file, line), of in lines.items()],
            "names": names,
            "cases": all_cases(),
        }

    def _rewrite(self, path: Path) -> None:
        """The file without what no longer holds."""
        rows: list[dict[str, Any]] = [{"mutants": self.of}]
        rows += [self._lines_row(self.lines)] if self.lines is not None else []
        rows += [_row(number, told) for number, told in sorted(self.told.items())]
        beside = path.with_name(path.name + ".new")
        beside.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        beside.replace(path)

    def _read(self, path: Path) -> None:
        if not path.exists():
            return
        rows = _rows(path)
        first = next(rows, None)
        if not isinstance(first, dict) or not isinstance(first.get("mutants"), dict):
            raise UsageError(f"{path}: no state of `rules mutate`")
        of = first["mutants"]
        for name, mine in self.of.items():
            if of.get(name) != mine:
                said = "code is other code" if name == "code" else f"{name} is {of.get(name)}, not {mine}"
                raise UsageError(f"{path}: the state of other mutants: its {said}")
        for row in rows:
            if "lines" in row:
                if row["cases"] == all_cases():
                    names = row["names"]
                    self.lines = {(_outside(file), line): [names[k] for k in of] for file, line, of in row["lines"]}
            elif (row["of"] == _seen_by(row["case"])) if row["case"] is not None else (row["of"] == all_cases()):
                self.told[row["number"]] = row["case"], row["asked"]


def _rows(path: Path) -> Iterator[Any]:
    """The rows that were written to their end."""
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return


def _row(number: int, told: Told) -> dict[str, Any]:
    killer, asked = told
    return {
        "number": number,
        "case": killer,
        "asked": asked,
        "of": all_cases() if killer is None else _seen_by(killer),
    }


def _seen_by(killer: str) -> str:
    """The case that saw a mutant, as it stands; empty for what no case had to see."""
    return _cases().get(killer.partition(" (")[0], "")


@cache
def _cases() -> dict[str, str]:
    return {case.name: _digest(repr(case)) for case in (*tie.read().cases, *tie.read().examples)}


@cache
def all_cases() -> str:
    """All cases, as they stand."""
    return _digest(repr(sorted(_cases().items())))


@cache
def _code() -> str:
    """What mutants are made of."""
    base = package()
    files = [base / "conformance/mutants.py", *(f for room in ROOMS for f in sorted((base / room).rglob("*.py")))]
    return _digest("\0".join(f"{_inside(str(f))}\0{f.read_text(encoding='utf-8')}" for f in files))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _inside(file: str) -> str:
    return Path(file).relative_to(package().parent).as_posix()


def _outside(file: str) -> str:
    return str(package().parent / file)
