"""`GameKind` of Confetti: page, decks, rules, watcher, demo and scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.engine.events import Event, Game, Header
from referee.errors import BadInputError
from referee.games.confetti import sayings as words
from referee.games.confetti.sayings import WORDS
from referee.games.confetti.score import parse_cards
from referee.games.confetti.start_options import round_limits, settings_from
from referee.games.kind import Cards, Demo, GameKind, Option, Page, RulingData, Said, Scoring, Seat
from referee.language import Language

if TYPE_CHECKING:
    from referee.engine.session import Session, Watcher
    from referee.games.confetti.rules import Confetti
    from referee.games.kind import DemoScript
    from referee.watchers.table_finder import WatchSetup
    from vision.deck import Deck

_OPTIONS = (
    Option(
        "edition",
        "confetti.whose_rules",
        (
            ("english", "confetti.english_rules"),
            ("german", "confetti.german_rules_konfetti"),
        ),
    ),
    Option(
        "side",
        "confetti.which_side_of_cards",
        (("white", "confetti.white_circles"), ("black", "confetti.black_shapes")),
    ),
    Option(
        "overlimit",
        "confetti.cards_over_limit",
        (
            ("separate", "confetti.cost_point_more_used_or"),
            ("once", "confetti.cost_one_point_at_most"),
        ),
    ),
    Option(
        "late_cards",
        "confetti.cards_taken_after_time",
        (
            ("count", "confetti.are_foul_and_count_as"),
            ("void", "confetti.are_foul_and_do_not"),
        ),
    ),
)


def _game(play: Session) -> Confetti:
    from referee.games.confetti.rules import Confetti

    assert isinstance(play.game, Confetti)
    return play.game


def _seats(play: Session, language: Language) -> list[Seat]:
    return [Seat(points) for points in _game(play).kept]


def _phase(play: Session, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    game = _game(play)
    key = game.phase.name.lower()
    return {
        "key": key,
        "round": game.number,
        "rounds": len(game.limits),
        "limit": game.limit,
        "lasts_ms": (lasts_ms or _last_round_ms(play)) if key == "running" else None,
    }


def _last_round_ms(play: Session) -> int | None:
    """Return the sand's duration in the last round, ms; None before the first end of a round."""
    ended_ns: int | None = None
    for row in play.log.newest():
        if row.data["ruling"] == "time":
            ended_ns = row.data["t_ns"]
        elif row.data["ruling"] == "round" and ended_ns is not None:
            return int(ended_ns - row.data["t_ns"]) // 1_000_000
    return None


def _step(play: Session) -> str:
    game = _game(play)
    return f"{game.number} {game.phase.name.lower()}"


def _steps(ruling: RulingData, readings: Sequence[Event], language: Language) -> list[dict[str, Any]]:
    """Return the arrangement set by set, then the deductions and the sum (C7, C11)."""
    hands = [event for event in readings if event.kind == "hand"]
    if ruling["ruling"] not in ("hand", "arrangement") or not hands:
        return []
    cards = [list(card) for card in parse_cards(ruling.get("cards", hands[-1].data.get("cards")))]
    sets = [one for one in ruling["arrangement"] if max(one["cards"]) < len(cards)]
    steps = [
        {
            "kind": "set",
            "text": words.say_set(number + 1, one["colour"], language),
            "cards": [cards[place] for place in one["cards"]],
        }
        for number, one in enumerate(sets)
    ]
    used = {place for one in sets for place in one["cards"]}
    spare = [card for place, card in enumerate(cards) if place not in used]
    if spare:
        steps.append({"kind": "spare", "text": words.say_unneeded(len(spare), language), "cards": spare})
    if ruling["over_limit"]:
        steps.append({"kind": "over", "text": words.say_over(ruling["over_limit"], language), "cards": []})
    return [*steps, {"kind": "sum", "text": words.say_sum(ruling, language), "cards": []}]


PAGE = Page(
    text="confetti.collect_sets_of_one_colour",
    least=1,
    most=7,
    options=_OPTIONS,
    phase=_phase,
    seats=_seats,
    step=_step,
    steps=_steps,
)


def _check(deck: Deck) -> None:
    from vision.deck import MARKS

    if deck.kind != MARKS:
        raise BadInputError("error.games.these_cards_show_pictures_not")


def _missing(fronts: Sequence[Said]) -> str:
    return "lesson_no_marks"


CARDS = Cards(check=_check, marked=True, missing=_missing)


_EACH = 8  # the least number of cards laid out for each player


def _start(header: Header) -> Game:
    # The models of events take 0.1 s to import, and scoring a hand needs none of them.
    from referee.games.confetti.rules import from_header

    return from_header(header)


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.confetti.watching.watcher import ConfettiWatcher

    return ConfettiWatcher(header, setup)


def _script(header: Header, deck: Deck, seed: int, rounds: int | None) -> DemoScript:
    from referee.games.confetti.demo import DEMO_HEAP, ConfettiPlan, cards_of, write_confetti
    from referee.games.kind import DemoScript

    players, side = len(header.players), settings_from(header).side
    most = len(round_limits(players)) if rounds is None else rounds
    heap = max(DEMO_HEAP, _EACH * players)
    game = write_confetti(deck, seed, ConfettiPlan(players, most, heap, side=side))
    truth = (
        Event(round(one.out_s * 1e9), "hand", {"event": "hand", "seat": seat, "cards": cards_of(deck, side, faces)})
        for one in game.rounds
        for seat, faces in enumerate(one.hands)
    )
    return DemoScript(game.script, "hand", players * len(game.rounds), truth=tuple(truth))


CONFETTI = GameKind(
    name="confetti",
    start=_start,
    settings=settings_from,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_script, players=3, live_fps=15.0, fast_fps=6.0),
    scoring=Scoring("referee.games.confetti.score_command", most_players=7),
    devices=frozenset({"sandtimer"}),
)
