"""The page's words about pairing, by the keys that its scripts use."""

from __future__ import annotations

from referee.language import mark_in

PAIRING_WORDS = {
    "pair_title": mark_in("page", "Let this phone join in"),
    "pair_why": mark_in(
        "page",
        "Anybody may watch. To start games, to correct and to change settings, a device is paired once.",
    ),
    "pair_listen": mark_in(
        "page",
        "Ringmaster is saying a code of six digits.",
    ),
    "pair_printed": mark_in("page", "The code stands in the terminal in which Ringmaster runs."),
    "pair_screen": mark_in("page", "Another phone that is let in shows the code."),
    "first_title": mark_in("page", "No device is paired yet"),
    "first_how": mark_in("page", "One of these lets this phone in:"),
    "first_bell": mark_in("page", "Press the bell {n} times, one after the other, and then let it rest."),
    "first_pressed_one": mark_in("page", "Pressed once so far."),
    "first_pressed_many": mark_in("page", "Pressed {n} times so far."),
    "first_miscounted_one": mark_in("page", "It was pressed once. Please try again with the new number."),
    "first_miscounted_many": mark_in("page", "It was pressed {n} times. Please try again with the new number."),
    "first_others": mark_in(
        "page",
        "Another device is waiting, too, so the bell cannot tell which is meant. Close Ringmaster’s page there.",
    ),
    "first_bell_rests": mark_in("page", "The bell was pressed too often in vain: it counts again in ten minutes."),
    "first_camera": mark_in(
        "page",
        "Lay this device on the table under the camera, with this mark on its screen, until this page goes on.",
    ),
    "first_terminal": mark_in("page", "At Ringmaster’s own computer, type {command}, then enter the six digits here."),
    "first_away": mark_in("page", "This device is not in the home network. Please use its Wi-Fi."),
    "pair_code_is": mark_in("page", "The code is"),
    "pair_code": mark_in("page", "Code"),
    "pair_do": mark_in("page", "Pair this device"),
    "pair_again": mark_in("page", "Say it again"),
    "paired_now": mark_in("page", "This device is paired."),
    "paired_for_now": mark_in("page", "This device is paired until the next start only: the disk takes nothing."),
    "pairing": mark_in("page", "Who may change things"),
    "is_paired": mark_in("page", "This device may start games, correct and change settings."),
    "is_not_paired": mark_in("page", "This device may only watch."),
    "paired_devices_one": mark_in("page", "One device is paired."),
    "paired_devices_many": mark_in("page", "{n} devices are paired."),
    "let_in": mark_in("page", "Let another device in"),
    "let_in_now": mark_in("page", "Ringmaster is saying the code; this page shows it, too."),
    "let_in_shown": mark_in("page", "This page shows the code."),
    "pair_qr_alt": mark_in("page", "QR code that lets a phone join in"),
    "pair_qr": mark_in("page", "Or point the other phone’s camera here."),
    "forget_this": mark_in("page", "Forget this device"),
    "forget_all": mark_in("page", "Forget all devices"),
    "forgotten": mark_in("page", "Forgotten."),
}
