"""The page's words about backing up, restoring and the report, by the keys that its scripts use."""

from __future__ import annotations

from referee.language import mark_in

KEEPING_WORDS = {
    "keeping": mark_in("page", "Back up and restore"),
    "keep_why": mark_in(
        "page", "All games, decks and settings in one file, for a new SD card or another Raspberry Pi."
    ),
    "keep_pair": mark_in("page", "Pair this device first: names and pictures are in it."),
    "keep_all": mark_in("page", "Back up all"),
    "keep_small": mark_in("page", "Back up without pictures"),
    "keep_restore": mark_in("page", "Restore from a file"),
    "keep_too_large": mark_in("page", "This file is too large for the page: say “ringmaster import” at the machine."),
    "keep_games_one": mark_in("page", "One game was restored."),
    "keep_games_many": mark_in("page", "{n} games were restored."),
    "keep_there_one": mark_in("page", "One was here already."),
    "keep_there_many": mark_in("page", "{n} were here already."),
    "keep_decks_one": mark_in("page", "One deck was restored."),
    "keep_decks_many": mark_in("page", "{n} decks were restored."),
    "keep_settings": mark_in("page", "The settings were restored."),
    "keep_report_why": mark_in("page", "Something is wrong?"),
    "report_ruling": mark_in("page", "Report this ruling"),
    "report_ruling_why": mark_in("page", "Saves a file to send: ten seconds of the table, the settings, no names."),
    "keep_report": mark_in("page", "Save a report to send, without names, codes or pictures"),
}
