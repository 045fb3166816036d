"""The content of a run folder that does not depend on a clock, as text: two runs are equal if their texts are equal."""

import hashlib
import json
import pathlib
import shutil
import struct
import subprocess
import tempfile


def tensors_of(path):
    """(metadata, {name: digest of its bytes}) of a safetensors file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    start = 8 + length
    digests = {
        name: hashlib.sha256(data[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]]).hexdigest()
        for name, entry in header.items()
    }
    return metadata, digests


def checkpoint_text(path):
    metadata, digests = tensors_of(path)
    progress = next(json.loads(text)["progress"] for text in metadata.values() if text.startswith("{"))
    place = [progress[key] for key in ("epoch", "batch", "step", "bestValidationAccuracy", "bestEpoch")]
    lines = [f"checkpoint {path.name} at {place}"]
    return lines + [f"  {name} {digest}" for name, digest in sorted(digests.items())]


def tensorboard_lines(run, program):
    # A folder with metrics.jsonl is read as a run, so the event files are copied to another folder.
    with tempfile.TemporaryDirectory() as folder:
        for path in run.glob("*tfevents*"):
            shutil.copy(path, folder)
        curves = subprocess.run([program, "curves", folder, "--json"], capture_output=True, text=True, check=True)
    lines = []
    for source in json.loads(curves.stdout)["sources"]:
        for curve in source["curves"]:
            if "imagesPerSecond" not in curve["name"]:
                lines.append(f"curve {curve['name']} {[(point['step'], point['value']) for point in curve['points']]}")
    return lines


def content_of(run, program):
    """The lines of a run's content. `run`: its folder; `program`: the command line, which reads TensorBoard's files."""
    run = pathlib.Path(run)
    lines = []
    for path in sorted(run.rglob("*")):
        if path.is_file() and "tfevents" not in path.name:
            lines.append(f"file {path.relative_to(run)}")
    for path in sorted((run / "checkpoints").glob("*.safetensors")):
        lines += checkpoint_text(path)
    record = json.loads((run / "run.json").read_text())
    for key in ("status", "epochsDone", "bestValidationAccuracy", "testAccuracy", "testEvaluations"):
        lines.append(f"{key} {record[key]}")
    for line in (run / "metrics.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["kind"] == "batch":
            lines.append(f"batch {entry['step']} {entry['epoch']} {entry['loss']}")
        elif entry["kind"] == "epoch":
            lines.append(f"epoch {entry['step']} {entry['epoch']} {entry['train']} {entry['validation']}")
    return lines + tensorboard_lines(run, program)


def first_difference(expected, found):
    for want, have in zip(expected, found):
        if want != have:
            return f"expected {want!r}, found {have!r}"
    if len(expected) != len(found):
        return f"expected {len(expected)} lines, found {len(found)}"
    return ""
