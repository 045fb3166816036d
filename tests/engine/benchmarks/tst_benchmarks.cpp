#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include <QtTest/QtTest>

#include "engine/benchmarks/core/core_benchmark.h"
#include "engine/benchmarks/data_benchmark.h"
#include "engine/benchmarks/device/device_clock.h"
#include "engine/benchmarks/layer/layer_benchmark.h"
#include "engine/benchmarks/step_benchmark.h"
#include "engine/benchmarks/wkv/wkv_benchmark.h"
#include "engine/networks/network.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/values/architecture/cost.h"
#include "tests/support/parameter_count.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace lambda {

class TestBenchmarks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void callsAreTimedInTheirParts();
  void coreRowsHaveEveryPass();
  void theWkvIsComparedWithALoop();
  void layersAreComparedWithTheirConvolution_data();
  void layersAreComparedWithTheirConvolution();
  void twinsHaveConvolutionsAlone();
  void stepsAreTimedPartByPart();
  void recordedStepsCanBeTakenAgain();
  void recordedMixedBatchesHaveBothLabels();
  void batchesAreThoseOfAten();
  void divergingStepsAreNotTimed();
};

void TestBenchmarks::callsAreTimedInTheirParts() {
  int calls = 0, made = 0;
  const NextCall next = [&]() -> TimedCall {
    ++made;
    return [&](const EndPart& endPart) {
      ++calls;
      endPart();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      endPart();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
  };
  const TimesInTurns times = timeInTurns(at::kCPU, {next, next}, {.warmUps = 1, .repetitions = 5});
  QCOMPARE(calls, 12);
  QCOMPARE(made, calls);
  QCOMPARE(times.measured.size(), std::size_t{2});
  QVERIFY(times.called.empty());
  for (const Repetitions& each : times.measured) {
    QCOMPARE(each.count(), std::size_t{5});
    QVERIFY(each.part(0).low < 2e-3);
    QVERIFY(each.part(1).low >= 2e-3);
    // What a call does after its last part is not timed.
    QVERIFY(each.total().low < 7e-3);
  }
}

void TestBenchmarks::coreRowsHaveEveryPass() {
  const auto rows = runCoreBenchmark({3, 32}, {.batch = 2, .repetitions = 3, .seed = 7});
  QCOMPARE(rows.size(), std::size_t{3});
  QCOMPARE(rows[0].name, std::string("3x3 d=32 forward"));
  QCOMPARE(rows[2].name, std::string("3x3 d=32 forward+backward"));
  for (const BenchmarkRow& row : rows) {
    QCOMPARE(row.forms.size(), std::size_t{4});
    QCOMPARE(row.forms[0].name, std::string("fused"));
    QCOMPARE(row.repetitions, std::size_t{3});
    for (const TimedForm& form : row.forms) {
      QVERIFY(form.time.median > 0 && form.time.low <= form.time.median);
      QVERIFY(*form.relativeError < 1e-5);
    }
  }
  QVERIFY(rows[2].forms[0].time.median > rows[1].forms[0].time.median);
  const auto less = runCoreBenchmark(
      {5, 32, 3}, {.batch = 2, .repetitions = 3, .precision = Precision::bfloat16, .seed = 7});
  QCOMPARE(less[0].forms.size(), std::size_t{6});
  QCOMPARE(less[0].forms.back().name, std::string("the other kernel"));
  QCOMPARE(less[0].precision, Precision::bfloat16);
  for (const TimedForm& form : less[0].forms)
    QVERIFY(*form.relativeError > 1e-5 && *form.relativeError < 1e-2);
}

void TestBenchmarks::theWkvIsComparedWithALoop() {
  const auto rows = runWkvBenchmark({70, 20}, {.batch = 2, .repetitions = 3, .seed = 7});
  QCOMPARE(rows.size(), std::size_t{3});
  QCOMPARE(rows[1].name, std::string("n=70 d=20 backward"));
  QCOMPARE(rows[2].bytes, 6.0 * 2 * 70 * 20 * 4);
  for (const BenchmarkRow& row : rows) {
    QCOMPARE(row.forms.size(), std::size_t{2});
    QCOMPARE(row.forms[1].name, std::string("loop over tokens"));
    QVERIFY(row.forms[0].time.median > 0);
    QVERIFY(row.forms[0].time.median < row.forms[1].time.median);
    for (const TimedForm& form : row.forms) QVERIFY(*form.relativeError < 1e-5);
  }
  QVERIFY(rows[2].forms[0].time.median > rows[1].forms[0].time.median);
}

void TestBenchmarks::layersAreComparedWithTheirConvolution_data() {
  QTest::addColumn<int>("side");
  QTest::addColumn<int>("stride");
  QTest::addColumn<int>("precision");
  const int exact = static_cast<int>(Precision::float32);
  QTest::newRow("map") << 3 << 1 << exact;
  QTest::newRow("stride") << 4 << 2 << exact;
  QTest::newRow("odd map, stride") << 3 << 2 << exact;
  QTest::newRow("one pixel") << 1 << 1 << exact;
  QTest::newRow("bfloat16") << 4 << 1 << static_cast<int>(Precision::bfloat16);
}

void TestBenchmarks::layersAreComparedWithTheirConvolution() {
  QFETCH(int, side);
  QFETCH(int, stride);
  QFETCH(int, precision);
  const auto rows = runLayerBenchmark(
      {side, 32, stride},
      {.batch = 2, .repetitions = 3, .precision = static_cast<Precision>(precision), .seed = 7});
  QCOMPARE(rows.size(), std::size_t{2});
  for (const BenchmarkRow& row : rows) {
    QCOMPARE(row.forms.size(), std::size_t{13});
    QCOMPARE(row.forms[0].name, std::string("lambda layer"));
    QCOMPARE(row.forms[1].name, std::string("convolution 3x3"));
    for (const TimedForm& form : row.forms) QVERIFY(form.time.median > 0);
  }
}

void TestBenchmarks::twinsHaveConvolutionsAlone() {
  const Architecture network = tinyRun().architecture;
  const auto twin = convolutionTwin(network);
  QVERIFY(twin);
  QVERIFY(Network(*twin)->lambdaLayers().empty());
  QVERIFY(!convolutionTwin(*twin));
  const auto* mixer = std::get_if<ConvolutionMixer>(&twin->stages[1].blocks[1].mixer);
  QVERIFY(mixer != nullptr && mixer->kernelSize == 3);
  Architecture depthwise = *twin;
  depthwise.stages[1].blocks[0].mixer = DepthwiseConvolutionMixer{};
  QVERIFY(convolutionTwin(depthwise) == twin);
}

void TestBenchmarks::stepsAreTimedPartByPart() {
  const StepBenchmark seen = runStepBenchmark(tinyRun(), {.repetitions = 6});
  QCOMPARE(seen.batch, 30);
  QCOMPARE(seen.repetitions, std::size_t{6});
  QVERIFY(!seen.syntheticData);
  QCOMPARE(seen.networks.size(), std::size_t{2});
  QCOMPARE(seen.networks[0].name, std::string("tiny"));
  QCOMPARE(seen.networks[1].name, std::string("conv twin"));
  for (const NetworkSteps& network : seen.networks) {
    const StepParts& parts = network.parts;
    for (const Timing& part :
         {parts.data, parts.forward, parts.backward, parts.measures, parts.update})
      QVERIFY(part.median > 0 && part.median < network.step.median);
    QVERIFY(network.withoutData.median < network.step.median);
    QVERIFY(network.lastLoss < network.firstLoss);
  }
  QCOMPARE(seen.networks[0].parameters, test::parameterCount(*Network(tinyRun().architecture)));
  QCOMPARE(seen.networks[0].flops,
           3.0 * 30 * static_cast<double>(costOf(tinyRun().architecture).flops));
  const StepBenchmark alone = runStepBenchmark(tinyRun(), {.repetitions = 3, .withTwin = false});
  QCOMPARE(alone.networks.size(), std::size_t{1});
}

void TestBenchmarks::recordedStepsCanBeTakenAgain() {
  const TemporaryFolder folder;
  const RunConfig config = tinyRun();
  const auto path = folder.path() / "steps.safetensors";
  recordSteps(config, 3, path);
  const SafeTensors file = readSafeTensors(path);
  verifyDigest(file, path.string());
  Network network(config.architecture);
  for (const NamedTensor& each : stateOf(*network)) loadInto(file, path.string(), each);
  const auto tensor = [&](const char* name) { return toTensor(*file.find(name), path.string()); };
  network->train();
  const at::Tensor logits = network->forward(tensor("batch.0.images"));
  const double loss = at::cross_entropy_loss(logits, tensor("batch.0.labels")).item<double>();
  const std::string& losses = file.metadata.at("losses");
  QVERIFY(losses.starts_with("[") && losses.ends_with("]"));
  QVERIFY(std::abs(std::stod(losses.substr(1)) - loss) < 1e-5);
  QVERIFY(file.find("batch.2.images") != nullptr && file.find("batch.3.images") == nullptr);
  QVERIFY(file.metadata.contains("learningRates") && file.metadata.contains("config"));
}

void TestBenchmarks::recordedMixedBatchesHaveBothLabels() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.data.augmentation.mixupAlpha = 1;
  const auto path = folder.path() / "steps.safetensors";
  recordSteps(config, 1, path);
  const SafeTensors file = readSafeTensors(path);
  Network network(config.architecture);
  for (const NamedTensor& each : stateOf(*network)) loadInto(file, path.string(), each);
  const auto tensor = [&](const char* name) { return toTensor(*file.find(name), path.string()); };
  network->train();
  const at::Tensor logits = network->forward(tensor("batch.0.images"));
  const double share = tensor("batch.0.share").item<double>();
  const auto lossOf = [&](const char* labels) {
    return at::cross_entropy_loss(logits, tensor(labels)).item<double>();
  };
  const double loss =
      share * lossOf("batch.0.labels") + (1 - share) * lossOf("batch.0.partnerLabels");
  QVERIFY(std::abs(std::stod(file.metadata.at("losses").substr(1)) - loss) < 1e-5);
}

void TestBenchmarks::batchesAreThoseOfAten() {
  RunConfig config = tinyRun();
  config.data.augmentation.horizontalFlip = true;
  config.data.augmentation.cutoutSize = 7;
  for (const CropPadding padding : {CropPadding::reflect, CropPadding::zero}) {
    config.data.augmentation.padding = padding;
    const DataBenchmark seen = runDataBenchmark(config, {.repetitions = 3});
    QCOMPARE(seen.row.forms.size(), std::size_t{2});
    QVERIFY(*seen.row.forms[0].relativeError < 1e-6);
    QVERIFY(*seen.row.forms[1].relativeError < 1e-6);
    QVERIFY(seen.step.median > seen.row.forms[0].time.median);
  }
}

void TestBenchmarks::divergingStepsAreNotTimed() {
  RunConfig config = tinyRun();
  config.recipe.optimizer.learningRate = 1e30;
  QVERIFY_THROWS_EXCEPTION(Error, runStepBenchmark(config, {.repetitions = 20}));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestBenchmarks)
#include "tst_benchmarks.moc"
