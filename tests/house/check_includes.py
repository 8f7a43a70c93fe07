#!/usr/bin/env python3
"""Prints which room includes which, and fails where an include goes against the order of the rooms.

The order is the list in docs/architecture.md that follows the line "<!-- rooms, from low to high -->":
a room a line; rooms on one line do not include each other.
usage: check_includes.py [--self-test]
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = re.compile(r'^#include "((?:engine|fmu_src|tools)/[^"]+)"', re.M)


def read_order(page):
    found = re.search(r"<!-- rooms, from low to high -->\s*```\w*\n(.*?)```", page, re.S)
    if not found:
        sys.exit("docs/architecture.md has no list of rooms, from low to high")
    return [line.split() for line in found.group(1).splitlines() if line.strip()]


def room_of(path, rooms):
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        name = "/".join(parts[:length])
        if name in rooms:
            return name
    return None


def check(order, sources):
    """Edges (from, to) with their number, and what is wrong; sources: path -> text."""
    level = {room: i for i, line in enumerate(order) for room in line}
    edges, wrong = collections.Counter(), []
    for path, text in sources.items():
        here = room_of(path, level)
        if here is None:
            wrong.append(f"{path} lies in no room of docs/architecture.md")
            continue
        for include in INCLUDE.findall(text):
            there = room_of(include, level)
            if there is None:
                wrong.append(f"{path} includes {include}, which lies in no room")
            elif there != here:
                edges[here, there] += 1
                if level[there] >= level[here]:
                    wrong.append(f"{path} includes {include}: {there} does not stand below {here}")
    empty = [room for room in level if not any(room_of(p, level) == room for p in sources)]
    wrong += [f"docs/architecture.md names {room}, which has no files" for room in empty]
    return edges, wrong


def self_test():
    order = [["engine/low"], ["engine/high", "tools/other"]]
    good = {"engine/low/a.hpp": "", "engine/high/b.cpp": '#include "engine/low/a.hpp"\n', "tools/other/c.cpp": ""}
    if check(order, good)[1]:
        sys.exit("self-test: a false alarm")
    for path, include in [("engine/low/a.hpp", "engine/high/b.hpp"), ("engine/high/b.cpp", "tools/other/c.hpp"),
                          ("engine/none/d.hpp", "engine/low/a.hpp")]:
        if not check(order, good | {path: f'#include "{include}"\n'})[1]:
            sys.exit(f"self-test: {path} may include {include}")


def main():
    self_test()
    if sys.argv[1:] == ["--self-test"]:
        return
    order = read_order((ROOT / "docs/architecture.md").read_text())
    names = subprocess.run(["git", "ls-files", "engine", "fmu_src", "tools"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.split()
    sources = {name: (ROOT / name).read_text(encoding="utf-8", errors="replace")
               for name in names if name.endswith((".cpp", ".hpp", ".c", ".h")) and (ROOT / name).is_file()}
    edges, wrong = check(order, sources)
    for room in [room for line in order for room in line]:
        used = [f"{there} ({count})" for (here, there), count in sorted(edges.items()) if here == room]
        print(f"{room}: {', '.join(used) or '-'}")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
