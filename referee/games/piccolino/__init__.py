"""Piccolino (P1–P10): its rules, rulings, set-up, cards and what is open."""
