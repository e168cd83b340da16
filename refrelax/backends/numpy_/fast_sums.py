"""What is read once and need not be made, in mode ``fast``: the products of ``R.sum(R.multiply(a, b))`` and the like,
and the logarithms of which ``R.nn.nll_loss`` reads one a row.

``s = R.square(d); v = R.mean(s, axis=[-1])``, where ``s`` is of no other use, becomes one call. A sum of products that
are not rounded lies in the enclosure of the sum of rounded ones: of one product it is the same, and of more that
enclosure has room for a rounding of each.

Spec: ``spec/13-backends.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from refrelax.backends.numpy_.fast_groups import FLOATS, Writes
from refrelax.backends.numpy_.liveness import same_shape
from refrelax.backends.numpy_.names import local
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import bits
from refrelax.syntax.graph import AttrList, Binding, Call, Constant, Expr, Function, Op, Var, VarBinding
from refrelax.syntax.types import TensorType, Type

SPREADS = ("relax.variance", "relax.std")

SUMS = {"relax.sum": False, "relax.mean": True}


def factors(call: Call) -> tuple[Var, Var] | None:
    """The factors of a product, or of a square."""
    match call:
        case Call(op=Op(name="relax.multiply"), args=(Var() as a, Var() as b)):
            return a, b
        case Call(op=Op(name="relax.square"), args=(Var() as a,)):
            return a, a
        case Call(op=Op(name="relax.power"), args=(Var() as a, Constant(shape=()) as power)):
            return (a, a) if bits.decode(power.dtype, power.data[0]) == 2 else None
        case _:
            return None


def folded(func: Function) -> tuple[Function, dict[int, VarBinding]]:
    """The function with every product that one sum alone uses, and every ``log_softmax`` that one loss does, right
    before it (all are pure), and these by identity."""
    uses = Counter(node.name for node in nodes(func.body) if isinstance(node, Var))
    found: dict[int, VarBinding] = {}
    blocks = []
    for block in func.body.blocks:
        known = {each.name: each for each in block.bindings}
        before: dict[int, VarBinding] = {}
        for each in block.bindings:
            match each:
                case VarBinding(value=Call(op=Op(name=op), args=(Var(name=name),))) if op in SUMS and uses[name] == 1:
                    product = known.get(name)
                    if isinstance(product, VarBinding) and isinstance(product.value, Call) and factors(product.value):
                        found[id(product)], before[id(each)] = each, product
                case VarBinding(value=Call(op=Op(name="relax.nn.nll_loss"), args=(Var(name=name), *_))) if (
                    uses[name] == 1
                ):
                    logs = known.get(name)
                    if isinstance(logs, VarBinding) and _is_log_softmax(logs.value):
                        found[id(logs)], before[id(each)] = each, logs
                case _:
                    pass
        order: list[Binding] = []
        for each in block.bindings:
            order += [before[id(each)]] if id(each) in before else []
            order += [] if id(each) in found else [each]
        blocks.append(replace(block, bindings=tuple(order)))
    return replace(func, body=replace(func.body, blocks=tuple(blocks))), found


def _is_log_softmax(value: Expr) -> bool:
    match value:
        case Call(op=Op(name="relax.nn.log_softmax"), args=(Var(),)):
            return True
        case _:
            return False


def centred(func: Function) -> Function:
    """The function with what is ``x - mean(x)`` told to a variance of ``x`` along the same axes; where that came first,
    the mean and the difference stand before it (all are pure)."""
    blocks = [replace(block, bindings=tuple(_centred(block.bindings))) for block in func.body.blocks]
    return replace(func, body=replace(func.body, blocks=tuple(blocks)))


Centre = tuple[str, object]
"""What a mean is of, and its axes."""


def _centred(bindings: Sequence[Binding]) -> list[Binding]:
    means, distances = dict[str, tuple[Centre, Binding]](), dict[Centre, tuple[Binding, Binding]]()
    for each in bindings:
        match each:
            case VarBinding(value=Call(op=Op(name="relax.mean"), args=(Var(name=x),)) as call):
                if call.attr("keepdims") and isinstance(call.attr("axis"), AttrList):
                    means[each.name] = (x, call.attr("axis")), each
            case VarBinding(value=Call(op=Op(name="relax.subtract"), args=(Var(name=x), Var(name=mean)))):
                if mean in means and means[mean][0][0] == x:
                    distances.setdefault(means[mean][0], (means[mean][1], each))
            case _:
                pass
    found, done = list[Binding](), set[int]()
    for each in bindings:
        match each:
            case VarBinding(value=Call(op=Op(name=op), args=(Var(name=x) as own,)) as call) if op in SPREADS:
                for before in distances.get((x, call.attr("axis")), ()):
                    if id(before) not in done:
                        found.append(before)
                        done.add(id(before))
                    each = replace(each, value=replace(call, args=(own, Var(before.name))))  # (the last: the distance)
            case _:
                pass
        if id(each) not in done:
            found.append(each)
            done.add(id(each))
    return found


def sum_at(writer: Writes, product: Binding, total: Binding) -> bool:
    """Write a product and its sum, or a ``log_softmax`` and its loss, as one line; if types do not allow that, the
    first is a binding like others."""
    if _written(writer, product, total):
        return True
    del writer.folded[id(product)]
    return False


def _written(writer: Writes, product: Binding, total: Binding) -> bool:
    if not isinstance(product, VarBinding) or writer.folded.get(id(product)) is not total:
        return False
    assert isinstance(product.value, Call) and isinstance(total.value, Call) and isinstance(total.value.op, Op)
    if _is_log_softmax(product.value):
        return _loss_written(writer, product.value, product.name, total.name, total.value)
    pair, made = factors(product.value), writer.type_of(product.name)
    if pair is None or not isinstance(made, TensorType) or made.dtype not in FLOATS:
        return False
    given_types = [writer.type_of(v.name) for v in pair]
    if any(_dtype(each) != made.dtype or not same_shape(each, made) for each in given_types):
        return False
    attrs = dict(total.value.attrs)
    axis = attrs.get("axis")
    plain = list(axis.items) if isinstance(axis, AttrList) else axis
    if not isinstance(plain, list | None) or not all(type(a) is int for a in plain or ()):
        return False
    given = ", ".join(local(v.name) for v in pair)
    keepdims, mean = bool(attrs.get("keepdims")), SUMS[total.value.op.name]
    writer.line(f"{local(total.name)} = rt.sum_of_products({given}, {plain!r}, {keepdims}, {mean})")
    return True


def _loss_written(writer: Writes, logs: Call, made: str, name: str, loss: Call) -> bool:
    """The loss of rows of ``log_softmax``, without them."""
    type_, (source, *_), given = writer.type_of(made), logs.args, loss.args[1:]
    if not isinstance(type_, TensorType) or type_.dtype not in FLOATS or type_.ndim != 2:
        return False
    if logs.attr("axis") not in (-1, 1) or not isinstance(source, Var) or not all(isinstance(v, Var) for v in given):
        return False
    args = ", ".join(local(v.name) for v in (source, *given) if isinstance(v, Var))
    reduction, ignored = loss.attr("reduction"), loss.attr("ignore_index")
    if not isinstance(reduction, str) or type(ignored) is not int:
        return False
    call = f"rt.nll_of_log_softmax({args}, reduction={reduction!r}, ignore_index={ignored})"
    writer.line(f"{local(name)} = {call}")
    return True


def _dtype(type_: Type | None) -> str | None:
    return type_.dtype if isinstance(type_, TensorType) else None
