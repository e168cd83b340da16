"""The tables of ``spec/03d-abstract-syntax.md`` (every node of the tree and its fields, read from the classes) and the
reasons in ``spec/07b-intrinsics.md``.

``tools/make_abstract_syntax.py`` writes them, and ``refrelax rules check`` compares.

Spec: ``spec/03d-abstract-syntax.md``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from refrelax.conformance.chapters.held import chapter, fresh, held
from refrelax.conformance.citations import package
from refrelax.semantics.intrinsics.missing import WITHOUT_MEANING, reason
from refrelax.syntax.bits import FORMATS, nan_bits
from refrelax.syntax.read.intrinsics import INTRINSICS as READ

PAGE, INTRINSICS = "03d-abstract-syntax.md", "07b-intrinsics.md"
ROOMS = {
    "module": "Modules",
    "types": "Types",
    "graph": "Graph level",
    "scalars": "Scalar expressions",
    "loops": "Loop level",
}
"""Files of ``refrelax/syntax`` in the order of the page, with their headings."""

WORDS = {"str": "string", "int": "integer", "bool": "truth", "bytes": "bytes", "None": "absent", "object": "AttrValue"}
"""Python's names of what is no node."""

SOURCE = ("Module", "source")
"""Beside every ``span``, the field that says where a node stood, and takes no part in equality."""

BITS = {("Literal", "bits"): "bits", ("Constant", "data"): "bits*"}
"""Fields whose integers are bit patterns."""


@dataclass(frozen=True, slots=True)
class Node:
    """A class of the tree: ``fields`` with their sorts, and what its docstring says."""

    name: str
    fields: tuple[tuple[str, str], ...]
    says: str


def marks(room: str) -> tuple[str, str]:
    return f"<!-- {room}: made by tools/make_abstract_syntax.py -->", f"<!-- end of {room} -->"


def tree(room: str) -> ast.Module:
    return ast.parse((package() / "syntax" / f"{room}.py").read_text("utf-8"))


def nodes(room: str) -> Iterator[Node]:
    """The node classes of a file, in its order."""
    for each in tree(room).body:
        if isinstance(each, ast.ClassDef):
            found = tuple(_fields(each))
            docs = [ast.get_docstring(each) or "", *_field_docs(each)]
            yield Node(each.name, found, prose("\n\n".join(docs)))


def _fields(each: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for line in each.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            name = line.target.id
            if name == "span" or (each.name, name) == SOURCE:
                continue
            if line.value is not None and default(line.value) == "derived":
                continue
            of = BITS.get((each.name, name)) or sort(line.annotation)
            yield name, of if line.value is None else f"{of} = {default(line.value)}"


def default(value: ast.expr) -> str:
    """What a field is where nothing is given."""
    match value:
        case ast.Constant(value=None):
            return "absent"
        case ast.Constant(value=bool() as truth):
            return str(truth).lower()
        case ast.Tuple(elts=[]):
            return "()"
        case ast.Call():  # a dictionary of its own, or what the other fields give
            return "derived" if any(key.arg == "init" for key in value.keywords) else "{}"
        case _:
            return ast.unparse(value).replace("'", '"')


def _field_docs(each: ast.ClassDef) -> Iterator[str]:
    for line, after in zip(each.body, each.body[1:], strict=False):
        match line, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(says))):
                yield f"``{name}``: {says}"


def sort(e: ast.expr) -> str:
    """An annotation in the notation of the page."""
    match e:
        case ast.BinOp(op=ast.BitOr()):
            parts = [sort(each) for each in alternatives(e)]
            kept = [each for each in parts if each != "absent"]
            if len(kept) == len(parts):
                return " or ".join(kept)
            return f"{kept[0]}?" if len(kept) == 1 else f"({' or '.join(kept)})?"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, rest])) if _is_ellipsis(rest):
            found = sort(item)
            return f"({found})*" if " " in found and not found.startswith("(") else f"{found}*"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=items)):
            return f"({', '.join(map(sort, items))})"
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[key, item])):
            return f"table from {sort(key)} to {sort(item)}"
        case ast.Name(id=name):
            return WORDS.get(name, name)
        case ast.Constant(value=None):
            return "absent"
        case ast.Constant(value=str(text)):
            return sort(ast.parse(text, mode="eval").body)
        case ast.Subscript(value=ast.Name(id="_Lit" | "Literal"), slice=choices):
            listed = choices.elts if isinstance(choices, ast.Tuple) else [choices]
            return " or ".join(f'"{each.value!s}"' for each in listed if isinstance(each, ast.Constant))
    raise ValueError(f"no notation for {ast.unparse(e)}")


