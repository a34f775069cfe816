#!/usr/bin/env python3
"""Plants violations in a small tree: each must be found, and nothing else."""

import tempfile
import unittest
from pathlib import Path

import check_layers


class CheckLayersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for header in ("base/status.h", "tensor/dtype.h", "format/metadata.h", "format/model_files.h", "text/grammar.h",
                       "text/tokenizer.h", "graph/graph.h", "kernel/table.h", "model/model.h", "runtime/executor.h",
                       "engine/loaded_model.h", "app/commands.h"):
            self.write(header, "#pragma once\n")

    def write(self, path, text):
        file = self.root / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def violations(self, path, *headers):
        self.write(path, "".join(f'#include "{header}"\n' for header in headers))
        return check_layers.find_violations(self.root)

    def assert_allowed(self, path, *headers):
        self.assertEqual(self.violations(path, *headers), [])

    def assert_forbidden(self, path, header):
        found = self.violations(path, header)
        self.assertEqual(len(found), 1, found)
        self.assertIn(path, found[0])
        self.assertIn(header, found[0])
        (self.root / "src" / path).unlink()

    def test_downward_includes_are_allowed(self):
        self.assert_allowed("kernel/gemm.cc", "kernel/table.h", "tensor/dtype.h", "base/status.h")
        self.assert_allowed("model/llama.cc", "graph/graph.h", "format/metadata.h")
        self.assert_allowed("runtime/plan.cc", "graph/graph.h", "kernel/table.h")
        self.assert_allowed("engine/loaded_model.cc", "format/model_files.h", "text/tokenizer.h", "model/model.h")
        self.assert_allowed("engine/sequence.cc", "runtime/executor.h", "text/grammar.h")
        self.assert_allowed("app/main.cc", "engine/loaded_model.h", "format/model_files.h")

    def test_upward_and_sideways_includes_are_found(self):
        self.assert_forbidden("base/log.cc", "tensor/dtype.h")
        self.assert_forbidden("kernel/gemm.cc", "graph/graph.h")
        self.assert_forbidden("graph/pass/fuse.cc", "kernel/table.h")
        self.assert_forbidden("text/tokenizer.cc", "format/metadata.h")
        self.assert_forbidden("runtime/executor.cc", "model/model.h")
        self.assert_forbidden("engine/engine.cc", "app/commands.h")

    def test_exceptions_are_for_the_named_headers_and_files_only(self):
        self.assert_forbidden("model/llama.cc", "format/model_files.h")
        self.assert_forbidden("engine/sequence.cc", "text/tokenizer.h")
        self.assert_forbidden("engine/scheduler.cc", "model/model.h")

    def test_tests_obey_the_same_rules(self):
        self.assert_forbidden("kernel/gemm_test.cc", "runtime/executor.h")

    def test_spacing_does_not_hide_an_include(self):
        self.write("base/log.cc", '  #  include "tensor/dtype.h"\n')
        self.assertEqual(len(check_layers.find_violations(self.root)), 1)

    def test_unknown_files_and_modules_are_found(self):
        self.assert_forbidden("base/log.cc", "base/gone.h")
        self.assert_forbidden("base/log.cc", "../secret.h")
        self.assertEqual(len(self.violations("helpers/x.cc", "base/status.h")), 1)

    def test_an_empty_tree_is_not_a_pass(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(len(check_layers.find_violations(empty)), 1)


if __name__ == "__main__":
    unittest.main()
