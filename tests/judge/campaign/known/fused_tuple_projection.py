# source: apache/tvm#20194
# shows: refused
# wrong: FuseOps makes a private function named "fused" of projections out of nested tuples, which FuseTIR refuses
# arg: float32 [[1, 2], [3, 4]]
# right: float32 [[2, 3], [4, 5]]
# pipeline: cpu_generic
# blame: FuseTIR, FuseOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
        with R.dataflow():
            a = R.add(x, R.const(1, "float32"))
            b = R.multiply(x, x)
            t = (a, b)
            u = (t, x)
            v = u[0]
            gv = v[0]
            R.output(gv)
        return gv
