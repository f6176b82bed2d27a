"""What makes a broker a bad one, each in a process of its own so that it takes nothing of ours but the machine.

`slow PORT BYTES`: passes on to a broker, so many bytes a second; says its port. `flood PORT TABLE`: sends to all that a
table listens to, as fast as it can; says 0 when it has begun.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from itertools import count

from referee.mqtt import topics
from referee.mqtt.line import Ends, Line
from referee.mqtt.settings import Broker

_PIECES_A_SECOND = 10
_MOST_WAITING, _PAYLOAD = 2000, b"x" * 200


def slow(port: int, bytes_a_second: int) -> None:
    """Pass on, slowly, for ever."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        one, _ = listener.accept()
        other = socket.create_connection(("127.0.0.1", port))
        for source, sink in ((one, other), (other, one)):
            threading.Thread(target=_pass_on, args=(source, sink, bytes_a_second), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket, bytes_a_second: int) -> None:
    try:
        while piece := source.recv(max(1, bytes_a_second // _PIECES_A_SECOND)):
            sink.sendall(piece)
            time.sleep(1 / _PIECES_A_SECOND)
    except OSError:
        pass
    source.close()
    sink.close()


def flood(port: int, table: str) -> None:
    """Send nonsense for ever."""
    sent = [0]

    def one_more(_mid: int) -> None:
        sent[0] += 1

    line = Line(Broker("127.0.0.1", port), "flood", Ends(lambda _: None, one_more, lambda _: None), None, None)
    line.open()
    print(0, flush=True)
    listened = [topics.topic(table, what) for what in (topics.DO, topics.ACK, topics.IN, topics.ASK)]
    for number in count():
        line.publish(listened[number % len(listened)], _PAYLOAD)
        while number - sent[0] > _MOST_WAITING:
            time.sleep(0.001)


if __name__ == "__main__":
    if sys.argv[1] == "slow":
        slow(int(sys.argv[2]), int(sys.argv[3]))
    else:
        flood(int(sys.argv[2]), sys.argv[3])
