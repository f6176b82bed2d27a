"""Trains the card finder from scratch on synthetic tables, or goes on from a checkpoint.

`python -m tools.train.train OUT` starts the generator beside it; `--go-on` continues the run in OUT.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import OrderedDict
from datetime import datetime
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

from tools.train.net import loss_of, make_net
from tools.train.shards import Shard, read_shard, shard_path
from tools.train.targets import batch_of

STEPS = 45_000
BATCH = 8
_RATE = 2e-3
_STEPS_A_SHARD = 128  # 1,024 examples from each 256 new pictures
_POOL = 32  # shards in memory: 8,192 pictures
_FIRST = 3  # shards before the first step


class Pool:
    """The newest shards that belong to a step; waits for the generator where it is late."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._shards: OrderedDict[int, Shard] = OrderedDict()

    def at(self, step: int) -> list[Shard]:
        """Shards for a step: which ones depends on the step alone."""
        newest = _FIRST + step // _STEPS_A_SHARD
        if newest in self._shards:
            return list(self._shards.values())
        (self._directory / "needed").write_text(str(newest))
        for index in range(max(0, newest - _POOL + 1), newest + 1):
            if index not in self._shards:
                self._shards[index] = self._wait_for(shard_path(self._directory, index))
        while len(self._shards) > _POOL:
            old, _ = self._shards.popitem(last=False)
            shard_path(self._directory, old).unlink(missing_ok=True)
        return list(self._shards.values())

    @staticmethod
    def _wait_for(path: Path) -> Shard:
        while not path.exists():
            time.sleep(0.5)
        return read_shard(path)


class Schedule:
    """Learning rate: 100 steps of warming up, then a cosine down to a hundredth, by steps or by time of day."""

    def __init__(self, rate: float, first: int, steps: int, until: float | None) -> None:
        self._rate, self._first, self._steps = rate, first, steps
        self._until, self._started = until, time.time()

    def done(self, step: int) -> float:
        """Share of the schedule that is behind, 0..1."""
        if self._until is not None:
            return min(1.0, (time.time() - self._started) / max(1.0, self._until - self._started))
        return min(1.0, step / self._steps)

    def rate(self, step: int) -> float:
        """Learning rate of a step."""
        warm = min(1.0, (step - self._first + 1) / 100)
        return float(self._rate * warm * (0.01 + 0.99 * (0.5 + 0.5 * np.cos(np.pi * self.done(step)))))


def _time_of_day(text: str) -> float:
    """Seconds since 1970 of hh:mm today."""
    hour, minute = text.split(":")
    return datetime.now().replace(hour=int(hour), minute=int(minute), second=0).timestamp()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="directory of pictures, checkpoints and weights")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--until", type=_time_of_day, help="hh:mm at which the schedule ends instead of --steps")
    parser.add_argument("--rate", type=float, default=_RATE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--go-on", action="store_true", help="continue from the last checkpoint in OUT")
    parser.add_argument("--no-generator", action="store_true", help="pictures come from a process started elsewhere")
    return parser.parse_args()


def _train(options: argparse.Namespace) -> None:
    model = make_net()
    optimizer = keras.optimizers.AdamW(options.rate, weight_decay=1e-4, clipnorm=2.0)
    optimizer.build(model.trainable_variables)
    step = tf.Variable(0, dtype=tf.int64)
    saved = tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=optimizer, step=step), str(options.out / "checkpoints"), 2
    )
    if options.go_on:
        if saved.latest_checkpoint is None:
            raise SystemExit(f"{options.out} has no checkpoint to go on from")
        saved.checkpoint.restore(saved.latest_checkpoint).assert_consumed()
    print(f"{model.count_params()} parameters, from step {int(step)}", flush=True)

    def learn(views: tf.Tensor, aspects: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss, parts = loss_of(model([views, aspects], training=True), targets, aspects)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return tf.concat([[loss], parts], 0)

    learn_fast = tf.function(learn, reduce_retracing=True)
    pool, schedule = Pool(options.out / "pictures"), Schedule(options.rate, int(step), options.steps, options.until)
    started = last_saved = time.time()
    recent: list[np.ndarray] = []
    while schedule.done(int(step)) < 1:
        optimizer.learning_rate.assign(schedule.rate(int(step)))
        g = np.random.default_rng((options.seed, 4, int(step)))
        recent.append(learn_fast(*map(tf.constant, batch_of(g, pool.at(int(step)), BATCH))).numpy())
        step.assign_add(1)
        if int(step) % 100 == 0:
            parts = " ".join(f"{v:.4f}" for v in np.mean(recent, 0))
            minutes = (time.time() - started) / 60
            print(f"step {int(step)}, {minutes:.1f} min, {100 * schedule.done(int(step)):.0f} %: {parts}", flush=True)
            recent.clear()
        if time.time() - last_saved > 120:
            saved.save()
            last_saved = time.time()
    saved.save()


def main() -> None:
    """Train; the last checkpoint in OUT has the weights."""
    options = _options()
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.utils.set_random_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tools.train.shards", str(options.out / "pictures"), "--seed", str(options.seed)]
    generator = None if options.no_generator else subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _train(options)
    finally:
        if generator is not None:
            generator.terminate()


if __name__ == "__main__":
    main()
