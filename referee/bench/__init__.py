"""How well and how fast Ringmaster reads: `ringmaster bench`."""
