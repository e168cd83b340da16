"""What passes ask of a program, one question at a time, against what is plainly so."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest

import refrelax as rr
from refrelax.lower.arena import Life, Room, _gap
from refrelax.lower.build.rewrite import _Builder
from refrelax.lower.build.table import _total
from refrelax.lower.claims import Ledger
from refrelax.lower.domains import Domain, spelled
from refrelax.lower.extent_parts import _bounds
from refrelax.lower.fuse_loops.indices import Asker
from refrelax.lower.fuse_loops.shared import _of_constants
from refrelax.lower.kills import killed
from refrelax.lower.legalize.from_text import Writer
from refrelax.lower.legalize.operations import converted
from refrelax.lower.legalize.prepare import whole
from refrelax.lower.legalize.scalars import Scalar
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.lower.may_trap import Traps
from refrelax.lower.nests import Axis
from refrelax.lower.origins.text import Origin
from refrelax.lower.origins.vouched import vouched
from refrelax.lower.pipeline import lower
from refrelax.semantics.dims import bounds, value
from refrelax.semantics.numbers import reading
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, Literal, PrimExpr, SymVar, int_imm

N, M = SymVar("n", "int64"), SymVar("m", "int64")


def test_a_sum_of_products_is_spelled_out() -> None:
    terms = [(k, fs) for k in (-2, -1, 1, 3) for fs in ((), (N,), (N, M))]
    for a, b in product(terms, repeat=2):
        for n, m in ((0, 1), (3, -2)):
            at = {"n": n, "m": m}
            wanted = sum(k * (1 if not fs else n if len(fs) == 1 else n * m) for k, fs in (a, b))
            assert value(spelled([a, b], "int64"), at) == wanted
    assert spelled([], "int64") == int_imm(0) and spelled([(1, (N,))], "int64") == N


def test_what_facts_say_of_signs() -> None:
    for op, number, is_known in (
        ("GE", 0, True),
        ("GE", -1, False),
        ("LE", 0, False),
        ("EQ", 0, False),
        ("GE", 2, False),
    ):
        facts = _bounds([Binary(op, N, int_imm(number))])  # type: ignore[arg-type]
        assert facts == (_bounds([Binary("GE", N, int_imm(0))]) if is_known else _bounds([])), (op, number)
    assert _bounds([Binary("GE", N, int_imm(0))]) != _bounds([])


def test_nothing_is_claimed_of_what_is_read_from_memory() -> None:
    asker, load = Asker(Ledger(), "here"), BufferLoad("A", (N,), "int64")
    domain = Domain(())
    assert asker.holds(Binary("EQ", N, N), "lo/fuse-index-equal", domain, ())
    assert not asker.holds(Binary("EQ", load, load), "lo/fuse-index-equal", domain, ())
    assert not asker.known(Binary("EQ", load, load), domain, ())


VALUES = (0, 1, -1, 2, 127, 128, 255, -129, 2.0, 0.5, -3.75, 1e9, float("inf"), float("nan"))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "bool", "float32", "float16", "float8_e4m3fn"])
def test_a_conversion_of_a_number_is_the_number_it_gives(dtype: str) -> None:
    numerics = reading("ieee")
    for source, number in product(("float32", "int64", "int8", "bool"), VALUES):
        if dtypes.is_float(source) != isinstance(number, float) or (source == "int8" and not -128 <= number <= 127):
            continue
        if source == "bool" and number not in (0, 1):
            continue
        given = numerics.at(source).lit(number)
        literal = Literal(source, numerics.at(source).to_bits(given))
        found = converted(dtype, Scalar(literal)).node
        assert found.dtype == dtype
        if isinstance(found, Literal):
            wanted = numerics.at(dtype).cast(given, source)
            assert found.bits == numerics.at(dtype).to_bits(wanted), (source, number)
        elif dtypes.is_float(dtype):
            assert number - number != 0, (source, number)
        elif dtypes.is_integer(dtype) and isinstance(bits.literal_value(literal), int):
            low, high = dtypes.integer_range(dtype)
            assert not low <= number <= high, (source, number)


def test_a_room_is_the_smallest_gap_that_is_large_enough() -> None:
    life = Life("x", (), "float32", 0, 9)
    for taken, size, wanted in (
        ([], 16, 0), ([(0, 16)], 16, 16), ([(16, 16)], 16, 0), ([(16, 16)], 32, 32), ([(32, 16), (64, 16)], 16, 48),
        ([(16, 16), (64, 16)], 16, 0), ([(64, 16), (96, 16)], 16, 80), ([(0, 32), (16, 16)], 16, 32),
    ):  # fmt: skip
        assert _gap(Room(life, size), [Room(life, each, at) for at, each in taken]) == wanted, (taken, size)


# --- may_trap, kills --------------------------------------------------------------------------------------------------

MODULE = """
n = T.int64()
m = T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def plain(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i]

    @T.prim_func(private=True)
    def asserts(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        assert n > 2, "few"
        for i in range(n):
            b[i] = a[i]

    @R.function(private=True)
    def other(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        return x

    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32"), z: R.Tensor((m,), "float32"), u: R.Tensor("float32"),
             c: R.Tensor((), "bool"), t: R.Tuple(R.Tensor((n,), "float32"))):
        cls = Module
        v = {0}
        return v
"""
IF = "if c:\n            w = {}\n            v = w\n        else:\n            w = {}\n            v = w\n"
ALLOC = 'R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))'
VIEW = 'R.memory.view(x, R.shape([{}]), R.dtype("float32"), 0)'

QUESTIONS: dict[str, tuple[str, bool]] = {
    "a name": ("x", False), "a tuple": ("(x, z)", False), "a field": ("t[0]", False),
    "a shape": ("R.shape([n])", False), "an allocation": (ALLOC, False), "an operator": ("R.add(x, x)", True),
    "a reshape of as many": ("R.reshape(x, R.shape([n, 1]))", False),
    "a reshape of others": ("R.reshape(x, R.shape([m]))", True),
    "a reshape of who knows": ("R.reshape(u, R.shape([m]))", True),
    "a view of as many": (VIEW.format("n"), False), "a view of others": (VIEW.format("m"), True),
    "a function": ("cls.other(x)", True), "a program": ("cls.plain(x, x)", False),
    "of other extents": ("cls.plain(x, z)", True),
    "a program that asserts": ("cls.asserts(x, x)", True),
}  # fmt: skip
"""What is bound, and whether that may trap."""


def module(value_: str) -> rr.CheckedModule:
    text = MODULE.replace("v = {0}\n", value_ if value_.startswith("if") else f"v = {value_}\n")
    return rr.check(rr.parse(text))


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_may_trap(name: str) -> None:
    text, traps = QUESTIONS[name]
    for value_ in (text, IF.format(text, "x"), IF.format("x", text)):
        checked = module(value_)
        function = checked.module.functions["main"]
        assert isinstance(function, Function)
        bindings = [each for block in function.body.blocks for each in block.bindings if each.name == "v"]
        asked = Traps(checked.module, "main", checked.types["main"], Ledger())
        assert asked.among(bindings) is traps, value_


def test_what_is_killed() -> None:
    text = MODULE.replace(
        "v = {0}\n", f"a = {ALLOC}\n        b = R.add(x, x)\n        _ = R.memory.kill_tensor(a)\n        v = x\n"
    )
    assert killed(rr.check(rr.parse(text)).module.functions["main"]) == {"a"}


NUMBER = """
n = T.int64()
@R.function
def main(x: R.Tensor((n,), "float32")):
    y = R.add(x, R.const(2.5, "float32"))
    return y
"""


def test_a_number_is_no_argument_of_a_kernel() -> None:
    functions = lower(rr.check(rr.parse(NUMBER)), passes=("legalize",)).module.module.functions.values()
    (kernel,) = [each for each in functions if isinstance(each, PrimFunc)]
    assert len(kernel.params) == 2  # what is read, and what is stored


# --- loops ------------------------------------------------------------------------------------------------------------

CALLS = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), v: R.Tensor((2,), "float32"), i: R.Tensor((1,), "int64"),
             u: R.Tensor((), "float32"), r: R.Tensor((3, 1), "int64"), w: R.Tensor((3,), "float32")):
        with R.dataflow():
            y = {}
            R.output(y)
        return y
"""


def lowered(call: str, *passes: str) -> rr.Module:
    return lower(rr.check(rr.parse(CALLS.format(call))), passes=passes).module.module


@pytest.mark.parametrize("call", ["R.nn.softmax(x)", "R.variance(x, axis=[1])", "R.nn.gelu(x)"])
def test_a_kernel_keeps_its_origin_when_it_gets_shorter(call: str) -> None:
    before, after = (lowered(call, *each).prim_funcs() for each in (("legalize",), ("legalize", "fuse_loops")))
    (name,) = before
    assert dict(before[name].attrs)["Origin"] == dict(after[name].attrs)["Origin"]
    assert len(after[name].root_allocs) < len(before[name].root_allocs) or "gelu" in call
    assert isinstance(vouched(after[name]), Origin)  # (and nobody has to prove it again)


def test_each_element_is_read_once() -> None:
    one, other = SymVar("i", "int64"), SymVar("j", "int64")
    for at, dims, around, wanted in (
        ((one, int_imm(0)), (N, int_imm(1)), 1, True), ((one, other), (N, M), 2, True), ((one, one), (N, M), 2, False),
        ((one, int_imm(0)), (N, int_imm(2)), 1, False), ((one, other), (N, M), 3, False),
        ((other, one), (N, M), 2, True), ((), (), 0, True), ((one,), (N,), 2, False),
    ):  # fmt: skip
        assert whole(SimpleNamespace(at=at, array=SimpleNamespace(dims=dims)), around) is wanted, (at, dims)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "is_lowered"), [("R.scatter_nd(v, i, u)", False), ("R.scatter_nd(v, r, w)", True)]
)  # fmt: skip
def test_one_update_is_no_loop(call: str, is_lowered: bool) -> None:
    assert bool(lowered(call, "legalize").prim_funcs()) is is_lowered


