#!/usr/bin/env python3
"""Trains with two ranks on two GPUs, which NCCL connects, started as torchrun starts them. A second run must have the same bits,
the losses must be those of one rank, and a rank that is killed or stopped must end the other in time. Prints what differs
and ends with 1 where anything does; with 77 where there is only one GPU.
usage: ranks.py PROGRAM FOLDER"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from runs import batches, tensors, train

RANKS = 2
LIMITS = {20: 1e-2, 50: 5e-2}  # As losses.py: of each of the first 20 losses, and of the mean of the first 50.
LOST_LIMIT = 40  # Seconds until the others end: 6 until a silent rank counts as lost, and the end of a CUDA process.
ARGUMENTS = ["quickstart", "--seed", "0", "--device", "cuda", "--threads", "1", "--set", "recipe.precision=float32",
             "--set", "recipe.synchronizedNorm=true", "--set", "data.source.trainCount=7040",
             "--set", "data.source.testCount=640", "--set", "data.validationCount=640", "--set", "monitoring.histograms=false"]


def require_gpus(program):
    cuda = json.loads(subprocess.run([program, "info", "--json"], capture_output=True, check=True, text=True).stdout)["cuda"]
    if not cuda["usable"]:
        sys.exit(f"no GPU: {cuda['reason']}")
    if len(cuda["gpus"]) < RANKS:
        print(f"This machine has one GPU: {RANKS} ranks on {RANKS} GPUs were not tested")
        sys.exit(77)


def start_ranks(program, runs):
    """Long trainings, a process for each rank."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "train", *ARGUMENTS, "--epochs", "1000", "--out", runs, "--quiet"]
    print("$", *command, flush=True)
    ranks = []
    for rank in range(RANKS):
        place = {"RANK": rank, "WORLD_SIZE": RANKS, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": RANKS, "MASTER_ADDR": "127.0.0.1",
                 "MASTER_PORT": port}
        ranks.append(subprocess.Popen(command, env={**os.environ, **{name: str(value) for name, value in place.items()}},
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    return ranks


def loses(program, folder, lost, number):
    """Whether the other rank ends in time, and names the lost one, when a rank gets a signal while it trains."""
    runs = folder / f"lost-{lost}-{number.name}"
    ranks = start_ranks(program, runs)
    while not any(len(batches(run)) >= 20 for run in (runs.iterdir() if runs.exists() else ())):
        if any(each.poll() is not None for each in ranks):
            print("A rank ended before it was to be lost.")
            break
        time.sleep(0.05)
    ranks[lost].send_signal(number)
    other, began = ranks[1 - lost], time.monotonic()
    try:
        text = other.communicate(timeout=LOST_LIMIT)[1]
    except subprocess.TimeoutExpired:
        text = "it did not end"
        other.kill()
    ranks[lost].kill()
    good = other.returncode > 0 and f"rank {lost} on" in text
    print(f"rank {lost} gets {number.name}: rank {1 - lost} ends with {other.returncode} after {time.monotonic() - began:.1f} s: "
          f"{'good' if good else 'WRONG'}: {text.strip()[-600:]}", flush=True)
    return good


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    require_gpus(program)
    shutil.rmtree(folder, ignore_errors=True)
    arguments = [*ARGUMENTS, "--epochs", "2"]
    one = [each["loss"] for each in batches(train(program, folder, arguments))]
    whole, again = (train(program, folder, [*arguments, "--processes", str(RANKS)]) for _ in range(2))
    two = [each["loss"] for each in batches(whole)]

    expected, found = (tensors(run / "checkpoints" / "last.safetensors") for run in (whole, again))
    different = [each for each in sorted(expected.keys() | found.keys()) if found.get(each) != expected.get(each)]
    print(f"a second run: {len(different)} of {len(expected)} tensors differ {different[:5] or ''}")
    apart = {20: max(abs(x - y) / max(abs(y), 0.1) for x, y in zip(two[:20], one[:20])),
             50: abs(sum(two[:50]) - sum(one[:50])) / sum(one[:50])}
    print(f"one rank and {RANKS}: largest differences " +
          ", ".join(f"{apart[count]:.2g} (limit {LIMITS[count]:.2g}) in the first {count}" for count in LIMITS))
    good = not different and all(apart[count] <= LIMITS[count] for count in LIMITS)
    for number in (signal.SIGKILL, signal.SIGSTOP):
        for lost in range(RANKS):
            good = loses(program, folder, lost, number) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
