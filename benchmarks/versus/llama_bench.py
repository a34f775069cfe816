"""The language of llama-bench, which all the tools here speak: command lines, what a tool can do, and its output.

    command = bench_command(["llama-bench"], model, group, threads=2, abilities=abilities_of(help_text))
    for sample in parse_output(text): ...
"""

import csv
import io
import json
import re
from dataclasses import dataclass

from .plan import Group, Test


class OutputError(Exception):
    """The output of a tool does not hold results."""


@dataclass(frozen=True)
class Abilities:
    """Options in which tools differ. `gp` is ik_llama.cpp's way to decode behind a prompt: -gp DEPTH,TOKENS."""

    depth: bool
    gp: bool
    output: str


@dataclass(frozen=True)
class Sample:
    """One line of results: tokens a second of each repetition, and whatever the tool says of itself."""

    test: Test
    speeds: tuple
    about: dict


def abilities_of(help_text):
    def has(option):
        return re.search(rf"(?:^|[\s,\[]){re.escape(option)}(?=[\s,=<\]]|$)", help_text, re.MULTILINE) is not None
    output = "json" if re.search(r"\bjson\b", help_text) else "csv"
    return Abilities(depth=has("-d") or has("--n-depth"), gp=has("-gp"), output=output)


def joined(numbers):
    return ",".join(str(number) for number in numbers) or "0"


def bench_commands(prefix, model_arguments, group: Group, threads, abilities: Abilities):
    """The command lines that measure a group, most often one. Tests that the tool cannot do are left out."""
    depths = group.depths if abilities.depth else tuple(depth for depth in group.depths if depth == 0)
    # CSV holds the mean alone, from which a first cold repetition cannot be taken out: it is not asked for.
    repetitions = group.repetitions if abilities.output == "json" else max(1, group.repetitions - 1)
    tail = ["-t", str(threads), "-r", str(repetitions), "-o", abilities.output]
    commands = []
    if depths and (group.prompts or group.generations):
        command = [*prefix, *model_arguments, "-p", joined(group.prompts), "-n", joined(group.generations)]
        if abilities.depth:
            command += ["-d", joined(depths)]
        commands.append(command + tail)
    deep = [] if abilities.depth or not abilities.gp else [depth for depth in group.depths if depth > 0]
    if deep and group.generations:
        command = [*prefix, *model_arguments, "-p", "0", "-n", "0"]
        for depth in deep:
            for tokens in group.generations:
                command += ["-gp", f"{depth},{tokens}"]
        commands.append(command + tail)
    return commands


def parse_output(text):
    """The samples in what a tool printed: JSON (an array), JSON lines or CSV, possibly among other lines."""
    rows = _json_rows(text) or _json_line_rows(text) or _csv_rows(text)
    if not rows:
        raise OutputError("it printed no results that llama-bench would print")
    return [_sample(row) for row in rows]


def _json_rows(text):
    decoder = json.JSONDecoder()
    for match in re.finditer(r"^\s*\[", text, re.MULTILINE):
        try:
            rows, _ = decoder.raw_decode(text[match.start():].lstrip())
        except ValueError:
            continue
        if isinstance(rows, list) and rows and all(isinstance(row, dict) and "n_prompt" in row for row in rows):
            return rows
    return []


def _json_line_rows(text):
    rows = []
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if "n_prompt" in row:
                rows.append(row)
    return rows


def _csv_rows(text):
    lines = text.splitlines()
    for number, line in enumerate(lines):
        names = next(csv.reader([line]), [])
        if "n_prompt" in names and "avg_ts" in names:
            return [row for row in csv.DictReader(io.StringIO("\n".join(lines[number:]))) if row.get("avg_ts")]
    return []


def _sample(row):
    try:
        n_prompt, n_gen, n_depth = (int(row.get(key) or 0) for key in ("n_prompt", "n_gen", "n_depth"))
        speeds = tuple(float(speed) for speed in row.get("samples_ts") or [row["avg_ts"]])
    except (KeyError, TypeError, ValueError) as error:
        raise OutputError(f"a result without numbers: {error}") from error
    # ik_llama.cpp's "tg128@pp8192": the prompt is what lies in the cache already.
    if n_prompt and n_gen and "@" in str(row.get("test", "")):
        n_prompt, n_depth = 0, n_prompt
    if not all(speed > 0 for speed in speeds):
        raise OutputError("a speed that is not above zero")
    kept = ("build_commit", "build_number", "backends", "model_type", "model_size", "type_k", "type_v", "flash_attn",
            "n_threads", "n_ubatch", "repack", "engine_version")
    return Sample(Test(n_prompt, n_gen, n_depth), speeds, {key: row[key] for key in kept if key in row})
