#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "tests/support/filled_values.h"
#include "tests/support/temporary_folder.h"

using namespace std::string_literals;

namespace lambda {

namespace {

namespace fs = std::filesystem;

struct Log {
  std::string text;
  Metrics metrics;
};

/// A log with a few hundred records of every kind with random numbers.
Log randomLog(std::uint64_t seed) {
  KeyedRandom random{seed};
  Log log;
  for (int step = 1; step <= 200; ++step) {
    BatchRecord batch{step, 1 + step / 50, random.unit() * 1e4, random.unit(), random.unit()};
    batch.gradientNorm = random.unit() * 1e-9;
    log.metrics.batches.push_back(batch);
    log.text += toLine(batch);
    if (step % 50 == 0) {
      EpochRecord epoch;
      epoch.step = step;
      epoch.epoch = step / 50;
      epoch.train = {random.unit(), random.unit()};
      if (random.coin()) epoch.validation = Scores{random.unit(), random.unit()};
      log.metrics.epochs.push_back(epoch);
      log.text += toLine(epoch);
      const EventRecord event{
          step, step / 50, 0.5, EventKind::checkpoint, "line\nbreak \"\xC3\xA9\""};
      log.metrics.events.push_back(event);
      log.text += toLine(event);
    }
  }
  return log;
}

template <class T>
bool isPrefix(const std::vector<T>& part, const std::vector<T>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

void append(Metrics& to, const Metrics& from) {
  to.batches.insert(to.batches.end(), from.batches.begin(), from.batches.end());
  to.epochs.insert(to.epochs.end(), from.epochs.begin(), from.epochs.end());
  to.events.insert(to.events.end(), from.events.begin(), from.events.end());
  to.warnings.insert(to.warnings.end(), from.warnings.begin(), from.warnings.end());
}

void write(const fs::path& file, const std::string& text, std::ios::openmode mode) {
  std::ofstream(file, std::ios::binary | mode) << text;
}

}  // namespace

class TestMetricsJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesHaveTheDocumentedKeys();
  void everyFieldComesBack();
  void nonFiniteNumbersComeBack();
  void anyTruncationReplaysToAPrefix();
  void damagedLinesAreSkippedAndNamed();
  void overlongLinesAreSkipped();
  void textThatIsNotUtf8IsWritten();
  void aTailSeesWhatAWholeReadSees();
  void epochsAloneAreThoseOfAWholeRead();
  void aTailNoticesCutsAndReplacements();
  void missingFilesAreEmptyAndPipesAreRefused();
};

void TestMetricsJson::linesHaveTheDocumentedKeys() {
  QCOMPARE(toLine(EpochRecord{800, 2, 1.5, {0.25, 0.9}, Scores{0.5, 0.8}, 0.1, 1000, 0.25}),
           "{\"kind\": \"epoch\", \"step\": 800, \"epoch\": 2, \"seconds\": 1.5, \"train\": "
           "{\"loss\": 0.25, \"accuracy\": 0.9}, \"validation\": {\"loss\": 0.5, \"accuracy\": "
           "0.8}, \"learningRate\": 0.1, \"imagesPerSecond\": 1000, \"dataShare\": 0.25}\n"s);
  QCOMPARE(toLine(EventRecord{1, 1, 0, EventKind::warning, "x"}),
           "{\"kind\": \"event\", \"step\": 1, \"epoch\": 1, \"seconds\": 0, \"event\": "
           "\"warning\", \"text\": \"x\"}\n"s);
  QVERIFY(toLine(BatchRecord{}).rfind("{\"kind\": \"batch\", \"step\": 0,", 0) == 0);
  // The many lines of a run by one process are not longer for it.
  QVERIFY(toLine(BatchRecord{}).find("allReduceSeconds") == std::string::npos);
  QVERIFY(toLine(BatchRecord{.allReduceSeconds = 1}).find("allReduceSeconds") != std::string::npos);
}

void TestMetricsJson::everyFieldComesBack() {
  Filler filler;
  BatchRecord batch;
  EpochRecord epoch;
  filler.fill(batch);
  filler.fill(epoch);
  Metrics expected{{batch}, {epoch, EpochRecord{}}, {}, {}};
  std::string text = toLine(batch) + toLine(epoch) + toLine(EpochRecord{});
  for (std::size_t kind = 0; kind < kNamesOf<EventKind>.names.size(); ++kind) {
    expected.events.push_back({1, 2, 3, static_cast<EventKind>(kind), "text"});
    text += toLine(expected.events.back());
  }
  QVERIFY(metricsFromText(text) == expected);
}

void TestMetricsJson::nonFiniteNumbersComeBack() {
  BatchRecord batch;
  batch.loss = std::numeric_limits<double>::quiet_NaN();
  batch.gradientNorm = std::numeric_limits<double>::infinity();
  batch.learningRate = -batch.gradientNorm;
  const std::string line = toLine(batch);
  QVERIFY(line.find("\"loss\": \"NaN\"") != std::string::npos);
  const Metrics metrics = metricsFromText(line);
  QCOMPARE(metrics.batches.size(), std::size_t{1});
  QVERIFY(std::isnan(metrics.batches[0].loss));
  QVERIFY(metrics.batches[0].gradientNorm == batch.gradientNorm);
  QVERIFY(metrics.batches[0].learningRate == batch.learningRate);
}

void TestMetricsJson::anyTruncationReplaysToAPrefix() {
  const Log log = randomLog(1);
  QVERIFY(metricsFromText(log.text) == log.metrics);
  KeyedRandom random{2};
  for (int i = 0; i < 1000; ++i) {
    const auto length = random.below(static_cast<std::uint32_t>(log.text.size()) + 1);
    const std::string part = log.text.substr(0, length);
    const Metrics metrics = metricsFromText(part);
    QVERIFY(metrics.warnings.empty());
    QVERIFY(isPrefix(metrics.batches, log.metrics.batches));
    QVERIFY(isPrefix(metrics.epochs, log.metrics.epochs));
    QVERIFY(isPrefix(metrics.events, log.metrics.events));
    const auto lines = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    QCOMPARE(metrics.batches.size() + metrics.epochs.size() + metrics.events.size(), lines);
  }
}

void TestMetricsJson::damagedLinesAreSkippedAndNamed() {
  const BatchRecord batch{7};
  const std::string good = toLine(batch);
  const Metrics metrics = metricsFromText(good + good.substr(0, 20) + "\n" + good + "\n" +
                                          "{\"kind\": \"other\"}\n[]\n" +
                                          "{\"kind\": \"batch\", \"step\": \"x\"}\n" + good);
  QVERIFY((metrics.batches == std::vector<BatchRecord>{batch, batch, batch}));
  QCOMPARE(metrics.warnings.size(), std::size_t{5});
  QCOMPARE(metrics.warnings[0].find("line 2 skipped: "), std::size_t{0});
  QCOMPARE(metrics.warnings[4], "line 7 skipped: step: expected a whole number, found \"x\""s);
  std::string many;
  for (int i = 0; i < 10000; ++i) many += "x\n";
  QCOMPARE(metricsFromText(many).warnings.size(), std::size_t{100});
}

void TestMetricsJson::overlongLinesAreSkipped() {
  const std::string good = toLine(BatchRecord{7});
  const Metrics metrics = metricsFromText(std::string(3 << 20, ' ') + good + good);
  QCOMPARE(metrics.batches.size(), std::size_t{1});
  QCOMPARE(metrics.warnings.size(), std::size_t{1});
}

void TestMetricsJson::textThatIsNotUtf8IsWritten() {
  const Metrics metrics =
      metricsFromText(toLine(EventRecord{1, 1, 1, EventKind::failed, "a\xFFz"}));
  QCOMPARE(metrics.events.at(0).text, "a\xEF\xBF\xBDz"s);
}

void TestMetricsJson::aTailSeesWhatAWholeReadSees() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.jsonl";
  const Log log = randomLog(3);
  KeyedRandom random{4};
  MetricsTail tail(file);
  QVERIFY(tail.poll().metrics == Metrics{});
  Metrics seen;
  for (std::size_t at = 0; at < log.text.size();) {
    const std::size_t length = random.below(900);
    write(file, log.text.substr(at, length), std::ios::app);
    at += length;
    const MetricsTail::Update update = tail.poll();
    QVERIFY(!update.restarted);
    append(seen, update.metrics);
    QVERIFY(readMetrics(file) == seen);
  }
  QVERIFY(seen == log.metrics);
}

