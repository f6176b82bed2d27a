"""Sentences of the running referee besides rulings: devices, storage, corrections, instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hardware.problems import Health, Problem
from referee.games.registry import GAMES
from referee.language import Language
from referee.phrases import Phrase, in_language, phrase
from referee.safe_text import harmless

PART, GUARD = "part ", "guard "
"""These begin the names of restarted threads, and of mishaps, on the health board."""


def problem(one: Problem, language: Language) -> str:
    """Return the sentence for a part that does not work, "" where it works; without our words its own message."""
    if one.state is Health.OK:
        return ""
    kind, _, seat = one.part.partition(" ")
    if kind == "bell" and seat.isdecimal() and one.state is Health.STUCK:
        return language.text("service.bell_button_of_seat_is", number=language.number(int(seat) + 1))
    known = f"service.device.{kind}_{one.state.value}"
    return language.text(known) if known in language else in_language(one.message, language)


def works_again(part: str, language: Language) -> str:
    """Return the sentence for a part that works again, "" without words."""
    kind, _, what = part.partition(" ")
    if part.startswith(GUARD):
        return language.text(key) if (key := f"guard.ended.{what}") in language else ""
    known = f"service.work.{kind}"
    return language.text(known if known in language else "service.it_works_again")


def set_aside(kind: str, name: str, games: int) -> Phrase:
    """Return the sentence for a file that was set aside; kind: the beginning of its name, games: number left."""
    if kind == "journal":
        word = phrase(f"number.{games}") if f"number.{games}" in Language() else games
        return phrase("service.file_of_games_was_damaged", n=games, number=word, name=name)
    known = f"service.set_aside.{kind.replace('-', '_')}"
    return phrase(known if known in Language() else "service.file_could_not_be_read", name=harmless(name))


def settings_left(names: Sequence[str]) -> Phrase:
    """Return the sentence for settings that this version cannot use, by their names in the file."""
    named = ", ".join(harmless(name[:40]) for name in names[:5]) + (", …" if len(names) > 5 else "")
    return phrase("service.this_version_cannot_use_some", names=named)


def resumed(player_rulings: str, language: Language) -> str:
    """Return the sentence for a game that goes on after a restart; player_rulings: the last ruling, or ""."""
    if not player_rulings:
        return language.text("service.game_goes_on")
    return language.text("service.game_goes_on_last_ruling", ruling=player_rulings)


def corrected(ruling: str, undone: bool, language: Language) -> str:
    """Return the sentence for a correction: the ruling that holds now, "" if none has changed."""
    if undone:
        return language.text("service.taken_back", ruling=ruling or language.text("service.no_ruling_changes"))
    return language.text("service.corrected", ruling=ruling or language.text("service.no_ruling_changes"))


def rang(players: Sequence[str], seat: int | None, language: Language) -> str:
    """Return the sentence for a ring by its ringer, without consequences."""
    if seat is None:
        return language.text("service.nobody_knows_who_rang")
    return language.text("service.rang", player=players[seat])


def notice(kind: str, seat: int | None, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    """Return an instruction for the players; "" for a notice without words."""
    name = players[seat] if seat is not None and seat < len(players) else ""
    match kind:
        case "no_table":
            return language.text("service.table_cannot_be_seen_please")
        case "two_markers":
            return language.text(
                "service.two_marker_cards_have_number", number=language.number(int(data.get("number", 0)))
            )
        case "camera_moved":
            return language.text("confetti.camera_was_moved_please_lay")
        case "mirrored":
            return language.text("service.camera_swaps_left_and_right")
        case _:
            return _of_a_game(kind, name, data, players, language) or str(data.get("text", ""))


def _of_a_game(kind: str, name: str, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    said = (game.words.notice(kind, name, data, players, language) for game in GAMES.values())
    return next(filter(None, said), "")
