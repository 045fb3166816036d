"""Runs the campaign. Start it with `run`, which builds the programs that it needs and explains it."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from run_content import content_of, first_difference

SETTINGS = [
    "--data", "shapes10", "--epochs", "2", "--threads", "1", "--seed", "2", "--quiet",
    "--set", "data.source.trainCount=360", "--set", "data.validationCount=120", "--set", "data.source.testCount=20",
    "--set", "recipe.batchSize=60", "--set", "recipe.emaDecay=0.5", "--set", "checkpoints.everyMinutes=1e-6",
    "--set", "checkpoints.keepEpochs=1",
]  # fmt: skip
PARTS = ("kills", "faults", "random", "pairs", "files", "parsers")
ANSWERS = {0, 1, 2}  # The exit statuses for success, failure with a message, and wrong usage.


class Campaign:
    def __init__(self, root, folder, minutes, inputs):
        self.program = str(root / "build/release/lambda")
        self.injection = str(root / "build/release/tests/lambda-fault-injection.so")
        self.fuzzers = sorted((root / "build/fuzz/tests").glob("fuzz_*[a-z0-9]"))
        self.corpora = root / "tests/data/fuzz"
        self.folder = folder
        self.minutes = minutes
        self.inputs = inputs
        self.random = random.Random(1)
        self.rows = []
        self.losses = []

    # ---- one process ----

    def start(self, arguments, **variables):
        environment = dict(os.environ, LC_ALL="C", **variables)
        return subprocess.Popen(
            [self.program, *arguments], env=environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def run(self, arguments, timeout=300, **variables):
        process = self.start(arguments, **variables)
        try:
            _, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "timeout", ""
        return process.returncode, errors.decode("utf-8", "replace")

    def fault(self, out, at=0, kind="kill", log=None):
        variables = {
            "LD_PRELOAD": self.injection,
            "LAMBDA_FAULT_FOLDER": f"{out}/",
            "LAMBDA_FAULT_AT": str(at),
            "LAMBDA_FAULT_KIND": kind,
        }
        if log:
            variables["LAMBDA_FAULT_LOG"] = str(log)
        return variables

    def train(self, name, **fault):
        out = self.folder / name
        out.mkdir(parents=True)
        status, errors = self.run(["train", "quickstart", *SETTINGS, "--out", str(out)], **self.fault(out, **fault))
        runs = [path for path in out.iterdir() if path.is_dir()]
        return (runs[0] if runs else None), status, errors

    # ---- comparing ----

    def prepare(self):
        log = self.folder / "operations"
        run, status, errors = self.train("undisturbed", log=log)
        if status != 0:
            sys.exit(f"the undisturbed run failed: {errors}")
        self.undisturbed = content_of(run, self.program)
        self.operations = [line.split(" ", 2) for line in log.read_text().splitlines()]

    def points(self):
        """Operations to try: of the many writes of a temporary file the first, the last and about 2 % of the others."""
        points, previous = [], None
        for i, (number, name, path) in enumerate(self.operations):
            following = self.operations[i + 1][1:] if i + 1 < len(self.operations) else None
            inside = previous == [name, path] == following and path.endswith(".part")
            if not inside or self.random.random() < 0.02:
                points.append(int(number))
            previous = [name, path]
        return points

    def recover(self, run):
        """Resumes until the run is finished; returns a text about what is lost, empty if nothing is."""
        if run is None or not (run / "run.json").exists():
            return ""  # The run had not begun.
        for _ in range(5):
            if json.loads((run / "run.json").read_text())["status"] == "finished":
                return first_difference(self.undisturbed, content_of(run, self.program))
            status, errors = self.run(["resume", str(run), "--quiet"])
            if status != 0 and "no checkpoint to resume from" in errors:
                return ""  # Killed before the initial weights were saved.
            if status not in (0, 1):
                return f"resume ends with {status}: {errors}"
        return f"resume does not finish the run: {errors}"

    def disturbed(self, at, kind):
        name = f"{kind}-{at}"
        run, status, errors = self.train(name, at=at, kind=kind)
        lost = self.recover(run) if status != "timeout" else "timeout"
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return f"{kind} at operation {at} ({' '.join(self.operations[at - 1][1:])}): {lost}" if lost else ""

    def try_all(self, what, cases, minutes):
        end = time.monotonic() + 60 * minutes
        done, losses = 0, []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            def attempt(case):
                return None if time.monotonic() > end else case[0](*case[1:])

            for answer in pool.map(attempt, cases):
                if answer is None:
                    continue
                done += 1
                if answer:
                    losses.append(answer)
                    print(answer, flush=True)
        self.rows.append((what, done, len(losses)))
        self.losses += losses
        print(f"{what}: {done} tried, {len(losses)} lost something", flush=True)

    # ---- the parts ----

    def kills(self, minutes):
        points = self.points()
        self.random.shuffle(points)
        self.try_all("kills at an operation on a file", [(self.disturbed, at, "kill") for at in points], minutes)

    def faults(self, minutes):
        cases = []
        for at in self.points():
            removes = self.operations[at - 1][1] in ("remove", "unlink")
            for kind in ("ENOSPC", "EIO", "EINTR", "short"):
                if not (removes and kind != "EINTR"):
                    cases.append((self.disturbed, at, kind))
        self.random.shuffle(cases)
        self.try_all("operations that fail: ENOSPC, EIO, EINTR, short writes", cases, minutes)

    def killed_at_random(self, number, delays):
        out = self.folder / f"random-{number}"
        out.mkdir()
        process = self.start(["train", "quickstart", *SETTINGS, "--out", str(out)])
        lost = ""
        for delay in delays:
            try:
                process.communicate(timeout=delay)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            runs = [path for path in out.iterdir() if path.is_dir()]
            if not runs:
                break
            process = self.start(["resume", str(runs[0]), "--quiet"])
        process.kill()
        process.communicate()
        runs = [path for path in out.iterdir() if path.is_dir()]
        if runs:
            lost = self.recover(runs[0])
        shutil.rmtree(out, ignore_errors=True)
        return f"killed at random after {delays} s: {lost}" if lost else ""

    def random_kills(self, minutes):
        cases = []
        for number in range(100000 if minutes > 60 else 2000):
            cases.append((self.killed_at_random, number, [self.random.uniform(0.2, 1.6) for _ in range(4)]))
        self.try_all("runs that are killed at random, four times each", cases, minutes)

    def two_at_once(self, number, seed):
        chance = random.Random(seed)
        out = self.folder / f"pair-{number}"
        out.mkdir()
        first = self.start(["train", "quickstart", *SETTINGS, "--out", str(out)])
        lost = ""
        while first.poll() is None and not any(path.joinpath("run.json").exists() for path in out.iterdir()):
            time.sleep(0.02)
        runs = [path for path in out.iterdir() if path.is_dir()]
        others = []
        for _ in range(4):
            action = chance.choice((["resume"], ["evaluate", "--split", "validation"], ["evaluate"], ["info"]))
            others.append(self.start([action[0], str(runs[0]), *action[1:], "--json"]))
            time.sleep(chance.uniform(0, 0.3))
            if chance.random() < 0.3:
                others[-1].send_signal(signal.SIGKILL)
        if chance.random() < 0.5:
            first.kill()
        for process in (first, *others):
            process.communicate()
            if process.returncode not in ANSWERS | {-signal.SIGKILL}:
                lost = f"a process ended with {process.returncode}"
        (runs[0] / "evaluations.jsonl").unlink(missing_ok=True)
        lost = lost or self.recover(runs[0])
        shutil.rmtree(out, ignore_errors=True)
        return f"two processes on one run, seed {seed}: {lost}" if lost else ""

    def pairs(self, minutes):
        cases = [(self.two_at_once, number, number) for number in range(100000 if minutes > 60 else 1000)]
        self.try_all("runs with several processes at once", cases, minutes)

    def hostile(self, number, run):
        chance = random.Random(number)
        folder = self.folder / f"hostile-{number}"
        shutil.copytree(run, folder)
        victims = [path for path in folder.rglob("*") if path.is_file()]
        victim = chance.choice(victims)
        data = bytearray(victim.read_bytes())
        for _ in range(chance.choice((1, 1, 1, 8, 64))):
            change = chance.randrange(5)
            place = chance.randrange(len(data)) if data else 0
            # Most damage goes to the first bytes: a header has more ways to fail than a megabyte of weights.
            if data and chance.random() < 0.7:
                place = chance.randrange(min(len(data), 4096))
            if not data or change == 0:
                data[place:place] = chance.randbytes(chance.randrange(1, 64))
            elif change == 1:
                data[place] ^= 1 << chance.randrange(8)
            elif change == 2:
                del data[place : place + chance.randrange(1, 256)]
            elif change == 3:
                data[place : place + 8] = chance.choice((b"\xff" * 8, b"\0" * 8, b"1e999999", b'"NaN"   '))
            else:
                del data[place:]
        victim.write_bytes(data)
        command = chance.choice(
            (["info"], ["evaluate"], ["inspect", "--list"], ["resume"], ["curves"], ["export", "--to", "csv"])
        )
        arguments = [command[0], str(folder), *command[1:], "--json"]
        process = self.start(arguments)
        lost = ""
        try:
            output, errors = process.communicate(timeout=60)
            if process.returncode not in ANSWERS:
                lost = f"ends with {process.returncode}: {errors.decode('utf-8', 'replace')}"
            elif output.strip():
                json.loads(output)
        except subprocess.TimeoutExpired:
            process.kill()
            lost = "does not end"
        except ValueError as error:
            lost = f"prints output that is not JSON: {error}"
        shutil.rmtree(folder, ignore_errors=True)
        return f"{' '.join(command)} with a damaged {victim.relative_to(folder)}, seed {number}: {lost}" if lost else ""

    def files(self, minutes):
        run, _, _ = self.train("whole")
        cases = [(self.hostile, number, run) for number in range(1000000 if minutes > 60 else 20000)]
        self.try_all("commands on a run with a damaged file", cases, minutes)

    def parsers(self, minutes):
        seconds = int(60 * minutes / max(1, len(self.fuzzers)))
        limit = f"-runs={self.inputs}" if self.inputs else f"-max_total_time={seconds}"
        for fuzzer in self.fuzzers:
            name = fuzzer.name.removeprefix("fuzz_")
            found = self.folder / f"found-{name}"
            found.mkdir()
            process = subprocess.run(
                [fuzzer, limit, "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
                 f"-artifact_prefix={found}/", found, self.corpora / name],
                capture_output=True, text=True,
            )  # fmt: skip
            tried = [line.split()[-1] for line in process.stderr.splitlines() if "number_of_executed_units" in line]
            if process.returncode != 0:
                self.losses.append(f"parser {name}: {process.stderr[-2000:]}")
                print(self.losses[-1], flush=True)
            self.rows.append((f"inputs of the parser {name}", int(tried[0]) if tried else 0, int(process.returncode != 0)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--inputs", type=int, help="inputs of each parser, however long they take")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(PARTS))
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if arguments.out:
        arguments.out.mkdir(parents=True)
    folder = arguments.out or pathlib.Path(tempfile.mkdtemp(prefix="lambda-campaign-"))
    campaign = Campaign(arguments.root, folder.resolve(), arguments.minutes, arguments.inputs)
    campaign.prepare()
    share = arguments.minutes / len(chosen)
    actions = {
        "kills": campaign.kills, "faults": campaign.faults, "random": campaign.random_kills,
        "pairs": campaign.pairs, "files": campaign.files, "parsers": campaign.parsers,
    }  # fmt: skip
    for part in chosen:
        actions[part](share)
    print("\n| what | tried | lost or crashed |\n| --- | --- | --- |")
    for what, tried, lost in campaign.rows:
        print(f"| {what} | {tried:,} | {lost} |")
    if not arguments.out:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if campaign.losses else 0


if __name__ == "__main__":
    sys.exit(main())
