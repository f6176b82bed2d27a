"""What the running referee says besides rulings: devices, the journal, corrections, and what players should do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hardware.problems import Health
from referee.games.registry import GAMES
from referee.language import Language
from referee.phrases import in_language
from referee.safe_text import harmless
from referee.sayings import guard

PART = "part "
"""How threads of the program are called on the health board that failed and began again."""
_DEVICES = {
    ("camera", Health.MISSING): "service.device.camera_missing",
    ("camera", Health.STALLED): "service.device.camera_stalled",
    ("camera", Health.CLOCK): "service.device.camera_clock",
    ("bell", Health.MISSING): "service.device.bell_missing",
    ("bell", Health.STUCK): "service.device.bell_stuck",
    ("bell", Health.STALLED): "service.device.bell_stalled",
    ("bell", Health.CLOCK): "service.device.bell_clock",
    ("sandtimer", Health.MISSING): "service.device.sandtimer_missing",
    ("lamp", Health.MISSING): "service.device.lamp_missing",
    ("speaker", Health.MISSING): "service.device.speaker_missing",
    ("deck", Health.MISSING): "service.device.deck_missing",
    ("reader", Health.STALLED): "service.device.reader_stalled",
    ("speaker", Health.STALLED): "service.device.speaker_stalled",
}
_WORKS = {
    "camera": "service.work.camera",
    "bell": "service.work.bell",
    "sandtimer": "service.work.sandtimer",
    "lamp": "service.work.lamp",
    "speaker": "service.work.speaker",
    "reader": "service.work.reader",
    "deck": "service.work.deck",
    "journal": "service.work.journal",
}
_JOURNAL = {
    "full": "service.journal.full",
    "read_only": "service.journal.read_only",
    "fails": "service.journal.fails",
    "damaged": "service.journal.damaged",
}
_SET_ASIDE = {
    "settings": "service.set_aside.settings",
    "table": "service.set_aside.table",
    "setup": "service.set_aside.setup",
    "draft": "service.set_aside.draft",
    "paired-devices": "service.set_aside.paired_devices",
}
_ANY_SET_ASIDE = "service.file_could_not_be_read"


def device(name: str, state: Health, message: str, language: Language) -> str:
    """Give the sentence for how a device is, "" where it works; one that has no words is told as the device says it."""
    if state is Health.OK:
        return ""
    if name.startswith(guard.GUARD):
        return guard.begun(name.removeprefix(guard.GUARD), language)
    if name.startswith(PART):
        return language.text("service.part_of_ringmaster_failed_and", part=name.removeprefix(PART))
    kind = name.split()[0]
    seat = name.removeprefix("bell ")
    if kind == "bell" and seat.isdecimal() and state is Health.STUCK:
        number = language.number(int(seat) + 1)
        return language.text("service.bell_button_of_seat_is", number=number)
    known = _DEVICES.get((kind, state))
    if known is None:
        return in_language(message, language)
    return language.text(known)


def device_works(name: str, language: Language) -> str:
    """Give the sentence for a device that works again."""
    return language.text(_WORKS.get(name.split()[0], "service.it_works_again"))


def journal_trouble(kind: str, language: Language) -> str:
    """Give the sentence for a disk that takes nothing."""
    return language.text(_JOURNAL[kind])


def set_aside(kind: str, name: str, games: int, language: Language) -> str:
    """Give the sentence for a file that was set aside; kind: how its name begins, games: that are kept now."""
    if kind == "journal":
        return language.count("service.file_of_games_was_damaged", games, name=name)
    return language.text(_SET_ASIDE.get(kind, _ANY_SET_ASIDE), name=harmless(name))


def look_at_page(language: Language) -> str:
    """Give what is said aloud where files were set aside."""
    return language.text("service.file_was_damaged_please_look")


def nothing_kept(language: Language) -> str:
    """Give the sentence for a state folder on a disk that takes nothing."""
    return language.text("service.disk_takes_nothing_whatever_you")


def settings_unread(language: Language) -> str:
    """Give the sentence for settings that could neither be read nor set aside."""
    return language.text("service.settings_could_not_be_read")


def settings_left(names: Sequence[str], language: Language) -> str:
    """Give the sentence for settings that this version cannot use, by their names in the file."""
    named = ", ".join(harmless(name[:40]) for name in names[:5]) + (", …" if len(names) > 5 else "")
    return language.text("service.this_version_cannot_use_some", names=named)


def resumed(player_rulings: str, language: Language) -> str:
    """Give what is said when a game goes on after the power was off; player_rulings: the last thing ruled, or ""."""
    if not player_rulings:
        return language.text("service.game_goes_on")
    return language.text("service.game_goes_on_last_ruling", ruling=player_rulings)


def table_cleared(language: Language) -> str:
    """Give what is said when a game on the simulated table was going on when the referee ended."""
    return language.text("service.drawn_table_was_cleared_so")


def table_cannot_play(language: Language) -> str:
    """Give what is said when the people at the simulated table cannot play a game."""
    return language.text("service.drawn_table_cannot_play_this")


def not_resumed(language: Language) -> str:
    """Give what is said when the last game cannot be gone on with."""
    return language.text("service.last_game_cannot_be_gone")


def started(game: str, players: Sequence[str], language: Language) -> str:
    """Give what is said when a game begins."""
    return language.text("service.game_players", game=game, players=language.list_of(list(players)))


def stopped(language: Language) -> str:
    """Give what is said when a game that has no end of its own is ended."""
    return language.text("service.game_was_stopped")


def paused(on: bool, language: Language) -> str:
    """Give what is said when the players want to wait, or to go on."""
    return language.text("service.pause") if on else language.text("service.game_goes_on")


def corrected(ruling: str, undone: bool, language: Language) -> str:
    """Give what is said after a correction: the ruling that holds now, "" where none has changed."""
    if undone:
        return language.text("service.taken_back", ruling=ruling or language.text("service.no_ruling_changes"))
    return language.text("service.corrected", ruling=ruling or language.text("service.no_ruling_changes"))


def does_not_count(ruling: str, language: Language) -> str:
    """Give what is said of a ruling that holds no more."""
    return language.text("service.does_not_count", ruling=ruling)


def new_scores(language: Language) -> str:
    """Give where all else stands that a correction changed."""
    return language.text("service.page_shows_what_everybody_has")


def corrected_before(language: Language) -> str:
    """Give what is said first after a correction of a game that is not on the table any more."""
    return language.text("service.earlier_game_was_corrected")


def who_rang(language: Language) -> str:
    """Give the question who rang."""
    return language.text("service.who_rang")


def ring_waits(language: Language) -> str:
    """Give why nothing is said of a ring: the one before it waits for its ringer's name."""
    return language.text("service.this_ring_waits_please_tap")


