"""The tensors that library functions were given, for as long as somebody holds them: the program's memory all along.

Spec: ``spec/07-evaluation.md``, ``ev/library-memory``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np

from refrelax.backends.numpy_.border import outward
from refrelax.running.arrays import Tensor


@dataclass(slots=True)
class Loan:
    """An array of a program, the tensor over it that a library function was given, and the elements that both had when
    they were last compared."""

    array: Any
    tensor: ref[Tensor]
    elements: Any


@dataclass(slots=True)
class Lent:
    """What library functions were given in one run. ``held``: an array as the host has it; ``place``: store there.

    A tensor that nobody holds any longer is forgotten, so that a library function that keeps nothing costs nothing.
    """

    held: Callable[[Any], Any]
    place: Callable[[Any, Any], None]
    loans: list[Loan] = field(default_factory=list)

    def given(self, value: Any) -> Any:
        """A value as a library function is given it: one tensor for what is one array, now and in earlier calls."""
        if isinstance(value, tuple):
            return tuple(map(self.given, value))
        for loan in self.loans:
            if loan.array is value and (tensor := loan.tensor()) is not None:
                return tensor
        found = outward(self.held(value))
        if isinstance(found, Tensor):
            self.loans.append(Loan(value, ref(found), found.numpy()))
        return found

    def refresh(self) -> None:
        """Before a call, and when the run is over: what is kept has what the program stored since."""
        self.loans = [loan for loan in self.loans if loan.tensor() is not None]
        for loan in self.loans:
            tensor, now = loan.tensor(), np.asarray(self.held(loan.array))
            if tensor is not None and changed(tensor.numpy(), now).any():
                tensor.assign(now)
                loan.elements = tensor.numpy()

    def collect(self) -> None:
        """After a call: what was stored in a tensor is stored in the program's memory, and nothing where nothing was:
        arguments may share memory, and constants are read-only."""
        for loan in self.loans:
            tensor = loan.tensor()
            if tensor is None:
                continue
            elements = tensor.numpy()
            stored = changed(loan.elements, elements)
            if stored.any():
                now = np.array(self.held(loan.array))
                now[stored] = elements[stored]
                self.place(loan.array, now)
            loan.elements = elements

    def array_of(self, tensor: Tensor) -> Any:
        """The program's array that a tensor is; ``None`` for one that no library function was given."""
        return next((loan.array for loan in self.loans if loan.tensor() is tensor), None)


def changed(before: Any, now: Any) -> Any:
    """Which elements have other bits."""
    first, second = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (before, now))
    return (first != second).reshape(-1, before.dtype.itemsize).any(axis=1).reshape(before.shape)
