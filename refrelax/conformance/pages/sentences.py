"""The sentences of an operator's section: what it means and gives in words, what is permitted, whether TVM deviates.

They are the docstrings of its rules, and the tables here.
"""

# ruff: noqa: E501
from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from typing import Any

from refrelax.conformance.spec_text import spec_directory
from refrelax.semantics.ops.definition import OpDef

SAMPLED = """At the grid's dtype. Along a spatial axis of `n` elements a coordinate `a` lies at `s = (a + 1) * (n - 1) / 2` with `align_corners`, else at `(a + 1) * n / 2 - 1/2`; the first coordinate of the grid is that of the last axis.

1. Unless the method is `bicubic`, `s` is brought inside: under `zeros` it stays; under `reflection` it is mirrored, then, as under `border`, it is `min(max(s, 0), n - 1)`. Mirrored, with `low = 0` and `span = n - 1` under `align_corners`, else `low = -1/2` and `span = n`: 0 where `span` is 0; `s` from `low` to `low + span`; otherwise, with `d = |low - s|`, `k = floor(d) // span` and `r = d - k * span`, `low + r` if `k` is even and `low + span - r` if it is odd.
2. `nearest` takes the element at `s`, rounded half to even. Otherwise, with `b = floor(s)` and `t = s - b`, the taps of an axis and their weights are, for `bilinear`, `b` with `1 - t` and `b + 1` with `t`; for `bicubic` those from `b - 1` to `b + 2` with `far(t + 1)`, `next(t)`, `next(1 - t)`, `far(2 - t)`, where `next(u) = ((5/4) * u - 9/4) * u * u + 1` and `far(u) = ((-3/4 * u + 15/4) * u - 6) * u + 3`.
3. For `bicubic` a tap `k` outside of the data is brought inside: under `border` to 0 or to `n - 1`; under `reflection`, with `q = k` modulo `2 * span`, to `min(q, 2 * span - q)` with `align_corners`, else to `min(q, 2 * span - 1 - q)`, and to 0 where `span` is 0.
4. The element is the sum over the taps of all axes, row-major, of the product of their weights (from the first axis on) and the element of the data; one outside of the data is 0.

The integers of steps 1 and 2 (`floor(d)`; `b`, or the rounded `s`) are `int64`: where one is none (a NaN, an infinity, one out of range), the element is poison (`num/cast-range`)."""

SUPPRESSED = """For each batch `b`, of the rows below `valid_count[b]`:

1. They are put in the order of falling scores (`sort`); of more than `top_k`, if that is positive, the first `top_k` count. The `origin` of a row is where it stood.
2. Two rows are rivals if their classes are equal, if `id_index` is below 0, or under `force_suppress`. Where `max_output_size` is positive, no more than so many are kept: the steps end there.
3. Without `soft_nms_sigma` (not above 0): in order, a row whose score is above 0 and that is not dropped is kept, and every later rival whose score is above 0 and that it overlaps by `iou_threshold` or more is dropped.
4. With it: as long as a row is left whose score is above `score_threshold`, the one of the greatest score, the first of equal ones, is kept and taken out. Of its rivals with such a score, those that it overlaps by `iou_threshold` or more are taken out, too; the score of any other becomes `score * exp(-1 / (2 * soft_nms_sigma) * overlap * overlap)`, and it is taken out where it is not above `score_threshold` any more.

The rows of the result: the kept ones first, in the order of being kept, under `soft_nms_sigma` or `invalid_to_bottom`; otherwise every row that is kept where it stands in the order of step 1. All columns of every other row are -1. A score stands as it is in the end. Without `return_indices` they are the result. With it the result is a pair, behind the rows under `soft_nms_sigma`: `indices[b, origin]` of the kept rows, in the order of being kept, then -1; and how many there are."""

SELECTED = """For each batch and class: boxes in the order of falling scores (`sort`); of these, as long as the score is above `score_threshold` and fewer than `max_output_boxes_per_class` are selected, every box that no selected one overlaps by `iou_threshold` or more is selected. Thresholds are converted to the dtypes of boxes and scores. `onnx`: the rows `(batch, class, box)` in the order of batches, then classes, then of being selected, those beyond their number poison; and their number. `tensorflow`: for each batch the rows `(class, box)` in that order, their scores at float32, both poison beyond; and their number."""

