"""The stages of tests/gpu/run, in their order: first what is right, then what is fast."""

import os
import sys
from pathlib import Path

from session import Stage

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "gpu"
DATA = os.environ.get("LAMBDA_CIFAR10") or "shapes10"
NETWORKS = ("tudelft-lambda", "tudelft-conv", "cpu-hybrid")
TESTS = {
    "tst_lambda_core_cuda": ("theBuiltPluginOpens", "equalsPlainTensorsOnAGpu"),
    "tst_device_images": ("equalTheAugmenterToTheBitOnAGpu",),
    "tst_device_update": ("equalsTheUpdatesOnTheCpuOnAGpu",),
    "tst_recorded_step": ("hasTheBitsOfStepsQueuedAnewOnAGpu",),
    "tst_joint_training": ("oneRankTrainsThroughNcclOnAGpu",),
    "tst_gpu_benchmarks": (),
}


def checks(build, runs):
    program, plugin = build / "lambda", build / "lambda-kernels-cuda.so"
    check = build / "tests" / "check_lambda_core_cuda"
    yield Stage("our device", "lambda info names the GPU", [program, "info", "--json"], 60, proof=r'"kind": "cuda')
    yield Stage("core kernels", "the core against loops in double, every sample, twice the same bits", [check, plugin], 180,
                proof="All well")
    for test, functions in TESTS.items():
        yield Stage(test, "its rows that need a GPU", [build / "tests" / test, *functions], 180)
    sanitized = [("memcheck", ""), ("initcheck", ""), ("synccheck", "")]
    sanitized += [("racecheck", word) for word in ("8x8", "v ", "window", "intra-depth")]
    for tool, word in sanitized:
        yield Stage(f"core, {tool} {word}".strip(), f"compute-sanitizer over the samples named {word or 'anything'}",
                    ["compute-sanitizer", "--tool", tool, "--error-exitcode", "1", check, plugin, word], 150,
                    needs="compute-sanitizer", proof="All well")
    for tool in ("memcheck", "racecheck"):
        yield Stage(f"images, {tool}", "compute-sanitizer over batches of images",
                    ["compute-sanitizer", "--tool", tool, "--error-exitcode", "1", build / "tests" / "tst_device_images",
                     "equalTheAugmenterToTheBitOnAGpu:widest shifts", "equalTheAugmenterToTheBitOnAGpu:odd cutout"], 120,
                    needs="compute-sanitizer")
        yield Stage(f"update, {tool}", "compute-sanitizer over updates of the weights",
                    ["compute-sanitizer", "--tool", tool, "--error-exitcode", "1", build / "tests" / "tst_device_update",
                     "equalsTheUpdatesOnTheCpuOnAGpu"], 150, needs="compute-sanitizer")
    yield Stage("quickstart", "a run from start to end", [program, "train", "quickstart", "--device", "cuda", "--out", runs,
                                                           "--json", "--quiet"], 150)
    yield Stage("cpu-hybrid", "one epoch", [program, "train", "cpu-hybrid", "--device", "cuda", "--epochs", "1", "--data", DATA,
                                            "--out", runs, "--json", "--quiet"], 240)
    for precision in ("float32", "bfloat16"):
        yield Stage(f"resume, {precision}", "an interrupted and resumed run has the bits of one that was not",
                    [sys.executable, HERE / "resumed.py", program, runs / f"resumed-{precision}", precision], 180)
    yield Stage("ranks", "two ranks on two GPUs: the bits of a second run, the losses of one rank, and what follows a lost rank",
                [sys.executable, HERE / "ranks.py", program, runs / "ranks"], 300)
    for preset, data in (("quickstart", "shapes10"), ("cpu-hybrid", DATA)):
        for precision in ("float32", "bfloat16"):
            yield Stage(f"losses, {preset}, {precision}", "200 steps on the GPU and on the CPU",
                        [sys.executable, HERE / "losses.py", program, runs / f"losses-{preset}-{precision}", precision, preset,
                         data], 240)


def alone(stages):
    for stage in stages:
        stage.alone = True
        yield stage


def figures(build, out):
    program = build / "lambda"
    bench = [program, "bench"]
    turns = ["--device", "cuda", "--json", "--quiet"]
    for precision in ("float32", "bfloat16"):
        for part in ("core", "layer"):
            yield Stage(f"bench {part}, {precision}", "time against floors and rivals, launches, peak memory",
                        [*bench, part, "--precision", precision, "--seconds", "1", *turns], 180)
    for batch in (128, 1024):
        for precision in ("float32", "bfloat16"):
            yield Stage(f"bench step, b = {batch}, {precision}", "images a second, host time, launches, peak memory",
                        [*bench, "step", *NETWORKS, "--batch", batch, "--precision", precision, "--no-twin", "--threads", "8",
                         "--seconds", "5", "--data", DATA, *turns], 180)
    yield Stage("bench data", "the input pipeline, and its share of a step",
                [*bench, "data", *NETWORKS, "--threads", "8", "--seconds", "3", "--data", DATA, *turns], 120)
    yield Stage("core kernels, times", "each kernel against a copy of its operands",
                [build / "tests" / "time_lambda_core_cuda", build / "lambda-kernels-cuda.so"], 120)
    for batch in (128, 1024):
        folder = out / f"rivals-{batch}"
        yield Stage(f"rivals, b = {batch}", "steps of PyTorch: eager, compiled, max-autotune, CUDA graphs",
                    [sys.executable, ROOT / "tests" / "bench" / "rivals.py", "--lambda", program, "--device", "cuda",
                     "--batch", batch, "--data", DATA, "--out", folder], 480, needs="torch",
                    json_file=folder / "rivals.json")
    yield Stage("ncu", "the kernels of some steps: time and share of the peaks",
                ["ncu", "--clock-control", "none", "--print-summary", "per-kernel", "--section", "SpeedOfLight",
                 "--launch-skip", "1500", "--launch-count", "150", program, "bench", "step", "tudelft-lambda", "--no-twin", "--repetitions", "5",
                 "--seconds", "5", "--threads", "8", "--set", "device.cudaGraphs=false", *turns[:2]], 240, needs="ncu",
                skips="ERR_NVGPUCTRPERM")


def all_stages(build, out):
    runs = build / "runs"
    yield Stage("driver", "GPU, driver and clocks", ["nvidia-smi"], 60, needs="nvidia-smi")
    yield from checks(build, runs)
    yield from alone(figures(build, out))
