"""Checks the catalogues of texts: `make words`.

A key is used if a string of the code or of a script equals it, or fits it with places (`f"page.bell_{kind}"`). A place
alone in its area (`f"fault.{key}"`) fits only strings of the code and numbers. `make words` copies texts from `BELOW`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from referee.language import CATALOGUES, LANGUAGES, Text, catalogue

ROOT = CATALOGUES.parents[1]
PACKAGES = ("referee", "vision", "hardware", "calibration", "simulation")
BELOW = ("vision", "hardware", "calibration")
"""Packages without catalogues: their errors and sentences bring the English text."""
PAGES = {"page": ROOT / "referee/web/page", "club": ROOT / "referee/club/page"}
_KEY = re.compile(r"[a-z]+(\.[a-z0-9_]+)+")
_ANY = "[a-z0-9_.]+"
_TAKES_KEY = frozenset({"text", "count", "template", "phrase", "said", "finding", "refused_as"})


@dataclass
class Used:
    """Strings of the code: whole ones, patterns with places, keys that must exist, and texts."""

    whole: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    wanted: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def has(self, key: str) -> bool:
        """Return whether a key is used."""
        area, name = key.split(".", 1)
        known = self.patterns if name in self.whole or name.isdecimal() else self.patterns - {rf"{area}\.{_ANY}"}
        return key in self.whole or any(re.fullmatch(pattern, key) for pattern in known)


def used() -> Used:
    """Return the strings of code and scripts."""
    found = Used()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            _look_into(ast.parse(path.read_text("utf-8")), str(path.relative_to(ROOT)), found)
    for area, folder in PAGES.items():
        for path in sorted(folder.glob("*.js")):
            for name in _in_script(path.read_text("utf-8")):
                _note_script(area, name, found)
    return found


def complaints() -> Iterator[str]:
    """Yield the faults of the catalogues, a line each."""
    found, english = used(), catalogue("en")
    for key, where in sorted(found.wanted.items()):
        if key not in english:
            yield f"{where}: there is no text {key}"
    for key in sorted(english):
        if not found.has(key):
            yield f"en.json: nothing uses {key}"
    for key, text in sorted(found.texts.items()):
        if english.get(key, text) != text:
            yield f"en.json: {key} is not the text of the code (make words takes it over)"
    for code in LANGUAGES[1:]:
        other = catalogue(code)
        yield from (f"{code}.json: {key} is missing" for key in sorted(english.keys() - other.keys()))
        yield from (f"{code}.json: {key} is not in en.json" for key in sorted(other.keys() - english.keys()))
        for key in sorted(english.keys() & other.keys()):
            if _shape(english[key]) != _shape(other[key]):
                yield f"{code}.json: {key} has other forms or {{places}} than in English"


def take_texts() -> None:
    """Write the texts of errors in `vision`, `hardware` and `calibration` into `en.json`, and sort all catalogues."""
    texts = used().texts
    for code in LANGUAGES:
        known = dict(catalogue(code)) | (texts if code == "en" else {})
        ordered = json.dumps(dict(sorted(known.items())), ensure_ascii=False, indent=2)
        (CATALOGUES / f"{code}.json").write_text(f"{ordered}\n", "utf-8")
    catalogue.cache_clear()


def _shape(text: Text) -> object:
    """Return the parts that all languages share: the forms, and the places of each."""
    if isinstance(text, str):
        return sorted(set(re.findall(r"\{\w+\}", text))), bool(text)
    return {form: set(re.findall(r"\{\w+\}", one)) - {"{n}"} for form, one in text.items()}


def _look_into(tree: ast.AST, where: str, found: Used) -> None:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                found.whole.add(text)
            case ast.JoinedStr(values=parts):
                found.patterns |= _pattern(parts)
            case ast.Call(
                func=ast.Attribute(attr=name) | ast.Name(id=name), args=[ast.Constant(value=str(key)), *more]
            ):
                takes = name in _TAKES_KEY or name.endswith(("Error", "Sentence", "Said"))
                if takes and _KEY.fullmatch(key):
                    found.wanted[key] = f"{where}:{node.lineno}"
                if where.startswith(BELOW) and takes and more and isinstance(more[0], ast.Constant):
                    found.texts[key] = str(more[0].value)


def _pattern(parts: list[ast.expr]) -> set[str]:
    texts = [str(part.value) if isinstance(part, ast.Constant) else None for part in parts]
    fixed = "".join(text or "" for text in texts)
    begins = texts[0] is not None and re.match(r"[a-z]+\.", texts[0])
    ends = texts[-1] is not None and re.fullmatch(r"\.[a-z_]{4,}", texts[-1])
    if not (begins or ends) or not re.fullmatch(_ANY, fixed):
        return set()
    return {"".join(_ANY if text is None else re.escape(text) for text in texts)}


def _in_script(script: str) -> Iterator[str]:
    """Yield the strings of a script; a place in one becomes `*`."""
    for quoted in re.findall(r'"([a-z0-9_]+)"', script):
        yield quoted
    for quoted in re.findall(r"`([^`]*)`", script):
        name = re.sub(r"\$\{[^}]*\}", "*", quoted)
        if re.fullmatch(r"[a-z0-9_*]*[a-z][a-z0-9_*]*", name):
            yield name


def _note_script(area: str, name: str, found: Used) -> None:
    head, _, rest = name.partition("_")
    keys = {f"{area}.{name}"}
    if (area, head) == ("page", "fault"):
        keys.add(f"fault.{rest}")
    if (area, head) == ("page", "colour"):
        keys |= {f"colour.{rest}", f"suit.{rest}"}
    found.whole |= {name, *keys}
    found.patterns |= {re.escape(key).replace(r"\*", _ANY) for key in keys if "*" in key}


def main() -> int:
    """Copy the code's texts, and print the faults; return the exit status."""
    take_texts()
    wrong = list(complaints())
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
