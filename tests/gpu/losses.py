#!/usr/bin/env python3
"""Trains the same 200 steps on the GPU and on the CPU and compares their losses, in one precision.

The first steps differ by rounding alone; later a network amplifies each difference, so that only means can be compared:
the first loss, each of the first 20, and the mean of every 50. Prints a table, and with it one line that begins with
"Largest"; ends with 1 where a difference is over its limit.
usage: losses.py PROGRAM FOLDER PRECISION PRESET [DATA] [--devices A,B] [--steps N]"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from runs import batches, train

STEPS, FIRST, WINDOW = 200, 20, 50
THREADS = 4  # Several comparisons run at once, and threads that outnumber the cores wait for each other.
LIMITS = {"float32": {"first loss": 1e-4, "first 20": 1e-2, "means of 50": 5e-2},
          "bfloat16": {"first loss": 2e-2, "first 20": 5e-2, "means of 50": 1e-1}}


def losses(arguments, device):
    run = train(arguments.program, arguments.folder,
                [arguments.preset, "--device", device, "--data", arguments.data, "--epochs", "5", "--seed", "0",
                 "--threads", str(THREADS), "--set", f"recipe.precision={arguments.precision}",
                 "--set", "monitoring.histograms=false"], stop_after=arguments.steps)
    found = [each["loss"] for each in batches(run)][:arguments.steps]
    if len(found) < arguments.steps:
        sys.exit(f"The run on {device} has {len(found)} batches, but {arguments.steps} are compared.")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("precision", choices=LIMITS)
    parser.add_argument("preset")
    parser.add_argument("data", nargs="?", default=os.environ.get("LAMBDA_CIFAR10") or "shapes10")
    parser.add_argument("--devices", default="cuda,cpu")
    parser.add_argument("--steps", type=int, default=STEPS)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    ours, reference = (losses(arguments, device) for device in arguments.devices.split(","))

    def apart(a, b):
        return max(abs(x - y) / max(abs(y), 0.1) for x, y in zip(a, b))

    def means(all_losses):
        return [sum(part) / len(part) for part in (all_losses[i:i + WINDOW] for i in range(0, len(all_losses), WINDOW))]

    found = {"first loss": apart(ours[:1], reference[:1]), "first 20": apart(ours[:FIRST], reference[:FIRST]),
             "means of 50": apart(means(ours), means(reference))}
    print(f"step  {arguments.devices.replace(',', '  ')}")
    for step in (0, 1, 4, 9, 19, 49, 99, 149, 199):
        if step < len(ours):
            print(f"{step + 1:4}  {ours[step]:.7g}  {reference[step]:.7g}")
    limits = LIMITS[arguments.precision]
    print("Largest relative differences: " +
          ", ".join(f"{name} {found[name]:.2g} (limit {limits[name]:.2g})" for name in found))
    over = [name for name in found if not found[name] <= limits[name]]
    if over:
        sys.exit(f"Over the limit: {', '.join(over)}")


if __name__ == "__main__":
    main()
