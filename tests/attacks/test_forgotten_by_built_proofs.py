# ruff: noqa: E501  (programs as the machine has them)
"""What a proof of built modules, recorded runs and calls of the machine's library may not forget."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.judge.validate import validate

PAIRS: dict[str, tuple[str, str]] = {
    "bounds": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 1024}})
        a = R.full(R.shape([n]), R.const(0.5, "float32"), dtype="float32")
        b = R.add(x, a)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def half(b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = T.float32(0.5)

    @T.prim_func(private=True)
    def add(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32"), c: T.Buffer((n,), "float32")):
        for i in range(n):
            c[i] = a[i] + b[i]

    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([4096]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)

    @R.function(private=True)
    def launches(m: R.Any, s: R.Shape([n])) -> R.Tuple(R.Tensor((n,), "float32")):
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 100}})
        cls = Module
        a: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([n]), R.dtype("float32"), 0)
        cls.half(a)
        return (a,)

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 1024}})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, (m, R.shape([n])), 0, R.shape([n])), ty_args=(R.Tuple(R.Tensor((n,), "float32")),))
        a = graph[0]
        y: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, a, y)
        return y
""",
    ),  # what a recorded function promises of its symbols
    "tyargs": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        b = R.add(x, x)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] + a[i]
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a = R.call_packed("vm.builtin.reshape", x, R.shape([n]), ty_args=(R.Tensor((T.min(n, 100),), "float32"),))
        b = R.call_packed("vm.builtin.reshape", a, R.shape([n]), ty_args=(R.Tensor((n,), "float32"),))
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.twice(b, z)
        return z
""",
    ),  # what a call says of its result
    "tyargs_ctx": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        b = R.add(x, x)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] + a[i]
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a = R.call_builtin_with_ctx("vm.builtin.reshape", (x, R.shape([n])), ty_args=(R.Tensor((T.min(n, 100),), "float32"),))
        b = R.call_builtin_with_ctx("vm.builtin.reshape", (a, R.shape([n])), ty_args=(R.Tensor((n,), "float32"),))
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.twice(b, z)
        return z
""",
    ),  # the same of a call with the context
    "promise": (
        """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.full(R.shape([4]), R.const(0.5, "float32"), dtype="float32")
        b = R.add(x, a)
        return b
""",
        """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def half(b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = T.float32(0.5)

    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        for i in range(4):
            c[i] = a[i] + b[i]

    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([16]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)

    @R.function(private=True)
    def launches(m: R.Any) -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([4]), R.dtype("float32"), 0)
        cls.half(a)
        return (a,)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, (m,), 0), ty_args=(R.Tuple(R.Tensor((5,), "float32")),))
        a = graph[0]
        b = R.call_packed("vm.builtin.reshape", a, R.shape([4]), ty_args=(R.Tensor((4,), "float32"),))
        y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, b, y)
        return y
""",
    ),  # what a recorded run is said to give
    "constres": (
        """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        b = R.const([0.5, 0.25], "float32")
        return b
""",
        """
@I.ir_module
class Module:
    @R.function(private=True)
    def launches() -> R.Tuple(R.Tensor((2,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a = R.const([0.5, 0.25], "float32")
        return (a,)

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, R.tuple(), 0), ty_args=(R.Tuple(R.Tensor((2,), "float32")),))
        a = graph[0]
        return a
""",
    ),  # a result that a replay makes again
    "slotname": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        b = R.add(x, x)
        return b
""",
        """