void TestMetricsJson::epochsAloneAreThoseOfAWholeRead() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.jsonl";
  const Log log = randomLog(3);
  std::ofstream(file) << log.text << "a damaged line\n"
                      << R"({"kind": "epoch", "epoch)";
  QCOMPARE(readEpochs(file), log.metrics.epochs);
  QVERIFY(!log.metrics.epochs.empty());
  QVERIFY(readEpochs(folder.path() / "none").empty());
}

void TestMetricsJson::aTailNoticesCutsAndReplacements() {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.jsonl";
  const std::string first = toLine(BatchRecord{1});
  write(file, first + toLine(BatchRecord{2}) + "{\"kind\": \"ba", std::ios::trunc);
  MetricsTail tail(file);
  QCOMPARE(tail.poll().metrics.batches.size(), std::size_t{2});

  // A resumed run truncates the torn end and continues.
  fs::resize_file(file, first.size());
  write(file, toLine(BatchRecord{3}), std::ios::app);
  MetricsTail::Update update = tail.poll();
  QVERIFY(update.restarted);
  QVERIFY((update.metrics.batches == std::vector<BatchRecord>{{1}, {3}}));

  // The same, but at the next poll the file is longer than before.
  fs::resize_file(file, first.size());
  write(file, toLine(BatchRecord{4}) + toLine(BatchRecord{5}), std::ios::app);
  update = tail.poll();
  QVERIFY(update.restarted);
  QVERIFY((update.metrics.batches == std::vector<BatchRecord>{{1}, {4}, {5}}));

  const fs::path other = folder.path() / "other";
  fs::copy_file(file, other);
  fs::rename(other, file);
  QVERIFY(tail.poll().restarted);
  QVERIFY(!tail.poll().restarted);
  fs::remove(file);
  QVERIFY(tail.poll().restarted);
  QVERIFY(!tail.poll().restarted);
}

void TestMetricsJson::missingFilesAreEmptyAndPipesAreRefused() {
  const TemporaryFolder folder;
  QVERIFY(readMetrics(folder.path() / "none") == Metrics{});
  QVERIFY_THROWS_EXCEPTION(Error, readMetrics(folder.path()));
  const fs::path pipe = folder.path() / "pipe";
  QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
  QVERIFY_THROWS_EXCEPTION(Error, readMetrics(pipe));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestMetricsJson)
#include "tst_metrics_json.moc"
