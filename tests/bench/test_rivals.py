"""Tests of rivals.py without PyTorch and without a GPU: its options, limits, turns and reports."""

import contextlib
import io
import json
import os
import pathlib
import signal
import sys
import tempfile
import types
import unittest
from unittest import mock

import rival_contenders
import rival_report
import rivals
from rival_contenders import Failed, OurSteps

RECORDED = [2.0, 1.5, 1.0]
MACHINE = {"cpu": "a CPU", "cores": 2, "program": "1", "torch": "2.11.0"}


class StandInLambda:
    """The program `lambda`, which needs a millisecond more in every turn."""

    kind = "cuda"

    def __init__(self, path):
        self.turns = 0

    def json(self, *arguments):
        if arguments[0] == "info":
            return {"torch": "2.11.0", "device": {"kind": self.kind, "reason": "no driver"}}
        return {"parameters": 7}

    def libtorch(self):
        return None

    def record(self, preset, threads, options, path):
        header = json.dumps({"__metadata__": {"losses": json.dumps(RECORDED)}}).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header)

    def steps(self, preset, precision, threads, options):
        self.turns += 1
        host, launches = (0.1, {"kernels": 300, "transfers": 2}) if options.on_gpu else (None, None)
        return MACHINE, OurSteps(1 + (self.turns - 1) // 2, host, launches, 1 << 20)

    def evaluations(self, preset, precision, threads, options):
        return MACHINE, OurSteps(2, None, None, None)


class StandInWorker:
    """A rival that needs 4 ms a step."""

    living = 0
    losses = {}  # By a part of the name; the recorded ones where there are none.
    stops_in_turn = None
    stops_on_start = ()
    failing = ()  # Parts of names.

    def __init__(self, rival, recording, threads, options):
        if any(part in rival.name for part in self.failing):
            raise Failed("it does not compile")
        if any(part in rival.name for part in self.stops_on_start):
            os.kill(os.getpid(), signal.SIGTERM)
        type(self).living += 1
        self.rival, self.turns, self.peak_bytes = rival, 0, 2 << 20
        found = [losses for part, losses in self.losses.items() if part in rival.name]
        self.start = {
            "parameters": 7,
            "losses": found[0] if found else RECORDED,
            "exactLosses": None,
        }

    def steps(self, count):
        self.turns += 0.5
        if self.turns == self.stops_in_turn:
            os.kill(os.getpid(), signal.SIGTERM)
        return [0.004] * count, [0.001] * count if self.on_gpu else []

    def cpu_seconds(self):
        return 0.0

    def release(self):
        type(self).living -= 1

    def end(self):
        pass


class TestRivals(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name) / "report"
        torch = types.SimpleNamespace(
            __version__="2.11.0",
            __file__="/nowhere/torch/__init__.py",
            cuda=types.SimpleNamespace(
                is_available=lambda: True, get_device_name=lambda device: f"a GPU at {device}"
            ),
        )
        self.worker = type("Worker", (StandInWorker,), {"on_gpu": False})
        self.program = type("Program", (StandInLambda,), {})
        for patch in (
            mock.patch.dict(sys.modules, torch=torch),
            mock.patch.object(rivals, "Worker", self.worker),
            mock.patch.object(rivals, "Lambda", self.program),
            mock.patch.object(rivals.shutil, "which", lambda name: name),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        for number in (signal.SIGINT, signal.SIGTERM):
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def run_with(self, *arguments):
        """The exit status, the report, and the messages of a run."""
        self.worker.on_gpu = "cuda" in arguments
        said, printed = io.StringIO(), io.StringIO()
        given = ["rivals.py", *arguments, "--out", str(self.out)]
        with mock.patch.object(sys, "argv", given), contextlib.redirect_stdout(printed):
            with contextlib.redirect_stderr(said):
                status = rivals.main()
        report = self.out / "rivals.json"
        text = report.read_text(encoding="utf-8") if report.exists() else "null"
        self.assertEqual(self.worker.living, 0)
        return status, json.loads(text), said.getvalue()

    def refusal_of(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            rivals.arguments(list(arguments))
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def names(self, network, *arguments):
        options = rivals.arguments(list(arguments))
        return [rival.name for rival in rival_contenders.rivals_of(network, options)]

    def test_evaluations_take_turns_too(self):
        status, report, _ = self.run_with(
            "--work", "evaluation", "--networks", "conv", "--threads", "1", "--turns", "2"
        )
        self.assertEqual(status, 0)
        row = report["rows"][0]
        self.assertEqual((row["case"], row["batch"]), ("tudelft-conv evaluation", 250))
        self.assertEqual(set(row["ratio"].values()), {2})
        text = (self.out / "rivals.md").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("Evaluations against PyTorch's"))
        self.assertIn("evaluations are for the CPU", self.refusal_of("--work", "evaluation", "--device", "cuda"))

    def test_rivals_of_the_cpu(self):
        self.assertEqual(
            self.names("conv"),
            [
                "eager float32",
                "eager float32 channels_last",
                "eager bfloat16 channels_last",
                "torch.compile float32 channels_last",
                "torch.compile bfloat16 channels_last",
            ],
        )
        names = self.names("lambda", "--rivals", "eager", "--compile-mode", "max-autotune")
        self.assertEqual(len(names), 6)
        self.assertEqual(names[0], "einsum, eager float32")

    def test_rivals_of_a_gpu(self):
        names = self.names("conv", "--device", "cuda")
        self.assertEqual(len(set(names)), 10)
        self.assertEqual(names[0], "eager bfloat16 channels_last")
        for how in (
            "eager float32 channels_last, CUDA graph",
            "torch.compile bfloat16 channels_last",
            "torch.compile bfloat16 channels_last, reduce-overhead",
            "torch.compile float32 channels_last, max-autotune",
        ):
            self.assertIn(how, names)
        self.assertEqual(len(set(self.names("lambda", "--device", "cuda:1"))), 20)

    def test_options_that_are_refused(self):
        self.assertIn("cuda:N", self.refusal_of("--device", "gpu"))
        self.assertIn("is for the CPU", self.refusal_of("--device", "cuda", "--threads", "2"))
        self.assertIn("at least 3 steps", self.refusal_of("--steps", "2"))
        self.assertIn("the networks are", self.refusal_of("--networks", "mlp"))

    def test_limits_of_the_losses(self):
        rival = rival_contenders.Rival("conv", "float32", True)
        worker = mock.Mock(rival=rival)

        def passes(off, *arguments, exact=None):
            options = rivals.arguments(list(arguments))
            worker.start = {
                "parameters": 7,
                "losses": [loss * (1 + off) for loss in RECORDED],
                "exactLosses": exact and [loss * (1 + exact) for loss in RECORDED],
            }
            try:
                rival_contenders.check_parity(worker, RECORDED, 7, options)
                return True
            except Failed:
                return False

        self.assertTrue(passes(9e-6) and not passes(2e-5))
        off = ("--device", "cuda", "--tf32", "off")
        self.assertTrue(passes(9e-5, *off) and not passes(2e-4, *off))
        on = ("--device", "cuda")
        self.assertTrue(passes(9e-3, *on) and not passes(2e-2, *on))
        self.assertTrue(passes(9e-3, *on, exact=9e-5) and not passes(9e-3, *on, exact=2e-4))
        self.assertFalse(passes(float("nan")))
        with self.assertRaises(Failed):
            rival_contenders.check_parity(worker, RECORDED, 8, rivals.arguments([]))

    def test_a_report_of_the_cpu(self):
        status, report, _ = self.run_with("--networks", "conv", "--threads", "1", "--turns", "2")
        self.assertEqual(status, 0)
        self.assertEqual(len(report["rows"]), 2)
        row = report["rows"][0]
        self.assertEqual(row["case"], "tudelft-conv step without data")
        self.assertEqual(row["oursPerTurn"], [1, 2])
        self.assertEqual(row["ratio"]["eager float32"], 3)
        self.assertEqual(row["ratioRange"]["eager float32"], [2, 4])
        self.assertNotIn("launches", row)
        self.assertEqual(report["machine"]["gpu"], None)
        table = (self.out / "rivals.md").read_text(encoding="utf-8")
        self.assertIn("| | ms | images/s | peak MiB | against ours, float32 |", table)
        self.assertIn("| eager float32 | 4.0 | 32000 | 2 | 3.00 (2.00 to 4.00) |", table)

    def test_a_report_of_a_gpu(self):
        status, report, _ = self.run_with("--networks", "conv", "--device", "cuda", "--turns", "1")
        self.assertEqual(status, 0)
        row = report["rows"][0]
        self.assertEqual(row["case"], "tudelft-conv step in a run")
        self.assertEqual(len(row["rivals"]), 10)
        # Ten rivals are in three groups, and ours takes part in each.
        self.assertEqual(row["oursPerTurn"], [1, 2, 3])
        self.assertEqual(row["ratio"]["eager bfloat16 channels_last"], 4)
        self.assertEqual(row["ratio"]["torch.compile float32 channels_last, max-autotune"], 4 / 3)
        self.assertEqual(row["rivalsHostMs"]["eager bfloat16 channels_last"], 1)
        self.assertEqual(row["launches"]["kernels"], 300)
        self.assertEqual(report["machine"]["gpu"], "a GPU at cuda")
        table = (self.out / "rivals.md").read_text(encoding="utf-8")
        self.assertIn("| | ms | host ms | images/s | peak MiB |", table)
        self.assertIn("300 kernels and 2 transfers a step", table)

    def test_a_stop_keeps_what_was_measured(self):
        self.worker.stops_in_turn = 2
        status, report, said = self.run_with(
            "--networks", "conv,lambda", "--threads", "1", "--turns", "3"
        )
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertIn("stopped by SIGTERM", said)
        self.assertEqual({row["case"] for row in report["rows"]}, {"tudelft-conv step without data"})
        self.assertEqual(report["rows"][0]["oursPerTurn"], [1])
        self.assertEqual(len(report["rows"][0]["rivals"]), 5)

    def test_a_stop_before_the_first_turn_leaves_no_report(self):
        self.worker.stops_in_turn = 0.5
        status, report, _ = self.run_with("--networks", "conv", "--threads", "1")
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertIsNone(report)

    def test_a_stop_keeps_what_was_left_out(self):
        self.worker.failing = ("bfloat16 channels_last, CUDA graph",)
        self.worker.stops_on_start = ("reduce-overhead",)
        status, report, _ = self.run_with("--networks", "conv", "--device", "cuda", "--turns", "1")
        self.assertEqual(status, 128 + signal.SIGTERM)
        row = report["rows"][0]
        self.assertEqual(len(row["rivals"]), 4)
        self.assertIn("eager bfloat16 channels_last, CUDA graph", row["skipped"])

    def test_a_rival_that_fails_on_a_gpu_is_left_out(self):
        self.worker.failing = ("bfloat16 channels_last, CUDA graph",)
        self.worker.losses = {"float32 channels_last, reduce-overhead": [2.1, 1.5, 1.0]}
        status, report, _ = self.run_with("--networks", "conv", "--device", "cuda", "--turns", "1")
        self.assertEqual(status, 0)
        row = report["rows"][0]
        self.assertEqual(len(row["rivals"]), 8)
        skipped = row["skipped"]
        self.assertIn("it does not compile", skipped["eager bfloat16 channels_last, CUDA graph"])
        other = "torch.compile float32 channels_last, reduce-overhead"
        self.assertIn("does not train the same network", skipped[other])
        self.assertNotIn(other, row["parity"])

    def test_a_rival_that_fails_on_the_cpu_ends_the_run(self):
        self.worker.losses = {"eager bfloat16": [2.5, 1.5, 1.0]}
        status, report, said = self.run_with("--networks", "conv", "--threads", "1")
        self.assertEqual(status, 1)
        self.assertIn("does not train the same network", said)
        self.assertIsNone(report)

    def test_a_missing_gpu_is_explained(self):
        self.program.kind = "cpu"
        status, _, said = self.run_with("--device", "cuda")
        self.assertEqual(status, 1)
        self.assertIn("Lambda Studio can't use a GPU here: no driver", said)
        self.program.kind = "cuda"
        sys.modules["torch"].cuda.is_available = lambda: False
        status, _, said = self.run_with("--device", "cuda")
        self.assertEqual(status, 1)
        self.assertIn("PyTorch 2.11.0 can't use a GPU here", said)

    def test_quiet_groups_do_not_hide_a_disturbed_one(self):
        turns = rival_report.Turns("case", 1, 7, rivals.arguments([]))
        ours = {precision: OurSteps(1, None, None, 0) for precision in rival_report.PRECISIONS}
        for others in (0.2, 0.01):
            turns.begin_group()
            turns.add(ours, {}, {"others": 0.5, "stolen": 0.0})
            turns.add(ours, {}, {"others": others, "stolen": 0.0})
        turns.begin_group()
        self.assertEqual(turns.rows()[0]["load"]["others"], 0.2)


if __name__ == "__main__":
    unittest.main()
