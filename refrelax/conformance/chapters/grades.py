"""The grades of chapter 05 and the intervals of chapter 06, asked of the definition at examples of each row and clause.

Spec: ``spec/05-types.md``, ``ty/subtype``; ``spec/06-shapes.md``, ``sh/interval``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from refrelax.conformance.chapters.held import between, chapter, held, holds, over, same, table
from refrelax.semantics.dims import Facts
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.facts import Bound
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, const
from refrelax.semantics.dims.ranges import interval
from refrelax.semantics.types.lattice import check
from refrelax.shape_solver.parse import parse_dim
from refrelax.syntax.graph import Function
from refrelax.syntax.read import parse
from refrelax.syntax.scalars import SymVar

# --- 05: the grades

HEAD = """@I.ir_module
class Module:
    I.module_global_infos({{"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((2,), I.Range(2, 4))]}})
    @R.function
    def main(s: R.Shape(ndim=1), n: T.int64, m: T.int64, p: {base}, q: {derived}) -> R.Any:
        return q
"""
F = "R.Callable(({},), {}, {})"
T4 = 'R.Tensor((4,), "float32")'


def grade(base: str, derived: str) -> str:
    """The grade of two types that are written so, beside the symbols `n` and `m` and the shape `s`."""
    main = parse(HEAD.format(base=base, derived=derived)).functions["main"]
    assert isinstance(main, Function)
    one, other = (each.type for each in main.params[-2:])
    assert one is not None
    assert other is not None
    return check(one, other, Facts()).name


GRADED: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("`R.Any`: ", "", [("R.Any", T4), ("R.Any", "R.Any")]),
    ("Any other base and `derived` `R.Any`: ", "", [(T4, "R.Any"), ("R.Prim('int64')", "R.Any")]),
    ("(tensor, distributed tensor, shape, prim, tuple, function): ", "", [(T4, "R.Shape((4,))"), ("R.Tuple()", T4)]),
    ("a prim type: the dtypes are equal, else ", "", [("T.int64", "T.int32")]),
    ("a rank that differs is ", " if `derived`'s is unknown", [("R.Shape(ndim=1)", "R.Shape()")]),
    ("a rank that differs is `L1` if `derived`'s is unknown, else ", "", [("R.Shape(ndim=1)", "R.Shape(ndim=2)")]),
    ("device, each ", " if `base` leaves it open", [("R.Tensor", T4), ('R.Tensor(dtype="float32")', T4)]),
    (
        "`PASS` if `base` leaves it open, ",
        " if only `derived` does",
        [(T4, "R.Tensor((4,))"), ("R.Tensor(ndim=1)", "R.Tensor"), ('R.Tensor(vdevice="cuda")', "R.Tensor")],
    ),
    (
        "`L1` if only `derived` does, ",
        " if they differ",
        [(T4, 'R.Tensor((4,), "int8")'), ("R.Tensor(ndim=1)", "R.Tensor(ndim=2)")],
    ),
    (
        "under a known dtype of `base` a tensor of unknown dtype is ",
        ", whatever its rank",
        [(T4, "R.Tensor(ndim=2)"), (T4, "R.Tensor(ndim=1)")],
    ),
    ("a `derived` without them is ", "", [("R.Tensor((4,))", "R.Tensor(ndim=1)")]),
    ("passes against itself and is ", " against any other", [("R.Tensor(s)", "R.Tensor((4,), ndim=1)")]),
    ("two literals decide\n  (", ", `L0`)", [("R.Tensor((4,))", "R.Tensor((4,))")]),
    ("two literals decide\n  (`PASS`, ", ")", [("R.Tensor((4,))", "R.Tensor((5,))")]),
    ("`sh/equal` proves (", ")", [("R.Tensor((n + 1,))", "R.Tensor((1 + n,))")]),
    ("`sh/equal` proves (`PASS`) or leaves open (", ")", [("R.Tensor((n,))", "R.Tensor((m,))")]),
    ("can never be equal are ", ", not `L0`", [("R.Tensor((n,))", "R.Tensor((n + 1,))")]),
    (
        "if mesh and placement are not the same, ",
        " at best",
        [
            ('R.DTensor((4,), "int8", "mesh[0]", "R")', 'R.DTensor((4,), "int8", "mesh[0]", "S[0]")'),
            ('R.DTensor((4,), "int8", "mesh[0]", "R")', 'R.DTensor((4,), "int8", "mesh[1]", "R")'),
        ],
    ),
    ("a pure base and an impure `derived` are ", "", [(F.format(T4, T4, True), F.format(T4, T4, False))]),
    ("passes against one with the same, else ", "", [('R.Callable(derive_func="f")', 'R.Callable(derive_func="g")')]),
    ("an opaque `derived` is ", "", [(F.format(T4, T4, False), f"R.Callable(ret={T4})")]),
    ("another number of parameters is ", "", [(F.format(T4, T4, True), F.format(f"{T4}, {T4}", T4, True))]),
    (
        "pairwise, both covariantly, `L1` as the grade of all parameters together counting as ",
        "",
        [(F.format(T4, T4, True), F.format("R.Any", T4, True))],
    ),
]  # fmt: skip
"""Words of ``ty/subtype`` before a grade, words behind it, and what is graded so: base and derived."""

OF_GRADE: dict[str, list[tuple[str, str]]] = {
    "yes, provably": [("R.Any", T4), (T4, T4)],
    "only an equality of dimensions, or a part of a function type, is open": [
        ("R.Tensor((n,))", "R.Tensor((m,))"),
        (F.format(T4, T4, False), f"R.Callable(ret={T4})"),
    ],
    "the static knowledge is too coarse: `derived` is `R.Any`, or its rank, dtype or device is unknown; or its mesh or "
    "placement is another": [
        (T4, "R.Any"),
        ("R.Tensor(ndim=1)", "R.Tensor"),
        (T4, "R.Tensor((4,))"),
        ('R.Tensor(vdevice="cuda")', "R.Tensor"),
        ('R.DTensor((4,), "int8", "mesh[0]", "R")', 'R.DTensor((4,), "int8", "mesh[0]", "S[0]")'),
    ],
    "provably not": [(T4, 'R.Tensor((4,), "int8")'), ("R.Tuple()", T4)],
}
"""The meaning of a grade, and pairs that have it."""


@held("05-types.md")
@over(lambda: [tuple(row) for row in table("05-types.md", "**`ty/subtype`**")])
def a_grade_means_what_the_table_says(name: str, meaning: str) -> None:
    """`PASS` in the row of `L0` went by unseen."""
    holds(meaning in OF_GRADE, f"{meaning!r} is no meaning of a grade")
    for base, derived in OF_GRADE[meaning]:
        same(f"`{grade(base, derived)}`", name, f"{derived} against {base}")


@held("05-types.md")
@over(lambda: GRADED)
def a_clause_of_a_subtype_names_its_grade(before: str, behind: str, pairs: list[tuple[str, str]]) -> None:
    """`L1` in the place of `L2` in one of the clauses went by unseen."""
    text = between(chapter("05-types.md"), "Several parts combine", "Grades are used so")
    said = re.search(rf"{re.escape(before)}`(PASS|L[0-2])`{re.escape(behind)}", text)
    assert said is not None, before
    for base, derived in pairs:
        same(grade(base, derived), said[1], f"{derived} against {base}")


# --- 06: the intervals of atoms

Ends = Callable[[Bound], int | None]
BY_4: dict[str, Ends] = {
    "that of the lower end": lambda of: None if of[0] is None else of[0] // 4,
    "that of the upper end": lambda of: None if of[1] is None else of[1] // 4,
}
BY_ONE_OR_MORE: dict[str, Ends] = {
    "0 if `a` is at least 0, else the lower end divided by `l`": lambda of: (
        None if of[0] is None else 0 if of[0] >= 0 else of[0] // 2
    ),
    "the upper end divided by `l` if it is at least 0, else -1 (0, rounded towards zero)": lambda of: (
        None if of[1] is None else of[1] // 2 if of[1] >= 0 else -1
    ),
}
"""Of a quotient by what is at least 2."""
OF_POWER: dict[str, Ends] = {
    "`2**k` for the lower end `k` of the exponent; 0 stands for one that is below 0 or unknown, 64 for one above 64": (
        lambda of: 2 ** min(max(of[0] or 0, 0), 64)
    ),
    "`2**k` for its upper end, if that is at most 256, and 1 if it is below 0; else unknown": lambda of: (
        None if of[1] is None or of[1] > 256 else 2 ** max(of[1], 0)
    ),
}
OF_MINIMUM: dict[str, Ends] = {
    "the least of the lower ends, if all are known": lambda of: None if of[0] is None else min(of[0], 5),
    "the least of the upper ends that are known": lambda of: 6 if of[1] is None else min(of[1], 6),
}
"""With one that lies between 5 and 6."""
SYMBOL: dict[str, Ends] = {"its lower bound": lambda of: of[0], "its upper bound": lambda of: of[1]}
TRUTH: dict[str, Ends] = {
    "0, or its lower bound": lambda of: of[0] or 0,
    "1, or its upper bound": lambda of: 1 if of[1] is None else of[1],
}
INT8: dict[str, Ends] = {"the least value of the dtype": lambda _: -128, "the greatest": lambda _: 127}
UNKNOWN: dict[str, Ends] = {"unknown": lambda _: None}

ATOMS: dict[str, tuple[Callable[[Atoms], Poly], dict[str, Ends]]] = {
    "symbol": (lambda atoms: of("x", atoms), SYMBOL),
    "truth value": (lambda atoms: normal(SymVar("x", "bool"), atoms), TRUTH),
    "quotient by a number `b > 0`": (lambda atoms: atoms.put("fd", (of("x", atoms), const(4))), BY_4),
    "quotient by `b` at least `l`, `l` being 0 (then 1 stands for it) or more": (
        lambda atoms: atoms.put("fd", (of("x", atoms), of("t + 2", atoms))),
        BY_ONE_OR_MORE,
    ),
    "minimum": (lambda atoms: atoms.put("min", (of("x", atoms), of("f", atoms))), OF_MINIMUM),
    "power of two": (lambda atoms: atoms.put("p2", (of("x", atoms),)), OF_POWER),
    "conversion to an integer, `sh/float-atom` of an integer dtype": (
        lambda atoms: atoms.put("cast", (of("x", atoms),), dtype="int8"),
        INT8,
    ),
    "any other": (lambda atoms: of("x ^ t", atoms), UNKNOWN),
}
"""An atom of each row, made of `x`, and the words of its ends."""
BOUNDS: list[Bound] = [(-9, -3), (-9, 7), (3, 9), (0, 300), (70, 80), (None, 5), (2, None), (None, None)]
OF_TRUTHS: list[Bound] = [(None, None), (1, None), (None, 0), (0, 1)]


def of(text: str, atoms: Atoms) -> Poly:
    return normal(parse_dim(text), atoms)


@held("06-shapes.md")
@over(lambda: [tuple(row) for row in table("06-shapes.md", "| atom | from | to |")])
def an_interval_of_an_atom_is_what_the_table_says(atom: str, low: str, high: str) -> None:
    """The ends of two atoms, one for the other, went by unseen."""
    made, said = ATOMS[atom]
    holds(low in said and high in said, f"{atom}: {low}, {high}")
    for bound in OF_TRUTHS if atom == "truth value" else BOUNDS:
        atoms = Atoms(Facts({"x": bound, "t": (0, None), "f": (5, 6)}))
        same(interval(made(atoms), atoms), (said[low](bound), said[high](bound)), f"{atom} for x in {bound}")
    by_none = Atoms(Facts({"x": (3, 9), "t": (0, None)}))
    if atom.startswith("quotient by `b` at least"):
        same(interval(by_none.put("fd", (of("x", by_none), of("t", by_none))), by_none), (0, 9), "l is 0")
