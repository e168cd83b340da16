"""Proof of equality for all shapes and values: two programs as element terms, compared by congruence.

Calls of graph functions are put in place and operators legalized first; a graph of ``call_tir`` then composes the terms
of its loop programs. The entry's signatures must be the same up to the names of symbols. Whatever the terms cannot say
(effects, branches, library functions without a contract, checks at run time) means: no proof.

Spec: ``spec/06c-pointwise.md``, Pointwise equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from refrelax.errors import UsageError
from refrelax.judge.evidence import Proved
from refrelax.judge.inlined import inlined, same_programs
from refrelax.judge.legalized import legalized
from refrelax.judge.openings import openings
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.ops.meaning.openings import renamed
from refrelax.semantics.types.checked import CheckedModule
from refrelax.shape_solver.claim import Effort
from refrelax.shape_solver.context import conjuncts
from refrelax.shape_solver.pointwise import (
    OPEN,
    Claim,
    Definedness,
    Descent,
    Logic,
    NotRead,
    TensorTerm,
    Term,
    Terms,
    read,
)
from refrelax.shape_solver.pointwise.elements import ELEMENT_FITS, Reading, ideal
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import STEPS, Spent, compare, symbols_nonnegative
from refrelax.shape_solver.pointwise.show import Words
from refrelax.syntax import graph
from refrelax.syntax.loops import BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_symbols, int_imm, walk
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type
from refrelax.syntax.write.scalars import expression

Value = TensorTerm | tuple["Value", ...] | PrimExpr | graph.ShapeExpr
"""What a binding holds: a tensor, a tuple, a scalar, a shape."""


MOST_EXTENT = 2048
MOST_SHAPES = 6
"""Which shapes are looked at again, and how many."""

HYPOTHESES = (
    "extents are not negative",
    "sizes of buffers fit int64 (an empty extent counted as one)",
    "the first program's index arithmetic is defined",
)
"""What every proof assumes."""

SAME = "the programs are the same up to names"
NO_ALIASES = "the buffers of the entry do not overlap"
PROCEDURES = ("congruence descent", "the shape solver")


@dataclass(frozen=True, slots=True)
class Options:
    """How a proof is searched for. ``relax``: named relaxations that are on; ``assume``: claims about the symbols of
    the first program's entry; ``deadline``: on ``perf_counter``."""

    relax: frozenset[str] = frozenset()
    assume: tuple[PrimExpr, ...] = ()
    effort: Effort = "normal"
    deadline: float | None = None


PLAIN = Options()


def prove_equal(first: CheckedModule, second: CheckedModule, entry: str, options: Options = PLAIN) -> Proved | None:
    """A proof that the entry of both programs gives equal elements wherever the first determines them, or ``None``."""
    found = attempt(first, second, entry, options)
    return found if isinstance(found, Proved) else None


def search(
    first: CheckedModule, second: CheckedModule, entry: str, options: Options = PLAIN
) -> tuple[Proved | str, list[dict[str, int]]]:
    """A proof, or why there is none and shapes at which some step of it fails: where to look for a difference, the
    least usual first."""
    comparison = _Comparison.of(options)
    found = comparison.attempt(first, second, entry)
    if isinstance(found, Proved):
        return found, []
    shapes = [{name.split("%")[0]: k for name, k in shape} for shape in comparison.logic.shapes]
    small = [shape for shape in shapes if max(shape.values()) <= MOST_EXTENT]
    small.sort(key=lambda shape: -max(shape.values()))
    return found, small[:MOST_SHAPES]


def explain(first: CheckedModule, second: CheckedModule, entry: str = "main", options: Options = PLAIN) -> str:
    """Why no proof is found: what cannot be read, or the elements that are not seen to be equal. Of a proof, its
    claims."""
    found = attempt(first, second, entry, options)
    return "\n".join(map(str, found.claims)) if isinstance(found, Proved) else found


def attempt(first: CheckedModule, second: CheckedModule, entry: str, options: Options = PLAIN) -> Proved | str:
    """A proof, or why there is none."""
    return _Comparison.of(options).attempt(first, second, entry)


