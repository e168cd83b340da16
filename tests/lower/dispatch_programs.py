"""Contracts and programs for library dispatch, each a few lines.

``CONTRACTS``: name to (parameters, bindings, result); ``library`` makes a module of some of them, in that order.
``PROGRAMS``: name to (parameters, bindings, the contracts tried, those that are taken).
"""

from __future__ import annotations

from typing import NamedTuple

from tests.lower.fusion_modules import buffer, kernel, nest

SYMBOLS = "\n".join(f'{s} = TypeVar("{s}")' for s in ("b", "k", "m", "n", "p"))


def tensors(text: str) -> str:
    """``x: m, k; w: k, n @ float16`` as parameters of these shapes; float32 unless told."""
    found = []
    for each in text.split("; "):
        name, rest = each.split(": ")
        dims, _, dtype = rest.partition(" @ ")
        found.append(f"{name}: {tensor(dims, dtype)}")
    return ", ".join(found)


def tensor(dims: str, dtype: str = "") -> str:
    inside = f"({dims},)" if dims else "()"
    return f'R.Tensor({inside}, dtype="{dtype or "float32"}")'


class Contract(NamedTuple):
    params: str
    bindings: tuple[str, ...]
    result: str


CONTRACTS: dict[str, Contract] = {
    "square": Contract("x: m, n", ("y = R.multiply(x, x)",), "m, n"),
    "half": Contract("x: m, n", ('y = R.multiply(x, R.const(0.5, "float32"))',), "m, n"),
    "matmul": Contract("x: m, k; w: k, n", ("y = R.matmul(x, w)",), "m, n"),
    "matmul_bias": Contract("x: m, k; w: k, n; b: n", ("y = R.matmul(x, w)", "z = R.add(y, b)"), "m, n"),
    "matmul_added": Contract("x: m, k; w: k, n; b: m, n", ("y = R.matmul(x, w)", "z = R.add(y, b)"), "m, n"),
    "transposed": Contract("x: m, k; w: n, k", ("t = R.permute_dims(w, axes=[1, 0])", "y = R.matmul(x, t)"), "m, n"),
    "aligned": Contract(
        "x: m, k; w: k, n",
        ("a = R.match_cast(w, R.Tensor((k // 8 * 8, n), dtype='float32'))", "y = R.matmul(x, w)"),
        "m, n",
    ),
    "turned": Contract("x: m, k; w: n, k", ("t = R.permute_dims(w)", "y = R.matmul(x, t)"), "m, n"),
    "inner_turned": Contract("x: m, n, k", ("t = R.permute_dims(x, axes=[0, 2, 1])", "y = R.exp(t)"), "m, k, n"),
    "total": Contract("x: m, n", ("e = R.exp(x)", "y = R.sum(e, axis=[0, 1])"), ""),
    "softmax": Contract("x: m, n", ("y = R.nn.softmax(x, axis=-1)",), "m, n"),
    "exp_exp": Contract("x: m, n", ("y = R.exp(x)", "z = R.exp(y)"), "m, n"),
    "relu_of_sum": Contract("x: m, n; y: m, n", ("a = R.add(x, y)", "z = R.nn.relu(a)"), "m, n"),
    "difference": Contract("x: m, n; y: m, n", ("a = R.subtract(x, y)", "z = R.abs(a)"), "m, n"),
    "abs_sin": Contract("x: n", ("y = R.sin(x)", "z = R.abs(y)"), "n"),
    "signed": Contract("x: m, n; y: m, n", ("a = R.subtract(x, y)", "z = R.exp(a)"), "m, n"),
    "lower": Contract("x: n, n", ("a = R.permute_dims(x, axes=[1, 0])", "z = R.subtract(a, x)"), "n, n"),
    "diamond": Contract("x: m, n", ("a = R.exp(x)", "b = R.abs(a)", "z = R.add(a, b)"), "m, n"),
    "halves": Contract("x: m, 6", ("s = R.split(x, 2, axis=1)", "a = s[1]", "z = R.exp(a)"), "m, 3"),
    "flat": Contract("x: m, n", ("y = R.reshape(x, R.shape([m * n]))", "z = R.exp(y)"), "m * n"),
}


