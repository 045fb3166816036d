"""The report of rivals.py: rivals.json with all figures, and rivals.md with the tables."""

import json
import os
import pathlib
import re
import statistics
import time

PRECISIONS = ("float32", "bfloat16")
DISTURBING_LOAD = 0.05


class OtherLoad:
    """The shares of the cores' time that other processes and other virtual machines used."""

    def __init__(self, workers):
        self.workers = workers
        self.cores = os.sched_getaffinity(0)
        self.start = self.now()

    def now(self):
        ticks = os.sysconf("SC_CLK_TCK")
        busy = stolen = 0
        for line in pathlib.Path("/proc/stat").read_text(encoding="ascii").splitlines():
            fields = line.split()
            core = re.fullmatch(r"cpu(\d+)", fields[0])
            if core and int(core.group(1)) in self.cores:
                user, nice, system, _, _, _, _, steal = map(int, fields[1:9])
                busy += (user + nice + system) / ticks
                stolen += steal / ticks
        times = os.times()
        own = times.user + times.system + times.children_user + times.children_system
        own += sum(worker.cpu_seconds() for worker in self.workers)
        return busy, stolen, own, time.monotonic()

    def shares(self):
        busy, stolen, own, wall = (b - a for a, b in zip(self.start, self.now()))
        capacity = len(self.cores) * wall
        return {"others": max(0.0, (busy - own) / capacity), "stolen": stolen / capacity}


class Turns:
    """The figures of one network with one number of threads, turn by turn."""

    def __init__(self, case, threads, parameters, options):
        self.case, self.threads, self.parameters, self.options = case, threads, parameters, options
        self.ours = {precision: [] for precision in PRECISIONS}
        self.groups = []  # Of rivals that took turns with each other: ours and theirs by turn.
        self.peaks, self.parity, self.skipped = {}, {}, {}

    def begin_group(self):
        self.groups.append({"ours": {p: [] for p in PRECISIONS}, "theirs": {}, "host": {}})

    def add(self, ours, theirs, load):
        """Adds one turn: our steps by precision, each rival's (seconds, host's seconds), and the
        shares of other programs since the group began."""
        group = self.groups[-1]
        group["load"] = load
        for precision, steps in ours.items():
            self.ours[precision].append(steps)
            group["ours"][precision].append(steps.milliseconds)
        for name, (seconds, host) in theirs.items():
            group["theirs"].setdefault(name, []).append(1e3 * statistics.median(seconds))
            if host:
                group["host"].setdefault(name, []).append(1e3 * statistics.median(host))

    def rows(self):
        """A row for each precision of ours; none before the first turn."""
        return [self.row(precision) for precision in PRECISIONS if self.ours[precision]]

    def row(self, precision):
        ours = self.ours[precision]
        measured = [group for group in self.groups if "load" in group]
        theirs = {name: ms for group in measured for name, ms in group["theirs"].items()}
        host = {name: ms for group in measured for name, ms in group["host"].items()}
        row = {
            "case": self.case,
            "ours": statistics.median(steps.milliseconds for steps in ours),
            "rivals": {name: statistics.median(ms) for name, ms in theirs.items()},
            **merged(ratios(group["ours"][precision], group["theirs"]) for group in measured),
            "precision": precision,
            "device": self.options.device,
            "threads": self.threads,
            "batch": self.options.timed_batch,
            "work": self.options.work,
            "turns": self.options.turns,
            "stepsPerTurn": self.options.steps,
            "oursPerTurn": [steps.milliseconds for steps in ours],
            "rivalsPerTurn": theirs,
            "oursPeakBytes": ours[-1].peak_bytes,
            "rivalsPeakBytes": self.peaks,
            "parameters": self.parameters,
            "parity": self.parity,
            "skipped": self.skipped,
            "load": max((group["load"] for group in measured), key=lambda load: sum(load.values())),
        }
        if ours[-1].host_milliseconds is not None:
            row["oursHostMs"] = statistics.median(steps.host_milliseconds for steps in ours)
            row["rivalsHostMs"] = {name: statistics.median(ms) for name, ms in host.items()}
            row["launches"] = ours[-1].launches
        return row


def ratios(ours, theirs):
    """Ratios of each rival's time to ours in the same turn: medians and ranges over the turns."""
    by_turn = {name: [t / o for t, o in zip(ms, ours)] for name, ms in theirs.items()}
    return {
        "ratio": {name: statistics.median(values) for name, values in by_turn.items()},
        "ratioRange": {name: [min(values), max(values)] for name, values in by_turn.items()},
    }


def merged(parts):
    whole = {"ratio": {}, "ratioRange": {}}
    for part in parts:
        for key, values in part.items():
            whole[key] |= values
    return whole


