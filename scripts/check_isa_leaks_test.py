#!/usr/bin/env python3
"""Compiles small objects with and without AVX2 and looks for the leak that was planted."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import check_isa_leaks

SHARED = "inline __attribute__((noinline)) int shared(int x) { return x * 3; }\n"
PRIVATE = "namespace { __attribute__((noinline)) int shared(int x) { return x * 3; } }\n"


class CheckIsaLeaksTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.build = Path(self.folder.name)
        (self.build / "src").mkdir()
        self.entries = []

    def compile(self, name, text, flags=""):
        source, output = self.build / "src" / f"{name}.cc", f"{name}.o"
        source.write_text(text, encoding="utf-8")
        command = f"g++ -O1 {flags} -c {source} -o {self.build / output}"
        subprocess.run(command.split(), check=True)
        self.entries.append({"file": str(source), "command": command, "directory": str(self.build)})
        (self.build / "compile_commands.json").write_text(json.dumps(self.entries), encoding="utf-8")

    def leaks(self):
        objects = {path.name: (sets, *check_isa_leaks.symbols(path))
                   for path, sets in check_isa_leaks.library_objects(self.build).items()}
        return check_isa_leaks.find_leaks(objects)

    def test_a_shared_inline_function_is_a_leak(self):
        self.compile("plain", SHARED + "int a(int x) { return shared(x); }\n")
        self.compile("fast", SHARED + "int b(int x) { return shared(x); }\n", "-mavx2")
        self.assertEqual([leak[1:] for leak in self.leaks()], [("fast.o", "plain.o")])
        self.assertEqual(check_isa_leaks.main([str(self.build)]), 1)

    def test_an_unnamed_namespace_is_none(self):
        self.compile("plain", PRIVATE + "int a(int x) { return shared(x); }\n")
        self.compile("fast", PRIVATE + "int b(int x) { return shared(x); }\n", "-mavx2")
        self.assertEqual(self.leaks(), [])
        self.assertEqual(check_isa_leaks.main([str(self.build)]), 0)

    def test_equal_flags_may_share(self):
        self.compile("one", SHARED + "int a(int x) { return shared(x); }\n", "-mavx2")
        self.compile("two", SHARED + "int b(int x) { return shared(x); }\n", "-mavx2")
        self.assertEqual(self.leaks(), [])

    def test_a_build_without_objects_is_not_a_pass(self):
        (self.build / "compile_commands.json").write_text("[]", encoding="utf-8")
        self.assertEqual(check_isa_leaks.main([str(self.build)]), 1)


if __name__ == "__main__":
    unittest.main()
