"""tribar logits: the scripting form that everything else is checked with."""

import json
import re
import unittest

from support import DATA, MODEL, TribarTest, tribar

IDS = ",".join(str(3 + i * 7 % 400) for i in range(70))


class Logits(TribarTest):
    def test_shape(self):
        out = self.ok_json("logits", MODEL, "--ids", "1,2,3", "--greedy", 5, "--top", 3, "--json")
        self.assertEqual(list(out), ["logits", "top", "greedy"])
        self.assertEqual(len(out["logits"]), 448)
        self.assertEqual([len(position) for position in out["top"]], [3, 3, 3])
        self.assertEqual(len(out["greedy"]), 5)
        last = out["top"][-1]
        self.assertEqual([logit for _, logit in last], sorted(out["logits"], reverse=True)[:3])
        self.assertEqual(out["logits"][last[0][0]], last[0][1])
        self.assertEqual(out["greedy"][0], last[0][0])
        self.assertEqual(self.ok_json("logits", MODEL, "--ids", "1", "--json")["top"], [])

    def test_numbers_have_at_most_nine_digits_and_restore_floats(self):
        text = self.ok("logits", MODEL, "--ids", "1,2,3", "--json").stdout
        longest = 0
        for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text):
            digits = re.sub(r"e.*|[-.]", "", number).lstrip("0")
            longest = max(longest, len(digits))
        self.assertEqual(longest, 9)

    def test_fp32_equals_the_golden(self):
        golden = json.loads((DATA / "models/llama/golden.json").read_text())
        for case in golden["cases"]:
            ids = ",".join(map(str, case["ids"]))
            out = self.ok_json("logits", MODEL, "--ids", ids, "--precision", "fp32", "--json")
            worst = max(abs(a - b) for a, b in zip(out["logits"], case["last_logits"]))
            self.assertLess(worst, 1e-4 * case["logits_rms"], case["name"])

    def test_same_bits_whatever_the_path(self):
        for precision in ("fast", "fp32"):
            common = ["logits", MODEL, "--ids", IDS, "--greedy", 8, "--top", 2, "--precision", precision, "--json"]
            expected = self.ok(*common).stdout
            for more in (["-t", 1], ["-t", 2], ["-t", 3], ["--chunk", 1], ["--chunk", 7], ["--chunk", 64],
                         ["--chunk", 512], ["--eager"]):
                self.assertEqual(self.ok(*common, *more).stdout, expected, more)

    def test_greedy_continues_as_if_given(self):
        out = self.ok_json("logits", MODEL, "--ids", "1,2,3", "--greedy", 4, "--json")
        ids = [1, 2, 3]
        for token in out["greedy"]:
            logits = self.ok_json("logits", MODEL, "--ids", ",".join(map(str, ids)), "--json")["logits"]
            self.assertEqual(token, logits.index(max(logits)))
            ids.append(token)

    def test_bad_ids(self):
        self.assertIn("'x' is not a token id", self.fails("logits", MODEL, "--ids", "1,x", "--json"))
        self.assertIn("'' is not a token id", self.fails("logits", MODEL, "--ids", "", "--json"))
        self.assertIn("448", self.fails("logits", MODEL, "--ids", "1,448", "--json"))
        self.assertIn("-1", self.fails("logits", MODEL, "--ids", "-1", "--json"))
        self.fails("logits", MODEL, "--ids", "1,2,3,4", "--ctx", 3, "--json")

    def test_table_without_json(self):
        self.assertIn("position 1:  ", self.ok("logits", MODEL, "--ids", "1,2", "--top", 2).stdout)
        self.assertEqual(len(self.ok("logits", MODEL, "--ids", "1,2").stdout.splitlines()), 448)


class Sample(TribarTest):
    def test_one_line_out_per_line_in(self):
        lines = ['{"logits":[1,2]}', "", "nonsense", '{"logits":[0,null],"params":{"temperature":0}}',
                 '{"logits":[1],"params":{"top_p":7}}']
        result = self.ok("sample", "--jsonl", "-", stdin="\n".join(lines) + "\n")
        out = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([list(o) for o in out], [["probs"], ["error"], ["error"], ["probs"], ["error"]])
        self.assertEqual(out[3]["probs"], [1, 0])
        self.assertEqual(result.stderr, "")
        self.assertIn("no-such.jsonl", self.fails("sample", "--jsonl", "no-such.jsonl"))


if __name__ == "__main__":
    unittest.main()