SPLIT = """
n = T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def two(x: T.Buffer((n,), "float32"), a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(n):
            with T.sblock("a"):
                v = T.axis.spatial(n, i)
                a[v] = x[v] + T.float32(1)
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                b[v] = x[v] * T.float32(3)

    @R.function
    def main(x: R.Tensor((n,), "float32")):
        cls = Module
        with R.dataflow():
            t = R.call_tir(cls.two, (x,), out_ty=[R.Tensor((n,), "float32"), R.Tensor((n,), "float32")])
            a = t[0]
            b = t[1]
            c = R.negative(a)
            d = R.exp(b)
            R.output(c, d)
        return (c, d)
"""


def test_outputs_that_are_used_apart() -> None:
    checked = rr.check(rr.parse(SPLIT))
    made = lower(checked, passes=("legalize", "fuse_ops", "fuse_loops")).module
    wanted, found = rr.run(checked, "main", [1.0, 2.0]), rr.run(made, "main", [1.0, 2.0])
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert [each.tolist() for each in wanted.value] == [each.tolist() for each in found.value]
    assert len(made.module.prim_funcs()) == 2 and "two" not in made.module.prim_funcs()


VIEWED = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        d = R.dtype("{}")
        v = R.memory.view(x, R.shape([{}]), d, 0)
        return v
