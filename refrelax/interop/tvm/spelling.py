"""The text of a module for TVM's own reader: of an older wheel too, which reads other spellings than 0.27.

Arguments by position in the order of the IR are read as they are here, but for one operator, whose own printed text TVM
reads as another call. What has no spelling there (scalars among the arguments of ``call_tir`` in 0.25, local functions
over symbols of their own) is printed as for 0.27, and not read: ``ImplementationFailed`` of kind ``unread``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from refrelax.syntax.editions import edition_of
from refrelax.syntax.graph import Call, Op
from refrelax.syntax.module import Module
from refrelax.syntax.write.module import print_module

WORDS = {"R.Any": "R.Object", "out_ty=": "out_sinfo=", "ty_args=": "sinfo_args="}
"""0.26 to 0.25, anywhere outside of strings."""

_WORDS = re.compile(rf'"(?:[^"\\]|\\.)*"|(?<![\w.])(?:{"|".join(map(re.escape, WORDS))})(?![\w])?')
_SCALAR = re.compile(r"T\.(bool|(?:u?int|float)\d+)(?=[,)\]]| ->|:$|$)")
_BOUND = re.compile(r"^(\s+\w+): T\.(bool|(?:u?int|float)\d+) = (.*)$")


def text_for(version: str, module: Module) -> str:
    """The module as the TVM of that version reads it; as 0.27 does if the version says nothing."""
    edition = edition_of(version)
    text = print_module(module, typevars=not edition.quoted_symbols)
    if any(f"R.{name}(" in text for name in _READ):
        functions = {name: _reordered(each) for name, each in module.functions.items()}
        text = print_module(module.with_functions(functions), typevars=not edition.quoted_symbols)
    return _former(text) if edition.struct_info else text


_READ = {"nn.attention_var_len": (0, 1, 2, 3, 5, 4, 6)}
"""By operator: the places of the arguments in the order in which TVM reads them, whatever stands beside them."""


def _reordered(node: Any) -> Any:
    """A tree in which the calls of ``_READ`` have their arguments as they are to be written."""
    if isinstance(node, tuple):
        made = tuple(map(_reordered, node))
        return made if any(a is not b for a, b in zip(made, node, strict=True)) else node
    if not is_dataclass(node) or isinstance(node, type):
        return node
    if isinstance(node, Call) and isinstance(node.op, Op):
        order = _READ.get(node.op.name.removeprefix("relax."), ())
        if len(order) == len(node.args):
            node = replace(node, args=tuple(node.args[k] for k in order))
    old = {f.name: getattr(node, f.name) for f in fields(node) if f.init}
    new = {name: _reordered(each) for name, each in old.items()}
    changed = {name: each for name, each in new.items() if each is not old[name]}
    return replace(node, **changed) if changed else node


def _former(text: str) -> str:
    """The graph level as in 0.25: lines of Relax functions, told by their decorator."""
    lines, graph = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("@"):
            graph = line.lstrip().startswith("@R.function")
        lines.append(_line(line) if graph else line)
    return "\n".join(lines) + "\n"


def _line(line: str) -> str:
    word: Callable[[re.Match[str]], str] = lambda found: WORDS.get(found[0], found[0])  # noqa: E731
    line = _BOUND.sub(r'\1: R.Prim("\2") = R.prim_value(\3)', line)
    if line.lstrip().startswith("def ") or "out_ty=" in line or "ty_args=" in line or "match_cast" in line:
        line = _SCALAR.sub(r'R.Prim("\1")', line)
    return _WORDS.sub(word, line)
