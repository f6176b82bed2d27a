"""What a camera could not do when it was set up: a sentence each, the same for all cameras, so that each has words."""

NO_FOCUS = "The camera could not focus on the table."
FOCUS_DRIFTS = "The camera does not let its focus be held; it may hunt."
COLOURS_DRIFT = "The camera does not let its white balance be held; colours may drift."
NO_EXPOSURE = "The camera does not let its exposure be set; white cards may be bleached."
EXPOSURE_DRIFTS = "The camera does not keep the exposure it is set to; colours may drift."
LITTLE_LIGHT = "There is little light on the table; a lamp would help."
MUCH_LIGHT = "The camera could not be set so that white cards are not bleached; less light would help."
LAMP_FLICKERS = "The lamp flickers in the camera's pictures; another lamp would help."
NO_STAMPS = "The camera does not say when its pictures were taken; their arrival counts."
NO_SMALL_STREAM = "The camera has no second, small stream; motion is seen in the large one."

NOTES = (
    NO_FOCUS,
    FOCUS_DRIFTS,
    COLOURS_DRIFT,
    NO_EXPOSURE,
    EXPOSURE_DRIFTS,
    LITTLE_LIGHT,
    MUCH_LIGHT,
    LAMP_FLICKERS,
    NO_STAMPS,
    NO_SMALL_STREAM,
)