"""


@pytest.mark.parametrize(("dtype", "extent"), [("int32", 4), ("int16", 8), ("int8", 16)])
def test_a_dtype_that_has_a_name_is_built(dtype: str, extent: int) -> None:
    checked = rr.check(rr.parse(VIEWED.format(dtype, extent)))
    made = lower(checked, "build").module
    assert "TVMTensorCreateView" in rr.print_module(made.module)
    x = rr.Tensor.of([1.0, 2.0, -3.0, 0.5], "float32")
    wanted, found = rr.run(checked, "main", x), rr.run(made, "main", x)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert wanted.value.dtype == found.value.dtype == dtype and wanted.value.tolist() == found.value.tolist()


CONSTANTS = """
@I.ir_module
class Module:
    @R.function(private=True)
    def other(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        return x

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), c: R.Tensor((), "bool")):
        cls = Module
        a = metadata["ir.GenericConst"][0]
        b = R.add(x, metadata["ir.GenericConst"][0])
        d = R.reshape(metadata["ir.GenericConst"][0], R.shape([3, 2]))
        e = R.reshape(x, R.shape([3, 2]))
        f = cls.other(x)
        g = (x, metadata["ir.GenericConst"][0])
        if c:
            h = metadata["ir.GenericConst"][0]
            i = h
        else:
            h = x
            i = h
        return e
