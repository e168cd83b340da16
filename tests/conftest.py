"""Hypothesis profiles: ``HYPOTHESIS_PROFILE=default|ci|many|nightly``. ``make nightly`` runs the campaigns under
``nightly`` and all other properties under ``many``. By day a property gets few examples (`make test` has two minutes
for everything); what asks for more says so by ``tests.draws``.
"""

from __future__ import annotations

import gc
import os

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


def pytest_collection_finish() -> None:
    """Ten thousand collected tests stay until the end: the collector of garbage need not walk them each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
