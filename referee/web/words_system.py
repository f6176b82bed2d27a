"""The page's words about the machine, by the keys that its scripts use."""

from __future__ import annotations

from referee.language import mark_in

SYSTEM_WORDS = {
    "nav_system": mark_in("page", "System"),
    "open_system": mark_in("page", "System: checks, players, log, switch off"),
    "system_pair": mark_in("page", "Pair this device first: players’ names are in it, and it can switch off."),
    "restart": mark_in("page", "Start Ringmaster anew"),
    "restart_sure": mark_in("page", "A game goes on where it is. Start anew?"),
    "restart_yes": mark_in("page", "Yes, start anew"),
    "restart_now": mark_in("page", "Ringmaster starts anew; this page comes back by itself."),
    "reboot": mark_in("page", "Restart the computer"),
    "reboot_sure": mark_in("page", "It takes about a minute; a game goes on where it is. Restart?"),
    "reboot_yes": mark_in("page", "Yes, restart"),
    "reboot_now": mark_in("page", "The computer restarts; this page comes back by itself."),
    "shut_down": mark_in("page", "Shut down"),
    "shut_down_sure": mark_in("page", "It is switched on again by unplugging and plugging in. Shut down?"),
    "shut_down_yes": mark_in("page", "Yes, shut down"),
    "shut_down_now": mark_in(
        "page", "The computer shuts down. Wait for its green light to go out before you unplug it."
    ),
    "files_noted": mark_in("page", "I have read it"),
    "system_checks": mark_in("page", "Is all in order?"),
    "device_works": mark_in("page", "Works: {name}"),
    "device_camera": mark_in("page", "camera"),
    "system_players": mark_in("page", "Players"),
    "system_players_more": mark_in("page", "A name that was typed in two ways can be made one."),
    "games_one": mark_in("page", "one game"),
    "games_many": mark_in("page", "{n} games"),
    "rename": mark_in("page", "Rename"),
    "rename_of": mark_in("page", "Another name for {name}"),
    "rename_yes": mark_in("page", "Rename in all games"),
    "renamed_now": mark_in("page", "Called {name} now, in all games."),
    "merge_sure": mark_in("page", "{one} and {other} will be one player in all games. This cannot be taken back."),
    "merge_yes": mark_in("page", "Make them one"),
    "merged_now": mark_in("page", "Both are {name} now."),
    "system_unfinished": mark_in("page", "Games that were not finished"),
    "delete_game": mark_in("page", "Delete"),
    "delete_game_sure": mark_in("page", "Delete it with its pictures, for ever?"),
    "delete_game_yes": mark_in("page", "Yes, delete"),
    "game_deleted": mark_in("page", "Deleted."),
    "system_log": mark_in("page", "Log: the last 200 lines"),
    "system_log_more": mark_in("page", "For whoever looks for a fault. There are no names and no codes in it."),
}
