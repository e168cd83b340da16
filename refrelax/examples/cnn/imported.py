# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import relax as R

n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3, 10, 12), dtype="float32")) -> R.Tuple(R.Tensor((n, 5), dtype="float32")):
        R.func_attr({"tir_var_lower_bound": {"n": 1}})
        with R.dataflow():
            lv: R.Tensor((n, 4, 10, 12), dtype="float32") = R.nn.conv2d(x, metadata["ir.GenericConst"][0], strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="float32")
            lv1: R.Tensor((1, 4, 1, 1), dtype="float32") = R.reshape(metadata["ir.GenericConst"][1], R.shape([1, 4, 1, 1]))
            lv2: R.Tensor((n, 4, 10, 12), dtype="float32") = R.add(lv, lv1)
            lv3: R.Tuple(R.Tensor((n, 4, 10, 12), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = R.nn.batch_norm(lv2, metadata["ir.GenericConst"][2], metadata["ir.GenericConst"][3], metadata["ir.GenericConst"][4], metadata["ir.GenericConst"][5], axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv4: R.Tensor((n, 4, 10, 12), dtype="float32") = lv3[0]
            lv5: R.Tensor((n, 4, 10, 12), dtype="float32") = R.nn.relu(lv4)
            lv6: R.Tensor((n, 4, 5, 6), dtype="float32") = R.nn.max_pool2d(lv5, pool_size=[2, 2], strides=[2, 2], dilation=[1, 1], padding=[0, 0, 0, 0], ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout="NCHW")
            lv7: R.Tensor((n, 4, 5, 6), dtype="float32") = R.zeros_like(lv6, dtype=None)
            lv8: R.Tuple(R.Tensor((n, 4, 5, 6), dtype="float32"), R.Tensor((n, 4, 5, 6), dtype="float32")) = lv6, lv7
            lv9: R.Tensor((n, 4, 5, 6), dtype="float32") = lv8[0]
            lv10: R.Tensor((n, 6, 2, 2), dtype="float32") = R.nn.conv2d(lv9, metadata["ir.GenericConst"][6], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="float32")
            lv11: R.Tensor((1, 6, 1, 1), dtype="float32") = R.reshape(metadata["ir.GenericConst"][7], R.shape([1, 6, 1, 1]))
            lv12: R.Tensor((n, 6, 2, 2), dtype="float32") = R.add(lv10, lv11)
            lv13: R.Tensor((n, 6, 2, 2), dtype="float32") = R.nn.gelu(lv12)
            lv14: R.Tensor((n, 6, 1, 1), dtype="float32") = R.mean(lv13, axis=[-1, -2], keepdims=True)
            lv15: R.Tensor((n, 6), dtype="float32") = R.reshape(lv14, R.shape([n, 6]))
            lv16: R.Tensor((6, 5), dtype="float32") = R.permute_dims(metadata["ir.GenericConst"][8], axes=[1, 0])
            lv17: R.Tensor((n, 5), dtype="float32") = R.matmul(lv15, lv16, out_dtype="float32")
            lv18: R.Tensor((n, 5), dtype="float32") = R.add(metadata["ir.GenericConst"][9], lv17)
            lv19: R.Tensor((n, 5), dtype="float32") = R.nn.log_softmax(lv18, axis=-1)
            gv: R.Tuple(R.Tensor((n, 5), dtype="float32")) = (lv19,)
            R.output(gv)
        return gv

# Metadata omitted. Use show_meta=True in script() method to show it.
