"""Which spelling a text is in, and the one migration that needs the whole module.

The graph level is spelled as in TVM 0.27 or as in 0.25 and earlier (``out_sinfo=``, ``tir_vars=``, …), the loop level
as in 0.23 to 0.27 or as in 0.22 and earlier (``T.block``, …). A text with both spellings of a level is refused: the
same ``x = e`` in a PrimFunc is a let in the one and a mutable scalar in the other. So is the old loop level beside the
new graph level, which no TVM ever printed. A text that shows no spelling is current.

``tir_vars=R.shape([n, m])`` passed scalars behind the outputs; now they are arguments, before the outputs. So the last
parameters of every such PrimFunc move, which only works if all its callers agree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from refrelax.errors import Diagnostic, Malformed
from refrelax.rules import rule
from refrelax.syntax.editions import BLOCKS, CURRENT, EDITIONS, OUT_TYPES, STRUCT_INFO, Edition
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Source
from refrelax.syntax.read.trees import walk
from refrelax.syntax.read.types import dotted


@dataclass(frozen=True, slots=True)
class Spelling:
    """The editions that have a word, of a level; ``last`` is ``None`` where the current one has it."""

    level: Literal["graph", "loops"]
    first: Edition
    last: Edition | None = None

    def spelled_in(self, edition: Edition) -> bool:
        """Whether the edition has it."""
        return self.first.last <= edition.last and (self.last is None or edition.last <= self.last.last)


_OLD_GRAPH, _NEW_GRAPH = Spelling("graph", BLOCKS, STRUCT_INFO), Spelling("graph", OUT_TYPES)
_OLD_LOOPS, _NEW_LOOPS = Spelling("loops", BLOCKS, BLOCKS), Spelling("loops", STRUCT_INFO)

_OLD_KEYWORDS = frozenset({"out_sinfo", "sinfo_args", "tir_vars"})
_NEW_KEYWORDS = frozenset({"out_ty", "ty_args"})
_OLD_NAMES = frozenset({"T.block", "T.block_attr", "T.LetStmt"})
_NEW_LOOP_NAMES = frozenset({
    "T.sblock", "T.sblock_attr", "T.sblock_alloc_buffer", "T.let", "T.break_loop", "T.continue_loop",
})  # fmt: skip
_NEW_GRAPH_NAMES = frozenset({"TypeVar", "typing.TypeVar", "R.Any"})
_ATTRIBUTES = ("noalias", "is_scheduled", "is_entry_func", "is_host_func")
_OLD_CONSTANT, _NEW_CONSTANT = "relax.expr.Constant", "ir.GenericConst"
_OLD_LOOP_STRINGS = frozenset(f"tir.{each}" for each in _ATTRIBUTES)
_NEW_LOOP_STRINGS = frozenset(f"tirx.{each}" for each in _ATTRIBUTES)
_OLD_STRINGS = _OLD_LOOP_STRINGS | {_OLD_CONSTANT}
_OLD_COMMENT = re.compile(r"^[ \t]*(?:# *)?from tvm\.script import (?:.*\b)?tir as ", re.MULTILINE)
_NEW_COMMENT = re.compile(r"^[ \t]*(?:# *)?from tvm\.script import (?:.*\b)?tirx as ", re.MULTILINE)


def _words(texts: Iterable[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(texts))


_MAYBE_OLD = re.compile(
    rf"(?<![\w.])(?:{_words(_OLD_NAMES)}|{_words(_OLD_KEYWORDS)})\b|{_words(_OLD_STRINGS)}|\btir as\b"
)
"""A quick look at the text: without a hit the tree need not be searched."""


@rule("syn/one-edition")
def migrate(src: Source, tree: ast.Module) -> None:
    """Find the edition of a text (``src.edition``) and bring what depends on the whole module to the current one.

    Raises:
        Malformed: the text mixes the spellings, or its ``tir_vars`` cannot be migrated.
    """
    if not _MAYBE_OLD.search(src.text):
        src.edition = CURRENT  # no old spelling anywhere, not even in a comment
        return
    signs = _signs(tree)
    _refuse_clashes(src, signs)
    found = _editions(src.text, signs)
    src.edition = CURRENT if CURRENT in found else found[0]
    if src.edition.struct_info:
        _rename_keys(tree)
        _move_scalars(src, tree)


def _editions(text: str, signs: Iterable[Spelling]) -> list[Edition]:
    """The editions that a text may be in. A comment that says how a level was imported counts where nothing else is
    against it."""
    found = [each for each in EDITIONS if all(sign.spelled_in(each) for sign in signs)]
    for comment, sign in _COMMENTS:
        if comment.search(text):
            found = [each for each in found if sign.spelled_in(each)] or found
    return found


def _refuse_clashes(src: Source, signs: Mapping[Spelling, ast.AST]) -> None:
    """No edition has both of two spellings: refuse, at the former one. Those of one level come first."""
    pairs = [(a, b) for a in signs for b in signs if a.last is not None and a.last.last < b.first.last]
    for old, new in sorted(pairs, key=lambda pair: (pair[0].level != pair[1].level, pair[0].level)):
        _clash(src, old, signs[old], new, signs[new])


def _clash(src: Source, old: Spelling, at: ast.AST, new: Spelling, other: ast.AST) -> None:
    former = f"`{_text(at)}` is spelled as in TVM {old.last}"
    later = f"`{_text(other)}` as in TVM {new.last or CURRENT}"
    message = f"{former}, {later}; a text has one spelling"
    raise Malformed([Diagnostic("syn/one-edition", message, src.span(at), ((_text(other), src.span(other)),))])


def _text(node: ast.AST) -> str:
    return f"{node.arg}=" if isinstance(node, ast.keyword) else shown(node)


def _signs(tree: ast.Module) -> dict[Spelling, ast.AST]:
    """The first node in source order that shows each spelling."""
    found = [(sign, node) for node in walk(tree) if (sign := _sign(node)) is not None]
    found.sort(key=lambda each: (getattr(each[1], "lineno", 0), getattr(each[1], "col_offset", 0)), reverse=True)
    return dict(found)


def _sign(node: ast.AST) -> Spelling | None:
    """The spelling that a node shows."""
    match node:
        case ast.keyword(arg=str() as name):
            return _KEYWORDS.get(name)
        case ast.Constant(value=str() as text):
            return _STRINGS.get(text)
        case ast.Attribute() | ast.Name():
            return _NAMES.get(dotted(node) or "")
    return None


_KEYWORDS = {**dict.fromkeys(_OLD_KEYWORDS, _OLD_GRAPH), **dict.fromkeys(_NEW_KEYWORDS, _NEW_GRAPH)}
_STRINGS = {
    _OLD_CONSTANT: _OLD_GRAPH,
    _NEW_CONSTANT: _NEW_GRAPH,
    **dict.fromkeys(_OLD_LOOP_STRINGS, _OLD_LOOPS),
    **dict.fromkeys(_NEW_LOOP_STRINGS, _NEW_LOOPS),
}
_NAMES = {
    **dict.fromkeys(_OLD_NAMES, _OLD_LOOPS),
    **dict.fromkeys(_NEW_LOOP_NAMES, _NEW_LOOPS),
    **dict.fromkeys(_NEW_GRAPH_NAMES, _NEW_GRAPH),
}
_COMMENTS = ((_NEW_COMMENT, _NEW_LOOPS), (_OLD_COMMENT, _OLD_LOOPS))


def _rename_keys(tree: ast.Module) -> None:
    """``"tir.noalias"`` and its kin among function attributes are ``"tirx.noalias"`` now."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and key.value in _OLD_STRINGS and str(key.value).startswith("tir."):
                    key.value = "tirx." + str(key.value).removeprefix("tir.")


