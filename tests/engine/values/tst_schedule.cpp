#include <cmath>

#include <QTest>

#include "engine/values/config/run_config.h"

using namespace lambda;

class TestSchedule : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void warmUpRisesLinearlyFromZero();
  void cosineEndsAtItsFinalFactor();
  void linearIsLinear();
  void triangularPeaksWhereItSays();
  void stepDropsEveryStepEpochs();
  void constantStaysAtThePeak();
  void staysBetweenZeroAndOne_data();
  void staysBetweenZeroAndOne();
  void aStepHasTheRateOfItsMiddle();
  void theRateFollowsTheBatchSize();
};

void TestSchedule::warmUpRisesLinearlyFromZero() {
  const ScheduleConfig schedule{CosineSchedule{.warmupEpochs = 5}};
  QCOMPARE(learningRateFactor(schedule, 0, 90), 0.0);
  QCOMPARE(learningRateFactor(schedule, 2.5, 90), 0.5);
  QCOMPARE(learningRateFactor(schedule, 5, 90), 1.0);
}

void TestSchedule::cosineEndsAtItsFinalFactor() {
  const ScheduleConfig schedule{CosineSchedule{}};
  QCOMPARE(learningRateFactor(schedule, 5, 10), 0.5);
  QVERIFY(std::abs(learningRateFactor(schedule, 10, 10)) < 1e-15);
  QCOMPARE(learningRateFactor({CosineSchedule{.finalFactor = 0.1}}, 10, 10), 0.1);
}

void TestSchedule::linearIsLinear() {
  const ScheduleConfig schedule{LinearSchedule{.warmupEpochs = 2}};
  QCOMPARE(learningRateFactor(schedule, 6, 10), 0.5);
  QCOMPARE(learningRateFactor(schedule, 10, 10), 0.0);
}

void TestSchedule::triangularPeaksWhereItSays() {
  const ScheduleConfig schedule{TriangularSchedule{.peakFraction = 0.2}};
  QCOMPARE(learningRateFactor(schedule, 1, 10), 0.5);
  QCOMPARE(learningRateFactor(schedule, 2, 10), 1.0);
  QCOMPARE(learningRateFactor(schedule, 6, 10), 0.5);
  QCOMPARE(learningRateFactor(schedule, 10, 10), 0.0);
}

void TestSchedule::stepDropsEveryStepEpochs() {
  const ScheduleConfig schedule{StepSchedule{.stepEpochs = 30, .stepFactor = 0.1}};
  QCOMPARE(learningRateFactor(schedule, 29.9, 90), 1.0);
  QCOMPARE(learningRateFactor(schedule, 30, 90), 0.1);
  QVERIFY(std::abs(learningRateFactor(schedule, 60, 90) - 0.01) < 1e-15);
}

void TestSchedule::constantStaysAtThePeak() {
  QCOMPARE(learningRateFactor({ConstantSchedule{}}, 7, 10), 1.0);
}

void TestSchedule::staysBetweenZeroAndOne_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<double>("warmup");
  QTest::addColumn<double>("peak");
  for (int kind = 0; kind < 5; ++kind) {
    for (const double edge : {0.0, 0.3, 1.0}) {
      QTest::addRow("kind %d edge %g", kind, edge) << kind << edge * 10 << edge;
    }
  }
}

void TestSchedule::staysBetweenZeroAndOne() {
  QFETCH(int, kind);
  QFETCH(double, warmup);
  QFETCH(double, peak);
  const ScheduleConfig schedules[] = {{ConstantSchedule{warmup}},
                                      {CosineSchedule{warmup}},
                                      {LinearSchedule{warmup}},
                                      {TriangularSchedule{.peakFraction = peak}},
                                      {StepSchedule{warmup}}};
  const ScheduleConfig& schedule = schedules[kind];
  for (double epoch = -1; epoch <= 12; epoch += 0.125) {
    const double factor = learningRateFactor(schedule, epoch, 10);
    QVERIFY2(factor >= 0 && factor <= 1, qPrintable(QString::number(epoch)));
  }
}

void TestSchedule::aStepHasTheRateOfItsMiddle() {
  Recipe recipe;
  recipe.epochs = 10;
  recipe.optimizer.learningRate = 0.5;
  recipe.schedule.kind = LinearSchedule{};
  QCOMPARE(learningRateAt(recipe, 2.5), 0.375);
  QCOMPARE(learningRateOfStep(recipe, 2, 0, 4), learningRateAt(recipe, 2.125));
  QCOMPARE(learningRateOfStep(recipe, 2, 3, 4), learningRateAt(recipe, 2.875));
  QVERIFY(learningRateOfStep(recipe, 9, 3, 4) > 0);
}

void TestSchedule::theRateFollowsTheBatchSize() {
  Recipe recipe;
  recipe.optimizer.learningRate = 0.5;
  recipe.schedule.kind = ConstantSchedule{};
  recipe.batchSize = 1024;
  QCOMPARE(learningRateAt(recipe, 1), 0.5);
  recipe.rateScaling = RateScaling::linear;
  QCOMPARE(learningRateAt(recipe, 1), 2.0);
  recipe.rateScaling = RateScaling::squareRoot;
  QCOMPARE(learningRateAt(recipe, 1), 1.0);
  recipe.rateBatchSize = 1024;
  QCOMPARE(learningRateAt(recipe, 1), 0.5);
}

QTEST_GUILESS_MAIN(TestSchedule)
#include "tst_schedule.moc"
