"""PrimFuncs as kernels in order, and the whole module as one CUDA source text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from refrelax.backends.cupy_.attention import attention_from
from refrelax.backends.cupy_.bounds import Bounds
from refrelax.backends.cupy_.expressions import Text, Used
from refrelax.backends.cupy_.groups import Piece, group_from, mentions, pieces_of, used_outside
from refrelax.backends.cupy_.kernels import Kernel, Maker
from refrelax.backends.cupy_.names import c_type, is_float
from refrelax.backends.cupy_.nests import as_loop, small
from refrelax.backends.cupy_.ordered import all_ordered, ordered_at
from refrelax.backends.errors import Unsupported
from refrelax.backends.own_memory import with_own_memory
from refrelax.backends.threads import bound_to_threads, shares, synchronises
from refrelax.lower.claims import Claim, Ledger
from refrelax.lower.origins.proof import origin_of
from refrelax.lower.origins.text import Origin, hint
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Buffer,
    BufferParam,
    BufferStore,
    Evaluate,
    For,
    IfThenElse,
    PrimFunc,
    SBlock,
    ScalarParam,
    Stmt,
    While,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Intrinsic, Not, PrimExpr, SymVar, as_int, free_symbols


@cache
def prelude() -> str:
    """What every kernel source begins with."""
    return (Path(__file__).parent / "prelude.cuh").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Check:
    """An ``assert`` on symbols, which the host decides."""

    condition: PrimExpr
    message: str
    guards: tuple[PrimExpr, ...]


@dataclass(slots=True)
class Plan:
    """One PrimFunc: what it allocates, and what it launches, in order.

    ``claims``: what was asked of the shape solver to leave bounds checks out.
    """

    name: str
    func: PrimFunc
    temporaries: list[Buffer] = field(default_factory=list)
    steps: list[Kernel | Check] = field(default_factory=list)
    claims: tuple[Claim, ...] = ()

    @property
    def kernels(self) -> list[Kernel]:
        return [step for step in self.steps if isinstance(step, Kernel)]

    @property
    def reports(self) -> bool:
        """Whether some kernel may report something."""
        return any(p.kind == "status" for kernel in self.kernels for p in kernel.parameters)


def plan(
    name: str, func: PrimFunc, mode: str, effort: str = "quick", origin: Origin | None = None, library: bool = False
) -> Plan:
    """The kernels of a PrimFunc; ``origin``: where it comes from, where that is proved; ``library``: the device has one
    for products of matrices.

    Raises:
        Unsupported: a construct without a translation.
    """
    if func.ret is not None and func.ret not in ("void", "None"):
        raise Unsupported(f"the scalar result of {name} in a CUDA kernel")
    func, ledger = with_own_memory(func), Ledger(effort)
    buffers = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam)}
    text = Text(dict(buffers), Bounds(ledger, name, _extents(func)), mode == "bits", Used())
    for param in func.params:
        if isinstance(param, ScalarParam):
            _scalar(param, text)
    result = Plan(name, func)
    found = [] if origin is None else all_ordered(func, origin)
    if found:
        result.temporaries = list({b.name: b for each in found for b in each.temporaries}.values())
        maker = Maker(name, text, mode == "fast")
        result.steps += [maker.ordered(each, func.body) for each in found]
        return result
    planner = _Planner(result, Maker(name, text, mode == "fast", library), _visible(func), origin)
    for buffer in func.root_allocs:
        planner.allocate(buffer)
    planner.body(func.body, ())
    used = {p.name for kernel in result.kernels for p in kernel.parameters if p.kind == "buffer"}
    result.temporaries = [buffer for buffer in result.temporaries if buffer.name in used]
    result.claims = tuple(ledger.claims)
    return result


def _scalar(param: ScalarParam, text: Text) -> None:
    if param.var.dtype.startswith("handle"):
        raise Unsupported("a handle parameter without a buffer")
    c_type(param.var.dtype)
    if is_float(param.var.dtype):
        text.elements.add(param.var.name)


def _extents(func: PrimFunc) -> frozenset[str]:
    """Symbols that are extents of parameters, hence never negative."""
    return frozenset(
        dim.name for p in func.params if isinstance(p, BufferParam) for dim in p.buffer.shape if isinstance(dim, SymVar)
    )


def _visible(func: PrimFunc) -> frozenset[str]:
    """Symbols that the call itself gives values: scalar parameters and what the buffers' shapes define."""
    found = {p.var.name for p in func.params if isinstance(p, ScalarParam)}
    for param in func.params:
        if isinstance(param, BufferParam):
            buffer = param.buffer
            places = (*buffer.shape, *buffer.strides, buffer.elem_offset)
            found.update(each.name for each in places if isinstance(each, SymVar))
    return frozenset(found)


