#include <fstream>
#include <thread>
#include <vector>

#include <QTest>

#include "engine/formats/metrics/evaluations_json.h"
#include "engine/runs/evaluations.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"

using namespace lambda;

namespace {

EvaluationRecord scored(int epoch, Split split) {
  return {.time = "2026-11-20T22:48:00Z",
          .checkpoint = "epoch-0002.safetensors",
          .epoch = epoch,
          .step = 12,
          .split = split,
          .images = 20,
          .scores = {1.25, 0.5}};
}

std::filesystem::path checkpointIn(const std::filesystem::path& run) {
  return run / "checkpoints" / "epoch-0002.safetensors";
}

}  // namespace

class TestEvaluations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesReadBackAsTheyWere();
  void damagedLinesAreLeftOut();
  void testEvaluationsAreCountedBesideTheRunsOwn();
  void writersAtOnceLoseNothing();
  void aTornLineDoesNotTakeTheNextOneWithIt();
  void aCheckpointOutsideOfARunIsCountedOnce();
};

void TestEvaluations::linesReadBackAsTheyWere() {
  const std::string text = toLine(scored(2, Split::test)) + toLine(scored(3, Split::validation));
  const Evaluations read = evaluationsFromText(text);
  QVERIFY(read.warnings.empty());
  const std::vector<EvaluationRecord> expected{scored(2, Split::test),
                                               scored(3, Split::validation)};
  QVERIFY(read.records == expected);
}

void TestEvaluations::damagedLinesAreLeftOut() {
  const std::string line = toLine(scored(2, Split::test));
  QCOMPARE(evaluationsFromText("\n" + line + "\n").records.size(), std::size_t{1});
  QVERIFY(evaluationsFromText("\n" + line + "\n").warnings.empty());
  const Evaluations read = evaluationsFromText("{\n" + line + "[1]\n" + line.substr(0, 30));
  QCOMPARE(read.records.size(), std::size_t{1});
  QCOMPARE(read.warnings.size(), std::size_t{2});
  QVERIFY(read.warnings[0].starts_with("line 1: "));
  QVERIFY(read.warnings[1].starts_with("line 3: "));
}

void TestEvaluations::testEvaluationsAreCountedBesideTheRunsOwn() {
  const TemporaryFolder folder;
  const auto run = test::writeRun(folder.path(), "run", test::finishedRecord("run"));
  QCOMPARE(keepEvaluation(checkpointIn(run), scored(2, Split::validation)).testEvaluations, 1);
  QCOMPARE(keepEvaluation(checkpointIn(run), scored(2, Split::test)).testEvaluations, 2);
  QCOMPARE(keepEvaluation(checkpointIn(run), scored(2, Split::test)).testEvaluations, 3);
  std::vector<Problem> warnings;
  QVERIFY(readRunRecord(run / "run.json", warnings) == test::finishedRecord("run"));
}

void TestEvaluations::writersAtOnceLoseNothing() {
  const TemporaryFolder folder;
  const auto run = test::writeRun(folder.path(), "run", test::finishedRecord("run"));
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&] {
      for (int i = 0; i < 10; ++i) keepEvaluation(checkpointIn(run), scored(2, Split::test));
    });
  }
  for (std::thread& each : writers) each.join();
  const Evaluations read = readEvaluations(RunFolder::open(run).evaluations());
  QVERIFY(read.warnings.empty());
  QCOMPARE(read.records.size(), std::size_t{80});
}

void TestEvaluations::aTornLineDoesNotTakeTheNextOneWithIt() {
  const TemporaryFolder folder;
  const auto run = test::writeRun(folder.path(), "run", test::finishedRecord("run"));
  std::ofstream(run / "evaluations.jsonl") << "{\"time\": \"2026";
  keepEvaluation(checkpointIn(run), scored(2, Split::test));
  const Evaluations read = readEvaluations(run / "evaluations.jsonl");
  QCOMPARE(read.records.size(), std::size_t{1});
  QCOMPARE(read.warnings.size(), std::size_t{1});
}

void TestEvaluations::aCheckpointOutsideOfARunIsCountedOnce() {
  const TemporaryFolder folder;
  const KeptEvaluation kept =
      keepEvaluation(folder.path() / "a" / "moved.safetensors", scored(2, Split::test));
  QCOMPARE(kept.testEvaluations, 1);
  QVERIFY(kept.problem.empty());
}

QTEST_GUILESS_MAIN(TestEvaluations)
#include "tst_evaluations.moc"
