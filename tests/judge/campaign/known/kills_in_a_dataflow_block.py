# source: apache/tvm#17340
# shows: illformed
# wrong: kills, which are impure, are put into a dataflow block
# arg: float32 [1, 2]
# right: float32 [4, 8]
# pipeline: KillAfterLastUse
# blame: KillAfterLastUse
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def twice(a: T.Buffer((2,), "float32"), o: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("o"):
                v = T.axis.spatial(2, i)
                T.reads(a[v])
                T.writes(o[v])
                o[v] = a[v] + a[v]

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((2,), "float32"))
            b = R.call_tir(cls.twice, (a,), out_ty=R.Tensor((2,), "float32"))
            R.output(b)
        return b
