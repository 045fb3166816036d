#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/files/sha256.h"
#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "tests/support/program.h"
#include "tests/support/run_content.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

/// A run of two short epochs with a checkpoint after each batch; the first epoch's checkpoint is
/// removed when the second's is written.
RunConfig twoEpochs(std::uint64_t seed) {
  RunConfig config = tinyRun();
  config.seed = seed;
  config.recipe.epochs = 2;
  config.recipe.optimizer.learningRate = 0.2;
  shapes10Of(config).trainCount = 360;
  config.data.validationCount = 120;
  config.recipe.batchSize = 60;
  config.recipe.emaDecay = 0.5;
  config.checkpoints.everyMinutes = 1e-6;
  config.checkpoints.keepEpochs = 1;
  return config;
}

/// One operation on a file of a run, as the fault injection logs it.
struct Operation {
  long number = 0;
  std::string name;
  std::string path;
};

std::vector<Operation> operationsIn(const fs::path& log) {
  std::vector<Operation> operations;
  std::ifstream lines(log);
  for (Operation each; lines >> each.number >> each.name >> each.path;) operations.push_back(each);
  return operations;
}

bool isPart(const Operation& operation) {
  return operation.name == "write" && operation.path.ends_with(".part");
}

/// The operations from the end of the last batch to the end of the process. Of the many writes of
/// one temporary file only the first and the last are used, because no reader reads it in between.
std::vector<long> killPointsOf(const std::vector<Operation>& operations) {
  long renames = 0;
  std::vector<long> lastSaves;
  for (const Operation& each : operations) {
    if (each.name == "rename" && each.path.ends_with("last.safetensors")) {
      lastSaves.push_back(each.number);
      ++renames;
    }
  }
  // The last save but one belongs to the last batch, the last one to the end of its epoch.
  const long first = lastSaves.at(static_cast<std::size_t>(renames - 2)) + 1;
  std::vector<long> points;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].number < first) continue;
    const bool isInside = i > 0 && i + 1 < operations.size() && isPart(operations[i]) &&
                          isPart(operations[i - 1]) && isPart(operations[i + 1]);
    if (!isInside) points.push_back(operations[i].number);
  }
  return points;
}

/// All content of a run that does not depend on a clock, as readable text for comparison.
std::string contentOf(const fs::path& run) {
  const RunFolder folder = RunFolder::open(run);
  std::ostringstream text;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string name = file.lexically_relative(run).string();
    if (name.find("tfevents") == std::string::npos) text << "file " << name << "\n";
    if (!name.starts_with("checkpoints/")) continue;
    const SafeTensors checkpoint = readSafeTensors(file);
    verifyDigest(checkpoint, name);
    const TrainingProgress at =
        checkpointHeaderFromJson(checkpoint.metadata.at(std::string(kCheckpointKey)), name)
            .progress;
    text << "  epoch " << at.epoch << " batch " << at.batch << " step " << at.step << " best "
         << at.bestValidationScore.value_or(-1) << " of epoch " << at.bestEpoch << "\n";
    for (const TensorView& view : checkpoint.tensors) {
      Sha256 digest;
      digest.update(view.bytes);
      text << "  " << view.name << " " << digest.hex() << "\n";
    }
  }
  const RunRecord record = recordOf(run);
  text << "status " << static_cast<int>(record.status) << " epochs " << record.epochsDone
       << " best " << record.bestValidationScore.value_or(-1) << " test "
       << record.testScore.value_or(-1) << " scored " << record.testEvaluations << "\n";
  const Metrics metrics = readMetrics(folder.metrics());
  for (const BatchRecord& each : metrics.batches) {
    text << "batch " << each.step << " " << each.epoch << " " << each.loss << "\n";
  }
  for (const EpochRecord& each : metrics.epochs) {
    text << "epoch " << each.step << " " << each.epoch << " " << each.train.loss << " "
         << each.validation->score << "\n";
  }
  const EventFolder events = readEventFolder(run);
  for (const Curve& curve : events.curves) {
    if (curve.name.find("imagesPerSecond") != std::string::npos) continue;
    text << curve.name;
    for (const CurvePoint& point : curve.points) text << " " << point.step << ":" << point.value;
    text << "\n";
  }
  return text.str();
}

}  // namespace

