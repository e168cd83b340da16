"""The virtual machine's library on arrays: memory, the table, checks, tuples, launches, and recorded runs.

A recorded run is a list of launches, each a function and its arrays; a replay goes through the list. A function that
computes by other means is run again.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_ import operators_index, runtime
from refrelax.errors import trap, unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.builtins.heap import EQUALS_IMMEDIATE, EQUALS_SLOT, IMMEDIATE, STORE
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.values import Shape
from refrelax.syntax.dtypes import memory_bits
from refrelax.syntax.graph import Call, ExternFunc, Function, GlobalVar, If, Op
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module

Launch = tuple[Callable[..., Any], tuple[Any, ...]]
Run = Any
"""A ``Running`` of ``compile``: its ``machine`` is kept from run to run."""


@dataclass(slots=True)
class Recorded:
    """A recorded run of ``function``. ``held``: its arguments, so that no other array gets their addresses;
    ``launches``: ``None`` if the function computes by other means than launches, so that its replay runs it."""

    function: Callable[..., Any]
    addresses: list[Any]
    held: tuple[Any, ...]
    launches: list[Launch] | None
    result: Any


@dataclass(slots=True)
class Machine:
    """What an executable keeps from run to run, and the list that is being recorded. ``lists``: of functions, whether
    their launches are all that they compute."""

    allocated: dict[int, Any] = field(default_factory=dict)
    recorded: dict[tuple[int, tuple[int, ...]], Recorded] = field(default_factory=dict)
    recording: list[Launch] | None = None
    lists: dict[str, bool] = field(default_factory=dict)


# --- launches --------------------------------------------------------------------------------------------------------


def launch(run: Run, function: Callable[..., Any], *args: Any) -> tuple[()]:
    """Call a loop program for what it stores, and write it down while a run is recorded."""
    if run.machine.recording is not None:
        run.machine.recording.append((function, args))
    function(run, *args)
    return ()


def call_tir_dyn(run: Run, function: Callable[..., Any], *args: Any) -> tuple[()]:
    """``(f, args…, shape)``."""
    *given, last = args
    return launch(run, function, *given, *(last.dims if isinstance(last, Shape) else (last,)))


def get_cached_alloc(run: Run, function: Callable[..., Any], number: int) -> Any:
    """``(f, number)``."""
    kept = run.machine.allocated
    if number not in kept:
        kept[number] = function(run)
    return kept[number]


def run_or_capture(run: Run, function: Callable[..., Any], args: tuple[Any, ...], number: int, *shape: Any) -> Any:
    """``(f, args, number, shape?)``: record the launches of ``f``, or replay those recorded."""
    machine = run.machine
    key = number, shape[0].dims if shape else ()
    addresses = [_address(each) for each in args]
    found = machine.recorded.get(key)
    if found is not None:
        if found.addresses != addresses:
            raise unspecified("vm/replay-moved", "an argument of a replay is not where it was")
        if found.launches is not None:
            for program, given in found.launches:
                program(run, *given)
            return found.result
        function = found.function  # (what was recorded, whatever function this call names)
    outer, machine.recording = machine.recording, []
    try:
        result, launches = function(run, *args), machine.recording
    finally:  # a run that ends before its time records no more
        machine.recording = outer
    machine.recorded[key] = Recorded(function, addresses, args, launches if _is_list(run, function) else None, result)
    return result


def _is_list(run: Run, function: Callable[..., Any]) -> bool:
    """Whether the launches of a function are all that it computes. Else its replay runs it again."""
    known: dict[str, bool] = run.machine.lists
    name = getattr(function, "__name__", "").removeprefix("f_")
    if name not in known:
        made = run.checked.module.functions.get(name)
        known[name] = isinstance(made, Function) and all(_is_listed(n, run.checked.module) for n in nodes(made.body))
    return known[name]


def _is_listed(node: object, module: Module) -> bool:
    """Whether what stands at a node is a launch, or computes nothing."""
    match node:
        case Call(op=GlobalVar(name=name)):
            program = module.functions.get(name)
            host = isinstance(program, PrimFunc) and dict(program.attrs).get("tirx.is_host_func")
            return isinstance(program, PrimFunc) and program.ret is None and not host
        case Call(op=Op(name=name)):
            return name in MEMORY or name in KILLS or name in LISTED
        case ExternFunc(name=name):
            return name in MACHINE and name not in UNLISTED
        case Call(op=ExternFunc()):
            return True  # (as its name says)
        case Call() | If() | Function():
            return False
        case _:
            return True


def _address(value: Any) -> Any:
    memory = getattr(value, "memory", value)  # of an array on a device: its bytes
    if hasattr(memory, "__array_interface__") or hasattr(memory, "__cuda_array_interface__"):
        kind = "__array_interface__" if hasattr(memory, "__array_interface__") else "__cuda_array_interface__"
        return getattr(memory, kind)["data"][0], tuple(value.shape), value.dtype.name
    return value.dims if isinstance(value, Shape) else value


def on_host(run: Run, what: str) -> None:
    """No element is read by the host while a run is recorded."""
    if run.machine.recording is not None:
        raise unspecified("vm/capture-host", f"{what} while a run is recorded")


# --- memory ----------------------------------------------------------------------------------------------------------


def alloc_storage(run: Run, shape: Shape, _device: int, dtype: str, _scope: str = "global") -> Any:
    """``(shape, device, dtype, scope)``: bytes for so many elements."""
    found = runtime.empty((prod(shape.dims) * numpy_dtype(dtype).itemsize,), np.dtype(np.uint8))
    STORAGES[id(found)] = found
    return found


def alloc_tensor(run: Run, storage: Any, offset: int, shape: Shape, dtype: str, *_: Any) -> Any:
    """``(storage, offset, shape, dtype)``: an array over some of the bytes."""
    kind = numpy_dtype(dtype)
    size = prod(shape.dims) * kind.itemsize
    if offset < 0 or size < 0 or offset + size > storage.nbytes:
        raise unspecified("st/outside-storage", f"bytes {offset} to {offset + size} of {storage.nbytes}")
    return storage[offset : offset + size].view(kind).reshape(shape.dims)


STORAGES: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""The storages that live, by identity."""


