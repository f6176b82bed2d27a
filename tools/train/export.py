"""Writes the last checkpoint of a training as a LiteRT file with float16 weights.

`python -m tools.train.export OUT FILE.tflite`
"""

from __future__ import annotations

import argparse
from pathlib import Path

import tensorflow as tf

from tools.train.net import make_net


def exported(out: Path) -> bytes:
    """The network of a training's directory as a LiteRT file; the view may have any size."""
    checkpoint = tf.train.latest_checkpoint(str(out / "checkpoints"))
    if checkpoint is None:
        raise SystemExit(f"{out} has no checkpoint")
    model = make_net(batch=1)
    tf.train.Checkpoint(model=model).restore(checkpoint).expect_partial()
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_types = [tf.float16]
    return bytes(converter.convert())


def main() -> None:
    """Convert one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    options.file.write_bytes(exported(options.out))


if __name__ == "__main__":
    main()
