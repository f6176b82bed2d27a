"""What C libraries print is caught, whoever else catches it, and whether or not there is anything to print on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Thread

from vision.library_output import caught_from_libraries

# With nothing to print on, as under some service managers.
WITHOUT_STDERR = """
import os
os.close(2)
from vision.people_hands import HandFinder
assert HandFinder()._palms is not None
print("loaded")
"""


def test_threads_that_catch_at_once_give_the_stream_back_as_it_was() -> None:
    before, began = os.fstat(2), Barrier(8)
    caught: list[bool] = []

    def catch(number: int) -> None:
        began.wait()
        for _ in range(20):
            with caught_from_libraries() as lines:
                os.write(2, f"library {number}\n".encode())
            caught.append(lines == [f"library {number}"])

    threads = [Thread(target=catch, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(caught) == 160 and all(caught)
    assert os.path.samestat(os.fstat(2), before)


def test_hands_are_looked_for_where_there_is_no_error_stream_and_nothing_is_printed_where_there_is() -> None:
    for program, printed in ((WITHOUT_STDERR, None), (WITHOUT_STDERR.replace("os.close(2)", ""), "")):
        root = Path(__file__).parents[2]
        done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "loaded\n")
        assert printed is None or done.stderr == printed
