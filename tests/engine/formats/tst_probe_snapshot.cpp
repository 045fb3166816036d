#include <numeric>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/formats/tensors/safetensors.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

Array arrayOf(std::vector<std::int64_t> shape, float first) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  Array array{std::move(shape), std::vector<float>(static_cast<std::size_t>(count))};
  std::iota(array.values.begin(), array.values.end(), first);
  return array;
}

ProbeSnapshot exampleSnapshot() {
  ProbeSnapshot snapshot{.epoch = 3, .step = 5'000'000'000};
  snapshot.probabilities = {0.25F, 0.75F};
  ProbeLayer whole;
  whole.name = "stage2.block1.mixer";
  whole.lambdaContent = arrayOf({4, 3}, 1);
  whole.lambdaPosition = arrayOf({4, 3}, -7);
  whole.contributionsContent = arrayOf({2, 1, 5, 4}, 0.5F);
  whole.contributionsPosition = arrayOf({2, 1, 5, 4}, -3);
  whole.embeddings = arrayOf({4, 1, 9, 7}, 2);
  whole.embeddingChange = arrayOf({4, 1, 9, 7}, -1);
  whole.singularContent = arrayOf({3}, 1);
  whole.singularPosition = arrayOf({3}, 2);
  whole.singularTotal = arrayOf({3}, 3);
  whole.patterns = arrayOf({2, 9, 7}, 4);
  whole.patternShares = arrayOf({2}, 5);
  whole.changePatterns = arrayOf({1, 9, 7}, 6);
  whole.changePatternShares = arrayOf({1}, 7);
  ProbeLayer contentAlone;
  contentAlone.name = "stage10.block2.mixer";
  contentAlone.lambdaContent = arrayOf({2, 2}, 0);
  contentAlone.contributionsContent = arrayOf({1, 1, 2, 2}, 0);
  ProbeLayer attention;
  attention.name = "stage11.block1.mixer";
  attention.contributionsTotal = arrayOf({2, 1, 2, 2}, 0);
  snapshot.layers = {whole, contentAlone, attention};
  return snapshot;
}

/// The layers of the network whose run wrote exampleSnapshot().
std::vector<InspectableLayer> exampleLayers() {
  return {{.name = "stage2.block1.mixer",
           .queryDepth = 4,
           .heads = 2,
           .intraDepth = 1,
           .valueDepth = 3,
           .height = 5,
           .width = 4},
          {.name = "stage10.block2.mixer",
           .queryDepth = 2,
           .heads = 1,
           .intraDepth = 1,
           .valueDepth = 2,
           .height = 2,
           .width = 2},
          {.name = "stage11.block1.mixer", .heads = 2, .intraDepth = 1, .height = 2, .width = 2}};
}

ProbeSnapshot readExample(const std::filesystem::path& path) {
  return readProbeSnapshot(path, exampleLayers());
}

/// Writes a file with one tensor and its correct digest.
void writeTensor(const std::filesystem::path& path,
                 const std::string& name,
                 DType dtype,
                 const std::vector<std::int64_t>& shape,
                 const std::map<std::string, std::string>& metadata = {{"epoch", "1"},
                                                                       {"step", "2"}}) {
  const std::vector<std::byte> bytes(*tensorBytes(dtype, shape));
  writeSafeTensors(path, {{name, dtype, shape, bytes}}, metadata);
}

}  // namespace

class TestProbeSnapshot : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void comesBackAsItWasWritten();
  void olderFilesLoadWithWhatTheyHave();
  void unknownTensorsArePassedOver();
  void foreignFilesAreRefused();
  void arraysThatDoNotFitTheLayerAreRefused();
  void arraysWithoutTheirCounterpartAreRefused();
  void layersThatTheNetworkLacksAreRefused();
  void damageIsReported();
  void filesAreListedByEpoch();
};

void TestProbeSnapshot::comesBackAsItWasWritten() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0003.safetensors";
  writeProbeSnapshot(path, exampleSnapshot());
  QVERIFY(readExample(path) == exampleSnapshot());
}

void TestProbeSnapshot::olderFilesLoadWithWhatTheyHave() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0003.safetensors";
  ProbeSnapshot older = exampleSnapshot();
  older.probabilities.clear();
  for (ProbeLayer& layer : older.layers) {
    layer.contributionsContent = {};
    layer.contributionsPosition = {};
    layer.embeddingChange = {};
    layer.singularContent = layer.singularPosition = layer.singularTotal = {};
    layer.patterns = layer.patternShares = {};
    layer.changePatterns = layer.changePatternShares = {};
  }
  writeProbeSnapshot(path, older);
  QVERIFY(readExample(path) == older);
}

void TestProbeSnapshot::unknownTensorsArePassedOver() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0001.safetensors";
  writeTensor(path, "stage1.block1.mixer.later", DType::F64, {2, 2});
  const ProbeSnapshot snapshot = readExample(path);
  QCOMPARE(snapshot.epoch, 1);
  QCOMPARE(snapshot.step, std::int64_t{2});
  QVERIFY(snapshot.layers.empty());
}

