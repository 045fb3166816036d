#include <cmath>
#include <vector>

#include <ATen/ATen.h>

#include <QTest>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/evaluate_run.h"
#include "engine/training/evaluation.h"
#include "engine/training/input/run_data.h"
#include "engine/training/trainer.h"
#include "engine/values/config/scoring.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

RunConfig averagingRun() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  config.recipe.flipAveraging = true;
  return config;
}

/// The logits of all images of a split.
at::Tensor logitsOf(NetworkImpl& network, RunData& data, Split split) {
  std::vector<at::Tensor> logits;
  classify(
      network,
      data.images(split),
      data.maker(),
      [](auto) { return true; },
      [&](const at::Tensor& each, const at::Tensor&) { logits.push_back(each); });
  return at::cat(logits);
}

/// The mean of two passes, computed here.
at::Tensor meanOfTwoPasses(NetworkImpl& network, RunData& data, Split split) {
  const at::NoGradGuard noGradient;
  network.eval();
  const LabeledImages& images = data.images(split);
  const at::Tensor input = data.maker().plain(images, 0, images.count()).images;
  at::Tensor mirrored = at::empty_like(input);
  const std::int64_t width = input.size(3);
  for (std::int64_t x = 0; x < width; ++x) {
    mirrored.select(3, x).copy_(input.select(3, width - 1 - x));
  }
  return 0.5 * (network.forward(input) + network.forward(mirrored));
}

}  // namespace

class TestFlipAveraging : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void logitsAreTheMeanOfTwoPasses();
  void scoresAreThoseOfTheMeanLogits();
  void withoutItThereIsOnePass();
  void aRunIsScoredByItInTrainingAndAfterwards();
  void itHasNoEffectOnTheTraining();
  void whatRaisesTheScoresIsNamed();
};

void TestFlipAveraging::logitsAreTheMeanOfTwoPasses() {
  RunData data(test::onCpu(averagingRun()));
  TrainingState state(test::onCpu(averagingRun()));
  for (const Split split : {Split::validation, Split::test}) {
    const at::Tensor expected = meanOfTwoPasses(*state.network, data, split);
    QVERIFY(at::allclose(logitsOf(*state.network, data, split), expected, 1e-5, 1e-6));
  }
}

void TestFlipAveraging::scoresAreThoseOfTheMeanLogits() {
  RunData data(test::onCpu(averagingRun()));
  TrainingState state(test::onCpu(averagingRun()));
  const LabeledImages& images = data.validation();
  const Scores scores = *evaluate(*state.network, images, data.maker(), [](auto) { return true; });
  const at::Tensor mean = meanOfTwoPasses(*state.network, data, Split::validation);
  const at::Tensor labels = data.maker().plain(images, 0, images.count()).labels;
  const auto loss = at::cross_entropy_loss(mean, labels).item<double>();
  QVERIFY(std::abs(scores.loss - loss) < 1e-5 * loss);
  QCOMPARE(scores.accuracy, mean.argmax(1).eq(labels).to(at::kDouble).mean().item<double>());
}

void TestFlipAveraging::withoutItThereIsOnePass() {
  RunData data(test::onCpu(tinyRun())), averaging(test::onCpu(averagingRun()));
  TrainingState state(test::onCpu(tinyRun()));
  state.network->eval();
  const at::NoGradGuard noGradient;
  const LabeledImages& images = data.validation();
  const at::Tensor once =
      state.network->forward(data.maker().plain(images, 0, images.count()).images);
  QVERIFY(logitsOf(*state.network, data, Split::validation).equal(once));
  QVERIFY(!at::allclose(logitsOf(*state.network, averaging, Split::validation), once, 1e-4, 1e-5));
}

void TestFlipAveraging::aRunIsScoredByItInTrainingAndAfterwards() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(averagingRun(), folder.path(), control, observer);
  QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
  QVERIFY(result.scoring == std::vector<std::string>{"flip averaging"});
  const auto again =
      evaluateRun({.run = result.run, .split = Split::validation}, control, observer);
  QVERIFY(again.has_value());
  QVERIFY(again->scores == *observer.epochs.back().validation);
  QVERIFY(again->scoring == result.scoring);
}

void TestFlipAveraging::itHasNoEffectOnTheTraining() {
  const TemporaryFolder folder;
  RunConfig plain = averagingRun();
  plain.recipe.flipAveraging = false;
  RunControl control, other;
  RecordingObserver averaged, usual;
  trainRun(averagingRun(), folder.path(), control, averaged);
  trainRun(plain, folder.path(), other, usual);
  QCOMPARE(averaged.batches.back().loss, usual.batches.back().loss);
  QVERIFY(averaged.epochs.back().validation->loss != usual.epochs.back().validation->loss);
}

void TestFlipAveraging::whatRaisesTheScoresIsNamed() {
  Recipe recipe;
  QVERIFY(scoringOf(recipe).empty());
  QCOMPARE(scoringText(scoringOf(recipe)), std::string());
  recipe.flipAveraging = true;
  recipe.emaDecay = 0.9;
  QCOMPARE(scoringText(scoringOf(recipe)), std::string("EMA weights, flip averaging"));
}

QTEST_GUILESS_MAIN(TestFlipAveraging)
#include "tst_flip_averaging.moc"
