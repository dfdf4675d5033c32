"""Right uses of the built-in ops, at random: losses, normalisation, windows, images."""

from pieces import (
    broadcastables,
    dim,
    flag,
    like,
    rows,
    shape,
    V,
)


def softmax_loss(r):
    to = [dim(r), dim(r)]
    return {}, [to, to] if flag(r) else broadcastables(r, to)


def bias_add(r):
    form = r.choice(["NHWC", "NCHW"])
    of = shape(r, 2 if form == "NHWC" else 3)
    return {"data_format": form}, [of, [of[-1 if form == "NHWC" else 1]]]


def bias_add_grad(r):
    attrs, args = bias_add(r)
    return attrs, args[:1]


def bias_add_v1(r):
    of = shape(r, 2)
    return {}, [of, of[-1:]]


def batch_norm_grad(r, forms=("NHWC", "NCHW", "NDHWC", "NCDHW")):
    form = r.choice(forms)
    of = [dim(r) for _ in form]
    channels = [of[form.index("C")]]
    return {"data_format": form, "is_training": flag(r)}, [of, of] + [channels] * 3 + [[dim(r)]]


def batch_norm(r, forms=("NHWC", "NCHW", "NDHWC", "NCDHW")):
    attrs, (of, _, *channels, _) = batch_norm_grad(r, forms)
    return attrs | {"exponential_avg_factor": r.choice([1.0, 0.5])}, [of, *channels, channels[0]]


def image_norm(r):
    return batch_norm(r, ("NHWC", "NCHW"))


def image_norm_grad(r):
    attrs, args = batch_norm_grad(r, ("NHWC", "NCHW"))
    return attrs, args[:-1]


class Window:
    """An image or volume of a data format, and what slides over it."""

    def __init__(self, r, forms, explicit=False):
        self.form = r.choice(forms)
        self.count = 3 if "D" in self.form else 2
        self.dims = [r.randint(0, 9) for _ in range(self.count)]
        self.sizes = [r.randint(1, 4) for _ in range(self.count)]
        padding = r.choice(["SAME", "VALID"] + ["EXPLICIT"] * explicit)
        strides = [r.randint(1, 3) for _ in range(self.count)]
        self.attrs = {"strides": self.place(1, strides, 1), "padding": padding, "data_format": self.form}
        if padding == "EXPLICIT":
            edges = [[r.randint(0, 3), r.randint(0, 3)] for _ in range(self.count)]
            self.attrs["explicit_paddings"] = sum(self.place([0, 0], edges, [0, 0]), [])

    def place(self, batch, spatial, channels):
        return [batch, channels] + spatial if self.form[:2] == "NC" else [batch] + spatial + [channels]

    def dilate(self, r):
        self.attrs["dilations"] = self.place(1, [r.choice([1, 1, 2, 3]) for _ in range(self.count)], 1)


def conv(*forms, explicit=False, depthwise=False):
    def generate(r):
        w = Window(r, forms, explicit)
        w.dilate(r)
        groups, depth = r.choice([1, 1, 2, 3]), r.randint(1, 3)
        channels, out = (depth, dim(r)) if depthwise else (groups * depth, groups * r.randint(0, 3))
        return w.attrs, [w.place(dim(r), w.dims, channels), w.sizes + [depth, out]]

    return generate


conv2d = conv("NHWC", "NCHW", explicit=True)
depthwise = conv("NHWC", "NCHW", explicit=True, depthwise=True)
conv3d = conv("NDHWC", "NCDHW")


def conv2d_input_grad(r):
    attrs, (image, filter_) = conv2d(r)
    nhwc = attrs["data_format"] == "NHWC"
    out = [image[0], dim(r), dim(r), filter_[3]] if nhwc else [image[0], filter_[3], dim(r), dim(r)]
    return attrs, [V(image if r.random() < 0.8 else image[1:3]), filter_, out]


def gradient(generate, spelled_one):
    """Of input or filter, whose shape is a value, by an output gradient of the same rank."""

    def generate_gradient(r):
        attrs, args = generate(r)
        args[spelled_one] = V(args[spelled_one])
        return attrs, args + [shape(r, len(args[1 - spelled_one]), len(args[1 - spelled_one]))]

    return generate_gradient


def pool(*forms, explicit=False, channels=False, has_format=True):
    def generate(r):
        w = Window(r, forms, explicit)
        w.attrs["ksize"] = w.place(1, w.sizes, r.randint(1, 2) if channels and r.random() < 0.2 else 1)
        if not has_format:
            w.attrs.pop("data_format")
        return w.attrs, [w.place(dim(r), w.dims, dim(r)) + [4] * ("VECT" in w.form)]

    return generate


