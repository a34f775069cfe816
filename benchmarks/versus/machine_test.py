"""Reading the machine: times, idleness, peaks."""

import unittest

from versus.errors import UsageError
from versus.machine import cpu_times, describe, find_peaks, peaks_of_doctor, wait_until_idle

def compute(arithmetic, name, one, most):
    return {"arithmetic": arithmetic, "name": name, "one_thread": {"best": one}, "all_threads": {"best": most}}


DOCTOR = {"peaks": {
    "threads": 4,
    "compute_gops": [compute("int8", "avx2", 100, 400), compute("int8", "avx512_vnni", 450, 1800),
                     compute("int8", "amx_int8", 2000, 8000), compute("fp32", "avx512", 9999, 9999)],
    "read_stream_gbps": [{"threads": 1, "gbps": {"best": 30}}, {"threads": 2, "gbps": {"best": 56}}]}}


class MachineTest(unittest.TestCase):
    def test_times_leave_idle_and_waiting_out(self):
        times = cpu_times("cpu  100 0 100 999999 888888 0 0 300 0 0\ncpu0 ...")
        self.assertAlmostEqual(times.steal / times.busy, 1.5)

    def test_description_of_this_machine(self):
        description = describe()
        self.assertTrue(description["cpus_allowed"])
        self.assertTrue(description["kernel"])

    def test_waits_for_idleness_and_gives_up_in_time(self):
        readings, said, clock = iter([1.5, 0.8, 0.01]), [], iter(range(100))
        self.assertEqual(wait_until_idle(0.1, 60, said.append, lambda: next(readings), lambda: next(clock)), 0.01)
        self.assertEqual(len(said), 1)
        said.clear()
        self.assertEqual(wait_until_idle(0.1, 3, said.append, lambda: 1.5, lambda: next(clock)), 1.5)
        self.assertIn("disturbed", said[-1])


class PeaksTest(unittest.TestCase):
    def test_of_doctor_for_so_many_threads(self):
        two = peaks_of_doctor(DOCTOR, 2)
        self.assertEqual((two.int8_gops, two.stream_gbps), (4000, 56))
        self.assertIn("amx_int8", two.source)
        one = peaks_of_doctor(DOCTOR, 1)
        self.assertEqual((one.int8_gops, one.stream_gbps), (2000, 30))
        self.assertEqual(peaks_of_doctor(DOCTOR, 2, "avx512").int8_gops, 900)
        self.assertEqual(peaks_of_doctor(DOCTOR, 2, "avx2").int8_gops, 200)
        self.assertIsNone(peaks_of_doctor({}, 2).int8_gops)

    def test_given_by_hand(self):
        peaks = find_peaks("int8=932,stream=56.5", "", 2, self.fail)
        self.assertEqual((peaks.int8_gops, peaks.stream_gbps), (932, 56.5))
        for wrong in ("int8", "int8=fast", "bf16=3"):
            with self.assertRaises(UsageError, msg=wrong):
                find_peaks(wrong, "", 2, self.fail)

    def test_a_tribar_without_doctor(self):
        said = []
        self.assertIsNone(find_peaks(None, "false", 2, said.append).int8_gops)
        self.assertIn("--peaks", said[0])


if __name__ == "__main__":
    unittest.main()
