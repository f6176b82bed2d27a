"""Checks of `ringmaster doctor`: devices and the machine, each a function that returns findings."""
