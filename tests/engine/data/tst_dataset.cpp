#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <QTest>

#include "engine/data/dataset.h"
#include "engine/data/dataset_cache.h"
#include "engine/data/split.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

DataConfig drawnConfig(int count, int validationCount, std::uint64_t splitSeed = 0) {
  DataConfig config;
  config.source = Shapes10Source{.trainCount = count, .testCount = 50};
  config.validationCount = validationCount;
  config.splitSeed = splitSeed;
  return config;
}

std::array<int, 256> countsOf(const std::vector<std::uint16_t>& labels) {
  std::array<int, 256> counts{};
  for (const std::uint16_t label : labels) ++counts[label];
  return counts;
}

/// The split of a data set's training images by its configuration.
IndexSplit splitOf(DataConfig config) {
  const int validationCount = std::exchange(config.validationCount, 0);
  return stratifiedSplit(loadDataset(config).train.labels, validationCount, config.splitSeed);
}

}  // namespace

class TestDataset : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void splitIsDisjointAndComplete();
  void splitIsAFunctionOfItsSeed();
  void splitHoldsEqualPartsOfEveryClass();
  void splitFollowsUnequalClasses();
  void splitRefusesToTakeEverything();
  void imagesFollowTheirIndices();
  void normalizationIsTheTrainingPartsOwn();
  void normalizationOfKnownPixels();
  void testImagesAreApart();
  void missingFilesAreAnError();
  void readersShareADataSet();
  void aDigestTellsDataSetsApart();
  void theMostFrequentClassIsNamed();
  void classesAreMatchedByName();
  void readsTheRealCifar10();
};

void TestDataset::splitIsDisjointAndComplete() {
  const Dataset dataset = loadDataset(drawnConfig(1000, 200));
  QCOMPARE(dataset.validation.count(), std::size_t{200});
  QCOMPARE(dataset.train.count(), std::size_t{800});
  const IndexSplit split = splitOf(drawnConfig(1000, 200));
  std::vector<std::uint32_t> all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> expected(1000);
  std::iota(expected.begin(), expected.end(), 0U);
  QVERIFY(all == expected);
}

void TestDataset::splitIsAFunctionOfItsSeed() {
  const std::vector<std::uint16_t> labels = loadDataset(drawnConfig(1000, 0)).train.labels;
  QVERIFY(stratifiedSplit(labels, 200, 7) == stratifiedSplit(labels, 200, 7));
  QVERIFY(stratifiedSplit(labels, 200, 7) != stratifiedSplit(labels, 200, 8));
}

void TestDataset::splitHoldsEqualPartsOfEveryClass() {
  const auto counts = countsOf(loadDataset(drawnConfig(1000, 200)).validation.labels);
  for (std::size_t label = 0; label < 10; ++label) QCOMPARE(counts[label], 20);
  const auto uneven = countsOf(loadDataset(drawnConfig(1000, 203)).validation.labels);
  QCOMPARE(std::accumulate(uneven.begin(), uneven.end(), 0), 203);
  for (std::size_t label = 0; label < 10; ++label) {
    QVERIFY(uneven[label] == 20 || uneven[label] == 21);
  }
}

void TestDataset::splitFollowsUnequalClasses() {
  std::vector<std::uint16_t> labels(70, 0);
  labels.insert(labels.end(), 25, 1);
  labels.insert(labels.end(), 5, 2);
  std::vector<std::uint16_t> held;
  for (const std::uint32_t index : stratifiedSplit(labels, 20, 1).validation) {
    held.push_back(labels[index]);
  }
  const auto counts = countsOf(held);
  QCOMPARE(counts[0], 14);
  QCOMPARE(counts[1], 5);
  QCOMPARE(counts[2], 1);
}

void TestDataset::splitRefusesToTakeEverything() {
  for (const int count : {-1, 100, 101}) {
    const auto error = errorOf([count] { loadDataset(drawnConfig(100, count)); });
    QVERIFY(error);
    QCOMPARE(error->place(), std::string("data.validationCount"));
  }
}

void TestDataset::imagesFollowTheirIndices() {
  const Dataset whole = loadDataset(drawnConfig(100, 0));
  const Dataset dataset = loadDataset(drawnConfig(100, 30));
  const IndexSplit split = splitOf(drawnConfig(100, 30));
  QVERIFY(dataset.train == selectImages(whole.train, split.train));
  QVERIFY(dataset.validation == selectImages(whole.train, split.validation));
  QVERIFY(whole.validation.count() == 0);
}

void TestDataset::normalizationIsTheTrainingPartsOwn() {
  const Dataset dataset = loadDataset(drawnConfig(500, 100));
  QVERIFY(dataset.normalization == measureNormalization(dataset.train));
  QVERIFY(dataset.normalization != measureNormalization(dataset.validation));
}

void TestDataset::normalizationOfKnownPixels() {
  LabeledImages images;
  images.height = 1;
  images.width = 2;
  images.pixels = {0, 255, 51, 51, 10, 20, 0, 255, 51, 51, 30, 40};
  images.labels = {0, 0};
  const Normalization found = measureNormalization(images);
  QCOMPARE(found.mean[0], 0.5);
  QCOMPARE(found.deviation[0], 0.5);
  QCOMPARE(found.mean[1], 0.2);
  QCOMPARE(found.deviation[1], 1.0);
  QCOMPARE(found.mean[2], 25.0 / 255);
  QCOMPARE(found.deviation[2], std::sqrt(125.0) / 255);
}

void TestDataset::testImagesAreApart() {
  const LabeledImages test = loadTest(drawnConfig(100, 10));
  QCOMPARE(test.count(), std::size_t{50});
  QVERIFY(test.pixels != std::vector<std::uint8_t>(test.pixels.size(), test.pixels[0]));
}

