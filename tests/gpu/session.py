"""Runs stages in their order, each with its own time limit, several at once where none must be alone, and keeps the result
files complete after every one: report.md, report.json and log.txt, in the folder of the results and in the build folder, from
where a later session continues."""

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
    alone: bool = False  # other stages would change its figures


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    os.setpgid(0, 0)


class Running:
    """The process of a stage, and what it printed."""

    def __init__(self, stage, entry, limit):
        self.stage, self.entry, self.limit = stage, entry, limit
        self.started = time.monotonic()
        self.ended_itself = True
        self.output, self.tail, self.logged, self.length = bytearray(), bytearray(), bytearray(), 0
        try:
            self.child = self.start(entry["command"])
        except OSError as failure:
            self.child = self.start(["sh", "-c", "echo \"$0\" >&2; exit 127", str(failure)])
        self.pipes = {self.child.stdout, self.child.stderr}

    @staticmethod
    def start(command):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=die_with_parent)

    def seconds(self):
        return time.monotonic() - self.started

    def signal(self, number):
        try:
            os.killpg(self.child.pid, number)
        except ProcessLookupError:
            pass

    def read(self, pipe):
        """Whether the pipe has more to come."""
        data = os.read(pipe.fileno(), 65536)
        if not data:
            self.pipes.discard(pipe)
            return False
        if pipe is self.child.stdout:
            self.output += data
        self.tail = (self.tail + data)[-TAIL_BYTES:]
        self.logged += data[:max(0, LOG_BYTES - len(self.logged))]
        self.length += len(data)
        return True

    def has_ended(self):
        """Ends the stage where its time is over. One that closed its output may still work; one that exited may have left
        processes that hold the pipes."""
        over = self.seconds() - self.limit
        if over > 0 and self.ended_itself and self.child.poll() is None:
            self.ended_itself = False
            self.signal(signal.SIGTERM)  # a program that has results of a part writes them
        return self.child.poll() is not None or over > GRACE

    def close(self):
        self.signal(signal.SIGKILL)  # also what it left running
        self.child.wait()
        self.child.stdout.close()
        self.child.stderr.close()

    def log(self):
        if self.length <= len(self.logged):
            return bytes(self.logged)
        return bytes(self.logged) + b"\n[... more was left out; the last of it:]\n" + bytes(self.tail) + b"\n"


class Session:
    def __init__(self, stages, out, state, minutes, continues, dry, at_once=1):
        self.stages, self.state, self.dry, self.at_once = stages, state, dry, at_once
        self.folders = [out, state]
        self.deadline = time.monotonic() + 60 * minutes if minutes else None
        self.running = []
        self.selector = selectors.DefaultSelector()
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
        self.is_built = True

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

    def interrupt(self, _number, _frame):
        self.interrupted = True
        for each in self.running:
            each.signal(signal.SIGKILL)

    def run(self):
        """The exit status: 0 if every stage that ran is good, SKIPPED if one was skipped that all others need, else 1."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)
        self.write()
        waiting = list(zip(self.stages, self.entries))
        while waiting or self.running:
            while waiting and self.may_begin(waiting[0][0]):
                self.begin(*waiting.pop(0))
            self.tend()
        for each in (*self.logs, self.selector):
            each.close()
        return self.summary()

    def may_begin(self, stage):
        if not self.running:
            return True
        is_alone = stage.alone or stage.builds or any(each.stage.alone or each.stage.builds for each in self.running)
        return not is_alone and len(self.running) < self.at_once

    def begin(self, stage, entry):
        if entry["result"] in DONE:
            print(f"{entry['stage']}: {entry['result']}, before", flush=True)
        elif not self.is_built:
            entry.update(result="not run", reason="the build is not there")
        elif self.interrupted:
            entry.update(result="not run", reason="interrupted")
        elif self.left() < 10:
            entry.update(result="not run", reason="no time was left")
        elif stage.needs and not shutil.which(stage.needs) and not importlib.util.find_spec(stage.needs):
            entry.update(result="skipped", reason=f"{stage.needs} is not installed")
            print(f"{stage.name}: skipped, {entry['reason']}", flush=True)
        else:
            entry.update(self.entry(stage), result="running")
            self.write()
            print(f"{stage.name} ...", flush=True)
            running = Running(stage, entry, min(stage.limit, self.left()))
            self.running.append(running)
            for pipe in running.pipes:
                self.selector.register(pipe, selectors.EVENT_READ, running)
            return
        self.has_result(stage, entry)

    def has_result(self, stage, entry):
        if stage.builds and entry["result"] != "good":
            self.is_built = False
        self.write()

    def left(self):
        return self.deadline - time.monotonic() if self.deadline else float("inf")

    def tend(self):
        """Reads what the stages print, for a second at most, and ends those that are done."""
        if self.selector.get_map():
            for key, _ in self.selector.select(timeout=1):
                if not key.data.read(key.fileobj):
                    self.selector.unregister(key.fileobj)
        elif self.running:
            time.sleep(0.05)  # they closed their output
        for each in [each for each in self.running if each.has_ended()]:
            self.end(each)

    def end(self, running):
        while ready := [key for key, _ in self.selector.select(timeout=0) if key.data is running]:
            for key in ready:
                if not running.read(key.fileobj):
                    self.selector.unregister(key.fileobj)
        for pipe in running.pipes:
            self.selector.unregister(pipe)
        running.close()
        self.running.remove(running)
        stage, entry, tail = running.stage, running.entry, running.tail.decode(errors="replace")
        output = running.output.decode(errors="replace")
        entry.update(seconds=round(running.seconds(), 1), status=running.child.returncode, tail=tail,
                     figures=figures_of(stage, output))
        entry["result"], entry["reason"] = self.judge(running, output + tail)
        reason = f"{', ' if entry['reason'] else ''}{entry['reason']}"
        log = f"\n==== {stage.name}\n$ {' '.join(entry['command'])}\n".encode() + running.log()
        log += f"==== {stage.name}: {entry['result']} {entry['reason']} after {entry['seconds']} s\n".encode()
        for file in self.logs:
            file.write(log)
        print(f"{stage.name}: {entry['result']}{reason}, {entry['seconds']} s", flush=True)
        self.has_result(stage, entry)

    def judge(self, running, text):
        stage, status = running.stage, running.child.returncode
        if self.interrupted:
            return "cut off", "interrupted"
        if not running.ended_itself:
            if running.limit < stage.limit:
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

    def summary(self):
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
