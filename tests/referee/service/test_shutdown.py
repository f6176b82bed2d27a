"""The end of `ringmaster run`: in good order if it can be, and in any case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from referee.service.shutdown import Shutdown, busy_threads
from tests.referee.service.conftest import TIMEOUT_S, until

# A watcher that is never done with the first frame, and is inside of OpenCV nearly all of the time.
STUCK_READER = """
import sys
import cv2, numpy as np
from referee.cli import main
from referee.commands import run
from referee.games.confetti.watching.watcher import ConfettiWatcher

def look(self, frame):
    print("it looks", flush=True)
    picture = np.zeros((1500, 1500), np.uint8)
    while True:
        cv2.GaussianBlur(picture, (0, 0), 9)

def serve_a_game(service, *rest):
    service.desk.do({"do": "start", "game": "confetti", "players": ["Ann"], "options": {}})
    serve(service, *rest)

ConfettiWatcher.look = look
serve, run._serve = run._serve, serve_a_game
sys.exit(main())
"""


def test_a_process_without_threads_ends_by_itself_and_a_thread_that_is_left_is_not_waited_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    left: list[int] = []
    shutdown = Shutdown(left.append, longest_s=TIMEOUT_S)
    shutdown.begin()
    shutdown.begin()
    shutdown.end(0)
    assert left == [] and busy_threads() == []
    never = threading.Event()
    reader = threading.Thread(target=never.wait)
    reader.start()
    Shutdown(left.append).end(1, "the referee has failed")
    assert left == [1] and busy_threads() == [reader]
    # The end comes although it is never reached in order.
    Shutdown(left.append, longest_s=0.01).begin()
    assert until(lambda: left == [1, 0])
    assert capsys.readouterr().err == "the referee has failed\n"
    never.set()
    reader.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_reader_that_never_returns_neither_delays_nor_aborts_the_end(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUCK_READER, "run", "--simulated", "--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--log-level", "error", "--state", str(tmp_path)],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    too_late = threading.Timer(TIMEOUT_S, process.kill)
    too_late.start()
    assert process.stdout is not None
    heard = {process.stdout.readline().split(":")[0] for _ in range(2)}
    assert heard == {"The referee is ready", "it looks\n"}
    process.send_signal(number)
    _, errors = process.communicate()
    too_late.cancel()
    assert process.returncode == 0
    assert errors == ""
