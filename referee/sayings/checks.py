"""What `ringmaster doctor` and the page's System find: the templates of sentences that are made in English."""

from __future__ import annotations

from referee.language import Language, mark, mark_in

TEMPLATES = (
    # The computer.
    mark("This is a {model}."),
    mark("This computer is no Raspberry Pi."),
    mark("The referee is running already and holds camera and pins."),
    mark("To check those, stop it first: sudo systemctl stop ringmaster."),
    mark("This user may use all devices that are there."),
    mark("This user may not use the {devices}."),
    mark("Run: sudo usermod -aG {groups} {user}, then log out and in again."),
    mark("This computer does not say how it is powered."),
    mark("The Raspberry Pi gets too little voltage now."),
    mark("The Raspberry Pi got too little voltage at times since it was started."),
    mark("Use the official power supply and a short cable."),
    mark("The Raspberry Pi is slowed down, it is too hot or has too little power ({heat} °C)."),
    mark("The Raspberry Pi is slowed down, it is too hot or has too little power."),
    mark("The Raspberry Pi was slowed down at times since it was started, by heat or for want of power."),
    mark("Give it a fan or a heat sink and a good power supply."),
    mark("Voltage and temperature are fine."),
    mark("The kernel ({release}) stamps presses on the clock of the pictures."),
    mark("The kernel ({release}) is too old to stamp presses on the clock of the pictures."),
    mark("Update the system: sudo apt full-upgrade."),
    mark("The date is wrong: it says {year}; only the names of recordings suffer."),
    mark("Connect the network once, or set it: sudo date -s …"),
    mark("{folder} cannot be looked at: {why}."),
    mark("Nothing can be written to {folder}."),
    mark("Check the SD card and its rights."),
    mark("Check the SD card."),
    mark("{size} GB are free"),
    mark("The disk is full: {room}."),
    mark("Delete old recordings."),
    mark("There is little room for recordings: {room}."),
    mark("Delete old ones."),
    mark("There is room for recordings: {room}."),
    # Pins.
    mark("The pins can be used."),
    mark("This computer is no Raspberry Pi: it has no pins for bell and lamp."),
    mark("The program that reads the pins is missing: sudo apt install python3-lgpio."),
    mark("No bell is used."),
    mark("No sandtimer is used."),
    mark("No lamp is used."),
    mark("The bell needs the pins."),
    mark("The sandtimer needs the pins."),
    mark("The lamp needs the pins."),
    mark("A call bell can be heard by a microphone instead: --bell microphone."),
    mark("A sandtimer can be used without a sensor: --sandtimer watched."),
    mark("Games can be judged without it: --lamp none."),
    mark("The sandtimer has no sensor: its usual time is counted."),
    mark("The bell on {pins} is held down, jammed or shorted."),
    mark("Let it go, or check its two wires."),
    mark("Please ring the bell now ({seconds} seconds)."),
    mark("The bell's line on {pins} is quiet; try it with --press 10."),
    mark("Nobody rang, or the bell is not heard."),
    mark("Check its two wires."),
    mark("The bell was heard."),
    mark("The bell's time stamps are on our clock, {ms} ms old when read."),
    mark("The bell's time stamps are not on our clock; presses are timed a little late."),
    mark("No pin is set for the sandtimer's sensors."),
    mark("The sandtimer's light barrier is blocked though no sand should run."),
    mark("Put the timer's neck between its two halves; check its wires."),
    mark("The sandtimer's sensors on {pins} can be read; flip it to try them."),
    mark("Lamp and buzzer can be used."),
    mark("The lamp should have lit green just now, with a beep; if not, check its wires."),
    # Sound.
    mark("Speech is switched off."),
    mark("Speech takes too long on this computer."),
    mark("Speech can be made; “{sentence}” was not said aloud."),
    mark("You should have heard “{sentence}”; if not, check the loudspeaker and its volume (alsamixer)."),
    mark("The program that speaks is missing: sudo apt install espeak-ng."),
    mark("The program that plays sound is missing: sudo apt install alsa-utils."),
    mark("The bell's microphone gives no sound."),
    mark("Unplug it and plug it in again."),
    mark("The bell's microphone is muted."),
    mark("Switch it on and up in alsamixer (F4)."),
    mark("The bell's microphone hears the room."),
    # The camera.
    mark("{camera} sees only black."),
    mark("Take the cap off the lens, and light the table."),
    mark("{camera} gives pictures of {width} by {height} pixels."),
    mark("The camera does not answer within {seconds} seconds."),
    mark("Take its power or cable off, put it on again, and restart."),
    mark("The camera is there but gives no pictures."),
    mark("Check its cable, and restart."),
    mark("Pictures are on our clock, {ms} ms old when read."),
    mark("The camera's time is not the time of our clock; rings cannot be judged on its pictures."),
    mark("Exposure and white balance are held on the table."),
    mark("The Raspberry Pi camera needs picamera2: sudo apt-get install python3-picamera2 (on a Raspberry Pi)."),
    mark("{camera} is not there, or another program is using it."),
    mark("{camera} was not found, or another program is using it."),
    mark("USB camera {camera} is not there: is its cable in?"),
    # What comes of it.
    mark("Ready for a game."),
    mark("Ready for a game of {game}."),
    mark("Ready for a game. Not everything is as it could be, see above."),
    mark("Ready for a game of {game}. Not everything is as it could be, see above."),
    mark("Not ready for a game: {parts} must work first."),
    mark("Not ready for a game of {game}: {parts} must work first."),
)

_STATES = {
    "ok": mark_in("check", "ok"),
    "remark": mark_in("check", "note"),
    "fault": mark_in("check", "FAULT"),
    "skipped": mark_in("check", "-"),
}
_PARTS = {
    "computer": mark_in("check", "computer"),
    "permissions": mark_in("check", "permissions"),
    "power": mark_in("check", "power"),
    "clock": mark_in("check", "clock"),
    "disk": mark_in("check", "disk"),
    "pins": mark_in("check", "pins"),
    "bell": mark_in("check", "bell"),
    "sandtimer": mark_in("check", "sandtimer"),
    "bell or sandtimer": mark_in("check", "bell or sandtimer"),
    "lamp": mark_in("check", "lamp"),
    "microphone": mark_in("check", "microphone"),
    "speech": mark_in("check", "speech"),
    "camera": mark_in("check", "camera"),
}


def say_state(state: str, language: Language) -> str:
    """Give in a word how a part was found."""
    return language.text_in("check", _STATES[state])


def say_part(part: str, language: Language) -> str:
    """Give the name of a part that was checked."""
    return language.text_in("check", _PARTS[part]) if part in _PARTS else part
