"""The machine: what it is, whether it is idle, and what it can do at most."""

import json
import os
import pathlib
import platform
import re
import subprocess
import time
from dataclasses import asdict, dataclass

from .errors import UsageError

# What a comparison of CPU engines hangs on; the full list of flags is recorded in the JSON.
NOTABLE_FLAGS = ("avx2", "fma", "f16c", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_int8",
                 "amx_bf16")


@dataclass(frozen=True)
class CpuTimes:
    """Seconds of all CPUs together since the machine started: working, and taken by other guests of the host."""

    busy: float
    steal: float


@dataclass(frozen=True)
class Peaks:
    """None: not known."""

    int8_gops: float | None = None
    stream_gbps: float | None = None
    source: str = ""


def read_text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def cpu_times(stat=None):
    fields = [int(field) for field in (stat or read_text("/proc/stat")).splitlines()[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    ticks = os.sysconf("SC_CLK_TCK")
    return CpuTimes((user + nice + system + irq + softirq) / ticks, steal / ticks)


def describe():
    """Everything about the machine that the JSON keeps."""
    info = read_text("/proc/cpuinfo")

    def field(name):
        found = re.search(rf"^{name}\s*:\s*(.*)$", info, re.MULTILINE)
        return found.group(1) if found else ""

    caches = {}
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        caches[f"L{read_text(index / 'level')} {read_text(index / 'type')}"] = read_text(index / "size")
    memory = re.search(r"MemTotal:\s*(\d+) kB", read_text("/proc/meminfo"))
    return {
        "cpu": field("model name") or platform.processor(), "flags": field("flags").split(),
        "cpus_online": os.cpu_count(), "cpus_allowed": sorted(os.sched_getaffinity(0)), "caches": caches,
        "cgroup_cpu_max": read_text("/sys/fs/cgroup/cpu.max"),
        "memory_bytes": int(memory.group(1)) * 1024 if memory else None,
        "governor": read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "transparent_hugepage": read_text("/sys/kernel/mm/transparent_hugepage/enabled"),
        "kernel": platform.release(), "system": platform.version(),
    }


def notable_flags(description):
    return [flag for flag in NOTABLE_FLAGS if flag in description["flags"]]


def busy_cpus(seconds=1.0):
    """How many CPUs' worth of work others do, steal included, while this process sleeps."""
    before, start = cpu_times(), time.monotonic()
    time.sleep(seconds)
    after, elapsed = cpu_times(), time.monotonic() - start
    return (after.busy - before.busy + after.steal - before.steal) / elapsed


def wait_until_idle(limit, patience, say, probe=busy_cpus, now=time.monotonic):
    """Waits up to `patience` seconds until others use less than `limit` CPUs; without patience it does not look.

    Returns the last reading."""
    if patience <= 0:
        return 0.0
    deadline = now() + patience
    waited = False
    while (busy := probe()) > limit:
        if now() >= deadline:
            say(f"warning: others use {busy:.2f} CPUs; going on, the round is marked as disturbed")
            return busy
        if not waited:
            say(f"others use {busy:.2f} CPUs: waiting up to {patience:.0f} s for an idle machine")
            waited = True
    return busy


def peaks_of_doctor(report, threads, forced_isa=""):
    """Peaks in what `tribar doctor --json` says, for so many threads; missing fields stay None.

    int8 is the fastest instruction of the machine, or of the sets that TRIBAR_FORCE_ISA leaves.
    """
    peaks = report.get("peaks") or {}
    entries = [entry for entry in peaks.get("compute_gops", []) if entry.get("arithmetic") == "int8"
               and _is_left(entry.get("name", ""), forced_isa)]
    rates = {entry["name"]: rate for entry in entries if (rate := _rate(entry, peaks.get("threads"), threads))}
    fastest = max(rates, key=rates.get, default=None)
    stream = {entry["threads"]: entry["gbps"]["best"] for entry in peaks.get("read_stream_gbps", [])}
    fitting = [count for count in stream if count <= threads]
    source = "tribar doctor" + (f", int8 with {fastest}" if fastest else "")
    return Peaks(rates.get(fastest), stream[max(fitting)] if fitting else None, source)


def _is_left(name, forced_isa):
    if forced_isa == "avx512":
        return not name.startswith("amx")
    return name.startswith("avx2") if forced_isa == "avx2" else True


def _rate(entry, all_threads, threads):
    """Between one thread and all in proportion, as doctor's own numbers are meant."""
    one, most = entry["one_thread"]["best"], entry["all_threads"]["best"]
    if threads <= 1 or not all_threads or all_threads <= 1:
        return one
    return one + (most - one) * min(1.0, (threads - 1) / (all_threads - 1))


def find_peaks(text, tribar_program, threads, say):
    """From --peaks "int8=932,stream=56", else from tribar doctor, else unknown."""
    if text:
        values = dict(part.partition("=")[::2] for part in text.split(","))
        try:
            if values.keys() - {"int8", "stream"}:
                raise ValueError
            numbers = {key: float(value) for key, value in values.items()}
        except ValueError as error:
            raise UsageError("--peaks takes int8=GOP/s,stream=GB/s, for example int8=932,stream=56, "
                             f"not '{text}'") from error
        return Peaks(numbers.get("int8"), numbers.get("stream"), "--peaks")
    try:
        done = subprocess.run([tribar_program, "doctor", "--json"], capture_output=True, text=True, timeout=300,
                              check=False)
        peaks = peaks_of_doctor(json.loads(done.stdout), threads, os.environ.get("TRIBAR_FORCE_ISA", ""))
    except (OSError, ValueError, KeyError, AttributeError, TypeError, subprocess.TimeoutExpired):
        peaks = Peaks()
    if peaks.int8_gops is None and peaks.stream_gbps is None:
        say("no '% of peak' columns: this tribar has no 'doctor --json' that measures peaks; "
            "give --peaks int8=...,stream=...")
    return peaks


def as_json(peaks):
    return asdict(peaks)
