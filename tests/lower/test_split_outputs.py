"""Kernels with several outputs: which calls are taken apart, into what, and that nothing else is.

A row is a loop program, the bindings around its call, and the loop programs that are called then; the run is the same.
"""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_ops.outputs import split_outputs
from refrelax.lower.names import Taken
from refrelax.lower.origins.proof import origin_of
from refrelax.lower.origins.vouched import claimed
from refrelax.syntax.graph import Call, Function, GlobalVar, Op
from tests.lower.fusion_modules import HEAD, buffer, kernel, nest

X, Y, P, O = (buffer(name, "n") for name in "XYPO")
ONE, THREE = nest("p", "P", "i", "X[i] + T.float32(1)", "n"), nest("o", "O", "i", "X[i] * T.float32(3)", "n")
CAST = 'X[i] + T.Cast("float32", m)'
INNER = 'A = T.sblock_alloc_buffer((n,), "float32")'
FLOAT, SHORT = 'R.Tensor((n,), "float32")', 'R.Tensor(dtype="float32", ndim=1)'
CALL = f"t = R.call_tir(cls.two, (x,), out_ty=[{FLOAT}, {FLOAT}])"
FIELDS = ("a = t[0]", "b = t[1]")
BOTH = ("two_output0", "two_output1")


class Row(NamedTuple):
    body: str
    wanted: tuple[str, ...] = BOTH
    bindings: tuple[str, ...] = (CALL, *FIELDS)
    result: str = "(a, b)"
    outputs: str = "a, b"
    params: str = f"{X}; {P}; {O}"
    allocs: str = ""
    given: str = f"x: {FLOAT}"


def using(name: str, value: str) -> str:
    return nest(name.lower(), name, "i", value, "n")