def phone_way(way: Mapping[str, float], language: Language) -> str:
    """Give how far the press of a phone was dated back, and how far it may be."""
    return language.text("service.rung_on_phone_ms_were", back=f"{way['back_ms']:.0f}", most=f"{way['most_ms']:.0f}")


def rang(players: Sequence[str], seat: int | None, language: Language) -> str:
    """Give who it was that rang, where nothing else follows from it."""
    if seat is None:
        return language.text("service.nobody_knows_who_rang")
    return language.text("service.rang", player=players[seat])


def decide(language: Language) -> str:
    """Give the question that an unclear ring asks."""
    return language.text("service.was_ring_valid_please_look")


def tell_hands(language: Language) -> str:
    """Give the question that a count asks for hands that nobody has seen."""
    return language.text("service.what_do_you_hold_camera")


def tell_gone(language: Language) -> str:
    """Give the question about hands that were put away before they were counted."""
    return language.text("service.what_did_you_hold_cards")


def pairing_code(code: str, language: Language) -> str:
    """Give a pairing code, digit by digit, so that every voice reads it as digits."""
    return language.text("service.code_is", digits=", ".join(language.number(int(digit)) for digit in code))


def code_to_type(code: str, seconds: int, language: Language) -> str:
    """Give a pairing code for whoever reads it at the machine."""
    return language.text("service.code_is_type_it_on", code=f"{code[:3]} {code[3:]}", seconds=seconds)


def scan_to_pair(language: Language) -> str:
    """Give what stands over a QR code that opens the page and pairs."""
    return language.text("service.or_point_phones_camera_here")


def notice(kind: str, seat: int | None, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    """Give what players should do; "" for a notice that there are no words for."""
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
