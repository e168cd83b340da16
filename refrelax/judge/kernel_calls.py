"""Calls of loop programs under a proof: what they are given, read as element terms, and what they leave.

Spec: ``spec/06c-pointwise.md``, ``va/pointwise``, ``va/same-call``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from refrelax.judge.events import Events, Path
from refrelax.judge.graph_checks import Checks
from refrelax.judge.graph_values import Value, as_number
from refrelax.judge.same_calls import Calls, Made, repeatable, unknown
from refrelax.semantics.loops.visit import stored_to
from refrelax.shape_solver.pointwise import OPEN, Definedness, Descent, NotRead, TensorTerm
from refrelax.shape_solver.pointwise.assumptions import learn
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.shape_solver.pointwise.readings import Readings
from refrelax.syntax.loops import BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.scalars import PrimExpr, int_imm
from refrelax.syntax.types import TensorType, Type


@dataclass(slots=True)
class KernelCalls(Checks):
    """Calls of loop programs. ``calls``: those of the first program."""

    calls: Calls
    descent: Descent | None = None
    """Of the second program: how its calls are compared with those of the first."""
    readings: Readings = field(kw_only=True)
    """What loop programs come to, whichever program calls them."""
    events: Events = field(default_factory=Events, kw_only=True)
    rests_on: dict[int, Definedness] = field(default_factory=dict, kw_only=True)
    """What calls have rested on so far, by identity."""
    path: Path = field(default=frozenset(), kw_only=True)
    """What is decided around, in branches of an ``if``."""

    def fresh(self, type_: Type, symbols: Mapping[str, PrimExpr]) -> TensorTerm:
        """An output: nothing is written yet."""
        if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or type_.dtype is None:
            raise NotRead("an output whose shape is not known")
        return self.unwritten(tuple(self.scalar(d, symbols) for d in type_.shape), type_.dtype)

    def not_negative(self, extent: PrimExpr) -> None:
        """In the first program it is taken for granted, if every run comes here."""
        super(KernelCalls, self).not_negative(extent)
        if self.descent is None and not self.path and not self.events.made:
            self.logic.assume(compare("GE", extent, int_imm(0, extent.dtype)))

    def unwritten(self, shape: tuple[PrimExpr, ...], dtype: str) -> TensorTerm:
        """A tensor of which no element is written."""
        for d in shape:
            self.not_negative(d)
        self.logic.sizes.exists(shape, dtype)
        return TensorTerm("out", shape, dtype, tuple(self.terms.fresh("o") for _ in shape), OPEN)

    def bound(self, func: PrimFunc, args: tuple[Value, ...]) -> tuple[dict[str, TensorTerm], dict[str, PrimExpr]]:
        """The contents of the parameters, and what the function's scalars and symbols stand for."""
        if len(args) != len(func.params):
            raise NotRead("a call with another number of arguments")
        symbols: dict[str, PrimExpr] = {}
        given: dict[str, TensorTerm] = {}
        for param, arg in zip(func.params, args, strict=True):
            if isinstance(param, ScalarParam):
                scalar = as_number(arg)
                if scalar is None:
                    raise NotRead("a scalar parameter without a scalar")
                symbols[param.var.name] = scalar
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
        """The contents of a function's buffers after a call."""
        buffers = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
        before = tuple(given[name] for name in buffers)
        scalars = tuple(symbols[p.var.name] for p in func.params if isinstance(p, ScalarParam))
        if (
            self.descent is not None
            and (found := self.calls.find(func, before, scalars, self.events.at, self.path)) is not None
        ):
            return dict(zip(buffers, found.after(before), strict=True))
        if id(func) in self.calls.closed:
            return self.not_read(func, before, scalars, NotRead("a loop program that both programs call as often"))
        try:
            left, obligations = self.readings.read(func, given, symbols)
        except NotRead as reason:
            return self.not_read(func, before, scalars, reason)
        contents = dict(zip(buffers, left, strict=True))
        self.rest_on(obligations)
        if self.descent is None and not self.path and not self.events.made and not self.facts:
            learn(obligations, self.terms, self.logic)
        self.made(func, before, scalars, contents)
        return contents

    def rest_on(self, obligations: Sequence[Definedness]) -> None:
        """Each once: what a program rested on before, it has with as many facts."""
        for each in obligations:
            if id(each) not in self.rests_on:
                self.rests_on[id(each)] = each
                self.obligations.append(replace(each, given=(*each.given, *self.facts)))

    def not_read(
        self, func: PrimFunc, before: tuple[TensorTerm, ...], scalars: tuple[PrimExpr, ...], reason: NotRead
    ) -> dict[str, TensorTerm]:
        """The contents after a call that is not read: of the first program anything, of the second those that an equal
        call of the first one leaves."""
        buffers = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
        if self.descent is not None:
            found = self.calls.find(func, before, scalars, self.events.at, self.path, self.descent.tensors)
            if found is None:
                raise reason
            return dict(zip(buffers, found.after(before), strict=True))
        if not repeatable(func):
            raise reason
        self.calls.unread.append(str(reason))
        changed = stored_to(func)
        contents = {n: unknown(t) if n in changed else t for n, t in zip(buffers, before, strict=True)}
        self.made(func, before, scalars, contents)
        return contents

    def made(
        self,
        func: PrimFunc,
        before: tuple[TensorTerm, ...],
        scalars: tuple[PrimExpr, ...],
        contents: Mapping[str, TensorTerm],
    ) -> None:
        """Note a call that every run of the first program makes, or every one that comes into this branch."""
        if self.descent is None and repeatable(func):
            after = (contents[p.buffer.name] for p in func.params if isinstance(p, BufferParam))
            left = tuple(None if new is old else new for new, old in zip(after, before, strict=True))
            self.calls.keep(Made(func, before, scalars, left, len(self.events.made), self.path))

    def untouched(self, given: Mapping[str, TensorTerm], contents: Mapping[str, TensorTerm], outputs: set[str]) -> None:
        if any(contents[name] is not given[name] for name in given if name not in outputs):
            raise NotRead("a call_tir that writes to its input")
