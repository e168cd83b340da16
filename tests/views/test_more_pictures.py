"""Fusion as a graph, widths along a network, one element among the floats, where two implementations part."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.cli import main
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.verdicts import Counts, Outside
from refrelax.syntax import bits, dtypes
from refrelax.views import comparison, floats, fusion, parting, permitted, widths

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32"), w: R.Tensor((3, 2), dtype="float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.cumsum(b, axis=0)
            d = R.exp(c)
            R.output(d)
        return d
"""
ARGS = [[[1.0, 2.0, -3.0], [0.5, 0.25, 4.0]], [[1.0, 0.1], [0.2, -1.0], [2.0, 1.0]]]


def checked() -> Any:
    return rr.check(rr.parse(TEXT, filename="m.py"))


def test_fusion_is_a_graph_whose_groups_are_those_that_were_made() -> None:
    steps = {step.name: step.module for step in rr.lower(checked()).steps}
    found = {each.name: each for each in fusion.nodes(steps["dead_code"], steps["fuse_ops"].module)}
    kinds = {name: str(each.kind) for name, each in found.items() if each.kind is not None}
    assert kinds["a"] == "output-fusible" and kinds["b"] == "elementwise" and kinds["c"] == "opaque"
    assert found["a"].group == found["b"].group is not None and found["d"].group is None
    assert "a" in found["b"].uses
    picture = ET.fromstring(fusion.picture(tuple(found.values())))[0]
    assert sum(each.tag.endswith("}circle") for each in picture.iter()) == len(found)
    assert "1 groups" in picture.attrib["aria-label"]


def test_without_the_pass_nothing_is_a_group() -> None:
    steps = {step.name: step.module for step in rr.lower(checked()).steps}
    before = steps["dead_code"]
    assert all(each.group is None for each in fusion.nodes(before, before.module))


def test_the_page_of_a_lowering_has_the_graph() -> None:
    page = comparison.lowered(rr.lower(checked()), checked())
    assert "main as a graph" in page and "output-fusible" in page


def test_widths_grow_along_a_network_and_copies_are_exact() -> None:
    found = {each.name: each for each in widths.widths(checked(), "main", ARGS)}
    assert list(found) == ["a", "b", "c", "d"]
    assert 0 < found["b"].relative <= found["c"].relative and all(each.decides for each in found.values())
    assert found["a"].what == "R.matmul" and found["a"].limit == 2.0**-8
    assert ET.fromstring(widths.chart(tuple(found.values()))) is not None


def test_what_is_too_wide_does_not_decide() -> None:
    text = 'def main(x: R.Tensor((3,), "float32")):\n    return R.sum(x)\n'
    wide = rr.check(rr.parse("@R.function\n" + text))
    (found,) = widths.widths(wide, "main", [[1e8, 1.0, -1e8]]) or (None,)
    assert found is None or not found.decides
    bound = rr.check(rr.parse("@R.function\n" + text.replace("return R.sum(x)", "y = R.sum(x)\n    return y")))
    (found,) = widths.widths(bound, "main", [[1e8, 1.0, -1e8]])
    assert not found.decides and "#dc2626" in widths.chart([found])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
@given(number=st.floats(-400, 400))
def test_places_count_the_floats_of_a_dtype(dtype: str, number: float) -> None:
    place = floats.place(dtype, number)
    nearest = float(bits.decode(dtype, bits.encode(dtype, number)))
    assert floats.at(dtype, place) == nearest
    assert floats.at(dtype, place - 1) < nearest < floats.at(dtype, place + 1)


@given(low=st.floats(-8, 8), wide=st.floats(0, 0.5))
def test_the_permitted_floats_are_those_between_the_ends(low: float, wide: float) -> None:
    first, last = floats.permitted("float16", low, low + wide)
    inside = [k for k in range(first - 2, last + 3) if low <= floats.at("float16", k) <= low + wide]
    assert inside == list(range(first, last + 1))


@pytest.mark.parametrize("dtype", sorted(bits.FORMATS))
def test_the_line_of_floats_ends_with_the_last_of_them(dtype: str) -> None:
    top = float(bits.largest_finite(dtype))
    least = -top if bits.FORMATS[dtype].signed else 2.0**-127
    first, last = floats.edges(dtype)
    count = last - first + 1
    if dtypes.bits(dtype) <= 8:
        numbers = {float(bits.decode(dtype, each)) for each in range(1 << dtypes.bits(dtype))}
        assert len(set(filter(math.isfinite, numbers))) == count
    for low, high, of in ((top / 2, top, None), (least, top, count), (1.0, 2.0, None), (1.0, 1.0, 1)):
        said = floats.said(Interval(low, high), dtype)
        assert of is None or said.startswith(f"{of} of the floats of {dtype}")
        picture = floats.line(Interval(low, high), dtype, {"canonical": low, "far": 1e300}, "it")
        assert ET.fromstring(picture) is not None and "nan" not in picture and "inf" not in picture


def test_one_element_has_its_marks() -> None:
    page = permitted.page(checked(), "main", ARGS, "value[1, 0]")
    picture = ET.fromstring(page[page.rindex("<svg") : page.rindex("</svg>") + 6])
    said = " ".join("".join(each.itertext()) for each in picture.iter() if each.tag.endswith("}text"))
    assert "canonical" in said and "some implementation 1" in said and "value[1, 0]" in picture.attrib["aria-label"]


