#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include <ATen/ATen.h>

#include <QTest>

#include "engine/data/image_export.h"
#include "engine/formats/archives/zip_reader.h"
#include "engine/formats/files/durable_file.h"
#include "engine/training/input/run_data.h"
#include "engine/training/input/tensor_batch.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/scoring.h"
#include "engine/training/step/training_step.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

RunConfig mixingRun(double mixupAlpha = 0.4, double cutmixAlpha = 1) {
  RunConfig config = tinyRun();
  config.data.augmentation.mixupAlpha = mixupAlpha;
  config.data.augmentation.cutmixAlpha = cutmixAlpha;
  return config;
}

/// 4 images of 2 channels, 3 rows and 5 columns, every value another one.
TensorBatch smallBatch(at::MemoryFormat format) {
  return {at::arange(4 * 2 * 3 * 5).to(at::kFloat).view({4, 2, 3, 5}).contiguous(format),
          at::arange(4).to(at::kLong)};
}

/// -log of the softmax of each label with smoothing, as a loop: the mean over the batch.
double smoothedLoss(const at::Tensor& logits, const at::Tensor& labels, double smoothing) {
  const auto classes = logits.size(1);
  double total = 0;
  for (std::int64_t i = 0; i < logits.size(0); ++i) {
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(logits[i][c].item<double>());
    for (std::int64_t c = 0; c < classes; ++c) {
      const double target = (labels[i].item<std::int64_t>() == c ? 1 - smoothing : 0) +
                            smoothing / static_cast<double>(classes);
      total -= target * (logits[i][c].item<double>() - std::log(sum));
    }
  }
  return total / static_cast<double>(logits.size(0));
}

at::Tensor logitsInTraining(const RunConfig& config, const TensorBatch& batch) {
  TrainingState state(test::onCpu(config));
  state.network->train();
  return state.network->forward(batch.images).detach();
}

/// The values of a member of an archive of NumPy.
at::Tensor arrayIn(const std::vector<std::byte>& npy, at::ScalarType type) {
  const auto header =
      10 + std::to_integer<std::size_t>(npy[8]) + 256 * std::to_integer<std::size_t>(npy[9]);
  const auto bytes = npy.size() - header;
  const at::Tensor values =
      at::empty({static_cast<std::int64_t>(bytes / c10::elementSize(type))}, type);
  std::memcpy(values.data_ptr(), npy.data() + header, bytes);
  return values;
}

}  // namespace

class TestMixedTraining : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void exportedImagesAreThoseThatTheNetworkGets();
  void mixupBlendsEachImageWithItsPartner();
  void cutMixPutsTheBoxOfThePartnerIntoTheImage();
  void theLabelWithTheLargerShareComesFirst();
  void measuresAreThoseOfALoop();
  void gradientsAreThoseOfTheSmoothedMixture();
  void aRunMixesItsTrainingBatchesAlone();
  void withoutMixingABatchHasOneLabel();
  void resumesToTheSameBits_data();
  void resumesToTheSameBits();
};

void TestMixedTraining::mixupBlendsEachImageWithItsPartner() {
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    const TensorBatch plain = smallBatch(format);
    const MixingDraw draw{.share = 0.75, .partners = {2, 0, 1, 3}};
    const TensorBatch batch = mixed(smallBatch(format), draw);
    QVERIFY(batch.images.is_contiguous(format));
    for (std::int64_t i = 0; i < 4; ++i) {
      const auto partner = static_cast<std::int64_t>(draw.partners[i]);
      QVERIFY(at::allclose(batch.images[i], 0.75 * plain.images[i] + 0.25 * plain.images[partner]));
      QCOMPARE(batch.labels[i].item<std::int64_t>(), i);
      QCOMPARE(batch.partnerLabels[i].item<std::int64_t>(), partner);
    }
    QCOMPARE(batch.share.item<float>(), 0.75F);
  }
}

