#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include <QTest>

#include "engine/formats/metrics/histograms_json.h"
#include "engine/networks/inspection/inspect_network.h"
#include "engine/networks/inspection/inspection_mode.h"
#include "engine/networks/inspection/lambda_norms.h"
#include "engine/networks/inspection/value_counts.h"
#include "engine/training/histograms/histogram_recorder.h"
#include "engine/training/input/run_data.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

namespace lambda::test {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

at::Tensor variedValues(at::ScalarType type) {
  at::Tensor values = at::arange(200'001, at::kFloat).sub(100'000).div(7).pow(3).mul(1e-4).to(type);
  values.narrow(0, 5, 5).copy_(at::tensor({kInfinity, -kInfinity, kNaN, 1e-41F, -0.0F}));
  return values;
}

/// Copies of all tensors that training changes.
std::vector<at::Tensor> copiesOf(const TrainingState& state) {
  std::vector<at::Tensor> copies;
  const auto add = [&](const at::Tensor& tensor) { copies.push_back(tensor.detach().clone()); };
  for (const at::Tensor& each : state.network->parameters()) add(each);
  for (const at::Tensor& each : state.network->buffers()) add(each);
  for (const NamedTensor& each : state.optimizer.state()) add(each.tensor);
  for (const UpdatedParameter& each : state.optimizer.parameters()) add(each.master);
  if (state.average) {
    for (const NamedTensor& each : state.average->state()) add(each.tensor);
  }
  add(state.network->random()->get_state());
  return copies;
}

/// A small run with this network.
RunConfig runWith(const Architecture& architecture, Precision precision) {
  RunConfig config = randomRun(Muon{});
  const MapShape input = config.architecture.input;
  config.architecture = architecture;
  config.architecture.input = input;
  config.architecture.outputs = 10;
  config.recipe.precision = precision;
  config.recipe.batchSize = 4;
  shapes10Of(config).trainCount = 40;
  config.data.validationCount = 20;
  return config;
}

/// Trains some steps, with histograms of each or of none.
std::vector<at::Tensor> trained(const RunConfig& config, bool isObserved) {
  const ResolvedConfig resolved = onCpu(config);
  RunData data(resolved);
  TrainingState state(resolved);
  StepRunner steps(state, nullptr, {});
  for (int step = 0; step < 2; ++step) {
    StepHistograms histograms;
    const TensorBatch batch = data.batch(0, step);
    isObserved ? startObservedStep(state, steps, batch, 0.01, histograms)
               : steps.start(batch, 0.01);
    ++state.progress.step;
  }
  return copiesOf(state);
}

std::vector<HistogramRecord> histogramsOf(const fs::path& run) {
  return readHistograms(RunFolder::open(run).histograms());
}

}  // namespace

/// Counting values, and the histograms of a training.
class TestHistograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void everyValueIsCounted_data();
  void everyValueIsCounted();
  void bothWaysOfCountingAgree_data();
  void bothWaysOfCountingAgree();
  void lambdaNormsAreThoseOfAnInspection();
  void observingAStepChangesNoBit_data();
  void observingAStepChangesNoBit();
  void aStepHasAllKindsOfAllLayers();
  void scheduleKeepsToItsShare();
  void longRunsHaveFewRecords();
  void runsWithAndWithoutAreTheSame();
  void theFirstAndTheLastStepAreRecorded();
  void aResumedRunRewindsAndEndsWithTheSameBits();
  void aLossThatIsNotFiniteIsInTheHistograms();
  void aRunContinuesWithoutAFileForThem();
  void aRunIsResumedWithoutAFileForThem();
};

void TestHistograms::everyValueIsCounted_data() {
  QTest::addColumn<int>("type");
  QTest::newRow("float32") << static_cast<int>(at::kFloat);
  QTest::newRow("bfloat16") << static_cast<int>(at::kBFloat16);
  QTest::newRow("float64") << static_cast<int>(at::kDouble);
}

