#!/usr/bin/env python3
"""Looks for functions and classes that nobody can take in: functions of more than 120 lines or of a cyclomatic
complexity above 25, classes of more than 30 member functions, in engine, fmu_src and tools.

Exceptions (tables, and switches over the kinds of something) are named with their reason in size_exceptions.txt.
usage: check_sizes.py [--self-test | --top N]
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST_LINES, MOST_COMPLEXITY, MOST_MEMBERS = 120, 25, 30

TOKEN = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/|#[^\n]*(?:\\\n[^\n]*)*'
                   r'|[A-Za-z_]\w*|\d[\w.\']*|&&|\|\||->|::|\n|\S', re.S)
BRANCH = {"if", "for", "while", "case", "catch", "&&", "||", "?"}


def tokens_of(text):
    """(token, line) without comments, strings, preprocessor lines."""
    line = 1
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token == "\n":
            line += 1
            continue
        if token[0] not in "\"#'" and not token.startswith(("//", "/*", 'R"')):
            yield token, line
        line += token.count("\n")


def head_name(head):
    """The name of the function whose head these tokens are; None where it is no function."""
    if "(" not in head or (head and head[0] in ("namespace", "enum", "extern")):
        return None
    depth, opened = 0, None
    for i, token in enumerate(head):
        if token == "(":
            if depth == 0:
                opened = i
                break
            depth += 1
    if not opened or "=" in head[:opened] and "operator" not in head[:opened]:
        return None
    name = head[opened - 1]
    if "operator" in head[:opened]:
        at = head.index("operator")
        return "operator" + "".join(head[at + 1:opened])
    if not re.match(r"[A-Za-z_]", name) or name in ("if", "for", "while", "switch", "catch", "return"):
        return None
    at = opened - 1
    while at >= 2 and head[at - 1] == "::":
        before = at - 2
        if head[before] == ">":  # A<B>::f
            while before > 0 and head[before] != "<":
                before -= 1
            before -= 1
        if before < 0 or not re.match(r"[A-Za-z_]", head[before]):
            break
        name = head[before] + "::" + name
        at = before
    if at >= 1 and head[at - 1] == "~":
        name = "~" + name
    return name


def class_name(head):
    for i, token in enumerate(head):
        if token in ("class", "struct") and (i == 0 or head[i - 1] not in ("enum", "<", ",")):
            names = [t for t in head[i + 1:] if re.match(r"[A-Za-z_]\w*$", t) and t not in ("final", "alignas")]
            return names[0] if names else "(unnamed)"
    return None


def initializes_member(head):
    """Whether a brace after this head gives a member its value: X::X(int a) : a_(a), b_ {."""
    depth, colon = 0, False
    for token in head:
        depth += {"(": 1, ")": -1}.get(token, 0)
        colon = colon or (token == ":" and depth == 0)
    return colon and bool(re.match(r"[A-Za-z_>]", head[-1]))


def measure(text):
    """Functions (name, line, lines, complexity) and classes (name, line, member functions)."""
    functions, classes = [], []
    stack = []  # of kind, name, line, count
    head, head_line, round_depth = [], 0, 0
    for token, line in tokens_of(text):
        inside = next((entry for entry in reversed(stack) if entry[0] == "function"), None)
        if inside and token in BRANCH:
            inside[3] += 1
        if token in "([":
            round_depth += 1
        elif token in ")]":
            round_depth -= 1
        if token == "{" and inside is None and round_depth == 0:
            cls = class_name(head)
            fn = None if cls is not None or initializes_member(head) else head_name(head)
            if cls is not None:
                stack.append(["class", cls, head_line, 0])
            elif fn is not None:
                if stack and stack[-1][0] == "class" and head[0] != "friend":
                    stack[-1][3] += 1
                stack.append(["function", fn, head_line, 1])
            else:
                is_initializer = bool(head) and head[0] not in ("namespace", "extern", "enum")
                stack.append(["initializer" if is_initializer else "other", "", line, 0])
                if is_initializer:
                    head.append("{}")
                    continue
            head = []
            continue
        if token == "{":
            stack.append(["block", "", line, 0])
        elif token == "}":
            if not stack:
                continue
            kind, name, first, count = stack.pop()
            if kind == "function":
                functions.append((name, first, line - first + 1, count))
            elif kind == "class":
                classes.append((name, first, count))
            if kind != "initializer":
                head = []
            continue
        elif inside is None:
            if token == ";" and round_depth == 0:
                in_class = stack and stack[-1][0] == "class"
                if in_class and head and head[0] not in ("using", "friend", "typedef", "static_assert", "enum"):
                    if class_name(head) is None and head_name(head) is not None and "{}" not in head and "delete" not in head:
                        stack[-1][3] += 1
                head = []
            elif token == ":" and head[-1:] and head[-1] in ("public", "private", "protected"):
                head = []
            else:
                if not head:
                    head_line = line
                head.append(token)
    return functions, classes


def exceptions():
    named = {}
    for line in (HERE / "size_exceptions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            key, reason = line.split(": ", 1)
            named[key] = reason
    return named


def self_test():
    long_body = "\n".join("  f();" for _ in range(MOST_LINES))
    branches = " ".join("if (a) b();" for _ in range(MOST_COMPLEXITY))
    members = "\n".join(f"  void f{i}();" for i in range(MOST_MEMBERS + 1))
    functions, _ = measure("namespace x {\nvoid A::g(int a) const {\n" + long_body + "\n}\nint small() { return 1; }\n}")
    if [f[:3] for f in functions] != [("A::g", 2, MOST_LINES + 2), ("small", MOST_LINES + 4, 1)]:
        sys.exit(f"self-test: a long function was measured as {functions}")
    functions, _ = measure("X::X(int a) : a_(a), b_{1} { " + branches + " }")
    if [f[3] for f in functions] != [MOST_COMPLEXITY + 1]:
        sys.exit(f"self-test: a complex function was measured as {functions}")
    _, classes = measure("class Big final : public Small {\n public:\n" + members + "\n  int x = f(1);\n int y_{2};\n};")
    if classes != [("Big", 1, MOST_MEMBERS + 1)]:
        sys.exit(f"self-test: a large class was measured as {classes}")


def main():
    self_test()
    if sys.argv[1:] == ["--self-test"]:
        return
    names = subprocess.run(["git", "ls-files", "engine", "fmu_src", "tools"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.split()
    functions, classes = [], []
    for name in names:
        if name.endswith((".cpp", ".hpp")) and not name.startswith("fmu_src/interface/") and (ROOT / name).is_file():
            some_functions, some_classes = measure((ROOT / name).read_text(encoding="utf-8", errors="replace"))
            functions += [(name, *f) for f in some_functions]
            classes += [(name, *c) for c in some_classes]
    if sys.argv[1:2] == ["--top"]:
        count = int(sys.argv[2])
        for title, key, rows in [("lines", 3, functions), ("complexity", 4, functions), ("member functions", 3, classes)]:
            print(title)
            for row in sorted(rows, key=lambda r: -r[key])[:count]:
                print(f"  {row[key]:4} {row[1]} ({row[0]}:{row[2]})")
        return
    named, used, wrong = exceptions(), set(), []

    def judge(name, what, line, text):
        key = f"{name} {what}"
        used.add(key)
        if key not in named:
            wrong.append(f"{name}:{line}: {what} has {text}")

    for name, function, line, lines, complexity in functions:
        if lines > MOST_LINES:
            judge(name, function, line, f"{lines} lines (most {MOST_LINES})")
        if complexity > MOST_COMPLEXITY:
            judge(name, function, line, f"a cyclomatic complexity of {complexity} (most {MOST_COMPLEXITY})")
    for name, cls, line, members in classes:
        if members > MOST_MEMBERS:
            judge(name, cls, line, f"{members} member functions (most {MOST_MEMBERS})")
    wrong += [f"size_exceptions.txt names '{key}', which needs no exception" for key in named if key not in used]
    print(f"{len(functions)} functions, longest {max(f[3] for f in functions)} lines, highest complexity "
          f"{max(f[4] for f in functions)}; {len(classes)} classes, largest {max(c[3] for c in classes)} member functions")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
