"""Writes the list of files in architecture.md, a line each, from the first sentences of the files themselves.

python docs/files.py        # after a file was added or its first sentence changed; a test compares
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "architecture.md"
FOLDERS = ("games", "books", "engine", "protocols", "arena", "web", "api", "cli")
BEGIN, END = "<!-- files: written by docs/files.py -->\n", "<!-- end of files -->\n"
SENTENCE = re.compile(r"(?<=[^.A-Z])[.](?:\s+(?=[A-Z`\"])|$)|:(?=\s*$)")


def first_sentence(path: Path) -> str:
    """The first sentence of a module's documentation, on one line and without its full stop."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        lines = text.splitlines()
        said = " ".join(line.removeprefix("//!").strip() for line in lines[: _end(lines)])
    else:
        said = ast.get_docstring(ast.parse(text)) or ""
    paragraph = " ".join(said.split("\n\n")[0].split())
    return SENTENCE.split(paragraph, maxsplit=1)[0].replace("``", "`").replace("|", r"\|")


def _end(lines: list[str]) -> int:
    """The number of lines up to the end of the first paragraph of ``//!``."""
    for number, line in enumerate(lines):
        if not line.startswith("//!") or line.strip() == "//!":
            return number
    return len(lines)


def listing() -> str:
    """The list: a heading for each room, what the room is for, and a line for each file."""
    parts = []
    for top in FOLDERS:
        rooms = sorted({path.parent for path in (ROOT / top).rglob("*") if path.suffix in {".py", ".rs"}})
        for room in rooms:
            if "tests" in room.parts:
                continue
            files = sorted(path for path in room.iterdir() if path.suffix in {".py", ".rs"} and path.stem != "__init__")
            name = room.relative_to(ROOT).as_posix()
            opening = room / "__init__.py"
            said = f" {first_sentence(opening)}." if opening.is_file() and name != "api" else ""
            parts.append(f"**`{name}/`**{said}\n\n")
            parts += [f"- `{path.name}`: {first_sentence(path)}\n" for path in files]
            parts.append("\n")
    return "".join(parts)


def filled(text: str) -> str:
    """``text`` of the document with the list made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{listing()}{END}{after}"


if __name__ == "__main__":
    DOCUMENT.write_text(filled(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
