"""Inside the rehearsal machine: runs the rehearsal's commands and stores its files.

It listens on the machine's own network, which reaches only the host's loopback address.
"""

from __future__ import annotations

import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT = 8099


class Agent(BaseHTTPRequestHandler):
    """POST runs the body as a shell script; PUT stores the body as a file; GET returns a file."""

    def do_POST(self) -> None:
        """Answer with the script's output, and its exit status in the header X-Status."""
        done = subprocess.run(
            ["/bin/bash", "-c", self._body().decode()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._answer(done.stdout, done.returncode)

    def do_PUT(self) -> None:
        """Store a file at the path of the address."""
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._body())
        self._answer(b"", 0)

    def do_GET(self) -> None:
        """Send the file at the path of the address."""
        path = Path(self.path)
        self._answer(path.read_bytes() if path.is_file() else b"", 0 if path.is_file() else 1)

    def log_message(self, format: str, *args: object) -> None:
        """Do nothing: the console stays silent."""

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _answer(self, body: bytes, status: int) -> None:
        self.send_response(200)
        self.send_header("X-Status", str(status))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("0.0.0.0", PORT), Agent).serve_forever()
