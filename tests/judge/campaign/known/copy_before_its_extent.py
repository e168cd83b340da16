# source: apache/tvm#20195
# shows: illformed
# wrong: a call whose out_ty names a symbol is moved in front of the match_cast that declares it
# arg: float32 [[1, 2], [3, 4]]
# arg: int64 [2, 2]
# right: float32 [[1, 2], [3, 4]]
# pipeline: cpu_generic
# blame: FuseOps
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def copy(a: T.handle, b: T.handle):
        m = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, 2), "float32")
        B = T.match_buffer(b, (n, 2), "float32")
        for i, j in T.grid(n, T.int64(2)):
            with T.sblock("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]

    @R.function
    def main(x: R.Tensor(("k", 2), "float32"), d: R.Tensor((2,), "int64")):
        cls = Module
        k = T.int64()
        r = T.int64()
        s = T.int64()
        with R.dataflow():
            c = R.call_tir(cls.copy, (x,), out_ty=R.Tensor((k, 2), "float32"))
            h: R.Shape(ndim=2) = R.tensor_to_shape(d)
            hs = R.match_cast(h, R.Shape([r, s]))
            e = R.call_tir(cls.copy, (c,), out_ty=R.Tensor((r, 2), "float32"))
            f = R.call_tir(cls.copy, (e,), out_ty=R.Tensor((r, 2), "float32"))
            R.output(f)
        return f