slot0 = TypeVar("slot0")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((slot0,), "float32"), b: T.Buffer((slot0,), "float32")):
        for i in range(slot0):
            b[i] = a[i] + a[i]
    @R.function
    def main(x: R.Tensor((slot0,), "float32"), y: R.Any) -> R.Any:
        R.func_attr({"relax.force_pure": True})
        cls = Module
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (1,), ty_args=(R.Tensor((1,), "int64"),))
        R.call_packed("vm.builtin.check_tensor_info", y, 1, R.dtype("float32"), R.str("loc=param[0]"), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", y, heap, 1, 1, 0, R.str("loc=param[0]"), ty_args=(R.Tuple,))
        z: R.Tensor((slot0,), "float32") = R.builtin.alloc_tensor(R.shape([slot0]), R.dtype("float32"), 0, R.str("global"))
        cls.twice(x, z)
        return z
""",
    ),  # a slot with the name of a symbol
    "scalar": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        b = R.add(x, x)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32"), k: T.int32):
        for i in range(n):
            b[i] = a[i] + a[i]
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        R.call_packed("vm.builtin.call_tir_dyn", cls.twice, x, z, R.shape([n]), ty_args=(R.Tuple,))
        return z
""",
    ),  # a scalar of another dtype, from a shape
    "negdims": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 1024}})
        b = R.add(x, x)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] + a[i]
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 1024}})
        cls = Module
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (1,), ty_args=(R.Tensor((1,), "int64"),))
        s = R.call_packed("vm.builtin.make_shape", heap, 2, 0, -4096, 0, -4, ty_args=(R.Any,))
        m = R.call_builtin_with_ctx("vm.builtin.alloc_storage", (s, 0, R.dtype("float32"), R.str("global")), ty_args=(R.Any,))
        y = R.call_packed("vm.builtin.alloc_tensor", m, 0, R.shape([n]), R.dtype("float32"), ty_args=(R.Tensor((n,), "float32"),))
        cls.twice(x, y)
        return y
""",
    ),  # a storage with two negative extents
    "overlap": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 1024}})
        a = R.exp(x)
        b = R.add(a, a)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def exp(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = T.exp(a[i])
    @T.prim_func(private=True)
    def copy(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i]
    @R.function(private=True)
    def contract(a: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"Contract": "lib.twice"})
        b = R.add(a, a)
        return b
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 1024}})
        cls = Module
        m = R.memory.alloc_storage(R.shape([n * 8]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([n]), R.dtype("float32"), 0)
        cls.exp(x, a)
        b: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, T.min(n, 100) * 4, R.shape([n]), R.dtype("float32"), 0)
        R.call_packed("lib.twice", a, b, ty_args=(R.Tuple,))
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.copy(b, z)
        return z
""",
    ),  # memory of a library function that meets beyond n = 100
    "twoty": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        b = R.add(x, x)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def contract(a: R.Tensor((n,), "float32")) -> R.Tuple(R.Tensor((n,), "float32"), R.Tensor((n,), "float32")):
        R.func_attr({"Contract": "lib.two"})
        b = R.add(a, a)
        c = R.multiply(a, a)
        return (b, c)
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        p = R.call_packed("lib.two", x, ty_args=(R.Tensor((n,), "float32"), R.Tensor((T.min(n, 100),), "float32")))
        b = p[0]
        return b
""",
    ),  # several types of a result
    "storety": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        b = R.add(x, x)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def contract(a: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"Contract": "lib.two"})
        b = R.add(a, a)
        return b
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        p = R.call_packed("lib.two", x, z, ty_args=(R.Tensor((n,), "float32"),))
        return z
""",
    ),  # a call that gives nothing and says otherwise
    "builtin_contract": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        b = R.add(x, x)
        return b
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] + a[i]
    @R.function(private=True)
    def contract(a: R.Tensor((n,), "float32"), s: R.Shape([n])) -> R.Tensor((n,), "float32"):
        R.func_attr({"Contract": "vm.builtin.reshape"})
        b = R.exp(a)
        return b
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        b = R.call_builtin_with_ctx("vm.builtin.reshape", (x, R.shape([n])), ty_args=(R.Tensor((n,), "float32"),))
        cls.twice(b, z)
        return z
""",
    ),  # a contract for a function of the machine's library
    "entries": (
        """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.full(R.shape([4]), R.const(0.5, "float32"), dtype="float32")
        b = R.add(x, a)
        return b
    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x
