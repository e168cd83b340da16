"""Picking a token from logits or probabilities, and changing logits in place: the library of language models.

Spec: ``spec/08-effects-and-storage.md``, *Sampling*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.builtins.access import Host, elements, number, put, tensors, wanted
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.values import Prim, TensorValue, from_payloads

Args = list[Any]


def _row(args: Args, machine: Host, span: Span | None) -> list[Payload]:
    """The elements of a float32 tensor whose leading extents are all 1, at least one of them."""
    (x,) = tensors(args, 1, "a tensor of float32 first", span)
    alone = x.ndim > 0 and x.dtype == "float32" and x.size == x.shape[-1] > 0
    wanted(alone, "one row of float32 with at least one element", span)
    return elements(x, machine)


def _walk(machine: Host, probabilities: list[Payload], top_p: Payload, sample: Payload) -> int:
    """The place in falling order of the first element whose running share of the kept ones exceeds the sample.

    Kept are the elements before which less than ``top_p`` was summed up; the first place if none exceeds it.
    """
    f, decide = machine.numerics.at("float32"), machine.numerics.decide
    g = machine.numerics.at("float64")
    running, kept, sums = f.lit(0), f.lit(0), list[Payload]()
    for each in probabilities:
        if decide(g.less(g.cast(running, "float32"), top_p)):
            kept = f.add(kept, each)
        running = f.add(running, each)
        sums.append(running)
    shares = (g.cast(f.div(each, kept), "float32") for each in sums)
    return next((k for k, share in enumerate(shares) if decide(g.less(sample, share))), 0)


def _falling(machine: Host, items: list[Payload]) -> tuple[list[Payload], list[int]]:
    """The items from the largest on, and where each stood."""
    ordered, places = machine.numerics.at("float32").order(items, True)
    return ordered, [machine.numerics.to_index(each, "int64") for each in places]


@rule("vm/sample-top-p")
def from_logits(machine: Host, args: Args, span: Span | None) -> Any:
    """``(logits, temperature, top_p, sample)``: below a temperature of 1e-6 the place of the largest logit."""
    row = _row(args, machine, span)
    temperature, (top_p, sample) = float(number(args[1], span)), _shares(args[2:4], span)
    ordered, places = _falling(machine, row)
    if temperature < 1e-6:
        return Prim("int64", places[0])
    f, g = machine.numerics.at("float32"), machine.numerics.at("float64")
    scale, exp = f.div(f.lit(1), f.lit(temperature)), f.math("exp")
    powers = [exp(f.mul(f.sub(each, ordered[0]), scale)) for each in ordered]
    total = f.reduce("add", powers)
    chances = [f.div(each, total) for each in powers]
    return Prim("int64", places[_walk(machine, chances, g.lit(top_p), g.lit(sample))])


@rule("vm/sample-top-p")
def from_probabilities(machine: Host, args: Args, span: Span | None) -> Any:
    """``(probabilities, top_p, sample)``: open where the first one's share of ``top_p`` itself would also do."""
    row = _row(args, machine, span)
    top_p, sample = _shares(args[1:3], span)
    ordered, places = _falling(machine, row)
    g = machine.numerics.at("float64")
    chosen = _walk(machine, ordered, g.lit(top_p), g.lit(sample))
    early = g.less(g.lit(sample), g.div(g.cast(ordered[0], "float32"), g.lit(top_p)))
    if chosen and machine.numerics.decide(early):
        raise unspecified("vm/sample-top-p", "the sample lies below the first probability over top_p", span)
    return Prim("int64", places[chosen])


def _shares(args: Args, span: Span | None) -> list[float]:
    """``top_p`` and a sample: numbers from 0 on, the sample below 1."""
    found = [float(number(each, span)) for each in args]
    wanted(found[0] > 0 and 0 <= found[1] < 1, "a positive top_p and a sample in [0, 1)", span)
    return found


@rule("vm/multinomial")
def multinomial(machine: Host, args: Args, span: Span | None) -> Any:
    """``(probabilities, samples)``: in each row the first place whose running sum exceeds the sample, else the last."""
    p, u = tensors(args, 2, "probabilities and samples", span)
    fits = p.ndim >= 1 and u.ndim >= 1 and p.dtype == u.dtype == "float32" and p.size == p.shape[0] * p.shape[-1]
    wanted(fits and u.size == p.shape[0] and p.shape[-1] > 0, "rows of float32 and a sample for each", span)
    chances, samples = elements(p, machine), elements(u, machine)
    rows, choices = p.shape[0], p.shape[-1]
    f, out = machine.numerics.at("float32"), machine.numerics.at("int64")
    machine.meter.make(rows)

    def place(row: int) -> Payload:
        passed, before, still = list[Payload](), list[Payload](), machine.numerics.truth(True)
        for each in chances[row * choices : (row + 1) * choices - 1]:
            before.append(each)
            exceeds = f.less(samples[row], f.reduce("add", before))
            still = machine.numerics.all_of(still, machine.numerics.negate(exceeds))
            passed.append(out.select(still, out.lit(1), out.lit(0)))
        machine.meter.step(choices * choices)
        return out.reduce("add", passed)

    return from_payloads(machine.numerics, "int64", (rows, 1), [place(row) for row in range(rows)])


