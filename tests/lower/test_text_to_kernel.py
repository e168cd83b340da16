"""A text on its way into a kernel: indices, conditions, requirements, results, one question each."""

# ruff: noqa: E501
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from refrelax.lower.legalize.from_text import Writer, _operands
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import Scalar
from refrelax.lower.legalize.site import Unfit
from refrelax.semantics.ops.meaning import data
from refrelax.syntax.graph import Call, Op, PrimValue, StringValue, Tuple, Var
from refrelax.syntax.scalars import Binary, BufferLoad, Intrinsic, Not, PrimExpr, SymVar, as_int, bool_imm, int_imm
from refrelax.syntax.write.scalars import SHOWN, expression

N, M, I, J, Q, OPEN = (SymVar(name, "int64") for name in ("n", "m", "i", "j", "?0", "?1"))


def binary(op: Any, a: PrimExpr, b: PrimExpr | int) -> Binary:
    return Binary(op, a, int_imm(b) if isinstance(b, int) else b)


def text(e: Any) -> str:
    node = getattr(e, "node", e)
    return expression(node, SHOWN) if as_int(node) is None else str(as_int(node))


INSIDE, POSITIVE, EQUAL = binary("LT", I, N), binary("GE", M, 1), binary("EQ", I, N)
TABLE = data.Operand("T", (N,), "int64")


def writer(*known: PrimExpr, named: dict[PrimExpr, SymVar] | None = None, dtype: str = "int64") -> Any:
    """One of a text in which ``i`` is below n and ``?0`` is an element; ``known``: what is proved."""
    found: Any = Writer.__new__(Writer)
    told: list[str] = []
    asked: list[str] = []

    def ask(statement: PrimExpr, given: tuple[PrimExpr, ...]) -> bool:
        asked.append(f"{text(statement)} given {', '.join(map(text, given))}")
        return statement in known

    found.s = SimpleNamespace(
        named=named or {}, expression=Scalar, suppose=lambda e: told.append(f"suppose {text(e)}"), ask=ask, always=[], relations={},
        same=lambda a, b, claim: told.append(f"{text(a)} == {text(b)} [{claim}]"), demand=lambda rule, e: told.append(f"demand {text(e)} [{rule}]"),
    )  # fmt: skip
    found.opaque = {
        "?0": (data.Read(TABLE, (I,), "int64"), dtype),
        "?1": (data.OpenElement("op.x/open", "int64"), "int64"),
    }
    found.below, found.asked, found.premises = {"i": N, "j": int_imm(4)}, {}, []
    found.arrays = {id(TABLE): SimpleNamespace(ndim=1, __getitem__=None)}
    found.told, found.questions = told, asked
    found.element = lambda t, env: Scalar(BufferLoad("T", (env["i"].node if "i" in env else I,), "int64"))
    return found


def chosen(condition: PrimExpr, a: PrimExpr, b: PrimExpr) -> Intrinsic:
    return Intrinsic("if_then_else", (condition, a, b), "int64")


