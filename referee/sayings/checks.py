"""What `ringmaster doctor` calls parts of the table and their states."""

from __future__ import annotations

from referee.language import Language


def say_state(state: str, language: Language) -> str:
    """Return in a word how a part was found."""
    return language.text(f"doctor.state.{state}")


def say_part(part: str, language: Language) -> str:
    """Return the name of a part that was checked."""
    known = f"doctor.part.{part.replace(' ', '_')}"
    return language.text(known) if known in language else part
