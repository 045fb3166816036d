#!/usr/bin/env python3
"""Records what a build computes, and compares two records that were made on one machine.

usage: tests/golden/golden.py record FOLDER [--program build/release/lambda] [--only NAME,...]
       tests/golden/golden.py compare BEFORE AFTER

The net under a change of the design: record before it, change, build, record again, compare. Bits differ from CPU to CPU,
so that no record is kept. It holds the description of every preset and published network, and for each of the runs below
its settings, the losses of 20 steps, the digests of all tensors after them, and the files that are exported for PyTorch
and ONNX. Times, dates and the commit are left out.
"""
import argparse
import hashlib
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What differs between two runs of one program.
TIMES = {"seconds", "trainSeconds", "imagesPerSecond", "dataShare", "started", "commit", "host", "precisionRates"}

CONVOLUTION = {"mixer": "convolution"}
SOURCE = {"kind": "shapes10", "trainCount": 400, "testCount": 60}


def lambda_layer(**options):
    return {"mixer": {"kind": "lambda", "k": 8, "h": 2, **options}}


def network(*blocks, stem="cifar", family="plain", width=16, **settings):
    """A network of two stages: a convolution, then the blocks."""
    return {"name": "golden", "input": {"channels": 3, "height": 32, "width": 32}, "classes": 10, "family": family,
            "stem": {"width": 8, **(stem if isinstance(stem, dict) else {"kind": stem})},
            "stages": [{"width": width, "stride": 2, "blocks": [CONVOLUTION]},
                       {"width": width, "stride": 2, "blocks": list(blocks)}], "head": {"pooling": "average"}, **settings}


HYBRID = network(CONVOLUTION, lambda_layer(), lambda_layer(scope=5))
SGD = {"kind": "sgd", "learningRate": 0.05}

# Name -> network, recipe, and what else differs from the defaults.
RUNS = {
    "sgd": (HYBRID, {"optimizer": SGD}, {}),
    "adam": (HYBRID, {"optimizer": {"kind": "adam", "learningRate": 0.002}, "schedule": {"kind": "step", "stepEpochs": 1}}, {}),
    "adamw": (HYBRID, {"optimizer": {"kind": "adamw", "learningRate": 0.002, "gradientClip": 1, "decayAllParameters": True},
                       "schedule": {"kind": "linear", "warmupEpochs": 1}}, {}),
    "muon": (HYBRID, {"optimizer": {"kind": "muon", "learningRate": 0.02}, "schedule": {"kind": "triangular"}}, {}),
    "bfloat16": (HYBRID, {"optimizer": SGD, "precision": "bfloat16"}, {}),
    "mixed": (HYBRID, {"optimizer": SGD, "labelSmoothing": 0.1},
              {"data": {"augmentation": {"mixupAlpha": 0.2, "cutmixAlpha": 1, "cutoutSize": 6, "randAugmentOperations": 2,
                                         "erasingProbability": 0.3}}}),
    "averages": (HYBRID, {"optimizer": SGD, "emaDecay": 0.99, "flipAveraging": True, "shiftAveraging": True},
                 {"checkpoints": {"bestBy": "loss"}}),
    "pseudo-labels": (HYBRID, {"optimizer": SGD},
                      {"data": {"labelledPerClass": 10, "pseudoLabels": "labels.csv", "pseudoLabelThreshold": 0.1}}),
    "frozen": (HYBRID, {"optimizer": SGD}, {"start": {"weights": "sgd.safetensors", "frozenStages": 2, "backboneRate": 0.1}}),
    "masked": (network(lambda_layer(mask="causal"), lambda_layer(mask="causal", content=False)), {"optimizer": SGD}, {}),
    "shared-tables": (network(CONVOLUTION, *2 * [lambda_layer(sharedEmbeddings="one")]), {"optimizer": SGD}, {}),
    "lambda-options": (network(lambda_layer(u=2, keyNormalization="l2"), lambda_layer(embedding="absolute"),
                               lambda_layer(multiHead=True, softmaxQueries=True),
                               lambda_layer(tokenOrder="channelRuns", normAxes="positions")), {"optimizer": SGD}, {}),
    "relatives": (network({"mixer": "depthwiseConvolution"}, {"mixer": {"kind": "selfAttention", "h": 2}},
                          {"mixer": {"kind": "localAttention", "h": 2, "scope": 3}}, {"mixer": {"kind": "axialAttention", "h": 2}},
                          {"mixer": {"kind": "linearAttention", "h": 2}}, {"mixer": "nonLocal"},
                          {"mixer": "squeezeExcitation"}, {"mixer": "spatialAttention"}), {"optimizer": SGD}, {}),
    "bottleneck": (network(CONVOLUTION | {"squeezeExcitation": True}, lambda_layer(), stem="imagenet", family="bottleneck"),
                   {"optimizer": SGD}, {}),
    "basic": (network(CONVOLUTION | {"stochasticDepth": 0.2}, lambda_layer(), stem="resnetD", family="basic",
                      activation="silu"), {"optimizer": SGD}, {}),
    "inverted": (network(CONVOLUTION, {"mixer": "depthwiseConvolution", "expansion": 3}, stem="strided",
                         family="invertedBottleneck", activation="relu6",
                         head={"pooling": "average", "width": 24, "dropout": 0.1}), {"optimizer": SGD}, {}),
    "whitened": (network(CONVOLUTION | {"residual": True}, lambda_layer(), stem={"kind": "cifar", "whitened": True},
                         activation="celu", normStatistics="batch", head={"pooling": "max", "bias": False, "scale": 0.125}),
                 {"optimizer": SGD}, {}),
    "patches": (network(CONVOLUTION, lambda_layer(), stem={"kind": "patch", "patchSize": 2}, activation="gelu"),
                {"optimizer": SGD}, {}),
    "rs-stem": (network(CONVOLUTION, lambda_layer(), stem="resnetRS", family="bottleneck"), {"optimizer": SGD}, {}),
}