@pytest.mark.parametrize(
    "element", ["value[2, 0]", "value[0]", "value.1[0]", "it", "value[0, 0, 0]", f"value[{'9' * 5000}]"]
)
def test_an_element_that_is_not_there_is_said(element: str) -> None:
    with pytest.raises(rr.UsageError, match=re.escape(element)):
        permitted.page(checked(), "main", ARGS, element)


@pytest.mark.parametrize("count", [0, 1])
def test_sizes_zero_and_one_and_poison_have_pages(count: int) -> None:
    text = f"""
@R.function
def main(x: R.Tensor(({count},), dtype="float32")) -> R.Tensor(({count + 1},), dtype="float32"):
    with R.dataflow():
        i = R.const({[5] * (count + 1)}, "int64")
        y = R.take(R.concat((x, x)), i, axis=0)
        z = R.sqrt(R.negative(R.exp(y)))
        R.output(z)
    return z
"""
    assert "<svg" in permitted.page(rr.check(rr.parse(text)), "main", [[2.0] * count])


class Careless:
    """Forgets what ``relu`` is for."""

    def run(self, module: Any, entry: str, args: Any) -> Any:
        text = rr.print_module(module).replace("R.nn.relu(a)", "R.negative(R.negative(a))")
        return rr.run(rr.check(rr.parse(text)), entry, *args)


def test_where_two_part_is_a_page_with_the_line() -> None:
    good = rr.diff(checked(), "main", ARGS, impl="numpy")
    page = parting.page(good, checked().module, "numpy")
    assert "AGREE" in page and "4 inside" in page and "Where they part" not in page
    bad = rr.diff(checked(), "main", ARGS, impl=Careless())
    page = parting.page(bad, checked().module, "<careless>")
    assert "DIVERGE" in page and "&lt;careless&gt;" in page
    outside = replace(good.bindings[1], verdict=Outside((0, 0), 3.0, "-5", "0"), counts=Counts(inside=3, outside=1))
    bindings = (good.bindings[0], outside, *good.bindings[2:])
    page = parting.page(replace(bad, bindings=bindings), checked().module, "careless")
    line = 1 + TEXT.splitlines().index("            b = R.nn.relu(a)")
    strange = replace(checked().module, source=TEXT.replace("class Module:", "class Module:  # \f \u2028"))
    assert (
        parting.page(replace(bad, bindings=bindings), strange, "careless").count('<td class="gone">            b =')
        == 1
    )
    assert "Where they part: b" in page and "[0, 0]: -5, permitted 0" in page
    assert f'<td class="n">{line}</td><td class="gone">            b = R.nn.relu(a)</td>' in page


def test_the_commands_write_the_pages(tmp_path: Path) -> None:
    file, run, diff = tmp_path / "m.py", tmp_path / "run.html", tmp_path / "diff.html"
    file.write_text(TEXT, encoding="utf-8")
    chosen = [str(file), "--random", "0", "--dim", "n=2"]
    assert main(["run", *chosen, "--html", str(run), "--backend", "numpy", "--element", "value[0, 1]"]) == 0
    assert "observed" in run.read_text(encoding="utf-8")
    assert main(["diff", *chosen, "--impl", "numpy", "--html", str(diff)]) == 0
    assert "Binding by binding" in diff.read_text(encoding="utf-8")
    assert main(["run", *chosen, "--element", "value[0, 1]"]) == 2


def test_a_memory_plan_has_a_slider_over_a_range(tmp_path: Path) -> None:
    file, out = tmp_path / "m.py", tmp_path / "plan.html"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["lower", str(file), "--memory", "n=0..5", "--html", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert page.count('<section class="run">') == 6 and 'type="range"' in page and "Memory at n=5" in page
    for wrong in ("n=5..", "n=3..1", "n=0..100000"):
        assert main(["lower", str(file), "--memory", wrong]) == 2


def test_of_infinities_words_are_said() -> None:
    text = '@R.function\ndef main(x: R.Tensor((1,), "float32")):\n    y = R.exp(x)\n    return y\n'
    page = permitted.page(rr.check(rr.parse(text)), "main", [[1000.0]])
    assert "inf" in page and page.count("<svg") == 1


IN_PLACE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(A: T.Buffer((3,), "float32")):
        for i in range(3):
            A[i] = A[i] * T.float32(3) + T.float32(1)

    @R.function
    def main(x: R.Tensor((3,), dtype="float32")):
        cls = Module
        y = R.call_tir_inplace(cls.bump, (x,), inplace_indices=[0], out_ty=R.Tensor((3,), "float32"))
        return y
"""


@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_every_run_of_the_page_has_the_arguments_that_were_given(backend: str, tmp_path: Path) -> None:
    """Runs that store into their arguments went on from one another: the page spoke of what was given to none."""
    source, out = tmp_path / "m.py", tmp_path / "o.html"
    source.write_text(IN_PLACE, "utf-8")
    assert main(["run", str(source), "--arg", "x=[1, 2, 3]", "--backend", backend, "--html", str(out)]) == 0
    page = out.read_text("utf-8")
    assert "float32[3] [1.0, 2.0, 3.0]" in page and "from 4 to 4" in page and "[13.0" not in page
    assert "argument 0 afterwards: float32[3] [4.0, 7.0, 10.0]" in page
