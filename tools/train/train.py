"""Trains the card finder from scratch on synthetic tables, or goes on from the last checkpoint.

`python -m tools.train.train OUT [--go-on]`; pictures come from a process that it starts.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections import OrderedDict
from datetime import datetime
from multiprocessing.context import SpawnProcess
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

from tools.train.net import loss_of, make_net
from tools.train.shards import Shard, read_shard, shard_path, write_shards
from tools.train.targets import batch_of

_STEPS, _BATCH, _RATE = 90_000, 8, 2e-3
_STEPS_A_SHARD = 128  # 1,024 examples from each 256 new pictures
_POOL = 32  # shards in memory: 8,192 pictures
_FIRST = 3  # shards before the first step
_SAVE_SECONDS = 120


class Pool:
    """The newest shards that belong to a step; waits for the generator where that is late."""

    def __init__(self, directory: Path, generator: SpawnProcess) -> None:
        self._directory, self._generator = directory, generator
        self._shards: OrderedDict[int, Shard] = OrderedDict()

    def at(self, step: int) -> list[Shard]:
        """Shards for a step: which ones depends on the step alone."""
        newest = _FIRST + step // _STEPS_A_SHARD
        if newest not in self._shards:
            (self._directory / "needed").write_text(str(newest))
            for index in range(max(0, newest - _POOL + 1), newest + 1):
                if index not in self._shards:
                    self._shards[index] = self._wait_for(shard_path(self._directory, index))
            while len(self._shards) > _POOL:
                shard_path(self._directory, self._shards.popitem(last=False)[0]).unlink(missing_ok=True)
        return list(self._shards.values())

    def _wait_for(self, path: Path) -> Shard:
        while not path.exists():
            if not self._generator.is_alive():
                raise SystemExit("the generator of pictures has stopped")
            time.sleep(0.5)
        return read_shard(path)


def _time_of_day(text: str) -> float:
    """Seconds since 1970 of hh:mm today."""
    hour, minute = map(int, text.split(":"))
    return datetime.now().replace(hour=hour, minute=minute, second=0).timestamp()


def _train(options: argparse.Namespace, pool: Pool) -> None:
    model, step = make_net(), tf.Variable(0, dtype=tf.int64)
    optimizer = keras.optimizers.AdamW(options.rate, weight_decay=1e-4, clipnorm=2.0)
    optimizer.build(model.trainable_variables)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
    saved = tf.train.CheckpointManager(checkpoint, str(options.out / "checkpoints"), 2)
    if options.go_on and saved.latest_checkpoint is None:
        raise SystemExit(f"{options.out} has no checkpoint to go on from")
    if options.go_on:
        checkpoint.restore(saved.latest_checkpoint).assert_consumed()
    print(f"{model.count_params()} parameters, from step {int(step)}", flush=True)

    def learn(views: tf.Tensor, aspects: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss, parts = loss_of(model([views, aspects], training=True), targets, aspects)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return tf.concat([[loss], parts], 0)

    learn_fast, first, recent = tf.function(learn, reduce_retracing=True), int(step), []
    started = last_saved = time.time()
    while True:
        now = int(step)
        done = (time.time() - started) / (options.until - started) if options.until else now / options.steps
        if done >= 1:
            break
        # Warms up in 100 steps and falls along a cosine to a hundredth.
        rate = options.rate * min(1, (now - first + 1) / 100) * (0.505 + 0.495 * np.cos(np.pi * done))
        optimizer.learning_rate.assign(rate)
        batch = batch_of(np.random.default_rng((options.seed, 4, now)), pool.at(now), _BATCH)
        recent.append(learn_fast(*map(tf.constant, batch)).numpy())
        step.assign_add(1)
        if now % 100 == 99:
            losses = " ".join(f"{value:.4f}" for value in np.mean(recent, 0))
            print(f"step {now + 1}, {(time.time() - started) / 60:.1f} min, {100 * done:.0f} %: {losses}", flush=True)
            recent.clear()
        if time.time() - last_saved > _SAVE_SECONDS:
            saved.save()
            last_saved = time.time()
    saved.save()


def main() -> None:
    """Train; the last checkpoint in OUT has the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="directory of pictures and checkpoints")
    parser.add_argument("--steps", type=int, default=_STEPS)
    parser.add_argument("--until", type=_time_of_day, help="hh:mm at which the schedule ends instead of --steps")
    parser.add_argument("--rate", type=float, default=_RATE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--go-on", action="store_true", help="continue from the last checkpoint in OUT")
    options = parser.parse_args()
    keras.utils.set_random_seed(options.seed)
    pictures = options.out / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    # Daemons end with this process; a fresh interpreter, because TensorFlow does not survive a fork.
    generator = multiprocessing.get_context("spawn").Process(
        target=write_shards, args=(pictures, options.seed), daemon=True
    )
    generator.start()
    _train(options, Pool(pictures, generator))


if __name__ == "__main__":
    main()
