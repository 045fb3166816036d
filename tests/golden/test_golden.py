"""The net under changes of the design: equal builds have equal records, and a difference is found."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

GOLDEN = pathlib.Path(__file__).with_name("golden.py")


def golden(*arguments):
    return subprocess.run([sys.executable, "-B", GOLDEN, *arguments], capture_output=True, text=True)


class Golden(unittest.TestCase):
    def test_one_build_gives_one_record(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = (pathlib.Path(folder) / name for name in ("first", "second"))
            for each in (first, second):
                outcome = golden("record", each, "--program", os.environ["LAMBDA_PROGRAM"], "--only", "sgd")
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
            equal = golden("compare", first, second)
            self.assertEqual(equal.returncode, 0, equal.stdout)

            losses = second / "sgd/metrics.json"
            losses.write_text(losses.read_text().replace('"loss": 2', '"loss": 3', 1))
            (second / "describe/quickstart.json").unlink()
            different = golden("compare", first, second)
            self.assertEqual(different.returncode, 1)
            self.assertIn("describe/quickstart.json\nsgd/metrics.json\n2 of ", different.stdout)


if __name__ == "__main__":
    unittest.main()
