"""A log in words: every step on a line, with the fact that it gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refrelax.shape_solver.checker.check import Checker
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, Reading, questions


class Words:
    """The names of a reading's atoms."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def atom(self, number: int) -> str:
        atom = self.reading.atoms[number]
        args = [self.poly(each) for each in atom.args]
        match atom.kind:
            case "sym":
                return atom.name
            case "define":
                return f"x{number}"
            case "fd":
                return f"{self.operand(atom.args[0])} // {self.operand(atom.args[1])}"
            case "ite":
                assert atom.branches is not None
                return f"select({self.fact(atom.branches[0])}, {', '.join(args)})"
            case kind:
                names = {"td": "truncdiv", "and": "bitwise_and", "p2": "2 ** "}
                return f"{names.get(kind, kind)}({', '.join(args)})"

    def poly(self, p: Poly) -> str:
        terms = []
        for mono, c in sorted(p.terms.items(), key=lambda each: (-len(each[0]), each[0])):
            factors = [self.bracketed(atom) for atom in mono]
            if abs(c) != 1 or not factors:
                factors.insert(0, str(abs(c)))
            terms.append((" - " if c < 0 else " + ", "*".join(factors)))
        text = "".join(sign + term for sign, term in terms)
        return ("-" if text.startswith(" - ") else "") + text[3:] if text else "0"

    def operand(self, p: Poly) -> str:
        text = self.poly(p)
        return (
            text
            if text.isidentifier() or text.isdecimal() or (text.startswith("(") and len(p.terms) == 1)
            else f"({text})"
        )

    def bracketed(self, atom: int) -> str:
        text = self.atom(atom)
        return f"({text})" if self.reading.atoms[atom].kind == "fd" else text

    def fact(self, fact: Formula) -> str:
        match fact:
            case ("ge", p) if p.constant() == -1:
                return "false"
            case ("ge", p):
                return f"{self.poly(p)} >= 0"
            case ("eq", p):
                return f"{self.poly(p)} == 0"
            case (op, *parts):
                return f" {op} ".join(f"({self.fact(each)})" for each in parts)
        raise AssertionError(fact)


def explained(document: Any) -> list[str]:
    """The lines of a certificate's log that the checker accepts; none for other evidence."""
    if document["evidence"]["kind"] != "log":
        return []
    reading, given, wanted = questions(document["question"])
    checker = Checker(reading, [*given, *wanted])
    checker.named(document["evidence"]["atoms"])
    words = Words(reading)
    lines = [f"{number:>4}  {words.fact(fact)}    [question]" for number, fact in enumerate(checker.facts)]
    for number, atom in enumerate(reading.atoms):
        if atom.kind == "define":
            lines.append(f"      {words.atom(number)} stands for {words.poly(atom.args[0])}")
    return [*lines, *_steps(checker, words, document["evidence"]["steps"], 1)]


def _steps(checker: Checker, words: Words, steps: list[Any], depth: int) -> Iterator[str]:
    for step in steps:
        if step["rule"] == "cases":
            alternatives = checker.alternatives(step["on"])
            for start, inner in zip(alternatives, step["branches"]):
                before = len(checker.facts)
                checker.facts += start
                for number in range(before, len(checker.facts)):
                    yield f"{'  ' * depth}{number:>4}  {words.fact(checker.facts[number])}    [case]"
                yield from _steps(checker, words, inner, depth + 1)
                del checker.facts[before:]
        fact = checker.step(step)
        number = len(checker.facts)
        checker.facts.append(fact)
        yield f"{'  ' * (depth - 1)}{number:>4}  {words.fact(fact)}    [{_by(step)}]"


def _by(step: Any) -> str:
    used = {number for number in step.get("premises", ()) if number is not None}
    used |= {number for _, many in step.get("terms", ()) for number in many if isinstance(number, int)}
    used |= {equation for equation, _ in step.get("rewrites", ())}
    return f"{step['rule']} {', '.join(map(str, sorted(used)))}".rstrip()


INFIX = {
    "Add": "+", "Sub": "-", "Mul": "*", "FloorDiv": "//", "FloorMod": "%", "EQ": "==", "NE": "!=", "LT": "<",
    "LE": "<=", "GT": ">", "GE": ">=", "And": "and", "Or": "or", "shift_left": "<<", "shift_right": ">>",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
}  # fmt: skip
NAMES = {"Div": "truncdiv", "Mod": "truncmod", "Min": "min", "Max": "max", "if_then_else": "select", "Not": "not "}


def said(question: Any) -> str:
    """A question in the syntax of claims."""
    given = "".join(f", if {spelled(each)}" for each in question["assume"])
    fits = "" if question["fits"] is None else f", each step from {question['fits'][0]} to {question['fits'][1]}"
    return f"{spelled(question['claim'])}{given}{fits}"


def spelled(e: Any, inner: bool = False) -> str:
    """An expression in the syntax of claims."""
    match e:
        case ["int", number]:
            return str(number)
        case ["bool", flag]:
            return str(bool(flag))
        case ["sym", str() as name, _]:
            return name
        case ["Cast", target, _, a]:
            return f"{target}({spelled(a)})"
        case [str() as op, a, b] if op in INFIX:
            text = f"{spelled(a, True)} {INFIX[op]} {spelled(b, True)}"
            return f"({text})" if inner else text
        case [str() as op, *parts]:
            inside = ", ".join(spelled(part) if isinstance(part, list) else str(part) for part in parts)
            return f"{NAMES.get(op, op)}({inside})"
    raise ValueError(e)
