"""TVM's own pattern dispatch, as pipelines for ``FILE.py:FUNCTION``; no code is generated."""

from __future__ import annotations

from typing import Any


def _passes(backend: str, annotate: bool) -> list[Any]:
    from tvm import relax
    from tvm.relax.backend.cuda import cublas, cudnn  # noqa: F401 (they register their patterns)

    found = relax.backend.get_patterns_with_prefix(backend)
    return [relax.transform.FuseOpsByPattern(found, bind_constants=False, annotate_codegen=annotate)]


def cublas() -> list[Any]:
    """Composite functions."""
    return _passes("cublas", annotate=False)


def cublas_annotated() -> list[Any]:
    """Composite functions inside of functions for code generation."""
    return _passes("cublas", annotate=True)


def cudnn() -> list[Any]:
    """Composite functions for convolutions."""
    return _passes("cudnn", annotate=False)