@dataclass(slots=True)
class _Comparison:
    terms: Terms
    logic: Logic
    options: Options
    trusts: dict[str, None] = field(default_factory=dict)

    @staticmethod
    def of(options: Options) -> _Comparison:
        terms = Terms()
        logic = Logic(Sizes(terms.dtype_of), left=STEPS[options.effort], deadline=options.deadline)
        return _Comparison(terms, logic, options)

    def attempt(self, first: CheckedModule, second: CheckedModule, entry: str) -> Proved | str:
        try:
            return self.proof(first, second, entry)
        except NotRead as reason:
            return str(reason)
        except Spent as reason:
            return str(reason)
        except RecursionError:
            return "the programs nest too deeply for a proof"

    @rule("va/pointwise")
    def proof(self, first: CheckedModule, second: CheckedModule, entry: str) -> Proved | str:
        self.trusts = dict.fromkeys(HYPOTHESES)
        one_read, two_read = inlined(first, entry), inlined(second, entry)
        first, second = one_read.program, two_read.program
        self.trusts |= {f"the contract of {name}": None for name in (*one_read.contracts, *two_read.contracts)}
        if two_read.quiet and same_programs(first.module, second.module):
            return Proved(trusts=(*self.trusts, SAME))
        (ours, theirs), rests_on = legalized(first, second)
        a, b = ours.functions.get(entry), theirs.functions.get(entry)
        if isinstance(a, PrimFunc):
            self.trusts[NO_ALIASES] = None
        inputs, names_a, names_b = self.inputs(_signature(a), _signature(b))
        self.assume(names_a)
        one, two = _Program(ours, self.terms, self.logic), _Program(theirs, self.terms, self.logic)
        self.suppose(first, entry, names_a, untrapped=True)
        x = one.entry(entry, inputs, names_a)  # a check that fails before a call that is open is an outcome
        self.suppose(first, entry, names_a)
        self.nothing_opened(second, entry, names_b)
        y = two.entry(entry, inputs, names_b)
        descent = Descent(self.terms, self.logic, self.options.relax)
        if not _equal(descent, x, y):
            return descent.failure() or "the results have different forms"
        for each in (*two.obligations, *(each for each in one.obligations if each.purpose == ELEMENT_FITS)):
            if not self.discharged(each, descent):
                self.logic.look_for(each.statement, each.given)
                return str(self.shown(each))
        relaxations = tuple(sorted(descent.relaxations))
        trusts = (*self.trusts, *rests_on, *PROCEDURES, *relaxations)
        return Proved(claims=tuple(self.logic.claims.values()), relaxations=relaxations, trusts=trusts)

    def suppose(self, first: CheckedModule, entry: str, names: Mapping[str, PrimExpr], untrapped: bool = False) -> None:
        """Where an operator of the first program leaves the whole run open, any second program will do. ``untrapped``:
        as far as a run comes to it whatever the extents are, which the checks on the way may rest on."""
        for _, found in openings(first, entry, untrapped=untrapped):
            for each in found or ():
                if each.whole and free_symbols(each.statement) <= names.keys():
                    self.logic.assume(*conjuncts(substitute(each.statement, names)))

    def nothing_opened(self, second: CheckedModule, entry: str, names: Mapping[str, PrimExpr]) -> None:
        """See that no operator of the second program leaves open what its loops determine."""
        for op, found in openings(second, entry):
            if found is None:
                raise NotRead(f"{op} leaves open what its loops may determine")
            for each in found:
                own = {v.name for e in (each.statement, *each.given) for v in walk(e) if isinstance(v, SymVar)}
                if any("." not in name and "?" not in name for name in own - names.keys()):
                    raise NotRead(f"{op} leaves open what its loops may determine")
                new = renamed(each, names)
                if not self.logic.nowhere(new.given) and not self.logic.holds(new.statement, new.given, "open nowhere"):
                    raise NotRead(
                        f"{op} leaves open [{each.rule}] what its loops determine, unless {expression(each.statement)}"
                    )

    def discharged(self, each: Definedness, descent: Descent) -> bool:
        """Whether an obligation is proved."""
        if self.logic.nowhere(each.given):
            return True
        if each.term is not None:
            return descent.poison.never(each.term, each.given)
        return self.logic.holds(each.statement, each.given, each.purpose)

    def shown(self, each: Definedness) -> Claim | str:
        words = Words(self.terms)
        if each.term is not None:
            return f"{each.purpose}: {words.term(each.term)}"
        return Claim(each.purpose, words.named(each.statement), tuple(map(words.named, each.given)))

    def assume(self, names: Mapping[str, PrimExpr]) -> None:
        """Take the assumptions of the caller in."""
        for claim in self.options.assume:
            unknown = sorted(free_symbols(claim) - names.keys())
            if unknown:
                raise UsageError(f"an assumption about {unknown[0]!r}, which is no symbol of the entry's signature")
            parts = conjuncts(ideal(substitute(claim, names)))
            self.logic.assume(*parts)
            self.trusts[f"assumed: {expression(claim)}"] = None

    def inputs(
        self, ours: tuple[tuple[str, TensorType], ...], theirs: tuple[tuple[str, TensorType], ...]
    ) -> tuple[tuple[TensorTerm, ...], dict[str, PrimExpr], dict[str, PrimExpr]]:
        """The parameters, and what the symbols of both signatures stand for: symbols of this comparison."""
        if len(ours) != len(theirs):
            raise NotRead("the entries take different numbers of arguments")
        names_a: dict[str, PrimExpr] = {}
        names_b: dict[str, PrimExpr] = {}
        for (name, a), (_, b) in zip(ours, theirs, strict=True):
            if a.dtype != b.dtype or a.dtype is None or len(_dims(a)) != len(_dims(b)):
                raise NotRead(f"the parameter {name} has different types")
            for x, y in zip(_dims(a), _dims(b), strict=True):
                self.match(x, y, names_a, names_b)
        tensors = [TensorTerm(name, tuple(substitute(d, names_a) for d in _dims(a)), a.dtype or "") for name, a in ours]
        self.logic.assume(*symbols_nonnegative(names_a.values()))
        for tensor in tensors:
            self.logic.sizes.exists(tensor.shape, tensor.dtype)
        for (name, a), (_, b), tensor in zip(ours, theirs, tensors, strict=True):
            if any(substitute(y, names_b) != d for y, d in zip(_dims(b), tensor.shape, strict=True)):
                raise NotRead(f"the parameter {name} has different shapes")
            if any(n not in names_a for d in _dims(a) for n in free_symbols(d)):
                raise NotRead(f"a symbol of {name} is no dimension of a parameter")
        return tuple(tensors), names_a, names_b

    def match(self, x: PrimExpr, y: PrimExpr, a: dict[str, PrimExpr], b: dict[str, PrimExpr]) -> None:
        if isinstance(x, SymVar) and isinstance(y, SymVar) and x.dtype == y.dtype:
            if x.name not in a and y.name not in b:
                a[x.name] = b[y.name] = self.terms.fresh(x.name, x.dtype)


