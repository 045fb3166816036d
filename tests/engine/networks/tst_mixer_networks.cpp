#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/networks/network.h"
#include "engine/training/loop/trainer.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/config/usual_augmentation.h"
#include "engine/values/config/validate.h"
#include "tests/support/mixer_variants.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/parameter_count.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

namespace lambda::test {

namespace {

constexpr Family kFamilies[] = {
    Family::plain, Family::basic, Family::bottleneck, Family::invertedBottleneck};

/// Three batches and two epochs of the run, in that precision.
RunConfig shortRun(const Mixer& mixer, Precision precision) {
  RunConfig config = tinyRunOf(mixer);
  shapes10Of(config).trainCount = 60;
  config.data.validationCount = 15;
  shapes10Of(config).testCount = 10;
  config.recipe.epochs = 2;
  config.recipe.batchSize = 15;
  config.recipe.precision = precision;
  return config;
}

/// Keeps the output of a layer.
class LayerOutput : public ForwardTrace {
 public:
  explicit LayerOutput(std::string layer) : layer_(std::move(layer)) {}

  void visit(const std::string& layer, const at::Tensor&, const at::Tensor& result) override {
    if (layer == layer_) output = result;
  }

  at::Tensor output;

 private:
  std::string layer_;
};

}  // namespace

/// Tests every kind of mixer in whole networks: cost, JSON, training, evaluation and resumption.
class TestMixerNetworks : public QObject {
  Q_OBJECT

 private:
  static void addVariants() {
    QTest::addColumn<int>("index");
    const auto variants = mixerVariants();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      QTest::newRow(variants[i].first.c_str()) << static_cast<int>(i);
    }
  }

  /// A run that is stopped in its first epoch, of three batches, and resumed.
  static void resumesToTheSameBits(const RunConfig& config) {
    const TemporaryFolder folder;
    RecordingObserver silent;
    RunControl whole;
    const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
    QCOMPARE(uninterrupted.status, RunStatus::finished);
    QVERIFY(uninterrupted.testScore.has_value());

    RunControl control;
    RecordingObserver observer;
    observer.onBatch = [&](const BatchRecord& batch) {
      if (batch.step == 2) control.requestStop();
    };
    const RunResult stopped = trainRun(config, folder.path(), control, observer);
    QCOMPARE(stopped.status, RunStatus::stopped);
    RunControl again;
    const RunResult resumed = resumeRun(stopped.run, {}, again, silent);
    QCOMPARE(resumed.status, RunStatus::finished);
    QVERIFY(tensorsOf(resumed.run) == tensorsOf(uninterrupted.run));
    QVERIFY(lossesOf(resumed.run) == lossesOf(uninterrupted.run));
    QCOMPARE(resumed.testScore, uninterrupted.testScore);
  }

