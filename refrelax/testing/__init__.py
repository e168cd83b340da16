"""Making programs and inputs: random arguments by type, and Hypothesis strategies for modules."""

from __future__ import annotations

from refrelax.testing.arguments import random_arguments

__all__ = ["random_arguments"]
