"""Saves ResNets of torchvision and timm as their users do, with what they compute.

usage: make_torch_resnets.py FOLDER    writes NAME.pt, a state dictionary, and NAME.io.safetensors with
"images" [4, 3, 64, 64] and "logits" [4, 1000]. All weights and statistics are random.
"""

import pathlib
import sys

import timm
import torch
import torchvision
from safetensors.torch import save_file

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(5)
models = {
    "resnet18": torchvision.models.resnet18(),
    "resnet50": torchvision.models.resnet50(),
    "resnet26d": timm.create_model("resnet26d", act_layer=torch.nn.ReLU),
    "resnetrs50": timm.create_model("resnetrs50", act_layer=torch.nn.ReLU),
}
for name, model in models.items():
    with torch.no_grad():
        for key, value in model.state_dict().items():
            if "running_var" in key:
                value.uniform_(0.5, 1.5)
            elif "running_mean" in key or key.endswith("bias"):
                value.normal_(0, 0.1)
            elif ".bn" in key or key.startswith("bn"):
                value.fill_(0.5) if "num" not in key else value.fill_(3)
    images = torch.randn(4, 3, 64, 64)
    with torch.no_grad():
        logits = model.eval()(images)
    wrapped = torch.nn.DataParallel(model) if name == "resnet18" else model
    torch.save(wrapped.state_dict(), folder / f"{name}.pt")
    save_file({"images": images, "logits": logits}, folder / f"{name}.io.safetensors")
