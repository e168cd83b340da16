"""Relax functions as Python source: one line a binding, explicit checks at entry, ``match_cast`` and return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.by_definition import BY_DEFINITION, calls_of
from refrelax.backends.numpy_.expressions import Text, dtype_text, held
from refrelax.backends.numpy_.fast_attention import Chain, attention_at, gathered
from refrelax.backends.numpy_.fast_groups import group_at
from refrelax.backends.numpy_.guests import admit
from refrelax.backends.numpy_.liveness import Liveness
from refrelax.backends.numpy_.machine import KILLS, MACHINE, MEMORY
from refrelax.backends.numpy_.names import function, local
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.semantics.builtins.kernels import KERNELS
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.dims import Facts
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.ops import DESTINATION_PASSING, binary
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import (
    AttrDict,
    AttrList,
    AttrValue,
    Binding,
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    DistConstant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    IndexMap,
    MatchCast,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, as_int
from refrelax.syntax.types import (
    AnyType,
    DTensorType,
    FuncType,
    PackedFuncType,
    PrimType,
    ShapeType,
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

    def name(self, node: Constant) -> str:
        key = (node.dtype, node.shape, node.data)
        return self.names.setdefault(key, f"c{len(self.names)}_") + (".copy()" if self.copied else "")

    def lines(self) -> list[str]:
        result = []
        for (dtype, shape, data), name in self.names.items():
            note = f"  # {bits.decode(dtype, data[0])}" if len(data) == 1 else ""
            result.append(f"{name} = rt.constant({dtype!r}, {shape!r}, {list(data)!r}){note}")
        return result


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
    live: Liveness | None = None
    chains: Mapping[int, Chain] = field(default_factory=dict)
    """Attentions written out, by the identity of their first binding."""
    joined: frozenset[int] = frozenset()
    """Reshapes that only a concatenation sees, by identity."""
    table: str = "ops"
    """Where operators are looked up."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where the results of some bindings go: of elementwise operators, by the names of both."""

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


def function_source(writer: Writer, name: str, func: Function) -> None:
    """One function: signature, entry checks, bindings, return check."""
    params = ", ".join(local(p.name) for p in func.params)
    writer.line(f"def {name}(run{', ' if params else ''}{params}):")
    writer.depth += 1
    if writer.reuse:
        func, writer.chains = gathered(func)
        writer.joined = joined(func)
        writer.live = Liveness(writer.types, writer.prefix, writer.places).function(func)
    for param in func.params:
        if isinstance(param.type, PrimType) and dtypes.kind(param.type.dtype) != "float":
            writer.symbols.add(param.name)
    match_types(writer, "param", [(local(p.name), p.type, f"parameter {p.name} of {writer.path}") for p in func.params])
    if writer.observed:
        writer.line(f"run.entered({writer.path!r}, locals())")
    result = sequence(writer, func.body)
    if func.ret is not None and _may_fail(func.ret):
        if not result.isidentifier():
            writer.line(f"result_ = {result}")
            result = "result_"
        match_types(
            writer,
            "return",
            [(result, func.ret, f"the result of {writer.path}")],
            False,
            _known(writer, func.body.body),
        )
    writer.line(f"return {result}")
    writer.depth -= 1


def _may_fail(type_: Type) -> bool:
    return not isinstance(type_, AnyType) and type_ != TupleType(())


# --- checks ----------------------------------------------------------------------------------------------------------


def _known(writer: Writer, expr: Expr) -> Type:
    """The type of a value as the checker derived it, as far as a variable or a scalar tells it."""
    match expr:
        case Var(name=name):
            return writer.type_of(name) or AnyType()
        case PrimValue(value=value):
            return PrimType(value.dtype)
        case Tuple(fields=fields):
            return TupleType(tuple(_known(writer, each) for each in fields))
        case _:
            return AnyType()


def match_types(
    writer: Writer,
    kind: str,
    given: Sequence[tuple[str, Type | None, str]],
    bind: bool = True,
    known: Type | None = None,
) -> None:
    """Kinds, dtypes and ranks first; then the symbols; then the extents that are not symbols' definitions. ``known``:
    the type that the value was derived to have; ``None`` if it is an argument."""
    dims: list[tuple[PrimExpr, str, str]] = []
    for text, type_, where in given:
        if type_ is not None:
            _structure(writer, kind, text, type_, where, dims, known)
    compared = []
    for dim, text, where in dims:
        if bind and isinstance(dim, SymVar) and dim.name not in writer.symbols:
            writer.symbols.add(dim.name)
            writer.line(f"{local(dim.name)} = {text}")
        else:
            compared.append((dim, text, where))
    for dim, text, where in compared:
        wanted = writer.dim(dim)
        writer.line(f"if {text} != {wanted}:")
        writer.line(f"    rt.expect_extent({kind!r}, {where!r}, {text}, {wanted})")


