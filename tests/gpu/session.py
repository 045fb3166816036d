"""Runs stages one after the other, each with its own time limit, and keeps the result files complete after every one:
report.md, report.json and log.txt, in the folder of the results and in the build folder, from where a later session
continues."""

import ctypes
import importlib.util
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from report import markdown

LOG_BYTES = 300_000  # of one stage; the log must stay small enough to be carried away
TAIL_BYTES = 6_000
GRACE = 8  # seconds from the request to end until the kill
SKIPPED = 77
DONE = ("good", "FAILED", "skipped")
NO_DEVICE = re.compile(r"no NVIDIA driver|no GPU|no CUDA-capable device|driver version is insufficient|driver reports no usable")


@dataclass
class Stage:
    name: str
    checks: str
    command: list
    limit: int
    builds: bool = False
    needs: str = ""  # a program on the PATH or a module of Python, without which the stage is skipped
    proof: str = ""  # a regular expression that the output must match
    skips: str = ""  # output of a machine that does not allow what the stage does
    json_file: Path | None = None  # of a program that writes its figures into a file
    needs_gpu: bool = True


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    os.setpgid(0, 0)


class Session:
    def __init__(self, stages, out, state, minutes, continues, dry):
        self.stages, self.state, self.dry = stages, state, dry
        self.folders = [out, state]
        self.deadline = time.monotonic() + 60 * minutes if minutes else None
        self.child = None
        self.interrupted = False
        former = {}
        for folder in self.folders:
            folder.mkdir(parents=True, exist_ok=True)
        if continues and (state / "report.json").exists():
            report = json.loads((state / "report.json").read_text())
            build = {stage.name for stage in stages if stage.builds}
            former = {each["stage"]: each for each in report["stages"]
                      if each["result"] in DONE and not (each["result"] == "FAILED" and each["stage"] in build)}
            if (state / "log.txt").exists():
                shutil.copy(state / "log.txt", out / "log.txt")
        self.logs = [open(folder / "log.txt", "ab" if continues else "wb", buffering=0) for folder in self.folders]
        self.entries = [former.get(stage.name) or self.entry(stage) for stage in stages]

    @staticmethod
    def entry(stage):
        return {"stage": stage.name, "checks": stage.checks, "command": [str(each) for each in stage.command],
                "limitSeconds": stage.limit, "result": "not run", "reason": "", "status": None, "seconds": 0,
                "tail": "", "figures": None}

    def write(self):
        report = {"stages": self.entries, "dry": self.dry}
        for folder in self.folders:
            for name, text in (("report.json", json.dumps(report, indent=1)), ("report.md", markdown(report))):
                partial = folder / (name + ".partial")
                partial.write_text(text)
                partial.replace(folder / name)

    def log(self, data):
        for log in self.logs:
            log.write(data)

    def interrupt(self, _number, _frame):
        self.interrupted = True
        if self.child:
            self.signal(signal.SIGKILL)

    def signal(self, number):
        try:
            os.killpg(self.child.pid, number)
        except ProcessLookupError:
            pass

    def run(self):
        """The exit status: 0 if every stage that ran is good, SKIPPED if one was skipped that all others need, else 1."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)
        self.write()
        is_built = True
        for stage, entry in zip(self.stages, self.entries):
            if entry["result"] in DONE:
                print(f"{entry['stage']}: {entry['result']}, before", flush=True)
            elif not is_built:
                entry.update(result="not run", reason="the build is not there")
            elif self.interrupted:
                entry.update(result="not run", reason="interrupted")
            elif self.left() < 10:
                entry.update(result="not run", reason="no time was left")
            elif stage.needs and not shutil.which(stage.needs) and not importlib.util.find_spec(stage.needs):
                entry.update(result="skipped", reason=f"{stage.needs} is not installed")
                print(f"{stage.name}: skipped, {entry['reason']}", flush=True)
            else:
                self.run_stage(stage, entry)
            if stage.builds and entry["result"] != "good":
                is_built = False
            self.write()
        bad = [entry["stage"] for entry in self.entries if entry["result"] in ("FAILED", "cut off", "running")]
        rest = [entry["stage"] for entry in self.entries if entry["result"] == "not run"]
        counts = {result: sum(entry["result"] == result for entry in self.entries) for result in ("good", "skipped")}
        last = f"{counts['good']} stages good, {counts['skipped']} skipped"
        last += f"; not run: {', '.join(rest)}" if rest else ""
        last += f"; FAILED: {', '.join(bad)}" if bad else ""
        print(f"{last}. See {self.folders[0] / 'report.md'}", flush=True)
        if any(stage.builds and entry["result"] == "skipped" for stage, entry in zip(self.stages, self.entries)):
            return SKIPPED
        return 1 if bad or (self.dry and rest) else 0

    def left(self):
        return self.deadline - time.monotonic() if self.deadline else float("inf")

    def run_stage(self, stage, entry):
        limit = min(stage.limit, self.left())
        entry.update(self.entry(stage), result="running")
        self.write()
        print(f"{stage.name} ...", flush=True)
        self.log(f"\n==== {stage.name}\n$ {' '.join(entry['command'])}\n".encode())
        started = time.monotonic()
        output, tail, ended_itself = self.stream(entry["command"], started + limit)
        status = self.child.returncode
        self.child = None
        entry["seconds"] = round(time.monotonic() - started, 1)
        entry["status"] = status
        entry["tail"] = tail.decode(errors="replace")[-TAIL_BYTES:]
        text = output.decode(errors="replace")
        entry["figures"] = figures_of(stage, text)
        entry["result"], entry["reason"] = self.judge(stage, status, text + entry["tail"], ended_itself, limit)
        self.log(f"==== {stage.name}: {entry['result']} {entry['reason']} after {entry['seconds']} s\n".encode())
        print(f"{stage.name}: {entry['result']}{', ' if entry['reason'] else ''}{entry['reason']}, {entry['seconds']} s", flush=True)

    def stream(self, command, end):
        """Standard output, the last of both outputs, and whether the command ended by itself."""
        try:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, preexec_fn=die_with_parent)
        except OSError as failure:
            self.child = subprocess.Popen(["sh", "-c", "echo \"$0\" >&2; exit 127", str(failure)],
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=die_with_parent)
        output, tail, logged = bytearray(), bytearray(), 0
        selector = selectors.DefaultSelector()
        for pipe in (self.child.stdout, self.child.stderr):
            selector.register(pipe, selectors.EVENT_READ)
        ended_itself = True
        while selector.get_map():
            if time.monotonic() > end + (0 if ended_itself else GRACE):
                if not ended_itself:
                    break
                ended_itself = False  # a program that has results of a part writes them
                self.signal(signal.SIGTERM)
            ready = selector.select(timeout=1)
            if not ready and self.child.poll() is not None:
                break  # only processes that it left behind have the pipes
            for key, _ in ready:
                data = os.read(key.fileobj.fileno(), 65536)
                if not data:
                    selector.unregister(key.fileobj)
                    continue
                if key.fileobj is self.child.stdout:
                    output += data
                tail = (tail + data)[-TAIL_BYTES:]
                if logged < LOG_BYTES:
                    self.log(data)
                logged += len(data)
        if logged > LOG_BYTES:
            self.log(b"\n[... more was left out; the last of it:]\n" + bytes(tail) + b"\n")
        try:
            if ended_itself:
                self.child.wait(max(1, end - time.monotonic()))  # it closed its output, and may still work
        except subprocess.TimeoutExpired:
            ended_itself = False
        self.signal(signal.SIGKILL)  # also what it left running
        self.child.wait()
        self.child.stdout.close()
        self.child.stderr.close()
        return bytes(output), bytes(tail), ended_itself and not self.interrupted

    def judge(self, stage, status, text, ended_itself, limit):
        if self.interrupted:
            return "cut off", "interrupted"
        if not ended_itself:
            if limit < stage.limit:
                return "cut off", "the session's time ended"
            return "FAILED", f"over its limit of {stage.limit} s"
        if self.dry and stage.needs_gpu:
            if status in (0, 1, SKIPPED) and NO_DEVICE.search(text):
                return "good", "ends where it looks for the device"
            return "FAILED", f"status {status}, and the reason is not that there is no GPU"
        if status == SKIPPED or stage.skips and stage.skips in text:
            return "skipped", last_line(text)
        if status != 0:
            return "FAILED", f"status {status}: {last_line(text)}"
        if skip := re.search(r"^SKIP\s*: .*", text, re.M):
            return "skipped", " ".join(skip.group().split())
        if not self.dry and stage.proof and not re.search(stage.proof, text):
            return "FAILED", f"its output lacks {stage.proof}"
        return "good", ""


def last_line(text):
    return (text.strip().splitlines() or [""])[-1][:200]


def figures_of(stage, output):
    """What a command printed or wrote as JSON."""
    if stage.json_file and stage.json_file.exists():
        output = stage.json_file.read_text()
    try:
        return json.loads(output) if output.lstrip().startswith("{") else None
    except json.JSONDecodeError:
        return None