  static Mixer currentMixer() {
    QFETCH(int, index);
    return mixerVariants()[static_cast<std::size_t>(index)].second;
  }

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(6); }

  void everyKindIsTested() {
    std::set<std::size_t> kinds;
    for (const auto& [name, mixer] : mixerVariants()) kinds.insert(mixer.index());
    // Those for sequences alone do not train on images.
    QCOMPARE(std::ssize(kinds), std::ranges::count(kMixerTraits, false, &MixerTraits::isCausal));
  }

  void jsonKeepsIt_data() { addVariants(); }

  void jsonKeepsIt() {
    const RunConfig config = tinyRunOf(currentMixer());
    std::vector<Problem> warnings;
    QVERIFY(runConfigFromJson(toJson(config), "a test", warnings) == config);
    QVERIFY(warnings.empty());
  }

  void costIsThatOfTheBuiltModules_data() { addVariants(); }

  void costIsThatOfTheBuiltModules() {
    const Mixer mixer = currentMixer();
    for (const Family family : kFamilies) {
      const Architecture architecture = tinyRunOf(mixer, family).architecture;
      QVERIFY(!hasErrors(validate(architecture)));
      const Network network(architecture);
      const NetworkCost cost = costOf(architecture);
      QCOMPARE(cost.parameters, static_cast<long long>(parameterCount(*network)));
      for (const LayerCost& layer : cost.layers) {
        long long built = 0;
        for (const auto& parameter : network->named_parameters()) {
          if (parameter.key().starts_with(layer.name + ".")) built += parameter.value().numel();
        }
        QVERIFY2(built == layer.parameters, (layer.name + std::string(nameOf(family))).c_str());
      }
    }
  }

  void everyParameterLearns_data() { addVariants(); }

  void everyParameterLearns() {
    const Mixer mixer = currentMixer();
    for (const Family family : kFamilies) {
      Architecture architecture = tinyRunOf(mixer, family).architecture;
      architecture.zeroInitResidual = false;  // A scale of 0 would make gradients before it 0.
      Network network(architecture);
      network(at::randn({4, 3, 32, 32})).square().sum().backward();
      for (const auto& parameter : network->named_parameters()) {
        const at::Tensor gradient = parameter.value().grad();
        QVERIFY2(gradient.defined() && gradient.isfinite().all().item<bool>(),
                 parameter.key().c_str());
        const bool isBias = parameter.key().ends_with("squeeze.bias");
        QVERIFY2(isBias || gradient.abs().max().item<double>() > 0, parameter.key().c_str());
      }
    }
  }

  void networksOfTokensSeeNoLaterToken() {
    const at::NoGradGuard noGradients;
    for (const auto& [name, architecture] : sequenceArchitectures()) {
      QVERIFY2(validate(architecture).empty(), name.c_str());
      Network network(architecture);
      QCOMPARE(std::int64_t{costOf(architecture).parameters}, parameterCount(*network));
      const std::int64_t n = architecture.input.width;
      const at::Tensor tokens = at::randint(architecture.outputs, {3, 1, 1, n}, at::kLong);
      const at::Tensor logits = network(tokens);
      QVERIFY(logits.sizes() == at::IntArrayRef({3, n, architecture.outputs}));
      for (std::int64_t m = 0; m < n; ++m) {
        const at::Tensor changed = tokens.clone();
        changed.select(3, m).add_(1).remainder_(architecture.outputs);
        const at::Tensor moved = network(changed);
        QVERIFY2(moved.slice(1, 0, m).equal(logits.slice(1, 0, m)), name.c_str());
        QVERIFY2(!moved.select(1, m).equal(logits.select(1, m)), name.c_str());
      }
    }
  }

  /// Signals are maps of one row; no position needs to be hidden from another.
  void signalsAreClassifiedByTheMeanOfTheirPositions() {
    const at::NoGradGuard noGradients;
    for (auto [name, architecture] : sequenceArchitectures()) {
      architecture.input.channels = 2;
      architecture.task = Task::classification;
      architecture.outputs = 3;
      architecture.stem.kind = CifarStem{};
      architecture.head = {};
      std::get<SelfAttentionMixer>(architecture.stages[0].blocks[1].mixer).causal = false;
      QVERIFY2(!hasErrors(validate(architecture)), toText(validate(architecture)).c_str());
      Network network(architecture);
      QCOMPARE(std::int64_t{costOf(architecture).parameters}, parameterCount(*network));
      LayerOutput normed("headNorm");
      const at::Tensor logits = network->forward(at::randn({4, 2, 1, 13}), &normed);
      const auto parameters = network->named_parameters();
      const at::Tensor mean = normed.output.mean(at::IntArrayRef{2, 3});
      const at::Tensor expected =
          at::linear(mean, parameters["head.weight"], parameters["head.bias"]);
      QVERIFY2(at::allclose(logits, expected, 1e-5, 1e-6), name.c_str());
    }
  }

  void trainingsOnSequencesResumeToTheSameBits_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<int>("precision");
    const auto networks = sequenceArchitectures();
    for (std::size_t i = 0; i < networks.size(); ++i) {
      for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        const std::string name = networks[i].first + ", " + std::string(nameOf(precision));
        QTest::newRow(name.c_str()) << static_cast<int>(i) << static_cast<int>(precision);
      }
    }
  }

  void trainingsOnSequencesResumeToTheSameBits() {
    QFETCH(int, index);
    QFETCH(int, precision);
    RunConfig config;
    config.architecture = sequenceArchitectures()[static_cast<std::size_t>(index)].second;
    config.architecture.name = "sequences";
    config.architecture.input.width = 14;
    config.architecture.stages[1].blocks.push_back(Block{RwkvMixer{}});
    config.architecture.stages[1].blocks.back().expansion = 2;
    config.data.source = CopySource{
        .vocabulary = 11, .length = 14, .trainCount = 45, .validationCount = 9, .testCount = 10};
    config.data.validationCount = 9;
    config.data.augmentation = usualAugmentation(config.data.source);
    config.recipe.optimizer = {.kind = AdamW{}, .learningRate = 0.003, .gradientClip = 1};
    config.recipe.emaDecay = 0.9;
    config.recipe.epochs = 2;
    config.recipe.batchSize = 15;
    config.recipe.precision = static_cast<Precision>(precision);
    config.device.threads = 1;
    resumesToTheSameBits(config);
  }

  void trainsEvaluatesAndResumesToTheSameBits_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<int>("precision");
    const auto variants = mixerVariants();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        const std::string name = variants[i].first + ", " + std::string(nameOf(precision));
        QTest::newRow(name.c_str()) << static_cast<int>(i) << static_cast<int>(precision);
      }
    }
  }

  void trainsEvaluatesAndResumesToTheSameBits() {
    QFETCH(int, precision);
    resumesToTheSameBits(shortRun(currentMixer(), static_cast<Precision>(precision)));
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestMixerNetworks)
#include "tst_mixer_networks.moc"
