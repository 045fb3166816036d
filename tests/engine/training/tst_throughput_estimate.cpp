#include <QTest>

#include "engine/runtime/error.h"
#include "engine/training/loop/throughput_estimate.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/held_run.h"
#include "tests/support/run_content.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestThroughputEstimate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void measuresRealSteps();
  void estimatesWhatAnEpochTakes();
  void missingDataIsMadeUpAndSaidSo();
  void anAutomaticPrecisionIsDecided();
  void stopsWithinOneBatchInEveryPhase();
  void waitsWhilePaused();
  void leavesATrainingAsItWas();
  void impossibleConfigurationsAreRefused();
};

void TestThroughputEstimate::measuresRealSteps() {
  RunControl control;
  RecordingObserver observer;
  std::vector<std::int64_t> done;
  std::int64_t total = 0;
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    QVERIFY(!progress.split);
    done.push_back(progress.done);
    total = progress.total;
  };
  const auto seen = estimateThroughput(tinyRun(), 5, control, observer);
  QVERIFY(seen);
  QCOMPARE(seen->steps, 5);
  QCOMPARE(total, std::int64_t{4 + 5 + 1});
  QCOMPARE(done.size(), std::size_t{4 + 5 + 1});
  QCOMPARE(done.back(), total - 1);
  QVERIFY(seen->secondsPerStep > 0 && seen->secondsPerStep < 5);
  QCOMPARE(seen->imagesPerSecond, 30 / seen->secondsPerStep);
  QVERIFY(seen->evaluationSeconds > 0);
  // An epoch has six batches.
  QCOMPARE(seen->secondsPerEpoch, 6 * seen->secondsPerStep + seen->evaluationSeconds);
  QVERIFY(seen->peakResidentBytes > (10U << 20));
  QVERIFY(seen->residentGrowthBytes < seen->peakResidentBytes);
  QVERIFY(!seen->syntheticData);
  QCOMPARE(seen->device, std::string("cpu"));
  QCOMPARE(seen->threads, 1);
}

void TestThroughputEstimate::estimatesWhatAnEpochTakes() {
  RunConfig config = tinyRun();
  config.architecture.stem.width = 32;
  shapes10Of(config).trainCount = 1600;
  config.data.validationCount = 400;
  config.recipe.epochs = 2;
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  trainRun(config, folder.path(), control, observer);
  const double measured = observer.epochs[1].seconds - observer.epochs[0].seconds;
  const auto seen = estimateThroughput(config, kEstimateSteps, control, observer);
  const double estimated = seen->secondsPerEpoch - seen->evaluationSeconds;
  // The limits are wide, because other programs may run at the same time.
  QVERIFY2(estimated > measured / 3 && estimated < measured * 3,
           qPrintable(QString::number(estimated) + u' ' + QString::number(measured)));
}

void TestThroughputEstimate::anAutomaticPrecisionIsDecided() {
  RunConfig config = tinyRun();
  config.recipe.precision = Precision::automatic;
  RunControl control;
  RecordingObserver observer;
  const auto seen = estimateThroughput(config, 2, control, observer);
  QVERIFY(seen);
  QVERIFY(seen->secondsPerStep > 0);
}

void TestThroughputEstimate::missingDataIsMadeUpAndSaidSo() {
  RunConfig config = tinyRun();
  config.data.source = Cifar10Source{"/nowhere/cifar10"};
  RunControl control;
  RecordingObserver observer;
  const auto seen = estimateThroughput(config, 1, control, observer);
  QVERIFY(seen->syntheticData);
  // The synthetic data set is as large as CIFAR-10.
  const int batches = (50000 - config.data.validationCount) / config.recipe.batchSize;
  QCOMPARE(seen->secondsPerEpoch, batches * seen->secondsPerStep + seen->evaluationSeconds);
  QVERIFY(seen->residentGrowthBytes > (100U << 20));
}

void TestThroughputEstimate::stopsWithinOneBatchInEveryPhase() {
  for (int last = 0; last < 9; ++last) {
    RunControl control;
    RecordingObserver observer;
    int after = -1;
    observer.onEvaluated = [&](const EvaluationProgress& progress) {
      if (progress.done < last) return;
      ++after;
      control.requestStop();
    };
    QVERIFY(!estimateThroughput(tinyRun(), 5, control, observer));
    QCOMPARE(after, 0);
  }
}

void TestThroughputEstimate::waitsWhilePaused() {
  RunControl control;
  RecordingObserver observer;
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    if (progress.done == 2) control.pause();
  };
  QVERIFY(
      pausesOnce(control, [&] { QVERIFY(estimateThroughput(tinyRun(), 2, control, observer)); }));
}

void TestThroughputEstimate::leavesATrainingAsItWas() {
  const TemporaryFolder folder;
  RunConfig config = randomRun(Sgd{});
  config.recipe.epochs = 1;
  RunControl control;
  RecordingObserver observer;
  const std::string alone = trainRun(config, folder.path(), control, observer).run;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step != 2) return;
    RunControl other;
    RecordingObserver silent;
    RunConfig another = config;
    another.seed = 77;
    estimateThroughput(another, 2, other, silent);
  };
  const std::string beside = trainRun(config, folder.path(), control, observer).run;
  QVERIFY(tensorsOf(alone) == tensorsOf(beside));
  QCOMPARE(folder.entryCount(), std::ptrdiff_t{2});
}

void TestThroughputEstimate::impossibleConfigurationsAreRefused() {
  RunControl control;
  RecordingObserver observer;
  RunConfig config = tinyRun();
  std::get<LambdaMixer>(config.architecture.stages[1].blocks[1].mixer).heads = 3;
  QVERIFY_THROWS_EXCEPTION(Error, estimateThroughput(config, 2, control, observer));
}

QTEST_GUILESS_MAIN(TestThroughputEstimate)
#include "tst_throughput_estimate.moc"
