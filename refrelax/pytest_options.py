"""What pytest loads at every start where refrelax is installed: options, and nothing that is slow to import.

The tests themselves are in ``refrelax.conformance.plugin``.
"""

from __future__ import annotations

import pytest

IMPL = "--refrelax-impl"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the suite."""
    group = parser.getgroup("refrelax", "the conformance suite of Relax")
    group.addoption(IMPL, metavar="COMMAND", help="ask this command every case of the conformance suite")
    group.addoption("--refrelax-suite", metavar="DIR", help="an exported suite, in place of this edition's own")
    group.addoption("--refrelax-known", metavar="FILE", help="cases that are expected to fail, strictly (TOML)")
    group.addoption("--refrelax-only", metavar="AREA", default="", help="only cases whose name begins so")
    group.addoption("--refrelax-profile", metavar="NAME", help="only cases that need this profile")
    group.addoption("--refrelax-deadline", metavar="SECONDS", type=float, default=20.0, help="for one answer")


def pytest_configure(config: pytest.Config) -> None:
    """The cases alone, where no test is named on the command line: who asks a command in the folder of other tests does
    not ask for those. ``pytest --refrelax-impl=… tests`` runs both."""
    if config.getoption(IMPL) and config.args_source is not config.ArgsSource.ARGS:
        config.args = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the cases to what was collected, before ``-k`` and ``--deselect`` look at it."""
    if config.getoption(IMPL):
        from refrelax.conformance.plugin import Suite

        items.extend(Suite.from_parent(session, name="refrelax").collect())
