"""Calls of the machine for each check, value and call: small functions and what is built of them.

``heap 2`` is a table of two slots; a check names the place that its message tells: ``<param[0] x>``, ``<return>``, ``<z>``.
What cannot be built stays, and the evidence says why.
"""

# ruff: noqa: E501
from __future__ import annotations

import re

import pytest

import refrelax as rr
from refrelax.lower import lower

HEAD = """
n, m, p = T.int64(), T.int64(), T.int64()
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] + T.float32(1)

    @T.prim_func(private=True)
    def gives(a: T.int64) -> T.int64:
        return a

    @R.function(private=True)
    def inner(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        return x

"""
F = 'R.Tensor((n,), "float32")'
X = 'check_tensor_info(x, 1, R.dtype("float32"), <param[0] x>); match_shape(x, heap, 1, 1, 0, <param[0] x>)'
ALLOC = 'a = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))'
STORAGE = 's = R.memory.alloc_storage(R.shape([{}]), 0, R.str("global"), R.dtype("uint8"))'
TENSOR = 'a = R.memory.alloc_tensor(s, 0, R.shape([n]), R.dtype("float32"), 0)'


def built(params: str, lines: tuple[str, ...], result: str = "x", ret: str = "", pure: bool = False) -> str:
    head = f"    @R.function{'' if pure else '(pure=False)'}\n    def main({params}){' -> ' * bool(ret)}{ret}:\n        cls = Module\n"
    text = HEAD + head + "\n".join(f"        {each}" for each in lines) + f"\n        return {result}\n"
    (step,) = lower(rr.check(rr.parse(text)), passes=("build",)).steps
    if left := step.evidence.partition("main stays as it is: ")[2]:
        return left
    made = rr.print_module(step.module.module).partition("    def main(")[2]
    found = []
    for line in re.split(r"\n    @", made)[0].splitlines()[1:]:
        each = re.sub(r", ty_args=\(R\.(Any|Tuple),\)\)$", ")", line.strip())
        each = re.sub(
            r'R\.str\("ErrorContext\(fn=main, (?:loc=|match_cast=)([^,]*(?:, param=\w+)?), .*?\) "\)', r"<\1>", each
        ).replace(", param=", " ")
        each = re.sub(r'R\.call_packed\("(?:vm\.builtin\.)?([\w.]+)"(?:, )?', r"\1(", each)
        each = re.sub(r'R\.call_builtin_with_ctx\("vm\.builtin\.(\w+)", \((.*)\)\)$', r"\1(\2)", each)
        each = re.sub(r"R\.prim_value\((-?\d+)\)", r"\1", each.replace("shape_heap", "heap"))
        each = re.sub(r"heap = alloc_heap\((\d+),\).*", r"heap \1", each)
        found.append(re.sub(r"^_\w* = ", "", each))
    return "; ".join(
        each for each in found if each and each != "cls = Module" and not each.startswith("return ")
    ).replace(X, "checked x")


