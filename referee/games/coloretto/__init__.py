"""Coloretto (K1–K9): rules, rulings, set-up and score."""
