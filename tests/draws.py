"""How many examples a property gets that asks for more than its profile gives."""

from __future__ import annotations

from hypothesis import settings

BY_DAY, AT_NIGHT = 1 / 3, 4
"""In `make test` a third of what a property was written for, at night four times as many: nights look for what nobody
thought of."""


def draws(count: int) -> int:
    """``count`` by the profile that is on."""
    return max(8, round(count * (AT_NIGHT if settings.default.max_examples >= 100 else BY_DAY)))