ROWS: dict[str, tuple[str, tuple[str, ...], dict[str, object], str]] = {
    'a tensor': ('x: R.Tensor((n, 4), "float32")', (), {}, 'heap 1; check_tensor_info(x, 2, R.dtype("float32"), <param[0] x>); match_shape(x, heap, 2, 1, 0, 0, 4, <param[0] x>)'),
    'a tensor of a rank': ('x: R.Tensor("float32", ndim=2)', (), {}, 'heap 0; check_tensor_info(x, 2, R.dtype("float32"), <param[0] x>)'),
    'a tensor of no rank': ('x: R.Tensor', (), {}, 'heap 0; check_tensor_info(x, -1, <param[0] x>)'),
    'a tensor of any dtype': ('x: R.Tensor((n,))', (), {}, 'heap 1; check_tensor_info(x, 1, <param[0] x>); match_shape(x, heap, 1, 1, 0, <param[0] x>)'),
    'numbers alone': ('x: R.Tensor((2, 0, 1), "float32")', (), {}, 'heap 0; check_tensor_info(x, 3, R.dtype("float32"), <param[0] x>); match_shape(x, heap, 3, 0, 2, 0, 0, 0, 1, <param[0] x>)'),
    'one element': ('x: R.Tensor((), "float32")', (), {}, 'heap 0; check_tensor_info(x, 0, R.dtype("float32"), <param[0] x>); match_shape(x, heap, 0, <param[0] x>)'),
    'two tensors': ('x: R.Tensor((n,), "float32"), y: R.Tensor((n, m), "float32")', (), {}, 'heap 2; check_tensor_info(x, 1, R.dtype("float32"), <param[0] x>); check_tensor_info(y, 2, R.dtype("float32"), <param[1] y>); match_shape(x, heap, 1, 1, 0, <param[0] x>); match_shape(y, heap, 2, 3, 0, 1, 1, <param[1] y>)'),
    'an extent that is computed': ('x: R.Tensor((n, n * 2), "float32")', (), {}, 'heap 2; check_tensor_info(x, 2, R.dtype("float32"), <param[0] x>); match_shape(x, heap, 2, 1, 0, 2, 0, <param[0] x>); cls.shape_func(heap); match_shape(x, heap, 2, 3, 0, 3, 1, <param[0] x>)'),
    'an extent that is computed from what comes later': ('x: R.Tensor((n * 2,), "float32"), y: R.Tensor((n,), "float32")', (), {}, 'heap 2; check_tensor_info(x, 1, R.dtype("float32"), <param[0] x>); check_tensor_info(y, 1, R.dtype("float32"), <param[1] y>); match_shape(y, heap, 1, 1, 0, <param[1] y>); cls.shape_func(heap); match_shape(x, heap, 1, 3, 1, <param[0] x>)'),
    'two that are computed': ('x: R.Tensor((n, n * 2), "float32"), y: R.Tensor((n * 2, n + 1), "float32")', (), {}, 'heap 3; check_tensor_info(x, 2, R.dtype("float32"), <param[0] x>); check_tensor_info(y, 2, R.dtype("float32"), <param[1] y>); match_shape(x, heap, 2, 1, 0, 2, 0, <param[0] x>); cls.shape_func(heap); match_shape(x, heap, 2, 3, 0, 3, 1, <param[0] x>); cls.shape_func_1(heap); match_shape(y, heap, 2, 3, 1, 3, 2, <param[1] y>)'),
    'a shape': ('x: R.Shape([n, 3])', (), {}, 'heap 1; check_shape_info(x, 2, <param[0] x>); match_shape(x, heap, 2, 1, 0, 0, 3, <param[0] x>)'),
    'a shape of a rank': ('x: R.Shape(ndim=2)', (), {}, 'heap 0; check_shape_info(x, 2, <param[0] x>)'),
    'a scalar': ('x: R.Prim("int64")', (), {}, 'heap 0; check_prim_value_info(x, R.dtype("int64"), <param[0] x>)'),
    'a truth': ('x: R.Prim("bool")', (), {}, 'heap 0; check_prim_value_info(x, R.dtype("bool"), <param[0] x>)'),
    'a scalar of another width': ('x: R.Prim("int32")', (), {}, 'a scalar of a width that no check tells'),
    'a float': ('x: R.Prim("float32")', (), {}, 'heap 0; check_prim_value_info(x, R.dtype("float32"), <param[0] x>)'),
    'a tuple': ('x: R.Tuple(R.Tensor((n,), "float32"), R.Any, R.Shape([m]))', (), {}, 'heap 2; check_tuple_info(x, 3, <param[0] x>); gv = tuple_getitem(x, 0); check_tensor_info(gv, 1, R.dtype("float32"), <param[0] x>); gv_1 = tuple_getitem(x, 2); check_shape_info(gv_1, 1, <param[0] x>); match_shape(gv, heap, 1, 1, 0, <param[0] x>); match_shape(gv_1, heap, 1, 1, 1, <param[0] x>)'),
    'a function': ('x: R.Callable([R.Tensor((n,), "float32")], R.Tensor((n,), "float32"))', (), {}, 'heap 0; check_func_info(x, <param[0] x>)'),
    'anything': ('x: R.Any', (), {}, 'heap 0'),
    'a check': ('x: R.Tensor((n,), "float32"), y: R.Any', ('z = R.match_cast(y, R.Tensor((m, n), "float32"))',), {'result': 'z'}, 'heap 2; checked x; check_tensor_info(y, 2, R.dtype("float32"), <z>); match_shape(y, heap, 2, 1, 1, 3, 0, <z>); z = y'),
    'a check of what is computed': ('x: R.Tensor((n,), "float32"), y: R.Any', ('z = R.match_cast(y, R.Tensor((m, n * 2), "float32"))',), {'result': 'z'}, 'heap 3; checked x; check_tensor_info(y, 2, R.dtype("float32"), <z>); match_shape(y, heap, 2, 1, 1, 2, 0, <z>); cls.shape_func(heap); match_shape(y, heap, 2, 3, 1, 3, 2, <z>); z = y'),
    'a result that is checked': ('x: R.Tensor((n,), "float32"), y: R.Any', (), {'ret': "R.Tensor((n,), 'float32')"}, 'heap 1; checked x; check_tensor_info(x, 1, R.dtype("float32"), <return>); match_shape(x, heap, 1, 3, 0, <return>)'),
    'memory of its own': ('x: R.Tensor((n,), "float32")', ('a = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))', '_ = cls.f(x, a)'), {'result': 'a'}, 'heap 1; checked x; gv = make_shape(heap, 1, 1, 0); storage = alloc_storage(gv, 0, R.dtype("float32"), R.str("global")); a = alloc_tensor(storage, 0, gv, R.dtype("float32")); call_tir_dyn(cls.f, x, a, R.shape([]))'),
    'memory of a plan': ('x: R.Tensor((n,), "float32")', ('s = R.memory.alloc_storage(R.shape([n * 4]), 0, R.str("global"), R.dtype("uint8"))', 'a = R.memory.alloc_tensor(s, 0, R.shape([n]), R.dtype("float32"), 0)', '_ = cls.f(x, a)', '_1 = R.memory.kill_tensor(a)', '_2 = R.memory.kill_storage(s)'), {}, 'heap 2; checked x; cls.shape_func(heap); gv = make_shape(heap, 1, 1, 1); s = alloc_storage(gv, 0, R.dtype("uint8"), R.str("global")); gv_1 = make_shape(heap, 1, 1, 0); a = alloc_tensor(s, 0, gv_1, R.dtype("float32")); call_tir_dyn(cls.f, x, a, R.shape([])); R.vm.kill_object(a); R.vm.kill_object(s)'),
    'memory of a plan of numbers': ('x: R.Tensor((n,), "float32")', ('s = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))', 'a = R.memory.alloc_tensor(s, 0, R.shape([n]), R.dtype("float32"), 0)', '_ = cls.f(x, a)'), {}, 'heap 1; checked x; s = alloc_storage(R.shape([64]), 0, R.dtype("uint8"), R.str("global")); gv = make_shape(heap, 1, 1, 0); a = alloc_tensor(s, 0, gv, R.dtype("float32")); call_tir_dyn(cls.f, x, a, R.shape([]))'),
    'memory at an offset': ('x: R.Tensor((n,), "float32")', ('s = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))', 'a = R.memory.alloc_tensor(s, 16, R.shape([n]), R.dtype("float32"), 0)', '_ = cls.f(x, a)'), {}, 'heap 1; checked x; s = alloc_storage(R.shape([64]), 0, R.dtype("uint8"), R.str("global")); gv = make_shape(heap, 1, 1, 0); a = alloc_tensor(s, 16, gv, R.dtype("float32")); call_tir_dyn(cls.f, x, a, R.shape([]))'),
    'a view': ('x: R.Tensor((n,), "float32")', ('a = R.memory.view(x, R.shape([n, 1]), R.dtype("float32"), 0)',), {'result': 'a'}, 'heap 1; checked x; gv = make_shape(heap, 2, 1, 0, 0, 1); a = runtime.TVMTensorCreateView(x, gv, R.dtype("float32"), 0)'),
    'a view at an offset': ('x: R.Tensor((n,), "float32")', ('a = R.memory.view(x, R.shape([1]), R.dtype("float32"), 8)',), {'result': 'a'}, 'heap 1; checked x; a = runtime.TVMTensorCreateView(x, R.shape([1]), R.dtype("float32"), 8)'),
    'a reshape': ('x: R.Tensor((n,), "float32")', ('a = R.reshape(x, R.shape([n, 1]))',), {'result': 'a'}, 'relax.reshape has no call of the machine'),
    'a call of a function': ('x: R.Tensor((n,), "float32")', ('a = cls.inner(x)',), {'result': 'a'}, 'heap 1; checked x; a = cls.inner(x)'),
    'a call of a library': ('x: R.Tensor((n,), "float32")', ('a = R.call_packed("lib", x, ty_args=(R.Tensor((n,), "float32"),))',), {'result': 'a'}, 'heap 1; checked x; a = lib(x)'),
    'a call of a library on a constant': ('x: R.Tensor((n,), "float32")', ('a = R.call_packed("lib", R.const([1.0], "float32"), R.shape([n, 3]), R.prim_value(n), ty_args=(R.Tensor((n,), "float32"),))',), {'result': 'a'}, 'heap 1; checked x; gv = make_shape(heap, 2, 1, 0, 0, 3); gv_1 = make_prim_value(heap, 1, 0, ty_args=(R.Prim("int64"),)); a = lib(R.const([1.0], "float32"), gv, gv_1)'),
    'a call of a value': ('x: R.Tensor((n,), "float32"), g: R.Callable([R.Tensor((n,), "float32")], R.Tensor((n,), "float32"))', ('a = g(x)',), {'result': 'a'}, 'heap 1; check_tensor_info(x, 1, R.dtype("float32"), <param[0] x>); check_func_info(g, <param[1] g>); match_shape(x, heap, 1, 1, 0, <param[0] x>); a = invoke_closure(g, x)'),
    'a tuple and its field': ('x: R.Tensor((n,), "float32")', ('a = (x, x)', 'b = a[1]'), {'result': 'b'}, 'heap 1; checked x; a = make_tuple(x, x); b = tuple_getitem(a, 1)'),
    'an operator': ('x: R.Tensor((n,), "float32")', ('a = R.exp(x)',), {'result': 'a'}, 'relax.exp has no call of the machine'),
    'a branch': ('x: R.Tensor((n,), "float32"), c: R.Tensor((), "bool")', ('if c:', '    a = x', 'else:', '    a = cls.inner(x)'), {'result': 'a'}, 'heap 1; check_tensor_info(x, 1, R.dtype("float32"), <param[0] x>); check_tensor_info(c, 0, R.dtype("bool"), <param[1] c>); match_shape(x, heap, 1, 1, 0, <param[0] x>); match_shape(c, heap, 0, <param[1] c>); cond = read_if_cond(c, ty_args=(R.Prim("bool"),)); if cond:; a = x; else:; a_1 = cls.inner(x); a = a_1'),
    'a shape that is made': ('x: R.Tensor((n,), "float32")', ('a = R.shape([n, n * 2, 5])',), {'result': 'a'}, 'heap 2; checked x; cls.shape_func(heap); a_1 = make_shape(heap, 3, 1, 0, 1, 1, 0, 5); a = a_1'),
    'a shape of numbers': ('x: R.Tensor((n,), "float32")', ('a = R.shape([2, 5])',), {'result': 'a'}, 'heap 1; checked x; a = R.shape([2, 5])'),
    'what was pure': ('x: R.Tensor((n,), "float32")', (), {'pure': True}, 'R.func_attr({"relax.force_pure": True}); heap 1; checked x'),
    'a constant': ('x: R.Tensor((n,), "float32")', ('a = R.const([1.0], "float32")',), {'result': 'a'}, 'heap 1; checked x; a = R.const([1.0], "float32")'),
    'a number': ('x: R.Tensor((n,), "float32")', ('a = R.prim_value(7)',), {'result': 'a'}, 'heap 1; checked x; a = 7'),
    'a number that is computed': ('x: R.Tensor((n,), "float32")', ('a = R.prim_value(n * 2)',), {'result': 'a'}, 'heap 2; checked x; cls.shape_func(heap); a_1 = make_prim_value(heap, 1, 1, ty_args=(R.Prim("int64"),)); a = a_1'),
    'a local function': ('x: R.Tensor((n,), "float32")', ('@R.function(pure=False)', 'def g(y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):', '    return y', 'a = g(x)'), {'result': 'a'}, 'a local function'),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ROWS)
def test_what_is_built(name: str) -> None:
    params, lines, more, wanted = ROWS[name]
    assert built(params, lines, **more) == wanted  # type: ignore[arg-type]
