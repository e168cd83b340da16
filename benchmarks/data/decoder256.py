# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import relax as R

n = TypeVar("n")


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, n, 256), dtype="float32"),
        p_norm1_scale: R.Tensor((256,), dtype="float32"),
        p_norm2_scale: R.Tensor((256,), dtype="float32"),
        p_q_weight: R.Tensor((256, 256), dtype="float32"),
        p_k_weight: R.Tensor((128, 256), dtype="float32"),
        p_v_weight: R.Tensor((128, 256), dtype="float32"),
        p_o_weight: R.Tensor((256, 256), dtype="float32"),
        p_gate_weight: R.Tensor((688, 256), dtype="float32"),
        p_up_weight: R.Tensor((688, 256), dtype="float32"),
        p_down_weight: R.Tensor((256, 688), dtype="float32"),
    ) -> R.Tuple(R.Tensor((1, n, 256), dtype="float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, n, 256), dtype="float32") = R.multiply(x, x)
            lv1: R.Tensor((1, n, 1), dtype="float32") = R.mean(lv, axis=[-1], keepdims=True)
            lv2: R.Tensor((1, n, 1), dtype="float32") = R.add(lv1, R.const(9.9999997473787516e-06, "float32"))
            lv3: R.Tensor((1, n, 1), dtype="float32") = R.rsqrt(lv2)
            lv4: R.Tensor((1, n, 256), dtype="float32") = R.multiply(x, lv3)
            lv5: R.Tensor((1, n, 256), dtype="float32") = R.multiply(lv4, p_norm1_scale)
            lv6: R.Tensor((n,), dtype="float32") = R.arange(0, n, 1, dtype="float32")
            lv7: R.Tensor((n, 1), dtype="float32") = R.expand_dims(lv6, axis=[1])
            lv8: R.Tensor((1, 32), dtype="float32") = R.expand_dims(metadata["ir.GenericConst"][0], axis=[0])
            lv9: R.Tensor((n, 32), dtype="float32") = R.multiply(lv7, lv8)
            lv10: R.Tensor((n, 64), dtype="float32") = R.concat((lv9, lv9), axis=-1)
            lv11: R.Tensor((n, 64), dtype="float32") = R.cos(lv10)
            lv12: R.Tensor((n, 64), dtype="float32") = R.sin(lv10)
            lv13: R.Tensor((256, 256), dtype="float32") = R.permute_dims(p_q_weight, axes=[1, 0])
            lv14: R.Tensor((n, 256), dtype="float32") = R.reshape(lv5, R.shape([n, 256]))
            lv15: R.Tensor((n, 256), dtype="float32") = R.matmul(lv14, lv13, out_dtype="float32")
            lv16: R.Tensor((1, n, 256), dtype="float32") = R.reshape(lv15, R.shape([1, n, 256]))
            lv17: R.Tensor((1, n, 4, 64), dtype="float32") = R.reshape(lv16, R.shape([1, n, 4, 64]))
            lv18: R.Tensor((1, 4, n, 64), dtype="float32") = R.permute_dims(lv17, axes=[0, 2, 1, 3])
            lv19: R.Tuple(R.Tensor((1, 4, n, 32), dtype="float32"), R.Tensor((1, 4, n, 32), dtype="float32")) = R.split(
                lv18, indices_or_sections=[32], axis=-1
            )
            lv20: R.Tensor((1, 4, n, 32), dtype="float32") = lv19[0]
            lv21: R.Tensor((1, 4, n, 32), dtype="float32") = lv19[1]
            lv22: R.Tensor((1, 4, n, 64), dtype="float32") = R.multiply(lv18, lv11)
            lv23: R.Tensor((1, 4, n, 32), dtype="float32") = R.negative(lv21)
            lv24: R.Tensor((1, 4, n, 64), dtype="float32") = R.concat((lv23, lv20), axis=-1)
            lv25: R.Tensor((1, 4, n, 64), dtype="float32") = R.multiply(lv24, lv12)
            lv26: R.Tensor((1, 4, n, 64), dtype="float32") = R.add(lv22, lv25)
            lv27: R.Tensor((256, 128), dtype="float32") = R.permute_dims(p_k_weight, axes=[1, 0])
            lv28: R.Tensor((n, 256), dtype="float32") = R.reshape(lv5, R.shape([n, 256]))
            lv29: R.Tensor((n, 128), dtype="float32") = R.matmul(lv28, lv27, out_dtype="float32")
            lv30: R.Tensor((1, n, 128), dtype="float32") = R.reshape(lv29, R.shape([1, n, 128]))
            lv31: R.Tensor((1, n, 2, 64), dtype="float32") = R.reshape(lv30, R.shape([1, n, 2, 64]))
            lv32: R.Tensor((1, 2, n, 64), dtype="float32") = R.permute_dims(lv31, axes=[0, 2, 1, 3])
            lv33: R.Tuple(R.Tensor((1, 2, n, 32), dtype="float32"), R.Tensor((1, 2, n, 32), dtype="float32")) = R.split(
                lv32, indices_or_sections=[32], axis=-1
            )
            lv34: R.Tensor((1, 2, n, 32), dtype="float32") = lv33[0]
            lv35: R.Tensor((1, 2, n, 32), dtype="float32") = lv33[1]
            lv36: R.Tensor((1, 2, n, 64), dtype="float32") = R.multiply(lv32, lv11)
            lv37: R.Tensor((1, 2, n, 32), dtype="float32") = R.negative(lv35)
            lv38: R.Tensor((1, 2, n, 64), dtype="float32") = R.concat((lv37, lv34), axis=-1)
            lv39: R.Tensor((1, 2, n, 64), dtype="float32") = R.multiply(lv38, lv12)
            lv40: R.Tensor((1, 2, n, 64), dtype="float32") = R.add(lv36, lv39)
            lv41: R.Tensor((1, 2, 1, n, 64), dtype="float32") = R.expand_dims(lv40, axis=[2])
            lv42: R.Tensor((1, 2, 2, n, 64), dtype="float32") = R.broadcast_to(lv41, R.shape([1, 2, 2, n, 64]))
            lv43: R.Tensor((1, 4, n, 64), dtype="float32") = R.reshape(lv42, R.shape([1, 4, n, 64]))
            lv44: R.Tensor((256, 128), dtype="float32") = R.permute_dims(p_v_weight, axes=[1, 0])
            lv45: R.Tensor((n, 256), dtype="float32") = R.reshape(lv5, R.shape([n, 256]))
            lv46: R.Tensor((n, 128), dtype="float32") = R.matmul(lv45, lv44, out_dtype="float32")
            lv47: R.Tensor((1, n, 128), dtype="float32") = R.reshape(lv46, R.shape([1, n, 128]))
            lv48: R.Tensor((1, n, 2, 64), dtype="float32") = R.reshape(lv47, R.shape([1, n, 2, 64]))
            lv49: R.Tensor((1, 2, n, 64), dtype="float32") = R.permute_dims(lv48, axes=[0, 2, 1, 3])
            lv50: R.Tensor((1, 2, 1, n, 64), dtype="float32") = R.expand_dims(lv49, axis=[2])
            lv51: R.Tensor((1, 2, 2, n, 64), dtype="float32") = R.broadcast_to(lv50, R.shape([1, 2, 2, n, 64]))
            lv52: R.Tensor((1, 4, n, 64), dtype="float32") = R.reshape(lv51, R.shape([1, 4, n, 64]))
            lv53: R.Tensor((1, 4, 64, n), dtype="float32") = R.permute_dims(lv43, axes=[0, 1, 3, 2])
            lv54: R.Tensor((1, 4, n, 64), dtype="float32") = R.broadcast_to(lv26, R.shape([1, 4, n, 64]))
            lv55: R.Tensor((4, n, 64), dtype="float32") = R.reshape(lv54, R.shape([4, n, 64]))
            lv56: R.Tensor((1, 4, 64, n), dtype="float32") = R.broadcast_to(lv53, R.shape([1, 4, 64, n]))
            lv57: R.Tensor((4, 64, n), dtype="float32") = R.reshape(lv56, R.shape([4, 64, n]))
            lv58: R.Tensor((4, n, n), dtype="float32") = R.matmul(lv55, lv57, out_dtype="float32")
            lv59: R.Tensor((1, 4, n, n), dtype="float32") = R.reshape(lv58, R.shape([1, 4, n, n]))
            lv60: R.Tensor((1, 4, n, n), dtype="float32") = R.divide(lv59, R.const(8.0, "float32"))
            lv61: R.Tensor((n,), dtype="int64") = R.arange(0, n, 1, dtype="int64")
            lv62: R.Tensor((n, 1), dtype="int64") = R.expand_dims(lv61, axis=[1])
            lv63: R.Tensor((1, n), dtype="int64") = R.expand_dims(lv61, axis=[0])
            lv64: R.Tensor((n, n), dtype="bool") = R.greater_equal(lv62, lv63)
            lv65: R.Tensor((1, 4, n, n), dtype="float32") = R.where(lv64, lv60, R.const("-inf", "float32"))
            lv66: R.Tensor((1, 4, n, n), dtype="float32") = R.nn.softmax(lv65, axis=-1)
            lv67: R.Tensor((1, 4, n, n), dtype="float32") = R.broadcast_to(lv66, R.shape([1, 4, n, n]))
            lv68: R.Tensor((4, n, n), dtype="float32") = R.reshape(lv67, R.shape([4, n, n]))
            lv69: R.Tensor((1, 4, n, 64), dtype="float32") = R.broadcast_to(lv52, R.shape([1, 4, n, 64]))
            lv70: R.Tensor((4, n, 64), dtype="float32") = R.reshape(lv69, R.shape([4, n, 64]))
            lv71: R.Tensor((4, n, 64), dtype="float32") = R.matmul(lv68, lv70, out_dtype="float32")
            lv72: R.Tensor((1, 4, n, 64), dtype="float32") = R.reshape(lv71, R.shape([1, 4, n, 64]))
            lv73: R.Tensor((1, n, 4, 64), dtype="float32") = R.permute_dims(lv72, axes=[0, 2, 1, 3])
            lv74: R.Tensor((1, n, 256), dtype="float32") = R.reshape(lv73, R.shape([1, n, 256]))
            lv75: R.Tensor((256, 256), dtype="float32") = R.permute_dims(p_o_weight, axes=[1, 0])
            lv76: R.Tensor((n, 256), dtype="float32") = R.reshape(lv74, R.shape([n, 256]))
            lv77: R.Tensor((n, 256), dtype="float32") = R.matmul(lv76, lv75, out_dtype="float32")
            lv78: R.Tensor((1, n, 256), dtype="float32") = R.reshape(lv77, R.shape([1, n, 256]))
            lv79: R.Tensor((1, n, 256), dtype="float32") = R.add(x, lv78)
            lv80: R.Tensor((1, n, 256), dtype="float32") = R.multiply(lv79, lv79)
            lv81: R.Tensor((1, n, 1), dtype="float32") = R.mean(lv80, axis=[-1], keepdims=True)
            lv82: R.Tensor((1, n, 1), dtype="float32") = R.add(lv81, R.const(9.9999997473787516e-06, "float32"))
            lv83: R.Tensor((1, n, 1), dtype="float32") = R.rsqrt(lv82)
            lv84: R.Tensor((1, n, 256), dtype="float32") = R.multiply(lv79, lv83)
            lv85: R.Tensor((1, n, 256), dtype="float32") = R.multiply(lv84, p_norm2_scale)
            lv86: R.Tensor((256, 688), dtype="float32") = R.permute_dims(p_gate_weight, axes=[1, 0])
            lv87: R.Tensor((n, 256), dtype="float32") = R.reshape(lv85, R.shape([n, 256]))
            lv88: R.Tensor((n, 688), dtype="float32") = R.matmul(lv87, lv86, out_dtype="float32")
            lv89: R.Tensor((1, n, 688), dtype="float32") = R.reshape(lv88, R.shape([1, n, 688]))
            lv90: R.Tensor((1, n, 688), dtype="float32") = R.sigmoid(lv89)
            lv91: R.Tensor((1, n, 688), dtype="float32") = R.multiply(lv89, lv90)
            lv92: R.Tensor((256, 688), dtype="float32") = R.permute_dims(p_up_weight, axes=[1, 0])
            lv93: R.Tensor((n, 256), dtype="float32") = R.reshape(lv85, R.shape([n, 256]))
            lv94: R.Tensor((n, 688), dtype="float32") = R.matmul(lv93, lv92, out_dtype="float32")
            lv95: R.Tensor((1, n, 688), dtype="float32") = R.reshape(lv94, R.shape([1, n, 688]))
            lv96: R.Tensor((1, n, 688), dtype="float32") = R.multiply(lv91, lv95)
            lv97: R.Tensor((688, 256), dtype="float32") = R.permute_dims(p_down_weight, axes=[1, 0])
            lv98: R.Tensor((n, 688), dtype="float32") = R.reshape(lv96, R.shape([n, 688]))
            lv99: R.Tensor((n, 256), dtype="float32") = R.matmul(lv98, lv97, out_dtype="float32")
            lv100: R.Tensor((1, n, 256), dtype="float32") = R.reshape(lv99, R.shape([1, n, 256]))
            lv101: R.Tensor((1, n, 256), dtype="float32") = R.add(lv79, lv100)
            gv: R.Tuple(R.Tensor((1, n, 256), dtype="float32")) = (lv101,)
            R.output(gv)
        return gv


# Metadata omitted. Use show_meta=True in script() method to show it.
