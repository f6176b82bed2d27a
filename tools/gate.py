"""Measures the rows of a release's gate, prints them, and writes docs/accuracy.md: `python -m tools.gate`.

The rows are in tools/gate.toml. Exit status 1: a row has more wrong than in the run before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from dataclasses import asdict
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2

from tools.bench.common import Row

ROWS = Path(__file__).with_name("gate.toml")
KEPT, PAGE = Path("docs/accuracy.json"), Path("docs/accuracy.md")
_HEAD = """# Accuracy

Written by `make gate` (tools/gate.py, on the sets of tools/gate.toml): change those, not this.
*Wrong* counts most: something untrue was said with confidence. *Unclear*: the referee said that it does not know. What
is neither was missed. *p50* and *p99* are of one case; a yardstick is grey, Otsu and contours of the same picture.
Rendered pictures are path-traced, drawn ones painted. What was measured before, and how, is in
[accuracy.json](accuracy.json).

| set | wrong | unclear | right | n | p50 | p99 | date | commit |
|---|---|---|---|---|---|---|---|---|
"""


def main() -> int:
    """Run all rows, or those whose name contains a text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", metavar="DIR", type=Path, default=Path("sets"), help="folder of sets of pictures")
    parser.add_argument("--only", metavar="TEXT", default="", help="only rows with this text, and no page is written")
    parser.add_argument("--write", action="store_true", help="write these rows into the page all the same")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))["row"]
    names = [options["what"] for options in rows]
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    before = _newest(kept["gate"])
    commit = _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain", "-uno") else "")
    done: list[dict[str, Any]] = []
    for options in rows:
        what, run = options.pop("what"), options.pop("run")
        if args.only not in what:
            continue
        print(f"# {what}", flush=True)
        row = _measured(run, options, args.sets)
        done.append({"set": what, **(asdict(row) if row else {}), "date": date.today().isoformat()})
        print(_line(done[-1], commit), flush=True)
    if args.write or not args.only:
        kept["gate"].append({"commit": commit, "rows": done})
        KEPT.write_text(_text(kept), encoding="utf-8")
        newest = _newest(kept["gate"])
        table = "".join(f"{_line(*newest[name])}\n" for name in names if name in newest)
        weak = "".join(f"- {sentence}\n" for sentence in kept["fails"][:10])
        PAGE.write_text(f"{_HEAD}{table}\n## Known weaknesses\n\n{weak}", encoding="utf-8")
    return int(any(row.get("wrong", 0) > before.get(row["set"], (row, ""))[0].get("wrong", 0) for row in done))


def _newest(runs: list[dict[str, Any]]) -> dict[str, tuple[dict[str, Any], str]]:
    """Return each row's last measurement, by its name, with the commit."""
    return {row["set"]: (row, run["commit"]) for run in runs for row in run["rows"]}


def _measured(run: str, options: dict[str, Any], sets: Path) -> Row | None:
    """Return a row; None if its pictures are missing."""
    if "folder" in options:
        folder = Path(options.pop("folder"))
        folder = folder if folder.is_dir() else sets / folder
        if not folder.is_dir():
            return None
        options["folder"] = folder
    row: Row = import_module(f"tools.bench.{run}").measure(**options)
    return row


def _text(kept: dict[str, list[Any]]) -> str:
    """Return the stored runs as JSON, an entry a line."""
    lists = (
        f"{json.dumps(key)}: [\n" + ",\n".join(f"  {json.dumps(one, ensure_ascii=False)}" for one in entries) + "\n]"
        for key, entries in kept.items()
    )
    return "{" + ",\n".join(lists) + "}\n"


def _line(row: dict[str, Any], commit: str) -> str:
    """Return a row of the table."""
    if "n" not in row:
        return f"| {row['set']} | not measured | | | | | | {row['date']} | {commit} |"
    counts = " | ".join(str(row[key]) for key in ("wrong", "unclear", "right", "n"))
    times = [f"{row[key]:.3g} {row['unit']}" if row[key] is not None else "" for key in ("p50", "p99")]
    return f"| {row['set']} | {counts} | {times[0]} | {times[1]} | {row['date']} | {commit} |"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
