"""Tells a house and a club what happens at the table, by a broker of MQTT 5; off unless it is switched on."""