def _structure(
    writer: Writer,
    kind: str,
    text: str,
    type_: Type,
    where: str,
    dims: list[tuple[PrimExpr, str, str]],
    known: Type | None,
) -> None:
    for dtype in filter(None, element_dtypes(type_)):
        held(dtype)
    match type_:
        case AnyType():
            pass
        case TensorType():
            if isinstance(type_.shape, str):
                rank = -1
                writer.line(f"rt.expect_tensor({kind!r}, {where!r}, {text}, {type_.dtype!r}, {rank})")
                writer.line(f"rt.expect_extent({kind!r}, {where!r}, {text}.shape, {local(type_.shape)}.dims)")
                return
            rank = len(type_.shape) if type_.shape is not None else type_.ndim
            writer.line(f"rt.expect_tensor({kind!r}, {where!r}, {text}, {type_.dtype!r}, {rank})")
            for axis, dim in enumerate(type_.shape or ()):
                dims.append((dim, f"{text}.shape[{axis}]", where))
        case DTensorType():
            _structure(writer, kind, text, type_.tensor, where, dims, known)
        case ShapeType():
            rank = len(type_.values) if type_.values is not None else type_.ndim
            writer.line(f"rt.expect_shape({kind!r}, {where!r}, {text}, {rank})")
            for axis, dim in enumerate(type_.values or ()):
                dims.append((dim, f"{text}.dims[{axis}]", where))
        case PrimType():
            found = _width(type_, known)
            writer.line(f"rt.expect_prim({kind!r}, {where!r}, {text}, {type_.dtype!r}{found and f', {found!r}'})")
        case TupleType():
            writer.line(f"rt.expect_tuple({kind!r}, {where!r}, {text}, {len(type_.fields)})")
            for k, each in enumerate(type_.fields):
                inner = known.fields[k] if isinstance(known, TupleType) and k < len(known.fields) else known
                _structure(writer, kind, f"{text}[{k}]", each, f"{where}[{k}]", dims, inner)
        case FuncType() | PackedFuncType():
            writer.line(f"rt.expect_function({kind!r}, {where!r}, {text})")
        case _:
            assert_never(type_)


def _width(wanted: PrimType, known: Type | None) -> str:
    """The dtype that a scalar was derived to have, where it is another than the wanted one.

    A scalar is a Python number in generated source, which tells its kind and not its width: one of a type that is not
    known is ``int64`` or ``float64``, as what comes in from outside is.

    Raises:
        Unsupported: it is not known and another width is wanted.
    """
    if isinstance(known, PrimType):
        return known.dtype if known.dtype != wanted.dtype else ""
    if known is not None and wanted.dtype not in ("bool", "int64", "float64"):
        raise Unsupported(f"a scalar of unknown type as {wanted.dtype}")
    return ""


# --- bindings --------------------------------------------------------------------------------------------------------


def sequence(writer: Writer, seq: SeqExpr) -> str:
    """The bindings of a sequence as lines; gives the text of its value."""
    for block in seq.blocks:
        rest = list(block.bindings)
        while rest:
            chain = writer.chains.get(id(rest[0]))
            free = rest[: next((k for k, each in enumerate(rest) if each.name in writer.places), len(rest))]
            if chain is not None and (count := attention_at(writer, chain, free)):
                forget(writer, rest[:count], [chain.result.name])
                del rest[:count]
                continue
            group = group_at(writer, free) if writer.live and free else None
            if group is None:
                binding(writer, rest.pop(0))
                continue
            forget(writer, group.bindings, group.write())
            del rest[: len(group.bindings)]
    return value(writer, seq.body)


def forget(writer: Writer, run: Sequence[Binding], outside: list[str]) -> None:
    """Forget what died in a run of bindings and is a variable: of its own values only those ``outside``."""
    assert writer.live is not None
    inner = {each.name for each in run} - set(outside)
    dead = [name for each in run for name in writer.live.forgotten(each) if name not in inner]
    if dead:
        writer.line(f"del {', '.join(map(local, dead))}")


