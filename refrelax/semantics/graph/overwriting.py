"""Which calls may store into what has another name: one relation, asked by every pass that drops, moves or shares.

Spec: ``spec/10-lowering.md``, ``lo/overwrites``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.graph.link import BY_NAME, nodes
from refrelax.semantics.graph.unknown_calls import LibraryCalls, functions_among, of_library
from refrelax.semantics.ops import DESTINATION_PASSING, OVERWRITING
from refrelax.semantics.types.purity import expressions, has_effect, prim_func_is_pure, statements
from refrelax.semantics.types.wellformed.heads import contracts_among
from refrelax.syntax.graph import Call, Function, GlobalVar, Op, ShapeExpr, Tuple, Var, VarBinding
from refrelax.syntax.loops import AllocBuffer, Bind, BufferParam, BufferStore, DeclBuffer, PrimFunc, SBlock
from refrelax.syntax.scalars import Intrinsic, PrimExpr, SymVar, walk
from refrelax.syntax.types import TupleType


@dataclass(slots=True)
class Overwriting:
    """Which calls of a module may store into a tensor that graph-level code can see: calls in place, a loop-level
    function that stores into what it is given, called or given away other than to fill fresh outputs, and graph-level
    functions in which such a call stands. Asked by every pass that drops, moves or shares."""

    functions: Mapping[str, Any]
    known: dict[str, bool] = field(default_factory=dict)
    somewhere: bool | None = None

    @rule("lo/overwrites")
    def __call__(self, node: Any) -> bool:
        """Whether this node is such a call, or gives such a function away. Of a function that is a value, nobody knows
        which one it is: all of the module count."""
        match node:
            case Call(op=GlobalVar(name=name)) if isinstance(self.functions.get(name), Function):
                return self.function(name) or self.itself(node)
            case Call(op=Var()) | Call(op=Op(name="relax.invoke_closure" | "relax.invoke_pure_closure")):
                return self.anywhere() or self.itself(node)
            case _:
                return self.itself(node)

    def anywhere(self) -> bool:
        """Whether a call that stores stands in any graph-level function of the module."""
        if self.somewhere is None:
            graph = [each for each in self.functions.values() if isinstance(each, Function)]
            self.somewhere = any(self.itself(node) for each in graph for node in nodes(each))
        return self.somewhere

    def itself(self, node: Any) -> bool:
        """As ``__call__``, whatever stands in graph-level functions that are called."""
        match node:
            case Call(op=Op(name=name)) if name in OVERWRITING:
                return True
            case Call(op=Op(name=name), args=(GlobalVar(name=callee), *rest)) if name in DESTINATION_PASSING:
                given: tuple[Any, ...] = tuple(rest)
                f = self.functions.get(callee)
                if isinstance(f, PrimFunc) and (stores_in_inputs(f, _inputs(f, node)) or self.acts(callee, f)):
                    return True
            case Call(op=GlobalVar(name=name), args=args) if isinstance(self.functions.get(name), Function):
                given = args
            case Call(op=op, args=args):
                given = (op, *args)
            case VarBinding(value=value):
                given = (value,)
            case Tuple(fields=fields):
                given = fields
            case _:
                return False
        named = (self.functions.get(each.name) for each in given if isinstance(each, GlobalVar))
        return any(isinstance(f, PrimFunc) and not prim_func_is_pure(f) for f in named)

    def acts(self, name: str, f: PrimFunc) -> bool:
        """Whether a loop-level function calls a library function of which nothing is known, itself or through others:
        that may store in what it was given before."""
        calls = (each.op for each in nodes(f) if isinstance(each, Intrinsic))
        if not any(op in BY_NAME or op.startswith("cls.") for op in calls):
            return False
        return LibraryCalls(self.functions, contracts_among(self.functions)).in_program(name)

    def function(self, name: str) -> bool:
        """Whether such a call stands in a graph-level function of the module, or in one that it calls, and so on."""
        if name not in self.known:
            self.known[name] = self._reached(name)
        return self.known[name]

    def _reached(self, start: str) -> bool:
        waiting, seen = [start], {start}
        while waiting:
            for node in nodes(self.functions[waiting.pop()]):
                match node:
                    case Call(op=GlobalVar(name=name)) if isinstance(self.functions.get(name), Function):
                        if name not in seen:
                            seen.add(name)
                            waiting.append(name)
                        if self.itself(node):
                            return True
                    case _ if self(node):
                        return True
                    case _:
                        pass
        return False

    def within(self, root: Any) -> bool:
        """Whether such a call stands below ``root``."""
        return any(map(self, nodes(root)))


def overwrites(node: Any, functions: Mapping[str, Any]) -> bool:
    """``Overwriting`` of one node."""
    return Overwriting(functions)(node)


def stores_somewhere(functions: Mapping[str, Any]) -> bool:
    """Whether any call of a module may store into a tensor that graph-level code can see; of a library function that is
    called for its effect nobody knows where it stores."""
    overwriting = Overwriting(functions)
    for each in functions.values():
        if not isinstance(each, Function):
            continue
        walked = list(nodes(each))
        named = functions_among(walked)
        for node in walked:
            if overwriting(node) or (isinstance(node, Call) and of_library(node, functions, named)):
                return True
    return False


def _inputs(f: PrimFunc, call: Call) -> int:
    """How many parameters of a loop-level function a call in destination form gives: not outputs, not symbols."""
    outs = sum(len(t.fields) if isinstance(t, TupleType) else 1 for t in call.ty_args)
    symbols = len(call.args[2].values) if len(call.args) > 2 and isinstance(call.args[2], ShapeExpr) else 0
    return max(0, len(f.params) - outs - symbols)


def stores_in_inputs(f: PrimFunc, count: int) -> bool:
    """Whether a loop-level function may store into one of its first ``count`` parameters."""
    return bool(stored_inputs(f, count))


def stored_inputs(f: PrimFunc, count: int) -> frozenset[int]:
    """Into which of its first ``count`` parameters a loop-level function may store: under their own names, under those
    of regions, views and pointers of their memory, or by a call that is given such a name. What nobody knows may be any
    of them."""
    inputs = {p.buffer.name: frozenset({k}) for k, p in enumerate(f.params[:count]) if isinstance(p, BufferParam)}
    outputs = [p.buffer for p in f.params[count:] if isinstance(p, BufferParam)]
    memory = _Memory(frozenset(range(count)), inputs | {b.name: _NONE for b in (*outputs, *f.root_allocs)})
    found = _NONE
    for s in statements(f.body):  # (an outer statement comes first, so that names of names are told)
        match s:
            case AllocBuffer(buffer) | DeclBuffer(buffer):
                memory.names[buffer.name] = memory.at(buffer.data)
            case SBlock(allocs=allocs, matches=matches):
                memory.names |= {b.name: memory.at(b.data) for b in allocs}
                memory.names |= {m.buffer.name: memory.named(m.source.buffer) for m in matches}
            case Bind(var, value) if var.dtype.startswith("handle") or memory.mentioned(value):
                memory.names[var.name] = memory.at(value)
            case BufferStore(name):
                found |= memory.named(name)
            case _:
                pass
        found = found.union(*(memory.mentioned(e) for e in expressions(s) if has_effect(e)))
    return found


_NONE: frozenset[int] = frozenset()


@dataclass(slots=True)
class _Memory:
    """Which parameters' memory a name of a loop-level function may stand for: a buffer, or a scalar that points to
    it. ``every``: all of them."""

    every: frozenset[int]
    names: dict[str, frozenset[int]]

    def named(self, name: str) -> frozenset[int]:
        return self.names.get(name, self.every)

    def at(self, pointer: PrimExpr | None) -> frozenset[int]:
        """Where something lies; without a pointer in memory of its own."""
        if pointer is None:
            return _NONE
        known = any(name in self.names for name, _ in _names(pointer))
        return self.mentioned(pointer) if known else self.every

    def mentioned(self, e: PrimExpr) -> frozenset[int]:
        return _NONE.union(*(self.named(name) for name, memory in _names(e) if memory or name in self.names))


def _names(e: PrimExpr) -> Iterator[tuple[str, bool]]:
    """The names in an expression, and whether each is surely one of memory."""
    for each in walk(e):
        match each:
            case SymVar(name, dtype):
                yield name.removesuffix(".data"), dtype.startswith("handle")
            case _ if isinstance(buffer := getattr(each, "buffer", None), str):
                yield buffer, True
            case _:
                pass