class Report:
    """What has been measured so far, in files that are complete after every turn."""

    def __init__(self, folder, machine):
        self.folder, self.machine, self.turns = folder, machine, []

    def rows(self):
        return [row for turns in self.turns for row in turns.rows()]

    def has_rows(self):
        return bool(self.rows())

    def write(self):
        rows = self.rows()
        machine = self.machine | {"warnings": warnings_of(rows, self.machine)}
        report = {"benchmark": "rivals", "machine": machine, "rows": rows}
        self.folder.mkdir(parents=True, exist_ok=True)
        self.replace("rivals.json", json.dumps(report, indent=2) + "\n")
        self.replace("rivals.md", markdown(report))

    def replace(self, name, text):
        """Writes a file so that it is whole whenever the program is stopped."""
        partial = self.folder / f"{name}.partial"
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.folder / name)

    def tables(self):
        return (self.folder / "rivals.md").read_text(encoding="utf-8")


def warnings_of(rows, machine):
    warnings = []
    for row in rows:
        load = row["load"]["others"] + row["load"]["stolen"]
        if load > DISTURBING_LOAD and row["precision"] == PRECISIONS[0]:
            warnings.append(
                f"{row['case']}, threads {row['threads']}: others used {load:.0%} of the cores' time; "
                "above 5 % do not quote times or ratios"
            )
    if machine["sameLibtorch"] is False:
        warnings.append("the two sides use different files of libtorch_cpu")
    return warnings


def markdown(report):
    machine = report["machine"]
    place = f"{machine.get('cpu', 'this machine')}, {machine.get('cores', '?')} cores"
    if machine["gpu"]:
        place = f"{machine['gpu']}, beside {place}"
    lines = [
        f"{titles_of(report)} against PyTorch's on {place}, "
        f"{machine['started']}. Lambda Studio {machine['program']} with LibTorch {machine['torch']}, "
        f"PyTorch {machine['pytorch']}, Python {machine['python']}"
        f"{', rivals with ' + machine['preload'] if machine['preload'] else ''}.",
        "",
        "Times are medians. A ratio is the rival's time over ours, with its range over the turns. "
        + (
            "Host is the time until a step is queued. Memory is that of tensors and workspaces on "
            "the GPU, without the data set."
            if machine["gpu"]
            else "Memory is the growth of the process by network, optimiser and steps."
        ),
        "",
    ]
    for rows in cases_of(report["rows"]):
        lines += table(rows)
        lines += [f"{name}: skipped, {why}." for name, why in rows[0]["skipped"].items()]
    lines += [f"**Beware:** {warning}." for warning in machine["warnings"]]
    return "\n".join(lines) + "\n"


def titles_of(report):
    evaluates = any(row["work"] == "evaluation" for row in report["rows"])
    return "Evaluations" if evaluates else "Training steps"


def cases_of(rows):
    """The rows of each case, one for each precision of ours."""
    cases = {}
    for row in rows:
        cases.setdefault((row["case"], row["threads"]), []).append(row)
    return cases.values()


def table(rows):
    first = rows[0]
    images = 1e3 * first["batch"]
    on_gpu = "oursHostMs" in first
    host = (lambda ms: f" {ms:.3f} |") if on_gpu else (lambda ms: "")
    against = [f"against ours, {row['precision']}" for row in rows]
    head = ["", "ms", *(["host ms"] if on_gpu else []), "images/s", "peak MiB", *against]
    lines = [
        f"### {first['case']}, batch {first['batch']}"
        + ("" if on_gpu else f", threads {first['threads']}"),
        "",
        f"| {' | '.join(head)} |".replace("|  |", "| |"),
        "| --- " * len(head) + "|",
    ]
    digits = 3 if on_gpu else 1
    for row in rows:
        ms, peak = row["ours"], mebibytes(row["oursPeakBytes"])
        lines.append(
            f"| **Lambda Studio, {row['precision']}** | {ms:.{digits}f} |"
            f"{host(row.get('oursHostMs'))} {images / ms:.0f} | {peak} |" + " |" * len(rows)
        )
    for name, ms in first["rivals"].items():
        cells = [
            f"{row['ratio'][name]:.2f} ({row['ratioRange'][name][0]:.2f} to "
            f"{row['ratioRange'][name][1]:.2f})"
            for row in rows
        ]
        peak = mebibytes(first["rivalsPeakBytes"].get(name))
        lines.append(
            f"| {name} | {ms:.{digits}f} |{host(first.get('rivalsHostMs', {}).get(name))} "
            f"{images / ms:.0f} | {peak} | {' | '.join(cells)} |"
        )
    for row in rows:
        if row.get("launches"):
            lines += [
                "",
                f"Ours in {row['precision']}: {row['launches']['kernels']} kernels and "
                f"{row['launches']['transfers']} transfers a step.",
            ]
    return [*lines, ""]


def mebibytes(count):
    return "" if count is None else f"{count / 2**20:.0f}"