FACTS = {
    "ndim": "The rank.",
    "dtype_bits": "The width of the dtype in bits; 8 of bool.",
    "dtype_code": "The kind of the dtype: 0 a signed integer, 1 an unsigned one, 2 a float, 4 bfloat16, 6 bool.",
    "dtype_lanes": "1.",
    "shape_i": "The extent of the axis, counted from 0 (`op.inspect/axis-range`).",
    "stride_i": "How many elements lie between two neighbours along the axis, counted from 0 (`op.inspect/axis-range`).",
    "byte_offset": "Where the first element lies in its storage: `elem_offset` times the bytes of an element.",
    "elem_offset": "Where the first element lies in its storage, counted in elements.",
}

RESIZED = """Along a spatial axis of extent `m` that becomes `q`, position `p` lies at the real position `s` of the data, by `coordinate_transformation_mode`:

| mode | `s` |
|---|---|
| `half_pixel` | `(p + 1/2) * m / q - 1/2` |
| `pytorch_half_pixel` | the same; 0 where `q <= 1` |
| `align_corners` | `p * (m - 1) / (q - 1)`; 0 where `q <= 1` |
| `asymmetric` | `p * m / q` |
| `tf_half_pixel_for_nn` | `(p + 1/2) * m / q` |
| `tf_crop_and_resize` | `start * (m - 1) + p * (end - start) * (m - 1) / (q - 1)`, where `q <= 1` `(start + end) * (m - 1) / 2`; of spatial axis `k` of `n`, `start` is `roi[k]` and `end` is `roi[n + k]`. An element of which an `s` is below 0 or above `m - 1` is `extrapolation_value`, converted to the result's dtype |

With `b = floor(s)` and `t = s - b`, these positions of the data count, by `method`; each is then brought to `0` or to `m - 1` if it lies outside:

| method | positions and their weights |
|---|---|
| `nearest_neighbor` | one: `s` by `rounding_method`: `round` half to even, `round_prefer_floor` `ceil(s - 1/2)`, `round_prefer_ceil` `floor(s + 1/2)`, `floor`, `ceil`; empty is `round` under `align_corners`, else `floor` |
| `linear` | `b` with `1 - t`, `b + 1` with `t` |
| `cubic` | with `a` for `cubic_alpha`: `b - 1` with `a * (t**3 - 2 * t**2 + t)`, `b` with `(a + 2) * t**3 - (a + 3) * t**2 + 1`, `b + 1` with `-(a + 2) * t**3 + (2 * a + 3) * t**2 - a * t`, `b + 2` with `a * t**2 - a * t**3`. With `cubic_exclude` those outside the data have the weight 0, and all are divided by their sum; where that is 0 the run is open (`op.image.resize/attributes`) |

`nearest_neighbor` takes the element and converts it to the result's dtype. Otherwise the weights are exact, then rounded once to `float64` if that is the data's dtype and to `float32` if not; the data are converted to it; the sum of products is taken along the last axis first, then along the one before it; and the sum is converted to the result's dtype."""

