"""Counts lines by folder and constants in vision, and fails above tools/budget.toml: `python -m tools.budget`.

An addition needs a removal, or a higher number in the same commit, with the reason. `--set` writes the present numbers.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = Path(__file__).with_name("budget.toml")
_HEAD = """# The most lines that each folder may have, and numeric constants of vision: `make lint` fails above them.
# Raising a number happens in the commit that needs it, with the reason; `python -m tools.budget --set` writes these.
"""
_MADE = ("build", "out", "sets", "shared")  # not sources
_KINDS = {".py": "python", ".js": "js", ".css": "css"}


def counted() -> dict[str, dict[str, int]]:
    """Return the numbers by kind of count and folder."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in (*_KINDS.values(), "constants")}
    folders = [one for one in ROOT.iterdir() if one.is_dir() and one.name not in _MADE and one.name[0] != "."]
    for folder in folders:
        for path in folder.rglob("*"):
            kind = _KINDS.get(path.suffix)
            if kind is None or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8")
            counts[kind][folder.name] += text.count("\n")
            if folder.name == "vision" and kind == "python":
                counts["constants"][folder.name] += constants_in(text)
    return {kind: dict(sorted(found.items())) for kind, found in counts.items()}


def constants_in(text: str) -> int:
    """Count the numbers that a module names in capitals, also those in a tuple."""
    count = 0
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(target, ast.Name) and target.id.isupper() for target in targets):
            numbers = (one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant))
            count += sum(type(number) in (int, float) for number in numbers)
    return count


def over(counts: dict[str, dict[str, int]], budget: dict[str, dict[str, int]]) -> list[str]:
    """Return a sentence for each number above its budget."""
    return [
        f"{kind} of {folder}: {count}, the budget is {budget.get(kind, {}).get(folder, 0)}"
        for kind, folders in counts.items()
        for folder, count in folders.items()
        if count > budget.get(kind, {}).get(folder, 0)
    ]


def main() -> int:
    """Check the budget, or set it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="store_true", help="write what stands")
    counts = counted()
    if parser.parse_args().set:
        tables = (
            f"\n[{kind}]\n" + "".join(f'"{folder}" = {count}\n' for folder, count in folders.items())
            for kind, folders in counts.items()
        )
        BUDGET.write_text(_HEAD + "".join(tables), encoding="utf-8")
        return 0
    sentences = over(counts, tomllib.loads(BUDGET.read_text(encoding="utf-8")))
    print("\n".join(f"{sentence}; see tools/budget.toml" for sentence in sentences) or "within the budget")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
