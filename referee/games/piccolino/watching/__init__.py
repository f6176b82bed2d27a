"""From piles, arms and bells to Piccolino's events."""