# --- tir_vars --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a PrimFunc is called: so many outputs, so many scalars behind them."""

    outputs: int
    scalars: int


_FORMS = frozenset({"R.call_tir", "R.call_tir_inplace", "R.call_tir_with_grad", "R.dist.call_tir"})


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) in _FORMS:
            yield node


@rule("syn/tir-vars")
def _move_scalars(src: Source, tree: ast.Module) -> None:
    shapes: dict[str, tuple[_Shape, ast.Call]] = {}
    for call in _calls(tree):
        name = (dotted(call.args[0]) or "").rsplit(".", 1)[-1] if call.args else ""
        shape = _Shape(_outputs(src, call), _take_scalars(src, call))
        known = shapes.setdefault(name, (shape, call))
        if known[0] != shape and (shape.scalars or known[0].scalars):
            src.fail(
                call,
                "syn/tir-vars",
                f"{name} is called with {shape.scalars} and with {known[0].scalars} tir_vars; expected one number",
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in shapes:
            _move(src, node, shapes[node.name][0])
    _refuse_direct_calls(src, tree, {name for name, (shape, _) in shapes.items() if shape.scalars})


def _outputs(src: Source, call: ast.Call) -> int:
    """How many outputs the callee has as parameters of its own (in-place results have none)."""
    given = {k.arg: k.value for k in call.keywords}
    out = given.get("out_sinfo", given.get("out_ty"))
    if out is None:
        out = call.args[3 if dotted(call.func) == "R.call_tir_inplace" else 2] if len(call.args) > 2 else None
    count = len(out.elts) if isinstance(out, (ast.List, ast.Tuple)) else 1
    if dotted(call.func) != "R.call_tir_inplace":
        return count
    indices = given.get("inplace_indices", call.args[2] if len(call.args) > 2 else None)
    listed = indices.elts if isinstance(indices, (ast.List, ast.Tuple)) else [indices]
    return sum(1 for each in listed if isinstance(each, ast.UnaryOp))


def _take_scalars(src: Source, call: ast.Call) -> int:
    """Move the values of ``tir_vars=`` into the argument tuple; how many they are."""
    found = [k for k in call.keywords if k.arg == "tir_vars"]
    if not found:
        return 0
    value = found[0].value
    call.keywords.remove(found[0])
    if isinstance(value, ast.Constant) and value.value is None:
        return 0
    if isinstance(value, ast.Call) and dotted(value.func) in ("R.shape", "R.ShapeExpr", "R.tuple") and value.args:
        value = value.args[0]
    if not isinstance(value, (ast.List, ast.Tuple)) or len(call.args) < 2:
        src.fail(found[0].value, "syn/tir-vars", f"expected tir_vars=R.shape([…]), found `{shown(found[0].value)}`")
    args = call.args[1]
    if isinstance(args, ast.Call) and dotted(args.func) == "R.tuple":
        args = ast.copy_location(ast.Tuple(args.args, ast.Load()), args)
    items = args.elts if isinstance(args, (ast.Tuple, ast.List)) else [args]
    call.args[1] = ast.copy_location(ast.Tuple([*items, *value.elts], ast.Load()), args)
    return len(value.elts)


def _move(src: Source, node: ast.FunctionDef, shape: _Shape) -> None:
    params = node.args.args
    if not shape.scalars:
        return
    if len(params) < shape.outputs + shape.scalars:
        src.fail(
            node,
            "syn/tir-vars",
            f"{node.name} has too few parameters for {shape.outputs} outputs and {shape.scalars} tir_vars",
        )
    split = len(params) - shape.scalars
    inputs = split - shape.outputs
    node.args.args = [*params[:inputs], *params[split:], *params[inputs:split]]


def _refuse_direct_calls(src: Source, tree: ast.Module, moved: set[str]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in moved:
            if isinstance(node.func.value, ast.Name) and node.func.value.id not in ("R", "T", "I"):
                src.fail(
                    node,
                    "syn/tir-vars",
                    f"{node.func.attr} is called directly and with tir_vars; its parameters cannot move",
                )
