"""What the page says when something in a lesson, or with a deck, cannot be done; by key."""

from __future__ import annotations

from referee.language import mark_in

SENTENCES = {
    "lesson_none": mark_in("page", "No deck is being taught. Begin anew."),
    "lesson_gone": mark_in("page", "That is not there any more. Please look again."),
    "lesson_full": mark_in("page", "{n} pictures are enough: save the deck now."),
    "lesson_no_camera": mark_in("page", "There is no picture from the camera just now."),
    "lesson_no_cards": mark_in(
        "page", "No cards were found. Lay some on a plain part of the table, apart from each other, in good light."
    ),
    "lesson_touch": mark_in("page", "The cards touch or cover each other. Leave a finger’s width between them."),
    "lesson_some_touch": mark_in(
        "page",
        "Some cards touch or cover each other, or the picture cuts them off ({n}). Move them, and tap again: they were "
        "left out.",
    ),
    "lesson_no_markers": mark_in(
        "page", "No marker cards are seen. Lay the marker cards at the table’s edge: they tell how large the cards are."
    ),
    "lesson_one_card": mark_in("page", "There is only one card in this group."),
    "lesson_nothing_seen": mark_in("page", "No cards have been learned yet."),
    "lesson_unnamed": mark_in("page", "Some groups have no name yet. Tap each of them."),
    "lesson_no_marks": mark_in("page", "These cards do not show three marks each, as Confetti’s do."),
    "lesson_no_happy": mark_in("page", "No happy clowns have been seen yet."),
    "lesson_no_sad": mark_in("page", "No sad clowns have been seen yet."),
    "lesson_no_plus2": mark_in("page", "No “+2” cards have been seen yet."),
    "lesson_no_joker": mark_in("page", "No jokers have been seen yet."),
    "lesson_one_colour": mark_in("page", "All cards so far are of one colour."),
    "lesson_changed": mark_in("page", "Something was changed meanwhile. Please try again."),
    "lesson_failed": mark_in("page", "That did not work ({why}). Please try again."),
    "deck_name_taken": mark_in("page", "There is a deck called {name} already. Please choose another name."),
    "deck_name_bad": mark_in(
        "page", "A deck cannot be called {name}: take a short name of letters and numbers that is nobody else’s."
    ),
    "deck_in_use": mark_in("page", "This deck lies on the table: end the game first."),
    "deck_gone": mark_in("page", "There is no such deck any more."),
    "deck_file_bad": mark_in("page", "This file is torn, or is no deck."),
    "deck_built_in": mark_in("page", "This deck comes with Ringmaster and stays as it is."),
}
