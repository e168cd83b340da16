"""The witnesses of ``spec/errata-14148.md``: where the open draft and this specification differ."""

from __future__ import annotations

import refrelax as rr
from refrelax.conformance.spec_text import paragraphs
from refrelax.semantics.dims import shape_facts
from refrelax.semantics.types import check
from refrelax.semantics.types.lattice import join
from refrelax.semantics.types.signatures import declared_type
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Function
from refrelax.syntax.read import parse
from refrelax.syntax.scalars import int_imm
from refrelax.syntax.types import VOID, AnyType, PrimType, ShapeType, TensorType, TupleType, tensor_of

FACTS = shape_facts([])
T23 = tensor_of((int_imm(2), int_imm(3)), "float32")


def test_1_any_is_the_top() -> None:
    assert join(AnyType(), T23, FACTS) == AnyType()
    assert join(T23, AnyType(), FACTS) == AnyType()


def test_2_shapes_that_differ_keep_their_rank_only() -> None:
    assert join(ShapeType((int_imm(2),), 1), ShapeType((int_imm(3),), 1), FACTS) == ShapeType(None, 1)


BRANCHES = """
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((2, 3), dtype="float32"), y: R.Tensor((2, 3), dtype="float16")):
        if c:
            r = x
        else:
            r = y
        return r
"""


def test_3_dtypes_that_differ_are_forgotten() -> None:
    assert str(check(parse(BRANCHES)).types["main"]["r"]) == "R.Tensor((2, 3))"


def test_4_a_common_device_is_kept() -> None:
    a = TensorType(None, "float32", 2, "cuda:0:global")
    b = TensorType(None, "float16", 3, "cuda:0:global")
    assert join(a, b, FACTS) == TensorType(None, None, -1, "cuda:0:global")


CALL = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def f(x: R.Tensor((n,), dtype="float32")) -> R.Tensor(("n + 1",), dtype="float32"):
        y = R.call_dps_packed("g", (x,), out_ty=R.Tensor((n + 1,), dtype="float32"))
        return y

    @R.function
    def main(x: R.Tensor((m,), dtype="float32")):
        cls = Module
        y = cls.f(x)
        return y
"""


def test_5_a_call_maps_symbols_to_the_caller() -> None:
    assert str(check(parse(CALL)).types["main"]["y"]) == 'R.Tensor((m + 1,), dtype="float32")'


LEAK = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1)):
        k = T.int64()
        y = R.match_cast(x, R.Tensor((k,), dtype="float32"))
        s = R.shape([k])
        return s
"""


def test_6_a_shape_out_of_scope_is_erased() -> None:
    c = check(parse(LEAK))
    assert str(c.types["main"]["s"]) == "R.Shape([k])"
    assert str(c.signatures["main"].ret) == "R.Shape(ndim=1)"


def test_7_void_and_handle_have_one_size_each() -> None:
    assert TupleType(()) == VOID
    assert (dtypes.bits("void"), dtypes.bits("handle")) == (0, 64)


OPEN = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), dtype="float32"), z: R.Tensor((m,), dtype="float32")):
        y = R.match_cast(x, R.Tensor((m,), dtype="float32"))
        return y
"""


def test_8_an_open_equality_is_no_reason_to_refuse_a_cast() -> None:
    assert str(check(parse(OPEN)).types["main"]["y"]) == 'R.Tensor((m,), dtype="float32")'


CHECK = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(ndim=1, dtype="float32")):
        {0}
        return x
"""
OUTSIDE = 'y = R.match_cast(x, R.Tensor((3,), "float32"))'
INSIDE = f"""with R.dataflow():
            {OUTSIDE}
            z = R.add(x, x)
            R.output(z)"""


def test_9_an_error_stays_an_error_but_for_an_unread_check_in_a_dataflow_block() -> None:
    outside, inside = (rr.check(parse(CHECK.format(body))) for body in (OUTSIDE, INSIDE))
    for before in (outside, inside):
        assert isinstance(rr.run(before, "main", [1.0, 2.0]), rr.Trapped)
    kept, dropped = (rr.lower(before, passes=("dead_code",)).module for before in (outside, inside))
    assert isinstance(rr.run(kept, "main", [1.0, 2.0]), rr.Trapped)
    assert isinstance(rr.run(dropped, "main", [1.0, 2.0]), rr.Returned)
    assert isinstance(rr.validate(outside, kept, "main"), rr.Equivalent)
    assert isinstance(rr.validate(inside, dropped, "main"), rr.Refuted)
    assert isinstance(rr.validate(dropped, inside, "main"), rr.Refuted)


SCALAR = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y: T.int64 = R.prim_value(n + 1)
        return y
"""


def test_10_one_name_for_each_rule() -> None:
    """No id has two paragraphs, none in code is without one; a scalar value has the type of a scalar."""
    defined = [p.rule for p in paragraphs()]
    assert len(defined) == len(set(defined)) and {"ty/subtype", "ev/prim-value"} <= set(defined)
    checked = rr.check(parse(SCALAR))
    assert checked.types["main"]["y"] == PrimType("int64")
    out = rr.run(checked, "main", [1.0, 2.0])
    assert isinstance(out, rr.Returned) and out.value == 3


FORCED = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32")):
        R.func_attr({"relax.force_pure": True})
        R.print(x, format=R.str("{}"))
        return x
"""


def test_11_force_pure_takes_the_text_at_its_word() -> None:
    f = parse(FORCED)["main"]
    assert isinstance(f, Function)
    assert declared_type(f).purity
    check(parse(FORCED))
