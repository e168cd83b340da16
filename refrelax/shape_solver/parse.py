"""Claims as text: Python's expression syntax over symbols, read with ``ast`` and never evaluated.

``+ - * // %``, ``<< >> & | ^``, ``2 ** k``, comparisons (chained too), ``and or not``, ``a if c else b``,
``implies(a, b)``, ``==`` between claims, and the functions in ``FUNCTIONS``; each also with the prefix ``T.`` of
TVMScript.

Spec: ``spec/06b-solver.md``, ``sh/claim-syntax``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from functools import reduce

from refrelax.errors import Diagnostic, Malformed, Span, UsageError
from refrelax.rules import rule
from refrelax.shape_solver.core import integer
from refrelax.syntax.dtypes import integer_range, is_dtype, kind, lanes
from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
    walk,
)

MAX_DEPTH = 120
"""Deepest nesting of a claim."""

OPERATORS: dict[type[ast.operator], BinaryOp] = {
    ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.FloorDiv: "FloorDiv", ast.Mod: "FloorMod",
}  # fmt: skip
INTRINSICS: dict[type[ast.operator], str] = {
    ast.LShift: "shift_left", ast.RShift: "shift_right",
    ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], BinaryOp] = {
    ast.Eq: "EQ", ast.NotEq: "NE", ast.Lt: "LT", ast.LtE: "LE", ast.Gt: "GT", ast.GtE: "GE",
}  # fmt: skip

DIGITS = 4_300
"""Decimal digits of a literal; Python reads no longer ones. A larger number is written in hex."""

DECIMAL = re.compile(r"(?<![\w.])[0-9][0-9_]*")

FOREIGN = re.compile(r"&&|\|\||!(?!=)|(?<![=<>!:])=(?!=)|\?")
INSTEAD = {"&&": "and", "||": "or", "!": "not", "=": "==", "?": "a if c else b"}
"""Operators of other languages, and what stands for them in a claim."""

ELSEWHERE = {"cdiv": "ceildiv", "ceil_div": "ceildiv", "pow": "**", "where": "select", "xor": "^", "mod": "%"}
"""Functions of other libraries that no spelling leads from to ours."""

CONSTRUCTORS: tuple[BinaryOp, ...] = (
    "Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Min", "Max", "LT", "LE", "GT", "GE",
)  # fmt: skip
"""How what would fold is printed: ``T.LE(0, 0)``."""

Build = Callable[..., PrimExpr]


def _call(op: str) -> Build:
    return lambda *args: Intrinsic(op, args, "int64")


def _binary(op: BinaryOp) -> Build:
    return lambda a, b: Binary(op, a, b)


def _fold(op: BinaryOp) -> Build:
    return lambda *args: reduce(lambda a, b: Binary(op, a, b), args)


def ceildiv(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``(a + b - 1) // b``, which is how TVM reads ``T.ceildiv``."""
    return Binary("FloorDiv", Binary("Sub", Binary("Add", a, b), int_imm(1)), b)