def _is_ellipsis(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is ...


def alternatives(e: ast.expr) -> list[ast.expr]:
    match e:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*alternatives(left), *alternatives(right)]
        case _:
            return [e]


def sorts(room: str) -> Iterator[tuple[str, str]]:
    """The sorts of a file that are no classes: unions and words. Tables of the code (in capitals) are none."""
    for each in tree(room).body:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if re.fullmatch(r"[A-Z][a-z]\w*", name):
                yield name, sort(value)
            case _:
                pass


def prose(text: str) -> str:
    """A docstring as a sentence of the page."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"``([^`]*)``", r"`\1`", text).replace("`None`", "absent")
    return text.replace("|", "\\|")


def block(room: str) -> str:
    """The marked part of a heading."""
    begin, end = marks(room)
    rows = []
    for name, of in sorts(room):
        rows.append(f"{name} ::= {of}")
    lines = [begin, ""]
    if rows:
        lines += ["```text", *rows, "```", ""]
    lines += ["| node | fields | |", "|---|---|---|"]
    for node in nodes(room):
        fields = "<br>".join(f"`{name}`: {of.replace('|', ' or ')}" for name, of in node.fields) or "none"
        lines.append(f"| `{node.name}` | {fields} | {node.says} |")
    return "\n".join([*lines, "", end])


def page() -> str:
    """The page with its marked parts made anew."""
    text = chapter(PAGE)
    for room in ROOMS:
        begin, end = marks(room)
        before, found, rest = text.partition(begin)
        _inside, ended, after = rest.partition(end)
        if not found or not ended:
            raise ValueError(f"{PAGE} has no part for {room}")
        text = before + block(room) + after
    begin, end = marks("formats")
    return text.partition(begin)[0] + formats() + text.partition(end)[2]


def intrinsics() -> str:
    """``07b-intrinsics.md`` with its list of reasons made anew."""
    names: dict[str, list[str]] = {}
    for start, why in WITHOUT_MEANING.items():
        names.setdefault(why, []).append(f"`{start}`" if not start.endswith((".", "_")) else f"`{start}…`")
    text = chapter(INTRINSICS)
    begin, end = marks("reasons")
    before, _, rest = text.partition(begin)
    rows = [f"| {', '.join(found)} | {why} |" for why, found in names.items()]
    rows.append(f"| {', '.join(unwritten(before))} | nobody has written down what it means |")
    lines = [begin, "", "| names that begin with | why |", "|---|---|", *rows, "", end]
    return before + "\n".join(lines) + rest.partition(end)[2]


def unwritten(page: str) -> list[str]:
    """Names, and namespaces, of intrinsics that have neither a line on the page nor a reason."""
    names = [name for name in READ if f"| `{name}` |" not in page and not reason(name)]
    rooms = dict.fromkeys(name.split(".")[0] for name in names if "." in name)
    return [*(f"`{name}`" for name in sorted(names) if "." not in name), *(f"`{room}.…`" for room in sorted(rooms))]


def formats() -> str:
    """The table of the formats of floats."""
    rows = ["| dtype | sign | exponent bits | bias | fraction bits | canonical NaN |", "|---|---|---|---|---|---|"]
    for name, f in FORMATS.items():
        nan = nan_bits(name)
        shown = "none" if nan is None else f"`{nan:#x}`"
        rows.append(f"| `{name}` | {int(f.signed)} | {f.exponent_bits} | {f.bias} | {f.mantissa_bits} | {shown} |")
    begin, end = marks("formats")
    return "\n".join([begin, "", *rows, "", end])


@held(PAGE)
def the_nodes_are_those_of_the_tree() -> None:
    fresh(chapter(PAGE), page())


@held(INTRINSICS)
def the_reasons_are_those_of_the_table() -> None:
    fresh(chapter(INTRINSICS), intrinsics())
