"""Builds each network of a folder by the exported network.py and compares its logits.

usage: check_python_network.py NETWORK.PY FOLDER    FOLDER has NAME.safetensors, the weights, and
NAME.io.safetensors with "images" and "logits". Prints a line for each network: its name, a tab, and
the greatest difference as a share of the greatest logit, or at least of 1.
"""

import importlib.util
import pathlib
import sys

import torch
from safetensors.torch import load_file

specification = importlib.util.spec_from_file_location("network", sys.argv[1])
network = importlib.util.module_from_spec(specification)
specification.loader.exec_module(network)

torch.set_num_threads(2)
for file in sorted(pathlib.Path(sys.argv[2]).glob("*.io.safetensors")):
    name = file.name.removesuffix(".io.safetensors")
    expected = load_file(file)
    model, _ = network.load(file.with_name(f"{name}.safetensors"))
    with torch.no_grad():
        logits = model(expected["images"])
    scale = max(1.0, expected["logits"].abs().max().item())
    difference = (logits - expected["logits"]).abs().max().item() / scale
    print(name, difference, sep="\t", flush=True)