def reshaped(x: Any, made: Any) -> Any:
    """``R.reshape``: of what lies in a storage the same memory (``ev/reshape-of-planned``), else ``made``."""
    base = x.base if isinstance(x, np.ndarray) and x.flags.c_contiguous else None
    return made if base is None or STORAGES.get(id(base)) is not base else x.reshape(made.shape)


def within(x: Any, shape: Any, dtype: Any, offset: int) -> tuple[Shape, str]:
    """Shape and dtype of a view, which lies in the bytes of ``x``."""
    if memory_bits(x.dtype.name) < 8:  # (NumPy gives each such element a byte, the definition does not)
        raise Unsupported(f"the operator relax.memory.view of {x.dtype.name}")
    shape = shape or Shape(tuple(x.shape))
    dtype = dtype or x.dtype.name
    first, last = 8 * offset, 8 * (offset + prod(shape.dims) * numpy_dtype(dtype).itemsize)
    if offset < 0 or last > 8 * x.size * x.dtype.itemsize:
        message = f"a view of bits {first} to {last} of {8 * x.size * x.dtype.itemsize}"
        raise trap("op.memory.view/bounds-run", message)
    return shape, dtype


def view(run: Run, x: Any, shape: Any = None, dtype: Any = None, offset: Any = 0) -> Any:
    """``(x, shape?, dtype?, offset?)``: the same bytes. What is left out may be the empty tuple."""
    offset = offset or 0
    cells = np.ascontiguousarray(x).reshape(-1).view(np.uint8)  # a copy where nothing is overwritten, else itself
    return alloc_tensor(run, cells, offset, *within(x, shape, dtype, offset))


def reshape(run: Run, x: Any, shape: Shape) -> Any:
    """``(x, shape)``: the same memory."""
    if prod(shape.dims) != x.size:
        raise unspecified("op.reshape/element-count-run", f"{x.shape} as {shape.dims}")
    return x.reshape(shape.dims)


# --- the table -------------------------------------------------------------------------------------------------------