/// A run that is killed at any operation on its files, from its last batch to its end, and then
/// resumed, must have the same content as an undisturbed run: not only the last weights, but also
/// best and epoch checkpoints, record, test accuracy, metrics and TensorBoard's scalars.
class TestKillPoints : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void theSecondEpochIsTheBest();
  void aKillAtAnyOperationChangesNothing();
  void aFullDiskAtAnyOperationChangesNothing();
  void aKilledResumeLosesNoEvent();

 private:
  struct Attempt {
    fs::path run;
    int status = -1;
    std::string errors;
  };

  /// Trains with the fault at one operation.
  Attempt train(const std::string& out, long at, const QString& kind) const;
  /// The content of a run that ended at the fault, after it was resumed.
  std::string afterResume(const Attempt& attempt) const;
  std::string compareAt(long at, const QString& kind) const;
  /// Compares at all points, two at a time. Returns the differences; empty if there are none.
  std::string compareAll(const std::vector<long>& points, const QString& kind) const;

  TemporaryFolder folder_;
  std::vector<Operation> operations_;
  std::vector<long> points_;
  std::string undisturbed_;
};

TestKillPoints::Attempt TestKillPoints::train(const std::string& out,
                                              long at,
                                              const QString& kind) const {
  const fs::path runs = folder_.path() / out;
  fs::create_directories(runs);
  Program program(folder_.path());
  program.set(u"LD_PRELOAD"_s, QStringLiteral(LAMBDA_FAULT_INJECTION));
  program.set(u"LAMBDA_FAULT_FOLDER"_s, QString::fromStdString(runs.string() + "/"));
  program.set(u"LAMBDA_FAULT_AT"_s, QString::number(at));
  program.set(u"LAMBDA_FAULT_KIND"_s, kind);
  if (at == 0) {
    program.set(u"LAMBDA_FAULT_LOG"_s,
                QString::fromStdString((folder_.path() / "operations").string()));
  }
  const ProgramOutcome outcome = program.run(
      {u"train"_s, u"two.json"_s, u"--quiet"_s, u"--out"_s, QString::fromStdString(out)});
  return {.run = fs::directory_iterator(runs)->path(),
          .status = outcome.status,
          .errors = outcome.errors.toStdString()};
}

void TestKillPoints::initTestCase() {
  // If the second epoch were not the best one, a lost best checkpoint would not be noticed.
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    std::ofstream(folder_.path() / "two.json") << toJson(twoEpochs(seed));
    fs::remove(folder_.path() / "operations");
    const Attempt attempt = train("undisturbed" + std::to_string(seed), 0, {});
    QVERIFY2(attempt.status == 0, attempt.errors.c_str());
    undisturbed_ = contentOf(attempt.run);
    if (undisturbed_.find("of epoch 2\n") != std::string::npos) break;
  }
  operations_ = operationsIn(folder_.path() / "operations");
  points_ = killPointsOf(operations_);
  QVERIFY2(points_.size() > 25 && points_.size() < 150,
           qPrintable(QString::number(points_.size())));
}

void TestKillPoints::theSecondEpochIsTheBest() {
  QVERIFY2(undisturbed_.find("of epoch 2\n") != std::string::npos, undisturbed_.c_str());
  QVERIFY(undisturbed_.find("file checkpoints/best.safetensors\n") != std::string::npos);
  QVERIFY(undisturbed_.find("file checkpoints/epoch-0002.safetensors\n") != std::string::npos);
  QVERIFY(undisturbed_.find("file checkpoints/epoch-0001.safetensors\n") == std::string::npos);
}