void TestHistograms::everyValueIsCounted() {
  QFETCH(int, type);
  const at::Tensor values = variedValues(static_cast<at::ScalarType>(type));
  const Histogram histogram = histogramOf(patternCounts(values));
  QCOMPARE(histogram.notANumber, 1);
  QCOMPARE(histogram.positiveInfinity, 1);
  QCOMPARE(histogram.negativeInfinity, 1);
  QCOMPARE(histogram.finiteCount() + histogram.notFiniteCount(), values.numel());
  std::int64_t zeros = 0;
  const at::Tensor plain = values.to(at::kDouble);
  for (std::int64_t i = 0; i < plain.numel(); ++i) {
    const double value = plain.const_data_ptr<double>()[i];
    if (std::abs(value) < lowerMagnitude(0)) ++zeros;
  }
  QCOMPARE(histogram.zero, zeros);
  for (const HistogramBin& bin : binsOf(histogram)) {
    if (bin.low <= 0 && bin.high >= 0) continue;
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < plain.numel(); ++i) {
      const double value = std::abs(plain.const_data_ptr<double>()[i]);
      const bool isNegative = std::signbit(plain.const_data_ptr<double>()[i]);
      const double low = std::min(std::abs(bin.low), std::abs(bin.high));
      const double high = std::max(std::abs(bin.low), std::abs(bin.high));
      if (isNegative == (bin.high <= 0) && value >= low && value < high) ++inside;
    }
    QCOMPARE(bin.count, inside);
  }
}

void TestHistograms::bothWaysOfCountingAgree_data() {
  QTest::addColumn<bool>("isStrided");
  QTest::newRow("dense") << false;
  QTest::newRow("strided") << true;
}

void TestHistograms::bothWaysOfCountingAgree() {
  QFETCH(bool, isStrided);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    at::Tensor values = variedValues(type);
    if (isStrided) values = values.narrow(0, 1, 200'000).view({400, 500}).slice(1, 0, 500, 3).t();
    QVERIFY(patternCounts(values).equal(patternCountsByAten(values)));
  }
}

void TestHistograms::lambdaNormsAreThoseOfAnInspection() {
  for (auto& [name, architecture] : oddArchitectures()) {
    RunConfig config = tinyRun();
    config.architecture = architecture;
    Network network(architecture);
    const MapShape& input = architecture.input;
    // With statistics of the batch, an image has other norms beside another image.
    const std::int64_t count = architecture.normStatistics == NormStatistics::batch ? 1 : 2;
    const at::Tensor images = at::randn({count, input.channels, input.height, input.width});
    const InspectionMode mode(*network, at::kCPU);

    class Inputs : public ForwardTrace {
     public:
      void visit(const std::string& layer, const at::Tensor& x, const at::Tensor&) override {
        of[layer] = x;
      }

      std::map<std::string, at::Tensor> of;
    } inputs;

    network->forward(images, &inputs);
    for (NamedLambda& each : network->lambdaLayers()) {
      const LambdaNorms norms = lambdaNormsOf(each.layer, inputs.of[each.name]);
      QVERIFY(norms.total.defined());
      const at::Tensor last = norms.total.dim() == 2 ? norms.total.select(1, -1) : norms.total;
      const std::vector<InspectableLayer> layers = inspectableLayers(architecture);
      const InspectableLayer& layer =
          *std::ranges::find(layers, each.name, &InspectableLayer::name);
      const InspectionSnapshot seen = inspectNetwork(
          network,
          images[count - 1],
          {.layer = each.name, .queryRow = layer.height - 1, .queryColumn = layer.width - 1},
          {});
      double squares = 0;
      for (const float value : seen.lambdas.total.values) squares += value * value;
      const double expected = std::sqrt(squares), found = last[count - 1].item<double>();
      QVERIFY2(std::abs(found - expected) <= 1e-4 * expected + 1e-6,
               (name + " " + each.name).c_str());
    }
  }
}

void TestHistograms::observingAStepChangesNoBit_data() {
  QTest::addColumn<RunConfig>("config");
  QTest::newRow("random") << randomRun(Muon{});
  for (auto& [name, architecture] : oddArchitectures()) {
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
      const std::string row = name + ", " + std::string(nameOf(precision));
      QTest::newRow(row.c_str()) << runWith(architecture, precision);
    }
  }
}

