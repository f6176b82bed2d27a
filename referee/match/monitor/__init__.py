"""The monitor: detects causes of wrong readings, and announces remedies before anything is misread."""
