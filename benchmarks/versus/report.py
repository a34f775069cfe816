"""Results as markdown for people and JSON for programs."""

import json
import pathlib

from .machine import notable_flags
from .summary import apply_best_of, paired_ratio, spread_of

US = "tribar"


def number(value):
    """Three significant digits and more, as people read speeds."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def speed_cell(spread):
    if spread is None:
        return "–"
    text = f"**{number(spread.median)}**"
    return text if spread.count == 1 else f"{text} ({number(spread.low)}–{number(spread.high)})"


def ratio_cell(ratio):
    if ratio is None:
        return "–"
    text = f"**{ratio.median:.2f}×**"
    return text if ratio.count == 1 else f"{text} ({ratio.low:.2f}–{ratio.high:.2f})"


def table(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


class ModelSummary:
    """Numbers of one model, with the variants of --best-of merged."""

    def __init__(self, results, groups, best_of, work, peaks):
        self.results, self.groups, self.work, self.peaks = results, groups, work, peaks
        self.speeds, self.chosen = apply_best_of(results.speeds(), best_of)
        merged = {group.name: group.members for group in best_of}
        self.failed = {}
        for name, reason in results.dropped.items():
            self.failed[name] = reason
            # A variant that fails is not a failure of the column while another one stands for it.
            if any(name in members and self.speeds.get(column) for column, members in merged.items()):
                del self.failed[name]
        self.engines = [name for name in self.speeds if self.speeds[name] or name in self.failed]
        self.engines.sort(key=lambda name: name != US)

    def spread(self, engine, key):
        return spread_of(self.speeds.get(engine, {}).get(key, {}).values())

    def ratio(self, peer, key):
        return paired_ratio(self.speeds.get(US, {}).get(key, {}), self.speeds.get(peer, {}).get(key, {}))

    def peak_shares(self, engine, key):
        """(% of the read stream, % of the int8 peak): the first for decode only, None where unknown."""
        spread, test = self.spread(engine, key), key[1]
        if spread is None or self.work is None:
            return None, None
        stream = int8 = None
        if self.peaks.stream_gbps and test.n_gen:
            stream = 100 * spread.median * self.work.bytes_per_token / 1e9 / self.peaks.stream_gbps
        if self.peaks.int8_gops:
            passes_per_second = spread.median / (test.n_prompt or test.n_gen)
            int8 = 100 * passes_per_second * self.work.operations(test) / 1e9 / self.peaks.int8_gops
        return stream, int8

    def keys(self, group_name):
        return [(group.name, test) for group in self.groups if group.name == group_name for test in group.tests]

    # --- markdown

    def markdown(self, busy_limit):
        parts = [f"## {pathlib.Path(self.results.model).name}"]
        if self.keys("speed"):
            parts.append(self._speed_table())
        if self.keys("batch"):
            parts.append(self._batch_table())
        notes = [f"- {name}: not measured on this file: {reason}" for name, reason in self.failed.items()]
        notes += [f"- {name} at {key[1].name}: {member}" for (name, key), member in sorted(self.chosen.items(), key=str)]
        late = [run for run in self.results.runs if run.error and run.engine not in self.results.dropped]
        notes += [f"- {run.engine}, round {run.round}: {run.error}" for run in late]
        disturbed = self.results.disturbed(busy_limit)
        if disturbed:
            notes.append(f"- {len(disturbed)} of {len(self.results.runs)} runs were disturbed: others used more than "
                         f"{busy_limit:g} CPUs (JSON: others_cpus)")
        if self.results.interrupted:
            notes.append("- interrupted: rounds are missing")
        return "\n\n".join(parts + (["\n".join(notes)] if notes else []))

    def _speed_table(self):
        peers = [name for name in self.engines if name != US]
        shares = self.work is not None and (self.peaks.stream_gbps or self.peaks.int8_gops)
        header = ["tokens/s", *self.engines, *(f"{US} / {peer}" for peer in peers)]
        header += [f"{name} % of peak" for name in self.engines] if shares else []
        rows = []
        for key in self.keys("speed"):
            row = [key[1].name, *(speed_cell(self.spread(name, key)) for name in self.engines)]
            row += [ratio_cell(self.ratio(peer, key)) for peer in peers]
            row += [self._share_cell(name, key) for name in self.engines] if shares else []
            rows.append(row)
        return table(header, rows)

    def _share_cell(self, engine, key):
        stream, int8 = self.peak_shares(engine, key)
        if key[1].n_gen:
            return f"{stream:.0f} % stream" if stream is not None else "–"
        return f"{int8:.0f} % int8" if int8 is not None else "–"

    def _batch_table(self):
        """Milliseconds of one pass over k tokens, and how many times one token's."""
        keys = self.keys("batch")
        rows = []
        for key in keys:
            tokens = key[1].n_prompt
            row = [f"{tokens} token{'s' if tokens > 1 else ''} in one pass"]
            for name in self.engines:
                spread, single = self.spread(name, key), self.spread(name, keys[0])
                if spread is None:
                    row.append("–")
                    continue
                milliseconds = 1e3 * tokens / spread.median
                times = milliseconds * single.median / 1e3 / keys[0][1].n_prompt if single else None
                _, int8 = self.peak_shares(name, key)
                row.append(f"**{number(milliseconds)} ms**" + (f" = {times:.2f}×" if times else "")
                           + (f", {int8:.0f} % int8" if int8 is not None else ""))
            rows.append(row)
        return table(["batch" + (f" @ d{keys[0][1].n_depth}" if keys[0][1].n_depth else ""), *self.engines], rows)

    # --- JSON

    def as_json(self):
        entries = []
        for group in self.groups:
            for test in group.tests:
                entries += [self._json_entry(name, (group.name, test)) for name in self.engines
                            if self.spread(name, (group.name, test)) is not None]
        return {"model": self.results.model, "interrupted": self.results.interrupted,
                "not_measured": self.results.dropped, "summary": entries,
                "work": vars(self.work) if self.work else None, "runs": [run.as_json() for run in self.results.runs]}

    def _json_entry(self, engine, key):
        spread, (stream, int8) = self.spread(engine, key), self.peak_shares(engine, key)
        entry = {"engine": engine, "group": key[0], "test": key[1].name, "n_prompt": key[1].n_prompt,
                 "n_gen": key[1].n_gen, "n_depth": key[1].n_depth, "tokens_per_second": vars(spread),
                 "stream_percent": stream, "int8_percent": int8, "variant": self.chosen.get((engine, key))}
        ratio = self.ratio(engine, key) if engine != US else None
        return entry | ({"tribar_over_this": vars(ratio)} if ratio else {})