def binding(writer: Writer, each: Binding) -> None:
    """One binding; between two calls of the observer when bindings are shown."""
    name = local(each.name)
    own = not _by_definition(each.value)
    if writer.observed and not own:
        writer.line("run.hidden += 1")
    if writer.observed and own:
        writer.line(f"run.before({writer.path!r}, {each.name!r}, locals())")
    match each:
        case MatchCast():
            writer.line(f"{name} = {value(writer, each.value)}")
            given = [(name, each.type, f"match_cast to {each.name}")]
            match_types(writer, "match-cast", given, known=_known(writer, each.value))
        case VarBinding(value=Function() as inner):
            _local_function(writer, each.name, inner)
        case VarBinding(value=If() as branch):
            _if(writer, name, branch)
        case VarBinding(value=Call(op=Op(name=op)) as call) if op in DESTINATION_PASSING:
            _destination_passing(writer, name, call)
        case VarBinding(value=Call(args=args)) if writer.live and id(each) in writer.joined:
            writer.line(f"{name} = rt.Reshaped({value(writer, args[0])}, {value(writer, args[1])})")
        case VarBinding():
            placed = writer.places.get(each.name)
            text = (direct(writer, each) if writer.live and placed is None else None) or value(writer, each.value)
            target = placed or (writer.live.target(each) if writer.live else None)
            writer.line(f"{name} = {text}" if target is None else f"{name} = {text[:-1]}, out={local(target)})")
    for dtype in filter(None, element_dtypes(writer.type_of(each.name))):
        held(dtype)
    if isinstance(writer.type_of(each.name), PrimType):
        writer.symbols.add(each.name)
    if writer.observed and own:
        writer.line(f"run.after({writer.path!r}, {each.name!r}, {name})")
    if writer.live and (dead := writer.live.forgotten(each)):
        writer.line(f"del {', '.join(map(local, dead))}")


DIRECT = {"relax.add": "np.add", "relax.subtract": "np.subtract", "relax.multiply": "np.multiply"}


def direct(writer: Writer, each: VarBinding) -> str | None:
    """A call of NumPy itself, where the types say that nothing is left to look at."""
    match each.value:
        case Call(op=Op(name="relax.reshape"), args=(Var(name=source), ShapeExpr(values=dims))):
            if not dims or any(as_int(d) in (0, -1) for d in dims) or not _tensor(writer, source):
                return None
            return f"{local(source)}.reshape({', '.join(writer.dim(d) for d in dims)})"
        case Call(op=Op(name=name), args=(Var() as a, (Var() | Constant()) as b)) if name in DIRECT:
            made = writer.type_of(each.name)
            kinds = {d for arg in (a, b) for d in _dtypes(writer, arg)}
            usual = isinstance(made, TensorType) and made.dtype in ("float32", "float64") and kinds == {made.dtype}
            if not usual or not isinstance(made, TensorType) or not made.shape or isinstance(made.shape, str):
                return None
            if not _tensor(writer, a.name) or (isinstance(b, Var) and not _tensor(writer, b.name)):
                return None
            return f"{DIRECT[name]}({value(writer, a)}, {value(writer, b)})"
        case _:
            return None


def _tensor(writer: Writer, name: str) -> bool:
    """Whether a variable is a tensor of known dtype and rank."""
    type_ = writer.type_of(name)
    return isinstance(type_, TensorType) and type_.dtype is not None and isinstance(type_.shape, tuple)


def _by_definition(expr: Expr) -> bool:
    """Whether a value is the definition's own, which says nothing when it is compared with the definition."""
    return isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name in BY_DEFINITION


def joined(func: Function) -> frozenset[int]:
    """The bindings of a function that reshape a variable for one ``R.concat`` in the same block, and for nothing
    else."""
    uses = Counter(node.name for node in nodes(func.body) if isinstance(node, Var))
    found = set()
    for block in func.body.blocks:
        parts = {
            part.name
            for each in block.bindings
            if isinstance(each.value, Call) and each.value.op == Op("relax.concat")
            for arg in each.value.args
            for part in (arg.fields if isinstance(arg, Tuple) else (arg,))
            if isinstance(part, Var)
        }
        for each in block.bindings:
            call = each.value
            if each.name not in parts or uses[each.name] != 1 or not isinstance(call, Call):
                continue
            shaped = call.op == Op("relax.reshape") and isinstance(call.args[0], Var)
            if (
                shaped
                and isinstance(call.args[1], ShapeExpr)
                and all(as_int(d) not in (0, -1) for d in call.args[1].values)
            ):
                found.add(id(each))
    return frozenset(found)


