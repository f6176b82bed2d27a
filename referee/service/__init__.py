"""The service: devices, sessions, journal and announcer run as one, behind the desk at which the web page stands."""
