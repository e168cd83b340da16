"""A log in words: every step on a line, with the fact that it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from refrelax.shape_solver.checker.check import Checker
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, Reading
from refrelax.shape_solver.checker.terms import Question, Term


class Words:
    """The names of a reading's atoms."""

    def __init__(self, reading: Reading, names: Any = None) -> None:
        self.reading = reading
        self.names = display(reading.question, names)

    def atom(self, number: int) -> str:
        atom = self.reading.atoms[number]
        args = [self.poly(each) for each in atom.args]
        match atom.kind:
            case "sym":
                return self.names[atom.symbol]
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
                factors.insert(0, spelled(abs(c)))
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
    reading = Reading(Question.read(document["question"]))
    reading.load(document["evidence"]["atoms"])
    given, wanted = reading.facts()
    checker = Checker(reading, [*given, *wanted])
    words = Words(reading, document.get("names"))
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
    return f"{step['rule']} {', '.join(map(str, sorted(used)))}".rstrip()


# --- the question, decoded -------------------------------------------------------------------------------------------

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "floormod": "%", "shl": "<<", "shr": ">>", "and": "&",
    "or": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
CONNECTIVE = {"and": "and", "or": "or", "iff": "=="}
PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,63}")
TAKEN = re.compile(r"s[0-9]+|u?int[0-9]+|and|or|not|if|fits|True|False|min|max|abs|select|implies|truncdiv|truncmod")


def display(question: Question, names: Any) -> list[str]:
    """What the symbols are called in words: the shipped names where each is a plain name of its own, else ``s0``, …"""
    found = [f"s{number}" for number in range(len(question.symbols))]
    if not isinstance(names, list) or len(names) != len(found) or not all(isinstance(each, str) for each in names):
        return found
    plain = [bool(PLAIN.fullmatch(each)) and not TAKEN.fullmatch(each) for each in names]
    return [n if good and names.count(n) == 1 else s for n, good, s in zip(names, plain, found)]


def readable(question: Question, names: Any = None) -> str:
    """A question in the syntax of claims, with all that it assumes."""
    known = display(question, names)
    given = "".join(f", if {truth(each, known)}" for each in question.assumptions)
    fits = f", fits {question.dtype}" if question.fits is not None else ""
    return f"{truth(question.claim, known)}{given}{fits}{', defined' if question.require else ''}"


def truth(e: Term, names: list[str]) -> str:
    """A truth in the syntax of claims."""
    match e:
        case ["true"] | ["false"]:
            return "True" if e == ["true"] else "False"
        case ["sym", int() as number]:
            return names[number]
        case ["not", a]:
            return f"not ({truth(a, names)})"
        case ["select", *parts]:
            return f"select({', '.join(truth(each, names) for each in parts)})"
        case ["implies", a, b]:
            return f"implies({truth(a, names)}, {truth(b, names)})"
        case [op, a, b] if op in CONNECTIVE:
            return f"({truth(a, names)}) {CONNECTIVE[op]} ({truth(b, names)})"
        case [op, a, b]:
            return f"{operand(a, names)} {INFIX[op]} {operand(b, names)}"
    raise AssertionError(e)


def integer(e: Term, names: list[str]) -> str:
    """An integer in the syntax of claims."""
    match e:
        case ["const", number]:
            return spelled(number)
        case ["sym", int() as number]:
            return names[number]
        case ["wrap", dtype, a]:
            return f"{dtype}({integer(a, names)})"
        case ["select", c, a, b]:
            return f"select({truth(c, names)}, {integer(a, names)}, {integer(b, names)})"
        case ["abs", a]:
            return f"abs({integer(a, names)})"
        case ["not", a]:
            return f"~{operand(a, names)}"
        case [op, a, b] if op in INFIX:
            return f"{operand(a, names)} {INFIX[op]} {operand(b, names)}"
        case [op, a, b]:
            return f"{op}({integer(a, names)}, {integer(b, names)})"
    raise AssertionError(e)


def operand(e: Term, names: list[str]) -> str:
    """An integer as an operand of an operator."""
    text = integer(e, names)
    return f"({text})" if e[0] in INFIX or e[0] == "not" or text.startswith("-") else text


def spelled(number: int) -> str:
    """``number`` in decimals, a very large one in hex: Python turns none of more than 4300 digits into text. (As
    ``refrelax.spelled``; what checks has nothing of the rest.)"""
    return str(number) if number.bit_length() <= 2_048 else hex(number)
