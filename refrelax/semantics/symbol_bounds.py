"""What a function's attributes promise about its symbols: bounds that hold in every run that has a meaning.

They speak of the symbols of the signature, by name (``syntax/promises.py``).

Spec: ``spec/07-evaluation.md``, ``ev/symbol-bounds``.
"""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.syntax.graph import AttrDict, AttrList, Function, StringValue
from refrelax.syntax.promises import LOWER, NONNEGATIVE, UPPER, of_signature
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm

Ends = tuple[int | None, int | None]
"""The least and the greatest value, inclusive; ``None``: no end is promised."""


def symbol_bounds(function: Function) -> dict[str, Ends]:
    """The promised ends, by name of a symbol of the signature. One that names another symbol promises nothing (what a
    ``match_cast`` binds, no caller knows); an attribute of another form is ill-formed (``wf/promise``)."""
    if not function.attrs:
        return {}
    low, high = _ends(function)
    named = (low.keys() | high.keys()) & of_signature(function).keys()
    return {name: (low.get(name), high.get(name)) for name in sorted(named)}


def promised_names(function: Function) -> set[str]:
    """The names of which something is promised, whatever they name."""
    low, high = _ends(function)
    return low.keys() | high.keys()


def _ends(function: Function) -> tuple[dict[str, int], dict[str, int]]:
    """The lower and the upper ends by name."""
    attrs = dict(function.attrs)
    low, high = _numbers(attrs.get(LOWER)), _numbers(attrs.get(UPPER))
    listed = attrs.get(NONNEGATIVE)
    for each in listed.items if isinstance(listed, AttrList) else ():
        name = each.value if isinstance(each, StringValue) else each
        if isinstance(name, str):
            low[name] = max(0, low.get(name, 0))
    return low, high


def _numbers(attr: object) -> dict[str, int]:
    if not isinstance(attr, AttrDict):
        return {}
    return {name: k for name, k in attr.items if isinstance(k, int) and not isinstance(k, bool)}


def as_claims(function: Function) -> tuple[PrimExpr, ...]:
    """The promises as statements over the symbols."""
    found: list[PrimExpr] = []
    for name, (low, high) in symbol_bounds(function).items():
        if low is not None:
            found.append(Binary("GE", SymVar(name, "int64"), int_imm(low)))
        if high is not None:
            found.append(Binary("LE", SymVar(name, "int64"), int_imm(high)))
    return tuple(found)


def broken(function: Function, symbols: Mapping[str, object]) -> str | None:
    """The promise that values of the symbols break, and the value that does, in words; ``None``: they break none."""
    for name, (low, high) in symbol_bounds(function).items():
        k = symbols.get(name)
        if isinstance(k, int) and ((low is not None and k < low) or (high is not None and k > high)):
            within = f"{'' if low is None else f'{low} <= '}{name}{'' if high is None else f' <= {high}'}"
            return f"promises {within} in its attributes; it is called with {name} = {k}"
    return None


@rule("ev/symbol-bounds")
def keep_promises(function: Function, symbols: Mapping[str, object], path: str, span: Span | None) -> None:
    """A call in which a symbol is outside what the function promises of it has no meaning."""
    if (said := broken(function, symbols)) is not None:
        raise unspecified("ev/symbol-bounds", f"{path} {said}", span)
