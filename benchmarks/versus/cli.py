"""The command line of benchmarks/versus/run."""

import argparse
import dataclasses
import os
import pathlib
import shlex
import signal
import sys

from . import engines, machine, report
from .errors import UsageError
from .gguf_work import work_of
from .measure import ModelResults, Settings, measure_model, utc_now
from .openvino_peer import openvino
from .plan import parse_numbers, plan_groups

DESCRIPTION = """Runs Tribar beside other engines: same machine, file and threads, in interleaved rounds.

Each round runs every engine once, another one first each time; the first round warms up and is dropped. Shown are
medians (lowest-highest), the ratio of Tribar to each peer with its spread over the rounds, and the share of what the
machine can do. Progress goes to stderr, the report as markdown to stdout. Ctrl-C ends it and reports what is there."""

EXAMPLES = """examples:
  benchmarks/versus/get_llama_cpp                           # once: builds llama.cpp
  benchmarks/versus/run model.gguf
  benchmarks/versus/run a.gguf b.gguf --md speed.md --json speed.json
  benchmarks/versus/run model.gguf -p 8192 -n 32 -d 0,8192  # long contexts
  benchmarks/versus/run model.gguf -p 0 -n 0 --batch 1,2,4,8
  benchmarks/versus/run model.gguf --peers llama.cpp \\
      --peer ik=/opt/ik/llama-bench --peer "ik-rtr=/opt/ik/llama-bench,-rtr 1 -fa 1" --best-of ik,ik-rtr:ik
  TRIBAR_FORCE_ISA=avx2 benchmarks/versus/run model.gguf --peers llama.cpp --llama-cpp-build avx2

exit status: 0 done, 1 Tribar could not be measured, 2 wrong usage or a missing engine, 130 interrupted"""


def say(text):
    print(text, file=sys.stderr, flush=True)


def parser():
    p = argparse.ArgumentParser(prog="benchmarks/versus/run", description=DESCRIPTION, epilog=EXAMPLES,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="+", metavar="MODEL.gguf")
    tests = p.add_argument_group("tests (lists: numbers with commas)")
    tests.add_argument("-p", default="512", metavar="LIST", help="tokens of prefill; 0: none (default %(default)s)")
    tests.add_argument("-n", default="128", metavar="LIST", help="tokens of decode; 0: none (default %(default)s)")
    tests.add_argument("-d", default="0", metavar="LIST", help="tokens in the cache before (default %(default)s)")
    tests.add_argument("--batch", default="0", metavar="LIST", help="tokens in one pass, for example 1,2,4,8")
    who = p.add_argument_group("engines")
    who.add_argument("--tribar", metavar="PATH", help="default: build/release/tribar of this tree")
    who.add_argument("--peers", default="llama.cpp,openvino", metavar="LIST",
                     help="llama.cpp, openvino, or none (default %(default)s)")
    who.add_argument("--llama-cpp-build", default="native", choices=["native", "avx512", "avx2"],
                     help="which build of get_llama_cpp (default %(default)s)")
    who.add_argument("--peer", action="append", default=[], metavar="NAME=PATH[,FLAGS]",
                     help="any program with llama-bench's options; may be given several times")
    who.add_argument("--best-of", action="append", default=[], metavar="A,B[:NAME]",
                     help="show the better of several peers, test by test, as NAME")
    how = p.add_argument_group("method")
    how.add_argument("-t", "--threads", type=int, default=len(os.sched_getaffinity(0)), help="default %(default)s")
    how.add_argument("--rounds", type=int, default=5, help="after the warm-up round (default %(default)s)")
    how.add_argument("-r", "--repetitions", type=int, default=2,
                     help="in one process; the first of several is dropped (default %(default)s)")
    how.add_argument("--batch-repetitions", type=int, default=10, help="for --batch (default %(default)s)")
    how.add_argument("--cool-down", type=float, default=1, metavar="S", help="rest between runs (default %(default)s)")
    how.add_argument("--busy-limit", type=float, default=0.15, metavar="CPUS",
                     help="others may use this much before a run is held back (default %(default)s)")
    how.add_argument("--idle-wait", type=float, default=60, metavar="S",
                     help="how long to wait for an idle machine; 0: do not look (default %(default)s)")
    how.add_argument("--timeout", type=float, default=3600, metavar="S", help="of one process (default %(default)s)")
    how.add_argument("--lock", metavar="FILE",
                     help="hold this lock (flock) during each run, where several people measure")
    how.add_argument("--peaks", metavar="int8=GOP/s,stream=GB/s", help="instead of asking tribar doctor")
    out = p.add_argument_group("output")
    out.add_argument("--md", metavar="FILE", help="write the report there as well")
    out.add_argument("--json", metavar="FILE", help="everything measured; written after every round")
    return p


