"""Rewrite rules written out as they are, over symbols ``a``, ``b``, ``h``, ``k``, ``l``, ``m``, ``n`` and ``w``.

Moves, scans, sums and signs that ``rewrite_rules`` has not; written after that set, to see what its steps miss. The
last of a row are right sides that are wrong by a hair.
"""

from __future__ import annotations

import re

from tests.judge.rewrite_rules import Rule

OPEN = {
    "sign-abs",  # a choice by data inside a product
    "sum-max-min",  # two sums taken together
    "sum-repeat",  # a sum parted by a quotient
    "dot-assoc",  # sums in another order, with products
    "rsqrt", "pow-two",  # what a function permits
    "pool-relu",  # extremes of extremes over data
    "scatter-elements-all", "sort-sort", "sort-flip", "max-of-sort", "argmax-neg",  # no elements of theirs
    "dot-k1", "avgpool1", "einsum-tr",  # a sum from +0 of one item: -0 becomes +0
}  # fmt: skip
"""What is proved of no size yet."""

NAME = re.compile(r"(?<![\w.'\"])[abhklmnw](?![\w'\":=(])")


def text(params: str, body: str) -> str:
    """A module whose ``main`` gives ``body``."""
    names = sorted(set(NAME.findall(f"{params} {body}")) - set(re.findall(r"\b([a-z]): R\.Tensor", params)))
    head = "".join(f'{name} = TypeVar("{name}")\n' for name in names)
    module = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n"
    return f"{head}{module}        r = {body}\n        return r\n"