FORMULAS = {
    "image.resize2d": RESIZED, "image.resize3d": RESIZED, "image.grid_sample": SAMPLED,
    "vision.non_max_suppression": SUPPRESSED, "vision.all_class_non_max_suppression": SELECTED,
    **{f"inspect.tensor_{fact}": words for fact, words in FACTS.items()},
    "logical_and": "`out[i] = a[i] and b[i]`; a number counts as `!= 0`, and a truth as 1 or 0 of the result's dtype.",
    "logical_or": "`out[i] = a[i] or b[i]`; a number counts as `!= 0`, and a truth as 1 or 0 of the result's dtype.",
    "logical_xor": "`out[i] = a[i] != b[i]` of truths; a number counts as `!= 0`, and a truth as 1 or 0 of the result's dtype.",
    "floor": "`out[i] = floor(x[i])`; integers and bools stay.", "ceil": "`out[i] = ceil(x[i])`; integers and bools stay.",
    "trunc": "`out[i] = trunc(x[i])`; integers and bools stay.",
    "astype": "`out[i]` is `x[i]`, converted (chapter 02).", "wrap_param": "`out[i]` is `x[i]`, converted (chapter 02).",
    "vision.roi_align": """Region `i` is `(batch, x1, y1, x2, y2)`; `batch`, truncated, chooses the image. Everything is computed at the regions' dtype, up to the weights. Along the height, `start = y1 * spatial_scale` and `whole = y2 * spatial_scale - start`, at least 1 unless `aligned`; `cell = whole / pooled` of the cells along it; along the width so with `x1` and `x2`. A cell has `c` samples along an axis: `sample_ratio` if that is positive, else `ceil(cell)`. Sample `k` of cell `p` lies at `s = start + p * cell + (k + 1/2) * cell / c`. A sample of which an `s` is below -1 or above the extent `n` is 0; otherwise `s` is brought to `0` or `n - 1` if it lies outside and, with `b = floor(s)` and `t = s - b`, the sample is the sum over both axes of the elements at `b` and `b + 1` with the weights `1 - t` and `t`; an element outside the data is 0. The cell is the sum of its samples divided by their number (`avg`, 0 of none) or their greatest (`max`, poison of none).""",
    "vision.roi_pool": """Region `i` is `(batch, x1, y1, x2, y2)`; `batch`, truncated, chooses the image. At the regions' dtype, each corner is `floor(corner * spatial_scale + 1/2)`; along an axis the region has `n = max(end - start + 1, 1)` positions, and with `extent = n / pooled`, rounded, cell `p` spans those from `start + floor(p * extent)` to below `start + ceil((p + 1) * extent)`, both brought to `0` or to the extent of the data if they lie outside. The cell is the greatest element in it, 0 if there is none.""",
    "isnan": "`out[i] = x[i] is NaN`; false for integers and bools.", "isinf": "`out[i] = x[i] is infinite`; false for integers and bools.",
    "isfinite": "`out[i] = x[i] is neither NaN nor infinite`; true for integers and bools.",
    "abs": "`out[i] = |x[i]|`; the least integer is its own absolute value; bools stay.", "negative": "`out[i] = -x[i]`, wrapping; bools stay.",
    "sign": "`out[i]` is 1, 0 or -1; NaN for NaN, 0 for either zero; bools stay.", "square": "`out[i] = x[i] * x[i]`; bools stay.", "round": "`out[i]` is the nearest integer, half to even; integers and bools stay.",
    "logical_not": "`out[i] = not x[i]`; a number counts as `!= 0`, and a truth as 1 or 0 of its dtype.", "bitwise_not": "`out[i] = ~x[i]`, bit by bit; of bools the negation.",
    "rsqrt": "`out[i] = 1 / sqrt(x[i])`.", "sigmoid": "`out[i] = 1 / (1 + exp(-x[i]))`.",
    "divide": "`out[i] = a[i] / b[i]`; on integers truncated toward zero.", "mod": "`out[i]` is the remainder of the truncated quotient, with the sign of `a`.",
    "floor_divide": "`out[i] = floor(a[i] / b[i])`; of floats the quotient is rounded first, that of an infinity and a number is an infinity, and 0 or -0 the other way round, so that -1 by an infinity is -0.", "floor_mod": "`out[i] = a[i] - floor(a[i] / b[i]) * b[i]`, of integers with the sign of `b`; of floats step by step, so that it is NaN by an infinity.",
    "power": "`out[i] = a[i] ** b[i]`; on integers the wrapped product of `b` factors.",
    "log_add_exp": "`out[i] = log(exp(a[i]) + exp(b[i]))`, as `max + log1p(exp(-|a - b|))`; the literal form is permitted.",
    "ones": "`out[i] = 1`.", "zeros": "`out[i] = 0`.", "ones_like": "`out[i] = 1`.", "zeros_like": "`out[i] = 0`.",
    "nn.pad": "`out[i] = x[i - before]` where that is a position of the data. Otherwise, axis by axis, with `p = i - before` and the extent `n` of the data: `constant` gives `pad_value`, converted to the data's dtype (`num/cast-range`); `reflect` takes the element at `-p` where `p < 0` and at `2 * n - 2 - p` where `p >= n`, so that the border is not repeated; `replicate` that at `0` or `n - 1`; `circular` that at `p` modulo `n`. Widths stand axis by axis, before and after; a negative width cuts off.",
    "meshgrid": "`out_k[i] = x_k[i at the axis of vector k]`: axis `k` for vector `k`; under `xy`, of two or more vectors, axis 1 for the first and axis 0 for the second.",
    "builtin.alloc_tensor": "A fresh tensor, no element written (`st/never-written`). Lowering puts it before each destination-passing call. Device and scope say nothing here.",
    "memory.alloc_storage": "A storage of so many bytes (the product of the dims), in which tensors are allocated (chapter 08). The dtype is a hint; device and scope say nothing here.",
    "memory.alloc_tensor": "A tensor over the storage from byte `offset` on; no element is written, whatever the bytes held before (`st/fresh-tensor`).",
    "memory.kill_storage": "The name is not used again (`ev/kill`); tensors in the storage stay.",
    "memory.kill_tensor": "The name is not used again (`ev/kill`).",
    "memory.view": "The memory of the argument from byte `relative_byte_offset` on (0 where it is left out), at the given shape and dtype; what is left out is the argument's. At another dtype the same bytes, little-endian. Of an argument that is not compact it is the memory of a copy.",
    "memory.ensure_zero_offset": "The argument. (An implementation copies where its kernels cannot start inside an allocation.)",
    "vm.alloc_storage": "As `R.memory.alloc_storage`, but the size counts elements of the dtype.",
    "vm.alloc_tensor": "As `R.memory.alloc_tensor`.",
    "vm.kill_object": "The name is not used again (`ev/kill`).",
    "vm.call_tir_dyn": "`func` is called with the arguments, the last of which, if it is a shape, is its extents, each as an `int64` (`ev/call-tir-dyn`).",
    "tril": "`out[…, i, j] = x[…, i, j] if j - i <= k else 0`.", "triu": "`out[…, i, j] = x[…, i, j] if j - i >= k else 0`.",
    "sum": "The sum; 0 of nothing. Of bools whether any is true.", "prod": "The product; 1 of nothing. Of bools whether all are true.", "max": "The greatest; poison of nothing. Of bools whether any is true.", "min": "The least; poison of nothing. Of bools whether all are true.",
    "argmax": "The first position of the greatest along the axis, without one in row-major order; poison of nothing. False is less than true.", "argmin": "The first position of the least along the axis, without one in row-major order; poison of nothing. False is less than true.",
}  # fmt: skip

