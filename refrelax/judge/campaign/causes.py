"""The cause of a divergence: what tells one defect from another before anybody has looked at it.

A check that fails, or a place in the implementation's sources that refuses, is one cause, whatever operators come to
it. A wrong value is told by its operator, the class of its dtype and the way in which it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.judge.verdicts import Divergence
from refrelax.semantics.numbers.verdicts import Outside
from refrelax.syntax import dtypes

_BROUGHT_DOWN = (
    (re.compile(r'"[^"\n]*"|\'[^\'\n]*\''), '"…"'),
    (re.compile(r"\b0x[0-9a-f]+\b"), "#"),
    (re.compile(r"\b(?:bool|bfloat16|(?:u?int|float)\d+(?:_\w+)?(?:x\d+)?)\b"), "DTYPE"),
    (re.compile(r"(?<![A-Za-z_.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"), "#"),
    (re.compile(r"\b(?:ax|v|i|j|k|x|y|lv|gv|c|n|m|T_\w+|compute)_?\d*(?=[\[, )\]:]|$)"), "_"),
    (re.compile(r"\s+"), " "),
)
"""What a message has of one program, and what stands for it."""

_TELLING = re.compile(r"Check failed|InternalError|error:|Error:|unknown|cannot|Cannot|expected|Expected|must")


def template(message: str) -> str:
    """A message without what is one program's own: numbers, names, dtypes."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    said = next((line for line in lines if _TELLING.search(line)), lines[0] if lines else "")
    for pattern, instead in _BROUGHT_DOWN:
        said = pattern.sub(instead, said)
    return said[:160].strip()


def dtype_class(dtype: str) -> str:
    """``bool``, ``int``, ``float``, or ``narrow`` for the floats that C has not."""
    if dtype in ("", "bool"):
        return dtype
    if dtypes.kind(dtype) != "float":
        return "int"
    return "float" if dtype in ("float16", "float32", "float64") else "narrow"


@dataclass(frozen=True, slots=True)
class Cause:
    """``kind``: of the divergence; ``how``: the place or check that answered, or the way in which a value is wrong;
    ``operators``: those of the program, or of the first wrong binding; ``dtype``: its class. Where a place or a check
    answered, it alone tells the cause; two places of one file that say the same are one."""

    kind: str
    how: str
    operators: tuple[str, ...] = ()
    dtype: str = ""
    answered: bool = False
    says: str = field(default="", compare=False)
    """Of a place that refuses: its message, without what is one program's own."""

    @property
    def id(self) -> str:
        """One line, the same wherever the cause is met."""
        if self.answered:
            return f"{self.kind}: {self.how}"
        rest = " ".join(filter(None, ("+".join(self.operators), self.dtype)))
        return f"{self.kind}: {self.how} | {rest}"

    def covers(self, other: Cause) -> bool:
        """Whether the other is this one again. Of a program of many operators, it needs no more than these; where one
        of the two does not say what class its dtype is of, they may be the same."""
        if (self.kind, self.answered) != (other.kind, other.answered):
            return False
        if self.answered:
            file, same = self.how.partition(":")[0], self.says == other.says != ""
            return self.how == other.how or (same and file == other.how.partition(":")[0])
        if self.how != other.how:
            return False
        if self.dtype and other.dtype and self.dtype != other.dtype:
            return False
        if not self.operators:
            return not other.operators
        return set(self.operators) <= set(other.operators)

    def row(self) -> list[Any]:
        return [self.kind, self.how, list(self.operators), self.dtype, self.answered, self.says]

    @staticmethod
    def of_row(row: list[Any]) -> Cause:
        kind, how, operators, dtype, answered, says = row
        return Cause(kind, how, tuple(operators), dtype, answered, says)


EMPTY = "of an argument without elements"
"""What is wrong of whatever operator, where the loops of a reduction do not run at all."""


def cause_of(found: Divergence, operators: Iterable[str], dtype: str, empty: bool = False) -> Cause:
    """The cause of a divergence in a program of these operators, ``dtype`` being the one that most depends on.
    ``empty``: whether an argument has no elements."""
    at, by = next((b for b in found.bindings if isinstance(b.verdict, Outside)), None), tuple(sorted(operators))
    if at is not None and at.what != "result" and not at.what.startswith("call"):
        by = (_named(at.what.split()[0]),)
    kind, of_dtype = found.kind, dtype_class(dtype)
    match kind:
        case "refused" if found.place:
            return Cause(kind, found.place, by, of_dtype, True, template(found.detail or found.message))
        case "refused" | "error":
            return Cause(kind, template(found.detail or found.message), by, of_dtype, True)
        case "end" if found.message.startswith("the definition traps"):
            rule = _TRAP.match(found.message)
            return Cause(kind, f"no trap: {rule[1]}" if rule else "no trap", by, of_dtype, rule is not None)
        case "end" if (none := _NO_VALUE.search(found.message)) is not None:
            return Cause(kind, f"a value for none: {none[1]}", by, of_dtype, True)
        case "end":
            said = (
                repr(found.detail) if found.detail else found.message
            )  # (quoted: causes on disk were read from a repr)
            return Cause(kind, template(said.strip("'\")")), by, "", True)
        case "crash" | "hang":
            return Cause(kind, template(found.message.partition(": ")[2].partition(":")[0]), by, of_dtype)
        case "values":
            how = how_wrong(found.message)
            if empty and how == "elements":
                return Cause(kind, EMPTY, by, "", True)
            return Cause(kind, how, by, of_dtype if how == "elements" else "")
        case _:
            return Cause(kind, kind, by, of_dtype)


def _named(operator: str) -> str:
    """An operator as programs spell it."""
    return operator if operator.startswith(("R.", "T.")) else f"R.{operator.removeprefix('relax.')}"


def of_many(cause: Cause) -> Cause:
    """The cause as far as it can be told of a program of many operators and dtypes."""
    return replace(cause, dtype="")


_TRAP = re.compile(r"the definition traps \(.*? \[([\w./-]+)\]\), the implementation", re.DOTALL)
"""The rule by which the definition traps: whatever the operators, the check of that rule is missing."""

_NO_VALUE = re.compile(r"has no value \(.*? \[([\w./-]+)\]\), the implementation", re.DOTALL)
"""The rule that leaves open what has no value on the word of a standard."""

_VALUES = re.compile(r": (?P<found>[^:]*?), permitted (?P<permitted>.*?)(?:, at [^,]*)?$")
_TYPED = re.compile(r"(?P<dtype>\w+)\[(?P<dims>[\d, ]*)\]$")


def how_wrong(message: str) -> str:
    """The way in which a value is wrong: its ``dtype``, its ``shape``, or its elements. (Whether an element is NaN or
    another number tells little: what was never written is now this, now that.)"""
    told = _VALUES.search(message)
    if told is None:
        return "elements"
    a, b = _TYPED.match(told["found"].strip()), _TYPED.match(told["permitted"].strip())
    if a is None or b is None:
        return "elements"
    return "dtype" if a["dtype"] != b["dtype"] else "shape"
