"""Piccolino (P1–P10): rules, rulings, set-up, decks and open cards."""
