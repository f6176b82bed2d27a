"""Cameras: back-ends as peers, their settings and clocks, and who watches over them."""