FAMILY_NOTES = {
    "norm": "Sums in any order, in float32 or wider. A one-pass variance is a named relaxation.",
    "linear": "Products and sums in any order and association, fused, wider.",
    **dict.fromkeys(
        ("grid", "roi"),
        "In the steps every operation on positions and weights is correctly rounded, a product and the addition that uses it once or twice; weights are multiplied and summed in any order and association.",
    ),
    "suppression": "Decided by overlaps and scores whose steps are correctly rounded, a product and the addition that uses it once or twice, `exp` off by its bound, or by the exact ones: where these decide otherwise the run is open.",
    "detection": "Decided by correctly rounded overlaps and scores; a product and the addition that uses it are rounded once or twice, `exp` may be off by its bound.",
}
FAMILY_NOTES["conv"] = FAMILY_NOTES["linear"]

NOTES = {
    **dict.fromkeys(
        ("maximum", "minimum", "max", "min", "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"),
        "Of NaN and a number either.",
    ),
    **dict.fromkeys(("argmax", "argmin"), "With NaNs the position of any, or of the extreme of the others."),
    **dict.fromkeys(
        ("sort", "argsort", "topk", "median"), "With a NaN in a line every arrangement of it (`num/nan-in-extremes`)."
    ),
    **dict.fromkeys(("mean", "variance", "std"), "A sum may stay in the wider format until it is divided."),
    **dict.fromkeys(
        ("nn.layer_norm", "nn.group_norm", "nn.instance_norm", "nn.batch_norm", "nn.rms_norm"), FAMILY_NOTES["norm"]
    ),
    "nn.log_softmax": "As `softmax` up to the sum; the two differences rounded each, or together.",
    "nn.relu": "Of NaN, NaN or 0.",
    "nn.selu": "`exp(x) - 1` rounded once or twice.",
    "nn.softmax": "`x - max` rounded or not, any order and association of the sum.",
    "nn.softplus": "`beta * x`, rounded or not, decides which arm is taken.",
    "floor_divide": "The floor of the rounded quotient, or of the real one, where both are finite.",
    "floor_mod": "Each step rounded, or the real remainder, where both are finite.",
    "log_add_exp": "The stable form or the literal one.",
    "image.resize2d": "In the steps positions and weights are exact and the weights rounded once, or computed step by step in the dtype of the sum; products and sums in any order and association, fused or not.",
    "image.resize3d": "As `resize2d`.",
    "index_put": "Nothing is rounded without `accumulate`.",
    "scatter_elements": "Nothing is rounded by `update`, `max` and `min` (of NaN and a number either).",
    "scatter_nd": "As `scatter_elements`.",
    "clip": "Of NaN, NaN or a bound.",
    "ewise_fma": "The product and the sum rounded each, or together.",
    "quantize": "A quotient that is rounded before it is rounded to an integer may fall to the other side.",
    "multinomial_from_uniform": "Running sums of probabilities decide the position.",
    "vision.get_valid_counts": "",  # what it decides by is an element
}
"""What single operators say beside their word (of ``semantics/ops/accuracy.py``)."""