void TestMixedTraining::cutMixPutsTheBoxOfThePartnerIntoTheImage() {
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    const TensorBatch plain = smallBatch(format);
    const MixingDraw draw{.kind = MixingKind::cutmix,
                          .share = 0.6,
                          .partners = {1, 2, 3, 0},
                          .box = {.left = 2, .top = 1, .right = 5, .bottom = 3}};
    const TensorBatch batch = mixed(smallBatch(format), draw);
    QVERIFY(batch.images.is_contiguous(format));
    for (std::int64_t i = 0; i < 4; ++i) {
      const at::Tensor partner = plain.images[draw.partners[i]];
      for (std::int64_t y = 0; y < 3; ++y) {
        for (std::int64_t x = 0; x < 5; ++x) {
          const at::Tensor& from = x >= 2 && y >= 1 ? partner : plain.images[i];
          QVERIFY(batch.images[i].select(1, y).select(1, x).equal(from.select(1, y).select(1, x)));
        }
      }
    }
  }
}

void TestMixedTraining::theLabelWithTheLargerShareComesFirst() {
  const TensorBatch batch =
      mixed(smallBatch(at::MemoryFormat::Contiguous), {.share = 0.25, .partners = {3, 2, 0, 1}});
  QCOMPARE(batch.share.item<float>(), 0.75F);
  QCOMPARE(batch.labels[0].item<std::int64_t>(), std::int64_t{3});
  QCOMPARE(batch.partnerLabels[0].item<std::int64_t>(), std::int64_t{0});
}

void TestMixedTraining::measuresAreThoseOfALoop() {
  RunConfig config = mixingRun();
  config.recipe.labelSmoothing = 0.2;
  RunData data(test::onCpu(config));
  for (int position = 0; position < 4; ++position) {
    const TensorBatch batch = data.batch(0, position);
    TrainingState state(test::onCpu(config));
    const StepMeasures measures = computeGradients(state, batch);
    const at::Tensor logits = logitsInTraining(config, batch);
    const double share = batch.share.item<double>();
    const double expected = share * smoothedLoss(logits, batch.labels, 0) +
                            (1 - share) * smoothedLoss(logits, batch.partnerLabels, 0);
    QVERIFY(std::abs(measures.loss.item<double>() - expected) < 1e-5 * expected);
    const double right = logits.argmax(1).eq(batch.labels).to(at::kDouble).mean().item<double>();
    QCOMPARE(measures.score.item<double>(), right);
  }
}

/// The gradient of a mean cross-entropy with respect to the bias of the last layer is the mean of
/// softmax - target.
void TestMixedTraining::gradientsAreThoseOfTheSmoothedMixture() {
  RunConfig config = mixingRun();
  config.recipe.labelSmoothing = 0.2;
  RunData data(test::onCpu(config));
  const TensorBatch batch = data.batch(0, 1);
  TrainingState state(test::onCpu(config));
  computeGradients(state, batch);
  at::Tensor bias;
  for (const at::Tensor& each : state.network->parameters()) {
    if (each.dim() == 1) bias = each;
  }
  const at::Tensor logits = logitsInTraining(config, batch);
  const std::int64_t classes = logits.size(1);
  QCOMPARE(bias.size(0), classes);
  const double share = batch.share.item<double>();
  const at::Tensor hard = share * at::one_hot(batch.labels, classes) +
                          (1 - share) * at::one_hot(batch.partnerLabels, classes);
  const at::Tensor target = 0.8 * hard + 0.2 / static_cast<double>(classes);
  const at::Tensor expected = (logits.softmax(1) - target).mean(0);
  QVERIFY(at::allclose(bias.grad(), expected, 1e-4, 1e-6));
}

void TestMixedTraining::aRunMixesItsTrainingBatchesAlone() {
  RunData mixing(test::onCpu(mixingRun()));
  RunData plain(test::onCpu(tinyRun()));
  for (int batch = 0; batch < 3; ++batch) {
    const TensorBatch ours = mixing.batch(0, batch);
    QVERIFY(ours.isMixed());
    QVERIFY(!ours.images.equal(plain.batch(0, batch).images));
    QVERIFY(ours.share.item<float>() >= 0.5F && ours.share.item<float>() <= 1);
  }
  TrainingState state(test::onCpu(tinyRun()));
  for (const Split split : {Split::train, Split::validation, Split::test}) {
    const TensorBatch ours = mixing.maker().plain(mixing.images(split), 0, 10);
    QVERIFY(!ours.isMixed());
    QVERIFY(ours.images.equal(plain.maker().plain(plain.images(split), 0, 10).images));
    const auto scoresOf = [&](RunData& data) {
      const ImageExamples examples(data.images(split), data.maker());
      return *evaluate(*state.network, examples, [](auto) { return true; });
    };
    QVERIFY(scoresOf(mixing) == scoresOf(plain));
  }
}

