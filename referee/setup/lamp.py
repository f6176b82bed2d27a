"""Lamp and loudspeaker: is the one seen, is the other heard, and is it loud enough."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.lamp import Signal
from referee.errors import BadInputError
from referee.language import Language
from referee.setup.finding import Choice, Finding, Seen, State, Wish

_STEP = 0.2
_COLOURS = {"red": Signal.FALSE, "green": Signal.VALID, "blue": Signal.TIME_RUNNING}
"""The signal that shows each leg of the lamp alone."""


class LampStep:
    """See the module. It remembers what was answered."""

    name = "lamp"

    def __init__(self) -> None:
        self._answers: dict[str, bool] = {}

    def title(self, language: Language) -> str:
        """What it is called."""
        return language.text("Lamp and voice")

    def ask(self, language: Language) -> str:
        """What to do."""
        return language.text("Do you see the lamp, and do you hear me?")

    def begin(self, seen: Seen) -> Wish:
        """Light the lamp; what to do is said, too."""
        return Wish(signal=Signal.VALID)

    def look(self, seen: Seen) -> Finding:
        """Ask."""
        language = seen.language
        choices = tuple(
            Choice(text, {key: value}, chosen=self._answers.get(key) is value)
            for text, key, value in (
                (language.text("I see the lamp"), "seen", True),
                (language.text("There is no lamp"), "seen", False),
                (language.text("I hear the voice"), "heard", True),
                (language.text("There is no voice"), "heard", False),
            )
        )
        choices += (
            Choice(language.text("Louder"), {"louder": True}),
            Choice(language.text("Quieter"), {"quieter": True}),
            Choice(language.text("Once more"), {"again": True}),
            # Boards differ in which leg is which colour.
            Choice(language.text("Show red"), {"colour": "red"}),
            Choice(language.text("Show green"), {"colour": "green"}),
            Choice(language.text("Show blue"), {"colour": "blue"}),
        )
        # Of what is said not to be there nobody needs to be told that it is missing.
        asked = [kind for kind, key in (("lamp", "seen"), ("speaker", "heard")) if self._answers.get(key) is not False]
        troubles = [seen.troubles[kind] for kind in asked if kind in seen.troubles]
        if troubles:
            return Finding(State.MISSING, troubles[0], tuple(troubles[1:]), seen.settings.volume, choices=choices)
        if len(self._answers) == 2:
            text = _answered(self._answers["seen"], self._answers["heard"], language)
            return Finding(State.GOOD, text, bar=seen.settings.volume, choices=choices)
        return Finding(State.WAIT, self.ask(language), bar=seen.settings.volume, choices=choices)

    def answer(self, seen: Seen, answer: Mapping[str, object]) -> Wish:
        """Take an answer, or another loudness."""
        language = seen.language
        if answer.get("again"):
            return Wish(signal=Signal.VALID, say=self.ask(language))
        if answer.get("colour") in _COLOURS:
            return Wish(signal=_COLOURS[str(answer["colour"])])
        if answer.get("louder") or answer.get("quieter"):
            step = _STEP if answer.get("louder") else -_STEP
            volume = round(min(1.0, max(0.0, seen.settings.volume + step)), 2)
            return Wish({"volume": volume}, say=language.text("This is how loud I am now."))
        for key in ("seen", "heard"):
            if isinstance(answer.get(key), bool):
                self._answers[key] = bool(answer[key])
                return Wish()
        raise BadInputError("that is no answer here")

    def keep(self, seen: Seen) -> Wish:
        """Take what nobody sees or hears for not fitted."""
        changes: dict[str, object] = {}
        if "seen" in self._answers:
            changes["lamp"] = self._answers["seen"]
        if "heard" in self._answers:
            changes["loudspeaker"] = self._answers["heard"]
        return Wish({key: value for key, value in changes.items() if getattr(seen.settings, key) != value})


def _answered(seen: bool, heard: bool, language: Language) -> str:
    """Give what it comes to which of lamp and voice are there."""
    if seen and heard:
        return language.text("Lamp and voice work.")
    if seen:
        return language.text("No voice – that is fine.")
    return language.text("No lamp – that is fine.") if heard else language.text("No lamp, no voice – that is fine.")