"""


def test_what_may_be_a_constant_of_the_module() -> None:
    module = rr.parse(CONSTANTS)
    function = module.functions["main"]
    assert isinstance(function, Function)
    assert {*_of_constants(module, function)} == {"a", "d", "f", "g", "h"}


def test_a_loop_begins_at_0_and_ends_before_its_extent() -> None:
    one, other = SymVar("i", "int64"), SymVar("j", "int64")
    facts = Domain((Axis(one, int_imm(4)), Axis(other, N)), (M,)).facts()
    assert bounds(one, facts) == (0, 3) and bounds(other, facts) == (0, None) and bounds(M, facts) == (0, None)


def test_what_has_a_value_for_all_operands() -> None:
    for op, b, is_total in (
        ("Add", M, True), ("Mul", M, True), ("Add", int_imm(0), True), ("FloorDiv", int_imm(2), True),
        ("FloorDiv", int_imm(0), False), ("FloorMod", int_imm(-1), False), ("FloorDiv", M, False), ("LT", M, False),
    ):  # fmt: skip
        assert _total(Binary(op, N, b)) is is_total, (op, b)  # type: ignore[arg-type]
    assert _total(N) and not _total(SymVar("k", "int32"))


def test_what_checks_of_parameters_have_shown() -> None:
    function = rr.parse(NUMBER.replace("(n,)", "(n, n * 2, 3)")).functions["main"]
    known = _Builder._given(SimpleNamespace(function=function))  # type: ignore[arg-type]
    n = SymVar("n", "int64")
    for dim in (n, Binary("Mul", n, int_imm(2))):
        assert Binary("GE", dim, int_imm(0)) in known
    assert len(known) == 4


def test_a_premise_of_equality_is_one_of_extents() -> None:
    asked: list[object] = []
    writer = SimpleNamespace(
        s=SimpleNamespace(demand=lambda _, claim: asked.append(claim)), equal=lambda a, b, _: asked.append((a, b))
    )
    for condition, wanted in ((Binary("EQ", N, M), (N, M)), (Binary("LT", N, M), Binary("LT", N, M))):
        Writer.premise(writer, condition)  # type: ignore[arg-type]
        assert asked.pop() == wanted


def test_extents_are_equal_or_a_claim() -> None:
    asked: list[PrimExpr] = []
    site = SimpleNamespace(demand=lambda _, claim: asked.append(claim))
    Site.same(site, Scalar(N), Scalar(N))  # type: ignore[arg-type]
    assert asked == []
    Site.same(site, Scalar(N), Scalar(int_imm(3)))  # type: ignore[arg-type]
    assert asked == [Binary("EQ", N, int_imm(3))]
    with pytest.raises(Unfit):
        Site.same(site, Scalar(int_imm(2)), Scalar(int_imm(3)))  # type: ignore[arg-type]
