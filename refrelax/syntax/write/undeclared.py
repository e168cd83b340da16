"""Which variables of a loop-level function need a line of their own, ``v = T.int32()``, before the text uses them.

A statement or a signature gives most variables their meaning where they stand. The rest is: variables that nothing
binds, that an outer ``T.attr`` mentions before their loop, and those of ``T.Let`` expressions, which TVM's parser looks
up before it reads the expression.
"""

from __future__ import annotations

from dataclasses import dataclass, field, is_dataclass

from refrelax.syntax.graph import IndexMap
from refrelax.syntax.loops import Bind, Buffer, For, LaunchThread, PrimFunc, SBlock, ScalarParam
from refrelax.syntax.scalars import CommReducer, Let, PrimExpr, SymVar, walk
from refrelax.syntax.write.lines import field_names, nodes


def undeclared(function: PrimFunc) -> tuple[list[SymVar], frozenset[str]]:
    """(variables to declare at the top of the body, names that a ``T.match_buffer`` inside a block defines)."""
    uses = _Uses()
    for param in function.params:
        if isinstance(param, ScalarParam):
            uses.known.add(param.var.name)
        else:
            uses.known |= {each.name for each in nodes(param.buffer) if isinstance(each, SymVar)}
    uses.read(function.attrs)
    uses.read(function.root_allocs)
    uses.read(function.body)
    return list(uses.found.values()), frozenset(uses.matched)


@dataclass(slots=True)
class _Uses:
    """One walk in the order of the text. ``known``: what has a meaning at this place."""

    known: set[str] = field(default_factory=set)
    found: dict[str, SymVar] = field(default_factory=dict)
    matched: set[str] = field(default_factory=set)

    def read(self, node: object) -> None:
        match node:
            case tuple():
                self.sequence(node)
            case For():
                self.read((node.min, node.extent, node.step, node.annotations))
                self.inside((node.var,), node.body)
            case LaunchThread():
                self.read(node.extent)
                self.inside((node.var,), node.body)
            case SBlock():
                self.block(node)
            case IndexMap():
                return  # a lambda, with variables of its own
            case _ if isinstance(node, PrimExpr):
                self.expression(node)
            case _ if is_dataclass(node) and not isinstance(node, type):
                for name in field_names(type(node)):
                    self.read(getattr(node, name))

    def sequence(self, items: tuple[object, ...]) -> None:
        """A list: a ``Bind`` holds from its place to the end."""
        bound: list[str] = []
        for each in items:
            if isinstance(each, Bind):
                self.read(each.value)
                bound.append(each.var.name)
                self.known.add(each.var.name)
            else:
                self.read(each)
        self.known.difference_update(bound)

    def inside(self, variables: tuple[SymVar, ...], body: object) -> None:
        own = {each.name for each in variables} - self.known
        self.known |= own
        self.read(body)
        self.known -= own

    def block(self, node: SBlock) -> None:
        own: set[str] = set()
        for axis in node.iters:
            self.read((axis.min, axis.extent, axis.binding))
            own |= {axis.var.name} - self.known
            self.known |= own
        self.read((node.allocs, *(each.source for each in node.matches)))
        for each in node.matches:
            bare = {n.name for n in _defining(each.buffer) if isinstance(n, SymVar)} - self.known
            self.matched |= bare
            own |= bare
            self.known |= bare
        self.read((node.predicate, node.reads, node.writes, node.attrs))
        self.read(tuple(each.buffer for each in node.matches))
        self.read(node.init)
        self.read(node.body)
        self.known -= own

    def expression(self, node: PrimExpr) -> None:
        """Expressions may nest deeper than Python recurses, so they are walked without recursion."""
        own: set[str] = set()
        for each in walk(node):
            match each:
                case SymVar():
                    if each.name not in own:
                        self.use(each)
                case Let():
                    self.use(each.var)
                case CommReducer():
                    own |= {var.name for var in (*each.lhs, *each.rhs)}

    def use(self, var: SymVar) -> None:
        if var.name not in self.known:
            self.found.setdefault(var.name, var)


def _defining(buffer: Buffer) -> tuple[object, ...]:
    return (*buffer.shape, *buffer.strides, buffer.elem_offset)
