"""The pass: every operator call whose shapes are known becomes a call of a loop program.

A call is rewritten only if everything its kernel rests on is proved; kernels that are equal up to names are one.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from refrelax.lower.claims import Ledger
from refrelax.lower.extent_parts import Question, named, parts
from refrelax.lower.legalize.bounds import Obligation, obligations
from refrelax.lower.legalize.origin import of_site
from refrelax.lower.legalize.remembered import Remembered, RememberedCalls, key_of, names_of, numbered
from refrelax.lower.legalize.scalars import Scalar, product
from refrelax.lower.legalize.site import Site, TypeOf, Typing, Unfit, make_site
from refrelax.lower.legalize.table import LEGALIZERS, NAMES, SHAPE_ONLY
from refrelax.lower.origins.vouched import Claimed, with_origin
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import dtypes
from refrelax.syntax.alike import outline
from refrelax.syntax.equal import structural_equal
from refrelax.syntax.graph import (
    Binding,
    Block,
    Call,
    Expr,
    Function,
    GlobalVar,
    If,
    Op,
    PrimValue,
    SeqExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols, int_imm, walk
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type

LEAST, MOST = int_imm(-(1 << 63)), int_imm((1 << 63) - 1)
"""The ends of int64. More elements than the greatest no tensor can have: they could not be counted."""


NOTHING: Mapping[str, Sequence[PrimExpr]] = MappingProxyType({})


@rule("lo/legalize")
def run(
    checked: CheckedModule,
    ledger: Ledger,
    keep: frozenset[str] = frozenset(),
    assume: Mapping[str, Sequence[PrimExpr]] = NOTHING,
    memory: RememberedCalls | None = None,
) -> Module:
    """The module with operator calls as calls of loop programs, and those programs; calls of the operators ``keep``
    stay. ``assume``: by function, what is known of its symbols besides; ``memory``: of calls whose claims nobody asks
    for."""
    promised = any(map(len, assume.values())) or any(
        as_claims(func) for func in checked.module.relax_functions().values()
    )
    kernels = Kernels(set(checked.module.functions), promised)
    functions: dict[str, BaseFunc] = {}
    for name, func in checked.module.functions.items():
        if isinstance(func, Function):
            known = (*as_claims(func), *assume.get(name, ()))
            rewriter = _Rewriter(checked, ledger, kernels, name, _extents(func), known, keep, memory)
            func = rewriter.function(func, "")
        functions[name] = func
    return checked.module.with_functions({**functions, **kernels.made()})


@dataclass(slots=True)
class Kernels:
    """The loop programs made so far, each once up to names."""

    taken: set[str]
    promised: bool
    """Whether bounds of symbols are known of functions of the module: what was proved of a kernel at one call need not
    hold at another."""
    functions: dict[str, PrimFunc] = field(default_factory=dict)
    by_base: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    next: dict[str, int] = field(default_factory=dict)
    """The number at the end of the last name of each base."""
    origins: dict[str, Claimed] = field(default_factory=dict)
    remembered: dict[int, tuple[PrimFunc, str]] = field(default_factory=dict)
    """By identity of those that were made before."""

    def made(self) -> dict[str, PrimFunc]:
        """The loop programs with what is written down of their origins: of the call for which each was made first."""
        return {name: with_origin(func, self.origins.get(name)) for name, func in self.functions.items()}

    def find(self, base: str, kernel: PrimFunc) -> str | None:
        """The name of a kernel that is the same up to names."""
        for name in self.by_base.get((base, outline(kernel)), ()):
            if structural_equal(self.functions[name], kernel):
                return name
        return None

    def again(self, base: str, kernel: PrimFunc, origin: Claimed | None) -> str:
        """The name of a kernel that was made before, perhaps for another module."""
        if id(kernel) not in self.remembered:
            name = self.find(base, kernel)
            if name is None:
                name = self.add(base, kernel)
                self.origins |= {} if origin is None else {name: origin}
            self.remembered[id(kernel)] = kernel, name
        return self.remembered[id(kernel)][1]

    def add(self, base: str, kernel: PrimFunc) -> str:
        """Keep a new kernel under ``base``, ``base1``, ``base2``, …"""
        name, k = base, self.next.get(base, 0)
        while name in self.taken:
            k += 1
            name = f"{base}{k}"
        self.next[base] = k
        self.taken.add(name)
        self.functions[name] = kernel
        self.by_base.setdefault((base, outline(kernel)), []).append(name)
        return name


@dataclass(frozen=True, slots=True)
class Made:
    """A call of a loop program: its name, what it is given, and the bindings that come before. ``tupled``: whether it
    gives a tuple, be it of one result."""

    name: str
    passed: tuple[Expr, ...]
    before: tuple[tuple[str, Expr], ...]
    tupled: bool


@dataclass(frozen=True, slots=True)
class _Rewriter:
    """Rewrites the calls of one function of the module."""

    checked: CheckedModule
    ledger: Ledger
    kernels: Kernels
    name: str
    extents: dict[str, PrimExpr]
    """That the symbols which are extents of the function's arguments are not negative."""
    promises: tuple[PrimExpr, ...]
    """What the function's attributes say of its symbols, and its caller."""
    keep: frozenset[str] = frozenset()
    memory: RememberedCalls | None = None
    names: list[str] = field(default_factory=list)
    """The names of the function in order, once one was looked for."""

    def function(self, func: Function, path: str) -> Function:
        return replace(func, body=self.sequence(func.body, path))

    def sequence(self, seq: SeqExpr, path: str) -> SeqExpr:
        return replace(seq, blocks=tuple(self.block(each, path) for each in seq.blocks))

    def block(self, block: Block, path: str) -> Block:
        return replace(block, bindings=tuple(new for old in block.bindings for new in self.binding(old, path)))

    def binding(self, binding: Binding, path: str) -> tuple[Binding, ...]:
        if not isinstance(binding, VarBinding):
            return (binding,)
        match binding.value:
            case If() as branch:
                yes, no = self.sequence(branch.then_branch, path), self.sequence(branch.else_branch, path)
                return (replace(binding, value=replace(branch, then_branch=yes, else_branch=no)),)
            case Function() as inner:
                return (replace(binding, value=self.function(inner, f"{path}{binding.name}/")),)
            case Call(op=Op(name=op)) as call if op in LEGALIZERS and op not in self.keep:
                return self.call(binding, call, path)
            case _:
                return (binding,)

    def call(self, binding: VarBinding, call: Call, path: str) -> tuple[Binding, ...]:
        try:
            return self.legalized(binding, call, path)
        except Unfit:
            return (binding,)

    def legalized(self, binding: VarBinding, call: Call, path: str) -> tuple[Binding, ...]:
        """The binding with its call rewritten, after the bindings that it needs. Raises ``Unfit``."""
        at = f"{path}{binding.name}"
        if any(p.function == self.name and p.name == at for p in self.checked.promises):
            raise Unfit("its type is a promise")
        types = _Scoped(self.checked.types.get(self.name, {}), path)
        result = types(binding.name)
        told = (result, *(types(e.name) for e in nodes(call.args) if isinstance(e, Var)))
        if any(isinstance(e, TensorType) and _has_no_elements(e.dtype) for e in nodes(told)):
            raise Unfit("a tensor of pointers or vectors")
        made = self.remembered(binding, call, path, result, types)
        out = result.fields if isinstance(result, TupleType) else (result,)
        if any(each is None for each in out):
            raise Unfit("a result whose type is not known")
        outs: tuple[Type, ...] = tuple(each for each in out if each is not None)
        ty_args = (TupleType(outs),) if len(outs) != 1 else outs
        new = Call(Op("relax.call_tir"), (GlobalVar(made.name), Tuple(made.passed)), (), ty_args, span=call.span)
        before = [VarBinding(v, e) for v, e in made.before]
        if made.tupled and len(outs) == 1:  # a call gives one output itself
            only = f"{self.unused(binding.name)}_only"
            return (*before, VarBinding(only, new), replace(binding, value=Tuple((Var(only),))))
        return (*before, replace(binding, value=new))

    def remembered(self, binding: VarBinding, call: Call, path: str, result: Type | None, types: TypeOf) -> Made:
        """What the call is, as before where such a call was one. Raises ``Unfit``."""
        if self.memory is None:
            return self.made(binding, call, path, result, types)
        names, key = names_of(call), key_of(call, result, types, self.extents, self.promises)
        known = None if key is None else self.memory.calls.get(key)
        if known is not None:
            name = self.kernels.again(known.base, known.kernel, known.origin)
            return Made(name, numbered(known.passed, names, back=True), (), known.tupled)
        before = len(self.kernels.functions)
        found = self.made(binding, call, path, result, types)
        if key is not None and not found.before and len(self.kernels.functions) > before:  # (or less was asked of it)
            kernel, base = self.kernels.functions[found.name], base_name(call.op.name)
            passed = numbered(found.passed, names)
            self.memory.keep(key, Remembered(base, kernel, passed, found.tupled, self.kernels.origins.get(found.name)))
        return found

    def made(self, binding: VarBinding, call: Call, path: str, result: Type | None, types: TypeOf) -> Made:
        """The call as one of a loop program. Raises ``Unfit``."""
        op = call.op.name if isinstance(call.op, Op) else ""
        typing, unread = Typing(self.checked.module, types), SHAPE_ONLY.get(op, ())
        site = make_site(call, base_name(op), result, typing, self.unused(binding.name), unread)
        facts = self.facts(site)
        site.ask = lambda statement, given: self.ledger.known(
            statement, (*given, *_about([statement, *given], facts)), "int64"
        )
        LEGALIZERS[op](site)
        name = self.justified(site, f"{self.name}/{path}{binding.name}")
        passed = (*site.passed, *(PrimValue(v) for v in site.scalars.values()))
        return Made(name, passed, tuple(site.before), site.tupled)

    def facts(self, site: Site) -> list[PrimExpr]:
        """What is known of extents where the call runs, as far as the site is made."""
        outside = self.extents.keys() & site.k.taken - site.k.own
        extents = [self.extents[name] for name in sorted(outside)]
        said = [fact for fact in self.promises if not free_symbols(fact) & site.k.own]
        return [*_facts(site), *extents, *said, *_fits(site)]

    def unused(self, name: str) -> str:
        """A name that begins no name of the function."""
        prefix = f"{name}_field"
        while self.begins(prefix):
            prefix += "_"
        return prefix

    def begins(self, prefix: str) -> bool:
        """Whether a name of the function begins so."""
        if not self.names:
            self.names.extend(sorted({each.rpartition("/")[2] for each in self.checked.types.get(self.name, {})}))
        at = bisect_left(self.names, prefix)
        return at < len(self.names) and self.names[at].startswith(prefix)

    @rule("lo/claim")
    def justified(self, site: Site, where: str) -> str:
        """The name of the site's kernel. Raises ``Unfit`` if something that it rests on is not proved."""
        kernel = site.k.finish()
        made = self.kernels.find(site.k.name, kernel)
        needs = [(rule_, Obligation(statement, ())) for rule_, statement in site.required]
        needs += [("lo/in-bounds", Obligation(statement, given)) for statement, given in site.always]
        if made is None or site.relations or site.premises or site.scalars or self.kernels.promised:
            needs += [("lo/in-bounds", each) for each in obligations(kernel)]
        facts, counts = self.facts(site), _counts(site)
        known = parts(d for p in (*site.k.inputs, *site.k.outputs) for d in p.buffer.shape)
        for rule_, each in needs:
            given = _given(each, facts, counts)
            first = named(Question(each.statement, each.near), known, facts)
            asked = () if first is None else (first,)
            if not self.ledger.holds(each.statement, rule_, where, given, "int64", site.call.span, asked):
                raise Unfit("not proved")
        if made is not None:
            return made
        name = self.kernels.add(site.k.name, kernel)
        if (origin := of_site(site)) is not None:
            own = not site.relations and not self.promises
            self.kernels.origins[name] = Claimed(origin, own)
        return name