def markdown(session, summaries):
    """The whole report. `session`: what cli.py gathered about this call."""
    description, peaks = session["machine"], session["peaks"]
    lines = [f"# {US} beside its peers, {session['date']}", ""]
    lines.append(f"{description['cpu']}, {len(description['cpus_allowed'])} CPUs allowed, "
                 f"{session['settings']['threads']} threads; {' '.join(notable_flags(description))}")
    measured = [f"int8 {peaks['int8_gops']:.0f} GOP/s"] if peaks["int8_gops"] else []
    measured += [f"read stream {peaks['stream_gbps']:.1f} GB/s"] if peaks["stream_gbps"] else []
    lines.append(f"Peaks ({peaks['source']}): {', '.join(measured)}" if measured else "Peaks: not known")
    lines.append(f"Medians of {session['settings']['rounds']} interleaved rounds (lowest–highest) after a warm-up round; "
                 "ratios are of the medians, with the lowest and highest of one round.")
    lines += ["", *(f"- {engine['name']}: `{engine['command']}` {engine['version']}".rstrip()
                    for engine in session["engines"])]
    lines += [f"- {name}: left out: {reason}" for name, reason in session["left_out"].items()]
    return "\n".join(lines) + "\n\n" + "\n\n".join(s.markdown(session["settings"]["busy_limit"]) for s in summaries) + "\n"


def write_json(path, session, summaries):
    """Complete or not at all."""
    text = json.dumps({**session, "models": [summary.as_json() for summary in summaries]}, indent=1, ensure_ascii=False)
    target = pathlib.Path(path)
    scratch = target.with_name(target.name + ".part")
    scratch.write_text(text + "\n", encoding="utf-8")
    scratch.replace(target)
