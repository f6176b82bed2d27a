"""Sounds of a games table, made from numbers: bells and what is not one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

RATE = 48_000
Sound = npt.NDArray[np.float32]


def silence(seconds: float, rng: np.random.Generator, noise: float = 2e-4) -> Sound:
    return rng.normal(0, noise, round(seconds * RATE)).astype(np.float32)


def decaying(frequencies: list[float], levels: list[float], decays_s: list[float], seconds: float) -> Sound:
    t = np.arange(round(seconds * RATE)) / RATE
    tones = [
        a * np.sin(2 * np.pi * f * t) * np.exp(-t / d) for f, a, d in zip(frequencies, levels, decays_s, strict=True)
    ]
    return np.asarray(np.sum(tones, axis=0), dtype=np.float32)


def call_bell(rng: np.random.Generator, loud: float = 0.3) -> Sound:
    """Return a small steel dome struck once: inharmonic tones above 2 kHz that fade, and the striker's click."""
    base = rng.uniform(1900, 3600)
    ratios = np.array([1.0, rng.uniform(1.4, 1.7), rng.uniform(2.2, 2.5), rng.uniform(2.8, 3.3)])
    levels = np.array([1.0, rng.uniform(0.2, 0.8), rng.uniform(0.1, 0.6), rng.uniform(0.05, 0.3)])
    decays = rng.uniform(0.15, 1.2) * np.array([1.0, 0.8, 0.5, 0.3])
    sound = decaying(list(base * ratios), list(loud * levels / 2), list(decays), 1.2)
    click = rng.normal(0, loud / 3, round(0.002 * RATE))
    sound[: len(click)] += (click * np.linspace(1, 0, len(click))).astype(np.float32)
    return sound


def clap(rng: np.random.Generator) -> Sound:
    n = round(0.3 * RATE)
    t = np.arange(n) / RATE
    envelope = 0.5 * np.exp(-t / rng.uniform(0.004, 0.012)) + 0.05 * np.exp(-t / rng.uniform(0.03, 0.08))
    return (rng.normal(0, 1, n) * envelope).astype(np.float32)


def hiss(rng: np.random.Generator) -> Sound:
    """Return an "s": noise above 4 kHz that begins suddenly enough and lasts."""
    n = round(rng.uniform(0.08, 0.3) * RATE)
    spectrum = np.fft.rfft(rng.normal(0, 1, n))
    spectrum[np.fft.rfftfreq(n, 1 / RATE) < 4000] = 0
    noise = np.fft.irfft(spectrum, n)
    ramp = np.minimum(np.arange(n) / (0.008 * RATE), 1)
    return np.asarray(0.15 * noise * ramp * ramp[::-1], dtype=np.float32)


def vowel(rng: np.random.Generator) -> Sound:
    """Return a voice: a train of pulses at 100 to 300 Hz (a child's) through three resonances."""
    seconds, pitch = rng.uniform(0.15, 0.5), rng.uniform(100, 320)
    t = np.arange(round(seconds * RATE)) / RATE
    resonances = [(rng.uniform(300, 800), 1.0), (rng.uniform(900, 2300), 0.5), (rng.uniform(2400, 3200), 0.25)]
    sound = np.zeros_like(t)
    for k in range(1, int(5000 / pitch)):
        f = k * pitch
        gain = sum(level / (1 + ((f - r) / 90) ** 2) for r, level in resonances) + 0.02 / k
        sound += gain * np.sin(2 * np.pi * f * t + rng.uniform(0, 6))
    ramp = np.minimum(np.arange(len(t)) / (0.015 * RATE), 1)
    return np.asarray(0.3 * sound / np.max(np.abs(sound)) * ramp * ramp[::-1], dtype=np.float32)


def shout(rng: np.random.Generator) -> Sound:
    return np.concatenate([hiss(rng), vowel(rng), hiss(rng), vowel(rng)])


def chord(rng: np.random.Generator) -> Sound:
    overtones = range(1, 13)
    frequencies = [base * k for base in rng.uniform(130, 880, 3) for k in overtones]
    levels = 3 * [0.15 / k**1.2 for k in overtones]
    return decaying(frequencies, levels, 3 * [0.8 / k**0.5 for k in overtones], 0.8)


def coin(rng: np.random.Generator) -> Sound:
    """Return a coin dropped on the table: bright tones of some hundredths of a second, twice or thrice."""
    parts = [silence(0.0, rng)]
    for k in range(int(rng.integers(2, 4))):
        base = rng.uniform(4500, 8000)
        tones = [base, base * 1.31, base * 1.77]
        parts.append(decaying(tones, [0.2 / (k + 1)] * 3, [rng.uniform(0.006, 0.02)] * 3, 0.12))
    return np.concatenate(parts)


def whistle(rng: np.random.Generator) -> Sound:
    t = np.arange(round(0.5 * RATE)) / RATE
    ramp = np.minimum(t / 0.05, 1)
    return np.asarray(0.2 * np.sin(2 * np.pi * rng.uniform(1600, 3000) * t) * ramp * ramp[::-1], dtype=np.float32)


def card_slap(rng: np.random.Generator) -> Sound:
    n = round(0.2 * RATE)
    t = np.arange(n) / RATE
    thump = 0.4 * np.sin(2 * np.pi * rng.uniform(80, 200) * t) * np.exp(-t / 0.03)
    return np.asarray(thump + rng.normal(0, 0.4, n) * np.exp(-t / 0.003), dtype=np.float32)
