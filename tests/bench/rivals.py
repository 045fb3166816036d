#!/usr/bin/env python3
"""Times training steps of Lambda Studio against PyTorch's, on the CPU or GPU of one machine, in turns.
With --work evaluation, evaluations on the CPU instead.

The networks are ResNet-50 of the presets tudelft-conv and tudelft-lambda; in Python the lambda
layer is written with the einsum that implementations ship and in attention order. Rivals on the
CPU: eager float32, eager float32 and bfloat16 (autocast) in channels_last, torch.compile of both;
on a GPU: float32 and bfloat16 in channels_last, eager, eager as a CUDA graph of the whole step, and
torch.compile in its modes default, reduce-overhead and max-autotune. All have fused Adam. Before
anything is timed, both sides must have the same number of parameters, and every rival must train
the steps that `lambda bench step --record` wrote on the CPU with the same losses.

Then they take turns: a run of `lambda bench step`, some steps of every rival, and so on. A ratio is
a rival's median over ours of the same turn; the median of the turns is reported with its range. The
report is written after every turn, so that it has what was measured before the program was stopped.

Needs Python with the PyTorch of the engine's LibTorch (2.11.0) and, for torch.compile, a C++
compiler and Python's headers. usage: python tests/bench/rivals.py --help
"""

import argparse
import datetime
import os
import pathlib
import platform
import re
import shutil
import signal
import sys
import tempfile

from rival_contenders import (
    EVALUATION_BATCH,
    HERE,
    Failed,
    Lambda,
    Worker,
    check_parity,
    close,
    recorded_losses,
    rivals_of,
    same_bytes,
)
from rival_report import PRECISIONS, OtherLoad, Report, Turns

PRESETS = {"lambda": "tudelft-lambda", "conv": "tudelft-conv"}
RIVALS_AT_ONCE = 4  # On a GPU, whose memory must hold them all.
GPU_TURNS = 3
CPU_TURNS = 5


