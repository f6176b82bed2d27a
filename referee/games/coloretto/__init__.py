"""Coloretto (K1–K9): its rules, rulings, set-up and score."""