@dataclass(frozen=True, slots=True)
class _Scoped:
    """Types of variables as seen from inside the nested function ``path``."""

    types: Mapping[str, Type]
    path: str

    def __call__(self, name: str) -> Type | None:
        path = self.path
        while True:
            if path + name in self.types:
                return self.types[path + name]
            if not path:
                return None
            path = path[: path.rstrip("/").rfind("/") + 1]


def base_name(op: str) -> str:
    """What the kernel of an operator is called."""
    return NAMES.get(op) or op.removeprefix("relax.").removeprefix("nn.").removeprefix("image.").replace(".", "_")


def _facts(site: Site) -> list[PrimExpr]:
    """What is known where the call runs: what named dims stand for, what the operator demands, that extents are not
    negative."""
    facts = [Binary("EQ", _symbol(site, name), e) for name, e in site.relations.items()] + site.premises
    for param in site.k.inputs:
        facts += [Binary("GE", d, int_imm(0)) for d in param.buffer.shape if as_int(d) is None]
    for param in site.k.outputs:
        facts += [Binary("GE", d, int_imm(0)) for d in param.buffer.shape if _plain(site, d)]
    return list(dict.fromkeys(facts))


@rule("lo/tensor-fits")
def _counts(site: Site) -> list[PrimExpr]:
    """That every tensor's elements can be counted."""
    counts = [product([Scalar(d) for d in p.buffer.shape]).node for p in (*site.k.inputs, *site.k.outputs)]
    return list(dict.fromkeys(Binary("LE", each, MOST) for each in counts if isinstance(each, Binary)))