void TestProbeSnapshot::foreignFilesAreRefused() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0001.safetensors";
  const auto refused = [&](const char* part) {
    const auto error = errorOf([&] { readExample(path); });
    QVERIFY2(error && std::string(error->what()).find(part) != std::string::npos,
             error ? error->what() : "accepted");
  };
  refused("epoch-0001");  // There is no such file.
  const std::string lambda = "stage10.block2.mixer.lambda.content";
  writeTensor(path, lambda, DType::F32, {2, 2, 2});
  refused("is F32 [2, 2, 2], expected F32 [2, 2]");
  writeTensor(path, lambda, DType::F64, {2, 2});
  refused("is F64 [2, 2], expected F32 [2, 2]");
  writeTensor(path, "probabilities", DType::F32, {});
  refused("expected F32 [any]");
  writeTensor(path, "stage10.block2.mixer.embeddings", DType::F32, {4});
  refused("expected F32 [2, 1, any, any]");
  for (const char* epoch : {"", "-1", "2x", "99999999999", "1e3"}) {
    writeTensor(path, lambda, DType::F32, {2, 2}, {{"epoch", epoch}, {"step", "1"}});
    refused("epoch");
  }
  writeTensor(path, lambda, DType::F32, {2, 2}, {{"epoch", "1"}});
  refused("step");
}

void TestProbeSnapshot::arraysThatDoNotFitTheLayerAreRefused() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0003.safetensors";
  const auto refused = [&](Array ProbeLayer::*member, std::vector<std::int64_t> shape) {
    ProbeSnapshot snapshot = exampleSnapshot();
    snapshot.layers.front().*member = arrayOf(std::move(shape), 1);
    writeProbeSnapshot(path, snapshot);
    return errorOf([&] { readExample(path); }).has_value();
  };
  QVERIFY(refused(&ProbeLayer::lambdaContent, {1, 1}));
  QVERIFY(refused(&ProbeLayer::lambdaPosition, {400, 300}));
  QVERIFY(refused(&ProbeLayer::lambdaPosition, {3, 4}));
  QVERIFY(refused(&ProbeLayer::contributionsContent, {2, 1, 4, 5}));
  QVERIFY(refused(&ProbeLayer::contributionsPosition, {20, 1, 50, 40}));
  QVERIFY(refused(&ProbeLayer::contributionsTotal, {1, 1, 5, 4}));
  QVERIFY(refused(&ProbeLayer::embeddings, {4, 2, 9, 7}));
  QVERIFY(refused(&ProbeLayer::embeddings, {4, 1, 3, 21}));
  QVERIFY(refused(&ProbeLayer::embeddingChange, {4, 1, 90, 70}));
  QVERIFY(refused(&ProbeLayer::patterns, {2, 7, 9}));
  QVERIFY(refused(&ProbeLayer::patternShares, {3}));
  QVERIFY(refused(&ProbeLayer::changePatterns, {2, 9, 7}));
  writeTensor(path, "stage2.block1.mixer.patterns", DType::F32, {0, 9, 7});
  QVERIFY(errorOf([&] { readExample(path); }));
}

void TestProbeSnapshot::arraysWithoutTheirCounterpartAreRefused() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0003.safetensors";
  for (Array ProbeLayer::*missing : {&ProbeLayer::embeddings,
                                     &ProbeLayer::embeddingChange,
                                     &ProbeLayer::patterns,
                                     &ProbeLayer::patternShares,
                                     &ProbeLayer::changePatterns,
                                     &ProbeLayer::changePatternShares}) {
    ProbeSnapshot snapshot = exampleSnapshot();
    snapshot.layers.front().*missing = {};
    writeProbeSnapshot(path, snapshot);
    const auto error = errorOf([&] { readExample(path); });
    QVERIFY(error);
    QVERIFY(std::string(error->what()).find("stage2.block1.mixer") != std::string::npos);
  }
}

void TestProbeSnapshot::layersThatTheNetworkLacksAreRefused() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0003.safetensors";
  for (const char* name : {"../x", "/tmp/x", "", "stage2.block1", "stage2.block9.mixer"}) {
    ProbeSnapshot snapshot = exampleSnapshot();
    snapshot.layers.front().name = name;
    writeProbeSnapshot(path, snapshot);
    QVERIFY(errorOf([&] { readExample(path); }));
  }
}

void TestProbeSnapshot::damageIsReported() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0003.safetensors";
  writeProbeSnapshot(path, exampleSnapshot());
  const std::string whole = readFile(path, 1 << 20);
  int refused = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string bytes = mutated(whole, 1, i);
    writeFileDurably(path, bytes);
    if (errorOf([&] { QVERIFY(readExample(path) == exampleSnapshot()); })) ++refused;
  }
  QVERIFY(refused > 150);
}

void TestProbeSnapshot::filesAreListedByEpoch() {
  const TemporaryFolder folder;
  QVERIFY(probeSnapshotsOf(folder.path() / "nowhere").empty());
  for (const char* name : {"epoch-0010.safetensors",
                           "epoch-0002.safetensors",
                           "epoch-12345.safetensors",
                           "epoch-.safetensors",
                           "epoch-3x.safetensors",
                           "epoch--4.safetensors",
                           "epoch-99999999999.safetensors",
                           "last.safetensors",
                           "epoch-0005.txt"}) {
    writeFileDurably(folder.path() / name, "");
  }
  const std::vector<std::filesystem::path> expected{folder.path() / "epoch-0002.safetensors",
                                                    folder.path() / "epoch-0010.safetensors",
                                                    folder.path() / "epoch-12345.safetensors"};
  QVERIFY(probeSnapshotsOf(folder.path()) == expected);
}

QTEST_GUILESS_MAIN(TestProbeSnapshot)
#include "tst_probe_snapshot.moc"
