"""The networks: cells of a view vote for the card that they show, cells of a crop for the sides of its card."""

from __future__ import annotations

import keras
import tensorflow as tf

from vision.find.scale import CARD_PX, CHANNELS, CROP_CHANNELS, CROP_PX

layers = keras.layers
_WIDTHS = (16, 24, 48, 80)  # channels at strides 2, 4, 8 and 16
_CROP_WIDTHS = (12, 24, 48, 64)
_CROP_HEAD = 16
_HEAD = 48
_BLOCKS = 4  # at stride 16: cards of 28x40 px and their neighbours are in reach


def _conv(x: keras.KerasTensor, channels: int, stride: int = 1) -> keras.KerasTensor:
    x = layers.Conv2D(channels, 3, stride, "same", use_bias=False)(x)
    return layers.ReLU()(layers.BatchNormalization(momentum=0.97)(x))


def _residual(x: keras.KerasTensor, blocks: int = 1) -> keras.KerasTensor:
    for _ in range(blocks):
        x = layers.Add()([x, _conv(x, x.shape[-1])])
    return x


def _up(x: keras.KerasTensor, skip: keras.KerasTensor) -> keras.KerasTensor:
    """Twice the height and width by `depth_to_space`, which runs on views of any size, plus the finer features."""
    larger = layers.Lambda(lambda y: tf.nn.depth_to_space(y, 2), output_shape=skip.shape[1:])
    return layers.Add()([larger(layers.Conv2D(4 * skip.shape[-1], 1)(x)), skip])


def make_net(height: int | None = None, width: int | None = None, batch: int | None = None) -> keras.Model:
    """From `view` (b, h, w, 4) and `aspect` (b, 1) to (b, h / 4, w / 4, 4 CHANNELS): four cells a place."""
    view = keras.Input((height, width, 4), batch_size=batch, name="view")
    aspect = keras.Input((1,), batch_size=batch, name="aspect")
    half, quarter, eighth, sixteenth = _WIDTHS
    at_4 = _conv(_conv(view, half, 2), quarter, 2)
    at_8 = _conv(at_4, eighth, 2)
    shift = layers.Reshape((1, 1, eighth))(layers.Dense(eighth)(aspect))
    at_8 = _residual(layers.Add()([at_8, shift]))
    x = _residual(_conv(at_8, sixteenth, 2), _BLOCKS)
    x = _residual(_up(x, at_8))
    x = _conv(_up(x, at_4), _HEAD)
    return keras.Model([view, aspect], layers.Conv2D(4 * CHANNELS, 1, dtype="float32")(x))


def make_crop_net(batch: int | None = None) -> keras.Model:
    """From `crop` (b, CROP_PX, CROP_PX, 4) to (b, CROP_PX / 2, CROP_PX / 2, CROP_CHANNELS)."""
    crop = keras.Input((CROP_PX, CROP_PX, 4), batch_size=batch, name="crop")
    half, quarter, eighth, sixteenth = _CROP_WIDTHS
    at_2 = _conv(crop, half, 2)
    at_4 = _residual(_conv(at_2, quarter, 2))
    at_8 = _residual(_conv(at_4, eighth, 2))
    x = _residual(_conv(at_8, sixteenth, 2), 2)
    x = _residual(_up(x, at_8))
    x = _conv(_up(_residual(_up(x, at_4)), at_2), _CROP_HEAD)
    return keras.Model(crop, layers.Conv2D(CROP_CHANNELS, 1, dtype="float32")(x))


def crop_loss_of(target: tf.Tensor, answer: tf.Tensor) -> tf.Tensor:
    """Return the loss of card, distance in px to sides near a cell, and surprise."""
    on, offset = target[..., 0], target[..., 1:3]
    # Each crop counts alike, however little its card shows.
    weight = (target[..., 3] / (tf.reduce_sum(target[..., 3], (1, 2), keepdims=True) + 40))[..., None]
    log_precision = tf.clip_by_value(answer[..., 3:5], -4.0, 2.5)
    off = tf.abs(answer[..., 1:3] * CARD_PX - offset)
    near_side = weight * tf.cast(tf.abs(offset) < 6, tf.float32)
    distance = tf.reduce_sum(near_side * off) / (tf.reduce_sum(near_side) + 1e-3)
    surprise = tf.reduce_sum(weight * (tf.exp(log_precision) * off - log_precision), (1, 2, 3))
    return 8 * _focal(answer[..., 0], on, 1.0) + 0.3 * tf.reduce_mean(surprise) + 0.05 * distance


def loss_of(target: tf.Tensor, answer: tf.Tensor) -> tf.Tensor:
    """Return the loss of card, votes in short sides, surprise, and turns by half and quarter."""
    answer = tf.reshape(answer, tf.concat([tf.shape(target)[:4], [CHANNELS]], 0))
    on, offset, half_turn, quarter_turn, weight, oblong = tf.split(target, (1, 2, 2, 2, 1, 1), -1)
    on, weight, oblong = on[..., 0], weight[..., 0], oblong[..., 0]
    of_cards = on * weight / (tf.reduce_sum(on * weight) + 1e-3)
    residual = answer[..., 1:3] - offset
    # Laplace distribution in two dimensions: the precision is U'U with U = [[a, b], [0, c]].
    log_a, log_c = tf.clip_by_value(answer[..., 3], -2.0, 5.0), tf.clip_by_value(answer[..., 5], -2.0, 5.0)
    u = tf.exp(log_a) * residual[..., 0] + answer[..., 4] * residual[..., 1]
    v = tf.exp(log_c) * residual[..., 1]
    surprise = tf.sqrt(tf.square(u) + tf.square(v) + 1e-4) - log_a - log_c
    half, quarter = _length(answer[..., 6:8] - half_turn), _length(answer[..., 8:10] - quarter_turn)
    card = _focal(answer[..., 0], on, tf.cast(weight > 0, tf.float32))
    return 4 * card + tf.reduce_sum(of_cards * (2 * _length(residual) + 0.3 * surprise + oblong * half + quarter))


def _focal(logit: tf.Tensor, truth: tf.Tensor, weight: tf.Tensor | float) -> tf.Tensor:
    entropy = tf.nn.sigmoid_cross_entropy_with_logits(truth, logit)
    hard = tf.stop_gradient(0.25 + tf.abs(tf.sigmoid(logit) - truth))
    return tf.reduce_mean(entropy * hard * weight)


def _length(off: tf.Tensor) -> tf.Tensor:
    return tf.sqrt(tf.reduce_sum(tf.square(off), -1) + 1e-4)
