"""What is written of a Relax function, and how its values are told in Python source: constants, extents, attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.expressions import Text
from refrelax.backends.numpy_.fast_attention import Chain
from refrelax.backends.numpy_.liveness import Liveness
from refrelax.backends.numpy_.machine import MEMORY
from refrelax.backends.numpy_.names import local
from refrelax.semantics.dims import Facts
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import (
    AttrDict,
    AttrList,
    AttrValue,
    Constant,
    DataTypeValue,
    ExternFunc,
    Function,
    IndexMap,
    Op,
    StringValue,
    VarBinding,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar
from refrelax.syntax.types import (
    DTensorType,
    PrimType,
    TensorType,
    TupleType,
    Type,
)


@dataclass(slots=True)
class Constants:
    """Inline constants, lifted to the head of the source."""

    names: dict[tuple[str, tuple[int, ...], tuple[int, ...]], str] = field(default_factory=dict)
    copied: bool = False
    """Whether the program overwrites memory, so that it works on copies of the constants, which are read-only."""
    copy: str = "{}.copy()"
    """How a copy is written."""
    prims: dict[str, str] = field(default_factory=dict)
    """Scalars with their dtype that are written down, by their text: they do not change."""

    def prim(self, text: str) -> str:
        return self.prims.setdefault(text, f"p{len(self.prims)}_")

    def name(self, node: Constant) -> str:
        key = (node.dtype, node.shape, node.data)
        name = self.names.setdefault(key, f"c{len(self.names)}_")
        return self.copy.format(name) if self.copied else name

    def lines(self) -> list[str]:
        result = []
        for (dtype, shape, data), name in self.names.items():
            note = f"  # {bits.decode(dtype, data[0])}" if len(data) == 1 else ""
            result.append(f"{name} = rt.constant({dtype!r}, {shape!r}, {list(data)!r}){note}")
        return result + [f"{name} = {text}" for text, name in self.prims.items()]


Answer = TypeVar("Answer")

Answers = dict[Callable[[Module], Any], Any]
"""Answers to questions about a module."""


@dataclass(slots=True)
class Writer:
    """The source of one global function and those inside it."""

    module: Module
    types: Mapping[str, Type]
    constants: Constants
    observed: bool
    path: str
    prefix: str = ""
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    symbols: set[str] = field(default_factory=set)
    reuse: bool = False
    """Whether memory that nothing can see any more is reused (never where bindings are observed)."""
    plain: bool = False
    """Whether all operators are the text's own: none stands for a loop program, which may permit less."""
    live: Liveness | None = None
    chains: Mapping[int, Chain] = field(default_factory=dict)
    """Attentions written out, by the identity of their first binding."""
    folded: dict[int, VarBinding] = field(default_factory=dict)
    """Products that only a sum right behind them sees, by identity, with that sum (``fast_sums.py``)."""
    joined: frozenset[int] = frozenset()
    """Reshapes that only a concatenation sees, by identity."""
    first: frozenset[int] = frozenset()
    """Calls of which only the first of several results is read, by identity of their binding."""
    table: str = "ops"
    """Where operators are looked up."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where the results of some bindings go: of elementwise operators, by the names of both."""

    own: set[str] = field(default_factory=set)
    """Names bound to arrays in memory that was taken for them: nobody else's, and writeable."""

    answers: Answers = field(default_factory=Answers)
    """Shared by the writers of a module."""

    def asked(self, question: Callable[[Module], Answer]) -> Answer:
        """The answer to a question about the module, looked for once."""
        if question not in self.answers:
            self.answers[question] = question(self.module)
        found: Answer = self.answers[question]
        return found

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def dim(self, expr: PrimExpr) -> str:
        """A scalar expression over the symbols in scope."""
        if dtypes.kind(expr.dtype) == "float":
            if isinstance(expr, Literal):
                value = bits.decode(expr.dtype, expr.bits)
                return repr(value) if abs(value) < float("inf") else f"float({str(value)!r})"
            if isinstance(expr, SymVar):
                return local(expr.name)
            return f"float({Text({}, Facts()).element(expr)})"
        return Text({}, Facts()).index(expr)

    def constant(self, node: Constant) -> str:
        return self.constants.name(node)

    def type_of(self, name: str) -> Type | None:
        return self.types.get(self.prefix + name) or self.types.get(name)


def in_storages(module: Module) -> bool:
    """Whether a module has tensors in storages."""
    names = (n.name for f in module.relax_functions().values() for n in nodes(f) if isinstance(n, Op | ExternFunc))
    return any(name in ("vm.builtin.alloc_tensor", *MEMORY) for name in names)


def records(module: Module) -> bool:
    """Whether a module records runs."""
    return any(
        isinstance(node, ExternFunc) and node.name == "vm.builtin.cuda_graph.run_or_capture"
        for each in module.functions.values()
        if isinstance(each, Function)
        for node in nodes(each)
    )


def element_dtypes(type_: Type | None) -> list[str | None]:
    """The dtypes of the tensors and scalars of a type."""
    match type_:
        case TensorType(dtype=dtype) | DTensorType(tensor=TensorType(dtype=dtype)) | PrimType(dtype=dtype):
            return [dtype]
        case TupleType(fields=fields):
            return [d for each in fields for d in element_dtypes(each)]
        case _:
            return []


def plain(value_: AttrValue) -> Any:
    """An attribute as a Python value with a readable ``repr``."""
    match value_:
        case None | bool() | int() | str():
            return value_
        case AttrList(items=items):
            return [plain(each) for each in items]
        case AttrDict(items=pairs):
            return {k: plain(each) for k, each in pairs}
        case Literal():
            return bits.decode(value_.dtype, value_.bits)
        case DataTypeValue(dtype=dtype) | PrimType(dtype=dtype):
            return dtype
        case StringValue(value=text):
            return text
        case IndexMap():
            raise Unsupported("an index map")
        case _:
            raise Unsupported(f"an attribute of kind {type(value_).__name__}")
