"""Reads cards and piles of cards that their art tells apart, as Piccolino's: `picture_reader` and `piles` begin."""