@rule("lo/extent-fits")
def _fits(site: Site) -> list[PrimExpr]:
    """That every extent, and every scalar that the call is given, is an int64 number: it is evaluated before the kernel
    runs."""
    dims = [d for p in (*site.k.inputs, *site.k.outputs) for d in p.buffer.shape if isinstance(d, Binary)]
    given = [each.value for each in site.call.args if isinstance(each, PrimValue)]
    scalars = [each for each in given if isinstance(each, Binary) and each.dtype == "int64"]
    return [
        *(Binary("LE", d, MOST) for d in dict.fromkeys((*dims, *scalars))),
        *(Binary("GE", d, LEAST) for d in dict.fromkeys(scalars)),
    ]


def _extents(func: Function) -> dict[str, PrimExpr]:
    """``n >= 0`` for every symbol that is a dim of an argument, by its name."""
    found: dict[str, PrimExpr] = {}
    pending: list[Type | None] = [p.type for p in func.params]
    while pending:
        match pending.pop(0):
            case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
                found |= {d.name: Binary("GE", d, int_imm(0, d.dtype)) for d in dims if isinstance(d, SymVar)}
            case TupleType(fields=fields):
                pending += fields
            case _:
                pass
    return found


def _plain(site: Site, dim: PrimExpr) -> bool:
    """Whether a dim of a result is a symbol of the caller."""
    return isinstance(dim, SymVar) and dim.name not in site.relations


