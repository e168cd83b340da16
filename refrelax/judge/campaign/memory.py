"""What a campaign knows, in a file that survives it: SQLite.

Tasks are written when they are done, findings when they are made; a campaign that was stopped, or whose workers or
itself were killed, goes on where the file ends. One process writes.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from refrelax.errors import UsageError

FORMAT = "1"

_TABLES = """
create table if not exists meta (name text primary key, value text not null);
create table if not exists tasks (kind text, number integer, seen text not null, primary key (kind, number));
create table if not exists cells (key text primary key, operator text, dtype text, words text not null);
create table if not exists findings (
    number integer primary key, cause text unique, signature text not null, report text not null,
    at real not null, programs integer, inputs integer);
create table if not exists doubted (cause text, task text, why text, primary key (cause, task));
"""


class Memory:
    """An open file, or nothing but memory.

    Raises:
        UsageError: the file is of another campaign, or no state at all.
    """

    def __init__(self, path: Path | None, about: dict[str, str]) -> None:
        self.path = path
        try:
            self.db = sqlite3.connect(":memory:" if path is None else path)
            self.db.executescript(_TABLES)
            known = dict(self.db.execute("select name, value from meta").fetchall())
        except sqlite3.Error as error:
            raise UsageError(f"{path}: no state of a campaign: {error}") from None
        wanted = {"format": FORMAT, **about}
        other = [name for name, value in wanted.items() if known.get(name, value) != value]
        if other:
            name = other[0]
            raise UsageError(f"{path}: the state of another campaign: its {name} is {known[name]}, not {wanted[name]}")
        with self.db:
            self.db.executemany("insert or ignore into meta values (?, ?)", wanted.items())
        self.began = time.monotonic() - float(known.get("seconds", 0.0))

    def tell(self, **values: Any) -> None:
        """Keep something about the campaign."""
        with self.db:
            self.db.executemany("insert or replace into meta values (?, ?)", [(k, str(v)) for k, v in values.items()])

    def told(self, name: str) -> str | None:
        row = self.db.execute("select value from meta where name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    @property
    def seconds(self) -> float:
        """How long the campaign has been going on, over all its starts."""
        return time.monotonic() - self.began

    def task(self, kind: str, number: int) -> Any | None:
        """What came of a task that was done before."""
        row = self.db.execute("select seen from tasks where kind = ? and number = ?", (kind, number)).fetchone()
        return None if row is None else json.loads(row[0])

    def done(self, kind: str, number: int, seen: Any, cells: list[list[Any]]) -> None:
        """A task is done."""
        with self.db:
            row = (kind, number, json.dumps(seen))
            self.db.execute("insert or replace into tasks values (?, ?, ?)", row)
            rows = [(key, op, dtype, json.dumps(words)) for key, op, dtype, words in cells]
            self.db.executemany("insert or replace into cells values (?, ?, ?, ?)", rows)
            self.db.execute("insert or replace into meta values ('seconds', ?)", (str(self.seconds),))

    def tasks(self, kind: str) -> Iterator[Any]:
        """What came of every task of a kind, in their order."""
        for (seen,) in self.db.execute("select seen from tasks where kind = ? order by number", (kind,)):
            yield json.loads(seen)

    def finding(self, cause: str, signature: Any, report: Any, programs: int, inputs: int) -> None:
        """A new cause, and its report."""
        with self.db:
            number = self.db.execute("select coalesce(max(number), 0) + 1 from findings").fetchone()[0]
            row = (number, cause, json.dumps(signature), json.dumps(report), self.seconds, programs, inputs)
            self.db.execute("insert or replace into findings values (?, ?, ?, ?, ?, ?, ?)", row)

    def doubt(self, cause: str, task: str, why: str) -> None:
        """What did not show again."""
        with self.db:
            self.db.execute("insert or replace into doubted values (?, ?, ?)", (cause, task, why))

    def doubts(self, cause: str, task: str) -> bool:
        """Whether a cause of a task did not show again."""
        row = self.db.execute("select why from doubted where cause = ? and task = ?", (cause, task)).fetchone()
        return row is not None

    def doubted(self) -> list[tuple[str, str]]:
        return [(c, w) for c, w in self.db.execute("select distinct cause, why from doubted order by cause")]

    def findings(self) -> list[dict[str, Any]]:
        """The report of every finding, in order, with the ``row`` of its cause and when (``at``) it was made."""
        rows = self.db.execute("select signature, report, at from findings order by number")
        return [{**json.loads(report), "row": json.loads(signature), "at": at} for signature, report, at in rows]

    def heat(self) -> Iterator[tuple[str, str, dict[str, int]]]:
        """Operator, dtype and words of every cell that was judged."""
        for operator, dtype, words in self.db.execute("select operator, dtype, words from cells order by operator"):
            yield operator, dtype, json.loads(words)

    def close(self) -> None:
        self.db.close()