INDICES: dict[str, tuple[PrimExpr, str, list[str]]] = {
    "a number": (int_imm(3), "3", []), "a symbol": (N, "n", []), "an axis": (I, "p", []), "an element": (Q, "T[p]", []),
    "a sum": (binary("Add", I, N), "p + n", []), "a rest": (binary("FloorMod", I, M), "p % m", []), "a rest that is seen": (binary("FloorMod", I, N), "p", []),
    "a rest of more": (binary("FloorMod", binary("Add", I, 1), N), "(p + 1) % n", []), "a quotient": (binary("FloorDiv", I, N), "p // n", []),
    "not": (Not(EQUAL), "not p == n", []), "both": (binary("And", EQUAL, POSITIVE), "p == n and m >= 1", []), "one": (binary("Or", EQUAL, POSITIVE), "p == n or m >= 1", []),
    "a choice": (chosen(EQUAL, I, J), "T.if_then_else(p == n, p, j)", []), "a choice that is none": (chosen(INSIDE, I, J), "p", []),
    "a choice that is open else": (chosen(POSITIVE, I, OPEN), "p", ["suppose m >= 1"]), "a choice that is open": (chosen(POSITIVE, OPEN, I), "p", ["suppose not m >= 1"]),
    "an equality that is open": (chosen(binary("EQ", M, 1), OPEN, I), "p", ["suppose m != 1"]),
    "a choice on an axis that is open else": (chosen(EQUAL, I, OPEN), "p", []), "a choice on an element that is open else": (chosen(binary("EQ", Q, N), I, OPEN), "p", []),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", INDICES)
def test_indices(name: str) -> None:
    e, wanted, told = INDICES[name]
    made = writer(INSIDE)
    assert text(made.index(e, {"i": Scalar(SymVar("p", "int64"))})) == wanted and made.told == told


def test_what_is_no_index() -> None:
    for e in (BufferLoad("T", (I,), "int64"), Intrinsic("T.clz", (I,), "int64")):
        with pytest.raises(Unfit):
            writer().index(e, {})
    with pytest.raises(Unfit):
        writer(dtype="uint64").index(Q, {})
    assert text(writer(dtype="int32").index(Q, {})) == "T[i]"
    total = binary("Mul", N, M)
    assert text(writer(named={total: SymVar("m_1", "int64")}).index(total, {})) == "m_1"


def test_conditions_that_are_needed() -> None:
    for condition, known, wanted in (
        (INSIDE, (INSIDE,), []), (INSIDE, (), [INSIDE]), (EQUAL, (EQUAL,), [EQUAL]), (binary("LT", Q, N), (binary("LT", Q, N),), [binary("LT", Q, N)]),
        (binary("And", INSIDE, EQUAL), (INSIDE,), [EQUAL]), (binary("And", EQUAL, INSIDE), (), [EQUAL, INSIDE]),
        (binary("GE", I, 0), (binary("GE", I, 0),), []), (binary("GT", I, 0), (binary("GT", I, 0),), []), (binary("LE", I, N), (binary("LE", I, N),), []),
    ):  # fmt: skip
        made = writer(*known)
        for _ in range(2):  # (asked once)
            assert made.needed(condition) == wanted
        proved = [each for each in known if each.op in ("GE", "GT", "LE", "LT") and each not in wanted]
        assert [each for each, _ in made.s.always] == proved
        assert len(made.questions) == len(set(made.questions))
        assert made.guards(condition) is (bool(wanted) and condition != binary("LT", Q, N))
    made = writer()
    made.needed(binary("LT", I, J))
    made.needed(binary("LT", M, N))
    assert [len(each.partition(" given ")[2]) > 0 for each in made.questions] == [True, False]
    assert "i >= 0" in made.questions[0] and "i < n" in made.questions[0] and "j < 4" in made.questions[0]


REQUIREMENTS: dict[str, tuple[PrimExpr, str, list[str] | None]] = {
    "an equality": (binary("EQ", N, M), "op.x/open", ["n == m [lo/equal-extents]"]),
    "a bound": (POSITIVE, "op.x/open", ["suppose m >= 1"]), "both": (binary("And", POSITIVE, binary("EQ", N, 3)), "op.x/open", ["suppose m >= 1", "n == 3 [lo/equal-extents]"]),
    "of an element": (binary("LT", Q, N), "op.x/open", []), "never": (bool_imm(False), "op.x/open", None),
    "a number of elements": (binary("EQ", N, M), "op.reshape/element-count-run", ["suppose n == m"]),
    "a number of elements that is seen": (binary("EQ", binary("Mul", N, 2), binary("Mul", int_imm(2), N)), "op.reshape/element-count-run", []),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements(name: str) -> None:
    condition, rule, wanted = REQUIREMENTS[name]
    made = writer()
    if wanted is None:
        with pytest.raises(Unfit):
            made.require(data.Requirement(condition, rule))
        return
    made.require(data.Requirement(condition, rule))
    assert made.told == wanted


def test_a_number_of_elements_that_is_proved_is_a_claim() -> None:
    made = writer(binary("EQ", N, M))
    made.require(data.Requirement(binary("EQ", N, M), "op.reshape/element-count-run"))
    assert made.told == ["n == m [lo/reshape-same-size]"]
    for condition, wanted in (
        (binary("EQ", N, M), "n == m [lo/broadcast-equal]"),
        (binary("LT", N, M), "demand n < m [lo/broadcast-equal]"),
    ):
        made = writer()
        made.premise(condition)
        assert made.told == [wanted]


def test_results_have_the_extents_that_were_deduced() -> None:
    def results(
        own: tuple[PrimExpr, ...], wanted: tuple[PrimExpr, ...], dtype: str = "float32", twice: bool = False
    ) -> tuple[list[str], int]:
        made = writer()
        step = data.Definition("y", own, dtype, (I, J)[: len(own)], data.Literal(dtype, 0))
        out: Any = SimpleNamespace(dtype="float32", ndim=len(wanted), dims=[Scalar(d) for d in wanted])
        made.ready, made.s.outs = SimpleNamespace(outputs=[step] * (1 + twice)), [out] * (1 + twice)
        return made.told, len(made.results())

    assert (
        results((N, M), (N, M)) == (["n == n [lo/equal-extents]", "m == m [lo/equal-extents]"], 0)
        or results((N, M), (N, M))[1] == 0
    )
    assert results((N, M), (N, int_imm(3)))[0][-1] == "3 == m [lo/equal-extents]"
    assert results((N,), (N,), twice=True)[1] == 1
    for own, wanted, dtype in (((N,), (N, M), "float32"), ((N,), (N,), "float16")):
        with pytest.raises(Unfit):
            results(own, wanted, dtype)


def test_what_arguments_are_to_a_text() -> None:
    array = Array("a", (Scalar(N), Scalar(int_imm(3))), "float32")
    site: Any = SimpleNamespace(
        a=[array, Scalar(M), [array, array], None, None, None, None, None],
        relations={},
        shapes={3: (N, M), 4: (N,)},
        dtypes={3: "int8"},
    )

    def given(k: int, arg: Any = Var("x")) -> list[Any]:
        return [operand for operand, _ in _operands(site, k, arg)]

    assert given(0) == [("x0", [N, int_imm(3)], "float32")] and given(1) == [("x1", [1], "int64", M)]
    assert [each[0] for each in given(2)] == ["x2_0", "x2_1"]
    assert given(3) == [("x3", [N, M], "int8")] and given(4) == [[N]]
    assert given(5, Tuple((PrimValue(N), PrimValue(M)))) == [[N, M]] and given(5, Tuple(())) == [[]]
    assert given(6, Call(Op("relax.null_value"), ())) == [None]
    ((_, alone),) = _operands(site, 1, Var("x"))
    assert alone is not None and [as_int(d.node) for d in alone.dims] == [1] and alone.number is not None
    for k, arg in (
        (7, Var("x")),
        (7, Tuple((PrimValue(N), Var("x")))),
        (7, StringValue("x")),
        (7, Call(Op("relax.exp"), ())),
    ):
        with pytest.raises(Unfit):
            _operands(site, k, arg)
