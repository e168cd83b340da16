"""The library functions that lowered modules call by name: ``LIBRARY`` maps the name to the meaning.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.arena import Arena, allocate
from refrelax.semantics.builtins import checks, graphs, heap
from refrelax.semantics.builtins.forms import unpacked
from refrelax.semantics.graph.machine import Machine, closure_over
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops import collective as ccl
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.ops.memory import view
from refrelax.semantics.values import DType, Opaque, Prim, Shape, TensorValue
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call

Builtin = Callable[[Machine, list[Any], Call], Any]


def _evaluation(run: Machine, call: Call) -> Evaluation:
    return Evaluation(run.numerics, run.effects, call.span, lambda _dim: 0, run.meter.make, run.world)


def _wanted(condition: bool, what: str, call: Call) -> None:
    if not condition:
        raise unspecified("vm/argument", f"{call.op.name} takes {what}", call.span)


def _is_shape(value: Any) -> bool:
    """A shape that a tensor can have."""
    return isinstance(value, Shape) and all(extent >= 0 for extent in value.dims)


# --- memory ----------------------------------------------------------------------------------------------------------


@rule("vm/alloc-storage")
def alloc_storage(run: Machine, args: list[Any], call: Call) -> Any:
    """``(shape, device, dtype, scope)``: room for that many elements."""
    scope = args[3] if len(args) > 3 else "global"
    fits = _is_shape(args[0]) and isinstance(args[2], DType) and isinstance(scope, str)
    _wanted(fits, "a shape, a device, a dtype and a scope", call)
    nbytes = prod(args[0].dims) * dtypes.itemsize(args[2].name)
    return Opaque(Arena(nbytes, scope))


@rule("vm/alloc-tensor")
def alloc_tensor(run: Machine, args: list[Any], call: Call) -> Any:
    """``(storage, offset, shape, dtype, …)``: a tensor over the storage, no element written."""
    arena = args[0].value if isinstance(args[0], Opaque) else None
    if not isinstance(arena, Arena) or not _is_shape(args[2]) or not isinstance(args[3], DType):
        raise unspecified("vm/argument", "alloc_tensor takes a storage, an offset, a shape and a dtype", call.span)
    run.meter.make(prod(args[2].dims))
    return allocate(arena, checks.number(args[1], call.span), args[2].dims, args[3].name, run.numerics, call.span)


@rule("vm/reshape")
def reshape(run: Machine, args: list[Any], call: Call) -> Any:
    """``(x, shape)``: a view of the same memory. As many elements as ``x`` has, else the run is open."""
    x, shape = args[:2]
    _wanted(isinstance(x, TensorValue) and _is_shape(shape), "a tensor and a shape", call)
    if prod(shape.dims) != x.size:
        raise unspecified("op.reshape/element-count-run", f"{x.shape} as {shape.dims}", call.span)
    return x.view(shape.dims)


@rule("vm/create-view")
def create_view(run: Machine, args: list[Any], call: Call) -> Any:
    """``(x, shape, dtype, byte offset)``: as ``R.memory.view``."""
    x, shape, dtype, offset = args[:4]
    _wanted(
        isinstance(x, TensorValue) and isinstance(shape, Shape) and isinstance(dtype, DType),
        "a tensor and a type",
        call,
    )
    return view(_evaluation(run, call), x, shape.dims, dtype.name, checks.number(offset, call.span))


@rule("vm/copy")
def same(run: Machine, args: list[Any], call: Call) -> Any:
    """Another reference to the same value."""
    return args[0]


@rule("vm/to-device")
def to_device(run: Machine, args: list[Any], call: Call) -> Any:
    """``(x, device type, device, scope)``: a copy."""
    x = args[0]
    _wanted(isinstance(x, TensorValue), "a tensor", call)
    return _evaluation(run, call).tensor(x.dtype, x.shape, x.payloads())


# --- values ----------------------------------------------------------------------------------------------------------


@rule("vm/shape-of")
def shape_of(run: Machine, args: list[Any], call: Call) -> Any:
    """The shape of a tensor."""
    _wanted(isinstance(args[0], TensorValue), "a tensor", call)
    return Shape(args[0].shape)


@rule("vm/tensor-to-shape")
def tensor_to_shape(run: Machine, args: list[Any], call: Call) -> Any:
    """The elements of an integer vector as a shape."""
    x = args[0]
    _wanted(isinstance(x, TensorValue) and x.ndim == 1 and dtypes.is_integer(x.dtype), "an integer vector", call)
    return Shape(tuple(run.numerics.to_index(each, x.dtype) for each in x.payloads()))


@rule("vm/tuple-getitem")
def tuple_getitem(run: Machine, args: list[Any], call: Call) -> Any:
    """``(t, index)``."""
    index = checks.number(args[1], call.span)
    _wanted(isinstance(args[0], tuple) and 0 <= index < len(args[0]), "a tuple and an index in range", call)
    return args[0][index]


@rule("vm/tuple-reset-item")
def tuple_reset_item(run: Machine, args: list[Any], call: Call) -> Any:
    """The tuple lets go of an item, which is not read again: nothing to see."""
    return ()


@rule("vm/make-tuple")
def make_tuple(run: Machine, args: list[Any], call: Call) -> Any:
    """The arguments as a tuple."""
    return tuple(args)


@rule("vm/null-value")
def null_value(run: Machine, args: list[Any], call: Call) -> Any:
    """The null value."""
    return None


@rule("vm/read-if-cond")
def read_if_cond(run: Machine, args: list[Any], call: Call) -> Any:
    """A condition as a bool."""
    return Prim("bool", run.truth_of(args[0], call.span))


# --- functions -------------------------------------------------------------------------------------------------------


@rule("vm/make-closure")
def make_closure(run: Machine, args: list[Any], call: Call) -> Any:
    """``(f, captured…)``: ``f`` with its last arguments fixed."""
    return closure_over(args[0], args[1:], call.span)


@rule("vm/invoke-closure")
def invoke_closure(run: Machine, args: list[Any], call: Call) -> Any:
    """``(c, args…)``: call a closure."""
    return run.call_value(args[0], args[1:], call.span)


@rule("vm/call-tir-dyn")
def call_tir_dyn(run: Machine, args: list[Any], call: Call) -> Any:
    """``(f, args…, shape)``: call a loop-level function with the extents of the shape as its last arguments."""
    run.call_value(args[0], unpacked(args[1:]), call.span)
    return ()


@rule("vm/call-py-func")
def call_py_func(run: Machine, args: list[Any], call: Call) -> Any:
    """``((name, args),)``: a registered Python function."""
    match args[0]:
        case (str() as name, tuple() as given):
            pass
        case _:
            _wanted(False, "a pair of a name and arguments", call)
    return run.call_library(name, list(given), call.span)


@rule("vm/invoke-debug-func")
def invoke_debug_func(run: Machine, args: list[Any], call: Call) -> Any:
    """``(null, name, place, args…)``: call a registered function with the place and the arguments; gives null."""
    effect, name, place, *rest = args
    _wanted(effect is None and isinstance(name, str), "null, a name and a place", call)
    run.call_library(name, [place, *rest], call.span)
    return None


def _operator(name: str, accepts: Callable[[list[Any]], bool]) -> Builtin:
    """An operator that legalisation turns into a library function with the same arguments."""

    @rule("vm/operator")
    def apply(run: Machine, args: list[Any], call: Call) -> Any:
        _wanted(accepts(args), f"what {name} takes", call)
        return OPERATORS[name].evaluate(_evaluation(run, call), call, tuple(args))

    return apply


def _is_flag(value: Any) -> bool:
    return isinstance(value, Prim) or (isinstance(value, TensorValue) and value.dtype == "bool" and value.ndim == 0)


def _one(kind: type) -> Callable[[list[Any]], bool]:
    """Whether the arguments are one of a kind."""
    return lambda args: len(args) == 1 and isinstance(args[0], kind)


def _for_unique(args: list[Any]) -> bool:
    return len(args) < 7 and isinstance(args[0], TensorValue) and all(isinstance(each, Prim) for each in args[1:])


# --- collectives -----------------------------------------------------------------------------------------------------


def _collective(
    name: str, apply: Callable[[Evaluation, TensorValue, Any, bool], TensorValue], count: int = 3
) -> Builtin:
    """``(x, …, in group, out)``, ``count`` arguments: the collective, written to ``out``."""

    @rule("vm/collective")
    def run_it(run: Machine, args: list[Any], call: Call) -> Any:
        x, *more, flag, out = args
        fits = isinstance(x, TensorValue) and isinstance(out, TensorValue) and len(args) == count
        _wanted(fits, "a tensor and where its result goes", call)
        found = apply(_evaluation(run, call), x, more, bool(checks.number(flag, call.span)))
        if found.size != out.size or found.dtype != out.dtype:  # as in memory: the shapes may differ
            raise unspecified("op.ccl/workers", f"{name} gives {found.shape}, found room for {out.shape}", call.span)
        out.assign(found.payloads())
        return ()

    return run_it


def _allreduce(e: Evaluation, x: TensorValue, more: list[Any], in_group: bool) -> TensorValue:
    kind = more[0].dims[0] if len(more) == 1 and isinstance(more[0], Shape) and len(more[0]) == 1 else -1
    return ccl.allreduce(e, x, ccl.KINDS[kind] if 0 <= kind < len(ccl.KINDS) else "", in_group)


def _scatter(e: Evaluation, x: TensorValue, more: list[Any], in_group: bool) -> TensorValue:
    whole = ccl.gathered(e, "scatter", x, in_group)[0]
    size = e.world.size(in_group)
    return ccl.part(e, whole.view((whole.size,)), 0, e.world.worker % size, size)


@rule("vm/worker-id")
def worker_id(run: Machine, args: list[Any], call: Call) -> Any:
    """The worker's number, as a shape."""
    return Shape((run.world.worker,))


