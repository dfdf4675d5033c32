"""CropAndResize."""

import numpy

from cases.maker import REALS, dtype_of
from cases.registry import Call, cases

# What the definition allows.
CROPPED = [dtype for dtype in REALS if dtype not in ("uint32", "uint64", "bfloat16")]


def integers(*values):
    return numpy.array(values, "int32")


@cases("CropAndResize", dtypes=CROPPED)
def crop_and_resize(make, op, dtype):
    for method in ("bilinear", "nearest"):
        for channels in (1, 3, 17, 300):
            images = make.array(dtype, [3, 2 + make.below(6), 2 + make.below(6), channels], low=0, high=100)
            count = make.below(5)
            # Corners at eighths of a pixel: TensorFlow's own rounding does not move a sample over an edge.
            corners = make.random.integers(-4, 14, [count, 4]) / 8
            yield Call(op, [images, corners.astype("float32"), make.random.integers(0, 3, count).astype("int32"),
                            integers(1 + make.below(6), 1 + make.below(6))],
                       {"method": method, "extrapolation_value": float(make.below(3))})
    images, box, owner = numpy.ones([2, 4, 5, 3], dtype_of(dtype)), numpy.float32([[0, 0, 1, 1]]), integers(0)
    for inputs, says in [
            ([images[0], box, owner, integers(2, 2)], "must be of rank 4"),
            ([images[:, :0], box, owner, integers(2, 2)], "must be positive"),
            ([images, box[:, :3], owner, integers(2, 2)], "input boxes"),
            ([images, box[0], owner, integers(2, 2)], "input boxes"),
            ([images, box, integers(0, 1), integers(2, 2)], "input box_ind"),
            ([images, box, integers(2), integers(2, 2)], "box_ind[0] is 2"),
            ([images, box, integers(-1), integers(2, 2)], "box_ind[0] is -1"),
            ([images, box, owner, integers(2)], "input crop_size"),
            ([images, box, owner, integers(0, 2)], "must be positive"),
            ([images, box, owner, integers(2, -2)], "must be positive")]:
        yield Call(op, inputs, {}, says)
