#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ATen.h>

#include <QTest>

#include "engine/trained/evaluate_run.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/scoring.h"
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
      ImageExamples(data.images(split), data.maker()),
      [](auto) { return true; },
      [&](const at::Tensor& each, const at::Tensor&) { logits.push_back(each); });
  return at::cat(logits);
}

/// Images [b, c, h, w] whose pixel (y, x) is that at (y + offset, x + offset), or
/// the nearest one on the map;
/// with `mirrored`, of the mirror image of the result. Computed pixel by pixel.
at::Tensor view(const at::Tensor& images, std::int64_t offset, bool mirrored) {
  at::Tensor result = at::empty_like(images);
  const std::int64_t height = images.size(2), width = images.size(3);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t fromY = std::clamp<std::int64_t>(y + offset, 0, height - 1);
      const std::int64_t fromX = std::clamp<std::int64_t>(x + offset, 0, width - 1);
      result.select(2, y)
          .select(2, mirrored ? width - 1 - x : x)
          .copy_(images.select(2, fromY).select(2, fromX));
    }
  }
  return result;
}

/// The logits of a view of all images of a split, in one pass.
at::Tensor logitsOfView(
    NetworkImpl& network, RunData& data, Split split, std::int64_t offset, bool mirrored) {
  const at::NoGradGuard noGradient;
  network.eval();
  const LabeledImages& images = data.images(split);
  return network.forward(
      view(data.maker().plain(images, 0, images.count()).images, offset, mirrored));
}

at::Tensor meanWithMirror(NetworkImpl& network,
                          RunData& data,
                          Split split,
                          std::int64_t offset = 0) {
  return 0.5 * (logitsOfView(network, data, split, offset, false) +
                logitsOfView(network, data, split, offset, true));
}

}  // namespace

class TestTestViews : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void logitsAreTheMeanOfTwoPasses();
  void shiftedViewsHaveAQuarterOfTheWeight();
  void shiftedViewsAreMirroredToo();
  void scoresAreThoseOfTheMeanLogits();
  void withoutItThereIsOnePass();
  void aRunIsScoredByItInTrainingAndAfterwards();
  void itHasNoEffectOnTheTraining();
  void whatRaisesTheScoresIsNamed();
};

void TestTestViews::logitsAreTheMeanOfTwoPasses() {
  RunData data(test::onCpu(averagingRun()));
  TrainingState state(test::onCpu(averagingRun()));
  for (const Split split : {Split::validation, Split::test}) {
    const at::Tensor expected = meanWithMirror(*state.network, data, split);
    QVERIFY(at::allclose(logitsOf(*state.network, data, split), expected, 1e-5, 1e-6));
  }
}

void TestTestViews::shiftedViewsHaveAQuarterOfTheWeight() {
  RunConfig config = tinyRun();
  config.recipe.shiftAveraging = true;
  RunData data(test::onCpu(config));
  TrainingState state(test::onCpu(config));
  const auto logits = [&](std::int64_t offset) {
    return logitsOfView(*state.network, data, Split::test, offset, false);
  };
  const at::Tensor expected = 0.5 * logits(0) + 0.25 * logits(1) + 0.25 * logits(-1);
  QVERIFY(at::allclose(logitsOf(*state.network, data, Split::test), expected, 1e-5, 1e-6));
}

void TestTestViews::shiftedViewsAreMirroredToo() {
  RunConfig config = averagingRun();
  config.recipe.shiftAveraging = true;
  RunData data(test::onCpu(config));
  TrainingState state(test::onCpu(config));
  const auto mean = [&](std::int64_t offset) {
    return meanWithMirror(*state.network, data, Split::test, offset);
  };
  const at::Tensor expected = 0.5 * mean(0) + 0.25 * mean(1) + 0.25 * mean(-1);
  QVERIFY(at::allclose(logitsOf(*state.network, data, Split::test), expected, 1e-5, 1e-6));
}

void TestTestViews::scoresAreThoseOfTheMeanLogits() {
  RunData data(test::onCpu(averagingRun()));
  TrainingState state(test::onCpu(averagingRun()));
  const LabeledImages& images = data.images(Split::validation);
  const Scores scores = *evaluate(*state.network, data.validation(), [](auto) { return true; });
  const at::Tensor mean = meanWithMirror(*state.network, data, Split::validation);
  const at::Tensor labels = data.maker().plain(images, 0, images.count()).labels;
  const auto loss = at::cross_entropy_loss(mean, labels).item<double>();
  QVERIFY(std::abs(scores.loss - loss) < 1e-5 * loss);
  QCOMPARE(scores.score, mean.argmax(1).eq(labels).to(at::kDouble).mean().item<double>());
}

void TestTestViews::withoutItThereIsOnePass() {
  RunData data(test::onCpu(tinyRun())), averaging(test::onCpu(averagingRun()));
  TrainingState state(test::onCpu(tinyRun()));
  state.network->eval();
  const at::NoGradGuard noGradient;
  const LabeledImages& images = data.images(Split::validation);
  const at::Tensor once =
      state.network->forward(data.maker().plain(images, 0, images.count()).images);
  QVERIFY(logitsOf(*state.network, data, Split::validation).equal(once));
  QVERIFY(!at::allclose(logitsOf(*state.network, averaging, Split::validation), once, 1e-4, 1e-5));
}

void TestTestViews::aRunIsScoredByItInTrainingAndAfterwards() {
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

void TestTestViews::itHasNoEffectOnTheTraining() {
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

void TestTestViews::whatRaisesTheScoresIsNamed() {
  Recipe recipe;
  QVERIFY(scoringOf(recipe).empty());
  QCOMPARE(scoringText(scoringOf(recipe)), std::string());
  recipe.flipAveraging = true;
  recipe.emaDecay = 0.9;
  QCOMPARE(scoringText(scoringOf(recipe)), std::string("EMA weights, flip averaging"));
  recipe.shiftAveraging = true;
  QCOMPARE(scoringText(scoringOf(recipe)),
           std::string("EMA weights, flip averaging, shift averaging"));
}

QTEST_GUILESS_MAIN(TestTestViews)
#include "tst_test_views.moc"
