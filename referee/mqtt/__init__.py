"""Publishes the table's events to a house and a club through an MQTT 5 broker; off by default."""
