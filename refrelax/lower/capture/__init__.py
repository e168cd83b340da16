"""Capture: launches that are the same on every run are put into functions that the machine records once and replays.

``static`` finds the storages that may be kept from run to run, ``regions`` what may be recorded, in runs of bindings.
The form is that of TVM's ``RewriteCUDAGraph``. No claim is needed: what is asked is where memory is, not how large.

Spec: ``spec/14-build.md``, *Capture*.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from refrelax.lower.capture.numbers import CACHED, RECORDED, numbers
from refrelax.lower.capture.regions import Region, Regions
from refrelax.lower.capture.static import static_storages
from refrelax.lower.claims import Ledger
from refrelax.lower.names import Taken
from refrelax.lower.symbols import symbols_in
from refrelax.lower.to_destinations import names_of
from refrelax.rules import rule
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    Op,
    Param,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import SymVar, int_imm
from refrelax.syntax.types import AnyType, ShapeType, TupleType, Type, defined_by

ANY = AnyType()


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The module with what may be captured in functions of its own."""
    numbers = first_free(checked.module)
    if numbers is None:
        return checked.module
    pass_ = _Capture(checked, Taken(checked.module.functions), numbers)
    functions: dict[str, BaseFunc] = {}
    for name, func in checked.module.functions.items():
        functions[name] = pass_.function(name, func) if isinstance(func, Function) else func
    return checked.module.with_functions({**functions, **pass_.made})


@rule("lo/capture-static", "lo/capture-key")
def first_free(module: Module) -> dict[str, int] | None:
    """The first number, of memory and of recorded runs, that no function of the module has; ``None`` if that is not
    known."""
    found = {CACHED: 0, RECORDED: 0}
    for name, number in numbers(module):
        if number is None:
            return None
        found[name] = max(found[name], number + 1)
    return found


@dataclass(slots=True)
class _Capture:
    """The pass over a module. ``made``: the functions that it wrote; ``numbers``: of memory, and of recorded runs."""

    checked: CheckedModule
    taken: Taken
    numbers: dict[str, int]
    made: dict[str, Function] = field(default_factory=dict)

    def function(self, name: str, func: Function) -> Function:
        """A function with its regions replaced; the same one if it has none."""
        storages = static_storages(self.checked.module, name, func)
        found = Regions(self.checked.module, func, storages).parts() if storages else []
        if not any(isinstance(each, Region) for each in found):
            return func
        names = names_of(func)
        bindings: list[Binding] = self._memory(name, storages, names)
        for each in found:
            bindings.extend(self._recorded(name, each, names) if isinstance(each, Region) else [each])
        attrs = dict(func.attrs)
        if func.pure:
            attrs["relax.force_pure"] = True
        body = replace(func.body, blocks=(BindingBlock(tuple(bindings)),))
        return replace(func, body=body, attrs=tuple(sorted(attrs.items())))

    def _call(self, builtin: str, callee: str, args: tuple[Expr, ...], shape: tuple[Expr, ...], ty: Type) -> Call:
        """A call of the machine under the next number."""
        number = PrimValue(int_imm(self.numbers[builtin]))
        self.numbers[builtin] += 1
        given = Tuple((GlobalVar(callee), *args, number, *shape))
        return Call(Op("relax.call_builtin_with_ctx"), (ExternFunc(builtin), given), ty_args=(ty,))

    @rule("lo/capture-static")
    def _memory(self, name: str, storages: dict[str, Call], names: Taken) -> list[Binding]:
        """The static storages: a function that allocates them, the call that keeps them, and their names."""
        made = self.taken.fresh(f"{name}_cuda_graph_alloc")
        rooms = tuple(VarBinding(each, call) for each, call in storages.items())
        gives = Tuple(tuple(Var(each) for each in storages))
        self.made[made] = _private((), rooms, gives, TupleType((ANY,) * len(storages)))
        kept = names.fresh("cached")
        call = self._call(CACHED, made, (), (), TupleType((ANY,) * len(storages)))
        fields = [VarBinding(each, TupleGetItem(Var(kept), k)) for k, each in enumerate(storages)]
        return [VarBinding(kept, call), *fields]

    @rule("lo/capture-region", "lo/capture-key")
    def _recorded(self, name: str, region: Region, names: Taken) -> list[Binding]:
        """A region as a function, and its call."""
        types = self.checked.types[name]
        made = self.taken.fresh(f"{name}_cuda_graph_capture")
        params = [Param(each, types.get(each, ANY)) for each in region.inputs]
        result = TupleType(tuple(types[each] for each in region.outputs))
        symbols = _key(region, params, result)
        shape = (ShapeExpr(symbols),) if symbols else ()
        if shape:
            params.append(Param(names.fresh("extents"), ShapeType(symbols, len(symbols))))
        self.made[made] = _private(tuple(params), region.bindings, Tuple(tuple(map(Var, region.outputs))), result)
        args = Tuple((*map(Var, region.inputs), *shape))
        call = self._call(RECORDED, made, (args,), shape, result)
        graph = names.fresh("graph")
        fields = [VarBinding(each, TupleGetItem(Var(graph), k)) for k, each in enumerate(region.outputs)]
        return [VarBinding(graph, call), *fields, *region.kills]


def _key(region: Region, params: list[Param], result: Type) -> tuple[SymVar, ...]:
    """The symbols of a region, and those of its types: what it is given is recorded with its extents."""
    typed = symbols_in((*(p.type for p in params), result))
    return tuple(dict.fromkeys((*region.symbols, *typed)))


def _private(params: tuple[Param, ...], bindings: tuple[Binding, ...], body: Expr, ret: Type) -> Function:
    seq = SeqExpr((BindingBlock(bindings),), body)
    symbols = defined_by(p.type for p in params)
    return Function(params, ret, seq, private=True, attrs=(("relax.force_pure", True),), symbols=symbols)
