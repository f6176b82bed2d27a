"""Trains the networks from scratch on synthetic tables, and writes them as LiteRT files with int8 weights.

`python -m tools.train.train OUT FOLDER`; what a training of the same seed has left in OUT is continued with --go-on.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import deque
from collections.abc import Iterator
from itertools import count
from multiprocessing import Queue, get_context
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from tools.train.net import crop_loss_of, loss_of, make_crop_net, make_net
from tools.train.scenes import Scene, make_shard
from tools.train.targets import Batch, batch_of

_STEPS, _BATCH, _CROPS, _RATE = 25_000, 8, 6, 2e-3  # a batch is of views, each with so many crops
_STEPS_A_SHARD = 128  # 1,024 views from each 128 new pictures
_POOL, _FIRST, _AHEAD = 48, 3, 12  # shards in memory: 6,144 pictures, 3 GB; before the first step; drawn ahead
_REPORT = 100  # steps from line to line and from checkpoint to checkpoint
_EXAMPLE_SEED, _EXAMPLES = 1, 64  # pictures that show the range of each activation
_LAST = "StatefulPartitionedCall_1:0"  # the last layer stays float32: its channels differ in range


def _draw(shards: Queue[Scene], seed: int, first: int) -> None:
    for index in count(first):
        shards.put(make_shard(seed, index))


def _batches(seed: int, first: int, steps: int) -> Iterator[Batch]:
    """Yield the batches of steps; another process draws the pictures ahead of time."""
    context = get_context("spawn")  # TensorFlow does not survive a fork
    coming, shards, taken = context.Queue(_AHEAD), deque[Scene](maxlen=_POOL), first // _STEPS_A_SHARD
    context.Process(target=_draw, args=(coming, seed, taken), daemon=True).start()
    for step in range(first, steps):
        while taken <= _FIRST + step // _STEPS_A_SHARD:
            shards.append(coming.get())
            taken += 1
        yield batch_of(np.random.default_rng((seed, 4, step)), list(shards), _BATCH, _CROPS)


def _trained(views: keras.Model, crops: keras.Model, options: argparse.Namespace) -> None:
    """Train both networks at once; a checkpoint in OUT has weights and the optimizer's state."""
    model = keras.Model([*views.inputs, *crops.inputs], [views.output, crops.output])
    # Warms up in 100 steps and falls along a cosine to a hundredth.
    rate = keras.optimizers.schedules.CosineDecay(0.0, options.steps, 0.01, warmup_target=_RATE, warmup_steps=100)
    optimizer = keras.optimizers.AdamW(rate, weight_decay=1e-4, clipnorm=2.0)
    model.compile(optimizer, [loss_of, crop_loss_of], jit_compile=False)
    optimizer.build(model.trainable_variables)
    saved, begun = options.out / "last.weights.h5", time.time()
    if options.go_on and saved.exists():
        model.load_weights(saved)
    first = int(optimizer.iterations)
    print(f"{model.count_params()} parameters, from step {first}", flush=True)
    for step, batch in enumerate(_batches(options.seed, first, options.steps), first + 1):
        losses = model.train_on_batch([batch.views, batch.aspects, batch.crops], [batch.cells, batch.crop_cells])
        if step % _REPORT == 0 or step == options.steps:
            minutes, values = (time.time() - begun) / 60, " ".join(f"{value:.4f}" for value in losses)
            print(f"step {step}, {minutes:.1f} min, {100 * step / options.steps:.0f} %: losses {values}", flush=True)
            model.reset_metrics()
            model.save_weights(options.out / "next.weights.h5")
            (options.out / "next.weights.h5").replace(saved)


def _exported(model: keras.Model, examples: list[list[NDArray[np.float32]]]) -> bytes:
    """Return a network as a LiteRT file; views and batches may have any size."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: iter(examples)
    settings = tf.lite.experimental.QuantizationDebugOptions(denylisted_nodes=[_LAST])
    quantizer = tf.lite.experimental.QuantizationDebugger(
        converter=converter, debug_dataset=lambda: iter(examples), debug_options=settings
    )
    return bytes(quantizer.get_nondebug_quantized_model())


def main() -> None:
    """Train, and write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="directory of checkpoints")
    parser.add_argument("folder", type=Path, help="directory of both files")
    parser.add_argument("--steps", type=int, default=_STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--go-on", action="store_true", help="continue from the last checkpoint in OUT")
    options = parser.parse_args()
    keras.utils.set_random_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    keras.mixed_precision.set_global_policy("mixed_bfloat16")  # a quarter less time a step
    nets = make_net(), make_crop_net()
    _trained(*nets, options)
    keras.mixed_precision.set_global_policy("float32")
    shard = make_shard(_EXAMPLE_SEED, 0, _EXAMPLES)
    batch = batch_of(np.random.default_rng(_EXAMPLE_SEED), [shard], _EXAMPLES, 4)
    views = [[batch.aspects[i : i + 1], batch.views[i : i + 1]] for i in range(_EXAMPLES)]
    crops = [[crop[None]] for crop in batch.crops]
    written = (make_net(batch=1), views, "card_finder"), (make_crop_net(batch=1), crops, "card_crops")
    for trained, (model, examples, file) in zip(nets, written, strict=True):
        model.set_weights(trained.get_weights())
        (options.folder / f"{file}.tflite").write_bytes(_exported(model, examples))


if __name__ == "__main__":
    main()