void TestHistograms::observingAStepChangesNoBit() {
  QFETCH(RunConfig, config);
  const std::vector<at::Tensor> plain = trained(config, false);
  const std::vector<at::Tensor> observed = trained(config, true);
  QCOMPARE(observed.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) QVERIFY(observed[i].equal(plain[i]));
}

void TestHistograms::aStepHasAllKindsOfAllLayers() {
  RunConfig config = tinyRun();
  config.recipe.precision = Precision::bfloat16;
  const ResolvedConfig resolved = onCpu(config);
  RunData data(resolved);
  TrainingState state(resolved);
  StepRunner steps(state, nullptr, {});
  StepHistograms histograms;
  startObservedStep(state, steps, data.batch(0, 0), 0.01, histograms);
  QVERIFY(histograms.seconds > 0);
  std::map<HistogramKind, std::set<std::string>> layers;
  for (const LayerHistogram& each : histograms.layers) {
    QVERIFY2(each.histogram.finiteCount() > 0, each.layer.c_str());
    QCOMPARE(each.histogram.notFiniteCount(), 0);
    layers[each.kind].insert(each.layer);
  }
  const std::set<std::string> all{
      "stem", "stage1.block1.mixer", "stage2.block1.mixer", "stage2.block2.mixer", "head"};
  std::set<std::string> withTables = all;
  withTables.insert("stage2.block2.mixer.embedding");
  QVERIFY(layers[HistogramKind::weights] == withTables);
  QVERIFY(layers[HistogramKind::gradients] == withTables);
  QVERIFY(layers[HistogramKind::activations] == all);
  const std::set<std::string> lambdas{"stage2.block2.mixer"};
  QVERIFY(layers[HistogramKind::lambdaNorms] == lambdas);
  QVERIFY(layers[HistogramKind::contentNorms] == lambdas);
  QVERIFY(layers[HistogramKind::positionNorms] == lambdas);
  // 3x3 filters from 3 to 8 channels.
  QCOMPARE(histograms.layers.front().layer, std::string("stem"));
  QCOMPARE(histograms.layers.front().histogram.finiteCount(), 8 * 3 * 9);
}

