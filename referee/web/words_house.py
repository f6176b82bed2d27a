"""The page's words about house and club, by the keys that its scripts use."""

from __future__ import annotations

from referee.language import mark_in

HOUSE_WORDS = {
    "house": mark_in("page", "House and club"),
    "house_on": mark_in("page", "Connect to Home Assistant or a club (MQTT)"),
    "house_why": mark_in(
        "page",
        "Home Assistant finds the table by itself then: bell, rulings, points and sand. "
        "A club sees the table’s games once its code is entered here.",
    ),
    "house_name": mark_in("page", "This table’s name"),
    "house_host": mark_in("page", "Broker (such as homeassistant.local)"),
    "house_port": mark_in("page", "Port (0: the usual one)"),
    "house_user": mark_in("page", "User name (if it asks for one)"),
    "house_password": mark_in("page", "Password"),
    "house_password_kept": mark_in("page", "Password (kept; leave it empty to keep it so)"),
    "house_tls": mark_in("page", "Encrypted (TLS)"),
    "house_ca": mark_in("page", "The authority’s certificate, as text (PEM), if it is your own"),
    "house_ca_kept": mark_in("page", "The authority’s certificate (kept; leave it empty to keep it so)"),
    "house_buttons": mark_in("page", "The house may pause and count"),
    "house_save": mark_in("page", "Save and connect"),
    "house_waiting_one": mark_in("page", "One message waits to be told."),
    "house_waiting_many": mark_in("page", "{n} messages wait to be told."),
    "club_code": mark_in("page", "Invitation code of the club"),
    "club_join": mark_in("page", "Join the club"),
    "club_in": mark_in("page", "This table belongs to the club {club}."),
    "club_leave": mark_in("page", "Leave the club"),
    "fault_mqtt_no_host": mark_in("page", "Please say which computer the broker runs on."),
    "fault_mqtt_host": mark_in("page", "A broker is named like homeassistant.local or 192.168.1.5."),
    "fault_mqtt_port": mark_in("page", "A port is a number from 1 to 65535."),
    "fault_mqtt_ca": mark_in("page", "That is no certificate of an authority: it begins with BEGIN CERTIFICATE."),
    "fault_mqtt_name": mark_in("page", "A table has a name of up to 60 letters."),
    "fault_mqtt_text": mark_in("page", "That is too long."),
    "fault_mqtt_code": mark_in("page", "An invitation is ten letters and digits, such as K7QF2-M9P4X."),
    "fault_mqtt_off": mark_in("page", "Please switch the broker on first, and save."),
}
