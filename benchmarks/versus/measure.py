"""Runs the tools in interleaved rounds and keeps what they measured. Ctrl-C ends the runs, not the report.

    results = ModelResults(model)
    measure_model(results, engines, groups, settings, say)      # raises KeyboardInterrupt after keeping what is there
    results.speeds()                                            # {engine: {test: {round: tokens a second}}}
"""

import contextlib
import datetime
import fcntl
import resource
import shlex
import signal
import subprocess
import time
from dataclasses import asdict, dataclass, field

from . import machine
from .llama_bench import OutputError, bench_commands, parse_output
from .schedule import round_order
from .summary import process_speed

WARM_UP = 0  # its number among the rounds


@dataclass(frozen=True)
class Settings:
    threads: int
    rounds: int
    cool_down_s: float = 1.0
    timeout_s: float = 3600.0
    busy_limit: float = 0.15     # CPUs that others may use
    idle_patience_s: float = 60.0
    lock: str | None = None


@dataclass
class Run:
    """One process."""

    engine: str
    round: int
    group: str
    command: str
    started: str
    seconds: float = 0.0
    samples: list = field(default_factory=list)
    error: str = ""
    others_cpus: float = 0.0  # CPUs that other processes, and other guests of the host, used meanwhile

    def as_json(self):
        fields = asdict(self)
        fields["warm_up"] = self.round == WARM_UP
        fields["samples"] = [{**asdict(sample.test), "name": sample.test.name, "tokens_per_second": list(sample.speeds),
                              **sample.about} for sample in self.samples]
        return fields


@dataclass
class ModelResults:
    model: str
    runs: list = field(default_factory=list)
    dropped: dict = field(default_factory=dict)  # engine: why it is not measured on this model
    interrupted: bool = False

    def speeds(self):
        out = {}
        for run in self.runs:
            tests = out.setdefault(run.engine, {})
            for sample in run.samples if run.round != WARM_UP else []:
                tests.setdefault((run.group, sample.test), {})[run.round] = process_speed(sample.speeds)
        return out

    def disturbed(self, limit):
        return [run for run in self.runs if run.round != WARM_UP and run.others_cpus > limit]


@contextlib.contextmanager
def held(lock):
    """Holds a lock file that people who measure on one machine share; nothing without one."""
    if lock is None:
        yield
        return
    with open(lock, "a", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def children_cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def execute(command, timeout):
    """(exit status, stdout, stderr). A Ctrl-C ends the process before it goes on to the caller."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, errors="replace") as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return process.returncode, out, err


def last_words(text):
    """The line of a failed tool's messages that most likely says why."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if any(word in line.lower() for word in ("error", "fail", "cannot", "unable"))]
    return (telling or lines or ["no message"])[-1][:200]


def ending(status):
    """How a process ended: its exit status, or the signal that killed it."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def run_once(run, argv, settings):
    """Fills in what one process measured, or its error."""
    before, used, start = machine.cpu_times(), children_cpu_seconds(), time.monotonic()
    try:
        status, out, err = execute(argv, settings.timeout_s)
        if status != 0:
            run.error = f"{ending(status)}: {last_words(err or out)}"
        else:
            run.samples = parse_output(out)
    except subprocess.TimeoutExpired:
        run.error = f"took longer than {settings.timeout_s:.0f} s"
    except (OSError, OutputError) as error:
        run.error = str(error)
    run.seconds = time.monotonic() - start
    after = machine.cpu_times()
    total = after.busy - before.busy + after.steal - before.steal
    run.others_cpus = max(0.0, total - (children_cpu_seconds() - used)) / max(run.seconds, 1e-9)


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def summary_line(run):
    if run.error:
        return run.error
    return "  ".join(f"{sample.test.name} {process_speed(sample.speeds):.1f}" for sample in run.samples)


def measure_engine(results, engine, groups, number, settings, say):
    for group in groups:
        for argv in bench_commands(engine.command, engine.model_arguments(results.model), group, settings.threads,
                                   engine.abilities):
            with held(settings.lock):
                machine.wait_until_idle(settings.busy_limit, settings.idle_patience_s, say)
                run = Run(engine.name, number, group.name, shlex.join(argv), utc_now())
                run_once(run, argv, settings)
            results.runs.append(run)
            label = "warm-up" if number == WARM_UP else f"round {number}/{settings.rounds}"
            say(f"{label}  {engine.name}: {summary_line(run)}  ({run.seconds:.0f} s)")
            if run.error and number == WARM_UP:
                results.dropped[engine.name] = run.error
                return
            time.sleep(settings.cool_down_s)


def measure_model(results, engines, groups, settings, say, after_round=lambda: None):
    """`engines`: those that know their abilities. Round 0 warms up; who fails in it is dropped for this model."""
    for number in range(WARM_UP, settings.rounds + 1):
        try:
            for engine in round_order([e for e in engines if e.name not in results.dropped], number):
                measure_engine(results, engine, groups, number, settings, say)
        except KeyboardInterrupt:
            results.interrupted = True
            raise
        after_round()
