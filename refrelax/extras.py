"""The border to optional packages: which extra has one, and what is said where it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS: dict[str, str] = {
    "z3": "solver",
    "cvc5": "certify",
    "numpy": "numpy",
    "ml_dtypes": "numpy",
    "cupy": "cuda",
    "hypothesis": "testing",
    "tvm": "tvm",
    "distributed": "dask",
}
"""Packages that refrelax imports on demand, and the extra of refrelax that installs each."""


def advice(error: ImportError) -> str | None:
    """What to install for an import that failed; ``None`` if no extra has the module."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    if isinstance(error, ModuleNotFoundError) and error.name == package:
        return f"needs {package}: pip install 'refrelax[{EXTRAS[package]}]'"
    return f"needs {package}, and the one that is installed cannot be imported: {error}"


@contextmanager
def optional(what: str) -> Iterator[None]:
    """Imports of optional packages: where one fails, the error says that ``what`` needs it, and how to install it."""
    try:
        yield
    except ImportError as error:
        said = advice(error)
        if said is None:
            raise
        raise ModuleNotFoundError(f"{what} {said}", name=error.name) from None
