# source: apache/tvm#20197
# shows: refused
# wrong: the second axis of a weight of rank 1 is asked for
# arg: float32 [[1, 2, 3], [4, 5, 6]]
# arg: float32 [1, 0, 1]
# arg: float32 [2, 1, 0]
# pipeline: CombineParallelMatmul
# blame: CombineParallelMatmul
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w1: R.Tensor((3,), "float32"), w2: R.Tensor((3,), "float32")):
        with R.dataflow():
            m1 = R.matmul(x, w1)
            m2 = R.matmul(x, w2)
            gv = R.subtract(m1, m2)
            R.output(gv)
        return gv