def _symbol(site: Site, name: str) -> PrimExpr:
    return next(v for v in site.named.values() if v.name == name)


def _given(each: Obligation, facts: list[PrimExpr], counts: list[PrimExpr]) -> tuple[PrimExpr, ...]:
    """Of the facts, those about symbols of the obligation. Counts of elements bound sums and products,
    and matter only there."""
    parts = [each.statement, *each.given]
    chosen = _about(parts, facts)
    if any(isinstance(node, Binary) and node.op in ("Add", "Mul") for e in (*parts, *chosen) for node in walk(e)):
        chosen += _about([*parts, *chosen], counts)
    return tuple(dict.fromkeys([*each.given, *chosen]))


def _has_no_elements(dtype: str | None) -> bool:
    """Whether no tensor has elements of this dtype (``num/no-operation``): the call leaves every run open."""
    return dtype is not None and (dtype == "handle" or dtypes.lanes(dtype) != 1)


def _about(parts: list[PrimExpr], facts: list[PrimExpr]) -> list[PrimExpr]:
    """The facts that mention a symbol of ``parts``, or of a fact that does."""
    names = {name for e in parts for name in free_symbols(e)}
    chosen: list[PrimExpr] = []
    growing = True
    while growing:
        more = [f for f in facts if f not in chosen and free_symbols(f) & names]
        chosen += more
        growing = bool(more)
        for f in more:
            names |= free_symbols(f)
    return chosen


__all__ = ["Kernels", "base_name", "run"]
