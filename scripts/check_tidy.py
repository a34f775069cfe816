#!/usr/bin/env python3
"""Runs clang-tidy-19 with the project's .clang-tidy; every finding is an error.

usage: scripts/check_tidy.py BUILD_DIR [--all] [--seconds N]

BUILD_DIR holds compile_commands.json. Without --all it checks the C++ sources that differ from the main branch (on the
main branch itself: those of the last commit) or are not committed. A source that passed is not checked again until it,
a header it includes, its compile command or .clang-tidy changes. --seconds stops starting new files after N seconds and
says how many are left to the full run.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# Commands come from either compiler: clang-tidy is clang and does not know all that GCC warns about. What libstdc++ calls
# in its own templates (std::stable_sort) may be deprecated without being our concern.
EXTRA = [f"--extra-arg=-Wno-{warning}"
         for warning in ("unknown-warning-option", "unused-command-line-argument", "deprecated-declarations")]


def git(*arguments):
    # The checkout may belong to another user than the one who runs the tests (a container, sudo).
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.split("\n") if result.returncode == 0 else []


def changed_paths():
    """Paths relative to ROOT that differ from the main branch, plus everything not committed."""
    base = "HEAD~1"
    for branch in ("origin/main", "main"):
        merge_base = git("merge-base", "HEAD", branch)
        if merge_base and merge_base[0] and merge_base[0] != git("rev-parse", "HEAD")[0]:
            base = merge_base[0]
            break
    paths = git("diff", "--name-only", base, "HEAD") + git("diff", "--name-only", "HEAD")
    return set(paths + git("ls-files", "--others", "--exclude-standard")) - {""}


def compile_commands(build_dir):
    """{absolute source path: its command} of our own C++ sources."""
    entries = json.loads((build_dir / "compile_commands.json").read_text(encoding="utf-8"))
    commands = {}
    for entry in entries:
        path = Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT / "src") or path.is_relative_to(ROOT / "tests"):
            commands[path] = entry["command"]
    return commands


def with_headers(path, seen):
    """`path` and every project header it includes, directly or not."""
    if path in seen or not path.is_file():
        return
    seen.add(path)
    for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
        with_headers(ROOT / "src" / header, seen)


def fingerprint(path, command):
    seen = set()
    with_headers(path, seen)
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes() + command.encode())
    for file in sorted(seen):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def check_file(path, build_dir):
    """(passed, output)"""
    result = subprocess.run(["clang-tidy-19", "--quiet", "-p", str(build_dir), *EXTRA, str(path)],
                            capture_output=True, text=True, check=False)
    return result.returncode == 0, result.stdout + ("" if result.returncode == 0 else result.stderr)


def run(files, build_dir, deadline):
    """{path: (passed, output)} of the files that were started before `deadline`."""
    results = {}

    def one(path):
        if time.monotonic() < deadline:
            results[path] = check_file(path, build_dir)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, files))
    return results


def select(arguments, commands):
    if arguments.all:
        return sorted(commands)
    changed = {(ROOT / path).resolve() for path in changed_paths()}
    # Library sources before tests: the tests' macros take longest and tell least.
    return sorted(changed & commands.keys(), key=lambda path: (path.stem.endswith("_test"), path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build_dir", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    arguments = parser.parse_args()

    commands = compile_commands(arguments.build_dir)
    passed_dir = arguments.build_dir / "tidy"
    passed_dir.mkdir(exist_ok=True)
    stamps = {path: passed_dir / fingerprint(path, commands[path]) for path in select(arguments, commands)}
    to_check = [path for path in stamps if not stamps[path].exists()]
    results = run(to_check, arguments.build_dir, time.monotonic() + arguments.seconds)

    failures = 0
    for path, (passed, output) in results.items():
        if passed:
            stamps[path].touch()
        else:
            failures += 1
            print(output)
    print(f"check_tidy: {len(stamps)} files selected, {len(stamps) - len(to_check)} unchanged since they passed, "
          f"{len(results)} checked, {len(to_check) - len(results)} left to the full run, {failures} with findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
