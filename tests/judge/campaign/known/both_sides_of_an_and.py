# source: facts, semantics A
# shows: crash
# wrong: the second side is evaluated though the first is false, and divides by zero
# arg: int32 [6, 4]
# arg: int32 [0, 2]
# right: int32 [0, 1]
# blame: build, codegen
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def divides(a: T.Buffer((2,), "int32"), b: T.Buffer((2,), "int32"), o: T.Buffer((2,), "int32")):
        for i in range(2):
            with T.sblock("o"):
                v = T.axis.spatial(2, i)
                T.reads(a[v], b[v])
                T.writes(o[v])
                o[v] = T.Cast("int32", T.And(b[v] != 0, T.truncmod(a[v], b[v]) == 0))

    @R.function
    def main(x: R.Tensor((2,), "int32"), y: R.Tensor((2,), "int32")):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.divides, (x, y), out_ty=R.Tensor((2,), "int32"))
            R.output(gv)
        return gv
