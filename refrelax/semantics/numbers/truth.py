"""The truth of a comparison under ``ieee`` and ``sampled``: two objects that Python cannot branch on.

They are at the same time the payloads of dtype ``bool``. Spec: ``spec/02-values.md``, ``num/truth-is-opaque``.
"""

from __future__ import annotations

from typing import Final, NoReturn

from refrelax.errors import InternalError
from refrelax.semantics.numbers.poison import OpaquePayload


class Truth(OpaquePayload):
    """``TRUE`` or ``FALSE``; compared with ``is`` inside the readings, never outside."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> NoReturn:
        raise InternalError("Python compared two truths: use the numerics interface")

    __hash__ = object.__hash__

    def __reduce__(self) -> str:
        """The object of this name, when it is pickled or copied: there are two truths."""
        return repr(self)

    def __repr__(self) -> str:
        return "TRUE" if self.number else "FALSE"


TRUE: Final = Truth(1)
FALSE: Final = Truth(0)
