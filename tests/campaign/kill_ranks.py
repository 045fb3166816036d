"""Kills random processes of a training by many, and resumes it, until it has been killed often enough. Then it must end
with the bits of a training that was never killed, and all processes must have ended within ten seconds of each kill.

usage: python3 tests/campaign/kill_ranks.py PROGRAM [--kills 50] [--processes 3] [--epochs 400]
       PROGRAM: build/release/lambda
"""

import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from run_content import tensors_of

SETTINGS = [
    "--set", "data.source.trainCount=240", "--set", "data.validationCount=60", "--set", "data.source.testCount=20",
    "--set", "recipe.batchSize=30",
]  # fmt: skip
MOST_SECONDS = 10


def children_of(process):
    found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def is_alive(pid):
    return pathlib.Path(f"/proc/{pid}").exists()


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


class Killer:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.random = random.Random(7)
        self.common = ["--processes", str(options.processes), "--device", "cpu", "--threads", "1", "--quiet"]

    def command(self, name, resumes):
        if resumes:
            return [self.options.program, "resume", name, *self.common]
        epochs = str(self.options.epochs)
        return [
            self.options.program, "train", "quickstart", "--epochs", epochs, "--out", ".", "--folder", name,
            *SETTINGS, *self.common,
        ]  # fmt: skip

    def last(self, name):
        return self.folder / name / "checkpoints" / "last.safetensors"

    def kill_once(self, resumes):
        """The seconds until all processes had ended; nothing where the training was over before."""
        process = subprocess.Popen(self.command("killed", resumes), cwd=self.folder, stderr=subprocess.DEVNULL)
        others = self.options.processes - 1
        wait_for(lambda: self.last("killed").exists() and len(children_of(process)) == others, 20)
        time.sleep(self.random.uniform(1, 3))
        if process.poll() is not None:
            return None
        pids = [process.pid, *children_of(process)]
        victim = self.random.choice(pids)
        subprocess.run(["kill", f"-{signal.SIGKILL.value}", str(victim)], check=True)
        start = time.monotonic()
        process.wait()
        wait_for(lambda: not any(is_alive(pid) for pid in pids), 2 * MOST_SECONDS)
        return time.monotonic() - start

    def run(self):
        seconds = []
        while len(seconds) < self.options.kills:
            ended = self.kill_once(resumes=bool(seconds))
            if ended is None:
                sys.exit(f"The training was over after {len(seconds)} kills: give more --epochs.")
            seconds.append(ended)
        for name, resumes in (("killed", True), ("whole", False)):
            subprocess.run(self.command(name, resumes), cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        killed, whole = (tensors_of(self.last(name))[1] for name in ("killed", "whole"))
        differing = [name for name in whole if killed[name] != whole[name]]
        late = sum(each > MOST_SECONDS for each in seconds)
        print(
            f"{len(seconds)} kills of one of {self.options.processes} processes: the others ended after at most "
            f"{max(seconds):.1f} s; {len(differing)} of {len(whole)} tensors differ from those of a training without kills"
        )
        return 1 if differing or late else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=400)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(Killer(parser.parse_args(), pathlib.Path(folder)).run())
