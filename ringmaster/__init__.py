"""Ringmaster under its own name, for `python -m ringmaster`; the code is in the folders beside this one."""
