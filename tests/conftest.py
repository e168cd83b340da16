"""Hypothesis profiles: ``HYPOTHESIS_PROFILE=default|ci|nightly``."""

from __future__ import annotations

import os
import sys

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", max_examples=40, **COMMON)
settings.register_profile("ci", max_examples=40, derandomize=True, print_blob=True, **COMMON)
settings.register_profile("nightly", max_examples=5_000, print_blob=True, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# The reader and the evaluator raise the limit when they start; Hypothesis warns if that happens inside a test.
sys.setrecursionlimit(50_000)
