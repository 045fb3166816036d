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
  void damageIsReported();
  void filesAreListedByEpoch();
};

void TestProbeSnapshot::comesBackAsItWasWritten() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0003.safetensors";
  writeProbeSnapshot(path, exampleSnapshot());
  QVERIFY(readProbeSnapshot(path) == exampleSnapshot());
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
  QVERIFY(readProbeSnapshot(path) == older);
}

void TestProbeSnapshot::unknownTensorsArePassedOver() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0001.safetensors";
  writeTensor(path, "stage1.block1.mixer.later", DType::F64, {2, 2});
  const ProbeSnapshot snapshot = readProbeSnapshot(path);
  QCOMPARE(snapshot.epoch, 1);
  QCOMPARE(snapshot.step, std::int64_t{2});
  QVERIFY(snapshot.layers.empty());
}

void TestProbeSnapshot::foreignFilesAreRefused() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "epoch-0001.safetensors";
  const auto refused = [&](const char* part) {
    const auto error = errorOf([&] { readProbeSnapshot(path); });
    QVERIFY2(error && std::string(error->what()).find(part) != std::string::npos,
             error ? error->what() : "accepted");
  };
  refused("epoch-0001");  // There is no such file.
  const std::string lambda = "a.lambda.content";
  writeTensor(path, lambda, DType::F32, {2, 2, 2});
  refused("rank 2");
  writeTensor(path, lambda, DType::F64, {2, 2});
  refused("float32");
  writeTensor(path, "probabilities", DType::F32, {});
  refused("rank 1");
  writeTensor(path, "a.embeddings", DType::F32, {4});
  refused("rank 4");
  for (const char* epoch : {"", "-1", "2x", "99999999999", "1e3"}) {
    writeTensor(path, lambda, DType::F32, {2, 2}, {{"epoch", epoch}, {"step", "1"}});
    refused("epoch");
  }
  writeTensor(path, lambda, DType::F32, {2, 2}, {{"epoch", "1"}});
  refused("step");
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
    if (errorOf([&] { QVERIFY(readProbeSnapshot(path) == exampleSnapshot()); })) ++refused;
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
