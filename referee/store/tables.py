"""The journal's tables: how they are made, and how rows of a damaged file are taken into a sound one."""

from __future__ import annotations

from referee.store import outbox

VERSION = 1
LAST_VERSION = 1000
"""No Ringmaster will ever have written a file of a higher one."""

TABLES = (
    # boot, shift_ns: the game's clock is the monotonic clock of that boot plus shift_ns: it goes on after another boot.
    # judged: the last event that was. closed: it is not resumed any more. Times in ms are wall time, for people.
    """CREATE TABLE IF NOT EXISTS games (
        game INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, header TEXT NOT NULL, started_ms INTEGER NOT NULL,
        boot TEXT NOT NULL, shift_ns INTEGER NOT NULL, judged INTEGER NOT NULL DEFAULT 0, ended_ms INTEGER,
        closed INTEGER NOT NULL DEFAULT 0)""",
    # refused: the game knew no such event, so it is not judged. An event is never changed or deleted.
    """CREATE TABLE IF NOT EXISTS events (
        game INTEGER NOT NULL REFERENCES games, number INTEGER NOT NULL, wall_ms INTEGER NOT NULL, data TEXT NOT NULL,
        refused INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (game, number)) WITHOUT ROWID""",
    # A ruling holds from one correction (0: the beginning) until another takes it back (NULL: it holds).
    """CREATE TABLE IF NOT EXISTS rulings (
        game INTEGER NOT NULL, event INTEGER NOT NULL, place INTEGER NOT NULL, since INTEGER NOT NULL,
        until INTEGER, data TEXT NOT NULL, PRIMARY KEY (game, event, place, since)) WITHOUT ROWID""",
    # data: the event as it should have been; NULL strikes it. undoes: the correction that this one takes back.
    """CREATE TABLE IF NOT EXISTS corrections (
        game INTEGER NOT NULL REFERENCES games, number INTEGER NOT NULL, wall_ms INTEGER NOT NULL, event INTEGER,
        data TEXT, undoes INTEGER, PRIMARY KEY (game, number)) WITHOUT ROWID""",
    # file: the name in the evidence folder; t_ms: before (-) or after the instant it is about.
    """CREATE TABLE IF NOT EXISTS evidence (
        file TEXT PRIMARY KEY, game INTEGER NOT NULL, event INTEGER NOT NULL, t_ms REAL NOT NULL,
        bytes INTEGER NOT NULL, kept_ms INTEGER NOT NULL, disputed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS evidence_of ON evidence (game, event)",
)

# Added later, so they are made where they are missing: a version before, after a rollback of an upgrade, ignores them.
# data: what was outlined in the picture that an event was judged on (see `referee.match.pictures`).
LATER = (
    """CREATE TABLE IF NOT EXISTS sights (
    game INTEGER NOT NULL, event INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (game, event)) WITHOUT ROWID""",
    # The numbers of games that were deleted. None is given again: browsers keep pictures by them.
    "CREATE TABLE IF NOT EXISTS deleted (game INTEGER PRIMARY KEY)",
    *outbox.TABLES,
)
LAST_GAME = "SELECT coalesce(max(game), 0) FROM (SELECT game FROM games UNION ALL SELECT game FROM deleted)"
"""Gives the highest number that a game has or had."""

WAY_CLEARED = tuple(
    f"DELETE FROM {table} WHERE game = ?" for table in ("events", "rulings", "corrections", "evidence", "sights")
)
"""What a new game's number is freed by: a damaged file may hold rows that belong to no game, or to none any more."""

GAME_DELETED = (
    "UPDATE outbox SET game = 0 WHERE game = ?",
    "DELETE FROM games WHERE game = ?",
    "INSERT OR IGNORE INTO deleted (game) VALUES (?)",
)

COLUMNS = {
    "games": ("game", "uid", "header", "started_ms", "boot", "shift_ns", "judged", "ended_ms", "closed"),
    "events": ("game", "number", "wall_ms", "data", "refused"),
    "rulings": ("game", "event", "place", "since", "until", "data"),
    "corrections": ("game", "number", "wall_ms", "event", "data", "undoes"),
    "evidence": ("file", "game", "event", "t_ms", "bytes", "kept_ms", "disputed"),
    "sights": ("game", "event", "data"),
}
"""Columns of each table with games in it, in the order in which a row is kept."""
KEYS = {"games": 1, "events": 2, "rulings": 4, "corrections": 2, "evidence": 1, "sights": 2}
"""So many columns, the first ones, name a row."""
JSON = {"games": "header", "events": "data", "rulings": "data", "corrections": "data", "sights": "data"}
"""The column that holds JSON."""

# A row of a copy was checked, so one of a damaged file replaces only what changes while a game goes on.
_CHANGED = {
    "games": "(game) DO UPDATE SET boot = excluded.boot, shift_ns = excluded.shift_ns, judged = excluded.judged, "
    "ended_ms = excluded.ended_ms, closed = excluded.closed WHERE uid = excluded.uid AND "
    "typeof(excluded.judged) = 'integer' AND typeof(excluded.shift_ns) = 'integer'",
    "rulings": "(game, event, place, since) DO UPDATE SET until = excluded.until "
    "WHERE until IS NULL AND typeof(excluded.until) = 'integer'",
}
TAKE = {
    name: f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
    f"ON CONFLICT {_CHANGED.get(name, 'DO NOTHING')}"
    for name, columns in COLUMNS.items()
}
"""The statement that takes a row of a damaged file."""
