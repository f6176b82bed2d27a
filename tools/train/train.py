"""Trains the networks from scratch on synthetic tables, or goes on from the last checkpoint.

`python -m tools.train.train OUT [--go-on]`
"""

from __future__ import annotations

import argparse
import os
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from tools.train.net import crop_loss_of, loss_of, make_crop_net, make_net
from tools.train.shards import Shard, make_shard
from tools.train.targets import batch_of

_STEPS, _BATCH, _CROPS, _RATE = 25_000, 8, 6, 2e-3  # a batch is of views, each with so many crops
_STEPS_A_SHARD = 128  # 1,024 views from each 128 new pictures
_POOL = 48  # shards in memory: 6,144 pictures, 3 GB
_FIRST, _AHEAD = 3, 12  # shards before the first step; that are drawn ahead
_SAVE_SECONDS = 120


class Pool:
    """The newest shards that belong to a step, drawn by another process ahead of time."""

    def __init__(self, seed: int, step: int) -> None:
        # A fresh interpreter, because TensorFlow does not survive a fork.
        self._artist = ProcessPoolExecutor(1, get_context("spawn"))
        self._seed, self._ordered, self._taken = seed, step // _STEPS_A_SHARD, step // _STEPS_A_SHARD
        self._coming, self._shards = deque[Future[Shard]](), deque[Shard](maxlen=_POOL)

    def at(self, step: int) -> list[Shard]:
        """Return the shards for a step."""
        while self._taken <= _FIRST + step // _STEPS_A_SHARD:
            while len(self._coming) < _AHEAD:
                self._coming.append(self._artist.submit(make_shard, self._seed, self._ordered))
                self._ordered += 1
            self._shards.append(self._coming.popleft().result())
            self._taken += 1
        return list(self._shards)

    def close(self) -> None:
        """Stop drawing."""
        self._artist.shutdown(wait=False, cancel_futures=True)


class Learner:
    """A network with its loss, its optimizer and its checkpoints in OUT/NAME."""

    def __init__(self, name: str, model: keras.Model, loss: Callable[..., Any], options: argparse.Namespace) -> None:
        self.name, self.model, self.recent = name, model, list[Any]()
        self.step = tf.Variable(0, dtype=tf.int64)
        self.optimizer = keras.optimizers.AdamW(_RATE, weight_decay=1e-4, clipnorm=2.0)
        self.optimizer.build(model.trainable_variables)
        checkpoint = tf.train.Checkpoint(model=model, optimizer=self.optimizer, step=self.step)
        self._saved = tf.train.CheckpointManager(checkpoint, str(options.out / name), 2)
        if options.go_on and self._saved.latest_checkpoint:
            checkpoint.restore(self._saved.latest_checkpoint).assert_consumed()

        def learn(inputs: list[tf.Tensor], targets: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                loss_value, parts = loss(model(inputs, training=True), targets, *inputs[1:])
            gradients = tape.gradient(loss_value, model.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return tf.concat([[loss_value], parts], 0)

        self._learn = tf.function(learn, reduce_retracing=True)
        print(f"{name}: {model.count_params()} parameters, from step {int(self.step)}", flush=True)

    def learn(self, inputs: list[NDArray[np.float32]], targets: NDArray[np.float32], rate: float) -> None:
        """Take one step."""
        self.optimizer.learning_rate.assign(rate)
        self.recent.append(self._learn([tf.constant(one) for one in inputs], tf.constant(targets)).numpy())
        self.step.assign_add(1)

    def report(self) -> str:
        """Mean loss and its parts since the last report."""
        losses = " ".join(f"{value:.4f}" for value in np.mean(self.recent, 0))
        self.recent.clear()
        return f"{self.name} {losses}"

    def save(self) -> None:
        """Write a checkpoint."""
        self._saved.save()


def _train(options: argparse.Namespace) -> None:
    views = Learner("views", make_net(), loss_of, options)
    crops = Learner("crops", make_crop_net(), crop_loss_of, options)
    now = first = int(views.step)
    pool = Pool(options.seed, now)
    started = last_saved = time.time()
    while now < options.steps:
        done = now / options.steps
        # Warms up in 100 steps and falls along a cosine to a hundredth.
        rate = _RATE * min(1, (now - first + 1) / 100) * (0.505 + 0.495 * np.cos(np.pi * done))
        batch = batch_of(np.random.default_rng((options.seed, 4, now)), pool.at(now), _BATCH, _CROPS)
        views.learn([batch.views, batch.aspects], batch.cells, rate)
        crops.learn([batch.crops], batch.crop_cells, rate)
        now += 1
        if now % 100 == 0:
            minutes = (time.time() - started) / 60
            losses = f"{views.report()}; {crops.report()}"
            print(f"step {now}, {minutes:.1f} min, {100 * done:.0f} %: {losses}", flush=True)
        if time.time() - last_saved > _SAVE_SECONDS or now == options.steps:
            views.save()
            crops.save()
            last_saved = time.time()
    pool.close()


def main() -> None:
    """Train; the last checkpoint in OUT has the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="directory of checkpoints")
    parser.add_argument("--steps", type=int, default=_STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--go-on", action="store_true", help="continue from the last checkpoint in OUT")
    options = parser.parse_args()
    keras.utils.set_random_seed(options.seed)
    keras.mixed_precision.set_global_policy("mixed_bfloat16")  # a quarter less time a step
    options.out.mkdir(parents=True, exist_ok=True)
    _train(options)


if __name__ == "__main__":
    main()
