#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <signal.h>
#include <string>
#include <vector>

#include <QtCore/QThread>
#include <QtTest/QtTest>

#include "engine/formats/files/sha256.h"
#include "engine/formats/json/config_json.h"
#include "tests/support/program.h"
#include "tests/support/run_content.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

/// The tiny run with more batches, so that there is time to interrupt it.
RunConfig longerRun() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 2;
  shapes10Of(config).trainCount = 1260;
  return config;
}

}  // namespace

/// Runs that are stopped, killed, damaged or short of disk space, and then resumed, must end with
/// the weights of a run that was not disturbed.
class TestInterruptedRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aSignalSavesAndTheRunResumesToTheSameWeights_data();
  void aSignalSavesAndTheRunResumesToTheSameWeights();
  void aSecondSignalLeavesAtOnce();
  void killedRunsResumeToTheSameWeights();
  void aDamagedCheckpointIsPassedOverWithAWarning();
  void aFullDiskKeepsTheLastCheckpoint();

 private:
  /// Waits for the only run below a folder and returns its path.
  fs::path runBelow(const std::string& out) const;
  /// Waits until the metrics of the run have more than `lines` lines.
  bool waitForLines(const std::string& out, std::int64_t lines) const;
  std::int64_t linesBelow(const std::string& out) const;
  std::unique_ptr<QProcess> startTraining(const std::string& config, const std::string& out) const;
  ProgramOutcome resume(const fs::path& run) const;
  /// The digest of a run's training weights.
  std::string weightsOf(const fs::path& run) const;

  TemporaryFolder folder_;
  Program program_{folder_.path()};
  std::string undisturbed_;
};

fs::path TestInterruptedRuns::runBelow(const std::string& out) const {
  std::error_code error;
  const fs::directory_iterator entry(folder_.path() / out, error);
  return error || entry == fs::directory_iterator() ? fs::path() : entry->path();
}

std::int64_t TestInterruptedRuns::linesBelow(const std::string& out) const {
  std::ifstream metrics(runBelow(out) / "metrics.jsonl");
  return std::count(
      std::istreambuf_iterator<char>(metrics), std::istreambuf_iterator<char>(), '\n');
}

bool TestInterruptedRuns::waitForLines(const std::string& out, std::int64_t lines) const {
  return QTest::qWaitFor([&] { return linesBelow(out) > lines; }, 30000);
}

std::unique_ptr<QProcess> TestInterruptedRuns::startTraining(const std::string& config,
                                                             const std::string& out) const {
  return program_.start(
      {u"train"_s, QString::fromStdString(config), u"--out"_s, QString::fromStdString(out)});
}

ProgramOutcome TestInterruptedRuns::resume(const fs::path& run) const {
  return program_.run({u"resume"_s, QString::fromStdString(run.string())});
}