def _local_function(writer: Writer, name: str, func: Function) -> None:
    inner = Writer(
        writer.module, writer.types, writer.constants, writer.observed, f"{writer.path}/{name}",
        f"{writer.prefix}{name}/", writer.lines, writer.depth, set(writer.symbols), writer.reuse,
    )  # fmt: skip
    function_source(inner, local(name), func)


def _if(writer: Writer, name: str, branch: If) -> None:
    writer.line(f"if rt.truth({value(writer, branch.condition)}):")
    symbols = set(writer.symbols)
    for k, seq in enumerate((branch.then_branch, branch.else_branch)):
        if k:
            writer.line("else:")
        writer.symbols = set(symbols)
        writer.depth += 1
        writer.line(f"{name} = {sequence(writer, seq)}")
        writer.depth -= 1
    writer.symbols = symbols


def _destination_passing(writer: Writer, name: str, call: Call) -> None:
    """Allocate the outputs, call, name the result."""
    (annotation,) = call.ty_args
    several = isinstance(annotation, TupleType)
    types = annotation.fields if isinstance(annotation, TupleType) else (annotation,)
    args = [
        value(writer, each) for each in (call.args[1].fields if isinstance(call.args[1], Tuple) else (call.args[1],))
    ]
    places = _inplace(call) if call.op.name == "relax.call_tir_inplace" else [-1] * len(types)
    outputs, fresh = [], []
    for k, (type_, place) in enumerate(zip(types, places, strict=True)):
        if place >= 0:
            outputs.append(args[place])
            continue
        target = f"{name}_{k}_" if several else name
        outputs.append(target)
        fresh.append(target)
        writer.line(f"{target} = {_empty(writer, type_)}")
    _call_with_outputs(writer, call.args[0], args, fresh)
    for extra in call.args[2:]:
        raise Unsupported(f"the trailing argument {type(extra).__name__} of a call_tir")
    if several:
        writer.line(f"{name} = ({', '.join(outputs)},)")
    elif outputs[0] != name:
        writer.line(f"{name} = {outputs[0]}")


def _inplace(call: Call) -> list[int]:
    indices = call.attr("inplace_indices")
    items = indices.items if isinstance(indices, AttrList) else (indices,)
    return [k for each in items if (k := each if isinstance(each, int) else as_int(each)) is not None]


def _empty(writer: Writer, type_: Type) -> str:
    if not isinstance(type_, TensorType) or type_.shape is None or type_.dtype is None:
        raise Unsupported("an output without a shape")
    if isinstance(type_.shape, str):
        return f"rt.empty({local(type_.shape)}.dims, {dtype_text(type_.dtype)})"
    dims = ", ".join(writer.dim(d) for d in type_.shape)
    return f"rt.empty(({dims}{',' if len(type_.shape) == 1 else ''}), {dtype_text(type_.dtype)})"


def _call_with_outputs(writer: Writer, callee: Expr, args: list[str], outputs: list[str]) -> None:
    match callee:
        case GlobalVar(name=name) if isinstance(writer.module.functions[name], PrimFunc):
            writer.line(f"{function(name)}({', '.join([*args, *outputs])})")
        case ExternFunc(name=name) | StringValue(value=name):
            writer.line(f"run.library_into({known_outside(name)!r}, [{', '.join(args)}], [{', '.join(outputs)}])")
        case _:
            raise Unsupported("a destination-passing call of a Relax function")


# --- expressions -----------------------------------------------------------------------------------------------------


