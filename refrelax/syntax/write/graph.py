"""Graph-level functions as text.

A symbolic variable is declared where TVM declares it: ``n = TypeVar("n")`` before the function when the signature uses
it, ``n = T.int64()`` at the top of the body otherwise. A compound dim of a signature stands in quotes.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.syntax.graph import (
    Binding,
    Block,
    Call,
    DataflowBlock,
    Expr,
    Function,
    GlobalVar,
    If,
    IndexMap,
    MatchCast,
    Param,
    PrimValue,
    SeqExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import Let, PrimExpr, SymVar, walk
from refrelax.syntax.types import VOID, PrimType, Type
from refrelax.syntax.write.expressions import attributes, expr_text, value_text
from refrelax.syntax.write.lines import Lines, nodes
from refrelax.syntax.write.types import Quote, type_text


def write_function(
    name: str,
    function: Function,
    out: Lines,
    outer: frozenset[str] = frozenset(),
    taken: set[str] | None = None,
    quoted_symbols: frozenset[str] = frozenset(),
    again: bool = False,
) -> tuple[str, ...]:
    """Put ``function`` under ``name`` into ``out``; returns the symbols that need a ``TypeVar`` line before it.

    ``outer``: the symbols of the enclosing functions. ``taken``: the names bound so far in the enclosing top-level
    function (``None`` for that function itself); a local function puts its ``TypeVar`` lines itself.
    ``quoted_symbols``: symbols that need no ``TypeVar``, because the signature has them in quotes. ``again``: the body
    declares those that it uses, as up to TVM 0.26.
    """
    top = taken is None
    taken = set() if taken is None else taken
    taken.update(p.name for p in function.params)
    prims = frozenset(p.name for p in function.params if isinstance(p.type, PrimType))
    types: tuple[Type | None, ...] = (*(p.type for p in function.params), function.ret)
    signature = {each.name for each in nodes((types, function.attrs)) if isinstance(each, SymVar)}
    own = frozenset(signature) - outer - prims
    head = _head(function, types, own)
    quoted_symbols = quoted_symbols if top and not head else frozenset()
    declared = () if head else tuple(sorted(own - quoted_symbols))
    if not top:
        for each in declared:
            out.put(f'{each} = TypeVar("{each}")')
    params = ", ".join(
        _param(p, _quoting(own, quoted_symbols | _later(function, k))) for k, p in enumerate(function.params)
    )
    ret = "" if function.ret is None else f" -> {type_text(function.ret, _quoting(own, quoted_symbols))}"
    out.put(_decorator(function, top))
    with out.block(f"def {name}{head}({params}){ret}:"):
        if function.attrs:
            out.put(f"R.func_attr({attributes(function.attrs)})")
        known = _declare(function, out, outer | (own - quoted_symbols if again else own) | prims)
        _Writer(out, known, _used(function), taken).sequence(function.body, None)
    return declared


def _head(function: Function, types: tuple[Type | None, ...], own: frozenset[str]) -> str:
    """``[n: "int32", m]``: a head declares the symbols where one is of another dtype than a ``TypeVar`` has."""
    found = {each.name: each.dtype for each in nodes(types) if isinstance(each, SymVar) and each.name in own}
    if all(dtype == "int64" for dtype in found.values()):
        return ""
    listed = (name if dtype == "int64" else f'{name}: "{dtype}"' for name, dtype in found.items())
    return f"[{', '.join(listed)}]"


def body_symbols(function: Function) -> frozenset[str]:
    """Symbols that the body declares, since the signature does not have them."""
    types: tuple[Type | None, ...] = (*(p.type for p in function.params), function.ret)
    signature = {each.name for each in nodes(types) if isinstance(each, SymVar)}
    return frozenset(_undeclared(function, frozenset(signature) | {p.name for p in function.params}))


def _decorator(function: Function, top: bool) -> str:
    parts = [] if function.pure else ["pure=False"]
    if top and function.private:
        parts.append("private=True")
    return "@R.function" + (f"({', '.join(parts)})" if parts else "")


def _later(function: Function, place: int) -> frozenset[str]:
    """The scalar parameters from ``place`` on: a dim can mention them only in quotes."""
    return frozenset(p.name for p in function.params[place:] if isinstance(p.type, PrimType))


def _quoting(symbols: frozenset[str], later: frozenset[str]) -> Quote:
    """What stands in quotes: a compound dim over the signature's own symbols, any dim over a later parameter."""

    def quote(dim: PrimExpr) -> bool:
        names = {each.name for each in walk(dim) if isinstance(each, SymVar)}
        return bool(names & later) or (not isinstance(dim, SymVar) and bool(names & symbols))

    return quote


