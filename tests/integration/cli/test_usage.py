"""Help, exit codes and messages."""

import unittest

from support import COMMANDS, MODEL, TribarTest, Terminal, tribar


class Usage(TribarTest):
    def test_help_lists_every_command_and_the_exit_codes(self):
        text = self.ok("--help").stdout
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", text)
        self.assertIn("130 interrupted", text)
        self.assertEqual(self.ok().stdout, text)

    def test_every_command_has_examples(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = self.ok(command, "--help").stdout
                self.assertIn("Examples:\n  ", text)
                self.assertIn(f"tribar {command}", text)

    def test_version(self):
        self.assertRegex(self.ok("--version").stdout, r"^tribar \d+\.\d+\.\d+\n$")

    def test_wrong_command_and_option_name_the_one_that_was_meant(self):
        self.assertIn("unknown command 'rnu'; did you mean 'run'?", self.fails("rnu", MODEL))
        self.assertIn("unknown option '--temprature'; did you mean '--temperature'?",
                      self.fails("run", MODEL, "-p", "x", "--temprature", "1"))
        self.assertIn("unknown option '--id'; did you mean '--ids'", self.fails("logits", MODEL, "--id", "1"))

    def test_values_out_of_range(self):
        self.assertIn("--threads", self.fails("run", MODEL, "-p", "x", "-t", "-1"))
        self.assertIn("--precision", self.fails("logits", MODEL, "--ids", "1", "--precision", "fp8"))
        self.assertIn("temperature is -1", self.fails("run", MODEL, "-p", "x", "--temperature", "-1"))
        self.assertIn("top_p is 0", self.fails("run", MODEL, "-p", "x", "--top-p", "0"))
        self.assertIn("TOKEN=AMOUNT", self.fails("run", MODEL, "-p", "x", "--logit-bias", "5"))

    def test_missing_arguments(self):
        self.assertIn("MODEL", self.fails("run", "-p", "x"))
        self.assertIn("--ids", self.fails("logits", MODEL))

    def test_missing_and_broken_files(self):
        self.assertIn("no-such-model", self.fails("run", "no-such-model.gguf", "-p", "x"))
        folder = self.folder()
        broken = folder / "broken.gguf"
        broken.write_bytes(b"GGUF\3\0\0\0" + b"\xff" * 64)
        for command in (["run", broken, "-p", "x"], ["logits", broken, "--ids", "1"], ["inspect", broken],
                        ["bench", broken], ["perplexity", broken, "-f", MODEL]):
            self.assertIn("broken.gguf", self.fails(*command))
        self.assertIn("no-such.txt", self.fails("perplexity", MODEL, "-f", folder / "no-such.txt"))
        self.assertIn("is a folder", self.fails("perplexity", MODEL, "-f", folder))

    def test_models_have_names(self):
        folder = self.folder()
        (folder / "tiny-llama.gguf").symlink_to(MODEL)
        by_path = self.ok("logits", MODEL, "--ids", "1,2", "--json").stdout
        self.assertEqual(self.ok("logits", "tiny-llama", "--ids", "1,2", "--json", TRIBAR_MODELS=str(folder)).stdout, by_path)
        for command in (["run", "-p", "x", "-n", 1], ["bench", "-p", 8, "-n", 0, "-r", 1, "--no-peaks"], ["tokenize", "x"], ["inspect"],
                        ["chat"]):
            with self.subTest(command[0]):
                self.ok(command[0], "tiny-llama", *command[1:], "--models-dir", folder)
                self.assertIn("tiny-llama", self.fails(command[0], "tiny-lama", *command[1:], "--models-dir", folder))

    def test_no_colour_in_pipes_nor_with_no_color(self):
        self.assertNotIn("\x1b", tribar("run", MODEL, "-p", "Hello", "-n", 3).stderr)
        for changes, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True),
                                  ({"TERM": "dumb"}, False)):
            terminal = Terminal("rnu", **changes)
            self.assertEqual(terminal.exit_code(), 2)
            self.assertEqual("\x1b[31m" in terminal.text, coloured, changes)


if __name__ == "__main__":
    unittest.main()
