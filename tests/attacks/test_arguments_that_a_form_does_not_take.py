"""Keywords and arguments that a form does not know were read and dropped (``syn/unknown-keyword``, ``syn/arguments``).

A sweep over the accepted cases gave each call of a text one keyword more, and three arguments more.
"""

from __future__ import annotations

import pytest

import refrelax as rr

LOOPS = """
@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    {}
"""
GRAPH = """
@R.function
def main(x: R.Tensor((4,), "float32")):
    {}
    return x
"""
BLOCK = "with T.sblock('b'):\n        v = T.axis.spatial(4, n)\n        {}\n        A[v] = T.float32(0)"


def refused(text: str) -> bool:
    try:
        rr.parse(text)
    except rr.Malformed:
        return True
    return False


@pytest.mark.parametrize(
    ("form", "more"),
    [
        ("T.evaluate(T.Select(n > 0, n, 1{}))", ", zz=1"),
        ("T.evaluate(T.Add(n, 1{}))", ", zz=1"),
        ("T.evaluate(T.int64(1{}))", ", zz=1"),
        ("T.evaluate(T.Ramp(n, 1, 4{}))", ", zz=1"),
        ("T.evaluate(T.address_of(A[0]{}))", ", zz=1"),
        ("T.evaluate(T.max_value('int32'{}))", ", zz=1"),
        ("for i, j in T.grid(2, 3{}): T.evaluate(i)", ", zz=1"),
        ("for i in T.serial(4{}): T.evaluate(i)", ", **{}"),
        ("for i in T.serial(4{}): T.evaluate(i)", ", start=1"),
        ("for i in range(4): T.break_loop({})", "0"),
        ("for i in range(4): T.continue_loop({})", "zz=1"),
        (BLOCK.format("T.reads(A[v]{})"), ", zz=1"),
        (BLOCK.format("T.writes(A[v]{})"), ", zz=1"),
        (BLOCK.format("T.where(v > 0{})"), ", zz=1"),
        (BLOCK.format("with T.init({}): A[v] = T.float32(1)"), "0"),
    ],
)
def test_a_form_of_loops_takes_no_more(form: str, more: str) -> None:
    assert not refused(LOOPS.format(form.format("")))
    assert refused(LOOPS.format(form.format(more)))


@pytest.mark.parametrize(
    ("form", "more"),
    [
        ("with R.dataflow({}): y = R.abs(x)", "1"),
        ("y = R.call_pure_packed(R.ExternFunc('f'{}), x, ty_args=(R.Any,))", ", 1"),
        ("y = R.hint_on_device(x, R.device('cuda', 0{}))", ", 'shared'"),
        ("y = R.hint_on_device(x, R.cuda(0{}))", ", 1"),
        ("y = R.layout_transform(x, T.index_map(lambda i: (i,){}))", ", zz=1"),
    ],
)
def test_a_form_of_graphs_takes_no_more(form: str, more: str) -> None:
    assert not refused(GRAPH.format(form.format("")))
    assert refused(GRAPH.format(form.format(more)))


def test_the_parameters_of_a_device_have_names() -> None:
    """Given by name they were taken in the order in which they stood."""
    text = """
@I.ir_module
class Module:
    I.module_global_infos({{"vdevice": [{}]}})
    @R.function
    def main(x: R.Tensor((4,), "float32", "vdevice:0")):
        return x
"""
    first, second = ('I.vdevice("cuda", 1, "shared")', 'I.vdevice(memory_scope="shared", vdevice_id=1, target="cuda")')
    assert rr.parse(text.format(first)) == rr.parse(text.format(second))
    assert refused(text.format('I.vdevice("cuda", zz=1)'))


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ('z = R.str({}"a")', "value"),
        ('z = R.dtype({}"int8")', "value"),
        ("z = R.shape({}[4])", "value"),
        ('z = R.ExternFunc({}"conformance.double")', "global_symbol"),
        ('z = R.extern({}"conformance.double")(x)', "global_symbol"),
        ("z = R.nn.relu6({}x)", "data"),
        ('z = R.zeros([4], R.dtype({}"int8"))', "value"),
    ],
)
def test_the_one_parameter_of_a_form_has_one_name(form: str, name: str) -> None:
    """Any keyword was taken for it."""
    assert not refused(GRAPH.format(form.format("")))
    assert not refused(GRAPH.format(form.format(f"{name}=")))
    assert refused(GRAPH.format(form.format("zz=")))


@pytest.mark.parametrize("extent", ["-1", "4, -4", "1.5"])
def test_a_local_vector_has_the_extents_of_a_buffer(extent: str) -> None:
    """``T.float32[-1]`` was a buffer of -1 elements (``syn/buffer-shape``)."""
    assert not refused(LOOPS.format("z: T.float32[2, 4]"))
    assert refused(LOOPS.format(f"z: T.float32[{extent}]"))