def configuration(name):
    architecture, recipe, more = RUNS[name]
    data = {"source": SOURCE, "validationCount": 80, **more.get("data", {})}
    rest = {key: value for key, value in more.items() if key != "data"}
    return {"schema": 2, "name": name, "seed": 3, "architecture": architecture, "data": data,
            "recipe": {"epochs": 2, "batchSize": 32, **recipe}, "device": {"threads": 1}, **rest}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def lines_without_times(file):
    return [without_times(json.loads(line)) for line in file.read_text().splitlines()]


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def tensor_digests(file):
    """Name -> kind, shape and digest of each tensor of a safetensors file."""
    content = file.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    return {name: [each["dtype"], each["shape"], sha256(content[8 + length:][slice(*each["data_offsets"])])]
            for name, each in sorted(header.items())}


class Recorder:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="golden-"))

    def run(self, *arguments):
        outcome = subprocess.run([self.program, *arguments], cwd=self.work, capture_output=True, text=True)
        if outcome.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))} failed:\n{outcome.stderr}")
        return outcome.stdout

    def write(self, name, value):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value if isinstance(value, str) else json.dumps(value, indent=1) + "\n")

    def describe(self):
        for preset in json.loads(self.run("presets", "--json"))["presets"]:
            self.write(f"describe/{preset['name']}.json", self.run("describe", preset["name"], "--json"))
        self.write("settings.txt", self.run("settings"))
        self.write("layers.txt", self.run("layers"))

    def train(self, name):
        self.write(f"{name}/config.json", configuration(name))
        self.run("train", self.folder / name / "config.json", "--folder", name, "--quiet")
        run = self.work / "runs" / name
        metrics, histograms = (lines_without_times(run / name) for name in ("metrics.jsonl", "histograms.jsonl"))
        assert sum(each["kind"] == "batch" for each in metrics) == 20, f"{name} does not train 20 steps"
        self.write(f"{name}/metrics.json", metrics)
        self.write(f"{name}/run.json", without_times(json.loads((run / "run.json").read_text())))
        self.write(f"{name}/histograms.txt", sha256(json.dumps(histograms).encode()) + "\n")
        self.write(f"{name}/tensors.json", tensor_digests(run / "checkpoints/last.safetensors"))
        if name == "sgd":
            self.run("export", name, "--to", "safetensors", "--out", "sgd.safetensors", "--quiet")
            self.run("export", name, "--to", "predictions", "--split", "train", "--out", "labels.csv", "--quiet")
        self.run("export", name, "--to", "pytorch", "--out", f"{name}.pytorch", "--quiet")
        self.write(f"{name}/model.py", (self.work / f"{name}.pytorch/model.py").read_text())
        self.run("export", name, "--to", "onnx", "--out", f"{name}.onnx", "--quiet")
        self.write(f"{name}/onnx.txt", sha256((self.work / f"{name}.onnx").read_bytes()) + "\n")
        self.write(f"{name}/layers.csv", self.run("export", name, "--to", "layers", "--out", "-", "--quiet"))


def record(folder, program, names):
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty.")
    recorder = Recorder(program.resolve(), folder.resolve())
    recorder.describe()
    for name in names:
        print(name, file=sys.stderr)
        recorder.train(name)
    shutil.rmtree(recorder.work)


def contents(folder):
    if not folder.is_dir():
        sys.exit(f"{folder} is no folder.")
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def compare(before, after):
    """Says which files differ, and ends with 1 where some do."""
    first, second = contents(before), contents(after)
    different = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    for name in different:
        print(name)
    print(f"{len(different)} of {len(first.keys() | second.keys())} files differ")
    sys.exit(1 if different or not first else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("folder", type=pathlib.Path)
    recording.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/lambda")
    recording.add_argument("--only", type=lambda names: names.split(","), default=list(RUNS), help=f"of {', '.join(RUNS)}")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=pathlib.Path)
    comparing.add_argument("after", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.command == "record":
        record(arguments.folder, arguments.program, arguments.only)
    else:
        compare(arguments.before, arguments.after)


if __name__ == "__main__":
    main()