def value(writer: Writer, expr: Expr) -> str:
    """An expression as Python source."""
    match expr:
        case Var():
            return local(expr.name)
        case Call():
            return _call(writer, expr)
        case Constant():
            return writer.constants.name(expr)
        case DistConstant(value=constant):
            return writer.constants.name(constant)
        case ConstantRef():
            return f"run.constant({expr.index})"
        case PrimValue():
            return writer.dim(expr.value)
        case ShapeExpr():
            return f"rt.shape({', '.join(writer.dim(d) for d in expr.values)})"
        case StringValue():
            return repr(expr.value)
        case DataTypeValue():
            return repr(expr.dtype)
        case Tuple():
            inner = ", ".join(value(writer, each) for each in expr.fields)
            return f"({inner}{',' if len(expr.fields) == 1 else ''})"
        case TupleGetItem():
            return f"{value(writer, expr.tuple)}[{expr.index}]"
        case GlobalVar(name=name) if isinstance(writer.module.functions[name], PrimFunc):
            return f"(lambda _run, *args: rt.unit({function(name)}(*args)))"
        case GlobalVar():
            return function(expr.name)
        case ExternFunc():
            return f"run.extern({expr.name!r})"
        case If() | Function() | Op():
            raise Unsupported(f"a {type(expr).__name__} inside an expression")
        case _:
            assert_never(expr)


def _call(writer: Writer, call: Call) -> str:
    match call.op:
        case Op(name="relax.call_pure_packed"):
            given = ", ".join(value(writer, each) for each in call.args[1:])
            return _promised(call, f"run.library({_library(call.args[0])!r}, [{given}])")
        case Op(name=name) if name in EFFECTS:
            return f"run.{EFFECTS[name]}({', '.join(value(writer, each) for each in call.args)})"
        case Op(name="relax.null_value"):
            return "None"
        case Op(name="relax.call_builtin_with_ctx"):
            return _builtin(writer, call)
        case Op(name="relax.builtin.alloc_tensor") if isinstance(kind := call.args[1], DataTypeValue):
            return f"rt.empty({value(writer, call.args[0])}.dims, {dtype_text(kind.dtype)})"
        case Op(name=name) if name in KILLS:
            return "()"
        case Op(name="relax.vm.call_tir_dyn") if isinstance(given_ := call.args[1], Tuple):
            return _machine("vm.builtin.call_tir_dyn", [value(writer, each) for each in (call.args[0], *given_.fields)])
        case Op(name=name) if name in MEMORY:
            library, order = MEMORY[name]
            _whole_bytes(name, call.args)
            there = [each for each in order if isinstance(each, str) or each < len(call.args)]
            return _machine(library, [e if isinstance(e, str) else value(writer, call.args[e]) for e in there])
        case Op(name=name) if name in BY_DEFINITION:
            given = ", ".join(_argument(writer, each) for each in call.args)
            number = next(k for k, each in enumerate(calls_of(writer.module)) if each is call)
            return f"run.defined({number}, {writer.path!r}, {given})"
        case Op(name=name) if name in OPERATORS:
            return _operator(writer, name, call)
        case Op(name=name):
            raise Unsupported(f"the operator {name}")
        case GlobalVar(name=name):
            args = [value(writer, each) for each in call.args]
            if isinstance(writer.module.functions[name], PrimFunc):
                if _launch(writer.module, name):
                    return f"vm.launch({', '.join(['run', value(writer, call.op), *args])})"
                return f"rt.unit({function(name)}({', '.join(args)}))"
            return f"{function(name)}({', '.join(['run', *args])})"
        case ExternFunc(name=name) if name in MACHINE:
            _whole_bytes(name, call.args)
            read = _argument if name == "vm.builtin.check_prim_value_info" else value
            text = _machine(name, [read(writer, each) for each in call.args])
            return f"bool({text})" if call.ty_args == (PrimType("bool"),) else text
        case ExternFunc(name=name):
            given = ", ".join(value(writer, each) for each in call.args)
            return _promised(call, f"run.library({known_outside(name)!r}, [{given}])")
        case Var(name=name):
            return f"{local(name)}({', '.join(['run', *(value(writer, each) for each in call.args)])})"
        case _:
            assert_never(call.op)


def _machine(name: str, args: list[str]) -> str:
    return f"vm.MACHINE[{name!r}]({', '.join(['run', *args])})"


def _whole_bytes(name: str, args: Sequence[Expr]) -> None:
    """No argument is a dtype whose elements share bytes."""
    for each in args:
        if isinstance(each, DataTypeValue) and dtypes.is_dtype(each.dtype) and dtypes.memory_bits(each.dtype) < 8:
            raise Unsupported(f"the {'operator' if name.startswith('relax.') else 'builtin'} {name} of {each.dtype}")