@dataclass(slots=True)
class _Planner:
    """``visible``: the symbols whose values the host has when it launches; ``origin``: what has a sort or a scan among
    other things; ``mentioned``: how often each buffer is mentioned."""

    plan: Plan
    maker: Maker
    visible: frozenset[str]
    origin: Origin | None = None
    parameters: set[str] = field(default_factory=set)
    mentioned: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        func = self.plan.func
        self.parameters = {p.buffer.name for p in func.params if isinstance(p, BufferParam)}
        self.mentioned = mentions(func.body)

    def allocate(self, buffer: Buffer) -> None:
        """Memory for the whole call."""
        if buffer.data is not None or buffer.strides:
            raise Unsupported("a view of other memory in a CUDA kernel")
        c_type(buffer.dtype)
        inner = frozenset[str]().union(*map(free_symbols, buffer.shape)) - self.visible
        if inner:
            raise Unsupported(f"an allocation whose extents depend on {', '.join(sorted(inner))} in a CUDA kernel")
        self.maker.text.buffers[buffer.name] = buffer
        self.plan.temporaries.append(buffer)

    def body(self, stmts: tuple[Stmt, ...], guards: tuple[PrimExpr, ...]) -> None:
        """A statement list of the host."""
        text, done, start, seen, pieces = self.maker.text, 0, 0, 0, list[Piece]()
        for k, stmt in enumerate(stmts):
            if k < done:
                continue
            found = self.ordered(k) if stmts is self.plan.func.body else 0
            if not found and self.maker.fast:
                if k >= seen:  # (what is no piece may bind what later ones are made of)
                    start, pieces = k, pieces_of(stmts, text, k)
                    seen = k + max(1, len(pieces))
                found = self.group(pieces[k - start :], guards)
            if found:
                done = k + found
            elif isinstance(stmt, Bind) and text.is_index(stmt.value) and not is_float(stmt.var.dtype):
                text.aliases[stmt.var.name] = text.resolve(stmt.value)
            elif isinstance(stmt, Bind) or (isinstance(stmt, AllocBuffer) and stmt.buffer.scalar):
                self.launch(stmts[k:], guards)  # what follows depends on a value in memory: one thread runs it all
                return
            else:
                self.one(as_loop(stmt), guards)

    def ordered(self, at: int) -> int:
        """The kernel of a sort or a scan that some statements are; gives how many."""
        found = None if self.origin is None else ordered_at(self.plan.func, self.origin, at)
        if found is None:
            return 0
        what, count = found
        for buffer in what.temporaries:
            self.allocate(buffer)
        self.plan.steps.append(self.maker.ordered(what, self.plan.func.body[at : at + count]))
        return count

    def group(self, pieces: list[Piece], guards: tuple[PrimExpr, ...]) -> int:
        """One kernel for several pieces; gives how many."""
        found = attention_from(pieces)
        if found is not None and not bound_to_threads(tuple(found.statements)):
            outside = self.parameters | used_outside(self.mentioned, found.statements)
            kernel = self.maker.attention(found, outside, guards)
            if kernel is not None:
                self.plan.steps.append(kernel)
                return len(found.statements)
        group = group_from(pieces)
        if group is not None and (count := self.maker.ends(group)) < len(group.phases):
            group = group_from(pieces[:count])
        if group is None or bound_to_threads(tuple(group.statements)):
            return 0
        outside = self.parameters | used_outside(self.mentioned, group.statements)
        kernel = self.maker.group(group, outside, guards)
        if kernel is None:
            return 0
        self.plan.steps.append(kernel)
        return len(group.phases)

    def one(self, stmt: Stmt, guards: tuple[PrimExpr, ...]) -> None:
        text = self.maker.text
        match stmt:
            case AllocBuffer(buffer=buffer):
                self.allocate(buffer)
            case AttrStmt():
                self.body(stmt.body, guards)
            case SBlock() if not stmt.iters and stmt.init is None and not stmt.matches and _always(stmt):
                for buffer in stmt.allocs:
                    self.allocate(buffer)
                self.body(stmt.body, guards)
            case IfThenElse() if text.is_index(stmt.condition):
                condition = text.resolve(stmt.condition)
                self.body(stmt.then_body, (*guards, condition))
                self.body(stmt.else_body, (*guards, Not(condition)))
            case AssertStmt() if text.is_index(stmt.condition):
                message = f"{stmt.kind}: {''.join(stmt.message)}"
                self.plan.steps.append(Check(text.resolve(stmt.condition), message, guards))
            case Evaluate(value=Intrinsic(op="assume" | "tvm_storage_sync")):
                pass
            case _:
                self.launch((stmt,), guards)

    def launch(self, stmts: tuple[Stmt, ...], guards: tuple[PrimExpr, ...]) -> None:
        if synchronises(stmts):
            raise Unsupported("a barrier between the threads of the program in a CUDA kernel")
        if bound_to_threads(stmts) and shares(stmts, self.maker.text.buffers):
            raise Unsupported("memory shared between the threads of the program in a CUDA kernel")
        for buffer in large_allocations(stmts):
            self.allocate(buffer)
        kernel = self.maker.kernel(stmts, guards)
        aliases = self.maker.text.aliases
        if aliases and any(p.name in aliases for p in kernel.parameters):
            raise Unsupported("a variable of the host in a kernel")
        self.plan.steps.append(kernel)


