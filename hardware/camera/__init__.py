"""Cameras: back-ends as peers, their settings and clocks, and their supervisor."""