WRITTEN = [
    Rule(
        "clip-clip",
        'x: R.Tensor((n,), "int32")',
        "R.clip(R.clip(x, 0, 5), 2, 7)",
        "R.clip(x, 2, 5)",
        ("R.clip(x, 0, 7)",),
    ),
    Rule(
        "clip-is-minmax",
        'x: R.Tensor((n,), "int32")',
        "R.clip(x, 0, 5)",
        'R.maximum(R.minimum(x, R.const(5, "int32")), R.const(0, "int32"))',
        ('R.maximum(R.minimum(x, R.const(4, "int32")), R.const(0, "int32"))',),
    ),
    Rule(
        "relu-is-max",
        'x: R.Tensor((n,), "int32")',
        "R.nn.relu(x)",
        'R.maximum(x, R.const(0, "int32"))',
        ('R.maximum(x, R.const(1, "int32"))',),
    ),
    Rule("relu-relu", 'x: R.Tensor((n,), "float32")', "R.nn.relu(R.nn.relu(x))", "R.nn.relu(x)", ("x",)),
    Rule(
        "where-where-same",
        'p: R.Tensor((n,), "bool"), q: R.Tensor((n,), "bool"), x: R.Tensor((n,), "int8"), y: R.Tensor((n,), "int8")',
        "R.where(p, R.where(q, x, y), y)",
        "R.where(R.logical_and(p, q), x, y)",
        ("R.where(R.logical_or(p, q), x, y)",),
    ),
    Rule(
        "where-or",
        'p: R.Tensor((n,), "bool"), q: R.Tensor((n,), "bool"), x: R.Tensor((n,), "int8"), y: R.Tensor((n,), "int8")',
        "R.where(p, x, R.where(q, x, y))",
        "R.where(R.logical_or(p, q), x, y)",
        ("R.where(R.logical_and(p, q), x, y)",),
    ),
    Rule("abs-is-max", 'x: R.Tensor((n,), "int32")', "R.abs(x)", "R.maximum(x, R.negative(x))", ("R.maximum(x, x)",)),
    Rule("sign-abs", 'x: R.Tensor((n,), "int32")', "R.multiply(R.sign(x), R.abs(x))", "x", ("R.abs(x)",)),
    Rule(
        "sum-of-outer",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((m,), "int32")',
        "R.sum(R.multiply(R.expand_dims(x,1), R.expand_dims(y,0)))",
        "R.multiply(R.sum(x), R.sum(y))",
        ("R.add(R.sum(x), R.sum(y))",),
    ),
    Rule(
        "prod-mul",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.prod(R.multiply(x,y))",
        "R.multiply(R.prod(x), R.prod(y))",
        ("R.add(R.prod(x), R.prod(y))",),
    ),
    Rule(
        "sum-sub",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.sum(R.subtract(x,y))",
        "R.subtract(R.sum(x), R.sum(y))",
        ("R.add(R.sum(x), R.sum(y))",),
    ),
    Rule(
        "sum-max-min",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.sum(R.add(R.maximum(x,y), R.minimum(x,y)))",
        "R.add(R.sum(x), R.sum(y))",
        ("R.subtract(R.sum(x), R.sum(y))",),
    ),
    Rule(
        "sum-transposed-all",
        'x: R.Tensor((n, m), "int32")',
        "R.sum(R.permute_dims(x, [1,0]))",
        "R.sum(x)",
        ("R.max(x)",),
        (
            "n>=1",
            "m>=1",
        ),
    ),
    Rule("sum-squeeze", 'x: R.Tensor((1, n), "int32")', "R.sum(R.squeeze(x,[0]))", "R.sum(x)", ("R.prod(x)",)),
    Rule(
        "max-broadcast2",
        'x: R.Tensor((n,), "int32"), s: R.Shape((m,))',
        "R.max(R.broadcast_to(R.expand_dims(x,0),(m,n)), axis=[0])",
        "x",
        ("R.negative(x)",),
        ("m>=1",),
    ),
    Rule(
        "sum-repeat",
        'x: R.Tensor((n,), "int32")',
        "R.sum(R.repeat(x, 3, 0))",
        'R.multiply(R.sum(x), R.const(3, "int32"))',
        ("R.sum(x)",),
    ),
    Rule(
        "sum-tile",
        'x: R.Tensor((n,), "int32")',
        "R.sum(R.tile(x, [3]))",
        'R.multiply(R.sum(x), R.const(3, "int32"))',
        ("R.sum(x)",),
    ),
    Rule(
        "cumsum-add",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.cumsum(R.add(x,y), axis=0)",
        "R.add(R.cumsum(x,axis=0),R.cumsum(y,axis=0))",
        ("R.subtract(R.cumsum(x,axis=0),R.cumsum(y,axis=0))",),
    ),
    Rule(
        "cumsum-scale",
        'x: R.Tensor((n,), "int32")',
        'R.cumsum(R.multiply(x,R.const(3, "int32")), axis=0)',
        'R.multiply(R.cumsum(x,axis=0),R.const(3, "int32"))',
        ("R.cumsum(x,axis=0)",),
    ),
    Rule(
        "cumsum-last",
        'x: R.Tensor((n,), "int32")',
        "R.strided_slice(R.cumsum(x, axis=0), axes=[0], begin=[n-1], end=[n])",
        "R.expand_dims(R.sum(x),0)",
        ("R.expand_dims(R.prod(x),0)",),
        ("n>=1",),
    ),
    Rule(
        "cumsum-slice",
        'x: R.Tensor((n,), "int32"), s: R.Shape((a,))',
        "R.strided_slice(R.cumsum(x, axis=0), axes=[0], begin=[0], end=[a])",
        "R.cumsum(R.strided_slice(x,axes=[0],begin=[0],end=[a]),axis=0)",
        ("R.cumsum(R.strided_slice(x,axes=[0],begin=[n-a],end=[n]),axis=0)",),
        (
            "0<=a",
            "a<=n",
        ),
    ),
    Rule(
        "take-arange",
        'x: R.Tensor((n,), "int32")',
        'R.take(x, R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), "int64"), axis=0)',
        "x",
        ("R.flip(x,axis=0)",),
    ),
    Rule(
        "take-slice",
        'x: R.Tensor((n,), "int32"), s: R.Shape((a,b))',
        'R.take(x, R.arange(R.prim_value(a), R.prim_value(b), R.prim_value(1), "int64"), axis=0)',
        "R.strided_slice(x,axes=[0],begin=[a],end=[b])",
        ("R.strided_slice(x,axes=[0],begin=[0],end=[b-a])",),
        (
            "0<=a",
            "a<=b",
            "b<=n",
        ),
    ),
    Rule(
        "take-unary",
        'x: R.Tensor((n,), "float32"), i: R.Tensor((m,), "int64")',
        "R.take(R.exp(x),i,axis=0)",
        "R.exp(R.take(x,i,axis=0))",
        ("R.take(x,i,axis=0)",),
    ),
    Rule(
        "take-binary",
        'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32"), i: R.Tensor((m,), "int64")',
        "R.add(R.take(x,i,axis=0),R.take(y,i,axis=0))",
        "R.take(R.add(x,y),i,axis=0)",
        ("R.take(R.subtract(x,y),i,axis=0)",),
    ),
    Rule(
        "take-broadcast",
        'x: R.Tensor((), "float32"), s: R.Shape((n,)), i: R.Tensor((m,), "int64")',
        "R.take(R.broadcast_to(x,(n,)),i,axis=0)",
        "R.broadcast_to(x,(m,))",
        (),
    ),
    Rule(
        "stack-is-concat",
        'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")',
        "R.stack((x,y),axis=0)",
        "R.concat((R.expand_dims(x,0),R.expand_dims(y,0)),axis=0)",
        ("R.concat((R.expand_dims(y,0),R.expand_dims(x,0)),axis=0)",),
    ),
    Rule(
        "repeat-is-reshape",
        'x: R.Tensor((n,), "float32")',
        "R.repeat(x,3,0)",
        "R.reshape(R.broadcast_to(R.expand_dims(x,1),(n,3)),(n*3,))",
        ("R.tile(x,[3])",),
    ),
    Rule(
        "tile-is-concat",
        'x: R.Tensor((n,), "float32")',
        "R.tile(x,[2])",
        "R.concat((x,x),axis=0)",
        ("R.repeat(x,2,0)",),
    ),
    Rule(
        "tile-slice",
        'x: R.Tensor((n,), "float32")',
        "R.strided_slice(R.tile(x,[3]),axes=[0],begin=[n],end=[2*n])",
        "x",
        ("R.flip(x,axis=0)",),
    ),
    Rule(
        "repeat-repeat",
        'x: R.Tensor((n,), "float32")',
        "R.repeat(R.repeat(x,2,0),3,0)",
        "R.repeat(x,6,0)",
        ("R.tile(x,[6])",),
    ),
    Rule("triu-triu", 'x: R.Tensor((n, m), "float32")', "R.triu(R.triu(x))", "R.triu(x)", ("x",)),
    Rule(
        "triu-tril",
        'x: R.Tensor((n, m), "int32")',
        "R.add(R.triu(x), R.tril(x, -1))",
        "x",
        ("R.add(R.triu(x), R.tril(x))",),
    ),
    Rule(
        "triu-transpose",
        'x: R.Tensor((n, m), "float32")',
        "R.permute_dims(R.triu(x),[1,0])",
        "R.tril(R.permute_dims(x,[1,0]))",
        ("R.triu(R.permute_dims(x,[1,0]))",),
    ),
    Rule("cast-widen", 'x: R.Tensor((n,), "int32")', 'R.astype(R.astype(x,"int64"),"int32")', "x", ("R.negative(x)",)),
    Rule(
        "cast-add-back",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        'R.astype(R.add(R.astype(x,"int64"),R.astype(y,"int64")),"int32")',
        "R.add(x,y)",
        ("R.subtract(x,y)",),
    ),
    Rule(
        "cast-mul-back",
        'x: R.Tensor((n,), "int8"), y: R.Tensor((n,), "int8")',
        'R.astype(R.multiply(R.astype(x,"int32"),R.astype(y,"int32")),"int8")',
        "R.multiply(x,y)",
        ("R.add(x,y)",),
    ),
    Rule(
        "cast-f16", 'x: R.Tensor((n,), "float16")', 'R.astype(R.astype(x,"float32"),"float16")', "x", ("R.negative(x)",)
    ),
    Rule("cast-bool", 'p: R.Tensor((n,), "bool")', 'R.astype(R.astype(p,"int32"),"bool")', "p", ("R.logical_not(p)",)),
    Rule(
        "sum-bool-where",
        'p: R.Tensor((n,), "bool")',
        'R.sum(R.astype(p,"int32"))',
        'R.sum(R.where(p,R.const(1, "int32"),R.const(0, "int32")))',
        ('R.sum(R.where(p,R.const(0, "int32"),R.const(1, "int32")))',),
    ),
    Rule("dot-eye", 'x: R.Tensor((n, m), "int32")', 'R.matmul(x, R.eye(m, dtype="int32"))', "x", ("R.negative(x)",)),
    Rule(
        "dot-eye-left", 'x: R.Tensor((n, m), "int32")', 'R.matmul(R.eye(n, dtype="int32"), x)', "x", ("R.negative(x)",)
    ),
    Rule(
        "dot-assoc",
        'x: R.Tensor((n,k), "int32"), y: R.Tensor((k,m), "int32"), z: R.Tensor((m,l), "int32")',
        "R.matmul(R.matmul(x,y),z)",
        "R.matmul(x,R.matmul(y,z))",
        ("R.matmul(x, R.matmul(y, R.negative(z)))",),
    ),
    Rule(
        "dot-distributes",
        'x: R.Tensor((n,k), "int32"), y: R.Tensor((k,m), "int32"), z: R.Tensor((k,m), "int32")',
        "R.matmul(x,R.add(y,z))",
        "R.add(R.matmul(x,y),R.matmul(x,z))",
        ("R.subtract(R.matmul(x,y),R.matmul(x,z))",),
    ),
    Rule(
        "dot-scale",
        'x: R.Tensor((n,k), "int32"), y: R.Tensor((k,m), "int32")',
        'R.matmul(R.multiply(x,R.const(3, "int32")),y)',
        'R.multiply(R.matmul(x,y),R.const(3, "int32"))',
        ("R.matmul(x,y)",),
    ),
    Rule(
        "dot-reverse",
        'x: R.Tensor((n,k), "int32"), y: R.Tensor((k,m), "int32")',
        "R.matmul(R.flip(x,axis=1),R.flip(y,axis=0))",
        "R.matmul(x,y)",
        ("R.matmul(R.flip(x,axis=1),y)",),
    ),
    Rule(
        "dot-k1",
        'x: R.Tensor((n,1), "float32"), y: R.Tensor((1,m), "float32")',
        "R.matmul(x,y)",
        "R.multiply(x,y)",
        ("R.add(x,y)",),
    ),
    Rule(
        "dot-is-sum",
        'x: R.Tensor((n,k), "float32"), y: R.Tensor((k,), "float32")',
        "R.matmul(x,y)",
        "R.sum(R.multiply(x,y),axis=[1])",
        ("R.sum(R.add(x,y),axis=[1])",),
    ),
    Rule(
        "softmax-permute",
        'x: R.Tensor((n, m), "float32")',
        "R.permute_dims(R.nn.softmax(x,axis=1),[1,0])",
        "R.nn.softmax(R.permute_dims(x,[1,0]),axis=0)",
        ("R.nn.softmax(R.permute_dims(x,[1,0]),axis=1)",),
    ),
    Rule(
        "silu",
        'x: R.Tensor((n,), "float32")',
        "R.nn.silu(x)",
        "R.multiply(x,R.sigmoid(x))",
        ("R.multiply(x,R.tanh(x))",),
    ),
    Rule(
        "sq-neg", 'x: R.Tensor((n,), "float32")', "R.square(R.negative(x))", "R.square(x)", ("R.negative(R.square(x))",)
    ),
    Rule(
        "rsqrt",
        'x: R.Tensor((n,), "float32")',
        "R.rsqrt(x)",
        'R.divide(R.const(1.0,"float32"),R.sqrt(x))',
        ('R.divide(R.const(2.0,"float32"),R.sqrt(x))',),
    ),
    Rule(
        "mul-float-comm",
        'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")',
        "R.multiply(x,y)",
        "R.multiply(y,x)",
        ("R.divide(y,x)",),
    ),
    Rule(
        "neg-mul-float",
        'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")',
        "R.multiply(R.negative(x),y)",
        "R.negative(R.multiply(x,y))",
        ("R.multiply(x,y)",),
    ),
    Rule(
        "sub-add-neg-float",
        'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")',
        "R.subtract(x,y)",
        "R.add(x,R.negative(y))",
        ("R.add(x,y)",),
    ),
    Rule("mul-two-float", 'x: R.Tensor((n,), "float32")', 'R.multiply(x,R.const(2.0,"float32"))', "R.add(x,x)", ("x",)),
    Rule(
        "div-half",
        'x: R.Tensor((n,), "float32")',
        'R.divide(x,R.const(2.0,"float32"))',
        'R.multiply(x,R.const(0.5,"float32"))',
        ("x",),
    ),
    Rule("pow-two", 'x: R.Tensor((n,), "float32")', 'R.power(x,R.const(2.0,"float32"))', "R.multiply(x,x)", ("x",)),
    Rule(
        "maxpool1", 'x: R.Tensor((1,2,h,w), "float32")', "R.nn.max_pool2d(x,pool_size=[1,1])", "x", ("R.negative(x)",)
    ),
    Rule(
        "avgpool1", 'x: R.Tensor((1,2,h,w), "float32")', "R.nn.avg_pool2d(x,pool_size=[1,1])", "x", ("R.negative(x)",)
    ),
    Rule(
        "pool-relu",
        'x: R.Tensor((1,2,h,w), "float32")',
        "R.nn.max_pool2d(R.nn.relu(x),pool_size=[2,2],strides=[2,2])",
        "R.nn.relu(R.nn.max_pool2d(x,pool_size=[2,2],strides=[2,2]))",
        ("R.nn.max_pool2d(x,pool_size=[2,2],strides=[2,2])",),
        (
            "h>=2",
            "w>=2",
        ),
    ),
    Rule(
        "layout",
        'x: R.Tensor((n,4,h,w), "float32")',
        "R.permute_dims(R.permute_dims(x,[0,2,3,1]),[0,3,1,2])",
        "x",
        ("R.negative(x)",),
    ),
    Rule(
        "conv-linear",
        'x: R.Tensor((1,2,h,w), "int32"), y: R.Tensor((1,2,h,w), "int32"), k: R.Tensor((3,2,1,1), "int32")',
        "R.nn.conv2d(R.add(x,y),k)",
        "R.add(R.nn.conv2d(x,k),R.nn.conv2d(y,k))",
        ("R.subtract(R.nn.conv2d(x,k),R.nn.conv2d(y,k))",),
    ),
    Rule(
        "conv-nhwc",
        'x: R.Tensor((1,2,h,w), "float32"), k: R.Tensor((3,2,3,3), "float32")',
        "R.permute_dims(R.nn.conv2d(x,k),[0,2,3,1])",
        'R.nn.conv2d(R.permute_dims(x,[0,2,3,1]),k,data_layout="NHWC",out_layout="NHWC")',
        ("R.permute_dims(R.nn.conv2d(R.negative(x),k),[0,2,3,1])",),
        (
            "h>=3",
            "w>=3",
        ),
    ),
    Rule(
        "gather-elements-id",
        'x: R.Tensor((n,), "float32")',
        'R.gather_elements(x, R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), "int64"), axis=0)',
        "x",
        ("R.flip(x,axis=0)",),
    ),
    Rule(
        "gather-elements-rev",
        'x: R.Tensor((n,), "float32")',
        'R.gather_elements(x, R.arange(R.prim_value(n-1), R.prim_value(-1), R.prim_value(-1), "int64"), axis=0)',
        "R.flip(x,axis=0)",
        ("x",),
    ),
    Rule(
        "scatter-elements-all",
        'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")',
        'R.scatter_elements(x, R.arange(R.prim_value(0), R.prim_value(n), R.prim_value(1), "int64"), y, axis=0)',
        "y",
        ("x",),
    ),
    Rule("sort-sort", 'x: R.Tensor((n,), "float32")', "R.sort(R.sort(x))", "R.sort(x)", ("x",)),
    Rule(
        "sort-flip", 'x: R.Tensor((n,), "int32")', "R.sort(R.flip(x,axis=0))", "R.sort(x)", ("R.sort(R.negative(x))",)
    ),
    Rule("max-of-sort", 'x: R.Tensor((n,), "int32")', "R.max(R.sort(x))", "R.max(x)", ("R.min(x)",), ("n>=1",)),
    Rule(
        "argmax-neg",
        'x: R.Tensor((n,), "int32")',
        "R.argmax(R.bitwise_not(x))",
        "R.argmin(x)",
        ("R.argmax(x)",),
        ("n>=1",),
    ),
    Rule(
        "bit-de-morgan",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.bitwise_not(R.bitwise_and(x,y))",
        "R.bitwise_or(R.bitwise_not(x),R.bitwise_not(y))",
        ("R.bitwise_and(R.bitwise_not(x),R.bitwise_not(y))",),
    ),
    Rule(
        "bit-absorb",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.bitwise_or(x,R.bitwise_and(x,y))",
        "x",
        ("y",),
    ),
    Rule(
        "bit-select",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32"), z: R.Tensor((n,), "int32")',
        "R.bitwise_xor(y,R.bitwise_and(x,R.bitwise_xor(y,z)))",
        "R.bitwise_or(R.bitwise_and(R.bitwise_not(x),y),R.bitwise_and(x,z))",
        ("R.bitwise_or(R.bitwise_and(x,y),R.bitwise_and(R.bitwise_not(x),z))",),
    ),
    Rule(
        "add-is-xor-and",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.add(x,y)",
        'R.add(R.bitwise_xor(x,y),R.left_shift(R.bitwise_and(x,y),R.const(1, "int32")))',
        ("R.bitwise_xor(x,y)",),
    ),
    Rule(
        "not-is",
        'x: R.Tensor((n,), "int32")',
        "R.bitwise_not(x)",
        'R.subtract(R.negative(x),R.const(1, "int32"))',
        ("R.negative(x)",),
    ),
    Rule(
        "parity",
        'x: R.Tensor((n,), "int32")',
        'R.bitwise_and(x,R.const(1, "int32"))',
        'R.floor_mod(x,R.const(2, "int32"))',
        ('R.floor_mod(x,R.const(3, "int32"))',),
    ),
    Rule(
        "cmp-shift",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        'R.less(R.subtract(x,R.const(0, "int32")),y)',
        "R.less(x,y)",
        ("R.less(y,x)",),
    ),
    Rule(
        "cmp-chain",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.logical_and(R.less_equal(x,y),R.less_equal(y,x))",
        "R.equal(x,y)",
        ("R.less(x,y)",),
    ),
    Rule(
        "cmp-ne",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.logical_or(R.less(x,y),R.less(y,x))",
        "R.not_equal(x,y)",
        ("R.less(x,y)",),
    ),
    Rule(
        "cmp-where",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.where(R.less(x,y),x,y)",
        "R.minimum(x,y)",
        ("R.maximum(x,y)",),
    ),
    Rule(
        "cmp-zero-sub",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        'R.equal(R.subtract(x,y),R.const(0, "int32"))',
        "R.equal(x,y)",
        ("R.less(x,y)",),
    ),
    Rule(
        "mul-sub",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32"), z: R.Tensor((n,), "int32")',
        "R.subtract(R.multiply(x,y),R.multiply(x,z))",
        "R.multiply(x,R.subtract(y,z))",
        ("R.multiply(x,R.add(y,z))",),
    ),
    Rule(
        "sq-diff",
        'x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.multiply(R.add(x,y),R.subtract(x,y))",
        "R.subtract(R.multiply(x,x),R.multiply(y,y))",
        ("R.add(R.multiply(x,x),R.multiply(y,y))",),
    ),
    Rule(
        "cond-broadcast-reduce",
        'p: R.Tensor((), "bool"), x: R.Tensor((n,), "int32"), y: R.Tensor((n,), "int32")',
        "R.sum(R.where(p,x,y))",
        "R.where(p,R.sum(x),R.sum(y))",
        ("R.where(p,R.sum(y),R.sum(x))",),
    ),
    Rule(
        "logical-xor",
        'p: R.Tensor((n,), "bool"), q: R.Tensor((n,), "bool")',
        "R.logical_xor(p,q)",
        "R.not_equal(p,q)",
        ("R.logical_or(p,q)",),
    ),
    Rule(
        "reshape-binary",
        'x: R.Tensor((n, m), "float32"), y: R.Tensor((n, m), "float32")',
        "R.reshape(R.add(x,y),(n*m,))",
        "R.add(R.reshape(x,(n*m,)),R.reshape(y,(n*m,)))",
        ("R.add(R.reshape(x,(n*m,)),R.reshape(x,(n*m,)))",),
    ),
    Rule(
        "reshape-flat-max",
        'x: R.Tensor((n, m), "float32")',
        "R.max(R.reshape(x,(n*m,)))",
        "R.max(x)",
        ("R.min(x)",),
        (
            "n>=1",
            "m>=1",
        ),
    ),
    Rule(
        "flip-reshape",
        'x: R.Tensor((n, m), "float32")',
        "R.flip(R.reshape(x,(n*m,)),axis=0)",
        "R.reshape(R.flip(R.flip(x,axis=0),axis=1),(n*m,))",
        ("R.reshape(R.flip(x,axis=0),(n*m,))",),
    ),
    Rule(
        "concat-reshape",
        'x: R.Tensor((n, m), "float32"), y: R.Tensor((l,m), "float32")',
        "R.reshape(R.concat((x,y),axis=0),((n+l)*m,))",
        "R.concat((R.reshape(x,(n*m,)),R.reshape(y,(l*m,))),axis=0)",
        ("R.concat((R.reshape(x,(n*m,)),R.reshape(R.negative(y),(l*m,))),axis=0)",),
    ),
    Rule(
        "slice-rows-flat",
        'x: R.Tensor((n, m), "float32"), s: R.Shape((a,b))',
        "R.reshape(R.strided_slice(x,axes=[0],begin=[a],end=[b]),((b-a)*m,))",
        "R.strided_slice(R.reshape(x,(n*m,)),axes=[0],begin=[a*m],end=[b*m])",
        ("R.strided_slice(R.reshape(x,(n*m,)),axes=[0],begin=[0],end=[(b-a)*m])",),
        (
            "0<=a",
            "a<=b",
            "b<=n",
        ),
    ),
    Rule("expand-reduce", 'x: R.Tensor((n,), "int32")', "R.sum(R.expand_dims(x,0),axis=[0])", "x", ("R.negative(x)",)),
    Rule(
        "variance",
        'x: R.Tensor((n, m), "float32")',
        "R.variance(x,axis=[1])",
        "R.mean(R.square(R.subtract(x,R.mean(x,axis=[1],keepdims=True))),axis=[1])",
        ("R.mean(R.square(x),axis=[1])",),
        ("m>=1",),
    ),
    Rule(
        "einsum-mm",
        'x: R.Tensor((n,k), "float32"), y: R.Tensor((k,m), "float32")',
        'R.einsum((x,y),"ik,kj->ij")',
        "R.matmul(x,y)",
        ("R.matmul(R.negative(x),y)",),
    ),
    Rule(
        "einsum-tr",
        'x: R.Tensor((n, m), "float32")',
        'R.einsum((x,),"ij->ji")',
        "R.permute_dims(x,[1,0])",
        ("R.reshape(x,(m,n))",),
    ),
    Rule(
        "linear",
        'x: R.Tensor((n,k), "float32"), w: R.Tensor((m,k), "float32")',
        "R.matmul(x,R.permute_dims(w,[1,0]))",
        'R.einsum((x,w),"nk,mk->nm")',
        ("R.matmul(R.negative(x),R.permute_dims(w,[1,0]))",),
    ),
    Rule(
        "outer",
        'x: R.Tensor((n,), "float32"), y: R.Tensor((m,), "float32")',
        "R.outer(x,y)",
        "R.multiply(R.expand_dims(x,1),R.expand_dims(y,0))",
        ("R.add(R.expand_dims(x,1),R.expand_dims(y,0))",),
    ),
]
