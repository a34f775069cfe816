"""tribar run: what it prints, where the time goes, and how it ends."""

import json
import os
import signal
import subprocess
import time
import unittest

from support import MODEL, TRIBAR, Terminal, TribarTest, environment

# The model has random weights; its texts mean nothing but are always the same.
BASE = ["run", MODEL, "--raw", "-p", "Hello there"]


class Run(TribarTest):
    def test_text_to_stdout_times_to_stderr(self):
        result = self.ok(*BASE, "-n", 10, "--seed", 1)
        self.assertTrue(result.stdout.endswith("\n"))
        for phase in ("load", "tokenise", "prefill", "decode", "sample", "detokenise", "total"):
            self.assertRegex(result.stderr, rf"(?m)^{phase} +\d+\.\d+ s")
        self.assertIn("seed: 1", result.stderr)
        self.assertEqual(self.ok(*BASE, "-n", 10, "--seed", 1, "-q").stderr, "")

    def test_json(self):
        out = self.ok_json(*BASE, "-n", 10, "--seed", 1, "--json")
        self.assertEqual(out["text"] + "\n", self.ok(*BASE, "-n", 10, "--seed", 1).stdout)
        self.assertIn(out["finish_reason"], ("length", "stop"))
        self.assertLessEqual(out["completion_tokens"], 10)
        self.assertEqual(out["phases"]["prefill"]["tokens"], out["prompt_tokens"])
        self.assertEqual(out["seed"], 1)

    def test_same_seed_same_text_whatever_the_threads(self):
        texts = {self.ok(*BASE, "-n", 40, "--temperature", 1.5, "--seed", 5, "-t", t, *more).stdout
                 for t in (1, 2, 3) for more in ([], ["--eager"])}
        self.assertEqual(len(texts), 1)
        other = self.ok(*BASE, "-n", 40, "--temperature", 1.5, "--seed", 6).stdout
        self.assertNotIn(other, texts)

    def test_the_seed_it_chose_repeats_the_text(self):
        first = self.ok_json(*BASE, "-n", 20, "--temperature", 2, "--json")
        again = self.ok_json(*BASE, "-n", 20, "--temperature", 2, "--json", "--seed", first["seed"])
        self.assertEqual(first["text"], again["text"])

    def test_phases_sum_to_wall_time(self):
        begin = time.monotonic()
        out = self.ok_json(*BASE, "-n", 2000, "-c", 4000, "--logit-bias", "2=-100", "--json")
        self.assertEqual(out["completion_tokens"], 2000)
        wall = time.monotonic() - begin
        phases = sum(phase["seconds"] for phase in out["phases"].values())
        self.assertAlmostEqual(phases, out["wall_seconds"], delta=0.02 * out["wall_seconds"])
        # Outside of what is reported lie only the start of the process and its end.
        self.assertLess(wall - phases, 0.02 * wall + 0.2)

    def test_prompt_sources(self):
        expected = self.ok(*BASE, "-n", 5, "--seed", 1).stdout
        piped = self.ok("run", MODEL, "--raw", "-n", 5, "--seed", 1, stdin="Hello there\n").stdout
        self.assertEqual(piped, expected)
        file = self.folder() / "prompt.txt"
        file.write_text("Hello there\r\n")
        self.assertEqual(self.ok("run", MODEL, "--raw", "-n", 5, "--seed", 1, "-f", file).stdout, expected)
        self.assertIn("--prompt", self.fails(*BASE, "-f", file))

    def test_template_is_the_default(self):
        plain = self.ok_json("run", MODEL, "-p", "Hi", "-n", 1, "--json")["prompt_tokens"]
        raw = self.ok_json("run", MODEL, "-p", "Hi", "-n", 1, "--raw", "--json")["prompt_tokens"]
        self.assertGreater(plain, raw)

    def test_text_never_becomes_a_control_token(self):
        plain = self.ok_json("run", MODEL, "-p", "</s>", "-n", 1, "--raw", "--json")["prompt_tokens"]
        parsed = self.ok_json("run", MODEL, "-p", "</s>", "-n", 1, "--raw", "--parse-special", "--json")
        self.assertGreater(plain, parsed["prompt_tokens"])

    def test_stop_text_is_not_printed(self):
        text = self.ok_json(*BASE, "-n", 30, "--seed", 3, "--json")["text"]
        stop = text[4:7]
        out = self.ok_json(*BASE, "-n", 30, "--seed", 3, "--stop", stop, "--json")
        self.assertEqual(out["text"], text[:text.index(stop)])
        self.assertEqual(out["finish_reason"], "stop")

    def test_prompts_that_cannot_be_answered(self):
        self.assertIn("--ctx", self.fails("run", MODEL, "--raw", "-p", "word " * 3000, "-c", 100))
        self.assertIn("UTF-8", self.fails("run", MODEL, "--raw", "-p", os.fsdecode(b"\xff\xfe")))
        # The template of this model knows no system messages and says so.
        self.assertIn("only user and assistant roles", self.fails("run", MODEL, "-p", "Hi", "--system", "x"))
        self.assertIn("--raw", self.fails("run", MODEL, "--raw", "-p", "Hi", "--system", "x"))
        terminal = Terminal("run", MODEL)
        self.assertEqual(terminal.exit_code(), 2)
        self.assertIn("-p TEXT", terminal.text)

    def test_an_empty_prompt_is_answered(self):
        self.ok("run", MODEL, "-p", "", "-n", 3)
        self.ok("run", MODEL, "--raw", "-p", "", "-n", 3)

    def test_ctrl_c_ends_with_130_and_reports_what_was_done(self):
        process = subprocess.Popen([TRIBAR, *BASE, "-n", "60000", "-c", "60000", "--logit-bias", "2=-100"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.assertTrue(process.stdout.read(1))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"finish: interrupted", err)
        self.assertNotIn(b"error", err)


class Bench(TribarTest):
    BASE = ["bench", MODEL, "-p", 16, "-n", 4, "-r", 2, "--no-peaks"]

    def test_json_is_only_an_array_with_the_names_of_llama_bench(self):
        out = self.ok_json(*self.BASE, "-d", "0,8", "-o", "json")
        self.assertEqual([(o["n_prompt"], o["n_gen"], o["n_depth"]) for o in out],
                         [(16, 0, 0), (0, 4, 0), (16, 0, 8), (0, 4, 8)])
        for o in out:
            self.assertGreater(o["avg_ts"], 0)
            self.assertGreaterEqual(o["stddev_ts"], 0)
            self.assertEqual(len(o["samples_ts"]), 2)
            self.assertGreater(o["n_threads"], 0)

    def test_table_and_csv(self):
        lines = self.ok(*self.BASE, "-t", "1,2").stdout.splitlines()
        columns = [c.strip() for c in lines[0].strip("|").split("|")]
        self.assertEqual(columns, ["model", "size", "params", "backend", "threads", "test", "t/s"])
        self.assertEqual([line.split("|")[6].strip() for line in lines[2:]], ["pp16", "tg4", "pp16", "tg4"])
        self.assertEqual([line.split("|")[5].strip() for line in lines[2:]], ["1", "1", "2", "2"])
        self.assertEqual(len(self.ok(*self.BASE, "-o", "csv").stdout.splitlines()), 3)

    def test_phases_sum_to_the_total(self):
        err = self.ok(*self.BASE).stderr
        seconds = {line.split()[0]: float(line.split()[1]) for line in err.splitlines() if " s" in line}
        total = seconds.pop("total")
        self.assertEqual(set(seconds), {"load", "tokenise", "prefill", "decode", "sample", "detokenise"})
        self.assertAlmostEqual(sum(seconds.values()), total, delta=0.02 * total + 0.003)

    def test_wrong_lists(self):
        self.assertIn("'x' is not a number", self.fails("bench", MODEL, "-p", "x"))
        self.assertIn("nothing to measure", self.fails("bench", MODEL, "-p", 0, "-n", 0))
        self.assertIn("--output", self.fails("bench", MODEL, "-o", "xml"))


class Perplexity(TribarTest):
    def test_json(self):
        text = self.folder() / "text.txt"
        text.write_text("The quick brown fox jumps over the lazy dog. " * 40)
        base = ["perplexity", MODEL, "-f", text, "--ctx", 32]
        out = self.ok_json(*base, "--windows", 3, "--json", "--compare-fp32")
        self.assertEqual(out["windows"], 3)
        self.assertEqual(out["scored_tokens"], 3 * 15)
        self.assertEqual(out["running"][-1], out["ppl"])
        self.assertEqual(len(out["running"]), 3)
        self.assertGreater(out["top1_agreement"], 0.9)
        self.assertAlmostEqual(out["ppl"], out["ppl_fp32"], delta=0.02 * out["ppl"])
        everything = self.ok_json(*base, "--json", "--precision", "fp32")
        self.assertEqual(everything["windows"], everything["tokens"] // 32)
        self.assertEqual(everything["running"][2], out["ppl_fp32"])
        self.assertRegex(self.ok(*base).stdout, r"^perplexity \d+\.\d{4} \+/- ")

    def test_a_text_that_is_too_short(self):
        text = self.folder() / "short.txt"
        text.write_text("Hi")
        self.assertIn("less than one window", self.fails("perplexity", MODEL, "-f", text))


if __name__ == "__main__":
    unittest.main()
