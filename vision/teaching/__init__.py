"""Learns a deck from pictures in which its cards lie apart: what a face looks like, and which look alike."""
