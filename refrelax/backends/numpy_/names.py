"""Names in generated source: the program's own, kept apart from the few that the source itself uses."""

from __future__ import annotations

import builtins
import keyword

RESERVED = frozenset(("np", "rt", "vm", "ops", "pure", "origins", "run", "frame_", *dir(builtins)))
"""What generated source uses of its own, or may: Python's own names."""


def local(name: str) -> str:
    """A variable, buffer or symbol of the program as a Python name; injective."""
    clashes = name in RESERVED or keyword.iskeyword(name) or name.startswith(("f_", "o_"))
    return f"{name}_" if clashes or name.endswith("_") else name


def program_name(name: str) -> str:
    """The program's name behind a Python name: the inverse of ``local``."""
    return name[:-1] if name.endswith("_") else name


def function(name: str) -> str:
    """A function of the module as a Python name."""
    return f"f_{name}"