void TestMixedTraining::withoutMixingABatchHasOneLabel() {
  RunData data(test::onCpu(tinyRun()));
  const TensorBatch batch = data.batch(0, 0);
  QVERIFY(!batch.isMixed());
  QVERIFY(!batch.share.defined());
}

void TestMixedTraining::resumesToTheSameBits_data() {
  QTest::addColumn<int>("stopStep");
  QTest::newRow("first batch") << 1;
  QTest::newRow("middle of an epoch") << 9;
  QTest::newRow("last batch of an epoch") << 6;
}

void TestMixedTraining::resumesToTheSameBits() {
  QFETCH(int, stopStep);
  const TemporaryFolder folder;
  RunConfig config = randomRun(Sgd{});
  config.recipe.epochs = 2;
  config.data.augmentation.mixupAlpha = 0.4;
  config.data.augmentation.cutmixAlpha = 1;
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
  QVERIFY2(uninterrupted.status == RunStatus::finished, uninterrupted.failure.c_str());

  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == stopStep) control.requestStop();
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  QCOMPARE(stopped.status, RunStatus::stopped);
  RunControl again;
  const RunResult resumed = resumeRun(stopped.run, {}, again, silent);
  QCOMPARE(resumed.status, RunStatus::finished);
  QVERIFY(tensorsOf(resumed.run) == tensorsOf(uninterrupted.run));
  QVERIFY(lossesOf(resumed.run) == lossesOf(uninterrupted.run));
}

void TestMixedTraining::exportedImagesAreThoseThatTheNetworkGets() {
  const TemporaryFolder folder;
  const RunConfig config = mixingRun();
  const int epoch = 1;
  RunData data(test::onCpu(config));
  BatchOrder order(config.seed, static_cast<std::uint32_t>(data.trainingExamples()), config.recipe);
  const auto path = folder.path() / "mixed.npz";
  const auto exported = exportImages({.config = config, .augmentedInEpoch = epoch + 1, .out = path},
                                     [](std::int64_t, std::int64_t) { return true; });
  QCOMPARE(exported->mixed, data.trainingExamples());
  const std::string bytes = readFile(path, 1 << 24);
  const auto members = readStoredZip(std::as_bytes(std::span(bytes)), path.string());
  const at::Tensor images = arrayIn(members.at("images.npy"), at::kByte).view({-1, 32, 32, 3});
  const at::Tensor labels = arrayIn(members.at("labels.npy"), at::kLong);
  const at::Tensor partners = arrayIn(members.at("partnerLabels.npy"), at::kLong);
  const at::Tensor shares = arrayIn(members.at("shares.npy"), at::kDouble);
  const Normalization& normalization = data.input().normalization;
  const at::Tensor mean = at::tensor(normalization.mean).view({1, 3, 1, 1});
  const at::Tensor deviation = at::tensor(normalization.deviation).view({1, 3, 1, 1});
  for (int position = 0; position < data.batchesPerEpoch(); ++position) {
    const TensorBatch batch = data.batch(epoch, position);
    const auto drawn = order.batch({epoch, static_cast<std::uint32_t>(position)});
    const at::Tensor indices =
        at::tensor(std::vector<std::int64_t>(drawn.begin(), drawn.end()), at::kLong);
    const at::Tensor expected = (batch.images.to(at::kDouble) * deviation + mean) * 255;
    const at::Tensor found = images.index_select(0, indices).permute({0, 3, 1, 2}).to(at::kDouble);
    QVERIFY((found - expected).abs().max().item<double>() < 1.5);  // Two roundings.
    QVERIFY(labels.index_select(0, indices).equal(batch.labels));
    QVERIFY(partners.index_select(0, indices).equal(batch.partnerLabels));
    QVERIFY((shares.index_select(0, indices) - batch.share).abs().max().item<double>() < 1e-6);
  }
}

QTEST_GUILESS_MAIN(TestMixedTraining)
#include "tst_mixed_training.moc"
