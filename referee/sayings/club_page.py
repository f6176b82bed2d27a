"""The words of the club's page, by the keys that its script uses."""

from __future__ import annotations

from functools import cache

from referee.language import Language, mark_in

WORDS = {
    "tables": mark_in("club", "Tables"),
    "evenings": mark_in("club", "Evenings"),
    "league": mark_in("club", "League"),
    "players": mark_in("club", "Players"),
    "disputes": mark_in("club", "Disputes"),
    "files": mark_in("club", "Files"),
    "rulings": mark_in("club", "Rulings"),
    "online": mark_in("club", "on"),
    "offline": mark_in("club", "away"),
    "since": mark_in("club", "last heard {when}"),
    "never": mark_in("club", "not heard yet"),
    "no_tables": mark_in("club", "No table is in the club yet. Invite one, and enter the code in its Settings."),
    "nothing": mark_in("club", "Nothing yet."),
    "mode_idle": mark_in("club", "no game"),
    "mode_playing": mark_in("club", "playing"),
    "mode_paused": mark_in("club", "pause"),
    "mode_over": mark_in("club", "over"),
    "trouble": mark_in("club", "Does not work: {what}"),
    "player": mark_in("club", "Player"),
    "games": mark_in("club", "Games"),
    "wins": mark_in("club", "Won"),
    "points": mark_in("club", "Points"),
    "elo": mark_in("club", "Elo"),
    "against": mark_in("club", "Against each other: won – shared – lost"),
    "evening": mark_in("club", "Evening"),
    "finished": mark_in("club", "Finished"),
    "last": mark_in("club", "Last played"),
    "table": mark_in("club", "Table"),
    "game": mark_in("club", "Game"),
    "result": mark_in("club", "Result"),
    "when": mark_in("club", "When"),
    "what": mark_in("club", "What holds"),
    "before": mark_in("club", "at first: {text}"),
    "show": mark_in("club", "Show the pictures"),
    "fetching": mark_in("club", "The table is asked …"),
    "no_pictures": mark_in("club", "The table has no pictures of this (any more)."),
    "away": mark_in("club", "The table does not answer: is it switched on?"),
    "invite": mark_in("club", "Invite a table"),
    "code_is": mark_in("club", "Enter this code at the table, under Settings, within a week. It lets one table in."),
    "put_out": mark_in("club", "Put out"),
    "sure": mark_in("club", "Put {name} out? Its games stay."),
    "no_line": mark_in("club", "The club’s computer does not answer: trying again …"),
    "broker": mark_in("club", "The broker: {text}"),
    "failed": mark_in("club", "A part of the club’s program failed and starts again ({part})."),
    "set_aside": mark_in("club", "Messages that could not be used: {n}. They are in set-aside.jsonl."),
    "not_written": mark_in("club", "Nothing can be written into the database just now; the tables keep it meanwhile."),
}


@cache
def words_in(code: str) -> dict[str, str]:
    """Give the words in a language. Raises BadInputError if the referee does not speak it."""
    language = Language(code)
    return {key: language.template_in("club", text) for key, text in WORDS.items()}
