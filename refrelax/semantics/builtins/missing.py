"""Why library functions that TVM has are given no meaning here: one literal table.

A program that calls one is unlinkable unless the caller registers the function (``externs``).
"""

from __future__ import annotations

_RANDOM = "it draws random numbers from a hidden state"
_PAGED = "its pages are managed by the host between calls, and it computes with kernels that it is given as functions"
_FILES = "it reads parameters from files"
_DEVICE = "it describes a device, not values"
_VENDOR = "a vendor's library defines it, by descriptors and algorithms of its own"

WITHOUT_MEANING: dict[str, str] = {
    "tvm.contrib.random.": _RANDOM,
    "tvm.contrib.curand.": _RANDOM,
    "vm.builtin.paged_attention_kv_cache_": _PAGED,
    "vm.builtin.attention_kv_cache_": _PAGED,
    "vm.builtin.kv_state_": _PAGED,
    "vm.builtin.kv_cache_disagg_": _PAGED,
    "vm.builtin.rnn_state_": _PAGED,
    "vm.builtin.distributed.": _PAGED,
    "vm.builtin.tensor_cache.": _FILES,
    "vm.builtin.param_": _FILES,
    "vm.builtin.memory_manager.": _DEVICE,
    "vm.builtin.hexagon.": _DEVICE,
    "runtime.disco.": "it manages processes and their memory",
    "flashinfer": _VENDOR,
    "tvm.contrib.": _VENDOR,
    "cutlass.": _VENDOR,
    "fastertransformer.": _VENDOR,
    "vllm.": _VENDOR,
    "llvm.": "it is no function of LLVM's list, or not at these dtypes",
    "vm.builtin.register_py_func": "it changes the registry of the host",
    "vm.builtin.get_py_func": "it gives a function of the host",
    "vm.builtin.clear_py_func_registry": "it changes the registry of the host",
    "vm.builtin.debug_print": "it prints the memory of the virtual machine",
}
"""What a name begins with, and the reason. The first that fits counts."""


def reason(name: str) -> str:
    """``"; it has no meaning here: …"``, or nothing if no reason is known."""
    found = next((why for start, why in WITHOUT_MEANING.items() if name.startswith(start)), "")
    return f"; it has no meaning here: {found}" if found else ""
