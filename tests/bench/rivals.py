#!/usr/bin/env python3
"""Times training steps of Lambda Studio against PyTorch's, on the CPU of one machine, in turns.

The networks are ResNet-50 of the presets tudelft-conv and tudelft-lambda; in Python the lambda
layer is written with the einsum that implementations ship and in attention order. Rivals: eager
float32, eager float32 and bfloat16 (autocast) in channels_last, torch.compile of both, all with
fused Adam. Before anything is timed, both sides must have the same number of parameters, and every
rival must train the steps that `lambda bench step --record` wrote with the same losses.

Then they take turns: a run of `lambda bench step`, some steps of every rival, and so on. A ratio is
a rival's median over ours of the same turn; the median of the turns is reported with its range.

Needs Python with the PyTorch of the engine's LibTorch (2.11.0) and, for torch.compile, a C++
compiler and Python's headers. usage: python tests/bench/rivals.py --help
"""

import argparse
import dataclasses
import datetime
import hashlib
import json
import math
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PRESETS = {"lambda": "tudelft-lambda", "conv": "tudelft-conv"}
KINDS = {"lambda": ("einsum", "attention order"), "conv": ("conv",)}
PRECISIONS = ("float32", "bfloat16")

# As many steps as change the losses but do not let rounding errors grow large.
RECORDED_STEPS = 20
RECORDED_RECIPE = (
    "recipe.schedule.kind=constant",
    "recipe.schedule.warmupEpochs=0",
    "recipe.optimizer.learningRate=1e-4",
)
# Allowed relative differences of the first loss and of all losses, by precision.
FIRST_LOSS = {"float32": 1e-5, "bfloat16": 1e-2}
ALL_LOSSES = {"float32": 1e-2, "bfloat16": 5e-2}
DISTURBING_LOAD = 0.05


@dataclasses.dataclass(frozen=True)
class Rival:
    kind: str
    precision: str
    channels_last: bool
    compiled: bool

    @property
    def name(self):
        how = "torch.compile" if self.compiled else "eager"
        layout = " channels_last" if self.channels_last else ""
        kind = "" if self.kind == "conv" else f"{self.kind}, "
        return f"{kind}{how} {self.precision}{layout}"


def rivals_of(network):
    ways = (
        ("float32", False, False),
        ("float32", True, False),
        ("bfloat16", True, False),
        ("float32", True, True),
        ("bfloat16", True, True),
    )
    return [Rival(kind, *way) for kind in KINDS[network] for way in ways]


class Failed(Exception):
    """An error with a message for a person."""


