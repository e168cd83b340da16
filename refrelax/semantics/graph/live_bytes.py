"""A meter of memory: the bytes that a run of a planned module has allocated and not yet killed, and their peak.

Storages count from ``alloc_storage`` to ``kill_storage`` (``kill_object``), tensors with memory of their own from
``R.builtin.alloc_tensor`` on. A tensor in a storage takes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.semantics.arena import Arena
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.values import Opaque, TensorValue
from refrelax.syntax.graph import Binding, Call, Op, Var, VarBinding


@dataclass(slots=True)
class LiveBytes:
    """A listener of runs: ``rr.run(…, listener=LiveBytes())``. ``now`` and ``peak``, in bytes."""

    now: int = 0
    peak: int = 0
    sizes: dict[tuple[str, str], int] = field(default_factory=dict)

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Any) -> None:
        """Count what a binding allocates or ends."""
        if not isinstance(binding, VarBinding) or not isinstance(binding.value, Call):
            return
        match binding.value:
            case Call(op=Op(name=name), args=(Var(name=ended),)) if name in KILLS:
                self.now -= self.sizes.pop((path, ended), 0)
            case Call(op=Op(name="relax.builtin.alloc_tensor")) if isinstance(value, TensorValue):
                self._add(path, binding.name, value.storage.nbytes)
            case Call() if isinstance(value, Opaque) and isinstance(value.value, Arena):
                self._add(path, binding.name, value.value.nbytes)
            case _:
                pass

    def _add(self, path: str, name: str, nbytes: int) -> None:
        self.sizes[path, name] = nbytes
        self.now += nbytes
        self.peak = max(self.peak, self.now)
