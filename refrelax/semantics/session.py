"""What a machine keeps from one run to the next: memory by number, and recorded runs.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.semantics.values import TensorValue

Key = tuple[int, tuple[int, ...]]
Address = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A recorded run: the function whose launches they are, the addresses of its arguments, the arguments themselves
    (so that no other memory gets their addresses), and the tensors of its result that it made itself."""

    function: Any
    addresses: tuple[Address, ...]
    args: tuple[Any, ...]
    made: tuple[TensorValue, ...]


@dataclass(slots=True)
class Session:
    """What a machine keeps from one run to the next: memory by number, recorded runs by number and shape."""

    allocated: dict[int, Any] = field(default_factory=dict)
    recorded: dict[Key, Record] = field(default_factory=dict)