def library(*names: str, text: str = "") -> str:
    """A module with these contracts, ``lib.NAME`` each."""
    parts = [f"{SYMBOLS}\n@I.ir_module\nclass Module:"]
    parts += [contract(name, *CONTRACTS[name]) for name in names]
    return "\n".join(parts) + text


def contract(name: str, params: str, bindings: tuple[str, ...], result: str, dtype: str = "") -> str:
    lines = "\n".join(f"            {b}" for b in bindings)
    last = bindings[-1].split(" =")[0]
    return f"""    @R.function(private=True)
    def {name}({tensors(params)}) -> {tensor(result, dtype)}:
        R.func_attr({{"Contract": "lib.{name}"}})
        with R.dataflow():
{lines}
            R.output({last})
        return {last}"""


class Program(NamedTuple):
    params: str
    bindings: tuple[str, ...]
    tried: tuple[str, ...]
    taken: tuple[str, ...]
    outputs: str = "out"
    result: str = "out"
    kernels: str = ""


INCREASE = kernel("increase", buffer("X", "n"), nest("u", "X", "i", "X[i] + T.float32(1)", "n"))

PROGRAMS: dict[str, Program] = {
    "square": Program("x: n, 3", ("out = R.multiply(x, x)",), ("square",), ("square",)),
    "two factors": Program("x: n, 3; y: n, 3", ("out = R.multiply(x, y)",), ("square",), ()),
    "half": Program("x: n, 3", ('out = R.multiply(R.const(0.5, "float32"), x)',), ("half",), ("half",)),
    "quarter": Program("x: n, 3", ('out = R.multiply(x, R.const(0.25, "float32"))',), ("half",), ()),
    "a half of another format": Program(
        "x: n, 3 @ float16", ('out = R.multiply(x, R.const(0.5, "float16"))',), ("half",), ()
    ),
    "out_dtype said": Program(
        "x: n, 4; w: 4, 3", ('out = R.matmul(x, w, out_dtype="float32")',), ("matmul",), ("matmul",)
    ),
    "another out_dtype": Program("x: n, 4; w: 4, 3", ('out = R.matmul(x, w, out_dtype="float64")',), ("matmul",), ()),
    "bias": Program(
        "x: n, 4; w: 4, 3; b: 3",
        ("y = R.matmul(x, w)", "out = R.add(y, b)"),
        ("matmul_bias", "matmul"),
        ("matmul_bias",),
    ),
    "bias first": Program(
        "x: n, 4; w: 4, 3; b: 3", ("y = R.matmul(x, w)", "out = R.add(b, y)"), ("matmul_bias",), ("matmul_bias",)
    ),
    "bias of one element": Program(
        "x: n, 4; w: 4, 3; b: 1", ("y = R.matmul(x, w)", "out = R.add(y, b)"), ("matmul_bias", "matmul"), ("matmul",)
    ),
    "bias with a row axis": Program(
        "x: n, 4; w: 4, 3; b: 1, 3", ("y = R.matmul(x, w)", "out = R.add(y, b)"), ("matmul_bias", "matmul"), ("matmul",)
    ),
    "order of the table": Program(
        "x: n, 4; w: 4, 3; b: 3", ("y = R.matmul(x, w)", "out = R.add(y, b)"), ("matmul", "matmul_bias"), ("matmul",)
    ),
    "an inner result is used": Program(
        "x: n, 4; w: 4, 3; b: 3",
        ("y = R.matmul(x, w)", "z = R.add(y, b)", "e = R.exp(y)", "out = R.add(z, e)"),
        ("matmul_bias", "matmul"),
        ("matmul",),
    ),
    "an inner result leaves the block": Program(
        "x: n, 4; w: 4, 3; b: 3",
        ("y = R.matmul(x, w)", "out = R.add(y, b)"),
        ("matmul_bias",),
        (),
        "y, out",
        "(y, out)",
    ),
    "an inner result is an argument": Program(
        "x: n, 4; w: 4, 3",
        ("y = R.matmul(x, w)", "z = R.add(y, y)", "out = R.nn.relu(z)"),
        ("relu_of_sum",),
        ("relu_of_sum",),
    ),
    "the product itself is the bias": Program(
        "x: 3, 4; w: 4, 3", ("y = R.exp(x)", "z = R.exp(y)", "out = R.add(z, z)"), ("exp_exp",), ("exp_exp",)
    ),
    "aligned": Program("x: n, 16; w: 16, 3", ("out = R.matmul(x, w)",), ("aligned",), ("aligned",)),
    "aligned by a product": Program(
        "x: n, m * 8; w: m * 8, 3; y: m", ("out = R.matmul(x, w)",), ("aligned",), ("aligned",)
    ),
    "not aligned": Program("x: n, 12; w: 12, 3", ("out = R.matmul(x, w)",), ("aligned",), ()),
    "alignment unknown": Program("x: n, m; w: m, 3", ("out = R.matmul(x, w)",), ("aligned", "matmul"), ("matmul",)),
    "lengths that may differ": Program("x: n, m; w: k, 3", ("out = R.matmul(x, w)",), ("matmul",), ()),
    "softmax": Program("x: n, 3", ("out = R.nn.softmax(x, axis=-1)",), ("softmax",), ("softmax",)),
    "another axis": Program("x: n, 3", ("out = R.nn.softmax(x, axis=0)",), ("softmax",), ()),
    "transposed": Program(
        "x: n, 4; w: 3, 4",
        ("t = R.permute_dims(w, axes=[1, 0])", "out = R.matmul(x, t)"),
        ("transposed",),
        ("transposed",),
    ),
    "transposed, axes left out": Program(
        "x: n, 4; w: 3, 4", ("t = R.permute_dims(w)", "out = R.matmul(x, t)"), ("transposed",), ("transposed",)
    ),
    "axes left out in the contract": Program(
        "x: n, 4; w: 3, 4",
        ("t = R.permute_dims(w, axes=[-1, 0])", "out = R.matmul(x, t)"),
        ("turned",),
        ("turned",),
    ),
    "three axes left out": Program("x: n, n, n", ("t = R.permute_dims(x)", "out = R.exp(t)"), ("inner_turned",), ()),
    "all axes left out": Program("x: n, 3", ("e = R.exp(x)", "out = R.sum(e)"), ("total",), ("total",)),
    "one axis of two": Program("x: n, 3", ("e = R.exp(x)", "out = R.sum(e, axis=[0])"), ("total",), ()),
    "axes as they were": Program(
        "x: n, 4; w: 4, 3",
        ("t = R.permute_dims(w, axes=[0, 1])", "out = R.matmul(x, t)"),
        ("transposed", "matmul"),
        ("matmul",),
    ),
    "difference": Program(
        "x: n, 3; y: n, 3", ("a = R.subtract(x, y)", "out = R.abs(a)"), ("difference",), ("difference",)
    ),
    "diamond": Program("x: n, 3", ("a = R.exp(x)", "b = R.abs(a)", "out = R.add(b, a)"), ("diamond",), ("diamond",)),
    "no diamond": Program(
        "x: n, 3", ("a = R.exp(x)", "c = R.exp(x)", "b = R.abs(c)", "out = R.add(a, b)"), ("diamond",), ()
    ),
    "the second half": Program(
        "x: n, 6", ("s = R.split(x, 2, axis=1)", "a = s[1]", "out = R.exp(a)"), ("halves",), ("halves",)
    ),
    "the first half": Program("x: n, 6", ("s = R.split(x, 2, axis=1)", "a = s[0]", "out = R.exp(a)"), ("halves",), ()),
    "four in a row": Program(
        "x: n, 3",
        ("a = R.exp(x)", "b = R.exp(a)", "c = R.exp(b)", "out = R.exp(c)"),
        ("exp_exp",),
        ("exp_exp", "exp_exp"),
    ),
    "three in a row": Program(
        "x: n, 3", ("a = R.exp(x)", "b = R.exp(a)", "out = R.exp(b)"), ("exp_exp",), ("exp_exp",)
    ),
    "a check between": Program(
        "x: n, 3",
        ("a = R.exp(x)", "c = R.match_cast(a, R.Tensor((p, 3), dtype='float32'))", "b = R.exp(a)", "out = R.add(b, c)"),
        ("exp_exp",),
        (),
    ),
    "another's check between": Program(
        "x: n, 3; y: m",
        ("a = R.exp(x)", "c = R.match_cast(y, R.Tensor((p,), dtype='float32'))", "out = R.exp(a)"),
        ("exp_exp",),
        (),
        "out, c",
        "(out, c)",
    ),
    "after the check": Program(
        "x: n, 3",
        ("c = R.match_cast(x, R.Tensor((p, 3), dtype='float32'))", "a = R.exp(c)", "out = R.exp(a)"),
        ("exp_exp",),
        ("exp_exp",),
    ),
    "flat": Program("x: n, 3", ("y = R.reshape(x, R.shape([n * 3]))", "out = R.exp(y)"), ("flat",), ("flat",)),
    "flat otherwise": Program("x: n, 4", ("y = R.reshape(x, R.shape([n * 2, 2]))", "out = R.exp(y)"), ("flat",), ()),
    "constants": Program(
        "x: n, 3",
        ('out = R.multiply(R.const([[1, 2, 3]], "float32"), R.const([[1, 2, 3]], "float32"))',),
        ("square",),
        ("square",),
    ),
    "half precision": Program("x: n, 4 @ float16; w: 4, 3 @ float16", ("out = R.matmul(x, w)",), ("matmul",), ()),
    "another rank": Program("x: 2, n, 4; w: 4, 3", ("out = R.matmul(x, w)",), ("matmul",), ()),
    "diamond of others": Program("x: n, 3", ("a = R.sin(x)", "b = R.abs(a)", "out = R.add(a, b)"), ("diamond",), ()),
    "turned difference": Program(
        "x: n, n", ("a = R.permute_dims(x, axes=[1, 0])", "out = R.subtract(x, a)"), ("lower",), ()
    ),
    "turned product": Program(
        "x: n, n; w: n, n", ("t = R.permute_dims(w, axes=[1, 0])", "out = R.matmul(t, x)"), ("transposed",), ()
    ),
    "square product": Program("x: n, n; w: n, n", ("out = R.matmul(x, w)",), ("matmul",), ("matmul",)),
    "axes as they were, square": Program(
        "x: n, n; w: n, n",
        ("t = R.permute_dims(w, axes=[0, 1])", "out = R.matmul(x, t)"),
        ("transposed", "matmul"),
        ("matmul",),
    ),
    "square of half precision": Program("x: n, 3 @ float16", ("out = R.multiply(x, x)",), ("square",), ()),
    "an update between": Program(
        "x: n",
        (
            "a = R.sin(x)",
            f"u = R.call_tir_inplace(cls.increase, (x,), inplace_indices=[0], out_ty={tensor('n')})",
            "out = R.abs(a)",
        ),
        ("abs_sin",),
        (),
        "out, u",
        "(out, u)",
        INCREASE,
    ),
    "square transposed": Program(
        "x: n, n; w: n, n",
        ("t = R.permute_dims(w, axes=[1, 0])", "out = R.matmul(x, t)"),
        ("transposed",),
        ("transposed",),
    ),
    "square and half": Program(
        "x: n, 3",
        ("y = R.multiply(x, x)", 'out = R.multiply(y, R.const(0.5, "float32"))'),
        ("square", "half"),
        ("square", "half"),
    ),
    "the sum with its product": Program(
        "x: 3, 3; w: 3, 3", ("y = R.matmul(x, w)", "out = R.add(y, y)"), ("matmul_added", "matmul"), ("matmul",)
    ),
}


def program(name: str) -> str:
    """The text of a program."""
    it = PROGRAMS[name]
    lines = "\n".join(f"            {b}" for b in it.bindings)
    return f"""{SYMBOLS}
@I.ir_module
class Module:
{it.kernels}
    @R.function
    def main({tensors(it.params)}):
        cls = Module
        with R.dataflow():
{lines}
            R.output({it.outputs})
        return {it.result}
"""
