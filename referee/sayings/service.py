"""What the running referee says besides rulings: devices, the journal, corrections, and what players should do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hardware.problems import Health
from referee.games.registry import GAMES
from referee.language import Language, mark
from referee.safe_text import harmless
from referee.sayings import guard

PART = "part "
"""How threads of the program are called on the health board that failed and began again."""
_DEVICES = {
    ("camera", Health.MISSING): mark("The camera is missing: please check its cable."),
    ("camera", Health.STALLED): mark("The camera gives no pictures: please check that nothing covers it."),
    ("camera", Health.CLOCK): mark("The camera's clock is wrong; it is being restarted."),
    ("bell", Health.MISSING): mark("The bell is missing: rings are not noticed."),
    ("bell", Health.STUCK): mark("The bell is stuck and does not count until it is let go."),
    ("bell", Health.STALLED): mark("The bell gives no sign: please check its cable."),
    ("bell", Health.CLOCK): mark("The bell's clock is wrong: rings cannot be judged."),
    ("sandtimer", Health.MISSING): mark("The sandtimer's sensor is missing: please use the page's button."),
    ("lamp", Health.MISSING): mark("The lamp does not answer."),
    ("speaker", Health.MISSING): mark("The loudspeaker gives no sound: please read the page."),
    ("deck", Health.MISSING): mark(
        "The deck of this game is not here any more: please tell on the page what lies there."
    ),
    ("reader", Health.STALLED): mark("The pictures cannot be read at the moment: rings may be unclear."),
    ("speaker", Health.STALLED): mark("The loudspeaker hangs: unplug it and plug it in again."),
}
_POOR = (
    mark("The bell's microphone hears nothing at all: please see whether it is muted or turned down."),
    mark("The bell's microphone is turned up too far to tell the bell: please turn it down."),
)
_WORKS = {
    "camera": mark("The camera works again."),
    "bell": mark("The bell works again."),
    "sandtimer": mark("The sandtimer's sensor works again."),
    "lamp": mark("The lamp works again."),
    "speaker": mark("The loudspeaker works again."),
    "reader": mark("The pictures can be read again."),
    "deck": mark("The deck of this game is here again."),
    "journal": mark("The game is kept again."),
}
_JOURNAL = {
    "full": mark("The disk is full: the game goes on, but would be lost if the power went."),
    "read_only": mark("The disk takes nothing: the game goes on, but would be lost if the power went."),
    "fails": mark("The game cannot be kept: it goes on, but would be lost if the power went."),
    "damaged": mark("The file of games is damaged, and the disk has no room to mend it: please make room."),
}
_SET_ASIDE = {
    "settings": mark("The settings could not be read and are kept as {name}. The usual ones hold: please set them."),
    "table": mark(
        "The measured table could not be read and is kept as {name}. The marker cards show it: please measure it again."
    ),
    "setup": mark("A part of setting up could not be read and is kept as {name}: please set up again."),
    "draft": mark("A lesson could not be read and is kept as {name}: please begin it again."),
    "paired-devices": mark(
        "The list of paired devices could not be read and is kept as {name}: please pair your devices again."
    ),
}
_ANY_SET_ASIDE = mark("A file could not be read and is kept as {name}: Ringmaster goes on without it.")


def device(name: str, state: Health, message: str, language: Language) -> str:
    """Give the sentence for how a device is, "" where it works; one that has no words is told as the device says it."""
    if state is Health.OK:
        return ""
    if name.startswith(guard.GUARD):
        return guard.begun(name.removeprefix(guard.GUARD), language)
    if name.startswith(PART):
        return language.text("A part of Ringmaster failed and starts again ({part}).", part=name.removeprefix(PART))
    kind = name.split()[0]
    seat = name.removeprefix("bell ")
    if kind == "bell" and seat.isdecimal() and state is Health.STUCK:
        number = language.number(int(seat) + 1)
        return language.text("The bell button of seat {number} is stuck and does not count.", number=number)
    known = _DEVICES.get((kind, state))
    if known is None:
        return language.text(message) if message in _POOR else message
    return language.text(known)


def device_works(name: str, language: Language) -> str:
    """Give the sentence for a device that works again."""
    return language.text(_WORKS.get(name.split()[0], mark("It works again.")))


def journal_trouble(kind: str, language: Language) -> str:
    """Give the sentence for a disk that takes nothing."""
    return language.text(_JOURNAL[kind])


def set_aside(kind: str, name: str, games: int, language: Language) -> str:
    """Give the sentence for a file that was set aside; kind: how its name begins, games: that are kept now."""
    if kind == "journal":
        return language.count(
            "The file of games was damaged and is kept as {name}. The new one has one game: please see whether any is "
            "missing.",
            "The file of games was damaged and is kept as {name}. The new one has {n} games: please see whether any is "
            "missing.",
            games,
            name=name,
        )
    return language.text(_SET_ASIDE.get(kind, _ANY_SET_ASIDE), name=harmless(name))


def look_at_page(language: Language) -> str:
    """Give what is said aloud where files were set aside."""
    return language.text("A file was damaged: please look at the page.")


def nothing_kept(language: Language) -> str:
    """Give the sentence for a state folder on a disk that takes nothing."""
    return language.text(
        "The disk takes nothing: whatever you do now is forgotten at the next start. Please check the memory card."
    )


def settings_unread(language: Language) -> str:
    """Give the sentence for settings that could neither be read nor set aside."""
    return language.text("The settings could not be read; the usual ones hold.")


def settings_left(names: Sequence[str], language: Language) -> str:
    """Give the sentence for settings that this version cannot use, by their names in the file."""
    named = ", ".join(harmless(name[:40]) for name in names[:5]) + (", …" if len(names) > 5 else "")
    return language.text(
        "This version cannot use some settings, and leaves them as they are in the file: {names}. The others hold.",
        names=named,
    )


def resumed(player_rulings: str, language: Language) -> str:
    """Give what is said when a game goes on after the power was off; player_rulings: the last thing ruled, or ""."""
    if not player_rulings:
        return language.text("The game goes on.")
    return language.text("The game goes on. The last ruling was: {ruling}", ruling=player_rulings)


def table_cleared(language: Language) -> str:
    """Give what is said when a game on the simulated table was going on when the referee ended."""
    return language.text("The drawn table was cleared, so that game ends here.")


def table_cannot_play(language: Language) -> str:
    """Give what is said when the people at the simulated table cannot play a game."""
    return language.text("The drawn table cannot play this game with these players and cards.")


def not_resumed(language: Language) -> str:
    """Give what is said when the last game cannot be gone on with."""
    return language.text("The last game cannot be gone on with; it stays among the past ones.")


def started(game: str, players: Sequence[str], language: Language) -> str:
    """Give what is said when a game begins."""
    return language.text("{game}: {players}.", game=game, players=language.list_of(list(players)))


def stopped(language: Language) -> str:
    """Give what is said when a game that has no end of its own is ended."""
    return language.text("The game was stopped.")


def paused(on: bool, language: Language) -> str:
    """Give what is said when the players want to wait, or to go on."""
    return language.text("Pause.") if on else language.text("The game goes on.")


def corrected(ruling: str, undone: bool, language: Language) -> str:
    """Give what is said after a correction: the ruling that holds now, "" where none has changed."""
    if undone:
        return language.text("Taken back: {ruling}", ruling=ruling or language.text("no ruling changes."))
    return language.text("Corrected: {ruling}", ruling=ruling or language.text("no ruling changes."))


def does_not_count(ruling: str, language: Language) -> str:
    """Give what is said of a ruling that holds no more."""
    return language.text("Does not count: {ruling}", ruling=ruling)


def new_scores(language: Language) -> str:
    """Give where all else stands that a correction changed."""
    return language.text("The page shows what everybody has now.")


def corrected_before(language: Language) -> str:
    """Give what is said first after a correction of a game that is not on the table any more."""
    return language.text("An earlier game was corrected.")


def who_rang(language: Language) -> str:
    """Give the question who rang."""
    return language.text("Who rang?")


def ring_waits(language: Language) -> str:
    """Give why nothing is said of a ring: the one before it waits for its ringer's name."""
    return language.text("This ring waits: please tap first who rang before it.")


