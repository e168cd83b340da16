"""A module: its functions by name, in no order, and what stands beside them."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from refrelax.notebook import listing
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Attrs, AttrValue, ExternFunc, Function
from refrelax.syntax.loops import PrimFunc

BaseFunc = Function | PrimFunc | ExternFunc

MACHINE = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""``array``'s code by the size of an element in bytes; ``int33`` has five, of which machines have no numbers."""


@dataclass(frozen=True, slots=True)
class ConstantArray:
    """The array behind ``metadata["ir.GenericConst"][k]``: dtype, shape, and the elements' bytes, little-endian,
    row-major.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def patterns(self) -> list[int]:
        """The elements as bit patterns, row-major."""
        return list(self.packed())

    def packed(self) -> Sequence[int]:
        """The elements as bit patterns, row-major, in as many bytes as they have."""
        size = dtypes.itemsize(self.dtype)
        if size not in MACHINE:
            return [int.from_bytes(self.data[k : k + size], "little") for k in range(0, len(self.data), size)]
        cells = array(MACHINE[size])
        cells.frombytes(self.data)
        if sys.byteorder == "big":
            cells.byteswap()
        return cells


@dataclass(frozen=True, slots=True)
class Module:
    """Functions by name (equality ignores their order), module attributes and global infos.

    ``constants`` maps the index of ``metadata["ir.GenericConst"][index]`` to its array; it lies beside the text and
    takes no part in equality. ``source`` is the text the module was read from, for messages.
    """

    functions: Mapping[str, BaseFunc]
    attrs: Attrs = ()
    global_infos: tuple[tuple[str, tuple[AttrValue, ...]], ...] = ()
    constants: Mapping[int, ConstantArray] = field(default_factory=dict, compare=False, repr=False)
    source: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        ordered = dict(sorted(self.functions.items()))
        object.__setattr__(self, "functions", MappingProxyType(ordered))
        object.__setattr__(self, "constants", MappingProxyType(dict(self.constants)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.described()}>"

    def _repr_html_(self) -> str:
        from refrelax.syntax.write.module import print_module

        return listing(f"{type(self).__name__}: {self.described()}", print_module(self))

    def described(self) -> str:
        """Its functions in a line: a few names, and how many there are."""
        graph, all_ = self.relax_functions(), list(self.functions)
        names = [*graph, *(each for each in all_ if each not in graph)]
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        return (", ".join(names[:4]) or "no functions") + more

    def __hash__(self) -> int:
        return hash((tuple(self.functions.items()), self.attrs, self.global_infos))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Module, (dict(self.functions), self.attrs, self.global_infos, dict(self.constants), self.source))

    def __getitem__(self, name: str) -> BaseFunc:
        return self.functions[name]

    def relax_functions(self) -> dict[str, Function]:
        """The graph-level functions, by name."""
        return {k: f for k, f in self.functions.items() if isinstance(f, Function)}

    def prim_funcs(self) -> dict[str, PrimFunc]:
        """The loop-level functions, by name."""
        return {k: f for k, f in self.functions.items() if isinstance(f, PrimFunc)}

    def with_functions(self, functions: Mapping[str, BaseFunc]) -> Module:
        """This module with other functions; constants and attributes kept, ``source`` dropped."""
        return replace(self, functions=functions, source=None)
