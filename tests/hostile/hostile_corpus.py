#!/usr/bin/env python3
"""Damage small models in thousands of ways and watch what `tribar` does with them.

    tests/hostile/hostile_corpus.py build/release/tribar --models ../shared/cases/models --count 2000

Every file is a truncation or a few flipped bits of a valid GGUF or safetensors model (or of the config.json or tokenizer.json
beside the latter). `tribar inspect` and `tribar logits --ids 5,6,7 --json` read each, under `ulimit -v 2097152` and 20
seconds. Demanded: exit code 0 or 2, no signal, one line on stderr with code 2, peak RSS below 2 x model + 64 MB.
The same --seed and --count give the same files. A file that fails is kept (--keep) with the command that shows it.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass

ADDRESS_SPACE_KB = 2097152
TIME_LIMIT_S = 20
RSS_SLACK_BYTES = 64 << 20
COMMANDS = {
    "inspect": lambda path: ["inspect", path],
    "logits": lambda path: ["logits", path, "--ids", "5,6,7", "--json"],
}


@dataclass(frozen=True)
class Victim:
    """A file to damage; `folder` is set when it is opened through the model directory it lies in."""

    path: pathlib.Path
    folder: bool


@dataclass(frozen=True)
class Damage:
    """`keep_bytes` cuts the file; otherwise the bits (byte * 8 + bit) are flipped."""

    victim: Victim
    keep_bytes: int = -1
    bits: tuple = ()

    def describe(self):
        what = f"cut to {self.keep_bytes} bytes" if self.keep_bytes >= 0 else f"bits {list(self.bits)} flipped"
        return f"{self.victim.path}: {what}"

    def apply(self):
        data = bytearray(self.victim.path.read_bytes())
        if self.keep_bytes >= 0:
            return bytes(data[: self.keep_bytes])
        for bit in self.bits:
            data[bit // 8] ^= 1 << (bit % 8)
        return bytes(data)


def find_victims(folders):
    victims = []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix == ".gguf":
                victims.append(Victim(path, False))
            elif path.suffix == ".safetensors" and (path.parent / "config.json").exists():
                victims.append(Victim(path, True))
                for beside in ("config.json", "tokenizer.json"):
                    if (path.parent / beside).exists():
                        victims.append(Victim(path.parent / beside, True))
    return victims


def description_bytes(path):
    """How many bytes at the front say what the rest means: most damage goes there."""
    size = path.stat().st_size
    if path.suffix == ".json":
        return size
    head = path.read_bytes()
    if path.suffix == ".safetensors":
        return min(size, 8 + struct.unpack_from("<Q", head)[0])
    # The last tensor name of a GGUF file lies close before its data; what matters is only that the share is about right.
    last_name = max(head.rfind(b".weight", 0, size), head.rfind(b"_norm", 0, size))
    return min(size, last_name + 64) if last_name > 0 else size


def make_damages(victims, count, seed):
    generator = random.Random(seed)
    sizes = {victim: (victim.path.stat().st_size, description_bytes(victim.path)) for victim in victims}
    weights = [1 if victim.path.suffix == ".json" else 4 for victim in victims]
    damages = []
    for number in range(count):
        victim = generator.choices(victims, weights)[0]
        size, description = sizes[victim]
        region = size if generator.random() < 0.25 else description
        if number % 2 == 0:
            damages.append(Damage(victim, keep_bytes=generator.randrange(region)))
        else:
            flips = generator.choice((1, 1, 1, 2, 3, 8))
            damages.append(Damage(victim, bits=tuple(generator.randrange(region * 8) for _ in range(flips))))
    return damages


@dataclass
class Outcome:
    code: int
    peak_rss_bytes: int
    stdout: bytes
    stderr: bytes
    timed_out: bool


def run_limited(command):
    """The command under the limits, with its own peak memory."""
    shell = f'ulimit -v {ADDRESS_SPACE_KB}; exec "$@"'
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(["/bin/sh", "-c", shell, "sh", *command], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        expired = threading.Event()

        def stop():
            expired.set()
            process.kill()

        timer = threading.Timer(TIME_LIMIT_S, stop)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Outcome(process.returncode, usage.ru_maxrss * 1024, out.read(), err.read(), expired.is_set())


def build_model(damage, place):
    """Writes the damaged model below `place` and returns what to open and how many bytes of files it has."""
    original = damage.victim.path
    if not damage.victim.folder:
        target = place / original.name
        target.write_bytes(damage.apply())
        return target, target.stat().st_size
    for beside in original.parent.iterdir():
        if beside.is_file() and beside.suffix in (".json", ".safetensors", ".jinja") and beside != original:
            os.symlink(beside.resolve(), place / beside.name)
    (place / original.name).write_bytes(damage.apply())
    return place, sum(path.stat().st_size for path in place.iterdir())


def judge(name, outcome, model_bytes):
    """What is wrong with the outcome; empty if nothing is."""
    if outcome.timed_out:
        return f"took more than {TIME_LIMIT_S} s"
    if outcome.code < 0:
        return f"died of {signal.Signals(-outcome.code).name}"
    if outcome.code not in (0, 2):
        return f"exit code {outcome.code}: {outcome.stderr[-300:]!r}"
    lines = outcome.stderr.count(b"\n")
    if outcome.code == 2 and lines != 1:
        return f"{lines} lines on stderr: {outcome.stderr[:300]!r}"
    if outcome.peak_rss_bytes >= 2 * model_bytes + RSS_SLACK_BYTES:
        return f"peak RSS {outcome.peak_rss_bytes >> 20} MB for a model of {model_bytes >> 10} kB"
    if outcome.code == 0 and name == "logits":
        try:
            json.loads(outcome.stdout)
        except ValueError:
            return f"exit code 0 but no JSON: {outcome.stdout[:200]!r}"
    return ""


class Corpus:
    """Runs the damages and keeps what fails."""

    def __init__(self, arguments):
        self.binary = str(arguments.tribar.resolve())
        self.keep = arguments.keep
        self.commands = {name: COMMANDS[name] for name in arguments.command or COMMANDS}
        self.counts = Counter()
        self.peak_rss_bytes = 0
        self.failures = []

    def check(self, numbered):
        number, damage = numbered
        results = []
        with tempfile.TemporaryDirectory(prefix="tribar-hostile-") as scratch:
            place = pathlib.Path(scratch) / "model"
            place.mkdir()
            path, model_bytes = build_model(damage, place)
            for name, arguments in self.commands.items():
                outcome = run_limited([self.binary, *arguments(str(path))])
                problem = judge(name, outcome, model_bytes)
                results.append((name, outcome, problem))
            if any(problem for _, _, problem in results):
                kept = self.keep / f"{number:04}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(place, kept)
        return number, damage, results

    def record(self, number, damage, results):
        for name, outcome, problem in results:
            self.counts[name, outcome.code] += 1
            self.peak_rss_bytes = max(self.peak_rss_bytes, outcome.peak_rss_bytes)
            if problem:
                self.failures.append(problem)
                print(f"FAIL {number:04} {name}: {problem}\n     {damage.describe()}\n     kept in {self.keep / f'{number:04}'}",
                      flush=True)


def check_untouched(corpus, victims):
    """A whole model must work, or exit codes 2 would prove nothing."""
    paths = {victim.path.parent if victim.folder else victim.path for victim in victims}
    works = sum(all(run_limited([corpus.binary, *command(str(path))]).code == 0 for command in corpus.commands.values())
                for path in paths)
    print(f"{works} of {len(paths)} undamaged models work", flush=True)
    return works > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tribar", type=pathlib.Path, help="the program under test")
    parser.add_argument("--models", type=pathlib.Path, action="append", required=True, help="folder with small models")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", action="append", choices=list(COMMANDS), help="only this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("hostile-failures"))
    arguments = parser.parse_args()

    victims = find_victims(folder for folder in arguments.models if folder.exists())
    if not victims:
        print("no models: nothing to damage")
        return 77  # "skipped" to ctest
    corpus = Corpus(arguments)
    if not check_untouched(corpus, victims):
        print("FAIL no undamaged model works")
        return 1
    damages = make_damages(victims, arguments.count, arguments.seed)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, damage, results in pool.map(corpus.check, enumerate(damages)):
            corpus.record(number, damage, results)
    for (name, code), count in sorted(corpus.counts.items()):
        print(f"{name}: {count} with exit code {code}")
    print(f"{len(damages)} files, largest peak RSS {corpus.peak_rss_bytes / 1e6:.0f} MB, {len(corpus.failures)} failures")
    return 1 if corpus.failures else 0


if __name__ == "__main__":
    sys.exit(main())
