# source: apache/tvm#20193, apache/tvm#17876
# shows: refused
# wrong: the lowering of reshape asserts that the shape is written out; it is a variable that was matched
# arg: float32 [[1, 2], [3, 4], [5, 6]]
# right: float32 [1, 2, 3, 4, 5, 6]
# operator: R.reshape
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            s = R.shape_of(x)
            t = R.shape_to_tensor(s)
            p = R.prod(t, axis=[0], keepdims=True)
            u: R.Shape(ndim=1) = R.tensor_to_shape(p)
            q = R.match_cast(u, R.Shape([n * m]))
            gv = R.reshape(x, q)
            R.output(gv)
        return gv
