"""Relax functions as Python source: one line a binding, explicit checks at entry, ``match_cast`` and return."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.expressions import dtype_text, held
from refrelax.backends.numpy_.fast_attention import attention_at, gathered
from refrelax.backends.numpy_.fast_operators import FEW_COLUMNS, LARGE
from refrelax.backends.numpy_.fast_sums import centred, folded, sum_at
from refrelax.backends.numpy_.graph_checks import forgets, known_type, match_types
from refrelax.backends.numpy_.graph_values import by_definition, dtypes_of, known_outside, value
from refrelax.backends.numpy_.graph_writer import Writer, element_dtypes
from refrelax.backends.numpy_.liveness import Liveness, same_shape
from refrelax.backends.numpy_.names import function, local
from refrelax.backends.numpy_.narrow_groups import group_at
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.ops import DESTINATION_PASSING
from refrelax.semantics.types.dropped import drops
from refrelax.semantics.types.packing import packed, parts
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    AttrList,
    Binding,
    Call,
    Constant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
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
from refrelax.syntax.scalars import Literal, as_int
from refrelax.syntax.types import (
    AnyType,
    PrimType,
    TensorType,
    TupleType,
    Type,
)


def function_source(writer: Writer, name: str, func: Function) -> None:
    """One function: signature, entry checks, bindings, return check."""
    params = ", ".join(local(p.name) for p in func.params)
    writer.line(f"def {name}(run{', ' if params else ''}{params}):")
    writer.depth += 1
    begin = len(writer.lines)
    if writer.reuse:
        func, writer.chains = gathered(func)
        func, writer.folded = folded(centred(func))
        writer.joined, writer.first = joined(func), firsts(func)
        writer.live = Liveness(writer.types, writer.prefix, writer.places).function(func)
    for param in func.params:
        if isinstance(param.type, PrimType) and dtypes.kind(param.type.dtype) != "float":
            writer.symbols.add(param.name)
    match_types(writer, "param", [(local(p.name), p.type, f"parameter {p.name} of {writer.path}") for p in func.params])
    if writer.observed:
        writer.line(f"run.entered({writer.path!r}, locals())")
    result = sequence(writer, func.body)
    known = known_type(writer, func.body.body)
    forgets(known, func.ret or known)
    if func.ret is not None and _may_fail(func.ret):
        if not result.isidentifier():
            writer.line(f"result_ = {result}")
            result = "result_"
        match_types(
            writer,
            "return",
            [(result, func.ret, f"the result of {writer.path}")],
            False,
            known,
        )
    writer.line(f"return {result}")
    if writer.reuse:
        spare_symbols(writer.lines, begin, "    " * writer.depth)
    writer.depth -= 1
    if not writer.depth and isinstance(func.body.body, Var) and func.body.body.name in writer.own:
        writer.line(f"{name}.own = True")  # (``calls.py`` need not look whose memory the result is)


def spare_symbols(lines: list[str], begin: int, margin: str) -> None:
    """Take the symbols that nothing reads from the beginning of a function; those that only a failing check reads go
    there."""
    bound, count = re.compile(rf"{margin}(\w+) = \w+\.shape\[\d+\]"), len(lines)
    first = next((k for k in range(begin, count) if bound.fullmatch(lines[k])), count)
    stop = end = next((k for k in range(first, count) if not bound.fullmatch(lines[k])), count)
    if stop < count and lines[stop].startswith(f"{margin}if ") and ".shape != " in lines[stop]:
        end = next(k for k in range(stop + 1, count) if not lines[k].startswith(f"{margin} "))
    read_inside = _words(lines[stop + 1 : end])
    read_outside = _words([*lines[begin:first], *lines[stop : stop + 1], *lines[max(end, stop + 1) :]])
    inside, kept, moved = lines[stop + 1 : end], list[str](), list[str]()
    for line in lines[first:stop]:
        name = line.split()[0]
        if name in read_outside:
            kept.append(line)
        elif name in read_inside:
            moved.append(f"    {line}")
    lines[first:end] = [*kept, *lines[stop : stop + (end > stop)], *moved, *inside]


def _words(lines: Sequence[str]) -> set[str]:
    """All names in lines of source, each once: a look at every line for every symbol would be quadratic."""
    return {word for line in lines for word in re.findall(r"\w+", line)}


def _may_fail(type_: Type) -> bool:
    return not isinstance(type_, AnyType) and type_ != TupleType(())


def sequence(writer: Writer, seq: SeqExpr) -> str:
    """The bindings of a sequence as lines; gives the text of its value."""
    for block in seq.blocks:
        all_ = block.bindings
        ends = [k for k, each in enumerate(all_) if each.name in writer.places]  # (their memory is given to them)
        ends.append(len(all_))
        now = 0
        while now < len(all_):
            chain, end = writer.chains.get(id(all_[now])), ends[bisect_left(ends, now)]
            if chain is not None and (count := attention_at(writer, chain, all_[now : min(end, now + chain.length)])):
                forget(writer, all_[now : now + count], [chain.result.name])
                now += count
                continue
            if now + 1 < end and id(all_[now]) in writer.folded and sum_at(writer, all_[now], all_[now + 1]):
                forget(writer, all_[now : now + 2], [all_[now + 1].name])
                now += 2
                continue
            group = group_at(writer, all_, now, end) if writer.live and now < end else None
            if group is None:
                binding(writer, all_[now])
                now += 1
                continue
            made = group.write()
            writer.own.update(made)
            forget(writer, group.bindings, made)
            now += len(group.bindings)
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
    own = not by_definition(writer, each.value)
    if writer.observed and not own:
        writer.line("run.hidden += 1")
    if writer.observed and own:
        writer.line(f"run.before({writer.path!r}, {each.name!r}, locals())")
    match each:
        case MatchCast():
            writer.line(f"{name} = {value(writer, each.value)}")
            given = [(name, each.type, f"match_cast to {each.name}")]
            match_types(writer, "match-cast", given, known=known_type(writer, each.value))
        case VarBinding(value=Function() as inner):
            _local_function(writer, each.name, inner)
        case VarBinding(value=If() as branch):
            _if(writer, each.name, branch)
        case VarBinding(value=Call(op=Op(name=op)) as call) if op in DESTINATION_PASSING:
            _destination_passing(writer, name, call)
        case VarBinding(value=Call(args=args)) if writer.live and id(each) in writer.joined:
            writer.line(f"{name} = rt.Reshaped({value(writer, args[0])}, {value(writer, args[1])})")
        case VarBinding():
            placed = writer.places.get(each.name)
            straight = direct(writer, each) if writer.live and placed is None else None
            if straight is not None and not (isinstance(each.value, Call) and each.value.op in VIEWS):
                writer.own.add(each.name)
            if writer.live and isinstance(each.value, Call) and each.value.op in NEW:
                writer.own.add(each.name)
            text = straight or value(writer, each.value)
            if id(each) in writer.first and isinstance(each.value, Call):
                attrs = tuple((k, "values" if k == "ret_type" else v) for k, v in each.value.attrs)
                text = f"({value(writer, replace(each.value, attrs=attrs))},)"
            target = placed or (writer.live.target(each) if writer.live else None)
            writer.line(f"{name} = {text}" if target is None else f"{name} = {text[:-1]}, out={local(target)})")
    if drops(each):
        writer.line(f"{name} = ()")  # ev/promised-type: the value is dropped
    if not isinstance(each, MatchCast):
        forgets(known_type(writer, each.value), writer.type_of(each.name))
    for dtype in filter(None, element_dtypes(writer.type_of(each.name))):
        held(dtype)
    if isinstance(writer.type_of(each.name), PrimType):
        writer.symbols.add(each.name)
    if writer.observed and own:
        writer.line(f"run.after({writer.path!r}, {each.name!r}, {name})")
    if writer.live and (dead := writer.live.forgotten(each)):
        writer.line(f"del {', '.join(map(local, dead))}")


DIRECT = {"relax.add": "np.add", "relax.subtract": "np.subtract", "relax.multiply": "np.multiply"}


VIEWS = (Op("relax.reshape"), Op("relax.strided_slice"))
"""Those that are views when they are called so."""

NEW = frozenset(
    Op(f"relax.{name}")
    for name in (
        "concat", "flip", "tile", "one_hot", "scatter_nd", "scatter_elements", "index_put", "cumsum", "cumprod", "topk",
        "stack", "einsum",
    )
)  # fmt: skip
"""Those whose forms always take memory for their result."""

EXTREMES = {"relax.max": "np.maximum", "relax.min": "np.minimum"}


def direct(writer: Writer, each: VarBinding) -> str | None:
    """A call of NumPy itself, where the types say that nothing is left to look at."""
    match each.value:
        case Call(op=Op(name="relax.reshape"), args=(Var(name=source), ShapeExpr(values=dims))):
            if not dims or any(as_int(d) in (0, -1) for d in dims) or not _tensor(writer, source):
                return None
            return f"{local(source)}.reshape({', '.join(writer.dim(d) for d in dims)})"
        case Call(op=Op(name=name), args=(Var() as a, (Var() | Constant()) as b)) if name in DIRECT:
            made = writer.type_of(each.name)
            kinds = {d for arg in (a, b) for d in dtypes_of(writer, arg)}
            usual = isinstance(made, TensorType) and made.dtype in ("float32", "float64") and kinds == {made.dtype}
            if not usual or not isinstance(made, TensorType) or not made.shape or isinstance(made.shape, str):
                return None
            if not _tensor(writer, a.name) or (isinstance(b, Var) and not _tensor(writer, b.name)):
                return None
            if isinstance(b, Var) and _stretched(made, writer.type_of(a.name), writer.type_of(b.name)):
                return f"rt.by_columns({DIRECT[name]}, {value(writer, a)}, {value(writer, b)})"
            return f"{DIRECT[name]}({value(writer, a)}, {value(writer, b)})"
        case Call(op=Op(name="relax.matmul"), args=(Var() as a, Var() as b)):
            factors = [writer.type_of(v.name) for v in (a, b)]
            ranks = [len(t.shape) for t in factors if isinstance(t, TensorType) and isinstance(t.shape, tuple)]
            kinds = {d for each in (a, b, Var(each.name)) for d in dtypes_of(writer, each)}
            if len(ranks) < 2 or min(ranks) < 2 or len(kinds) != 1 or not kinds <= {"float32", "float64"}:
                return None
            left, right = value(writer, a), value(writer, b)
            if ranks != [2, 2]:
                if ranks[0] > 2 == ranks[1]:
                    return f"rt.times_matrix({left}, {right})"
                return f"np.matmul({left}, {right})" if _few(factors[0]) else None
            if _few(factors[0]):
                return f"{left}.dot({right})"
            return f"{left}.dot({right}) if {left}.size < {LARGE} else {value(writer, each.value)}"
        case Call(op=Op(name="relax.strided_slice"), args=(Var(name=source), *bounds)) if _tensor(writer, source):
            cut = _slices(writer.type_of(source), bounds) if not each.value.attr("assume_inbound") else None
            return None if cut is None else f"{local(source)}[{cut}]"
        case Call(op=Op(name="relax.one_hot"), args=(Var(name=source), PrimValue() as on, PrimValue() as off)):
            one, zero, depth = on.value, off.value, each.value.attr("depth")
            made = writer.type_of(each.name)
            if (
                not isinstance(one, Literal)
                or not isinstance(zero, Literal)
                or zero.bits != 0
                or type(depth) is not int
            ):
                return None
            if one.dtype not in ("float32", "float64") or zero.dtype != one.dtype or not _tensor(writer, source):
                return None
            if not isinstance(made, TensorType) or each.value.attr("axis") not in (-1, made.ndim - 1):
                return None
            return f"rt.hot({local(source)}, {depth}, {writer.constant(Constant(one.dtype, (), (one.bits,)))})"
        case Call(op=Op(name="relax.max" | "relax.min" as name), args=(Var(name=source),)):
            of, axes, keepdims = writer.type_of(source), each.value.attr("axis"), each.value.attr("keepdims")
            if not isinstance(axes, AttrList) or keepdims or not _long_lines(of, axes.items):
                return None
            return f"{EXTREMES[name]}.reduce({local(source)}, axis={axes.items!r})"
        case Call(op=Op(name="relax.nn.softmax"), args=(Var(name=source),)):
            of = writer.type_of(source)
            if not _tensor(writer, source) or not isinstance(of, TensorType) or of.dtype not in ("float32", "float64"):
                return None
            last = of.ndim > 0 and each.value.attr("axis") in (-1, of.ndim - 1)
            return f"rt.softmax({local(source)})" if last else None
        case _:
            return None


def _stretched(made: TensorType, a: Type | None, b: Type | None) -> bool:
    """Whether NumPy would go over the last axis of a result alone, again and again: it is short, and an operand is
    stretched along one before it."""
    ends = [
        t.shape[-1] if isinstance(t, TensorType) and isinstance(t.shape, tuple) and t.shape else None for t in (a, b)
    ]
    last = [as_int(end) if end is not None else None for end in ends]
    if last[0] is None or last[0] != last[1] or not 1 < last[0] <= FEW_COLUMNS:
        return False
    return not (same_shape(a, made) and same_shape(b, made))


def _slices(type_: Type | None, bounds: Sequence[Expr]) -> str | None:
    """The bounds of a slice by numbers as Python writes them, which mean what they do there."""
    if not isinstance(type_, TensorType) or len(bounds) != 4 or not all(isinstance(b, Tuple) for b in bounds):
        return None
    told = [[_whole_number(f) for f in each.fields] for each in bounds if isinstance(each, Tuple)]
    if len({len(each) for each in told}) != 1 or any(n is None for each in told for n in each):
        return None
    cuts = [":"] * type_.ndim
    for axis, start, stop, step in zip(*told, strict=True):
        if axis is None or not -type_.ndim <= axis < type_.ndim or not step or cuts[axis] != ":":
            return None
        cuts[axis] = f"{start}:{stop}:{step}"
    return ", ".join(cuts) or None


def _whole_number(expr: Expr) -> int | None:
    return as_int(expr.value) if isinstance(expr, PrimValue) else None


def _long_lines(type_: Type | None, axes: Sequence[object]) -> bool:
    """Whether NumPy reduces a tensor along ``axes`` as quickly as it can, to another tensor: the last ones, whose
    extents are known, the last of them long."""
    if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or not 0 < len(axes) < type_.ndim:
        return False
    if type_.dtype not in ("float32", "float64") or list(axes) != list(range(type_.ndim - len(axes), type_.ndim)):
        return False
    sizes = [as_int(dim) or 0 for dim in type_.shape[-len(axes) :]]
    return min(sizes) > 0 and sizes[-1] >= LONG


LONG = 64
"""Elements of a line that NumPy goes along by itself."""


def _few(type_: Type | None) -> bool:
    """Whether a factor has too few elements for its product to go to memory that was used before, or too many axes
    (``fast_operators.py``)."""
    if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple):
        return False
    sizes = [as_int(dim) for dim in type_.shape]
    return len(sizes) > 2 or prod(LARGE if size is None else size for size in sizes) < LARGE


def _tensor(writer: Writer, name: str) -> bool:
    """Whether a variable is a tensor of known dtype and rank."""
    type_ = writer.type_of(name)
    return isinstance(type_, TensorType) and type_.dtype is not None and isinstance(type_.shape, tuple)


def firsts(func: Function) -> frozenset[int]:
    """The bindings of a function to an ``R.topk`` of both values and places, of which nothing reads the places."""
    every = list(nodes(func.body))
    uses = Counter(node.name for node in every if isinstance(node, Var))
    values = Counter(
        node.tuple.name
        for node in every
        if isinstance(node, TupleGetItem) and isinstance(node.tuple, Var) and node.index == 0
    )
    return frozenset(
        id(each)
        for block in func.body.blocks
        for each in block.bindings
        if isinstance(each.value, Call) and each.value.op == Op("relax.topk") and each.value.attr("ret_type") == "both"
        if uses[each.name] == values[each.name]
    )


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
        writer.plain, answers=writer.answers,
    )  # fmt: skip
    function_source(inner, local(name), func)


def _if(writer: Writer, variable: str, branch: If) -> None:
    name = local(variable)
    writer.line(f"if rt.truth({value(writer, branch.condition)}):")
    symbols = set(writer.symbols)
    for k, seq in enumerate((branch.then_branch, branch.else_branch)):
        if k:
            writer.line("else:")
        writer.symbols = set(symbols)
        writer.depth += 1
        writer.line(f"{name} = {sequence(writer, seq)}")
        forgets(known_type(writer, seq.body), writer.type_of(variable))
        writer.depth -= 1
    writer.symbols = symbols


def _destination_passing(writer: Writer, name: str, call: Call) -> None:
    """Allocate the outputs, call, name the result."""
    (annotation,) = call.ty_args
    several = isinstance(annotation, TupleType)
    types = parts(annotation)
    args = [
        value(writer, each) for each in (call.args[1].fields if isinstance(call.args[1], Tuple) else (call.args[1],))
    ]
    places = _inplace(call) if call.op.name == "relax.call_tir_inplace" else [-1] * len(types)
    outputs, fresh = [], []
    for k, (type_, place) in enumerate(zip(types, places, strict=True)):
        target = f"{name}_{k}_" if several else name
        if place >= 0:
            if not args[place].isidentifier():  # a constant that is written down: stored in is what is given
                writer.line(f"{target} = {args[place]}")
                args[place] = target
            outputs.append(args[place])
            continue
        outputs.append(target)
        fresh.append(target)
        writer.line(f"{target} = {_empty(writer, type_)}")
    _call_with_outputs(writer, call.args[0], args, fresh)
    for extra in call.args[2:]:
        raise Unsupported(f"the trailing argument {type(extra).__name__} of a call_tir")
    if several:
        text = packed(annotation, iter(outputs), lambda fields: f"({''.join(f'{each}, ' for each in fields)})")
        writer.line(f"{name} = {text}")
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
