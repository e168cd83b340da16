"""NVRTC, NVIDIA's run-time compiler, through ``ctypes``: it needs no GPU and no driver.

It is found in the wheel ``nvidia-cuda-nvrtc`` or, failing that, by the name of the library.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class NotInstalled(Exception):
    """There is no NVRTC on this machine."""


class CompileError(Exception):
    """NVRTC refused the source; the message is its log."""


@cache
def library() -> Any:
    """The library.

    Raises:
        NotInstalled: it is not here.
    """
    for candidate in (*_wheels(), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
        try:
            found = ctypes.CDLL(candidate)
        except OSError:
            continue
        found.nvrtcGetErrorString.restype = ctypes.c_char_p
        return found
    raise NotInstalled("NVRTC is not installed: pip install 'nvidia-cuda-nvrtc>=13'")


def _wheels() -> list[str]:
    spec = find_spec("nvidia")
    folders = [] if spec is None or spec.submodule_search_locations is None else list(spec.submodule_search_locations)
    found = [p for folder in folders for p in sorted(Path(folder).glob("*/lib/libnvrtc.so.*"))]
    return [str(p) for p in found if "builtins" not in p.name and ".alt." not in p.name]


def options(mode: str, architecture: str) -> list[str]:
    """Compiler options of a mode: in ``bits`` no product is fused into a sum."""
    return [f"--gpu-architecture={architecture}", "--std=c++17", f"--fmad={'false' if mode == 'bits' else 'true'}"]


def compile_source(source: str, mode: str = "fast", architecture: str = "sm_90") -> bytes:
    """The machine code (a cubin) of a source text.

    Raises:
        NotInstalled, CompileError
    """
    lib = library()
    program = ctypes.c_void_p()
    _check(lib, lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"refrelax.cu", 0, None, None))
    try:
        given = [each.encode() for each in options(mode, architecture)]
        code = lib.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
        if code != 0:
            raise CompileError(_text(lib, program, "ProgramLog"))
        return _bytes(lib, program, "CUBIN")
    finally:
        lib.nvrtcDestroyProgram(ctypes.byref(program))


def _check(lib: Any, code: int) -> None:
    if code != 0:
        raise CompileError(lib.nvrtcGetErrorString(code).decode())


def _bytes(lib: Any, program: Any, what: str) -> bytes:
    size = ctypes.c_size_t()
    _check(lib, getattr(lib, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    data = ctypes.create_string_buffer(size.value)
    _check(lib, getattr(lib, f"nvrtcGet{what}")(program, data))
    return data.raw


def _text(lib: Any, program: Any, what: str) -> str:
    return _bytes(lib, program, what).rstrip(b"\0").decode(errors="replace")
