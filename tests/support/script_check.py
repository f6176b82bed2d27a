"""Checks a script of the simulated table for hands with two things to do at a time."""

from __future__ import annotations

from itertools import pairwise

from simulation.script import TURN_S, Action, BellHit, Carry, Flip, Script


def collisions(script: Script) -> list[str]:
    """Return the faults of a script, a sentence each."""
    faults = []
    for seat in range(len(script.people)):
        spans = sorted(_span(action) for action in script.actions if action.seat == seat)
        faults += [
            f"seat {seat} has two things to do at {second[0]:.2f} s"
            for first, second in pairwise(spans)
            if second[0] < first[1]
        ]
    return faults


def _span(action: Action) -> tuple[float, float]:
    match action:
        case Carry():
            return action.grasp_s, action.release_s
        case BellHit():
            return action.at_s, action.at_s + action.hold_s
        case Flip():
            return action.at_s - TURN_S, action.at_s
        case _:
            return action.start_s, action.end_s