void TestDataset::missingFilesAreAnError() {
  DataConfig config;
  config.source = Cifar10Source{"/nowhere/cifar-10"};
  QVERIFY(errorOf([&] { loadDataset(config); }));
  QVERIFY(errorOf([&] { loadTest(config); }));
}

void TestDataset::readersShareADataSet() {
  DatasetCache cache;
  DataConfig config = drawnConfig(100, 20);
  std::shared_ptr<const Dataset> first = cache.training(config);
  config.augmentation.cutoutSize = 7;
  QVERIFY(cache.training(config) == first);
  QVERIFY(first->train == loadDataset(config).train);
  config.splitSeed = 1;
  const std::shared_ptr<const Dataset> other = cache.training(config);
  QVERIFY(other != first);
  QVERIFY(other->train != first->train);
  QVERIFY(cache.test(config)->count() == 50);
  const std::weak_ptr<const Dataset> gone = first;
  first.reset();
  QVERIFY(gone.expired());
  config.source = Cifar10Source{"/nowhere"};
  QVERIFY_THROWS_EXCEPTION(Error, cache.training(config));
  QVERIFY_THROWS_EXCEPTION(Error, cache.test(config));
}

void TestDataset::aDigestTellsDataSetsApart() {
  const LabeledImages images = loadTest(drawnConfig(100, 0));
  const std::string digest = digestOf(images);
  QCOMPARE(digest.size(), std::size_t{64});
  QCOMPARE(digestOf(loadTest(drawnConfig(100, 0))), digest);
  QCOMPARE(loadDataset(drawnConfig(100, 10)).sha256, loadDataset(drawnConfig(100, 20)).sha256);
  const auto changed = [&](auto change) {
    LabeledImages other = images;
    change(other);
    return digestOf(other) != digest;
  };
  QVERIFY(changed([](LabeledImages& each) { std::swap(each.labels[0], each.labels[1]); }));
  QVERIFY(changed([](LabeledImages& each) { each.pixels.back() ^= 1; }));
  QVERIFY(changed([](LabeledImages& each) { each.classNames[0] += "s"; }));
  QVERIFY(changed([](LabeledImages& each) { std::swap(each.height, ++each.width); }));
  QVERIFY(changed([](LabeledImages& each) {
    each.labels.pop_back();
    each.pixels.resize(each.pixels.size() - 3 * 32 * 32);
  }));
  // Pixels are read in pieces by several threads.
  LabeledImages large = images;
  large.pixels.resize(40U << 20, 3);
  const std::string first = digestOf(large);
  QCOMPARE(digestOf(large), first);
  large.pixels[30U << 20] = 4;
  QVERIFY(digestOf(large) != first);
}

void TestDataset::theMostFrequentClassIsNamed() {
  LabeledImages images;
  images.classNames = {"a", "b", "c"};
  QVERIFY(!majorityOf(images));
  images.labels = {2, 1, 2, 0, 2};
  QCOMPARE(majorityOf(images), std::optional(MajorityClass{"c", 0.6}));
}

void TestDataset::classesAreMatchedByName() {
  LabeledImages images;
  images.classNames = {"a", "b", "c"};
  images.labels = {0, 1, 2, 0};
  LabeledImages matched = images;
  matchLabels(matched, {{}, {"c", "a", "b"}}, "here");
  QVERIFY(matched.labels == (std::vector<std::uint16_t>{1, 2, 0, 1}));
  QVERIFY(matched.classNames == (std::vector<std::string>{"c", "a", "b"}));
  for (const std::vector<std::string>& others : {std::vector<std::string>{"a", "b"},
                                                 std::vector<std::string>{"a", "b", "z"},
                                                 std::vector<std::string>{"a", "b", "c", "d"}}) {
    LabeledImages left = images;
    const auto error = errorOf([&] { matchLabels(left, {{}, others}, "here"); });
    QVERIFY(error && error->reason().find("The data has 3: a, b, c") != std::string::npos);
    QVERIFY(error->reason().find("The network has " + std::to_string(others.size())) !=
            std::string::npos);
    QVERIFY(left == images);
  }
}

void TestDataset::readsTheRealCifar10() {
  const QByteArray path = qgetenv("LAMBDA_CIFAR10");
  if (path.isEmpty()) QSKIP("LAMBDA_CIFAR10 does not name a folder with CIFAR-10");
  DataConfig config;
  config.source = Cifar10Source{path.toStdString()};
  config.validationCount = 5000;
  const Dataset dataset = loadDataset(config);
  QCOMPARE(dataset.train.count(), std::size_t{45'000});
  QCOMPARE(dataset.validation.count(), std::size_t{5'000});
  const auto counts = countsOf(dataset.validation.labels);
  for (std::size_t label = 0; label < 10; ++label) QCOMPARE(counts[label], 500);
  QCOMPARE(loadTest(config).count(), std::size_t{10'000});

  // The published statistics; copies that were stored as JPEG differ in the third digit.
  const std::array<double, 3> mean{0.4914, 0.4822, 0.4465};
  const std::array<double, 3> deviation{0.2470, 0.2435, 0.2616};
  for (std::size_t c = 0; c < 3; ++c) {
    QVERIFY(std::fabs(dataset.normalization.mean[c] - mean[c]) < 0.01);
    QVERIFY(std::fabs(dataset.normalization.deviation[c] - deviation[c]) < 0.01);
  }
}

QTEST_GUILESS_MAIN(TestDataset)
#include "tst_dataset.moc"