std::string TestKillPoints::afterResume(const Attempt& attempt) const {
  const bool isDone = recordOf(attempt.run).status == RunStatus::finished;
  if (!isDone) {
    const ProgramOutcome resumed =
        Program(folder_.path())
            .run({u"resume"_s, u"--quiet"_s, QString::fromStdString(attempt.run.string())});
    if (resumed.status != 0) return "resume fails: " + resumed.errors.toStdString();
  }
  return contentOf(attempt.run);
}

std::string TestKillPoints::compareAt(long at, const QString& kind) const {
  const Attempt attempt = train(kind.toStdString() + std::to_string(at), at, kind);
  const bool isKilled = attempt.status == -1;
  if (kind == u"kill"_s && !isKilled) return "is not killed at " + std::to_string(at) + "\n";
  const std::string content = afterResume(attempt);
  fs::remove_all(attempt.run);
  if (content == undisturbed_) return {};
  std::istringstream expected(undisturbed_), found(content);
  std::string report = "at operation " + std::to_string(at) + ":\n";
  for (std::string want, have; std::getline(expected, want);) {
    if (!std::getline(found, have)) have.clear();
    if (want != have) return report + "  expected " + want + "\n  found    " + have + "\n";
  }
  return report + content;
}

std::string TestKillPoints::compareAll(const std::vector<long>& points, const QString& kind) const {
  std::string reports[2];
  std::vector<std::thread> workers;
  for (std::size_t worker = 0; worker < 2; ++worker) {
    workers.emplace_back([&, worker] {
      for (std::size_t i = worker; i < points.size(); i += 2) {
        reports[worker] += compareAt(points[i], kind);
      }
    });
  }
  for (std::thread& each : workers) each.join();
  return reports[0] + reports[1];
}

void TestKillPoints::aKillAtAnyOperationChangesNothing() {
  const std::string report = compareAll(points_, u"kill"_s);
  QVERIFY2(report.empty(), report.c_str());
}

void TestKillPoints::aFullDiskAtAnyOperationChangesNothing() {
  std::vector<long> points = points_;
  // Removing a file needs no disk space.
  std::erase_if(points, [&](long point) {
    const std::string& name = operations_[static_cast<std::size_t>(point) - 1].name;
    return name == "remove" || name == "unlink";
  });
  const std::string report = compareAll(points, u"ENOSPC"_s);
  QVERIFY2(report.empty(), report.c_str());
}

void TestKillPoints::aKilledResumeLosesNoEvent() {
  const ProgramOutcome trained =
      Program(folder_.path())
          .runScript(
              u"\"$LAMBDA\" train two.json --quiet --until-epoch 1 --out halves && mv halves/* half"_s);
  QVERIFY2(trained.status == 0, trained.errors.constData());
  const fs::path half = folder_.path() / "half";
  const auto eventsOf = [](const fs::path& run) {
    std::vector<EventRecord> events = readMetrics(run / "metrics.jsonl").events;
    // A resume that is killed late adds its own.
    std::erase_if(events, [](const EventRecord& each) {
      return each.kind != EventKind::stopped && each.kind != EventKind::started;
    });
    return events;
  };
  const std::vector<EventRecord> before = eventsOf(half);
  QCOMPARE(before.size(), std::size_t{2});
  for (long at = 1; at <= 12; ++at) {
    const fs::path run = folder_.path() / ("resumed" + std::to_string(at));
    fs::copy(half, run, fs::copy_options::recursive);
    Program program(folder_.path());
    program.set(u"LD_PRELOAD"_s, QStringLiteral(LAMBDA_FAULT_INJECTION));
    program.set(u"LAMBDA_FAULT_FOLDER"_s, QString::fromStdString(run.string() + "/"));
    program.set(u"LAMBDA_FAULT_AT"_s, QString::number(at));
    QCOMPARE(program.run({u"resume"_s, QString::fromStdString(run.string())}).status, -1);
    QVERIFY2(eventsOf(run) == before, qPrintable(QString::number(at)));
    fs::remove_all(run);
  }
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestKillPoints)
#include "tst_kill_points.moc"
