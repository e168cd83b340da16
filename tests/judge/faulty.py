"""Implementations with one fault each, for detection power: ``module:factory`` of ``refrelax fuzz``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_ import compile as backend
from refrelax.conformance import ImplementationFailed


class Faulty:
    """The NumPy backend with one operator replaced while it runs."""

    def __init__(self, operator: str, wrong: Callable[..., Any]) -> None:
        self.name, self.operator, self.wrong = f"faulty {operator}", operator, wrong

    def run(self, module: rr.Module, entry: str, args: Sequence[Any]) -> Any:
        honest = backend.OPERATORS[self.operator]
        backend.OPERATORS[self.operator] = self.wrong
        try:
            return rr.compile(rr.check(module), mode="bits").run(entry, *args)
        except Unsupported as error:
            raise ImplementationFailed("unsupported", str(error)) from error
        finally:
            backend.OPERATORS[self.operator] = honest


def absolute() -> Faulty:
    """Negates instead of taking the absolute value."""
    return Faulty("relax.abs", lambda _attrs, args, _fast: -args[0])


def multiply() -> Faulty:
    """Adds."""
    return Faulty("relax.multiply", lambda _attrs, args, _fast: args[0] + args[1])


def maximum() -> Faulty:
    """Gives the first operand."""
    return Faulty("relax.maximum", lambda _attrs, args, _fast: args[0] + 0 * args[1])


def raises() -> Faulty:
    """Fails on a subtraction."""

    def wrong(*_: Any) -> Any:
        raise KeyError("subtract")

    return Faulty("relax.subtract", wrong)


def honest() -> Faulty:
    """No fault."""
    return Faulty("relax.abs", backend.OPERATORS["relax.abs"])
