"""Attention written out of operators, in mode ``fast``: a block of queries at a time, over the keys that it sees.

``softmax(where(mask, f(q @ k), c)) @ v``, each value but the last used once, becomes one call of ``rt.attend``, and so
does ``softmax(q @ k * c + mask) @ v`` with numbers ``c``, whose mask is -infinity, or very low, where a key is hidden.
Columns of the scores that a whole block does not see, whose weights are exactly 0, are not computed.

Spec: ``spec/13-backends.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from refrelax.backends.numpy_.fast_groups import FLOATS, Group, Writes
from refrelax.backends.numpy_.names import local
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import bits
from refrelax.syntax.graph import Binding, Call, Constant, Expr, Function, Op, SeqExpr, Var, VarBinding
from refrelax.syntax.types import TensorType, Type

STEPS = frozenset(
    f"relax.{n}" for n in ("add", "subtract", "multiply", "divide", "where", "tanh", "maximum", "minimum")
)
"""What may be done to scores before the softmax."""

HIDDEN = -1e8
"""A score so low that its weight is 0 beside one of usual size."""


@dataclass(frozen=True)
class Chain:
    """The bindings of one attention: the scores, the steps on them (the last is the mask), the softmax, the result."""

    scores: VarBinding
    steps: tuple[VarBinding, ...]
    weights: VarBinding
    result: VarBinding

    @property
    def bindings(self) -> tuple[VarBinding, ...]:
        return self.scores, *self.steps, self.weights, self.result

    @property
    def length(self) -> int:
        return len(self.steps) + 3


def _operator(each: Binding | None, name: str) -> Call | None:
    """The call of a binding if it is of an operator."""
    value = each.value if isinstance(each, VarBinding) else None
    return value if isinstance(value, Call) and isinstance(value.op, Op) and value.op.name == name else None


def chain_of(result: Binding, known: dict[str, Binding], uses: Counter[str]) -> Chain | None:
    """The chain that ends in ``result``; ``known``: the bindings of its block."""

    def only(expr: Expr) -> VarBinding | None:
        found = known.get(expr.name) if isinstance(expr, Var) and uses[expr.name] == 1 else None
        return found if isinstance(found, VarBinding) else None

    product = _operator(result, "relax.matmul")
    weights = only(product.args[0]) if product else None
    softmax = _operator(weights, "relax.nn.softmax")
    masked = only(softmax.args[0]) if softmax else None
    if masked is not None and weights is not None and (total := _operator(masked, "relax.add")) is not None:
        return _biased(result, weights, masked, [only(each) for each in total.args], only)
    mask = _operator(masked, "relax.where")
    if not isinstance(result, VarBinding) or weights is None or masked is None or mask is None:
        return None
    if not isinstance(mask.args[0], Var) or not isinstance(mask.args[2], Constant) or mask.args[2].shape != ():
        return None
    steps, now = [masked], only(mask.args[1])
    while now is not None and isinstance(now.value, Call) and isinstance(now.value.op, Op):
        if now.value.op.name == "relax.matmul":
            return Chain(now, tuple(reversed(steps)), weights, result)
        inner = [found for each in now.value.args if (found := only(each)) is not None]
        through = [each for each in inner if _leads_to_scores(each, known, uses)]
        if now.value.op.name not in STEPS or len(through) != 1:
            return None
        steps.append(now)
        now = through[0]
    return None


def _biased(
    result: Binding, weights: VarBinding, masked: VarBinding, arms: Sequence[VarBinding | None],
    only: Callable[[Expr], VarBinding | None],
) -> Chain | None:  # fmt: skip
    """The chain of a sum of scores, times numbers, and a mask."""
    found: list[Chain] = []
    for now in arms if isinstance(result, VarBinding) else ():
        assert isinstance(result, VarBinding)
        steps = [masked]
        while now is not None and (call := _scaled(now)) is not None:
            steps.append(now)
            now = only(call.args[0])
        if now is not None and _operator(now, "relax.matmul") is not None:
            found.append(Chain(now, tuple(reversed(steps)), weights, result))
    return found[0] if len(found) == 1 else None


def _scaled(each: VarBinding) -> Call | None:
    """A product with, or a quotient by, a number that is written down."""
    call = _operator(each, "relax.multiply") or _operator(each, "relax.divide")
    return call if call is not None and isinstance(call.args[1], Constant) and call.args[1].shape == () else None


def factor(chain: Chain) -> float:
    """What the scores of a chain with a sum are multiplied by, about."""
    found = 1.0
    for each in chain.steps[:-1]:
        call = _scaled(each)
        assert call is not None and isinstance(call.op, Op) and isinstance(call.args[1], Constant)
        number = abs(bits.decode(call.args[1].dtype, call.args[1].data[0]))
        found = found * number if call.op.name == "relax.multiply" else found / number if number else inf
    return found


def _leads_to_scores(each: VarBinding, known: dict[str, Binding], uses: Counter[str]) -> bool:
    """Whether a value is a product, or a step of one."""
    value = each.value
    while isinstance(value, Call) and isinstance(value.op, Op):
        if value.op.name == "relax.matmul":
            return True
        if value.op.name not in STEPS:
            return False
        inner = [known.get(a.name) for a in value.args if isinstance(a, Var) and uses[a.name] == 1]
        found = [b.value for b in inner if isinstance(b, VarBinding) and _in_chain(b)]
        if len(found) != 1:
            return False
        value = found[0]
    return False


def _in_chain(each: VarBinding) -> bool:
    value = each.value
    return isinstance(value, Call) and isinstance(value.op, Op) and value.op.name in (*STEPS, "relax.matmul")


def gathered(func: Function) -> tuple[Function, dict[int, Chain]]:
    """The function with the bindings of every chain right before its result (they are pure), and the chains by the
    identity of their first binding."""
    uses = Counter(node.name for node in nodes(func.body) if isinstance(node, Var))
    chains: dict[int, Chain] = {}
    blocks = []
    for block in func.body.blocks:
        known: dict[str, Binding] = {each.name: each for each in block.bindings}
        found = [c for each in block.bindings if (c := chain_of(each, known, uses)) is not None]
        moved = {id(b) for c in found for b in c.bindings[:-1]}
        before = {id(c.result): c for c in found}
        order: list[Binding] = []
        for each in block.bindings:
            if id(each) in before:
                order += before[id(each)].bindings[:-1]
                chains[id(before[id(each)].scores)] = before[id(each)]
            if id(each) not in moved:
                order.append(each)
        blocks.append(replace(block, bindings=tuple(order)))
    body: SeqExpr = replace(func.body, blocks=tuple(blocks))
    return replace(func, body=body), chains


def attention_at(writer: Writes, chain: Chain, rest: Sequence[Binding]) -> int:
    """Write a chain, if the bindings ``rest`` are it; gives their number, 0 if it is not of the kind."""
    scores, result = writer.type_of(chain.scores.name), writer.type_of(chain.result.name)
    if not _ranked(scores) or not _ranked(result) or writer.live is None:
        return 0
    assert isinstance(scores, TensorType) and isinstance(chain.weights.value, Call)
    axis = dict(chain.weights.value.attrs).get("axis")
    if axis not in (-1, len(scores.shape or ()) - 1) or tuple(rest) != chain.bindings:
        return 0
    first, last = chain.scores.value, chain.result.value
    assert isinstance(first, Call) and isinstance(last, Call)
    group = Group(writer, writer.live, scores)
    given_ = [a for a in (*first.args, *last.args) if isinstance(a, Var) and _ranked(writer.type_of(a.name))]
    if len(given_) != len(first.args) + len(last.args) or not all(map(group.takes, chain.steps)):
        return 0
    mask = chain.steps[-1].value
    assert isinstance(mask, Call)
    own = {chain.scores.name, *(b.name for b in chain.steps)}
    group.operands = [chain.scores.name, *(n for n in group.operands if n not in own)]
    if any(_plain(writer.type_of(n)) is None for n in group.operands):
        return 0
    if mask.op == Op("relax.where"):
        assert isinstance(mask.args[0], Var) and isinstance(mask.args[2], Constant)
        hides, fill, form = mask.args[0].name, bits.decode(mask.args[2].dtype, mask.args[2].data[0]), "attend"
        if not fill <= HIDDEN:
            return 0
    else:
        names = [a.name for a in mask.args if isinstance(a, Var) and a.name not in own]
        if len(names) != 1:
            return 0
        hides, fill, form = names[0], factor(chain), "attend_biased"
    name, scratch = group.define([chain.steps[-1].name], chain.scores.name)
    given = ", ".join(local(n) for n in group.operands[1:])
    arrays = ", ".join(local(a.name) for a in (*first.args, last.args[1]) if isinstance(a, Var))
    place = group.operands.index(hides) - 1
    writer.line(
        f"{local(chain.result.name)} = rt.{form}({name}, {arrays}, ({given},), {place}, {_text(fill)}, {scratch!r})"
    )
    return len(chain.bindings)


def _text(fill: float) -> str:
    return repr(fill) if abs(fill) < inf else f"{'-' * (fill < 0)}np.inf"


def _ranked(type_: Type | None) -> bool:
    known = isinstance(type_, TensorType) and isinstance(type_.shape, tuple) and len(type_.shape) > 1
    return known and isinstance(type_, TensorType) and type_.dtype in FLOATS


def _plain(type_: Type | None) -> TensorType | None:
    return type_ if isinstance(type_, TensorType) and isinstance(type_.shape, tuple) and type_.shape else None
