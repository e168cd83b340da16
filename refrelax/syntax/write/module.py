"""A module as canonical TVMScript 0.27.

Law: the reader gives back an equal module, and TVM 0.27 reads the same text to the same program.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

import re

from refrelax.syntax.graph import ConstantRef, ExternFunc, Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.write.expressions import attribute, attributes, expr_text
from refrelax.syntax.write.graph import body_symbols, write_function
from refrelax.syntax.write.lines import Lines, nodes
from refrelax.syntax.write.loops import write_prim_func

_HEADERS = (
    (r"\bTypeVar\(", ("from typing import TypeVar",)),
    (r"\bI\.", ("from tvm.script import ir as I",)),
    (r"\bT\.", ("from tvm.script import tirx as T", "from tvm.tirx.layout import Axis")),
    (r"\bR\.", ("from tvm.script import relax as R",)),
)
_RANK = {PrimFunc: 1, ExternFunc: 2, Function: 3}


def print_module(module: Module, typevars: bool = True) -> str:
    """Canonical TVMScript, ending in a newline: ``parse(print_module(m)) == m``.

    Without ``typevars``, symbols are declared as up to TVM 0.26: in quotes in a signature, and once more in the body.
    """
    out = Lines(depth=1)
    symbols: dict[str, None] = {}
    _globals(module, out)
    inside = _declared_inside(module) if typevars else _all_symbols(module)
    for name, function in sorted(module.functions.items(), key=_order):
        symbols.update(dict.fromkeys(_function(name, function, out, inside, not typevars)))
    while out.lines and not out.lines[-1]:
        out.lines.pop()
    lines = [f'{each} = TypeVar("{each}")' for each in symbols]
    lines += ["@I.ir_module", "class Module:", *(out.lines or ["    pass"])]
    if any(isinstance(each, ConstantRef) for f in module.functions.values() for each in nodes(f)):
        lines += ["", "# Metadata omitted. Use show_meta=True in script() method to show it."]
    text = "\n".join(lines) + "\n"
    return "".join(f"# {line}\n" for line in _headers(text)) + "\n" + text


def _headers(text: str) -> list[str]:
    return [line for pattern, found in _HEADERS if re.search(pattern, text) for line in found]


def _order(item: tuple[str, BaseFunc]) -> tuple[int, str]:
    name, function = item
    return 1000 if name == "main" else _RANK[type(function)], name


def _globals(module: Module, out: Lines) -> None:
    if module.attrs:
        out.put(f"I.module_attrs({attributes(module.attrs)})")
    if module.global_infos:
        infos = [f'"{name}": [{", ".join(attribute(each) for each in values)}]' for name, values in module.global_infos]
        out.put(f"I.module_global_infos({{{', '.join(infos)}}})")


def _declared_inside(module: Module) -> frozenset[str]:
    """Symbols that the body of some graph function declares: no ``TypeVar`` may have their names, for TVM takes the
    declaration for a second definition."""
    functions = [each for each in module.functions.values() if isinstance(each, Function)]
    return frozenset().union(*(body_symbols(each) for each in functions))


def _all_symbols(module: Module) -> frozenset[str]:
    return frozenset(each.name for f in module.functions.values() for each in nodes(f) if isinstance(each, SymVar))


def _function(name: str, function: BaseFunc, out: Lines, inside: frozenset[str], again: bool) -> tuple[str, ...]:
    if isinstance(function, ExternFunc):
        out.put(f"{name} = {expr_text(function)}")
        return ()
    found = (
        write_function(name, function, out, quoted_symbols=inside, again=again)
        if isinstance(function, Function)
        else write_prim_func(name, function, out, inside)
    )
    out.put("")
    return found
