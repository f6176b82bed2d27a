"""How a browser is started for tests and measurements: alone, and asking nobody on the internet."""

CHROMIUM = "chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
