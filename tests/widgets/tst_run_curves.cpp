#include <algorithm>
#include <cmath>
#include <functional>

#include <QTest>

#include "widgets/plots/axes/axis_text.h"
#include "widgets/plots/curves/run_curves.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Batches with the learning rates of a schedule, ten per epoch.
Metrics batchesWith(const std::function<double(int)>& rate, int count) {
  Metrics metrics;
  for (int step = 1; step <= count; ++step) {
    BatchRecord record;
    record.step = step;
    record.epoch = (step - 1) / 10 + 1;
    record.seconds = 0.5 * step;
    record.loss = 1.0 / step;
    record.score = 0.5;
    record.learningRate = rate(step);
    metrics.batches.push_back(record);
  }
  return metrics;
}

std::vector<double> learningRateMarks(const Metrics& metrics) {
  std::vector<double> steps;
  for (const CurveMark& mark : runMarks(metrics, 10)) {
    if (mark.kind == CurveMarkKind::learningRate) steps.push_back(mark.step);
  }
  return steps;
}

}  // namespace

class TestRunCurves : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void dropsOfTheLearningRateAreMarked() {
    const Metrics metrics =
        batchesWith([](int step) { return 0.1 * std::pow(0.1, (step - 1) / 20); }, 80);
    QCOMPARE(learningRateMarks(metrics), (std::vector<double>{21, 41, 61}));
    const std::vector<CurveMark> marks = runMarks(metrics, 10);
    QCOMPARE(marks[0].epoch, 2.1);
    QVERIFY(marks[0].text.contains(u"0.1"_s) && marks[0].text.contains(u"0.01"_s));
  }

  void smoothSchedulesHaveNoMarks_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("warm-up") << 0;
    QTest::newRow("cosine") << 1;
    QTest::newRow("triangular") << 2;
    QTest::newRow("constant") << 3;
  }

  void smoothSchedulesHaveNoMarks() {
    QFETCH(int, kind);
    const auto rate = [kind](int step) {
      switch (kind) {
        case 0:
          return 0.1 * std::min(1.0, (step - 0.5) / 30);
        case 1:
          return 0.05 * (1 + std::cos(3.14159 * (step - 0.5) / 100));
        case 2:
          return step < 20 ? 0.1 * step / 20 : 0.1 * (100 - step) / 80;
        default:
          return 0.1;
      }
    };
    QVERIFY(learningRateMarks(batchesWith(rate, 100)).empty());
  }

  void eventsBecomeMarksThatSayWhatTheyAre() {
    Metrics metrics = batchesWith([](int) { return 0.1; }, 20);
    metrics.events = {{10, 1, 5, EventKind::checkpoint, "epoch 1"},
                      {12, 2, 6, EventKind::paused, "paused"},
                      {15, 2, 7, EventKind::resumed, "from step 10"},
                      {16, 2, 8, EventKind::warning, "the disk is nearly full"}};
    const std::vector<CurveMark> marks = runMarks(metrics, 10);
    QCOMPARE(marks.size(), std::size_t{3});
    QCOMPARE(marks[0].text, u"Checkpoint: epoch 1"_s);
    QCOMPARE(marks[1].kind, CurveMarkKind::resumed);
    QCOMPARE(marks[2].text, u"Warning: the disk is nearly full"_s);
  }

  void batchesAndEpochsBecomeSeries() {
    Metrics metrics = batchesWith([](int) { return 0.1; }, 20);
    EpochRecord epoch;
    epoch.step = 10;
    epoch.epoch = 1;
    epoch.train = {0.5, 0.8};
    metrics.epochs = {epoch};
    const std::vector<CurveSeries> series = runCurves(metrics);
    std::vector<std::string> keys;
    for (const CurveSeries& one : series) keys.push_back(one.key);
    QCOMPARE(keys,
             (std::vector<std::string>{
                 "batches.loss", "train.loss", "batches.accuracy", "train.accuracy"}));
    QCOMPARE(series[0].samples.epoch[4], 0.5);
    QCOMPARE(series[3].samples.y, std::vector<double>{0.8});
  }

  void textsAreShortAndExact() {
    QCOMPARE(valueText(0.8137, true), u"81.37 %"_s);
    QCOMPARE(valueText(2.30259, false), u"2.303"_s);
    QCOMPARE(valueText(std::nan(""), true), u"NaN"_s);
    QCOMPARE(placeText(CurveAxis::steps, 3120), u"step 3,120"_s);
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestRunCurves)
#include "tst_run_curves.moc"
