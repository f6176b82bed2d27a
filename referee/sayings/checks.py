"""Names of the parts that `ringmaster doctor` checks, and of their states."""

from __future__ import annotations

from referee.language import Language


def say_state(state: str, language: Language) -> str:
    """Return the word for a part's state."""
    return language.text(f"doctor.state.{state}")


def say_part(part: str, language: Language) -> str:
    """Return the name of a checked part."""
    known = f"doctor.part.{part.replace(' ', '_')}"
    return language.text(known) if known in language else part
