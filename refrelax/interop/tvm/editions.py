from __future__ import annotations
from refrelax import api
from refrelax.syntax.module import Module


def text_for(version: str, module: Module) -> str:
    return api.print_module(module)
