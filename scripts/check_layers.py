#!/usr/bin/env python3
"""Proves the dependency direction of docs/ARCHITECTURE.md from the #include lines themselves.

usage: scripts/check_layers.py [ROOT]     exit 1 and one line per violation

Every quoted include must name a file below src/, and its module must be one that the including module may see.
"""

import re
import sys
from pathlib import Path

# module -> modules it may include beside itself. The order is bottom to top.
ALLOWED = {
    "base": set(),
    "tensor": {"base"},
    "kernel": {"base", "tensor"},
    "format": {"base", "tensor"},
    "text": {"base", "tensor"},
    "graph": {"base", "tensor"},
    "parallel": {"base", "tensor"},
    "model": {"base", "tensor", "graph"},
    "runtime": {"base", "tensor", "graph", "kernel", "parallel"},
    "engine": {"base", "tensor", "runtime"},
    "server": {"base", "text", "engine"},
    "app": {"base", "tensor", "format", "text", "graph", "kernel", "parallel", "model", "runtime", "engine", "server"},
}

# Single headers of another module: the including module -> headers.
ALLOWED_HEADERS = {
    "model": {"format/metadata.h"},
    "engine": {"text/grammar.h"},
}

# The composition root is the one place in the engine that sees every part.
COMPOSITION_ROOT = {
    "engine/loaded_model.h",
    "engine/loaded_model.cc",
    "engine/calibration.h",
    "engine/calibration.cc",
    "engine/tokenizer_source.h",
    "engine/tokenizer_source.cc",
}
COMPOSITION_MODULES = {"format", "text", "graph", "kernel", "parallel", "model"}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCE_SUFFIXES = {".h", ".cc", ".def", ".inc"}


def module_of(path):
    return path.split("/", 1)[0]


def may_include(source, header):
    """source, header: paths relative to src/."""
    module, other = module_of(source), module_of(header)
    if module == other or other in ALLOWED[module] or header in ALLOWED_HEADERS.get(module, ()):
        return True
    return source in COMPOSITION_ROOT and other in COMPOSITION_MODULES


def violations_of_file(src, path):
    source = path.relative_to(src).as_posix()
    if module_of(source) not in ALLOWED:
        return [f"src/{source}: '{module_of(source)}' is not a module of the architecture"]
    found = []
    for match in INCLUDE.finditer(path.read_text(encoding="utf-8")):
        header = match.group(1)
        if not (src / header).is_file():
            found.append(f"src/{source}: \"{header}\" is not a file below src/")
        elif not may_include(source, header):
            found.append(f"src/{source}: {module_of(source)} must not include {header}")
    return found


def find_violations(root):
    src = Path(root) / "src"
    files = sorted(p for p in src.rglob("*") if p.suffix in SOURCE_SUFFIXES)
    if not files:
        return [f"{src}: no source files"]
    return [violation for path in files for violation in violations_of_file(src, path)]


def main(arguments):
    root = arguments[0] if arguments else Path(__file__).resolve().parent.parent
    violations = find_violations(root)
    for violation in violations:
        print(violation)
    print(f"check_layers: {len(violations)} violation(s)")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
