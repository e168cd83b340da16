"""Hypothesis profiles: ``HYPOTHESIS_PROFILE=default|ci|many|nightly``. ``make nightly`` runs the campaigns under
``nightly`` and all other properties under ``many``. By day a property gets few examples (`make test` has two minutes
for everything); what asks for more says so by ``tests.draws``.
"""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", max_examples=10, **COMMON)
settings.register_profile("ci", max_examples=16, derandomize=True, print_blob=True, **COMMON)
settings.register_profile("many", max_examples=400, print_blob=True, **COMMON)
settings.register_profile("nightly", max_examples=5_000, print_blob=True, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    """The reader and the evaluator raise Python's recursion limit when they start; Hypothesis only wants it said."""
    config.addinivalue_line("filterwarnings", "ignore:The recursion limit will not be reset")


BY_DAY = 3
"""Of how many of its parameters `make test` asks a test, where no ``@pytest.mark.by_day(n)`` says another number."""


def _whole(config: pytest.Config) -> bool:
    """Whether all tests are asked: who names a file or a word gets all of it. (What a worker is told, is the command
    line with the paths written out.)"""
    told: dict[str, bool] | None = getattr(config, "workerinput", None)
    return told["whole"] if told else config.args_source is config.ArgsSource.TESTPATHS and not config.option.keyword


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """To a worker of pytest-xdist."""
    node.workerinput["whole"] = _whole(node.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The parameters that are not asked by day are thorough. Those that are, are drawn by the test's name: each k-th
    would take the first of two crossed lists alone."""
    if not _whole(config):
        return
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("thorough", "nightly", "tvm")):
            functions[item.nodeid.partition("[")[0]].append(item)
    for name, cases in functions.items():
        said = cases[0].get_closest_marker("by_day")
        count = said.args[0] if said else BY_DAY
        if count < len(cases):
            by_day = set(Random(name).sample(range(len(cases)), count))
            for place, case in enumerate(cases):
                if place not in by_day:
                    case.add_marker(pytest.mark.thorough)


def pytest_collection_finish() -> None:
    """Ten thousand collected tests stay until the end: the collector of garbage need not walk them each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
