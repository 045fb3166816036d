#!/usr/bin/env python3
"""Trains a run to its end twice, and once more with an interruption in the middle of an epoch, after which it is resumed.
All tensors of the last checkpoints must have the same bits. Prints what differs and ends with 1 where anything does.
usage: resumed.py PROGRAM FOLDER PRECISION [DEVICE]"""

import shutil
import subprocess
import sys
from pathlib import Path

from runs import batches, tensors, train


def main():
    program, folder, precision, device = [*sys.argv[1:], "cuda"][:4]
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    arguments = ["quickstart", "--device", device, "--epochs", "2", "--seed", "0", "--threads", "1",
                 "--set", f"recipe.precision={precision}", "--set", "data.source.trainCount=7040",
                 "--set", "data.source.testCount=640", "--set", "data.validationCount=640",
                 "--set", "recipe.schedule.warmupEpochs=0.2"]
    whole, again = train(program, folder, arguments), train(program, folder, arguments)
    stopped = train(program, folder, arguments, stop_after=len(batches(whole)) // 3)
    done = len(batches(stopped))
    if done >= len(batches(whole)):
        sys.exit("The run ended before it could be interrupted.")
    command = [program, "resume", stopped, "--device", device, "--threads", "1", "--quiet"]
    print("$", *command, flush=True)
    if status := subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
        sys.exit(status)

    expected = tensors(whole / "checkpoints" / "last.safetensors")
    differs = False
    for name, run in (("a second run", again), (f"the run that was resumed after {done} batches", stopped)):
        found = tensors(run / "checkpoints" / "last.safetensors")
        different = [each for each in sorted(expected.keys() | found.keys()) if found.get(each) != expected.get(each)]
        print(f"{precision}: {name}: {len(different)} of {len(expected)} tensors differ {different[:5] or ''}")
        differs = differs or bool(different)
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main()