std::string TestInterruptedRuns::weightsOf(const fs::path& run) const {
  std::string content;
  for (const auto& [name, bytes] : tensorsOf(run)) {
    if (!name.starts_with("model.")) continue;
    content += name + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return sha256Hex(content);
}

void TestInterruptedRuns::initTestCase() {
  RunConfig config = longerRun();
  std::ofstream(folder_.path() / "long.json") << toJson(config);
  // This run spends almost all of its time in saves.
  config.checkpoints.everyMinutes = 1e-6;
  std::ofstream(folder_.path() / "saving.json") << toJson(config);
  const ProgramOutcome outcome = Program::end(*startTraining("long.json", "undisturbed"));
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  undisturbed_ = weightsOf(runBelow("undisturbed"));
  QCOMPARE(undisturbed_.size(), std::size_t(64));
}

void TestInterruptedRuns::aSignalSavesAndTheRunResumesToTheSameWeights_data() {
  QTest::addColumn<int>("signal");
  QTest::newRow("INT") << SIGINT;
  QTest::newRow("TERM") << SIGTERM;
}

void TestInterruptedRuns::aSignalSavesAndTheRunResumesToTheSameWeights() {
  QFETCH(int, signal);
  const std::string out = QTest::currentDataTag();
  const auto training = startTraining("long.json", out);
  QVERIFY(waitForLines(out, 20));
  const fs::path run = runBelow(out);
  const ProgramOutcome other = resume(run);
  QCOMPARE(other.status, 1);
  QVERIFY2(other.errors.contains("another process"), other.errors.constData());

  ::kill(static_cast<pid_t>(training->processId()), signal);
  const ProgramOutcome stopped = Program::end(*training);
  QCOMPARE(stopped.status, 128 + signal);
  QVERIFY2(stopped.output.contains("lambda resume"), stopped.output.constData());
  const ProgramOutcome resumed = resume(run);
  QVERIFY2(resumed.status == 0, resumed.errors.constData());
  QCOMPARE(weightsOf(run), undisturbed_);
}

void TestInterruptedRuns::aSecondSignalLeavesAtOnce() {
  RunConfig config = tinyRun();
  config.architecture.stem.width = 64;
  config.architecture.stages = {Stage{64, 1, {Block{ConvolutionMixer{.kernelSize = 31}}}}};
  shapes10Of(config).trainCount = 1100;
  config.recipe.batchSize = 1000;
  std::ofstream(folder_.path() / "slow.json") << toJson(config);
  const auto training = startTraining("slow.json", "slow");
  // The run has started and saved its first weights: the first batch follows.
  QVERIFY(waitForLines("slow", 1));
  const auto process = static_cast<pid_t>(training->processId());
  ::kill(process, SIGINT);
  QByteArray told;
  QVERIFY(QTest::qWaitFor(
      [&] { return (told += training->readAllStandardError()).contains("Press Ctrl-C again"); }));
  // A second signal within the first moments counts as part of the first request.
  QThread::msleep(350);
  ::kill(process, SIGINT);
  QCOMPARE(Program::end(*training, 20000).status, 128 + SIGINT);
}

void TestInterruptedRuns::killedRunsResumeToTheSameWeights() {
  constexpr int kKills = 8;
  auto training = startTraining("saving.json", "killed");
  // A run that is killed before its first checkpoint can't be resumed.
  QVERIFY(waitForLines("killed", 3));
  for (int i = 0; i < kKills; ++i) {
    // A batch and its save write two lines. Each kill hits another moment between them.
    QVERIFY(waitForLines("killed", linesBelow("killed") + 2 * i));
    QThread::usleep(static_cast<unsigned long>(i) * 2700);
    training->kill();
    QCOMPARE(Program::end(*training).status, -1);
    const fs::path last = runBelow("killed") / "checkpoints" / "last.safetensors";
    if (fs::exists(last)) verifyDigest(readSafeTensors(last), last.string());
    training = program_.start({u"resume"_s, QString::fromStdString(runBelow("killed").string())});
  }
  const ProgramOutcome outcome = Program::end(*training);
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(weightsOf(runBelow("killed")), undisturbed_);
  for (const auto& entry : fs::recursive_directory_iterator(runBelow("killed"))) {
    QVERIFY2(!entry.path().filename().string().starts_with('.'), entry.path().c_str());
  }
}

void TestInterruptedRuns::aDamagedCheckpointIsPassedOverWithAWarning() {
  const fs::path run = folder_.path() / "damaged";
  fs::copy(runBelow("undisturbed"), run, fs::copy_options::recursive);
  const fs::path last = run / "checkpoints" / "last.safetensors";
  fs::resize_file(last, fs::file_size(last) / 2);
  fs::remove(run / "checkpoints" / "epoch-0002.safetensors");
  const ProgramOutcome outcome = program_.run({u"resume"_s, u"damaged"_s, u"--epochs"_s, u"3"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QVERIFY2(outcome.errors.contains("last.safetensors"), outcome.errors.constData());
  QVERIFY2(outcome.errors.contains("epoch-0001.safetensors"), outcome.errors.constData());
}

void TestInterruptedRuns::aFullDiskKeepsTheLastCheckpoint() {
  const auto training = startTraining("long.json", "full");
  QVERIFY(waitForLines("full", 20));
  ::kill(static_cast<pid_t>(training->processId()), SIGINT);
  QCOMPARE(Program::end(*training).status, 128 + SIGINT);
  const fs::path last = runBelow("full") / "checkpoints" / "last.safetensors";
  const std::string before = sha256OfFile(last);
  // sh counts blocks of 512 bytes; writes beyond the limit fail as on a full disk.
  const auto blocks = fs::file_size(last) / 512 - 2;
  const ProgramOutcome full = program_.runScript(
      u"trap '' XFSZ; ulimit -f %1; exec \"$LAMBDA\" resume full/* --json"_s.arg(blocks));
  QCOMPARE(full.status, 1);
  QCOMPARE(full.json()[u"status"_s].toString(), u"failed"_s);
  QVERIFY2(full.errors.contains("last.safetensors"), full.errors.constData());
  QCOMPARE(sha256OfFile(last), before);
  QCOMPARE(resume(runBelow("full")).status, 0);
  QCOMPARE(weightsOf(runBelow("full")), undisturbed_);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestInterruptedRuns)
#include "tst_interrupted_runs.moc"
