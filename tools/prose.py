"""Checks the prose of changed lines and the titles of new commits: `python -m tools.prose [BASE]`.

BASE is the upstream branch if it is behind, else the commit before the last one.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

BANNED = re.compile(r"\b(told|tells?|lies|sure|plain|anew|otherwise|none is)\b", re.IGNORECASE)
TITLE = re.compile(r"(Merge|Revert) |[a-z0-9][\w ./,-]*: \S")
MOST_LETTERS = 72
_JS_COMMENT = re.compile(r"(?:^|\s)//\s.*")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout


def base() -> str:
    """Return the commit to compare the working tree with, or "" in a repository of one commit."""
    fork = _git("merge-base", "HEAD", "@{upstream}").strip()
    if fork and fork != _git("rev-parse", "HEAD").strip():
        return fork
    return _git("rev-parse", "--verify", "--quiet", "HEAD~1").strip()


def changed_lines(since: str) -> Iterator[tuple[Path, set[int]]]:
    """Yield each changed Python, JavaScript or Markdown file with the numbers of its new lines."""
    path, lines = Path(), set[int]()
    diff = _git("diff", "-U0", "--no-prefix", since, "--", "*.py", "*.js", "*.md")
    for line in [*diff.splitlines(), "+++ /dev/null"]:
        if line.startswith("+++ "):
            if lines:
                yield path, lines
            path, lines = Path(line[4:]), set()
        elif hunk := _HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines |= set(range(first, first + count))


def prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line of prose: a module's comments and docstrings, or all lines of other files."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        for number, line in enumerate(text.splitlines(), 1):
            if comment := _JS_COMMENT.search(line):
                yield number, comment[0]
        return
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        docstring = token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or docstring:
            yield from enumerate(token.string.splitlines(), token.start[0])
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def faults(since: str) -> list[str]:
    """Return a sentence for each banned word in a changed line, and for each commit title in another form."""
    found = [
        f"{path}:{number}: the prose rule bans “{word[0]}”"
        for path, lines in changed_lines(since)
        if path != Path("CONTRIBUTING.md")  # it names the banned words
        for number, line in prose_of(path)
        if number in lines and (word := BANNED.search(line))
    ]
    for title in _git("log", "--format=%s", f"{since}..HEAD").splitlines():
        if len(title) > MOST_LETTERS or not TITLE.match(title):
            found.append(f"commit “{title}”: a title is “area: imperative”, at most {MOST_LETTERS} characters")
    return found


def main() -> int:
    """Print the faults; return 1 if there is one."""
    since = sys.argv[1] if len(sys.argv) > 1 else base()
    found = faults(since) if since else []
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
