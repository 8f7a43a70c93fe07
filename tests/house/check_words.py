#!/usr/bin/env python3
"""Looks for words that nobody in the field speaks (words.txt) in code, messages and pages.

usage: check_words.py [--self-test] [path ...]    paths below the repository; without any: all of it
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CODE = {".cpp", ".hpp", ".c", ".h"}
PAGES = {".md"}
LEFT_OUT = ("tests/house/", "LICENSE", "fmu_src/interface/")

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|[A-Za-z_]\w*', re.S)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def read_rules():
    rules = []
    for line in (HERE / "words.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, where, instead = line.split("\t")
            rules.append((pattern, where, instead))
    return rules


class Checker:
    def __init__(self, rules):
        name = [p for p, where, _ in rules if where in ("name", "all") and " " not in p]
        text = [p for p, where, _ in rules if where in ("text", "all")]
        kinds = [p for p, where, _ in rules if where == "type"]
        self.name = re.compile(r"(?:^|_)(" + "|".join(name) + r")(?=_|$)")
        self.text = re.compile(r"(?<![\w<./-])(" + "|".join(text) + r")(?![\w>-])", re.I)
        self.kind = {p.capitalize() for p in kinds}
        self.rules = rules

    def instead(self, word):
        for pattern, _, instead in self.rules:
            if re.fullmatch(pattern, word, re.I):
                return instead
        return "?"

    def in_text(self, text):
        return [(m.start(), m.group(1)) for m in self.text.finditer(text)]

    def in_name(self, name):
        if name in self.kind:
            return [name]
        return [m.group(1) for m in self.name.finditer("_".join(PART.findall(name)).lower())]

    def in_code(self, code):
        for token in TOKEN.finditer(code):
            text = token.group(0)
            if text[0] in "/\"'" or text.startswith('R"'):
                yield from ((token.start() + at, word) for at, word in self.in_text(text))
            else:
                yield from ((token.start(), word) for word in self.in_name(text))

    def in_page(self, page):
        yield from self.in_text(page)

    def check(self, path, text):
        find = self.in_code if path.suffix in CODE else self.in_page
        for at, word in find(text):
            yield text.count("\n", 0, at) + 1, word


def tracked(paths):
    out = subprocess.run(["git", "ls-files", "--", *paths], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in out.stdout.splitlines():
        path = pathlib.Path(name)
        if path.suffix in CODE | PAGES and not name.startswith(LEFT_OUT) and (ROOT / path).is_file():
            yield path


def self_test(checker):
    planted = {
        "a.cpp": ["// What the knobs do.", "int held_first;", "struct Given {};", 'fail("no word");', "class UnseenEnds;"],
        "a.md": ["Chosen by one word.", "Wheels beside each other."],
    }
    clean = {
        "a.cpp": ["int keyword;", "// The key of a keyword is given here.", "bool threshold_held_constant();".replace("held_", "")],
        "a.md": ["Chosen by one keyword."],
    }
    for name, lines in planted.items():
        for line in lines:
            if not list(checker.check(pathlib.Path(name), line)):
                sys.exit(f"self-test: nothing was found in: {line}")
    for name, lines in clean.items():
        for line in lines:
            if list(checker.check(pathlib.Path(name), line)):
                sys.exit(f"self-test: a false alarm in: {line}")


def main():
    checker = Checker(read_rules())
    self_test(checker)
    if sys.argv[1:] == ["--self-test"]:
        return
    found = 0
    for path in tracked(sys.argv[1:]):
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines()
        for line, word in checker.check(path, text):
            found += 1
            print(f"{path}:{line}: '{word}' (say: {checker.instead(word)}): {lines[line - 1].strip()[:100]}")
    print(f"{found} words of our own are left")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
