"""Runs the ONNX models of one step in a folder over sequences, and checks them by the official checker.

usage: check_onnx_step.py FOLDER    FOLDER has NAME.onnx, NAME.shapes as for check_onnx.py, and NAME.io.safetensors
with "tokens" [N, n] and "logits" [N, n, vocabulary]. Prints a line for each model: its name, a tab, and the greatest
difference of a logit as a share of the greatest logit, or at least of 1.
"""

import json
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from check_onnx import check
from safetensors.numpy import load_file


def run(session, states, tokens):
    """The logits [N, n, vocabulary] of the tokens [N, n], fed one by one."""
    sizes = {"N": len(tokens)}
    kept = {state["input"]: numpy.full([sizes.get(size, size) for size in state["shape"]], state["beginsWith"],
                                       state["type"])
            for state in states}
    logits = []
    for token in tokens.T:
        found = session.run(["logits"] + [state["output"] for state in states], {"token": token} | kept)
        kept = {state["input"]: after for state, after in zip(states, found[1:])}
        logits.append(found[0])
    return numpy.stack(logits, 1)


options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1  # The models are tiny.
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
    model = onnx.load(file)
    check(model, file.with_suffix(".shapes").read_text())
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    [states] = [json.loads(entry.value) for entry in model.metadata_props if entry.key == "state"]
    assert [value.name for value in session.get_inputs()] == ["token"] + [state["input"] for state in states]
    assert [value.name for value in session.get_outputs()] == ["logits"] + [state["output"] for state in states]
    expected = load_file(file.with_suffix(".io.safetensors"))
    tokens, logits = expected["tokens"], expected["logits"]
    found = run(session, states, tokens)
    # A sequence has the same logits alone.
    alone = run(session, states, tokens[:1])
    scale = max(1.0, float(numpy.abs(logits).max()))
    difference = max(numpy.abs(found - logits).max(), numpy.abs(alone - logits[:1]).max())
    print(file.stem, float(difference) / scale, sep="\t", flush=True)
