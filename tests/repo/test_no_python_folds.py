"""Operator bodies and intrinsics never fold, compare, branch on or index with elements by Python's own operators.

An AST walk over ``semantics/ops`` and ``semantics/intrinsics``. Inside one function a name is *tainted* when it holds
an element or a list of elements: it was made by indexing or iterating over what a ``Tensor`` parameter or
``.payloads()`` gives, or by a method of an arithmetic (``f = e.numerics.at(…)``; ``f.add(…)``). Tainted expressions
may only be passed on.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SEMANTICS = Path(__file__).parents[2] / "refrelax" / "semantics"
FILES = sorted([*SEMANTICS.glob("ops/**/*.py"), *SEMANTICS.glob("intrinsics/**/*.py")])

FOLDS = {"sum", "max", "min", "sorted", "any", "all", "fsum", "prod", "abs", "round", "int", "float", "bool"}
MAKES_ELEMENTS = {
    "lit", "from_bits", "add", "sub", "mul", "div", "mod", "floordiv", "floormod", "neg", "maximum", "minimum", "fma",
    "bit_and", "bit_or", "bit_xor", "bit_not", "shift_left", "shift_right", "popcount", "clz", "less", "less_equal",
    "equal", "not_equal", "isnan", "isinf", "isfinite", "select", "cast", "reinterpret", "reduce", "dot", "argreduce",
    "order", "pick", "either", "begin", "accumulate", "settle", "truth", "all_of", "any_of", "negate",
}  # fmt: skip
"""Methods of ``Arithmetic`` and ``Numerics`` whose result is a payload (``to_index``, ``decide``, ``to_bits`` are
not).
"""


class Taint(ast.NodeVisitor):
    """Finds the misuses inside one outermost function."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.arithmetics: set[str] = set()
        self.tensors: set[str] = set()
        self.elements: set[str] = set()
        self.found: list[tuple[int, str]] = []
        self._seed(function)
        for _ in range(4):  # names flow through a few assignments; the sets only grow
            for node in ast.walk(function):
                self._flow(node)
        self.visit(function)

    def _seed(self, function: ast.FunctionDef) -> None:
        for node in ast.walk(function):
            if isinstance(node, ast.arg) and node.annotation is not None:
                kind = ast.unparse(node.annotation)
                if kind in ("Tensor", "values.Tensor"):
                    self.tensors.add(node.arg)
                elif kind in ("Payload", "Truth"):
                    self.elements.add(node.arg)
                elif kind == "Arithmetic":
                    self.arithmetics.add(node.arg)

    def _flow(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._bind(node.targets[0], node.value)
        elif (isinstance(node, ast.AnnAssign) and node.value is not None) or isinstance(node, ast.NamedExpr):
            self._bind(node.target, node.value)
        elif isinstance(node, (ast.For, ast.comprehension)):
            self._iterate(node.target, node.iter)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "at":
            self.arithmetics.update(names)
        elif self.tainted(value) or self.collection(value):
            self.elements.update(names)

    def _iterate(self, target: ast.expr, source: ast.expr) -> None:
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "enumerate":
            if isinstance(target, ast.Tuple) and len(target.elts) == 2 and source.args:
                self._iterate(target.elts[1], source.args[0])
            return
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "zip":
            if isinstance(target, ast.Tuple) and len(target.elts) == len(source.args):
                for part, origin in zip(target.elts, source.args):
                    self._iterate(part, origin)
            return
        if self.tainted(source) or self.collection(source):
            self.elements.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))

    def collection(self, node: ast.expr) -> bool:
        """Whether an expression is a list of elements."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "payloads":
            return True
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.tainted(node.elt)
        return isinstance(node, (ast.List, ast.Tuple)) and any(self.tainted(each) for each in node.elts)

    def tainted(self, node: ast.expr) -> bool:
        """Whether an expression is an element."""
        match node:
            case ast.Name(id=name):
                return name in self.elements
            case ast.Subscript(value=ast.Name(id=name)):
                return name in self.tensors or name in self.elements
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)):
                return attr in MAKES_ELEMENTS and self._arithmetic(owner)
            case ast.Call(func=ast.Call(func=ast.Attribute(attr="math" | "math2"))):
                return True
            case ast.IfExp(body=body, orelse=other):
                return self.tainted(body) or self.tainted(other)
            case ast.BinOp(left=left, right=right):
                return self.tainted(left) or self.tainted(right)
            case ast.UnaryOp(operand=operand) | ast.Starred(value=operand) | ast.NamedExpr(value=operand):
                return self.tainted(operand)
        return False

    def _arithmetic(self, owner: ast.expr) -> bool:
        if isinstance(owner, ast.Name):
            return owner.id in self.arithmetics or owner.id in ("numerics",)
        if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
            return owner.func.attr == "at"
        return isinstance(owner, ast.Attribute) and owner.attr == "numerics"

    # --- misuses ------------------------------------------------------------------------------------------------------

    def report(self, node: ast.expr | ast.stmt, what: str) -> None:
        self.found.append((node.lineno, what))

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, (ast.Name, ast.Attribute)):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            plain = isinstance(node.func, ast.Name) or ast.unparse(node.func.value) == "math"
            if plain and name in FOLDS and any(self.tainted(a) or self.collection(a) for a in node.args):
                self.report(node, f"{name}() of elements")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        identity = all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
        if not identity and any(self.tainted(each) for each in (node.left, *node.comparators)):
            self.report(node, "a Python comparison of elements")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        # the concatenation of lists of elements is fine: only single elements are computed with
        literal = any(isinstance(each, (ast.List, ast.Tuple, ast.ListComp)) for each in (node.left, node.right))
        if not literal and any(
            isinstance(e, (ast.Subscript, ast.Call)) and self.tainted(e) for e in (node.left, node.right)
        ):
            self.report(node, "Python arithmetic on an element")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if any(self.tainted(each) and not isinstance(each, ast.Name) for each in node.values):
            self.report(node, "and/or on elements")
        self.generic_visit(node)

    def _condition(self, node: ast.If | ast.While | ast.IfExp) -> None:
        test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
        if self.tainted(test) and not isinstance(test, ast.Name):
            self.report(node, "a branch on an element")
        self.generic_visit(node)

    visit_If = visit_While = visit_IfExp = _condition

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Call) and self.tainted(node.slice):
            self.report(node, "an element used as an index")
        self.generic_visit(node)


def misuses(text: str) -> list[tuple[int, str]]:
    """Line and kind of every misuse in a source text."""
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    functions += [n for c in tree.body if isinstance(c, ast.ClassDef) for n in c.body if isinstance(n, ast.FunctionDef)]
    return sorted({each for function in functions for each in Taint(function).found})


@pytest.mark.by_day(4)
@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SEMANTICS)))
def test_bodies_use_the_numerics_interface(path: Path) -> None:
    assert misuses(path.read_text(encoding="utf-8")) == []


HEAD = (
    "def body(e: Evaluation, x: Tensor, a: Payload):\n"
    "    f = e.numerics.at(x.dtype)\n"
    "    items = [x[i] for i in range(3)]\n"
)


@pytest.mark.parametrize(
    "line",
    [
        "return sum(items)", "return max(x[i] for i in range(3))", "return sorted(x.payloads())",
        "return f.add(a, a) + 1",
        "return x[0] * x[1]", "y = x[0] if x[0] > x[1] else x[1]", "return f.less(a, x[0]) and 1",
        "return items[f.add(a, a)]",
        "if f.less(a, a): return 1", "while not f.isnan(a): pass", "return [y for y in items if y > 0]",
        "for k, y in enumerate(items): y == 0", "return int(f.add(a, a))", "return abs(a)", "return math.fsum(items)",
        "return 1 if f.math('exp')(a) else 2", "t = f.mul(a, a)\n    return t < a",
    ],
)  # fmt: skip
def test_the_lint_finds(line: str) -> None:
    assert misuses(HEAD + f"    {line}\n"), line


@pytest.mark.parametrize(
    "line",
    [
        "return f.reduce('add', items)", "return max(x.shape)", "return sum(x.shape[i] for i in range(2))",
        "if x.ndim > 2: return items", "return items + [f.lit(0)]", "return items[x.ndim - 1]", "return a is None",
        "n = len(items)\n    if n > 3: return n", "i = e.numerics.to_index(a, 'int64')\n    return 0 <= i < 3",
        "return e.numerics.decide(f.less(a, a)) and 1", "if not items: return f.lit(0)", "return sorted(range(3))",
    ],
)  # fmt: skip
def test_the_lint_allows(line: str) -> None:
    assert misuses(HEAD + f"    {line}\n") == [], line
