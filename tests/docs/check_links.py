#!/usr/bin/env python3
"""Checks that links between Markdown pages, their anchors and the paths that pages name exist.

check_links.py [FOLDER]
"""

import pathlib
import re
import sys
import urllib.parse

from pages import SOURCE, Page, all_pages

# A path of the repository in backticks; with a placeholder (<name>, *) it is not one.
PATH = re.compile(r"^(engine|fmu_src|tools|tests|model_templates|docs|\.ci)/[\w./-]*$")
HISTORY = {"CHANGELOG.md"}  # names what no longer exists


def findings(root):
    pages = {path.resolve(): Page(path) for path in all_pages(root)}
    for path, page in pages.items():
        where = path.relative_to(root.resolve())
        for number, target in page.links():
            if re.match(r"^[a-z][a-z0-9+.-]*:", target):
                continue  # another site
            file, _, anchor = target.partition("#")
            to = (path.parent / urllib.parse.unquote(file)).resolve() if file else path
            if not to.exists():
                yield f"{where}:{number}: the link leads nowhere: {target}"
            elif anchor and to in pages and anchor not in pages[to].anchors():
                yield f"{where}:{number}: no heading has this anchor: {target}"
        if where.name in HISTORY:
            continue
        for number, text in page.code_words():
            if PATH.match(text) and not (root / text).exists():
                yield f"{where}:{number}: no such file: {text}"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    found = list(findings(root))
    print("\n".join(found) if found else f"{len(all_pages(root))} pages: all links resolve")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
