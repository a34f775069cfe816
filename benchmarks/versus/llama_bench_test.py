"""Command lines and outputs of the tools that speak llama-bench."""

import json
import unittest

from versus.llama_bench import Abilities, OutputError, abilities_of, bench_commands, parse_output
from versus.plan import Group, Test

LLAMA_CPP_HELP = "  -o, --output <csv|json|jsonl|md|sql>\n  -p, --n-prompt <n>\n  -d, --n-depth <n>     (default: 0)\n"
IK_HELP = "  -p, --n-prompt <n>\n  -pg <pp,tg>\n  -gp <pp,tg>    (default: )\n  -o, --output <csv|json|md|sql>\n"
TRIBAR_HELP = "  -p,     --n-prompt LIST [512]\n  -d,     --n-depth LIST [0]\n  -o,     --output FORMAT:{md,json,csv}\n"
OLD_HELP = "  -p, --n-prompt <n>\n  -o, --output <csv|md>\n"

GROUP = Group("speed", (512,), (32,), (0, 8192), 2)


class AbilitiesTest(unittest.TestCase):
    def test_from_help(self):
        self.assertEqual(abilities_of(LLAMA_CPP_HELP), Abilities(True, False, "json"))
        self.assertEqual(abilities_of(IK_HELP), Abilities(False, True, "json"))
        self.assertEqual(abilities_of(TRIBAR_HELP), Abilities(True, False, "json"))
        self.assertEqual(abilities_of(OLD_HELP), Abilities(False, False, "csv"))


class CommandTest(unittest.TestCase):
    def commands(self, abilities, group=GROUP):
        return [" ".join(command) for command in bench_commands(["b"], ["-m", "x"], group, 2, abilities)]

    def test_depth_is_a_list_where_the_tool_knows_it(self):
        self.assertEqual(self.commands(Abilities(True, False, "json")),
                         ["b -m x -p 512 -n 32 -d 0,8192 -t 2 -r 2 -o json"])

    def test_decode_behind_a_prompt_where_it_knows_only_that(self):
        self.assertEqual(self.commands(Abilities(False, True, "json")),
                         ["b -m x -p 512 -n 32 -t 2 -r 2 -o json", "b -m x -p 0 -n 0 -gp 8192,32 -t 2 -r 2 -o json"])

    def test_what_the_tool_cannot_do_is_left_out(self):
        self.assertEqual(self.commands(Abilities(False, False, "csv")), ["b -m x -p 512 -n 32 -t 2 -r 1 -o csv"])
        deep = Group("speed", (512,), (), (8192,), 1)
        self.assertEqual(self.commands(Abilities(False, True, "json"), deep), [])


class OutputTest(unittest.TestCase):
    def test_llama_cpp_json(self):
        rows = [{"build_commit": "0c1e570", "n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ts": 2.0,
                 "samples_ts": [1.0, 3.0]}]
        sample, = parse_output(json.dumps(rows, indent=2))
        self.assertEqual((sample.test, sample.speeds), (Test(512, 0), (1.0, 3.0)))
        self.assertEqual(sample.about, {"build_commit": "0c1e570"})

    def test_ik_json_has_no_depth_and_names_it_in_the_test(self):
        rows = [{"n_prompt": 8192, "n_gen": 32, "test": "tg32@pp8192", "avg_ts": 9.0, "samples_ts": [9.0]},
                {"n_prompt": 512, "n_gen": 0, "test": "pp512", "avg_ts": 7.0, "samples_ts": [7.0]}]
        self.assertEqual([s.test for s in parse_output(json.dumps(rows))], [Test(0, 32, 8192), Test(512, 0)])

    def test_other_lines_around_the_array(self):
        text = "[info] loading\n======\n" + json.dumps([{"n_prompt": 1, "n_gen": 0, "avg_ts": 5}]) + "\nbye [x]\n"
        self.assertEqual(parse_output(text)[0].speeds, (5.0,))

    def test_json_lines(self):
        text = '{"n_prompt": 4, "n_gen": 0, "avg_ts": 5}\nnoise\n{"n_prompt": 0, "n_gen": 8, "avg_ts": 6}\n'
        self.assertEqual([s.test.name for s in parse_output(text)], ["pp4", "tg8"])

    def test_csv(self):
        text = 'noise, with commas\nbuild_commit,n_prompt,n_gen,avg_ts,stddev_ts\n"a,b","512","0","10.5","0.1"\n'
        sample, = parse_output(text)
        self.assertEqual((sample.test, sample.speeds, sample.about), (Test(512, 0), (10.5,), {"build_commit": "a,b"}))

    def test_no_results(self):
        for text in ("", "[]", "[1, 2]", "error: no model\n", "n_prompt,avg_ts\n"):
            with self.assertRaises(OutputError, msg=text):
                parse_output(text)

    def test_results_that_are_no_numbers(self):
        for row in ({"n_prompt": 1, "n_gen": 0}, {"n_prompt": 1, "n_gen": 0, "avg_ts": "fast"},
                    {"n_prompt": 1, "n_gen": 0, "avg_ts": 0.0}, {"n_prompt": 1, "n_gen": 0, "avg_ts": float("nan")}):
            with self.assertRaises(OutputError, msg=row):
                parse_output(json.dumps([row]))


if __name__ == "__main__":
    unittest.main()