def _signature(func: object) -> tuple[tuple[str, TensorType], ...]:
    match func:
        case graph.Function():
            if not func.pure:
                raise NotRead("an impure function")
            found = tuple((p.name, p.type) for p in func.params)
        case PrimFunc():
            found = tuple((p.buffer.name, _buffer_type(p)) for p in func.params if isinstance(p, BufferParam))
            if len(found) != len(func.params):
                raise NotRead("an entry with scalar parameters")
        case _:
            raise NotRead("the entry is no function")
    if not all(isinstance(type_, TensorType) and isinstance(type_.shape, tuple) for _, type_ in found):
        raise NotRead("a parameter that is no tensor of known rank")
    return found  # type: ignore[return-value]


def _buffer_type(param: BufferParam) -> TensorType:
    return TensorType(param.buffer.shape, param.buffer.dtype, len(param.buffer.shape))


def _dims(type_: TensorType) -> tuple[PrimExpr, ...]:
    assert isinstance(type_.shape, tuple)
    return type_.shape


def _equal(descent: Descent, x: Value, y: Value) -> bool:
    match x, y:
        case TensorTerm(), TensorTerm():
            return descent.tensors(x, y)
        case tuple(), tuple():
            return len(x) == len(y) and all(_equal(descent, a, b) for a, b in zip(x, y, strict=True))
        case graph.ShapeExpr(a), graph.ShapeExpr(b):
            return len(a) == len(b) and all(descent.logic.equal(p, q) for p, q in zip(a, b, strict=True))
        case ((TensorTerm() | tuple() | graph.ShapeExpr()), _):
            return False
        case _, (TensorTerm() | tuple() | graph.ShapeExpr()):
            return False
        case _:
            return x.dtype == y.dtype and descent.logic.equal(x, y)


def _no_memory(load: object, indices: object, scope: object) -> Term:
    raise NotRead("memory in an extent")


def _no_demand(term: object, scope: object) -> None:
    raise NotRead("memory in an extent")


def product(dims: tuple[PrimExpr, ...]) -> PrimExpr:
    """The number of elements."""
    whole: PrimExpr = int_imm(1)
    for d in dims:
        whole = Binary("Mul", whole, d)
    return whole


