"""Rounds of Confetti on drawn tables of which the referee is not shown all that counts."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from referee.bench.blind import BlindSetting, Trial
from referee.bench.blind_round import PLAN, PLAYERS, RoundTable, Shown, judge_round, plain, round_table
from referee.bench.blind_views import (
    Image,
    View,
    bare_floor,
    covered_lens,
    disguised,
    half_table,
    without_markers,
)
from referee.bench.strange_art import STRANGE_TO_CONFETTI, Paint, choose, of_the_other_side
from referee.games.confetti.demo import SIDE, write_confetti
from vision.deck import load_deck


def no_table(setting: BlindSetting) -> Iterator[Trial]:
    """After time no table is in sight: no picture comes, the floor is filmed, or marker cards are covered."""
    for luck, seed in _each(setting):
        table = round_table(seed)
        what = luck.choice(("no picture", "the floor", "no marker cards", "one marker card"))
        view: View | None = None
        if what == "the floor":
            view = bare_floor(luck)
        elif what != "no picture":
            script = table.live.script
            view = without_markers(table.live.view, script.markers, script.area_mm, 3 + (what == "no marker cards"))
        yield _trial("no table", what, seed, table, _after_time(view))


def covered(setting: BlindSetting) -> Iterator[Trial]:
    """After time a hand or a cloth lies over the lens."""
    for luck, seed in _each(setting):
        yield _trial("covered lens", "confetti", seed, round_table(seed), _after_time(covered_lens(luck)))


def half(setting: BlindSetting) -> Iterator[Trial]:
    """The camera shows a part of the table only, from the start or since it was pushed in the round."""
    for luck, seed in _each(setting):
        view, always = half_table(luck), luck.random() < 0.5
        shown = _always(view) if always else _after_time(view)
        what = f"confetti, {'from the start' if always else 'after time'}"
        yield _trial("half the table", what, seed, round_table(seed), shown)


def frozen(setting: BlindSetting) -> Iterator[Trial]:
    """The camera gives one picture again and again, from before the round on or from somewhere within it."""
    for luck, seed in _each(setting):
        table = round_table(seed)
        since_s = luck.choice((PLAN.sand_s + 1.2, luck.uniform(1.0, 0.8 * PLAN.sand_s)))
        still = table.live.frame(round((table.out_s - since_s) * table.live.shots.frames_per_s)).bgr()
        yield _trial("frozen camera", f"confetti, for {since_s:.1f} s", seed, table, _still(still))


def old_picture(setting: BlindSetting) -> Iterator[Trial]:
    """The last picture before time is some seconds old, and more was taken since: that is no foul."""
    for luck, seed in _each(setting):
        gap_s = luck.uniform(1.5, 6.0)
        yield _trial("old picture", f"confetti, {gap_s:.1f} s", seed, round_table(seed), plain, gap_s)


def recording_ended(setting: BlindSetting) -> Iterator[Trial]:
    """A recording's pictures end before time: nothing that lay there after it was filmed."""
    for luck, seed in _each(setting):
        gap_s = luck.uniform(0.1, 4.0)
        yield _trial("recording ended", f"confetti, {gap_s:.1f} s", seed, round_table(seed), _after_time(None), gap_s)


def wrong_deck(setting: BlindSetting) -> Iterator[Trial]:
    """All cards are another game's, or one in three, or those of one player."""
    for luck, seed in _each(setting):
        name, paint = choose(luck, STRANGE_TO_CONFETTI)
        which = luck.choice(("all", "one in three", "one hand"))
        some: Collection[str] | None = None
        if which == "one hand":
            some = luck.choice(_hands(seed))
        elif which == "one in three":
            some = [face.id for face in load_deck("confetti").side(SIDE)][::3]
        table = round_table(seed, disguised(paint, some))
        yield _trial("wrong deck", f"confetti, {name}, {which}", seed, table, plain)


def wrong_side(setting: BlindSetting) -> Iterator[Trial]:
    """The white side is played, and all cards, or one or two before a player, lie with the black one up."""
    for luck, seed in _each(setting):
        paint: Paint = of_the_other_side
        some = luck.choice((None, luck.sample(luck.choice(_hands(seed)), luck.choice((1, 2)))))
        said = some is None or luck.random() < 0.5
        table = round_table(seed, disguised(paint, some), {"side": SIDE} if said else {})
        yield _trial("wrong side", f"confetti, {'all' if some is None else len(some)}", seed, table, plain)


def _each(setting: BlindSetting) -> Iterator[tuple[random.Random, int]]:
    for number in range(setting.trials):
        seed = setting.seed * 1000 + number
        yield random.Random(seed), seed


def _hands(seed: int) -> tuple[tuple[str, ...], ...]:
    return write_confetti(load_deck("confetti"), seed, PLAN).rounds[0].hands


def _trial(kind: str, what: str, seed: int, table: RoundTable, shown: Shown, gap_s: float = 0.0) -> Trial:
    outcome, said = judge_round(table, shown, gap_s)
    return Trial(kind, f"{what}, table {seed} of {len(PLAYERS)}", outcome, said)


def _after_time(view: View | None) -> Shown:
    """Show the table as it is before time, and what `view` leaves of it afterwards; None: no picture comes."""

    def shown(image: Image, t_s: float) -> Image | None:
        return image if t_s < 0 else None if view is None else view(image)

    return shown


def _always(view: View) -> Shown:
    return lambda image, t_s: view(image)


def _still(picture: Image) -> Shown:
    return lambda image, t_s: image if t_s < 0 else picture
