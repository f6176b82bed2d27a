"""The page's words about voice, quiet and the devices that are fitted, by the keys that its scripts use."""

from __future__ import annotations

from referee.language import mark_in

DEVICE_WORDS = {
    "language": mark_in("page", "Language"),
    "voice": mark_in("page", "Voice and bell"),
    "volume": mark_in("page", "Loudness"),
    "quiet_now": mark_in("page", "Quiet: captions and lamp only"),
    "quiet_hours": mark_in("page", "Quiet at night"),
    "from": mark_in("page", "from"),
    "until": mark_in("page", "until"),
    "loudspeaker_fitted": mark_in("page", "A loudspeaker is fitted"),
    "voice_here": mark_in("page", "Let this device speak"),
    "voice_elsewhere": mark_in("page", "Another device was chosen to speak."),
    "voice_cannot": mark_in("page", "This browser cannot speak: please choose another device for that."),
    "voice_touch": mark_in("page", "Tap anywhere, and this device may speak."),
    "not_found": mark_in("page", "Not found: {names}. Does this table have none?"),
    "not_found_none": mark_in("page", "It has none"),
    "not_found_choose": mark_in("page", "Choose in the settings"),
    "not_found_later": mark_in("page", "Not now"),
    "device_speaker": mark_in("page", "loudspeaker"),
    "device_bell": mark_in("page", "bell"),
    "device_sandtimer": mark_in("page", "sensors of the sandtimer"),
    "device_lamp": mark_in("page", "lamp"),
    "quiet_more": mark_in("page", "What is said always stands on the page, too."),
    "fitted": mark_in("page", "Camera, bell and sensors"),
    "fitted_more": mark_in(
        "page", "If a new setting does not work, the old one stays, and the top of the page says so."
    ),
    "camera": mark_in("page", "Camera"),
    "camera_picamera2": mark_in("page", "Camera of the Raspberry Pi"),
    "camera_picamera2_1": mark_in("page", "Second camera of the Raspberry Pi"),
    "camera_usb_0": mark_in("page", "USB camera"),
    "bell": mark_in("page", "Bell"),
    "bell_one": mark_in("page", "One button for all"),
    "bell_seats": mark_in("page", "A button at each seat"),
    "bell_microphone": mark_in("page", "The game’s own bell (microphone)"),
    "bell_none": mark_in("page", "None: rings are told on this page"),
    "bell_pin": mark_in("page", "The button is at"),
    "bell_pin_of": mark_in("page", "Button of seat {n}"),
    "pin": mark_in("page", "pin {place} (GPIO{gpio})"),
    "sandtimer_fitted": mark_in("page", "The sandtimer has sensors"),
    "lamp_fitted": mark_in("page", "Lamp and buzzer are fitted"),
    "fault_pin_taken": mark_in("page", "GPIO{pin} is in use already: please choose another pin. Nothing has changed."),
    "fault_no_such_pin": mark_in("page", "There is no pin GPIO{pin} for a button. Nothing has changed."),
    "fault_too_many_buttons": mark_in("page", "There can be one to seven buttons. Nothing has changed."),
    "fault_no_picture_from": mark_in("page", "That camera gives no picture ({why}). The one before stays."),
    "fault_simulated_devices": mark_in("page", "This table is a simulated one: its devices cannot be changed."),
}
