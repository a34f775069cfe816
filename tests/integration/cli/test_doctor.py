"""doctor, the peaks that bench takes from it, and the warning of too many threads."""

import csv
import json
import os
import pathlib
import unittest

from support import MODEL, TribarTest, tribar

BENCH = ("bench", MODEL, "-p", 16, "-n", 4, "-r", 1)


class Doctor(TribarTest):
    @classmethod
    def setUpClass(cls):
        # One measurement for all tests; the others find it in the cache.
        cls.first = tribar("doctor", "--json")
        cls.found = json.loads(cls.first.stdout)

    def test_measures_once_and_describes_the_machine(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        self.assertFalse(self.found["peaks"]["from_cache"])
        cpu = self.found["cpu"]
        self.assertEqual(cpu["allowed"], sorted(os.sched_getaffinity(0)))
        self.assertLessEqual(cpu["threads"], len(cpu["allowed"]))
        self.assertGreater(self.found["memory"]["total_bytes"], 0)
        self.assertEqual(self.found["peaks"]["read_stream_gbps"][-1]["threads"], cpu["threads"])
        for peak in self.found["peaks"]["compute_gops"]:
            self.assertGreater(peak["one_thread"]["best"], 0, peak)

    def test_every_kernel_of_every_level_passes(self):
        checks = self.found["self_test"]["checks"]
        self.assertTrue(self.found["self_test"]["passed"])
        self.assertEqual({check["isa"] for check in checks}, set(self.found["isa"]["supported"]))
        self.assertTrue(all(check["passed"] for check in checks))

    def test_second_time_comes_from_the_cache(self):
        again = self.ok_json("doctor", "--json")
        self.assertTrue(again["peaks"]["from_cache"])
        for name in ("compute_gops", "read_stream_gbps", "barrier_us", "measured_at"):
            self.assertEqual(again["peaks"][name], self.found["peaks"][name])
        text = self.ok("doctor").stdout
        for part in ("Processor", "Memory", "from the cache", "PASS", "Verdict: "):
            self.assertIn(part, text)

    def test_forced_level_is_shown(self):
        found = self.ok_json("doctor", "--json", TRIBAR_FORCE_ISA="generic")
        self.assertEqual((found["isa"]["chosen"], found["isa"]["forced"]), ("generic", "generic"))
        self.assertTrue(found["peaks"]["from_cache"])
        self.assertIn("TRIBAR_FORCE_ISA=sse9", self.fails("doctor", TRIBAR_FORCE_ISA="sse9"))

    def test_a_damaged_cache_is_measured_again(self):
        folder = self.folder()
        (folder / "tribar").mkdir()
        cache = folder / "tribar/machine.json"
        cache.write_text("{")
        self.assertFalse(self.ok_json("doctor", "--json", XDG_CACHE_HOME=str(folder))["peaks"]["from_cache"])
        self.assertEqual(json.loads(cache.read_text())["format"], 1)
        self.assertEqual([p.name for p in cache.parent.iterdir()], ["machine.json"])

    def test_bench_prints_percent_of_peak(self):
        result = self.ok(*BENCH, "-o", "json")
        self.assertNotIn("measuring", result.stderr)
        prefill, decode = json.loads(result.stdout)
        self.assertGreater(prefill["int8_percent"], 0)
        self.assertIsNone(prefill["stream_percent"])
        self.assertGreater(decode["stream_percent"], 0)
        self.assertIsNone(decode["int8_percent"])
        stream = 100e-9 * decode["weight_bytes"] * decode["avg_ts"] / decode["stream_gbps"]
        self.assertAlmostEqual(decode["stream_percent"], stream, delta=1e-3 * stream)
        self.assertIn("% stream", self.ok(*BENCH).stdout)
        rows = list(csv.DictReader(self.ok(*BENCH, "-o", "csv").stdout.splitlines()))
        self.assertEqual(rows[0]["int8_peak_name"], prefill["int8_peak_name"])

    def test_bench_counts_the_weights_of_the_linear_layers(self):
        tensors = self.ok_json("inspect", MODEL, "--json")["tensors"]
        matrices = [t for t in tensors if len(t["shape"]) == 2 and not t["name"].startswith("token_embd")]
        macs = sum(t["shape"][0] * t["shape"][1] for t in matrices)
        result = self.ok_json(*BENCH, "-o", "json")[0]
        self.assertEqual(result["macs_per_token"] + result["macs_per_logit_row"], macs)
        self.assertGreaterEqual(result["weight_bytes"], sum(t["size_bytes"] for t in matrices))

    def test_bench_measures_when_it_must_and_not_when_told(self):
        folder = self.folder()
        result = self.ok(*BENCH, "--no-peaks", XDG_CACHE_HOME=str(folder))
        self.assertNotIn("stream", result.stdout)
        self.assertEqual(list(folder.iterdir()), [])
        result = self.ok(*BENCH, XDG_CACHE_HOME=str(folder))
        self.assertIn("measuring this machine once", result.stderr)
        self.assertTrue((folder / "tribar/machine.json").is_file())

    def test_too_many_threads_are_warned_of_by_every_command(self):
        allowed = self.found["cpu"]["threads"]
        text = pathlib.Path(self.folder()) / "text.txt"
        text.write_text("the quick brown fox " * 40)
        commands = (["run", MODEL, "-p", "x", "-n", 1], ["chat", MODEL], ["logits", MODEL, "--ids", "1,2", "--json"],
                    ["bench", MODEL, "-p", 4, "-n", 0, "-r", 1, "--no-peaks"],
                    ["perplexity", MODEL, "-f", text, "--ctx", 16, "--windows", 1], ["doctor"])
        for command in commands:
            with self.subTest(command[0]):
                warning = f"tribar: warning: {allowed + 1} threads, but "
                self.assertIn(warning, self.ok(*command, "-t", allowed + 1).stderr)
                self.assertNotIn("tribar: warning", self.ok(*command, "-t", allowed).stderr)
                self.assertNotIn("tribar: warning", self.ok(*command).stderr)
        advice = self.ok_json("doctor", "--json", "-t", allowed + 1)["verdict"]["advice"]
        self.assertIn("threads_above_allowance", [a["id"] for a in advice])


if __name__ == "__main__":
    unittest.main()
