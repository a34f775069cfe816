"""What is measured: tests, and the groups of tests that one process runs.

    groups = plan_groups(prompts=[512], generations=[128], depths=[0], batches=[1, 2, 4, 8], repetitions=(2, 10))
"""

from dataclasses import dataclass

from .errors import UsageError


@dataclass(frozen=True, order=True)
class Test:
    """As llama-bench means it: n_prompt tokens of prefill or n_gen of decode behind n_depth tokens in the cache."""

    n_prompt: int
    n_gen: int
    n_depth: int = 0

    @property
    def name(self):
        text = f"pp{self.n_prompt}" if self.n_prompt else f"tg{self.n_gen}"
        return text if not self.n_depth else f"{text} @ d{self.n_depth}"


@dataclass(frozen=True)
class Group:
    """Tests that one process of a tool runs: the cross product of three lists, as on llama-bench's command line."""

    name: str
    prompts: tuple
    generations: tuple
    depths: tuple
    repetitions: int

    @property
    def tests(self):
        tests = []
        for depth in self.depths:
            tests += [Test(n, 0, depth) for n in self.prompts] + [Test(0, n, depth) for n in self.generations]
        return tests


def parse_numbers(text, option):
    """"1,2,4" as a tuple; zeros stand for "none" and fall away except for depths."""
    try:
        numbers = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise UsageError(f"{option} takes numbers with commas between, for example {option} 128,512, "
                         f"not '{text}'") from error
    if any(number < 0 for number in numbers):
        raise UsageError(f"{option} takes no negative numbers")
    return numbers if option == "-d" else tuple(number for number in numbers if number > 0)


def plan_groups(prompts, generations, depths, batches, repetitions, batch_repetitions):
    """Prefill and decode in one group, passes of few tokens in another: they are short and repeated more often."""
    depths = tuple(depths) or (0,)
    groups = []
    if prompts or generations:
        groups.append(Group("speed", tuple(prompts), tuple(generations), depths, repetitions))
    if batches:
        groups.append(Group("batch", tuple(batches), (), (min(depths),), batch_repetitions))
    if not groups:
        raise UsageError("nothing to measure: give -p, -n or --batch")
    return groups
