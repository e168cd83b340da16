"""The drawing of imports: each layer imports only itself and the layers before it, and three fences hold.

The source is read with ``ast``; nothing is imported, so a fence holds for imports inside functions as well.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough  # every file is parsed: `make lint` asks it as well

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "refrelax"

LAYERS: dict[str, int] = {
    "version": 0,
    "errors": 0,
    "spelled": 0,  # integers of any size as text
    "notebook": 0,  # what a notebook shows of a value
    "extras": 0,  # the one border to optional packages
    "rules": 0,
    "syntax": 1,
    "semantics": 2,
    "running": 3,  # one function run; the one border to array libraries
    "shape_solver": 3,
    "lower": 4,
    "backends": 5,
    "testing": 6,
    "judge": 7,
    "api": 8,  # what `import refrelax` offers
    "examples": 9,
    "interop": 9,  # TVM, and the register of everything that has a name
    "conformance": 10,
    "views": 11,  # runs recorded and shown
    "exercises": 12,
    "commands": 13,
    "play": 13,  # what the playground asks
    "pytest_options": 14,  # what pytest loads at every start
    "cli": 14,
}
"""Room to height. A module may import rooms of its own height or lower ones; of two of one height, one the other."""

MODULE_NAME = re.compile(r"refrelax(\.\w+)+\.?$")
"""A module in a string, or (of a formatted one) the package that it is in."""

STANDARD = {"refrelax", *sys.stdlib_module_names}


def modules() -> list[Path]:
    examples = PACKAGE / "examples"  # the folders below hold TVMScript, not Python
    return sorted(
        p
        for p in PACKAGE.rglob("*.py")
        if "__pycache__" not in p.parts and not (p.is_relative_to(examples) and p.parent != examples)
    )


@cache
def tree(path: Path) -> ast.Module:
    """A file, parsed once for all fences."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """The statements of a file and what holds some (an ``except``, a ``case``), wherever they stand."""
    found: list[ast.AST] = [tree(path)]
    for node in found:
        found.extend(each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr))
    return tuple(found)


@cache
def imports(path: Path) -> tuple[tuple[str, int], ...]:
    """Every dotted name that ``path`` imports, wherever the statement stands, with its line."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in statements(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import; the project spells imports out"
            module = node.module or ""
            if module == "refrelax":
                yield from ((f"refrelax.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield module, node.lineno
    if path.name not in ("__init__.py", "__main__.py") or path.parent != PACKAGE:
        yield from named(path)


def named(path: Path) -> Iterator[tuple[str, int]]:
    """Modules of this package that ``path`` names in strings: ``import_module`` takes them, at once or from a table."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE_NAME.match(node.value):
            yield node.value, node.lineno


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0].removesuffix(".py")


def height(name: str) -> int:
    """The height of a dotted name; the package itself (``from refrelax import parse``) is the API."""
    parts = name.split(".")
    return LAYERS.get(parts[1], LAYERS["api"]) if len(parts) > 1 else LAYERS["api"]


def test_every_room_has_a_height() -> None:
    rooms = {room(p) for p in modules()} - {"__init__", "__main__"}
    assert rooms <= set(LAYERS), f"rooms without a place in the drawing: {sorted(rooms - set(LAYERS))}"


def test_imports_only_go_up() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}: {room(path)} imports {name}"
        for path in modules()
        if room(path) not in {"__init__", "__main__"}
        for name, line in imports(path)
        if name.split(".")[0] == "refrelax" and height(name) > LAYERS[room(path)]
    ]
    assert not wrong, wrong


def test_no_arrow_between_rooms_of_one_height_runs_back() -> None:
    arrows: dict[str, set[str]] = {}
    for path in modules():
        rooms = {name.split(".")[1] for name, _ in imports(path) if name.startswith("refrelax.")}
        arrows.setdefault(room(path), set()).update(rooms & LAYERS.keys() - {room(path)})
    back = [name for name in LAYERS if name in _reached(name, {each: arrows.get(each, set()) for each in LAYERS})]
    assert not back, back


NATURAL: dict[str, str] = {
    "syntax/read/arguments syntax/read/forms syntax/read/scalar_calls syntax/read/scalars": (
        "recursive descent: a scalar holds calls, a call scalars"
    ),
    "syntax/read/attributes syntax/read/call_forms syntax/read/const syntax/read/expressions syntax/read/graph "
    "syntax/read/graph_macros syntax/read/operators": (
        "recursive descent: an expression holds calls, a call expressions and, in a macro, statements"
    ),
    "syntax/module syntax/write/module": "a module shows its text in a notebook, and the printer takes modules",
    "syntax/types syntax/write/types": "a type prints itself, and the printer matches on types",
    "shape_solver/pointwise/descent shape_solver/pointwise/pieces shape_solver/pointwise/regroup "
    "shape_solver/pointwise/words": (
        "a comparison of terms regroups sums, whose items it compares, and writes words over leaves that it compares"
    ),
}
"""The circles of imports that there are, each with what makes it natural."""


def modules_by_name() -> dict[str, Path]:
    return {module_name(path): path for path in modules()}


def module_name(path: Path) -> str:
    return str(path.relative_to(PACKAGE).with_suffix("")).removesuffix("/__init__")


def files_of(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The files that ``path`` imports from, wherever the statement stands."""
    for node in statements(path):
        if isinstance(node, ast.Import):  # `import refrelax.syntax.types` runs the folders on the way as well
            parts = [each.name.split(".")[1:] for each in node.names if each.name.startswith("refrelax.")]
            yield from ("/".join(names[:k]) for names in parts for k in range(1, len(names) + 1))
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("refrelax"):
            continue
        home = (node.module or "").removeprefix("refrelax").lstrip(".").replace(".", "/")
        for alias in node.names:
            inner = f"{home}/{alias.name}".lstrip("/")
            yield inner if inner in known else home


def circles() -> set[frozenset[str]]:
    """Files that import one another, directly or through others."""
    known = modules_by_name()
    arrows = {name: set(files_of(path, known)) & set(known) for name, path in known.items()}
    while ends := {name for name, to in arrows.items() if not to} | (set(arrows) - set().union(*arrows.values())):
        arrows = {name: to - ends for name, to in arrows.items() if name not in ends}
        if not arrows:
            return set()
    reach = {name: _reached(name, arrows) for name in arrows}
    return {frozenset(each for each in reach[name] if name in reach[each]) for name in reach if name in reach[name]}


def _reached(start: str, arrows: dict[str, set[str]]) -> set[str]:
    found, waiting = set[str](), [start]
    while waiting:
        new = arrows[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def test_circles_are_the_natural_ones() -> None:
    found = {" ".join(sorted(each)) for each in circles()}
    assert found == set(NATURAL)


def test_the_definition_imports_at_the_top_of_its_files() -> None:
    """What recurs across files goes through a record or a class (``Judgements``, ``Machine``), not through an import
    inside a function or one that only a type checker sees."""
    wrong = []
    for path in (PACKAGE / "semantics").rglob("*.py"):
        wrong += [f"{path.relative_to(ROOT)}:{line}" for line in late(tree(path))]
    assert not wrong, wrong


def late(source: ast.Module) -> Iterator[int]:
    """Lines that import below the top of a file, by either statement, or anywhere by name."""
    top = set(map(id, source.body))
    for node in ast.walk(source):
        match node:
            case ast.ImportFrom() | ast.Import() if id(node) not in top:
                yield node.lineno
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in ("import_module", "__import__"):
                yield node.lineno


@pytest.mark.parametrize(
    "line",
    [
        "from refrelax.semantics import values", "import refrelax.semantics.values", "import refrelax as rr",
        "values = import_module('refrelax.semantics.values')", "values = importlib.import_module(NAME)",
        "__import__('refrelax.judge.diff')", "import math", "from fractions import Fraction",
    ],
)  # fmt: skip
def test_a_late_import_is_found(line: str) -> None:
    assert [*late(ast.parse(f"def f():\n    {line}\n"))] == [2]
    assert [*late(ast.parse("import refrelax.semantics.values\nfrom refrelax.semantics import values\n"))] == []


@pytest.mark.parametrize("room_name", ["syntax", "semantics", "shape_solver"])
def test_the_definition_uses_the_standard_library_only(room_name: str) -> None:
    """mpmath in ``semantics/numbers``; z3 and cvc5 in ``shape_solver``, as the fences below say."""
    allowed = {"shape_solver": {"z3", "cvc5"}}.get(room_name, set())
    wrong = []
    for path in (PACKAGE / room_name).rglob("*.py"):
        extra = {"mpmath"} if path.is_relative_to(PACKAGE / "semantics" / "numbers") else set()
        for name, line in imports(path):
            if name.split(".")[0] not in STANDARD | allowed | extra:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {name}")
    assert not wrong, wrong


def importers_of(library: str) -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for path in modules()
        for name, _line in imports(path)
        if name.split(".")[0] == library
    }


def test_one_file_imports_z3() -> None:
    assert len(importers_of("z3")) <= 1, importers_of("z3")


def test_mpmath_stays_in_the_numbers_room() -> None:
    wrong = {p for p in importers_of("mpmath") if not p.startswith("refrelax/semantics/numbers/")}
    assert not wrong


def test_tvm_is_imported_only_by_the_bridge() -> None:
    wrong = {p for lib in ("tvm", "torch") for p in importers_of(lib) if not p.startswith("refrelax/interop/tvm/")}
    assert not wrong


def test_nothing_evaluates_text() -> None:
    """Scripts are data: no ``eval`` or ``exec`` outside the backends, which run only what they generated."""
    wrong = []
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if room(path) == "backends" or ("eval" not in text and "exec" not in text):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong, wrong