@dataclass(slots=True)
class _Program:
    """One program, its bindings evaluated to element terms."""

    module: Module
    terms: Terms
    logic: Logic
    obligations: list[Definedness] = field(default_factory=list)

    def entry(self, name: str, inputs: tuple[TensorTerm, ...], symbols: Mapping[str, PrimExpr]) -> Value:
        func = self.module.functions[name]
        if isinstance(func, PrimFunc):
            given = {p.buffer.name: t for p, t in zip(func.params, inputs, strict=True) if isinstance(p, BufferParam)}
            contents = self.read(func, given, symbols)
            return tuple(contents[name] for name in given)
        assert isinstance(func, graph.Function)
        values: dict[str, Value] = {p.name: t for p, t in zip(func.params, inputs, strict=True)}
        return self.sequence(func.body, values, dict(symbols))

    def sequence(self, seq: graph.SeqExpr, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        for block in seq.blocks:
            for binding in block.bindings:
                value = self.expression(binding.value, values, symbols)
                if isinstance(binding, graph.MatchCast):
                    self.cast(value, binding.type, symbols)
                values[binding.name] = value
        return self.expression(seq.body, values, symbols)

    def expression(self, e: graph.Expr, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        match e:
            case graph.Var(name):
                return values[name]
            case graph.Tuple(fields):
                return tuple(self.expression(f, values, symbols) for f in fields)
            case graph.TupleGetItem(whole, index):
                found = self.expression(whole, values, symbols)
                if not isinstance(found, tuple):
                    raise NotRead("a field of what is no tuple")
                return found[index]
            case graph.Constant(dtype, shape, data):
                return self.terms.constant("constant", dtype, shape, data)
            case graph.ConstantRef(index):
                array = self.module.constants.get(index)
                if array is None:
                    raise NotRead(f"the constant {index} has no array")
                return self.terms.constant(f"constant {index}", array.dtype, array.shape, tuple(array.patterns()))
            case graph.PrimValue(value):
                return self.scalar(value, symbols)
            case graph.ShapeExpr(dims):
                return graph.ShapeExpr(tuple(self.scalar(d, symbols) for d in dims))
            case graph.Call(graph.Op("relax.call_tir")):
                return self.call_tir(e, values, symbols)
            case graph.Call(graph.Op("relax.reshape"), (data, graph.ShapeExpr(dims))):
                x = self.expression(data, values, symbols)
                if not isinstance(x, TensorTerm):
                    raise NotRead("a reshape of what is no tensor")
                return self.reshaped(x, tuple(self.scalar(d, symbols) for d in dims))
            case graph.Call(op=op):
                raise NotRead(f"a call of {getattr(op, 'name', op)}")
            case _:
                raise NotRead(f"{type(e).__name__} at graph level")

    def reshaped(self, x: TensorTerm, shape: tuple[PrimExpr, ...]) -> TensorTerm:
        """The same elements in row-major order."""
        if not self.logic.equal(product(x.shape), product(shape), (), "number of elements"):
            raise NotRead("a reshape whose sizes may differ")
        at = tuple(self.terms.fresh("o") for _ in shape)
        flat: PrimExpr = int_imm(0)
        for o, d in zip(at, shape, strict=True):
            flat = Binary("Add", Binary("Mul", flat, d), o)
        indices: list[PrimExpr] = []
        below: PrimExpr | None = None
        for place, d in reversed(list(enumerate(x.shape))):
            digit = flat if below is None else Binary("FloorDiv", flat, below)
            indices.insert(0, digit if place == 0 else Binary("FloorMod", digit, d))
            below = d if below is None else Binary("Mul", d, below)
        return TensorTerm(x.name, shape, x.dtype, at, self.terms.load(x, tuple(indices)))

    def scalar(self, e: PrimExpr, symbols: Mapping[str, PrimExpr]) -> PrimExpr:
        """An integer of the graph: index arithmetic, over the symbols in scope."""
        if any(name not in symbols for name in free_symbols(e)):
            raise NotRead("a symbol that is no dimension of a parameter")
        reading = Reading(self.terms, self.logic, symbols, (), _no_memory, None, self.require, _no_demand)
        return reading.index(e)

    def require(self, purpose: str, statement: PrimExpr, given: tuple[PrimExpr, ...]) -> None:
        self.obligations.append(Definedness(purpose, statement, given))

    def cast(self, value: Value, type_: Type, symbols: dict[str, PrimExpr]) -> None:
        """A ``match_cast`` that cannot fail, and the symbols that it defines."""
        match value, type_:
            case TensorTerm(), TensorType(shape=tuple() as dims, dtype=dtype) if dtype in (None, value.dtype):
                self.matched(dims, value.shape, symbols)
            case graph.ShapeExpr(extents), ShapeType(values=tuple() as dims):
                self.matched(dims, extents, symbols)
            case tuple(), TupleType(fields) if len(fields) == len(value):
                for each, field_ in zip(value, fields, strict=True):
                    self.cast(each, field_, symbols)
            case _:
                raise NotRead("a match_cast that is not decided here")

    def matched(self, dims: tuple[PrimExpr, ...], extents: tuple[PrimExpr, ...], symbols: dict[str, PrimExpr]) -> None:
        """Define the symbols that stand alone; every other extent must be equal."""
        if len(dims) != len(extents):
            raise NotRead("a check of extents that fails")
        for d, extent in zip(dims, extents, strict=True):
            if isinstance(d, SymVar) and d.name not in symbols:
                symbols[d.name] = extent
        for d, extent in zip(dims, extents, strict=True):
            if not self.logic.equal(self.scalar(d, symbols), extent, (), "extents that are checked"):
                raise NotRead("a check of extents that may fail")

    # --- calls of loop programs

    def call_tir(self, call: graph.Call, values: dict[str, Value], symbols: dict[str, PrimExpr]) -> Value:
        callee, packed = call.args[0], call.args[1]
        func = self.module.functions.get(callee.name) if isinstance(callee, graph.GlobalVar) else None
        if not isinstance(func, PrimFunc) or len(call.args) != 2:
            raise NotRead("a call_tir of what is no PrimFunc")
        args = self.expression(packed, values, symbols)
        types = call.ty_args[0].fields if isinstance(call.ty_args[0], TupleType) else call.ty_args
        outs = tuple(self.fresh(t, symbols) for t in types)
        given = self.bound(func, (*(args if isinstance(args, tuple) else (args,)), *outs))
        contents = self.read(func, *given)
        names = [p.buffer.name for p in func.params[len(func.params) - len(outs) :] if isinstance(p, BufferParam)]
        self.untouched(given[0], contents, set(names))
        results = tuple(contents[name] for name in names)
        return results if isinstance(call.ty_args[0], TupleType) else results[0]

    def fresh(self, type_: Type, symbols: Mapping[str, PrimExpr]) -> TensorTerm:
        """An output: nothing is written yet."""
        if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or type_.dtype is None:
            raise NotRead("an output whose shape is not known")
        shape = tuple(self.scalar(d, symbols) for d in type_.shape)
        for d in shape:
            self.require("an extent that is not negative", compare("GE", d, int_imm(0, d.dtype)), ())
        self.logic.sizes.exists(shape, type_.dtype)
        return TensorTerm("out", shape, type_.dtype, tuple(self.terms.fresh("o", d.dtype) for d in shape), OPEN)

    def bound(self, func: PrimFunc, args: tuple[Value, ...]) -> tuple[dict[str, TensorTerm], dict[str, PrimExpr]]:
        """The contents of the parameters, and what the function's scalars and symbols stand for."""
        if len(args) != len(func.params):
            raise NotRead("a call with another number of arguments")
        symbols: dict[str, PrimExpr] = {}
        given: dict[str, TensorTerm] = {}
        for param, arg in zip(func.params, args, strict=True):
            if isinstance(param, ScalarParam):
                if isinstance(arg, TensorTerm | tuple | graph.ShapeExpr):
                    raise NotRead("a scalar parameter without a scalar")
                symbols[param.var.name] = arg
            elif not isinstance(arg, TensorTerm) or arg.dtype != param.buffer.dtype:
                raise NotRead("a buffer parameter without a tensor of its dtype")
            else:
                given[param.buffer.name] = arg
        buffers = [param.buffer for param in func.params if isinstance(param, BufferParam)]
        dims = tuple(d for buffer in buffers for d in buffer.shape)
        if any(len(buffer.shape) != len(given[buffer.name].shape) for buffer in buffers):
            raise NotRead("a buffer parameter of another rank")
        self.matched(dims, tuple(d for buffer in buffers for d in given[buffer.name].shape), symbols)
        return given, symbols

    def read(
        self, func: PrimFunc, given: Mapping[str, TensorTerm], symbols: Mapping[str, PrimExpr]
    ) -> dict[str, TensorTerm]:
        contents, obligations = read(func, given, symbols, self.terms, self.logic)
        self.obligations += obligations
        return contents

    def untouched(self, given: Mapping[str, TensorTerm], contents: Mapping[str, TensorTerm], outputs: set[str]) -> None:
        if any(contents[name] is not given[name] for name in given if name not in outputs):
            raise NotRead("a call_tir that writes to its input")
