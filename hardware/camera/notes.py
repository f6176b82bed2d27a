"""Sentences about settings that a camera could not apply. All back-ends share them, and so their translations."""

from hardware.problems import Said

NO_FOCUS = Said("guard.camera_could_not_focus_on", "The camera could not focus on the table.")
FOCUS_DRIFTS = Said("guard.camera_does_not_let_its", "The camera does not let its focus be held; it may hunt.")
COLOURS_DRIFT = Said(
    "guard.camera_does_not_let_its_white_balance",
    "The camera does not let its white balance be held; colours may drift.",
)
NO_EXPOSURE = Said(
    "guard.camera_does_not_let_its_exposure_be",
    "The camera does not let its exposure be set; white cards may be bleached.",
)
EXPOSURE_DRIFTS = Said(
    "guard.camera_does_not_keep_exposure", "The camera does not keep the exposure it is set to; colours may drift."
)
LITTLE_LIGHT = Said("guard.there_is_little_light_on", "There is little light on the table; a lamp would help.")
MUCH_LIGHT = Said(
    "guard.camera_could_not_be_set",
    "The camera could not be set so that white cards are not bleached; less light would help.",
)
LAMP_FLICKERS = Said(
    "guard.lamp_flickers_in_cameras_pictures", "The lamp flickers in the camera's pictures; another lamp would help."
)
NO_STAMPS = Said(
    "guard.camera_does_not_say_when", "The camera does not say when its pictures were taken; their arrival counts."
)
NO_SMALL_STREAM = Said(
    "guard.camera_has_no_second_small", "The camera has no second, small stream; motion is seen in the large one."
)
