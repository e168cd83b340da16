"""The tables of chapters 03 and 03b that say what a text stands for are read: each row, both sides."""

from __future__ import annotations

import re
from typing import Any

from refrelax.conformance.chapters.held import chapter, code, held, holds, over, refused, same, table
from refrelax.errors import Malformed
from refrelax.syntax.bits import literal
from refrelax.syntax.graph import AttrList, Call, DataflowBlock, Function, Op, Tuple, VarBinding
from refrelax.syntax.loops import BufferStore, Evaluate, PrimFunc
from refrelax.syntax.read import parse
from refrelax.syntax.read.intrinsics import INTRINSICS
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.signatures import CALL_FORMS


def bare(cell: str) -> str:
    """What stands in code in a cell of one code."""
    (found,) = code(cell)
    return found


GRAPH = """@R.function(pure=False)
def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32"), b: R.Tensor((4,), "float32"),
         q: R.Tensor((1, 2, 3, 4), "float32"), c: R.Any, n: T.int64) -> R.Any:
    y = {}
    return y
"""


def value_of(text: str) -> list[VarBinding]:
    """The bindings of ``y = text``, without their places."""
    main = parse(GRAPH.format(text)).functions["main"]
    assert isinstance(main, Function)
    return [each for block in main.body.blocks for each in block.bindings if isinstance(each, VarBinding)]


@held("03-syntax.md")
@over(lambda: table("03-syntax.md", "| written | stands for |"))
def what_is_written_by_hand(row: list[str]) -> None:
    written, stands = map(bare, row)
    same(value_of(written), value_of(stands))


SAMPLE = {
    "gvar": '"f"', "func": '"f"', "closure": "c", "name": '"f"', "args": "(x, w)", "inplace_indices": "[0]",
    "out_ty": 'R.Tensor((4,), "float32")', "ty_args": 'R.Tensor((4,), "float32")', "te_grad_name": '"g"',
    "te_grad_kwargs": '{"k": 1}', "format": '"{}"', "condition": "c", "x, …": "x, w",
}  # fmt: skip
"""A value for each parameter of a call form."""


@held("03-syntax.md")
@over(lambda: table("03-syntax.md", "| form | parameters |"))
def call_forms(row: list[str]) -> None:
    for form in re.findall(r"`([^`]+)`", row[0]):
        params = re.findall(r"`([^`]+)`", row[1])
        names = [each.partition("=")[0] for each in params]
        rest = "x, …" in names
        by_place = [SAMPLE[each] for each, param in zip(names, params, strict=True) if rest and "=" not in param]
        named = [
            f"{each}={SAMPLE[each]}" for each, param in zip(names, params, strict=True) if not rest or "=" in param
        ]
        other = ["extra=1"] if "any other name" in row[1] else []
        call = value_of(f"{form}({', '.join([*by_place, *named, *other])})")[-1].value
        assert isinstance(call, Call)
        if form != "R.call_packed":
            same(call.op, Op(f"relax.{form.removeprefix('R.')}"))
        expected = 2 if form == "R.call_packed" else 4 if form == "R.assert_op" else 2 if not rest else 3
        expected = 1 + ("args" in names) if not rest else 2 if form == "R.call_py_func" else expected
        same(len(call.args), expected, call)
        if "args" in names or form == "R.call_py_func":
            assert isinstance(call.args[1], Tuple)
            same(len(call.args[1].fields), 2)
        same([key for key, _ in call.attrs], ["extra"] if other else re.findall(r"`([^`]+)`", row[3]))
        same(len(call.ty_args), bool(row[4]))
        if not rest:
            same(value_of(f"{form}({', '.join(SAMPLE[each] for each in names)})")[-1].value, call)
        for without, param in zip(names, params, strict=True):
            if without == "x, …":
                continue
            left = [
                f"{n}={SAMPLE[n]}"
                for n, p in zip(names, params, strict=True)
                if n != without and (not rest or "=" in p)
            ]
            text = f"{form}({', '.join([*(by_place if '=' in param or not rest else []), *left])})"
            if re.search(r"=.", param):
                value_of(text)
            else:
                with refused(Malformed):
                    value_of(text)


@held("03-syntax.md")
def every_call_form_has_a_row() -> None:
    forms = {
        form for row in table("03-syntax.md", "| form | parameters |") for form in re.findall(r"`R\.([^`]+)`", row[0])
    }
    same(forms - {"call_packed"}, set(CALL_FORMS))


