"""Writes the last checkpoints of a training as LiteRT files with float16 weights.

`python -m tools.train.export OUT FOLDER`
"""

from __future__ import annotations

import argparse
from pathlib import Path

import keras
import tensorflow as tf

from tools.train.net import make_crop_net, make_net


def exported(checkpoints: Path, model: keras.Model) -> bytes:
    """The weights of a training's directory as a LiteRT file; views and batches may have any size."""
    checkpoint = tf.train.latest_checkpoint(str(checkpoints))
    if checkpoint is None:
        raise SystemExit(f"{checkpoints} has no checkpoint")
    tf.train.Checkpoint(model=model).restore(checkpoint).expect_partial()
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_types = [tf.float16]
    return bytes(converter.convert())


def main() -> None:
    """Convert both networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    (options.folder / "card_finder.tflite").write_bytes(exported(options.out / "views", make_net(batch=1)))
    (options.folder / "card_crops.tflite").write_bytes(exported(options.out / "crops", make_crop_net(batch=1)))


if __name__ == "__main__":
    main()
