"""Markdown pages as the tests of this folder see them: headings, links, code blocks."""

import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NOT_OURS = {".git", "build", "out"}

FENCE = re.compile(r"^ {0,3}(```+|~~~+)\s*(\w*)")
COMMENT = re.compile(r"^\s*<!--\s*(file|not run|needs|exit status):\s*(.*?)\s*-->$")


def all_pages(root):
    """Every Markdown page below root, without what is built there."""
    return sorted(
        page
        for page in root.rglob("*.md")
        if not NOT_OURS.intersection(page.relative_to(root).parts)
    )


class Block:
    """A fenced or indented block of code: its language, its lines, the comment that precedes it."""

    def __init__(self, language, line, mark=None, detail=""):
        self.language, self.line, self.mark, self.detail = language, line, mark, detail
        self.lines = []


class Page:
    def __init__(self, path):
        self.path = path
        self.prose = []  # (line number, line) outside of code blocks
        self.blocks = []
        self._read(path.read_text(encoding="utf-8").splitlines())

    def _read(self, lines):
        fence, mark = None, (None, "")
        blank_before = True
        for number, line in enumerate(lines, 1):
            found = FENCE.match(line)
            if fence:
                if found and found[1].startswith(fence) and not found[2]:
                    fence = None
                else:
                    self.blocks[-1].lines.append(line)
                continue
            if found:
                fence = found[1]
                self.blocks.append(Block(found[2] or "text", number, *mark))
                mark = (None, "")
                continue
            comment = COMMENT.match(line)
            if comment:
                mark = (comment[1], comment[2])
                continue
            indented = line.startswith("    ") and line.strip()
            if indented and (blank_before or self._continues_indented(number)):
                if not self._continues_indented(number):
                    self.blocks.append(Block("indented", number))
                self.blocks[-1].lines.append(line[4:])
                self._indented_end = number
                continue
            self.prose.append((number, line))
            blank_before = not line.strip()

    def _continues_indented(self, number):
        return getattr(self, "_indented_end", -1) == number - 1

    def anchors(self):
        """Anchors as GitHub makes them of headings, and those of <a id="...">."""
        found, counts = set(), {}
        for _, line in self.prose:
            found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
            heading = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
            if not heading:
                continue
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = counts.get(anchor, 0)
            counts[anchor] = count + 1
            found.add(f"{anchor}-{count}" if count else anchor)
        return found

    def links(self):
        """(line number, target) of all links and pictures in the prose."""
        for number, line in self.prose:
            plain = re.sub(r"`[^`]*`", "", line)
            for target in re.findall(r"\]\(\s*<?([^\s)>]+)>?[^)]*\)", plain):
                yield number, target
            for target in re.findall(r'(?:src|href)="([^"]+)"', plain):
                yield number, target

    def code_words(self):
        """(line number, text) of what stands in backticks in the prose."""
        for number, line in self.prose:
            for text in re.findall(r"`([^`]+)`", line):
                yield number, text