LIBRARY: dict[str, tuple[int, Builtin]] = {
    "vm.builtin.alloc_shape_heap": (1, heap.alloc_shape_heap),
    "vm.builtin.match_shape": (3, heap.match_shape),
    "vm.builtin.match_prim_value": (4, heap.match_prim_value),
    "vm.builtin.make_shape": (2, heap.make_shape),
    "vm.builtin.make_prim_value": (3, heap.make_prim_value),
    "vm.builtin.check_tensor_info": (2, checks.check_tensor_info),
    "vm.builtin.check_shape_info": (2, checks.check_shape_info),
    "vm.builtin.check_prim_value_info": (2, checks.check_prim_value_info),
    "vm.builtin.check_tuple_info": (2, checks.check_tuple_info),
    "vm.builtin.check_func_info": (1, checks.check_func_info),
    "vm.builtin.alloc_storage": (3, alloc_storage),
    "vm.builtin.alloc_tensor": (4, alloc_tensor),
    "vm.builtin.reshape": (2, reshape),
    "runtime.TVMTensorCreateView": (4, create_view),
    "vm.builtin.ensure_zero_offset": (1, same),
    "vm.builtin.copy": (1, same),
    "vm.builtin.to_device": (1, to_device),
    "vm.builtin.shape_of": (1, shape_of),
    "vm.builtin.tensor_to_shape": (1, tensor_to_shape),
    "vm.builtin.tuple_getitem": (2, tuple_getitem),
    "vm.builtin.tuple_reset_item": (2, tuple_reset_item),
    "vm.builtin.make_tuple": (0, make_tuple),
    "vm.builtin.null_value": (0, null_value),
    "vm.builtin.read_if_cond": (1, read_if_cond),
    "vm.builtin.make_closure": (1, make_closure),
    "vm.builtin.invoke_closure": (1, invoke_closure),
    "vm.builtin.call_tir_dyn": (1, call_tir_dyn),
    "vm.builtin.call_py_func": (1, call_py_func),
    "vm.builtin.invoke_debug_func": (3, invoke_debug_func),
    "vm.builtin.cuda_graph.run_or_capture": (3, graphs.run_or_capture),
    "vm.builtin.cuda_graph.get_cached_alloc": (2, graphs.get_cached_alloc),
    "runtime.disco.allreduce": (4, _collective("allreduce", _allreduce, 4)),
    "runtime.disco.allgather": (3, _collective("allgather", lambda e, x, _, group: ccl.allgather(e, x, group))),
    "runtime.disco.broadcast_from_worker0": (
        3,
        _collective("broadcast", lambda e, x, _, group: ccl.broadcast(e, x, group)),
    ),
    "runtime.disco.scatter_from_worker0": (3, _collective("scatter", _scatter)),
    "runtime.disco.worker_id": (0, worker_id),
    "relax.run.print": (1, _operator("relax.print", lambda args: isinstance(args[0], str))),
    "relax.run.assert_op": (1, _operator("relax.assert_op", lambda args: _is_flag(args[0]))),
    "relax.run.shape_to_tensor": (1, _operator("relax.shape_to_tensor", _one(Shape))),
    "relax.run.unique": (5, _operator("relax.unique", _for_unique)),
    "relax.run.nonzero": (1, _operator("relax.nonzero", _one(TensorValue))),
}
"""The library that needs no registration: the least number of arguments, and the meaning."""


ON_HOST = frozenset(
    {"vm.builtin.tensor_to_shape", "vm.builtin.call_py_func", "vm.builtin.invoke_debug_func"}
    | {name for name in LIBRARY if name.startswith("relax.run.")} - {"relax.run.shape_to_tensor"}
)
"""Those by which the host sees elements."""


def call_builtin(run: Machine, name: str, args: list[Any], call: Call) -> Any:
    """Call a function of ``LIBRARY``."""
    least, meaning = LIBRARY[name]
    if len(args) < least:
        raise unspecified("vm/argument", f"{name} takes {least} arguments or more, found {len(args)}", call.span)
    if name in ON_HOST:
        graphs.host_sees(run, name, call.span)
    return meaning(run, args, call)
