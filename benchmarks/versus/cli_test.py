"""The whole command with programs that pretend to be engines."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FAKE = HERE / "testing" / "fake_llama_bench"


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"
        for name in ("tribar", "peer", "ik", "csv"):
            (self.folder / name).symlink_to(FAKE)
        self.model = self.folder / "m.gguf"
        self.model.write_bytes(b"not a model")

    def command(self, *arguments, rounds=3):
        return [sys.executable, str(HERE / "run"), str(self.model), "--tribar", str(self.folder / "tribar"),
                "--cool-down", "0", "--idle-wait", "0", "--busy-limit", "1000", "--rounds", str(rounds), "-t", "2",
                *map(str, arguments)]

    def environment(self):
        return {**os.environ, "FAKE_LOG": str(self.log), "TRIBAR_PEERS": str(self.folder / "none")}

    def run_versus(self, *arguments, status=0, rounds=3):
        done = subprocess.run(self.command(*arguments, rounds=rounds), capture_output=True, text=True,
                              env=self.environment(), check=False, timeout=50)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def peer(self, name, flags="", program="peer"):
        return ["--peer", f"{name}={self.folder / program}" + (f",{flags}" if flags else "")]

    def test_rounds_are_interleaved_and_rotated_and_the_first_dropped(self):
        out = self.folder / "out.json"
        done = self.run_versus("--peers", "none", *self.peer("a", "-speed 50"), "--json", out,
                               "--md", self.folder / "out.md", rounds=2)
        order = [line.split()[0] for line in self.log.read_text().splitlines()]
        self.assertEqual(order, ["tribar", "peer", "peer", "tribar", "tribar", "peer"])
        self.assertIn("**2.00×**", done.stdout)
        self.assertEqual((self.folder / "out.md").read_text(), done.stdout)
        report = json.loads(out.read_text())
        runs = report["models"][0]["runs"]
        self.assertEqual([run["warm_up"] for run in runs], [True] * 2 + [False] * 4)
        self.assertIn("-p 512 -n 128", runs[0]["command"])
        entry = next(e for e in report["models"][0]["summary"] if e["engine"] == "a" and e["test"] == "pp512")
        self.assertEqual((entry["tokens_per_second"]["median"], entry["tokens_per_second"]["count"]), (50, 2))
        self.assertEqual(entry["tribar_over_this"]["median"], 2)
        for key in ("date", "machine", "engines", "settings", "arguments", "peaks"):
            self.assertIn(key, report)

    def test_best_of_shows_the_better_variant(self):
        done = self.run_versus("--peers", "none", *self.peer("ik", "-speed 20"), *self.peer("ik-rtr", "-speed 40"),
                               "--best-of", "ik,ik-rtr:ik", rounds=1)
        self.assertIn("| tokens/s | tribar | ik | tribar / ik |", done.stdout)
        self.assertIn("| pp512 | **100.0** | **40.0** | **2.50×** |", done.stdout)
        self.assertIn("- ik at pp512: ik-rtr", done.stdout)

    def test_a_tool_that_cannot_load_the_file_is_named_and_the_rest_measured(self):
        done = self.run_versus("--peers", "none", *self.peer("a", "-fail-on gguf"), *self.peer("b"), rounds=1)
        self.assertIn("- a: not measured on this file: exit status 1: "
                      "llama_model_load: error loading model: unknown type", done.stdout)
        self.assertIn("| tokens/s | tribar | a | b |", done.stdout)
        self.assertIn("| pp512 | **100.0** | – | **100.0** |", done.stdout)
        self.assertEqual(self.log.read_text().count("-fail-on"), 1, "a tool that failed is not tried again")

    def test_a_tool_that_crashes_is_named_with_the_signal(self):
        crashing = self.folder / "crashing"
        crashing.write_text(f"#!/bin/sh\ncase \"$*\" in *--help*) exec {FAKE} --help;; esac\nkill -SEGV $$\n")
        crashing.chmod(0o755)
        done = self.run_versus("--peers", "none", "--peer", f"c={crashing}", rounds=1)
        self.assertIn("- c: not measured on this file: killed by SIGSEGV", done.stdout)

    def test_ik_decodes_behind_a_prompt_and_other_tools_may_write_csv(self):
        done = self.run_versus("--peers", "none", *self.peer("ik", program="ik"), *self.peer("c", program="csv"),
                               "-d", "0,64", rounds=1)
        self.assertIn("| tg128 @ d64 | **10.0** | **10.0** | **10.0** |", done.stdout)
        self.assertIn("| pp512 @ d64 | **100.0** | – | **100.0** |", done.stdout)

    def test_passes_of_few_tokens(self):
        done = self.run_versus("--peers", "none", "-p", "0", "-n", "0", "--batch", "1,4", rounds=1)
        self.assertIn("| 4 tokens in one pass | **40.0 ms** = 4.00× |", done.stdout)

    def test_missing_engines_say_how_to_get_them(self):
        done = self.run_versus("--peers", "llama.cpp", status=2)
        self.assertIn("get_llama_cpp' builds it there", done.stderr)
        done = self.run_versus("--peers", "none", "--peer", "x=/nonexistent/llama-bench", status=2)
        self.assertIn("x: there is no program /nonexistent/llama-bench", done.stderr)
        done = self.run_versus("--peers", "none", "--peer", "x=/bin/false", status=2)
        self.assertIn("does not take llama-bench's options", done.stderr)

    def test_wrong_usage_is_one_line_and_status_2(self):
        for arguments, words in ((["--peers", "ollama"], "--peers knows"), (["--peers", "none", "-p", "x"], "-p takes"),
                                 (["--peers", "none", "-p", "0", "-n", "0"], "nothing to measure"),
                                 (["--peers", "none", "--best-of", "a,b"], "there is no peer a"),
                                 (["--peers", "none", "--peer", "x"], "NAME=PATH"),
                                 (["--peers", "none", "--rounds", "0"], "--rounds must be"),
                                 (["--peers", "none", "/nonexistent.gguf"], "there is no file")):
            done = self.run_versus(*arguments, status=2)
            self.assertIn(words, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_status_1_when_tribar_cannot_be_measured(self):
        model = self.folder / "other.gguf"
        model.write_bytes(b"")
        (self.folder / "tribar").unlink()
        (self.folder / "tribar").write_text(f"#!/bin/sh\nexec {FAKE} \"$@\" -fail-on other\n")
        (self.folder / "tribar").chmod(0o755)
        done = self.run_versus("--peers", "none", model, status=1, rounds=1)
        self.assertIn("- tribar: not measured on this file", done.stdout)

    def test_an_interrupt_reports_what_is_there(self):
        out = self.folder / "out.json"
        slow = self.folder / "slow"
        # Two runs (warm-up, round 1), then one that never ends.
        slow.write_text(f"#!/bin/sh\ncase \"$*\" in *--help*) exec {FAKE} --help;; esac\n"
                        f"echo x >> {self.folder}/count\n"
                        f"[ $(wc -l < {self.folder}/count) -gt 2 ] && exec sleep 60\nexec {FAKE} \"$@\"\n")
        slow.chmod(0o755)
        with subprocess.Popen(self.command("--peers", "none", "--peer", f"slow={slow}", "--json", out), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment()) as process:
            deadline = time.monotonic() + 30
            count = self.folder / "count"
            while (not count.exists() or len(count.read_text().split()) < 3) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertIn("| pp512 | **100.0** (100.0–100.0) | **100.0** | **1.00×** |", stdout)
        self.assertIn("- interrupted: rounds are missing", stdout)
        self.assertTrue(json.loads(out.read_text())["models"][0]["interrupted"])

    def test_help_has_examples(self):
        done = subprocess.run([sys.executable, str(HERE / "run"), "--help"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("--best-of ik,ik-rtr:ik", done.stdout)


if __name__ == "__main__":
    unittest.main()
