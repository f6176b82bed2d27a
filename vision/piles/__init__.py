"""Piles of cards and loose cards on a table, followed through pictures, whatever reader reads their faces."""