def phone_way(way: Mapping[str, float], language: Language) -> str:
    """Give how far the press of a phone was dated back, and how far it may be."""
    return language.text(
        "Rung on a phone: {back} ms were taken off for the way here, of {most} ms at most.",
        back=f"{way['back_ms']:.0f}",
        most=f"{way['most_ms']:.0f}",
    )


def rang(players: Sequence[str], seat: int | None, language: Language) -> str:
    """Give who it was that rang, where nothing else follows from it."""
    if seat is None:
        return language.text("Nobody knows who rang.")
    return language.text("{player} rang.", player=players[seat])


def decide(language: Language) -> str:
    """Give the question that an unclear ring asks."""
    return language.text("Was the ring valid? Please look at the picture and decide.")


def tell_hands(language: Language) -> str:
    """Give the question that a count asks for hands that nobody has seen."""
    return language.text("What do you hold? The camera has seen no hand of yours.")


def tell_gone(language: Language) -> str:
    """Give the question about hands that were put away before they were counted."""
    return language.text("What did you hold? The cards were put away before I had counted them.")


def pairing_code(code: str, language: Language) -> str:
    """Give a pairing code, digit by digit, so that every voice reads it as digits."""
    return language.text("The code is {digits}.", digits=", ".join(language.number(int(digit)) for digit in code))


def code_to_type(code: str, seconds: int, language: Language) -> str:
    """Give a pairing code for whoever reads it at the machine."""
    return language.text(
        "The code is {code}. Type it on the page of the device that is to be paired, within {seconds} seconds.",
        code=f"{code[:3]} {code[3:]}",
        seconds=seconds,
    )


def scan_to_pair(language: Language) -> str:
    """Give what stands over a QR code that opens the page and pairs."""
    return language.text("Or point a phone's camera here:")


def notice(kind: str, seat: int | None, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    """Give what players should do; "" for a notice that there are no words for."""
    name = players[seat] if seat is not None and seat < len(players) else ""
    match kind:
        case "no_table":
            return language.text("The table cannot be seen: please uncover the marker cards.")
        case "two_markers":
            return language.text(
                "Two marker cards have the number {number}: please take the one away that does not belong there.",
                number=language.number(int(data.get("number", 0))),
            )
        case "camera_moved":
            return language.text("The camera was moved: please lay the marker cards 0 to 3 at the table's corners.")
        case "mirrored":
            return language.text("The camera swaps left and right: please turn mirroring off in its settings.")
        case _:
            return _of_a_game(kind, name, data, players, language) or str(data.get("text", ""))


def _of_a_game(kind: str, name: str, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    said = (game.words.notice(kind, name, data, players, language) for game in GAMES.values())
    return next(filter(None, said), "")
