# arg: int32 [1, 2, 3, 4, 5]
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def small(x: T.Buffer((5,), "int32"), y: T.Buffer((5,), "int32")):
        for i in range(5):
            with T.sblock("y"):
                v = T.axis.spatial(5, i)
                T.reads(x[v])
                T.writes(y[v])
                y[v] = T.Select((v * 320 + 255) % 256 < 200, x[v], 7)

    @R.function
    def main(x: R.Tensor((5,), "int32")):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.small, (x,), out_ty=R.Tensor((5,), dtype="int32"))
            R.output(gv)
        return gv
