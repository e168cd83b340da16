# arg: float32 [[1, 2, 3, 4], [5, 6, 7, 8]]
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32")):
        a = R.negative(x)
        b = R.match_cast(a, R.Tensor((2, 4), "float32"))
        s = R.split(b, 2, axis=1)
        p = s[0]
        q = s[1]
        d = R.concat((p, q), axis=1)
        return d
