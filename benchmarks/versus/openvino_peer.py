"""OpenVINO GenAI as a peer: a virtual environment of its own, made on first use, and openvino_bench.py in it."""

import subprocess
import sys

from .engines import HERE, Engine, first_line, peers_directory
from .errors import UsageError

PACKAGE = "openvino-genai"


def interpreter():
    return peers_directory() / "openvino" / "bin" / "python"


def ensure_environment(say):
    """Makes the environment unless it is there and complete."""
    python = interpreter()
    if first_line([str(python), "-c", "import openvino_genai; print(1)"]):
        return python
    folder = python.parent.parent
    say(f"making {folder} with {PACKAGE} (about 100 MB; once)")
    folder.parent.mkdir(parents=True, exist_ok=True)
    for command in ([sys.executable, "-m", "venv", str(folder)],
                    [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]):
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            raise UsageError(f"openvino: could not install {PACKAGE} into {folder}; its messages stand above. "
                             "Leave it out with --peers llama.cpp")
    return python


def openvino(say):
    python = ensure_environment(say)
    version = first_line([str(python), "-c", "import openvino_genai as g; print(g.__version__)"])
    # -P: the folder of the script must not lend modules to the packages that it imports.
    return Engine("openvino", (str(python), "-P", str(HERE / "openvino_bench.py")), about={"version": version})
