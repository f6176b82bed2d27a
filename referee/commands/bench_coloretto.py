"""The bench of Coloretto: whole games, without pictures twice a second or drawn, and how much is understood."""

from __future__ import annotations

import argparse
from collections import Counter

from referee.arguments import seed as a_seed
from referee.bench.report import print_line
from referee.errors import BadInputError
from referee.progress import along


def add_kinds(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this bench to the others."""
    games = kinds.add_parser("coloretto", help="play games of Coloretto as a camera sees them, and count what is known")
    games.add_argument("--games", metavar="N", type=int, default=100, help="for two to five players in turn")
    games.add_argument("--seed", metavar="N", type=a_seed, default=1, help="another number plays other games")
    games.add_argument(
        "--drawn",
        metavar="FPS",
        type=float,
        default=0.0,
        help="on the drawn table instead, at so many pictures a second",
    )
    games.add_argument(
        "--deck", metavar="DECK", default="coloretto", help="of drawn games; without row cards for three to five"
    )
    games.add_argument("--taught", action="store_true", help="know the deck by a drawn lesson alone, as a family's own")
    games.add_argument("--json", action="store_true", help="a line a game and a last one with the sums")
    games.set_defaults(bench=_coloretto)


def _coloretto(args: argparse.Namespace) -> int:
    from referee.bench.coloretto_drawn import watch_game
    from referee.bench.coloretto_trial import try_game
    from referee.bench.drawn_lesson import taught
    from referee.decks.finding import find_print_deck
    from referee.decks.game_deck import check_plays
    from referee.games.coloretto.demo import Plan

    if args.games < 1:
        raise BadInputError(f"--games must be at least 1, not {args.games}")
    if args.drawn and not 1 <= args.drawn <= 60:
        raise BadInputError(f"--drawn must be from 1 to 60 pictures a second, not {args.drawn:g}")
    if args.taught and not args.drawn:
        raise BadInputError("--taught needs --drawn: without pictures nothing is read")
    deck = find_print_deck(args.deck)
    check_plays(deck, "coloretto")
    known = taught(deck, args.seed) if args.taught else None
    # Nothing tells how many cards a row has room for but its own card.
    least = 2 if any("room" in face.attributes for face in deck.fronts) else 3
    sums: Counter[str] = Counter()
    for number in along(range(args.games), args.games):
        seed = args.seed + number
        players = least + number % (6 - least)
        plan = Plan(players=players)
        game = watch_game(seed, args.drawn, plan, deck, known) if args.drawn else try_game(players, seed)
        sums.update(game.figures())
        if args.json:
            print_line(game.as_json())
        else:
            for fault in [*game.wrong, *(f"foul that was none: {foul}" for foul in game.fouls_false)]:
                print(f"{game.players} players, seed {game.seed}: {fault}", flush=True)
    share = sums["understood"] / max(1, sums["moves"])
    summary = {**sums, "share_understood": round(share, 4)}
    if args.json:
        print_line({"summary": summary})
    else:
        print(", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in summary.items()))
    return 1 if sums["wrong"] or sums["fouls_false"] else 0