""",
        """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def half(b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = T.float32(0.5)

    @T.prim_func(private=True)
    def add(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        for i in range(4):
            c[i] = a[i] + b[i]

    @R.function(private=True)
    def rooms() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([16]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)

    @R.function(private=True)
    def launches(m: R.Any) -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([4]), R.dtype("float32"), 0)
        cls.half(a)
        return (a,)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms, 0), ty_args=(R.Tuple(R.Any),))
        m = kept[0]
        graph = R.call_builtin_with_ctx("vm.builtin.cuda_graph.run_or_capture", (cls.launches, (m,), 0), ty_args=(R.Tuple(R.Tensor((4,), "float32")),))
        a = graph[0]
        b = R.call_packed("vm.builtin.reshape", a, R.shape([4]), ty_args=(R.Tensor((4,), "float32"),))
        y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, b, y)
        return y

    @R.function(private=True)
    def rooms2() -> R.Tuple(R.Any):
        R.func_attr({"relax.force_pure": True})
        m = R.memory.alloc_storage(R.shape([4]), 0, R.str("global"), R.dtype("uint8"))
        return (m,)
    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        kept = R.call_builtin_with_ctx("vm.builtin.cuda_graph.get_cached_alloc", (cls.rooms2, 0), ty_args=(R.Tuple(R.Any),))
        return x
""",
    ),  # another function of the session has the number
    "outs2": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 1024}})
        a = R.add(x, y)
        return a
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32"), c: T.Buffer((n,), "float32")):
        for i in range(n):
            c[i] = a[i] + b[i]
    @R.function(private=True)
    def contract(a: R.Tensor((n,), "float32"), b: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"Contract": "lib.add"})
        c = R.add(a, b)
        return c
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 1024}})
        cls = Module
        m = R.memory.alloc_storage(R.shape([n * 8]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([n]), R.dtype("float32"), 0)
        b: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, T.min(n, 100) * 4, R.shape([n]), R.dtype("float32"), 0)
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, y, a)
        u = R.call_dps_packed("lib.add", (a, b), out_ty=R.Tensor((n,), "float32"))
        return a
""",
    ),  # the same, in destination form
    "outs": (
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 1024}})
        a = R.add(x, y)
        return a
""",
        """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32"), c: T.Buffer((n,), "float32")):
        for i in range(n):
            c[i] = a[i] + b[i]
    @R.function(private=True)
    def contract(a: R.Tensor((n,), "float32"), b: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"Contract": "lib.add"})
        c = R.add(a, b)
        return c
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"relax.force_pure": True, "tir_var_upper_bound": {"n": 1024}})
        cls = Module
        m = R.memory.alloc_storage(R.shape([n * 8]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, 0, R.shape([n]), R.dtype("float32"), 0)
        b: R.Tensor((n,), "float32") = R.memory.alloc_tensor(m, T.min(n, 100) * 4, R.shape([n]), R.dtype("float32"), 0)
        z: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.add(x, y, a)
        u = R.call_pure_packed("lib.add", a, b, ty_args=(R.Tensor((n,), "float32"),))
        return a
""",
    ),  # arguments of a library function that share bytes
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_run_that_ends_otherwise_is_not_proved(name: str) -> None:
    first, second = (rr.check(rr.parse(text)) for text in PAIRS[name])
    assert not isinstance(attempt(first, second, "main"), Proved)


def test_what_is_registered_in_place_of_the_machines_own_is_not_proved() -> None:
    def fails(x: rr.Tensor, *_: object) -> rr.Tensor:
        if x.shape[0] > 100:
            raise ValueError("too many")
        return x

    first, second = PAIRS["tyargs"]
    programs = rr.parse(first), rr.parse(second.replace("T.min(n, 100)", "n"))
    assert str(validate(*programs)).startswith("PROVED (")
    assert not str(validate(*programs, externs={"vm.builtin.reshape": fails})).startswith("PROVED (")