def _always(block: SBlock) -> bool:
    return block.predicate is None or as_int(block.predicate) == 1


def large_allocations(stmts: tuple[Stmt, ...]) -> list[Buffer]:
    """Buffers allocated inside that are too large for a thread of its own: they live as long as the call."""
    found: list[Buffer] = []
    for stmt in stmts:
        match stmt:
            case SBlock():
                found += [b for b in stmt.allocs if not small(b)]
                found += large_allocations((*(stmt.init or ()), *stmt.body))
            case AllocBuffer(buffer=buffer):
                found += [] if small(buffer) else [buffer]
            case For() | While() | AttrStmt():
                found += large_allocations(stmt.body)
            case IfThenElse():
                found += large_allocations((*stmt.then_body, *stmt.else_body))
            case BufferStore() | _:
                pass
    return found


def plans(module: Module, mode: str, library: bool = False) -> dict[str, Plan]:
    """The plan of every PrimFunc of a module that does not run on the host; ``library``: as of ``plan``."""
    return {
        name: plan(
            name,
            f,
            mode,
            library=library,
            origin=origin_of(f) if any(map((hint(f) or "").__contains__, ORDERED)) else None,
        )
        for name, f in module.functions.items()
        if isinstance(f, PrimFunc) and not dict(f.attrs).get("tirx.is_host_func")
    }


ORDERED = ("R.cumsum(", "R.cumprod(", "R.sort(", "R.argsort(", "R.topk(")
"""What is looked for in the text of an origin before it is proved."""


def source_text(made: dict[str, Plan], mode: str, wide: bool = False) -> str:
    """The prelude and all kernels. ``wide``: indices of 64 bits, for launches that need them."""
    parts = [f"// Generated by refrelax: CUDA C++, mode {mode}.", *(["#define WIDE_INDICES"] * wide), prelude()]
    for name, each in made.items():
        parts.append(f"// --- {name} ---")
        parts += [kernel.source() for kernel in each.kernels]
    return "\n\n".join(parts) + "\n"


def cuda_source(module: CheckedModule | Module, mode: str = "fast") -> str:
    """The CUDA C++ source of every PrimFunc of a module; the same text for the same module.

    Raises:
        Unsupported: a construct without a translation.
    """
    plain = module.module if isinstance(module, CheckedModule) else module
    return source_text(plans(plain, mode), mode)
