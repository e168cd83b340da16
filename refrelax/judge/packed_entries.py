"""Entries with the packed calling convention as loop programs that take what their caller packs.

Such an entry is given one handle. It checks the arguments behind it, one after the other, and names their memory. All
of this is computed here, for arguments of given types: what is left is a program that takes them as they are. A check
that is not seen to pass stays where it is.

Spec: ``spec/06c-pointwise.md``, ``va/packed``; ``spec/07-evaluation.md``, ``ev/struct-get``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.judge.loop_text import wide
from refrelax.judge.packed_arguments import (
    FLOATS,
    PARAMETERS,
    Given,
    Part,
    Unlike,
    dims_of,
    field_of_tensor,
    symbols_of,
)
from refrelax.judge.packed_checks import computes, defined, names_alone
from refrelax.judge.packed_results import LENGTH, returned
from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.semantics.dims.simplify import simplify
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.intrinsics import records
from refrelax.semantics.loops.visit import statements_of
from refrelax.shape_solver.pointwise.views import product
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Buffer,
    BufferParam,
    DeclBuffer,
    IfThenElse,
    PrimFunc,
    Return,
    ScalarParam,
    Stmt,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
)
from refrelax.syntax.types import PrimType, TensorType, tensor_of

SAYS_NOTHING = frozenset({"storage_alignment", "device_id", "device_type", "compute_scope"})
"""Attributes around the body of a packed entry, at which no run looks."""


@rule("va/packed")
def unpacked(
    func: PrimFunc, given: Given, only: bool = True, ret: str | None = None
) -> tuple[PrimFunc, tuple[Stmt, ...]]:
    """A packed entry as a program that takes what its caller packs: compact tensors at offset 0, on device 0 of type 1,
    and returns (``ret``, as it is declared) what it stores as its result;
    and the checks, with the names that they need, that such arguments pass before anything is done. ``only``: of
    arguments of other types nothing is asked.

    Raises:
        Unlike: it looks at its arguments otherwise than by checks, and by names of their parts.
    """
    names = Taken(name for node in nodes(func) if isinstance(name := getattr(node, "name", None), str))
    names.add(*(name for stmt in statements_of(func.body) if isinstance(name := getattr(stmt, "buffer", None), str)))
    by = {name: SymVar(names.fresh(name), symbol.dtype) for name, symbol in sorted(symbols_of(given).items())}
    reader = _Entry(tuple((by[n].name if n in by else n, _renamed(t, by)) for n, t in given))
    body = reader.run(func.body, last=True)
    reader.see_that_nothing_is_left(body)
    if not only and not reader.reads_as_told(body):
        raise Unlike("an extent that no check compares")
    plain = replace(
        func,
        params=tuple(reader.param(k, names) for k in range(len(given))),
        body=tuple(reader.needed(body)),
        ret=ret,
        attrs=tuple((key, value) for key, value in func.attrs if key not in ("calling_conv", "global_symbol")),
        symbols=tuple(v for name, v in by.items() if name not in dict(given)),
    )
    return plain, tuple(reader.passed)


def _renamed(type_: TensorType | PrimType, by: Mapping[str, PrimExpr]) -> TensorType | PrimType:
    if isinstance(type_, PrimType):
        return type_
    return tensor_of(tuple(substitute(d, by) for d in dims_of(type_)), type_.dtype)


@dataclass(slots=True)
class _Entry:
    """A packed entry that is given arguments of these types. ``known``: what its names stand for; ``memory``: the
    buffer that it declares over the memory of each argument; ``passed``: the checks that pass."""

    given: Given
    known: dict[str, Part | PrimExpr] = field(default_factory=dict)
    memory: dict[int, Buffer] = field(default_factory=dict)
    passed: list[Stmt] = field(default_factory=list)
    waiting: list[Stmt] = field(default_factory=list)
    """Since the last check: names of arithmetic, which may have no value where a check that comes next fails."""
    begun: bool = False
    """Whether something may have been done that is no check and no name."""
    strided: set[int] = field(default_factory=set)
    """Of which arguments the strides are there."""
    ended: bool = False
    """Whether it ends with 0."""
    told: dict[str, str] = field(default_factory=dict)
    """By symbol of what is given: the name that it is read into first."""
    guessed: set[str] = field(default_factory=set)
    """Names of what is read, whose values are those of arguments of these types alone."""
    open_checks: bool = False
    """Whether a check of what is read stays."""

    results: list[Stmt] = field(default_factory=list)
    """The ends with a number as the result."""

    def __post_init__(self) -> None:
        self.known |= {"args": Part("all"), "num_args": int_imm(len(self.given), "int32")}

    # --- statements

    def run(self, stmts: Sequence[Stmt], last: bool) -> list[Stmt]:
        """What is left of statements. ``last``: the entry ends with them."""
        found: list[Stmt] = []
        for k, stmt in enumerate(stmts):
            if (value := returned(stmts[k : k + LENGTH])) is not None:
                self.begun = self.ended = True
                self.results.append(Return(self.number(value)))
                return [*found, self.results[-1], *self.run(stmts[k + LENGTH :], last)]
            at_end = last and all(isinstance(each, Return) for each in stmts[k + 1 :])
            found += self.statement(stmt, at_end)
        return found

    def passes(self, check: Stmt) -> list[Stmt]:
        """What is left of a check that passes: nothing, if all before it are checks and names as well."""
        if self.begun:
            raise Unlike("a check of the arguments after something was done")
        self.passed += [*self.waiting, check]
        self.waiting = []
        return []

    def statement(self, stmt: Stmt, at_end: bool) -> list[Stmt]:
        match stmt:
            case AssertStmt(condition) if not any(isinstance(each, BufferLoad) for each in nodes(condition)):
                left = self.truth(condition)
                if as_int(left) == 1:
                    return self.passes(stmt)
                self.begun = True
                self.open_checks = self.open_checks or self.concerns(condition)
                return [replace(stmt, condition=left)]
            case Bind(var, value) if self.concerns(value):
                self.known[var.name] = found = self.value(value)
                self.passed.append(stmt)
                if isinstance(found, Part):
                    return []
                symbol = found.value if isinstance(found, Cast) else found
                if not isinstance(symbol, SymVar) or self.told.setdefault(symbol.name, var.name) != var.name:
                    self.guessed.add(var.name)
                return [replace(stmt, value=found)]
            case IfThenElse(Not(Intrinsic("isnullptr", (strides,))), then, ()) if self.concerns(strides):
                passed, strided, part = list(self.passed), set(self.strided), self.part(strides)
                waiting = list(self.waiting)
                self.strided.add(part.k)
                if part.what != "strides" or self.run(then, last=False):
                    raise Unlike("a branch on a pointer")  # (null or not, compact strides pass)
                self.passed, self.strided, self.waiting = passed, strided, waiting
                return self.passes(stmt)
            case AttrStmt(key=key, body=body) if key in SAYS_NOTHING:
                return self.run(body, at_end)
            case DeclBuffer(buffer) if buffer.data is not None and self.concerns(buffer.data):
                self.declares(buffer, self.part(buffer.data))
                self.passed.append(stmt)
                return []
            case Return(value) if at_end and as_int(value) == 0:
                self.ended = True
                return []
            case Bind() | AllocBuffer(init=None) | DeclBuffer() if names_alone(stmt):
                self.waiting += [stmt] if computes(stmt) else []
                return [stmt]
            case AllocBuffer(buffer, init=None) if self.like_what_is_given(buffer):
                return [stmt]
            case _:
                self.begun = True
                return [self.with_results(stmt)]

    def like_what_is_given(self, buffer: Buffer) -> bool:
        """Whether memory has the extents and dtype of an argument: there may be as much."""
        if any(map(self.concerns, buffer.shape)):
            return False
        own = tuple(map(self.number, buffer.shape)), buffer.dtype
        return own in [(dims_of(type_), type_.dtype) for _, type_ in self.given]

    def with_results(self, stmt: Stmt) -> Stmt:
        """A statement with the ends in it that store a number as numbers that are returned."""
        found: dict[str, Any] = {}
        for name in ("body", "then_body", "else_body"):
            inner: tuple[Stmt, ...] = getattr(stmt, name, ())
            left: list[Stmt] = []
            k = 0
            while k < len(inner):
                value = returned(inner[k : k + LENGTH])
                if value is not None:
                    self.results.append(Return(self.number(value)))
                left.append(self.with_results(inner[k]) if value is None else self.results[-1])
                k += 1 if value is None else LENGTH
            if inner:
                found[name] = tuple(left)
        return replace(stmt, **found) if found else stmt

    def declares(self, buffer: Buffer, part: Part) -> None:
        """The name of an argument's memory."""
        type_ = self.given[part.k][1]
        if part.what != "data" or part.k in self.memory or not isinstance(type_, TensorType):
            raise Unlike(f"{buffer.name} is not the memory of an argument")
        offset = 0 if buffer.elem_offset is None else as_int(buffer.elem_offset)
        dims = [self.number(d) for d in buffer.shape]
        if buffer.dtype != type_.dtype or buffer.strides or offset != 0 or len(dims) != len(dims_of(type_)):
            raise Unlike(f"{buffer.name} is declared as another tensor")
        if not all(equal(x, y, NO_FACTS) is True for x, y in zip(dims, dims_of(type_), strict=True)):
            raise Unlike(f"{buffer.name} is declared with other extents")
        self.memory[part.k] = buffer

    def param(self, k: int, names: Taken) -> ScalarParam | BufferParam:
        name, type_ = self.given[k]
        if isinstance(type_, PrimType):
            return ScalarParam(SymVar(name, type_.dtype))
        named = Buffer(names.fresh(name), dims_of(type_), type_.dtype or "")
        own = self.memory.get(k, named)
        return BufferParam(replace(own, shape=dims_of(type_), elem_offset=None, data=None))

    def see_that_nothing_is_left(self, body: Sequence[Stmt]) -> None:
        """See that the rest mentions no handle of the caller's, and ends as it does here alone."""
        gone = {*PARAMETERS, *(name for name, each in self.known.items() if isinstance(each, Part))}
        for node in (node for stmt in body for node in nodes(stmt)):
            if isinstance(node, SymVar) and node.name in gone:
                raise Unlike(f"{node.name} is used otherwise")
            if isinstance(node, Return) and not any(node is each for each in self.results):
                raise Unlike("an end in the middle")
        if not self.ended:
            raise Unlike("an end without a value")

    def reads_as_told(self, body: Sequence[Stmt]) -> bool:
        """Whether the rest looks at nothing but what is the same for arguments of other types that pass the checks: of
        two extents that no check compares, each has a name of its own."""
        parts = [stmt.value if isinstance(stmt, Bind) else stmt for stmt in body]
        used = {node.name for each in parts for node in nodes(each) if isinstance(node, SymVar)}
        return not self.open_checks and not used & self.guessed

    def needed(self, body: Sequence[Stmt]) -> list[Stmt]:
        """Without memory like an argument's that is named for an attribute alone."""
        shapes = [dims_of(type_) for _, type_ in self.given if isinstance(type_, TensorType)]

        def stands_for_an_argument(stmt: Stmt) -> bool:
            if not isinstance(stmt, AllocBuffer) or stmt.init is not None:
                return False
            used = any(stmt.buffer.name in _names(node) for other in body if other is not stmt for node in nodes(other))
            return not used and tuple(map(self.number, stmt.buffer.shape)) in shapes

        return [stmt for stmt in body if not stands_for_an_argument(stmt)]

    # --- expressions

    def concerns(self, e: PrimExpr) -> bool:
        """Whether an expression mentions a handle of the caller's."""
        found = (self.known.get(node.name) for node in nodes(e) if isinstance(node, SymVar))
        return any(isinstance(each, Part) for each in found)

    def truth(self, e: PrimExpr) -> PrimExpr:
        """A condition, as far as it is known; one that is not seen to be defined stays."""
        found = self.number(e)
        return simplify(found, NO_FACTS) if defined(found, self.given) else found

    def part(self, e: PrimExpr) -> Part:
        found = self.value(e)
        if not isinstance(found, Part):
            raise Unlike("a handle that is none of the caller's")
        return found

    def number(self, e: PrimExpr) -> PrimExpr:
        found = self.value(e)
        if isinstance(found, Part):
            raise Unlike("arithmetic on a handle")
        return found

    def value(self, e: PrimExpr) -> Part | PrimExpr:
        """What an expression is for these arguments."""
        match e:
            case SymVar(name):
                return self.known.get(name, e)
            case Intrinsic("tvm_struct_get", (base, k, wanted)):
                return self.read(self.part(base), as_int(k), as_int(wanted), e.dtype)
            case Intrinsic("isnullptr", (inner,)):
                if self.part(inner).what == "strides":
                    raise Unlike("strides that may be null")
                return bool_imm(False)
            case Intrinsic("reinterpret", (inner,)) if e.dtype.startswith("handle"):
                return self.value(inner)
            case Intrinsic("if_then_else", (condition, yes, no)):
                decided = as_int(self.truth(condition))
                if decided is not None:
                    return self.value(yes if decided else no)
                return replace(e, args=tuple(map(self.number, e.args)))
            case Binary(op, a, b):
                return Binary(op, self.number(a), self.number(b))
            case Not(a):
                return Not(self.number(a))
            case Cast(dtype, inner):
                found = self.number(inner)
                if isinstance(found, Cast) and found.value.dtype == dtype:
                    if (found.dtype, dtype) == ("int64", "int32") or (found.dtype == "float64" and dtype in FLOATS):
                        return found.value
                return found if found.dtype == dtype == "float64" else replace(e, value=found)
            case Select(condition, yes, no) if (decided := as_int(self.truth(condition))) is not None:
                if not _only_reads(no if decided else yes):
                    raise Unlike("a choice between what the caller tells")
                return self.value(yes if decided else no)
            case Select(condition, yes, no):
                return Select(self.number(condition), self.number(yes), self.number(no))
            case Literal():
                return e
            case _ if self.concerns(e):
                raise Unlike(f"{getattr(e, 'op', type(e).__name__)} of what the caller tells")
            case _:
                return substitute(e, {name: x for name, x in self.known.items() if not isinstance(x, Part)})

    def read(self, of: Part, k: int | None, wanted: int | None, dtype: str) -> Part | PrimExpr:
        """A field, as ``ev/struct-get`` has it."""
        if k is None or wanted is None or (of.what == "all" and not 0 <= k < len(self.given)):
            raise Unlike("an argument that is not there")
        name, type_ = self.given[k if of.what == "all" else of.k]
        if of.what == "all" and isinstance(type_, PrimType):
            return self.of_number(SymVar(name, type_.dtype), wanted, dtype)
        if (part := of.field(k, wanted)) is not None and dtype.startswith("handle"):
            return part
        match of.what:
            case "all" if wanted == records.TYPE_INDEX and dtypes.kind(dtype) in ("int", "uint"):
                return int_imm(records.TENSOR, dtype)
            case "strides" if of.k not in self.strided:
                raise Unlike("strides that may be null")
            case "descriptor" if isinstance(type_, TensorType) and k == 0 and dtypes.kind(dtype) in ("int", "uint"):
                return int_imm(field_of_tensor(type_, wanted), dtype)
            case "shape" | "strides" if wanted == records.INT64_ELEMENT and dtype == "int64":
                dims = dims_of(type_)
                if 0 <= k < len(dims):
                    return wide(dims[k] if of.what == "shape" else product(tuple(map(wide, dims[k + 1 :]))))
            case _:
                pass
        raise Unlike(f"field {wanted} of what is given")

    def of_number(self, symbol: SymVar, wanted: int, dtype: str) -> PrimExpr:
        real = symbol.dtype in FLOATS
        if wanted == records.TYPE_INDEX and dtypes.kind(dtype) in ("int", "uint"):
            return int_imm(records.FLOAT if real else records.INT, dtype)
        if wanted == records.VALUE and dtype == ("float64" if real else "int64"):
            return (symbol if symbol.dtype == dtype else Cast(dtype, symbol)) if real else wide(symbol)
        raise Unlike(f"field {wanted} of a number")


def _only_reads(e: PrimExpr) -> bool:
    """Whether an expression that nobody looks at cannot fail: a field of what the caller packs, converted."""
    match e:
        case Cast(_, inner):
            return _only_reads(inner)
        case Intrinsic("tvm_struct_get", (SymVar("args"), _, wanted)):
            return as_int(wanted) == records.VALUE and not e.dtype.startswith("handle")
        case _:
            return False


def _names(node: object) -> tuple[str, ...]:
    """The buffer that a node names."""
    found = getattr(node, "buffer", None)
    return (found,) if isinstance(found, str) else ()


__all__ = ["unpacked"]
