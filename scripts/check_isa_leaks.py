#!/usr/bin/env python3
"""Finds code for newer processors that the linker may give to older ones.

usage: scripts/check_isa_leaks.py BUILD_DIR     exit 1 and one line per leak

Sources of one binary are compiled with different -mavx... flags. An inline function or template instance that two of them
emit is one weak symbol, and the linker keeps either copy: if it keeps the AVX-512 one, a machine without AVX-512 dies of
SIGILL in code that has nothing to do with kernels. So a weak symbol of an object with more instruction sets must not be
defined or needed by an object with fewer. Remedy: an unnamed namespace, or the namespace of the instruction set.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

WEAK_FUNCTIONS = set("Ww")  # data (V, u) holds no instructions


def instruction_sets(command):
    """The -mavx... flags of a compile command, as a set."""
    return frozenset(word for word in command.split() if word.startswith(("-mavx", "-mfma", "-mf16c", "-mamx", "-march")))


def library_objects(build_dir):
    """{object file: its instruction sets} of our own code, tests left out."""
    objects = {}
    for entry in json.loads((build_dir / "compile_commands.json").read_text(encoding="utf-8")):
        output = build_dir / re.search(r" -o (\S+)", entry["command"]).group(1)
        if "/src/" in entry["file"] and not entry["file"].endswith("_test.cc") and output.exists():
            objects[output] = instruction_sets(entry["command"])
    return objects


def symbols(object_file):
    """(weak symbols it defines, symbols it needs)"""
    listing = subprocess.run(["nm", "--no-sort", str(object_file)], capture_output=True, text=True, check=True).stdout
    weak, needed = set(), set()
    for line in listing.splitlines():
        kind, name = line[17:18], line[19:]
        if kind in WEAK_FUNCTIONS:
            weak.add(name)
        elif kind == "U":
            needed.add(name)
    return weak, needed


def find_leaks(objects):
    """objects: {name: (instruction sets, weak symbols, needed symbols)}. [(symbol, from object, into object)], one a symbol."""
    leaks = {}
    for source, (source_sets, weak, _) in objects.items():
        for target, (target_sets, target_weak, needed) in objects.items():
            if not source_sets - target_sets:
                continue
            for symbol in weak & (target_weak | needed):
                leaks.setdefault(symbol, (symbol, source, target))
    return sorted(leaks.values())


def demangled(symbol):
    return subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout.strip()


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    build_dir = Path(arguments[0]).resolve()
    found = library_objects(build_dir)
    objects = {path.relative_to(build_dir).as_posix(): (sets, *symbols(path)) for path, sets in found.items()}
    special = sum(1 for sets, _, _ in objects.values() if sets)
    if not objects or special == len(objects):
        print(f"check_isa_leaks: {build_dir} is not built")
        return 1
    leaks = find_leaks(objects)
    for symbol, source, target in leaks:
        print(f"{demangled(symbol)}\n  from {source}\n  into {target}")
    print(f"check_isa_leaks: {len(objects)} objects, {special} with special instruction sets, {len(leaks)} leak(s)")
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
