"""The reading ``symbolic``: hash-consed terms, to compare two programs for all input values at given shapes.

Equal terms are one object. ``reduce`` makes one ``Red`` node whose items are ordered, so reductions in another order
are one term; whether reductions that feed each other are one is for whoever compares (``refrelax.judge.terms``). A sum
of floats starts from +0, which only items of -0 show: one that starts from -0, or from what may be -0, is another term.
Terms are floats, integers and truths alike; a term that is a constant is computed by ``ieee``.

Spec: ``spec/02-values.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial, reduce
from math import copysign
from typing import Any, Literal

from refrelax.errors import Ended, Exhausted, NoBits, unspecified
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.interface import DIVISIONS, OPERATIONS, TESTS, Numerics, Payload, ReduceOp, Truth
from refrelax.semantics.numbers.partial import Partial
from refrelax.semantics.numbers.poison import OpaquePayload, Poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import dtypes


class Term(OpaquePayload):
    """``op`` applied to ``args`` at ``dtype``; made only by ``Terms``, so that equal terms are one object."""

    __slots__ = ("args", "dtype", "number", "op")

    def __init__(self, op: str, dtype: str, args: tuple[Any, ...], number: int) -> None:
        self.op = op
        self.dtype = dtype
        self.args = args
        self.number = number

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"

    def __str__(self) -> str:
        """As people write it: ``x[0] + 2.0 * y[1]`` with every operation in brackets."""
        return self.shown(None)

    def shown(self, depth: int | None) -> str:
        """The text, cut off at ``depth``: terms share, and their whole text may be far longer than they are."""
        if self.op == "var":
            return str(self.args[0])
        if depth == 0:
            return "…"
        below = None if depth is None else depth - 1
        args = [each.shown(below) if isinstance(each, Term) else str(each) for each in self.args]
        if self.op in INFIX and len(args) == 2:
            return f"({args[0]} {INFIX[self.op]} {args[1]})"
        return f"-{args[0]}" if self.op == "neg" else f"{self.op}({', '.join(args)})"


DEPTH = 4
"""How deep messages show a term."""


def brief(payload: Any) -> str:
    """A payload in a message."""
    return payload.shown(DEPTH) if isinstance(payload, Term) else str(payload)


INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "floordiv": "//", "floormod": "%", "less": "<",
    "less_equal": "<=", "equal": "==", "not_equal": "!=", "bit_and": "&", "bit_or": "|", "bit_xor": "^",
    "shift_left": "<<", "shift_right": ">>",
}  # fmt: skip
"""Operations that are written between their operands."""


START = "RedFrom."
"""How the names of reductions begin that start from their first argument instead of from the neutral element."""

COMMUTES = frozenset({"add", "mul", "maximum", "minimum", "bit_and", "bit_or", "bit_xor", "equal", "not_equal"})
"""Operations whose two operands are ordered (IEEE addition and multiplication commute, bit for bit, up to NaN
payloads).
"""


class SymbolicArithmetic:
    """One dtype of ``symbolic``."""

    def __init__(self, terms: Symbolic, dtype: str) -> None:
        self.terms = terms
        self.dtype = dtype
        self.plain = ieee().at(dtype)
        for name in OPERATIONS:
            setattr(self, name, self._maker(name, dtype, getattr(self.plain, name)))
        for name in TESTS:
            setattr(self, name, self._maker(name, "bool", getattr(self.plain, name)))

    def __getattr__(self, name: str) -> Callable[..., Payload]:
        # only for the type checker: every name of OPERATIONS and TESTS is set above
        raise AttributeError(name)

    def _maker(self, op: str, result: str, plain: Callable[..., Payload]) -> Callable[..., Payload]:
        def apply(*operands: Payload) -> Payload:
            if op in DIVISIONS and isinstance(operands[1], Poison) and not dtypes.is_float(self.dtype):
                return plain(self.plain.lit(1), operands[1])  # ends the run
            spoiled = next((each for each in operands if isinstance(each, Poison)), None)
            if spoiled is not None:
                return spoiled
            if not any(isinstance(each, Term) for each in operands):
                return plain(*operands)
            if op in DIVISIONS and not dtypes.is_float(self.dtype):
                if isinstance(operands[1], Term):
                    raise Ended(Exhausted(f"whether {brief(operands[1])} is zero"))
                plain(operands[1], operands[1])  # zero ends the run whatever is divided
            if op in COMMUTES:
                operands = tuple(sorted(operands, key=self.terms.rank))
            return self.terms.make(op, result, operands)

        return apply

    def lit(self, value: int | float | Fraction) -> Payload:
        return self.plain.lit(value)

    def from_bits(self, bits: int) -> Payload:
        return self.plain.from_bits(bits)

    def to_bits(self, a: Payload) -> int:
        if isinstance(a, Term):
            raise NoBits(f"the term {a} has no bits")
        return self.plain.to_bits(a)

    def math(self, name: str) -> Callable[[Payload], Payload]:
        return self._maker(name, self.dtype, self.plain.math(name))

    def math2(self, name: str) -> Callable[[Payload, Payload], Payload]:
        return self._maker(name, self.dtype, self.plain.math2(name))

    def select(self, truth: Truth, a: Payload, b: Payload) -> Payload:
        if not isinstance(truth, Term):
            return self.plain.select(truth, a, b)
        if a is b and not self.terms.may_be_poison(truth):
            return a
        return self.terms.make("select", self.dtype, (truth, a, b))

    def cast(self, a: Payload, source: str) -> Payload:
        if isinstance(a, Term):
            return a if source == self.dtype else self.terms.make("cast", self.dtype, (a, source))
        return self.plain.cast(a, source)

    def reinterpret(self, a: Payload, source: str) -> Payload:
        if isinstance(a, Term):
            return self.terms.make("reinterpret", self.dtype, (a, source))
        return self.plain.reinterpret(a, source)

    def assemble(self, parts: Sequence[Payload], source: str, start: int) -> Payload:
        if not any(isinstance(each, Term) for each in parts) or any(isinstance(each, Poison) for each in parts):
            return self.plain.assemble(parts, source, start)
        if len(parts) == 1 and start == 0 and dtypes.memory_bits(source) == dtypes.memory_bits(self.dtype):
            return self.reinterpret(parts[0], source)
        return self.terms.make("assemble", self.dtype, (*parts, source, start))

    def reduce(self, op: ReduceOp, items: Iterable[Payload], acc: str | None = None) -> Payload:
        home = acc or self.dtype
        pool = list(items)
        spoiled = next((each for each in pool if isinstance(each, Poison)), None)
        if spoiled is not None:
            return spoiled
        if not any(isinstance(each, Term) for each in pool):
            return self.plain.reduce(op, pool, acc)
        # (+0) + (-0) is +0, and the extreme of a NaN is also what a fold may begin with
        if len(pool) == 1 and not (op in ("add", "maximum", "minimum") and dtypes.is_float(home)):
            return self.cast(pool[0], home)
        red = self.terms.make(f"Red.{op}", home, tuple(sorted(pool, key=self.terms.rank)))
        return self.cast(red, home)

    def scan(self, op: ReduceOp, items: Sequence[Payload]) -> list[Payload]:
        return [self.reduce(op, items[:k]) for k in range(1, len(items) + 1)]

    def dot(self, a: Iterable[Payload], b: Iterable[Payload], source: str, acc: str | None = None) -> Payload:
        acc = acc or self.dtype
        home: Any = self.terms.at(acc)
        products = [home.mul(home.cast(x, source), home.cast(y, source)) for x, y in zip(a, b, strict=True)]
        return self.reduce("add", products, acc)

    def argreduce(self, op: Literal["maximum", "minimum"], items: Sequence[Payload]) -> Payload:
        if not any(isinstance(each, Term) for each in items):
            return self.plain.argreduce(op, items)
        return self.terms.make(f"arg.{op}", "int64", tuple(items))

    def order(self, items: Sequence[Payload], descending: bool = False) -> tuple[list[Payload], list[Payload]]:
        if not any(isinstance(each, Term) for each in items):
            return self.plain.order(items, descending)
        args, ranks = (*items, descending), range(len(items))
        values = [self.terms.make(f"sorted.{k}", self.dtype, args) for k in ranks]
        return values, [self.terms.make(f"argsort.{k}", "int64", args) for k in ranks]

    def pick(self, items: Sequence[Payload], index: Payload) -> Payload:
        if isinstance(index, Term):
            return self.terms.make("pick", self.dtype, (*items, index))
        return self.plain.pick(items, index)

    def either(self, *forms: Callable[[], Payload]) -> Payload:
        return self.terms.choice(forms)

    def forms(self, *functions: Callable[..., Payload], last_holds: bool = False) -> Callable[..., Payload]:
        return lambda *xs: self.either(*[partial(each, *xs) for each in functions])

    def begin(self, op: ReduceOp, init: Payload) -> Payload:
        return init

    def accumulate(self, op: ReduceOp, partial: Payload, item: Payload) -> Payload:
        if isinstance(partial, Partial) and partial.op != op:
            partial = self.settle(partial)
        return Partial(op, partial, item)

    def settle(self, partial: Payload) -> Payload:
        if not isinstance(partial, Partial):
            return partial
        if partial.settled is None:
            first, *rest = (self.settle(each) for each in partial.items())
            partial.settled = self._from(partial.op, first, rest)
        return partial.settled

    def _from(self, op: ReduceOp, first: Payload, rest: list[Payload]) -> Payload:
        """``rest`` combined from ``first``. A sum of floats is one from +0 unless ``first`` may be -0."""
        number = not isinstance(first, (Term, Poison))
        if number and op == "mul" and first == 1:
            return self.reduce(op, rest)
        if op != "add" or isinstance(first, Poison) or not dtypes.is_float(self.dtype):
            return self.reduce(op, [first, *rest])
        if number and (first != 0 or copysign(1.0, first) > 0):
            return self.reduce(op, [first, *rest] if first != 0 else rest)
        spoiled = next((each for each in rest if isinstance(each, Poison)), None)
        if spoiled is not None:
            return spoiled
        if not any(isinstance(each, Term) for each in (first, *rest)):
            return reduce(self.plain.add, rest, first)
        return self.terms.make(f"{START}add", self.dtype, (first, *sorted(rest, key=self.terms.rank)))


class Symbolic:
    """The ``Numerics`` of this reading; it owns its terms, so terms of two objects never meet."""

    name = "symbolic"
    exact_bits = False
    collects = True

    def __init__(self, choices: Literal["first", "named"] = "first") -> None:
        self.choices = choices
        """What stands where an element may be computed in several ways: the first of them, or a term that stands for
        whichever is taken."""
        self.chose = False
        """Whether there was such a place."""
        self.settled = False
        """Whether there was one whose operands are numbers, of which the first way was taken."""
        self._choices: list[Callable[[], Payload]] = []
        """The ways, so that none that is forgotten shares its address with another."""
        self._terms: dict[tuple[Any, ...], Term] = {}
        self._arithmetic: dict[str, SymbolicArithmetic] = {}
        self._poisonous: dict[int, bool] = {}

    def __getstate__(self) -> dict[str, Any]:
        made_again: dict[str, Any] = {"_choices": [], "_arithmetic": {}, "_poisonous": {}}
        kept = {"choices": self.choices, "chose": self.chose, "settled": self.settled, "_terms": self._terms}
        return {**kept, **made_again}

    def choice(self, forms: Sequence[Callable[[], Payload]]) -> Payload:
        """One of several ways to compute an element."""
        found = forms[0]()
        several = len(forms) > 1
        self.chose = self.chose or (several and isinstance(found, Term))
        self.settled = self.settled or (several and not isinstance(found, Term))
        if self.choices == "first" or len(forms) == 1 or not isinstance(found, Term):
            return found
        self._choices += forms
        return self.make("one of", found.dtype, (found, repr(list(map(_place, forms)))))

    def at(self, dtype: str) -> Any:
        found = self._arithmetic.get(dtype)
        if found is None:
            found = self._arithmetic[dtype] = SymbolicArithmetic(self, dtype)
        return found

    def variable(self, name: str, dtype: str) -> Term:
        """An unknown element."""
        return self.make("var", dtype, (name,))

    def make(self, op: str, dtype: str, args: tuple[Any, ...]) -> Term:
        """The one term with these parts."""
        key = (op, dtype, *map(self._identity, args))
        found = self._terms.get(key)
        if found is None:
            found = self._terms[key] = Term(op, dtype, args, len(self._terms))
        return found

    def _identity(self, part: Any) -> Any:
        """What distinguishes an argument: constants by their kind and exact value, so that 0.0 and -0.0 differ."""
        if isinstance(part, float):
            return ("float", part.hex())
        return ("term", part.number) if isinstance(part, Term) else (type(part).__name__, repr(part))

    def rank(self, part: Any) -> tuple[int, int, str]:
        """The order in which commutative operations keep their operands."""
        if isinstance(part, Term):
            return (1, part.number, "")
        return (0, 0, repr(part))

    def truth(self, value: bool) -> Truth:
        return TRUE if value else FALSE

    def all_of(self, a: Truth, b: Truth) -> Truth:
        return self.at("bool").bit_and(a, b)

    def any_of(self, a: Truth, b: Truth) -> Truth:
        return self.at("bool").bit_or(a, b)

    def negate(self, a: Truth) -> Truth:
        return self.at("bool").bit_not(a)

    def may_be_poison(self, term: Term) -> bool:
        """Whether a term may be poison for some values of the variables: a shift, or a cast to an integer."""
        found = self._poisonous.get(term.number)
        if found is None:
            parts = any(isinstance(each, Term) and self.may_be_poison(each) for each in term.args)
            found = self._poisonous[term.number] = parts or _poisons(term)
        return found

    def decide(self, truth: Truth) -> bool:
        if isinstance(truth, Term) and self.may_be_poison(truth):
            raise Ended(Exhausted(f"a branch on {brief(truth)}, which may be poison"))
        if isinstance(truth, Term):
            raise unspecified("num/undetermined", f"a branch depends on {brief(truth)}")
        return ieee().decide(truth)

    def to_index(self, a: Payload, dtype: str) -> int:
        if isinstance(a, Term):
            raise unspecified("num/undetermined", f"an index depends on {brief(a)}")
        return ieee().to_index(a, dtype)

    def poison_rule(self, a: Payload) -> str | None:
        return a.rule if isinstance(a, Poison) else None


def _poisons(term: Term) -> bool:
    if term.op == "cast" and not dtypes.is_float(term.dtype):
        return dtypes.is_float(term.args[1]) and dtypes.kind(term.dtype) != "bool"
    return term.op in ("shift_left", "shift_right", "pick") or term.op.startswith("T.")


def symbolic() -> Numerics:
    """A fresh reading with its own terms."""
    return Symbolic()


__all__ = ["Symbolic", "SymbolicArithmetic", "Term", "symbolic"]


def _place(form: Callable[[], Payload]) -> tuple[Any, ...]:
    """Where a way to compute something is written."""
    function: Any = form.func if isinstance(form, partial) else form
    function = getattr(function, "__func__", function)
    code = function.__code__
    return (code.co_filename, code.co_firstlineno, *map(id, function.__defaults__ or ()))
