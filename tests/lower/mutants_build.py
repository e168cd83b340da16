"""Deliberately wrong built and captured modules: each is the right text with one change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Edit = Callable[[str], str]


@dataclass(frozen=True)
class Fault:
    """``module``: a key of ``built_modules.PASSES``."""

    name: str
    module: str
    edit: Edit


def _line(text: str, start: str) -> str:
    """The one line that binds the name ``start``, or holds it if there is none such."""
    lines = text.splitlines(keepends=True)
    found = [line for line in lines if line.strip().startswith(f"{start} = ")] or [x for x in lines if start in x]
    assert found, start
    return found[0]


def without(*names: str) -> Edit:
    """These bindings are lost."""

    def edit(text: str) -> str:
        for name in names:
            text = text.replace(_line(text, name), "", 1)
        return text

    return edit


def put(old: str, new: str, name: str = "") -> Edit:
    """``old`` is ``new``, in the binding of ``name`` or where it first stands."""

    def edit(text: str) -> str:
        where = _line(text, name) if name else text
        assert old in where, old
        return text.replace(where, where.replace(old, new, 1), 1)

    return edit


def moved(name: str, after: str) -> Edit:
    """A binding stands after another one."""

    def edit(text: str) -> str:
        line, other = _line(text, name), _line(text, after)
        indent = re.match(" *", other)
        assert indent is not None
        return text.replace(line, "", 1).replace(other, other + indent[0] + line.lstrip(), 1)

    return edit


def all_of(*edits: Edit) -> Edit:
    """One change after the other."""

    def edit(text: str) -> str:
        for each in edits:
            text = each(text)
        return text

    return edit


BUILD = (
    Fault("check of a parameter lost", "SHAPES", without("_check_tensor_info_3", "_match_shape_4")),
    Fault("check of a dtype wrong", "SHAPES", put('R.dtype("float32")', 'R.dtype("float64")', "_check_tensor_info_1")),
    Fault("check of a dtype lost", "SHAPES", put(' R.dtype("float32"),', "", "_check_tensor_info_4")),
    Fault("check of a rank lost", "SHAPES", put("t, 1,", "t, -1,", "_check_tensor_info_4")),
    Fault(
        "check of a shape lost", "SHAPES", all_of(without("_check_shape_info"), put("1, 1, 1,", "0,", "_match_shape_2"))
    ),
    Fault("extent not compared", "SHAPES", put("2, 3, 0, 0, 2", "2, 2, 0, 0, 2", "_match_shape_1")),
    Fault("literal not compared", "SHAPES", put("2, 3, 0, 0, 2", "2, 3, 0, 2, 0", "_match_shape_1")),
    Fault("extent stored where it is compared", "SHAPES", put("2, 3, 0,", "2, 1, 0,", "_match_shape_1")),
    Fault("computed extent not compared", "SHAPES", without("_match_shape_4")),
    Fault("symbol used before it is bound", "SHAPES", moved("_match_shape_2", "_computed")),
    Fault("symbol never bound", "SHAPES", put("1, 1, 1,", "1, 2, 1,", "_match_shape_2")),
    Fault("program called too late", "SHAPES", moved("_computed", "_match_shape_4")),
    Fault("program lost", "SHAPES", without("_computed_3")),
    Fault(
        "program computes something else",
        "SHAPES",
        put("H[T.int64(0)] * H[T.int64(1)]", "H[T.int64(0)] + H[T.int64(1)]"),
    ),
    Fault("slot overwritten", "SHAPES", put("H[T.int64(3)] = ", "H[T.int64(1)] = ")),
    Fault("table too small", "SHAPES", put("(7,)", "(6,)", "shape_heap")),
    Fault("slot of a branch not filled", "SHAPES", all_of(without("_computed_2"), put("1, 1, 5", "1, 1, 6", "gv_3"))),
    Fault("shape of a stale slot", "SHAPES", put("2, 1, 4, 1, 6", "2, 1, 4, 1, 3", "gv_4")),
    Fault("shape of an immediate", "SHAPES", put("1, 1, 2,", "1, 0, 2,", "gv_2")),
    Fault("check after the call", "SHAPES", moved("_check_tensor_info", "_")),
    Fault("bytes instead of elements", "SHAPES", put("1, 1, 0", "1, 1, 3", "gv_1")),
    Fault("storage too small", "SHAPES", put("1, 1, 3", "1, 1, 0", "gv")),
    Fault("match_cast erased", "SHAPES", without("_check_tensor_info_6", "_match_shape_6", "_match_shape_8")),
    Fault("match_cast binds nothing", "SHAPES", put("1, 1, 4,", "1, 2, 4,", "_match_shape_5")),
    Fault("match_cast of another place", "SHAPES", put("match_cast=r_1", "loc=param[9]", "_match_shape_6")),
    Fault("branches swapped", "SHAPES", all_of(put("u, d,", "b, d,", "_2"))),
    Fault("field swapped", "SHAPES", put("r, gv_4", "b, gv_4", "w")),
    Fault("context of another place", "SHAPES", put("loc=param[1]", "loc=return", "_match_shape_1")),
    Fault(
        "name killed too early", "SHAPES", put("u = t\n", "u = t\n        _gone = R.vm.kill_object(t)\n        v = t\n")
    ),
    Fault("return check wrong", "SHAPES", put("1, 3, 2,", "1, 3, 3,", "_match_shape_8")),
)

RETURN = Fault("return check lost", "RETURNS", without("_check_tensor_info_1", "_match_shape_1"))

HOST = """        flag = R.less(R.sum(a, axis=[0]), R.const(0.0, "float32"))
        if flag:
            b = R.memory.alloc_tensor(t, 0, R.shape([n]), R.dtype("float32"), 0)
        else:
            b = R.memory.alloc_tensor(t, 0, R.shape([n]), R.dtype("float32"), 0)