def _builtin(writer: Writer, call: Call) -> str:
    """A library function that sees the machine."""
    match call.args:
        case (ExternFunc(name=name), Tuple(fields=fields)) if name in MACHINE:
            _whole_bytes(name, fields)
            return _machine(name, [value(writer, each) for each in fields])
        case _:
            raise Unsupported("the operator relax.call_builtin_with_ctx")


def _launch(module: Module, name: str) -> bool:
    """Whether a loop program without a result runs on the device: in a module that records runs, it is written
    down."""
    program = module.functions[name]
    host = isinstance(program, PrimFunc) and (dict(program.attrs).get("tirx.is_host_func") or program.ret is not None)
    return not host and records(module)


def records(module: Module) -> bool:
    """Whether a module records runs."""
    return any(
        isinstance(node, ExternFunc) and node.name == "vm.builtin.cuda_graph.run_or_capture"
        for each in module.functions.values()
        if isinstance(each, Function)
        for node in nodes(each)
    )


EFFECTS = {"relax.print": "shown", "relax.assert_op": "asserted"}
"""Operators that are seen from outside, by the method of the run that does them."""


def _promised(call: Call, text: str) -> str:
    """A library function that gives nothing, where the empty tuple is promised."""
    return f"rt.unit({text})" if call.ty_args == (TupleType(()),) else text


def _library(callee: Expr) -> str:
    match callee:
        case ExternFunc(name=name) | StringValue(value=name):
            return known_outside(name)
        case _:
            raise Unsupported("a library call of a computed function")


def known_outside(name: str) -> str:
    """The name of a library function that the caller supplies; the virtual machine's own have no translation."""
    if name in LIBRARY or name in KERNELS or name.startswith(("vm.", "relax.run.", "runtime.")):
        raise Unsupported(f"the builtin {name}")
    return name


OF_SCALARS = frozenset(row.name for row in binary.OPERATORS)
"""Operators that take scalars alone, and then give one."""


def _operator(writer: Writer, name: str, call: Call) -> str:
    """``ops["add"](x, y)``; attributes by keyword, prim values with their dtype."""
    admit(name, [d for each in call.args for d in _dtypes(writer, each)], {k: plain(v) for k, v in call.attrs})
    args = [_argument(writer, each) for each in call.args]
    attrs = [f"{key}={plain(v)!r}" for key, v in call.attrs]
    if name == "relax.reshape" and isinstance(call.args[1], ShapeExpr):
        kept = [k for k, dim in enumerate(call.args[1].values) if as_int(dim) == 0]
        attrs += [f"kept={kept!r}"] if kept else []
    text = f"{writer.table}[{name.removeprefix('relax.')!r}]({', '.join([*args, *attrs])})"
    # a call of scalars alone gives a scalar, which is no tensor (NumPy's row gives an array of shape (1,))
    return f"rt.scalar({text})" if name in OF_SCALARS and all(_is_prim(writer, each) for each in call.args) else text


def _dtypes(writer: Writer, expr: Expr) -> list[str]:
    """The dtypes of an argument, as far as they are known."""
    match expr:
        case Tuple(fields=fields):
            return [d for each in fields for d in _dtypes(writer, each)]
        case Constant(dtype=dtype):
            return [dtype]
        case Var(name=name):
            return list(filter(None, element_dtypes(writer.type_of(name))))
        case _:
            return []


def element_dtypes(type_: Type | None) -> list[str | None]:
    """The dtypes of the tensors and scalars of a type."""
    match type_:
        case TensorType(dtype=dtype) | DTensorType(tensor=TensorType(dtype=dtype)) | PrimType(dtype=dtype):
            return [dtype]
        case TupleType(fields=fields):
            return [d for each in fields for d in element_dtypes(each)]
        case _:
            return []


def _is_prim(writer: Writer, expr: Expr) -> bool:
    match expr:
        case PrimValue():
            return True
        case Var(name=name):
            return isinstance(writer.type_of(name), PrimType)
        case _:
            return False


def _argument(writer: Writer, expr: Expr) -> str:
    text = value(writer, expr)
    match expr:
        case PrimValue(value=inner):
            return f"rt.prim({inner.dtype!r}, {text})"
        case Var(name=name):
            type_ = writer.type_of(name)
            return f"rt.prim({type_.dtype!r}, {text})" if isinstance(type_, PrimType) else text
        case Tuple(fields=fields):
            inner_text = ", ".join(_argument(writer, each) for each in fields)
            return f"({inner_text}{',' if len(fields) == 1 else ''})"
        case _:
            return text


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
