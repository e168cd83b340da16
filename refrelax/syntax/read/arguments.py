"""Arguments of calls: by position and by keyword, counted and named in messages; and names in the namespace ``T``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.read.constants import shown

if TYPE_CHECKING:
    from refrelax.syntax.read.scalars import ScalarReader

NAMESPACES = frozenset({"T", "tir", "tirx"})
"""Names under which a text knows the loop-level language."""

_WIDTHS = {"f": ("float", (16, 32, 64)), "i": ("int", (8, 16, 32, 64)), "u": ("uint", (8, 16, 32, 64))}
_SHORT_DTYPES = {f"{s}{w}": f"{full}{w}" for s, (full, widths) in _WIDTHS.items() for w in widths}
_OTHER_DTYPES = {"bf16": "bfloat16", "boolean": "bool"}


def dtype_named(name: str) -> str | None:
    """The dtype that ``T.<name>`` constructs: ``float32``, ``f32``, ``int8x4``, ``boolean``; ``None`` if it is none."""
    name = _SHORT_DTYPES.get(name, _OTHER_DTYPES.get(name, name))
    if dtypes.is_dtype(name) and dtypes.kind(name) not in ("handle", "void"):
        return name
    return None


POINTERS = frozenset({"handle", "Ptr", "ptr", "TensorMap", "buffer_var"})
"""Names of pointers: ``T.handle``, ``T.handle("float32", "global")``."""


def pointer_dtype(reader: ScalarReader, node: ast.expr) -> str:
    """The dtype that ``T.handle`` or ``T.handle("float32", "shared")`` names."""
    if not isinstance(node, ast.Call):
        return "handle"
    given = bound(reader, node, "dtype", "storage_scope")
    of = "void" if is_none(given.get("dtype")) else reader.dtype_of(given["dtype"])
    scope = reader.value(given["storage_scope"]) if not is_none(given.get("storage_scope")) else "global"
    if not isinstance(scope, str) or not dtypes.is_dtype(dtypes.pointer(of, scope)):
        reader.src.fail(node, "syn/unknown-dtype", f"expected a pointer type, found `{shown(node)}`")
    return dtypes.pointer(of, scope)


def namespace_name(node: ast.expr, reader: ScalarReader) -> str | None:
    """``exp`` for ``T.exp``, ``axis.spatial`` for ``T.axis.spatial``; ``None`` for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in NAMESPACES or not parts:
        return None
    return ".".join(reversed(parts)) if reader.scope.lookup(node.id) is None else None


@rule("syn/argument-count")
def exactly(reader: ScalarReader, node: ast.Call, count: int, *known: str) -> list[ast.expr]:
    """The ``count`` positional arguments of a call, which has no keywords but ``known`` ones."""
    keywords(reader, node, "span", *known)
    if len(node.args) != count or any(isinstance(a, ast.Starred) for a in node.args):
        message = f"`{shown(node.func)}` takes {count} argument{'s' * (count != 1)}, not {len(node.args)}"
        reader.src.fail(node, "syn/argument-count", message)
    return node.args


@rule("syn/unknown-keyword")
def keywords(reader: ScalarReader, node: ast.Call, *known: str) -> dict[str, ast.expr]:
    """The keyword arguments by name, all of them among ``known``."""
    found: dict[str, ast.expr] = {}
    for each in node.keywords:
        if each.arg is None or each.arg not in known:
            message = f"`{shown(node.func)}` has no keyword {each.arg or '**'!r}"
            reader.src.fail(each.value, "syn/unknown-keyword", message)
        found[each.arg] = each.value
    return found


def bound(reader: ScalarReader, node: ast.Call, *params: str) -> dict[str, ast.expr]:
    """Positional and keyword arguments by parameter name; each at most once."""
    found = keywords(reader, node, *params)
    if len(node.args) > len(params):
        message = f"`{shown(node.func)}` takes at most {len(params)} arguments, not {len(node.args)}"
        reader.src.fail(node, "syn/argument-count", message)
    for name, value in zip(params, node.args, strict=False):
        if name in found:
            reader.src.fail(node, "syn/argument-count", f"`{shown(node.func)}` gets {name!r} twice")
        found[name] = value
    return found


def need(reader: ScalarReader, node: ast.Call, found: dict[str, ast.expr], name: str) -> ast.expr:
    """The argument ``name``, which may not be missing."""
    if name not in found:
        reader.src.fail(node, "syn/argument-count", f"`{shown(node.func)}` needs the argument {name!r}")
    return found[name]


def is_none(node: ast.expr | None) -> bool:
    """Whether ``node`` is missing or the constant ``None``."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def as_tuple(node: ast.expr) -> ast.expr:
    """A list of indices as the tuple that a subscript holds."""
    return ast.copy_location(ast.Tuple(node.elts, ast.Load()), node) if isinstance(node, ast.List) else node