def alloc_shape_heap(run: Run, size: int) -> Any:
    """``(size,)``."""
    return np.zeros((size,), np.int64)


def _place(rest: tuple[Any, ...]) -> tuple[runtime.Kind, str]:
    """What is checked, and what a call says of it: its last argument, if that is a text."""
    text = rest[-1] if rest and isinstance(rest[-1], str) and not isinstance(rest[-1], runtime.Dtype) else ""
    return "param" if "loc=param" in text else "return" if "loc=return" in text else "match-cast", text


def match_shape(run: Run, value: Any, heap: Any, size: int, *rest: Any) -> tuple[()]:
    """``(value, heap, n, code, slot, …, context)``."""
    kind, context = _place(rest)
    if isinstance(value, Shape):
        runtime.expect_shape(kind, context, value, size)
        dims = value.dims
    else:
        runtime.expect_tensor(kind, context, value, None, size)
        dims = value.shape
    for axis, extent in enumerate(dims):
        _match(heap, extent, rest[2 * axis], rest[2 * axis + 1], kind, context)
    return ()


def _match(heap: Any, found: int, code: int, slot: int, kind: runtime.Kind, context: str) -> None:
    if code == STORE:
        heap[slot] = runtime.wrapped(found, -(2**63), 64)
    elif code in (EQUALS_IMMEDIATE, EQUALS_SLOT):
        runtime.expect_extent(kind, context, found, slot if code == EQUALS_IMMEDIATE else int(heap[slot]))


def match_prim_value(run: Run, value: Any, heap: Any, code: int, slot: int, *rest: Any) -> tuple[()]:
    """``(k, heap, code, slot, context)``."""
    _match(heap, int(value), code, slot, *_place(rest))
    return ()


def make_shape(run: Run, heap: Any, size: int, *codes: int) -> Shape:
    """``(heap, n, code, slot, …)``."""
    pairs = zip(codes[: 2 * size : 2], codes[1 : 2 * size : 2], strict=True)
    return Shape(tuple(slot if code == IMMEDIATE else int(heap[slot]) for code, slot in pairs))


def make_prim_value(run: Run, heap: Any, code: int, slot: int) -> int:
    """``(heap, code, slot)``."""
    return slot if code == IMMEDIATE else int(heap[slot])


# --- checks ----------------------------------------------------------------------------------------------------------


def check_tensor_info(run: Run, x: Any, rank: int, *rest: str) -> tuple[()]:
    """``(x, ndim, dtype?, context?)``."""
    wanted = rest[0] if rest and isinstance(rest[0], runtime.Dtype) else None
    runtime.expect_tensor(*_place(rest), x, wanted, rank)
    return ()


def check_shape_info(run: Run, value: Any, rank: int, *rest: Any) -> tuple[()]:
    """``(s, ndim, context)``."""
    runtime.expect_shape(*_place(rest), value, rank)
    return ()


def check_tuple_info(run: Run, value: Any, size: int, *rest: Any) -> tuple[()]:
    """``(t, size, context)``."""
    runtime.expect_tuple(*_place(rest), value, size)
    return ()


def check_prim_value_info(run: Run, value: Any, dtype: str, *rest: Any) -> tuple[()]:
    """``(k, dtype, context)``: a scalar of that dtype, which comes as a ``Prim`` where its own is known."""
    runtime.expect_prim(*_place(rest), value, dtype)
    return ()


def check_func_info(run: Run, value: Any, *rest: Any) -> tuple[()]:
    """``(f, context)``."""
    runtime.expect_function(*_place(rest), value)
    return ()


# --- values ----------------------------------------------------------------------------------------------------------


def read_if_cond(run: Run, condition: Any) -> bool:
    """A condition as a bool."""
    if isinstance(condition, np.ndarray):
        on_host(run, "an element decides")
    return runtime.truth(condition)


def tensor_to_shape(run: Run, x: Any) -> Shape:
    """The elements of an integer vector as extents."""
    on_host(run, "elements are extents")
    return Shape(tuple(int(each) for each in x))


def shown(run: Run, *args: Any) -> tuple[()]:
    """``relax.run.print``."""
    on_host(run, "printing")
    run.shown(*args)
    return ()


