"""Writes the last checkpoints of a training as LiteRT files with int8 weights and activations.

`python -m tools.train.export OUT FOLDER`; a network without a checkpoint in OUT keeps its file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from tools.train.net import make_crop_net, make_net
from tools.train.shards import make_shard
from tools.train.targets import batch_of

_SEED, _PICTURES = 1, 64  # pictures that show the range of each activation
_LAST = "StatefulPartitionedCall_1:0"  # the last layer stays float32: its channels differ in range


def exported(checkpoint: str, model: keras.Model, examples: list[list[NDArray[np.float32]]]) -> bytes:
    """Return the weights of a checkpoint as a LiteRT file; views and batches may have any size."""
    tf.train.Checkpoint(model=model).restore(checkpoint).expect_partial()
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: iter(examples)
    quantizer = tf.lite.experimental.QuantizationDebugger(
        converter=converter, debug_dataset=lambda: iter(examples),
        debug_options=tf.lite.experimental.QuantizationDebugOptions(denylisted_nodes=[_LAST]),
    )  # fmt: skip
    return bytes(quantizer.get_nondebug_quantized_model())


def main() -> None:
    """Convert both networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    batch = batch_of(np.random.default_rng(_SEED), [make_shard(_SEED, 0, _PICTURES)], _PICTURES, 4)
    views = [[batch.aspects[i : i + 1], batch.views[i : i + 1]] for i in range(len(batch.views))]
    crops = [[crop[None]] for crop in batch.crops]
    for name, model, examples, file in (
        ("views", make_net(batch=1), views, "card_finder"), ("crops", make_crop_net(batch=1), crops, "card_crops")
    ):  # fmt: skip
        checkpoint = tf.train.latest_checkpoint(str(options.out / name))
        if checkpoint is not None:
            (options.folder / f"{file}.tflite").write_bytes(exported(checkpoint, model, examples))


if __name__ == "__main__":
    main()