void TestHistograms::scheduleKeepsToItsShare() {
  HistogramSchedule schedule(100);
  double seconds = 100;
  int records = 0;
  for (std::int64_t step = 0; step < 20'000; ++step) {
    seconds += 0.1;
    if (!schedule.isDue(step, seconds)) continue;
    ++records;
    schedule.recorded(step, step < 10'000 ? 0.01 : 0.05);
  }
  QVERIFY(schedule.isDue(0, 100) == false);
  QVERIFY2(records > 100, std::to_string(records).c_str());
  QVERIFY(schedule.spent() <= HistogramSchedule::kShare * (seconds - 100) + 0.01);
}

void TestHistograms::longRunsHaveFewRecords() {
  HistogramSchedule schedule(0);
  int records = 0, late = 0;
  for (std::int64_t step = 0; step < 1'000'000; ++step) {
    if (!schedule.isDue(step, static_cast<double>(step))) continue;
    schedule.recorded(step, 1e-4);
    ++records;
    if (step > 500'000) ++late;
  }
  QVERIFY2(records < 1100, std::to_string(records).c_str());
  QVERIFY2(late >= 50, std::to_string(late).c_str());
}

void TestHistograms::runsWithAndWithoutAreTheSame() {
  const TemporaryFolder folder;
  RecordingObserver observer;
  RunConfig config = randomRun(AdamW{});
  RunControl one, two;
  const RunResult with = trainRun(config, folder.path(), one, observer);
  config.monitoring.histograms = false;
  const RunResult without = trainRun(config, folder.path(), two, observer);
  QVERIFY(tensorsOf(with.run) == tensorsOf(without.run));
  QVERIFY(lossesOf(with.run) == lossesOf(without.run));
  QVERIFY(!histogramsOf(with.run).empty());
  QVERIFY(!fs::exists(RunFolder::open(without.run).histograms()));
}

/// In so few steps the share of the training time allows no second record.
void TestHistograms::theFirstAndTheLastStepAreRecorded() {
  const TemporaryFolder folder;
  RecordingObserver observer;
  RunControl control;
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  const std::vector<HistogramRecord> records = histogramsOf(result.run);
  QCOMPARE(records.front().step, 1);
  QCOMPARE(records.back().step, std::ssize(lossesOf(result.run)));
  QCOMPARE(records.back().epoch, tinyRun().recipe.epochs);
}

void TestHistograms::aResumedRunRewindsAndEndsWithTheSameBits() {
  const TemporaryFolder folder;
  RecordingObserver silent;
  RunConfig config = randomRun(Sgd{});
  config.monitoring.histograms = false;
  RunControl whole;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);

  config.monitoring.histograms = true;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 8) control.requestStop();
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  const fs::path file = RunFolder::open(stopped.run).histograms();
  const std::vector<HistogramRecord> before = histogramsOf(stopped.run);
  // As if it had been killed later, while it wrote a line.
  HistogramRecord later = before.front();
  later.step = 9;
  const std::string line = toLine(later);
  std::ofstream(file, std::ios::app) << line << line.substr(0, line.size() / 2);

  RunControl again;
  const RunResult resumed = resumeRun(stopped.run, {}, again, silent);
  QCOMPARE(resumed.status, RunStatus::finished);
  QVERIFY(tensorsOf(resumed.run) == tensorsOf(uninterrupted.run));
  QVERIFY(lossesOf(resumed.run) == lossesOf(uninterrupted.run));
  const std::vector<HistogramRecord> after = histogramsOf(resumed.run);
  QVERIFY(after.size() > before.size());
  for (std::size_t i = 0; i < before.size(); ++i) QVERIFY(after[i] == before[i]);
  for (std::size_t i = 1; i < after.size(); ++i) QVERIFY(after[i].step > after[i - 1].step);
  // The first step after the checkpoint has its own histograms and not those that were dropped.
  QCOMPARE(after[before.size()].step, 9);
  QVERIFY(after[before.size()].layers != later.layers);
}

void TestHistograms::aLossThatIsNotFiniteIsInTheHistograms() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  const ResolvedConfig resolved = onCpu(config);
  RunData data(resolved);
  TrainingState state(resolved);
  {
    const at::NoGradGuard noGradient;
    state.optimizer.parameters().front().master.detach()[0][0][0][0] = kNaN;
  }
  StepRunner steps(state, nullptr, {});
  StepHistograms histograms;
  const StepOutcome outcome =
      startObservedStep(state, steps, data.batch(0, 0), 0.01, histograms).outcome();
  QVERIFY(!outcome.finite);
  QCOMPARE(histograms.layers.front().histogram.notANumber, 1);
  QVERIFY(histograms.layers.back().histogram.notANumber > 0);
}

void TestHistograms::aRunContinuesWithoutAFileForThem() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onStarted = [&](const RunRecord&) {
    fs::create_directory(RunFolder::open(observer.run).histograms());
  };
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::finished);
  const auto warnings = std::ranges::count_if(observer.events, [](const EventRecord& each) {
    return each.kind == EventKind::warning &&
           each.text.starts_with("records no more histograms, because ");
  });
  QCOMPARE(warnings, 1);
}

void TestHistograms::aRunIsResumedWithoutAFileForThem() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 3) control.requestStop();
  };
  const RunResult stopped = trainRun(tinyRun(), folder.path(), control, observer);
  const fs::path file = RunFolder::open(stopped.run).histograms();
  fs::remove(file);
  fs::create_directory(file);
  RunControl again;
  RecordingObserver resumed;
  QCOMPARE(resumeRun(stopped.run, {}, again, resumed).status, RunStatus::finished);
  QVERIFY(std::ranges::any_of(resumed.events, [](const EventRecord& each) {
    return each.text.starts_with("records no more histograms, because ");
  }));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestHistograms)
#include "tst_histograms.moc"
