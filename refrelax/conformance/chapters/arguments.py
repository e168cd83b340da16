"""The arguments of library functions in chapter 08: each sort in its place is taken, and another value is not.

Spec: ``spec/08-effects-and-storage.md``, *Arguments*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import refrelax as rr
from refrelax.conformance.chapters.held import code, held, holds, over, same, table
from refrelax.errors import Unspecified
from refrelax.semantics.builtins.kernels import KERNELS
from refrelax.semantics.builtins.library import LIBRARY

PROGRAM = """@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((1, 4), "float32"), k: R.Tensor((2,), "int64"), c: R.Tensor((1,), "int32")) -> R.Any:
        n = R.null_value()
        f = R.call_packed("vm.builtin.make_tuple", n, ty_args=R.Any)
        h = R.call_packed("vm.builtin.alloc_shape_heap", R.prim_value(4), ty_args=R.Any)
        y = R.call_packed("{name}"{given}, ty_args=R.Any)
        return n
"""

SORTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "anything": ("x", ()),
    "any more": ("x", ()),
    "integer": ("R.prim_value(2)", ('R.str("s")', "x", "R.prim_value(T.float32(2))")),
    "an integer from 0 on": ("R.prim_value(0)", ('R.str("s")', "x", "R.prim_value(-1)")),
    "number": ("R.prim_value(1)", ('R.str("s")', "x")),
    "heap": ("h", ()),  # of another value is asked what `vm/heap-slot` says
    "tensor": ("x", ("R.prim_value(1)", 'R.str("s")', "R.shape([2])")),
    "row": ("x", ("R.prim_value(1)", "k")),
    "shape": ("R.shape([1, 4])", ("x", "R.prim_value(1)")),
    "a shape without negative extents": ("R.shape([1, 4])", ("x", "R.prim_value(1)", "R.shape([-1])")),
    "string": ('R.str("s")', ("x", "R.prim_value(1)")),
    "dtype": ('R.dtype("float32")', ("x", 'R.str("s")', "R.prim_value(1)")),
    "null": ("n", ("x", "R.prim_value(1)")),
    "a tensor of rank 1 and an integer dtype": ("k", ("x", "R.prim_value(1)")),
    "an `int32` tensor of rank 1 or more": ("c", ("k", "R.prim_value(1)")),
    "a code 0 or 1": ("R.prim_value(0)", ("R.prim_value(2)", "x")),
    "a code from 0 to 3": ("R.prim_value(0)", ("R.prim_value(4)", "x")),
    "a number or a bool tensor of rank 0": ("R.prim_value(1)", ('R.str("s")', "x")),
    "a shape": ("R.shape([1, 4])", ("x",)),
    "a tensor": ("x", ("R.prim_value(1)",)),
}
"""A value of each sort, and others that are none. Sorts of values that a program has to make first are in ``MADE``."""
MADE = (
    "storage",
    "a function (else `ev/call-non-function`)",
    "tuple",
    "a tuple of a string and a tuple",
    "a shape of one dim (another is a kind that there is not: `op.ccl.allreduce/kind`)",
    "two tensors",
    "cache",
    "a tensor of its dtype and of the extents of its entries",
    "an integer that is an axis",
)
NOTHING = "nothing, or anything"
COUNTS = {"two": 2, "three": 3, "four": 4}


def every() -> list[tuple[str, list[str], bool]]:
    """Each function of which all sorts are words, its sorts, and whether there may be no more of them."""
    found = []
    for functions, said in table("08-effects-and-storage.md", "| function | arguments |"):
        names = [*_named(functions)]
        first = said.partition("; ")[0] if ".check_" in functions else said
        parts = said.split("; ") if len(names) == len(said.split("; ")) > 1 else [first] * len(names)
        for name, each in zip(names, parts, strict=False):
            listed = [] if each == NOTHING else re.split(r", (?!or )", each.removeprefix("exactly "))
            sorts = [sort for part in listed for sort in _several(part)]
            if all(sort.removesuffix("?") in (*SORTS, *MADE) for sort in sorts):
                found.append((name, sorts, each.startswith("exactly ")))
    return found


def rows() -> list[tuple[str, list[str], bool]]:
    """Those whose arguments can be written down."""
    return [row for row in every() if not any(sort.rstrip("?") in MADE for sort in row[1])]


def needed(sorts: list[str]) -> int:
    """How many arguments there are at least."""
    return sum(2 if "two" in sort else 1 for sort in sorts if not sort.endswith("?") and sort != "any more")


def _named(cell: str) -> Iterator[str]:
    space = ""
    for name in code(cell):
        space = space if name.startswith(".") else name.rpartition(".")[0]
        yield f"{space}{name}" if name.startswith(".") else name


def _several(part: str) -> Iterator[str]:
    """`four numbers` is a number four times."""
    count, _, sort = part.removeprefix("and ").partition(" ")
    yield from [sort.removesuffix("s")] * COUNTS[count] if count in COUNTS and sort == "numbers" else [part]


def refused(name: str, given: list[str]) -> bool:
    """Whether a call ends since an argument is none of the function's."""
    text = PROGRAM.format(name=name, given="".join(f", {each}" for each in given))
    tensors = [
        rr.Tensor.of([[0.1, 0.2, 0.3, 0.4]], "float32"),
        rr.Tensor.of([1, 4], "int64"),
        rr.Tensor.of([1], "int32"),
    ]
    out = rr.run(rr.check(rr.parse(text)), "main", *tensors)
    return isinstance(out, Unspecified) and out.rule == "vm/argument"


@held("08-effects-and-storage.md")
@over(every)
def a_function_takes_as_many_as_the_table_says(name: str, sorts: list[str], _: bool) -> None:
    """The arguments of two functions, one for the other, went by unseen."""
    if name in LIBRARY or name in KERNELS:
        least = LIBRARY[name][0] if name in LIBRARY else KERNELS[name][0]
        same(needed(sorts), least, name)


@held("08-effects-and-storage.md")
@over(rows)
def a_function_takes_what_the_table_says(name: str, sorts: list[str], exactly: bool) -> None:
    if name in UNREGISTERED:
        return
    good = [SORTS[sort.rstrip("?")][0] for sort in sorts]
    holds(not refused(name, good), f"{name} of {', '.join(good)}")
    for k, sort in enumerate(sorts):
        for other in () if (sort.startswith("dtype") and ".check_" in name) else SORTS[sort.rstrip("?")][1]:
            holds(refused(name, [*good[:k], other, *good[k + 1 :]]), f"{name}: {other} as {sort}")
    if exactly:
        holds(refused(name, [*good, "x"]), f"{name} with one more")
    elif not any(sort.endswith("?") for sort in sorts):
        holds(not refused(name, [*good, "n"]), f"{name} with one more")


UNREGISTERED = frozenset({"vm.builtin.invoke_debug_func"})
"""What calls a function by a name that is given."""


@held("08-effects-and-storage.md")
def most_rows_are_asked() -> None:
    """A word that is none takes its row out of what is asked."""
    found = [
        name
        for functions, _ in table("08-effects-and-storage.md", "| function | arguments |")
        for name in code(functions)
    ]
    holds(len(every()) > 0.65 * len(found), f"{len(every())} of {len(found)}")
    holds(len(rows()) > 0.4 * len(found), f"{len(rows())} of {len(found)}")
