"""Loop-level functions as text.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.syntax.loops import (
    AllocBuffer,
    BufferParam,
    DeclBuffer,
    LaunchThread,
    PrimFunc,
    SBlock,
    ScalarParam,
)
from refrelax.syntax.scalars import Let, PrimExpr, SymVar, walk
from refrelax.syntax.write.buffers import declaration
from refrelax.syntax.write.expressions import attributes
from refrelax.syntax.write.lines import Lines, nodes
from refrelax.syntax.write.scalars import Style, declared, dtype_name, expression, quoted
from refrelax.syntax.write.statements import StatementWriter
from refrelax.syntax.write.undeclared import undeclared


def write_prim_func(name: str, function: PrimFunc, out: Lines, inside: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Put ``function`` under ``name`` into ``out``; returns the symbols that need a ``TypeVar`` line before it.

    ``inside``: symbols that the body has to declare, though they are int64; buffers over them are matched there.
    """
    made = [each for each in nodes(function) if isinstance(each, (AllocBuffer, DeclBuffer))]
    cells = {each.buffer.name for each in made if each.buffer.scalar}
    style = Style("int32", cells)
    signature = _Signature(function, style, inside)
    params = ", ".join(signature.param(each) for each in function.params)
    ret = "" if function.ret is None else f" -> {dtype_name(function.ret)}"
    out.put(_decorator(function))
    with out.block(f"def {name}({params}){ret}:"):
        free, matched = undeclared(function)
        told = {each.name for each in nodes(function.attrs) if isinstance(each, SymVar)} & {each.name for each in free}
        if function.attrs and not told:
            out.put(f"T.func_attr({attributes(function.attrs)})")
        threads = _env_threads(function, {each.name for each in free})
        for each in (*signature.declared_inside, *free):
            if each.name not in threads and each.name not in style.aliases:
                out.put(f"{each.name} = {declared(each.dtype)}")
        for line in signature.matches:
            out.put(line)
        if told:
            out.put(f"T.func_attr({attributes(function.attrs)})")
        if _has_implicit_root(function):
            out.put('# with T.sblock("root"):')
        for buffer in function.root_allocs:
            out.put(f"{buffer.name} = {declaration(buffer, 'T.sblock_alloc_buffer', style)}")
        for var, (thread, dtype) in threads.items():
            given = quoted(thread) if dtype == "int32" else f"{quoted(thread)}, {quoted(dtype)}"
            out.put(f"{var} = T.env_thread({given})")
        StatementWriter(out, style, frozenset(threads), set(matched)).body(function.body)
    return tuple(sorted(signature.typevars))


def _decorator(function: PrimFunc) -> str:
    parts = [f"{key}=True" for key in ("private", "s_tir") if getattr(function, key)]
    return "@T.prim_func" + (f"({', '.join(parts)})" if parts else "")


def _has_implicit_root(function: PrimFunc) -> bool:
    """Whether TVM wraps the body into a root block, which its printer shows as a comment."""
    if function.root_allocs:
        return True
    match function.body:
        case (SBlock(iters=iters),):
            return bool(iters)
        case _:
            return any(isinstance(each, SBlock) for each in nodes(function.body))


def _env_threads(function: PrimFunc, outside: set[str]) -> dict[str, tuple[str, str]]:
    """(tag, dtype) of the thread variables that need a declaration of their own: several ``LaunchThread``s share them,
    they are used ``outside`` of theirs, or their dtype is not that of their extent."""
    launched: dict[str, str] = {}
    shared: dict[str, tuple[str, str]] = {}
    for each in nodes(function.body):
        if isinstance(each, LaunchThread):
            if each.var.name in launched or each.var.name in outside or each.var.dtype != each.extent.dtype:
                shared[each.var.name] = each.thread, each.var.dtype
            launched[each.var.name] = each.thread
    return shared


@dataclass(slots=True)
class _Signature:
    """The parameters as text, left to right, and what they define."""

    function: PrimFunc
    style: Style
    inside: frozenset[str] = frozenset()
    matches: list[str] = field(default_factory=list)
    typevars: frozenset[str] = frozenset()
    declared_inside: list[SymVar] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    scalars: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        params = self.function.params
        self.scalars = frozenset(each.var.name for each in params if isinstance(each, ScalarParam))
        found: dict[str, SymVar] = {}
        buffers = list(nodes(tuple(p.buffer for p in params if isinstance(p, BufferParam))))
        lets = {each.var.name for each in buffers if isinstance(each, Let)}
        for each in buffers:
            if isinstance(each, SymVar) and each.name not in self.scalars | lets:
                found.setdefault(each.name, each)
        int64 = frozenset(name for name, var in found.items() if var.dtype == "int64")
        self.inside = self.inside & int64
        self.typevars = int64 - self.inside
        self.declared_inside = [var for name, var in found.items() if name not in self.typevars]

    def param(self, param: ScalarParam | BufferParam) -> str:
        if isinstance(param, ScalarParam):
            self.known.add(param.var.name)
            return f"{param.var.name}: {dtype_name(param.var.dtype)}"
        buffer = param.buffer
        names = {each.name for each in nodes(buffer) if isinstance(each, SymVar)}
        if names & self.inside:
            self.known |= names
            self.matches.append(
                f"{buffer.name} = {declaration(buffer, 'T.match_buffer', self.style, [self.handle(buffer.name)])}"
            )
            return f"{self.handle(buffer.name)}: T.handle"
        bound = (*buffer.strides, buffer.elem_offset)
        shape = {each.name for extent in buffer.shape for each in walk(extent) if isinstance(each, SymVar)}
        defined = self.known | self.typevars | shape | self.scalars
        free = {each.name for each in bound if isinstance(each, SymVar)} - defined
        text = declaration(buffer, "T.Buffer", self.style, dim=self._dim, defining=frozenset(free))
        self.known |= {each.name for each in nodes(buffer) if isinstance(each, SymVar)}
        for k, each in enumerate(buffer.strides):
            if isinstance(each, SymVar) and each.name in free:
                self.style.aliases.setdefault(each.name, f"{buffer.name}.strides[{k}]")
        if isinstance(buffer.elem_offset, SymVar) and buffer.elem_offset.name in free:
            self.style.aliases.setdefault(buffer.elem_offset.name, f"{buffer.name}.elem_offset")
        return f"{buffer.name}: {text}"

    def handle(self, name: str) -> str:
        """A name for the handle of a buffer that nothing in the function has."""
        taken = {getattr(each, "name", "") for each in nodes(self.function)}
        name = f"{name}_handle"
        while name in taken:
            name = f"{name}_"
        return name

    def _dim(self, dim: PrimExpr) -> str:
        """An extent: in quotes when it is compound over ``TypeVar``s, or the first to mention another variable."""
        text = expression(dim, self.style)
        names = [each.name for each in walk(dim) if isinstance(each, SymVar)]
        compound = not isinstance(dim, SymVar) and any(each in self.typevars for each in names)
        first = any(each not in self.known and each not in self.typevars for each in names)
        self.known.update(names)
        return quoted(text) if compound or first else text
