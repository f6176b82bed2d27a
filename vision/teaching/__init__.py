"""Learns a deck from pictures in which its cards are apart: what a face looks like, and which look alike."""
