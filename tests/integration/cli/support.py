"""What the command-line tests share: the binary, a tiny model with random weights, and running one with the other."""

import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

TRIBAR = os.environ["TRIBAR_BIN"]
DATA = pathlib.Path(os.environ["TRIBAR_TEST_DATA"])
MODEL = str(DATA / "models/llama/model.gguf")
COMMANDS = ["run", "chat", "bench", "perplexity", "inspect", "list", "doctor", "tokenize", "render", "logits", "sample"]


# What a command keeps for the next time goes here, not to the user's home.
CACHE = tempfile.TemporaryDirectory()


def environment(**changes):
    """Without anything that the machine's user has set up."""
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("TRIBAR_", "XDG_")) and k != "NO_COLOR"}
    keep["TERM"] = "xterm-256color"
    keep["XDG_CACHE_HOME"] = CACHE.name
    if "TRIBAR_FORCE_ISA" in os.environ:
        keep["TRIBAR_FORCE_ISA"] = os.environ["TRIBAR_FORCE_ISA"]
    keep.update(changes)
    return keep


def tribar(*arguments, stdin="", timeout=50, **changes):
    return subprocess.run([TRIBAR, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=timeout,
                          env=environment(**changes))


class TribarTest(unittest.TestCase):
    maxDiff = 2000

    def ok(self, *arguments, **more):
        result = tribar(*arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def ok_json(self, *arguments, **more):
        return json.loads(self.ok(*arguments, **more).stdout)

    def fails(self, *arguments, code=2, **more):
        """The one line that says what is wrong."""
        result = tribar(*arguments, **more)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        lines = result.stderr.splitlines()
        self.assertTrue(lines and lines[0].startswith("tribar: error: "), result.stderr)
        self.assertLessEqual(len(lines), 2, result.stderr)
        return lines[0]

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)


class Terminal:
    """The command in a pseudo-terminal, as a user has it."""

    def __init__(self, *arguments, columns=80, **changes):
        self.text = ""
        try:
            self.pid, self.master = pty.fork()
        except OSError as error:  # a chroot without /dev/pts
            raise unittest.SkipTest(f"no pseudo-terminal to be had: {error}") from error
        if self.pid == 0:
            os.execve(TRIBAR, [TRIBAR, *map(str, arguments)], environment(**changes))
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def send(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, wanted, timeout=30):
        """Reads until `wanted` appears; returns what came before it and forgets both."""
        self._read_until(lambda: wanted in self.text, repr(wanted), timeout)
        before, _, self.text = self.text.partition(wanted)
        return before

    def wait_for_more(self, wanted, characters, timeout=30):
        """Reads until at least so many characters follow `wanted`."""
        self._read_until(lambda: len(self.text.partition(wanted)[2]) >= characters, f"more after {wanted!r}", timeout)

    def _read_until(self, done, description, timeout):
        end = time.monotonic() + timeout
        while not done():
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"{description} did not appear in {self.text!r}")
            ready, _, _ = select.select([self.master], [], [], left)
            if not ready:
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"the command ended before {description} appeared: {self.text!r}")
            self.text += data.decode(errors="replace")

    def exit_code(self, timeout=30):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                try:
                    self.text += os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                os.close(self.master)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError(f"the command did not end: {self.text!r}")
