"""What `ringmaster doctor` and the page's System find: the templates of sentences that are made in English."""

from __future__ import annotations

from referee.language import Language

TEMPLATES = (
    # The computer.
    "doctor.this_is",
    "doctor.this_computer_is_no_raspberry",
    "doctor.referee_is_running_already_and",
    "doctor.to_check_those_stop_it",
    "doctor.this_user_may_use_all",
    "doctor.this_user_may_not_use",
    "doctor.run_sudo_usermod_ag_then",
    "doctor.this_computer_does_not_say",
    "doctor.raspberry_pi_gets_too_little",
    "doctor.raspberry_pi_got_too_little",
    "doctor.use_official_power_supply_and",
    "doctor.raspberry_pi_is_slowed_down_it_is",
    "doctor.raspberry_pi_is_slowed_down",
    "doctor.raspberry_pi_was_slowed_down",
    "doctor.give_it_fan_or_heat",
    "doctor.voltage_and_temperature_are_fine",
    "doctor.kernel_stamps_presses_on_clock",
    "doctor.kernel_is_too_old_to",
    "doctor.update_system_sudo_apt_full",
    "doctor.date_is_wrong_it_says",
    "doctor.connect_network_once_or_set",
    "doctor.cannot_be_looked_at",
    "doctor.nothing_can_be_written_to",
    "doctor.check_sd_card_and_its",
    "doctor.check_sd_card",
    "doctor.gb_are_free",
    "doctor.disk_is_full",
    "doctor.delete_old_recordings",
    "doctor.there_is_little_room_for",
    "doctor.delete_old_ones",
    "doctor.there_is_room_for_recordings",
    # Pins.
    "doctor.pins_can_be_used",
    "doctor.this_computer_is_no_raspberry_pi_it",
    "doctor.program_that_reads_pins_is",
    "doctor.no_bell_is_used",
    "doctor.no_sandtimer_is_used",
    "doctor.no_lamp_is_used",
    "doctor.bell_needs_pins",
    "doctor.sandtimer_needs_pins",
    "doctor.lamp_needs_pins",
    "doctor.call_bell_can_be_heard",
    "doctor.sandtimer_can_be_used_without",
    "doctor.games_can_be_judged_without",
    "doctor.sandtimer_has_no_sensor_its",
    "doctor.bell_on_is_held_down",
    "doctor.let_it_go_or_check",
    "doctor.please_ring_bell_now_seconds",
    "doctor.bells_line_on_is_quiet",
    "doctor.nobody_rang_or_bell_is",
    "doctor.check_its_two_wires",
    "doctor.bell_was_heard",
    "doctor.bells_time_stamps_are_on",
    "doctor.bells_time_stamps_are_not",
    "doctor.no_pin_is_set_for",
    "doctor.sandtimers_light_barrier_is_blocked",
    "doctor.put_timers_neck_between_its",
    "doctor.sandtimers_sensors_on_can_be",
    "doctor.lamp_and_buzzer_can_be",
    "doctor.lamp_should_have_lit_green",
    # Sound.
    "doctor.speech_is_switched_off",
    "doctor.speech_takes_too_long_on",
    "doctor.speech_can_be_made_was",
    "doctor.you_should_have_heard_if",
    "doctor.program_that_speaks_is_missing",
    "doctor.program_that_plays_sound_is",
    "doctor.bells_microphone_gives_no_sound",
    "doctor.unplug_it_and_plug_it",
    "doctor.bells_microphone_is_muted",
    "doctor.switch_it_on_and_up",
    "doctor.bells_microphone_hears_room",
    # The camera.
    "doctor.sees_only_black",
    "doctor.take_cap_off_lens_and",
    "doctor.gives_pictures_of_by_pixels",
    "doctor.camera_does_not_answer_within",
    "doctor.take_its_power_or_cable",
    "doctor.camera_is_there_but_gives",
    "doctor.check_its_cable_and_restart",
    "doctor.pictures_are_on_our_clock",
    "doctor.cameras_time_is_not_time",
    "doctor.exposure_and_white_balance_are",
    "doctor.raspberry_pi_camera_needs_picamera2",
    "doctor.is_not_there_or_another",
    "doctor.was_not_found_or_another",
    "doctor.usb_camera_is_not_there",
    # What comes of it.
    "doctor.ready_for_game",
    "doctor.ready_for_game_of",
    "doctor.ready_for_game_not_everything",
    "doctor.ready_for_game_of_not",
    "doctor.not_ready_for_game",
    "doctor.not_ready_for_game_of",
)

_STATES = {
    "ok": "doctor.state.ok",
    "remark": "doctor.state.remark",
    "fault": "doctor.state.fault",
    "skipped": "doctor.state.skipped",
}
_PARTS = {
    "computer": "doctor.part.computer",
    "permissions": "doctor.part.permissions",
    "power": "doctor.part.power",
    "clock": "doctor.part.clock",
    "disk": "doctor.part.disk",
    "pins": "doctor.part.pins",
    "bell": "doctor.part.bell",
    "sandtimer": "doctor.part.sandtimer",
    "bell or sandtimer": "doctor.part.bell_or_sandtimer",
    "lamp": "doctor.part.lamp",
    "microphone": "doctor.part.microphone",
    "speech": "doctor.part.speech",
    "camera": "doctor.part.camera",
}


def say_state(state: str, language: Language) -> str:
    """Give in a word how a part was found."""
    return language.text(_STATES[state])


def say_part(part: str, language: Language) -> str:
    """Give the name of a part that was checked."""
    return language.text(_PARTS[part]) if part in _PARTS else part
