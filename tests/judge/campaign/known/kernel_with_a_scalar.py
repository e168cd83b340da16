# source: apache/tvm#20420
# shows: refused
# wrong: SpecializePrimFuncBasedOnCallSite takes a scalar among the arguments for a tensor
# arg: float32 [1, 2]
# arg: prim float32 3
# right: float32 [3, 6]
# pipeline: SpecializePrimFuncBasedOnCallSite
# blame: SpecializePrimFuncBasedOnCallSite
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def scaled(a: T.Buffer((2,), "float32"), k: T.float32, o: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("o"):
                v = T.axis.spatial(2, i)
                T.reads(a[v])
                T.writes(o[v])
                o[v] = a[v] * k

    @R.function
    def main(x: R.Tensor((2,), "float32"), k: R.Prim("float32")):
        cls = Module
        gv = R.call_tir(cls.scaled, (x, k), out_ty=R.Tensor((2,), "float32"))
        return gv
