"""Confetti (C1–C11): its rules, rulings, set-up, rounds and the score of a hand."""