def max_pool_grad(r):
    attrs, (of,) = pool("NHWC", "NCHW", explicit=True)(r)
    return attrs, [of, shape(r, 4, 4), shape(r, 4, 4)]


def max_pool_v2(*forms, gradients=0):
    """Sizes and strides are inputs; `gradients` inputs of rank 4 stand before them."""

    def generate(r):
        attrs, args = pool(*forms, channels=True)(r)
        window = [V(attrs.pop("ksize")), V(attrs.pop("strides"))]
        return attrs, args + [shape(r, 4, 4)] * gradients + window

    return generate


def pooled(r, of, sizes, strides, padding):
    return [-(-d // s) if padding == "SAME" else (d - k + s) // s for d, k, s in zip(of, sizes, strides)]


def max_pool_grad_grad(r):
    attrs, (of,) = pool("NHWC", "NCHW", channels=True)(r)
    return attrs, [of, pooled(r, of, attrs["ksize"], attrs["strides"], attrs["padding"]), of]


def max_pool_grad_grad_v2(r):
    attrs, args = max_pool_grad_grad(r)
    return attrs, args + [V(attrs.pop("ksize")), V(attrs.pop("strides"))]


def max_pool_grad_with_argmax(r):
    attrs, (of,) = pool("NHWC", has_format=False)(r)
    return attrs, [of, shape(r, 4, 4), shape(r, 4, 4)]


def avg_pool_grad(r):
    attrs, (of,) = pool("NHWC", "NCHW")(r)
    return attrs, [V(of), shape(r, 4, 4)]


def size(r):
    return V([r.randint(0, 9), r.randint(0, 9)])


def crop_and_resize(r):
    n = dim(r)
    return {}, [shape(r, 4, 4), [n, 4], [n], size(r)]


GENERATORS = {
    "SoftmaxCrossEntropyWithLogits": softmax_loss,
    "SparseSoftmaxCrossEntropyWithLogits": rows("n?", "n"),
    "BiasAdd": bias_add,
    "BiasAddGrad": bias_add_grad,
    "BiasAddV1": bias_add_v1,
    "FusedBatchNorm": image_norm,
    "FusedBatchNormV2": image_norm,
    "FusedBatchNormGrad": image_norm_grad,
    "FusedBatchNormGradV2": image_norm_grad,
    "FusedBatchNormV3": batch_norm,
    "FusedBatchNormGradV3": batch_norm_grad,
    "Conv2D": conv2d,
    "Conv2DBackpropInput": conv2d_input_grad,
    "Conv2DBackpropFilter": gradient(conv2d, 1),
    "DepthwiseConv2dNative": depthwise,
    "DepthwiseConv2dNativeBackpropInput": gradient(depthwise, 0),
    "DepthwiseConv2dNativeBackpropFilter": gradient(depthwise, 1),
    "Conv3D": conv3d,
    "Conv3DBackpropInputV2": gradient(conv3d, 0),
    "Conv3DBackpropFilterV2": gradient(conv3d, 1),
    "MaxPool": pool("NHWC", "NCHW", "NCHW_VECT_C", explicit=True, channels=True),
    "MaxPoolGrad": max_pool_grad,
    "MaxPoolV2": max_pool_v2("NHWC", "NCHW", "NCHW_VECT_C"),
    "MaxPoolGradV2": max_pool_v2("NHWC", "NCHW", gradients=2),
    "MaxPoolGradGrad": max_pool_grad_grad,
    "MaxPoolGradGradV2": max_pool_grad_grad_v2,
    "MaxPoolGradWithArgmax": max_pool_grad_with_argmax,
    "MaxPoolWithArgmax": pool("NHWC", channels=True, has_format=False),
    "MaxPool3D AvgPool3D": pool("NDHWC", "NCDHW"),
    "AvgPool": pool("NHWC", "NCHW"),
    "AvgPoolGrad": avg_pool_grad,
    "LRN": rows("????"),
    "ResizeBilinear ResizeBicubic ResizeNearestNeighbor ResizeArea ResizeNearestNeighborGrad":
        lambda r: ({}, [shape(r, 4, 4), size(r)]),
    "CropAndResize": crop_and_resize,
    "AdjustContrastv2 AdjustHue AdjustSaturation": like(3, []),
    "RGBToHSV HSVToRGB": lambda r: ({}, [shape(r, 0, 4) + [3]]),
}  # fmt: skip