ROWS: dict[str, Row] = {
    "two nests": Row(f"{ONE}\n{THREE}"),
    "the second nest first": Row(f"{THREE}\n{ONE}"),
    # --- what is computed for both
    "a copy for both": Row(f"{using('A', 'X[i]')}\n{using('P', 'A[i] + X[i]')}\n{using('O', 'A[i] * X[i]')}", allocs=INNER),
    "a sum for both": Row(f"{using('A', 'X[i] + X[i]')}\n{using('P', 'A[i]')}\n{using('O', 'A[i] * X[i]')}", (), allocs=INNER),
    "a sum for one": Row(f"{using('A', 'X[i] + X[i]')}\n{using('P', 'A[i]')}\n{using('O', 'X[i] * X[i]')}", allocs=INNER),
    "a sum for both, of which one is used": Row(
        f"{using('A', 'X[i] + X[i]')}\n{using('P', 'A[i]')}\n{using('O', 'A[i] * X[i]')}", BOTH[1:], (CALL, FIELDS[1]), "b", "b", allocs=INNER,
    ),
    "one output from the other": Row(f"{ONE}\n{using('O', 'P[i] * X[i]')}", ()),
    "one output from a copy": Row(f"{using('P', 'X[i]')}\n{using('O', 'P[i] * X[i]')}"),
    "the first of one from the other": Row(f"{ONE}\n{using('O', 'P[i] * X[i]')}", BOTH[:1], (CALL, FIELDS[0]), "a", "a"),
    "the second of one from the other": Row(f"{ONE}\n{using('O', 'P[i] * X[i]')}", BOTH[1:], (CALL, FIELDS[1]), "b", "b"),
    # --- how the tuple is used
    "a field with two names": Row(f"{ONE}\n{THREE}", bindings=(CALL, *FIELDS, "c = t[0]"), result="(a, b, c)", outputs="a, b, c"),
    "the tuple itself is a result": Row(f"{ONE}\n{THREE}", (), result="(a, b, t)", outputs="a, b, t"),
    "the tuple has another name": Row(f"{ONE}\n{THREE}", (), (CALL, *FIELDS, "u = t", "c = u[0]"), "(a, b, c)", "a, b, c"),
    "no field": Row(f"{ONE}\n{THREE}", (), (CALL, "c = R.exp(x)"), "c", "c"),
    "a field of a parameter": Row(f"{ONE}\n{THREE}", (), ("a = q[0]",), "a", "a", given=f"x: {FLOAT}, q: R.Tuple({FLOAT}, {FLOAT})"),
    "a field of a tuple that is written": Row(f"{ONE}\n{THREE}", (), ("t = (x, x)", *FIELDS)),
    "two calls": Row(
        f"{ONE}\n{THREE}", (*BOTH, *BOTH), (CALL, *FIELDS, CALL.replace("t =", "u ="), "c = u[0]", "d = u[1]"), "(a, b, c, d)", "a, b, c, d"
    ),
    "a field that is used on": Row(f"{ONE}\n{THREE}", bindings=(CALL, *FIELDS, "c = R.negative(b)"), result="(a, c)", outputs="a, c"),
    # --- which loop programs
    "an output that nobody stores": Row(THREE, ()),
    "an input that is stored": Row(f"{ONE}\n{THREE}\n{using('X', 'T.float32(0)')}", ()),
    "what is no nest": Row(f"for i in T.serial(T.int64(0), n):\n    P[i] = X[i]\n{THREE}\nfor i in T.serial(T.int64(1), n):\n    P[i] = X[i]", ()),
    "three outputs": Row(
        f"{ONE}\n{THREE}\n{using('Q', 'X[i] - T.float32(7)')}", ("two_output0", "two_output2"),
        (f"t = R.call_tir(cls.two, (x,), out_ty=[{FLOAT}, {FLOAT}, {FLOAT}])", "a = t[0]", "b = t[2]"),
        params=f"{X}; {P}; {O}; {buffer('Q', 'n')}",
    ),
    # --- what the call checks
    "two inputs": Row(
        f"{using('P', 'X[i] + Y[i]')}\n{using('O', 'X[i] * Y[i]')}", bindings=(CALL.replace("(x,)", "(x, y)"), *FIELDS),
        params=f"{X}; {Y}; {P}; {O}", given=f"x: {FLOAT}, y: {FLOAT}",
    ),
    "two inputs that may be told apart": Row(
        f"{using('P', 'X[i] + Y[i]')}\n{using('O', 'X[i] * Y[i]')}", (), (CALL.replace("(x,)", "(x, y)"), *FIELDS),
        params=f"{X}; {Y}; {P}; {O}", given=f"x: {FLOAT}, y: {FLOAT.replace('(n', '(m')}",
    ),
    "an input that is spelled otherwise": Row(
        f"{using('P', 'X[i] + X[i]')}\n{THREE}", bindings=(CALL.replace("(n,", "(n + m,"), *FIELDS),
        given=f"x: {FLOAT.replace('(n', '(m + n')}, y: {FLOAT}, z: {FLOAT.replace('(n', '(m')}",
    ),
    "an input of unknown extent": Row(f"{ONE}\n{THREE}", (), given=f"x: {SHORT}, y: {FLOAT}"),
    "an output of unknown extent": Row(f"{ONE}\n{THREE}", (), (f"s: R.Tuple({SHORT}, {SHORT}) = (x, x)", "a = s[0]", "b = s[1]")),
    "a number": Row(
        f"{using('P', CAST.replace(', m', ', k'))}\n{THREE}", bindings=(CALL.replace("(x,)", "(x, 5)"), *FIELDS),
        params=f"{X}; k: T.int64; {P}; {O}",
    ),
    # --- symbols
    "a symbol that the other output defines": Row(
        f"{using('P', CAST)}\n{nest('o', 'O', 'i', 'T.float32(2)', 'm')}", (),
        (f"t = R.call_tir(cls.two, (x,), out_ty=[{FLOAT}, {FLOAT.replace('(n', '(n * 2')}])", *FIELDS), params=f"{X}; {P}; {buffer('O', 'm')}",
    ),
    "a symbol that the other output defines, of the other": Row(
        f"{using('P', CAST)}\n{nest('o', 'O', 'i', 'T.float32(2)', 'm')}", BOTH[1:],
        (f"t = R.call_tir(cls.two, (x,), out_ty=[{FLOAT}, {FLOAT.replace('(n', '(n * 2')}])", FIELDS[1]), "b", "b", params=f"{X}; {P}; {buffer('O', 'm')}",
    ),
}  # fmt: skip