def docs(function: Any, whole: bool = False) -> str:
    """The first paragraph of a docstring, or all of it, as a line of text."""
    text = inspect.getdoc(function) or ""
    return " ".join((text if whole else text.split("\n\n")[0]).split()).replace("``", "`")


def maker_docs(function: Any) -> str:
    """The docstring of what a rule was made from: the function or factory in its closure."""
    for cell in getattr(function, "__closure__", None) or ():
        if callable(cell.cell_contents) and docs(cell.cell_contents):
            return docs(cell.cell_contents)
    outer = getattr(function, "__qualname__", "").split(".")[0]
    return docs(getattr(sys.modules[function.__module__], outer, None))


def meaning(row: OpDef) -> list[str]:
    """What an operator means in words; nothing where its formula says all."""
    text = semantics(row)
    plain = re.fullmatch(r"`out\[i\] = \w+\((x\[i\]|a\[i\], b\[i\])\)`\.", text)
    return [] if plain else f"Semantics: {text}".split("\n")


def output(row: OpDef) -> str:
    """The type of a call in words."""
    return f"Output: {docs(row.deduce) or maker_docs(row.deduce)}"


def note(row: OpDef) -> str:
    """What there is to say of permitted results beside the word."""
    return NOTES.get(row.name.removeprefix("relax."), FAMILY_NOTES.get(row.page, ""))


def deviation(row: OpDef) -> str:
    """Whether TVM does otherwise."""
    short = row.name.removeprefix("relax.")
    deviates = re.search(rf"`(relax|R)\.{re.escape(short)}`|`op\.{re.escape(short)}/", _deviations())
    return " TVM 0.27 does otherwise in places: [deviations](../deviations.md)." if deviates else ""


@cache
def _deviations() -> str:
    return (spec_directory() / "deviations.md").read_text("utf-8")


def semantics(row: OpDef) -> str:
    name = row.name.removeprefix("relax.")
    source = row.text or row.evaluate
    text = FORMULAS.get(name) or docs(source, whole=True) or maker_docs(source)
    if text.startswith(("A function of real", "A method of", "A comparison", "A connective", "")) and not FORMULAS.get(
        name
    ):
        if row.page in ("unary",):
            return f"`out[i] = {name}(x[i])`."
        if row.page == "binary":
            return f"`out[i] = {name}(a[i], b[i])`."
    return text
