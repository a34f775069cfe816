"""From samples to numbers: medians, spread, ratios of paired rounds, the better of several variants."""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class BestOf:
    """`name` shows, test by test, that of `members` whose median is higher; the members' own columns disappear."""

    members: tuple
    name: str


def process_speed(speeds):
    """What one process measured. Its first repetition is warm-up where there are more: tools differ in their own."""
    return statistics.median(speeds[1:] if len(speeds) > 1 else speeds)


def spread_of(values):
    values = list(values)
    return Spread(statistics.median(values), min(values), max(values), len(values)) if values else None


def paired_ratio(ours, theirs):
    """Spread of ours / theirs over the rounds that both have; its median is the ratio of the medians, so that the table
    adds up. Each argument: {round: tokens a second}."""
    rounds = sorted(ours.keys() & theirs.keys())
    if not rounds:
        return None
    ratios = [ours[number] / theirs[number] for number in rounds]
    ratio = statistics.median(ours[n] for n in rounds) / statistics.median(theirs[n] for n in rounds)
    return Spread(ratio, min(ratios), max(ratios), len(ratios))


def apply_best_of(speeds, best_of):
    """speeds: {engine: {test: {round: tokens a second}}}, with each BestOf in place of its members.

    Returns the new mapping and {(name, test): member chosen}.
    """
    out = dict(speeds)
    chosen = {}
    for group in best_of:
        members = {member: speeds[member] for member in group.members if member in speeds}
        for member in members:
            out.pop(member, None)
        merged = {}
        for test in sorted({test for tests in members.values() for test in tests}):
            candidates = {member: tests[test] for member, tests in members.items() if tests.get(test)}
            best = max(candidates, key=lambda member: statistics.median(candidates[member].values()), default=None)
            if best is not None:
                merged[test] = candidates[best]
                chosen[group.name, test] = best
        if members:
            out[group.name] = merged
    return out, chosen