def gather_engines(options):
    """([Engine with its abilities], {name: why it is left out}). What was asked for and is missing is an error."""
    found = [engines.tribar(options.tribar)]
    wanted = [name.strip() for name in options.peers.split(",") if name.strip() not in ("", "none")]
    unknown = set(wanted) - {"llama.cpp", "openvino"}
    if unknown:
        raise UsageError(f"--peers knows llama.cpp, openvino and none, not {sorted(unknown)[0]}; "
                         "other programs: --peer NAME=PATH")
    named = [engines.parse_peer(text) for text in options.peer]
    if "llama.cpp" in wanted and "llama.cpp" not in {engine.name for engine in named}:
        found.append(engines.llama_cpp(options.llama_cpp_build))
    found += named
    left_out = {}
    if "openvino" in wanted:
        try:
            found.append(openvino(say))
        except UsageError as error:
            say(str(error))
            left_out["openvino"] = str(error)
    names = [engine.name for engine in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"two engines are called {twice.pop()}")
    return [engine.with_abilities() for engine in found], left_out


def describe_engine(engine):
    about = {**engine.about, **engines.recorded_build(engine)}
    version = about.get("version") or " ".join(about[key] for key in ("package", "commit") if about.get(key))
    return {"name": engine.name, "command": shlex.join([*engine.command, *engine.flags]), "version": version,
            "about": about}


def check(options):
    for path in options.models:
        if not pathlib.Path(path).is_file():
            raise UsageError(f"there is no file {path}")
    for name in ("threads", "rounds", "repetitions", "batch_repetitions"):
        if getattr(options, name) < 1:
            raise UsageError(f"--{name.replace('_', '-')} must be 1 at least")


class Session:
    """One call: its engines, settings and the results so far."""

    def __init__(self, options):
        check(options)
        self.options = options
        self.groups = plan_groups(*(parse_numbers(getattr(options, name), f"-{name}") for name in "pnd"),
                                  parse_numbers(options.batch, "--batch"), options.repetitions,
                                  options.batch_repetitions)
        self.engines, left_out = gather_engines(options)
        names = [engine.name for engine in self.engines[1:]]
        self.best_of = [engines.parse_best_of(text, names) for text in options.best_of]
        self.settings = Settings(options.threads, options.rounds, options.cool_down, options.timeout,
                                 options.busy_limit, options.idle_wait, options.lock)
        self.peaks = machine.find_peaks(options.peaks, self.engines[0].command[0], options.threads, say)
        self.results = []
        self.about = {"date": utc_now(), "arguments": shlex.join(sys.argv), "machine": machine.describe(),
                      "peaks": machine.as_json(self.peaks), "settings": dataclasses.asdict(self.settings),
                      "engines": [describe_engine(engine) for engine in self.engines], "left_out": left_out}

    def summaries(self):
        return [report.ModelSummary(results, self.groups, self.best_of, work_of(results.model), self.peaks)
                for results in self.results]

    def save_json(self):
        if self.options.json:
            report.write_json(self.options.json, self.about, self.summaries())

    def measure(self):
        for path in self.options.models:
            say(f"=== {path}")
            self.results.append(ModelResults(str(pathlib.Path(path).resolve())))
            measure_model(self.results[-1], self.engines, self.groups, self.settings, say, self.save_json)

    def finish(self):
        self.save_json()
        text = report.markdown(self.about, self.summaries())
        if self.options.md:
            pathlib.Path(self.options.md).write_text(text, encoding="utf-8")
        print(text, end="", flush=True)


def interrupt(_number, _frame):
    raise KeyboardInterrupt


def main(arguments):
    signal.signal(signal.SIGTERM, interrupt)  # a time limit around the command must not lose its results
    options = parser().parse_intermixed_args(arguments)
    try:
        session = Session(options)
        status = 0
        try:
            session.measure()
        except KeyboardInterrupt:
            say("interrupted: reporting what was measured")
            status = 130
        session.finish()
    except UsageError as error:
        say(f"versus: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        say(f"versus: {error}")
        return 2
    return status or int(any(report.US in results.dropped for results in session.results))