def module(row: Row) -> rr.CheckedModule:
    lines = "\n".join(f"            {each}" for each in row.bindings)
    text = HEAD + kernel("two", row.params, row.body, row.allocs)
    text += (
        f"\n    @R.function\n    def main({row.given}):\n        cls = Module\n        with R.dataflow():\n{lines}\n"
    )
    return rr.check(rr.parse(f"{text}            R.output({row.outputs})\n        return {row.result}\n"))


def split(checked: rr.CheckedModule) -> rr.CheckedModule:
    return rr.check(split_outputs(checked, Ledger(), Taken(checked.module.functions)))


def callees(module_: rr.Module) -> list[str]:
    function = module_.functions["main"]
    assert isinstance(function, Function)
    values = [b.value for block in function.body.blocks for b in block.bindings]
    calls = [e for e in values if isinstance(e, Call) and e.op == Op("relax.call_tir")]
    return [e.args[0].name for e in calls if isinstance(e.args[0], GlobalVar)]


def flat(value: Any) -> list[Any]:
    return [cell for each in value for cell in flat(each)] if isinstance(value, tuple) else [value.tolist()]


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ROWS)
def test_what_is_taken_apart(name: str) -> None:
    row = ROWS[name]
    checked = module(row)
    made = split(checked)
    before = [each for each in callees(checked.module) if not row.wanted]
    assert callees(made.module) == list(row.wanted) + before
    assert set(made.module.functions) - set(checked.module.functions) == set(row.wanted)
    if row.params.startswith(X) and "X[i] = " not in row.body and "q:" not in row.given:
        args = [[1.0, -2.0, 0.5], [4.0, 8.0, 16.0], [0.25, 1.0, -1.0]][: row.given.count(": R.Tensor")]
        if "m + n" in row.given:
            args[:] = [[1.0, -2.0, 0.5], [4.0, 8.0], [0.25]]
        wanted, found = rr.run(checked, "main", *args), rr.run(made, "main", *args)
        if isinstance(wanted, rr.Returned):
            assert isinstance(found, rr.Returned) and flat(wanted.value) == flat(found.value)
            assert wanted.poison == found.poison


def test_one_of_a_kind_is_one_kernel() -> None:
    """Parameters, memory and attributes of each are its own."""
    made = split(
        module(ROWS["one output from a copy"]._replace(body=f"{using('P', 'X[i]')}\n{using('O', 'P[i] * X[i]')}"))
    )
    first, second = (made.module.prim_funcs()[each] for each in BOTH)
    for func, params, allocs in ((first, "XP", ""), (second, "XO", "P")):
        assert "".join(p.buffer.name for p in func.params) == params  # type: ignore[union-attr]
        assert "".join(b.name for b in func.root_allocs) == allocs
        assert dict(func.attrs) == {"tirx.noalias": True} and func.private and len(func.body) == len(allocs) + 1


TYPED = {
    "as they are": (CALL, "a = t[0]", FLOAT),
    "less is said of the field": (CALL, f"a: {SHORT} = t[0]", FLOAT),
    "less is said of the tuple": (CALL.replace("t =", f"t: R.Tuple({SHORT}, {SHORT}) ="), "a = t[0]", SHORT),
}


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", TYPED)
def test_types_stay(name: str) -> None:
    call, first, wanted = TYPED[name]
    checked = module(ROWS["two nests"]._replace(bindings=(call, first, "b = t[1]")))
    made = split(checked)
    assert callees(made.module) == list(BOTH)
    for each in "ab":
        assert made.types["main"][each] == checked.types["main"][each]
    assert (str(made.types["main"]["a"]) == str(checked.types["main"]["x"])) is (wanted == FLOAT)


SPLIT = """
n = T.int64()
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32")):
        with R.dataflow():
            t = R.split(x, 2, axis=1)
            a = t[0]
            b = t[1]
            R.output(a, b)
        return (a, b)
"""


def test_an_output_comes_from_a_field_of_what_the_kernel_comes_from() -> None:
    before = lower(rr.check(rr.parse(SPLIT)), passes=("legalize",)).module
    (whole,) = before.module.prim_funcs().values()
    made = split(before).module.prim_funcs()
    for name, func in made.items():
        claim, origin = claimed(func), origin_of(func)
        assert claim is not None and claim.sure and origin == claim.origin, name
    assert len(made) == 3 or whole not in made.values()
    assert len({claimed(func).origin for func in made.values()}) == len(made)  # type: ignore[union-attr]