class Stopped(Exception):
    """SIGINT or SIGTERM was received."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


def stop(number, _):
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)


def start_workers(rivals, recording, recorded, parameters, threads, options, turns):
    """Starts the rivals of a group and checks their losses; on a GPU, leaves out those that fail."""
    workers = []
    has_compiler = shutil.which(os.environ.get("CXX", "g++")) is not None
    try:
        for rival in rivals:
            if rival.compile_mode and not has_compiler:
                turns.skipped[rival.name] = (
                    "torch.compile needs a C++ compiler, and none is installed"
                )
                continue
            say(f"  starting {rival.name}")
            try:
                worker = Worker(rival, recording, threads, options)
            except Failed as failure:
                if not rival.compile_mode and not options.on_gpu:
                    raise
                what = "torch.compile" if rival.compile_mode else "it"
                turns.skipped[rival.name] = f"{what} failed: {failure}"
                continue
            workers.append(worker)
            try:
                parity = check_parity(worker, recorded, parameters, options)
                turns.parity[rival.name] = parity
            except Failed as failure:
                if not options.on_gpu:
                    raise
                close([workers.pop()])
                turns.skipped[rival.name] = str(failure)
    except BaseException:
        close(workers)
        raise
    return workers


def take_turns(program, preset, workers, threads, options, turns, report):
    """Our steps and those of a group of rivals in turn; writes the report after every turn."""
    load = OtherLoad(workers)
    turns.begin_group()
    for turn in range(options.turns):
        say(f"  turn {turn + 1} of {options.turns}")
        ours, theirs = {}, {}
        for precision in PRECISIONS:
            turn_of = program.evaluations if options.evaluates else program.steps
            machine, ours[precision] = turn_of(preset, precision, threads, options)
            report.machine = machine | report.machine
        for worker in workers:
            worker.steps(options.warm_ups)
            theirs[worker.rival.name] = worker.steps(options.steps)
            turns.peaks[worker.rival.name] = worker.peak_bytes
        turns.add(ours, theirs, load.shares())
        report.write()


def measure(program, network, threads, options, report):
    """Measures one network with one number of threads."""
    preset = PRESETS[network]
    say(f"{preset}, {threads} thread{'s' if threads > 1 else ''}")
    parameters = program.json("describe", preset)["parameters"]
    work = f"step {'in a run' if options.on_gpu else 'without data'}"
    case = f"{preset} {'evaluation' if options.evaluates else work}"
    turns = Turns(case, threads, parameters, options)
    report.turns.append(turns)
    rivals = rivals_of(network, options)
    size = options.at_once if options.at_once > 0 else max(1, len(rivals))
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "steps.safetensors"
        program.record(preset, threads, options, recording)
        recorded = recorded_losses(recording)
        for first in range(0, len(rivals), size):
            group = rivals[first : first + size]
            workers = start_workers(
                group, recording, recorded, parameters, threads, options, turns
            )
            try:
                if workers or not turns.groups:
                    take_turns(program, preset, workers, threads, options, turns, report)
            finally:
                close(workers)


def say(text):
    print(text, file=sys.stderr, flush=True)


def arguments(given=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    build = HERE.parent.parent / "build" / "release" / "lambda"
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--lambda", dest="program", default=str(build), metavar="PROGRAM")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument(
        "--work", default="training", choices=("training", "evaluation"), help="what is timed"
    )
    parser.add_argument("--networks", default="lambda,conv", help="lambda, conv or both")
    parser.add_argument("--rivals", default="", metavar="TEXT", help="only rivals named like TEXT")
    parser.add_argument("--threads", help=f"on the CPU; default 1,{cores}")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--turns", type=int, help=f"default {CPU_TURNS}, on a GPU {GPU_TURNS}")
    parser.add_argument(
        "--steps", type=int, default=20, help="timed steps in each turn, on a GPU eight times as many"
    )
    parser.add_argument("--warm-ups", type=int, default=3, help="untimed steps before them")
    parser.add_argument("--compile-mode", default="default", help="default or max-autotune; CPU only")
    parser.add_argument("--tf32", default="on", choices=("on", "off"), help="of rivals on a GPU")
    parser.add_argument(
        "--at-once", type=int, help=f"rivals in a group; default all, on a GPU {RIVALS_AT_ONCE}"
    )
    parser.add_argument("--preload", metavar="LIBRARY", help="an allocator for the rivals only")
    parser.add_argument("--data", default="shapes10", help="data set of our timed steps")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("rivals"))
    options = parser.parse_args(given)
    if not re.fullmatch(r"cpu|cuda(:\d+)?", options.device):
        parser.error("--device: choose cpu, cuda or cuda:N")
    options.on_gpu = options.device != "cpu"
    if options.on_gpu and options.threads:
        parser.error("--threads: is for the CPU")
    options.evaluates = options.work == "evaluation"
    if options.on_gpu and options.evaluates:
        parser.error("--work: evaluations are for the CPU")
    options.tf32 = options.tf32 == "on"
    options.timed_batch = EVALUATION_BATCH if options.evaluates else options.batch
    options.networks = options.networks.split(",")
    threads = options.threads or (str(cores) if options.on_gpu else f"1,{cores}")
    options.threads = sorted({int(count) for count in threads.split(",")})
    options.turns = options.turns or (GPU_TURNS if options.on_gpu else CPU_TURNS)
    options.at_once = options.at_once or (RIVALS_AT_ONCE if options.on_gpu else 0)
    unknown = [name for name in options.networks if name not in PRESETS]
    if options.preload and not os.path.exists(options.preload):
        parser.error(f"--preload: the file {options.preload} does not exist")
    if unknown or min(options.threads + [options.batch, options.turns, options.warm_ups + 1]) < 1:
        parser.error("the networks are lambda and conv; numbers must be at least 1")
    if options.steps < 3:
        parser.error("--steps: a turn needs at least 3 steps")
    return options


def gpu_of(torch, program, options):
    """The GPU's name; None on the CPU. Raises Failed if a side can't use it."""
    if not options.on_gpu:
        return None
    ours = program.json("info")["device"]
    if ours["kind"] != "cuda":
        raise Failed(f"Lambda Studio can't use a GPU here: {ours['reason']}")
    if not torch.cuda.is_available():
        raise Failed(
            f"PyTorch {torch.__version__} can't use a GPU here; install the build of PyPI, which is "
            "for CUDA"
        )
    return torch.cuda.get_device_name(options.device)


def run(options):
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
    machine = {
        "gpu": gpu_of(torch, program, options),
        "started": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "pytorch": torch.__version__,
        "python": platform.python_version(),
        "compileMode": options.compile_mode,
        "tf32": options.tf32 if options.on_gpu else None,
        "preload": options.preload,
        "sameLibtorch": same_bytes(libraries),
    }
    report = Report(options.out, machine)
    try:
        for threads in options.threads:
            for network in options.networks:
                measure(program, network, threads, options, report)
    except Stopped:
        if report.has_rows():
            report.write()
        raise
    print(report.tables())


def main():
    options = arguments()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        run(options)
    except Stopped as stopped:
        say(f"rivals: stopped by {stopped}; what was measured before is in {options.out}")
        return stopped.status
    except Failed as failed:
        say(f"rivals: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
