#!/usr/bin/env python3
"""Keeps files and functions small (CONTRIBUTING.md): C++, Rust and Python below src/, rust/, tests/, scripts/ and
benchmarks/.

usage: scripts/check_size.py [ROOT]     exit 1 if a hard limit is broken

File: warning above 400 lines, failure above 800. Function: warning above 60 lines, failure above 100.
Ends with the median and the largest file, so that growth is seen early.
"""

import ast
import bisect
import re
import statistics
import sys
from pathlib import Path

FILE_WARN, FILE_FAIL = 400, 800
FUNCTION_WARN, FUNCTION_FAIL = 60, 100

FOLDERS = ("src", "rust", "tests", "scripts", "benchmarks")
SUFFIXES = {".h", ".cc", ".def", ".inc", ".rs", ".py"}
SKIPPED_FOLDERS = {"target", "data", "__pycache__"}

# Everything that may hold a brace without being code, longest first.
_CPP_NOISE = re.compile(
    r'R"(?P<tag>[^()\\ ]{0,16})\(.*?\)(?P=tag)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)
_RUST_NOISE = re.compile(
    r'r(?P<tag>#+)".*?"(?P=tag)|r"[^"]*"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\'\\\n])\'', re.DOTALL)

_NOT_A_FUNCTION = re.compile(r"^\s*(?:namespace|class|struct|enum|union|extern|trait|impl|mod|match|macro_rules)\b")
_CONTROL = {"if", "for", "while", "switch", "catch", "return", "else", "do", "loop", "unsafe"}
_NAME = re.compile(r"([A-Za-z_~][\w:~]*|operator\s*\S+)\s*(?:<[^<>()]*>)?\s*\(")


def strip_noise(text, suffix):
    """The text with comments and literals blanked, line breaks kept."""
    noise = _RUST_NOISE if suffix == ".rs" else _CPP_NOISE
    return noise.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def function_name(head):
    """The name if `head` (what stands before a brace) opens a function, else None."""
    head = re.sub(r"^\s*#.*$", "", head, flags=re.MULTILINE).strip()
    head = re.sub(r"^(?:(?:public|private|protected)\s*:\s*)+", "", head)
    head = re.sub(r"^template\s*<[^{}]*?>\s*(?=[\w:~\[])", "", head)
    if not head or "(" not in head or _NOT_A_FUNCTION.match(head):
        return None
    match = _NAME.search(head)
    if not match or match.group(1) in _CONTROL or "=" in head[:match.start()]:
        return None
    return match.group(1)


def braced_functions(text, suffix):
    """(name, first line, lines) of the outermost functions of a C++ or Rust file."""
    code = strip_noise(text, suffix)
    line_starts = [0] + [m.end() for m in re.finditer("\n", code)]
    line_of = lambda offset: bisect.bisect_right(line_starts, offset)
    functions = []
    stack = []  # (name or None, offset of the head) for every open brace
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        if match.group() == "{":
            inside = any(name for name, _ in stack)
            head = code[head_start:match.start()]
            first = head_start + len(head) - len(head.lstrip())
            stack.append((None if inside else function_name(head), first))
        elif match.group() == "}" and stack:
            name, first = stack.pop()
            if name:
                functions.append((name, line_of(first), line_of(match.start()) - line_of(first) + 1))
        head_start = match.end()
    return functions


def python_functions(text):
    tree = ast.parse(text)
    return [(node.name, node.lineno, node.end_lineno - node.lineno + 1) for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def functions_of(text, suffix):
    return python_functions(text) if suffix == ".py" else braced_functions(text, suffix)


def language(path):
    """The suffix that tells the language, None for files that are not judged. Scripts may have no suffix."""
    if path.suffix in SUFFIXES:
        return path.suffix
    if path.suffix == "" and path.is_file():
        with open(path, "rb") as stream:
            if stream.readline().startswith(b"#!/usr/bin/env python3"):
                return ".py"
    return None


def source_files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if not SKIPPED_FOLDERS.intersection(path.relative_to(root).parts) and language(path):
                yield path


def judge(what, lines, warn, fail):
    """(failure message or None, warning message or None)."""
    if lines > fail:
        return f"{what}: {lines} lines, the limit is {fail}", None
    if lines > warn:
        return None, f"{what}: {lines} lines, better below {warn}"
    return None, None


def check(root):
    """(failures, warnings, {path: lines}) of the whole tree."""
    root = Path(root)
    failures, warnings, sizes = [], [], {}
    for path in source_files(root):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root).as_posix()
        sizes[name] = text.count("\n")
        verdicts = [judge(name, sizes[name], FILE_WARN, FILE_FAIL)]
        verdicts += [judge(f"{name}:{line}: {function}", lines, FUNCTION_WARN, FUNCTION_FAIL)
                     for function, line, lines in functions_of(text, language(path))]
        failures += [failure for failure, _ in verdicts if failure]
        warnings += [warning for _, warning in verdicts if warning]
    if not sizes:
        failures.append(f"{root}: no source files")
    return failures, warnings, sizes


def main(arguments):
    root = arguments[0] if arguments else Path(__file__).resolve().parent.parent
    failures, warnings, sizes = check(root)
    for warning in warnings:
        print(f"warning: {warning}")
    for failure in failures:
        print(f"error: {failure}")
    if sizes:
        largest = max(sizes, key=sizes.get)
        print(f"check_size: {len(sizes)} files, median {statistics.median(sizes.values()):g} lines, "
              f"largest {sizes[largest]} ({largest}); {len(failures)} failure(s), {len(warnings)} warning(s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
