"""Short runs of `lambda train`, as the checks of tests/gpu compare them."""

import json
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path


def batches(run):
    """The batches in the record of a run; a line that is being written is left out."""
    lines = (run / "metrics.jsonl").read_text().split("\n")[:-1] if (run / "metrics.jsonl").exists() else []
    return [line for line in map(json.loads, lines) if line["kind"] == "batch"]


def train(program, out, arguments, stop_after=None):
    """The folder of a new run. With `stop_after` the run is interrupted after so many batches. Ends this process with the
    program's status where it fails."""
    out.mkdir(parents=True, exist_ok=True)
    former = set(out.iterdir())
    command = [program, "train", *arguments, "--out", out, "--quiet"]
    print("$", *command, flush=True)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while stop_after is not None and child.poll() is None:
        time.sleep(0.02)
        run = next(iter(set(out.iterdir()) - former), None)
        if run and len(batches(run)) >= stop_after:
            child.send_signal(signal.SIGINT)
            stop_after = None
    status = child.wait()
    if status not in (0, 130):
        sys.exit(status if status > 0 else 1)
    run = next(iter(set(out.iterdir()) - former))
    print(f"{len(batches(run))} batches, status {status}", flush=True)
    return run


def tensors(file: Path):
    """The bytes of all tensors of a safetensors file, by name."""
    data = file.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length:]
    return {name: body[slice(*entry["data_offsets"])] for name, entry in header.items()}
