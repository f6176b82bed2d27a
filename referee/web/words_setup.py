"""The page's words about setting up, by the keys that its scripts use; the steps bring their own sentences."""

from __future__ import annotations

from referee.language import mark_in

SETUP_WORDS = {
    "nav_setup": mark_in("page", "Set up"),
    "setup_title": mark_in("page", "Set up the table"),
    "setup_why": mark_in(
        "page", "Nine short steps, about ten minutes. Each can be left for later and done again at any time."
    ),
    "setup_begin": mark_in("page", "Begin"),
    "setup_go_on": mark_in("page", "Go on"),
    "setup_again": mark_in("page", "Go through all steps again"),
    "setup_done": mark_in("page", "The table is set up."),
    "setup_open": mark_in("page", "Set up the table …"),
    "setup_left_one": mark_in("page", "One step of setting up is still open."),
    "setup_left_many": mark_in("page", "{n} steps of setting up are still open."),
    "setup_step": mark_in("page", "Step {n} of {all}"),
    "setup_keep": mark_in("page", "Keep it and go on"),
    "setup_as_it_is": mark_in("page", "Go on as it is"),
    "setup_without": mark_in("page", "Go on without it"),
    "setup_later": mark_in("page", "Later"),
    "setup_back": mark_in("page", "Back"),
    "setup_all": mark_in("page", "All steps"),
    "setup_picture": mark_in("page", "What the camera sees now"),
    "nav_marker": mark_in("page", "A phone as a marker card"),
    "marker_title": mark_in("page", "A phone as a marker card"),
    "marker_fit": mark_in(
        "page", "Lay a bank card on the screen, upright, and drag the frame until it is as large as the card."
    ),
    "marker_size": mark_in("page", "Size of the frame"),
    "marker_smaller": mark_in("page", "A little smaller"),
    "marker_larger": mark_in("page", "A little larger"),
    "marker_fits": mark_in("page", "It fits"),
    "marker_again": mark_in("page", "Measure the screen anew"),
    "marker_too_small": mark_in("page", "This screen is too small for it: take a larger phone."),
    "marker_alt": mark_in("page", "Marker {n}"),
    "marker_lay": mark_in("page", "This is number {n}. Lay the phone at a corner of the table, face up."),
    "marker_before": mark_in("page", "Number before"),
    "marker_next": mark_in("page", "Next number"),
    "marker_bright": mark_in("page", "Make the screen bright, and let it not go dark."),
    "setup_seat_at": mark_in("page", "{n} percent of the way round the table"),
    "setup_bar": mark_in("page", "Measured now"),
    "setup_state_good": mark_in("page", "done"),
    "setup_state_mend": mark_in("page", "could be better"),
    "setup_state_wait": mark_in("page", "open"),
    "setup_state_missing": mark_in("page", "not there"),
    "setup_state_skipped": mark_in("page", "left for later"),
    "setup_state_none": mark_in("page", "open"),
    "qr_alt": mark_in("page", "QR code of this page’s address"),
    "qr_more": mark_in("page", "Point a phone’s camera here to open this page: "),
    "quality": mark_in("page", "How good is it here?"),
    "quality_none": mark_in("page", "Nothing to tell yet: it comes with the first game."),
    "quality_unclear": mark_in("page", "Of {all} rings {n} were unclear at first."),
    "quality_evenings": mark_in("page", "Cards that were corrected, by evening"),
    "quality_of": mark_in("page", "{n} of {all} cards corrected"),
    "quality_more": mark_in("page", "This counts what somebody noticed and corrected."),
    "quality_check": mark_in("page", "Check it now with ten cards"),
}
