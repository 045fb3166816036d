"""One rival: trains a network in Python on request and reports the times of the steps.

rivals.py starts it with one JSON object on the command line. Then every line on standard input is a
number of steps, or on a GPU of eight steps each, and a line of JSON on standard output is the answer.
"""

import json
import struct
import sys
import time

import torch
from torch.nn import functional

from rival_networks import make_network

TYPES = {"F32": torch.float32, "I64": torch.int64}
STEPS_AT_A_TIME = 8  # Between two synchronisations of a GPU, as `lambda bench step` does it.
STEPS_BEFORE_CAPTURE = 3


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

    def batches(self, memory_format, device):
        names = [f"batch.{step}" for step in range(len(self.losses))]
        return [
            (
                self.tensors[f"{name}.images"].contiguous(memory_format=memory_format).to(device),
                self.tensors[f"{name}.labels"].to(device),
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


class DeviceMemory:
    """The growth of PyTorch's memory on a GPU since construction."""

    def __init__(self, device):
        # cuBLAS keeps its workspace. The engine's was also made before it counts.
        torch.mm(*(torch.zeros(64, 64, device=device) for _ in range(2)))
        self.device = device
        self.forget_peak()
        self.start = torch.cuda.memory_allocated(device)

    def forget_peak(self):
        torch.cuda.reset_peak_memory_stats(self.device)

    def peak_growth(self):
        return torch.cuda.max_memory_allocated(self.device) - self.start


class Evaluation:
    """Batches of an evaluation as a careful Python user writes them, from recorded images."""

    def __init__(self, training, batch, compile_mode):
        network = training.network.eval()
        self.bfloat16 = training.bfloat16
        images = torch.cat([images for images, _ in training.batches])
        self.batches = [
            part.contiguous(memory_format=training.memory_format)
            for part in images.split(batch)
            if len(part) == batch
        ]
        self.forward = torch.compile(network, mode=compile_mode) if compile_mode else network
        self.taken = 0

    def step(self):
        images = self.batches[self.taken % len(self.batches)]
        self.taken += 1
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            return self.forward(images).float()


class Training:
    """Training steps as a careful Python user writes them."""

    def __init__(self, recording, task):
        self.recording = recording
        self.bfloat16 = task["bfloat16"]
        self.device = torch.device(task["device"])
        self.on_gpu = self.device.type == "cuda"
        self.tf32 = task["tf32"]
        if self.on_gpu:
            self.device = torch.device("cuda", self.device.index or 0)
            torch.cuda.set_device(self.device)
            self.allow_tf32(self.tf32)
        # An evaluation has its own compiled form, and the steps before it only check the network.
        compile_mode = None if task["evaluationBatch"] else task["compileMode"]
        self.marks_steps = self.on_gpu and compile_mode is not None
        memory_format = torch.channels_last if task["channelsLast"] else torch.contiguous_format
        self.memory_format = memory_format
        self.batches = recording.batches(memory_format, self.device)
        self.memory = DeviceMemory(self.device) if self.on_gpu else Memory()
        network = make_network(task["kind"])
        network.load_state_dict(recording.weights())
        self.network = network.to(self.device, memory_format=memory_format).train()
        self.parameters = sum(p.numel() for p in network.parameters())
        optimizer = recording.recipe["optimizer"]
        self.optimizer = torch.optim.Adam(
            network.parameters(),
            lr=optimizer["learningRate"],
            betas=(optimizer["beta1"], optimizer["beta2"]),
            eps=optimizer["epsilon"],
            weight_decay=optimizer["weightDecay"],
            fused=True,
            capturable=task["graphed"],
        )
        self.smoothing = recording.recipe["labelSmoothing"]
        self.forward = torch.compile(network, mode=compile_mode) if compile_mode else network
        self.taken = 0
        self.graph = None
        if task["graphed"]:
            self.capture()

    def step(self):
        """One step on the next batch; returns the logits. Does not wait for a GPU."""
        images, labels = self.batches[self.taken % len(self.batches)]
        self.taken += 1
        if self.graph is None:
            return self.train_on(images, labels)
        self.inputs[0].copy_(images)
        self.inputs[1].copy_(labels)
        self.graph.replay()
        return self.logits

    def train_on(self, images, labels):
        if self.marks_steps:
            torch.compiler.cudagraph_mark_step_begin()
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bfloat16):
            logits = self.forward(images)
        loss = functional.cross_entropy(logits.float(), labels, label_smoothing=self.smoothing)
        loss.backward()
        self.optimizer.step()
        if not self.on_gpu:
            loss.item()
        return logits

    def capture(self):
        """Records a step as one CUDA graph, with the learning rate of the recorded steps."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.recording.learning_rates[0]
        self.inputs = [tensor.clone() for tensor in self.batches[0]]
        stream = torch.cuda.Stream(self.device)
        stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(stream):
            for _ in range(STEPS_BEFORE_CAPTURE):
                self.train_on(*self.inputs)
        torch.cuda.current_stream(self.device).wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.logits = self.train_on(*self.inputs)
        self.graph = graph
        self.restart()

    def restart(self):
        """Goes back to the first weights, in the same memory."""
        self.network.load_state_dict(self.recording.weights())
        for state in self.optimizer.state.values():
            for tensor in state.values():
                tensor.zero_()
        self.taken = 0

    @staticmethod
    def allow_tf32(allowed):
        torch.backends.cuda.matmul.allow_tf32 = allowed
        torch.backends.cudnn.allow_tf32 = allowed

    def exact_losses(self):
        """The losses of the recorded steps without TF32, where they would otherwise have it."""
        eager = self.forward is self.network and self.graph is None
        if not (self.on_gpu and eager and self.tf32) or self.bfloat16:
            return None
        self.allow_tf32(False)
        losses = self.replay()
        self.allow_tf32(True)
        self.restart()
        return losses

    def replay(self):
        """Trains the recorded steps from the first weights; returns the cross-entropy of each."""
        losses = []
        for step, rate in enumerate(self.recording.learning_rates):
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            labels = self.batches[step][1]
            losses.append(functional.cross_entropy(self.step().float(), labels).item())
        return losses


def time_steps(work, count):
    """The seconds of each of `count` steps or batches of an evaluation."""
    seconds = []
    for _ in range(count):
        begin = time.perf_counter()
        work.step()
        seconds.append(time.perf_counter() - begin)
    return seconds, []


def time_gpu_steps(training, count):
    """Seconds a step, `count` times of some steps together; the same until they are queued."""
    seconds, host = [], []
    for _ in range(count):
        torch.cuda.synchronize(training.device)
        begin = time.perf_counter()
        for _ in range(STEPS_AT_A_TIME):
            training.step()
        queued = time.perf_counter()
        torch.cuda.synchronize(training.device)
        seconds.append((time.perf_counter() - begin) / STEPS_AT_A_TIME)
        host.append((queued - begin) / STEPS_AT_A_TIME)
    return seconds, host


def answer(**values):
    print(json.dumps(values), flush=True)


def main():
    task = json.loads(sys.argv[1])
    torch.set_num_threads(task["threads"])
    torch.set_num_interop_threads(1)
    began = time.perf_counter()
    try:
        training = Training(Recording(task["recording"]), task)
        exact = training.exact_losses()
        losses = training.replay()
        work = training
        if task["evaluationBatch"]:
            work = Evaluation(training, task["evaluationBatch"], task["compileMode"])
            work.step()
    except Exception as failure:  # A compiler may fail with any exception.
        answer(failure=str(failure).strip().splitlines()[0] if str(failure) else repr(failure))
        return
    answer(
        torch=torch.__version__,
        parameters=training.parameters,
        losses=losses,
        exactLosses=exact,
        replaySeconds=time.perf_counter() - began,
    )
    training.memory.forget_peak()
    for line in sys.stdin:
        timer = time_gpu_steps if training.on_gpu else time_steps
        seconds, host = timer(work, int(line))
        answer(seconds=seconds, hostSeconds=host, peakBytes=training.memory.peak_growth())


if __name__ == "__main__":
    main()
