# source: apache/tvm#20205
# shows: refused
# wrong: biases of (1, 4) and (2, 5) are joined along the axis 1
# arg: float32 [[1, 2, 3], [4, 5, 6]]
# arg: float32 [[1, 0], [0, 1], [1, 1]]
# arg: float32 [[1], [2], [3]]
# arg: float32 [[1, 1]]
# arg: float32 [[1], [2]]
# pipeline: CombineParallelMatmul
# blame: CombineParallelMatmul
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w1: R.Tensor((3, 2), "float32"), w2: R.Tensor((3, 1), "float32"), b1: R.Tensor((1, 2), "float32"), b2: R.Tensor((2, 1), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            m1 = R.matmul(x, w1)
            m2 = R.matmul(x, w2)
            a1 = R.add(m1, b1)
            a2 = R.add(m2, b2)
            gv = R.concat((a1, a2), axis=1)
            R.output(gv)
        return gv
