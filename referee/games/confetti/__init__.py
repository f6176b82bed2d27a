"""Confetti (C1–C11): rules, rulings, set-up, rounds and the score of a hand."""
