"""Who is measured: Tribar and its peers, each a command that understands llama-bench's options."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field, replace

from .errors import UsageError
from .llama_bench import Abilities, abilities_of
from .summary import BestOf

HERE = pathlib.Path(__file__).resolve().parent
TRIBAR_BUILD = HERE.parent.parent / "build" / "release" / "tribar"
LLAMA_CPP_FOLDER = "llama.cpp-0.3.36"


@dataclass(frozen=True)
class Engine:
    """`command` and, where the model does not follow -m, `model_option` None: it is an argument of its own."""

    name: str
    command: tuple
    flags: tuple = ()
    model_option: str | None = "-m"
    about: dict = field(default_factory=dict, compare=False)
    abilities: Abilities | None = None

    def model_arguments(self, model):
        return ([] if self.model_option is None else [self.model_option]) + [str(model), *self.flags]

    def with_abilities(self):
        """The same engine, after it was asked (--help) what it can do."""
        try:
            shown = subprocess.run([*self.command, "--help"], capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UsageError(f"{self.name}: '{shlex.join(self.command)} --help' did not work: {error}") from error
        text = shown.stdout + shown.stderr
        if "-p" not in text or "-n" not in text:
            raise UsageError(f"{self.name}: {self.command[0]} does not take llama-bench's options (-p, -n, -t, -r, -o)")
        return replace(self, abilities=abilities_of(text))


def peers_directory():
    if os.environ.get("TRIBAR_PEERS"):
        return pathlib.Path(os.environ["TRIBAR_PEERS"])
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "tribar" / "peers"


def executable(path, name, advice):
    found = shutil.which(os.path.expanduser(str(path)))
    if found is None:
        raise UsageError(f"{name}: there is no program {path}. {advice}")
    return os.path.abspath(found)


def first_line(command):
    """The first line of what a command prints, for versions; "" when it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout + done.stderr).strip().splitlines() if done.returncode == 0 else []
    return lines[0] if lines else ""


def tribar(path):
    """The engine under test. `path` None: the release build of this tree, else what is on PATH."""
    if path is None:
        path = TRIBAR_BUILD if TRIBAR_BUILD.exists() else "tribar"
    program = executable(path, "tribar", "Build it (cmake --preset release && cmake --build --preset release) or name "
                         "it with --tribar PATH")
    commit = first_line(["git", "-C", str(HERE), "describe", "--always", "--dirty", "--abbrev=12"])
    about = {"version": first_line([program, "--version"]), "tree": commit,
             "TRIBAR_FORCE_ISA": os.environ.get("TRIBAR_FORCE_ISA", "")}
    return Engine("tribar", (program, "bench"), model_option=None, about=about)


def llama_cpp(build):
    """llama-bench as get_llama_cpp builds it. `build`: native, avx512 or avx2."""
    folder = peers_directory() / LLAMA_CPP_FOLDER / build
    option = "" if build == "native" else f" --isa {build}"
    program = executable(folder / "bin" / "llama-bench", "llama.cpp",
                         f"'{HERE / 'get_llama_cpp'}{option}' builds it there; or name another one with "
                         "--peer llama.cpp=/path/to/llama-bench; or leave it out: --peers openvino, --peers none")
    return Engine("llama.cpp", (program,), about={"build": build})


def parse_peer(text):
    """NAME=PATH[,FLAGS]: for example ik-rtr=/opt/ik/llama-bench,-rtr 1 -fa 1."""
    name, equals, rest = text.partition("=")
    if not equals or not name.strip() or not rest.strip():
        raise UsageError(f"--peer takes NAME=PATH[,FLAGS], for example --peer ik=/opt/ik/llama-bench, not '{text}'")
    if os.path.exists(os.path.expanduser(rest)):
        path, flags = rest, ""
    else:
        separator = "," if "," in rest else " "
        path, _, flags = rest.partition(separator)
    program = executable(path, name, "--peer takes the path of a program with llama-bench's options")
    return Engine(name.strip(), (program,), flags=tuple(shlex.split(flags)))


def parse_best_of(text, names):
    """MEMBER,MEMBER[:NAME]; without a name the first member lends its own."""
    members, _, name = text.partition(":")
    members = tuple(part.strip() for part in members.split(",") if part.strip())
    unknown = [member for member in members if member not in names]
    if len(members) < 2 or unknown:
        reason = f"there is no peer {unknown[0]}" if unknown else "it takes two peers at least"
        raise UsageError(f"--best-of {text}: {reason}; for example --best-of ik,ik-rtr:ik")
    name = name.strip() or members[0]
    if name == "tribar" or (name in names and name not in members):
        raise UsageError(f"--best-of {text}: the name {name} is taken")
    return BestOf(members, name)


def recorded_build(engine):
    """build.json of get_llama_cpp beside the program, or {}."""
    path = pathlib.Path(engine.command[0]).parent.parent / "build.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
