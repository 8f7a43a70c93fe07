#!/usr/bin/env python3
"""Runs the commands that pages show and compares what they print with what the page says.

run_commands.py FOLDER_OF_MBSFMU [PAGE ...]       (no pages: README, tutorial, templates' pages)

A page shows commands in blocks of the language `console`: a line `$ command`, then its output. All commands
of a page run in one folder that is empty at first but for the repository's own folders.

  ...                          in a line of its own: any lines; within a line: any text
  <!-- file: NAME -->          before a block: its text becomes that file
  <!-- not run: REASON -->     before a console block: it is shown only
  <!-- needs: MODULE -->       before a console block: it runs where Python has this module
  <!-- exit status: N -->      before a console block: each command ends with N

Output must be that of the page line by line. Numbers: counts above five agree to one or a tenth, up to
five exactly; other numbers to a thousandth; what is below 1e-9 on both sides is rounding.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from pages import SOURCE, Page

SECONDS = 120
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
COMMAND = re.compile(
    r"^((mbsfmu|cmake|ctest|python3?|pip) |(tools/(quickstart|run-tests|setup|coverage)|tests/bench/run|\.ci/run)\b)")


def numbers_agree(a, b):
    x, y = float(a), float(b)
    size = max(abs(x), abs(y))
    if re.fullmatch(r"[-+]?\d+", a) and re.fullmatch(r"[-+]?\d+", b):
        return abs(x - y) <= max(0.1 * size, 1 if size > 5 else 0)
    return size < 1e-9 or abs(x - y) <= 1e-3 * size


def lines_agree(expected, actual):
    """Whether a line of the page describes a line of the output."""
    parts = [" ".join(part.split()) for part in expected.split("...")]
    text = " ".join(actual.split())
    pattern, numbers = "", []
    for i, part in enumerate(parts):
        if i > 0:
            pattern += r"\s*.*?\s*"
        end = 0
        for number in NUMBER.finditer(part):
            pattern += re.escape(part[end : number.start()])
            pattern += r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
            numbers.append(number[0])
            end = number.end()
        pattern += re.escape(part[end:])
    found = re.fullmatch(pattern, text)
    return bool(found) and all(map(numbers_agree, numbers, found.groups()))


def outputs_agree(expected, actual):
    """Whether the page's lines, with `...` for any lines, describe the output's."""
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(outputs_agree(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and lines_agree(expected[0], actual[0]) and outputs_agree(expected[1:], actual[1:])


def commands(block):
    """(line number, command, expected lines) of a console block."""
    result = []
    for offset, line in enumerate(block.lines, 1):
        if line.startswith("$ "):
            result.append((block.line + offset, line[2:], []))
        elif result and not result[-1][2] and result[-1][1].endswith("\\"):
            number, command, _ = result.pop()
            result.append((number, command[:-1] + line.strip(), []))
        elif result:
            result[-1][2].append(line)
    return result


class Run:
    """One page in a folder of its own."""

    def __init__(self, path, programs):
        self.path, self.programs = path, programs
        self.failures, self.not_run, self.count = [], [], 0

    def fail(self, line, text, printed=()):
        shown = [*printed[:5], *(["..."] if len(printed) > 15 else []), *printed[5:][-10:]]
        self.failures.append("\n  ".join([f"{self.path}:{line}: {text}", *shown]))

    def environment(self):
        paths = [str(self.programs)]
        if "VIRTUAL_ENV" in os.environ:
            paths.append(os.path.join(os.environ["VIRTUAL_ENV"], "bin"))
        return {**os.environ, "PATH": os.pathsep.join([*paths, os.environ["PATH"]]), "LC_ALL": "C.UTF-8"}

    def shell(self, command, folder):
        return subprocess.run(
            ["bash", "-c", command], cwd=folder, env=self.environment(), timeout=SECONDS, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")

    def run(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="mbsfmu-page-"))
        try:
            for own in ("docs", "engine", "model_templates", "tests", "tools"):
                (folder / own).symlink_to(SOURCE / own)
            for block in Page(self.path).blocks:
                self.block(block, folder)
        finally:
            shutil.rmtree(folder)
        return self

    def block(self, block, folder):
        if block.mark == "file":
            (folder / block.detail).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif block.language != "console":
            for offset, line in enumerate(block.lines, 1):
                if COMMAND.match(line):
                    self.fail(block.line + offset, f"a command outside of a console block: {line}")
        elif block.mark == "not run":
            self.not_run.append(f"{self.path}:{block.line}: {block.detail}")
        elif block.mark == "needs" and self.shell(f"python3 -c 'import {block.detail}'", folder).returncode:
            self.not_run.append(f"{self.path}:{block.line}: Python has no {block.detail}")
        else:
            status = int(block.detail) if block.mark == "exit status" else 0
            for line, command, expected in commands(block):
                self.command(line, command, expected, status, folder)

    def command(self, line, command, expected, status, folder):
        self.count += 1
        try:
            done = self.shell(command, folder)
        except subprocess.TimeoutExpired:
            self.fail(line, f"still running after {SECONDS} s: {command}")
            return
        printed = [text for text in done.stdout.splitlines() if text.strip()]
        wanted = [text for text in expected if text.strip()]
        if done.returncode != status:
            self.fail(line, f"ended with {done.returncode}: {command}", printed)
        elif not outputs_agree(wanted, printed):
            self.fail(line, f"does not print what the page says: {command}", printed)


def pages_with_commands():
    return [
        SOURCE / "README.md",
        *sorted((SOURCE / "docs").rglob("*.md")),
        *sorted((SOURCE / "model_templates").glob("*/README.md")),
        *sorted((SOURCE / "tools").glob("*/README.md")),
        SOURCE / "CONTRIBUTING.md",
    ]


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    pages = [pathlib.Path(page).resolve() for page in sys.argv[2:]] or pages_with_commands()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda page: Run(page, programs).run(), pages))
    for run in runs:
        for text in run.failures:
            print(text)
    for run in runs:
        for text in run.not_run:
            print(f"not run: {text}")
    failed = sum(len(run.failures) for run in runs)
    print(f"{sum(run.count for run in runs)} commands of {len(runs)} pages, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
