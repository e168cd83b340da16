"""Graphs one step beside what the NumPy backend writes as one thing: a row for each question that groups of steps,
attention, sums, memory that is used again and calls of NumPy itself ask of a binding. (``near_forms.py`` reads them.)
"""

# ruff: noqa: E501
from __future__ import annotations

XY, X = "x: n m, y: n m", "x: n m"
QKV = "q: n 4, k: m 4, v: m 6"
SCORES, OUT = "a = R.permute_dims(k); b = R.matmul(q, a)", "z = R.matmul(p, v)"


def attends(
    steps: str, last: str = "s", params: str = "c: n m bool, y: n m", axis: int = -1, out: str = OUT
) -> tuple[str, str]:
    return f"{QKV}, {params}", f"{SCORES}; {steps}; p = R.nn.softmax({last}, axis={axis}); {out}"


def const(number: object, dtype: str = "float32") -> str:
    return f'R.const({number}, "{dtype}")'


HIDE = f"s = R.where(c, b, {const(-1e30)})"
REDUCED = "x: n m, y: n m, v: m"

GRAPHS: dict[str, tuple[str, str]] = {
    # --- steps of a group
    **{f"a quotient by {d}": (X, f"a = R.exp(x); b = R.divide(a, {const(d)}); z = R.tanh(b)") for d in (2.0, 0.5, 3.0, -4.0, 1.0, 2.0**63, 2.0**64, 2.0**65, 2.0**-64, 2.0**-65, 2.0**-66, 0.0)},
    "a quotient by an array": (X, 'a = R.exp(x); b = R.divide(a, R.const([2.0], "float32")); z = R.tanh(b)'),
    "a number divided": (X, f"a = R.exp(x); b = R.divide({const(2.0)}, a); z = R.tanh(b)"),
    **{f"a power {p}": (X, f"b = R.abs(x); a = R.power(b, {const(p)}); z = R.exp(a)") for p in (2.0, 1.0, -2.0, 2.5)},
    "a number to a power": (X, f"b = R.abs(x); a = R.power({const(2.0)}, b); z = R.exp(a)"),
    "a maximum of numbers, first": (XY, f"a = R.maximum({const(0.5)}, x); b = R.minimum(a, {const(0.25)}); z = R.add(b, y)"),
    "a maximum of two arrays": (XY, "a = R.maximum(x, y); b = R.minimum(a, x); z = R.add(b, y)"),
    **{f"tests, {t}": (X, f'a = R.exp(x); b = R.{t}(a); c = R.logical_not(b); z = R.astype(c, "float32")') for t in ("isfinite", "isinf", "isnan")},
    **{f"compared, {d}": (f"x: n m {d}, y: n m {d}", 'a = R.less(x, y); b = R.greater_equal(x, y); c = R.logical_or(a, b); z = R.astype(c, "float32")') for d in ("int8", "int32", "int64", "uint8", "float16", "bool")},
    "compared with a number": (X, f'a = R.greater(x, {const(0.25)}); b = R.not_equal(x, {const(0.5)}); c = R.logical_and(a, b); z = R.where(c, x, {const(1)})'),
    "truths as floats": (XY, 'a = R.equal(x, y); b = R.astype(a, "float64"); c = R.add(b, b); z = R.astype(c, "float32")'),
    "truths as integers": (XY, 'a = R.equal(x, y); b = R.astype(a, "int32"); z = R.add(b, b)'),
    "floats as integers": (XY, 'a = R.add(x, y); b = R.astype(a, "int32"); z = R.add(b, b)'),
    "integers of two kinds": ("x: n m int32, y: n m int32", 'a = R.add(x, y); b = R.astype(a, "int64"); c = R.multiply(b, b); z = R.minimum(c, b)'),
    "integers with a number": ("x: n m int16", f'a = R.add(x, {const(3, "int16")}); b = R.multiply(a, a); z = R.subtract(b, x)'),
    "integers squared": ("x: n m int32", "a = R.add(x, x); b = R.square(a); z = R.negative(b)"),
    "several steps each": (X, "a = R.nn.silu(x); b = R.nn.gelu(a); c = R.nn.gelu_tanh(b); d = R.erf(c); z = R.rsqrt(d)"),
    "several steps, all given": (X, "a = R.nn.silu(x); b = R.nn.gelu_tanh(a); z = (a, b)"),
    "several steps, read again": (X, "a = R.sigmoid(x); b = R.nn.relu(a); c = R.rsqrt(b); d = R.add(a, c); z = R.add(d, x)"),
    "steps that read one thing twice": (X, "a = R.exp(x); b = R.multiply(a, a); c = R.add(b, b); z = R.subtract(c, x)"),
    "steps in memory of theirs": (XY, "h = R.permute_dims(x); g = R.matmul(h, y); a = R.exp(g); b = R.multiply(a, a); z = R.tanh(b)"),
    "steps in memory that is read later": (XY, "h = R.permute_dims(x); g = R.matmul(h, y); a = R.exp(g); b = R.multiply(a, a); c = R.tanh(b); z = (c, g)"),
    "steps in memory that two names have": (XY, "h = R.permute_dims(x); g = R.matmul(h, y); f = R.reshape(g, R.shape([m, m])); a = R.exp(g); b = R.multiply(a, f); z = R.tanh(b)"),
    "steps, two given, in memory of theirs": (XY, "h = R.permute_dims(x); g = R.matmul(h, y); a = R.exp(g); b = R.multiply(a, a); z = (a, b)"),
    "steps with a view between": (XY, "a = R.exp(x); b = R.reshape(a, R.shape([m, n])); c = R.exp(b); z = R.tanh(c)"),
    "steps with a sum between": (XY, "a = R.exp(x); b = R.sum(a, axis=[1], keepdims=True); c = R.divide(a, b); z = R.multiply(c, y)"),
    "steps of rank 1": ("x: m, y: m", "a = R.add(x, y); b = R.tanh(a); z = R.multiply(b, x)"),
    "steps of rank 0": ("x: 1, y: 1", "a = R.add(x, y); b = R.tanh(a); z = R.multiply(b, x)"),
    "steps of three ranks": ("x: n m k, y: m k, w: k", "a = R.add(x, y); b = R.multiply(a, w); z = R.exp(b)"),
    "steps that grow": ("x: m, y: n m", "a = R.exp(x); b = R.tanh(a); c = R.add(b, y); z = R.exp(c)"),
    "steps that grow, columns": ("x: n 1, y: n m", "a = R.exp(x); b = R.tanh(a); c = R.add(b, y); z = R.exp(c)"),
    "choices of numbers": ("c: n m bool, x: n m", f"a = R.where(c, {const(1.5)}, x); b = R.where(c, a, {const(-2)}); z = R.exp(b)"),
    "choices of two numbers": ("c: n m bool, x: n m", f"a = R.where(c, {const(1.5)}, {const(0.5)}); z = R.multiply(a, x)"),
    "choices at float64": ("c: n m bool, x: n m float64, y: n m float64", "a = R.where(c, x, y); z = R.exp(a)"),
    "choices at int32": ("c: n m bool, x: n m int32, y: n m int32", "a = R.where(c, x, y); z = R.add(a, x)"),
    **{f"clip, {lo} {hi}": (X, f"a = R.exp(x); b = R.clip(a, {lo}, {hi}); z = R.negative(b)") for lo, hi in ((0.5, 1.5), (1.5, 0.5), (0, 1), (0.5, 0.5))},
    "clip at int32": ("x: n m int32", "a = R.add(x, x); b = R.clip(a, -3, 2); z = R.negative(b)"),
    "clip alone": (X, "z = R.clip(x, 0.0, 0.5)"), "a choice alone": ("c: n m bool, x: n m, y: n m", "z = R.where(c, x, y)"),
    "a root alone": (X, "z = R.rsqrt(x)"), "a silu alone": (X, "z = R.nn.silu(x)"), "an erf alone": (X, "z = R.erf(x)"),
    "a silu of columns alone": ("x: n 1", "z = R.nn.silu(x)"), "an add alone": (XY, "z = R.add(x, y)"), "a minimum alone": (XY, "z = R.minimum(x, y)"),
    "narrow steps": ("x: n m float16, y: n m float16", f"a = R.nn.silu(x); b = R.clip(a, -1.0, 1.0); c = R.maximum(b, y); z = R.where(R.greater(c, x), c, {const(0.5, 'float16')})"),
    "narrow steps of bfloat16": ("x: n m bfloat16, y: n m bfloat16", f"a = R.nn.gelu(x); b = R.sigmoid(a); c = R.multiply(b, y); d = R.power(c, {const(2, 'bfloat16')}); z = R.divide(d, {const(2, 'bfloat16')})"),
    "narrow steps, then wide": ("x: n m float16, y: n m float16", 'a = R.add(x, y); b = R.astype(a, "float32"); c = R.exp(b); d = R.astype(c, "float16"); z = R.multiply(d, x)'),
    "narrow steps of rows": ("x: n m bfloat16, v: m bfloat16", "a = R.multiply(x, v); b = R.add(a, v); z = R.nn.relu(b)"),
    "one narrow step": ("x: n m float16", "z = R.exp(x)"), "a narrow sum": ("x: n m float16", "a = R.exp(x); z = R.sum(a, axis=[1])"),
    # --- attention
    "attention, hidden": attends(HIDE), "attention, hidden, scaled": attends(f"t = R.multiply(b, {const(0.5)}); s = R.where(c, t, {const(-1e30)})"),
    **{f"attention, hidden by {h}": attends(f"s = R.where(c, b, {const(h)})") for h in ("-1e8", "-1e7", "0.0", "1e30")},
    "attention, hidden first": attends(f"s = R.where(c, {const(-1e30)}, b)"), "attention, hidden by an array": attends("s = R.where(c, b, y)"),
    "attention, hidden by rank 1": attends('s = R.where(c, b, R.const([-1e30], "float32"))'),
    "attention, hidden by what is computed": attends(f"d = R.logical_not(c); s = R.where(d, b, {const(-1e30)})"),
    "attention, hidden twice": attends(f"t = R.where(c, b, {const(-1e30)}); s = R.where(c, t, {const(-1e30)})"),
    "attention, capped": attends(f"t = R.divide(b, {const(2)}); u = R.tanh(t); w = R.multiply(u, {const(2)}); s = R.where(c, w, {const(-1e30)})"),
    "attention, scaled by an array, capped": attends(f"t = R.multiply(b, y); u = R.tanh(t); s = R.where(c, u, {const(-1e30)})"), "attention, scaled by what is known again": attends(f's0 = R.match_cast(y, R.Tensor((n, m), "float32")); t = R.multiply(b, s0); u = R.tanh(t); s = R.where(c, u, {const(-1e30)})'),
    "attention, hidden, between two products": attends(f"g = R.matmul(q, a); t = R.add(b, g); u = R.tanh(t); s = R.where(c, u, {const(-1e30)})"), "attention, hidden, of an exponential": attends(f"t = R.exp(b); u = R.add(t, y); s = R.where(c, u, {const(-1e30)})"),
    "attention, biased and hidden": attends(f"t = R.add(b, y); s = R.where(c, t, {const(-1e30)})"), "attention, biased by itself": attends("s = R.add(b, b)"),
    "attention, biased by a step": attends("w = R.exp(y); s = R.add(b, w)"), "attention, biased by a product": attends("w = R.matmul(q, a); s = R.add(b, w)"),
    "attention, biased by a scaled product": attends(f"g = R.matmul(q, a); w = R.multiply(g, {const(0.5)}); s = R.add(b, w)"),
    "attention, scaled twice, biased": attends(f"t = R.multiply(b, {const(0.5)}); u = R.divide(t, {const(4)}); s = R.add(u, y)"),
    **{f"attention, {f} by {d}, biased": attends(f"t = R.{f}(b, {const(d)}); s = R.add(t, y)") for f, d in (("divide", 0.0), ("multiply", 0.0), ("multiply", -2.0), ("divide", -2.0))},
    "attention, scaled by an array, biased": attends("t = R.multiply(b, y); s = R.add(t, y)"), "attention, biased by rows": attends("s = R.add(b, w)", params="w: m"),
    "attention, biased by columns": attends("s = R.add(b, w)", params="w: n 1"), "attention, biased by a number": attends(f"s = R.add(b, {const(1.5)})"),
    "attention, biased along rows": attends("s = R.add(b, y)", axis=0), "attention, biased along axis 1": attends("s = R.add(b, y)", axis=1),
    "attention, biased, scores given": attends("s = R.add(b, y)", out="o = R.matmul(p, v); z = (o, b)"), "attention, biased, sums given": attends("s = R.add(b, y)", out="o = R.matmul(p, v); z = (o, s)"),
    "attention, biased, weights given": attends("s = R.add(b, y)", out="o = R.matmul(p, v); z = (o, p)"), "attention, biased, weights twice": attends("s = R.add(b, y)", out="o = R.matmul(p, v); r = R.matmul(p, v); z = R.add(o, r)"),
    "attention, biased, weights squared": ("q: n 4, k: n 4, v: n 6, y: n n", "a = R.permute_dims(k); b = R.matmul(q, a); s = R.add(b, y); p = R.nn.softmax(s, axis=-1); z = R.matmul(p, p)"),
    "attention, hidden, of another value": attends(HIDE, out="w = R.exp(v); z = R.matmul(p, w)"), "attention, hidden, of a vector": (f"{QKV}, c: n m bool, w: m", f"{SCORES}; {HIDE}; p = R.nn.softmax(s, axis=-1); z = R.matmul(p, w)"),
    "attention, hidden, in heads": ("q: 2 k n 4, h: 2 k 4 m, v: 2 k m 6, c: n m bool", f"b = R.matmul(q, h); t = R.multiply(b, {const(0.25)}); s = R.where(c, t, {const(-1e30)}); p = R.nn.softmax(s, axis=-1); z = R.matmul(p, v)"),
    "attention, biased, in heads": ("q: 2 k n 4, h: 2 k 4 m, v: 2 k m 6, y: 2 1 n m", f"b = R.matmul(q, h); t = R.multiply(b, {const(0.25)}); s = R.add(t, y); p = R.nn.softmax(s, axis=-1); z = R.matmul(p, v)"),
    "attention, biased, at float64": ("q: n 4 float64, h: 4 m float64, v: m 6 float64, y: n m float64", "b = R.matmul(q, h); s = R.add(b, y); p = R.nn.softmax(s, axis=-1); z = R.matmul(p, v)"),
    "attention, biased, at float16": ("q: n 4 float16, h: 4 m float16, v: m 6 float16, y: n m float16", "b = R.matmul(q, h); s = R.add(b, y); p = R.nn.softmax(s, axis=-1); z = R.matmul(p, v)"),
    # --- sums, spreads, losses
    "spread told": (X, "a = R.mean(x, axis=[1], keepdims=True); b = R.subtract(x, a); c = R.variance(x, axis=[1], keepdims=True); z = R.divide(b, c)"),
    "spread told, first": (X, "c = R.std(x, axis=[1], keepdims=True); a = R.mean(x, axis=[1], keepdims=True); b = R.subtract(x, a); z = R.add(b, c)"),
    "spread of other axes": (X, "a = R.mean(x, axis=[1], keepdims=True); b = R.subtract(x, a); c = R.variance(x, axis=[0], keepdims=True); z = R.add(b, c)"),
    "spread of another": (XY, "a = R.mean(x, axis=[1], keepdims=True); b = R.subtract(x, a); c = R.variance(y, axis=[1], keepdims=True); z = R.add(b, c)"),
    "spread, the mean not kept": ("x: n n", "a = R.mean(x, axis=[1]); b = R.subtract(x, a); c = R.variance(x, axis=[1]); z = R.add(b, c)"),
    "spread, the other way": (X, "a = R.mean(x, axis=[1], keepdims=True); b = R.subtract(a, x); c = R.variance(x, axis=[1], keepdims=True); z = R.add(b, c)"),
    "spread, the distance from another": (XY, "a = R.mean(y, axis=[1], keepdims=True); b = R.subtract(x, a); c = R.variance(x, axis=[1], keepdims=True); z = R.add(b, c)"),
    "spread of all": (X, "a = R.mean(x, keepdims=True); b = R.subtract(x, a); c = R.variance(x, keepdims=True); z = R.add(b, c)"),
    "two spreads": (X, "a = R.mean(x, axis=[1], keepdims=True); b = R.subtract(x, a); c = R.variance(x, axis=[1], keepdims=True); d = R.std(x, axis=[1], keepdims=True); e = R.add(b, c); z = R.add(e, d)"),
    "a product summed, kept": (XY, "a = R.multiply(x, y); z = R.sum(a, axis=[-1], keepdims=True)"), "a product summed, no axes": (XY, "a = R.multiply(x, y); z = R.sum(a, axis=[])"),
    "a product of columns summed": ("x: n m, v: n 1", "a = R.multiply(x, v); z = R.sum(a, axis=[1])"), "a product with a number summed": (X, f"a = R.multiply(x, {const(2)}); z = R.sum(a, axis=[1])"),
    "a product at int32 averaged": ("x: n m int32, y: n m int32", "a = R.multiply(x, y); z = R.sum(a, axis=[0])"), "a product at float64 summed": ("x: n m float64, y: n m float64", "a = R.multiply(x, y); z = R.mean(a, axis=[0])"),
    "a product summed twice": (XY, "a = R.multiply(x, y); b = R.sum(a, axis=[1]); c = R.sum(a, axis=[1]); z = R.add(b, c)"),
    "a square summed of rank 3": ("x: n m k", "a = R.square(x); z = R.sum(a, axis=[0, 1])"), "a square summed over the middle": ("x: n m k", "a = R.square(x); z = R.mean(a, axis=[1], keepdims=True)"),
    "a square summed over both ends": ("x: n m k", "a = R.square(x); z = R.sum(a, axis=[0, 2])"),
    "a loss of logarithms": ("x: n 4, i: n int64", "a = R.nn.log_softmax(x, axis=-1); z = R.nn.nll_loss(a, i)"), "a loss of logarithms, axis 1": ("x: n 4, i: n int64, w: 4", 'a = R.nn.log_softmax(x, axis=1); z = R.nn.nll_loss(a, i, w, reduction="sum")'),
    "a loss of logarithms along rows": ("x: n 4, i: n int64", "a = R.nn.log_softmax(x, axis=0); z = R.nn.nll_loss(a, i)"), "a loss of logarithms, used": ("x: n 4, i: n int64", "a = R.nn.log_softmax(x, axis=-1); b = R.nn.nll_loss(a, i); z = (a, b)"),
    "a loss of each of logarithms": ("x: n 4, i: n int64", 'a = R.nn.log_softmax(x, axis=-1); z = R.nn.nll_loss(a, i, reduction="none")'), "a loss of logarithms of planes": ("x: n 4 m, i: n m int64", "a = R.nn.log_softmax(x, axis=1); z = R.nn.nll_loss(a, i)"),
    "a loss of logarithms, ignored": ("x: n 4, i: n int64", "a = R.nn.log_softmax(x, axis=-1); z = R.nn.nll_loss(a, i, ignore_index=1)"), "a loss of soft maxima": ("x: n 4, i: n int64", "a = R.nn.softmax(x, axis=-1); z = R.nn.nll_loss(a, i)"),
    "a loss of logarithms at float16": ("x: n 4 float16, i: n int64", "a = R.nn.log_softmax(x, axis=-1); z = R.nn.nll_loss(a, i)"),
    # --- calls of NumPy itself
    **{f"a product of {p.replace(': ', ' ')}": (f"x: {p}", f"z = R.matmul(x, {y})") for p, y in (("n 4, y: 4 m", "y"), ("2 n 4, y: 4 m", "y"), ("2 n 4, y: 2 4 m", "y"), ("n 4, y: 2 4 m", "y"), ("4, y: 4 m", "y"), ("n 4, y: 4", "y"), ("2 3 n 4, y: 4 m", "y"), ("64 64, y: 64 3", "y"), ("63 64, y: 64 3", "y"), ("n 4 float64, y: 4 m float64", "y"))},
    "a product with another dtype": ("x: n 4, y: 4 m", 'z = R.matmul(x, y, out_dtype="float64")'),
    **{f"a maximum along {a}, {e}{k}": (f"x: {e}", f"z = R.max(x, axis={a}{k})") for a, e, k in (([1], "3 64", ""), ([1], "3 63", ""), ([0], "64 3", ""), ([1, 2], "3 2 64", ""), ([-1], "3 64", ""), ([1], "3 64", ", keepdims=True"), ([0, 1], "3 64", ""), ([2], "3 2 64 float16", ""), ([1], "n m", ""), ([1, 2], "3 0 64", ""))},
    **{f"one hot, {k}": ("i: n 3 int64", f"z = R.one_hot(i, {on}, {off}, depth={d}, axis={a})") for k, (on, off, d, a) in enumerate((("T.float32(1)", "T.float32(0)", 4, -1), ("T.float32(1)", "T.float32(0)", 4, 2), ("T.float32(2)", "T.float32(0)", 4, 1), ("T.float32(1)", "T.float32(-0.0)", 4, -1), ("T.float64(1)", "T.float64(0)", 4, -1), ("T.int32(1)", "T.int32(0)", 4, -1), ("T.float16(1)", "T.float16(0)", 4, -1)))},
    "a slice of no axis": ("x: 5 6", "z = R.strided_slice(x, axes=[], begin=[], end=[])"),
    "a slice with a step of 3": ("x: 5 6", "z = R.strided_slice(x, axes=[1, 0], begin=[-1, 0], end=[-7, 5], strides=[-3, 3])"),
    "a reshape to numbers": (X, "a = R.reshape(x, R.shape([m, n])); z = R.reshape(a, R.shape([n * m]))"), "a reshape to what is left": (X, "z = R.reshape(x, R.shape([-1]))"), "a reshape that keeps": (X, "z = R.reshape(x, R.shape([0, -1]))"),
    "reshapes joined": (XY, "a = R.reshape(x, R.shape([m, n])); b = R.reshape(y, R.shape([m, n])); z = R.concat((a, b), axis=0)"), "reshapes joined, one used": (XY, "a = R.reshape(x, R.shape([m, n])); b = R.reshape(y, R.shape([m, n])); c = R.concat((a, b), axis=1); z = (c, a)"),
    "reshapes joined to what is left": (XY, "a = R.reshape(x, R.shape([-1, n])); b = R.reshape(y, R.shape([m, n])); z = R.concat((a, b), axis=1)"), "a step joined": (XY, "a = R.exp(x); b = R.reshape(y, R.shape([n, m])); z = R.concat((a, b), axis=0)"),
    "a soft maximum along 1": ("x: n m k", "z = R.nn.softmax(x, axis=2)"), "a soft maximum of float64": ("x: n m float64", "z = R.nn.softmax(x, axis=1)"), "a soft maximum of float16": ("x: n m float16", "z = R.nn.softmax(x, axis=1)"),
    "an add of a constant array": ("x: n 2", 'a = R.add(x, R.const([1.0, 2.0], "float32")); z = R.matmul(a, R.const([[1.0, 2.0], [0.5, 0.0]], "float32"))'), "an add of two dtypes": ("x: n m float64, y: n m float64", "a = R.sum(x, axis=[1], keepdims=True); b = R.subtract(y, a); z = R.sum(b, axis=[0])"),
    "two constants": ("x: n", f"z = R.add({const(1.5)}, {const(0.25)})"), "two constants and a step": (X, f"a = R.multiply({const(1.5)}, {const(0.25)}); b = R.add(x, a); z = R.tanh(b)"),
    "a broadcast to nothing": ("x: 1 m", "z = R.broadcast_to(x, R.shape([0, m]))"), "a reshape by a shape": (XY, "s = R.shape_of(y); z = R.reshape(x, s)"),
    # --- memory
    "a slice that dies in steps": ("x: 4 n", "a = R.nn.softmax(x, axis=-1); b = R.strided_slice(a, axes=[0], begin=[0], end=[2]); c = R.exp(b); d = R.tanh(c); z = R.multiply(d, d)"),
    "a part that dies in steps": ("x: 4 n", "p = R.split(x, 2, axis=0); b = p[0]; c = R.exp(b); d = R.tanh(c); z = R.multiply(d, d)"),
    "rows that die in steps": ("x: n m, i: n int64", "a = R.take(x, i, axis=0); c = R.exp(a); d = R.tanh(c); z = R.multiply(d, a)"),
    "a tuple, then in place": (X, "a = R.exp(x); t = (a, x); u = t[0]; b = R.nn.softmax(u, axis=-1); z = R.nn.softmax(b, axis=-1)"),
    "an alias, then in place": (X, "a = R.nn.softmax(x, axis=-1); u = a; b = R.nn.softmax(u, axis=-1); z = R.nn.log_softmax(b, axis=-1)"),
    "an alias, read later": (X, "a = R.nn.softmax(x, axis=-1); u = a; b = R.nn.softmax(u, axis=-1); z = R.add(a, b)"),
    "one operand twice": (X, "a = R.nn.softmax(x, axis=-1); b = R.sum(a, axis=[0]); c = R.nn.rms_norm(a, b, axes=[-1]); z = R.nn.softmax(c, axis=-1)"),
    "a norm of itself": ("x: m", "a = R.nn.softmax(x, axis=-1); c = R.nn.rms_norm(a, a, axes=[-1]); z = R.nn.softmax(c, axis=-1)"),
    "a choice in place": ("c: n m bool, x: n m", "a = R.nn.softmax(x, axis=-1); b = R.nn.softmax(a, axis=0); d = R.where(c, a, b); e = R.where(c, b, d); z = R.nn.softmax(e, axis=-1)"),
    "a transpose in place": ("x: n n", "a = R.nn.softmax(x, axis=-1); b = R.permute_dims(a); c = R.nn.softmax(b, axis=-1); z = R.nn.softmax(c, axis=-1)"),
    "a slice in place": ("x: 4 n", "a = R.nn.softmax(x, axis=-1); b = R.strided_slice(a, axes=[0], begin=[0], end=[2]); c = R.nn.softmax(b, axis=-1); z = R.nn.softmax(c, axis=-1)"),
    "a cast in place": (X, 'a = R.nn.softmax(x, axis=-1); b = R.astype(a, "float32"); z = R.nn.softmax(b, axis=-1)'),
    "a broadcast in place": ("x: n m, y: 1 m", "a = R.nn.softmax(x, axis=-1); b = R.nn.softmax(y, axis=-1); c = R.divide(a, b); d = R.divide(b, c); z = R.nn.softmax(d, axis=-1)"),
}  # fmt: skip
