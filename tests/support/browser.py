"""Chromium for tests, asking nobody on the internet."""

from __future__ import annotations

CHROMIUM = "chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # At home the page has a name without a certificate, where browsers allow less than at this machine itself.
    "--host-resolver-rules=MAP ringmaster.local 127.0.0.1",
)
