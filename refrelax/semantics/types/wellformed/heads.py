"""Conditions on the head of a function: its attributes.

Spec: ``spec/04-well-formedness.md``, Functions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from types import MappingProxyType

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.syntax.graph import Attrs, Function, StringValue
from refrelax.syntax.module import BaseFunc, Module

CONTRACT = "Contract"
"""The attribute of a graph-level function that names the library function whose meaning it is."""


def text_of(value: object) -> str | None:
    """The text of a string attribute."""
    return value.value if isinstance(value, StringValue) else value if isinstance(value, str) else None


@rule("wf/global-symbol")
def diagnose_head(name: str, attrs: Attrs, private: bool, span: Span | None) -> list[Diagnostic]:
    """A ``global_symbol`` attribute repeats the function's own name; a private function has none."""
    symbol = text_of(dict(attrs).get("global_symbol"))
    if symbol is not None and private:
        message = f"{name} is private, and gives the global_symbol {symbol!r}; expected one of the two"
        return [Diagnostic("wf/global-symbol", message, span)]
    if symbol is None or symbol == name:
        return []
    return [Diagnostic("wf/global-symbol", f"expected global_symbol {name!r}, found {symbol!r}", span)]


def contract_of(f: Function) -> str | None:
    """The library function that ``f`` is the contract of."""
    return text_of(dict(f.attrs).get(CONTRACT))


_RECENT: deque[tuple[Mapping[str, BaseFunc], Mapping[str, str]]] = deque(maxlen=4)
"""The contracts of the modules that were asked about last, which are asked about for each of their functions."""


def contracts_of(module: Module) -> Mapping[str, str]:
    """Names of library functions, each with the name of the function that is its contract."""
    return contracts_among(module.functions)


def contracts_among(functions: Mapping[str, BaseFunc]) -> Mapping[str, str]:
    """The same of functions by name, those of a module or others."""
    for known, contracts in tuple(_RECENT):
        if known is functions:
            return contracts
    ordered = functions if isinstance(functions, MappingProxyType) else dict(sorted(functions.items()))
    graph = ((name, contract_of(each)) for name, each in ordered.items() if isinstance(each, Function))
    found = MappingProxyType({library: name for name, library in graph if library is not None})
    if ordered is functions:  # (a module's, which nobody changes)
        _RECENT.append((functions, found))
    return found


@rule("wf/contract")
def diagnose_contracts(module: Module) -> list[Diagnostic]:
    """A contract names one library function by a string, is pure and is the only one of its name."""
    found: list[Diagnostic] = []
    first: dict[str, tuple[str, Span | None]] = {}
    for name, f in module.relax_functions().items():
        if CONTRACT not in dict(f.attrs):
            continue
        library = contract_of(f)
        if not library:
            message = f"the attribute {CONTRACT} of {name} names a library function; expected a string, not empty"
            found.append(Diagnostic("wf/contract", message, f.span))
        elif library in first:
            other, where = first[library]
            message = f"{name} is a second contract of {library!r}; expected one"
            found.append(Diagnostic("wf/contract", message, f.span, ((f"the contract {other}", where),)))
        else:
            first[library] = (name, f.span)
        if not f.pure:
            message = f"{name} is a contract: expected a pure function, found pure=False"
            found.append(Diagnostic("wf/contract", message, f.span))
    return found
