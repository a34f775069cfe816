#!/usr/bin/env python3
"""Each limit is broken on purpose, and everything that only looks like a function is not counted as one."""

import tempfile
import unittest
from pathlib import Path

import check_size

CPP = r"""
#include "base/status.h"
namespace tribar {
namespace {
constexpr int kTable[] = {1, 2, 3};
const char* kText = "void fake() {";
const char* kRaw = R"x(void fake() {)x";  // void fake() {
constexpr long kBig = 1'000'000;

template <typename T>
int plain(T a,
          int b) {
  if (a) {
    auto lambda = [&](int c) { return c; };
    return lambda(b);
  }
  return 0;
}
}  // namespace

struct Point {
  Point(int x) : x_(x) {}
  int get() const { return x_; }
  int x_{0};
};

enum class Kind : int { kA, kB };

Point::operator bool() const noexcept {
  return true;
}

TEST(Suite, Name) {
  EXPECT_EQ(1, 1);
}
}  // namespace tribar
"""

RUST = r"""
struct A<'a> { s: &'a str }
impl<'a> A<'a> {
    fn first(&self, c: char) -> bool {
        match c { '{' => true, _ => false }
    }
}
#[no_mangle]
pub unsafe extern "C" fn second(n: usize) -> usize {
    n
}
"""


class FunctionsTest(unittest.TestCase):
    def test_cpp_functions_are_found_with_their_lines(self):
        found = {name: lines for name, _, lines in check_size.functions_of(CPP, ".cc")}
        self.assertEqual(found, {"plain": 9, "Point": 1, "get": 1, "operator bool": 3, "TEST": 3})

    def test_rust_functions_are_found_with_their_lines(self):
        found = {name: lines for name, _, lines in check_size.functions_of(RUST, ".rs")}
        self.assertEqual(found["first"], 3)
        self.assertEqual(found["second"], 4)
        self.assertEqual(len(found), 2)

    def test_python_functions(self):
        self.assertEqual(check_size.functions_of("def f():\n  pass\n  pass\n", ".py"), [("f", 1, 3)])


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def counts(self):
        failures, warnings, _ = check_size.check(self.root)
        return len(failures), len(warnings)

    def test_file_limits(self):
        self.write("src/a.cc", "// x\n" * 400)
        self.assertEqual(self.counts(), (0, 0))
        self.write("src/a.cc", "// x\n" * 401)
        self.assertEqual(self.counts(), (0, 1))
        self.write("src/a.cc", "// x\n" * 801)
        self.assertEqual(self.counts(), (1, 0))

    def test_function_limits(self):
        body = lambda lines: "int f() {\n" + "  g();\n" * (lines - 2) + "}\n"
        self.write("src/a.cc", body(60))
        self.assertEqual(self.counts(), (0, 0))
        self.write("src/a.cc", body(61))
        self.assertEqual(self.counts(), (0, 1))
        self.write("src/a.cc", body(101))
        self.assertEqual(self.counts(), (1, 0))

    def test_scripts_without_a_suffix_count(self):
        self.write("scripts/tool", "#!/usr/bin/env python3\n" + "x = 1\n" * 800)
        self.write("scripts/text", "x\n" * 900)
        self.assertEqual(self.counts(), (1, 0))

    def test_generated_and_test_data_are_left_out(self):
        self.write("src/a.cc", "int f();\n")
        self.write("tests/data/big.py", "x = 1\n" * 900)
        self.write("rust/textkit/target/big.rs", "// x\n" * 900)
        self.assertEqual(self.counts(), (0, 0))

    def test_an_empty_tree_is_not_a_pass(self):
        self.assertEqual(self.counts(), (1, 0))


if __name__ == "__main__":
    unittest.main()
