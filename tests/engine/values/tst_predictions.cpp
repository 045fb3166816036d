#include <numeric>

#include <QTest>

#include "engine/values/run/predictions.h"

using namespace lambda;

class TestPredictions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void confusionCountsTruthByPrediction();
  void confusionHasARowForEveryClass();
  void confusionLeavesOutWhatHasNoTrueClass();
  void confusionOfNothingIsEmpty();
};

void TestPredictions::confusionCountsTruthByPrediction() {
  Predictions predictions;
  predictions.classNames = {"a", "b", "c"};
  predictions.labels = {0, 0, 1, 2, 2, 2};
  predictions.predicted = {0, 2, 1, 2, 2, 1};
  const ConfusionMatrix matrix = confusionOf(predictions);
  QCOMPARE(matrix.classes, 3);
  QVERIFY(matrix.counts == (std::vector<std::int64_t>{1, 0, 1, 0, 1, 0, 0, 1, 2}));
}

void TestPredictions::confusionHasARowForEveryClass() {
  Predictions predictions;
  predictions.labels = {0, 3};
  predictions.predicted = {1, 4};
  const ConfusionMatrix matrix = confusionOf(predictions);
  QCOMPARE(matrix.classes, 5);
  QCOMPARE(matrix.counts.size(), std::size_t{25});
  QCOMPARE(matrix.counts[0 * 5 + 1], std::int64_t{1});
  QCOMPARE(matrix.counts[3 * 5 + 4], std::int64_t{1});
}

void TestPredictions::confusionLeavesOutWhatHasNoTrueClass() {
  Predictions predictions;
  predictions.classNames = {"a", "b"};
  predictions.labels = {-1, 1, 1, 0};
  predictions.predicted = {0, -1, 1};
  const ConfusionMatrix matrix = confusionOf(predictions);
  QVERIFY(matrix.counts == (std::vector<std::int64_t>{0, 0, 0, 1}));
}

void TestPredictions::confusionOfNothingIsEmpty() {
  QVERIFY(confusionOf({}) == ConfusionMatrix{});
}

QTEST_GUILESS_MAIN(TestPredictions)
#include "tst_predictions.moc"
