"""Medians, ratios, the better of variants, and the order of rounds."""

import unittest

from versus.plan import Test
from versus.schedule import round_order
from versus.summary import BestOf, apply_best_of, paired_ratio, process_speed, spread_of

PREFILL, DECODE = Test(512, 0), Test(0, 128)


class NumbersTest(unittest.TestCase):
    def test_the_first_repetition_warms_up(self):
        self.assertEqual(process_speed([1.0]), 1.0)
        self.assertEqual(process_speed([1.0, 5.0]), 5.0)
        self.assertEqual(process_speed([100.0, 5.0, 7.0, 6.0]), 6.0)

    def test_spread(self):
        spread = spread_of([3.0, 1.0, 2.0, 10.0])
        self.assertEqual((spread.median, spread.low, spread.high, spread.count), (2.5, 1.0, 10.0, 4))
        self.assertIsNone(spread_of([]))

    def test_ratio_is_of_medians_and_its_spread_of_pairs(self):
        ratio = paired_ratio({1: 10.0, 2: 20.0, 3: 60.0}, {1: 10.0, 2: 5.0, 3: 20.0})
        self.assertEqual((ratio.median, ratio.low, ratio.high), (2.0, 1.0, 4.0))

    def test_only_rounds_that_both_have_count(self):
        ratio = paired_ratio({1: 10.0, 2: 999.0}, {1: 5.0, 3: 1.0})
        self.assertEqual((ratio.median, ratio.count), (2.0, 1))
        self.assertIsNone(paired_ratio({1: 10.0}, {2: 5.0}))


class BestOfTest(unittest.TestCase):
    def test_each_test_on_its_own(self):
        speeds = {"tribar": {PREFILL: {1: 9.0}}, "ik": {PREFILL: {1: 1.0, 2: 2.0, 3: 9.0}, DECODE: {1: 5.0}},
                  "rtr": {PREFILL: {1: 3.0, 2: 3.0, 3: 3.0}, DECODE: {1: 4.0}}}
        merged, chosen = apply_best_of(speeds, [BestOf(("ik", "rtr"), "ik")])
        self.assertEqual(set(merged), {"tribar", "ik"})
        self.assertEqual(merged["ik"], {PREFILL: {1: 3.0, 2: 3.0, 3: 3.0}, DECODE: {1: 5.0}})
        self.assertEqual(chosen, {("ik", PREFILL): "rtr", ("ik", DECODE): "ik"})

    def test_a_variant_that_failed(self):
        merged, _ = apply_best_of({"rtr": {PREFILL: {1: 3.0}}}, [BestOf(("ik", "rtr"), "fast")])
        self.assertEqual(merged, {"fast": {PREFILL: {1: 3.0}}})
        self.assertEqual(apply_best_of({"tribar": {}}, [BestOf(("ik", "rtr"), "ik")]), ({"tribar": {}}, {}))


class OrderTest(unittest.TestCase):
    def test_every_engine_is_first_in_turn_and_none_is_left_out(self):
        self.assertEqual(["".join(round_order("ABC", n)) for n in range(4)], ["ABC", "BCA", "CAB", "ABC"])
        self.assertEqual(round_order([], 3), [])


if __name__ == "__main__":
    unittest.main()
