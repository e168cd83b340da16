"""What a check of a lowered module says about itself: the place that it guards and the type that was written there.

A built function takes anything (its annotations are erased), but each check of a parameter still ends with a text,

    ErrorContext(fn=main, loc=param[0], param=x, annotation=R.Tensor((n, 4), dtype="float32"))

The place decides under which rule a failure traps (``vm/failed-check``). The annotation decides nothing at run time; it
tells whoever makes arguments what the function expects.

Spec: ``spec/14-build.md``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from refrelax.errors import Rejection
from refrelax.syntax.graph import Call, DataTypeValue, Expr, ExternFunc, Function, StringValue, Var, VarBinding
from refrelax.syntax.read import parse
from refrelax.syntax.types import AnyType, PrimType, Type
from refrelax.syntax.write.types import type_text

_PARAM = re.compile(r"loc=param\[(\d+)\].*?annotation=(.*)\) ?$", re.DOTALL)
_WORD = re.compile(r"\"[^\"]*\"|'[^']*'|\.\w+|\w+\s*=|[A-Za-z_]\w*")
_KNOWN = frozenset({"R", "T", "I", "True", "False", "None", "min", "max"})


def of_param(function: str, place: int, name: str, type_: Type) -> str:
    """The context of the checks of a parameter."""
    return f"ErrorContext(fn={function}, loc=param[{place}], param={name}, annotation={type_text(type_)}) "


def of_return(function: str, type_: Type) -> str:
    """The context of the checks of a result."""
    return f"ErrorContext(fn={function}, loc=return, annotation={type_text(type_)}) "


def of_match_cast(function: str, name: str, type_: Type) -> str:
    """The context of the checks of a ``match_cast``."""
    return f"ErrorContext(fn={function}, match_cast={name}, annotation={type_text(type_)}) "


def expected(function: Function) -> Mapping[int, Type]:
    """The types that the checks of a function name for parameters that are not annotated, by place. The check of a
    scalar names its dtype also where it has no context."""
    if all(p.type is not None and not isinstance(p.type, AnyType) for p in function.params):
        return {}
    found: dict[int, Type] = {}
    places = {p.name: k for k, p in enumerate(function.params)}
    for block in function.body.blocks:
        for binding in block.bindings:
            match binding:
                case VarBinding(value=Call(args=(*_, StringValue(value=context)))):
                    if (told := _PARAM.search(context)) is not None and int(told[1]) not in found:
                        type_ = _read(told[2])
                        if type_ is not None:
                            found[int(told[1])] = type_
                    elif (dtype := _scalar(binding.value)) is not None and places.get(dtype[0], -1) >= 0:
                        found.setdefault(places[dtype[0]], PrimType(dtype[1]))
                case _:
                    pass
    return found


def _scalar(call: Expr) -> tuple[str, str] | None:
    """The variable and the dtype that a check of a scalar names."""
    match call:
        case Call(op=ExternFunc("vm.builtin.check_prim_value_info"), args=(Var(name=name), DataTypeValue(dtype), *_)):
            return name, dtype
        case _:
            return None


def param_types(function: Function) -> list[Type | None]:
    """The type of each parameter: its annotation, or what its checks say."""
    told = expected(function)
    return [
        told.get(place, p.type) if p.type is None or isinstance(p.type, AnyType) else p.type
        for place, p in enumerate(function.params)
    ]


@lru_cache(maxsize=256)
def _read(text: str) -> Type | None:
    """A type as ``type_text`` writes it; its symbols are the words in it that nothing else explains."""
    words = dict.fromkeys(w for w in _WORD.findall(text) if w[0].isalpha() or w[0] == "_")
    symbols = [w for w in words if not w.endswith("=") and w not in _KNOWN]
    head = "".join(f'{name} = TypeVar("{name}")\n' for name in symbols)
    body = f"@I.ir_module\nclass Module:\n    @R.function\n    def f(x: {text}):\n        return x\n"
    try:
        function = parse(head + body).functions["f"]
    except Rejection:
        return None
    return function.params[0].type if isinstance(function, Function) else None
