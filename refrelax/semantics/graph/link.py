"""Linking: everything that a function needs from outside is there before it runs.

Spec: ``spec/09-outcomes.md``, *Unlinkable*.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from refrelax.errors import Diagnostic, Unlinkable, UsageError
from refrelax.rules import rule
from refrelax.semantics.builtins.kernels import KERNELS
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.builtins.missing import reason
from refrelax.semantics.intrinsics.foreign import C_CALLS, LLVM_CALLS, has_meaning, symbol_of
from refrelax.semantics.ops import CALL_FORMS
from refrelax.semantics.types.checked import CheckedModule, Need
from refrelax.semantics.types.wellformed.heads import contracts_among, contracts_of
from refrelax.syntax.graph import Call, ConstantRef, ExternFunc, GlobalVar, Op, StringValue
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import Intrinsic

NAMED_BY_STRING = frozenset(form.name for form in CALL_FORMS.values() if form.library)
"""Call forms whose first argument may name a library function by a string."""


@rule("link/library-function-missing", "link/constant-missing")
def link(checked: CheckedModule, entry: str, available: Container[str]) -> None:
    """Check that every library function and constant reachable from ``entry`` is supplied.

    Raises:
        UsageError: the module has no function ``entry``.
        Unlinkable: with one diagnostic per missing thing.
    """
    if (needed := checked.needs.get(entry)) is None:
        needed = checked.needs[entry] = _needs(checked.module, entry)
    missing = [need.missing for need in needed if need.function is None or need.function not in available]
    if missing:
        raise Unlinkable(missing)


def _needs(module: Module, entry: str) -> tuple[Need, ...]:
    """What a run from ``entry`` needs and the module does not hold, each once, where it is first named."""
    if entry not in module.functions:
        known = ", ".join(sorted(module.functions))
        raise UsageError(f"the module has no function {entry!r}; it has {known}")
    found: dict[tuple[str, Any], Need] = {}
    contracts = contracts_of(module)
    for _name, node in reached_nodes(module.functions, (entry,)):
        match node:
            case ConstantRef(index=index, kind="ir.GenericConst") if index not in module.constants:
                text = f"constant {index} is not bound: give its array (bind_constants, --consts)"
                said = Diagnostic("link/constant-missing", text, node.span)
                found.setdefault(("constant", index), Need(said, None))
            case _:
                for name in library_names(node):
                    if name not in contracts:
                        text = f"the library function {name!r} is not registered{reason(name)}"
                        said = Diagnostic("link/library-function-missing", text, getattr(node, "span", None))
                        found.setdefault(("extern", name), Need(said, name))
    return tuple(found.values())


BY_NAME = frozenset({
    "call_packed", "call_cpacked", "call_packed_lowered", "call_cpacked_lowered", *C_CALLS, *LLVM_CALLS,
})  # fmt: skip
"""Intrinsics whose first argument names a library function."""

DEBUG = "vm.builtin.invoke_debug_func"

NAMING = frozenset((ExternFunc, Call, Intrinsic, GlobalVar))
"""The nodes that may name a function: few of all that a program holds, each of which is asked before every run."""


def named_libraries(node: Any) -> tuple[str, ...]:
    """The library functions that a node calls or names."""
    match node:
        case ExternFunc(name=name):
            return (name,)
        case Call(op=ExternFunc(name=name), args=(_, StringValue(value=told), *_)) if name == DEBUG:
            return (told,)
        case Call(op=Op(name=op), args=(StringValue(value=name), *_)) if op in NAMED_BY_STRING:
            return (name,)
        case Intrinsic(op=op) if op in BY_NAME:
            return (symbol_of(node),)
        case _:
            return ()


def library_names(node: Any) -> tuple[str, ...]:
    """Those of them that no meaning is given to here."""
    if node.__class__ not in NAMING:
        return ()
    named = named_libraries(node)
    if not named or (isinstance(node, Call) and isinstance(node.op, ExternFunc)):
        return named
    if isinstance(node, Intrinsic):
        return () if has_meaning(node) else tuple(name for name in named if name not in KERNELS)
    return tuple(name for name in named if name not in LIBRARY and name not in KERNELS)


def reached_nodes(functions: Mapping[str, BaseFunc], start: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Every node of every function that those of ``start`` can reach, with the name of its function. A library function
    that is called or named reaches its contract."""
    waiting = list(start)
    seen = set(waiting)
    contracts = contracts_among(functions)
    while waiting:
        name = waiting.pop()
        for node in nodes(functions[name]):
            yield name, node
            for callee in callees_of(node, contracts):
                if callee in functions and callee not in seen:
                    seen.add(callee)
                    waiting.append(callee)


def reached(functions: Mapping[str, BaseFunc], start: Iterable[str]) -> dict[str, BaseFunc]:
    """The functions that those of ``start`` can reach, these included, in the order of ``functions``."""
    names = {name for name, _node in reached_nodes(functions, start)}
    return {name: f for name, f in functions.items() if name in names}


def callees_of(node: Any, contracts: Mapping[str, str]) -> list[str]:
    """The functions of the module that a node names: by their own name, or as the contract of a library function."""
    if node.__class__ not in NAMING:
        return []
    found = [contracts[name] for name in named_libraries(node) if name in contracts]
    match node:
        case GlobalVar(name=name):
            found.append(name)
        case Intrinsic(op=op) if op.startswith("cls."):
            found.append(op.removeprefix("cls."))
        case _:
            pass
    return found


def callees(root: Any, contracts: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """The functions of the module that are named below ``root``."""
    for node in nodes(root):
        yield from callees_of(node, contracts)


def nodes(root: Any, closed: type | None = None) -> Iterator[Any]:
    """Every dataclass node below ``root``, ``root`` included, in source order. Nothing inside a ``closed`` one."""
    stack = [root]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is tuple:
            stack += node[::-1]
            continue
        parts = _PARTS[kind]
        if parts is not None:
            yield node
            if kind is not closed:
                stack += parts(node)


Parts = Callable[[Any], tuple[Any, ...]] | None


class _Kinds(dict[type, Parts]):
    """By class: what gives the fields of a node that may hold nodes, last first; ``None`` for what is no node."""

    def __missing__(self, kind: type) -> Parts:
        plain = {"str", "int", "bool", "str | None", "Span | None", "BinaryOp", "ForKind", "IterKind"}
        names = [f.name for f in fields(kind) if str(f.type) not in plain] if is_dataclass(kind) else None
        found: Parts = None
        if names is not None:
            found = attrgetter(*reversed(names)) if len(names) > 1 else _only(names[0]) if names else _nothing
        self[kind] = found
        return found


def _only(name: str) -> Callable[[Any], tuple[Any, ...]]:
    return lambda node: (getattr(node, name),)


def _nothing(_node: Any) -> tuple[Any, ...]:
    return ()


_PARTS = _Kinds()
