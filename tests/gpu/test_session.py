"""The stages of a GPU run: how each end is told, what the result files have, and how a session goes on."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from session import SKIPPED, Session, Stage  # noqa: E402


def shell(name, text, limit=20, **more):
    return Stage(name, "something", ["sh", "-c", text], limit, **more)


class TestSession(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def run_stages(self, *stages, minutes=None, continues=False, dry=False, at_once=1):
        return Session(list(stages), self.out, self.folder / "state", minutes, continues, dry, at_once).run()

    def results(self):
        report = json.loads((self.out / "report.json").read_text())
        return {each["stage"]: (each["result"], each["reason"]) for each in report["stages"]}

    def test_a_stage_that_fails_does_not_stop_the_others(self):
        status = self.run_stages(shell("bad", "echo why >&2; exit 3"), shell("good", "echo fine"),
                                 Stage("missing", "", ["/no/such/program"], 5))
        self.assertEqual(status, 1)
        self.assertEqual(self.results()["bad"], ("FAILED", "status 3: why"))
        self.assertEqual(self.results()["good"], ("good", ""))
        self.assertEqual(self.results()["missing"][0], "FAILED")
        self.assertIn("| bad | something | FAILED: status 3: why |", (self.out / "report.md").read_text())
        self.assertIn("fine", (self.out / "log.txt").read_text())

    def test_nothing_runs_without_the_build(self):
        self.assertEqual(self.run_stages(shell("build", "exit 1", builds=True), shell("check", "echo ran")), 1)
        self.assertEqual(self.results()["check"], ("not run", "the build is not there"))
        self.assertEqual(self.run_stages(shell("build", "exit 77", builds=True), shell("check", "echo ran")), SKIPPED)

    def test_what_was_skipped_is_told_with_its_reason(self):
        self.assertEqual(self.run_stages(
            shell("status", "echo no device; exit 77"), shell("row", "echo 'SKIP   : f() no GPU: none'"),
            shell("tool", "true", needs="no-such-program")), 0)
        self.assertEqual(self.results(), {"status": ("skipped", "no device"), "row": ("skipped", "SKIP : f() no GPU: none"),
                                          "tool": ("skipped", "no-such-program is not installed")})

    def test_the_output_must_have_the_proof(self):
        self.run_stages(shell("proof", "echo hm", proof="All well"), shell("proven", "echo All well.", proof="All well"))
        self.assertEqual(self.results()["proof"], ("FAILED", "its output lacks All well"))
        self.assertEqual(self.results()["proven"], ("good", ""))

    def test_a_limit_ends_a_stage_with_what_it_had(self):
        figures = self.folder / "figures.json"
        self.run_stages(shell("slow", f"trap 'echo \"{{}}\" > {figures}; exit 143' TERM; sleep 60 & wait", limit=1,
                              json_file=figures),
                        shell("leaves a process", "sleep 60 & echo ok"), shell("silent", "exec >&- 2>&-; sleep 1; exit 4"))
        self.assertEqual(self.results()["slow"], ("FAILED", "over its limit of 1 s"))
        self.assertTrue(figures.exists())
        self.assertEqual(self.results()["leaves a process"][0], "good")
        self.assertEqual(self.results()["silent"], ("FAILED", "status 4: "))

    def test_without_a_gpu_a_command_must_end_for_want_of_it(self):
        self.run_stages(shell("usage", "echo no option; exit 2"), shell("trains on", "echo trained"),
                        shell("looks", "echo no NVIDIA driver is installed; exit 1"), dry=True)
        self.assertEqual([result for result, _ in self.results().values()], ["FAILED", "FAILED", "good"])

    def test_a_session_that_was_killed_goes_on(self):
        marks = self.folder / "marks"
        stages = f"""
import sys; sys.path.insert(0, {str(Path(__file__).resolve().parent)!r}); sys.dont_write_bytecode = True
from pathlib import Path
from session import Session, Stage
stages = [Stage("first", "", ["sh", "-c", "echo first >> {marks}"], 9), Stage("second", "", ["sleep", "60"], 99)]
Session(stages, Path({str(self.out)!r}), Path({str(self.folder / "state")!r}), None, False, False).run()
"""
        child = subprocess.Popen([sys.executable, "-c", stages], stdout=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if (self.out / "report.json").exists() and self.results()["second"][0] == "running":
                break
            time.sleep(0.05)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        self.assertEqual({name: result for name, (result, _) in self.results().items()}, {"first": "good", "second": "running"})
        self.assertIn("| second |", (self.out / "report.md").read_text())
        self.out = self.folder / "another"
        self.assertEqual(self.run_stages(shell("first", f"echo first >> {marks}"), shell("second", "echo done"), continues=True), 0)
        self.assertEqual(marks.read_text(), "first\n")
        self.assertEqual([result for result, _ in self.results().values()], ["good", "good"])
        self.assertIn("==== first: good", (self.out / "log.txt").read_text())

    def test_stages_run_at_once_but_figures_alone(self):
        def meets(mine, other):
            return f"cd {self.folder}; touch {mine}; until [ -e {other} ]; do sleep 0.02; done; echo met {other}"

        others = f"ls {self.folder}/running-* 2>/dev/null && exit 5; exit 0"
        during = f"touch {self.folder}/running-$$; sleep 0.5; rm {self.folder}/running-$$"
        stages = [shell("left", meets("a", "b"), limit=9), shell("right", meets("b", "a"), limit=9), shell("before", during),
                  shell("alone", others + "; " + during, alone=True), shell("after", during), shell("builds", others, builds=True)]
        self.assertEqual(self.run_stages(*stages, at_once=2), 0)
        log = (self.out / "log.txt").read_text()
        for mine, other in (("left", "b"), ("right", "a")):
            self.assertRegex(log, rf"==== {mine}\n\$ [^\n]*\nmet {other}\n==== {mine}: good")
        self.assertEqual(self.run_stages(shell("left", meets("c", "d"), limit=1), shell("right", meets("d", "c"), limit=1)), 1)

    def test_the_time_of_a_session_ends(self):
        self.assertEqual(self.run_stages(shell("first", "true"), minutes=0.01), 0)
        self.assertEqual(self.results()["first"], ("not run", "no time was left"))


if __name__ == "__main__":
    unittest.main()
