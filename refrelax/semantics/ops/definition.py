"""What the definition of one ``relax.*`` operator consists of.

An operator is a row of a family file (``ops/elementwise.py``, ``ops/manipulate.py``, …), all rows are assembled in
``ops/__init__.py`` as the literal table ``OPERATORS``. Its surface signature (names, defaults, which arguments are
attributes) stands in ``syntax/signatures.py``; here are its type and its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.ops.accuracy import NONE, Accuracy
from refrelax.semantics.values import TensorValue, Value, from_payloads, tabulate
from refrelax.semantics.world import ALONE, World
from refrelax.syntax.graph import Call, Expr
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import Type


class Deduction(Protocol):
    """What a type rule may ask and say. One per call that is checked."""

    span: Span | None

    def equal(self, a: PrimExpr, b: PrimExpr) -> bool | None:
        """``sh/equal`` under the facts in scope: ``True`` provably equal, ``False`` different, ``None`` open."""
        ...

    def to_the_run(self, a: PrimExpr, b: PrimExpr) -> None:
        """Leave an equality to the run that ``equal`` tells apart (``sh/remark``)."""
        ...

    def simplify(self, dim: PrimExpr) -> PrimExpr:
        """The canonical form of a dim, as it is printed in a deduced type."""
        ...

    def shape_of(self, name: str) -> tuple[PrimExpr, ...] | None:
        """The dims of a variable of shape type, if known (for ``R.Tensor(s, …)``)."""
        ...

    def value_of(self, name: str) -> Expr | None:
        """The dtype, or the call of ``R.null_value``, that a variable stands for, if it is one."""
        ...

    def fail(self, rule: str, message: str) -> NoReturn:
        """Reject the call under ``rule`` (raises ``IllTyped``)."""
        ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a value rule works with: the reading, and the symbols in scope."""

    numerics: Numerics
    effects: list[Any]
    span: Span | None = None
    dim: Callable[[PrimExpr], int] = lambda _e: 0
    """The value of a scalar integer expression under the symbols in scope."""
    spend: Callable[[int], None] = lambda _n: None
    """Charges elements to the budget before they are made."""
    world: World = ALONE
    """The workers that run the program."""
    type_of: Callable[[Expr], Type | None] = lambda _e: None
    """The type that checking gave to an argument, if it is a variable."""

    def tabulate(self, dtype: str, shape: Sequence[int], element: Callable[..., Payload]) -> TensorValue:
        """A fresh tensor, element by index; the number of elements is charged to the budget first."""
        count = 1
        for extent in shape:
            count *= extent
        self.no_negative(shape)
        self.spend(count)
        return tabulate(self.numerics, dtype, shape, element)

    @rule("ev/negative-extent")
    def no_negative(self, shape: Sequence[int]) -> None:
        """Ends the run where an extent of a result is negative."""
        if min(shape, default=0) < 0:
            raise unspecified("ev/negative-extent", f"a result of shape {tuple(shape)}", self.span)

    def tensor(self, dtype: str, shape: Sequence[int], payloads: list[Payload]) -> TensorValue:
        """A fresh tensor from payloads in row-major order."""
        self.spend(len(payloads))
        return from_payloads(self.numerics, dtype, shape, payloads)


DeduceRule = Callable[[Deduction, Call, tuple[Type, ...]], Type]
"""``deduce(d, call, argument_types)``: the result's type. Literal arguments are looked at through ``call.args``."""

EvaluateRule = Callable[[Evaluation, Call, tuple[Value, ...]], Value]
"""``evaluate(e, call, argument_values)``: the result. Attributes are read with ``call.attr(name)``."""


Memory = Literal["fresh", "view", "either"]
"""Where a result lies: never in memory of an argument; always; or as an implementation likes."""


@dataclass(frozen=True, slots=True)
class OpDef:
    """One operator: its registered name, its type rule, its value rule, its chapter, and what a call does beside that.

    ``page`` names the family page under ``spec/ops/``; ``text`` is what the value rule was made of, where it is a text
    of the calculus (``ops/meaning``). ``pure``: no effect; ``memory``: where the result lies; ``overwrites``: a call
    stores into tensors that it is given; ``accuracy``: the operator's row of ``ops/accuracy.py``.
    """

    name: str
    deduce: DeduceRule
    evaluate: EvaluateRule
    page: str
    pure: bool = True
    text: Callable[..., Any] | None = None
    memory: Memory = "fresh"
    overwrites: bool = False
    accuracy: Accuracy = NONE
