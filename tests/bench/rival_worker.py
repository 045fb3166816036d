"""One rival: trains a network in Python on request and reports the times of the steps.

rivals.py starts it with one JSON object on the command line. Then every line on standard input is a
number of steps, and a line of JSON on standard output is the answer.
"""

import json
import struct
import sys
import time

import torch
from torch.nn import functional

from rival_networks import make_network

TYPES = {"F32": torch.float32, "I64": torch.int64}


class Recording:
    """The steps that `lambda bench step --record` wrote: weights, batches and losses."""

    def __init__(self, path):
        with open(path, "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
            data = bytearray(file.read())
        metadata = header.pop("__metadata__")
        self.losses = json.loads(metadata["losses"])
        self.learning_rates = json.loads(metadata["learningRates"])
        self.recipe = json.loads(metadata["config"])["recipe"]
        self.tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            flat = torch.frombuffer(data, dtype=TYPES[entry["dtype"]], offset=begin,
                                    count=(end - begin) // TYPES[entry["dtype"]].itemsize)
            self.tensors[name] = flat.view(entry["shape"]).clone()

    def weights(self):
        return {name: t for name, t in self.tensors.items() if not name.startswith("batch.")}

    def batches(self, memory_format):
        names = [f"batch.{step}" for step in range(len(self.losses))]
        return [
            (
                self.tensors[f"{name}.images"].contiguous(memory_format=memory_format),
                self.tensors[f"{name}.labels"],
            )
            for name in names
        ]


class Memory:
    """The growth of this process's resident memory since construction, as the kernel counts it."""

    def __init__(self):
        self.forget_peak()
        self.start = self.bytes_of("VmRSS")

    def forget_peak(self):
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def peak_growth(self):
        return self.bytes_of("VmHWM") - self.start

    @staticmethod
    def bytes_of(name):
        with open("/proc/self/status", encoding="ascii") as status:
            lines = dict(line.split(":", 1) for line in status)
        return int(lines[name].split()[0]) << 10


class Training:
    """Training steps as a careful Python user writes them."""

    def __init__(self, recording, kind, bfloat16, channels_last, compiled, compile_mode):
        self.recording = recording
        self.bfloat16 = bfloat16
        memory_format = torch.channels_last if channels_last else torch.contiguous_format
        self.batches = recording.batches(memory_format)
        self.memory = Memory()
        network = make_network(kind)
        network.load_state_dict(recording.weights())
        self.network = network.to(memory_format=memory_format).train()
        self.parameters = sum(p.numel() for p in network.parameters())
        optimizer = recording.recipe["optimizer"]
        self.optimizer = torch.optim.Adam(
            network.parameters(),
            lr=optimizer["learningRate"],
            betas=(optimizer["beta1"], optimizer["beta2"]),
            eps=optimizer["epsilon"],
            weight_decay=optimizer["weightDecay"],
            fused=True,
        )
        self.smoothing = recording.recipe["labelSmoothing"]
        self.forward = torch.compile(network, mode=compile_mode) if compiled else network
        self.taken = 0

    def step(self):
        """One step on the next batch; returns the logits."""
        images, labels = self.batches[self.taken % len(self.batches)]
        self.taken += 1
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            logits = self.forward(images)
        loss = functional.cross_entropy(logits.float(), labels, label_smoothing=self.smoothing)
        loss.backward()
        self.optimizer.step()
        loss.item()
        return logits

    def replay(self):
        """Trains the recorded steps from the first weights; returns the cross-entropy of each."""
        losses = []
        for step, rate in enumerate(self.recording.learning_rates):
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            labels = self.batches[step][1]
            losses.append(functional.cross_entropy(self.step().float(), labels).item())
        return losses


def answer(**values):
    print(json.dumps(values), flush=True)


def main():
    task = json.loads(sys.argv[1])
    torch.set_num_threads(task["threads"])
    torch.set_num_interop_threads(1)
    training = Training(
        Recording(task["recording"]),
        task["kind"],
        task["bfloat16"],
        task["channelsLast"],
        task["compiled"],
        task["compileMode"],
    )
    began = time.perf_counter()
    try:
        losses = training.replay()
    except Exception as failure:  # A compiler may fail with any exception.
        answer(failure=str(failure).strip().splitlines()[0] if str(failure) else repr(failure))
        return
    answer(
        torch=torch.__version__,
        parameters=training.parameters,
        losses=losses,
        replaySeconds=time.perf_counter() - began,
    )
    training.memory.forget_peak()
    for line in sys.stdin:
        seconds = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            training.step()
            seconds.append(time.perf_counter() - begin)
        answer(seconds=seconds, peakBytes=training.memory.peak_growth())


if __name__ == "__main__":
    main()
