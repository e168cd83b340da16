"""The suite in pytest: every case a test (``pytest --refrelax-impl=COMMAND``; options: ``refrelax.pytest_options``).

The command answers the protocol of the suite. A case that is passed is a test that passes; ``failed`` and ``refused``
fail; what says nothing (``unsupported``, ``undecided``, ``excluded``, ``not judged``) is skipped, with the word. A case
that ``--refrelax-known`` lists is expected to end as the list says, strictly: any other end fails.

Spec: ``spec/01-conformance.md``, *The suite for other implementations*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest


class Suite(pytest.Collector):
    """All chosen cases, and the process that is asked."""

    def collect(self) -> list[pytest.Item]:
        """A test a case.

        Raises:
            pytest.UsageError: an option that cannot be used, a list that names no case.
        """
        from refrelax.errors import UsageError

        try:
            return list(self._items())
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None

    def _items(self) -> Iterator[pytest.Item]:
        from refrelax.conformance.known import load_known

        option = self.config.getoption
        records = list(_records(option("--refrelax-suite")))
        self.panel = Panel(option("--refrelax-impl"), records, option("--refrelax-deadline"))
        self.config.add_cleanup(self.panel.close)
        listed = option("--refrelax-known")
        known = load_known(Path(listed)) if listed else {}
        if strange := sorted(known.keys() - {each["name"] for each in records}):
            raise pytest.UsageError(f"{listed}: no case of the suite: {', '.join(strange[:3])}")
        for each in records:
            if each["name"].startswith(option("--refrelax-only")):
                if option("--refrelax-profile") in (None, each["profile"]):
                    found = known.get(each["name"])
                    yield CaseItem.from_parent(
                        self, name=each["name"], record=each, expected=found and (found.verdict, found.id)
                    )


def _records(suite: str | None) -> Iterable[dict[str, Any]]:
    from refrelax import conformance
    from refrelax.conformance.suite import store
    from refrelax.conformance.suite.records import exported

    return store.read(Path(suite)) if suite else exported((*conformance.load(), *conformance.load_named_examples()))


class Panel:
    """A command, its answers so far, and what is said of them."""

    def __init__(self, command: str, records: list[dict[str, Any]], deadline: float) -> None:
        from refrelax.conformance.suite.command import Command

        self._command = Command(command, deadline)
        self._records = records
        self._answers: dict[str, Mapping[str, Any]] = {}

    def close(self) -> None:
        """End the command."""
        self._command.close()

    def answer(self, record: dict[str, Any]) -> Mapping[str, Any]:
        """What the command answers to a case; it is asked once."""
        name = record["name"]
        if name not in self._answers:
            self._answers[name] = self._command.ask(len(self._answers) + 1, record)
        return self._answers[name]

    def say(self, record: dict[str, Any]) -> tuple[str, str]:
        """The word for a case, and why; acceptances and refusals count in pairs."""
        from refrelax.conformance.suite.judge import judge
        from refrelax.conformance.suite.pairs import settled

        word, why = judge(record, self.answer(record))
        return settled(record, word, why, lambda: self._partners(record))

    def _partners(self, record: dict[str, Any]) -> Iterable[bool] | None:
        """Whether its partners are answered rightly, as far as has to be asked: until one is."""
        from refrelax.conformance.suite.judge import judge
        from refrelax.conformance.suite.pairs import SILENT, are_partners, keys

        opposite = [each for each in self._records if are_partners(record, each)]
        for place, key in enumerate(keys(record)):
            group = (each for each in opposite if keys(each)[place] == key)
            words = _until_passed(judge(each, self.answer(each))[0] for each in group)
            if said := [each == "passed" for each in words if each not in SILENT]:
                return said
        return None


def _until_passed(words: Iterable[str]) -> Iterator[str]:
    for each in words:
        yield each
        if each == "passed":
            return


class CaseItem(pytest.Item):
    """One case as a test."""

    def __init__(self, *, record: dict[str, Any], expected: tuple[str, str] | None, **rest: Any) -> None:
        super().__init__(**rest)
        self.record, self.expected = record, expected

    def runtest(self) -> None:
        """Ask, judge, and end as the word says."""
        from refrelax.errors import UsageError

        assert isinstance(self.parent, Suite)
        try:
            word, why = self.parent.panel.say(self.record)
        except UsageError as error:
            raise CaseFailed(str(error)) from None
        if self.expected is not None:
            listed, reason = self.expected
            if word == listed:
                pytest.xfail(f"{reason}: {word}: {why}")
            raise CaseFailed(f"listed as {listed} ({reason}), but it is {word}: {why}".rstrip(": "))
        if word in ("failed", "refused"):
            raise CaseFailed(f"{word}: {why}")
        if word != "passed":
            pytest.skip(f"{word}: {why}".rstrip(": "))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """What was expected and found, and no traceback of ours."""
        if isinstance(excinfo.value, CaseFailed):
            told = f"{excinfo.value}\nrule {self.record['rule']}, expected {self.record['expect']}"
            return f"{told}\n\n{self.record.get('module') or ''}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it is from."""
        return Path("refrelax"), None, self.name


class CaseFailed(Exception):
    """A case did not end as it must."""
