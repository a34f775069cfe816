"""tribar chat, in a terminal and in a pipe."""

import json
import unittest

from support import MODEL, Terminal, TribarTest

PROMPT = ">>> "


class Chat(TribarTest):
    def start(self, *more, **changes):
        self.state = self.folder()
        terminal = Terminal("chat", MODEL, "--seed", 1, "-n", 12, *more, XDG_STATE_HOME=str(self.state), **changes)
        terminal.wait_for(PROMPT)
        return terminal

    def leave(self, terminal):
        terminal.send("\x04")
        self.assertEqual(terminal.exit_code(), 0, terminal.text)

    def test_conversation_commands_and_history(self):
        t = self.start()
        t.send("Hello\n")
        t.wait_for(PROMPT)
        t.send("/stats\n")
        self.assertIn("of them known from the turn before", t.wait_for(PROMPT))
        t.send("/help\n")
        self.assertIn("/save FILE", t.wait_for(PROMPT))
        t.send("/set temperature 0.3\n")
        self.assertIn("temperature is 0.3", t.wait_for(PROMPT))
        t.send("/set temperature no\n")
        self.assertIn("not a number", t.wait_for(PROMPT))
        t.send("/hlep\n")
        self.assertIn("did you mean '/help'?", t.wait_for(PROMPT))
        saved = self.state / "chat.json"
        t.send(f"/save {saved}\n")
        self.assertIn("saved 2 messages", t.wait_for(PROMPT))
        self.assertEqual([m["role"] for m in json.loads(saved.read_text())["messages"]], ["user", "assistant"])
        self.leave(t)
        self.assertIn("Hello", (self.state / "tribar/history").read_text())

    def test_several_lines(self):
        t = self.start()
        t.send('"""\n')
        t.wait_for("... ")
        t.send("/help\n")
        t.wait_for("... ")
        t.send('"""\n')
        self.assertNotIn("/save FILE", t.wait_for(PROMPT))
        t.send("one\\\n")
        t.wait_for("... ")
        t.send("two\n")
        t.wait_for(PROMPT)
        saved = self.state / "chat.json"
        t.send(f"/save {saved}\n")
        t.wait_for(PROMPT)
        messages = json.loads(saved.read_text())["messages"]
        self.assertEqual([m["content"] for m in messages if m["role"] == "user"], ["/help", "one\ntwo"])
        self.leave(t)

    def test_editing_and_umlauts(self):
        t = self.start()
        t.send("Gr\u00fc\u00dfe \u6f22x\x7f\n")  # the x is deleted again
        t.wait_for(PROMPT)
        t.send("/save " + str(self.state / "chat.json") + "\n")
        t.wait_for(PROMPT)
        messages = json.loads((self.state / "chat.json").read_text())["messages"]
        self.assertEqual(messages[0]["content"], "Gr\u00fc\u00dfe \u6f22")
        self.leave(t)

    def test_ctrl_c_at_the_prompt_gives_the_line_up(self):
        t = self.start()
        t.send("not this")
        t.wait_for("not this")
        t.send("\x03")
        self.assertIn("Ctrl-D leaves", t.wait_for(PROMPT))
        t.send("/stats\n")
        self.assertIn("no answer yet", t.wait_for(PROMPT))
        self.leave(t)

    def test_ctrl_c_stops_the_answer_and_keeps_the_chat(self):
        t = self.start("-c", 60000, "--logit-bias", "2=-100")
        t.send("/set max_tokens 60000\n")
        t.wait_for(PROMPT)
        t.send("Tell me everything\n")
        t.wait_for_more("Tell me everything\r\n", 20)
        t.send("\x03")
        t.wait_for("(stopped)")
        t.wait_for(PROMPT)
        t.send("/stats\n")
        self.assertIn("finish: interrupted", t.wait_for(PROMPT))
        self.leave(t)

    def test_narrow_terminal(self):
        t = self.start(columns=20)
        t.send("a message that is longer than the terminal is wide\n")
        t.wait_for(PROMPT)
        self.leave(t)

    def test_piped_input(self):
        result = self.ok("chat", MODEL, "-n", 5, "--seed", 1, stdin="Hello\n/set seed 2\nAgain\n")
        self.assertNotIn(PROMPT, result.stdout + result.stderr)
        self.assertGreaterEqual(len(result.stdout.splitlines()), 2)
        self.assertEqual(self.ok("chat", MODEL, stdin="").stdout, "")
        bad = self.fails("chat", MODEL, stdin="/nonsense\n")
        self.assertIn("unknown command '/nonsense'", bad)

    def test_conversation_that_no_longer_fits(self):
        t = self.start("-c", 60)
        t.send("word " * 100 + "\n")
        self.assertIn("/clear begins a new one", t.wait_for(PROMPT))
        t.send("Hi\n")
        t.wait_for(PROMPT)
        self.leave(t)


if __name__ == "__main__":
    unittest.main()
