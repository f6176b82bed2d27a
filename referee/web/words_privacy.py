"""The page's words about what is kept, who sees it and how it is forgotten, by the keys that its scripts use."""

from __future__ import annotations

from referee.language import mark_in

PRIVACY_WORDS = {
    "privacy": mark_in("page", "What Ringmaster keeps"),
    "privacy_what": mark_in(
        "page", "Ringmaster keeps names, scores, rulings and pictures of the table on this machine."
    ),
    "privacy_long": mark_in(
        "page",
        "Games stay until you delete them; pictures older than the last 20 games go after 30 days, or 365 if disputed.",
    ),
    "privacy_who": mark_in(
        "page",
        "Everybody at home sees scores, only paired devices see pictures; nothing leaves home unless you set that up.",
    ),
    "privacy_who_open": mark_in(
        "page", "Everybody at home sees scores and pictures, and nothing leaves home unless you set that up."
    ),
    "open_pictures": mark_in("page", "Show pictures to everybody at home"),
    "pictures_paired": mark_in("page", "Only paired devices see pictures of the table."),
    "fault_pictures_paired": mark_in("page", "Only paired devices see pictures of the table."),
    "screen_code": mark_in("page", "On a paired phone, Settings: let a screen in, {code}"),
    "screen_let": mark_in("page", "Let a screen in: the code that it shows"),
    "screen_do": mark_in("page", "Let it in"),
    "screen_let_in": mark_in("page", "The screen is let in."),
    "fault_no_screen": mark_in("page", "No screen shows this code. Please look again."),
    "said_lately": mark_in("page", "The code was said a moment ago. Please wait a little."),
    "delete_this_game": mark_in("page", "Delete this game"),
    "forget_player": mark_in("page", "Forget"),
    "forget_player_of": mark_in("page", "Forget {name}"),
    "forget_player_sure": mark_in(
        "page", "Say “Somebody” instead of {name} in all games, for ever? Backups and a club keep what they have."
    ),
    "forget_player_yes": mark_in("page", "Yes, forget"),
    "player_forgotten": mark_in("page", "Forgotten."),
}