SORTS = {
    "integer": ("R.argmax(x, axis={})", ["True", "2", "T.int64(1)"], ["1.0", '"1"', "[1, 2]", "1 << 63"]),
    "truth": ("R.argmax(x, keepdims={})", ["True", "2"], ["1.0", '"x"']),
    "number": ("R.nn.leakyrelu(x, alpha={})", ["1", "True", "0.5"], ['"x"', "[1.0]"]),
    "string": ("R.take(x, n, mode={})", ['"clip"'], ["1", '["clip"]']),
    "dtype": ("R.zeros((4,), dtype={})", ['"float32"', "T.int8"], ['"void"', '"float33"', "1"]),
    "integers": ("R.sum(x, axis={})", ["1", "[0, 1]"], ["True", "[1.0]"]),
    "integer or integers": ("R.split(x, {})", ["2", "[1, 2]"], ["2.0", "True"]),
    "integer or float32": ("R.nn.attention(q, q, q, scale={})", ["1", "0.5"], ['"x"', "True"]),
    "anything": ("R.dist.annotate_sharding(x, device_mesh={}, placement=1)", ['"m"', "[1]"], []),
}
"""A call with an attribute of a sort, what it takes, and what it refuses."""


@held("03-syntax.md")
def sorts_of_attributes() -> None:
    named = {sort.split(",")[0].strip("`") for sort, *_ in table("03-syntax.md", "| sort | takes |")}
    same(named, set(SORTS))
    for call, taken, bad in SORTS.values():
        for text in taken:
            value_of(call.format(text))
        for text in bad:
            with refused(Malformed):
                value_of(call.format(text))


def attribute_of(call: str) -> Any:
    """The attribute of a call that is not the default: the last one that it has."""
    value = value_of(call)[-1].value
    assert isinstance(value, Call)
    name = re.findall(r"(\w+)=", call)
    return dict(value.attrs)[name[0]] if name else value.attrs[0][1]


IS_THEN: dict[str, list[tuple[str, str, Any]]] = {
    "that integer, 1 or 0": [("integer", "True", 1), ("integer", "False", 0), ("integer", "2", 2)],
    "whether it is not 0": [("truth", "2", True), ("truth", "0", False), ("truth", "True", True)],
    "float64": [("number", "1", literal("float64", 1.0)), ("number", "0.5", literal("float64", 0.5))],
    "a list": [("integers", "1", AttrList((1,))), ("integers", "[0, 1]", AttrList((0, 1)))],
    "as it is": [("integer or integers", "2", 2), ("integer or integers", "[1, 2]", AttrList((1, 2)))],
    "float32": [("integer or float32", "0.5", literal("float32", 0.5)), ("integer or float32", "1", 1)],
}
"""The words of *is then*, and what attributes of a sort are in the tree."""


@held("03-syntax.md")
def what_an_attribute_is_then() -> None:
    """`1 or 7` in the place of `1 or 0` went by unseen."""
    for sorts, _, then in table("03-syntax.md", "| sort | takes |"):
        if then:
            holds(then in IS_THEN, f"{then!r} is no word of the table")
            for sort, text, wanted in IS_THEN[then]:
                holds(sort in code(sorts), f"{sort}: {then}")
                found = attribute_of(SORTS[sort][0].format(text))
                same((type(found), found), (type(wanted), wanted), f"{text} as {sort}")


@held("03-syntax.md")
def types_take_their_parameters_by_name() -> None:
    given = {
        "shape": "(4,)", "dtype": '"int64"', "vdevice": '"cuda:0"', "ndim": "1", "device_mesh": '"mesh[0]"',
        "placement": '"R"', "values": "[4]", "params": "(R.Any,)", "ret": "R.Any", "purity": "True",
        "derive_func": '"f"', "value": "4",
    }  # fmt: skip
    for head, params, _ in table("03-syntax.md", "| type | parameters |"):
        names = re.findall(r"`([^`]+)`", params)
        same(bool(names), head != "`R.Tuple`")
        text = f"{bare(head)}({', '.join(f'{name}={given[name]}' for name in names)})"
        module = parse(f"@R.function\ndef main(x: {text}) -> R.Any:\n    return x\n").functions["main"]
        places = parse(
            f"@R.function\ndef main(x: {bare(head)}({', '.join(given[n] for n in names)})) -> R.Any:\n    return x\n"
        )
        same(module, places.functions["main"])


@held("03-syntax.md")
def blocks_of_dataflow_take_no_other() -> None:
    text = GRAPH.format("R.abs(x)").replace(
        "    return y", "    with R.dataflow():\n        z = R.abs(y)\n        R.output(z, z)\n    return z"
    )
    main = parse(text).functions["main"]
    assert isinstance(main, Function)
    same([each.outputs for each in main.body.blocks if isinstance(each, DataflowBlock)], [("z", "z")])


LOOPS = """@T.prim_func
def main(A: T.Buffer((4,), "float32"), x: T.float32, h: T.float16, i: T.int32, j: T.int32, u: T.uint32, b: T.bool):
    T.evaluate({})
"""


def expression_of(text: str) -> PrimExpr:
    """The expression that a text of the loop level stands for, without places."""
    main = parse(LOOPS.format(text)).functions["main"]
    assert isinstance(main, PrimFunc)
    (found,) = main.body
    assert isinstance(found, Evaluate)
    return found.value


