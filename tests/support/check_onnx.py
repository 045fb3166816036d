"""Checks the ONNX models of a folder by the official checker, and runs them.

usage: check_onnx.py FOLDER    FOLDER has NAME.onnx, NAME.shapes with a line for each layer, its name
and output, and NAME.io.safetensors with "images" or "tokens", and "logits". Prints a line for each model: its
name, a tab, and the greatest difference of a logit as a share of the greatest logit, or at least of 1.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime
from safetensors.numpy import load_file


def check(model, layers):
    onnx.checker.check_model(model, full_check=True)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    shapes = {value.name: [d.dim_value or d.dim_param for d in value.type.tensor_type.shape.dim]
              for value in model.graph.value_info}
    for line in layers.splitlines():
        name, channels, height, width = line.split()
        if name == "head":
            continue
        expected = ["N", int(channels), int(height), int(width)]
        assert shapes[name] == expected, f"{name}: {shapes[name]}, expected {expected}"


def main():
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
        model = onnx.load(file)
        check(model, file.with_suffix(".shapes").read_text())
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        expected = load_file(file.with_suffix(".io.safetensors"))
        logits = expected.pop("logits")
        [(name, images)] = expected.items()
        found = session.run(["logits"], {name: images})[0]
        # The batch is dynamic, and an image has the same logits alone.
        of_batch = any(node.name.endswith("/centred") and not node.name.startswith("normalize")
                       for node in model.graph.node)
        if not of_batch:
            alone = session.run(["logits"], {name: images[:1]})[0]
            found[:1] = numpy.where(numpy.abs(alone - logits[:1]) > numpy.abs(found[:1] - logits[:1]),
                                    alone, found[:1])
        scale = max(1.0, float(numpy.abs(logits).max()))
        print(file.stem, float(numpy.abs(found - logits).max()) / scale, sep="\t", flush=True)


if __name__ == "__main__":
    main()
