"""The order of runs: every round each engine once, another one first each time.

What drifts over minutes (clock, temperature, neighbours) meets all engines alike, and no engine always comes behind the
same other one.
"""


def round_order(engines, number):
    """A B C, then B C A, then C A B, ... Round 0 is the warm-up."""
    shift = number % len(engines) if engines else 0
    return list(engines[shift:]) + list(engines[:shift])
