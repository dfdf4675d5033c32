"""A training loop of Keras, for training.py: python train.py (dense|conv) DEVICE STEPS.

Prints JSON: the losses of STEPS steps, which ops a step runs on which device, where variables are and what
became of them. The plugin is expected where TensorFlow finds it by itself.
"""

import collections
import json
import sys

import keras
import numpy
import tensorflow
from tensorflow.python.eager import context

BATCH = 64


def dense():
    return (20,), 4, [keras.layers.Dense(32, activation="relu"), keras.layers.Dropout(0.25, seed=3),
                      keras.layers.Dense(16, activation="gelu"), keras.layers.Dense(4)]


def conv():
    return (12, 12, 3), 3, [keras.layers.Conv2D(8, 3, activation="relu"), keras.layers.BatchNormalization(),
                            keras.layers.MaxPooling2D(), keras.layers.Conv2D(8, 3, padding="same", strides=2),
                            keras.layers.Activation("tanh"), keras.layers.GlobalAveragePooling2D(),
                            keras.layers.Dense(3)]


def ops_of(metadata):
    """{device: {op: how often}} of the graphs that a step ran, as they were when they ran."""
    found = collections.defaultdict(collections.Counter)
    for graphs in metadata.function_graphs:
        nodes = [node for graph in graphs.partition_graphs for node in graph.node]
        # Others make variables, once.
        if any(node.op == "SparseSoftmaxCrossEntropyWithLogits" for node in nodes):
            for node in nodes:
                found[node.device.rsplit("device:", 1)[-1]][node.op] += 1
    return found


def main(kind, device, steps):
    shape, classes, layers = globals()[kind]()
    random = numpy.random.default_rng(7)
    x = random.normal(size=(BATCH, *shape)).astype("float32")
    y = random.integers(0, classes, BATCH)
    with tensorflow.device(device):
        keras.utils.set_random_seed(1)
        model = keras.Sequential(layers)
        model.compile(optimizer=keras.optimizers.Adam(0.01), metrics=["accuracy"], jit_compile=False,
                      loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.build((None, *shape))
        for i, variable in enumerate(model.trainable_variables):
            variable.assign(numpy.random.default_rng(i).normal(size=variable.shape) * 0.2)
        context.context().enable_graph_collection()
        losses = [float(model.train_on_batch(x, y)[0])]
        metadata = context.context().export_run_metadata()
        context.context().disable_graph_collection()
        losses += [float(model.train_on_batch(x, y)[0]) for _ in range(steps - 1)]
    print(json.dumps({"losses": losses, "ops": ops_of(metadata), "version": tensorflow.__version__,
                      "variables": model.trainable_variables[0].value.device,
                      "weights": [v.numpy().tolist() for v in model.trainable_variables]}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