class Lambda:
    """The program `lambda`."""

    def __init__(self, path):
        self.path = path

    def json(self, *arguments):
        done = subprocess.run([self.path, *arguments, "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"lambda {' '.join(arguments)} failed: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def libtorch(self):
        """The path of the libtorch_cpu that the program uses; None if it is not found."""
        libraries = subprocess.run(["ldd", self.path], capture_output=True, text=True).stdout
        found = re.search(r"libtorch_cpu\.so => (\S+)", libraries)
        return found.group(1) if found else None

    def steps(self, preset, precision, threads, options):
        """Runs one turn; returns the machine and the report on one network."""
        report = self.json(
            "bench", "step", preset, "--no-twin", "--precision", precision, "--quiet",
            "--threads", str(threads), "--batch", str(options.batch), "--data", options.data,
            "--device", "cpu", "--repetitions", str(options.steps), "--seconds", "1e9",
        )  # fmt: skip
        return report["machine"], report["rows"][0]["networks"][0]

    def record(self, preset, threads, options, path):
        settings = [part for each in RECORDED_RECIPE for part in ("--set", each)]
        self.json(
            "bench", "step", preset, "--precision", "float32", "--quiet", *settings,
            "--threads", str(threads), "--batch", str(options.batch), "--data", "shapes10",
            "--device", "cpu", "--repetitions", str(RECORDED_STEPS), "--record", str(path),
        )  # fmt: skip


class Worker:
    """A rival in a separate process, which waits while others take their turns."""

    def __init__(self, rival, recording, threads, options):
        self.rival = rival
        task = {
            "recording": str(recording),
            "kind": rival.kind,
            "bfloat16": rival.precision == "bfloat16",
            "channelsLast": rival.channels_last,
            "compiled": rival.compiled,
            "compileMode": options.compile_mode,
            "threads": threads,
        }
        preload = {"LD_PRELOAD": options.preload} if options.preload else {}
        self.process = subprocess.Popen(
            [sys.executable, HERE / "rival_worker.py", json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | preload,
        )
        self.start = self.answer()
        self.peak_bytes = None
        if "failure" in self.start:
            self.close()
            raise Failed(self.start["failure"])

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{self.rival.name}: the worker process ended; its messages are above")
        return json.loads(line)

    def steps(self, count):
        """Trains `count` steps; returns the seconds of each."""
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        answer = self.answer()
        self.peak_bytes = answer["peakBytes"]
        return answer["seconds"]

    def cpu_seconds(self):
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


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
        return busy, stolen, own, times.elapsed

    def shares(self):
        busy, stolen, own, wall = (b - a for a, b in zip(self.start, self.now()))
        capacity = len(self.cores) * wall
        return {"others": max(0.0, (busy - own) / capacity), "stolen": stolen / capacity}


def same_bytes(paths):
    """Whether files have the same bytes; None if one can't be read."""
    digests = set()
    for path in paths:
        digest = hashlib.sha256()
        try:
            with open(path or "", "rb") as file:
                while part := file.read(1 << 20):
                    digest.update(part)
        except OSError:
            return None
        digests.add(digest.hexdigest())
    return len(digests) == 1


def check_parity(worker, recorded, parameters):
    """The relative difference of the first loss, and the largest of all losses.

    Raises Failed if one exceeds its limit, a loss is NaN, or the numbers of parameters differ.
    """
    name, precision = worker.rival.name, worker.rival.precision
    if worker.start["parameters"] != parameters:
        raise Failed(
            f"{name} has {worker.start['parameters']} parameters, Lambda Studio's network {parameters}"
        )
    differences = [abs(a - b) / b for a, b in zip(worker.start["losses"], recorded)]
    if not differences or any(map(math.isnan, differences)):
        raise Failed(f"{name} gave losses that are NaN")
    if differences[0] > FIRST_LOSS[precision] or max(differences) > ALL_LOSSES[precision]:
        raise Failed(
            f"{name} does not train the same network: its losses differ by {differences[0]:.1e} at "
            f"the first and {max(differences):.1e} at the worst of {len(differences)} steps"
        )
    return {"firstLoss": differences[0], "allLosses": max(differences)}


def start_workers(rivals, recording, threads, options, skipped):
    workers = []
    has_compiler = shutil.which(os.environ.get("CXX", "g++")) is not None
    for rival in rivals:
        if rival.compiled and not has_compiler:
            skipped[rival.name] = "torch.compile needs a C++ compiler, and none is installed"
            continue
        say(f"  starting {rival.name}")
        try:
            workers.append(Worker(rival, recording, threads, options))
        except Failed as failure:
            if not rival.compiled:
                raise
            skipped[rival.name] = f"torch.compile failed: {failure}"
    return workers


def measure(program, network, threads, options):
    """Measures one network with one number of threads; returns the machine and the rows."""
    preset = PRESETS[network]
    say(f"{preset}, {threads} thread{'s' if threads > 1 else ''}")
    parameters = program.json("describe", preset)["parameters"]
    rivals = [rival for rival in rivals_of(network) if options.rivals in rival.name]
    skipped = {}
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "steps.safetensors"
        program.record(preset, threads, options, recording)
        recorded = recorded_losses(recording)
        workers = start_workers(rivals, recording, threads, options, skipped)
    try:
        parity = {worker.rival.name: check_parity(worker, recorded, parameters) for worker in workers}
        load = OtherLoad(workers)
        turns = {precision: [] for precision in PRECISIONS}
        seconds = {worker.rival.name: [] for worker in workers}
        ours, machine = {}, None
        for turn in range(options.turns):
            say(f"  turn {turn + 1} of {options.turns}")
            for precision in PRECISIONS:
                machine, ours[precision] = program.steps(preset, precision, threads, options)
                turns[precision].append(ours[precision]["withoutDataMs"]["p50"])
            for worker in workers:
                worker.steps(options.warm_ups)
                times = worker.steps(options.steps)
                seconds[worker.rival.name].append(1e3 * statistics.median(times))
        shares = load.shares()
        peaks = {worker.rival.name: worker.peak_bytes for worker in workers}
    finally:
        for worker in workers:
            worker.close()
    return machine, [
        {
            "case": f"{preset} step without data",
            "ours": statistics.median(turns[precision]),
            "rivals": {name: statistics.median(ms) for name, ms in seconds.items()},
            **ratios(turns[precision], seconds),
            "precision": precision,
            "threads": threads,
            "batch": options.batch,
            "turns": options.turns,
            "stepsPerTurn": options.steps,
            "oursPerTurn": turns[precision],
            "rivalsPerTurn": seconds,
            "oursPeakBytes": ours[precision]["peakBytes"],
            "rivalsPeakBytes": peaks,
            "parameters": parameters,
            "parity": parity,
            "skipped": skipped,
            "load": shares,
        }
        for precision in PRECISIONS
    ]


def ratios(ours, theirs):
    """Ratios of each rival's time to ours in the same turn: medians and ranges over the turns."""
    by_turn = {name: [t / o for t, o in zip(ms, ours)] for name, ms in theirs.items()}
    return {
        "ratio": {name: statistics.median(values) for name, values in by_turn.items()},
        "ratioRange": {name: [min(values), max(values)] for name, values in by_turn.items()},
    }


def recorded_losses(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return json.loads(header["__metadata__"]["losses"])


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
    lines = [
        f"Training steps against PyTorch's on {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['started']}. Lambda Studio {machine['program']} with LibTorch {machine['torch']}, "
        f"PyTorch {machine['pytorch']}, Python {machine['python']}"
        f"{', rivals with ' + machine['preload'] if machine['preload'] else ''}.",
        "",
        "Times are medians. A ratio is the rival's time over ours, with its range over the turns. "
        "Memory is the growth of the process by network, optimiser and steps.",
        "",
    ]
    pairs = zip(report["rows"][::2], report["rows"][1::2])
    for float32, bfloat16 in pairs:
        images = 1e3 * float32["batch"]
        lines += [
            f"### {float32['case']}, batch {float32['batch']}, threads {float32['threads']}",
            "",
            "| | ms | images/s | peak MiB | against ours, float32 | against ours, bfloat16 |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for row in (float32, bfloat16):
            ms, peak = row["ours"], mebibytes(row["oursPeakBytes"])
            lines.append(
                f"| **Lambda Studio, {row['precision']}** | {ms:.1f} | {images / ms:.0f} | {peak} | | |"
            )
        for name, ms in float32["rivals"].items():
            cells = [
                f"{row['ratio'][name]:.2f} ({row['ratioRange'][name][0]:.2f} to "
                f"{row['ratioRange'][name][1]:.2f})"
                for row in (float32, bfloat16)
            ]
            peak = mebibytes(float32["rivalsPeakBytes"][name])
            lines.append(
                f"| {name} | {ms:.1f} | {images / ms:.0f} | {peak} | {cells[0]} | {cells[1]} |"
            )
        lines.append("")
        lines += [f"{name}: skipped, {why}." for name, why in float32["skipped"].items()]
    lines += [f"**Beware:** {warning}." for warning in machine["warnings"]]
    return "\n".join(lines) + "\n"


def mebibytes(count):
    return "" if count is None else f"{count / 2**20:.0f}"


def say(text):
    print(text, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    build = HERE.parent.parent / "build" / "release" / "lambda"
    parser.add_argument("--lambda", dest="program", default=str(build), metavar="PROGRAM")
    parser.add_argument("--networks", default="lambda,conv", help="lambda, conv or both")
    parser.add_argument("--rivals", default="", metavar="TEXT", help="only rivals named like TEXT")
    parser.add_argument("--threads", default=f"1,{len(os.sched_getaffinity(0))}")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20, help="timed steps in each turn")
    parser.add_argument("--warm-ups", type=int, default=3, help="untimed steps before them")
    parser.add_argument("--compile-mode", default="default", help="default or max-autotune")
    parser.add_argument("--preload", metavar="LIBRARY", help="an allocator for the rivals only")
    parser.add_argument("--data", default="shapes10", help="data set of our timed steps")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("rivals"))
    options = parser.parse_args()
    options.networks = options.networks.split(",")
    options.threads = sorted({int(count) for count in options.threads.split(",")})
    unknown = [name for name in options.networks if name not in PRESETS]
    if options.preload and not os.path.exists(options.preload):
        parser.error(f"--preload: the file {options.preload} does not exist")
    if unknown or min(options.threads + [options.batch, options.turns, options.warm_ups + 1]) < 1:
        parser.error("the networks are lambda and conv; numbers must be at least 1")
    if options.steps < 3:
        parser.error("--steps: a turn needs at least 3 steps")
    return options


def main():
    options = arguments()
    try:
        import torch
    except ImportError as failure:
        raise Failed(f"this Python has no PyTorch ({failure}); pip install torch==2.11.0") from None
    program = Lambda(options.program)
    info = program.json("info")
    if not torch.__version__.startswith(info["torch"]):
        raise Failed(
            f"this Python has PyTorch {torch.__version__}, but the engine has LibTorch "
            f"{info['torch']}; install the same version"
        )
    libraries = [program.libtorch(), pathlib.Path(torch.__file__).parent / "lib/libtorch_cpu.so"]
    started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    rows, machine = [], {}
    for threads in options.threads:
        for network in options.networks:
            machine, more = measure(program, network, threads, options)
            rows += more
    machine |= {
        "started": started,
        "pytorch": torch.__version__,
        "python": platform.python_version(),
        "compileMode": options.compile_mode,
        "preload": options.preload,
        "sameLibtorch": same_bytes(libraries),
    }
    machine["warnings"] = warnings_of(rows, machine)
    report = {"benchmark": "rivals", "machine": machine, "rows": rows}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "rivals.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    table = markdown(report)
    (options.out / "rivals.md").write_text(table, encoding="utf-8")
    print(table)


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        say(f"rivals: {failed}")
        sys.exit(1)