def _param(param: Param, quote: Quote) -> str:
    return param.name if param.type is None else f"{param.name}: {type_text(param.type, quote)}"


def _declare(function: Function, out: Lines, known: frozenset[str]) -> frozenset[str]:
    """Put ``cls = Module`` and the declarations of symbols that only the body has; returns all symbols known then."""
    if any(isinstance(each, GlobalVar) for each in nodes(function.body, stop=(Function, IndexMap))):
        out.put("cls = Module")
    found = _undeclared(function, known)
    for each in found.values():
        out.put(f"{each.name} = T.{each.dtype}()")
    return known | frozenset(found)


def _undeclared(function: Function, known: frozenset[str]) -> dict[str, SymVar]:
    """The symbols of the body that nothing defines, in the order of their first use."""
    inside = list(nodes(function.body, stop=(Function, IndexMap)))
    bound = {each.name for each in inside if isinstance(each, (VarBinding, MatchCast))}
    bound |= {p.name for p in function.params} | {each.var.name for each in inside if isinstance(each, Let)}
    found: dict[str, SymVar] = {}
    for each in inside:
        if isinstance(each, SymVar) and each.name not in known and each.name not in bound:
            found.setdefault(each.name, each)
    return found


def _used(function: Function) -> frozenset[str]:
    """Names of the variables that the function mentions: a statement of one of them must name it."""
    mentioned = {each.name for each in nodes(function.body) if isinstance(each, Var)}
    outputs = [each.outputs for each in nodes(function.body) if isinstance(each, DataflowBlock)]
    return frozenset(mentioned.union(*outputs))


@dataclass(slots=True)
class _Writer:
    """Writes the body of one function."""

    out: Lines
    known: frozenset[str]
    used: frozenset[str]
    taken: set[str]

    def sequence(self, seq: SeqExpr, target: str | None) -> None:
        """The blocks of ``seq``, then ``return body``, or ``target = body`` for a branch."""
        for block in seq.blocks:
            self.block(block)
        if isinstance(seq.body, If) and target is not None:
            self.branches(seq.body, target)
        elif target is None:
            self.out.put(f"return {value_text(seq.body)}")
        else:
            self.assign(target, seq.body)

    def block(self, block: Block) -> None:
        if not isinstance(block, DataflowBlock):
            for each in block.bindings:
                self.binding(each)
            return
        with self.out.block("with R.dataflow():"):
            for each in block.bindings:
                self.binding(each)
            self.out.put(f"R.output({', '.join(block.outputs)})")

    def binding(self, node: Binding) -> None:
        anonymous = node.name == self.anonymous() and node.name not in self.used
        self.taken.add(node.name)
        if isinstance(node, MatchCast):
            annotation = "" if node.annotation is None else f": {type_text(node.annotation)}"
            value = f"R.match_cast({expr_text(node.value)}, {type_text(node.type)})"
            self.out.put(f"{node.name}{annotation} = {value}")
            return
        match node.value:
            case If():
                self.branches(node.value, self.target(node.name, node.annotation))
            case Function():
                write_function(node.name, node.value, self.out, self.known, self.taken)
                self.out.put("")
            case Call() if node.annotation == VOID and anonymous:
                self.out.put(expr_text(node.value))
            case _:
                self.assign(self.target(node.name, node.annotation), node.value)

    def anonymous(self) -> str:
        """The name that the reader would give to a bare statement standing here."""
        k = 0
        while (name := f"_{k}" if k else "_") in self.taken:
            k += 1
        return name

    @staticmethod
    def target(name: str, annotation: Type | None) -> str:
        return name if annotation is None else f"{name}: {type_text(annotation)}"

    def assign(self, target: str, value: Expr) -> None:
        typed = isinstance(value, PrimValue) and ": T." in target
        text = expr_text(value) if typed else value_text(value)
        bare = isinstance(value, Tuple) and len(value.fields) > 1
        self.out.put(f"{target} = {text[1:-1] if bare else text}")

    def branches(self, node: If, target: str) -> None:
        with self.out.block(f"if {expr_text(node.condition)}:"):
            self.sequence(node.then_branch, target)
        with self.out.block("else:"):
            self.sequence(node.else_branch, target)