@held("03b-loops-syntax.md")
def functions_that_fold() -> None:
    for written, stands in table("03b-loops-syntax.md", "| written | stands for |"):
        left, right = (re.findall(r"`([^`]+)`", cell) for cell in (written, stands))
        same(len(left), len(right))
        for text, meant in zip(left, right, strict=True):
            same(expression_of(text), expression_of(meant), text)


OF_ONE_FLOAT = (
    "the functions of the first table of [chapter 07b](07b-intrinsics.md) that a text spells and that are not among "
    "the functions that fold"
)


def kept_functions_of_one_float() -> set[str]:
    """The intrinsics that ``OF_ONE_FLOAT`` means."""
    _, found, rest = chapter("07b-intrinsics.md").partition("In a text it stands after `T.`; ")
    holds(found)
    unspelled = re.findall(r"`(\w+)`", rest.partition(", and ")[0])
    written = [row[0] for row in table("03b-loops-syntax.md", "| written | stands for |")]
    folding = re.findall(r"T\.(\w+)\(", " ".join(written))
    return {bare(row[0]) for row in table("07b-intrinsics.md", "| name | meaning | of −∞ |")} - {*unspelled, *folding}


@held("03b-loops-syntax.md")
def arguments_and_results_of_intrinsics() -> None:
    """Chapter 03b, ``syn/argument-count``: every intrinsic that is kept as it stands, and nothing beside."""
    said = dict[str, tuple[str, str, str]]()
    for count, result, names, rest in table("03b-loops-syntax.md", "| arguments | result | names | |"):
        names, _, functions = names.partition("; ")
        if functions:
            same(functions, OF_ONE_FLOAT)
            said |= dict.fromkeys(kept_functions_of_one_float(), (count, result, rest))
        before, *last = re.findall(r"`([^`]+)`", names)
        spaces = re.findall(r"`(\w+\.)`", names)
        for name in (last[-1] if last else before).split():
            said |= dict.fromkeys((f"{space}{name}" for space in spaces or [""]), (count, result, rest))
    same(set(said), set(INTRINSICS))
    for name, signature in INTRINSICS.items():
        count, result, rest = said[name]
        most = (
            ""
            if signature.most == signature.least
            else " or more"
            if signature.most is None
            else f" to {signature.most}"
        )
        same(count, f"{signature.least}{most}", name)
        of = {"arg0": "of the first", "arg1": "of the second", "text": f"given {signature.dtype_at}"}
        same(result, of.get(signature.result, f"`{signature.result}`"), name)
        told = [*(f"`{each}=`" for each in signature.keywords), *(f"`{each}`" for each in signature.defaults)]
        holds(all(each in rest for each in told), name)
        same(bool(rest), bool(told or signature.dtype_at == "dropped"), name)


# --- rows that say what becomes of an expression


def _built(e: str, dtype: str) -> object:
    text = f"@T.prim_func(private=True)\ndef main(x: T.{dtype}, B: T.Buffer((1,), '{dtype}')):\n    B[0] = {e}\n"
    (function,) = parse(text).functions.values()
    assert isinstance(function, PrimFunc)
    (store,) = function.body
    assert isinstance(store, BufferStore)
    return store.value


def folded() -> list[tuple[str, str]]:
    """Operations with 0 or 1, and what the table says that they become."""
    found = [
        (each, cells[1])
        for cells in table("03b-loops-syntax.md", "| operation | becomes |")
        for each in re.findall(r"`([^`]+)`", cells[0])
        if re.fullmatch(r"[x01 %*/+-]+", each) and "x" in each and " " in each.strip()
    ]
    same(len(found), 13)
    return found


@held("03b-loops-syntax.md")
@over(folded)
def an_operation_with_0_or_1_becomes_that(given: str, becomes: str) -> None:
    """`x % 2` in the place of `x % 1` went by unseen."""
    dtype = "float32" if " / " in given else "int32"
    zero = "T.float32(0)" if dtype == "float32" else "0"
    same(_built(given, dtype), _built("x" if becomes == "`x`" else zero, dtype))


_SAME = re.compile(r"`([^`\n]+)` is `([^`\n]+)`")


@held("03b-loops-syntax.md")
def sentences_that_say_two_spellings_of_an_expression() -> None:
    """`e != f` in the place of `e == f` went by unseen. *e* and *f* stand for expressions, `dtype` for a dtype."""
    compared = 0
    for pair in _SAME.findall(chapter("03b-loops-syntax.md")):
        texts = [re.sub(r"\be\b", "i", re.sub(r"\bf\b", "j", each)).replace("dtype", "'int32'") for each in pair]
        try:
            one, other = map(expression_of, texts)
        except Malformed:
            continue
        if not pair[1].startswith('"'):  # what a literal is called among attributes
            same(one, other, pair[0])
            compared += 1
    holds(compared >= 5, "five sentences that can be read so")
