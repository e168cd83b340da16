"""Rules that emit calls of neural-network operators: normalisation, convolution, pooling, attention."""

from __future__ import annotations

from refrelax.syntax.scalars import PrimExpr, int_imm
from refrelax.testing.building import Building, dims_of
from refrelax.testing.graph_rules import Rule


def _floats(b: Building) -> tuple[str, ...]:
    return tuple(d for d in b.options.floats if d in ("float32", "float64")) or ("float32",)


def layer_norm(b: Building) -> None:
    x, type_ = b.tensor(_floats(b), low_rank=1, low=1)
    shape, dtype = dims_of(type_), type_.dtype or ""
    gamma, beta = b.operand(shape[-1:], dtype)[0], b.operand(shape[-1:], dtype)[0]
    b.operator("nn.layer_norm", x, gamma, beta, axes=[-1], epsilon=0.25, center=b.flag(), scale=b.flag())


def rms_norm(b: Building) -> None:
    x, type_ = b.tensor(_floats(b), low_rank=1, low=1)
    weight, _ = b.operand(dims_of(type_)[-1:], type_.dtype or "")
    b.operator("nn.rms_norm", x, weight, axes=[-1], epsilon=0.25)


def group_norm(b: Building) -> None:
    groups, dtype = b.integer(1, 2), b.pick(_floats(b))
    channels: PrimExpr = int_imm(2 * groups)
    x, _ = b.operand((b.dim(1), channels, b.dim(1)), dtype)
    gamma, beta = b.operand((channels,), dtype)[0], b.operand((channels,), dtype)[0]
    b.operator("nn.group_norm", x, gamma, beta, num_groups=groups, channel_axis=1, axes=[2], epsilon=0.25)


def batch_norm(b: Building) -> None:
    """Of inference: the moving statistics are used as they are."""
    dtype, channels = b.pick(_floats(b)), b.dim(1)
    x, _ = b.operand((b.dim(1), channels, b.dim(1)), dtype)
    gamma, beta, mean, other = (b.operand((channels,), dtype)[0] for _ in range(4))
    variance, _ = b.operator("square", other)
    b.operator("nn.batch_norm", x, gamma, beta, mean, variance, axis=1, epsilon=0.25, training=False)


def leaky(b: Building) -> None:
    x, _ = b.tensor(_floats(b))
    op = b.pick(("nn.leakyrelu", "nn.softplus"))
    b.operator(op, x, **({"alpha": 0.25} if op == "nn.leakyrelu" else {}))


def conv2d(b: Building) -> None:
    """Grouped, strided, dilated, padded; at least one output element in each direction."""
    dtype = b.pick(_floats(b))
    groups, per_group, kernel = b.integer(1, 2), b.integer(1, 2), (b.integer(1, 3), b.integer(1, 2))
    batch, rows, columns = b.dim(), int_imm(b.integer(5, 6)), int_imm(b.integer(3, 4))
    x, _ = b.operand((batch, int_imm(groups * per_group), rows, columns), dtype)
    filters = groups * b.integer(1, 2)
    weight, _ = b.operand(tuple(int_imm(e) for e in (filters, per_group, *kernel)), dtype)
    padding, strides = [b.integer(0, 1) for _ in range(4)], [b.integer(1, 2) for _ in range(2)]
    dilation = [b.integer(1, 2), 1]
    b.operator("nn.conv2d", x, weight, strides=strides, padding=padding, dilation=dilation, groups=groups)


def pool2d(b: Building) -> None:
    x, _ = b.operand((b.dim(1), int_imm(2), int_imm(b.integer(4, 5)), int_imm(b.integer(3, 4))), b.pick(_floats(b)))
    op = b.pick(("nn.max_pool2d", "nn.avg_pool2d"))
    padding = [b.integer(0, 1)] * 4
    strides = [b.integer(1, 2), b.integer(1, 2)]
    b.operator(op, x, pool_size=[2, b.integer(2, 3)], strides=strides, padding=padding, ceil_mode=b.flag())


def adaptive_pool(b: Building) -> None:
    x, _ = b.operand((b.dim(1), int_imm(2), int_imm(b.integer(2, 5)), int_imm(b.integer(2, 4))), b.pick(_floats(b)))
    b.operator("nn.adaptive_avg_pool2d", x, output_size=[b.integer(1, 2), b.integer(1, 2)])


def attention(b: Building) -> None:
    dtype, heads, width = b.pick(_floats(b)), int_imm(b.integer(1, 2)), int_imm(b.integer(1, 3))
    queries, keys = b.dim(1), b.dim(1)
    q, _ = b.operand((int_imm(1), queries, heads, width), dtype)
    k, _ = b.operand((int_imm(1), keys, heads, width), dtype)
    v, _ = b.operand((int_imm(1), keys, heads, width), dtype)
    mask = b.pick((None, "TopLeft", "BottomRight"))
    b.operator("nn.attention", q, k, v, causal_mask=mask)


NETWORKS: dict[str, Rule] = {
    "layer_norm": layer_norm, "rms_norm": rms_norm, "group_norm": group_norm, "batch_norm": batch_norm, "leaky": leaky,
    "conv2d": conv2d, "pool2d": pool2d, "adaptive_pool": adaptive_pool, "attention": attention,
}  # fmt: skip