def implies(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``b`` is only evaluated where ``a`` holds."""
    return Binary("Or", Not(a), b)


def choose(c: PrimExpr, a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a`` or ``b``; only the chosen one is evaluated."""
    return Intrinsic("if_then_else", (c, a, b), a.dtype)


FUNCTIONS: dict[str, tuple[str, Build]] = {
    "min": ("ii*", _fold("Min")), "max": ("ii*", _fold("Max")), "abs": ("i", _call("abs")),
    "floordiv": ("ii", _binary("FloorDiv")), "floormod": ("ii", _binary("FloorMod")),
    "indexdiv": ("ii", _binary("FloorDiv")), "indexmod": ("ii", _binary("FloorMod")),
    "truncdiv": ("ii", _binary("Div")), "Div": ("ii", _binary("Div")),
    "truncmod": ("ii", _binary("Mod")), "Mod": ("ii", _binary("Mod")), "ceildiv": ("ii", ceildiv),
    "select": ("b??", choose), "if_then_else": ("b??", choose), "Select": ("b??", Select),
    "shift_left": ("ii", _call("shift_left")), "shift_right": ("ii", _call("shift_right")),
    "bitwise_and": ("ii", _call("bitwise_and")), "bitwise_or": ("ii", _call("bitwise_or")),
    "bitwise_xor": ("ii", _call("bitwise_xor")), "likely": ("b", lambda a: a),
    "implies": ("bb", implies), "And": ("bb", _binary("And")), "Or": ("bb", _binary("Or")), "Not": ("b", Not),
    "bitwise_not": ("i", _call("bitwise_not")), "EQ": ("??", _binary("EQ")), "NE": ("??", _binary("NE")),
    **{op: ("ii", _binary(op)) for op in CONSTRUCTORS},
}  # fmt: skip
"""Name to (what each argument is: ``i`` integer, ``b`` claim, ``?`` either, ``*`` any number of the last; builder)."""


@rule("sh/claim-syntax")
def parse_claim(text: str, filename: str = "<claim>") -> PrimExpr:
    """The claim that ``text`` states: a scalar expression of dtype ``bool``.

    Raises:
        Malformed: ``sh/claim-syntax``, with the place.
    """
    return _Reader(text, filename).claim()


def parse_dim(text: str, filename: str = "<dim>") -> PrimExpr:
    """The integer expression that ``text`` states. Raises as ``parse_claim`` does."""
    return _Reader(text, filename).dim()


class _Reader:
    def __init__(self, text: str, filename: str) -> None:
        if not isinstance(text, str):
            raise UsageError(f"expected a text in Python's expression syntax, found {text!r:.60}")
        self.text = text.strip()
        before = text[: len(text) - len(text.lstrip())]
        self.before = before.count("\n"), len(before) - before.rfind("\n") - 1
        """Lines before the claim, and characters before it on its first one."""
        self.filename = filename
        self.depth = 0
        self.claims: set[str] = set()
        """Names that stand as claims somewhere in the text."""
        for number in DECIMAL.finditer(self.text):
            if (digits := len(number[0].replace("_", ""))) > DIGITS:
                expected = f"a number of at most {DIGITS} decimal digits (hex, 0x…, has no limit)"
                raise self.refused(f"expected {expected}, found one of {digits}", self.line_and_column(number.start()))
        try:
            self.root = ast.parse(self.text, filename, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise self.no_expression(error) from None

    def claim(self) -> PrimExpr:
        return self.settled("b")

    def dim(self) -> PrimExpr:
        return self.settled("i")

    def settled(self, want: str) -> PrimExpr:
        """Read again while names turn out to be claims: ``p or q == p``."""
        while True:
            found = self.read(self.root, want)
            claims = {e.name for e in walk(found) if isinstance(e, SymVar) and e.dtype == "bool"} - self.claims
            if not claims:
                return found
            self.claims |= claims

    # --- what is refused

    def refused(self, message: str, place: tuple[int, int]) -> Malformed:
        """``message`` about a line and a column of the stripped text, from 1."""
        line, column = place
        place = line + self.before[0], column + (self.before[1] if line == 1 else 0)
        return Malformed([Diagnostic("sh/claim-syntax", message, Span(self.filename, *place))])

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Where a character of the stripped text stands."""
        above = self.text[:offset]
        return above.count("\n") + 1, offset - above.rfind("\n")

    def no_expression(self, error: Exception) -> Malformed:
        """What Python does not read: an operator of another language, if there is one, else where Python stopped."""
        foreign = [each for each in FOREIGN.finditer(self.text) if each[0] != "=" or not self.keyword(each.start())]
        if isinstance(error, SyntaxError) and foreign:
            found = foreign[0]
            return self.refused(
                f"expected {INSTEAD[found[0]]!r}, found {found[0]!r}", self.line_and_column(found.start())
            )
        line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 0
        if isinstance(error, SyntaxError) and column < 1:  # it ends too soon
            line, column = self.line_and_column(len(self.text))
        return self.refused(
            f"expected a claim in Python's expression syntax, found {self.text[:60]!r}", (line, max(column, 1))
        )

    def keyword(self, offset: int) -> bool:
        """Whether the ``=`` there is that of ``T.Let(x, where={…})``."""
        return self.text[:offset].rstrip().endswith("where")

    def fail(self, node: ast.AST, expected: str) -> Malformed:
        found = ast.get_source_segment(self.text, node) or type(node).__name__
        return self.refused(f"expected {expected}, found {found[:60]!r}", self.characters(node, ""))

    def characters(self, node: ast.AST, end: str) -> tuple[int, int]:
        """Line and column where ``node`` begins, or, for ``end_``, where it has ended; ``ast`` counts bytes."""
        line, offset = getattr(node, f"{end}lineno", 1), getattr(node, f"{end}col_offset", 0)
        row = self.text.split("\n")[line - 1].encode()[:offset]
        return line, len(row.decode(errors="replace")) + 1

    def fail_between(self, left: ast.expr, right: ast.expr, expected: str) -> Malformed:
        """What stands between two operands is no operator of claims."""
        rows = self.text.split("\n")
        line, column = self.characters(left, "end_")
        until = self.characters(right, "")
        while (line, column) < until:
            rest = rows[line - 1][column - 1 :]
            if found := re.match(r"(?:is\s+not|not\s+in|\w+|[^\s()\\]+)", rest):
                return self.refused(f"expected {expected}, found {found[0]!r}", (line, column))
            line, column = (line, column + 1) if rest else (line + 1, 1)
        return self.fail(left, expected)

    # --- what is read

    def read(self, node: ast.expr, want: str) -> PrimExpr:
        """``node`` as an integer (``i``), a claim (``b``), or whichever it is (``?``)."""
        if self.depth > MAX_DEPTH:
            raise self.fail(node, f"nesting of at most {MAX_DEPTH} levels")
        self.depth += 1
        result = self.build(node, want)
        self.depth -= 1
        if want != "?" and (result.dtype == "bool") != (want == "b"):
            raise self.fail(node, "a claim" if want == "b" else "an integer")
        return result

    def build(self, node: ast.expr, want: str) -> PrimExpr:
        match node:
            case ast.Constant(bool() as flag):
                return bool_imm(flag)
            case ast.Constant(int() as number):
                return integer(number)
            case ast.Name(name):
                return SymVar(name, "bool" if want == "b" or (want == "?" and name in self.claims) else "int64")
            case ast.BinOp():
                return self.operators(node)
            case ast.UnaryOp(ast.USub(), operand):
                return self.negated(operand)
            case ast.UnaryOp(ast.Invert(), operand):
                return Intrinsic("bitwise_not", (self.read(operand, "i"),), "int64")
            case ast.UnaryOp(ast.UAdd(), operand):
                return self.read(operand, "i")
            case ast.UnaryOp(ast.Not(), operand):
                return Not(self.read(operand, "b"))
            case ast.BoolOp(op, values):
                parts = [self.read(each, "b") for each in values]
                return _fold("And" if isinstance(op, ast.And) else "Or")(*parts)
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp(test, body, orelse):
                return self.choice(choose, [test, body, orelse], want)
            case ast.Call(func, args, []):
                return self.call(node, func, args, want)
            case ast.Call(func, [body], [ast.keyword("where", ast.Dict([ast.Name(name)], [value]))]):
                return self.let(node, func, body, name, value, want)
            case _:
                raise self.fail(node, "a symbol, an integer or an operator of claims")

    def negated(self, operand: ast.expr) -> PrimExpr:
        match operand:
            case ast.Constant(int() as number) if not isinstance(number, bool):
                return integer(-number)
            case _:
                return Binary("Sub", int_imm(0), self.read(operand, "i"))

    def operators(self, node: ast.BinOp) -> PrimExpr:
        """``a + b - c + …`` without recursion to the left."""
        spine = [node]
        while isinstance(left := spine[-1].left, ast.BinOp):
            spine.append(left)
        result = self.read(spine[-1].left, "i")
        for each in reversed(spine):
            result = self.arithmetic(each, result)
        return result

    def arithmetic(self, node: ast.BinOp, left: PrimExpr) -> PrimExpr:
        before, op, right = node.left, node.op, node.right
        if isinstance(op, ast.Pow):
            return self.power(node, left, right)
        b = self.read(right, "i")
        if type(op) in OPERATORS:
            return Binary(OPERATORS[type(op)], left, b)
        if type(op) in INTRINSICS:
            return Intrinsic(INTRINSICS[type(op)], (left, b), "int64")
        hint = ", // (floor) or truncdiv for a quotient" if isinstance(op, ast.Div) else ""
        raise self.fail_between(before, right, f"one of + - * // % << >> & | ^ **{hint}")

    def power(self, node: ast.expr, left: PrimExpr, right: ast.expr) -> PrimExpr:
        if isinstance(right, ast.Constant) and isinstance(right.value, int) and 1 <= right.value <= 16:
            return _fold("Mul")(*[left] * right.value)
        if left == int_imm(2):
            return Intrinsic("shift_left", (int_imm(1), self.read(right, "i")), "int64")
        raise self.fail(node, "2 ** k or a power from 1 to 16")

    def comparison(self, node: ast.Compare) -> PrimExpr:
        sides: list[ast.expr] = [node.left, *node.comparators]
        parts: list[PrimExpr] = []
        for a, op, b in zip(sides, node.ops, sides[1:]):
            if type(op) not in COMPARE:
                raise self.fail_between(a, b, "one of == != < <= > >=")
            left, right = self.pair(a, b)
            if left.dtype == "bool" and COMPARE[type(op)] not in ("EQ", "NE"):
                raise self.fail(node, "== or != between claims")
            parts.append(Binary(COMPARE[type(op)], left, right))
        return _fold("And")(*parts)

    def pair(self, a: ast.expr, b: ast.expr) -> tuple[PrimExpr, PrimExpr]:
        """Two operands of one kind: a bare name beside a claim is a claim, and so is a choice of names."""
        left, right = self.read(a, "?"), self.read(b, "?")
        if (left.dtype == "bool") != (right.dtype == "bool"):
            want = "b" if _names(a if left.dtype != "bool" else b) else "i"
            return self.read(a, want), self.read(b, want)
        return left, right

    def choice(self, build: Build, args: Sequence[ast.expr], want: str) -> PrimExpr:
        """Both arms are what the choice has to be."""
        condition = self.read(args[0], "b")
        arms = self.pair(args[1], args[2]) if want == "?" else (self.read(args[1], want), self.read(args[2], want))
        return build(condition, *arms)

    def call(self, node: ast.expr, func: ast.expr, args: Sequence[ast.expr], want: str) -> PrimExpr:
        name = _function_name(func)
        if name == "call_intrin":
            name, args = self.intrinsic(node, args)
        if name == "Cast" and len(args) == 2 and isinstance(args[0], ast.Constant) and isinstance(args[0].value, str):
            return self.cast(node, args[0].value, args[1])
        if name is not None and is_dtype(name) and len(args) == 1:
            return self.cast(node, name, args[0])
        if name not in FUNCTIONS:
            raise self.fail(func, _functions_near(name))
        kinds, build = FUNCTIONS[name]
        if kinds == "b??" and len(args) == 3:
            return self.choice(build, args, want)
        if kinds == "??" and len(args) == 2:
            return build(*self.pair(*args))
        wanted = kinds.rstrip("*")
        if len(args) != len(wanted) and not (kinds.endswith("*") and len(args) >= len(wanted)):
            least = f"{len(wanted)}{' or more' if kinds.endswith('*') else ''}"
            raise self.fail(
                node, f"{least} {'argument' if least == '1' else 'arguments'} of {name} (found {len(args)})"
            )
        wanted += wanted[-1] * (len(args) - len(wanted))
        return build(*(self.read(arg, want) for arg, want in zip(args, wanted)))

    def intrinsic(self, node: ast.expr, args: Sequence[ast.expr]) -> tuple[str, Sequence[ast.expr]]:
        """``T.call_intrin("int64", "tirx.f", …)``: a function as it is printed where its short form would fold."""
        match args:
            case [ast.Constant(str()), ast.Constant(str() as name), *rest] if name.startswith("tirx."):
                if (function := name.removeprefix("tirx.")) in FUNCTIONS:
                    return function, rest
            case _:
                pass
        raise self.fail(node, 'T.call_intrin("dtype", "tirx.f", …) of a function of claims')

    def cast(self, node: ast.expr, dtype: str, arg: ast.expr) -> PrimExpr:
        if not is_dtype(dtype) or kind(dtype) not in ("int", "uint", "bool") or lanes(dtype) != 1:
            raise self.fail(node, INTEGER_DTYPE)
        value = self.read(arg, "?")
        number = as_int(value) if isinstance(value, Literal) and value.dtype == "int64" else None
        if number is not None and dtype != "bool" and integer_range(dtype)[0] <= number <= integer_range(dtype)[1]:
            return int_imm(number, dtype)
        return Cast(dtype, value)

    def let(self, node: ast.expr, func: ast.expr, body: ast.expr, name: str, value: ast.expr, want: str) -> PrimExpr:
        """``T.Let(body, where={name: value})``."""
        if _function_name(func) != "Let":
            raise self.fail(node, "T.Let(body, where={x: value})")
        bound = self.read(value, "?")
        return Let(SymVar(name, "bool" if bound.dtype == "bool" else "int64"), bound, self.read(body, want))


INTEGER_DTYPE = "an integer dtype (int1 to int64, uint1 to uint64) or bool"


def _functions_near(name: str | None) -> str:
    """What is expected where ``name`` is called: the functions of about that name, else all of them."""
    if name is not None and re.fullmatch(r"u?int[0-9]+|float[0-9]+|bfloat16", name):
        return INTEGER_DTYPE
    from difflib import get_close_matches  # only a mistake needs it

    known = {each.lower(): each for each in sorted(FUNCTIONS)}
    near = [ELSEWHERE[name]] if name in ELSEWHERE else get_close_matches((name or "").lower(), known, 3, 0.7)
    if near:
        return f"a function of claims (perhaps {' or '.join(known.get(each, each) for each in near)})"
    return f"one of the functions {', '.join(sorted(FUNCTIONS))}"


def _names(node: ast.expr) -> bool:
    """Whether ``node`` is a name, or a choice of nothing else."""
    match node:
        case ast.Name():
            return True
        case ast.IfExp(_, body, orelse):
            return _names(body) and _names(orelse)
        case ast.Call(func, [_, body, orelse], []) if FUNCTIONS.get(_function_name(func) or "", ("",))[0] == "b??":
            return _names(body) and _names(orelse)
        case _:
            return False


def _function_name(func: ast.expr) -> str | None:
    match func:
        case ast.Name(name) | ast.Attribute(ast.Name("T" | "tir" | "tirx"), name):
            return name
        case _:
            return None
