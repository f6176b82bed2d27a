"""Sentences of the running referee besides rulings: devices, storage, corrections, instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hardware.problems import Health, Problem
from referee.games.registry import GAMES
from referee.language import Language
from referee.phrases import Phrase, in_language, phrase
from referee.safe_text import harmless
from referee.sayings import mishaps

PART = "part "
"""Names of restarted threads on the health board."""


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
    if part.startswith(mishaps.GUARD):
        return mishaps.ended(what, language)
    known = f"service.work.{kind}"
    return language.text(known if known in language else "service.it_works_again")


def set_aside(kind: str, name: str, games: int) -> Phrase:
    """Return the sentence for a file that was set aside; kind: the beginning of its name, games: number left."""
    if kind == "journal":
        word = phrase(f"number.{games}") if f"number.{games}" in Language() else games
        return phrase("service.file_of_games_was_damaged", n=games, number=word, name=name)
    known = f"service.set_aside.{kind.replace('-', '_')}"
    return phrase(known if known in Language() else "service.file_could_not_be_read", name=harmless(name))


def look_at_page(language: Language) -> str:
    """Return the spoken sentence for files that were set aside."""
    return language.text("service.file_was_damaged_please_look")


def settings_left(names: Sequence[str]) -> Phrase:
    """Return the sentence for settings that this version cannot use, by their names in the file."""
    named = ", ".join(harmless(name[:40]) for name in names[:5]) + (", …" if len(names) > 5 else "")
    return phrase("service.this_version_cannot_use_some", names=named)


def resumed(player_rulings: str, language: Language) -> str:
    """Return the sentence for a game that goes on after a restart; player_rulings: the last ruling, or ""."""
    if not player_rulings:
        return language.text("service.game_goes_on")
    return language.text("service.game_goes_on_last_ruling", ruling=player_rulings)


def not_resumed(language: Language) -> str:
    """Return the sentence for a game that cannot be resumed."""
    return language.text("service.last_game_cannot_be_gone")


def started(game: str, players: Sequence[str], language: Language) -> str:
    """Return the sentence for a game that begins."""
    return language.text("service.game_players", game=game, players=language.list_of(list(players)))


def stopped(language: Language) -> str:
    """Return the sentence for a game without an end of its own that was stopped."""
    return language.text("service.game_was_stopped")


def paused(on: bool, language: Language) -> str:
    """Return the sentence for a pause, or for its end."""
    return language.text("service.pause") if on else language.text("service.game_goes_on")


def corrected(ruling: str, undone: bool, language: Language) -> str:
    """Return the sentence for a correction: the ruling that holds now, "" if none has changed."""
    if undone:
        return language.text("service.taken_back", ruling=ruling or language.text("service.no_ruling_changes"))
    return language.text("service.corrected", ruling=ruling or language.text("service.no_ruling_changes"))


def does_not_count(ruling: str, language: Language) -> str:
    """Return the sentence for a ruling that no longer holds."""
    return language.text("service.does_not_count", ruling=ruling)


def new_scores(language: Language) -> str:
    """Return the sentence that the page shows the other changes of a correction."""
    return language.text("service.page_shows_what_everybody_has")


def corrected_before(language: Language) -> str:
    """Return the first sentence of a correction of an earlier game."""
    return language.text("service.earlier_game_was_corrected")


def who_rang(language: Language) -> str:
    """Return the question who rang."""
    return language.text("service.who_rang")


def ring_waits(language: Language) -> str:
    """Return the sentence for a ring that waits for the ringer of the ring before it."""
    return language.text("service.this_ring_waits_please_tap")


def phone_way(way: Mapping[str, float], language: Language) -> str:
    """Return the back-dating of a phone's press, and its limit."""
    return language.text("service.rung_on_phone_ms_were", back=f"{way['back_ms']:.0f}", most=f"{way['most_ms']:.0f}")


def rang(players: Sequence[str], seat: int | None, language: Language) -> str:
    """Return the sentence for a ring by its ringer, without consequences."""
    if seat is None:
        return language.text("service.nobody_knows_who_rang")
    return language.text("service.rang", player=players[seat])


def decide(language: Language) -> str:
    """Return the question that an unclear ring asks."""
    return language.text("service.was_ring_valid_please_look")


def tell_hands(language: Language) -> str:
    """Return the question about hands that the camera has not seen."""
    return language.text("service.what_do_you_hold_camera")


def tell_gone(language: Language) -> str:
    """Return the question about hands that were put away before they were counted."""
    return language.text("service.what_did_you_hold_cards")


def pairing_code(code: str, language: Language) -> str:
    """Return a pairing code digit by digit, for every voice."""
    return language.text("service.code_is", digits=", ".join(language.number(int(digit)) for digit in code))


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
