"""The contenders of rivals.py: the program `lambda`, and PyTorch's training steps in processes."""

import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {"lambda": ("einsum", "attention order"), "conv": ("conv",)}

# As many steps as change the losses but do not let rounding errors grow large.
RECORDED_STEPS = 20
RECORDED_RECIPE = (
    "recipe.schedule.kind=constant",
    "recipe.schedule.warmupEpochs=0",
    "recipe.optimizer.learningRate=1e-4",
)
# Allowed relative differences of the first loss and of all losses. The steps are recorded on the
# CPU in float32; a GPU adds in another order.
LIMITS = {
    "float32": (1e-5, 1e-2),
    "float32 on a GPU": (1e-4, 1e-2),
    "TF32": (1e-2, 5e-2),
    "bfloat16": (1e-2, 5e-2),
}
SECONDS_TO_END = 5
EVALUATION_BATCH = 250  # That of `lambda evaluate`.

# How rivals train on a GPU: mode of torch.compile, whether whole steps are recorded as a CUDA graph,
# and what their names say of it. Those that start fast come first. reduce-overhead and max-autotune
# also use CUDA graphs.
GPU_WAYS = (
    (None, False, ""),
    ("default", False, ""),
    (None, True, ", CUDA graph"),
    ("reduce-overhead", False, ", reduce-overhead"),
    ("max-autotune", False, ", max-autotune"),
)


class Failed(Exception):
    """An error with a message for a person."""


@dataclasses.dataclass(frozen=True)
class Rival:
    kind: str
    precision: str
    channels_last: bool
    compile_mode: str | None = None  # None = eager.
    graphed: bool = False  # Eager steps, recorded as one CUDA graph.
    note: str = ""  # The end of the name.

    @property
    def name(self):
        how = "torch.compile" if self.compile_mode else "eager"
        layout = " channels_last" if self.channels_last else ""
        kind = "" if self.kind == "conv" else f"{self.kind}, "
        return f"{kind}{how} {self.precision}{layout}{self.note}"


def rivals_of(network, options):
    """The rivals of a network whose names contain the text of --rivals."""
    kinds = KINDS[network]
    if options.on_gpu:
        rivals = [
            Rival(kind, precision, True, *way)
            for way in GPU_WAYS
            for precision in ("bfloat16", "float32")
            for kind in kinds
        ]
    else:
        ways = (
            ("float32", False),
            ("float32", True),
            ("bfloat16", True),
            ("float32", True, options.compile_mode),
            ("bfloat16", True, options.compile_mode),
        )
        rivals = [Rival(kind, *way) for kind in kinds for way in ways]
    return [rival for rival in rivals if options.rivals in rival.name]


@dataclasses.dataclass(frozen=True)
class OurSteps:
    """One turn of `lambda bench step`."""

    milliseconds: float
    host_milliseconds: float | None  # None on the CPU.
    launches: dict | None
    peak_bytes: int | None


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
        """Runs one turn; returns the machine and our steps."""
        report = self.json(
            "bench", "step", preset, "--no-twin", "--precision", precision, "--quiet",
            "--threads", str(threads), "--batch", str(options.batch), "--data", options.data,
            "--device", options.device, "--repetitions", str(options.steps), "--seconds", "1e9",
        )  # fmt: skip
        network = report["rows"][0]["networks"][0]
        run = network["inARun"]
        if run is None:
            steps = OurSteps(network["withoutDataMs"]["p50"], None, None, network["peakBytes"])
        else:
            steps = OurSteps(
                run["stepMs"]["p50"], run["hostMs"]["p50"], run["launches"], network["peakBytes"]
            )
        return report["machine"], steps

    def evaluations(self, preset, precision, threads, options):
        """The same for batches of an evaluation, with their data and scores."""
        report = self.json(
            "bench", "evaluation", preset, "--precision", precision, "--quiet",
            "--threads", str(threads), "--data", options.data, "--device", options.device,
            "--repetitions", "5",
        )  # fmt: skip
        milliseconds = 1e3 * EVALUATION_BATCH / report["rows"][0]["imagesPerSecond"]
        return report["machine"], OurSteps(milliseconds, None, None, None)

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
            "compileMode": rival.compile_mode,
            "graphed": rival.graphed,
            "evaluationBatch": options.timed_batch if options.evaluates else None,
            "device": options.device,
            "tf32": options.tf32,
            "threads": threads,
        }
        preload = {"LD_PRELOAD": options.preload} if options.preload else {}
        # In a session of its own: Ctrl-C is for rivals.py, which then ends the worker.
        self.process = subprocess.Popen(
            [sys.executable, HERE / "rival_worker.py", json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | preload,
            start_new_session=True,
        )
        self.peak_bytes = None
        try:
            self.start = self.answer()
            if "failure" in self.start:
                raise Failed(self.start["failure"])
        except BaseException:
            self.release()
            self.end()
            raise

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{self.rival.name}: the worker process ended; its messages are above")
        return json.loads(line)

    def steps(self, count):
        """Times `count` steps; returns seconds of each and, on a GPU, of the host's part of each."""
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        answer = self.answer()
        self.peak_bytes = answer["peakBytes"]
        return answer["seconds"], answer["hostSeconds"]

    def cpu_seconds(self):
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def release(self):
        """Lets the worker end: it has no more requests."""
        self.process.stdin.close()
        self.process.stdout.close()

    def end(self):
        """Waits for the worker's end; ends it and its helpers by force if it is busy."""
        try:
            self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def close(workers):
    """Ends workers, all at once."""
    for worker in workers:
        worker.release()
    for worker in workers:
        worker.end()


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


def difference(name, losses, recorded, limits):
    """The relative difference of the first loss, and the largest of all losses.

    Raises Failed if one exceeds its limit or a loss is NaN.
    """
    differences = [abs(a - b) / b for a, b in zip(losses, recorded)]
    if not differences or any(map(math.isnan, differences)):
        raise Failed(f"{name} gave losses that are NaN")
    first, all_losses = LIMITS[limits]
    if differences[0] > first or max(differences) > all_losses:
        raise Failed(
            f"{name} does not train the same network: its losses differ by {differences[0]:.1e} at "
            f"the first and {max(differences):.1e} at the worst of {len(differences)} steps"
        )
    return {"firstLoss": differences[0], "allLosses": max(differences)}


def check_parity(worker, recorded, parameters, options):
    """The differences of a rival's losses from the recorded ones.

    Raises Failed if one exceeds its limit, a loss is NaN, or the numbers of parameters differ.
    """
    rival, start = worker.rival, worker.start
    if start["parameters"] != parameters:
        raise Failed(
            f"{rival.name} has {start['parameters']} parameters, Lambda Studio's network {parameters}"
        )
    exact = "float32 on a GPU" if options.on_gpu else "float32"
    limits = rival.precision
    if rival.precision == "float32":
        limits = "TF32" if options.on_gpu and options.tf32 else exact
    found = difference(rival.name, start["losses"], recorded, limits)
    if start["exactLosses"] is not None:
        name = f"{rival.name}, without TF32,"
        found["withoutTf32"] = difference(name, start["exactLosses"], recorded, exact)
    return found


def recorded_losses(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return json.loads(header["__metadata__"]["losses"])