"""

KEY = ", 0, R.shape([n])), ty_args"
NEW = 't = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))'
PLANNED = 'a = R.memory.alloc_tensor(s, 0, R.shape([n]), R.dtype("float32"), 0)'
FRESH = 'a = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))'


def instead(name: str, text: str) -> Edit:
    """Other lines in the place of a binding."""
    return lambda t: t.replace(_line(t, name), text, 1)


def then(name: str, text: str) -> Edit:
    """Another line after a binding."""
    return lambda t: t.replace(_line(t, name), _line(t, name) + text, 1)


UNCACHED = instead("cached", "        cached = cls.main_cuda_graph_alloc()\n")

CAPTURE = (
    Fault("captured storage is new on each run", "STEPS", UNCACHED),
    Fault("one storage is new on each run", "STEPS", put("t = cached[1]", NEW)),
    Fault("shape left out of the key", "STEPS", put(KEY, ", 0), ty_args", "graph")),
    Fault("another shape in the key", "STEPS", put(KEY, KEY.replace("n", "1", 1), "graph")),
    Fault("one number for two regions", "STEPS", put(KEY.replace("0", "1"), KEY, "graph_1")),
    Fault("a host read is captured", "STEPS", instead("b", HOST)),
    Fault("a print is captured", "STEPS", then("_1", '        _p = R.print(a, format=R.str("{}"))\n')),
    Fault("a parameter is captured", "STEPS", put("(t, a, s,", "(t, x, s,", "graph")),
    Fault("the result is kept in a storage", "STEPS", put("return f", "return e")),
    Fault("a launch is lost", "STEPS", without("_2")),
    Fault("what is captured reads fresh memory", "STEPS", put(PLANNED, FRESH)),
    Fault("two storages are one", "STEPS", put("return (s, t)", "return (s, s)")),
    Fault("storage smaller than the largest run", "STEPS", put("R.shape([64])", "R.shape([8])")),
    Fault("result of the region swapped", "STEPS", put("return (c,)", "return (b,)")),
    Fault("key of a built module lost", "STEPS_BUILT", put("gv_2, 0, gv_3", "gv_2, 0", "graph")),
    Fault("storage of a built module new on each run", "STEPS_BUILT", UNCACHED),
)

FAULTS = (*BUILD, RETURN, *CAPTURE)