def asserted(run: Run, condition: Any, *args: Any) -> tuple[()]:
    """``relax.run.assert_op``."""
    on_host(run, "an assertion")
    run.asserted(condition, *args)
    return ()


def nonzero(run: Run, x: Any) -> Any:
    """``relax.run.nonzero``."""
    on_host(run, "elements are counted")
    return operators_index.nonzero({}, (x,), False)


def unique(run: Run, *args: Any) -> Any:
    """``relax.run.unique``: ``(x, sorted, index, inverse, counts, axis?)``."""
    on_host(run, "elements are counted")
    return operators_index.unique({}, args, False)


MACHINE: dict[str, Callable[..., Any]] = {
    "vm.builtin.alloc_shape_heap": alloc_shape_heap,
    "vm.builtin.match_shape": match_shape,
    "vm.builtin.match_prim_value": match_prim_value,
    "vm.builtin.make_shape": make_shape,
    "vm.builtin.make_prim_value": make_prim_value,
    "vm.builtin.check_tensor_info": check_tensor_info,
    "vm.builtin.check_shape_info": check_shape_info,
    "vm.builtin.check_tuple_info": check_tuple_info,
    "vm.builtin.check_prim_value_info": check_prim_value_info,
    "vm.builtin.check_func_info": check_func_info,
    "vm.builtin.alloc_storage": alloc_storage,
    "vm.builtin.alloc_tensor": alloc_tensor,
    "vm.builtin.reshape": reshape,
    "runtime.TVMTensorCreateView": view,
    "vm.builtin.ensure_zero_offset": lambda run, x: x,
    "vm.builtin.copy": lambda run, x: x,
    "vm.builtin.shape_of": lambda run, x: Shape(tuple(x.shape)),
    "vm.builtin.tensor_to_shape": tensor_to_shape,
    "vm.builtin.tuple_getitem": lambda run, t, k: t[k],
    "vm.builtin.tuple_reset_item": lambda run, t, k: (),
    "vm.builtin.make_tuple": lambda run, *args: args,
    "vm.builtin.null_value": lambda run: None,
    "vm.builtin.read_if_cond": read_if_cond,
    "vm.builtin.invoke_closure": lambda run, f, *args: f(run, *args),
    "vm.builtin.call_tir_dyn": call_tir_dyn,
    "vm.builtin.cuda_graph.get_cached_alloc": get_cached_alloc,
    "vm.builtin.cuda_graph.run_or_capture": run_or_capture,
    "relax.run.print": shown,
    "relax.run.assert_op": asserted,
    "relax.run.shape_to_tensor": lambda run, shape: np.array(shape.dims, np.int64),
    "relax.run.nonzero": nonzero,
    "relax.run.unique": unique,
}
"""Functions of the library, each called with the run and the arguments."""

MEMORY: dict[str, tuple[str, tuple[int | str, ...]]] = {
    "relax.memory.alloc_storage": ("vm.builtin.alloc_storage", (0, 1, "'uint8'", 2)),
    "relax.memory.alloc_tensor": ("vm.builtin.alloc_tensor", (0, 1, 2, 3)),
    "relax.memory.view": ("runtime.TVMTensorCreateView", (0, 1, 2, 3)),
    "relax.vm.alloc_storage": ("vm.builtin.alloc_storage", (0, 1, 2, 3)),
    "relax.vm.alloc_tensor": ("vm.builtin.alloc_tensor", (0, 1, 2, 3)),
}
"""Operators on memory: the function that does the same, and which argument of the operator each of its is."""
LISTED = frozenset({
    "relax.builtin.alloc_tensor", "relax.call_builtin_with_ctx", "relax.null_value", "relax.vm.call_tir_dyn",
})  # fmt: skip
"""Other operators that compute nothing, or launch."""
UNLISTED = frozenset({
    "vm.builtin.cuda_graph.get_cached_alloc", "vm.builtin.cuda_graph.run_or_capture", "vm.builtin.invoke_closure",
    "relax.run.shape_to_tensor",
})  # fmt: skip
"""Functions of the machine's library that may compute what no launch of theirs says."""