# --- logits, changed in place ----------------------------------------------------------------------------------------


def _logits(args: Args, machine: Host, span: Span | None) -> tuple[TensorValue, list[Payload]]:
    _row(args, machine, span)
    return args[0], elements(args[0], machine)


def _tokens(x: Any, machine: Host, count: int, span: Span | None) -> list[int]:
    """The token numbers of an int32 tensor, each below ``count``."""
    wanted(isinstance(x, TensorValue) and x.dtype == "int32" and x.ndim > 0, "a tensor of int32", span)
    found = [machine.numerics.to_index(each, "int32") for each in elements(x, machine)[: x.shape[-1]]]
    for each in found:
        if not 0 <= each < count:
            raise unspecified("ld/store-out-of-bounds", f"token {each} of {count}", span)
    return found


@rule("vm/apply-penalty")
def repetition(machine: Host, args: Args, span: Span | None) -> Any:
    """``(logits, tokens, penalty)``: each token's logit times the penalty, or divided by it where it is positive."""
    logits, row = _logits(args, machine, span)
    f, g = machine.numerics.at("float32"), machine.numerics.at("float64")
    penalty = g.lit(float(number(args[2], span)))
    for token in _tokens(args[1], machine, len(row), span):
        x = g.cast(row[token], "float32")
        scaled = g.select(g.less_equal(x, g.lit(0)), g.mul(x, penalty), g.div(x, penalty))
        row[token] = f.cast(scaled, "float64")
    put(logits, row, span)
    return ()


@rule("vm/apply-penalty")
def presence_and_frequency(machine: Host, args: Args, span: Span | None) -> Any:
    """``(logits, tokens, counts, presence, frequency)``: each logit less ``count * frequency + presence``."""
    logits, row = _logits(args, machine, span)
    tokens = _tokens(args[1], machine, len(row), span)
    (counts,) = tensors(args[2:], 1, "counts of int32", span)
    wanted(counts.dtype == "int32" and counts.size >= len(tokens), "a count of int32 for each token", span)
    f, g = machine.numerics.at("float32"), machine.numerics.at("float64")
    presence, frequency = (g.lit(float(number(each, span))) for each in args[3:5])
    for token, times in zip(tokens, elements(counts, machine), strict=False):
        less = _muladd(g, g.cast(times, "int32"), frequency, presence)
        row[token] = f.cast(g.sub(g.cast(row[token], "float32"), less), "float64")
    put(logits, row, span)
    return ()


def _muladd(g: Arithmetic, a: Payload, b: Payload, c: Payload) -> Payload:
    return g.either(lambda: g.add(g.mul(a, b), c), lambda: g.fma(a, b, c))


@rule("vm/softmax-with-temperature")
def softmax(machine: Host, args: Args, span: Span | None) -> Any:
    """``(logits, temperature)``: the softmax of ``logits / temperature``."""
    logits, row = _logits(args, machine, span)
    f, temperature = machine.numerics.at("float32"), float(number(args[1], span))
    scale, exp = f.div(f.lit(1), f.lit(temperature)), f.math("exp")
    scaled = [f.mul(each, scale) for each in row]
    most = f.reduce("maximum", scaled)
    powers = [exp(f.sub(each, most)) for each in scaled]
    total = f.reduce("add", powers)
    put(logits, [f.div(each, total) for each in powers], span)
    return ()


SAMPLING: dict[str, tuple[int, Callable[[Host, Args, Span | None], Any]]] = {
    "vm.builtin.sample_top_p_from_logits": (4, from_logits),
    "vm.builtin.sample_top_p_from_prob": (3, from_probabilities),
    "vm.builtin.multinomial_from_uniform": (2, multinomial),
    "vm.builtin.apply_repetition_penalty": (3, repetition),
    "vm.builtin.apply_presence_and_frequency_penalty": (5, presence_and_frequency),
    "vm.builtin.apply_softmax_with_temperature": (2, softmax),
}
"""The least number of arguments, and the meaning."""
