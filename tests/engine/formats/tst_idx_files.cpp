#include <QtTest/QtTest>

#include "engine/formats/idx/idx_files.h"
#include "engine/runtime/error.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"

namespace lambda {

namespace {

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// The message of the error that parsing throws; empty = none.
std::string failureOf(const std::string& bytes, int dimensions) {
  try {
    parseIdx(bytesOf(bytes), "file", dimensions);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::string failureOf(const std::filesystem::path& folder) {
  try {
    readIdxDataset(folder);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

class TestIdxFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void greyImagesAndLabelsAreRead();
  void gzippedFilesHoldTheSame();
  void headersAreCheckedBeforeTheyAreBelieved();
  void damagedGzipIsSeen();
  void filesOfADataSetBelongTogether();
  void relativesAreFoundByTheEndsOfTheirNames();
  void checksReportInsteadOfThrowing();
  void setsAreFoundWhereTorchvisionLaysThem();
  void foldersWithTheNamesOfFilesAreNoFiles();
  void aTestClassThatTrainingLacksIsRefused();
  void classesWithoutImagesAreNamed();
};

void TestIdxFiles::greyImagesAndLabelsAreRead() {
  TemporaryFolder folder;
  writeSmallIdx(folder.path());
  const IdxDataset set = readIdxDataset(folder.path());
  QCOMPARE(set.train.channels, 1);
  QCOMPARE(set.train.height, 12);
  QCOMPARE(set.train.width, 10);
  QCOMPARE(set.train.count(), std::size_t{60});
  QCOMPARE(set.test.count(), std::size_t{20});
  QCOMPARE(set.train.pixels.size(), std::size_t{60 * 120});
  QCOMPARE(int{set.train.pixels[7 * 120 + 3]}, 10);
  QCOMPARE(int{set.train.labels[13]}, 3);
  QCOMPARE(set.train.classNames.size(), std::size_t{10});
  QCOMPARE(set.train.classNames[9], std::string("9"));
  const DatasetInfo info = probeIdxDataset(folder.path());
  QVERIFY((info.shape == MapShape{1, 12, 10}));
  QCOMPARE(info.classes, 10);
  QCOMPARE(info.testCount, std::int64_t{20});
}

void TestIdxFiles::gzippedFilesHoldTheSame() {
  const std::string plain = idxImages(5, 3, 4);
  const IdxArray expected = parseIdx(bytesOf(plain), "file", 3);
  const IdxArray unpacked = parseIdx(bytesOf(gzipped(plain)), "file", 3);
  QVERIFY(unpacked.values == expected.values && unpacked.shape == expected.shape);
  // Two gzip members in sequence are one file.
  const std::string halves = gzipped(plain.substr(0, 20)) + gzipped(plain.substr(20));
  QVERIFY(parseIdx(bytesOf(halves), "file", 3).values == expected.values);
}

void TestIdxFiles::headersAreCheckedBeforeTheyAreBelieved() {
  const std::string images = idxImages(5, 3, 4);
  QVERIFY(has(failureOf("", 3), "too short"));
  QVERIFY(has(failureOf(images.substr(0, 15), 3), "too short"));
  QVERIFY(has(failureOf(images, 1), "3 dimensions instead of 1"));
  QVERIFY(has(failureOf(idxLabels(20, 2), 3), "1 dimensions instead of 3"));
  QVERIFY(has(failureOf(images.substr(0, images.size() - 1), 3), "75 bytes instead of the 76"));
  QVERIFY(has(failureOf(images + "x", 3), "77 bytes instead of the 76"));
  std::string wrong = images;
  wrong[2] = '\x0D';  // floats
  QVERIFY(has(failureOf(wrong, 3), "unsigned bytes"));
  wrong = images;
  wrong[4] = '\x7F';  // 2^31 images
  QVERIFY(has(failureOf(wrong, 3), "announces"));
  wrong = images;
  wrong[15] = '\0';  // no width
  QVERIFY(has(failureOf(wrong, 3), "0 pixels a side"));
}

void TestIdxFiles::damagedGzipIsSeen() {
  const std::string whole = gzipped(idxImages(5, 3, 4));
  for (std::size_t at = 10; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    QVERIFY2(!failureOf(damaged, 3).empty(), std::to_string(at).c_str());
  }
  QVERIFY(has(failureOf(whole.substr(0, whole.size() - 1), 3), "ends in the middle"));
  QVERIFY(has(failureOf(whole + "xy", 3), "bytes behind the end"));
}

void TestIdxFiles::filesOfADataSetBelongTogether() {
  TemporaryFolder folder;
  writeSmallIdx(folder.path());
  writeFileDurably(folder.path() / "train-labels-idx1-ubyte", idxLabels(59, 10));
  QVERIFY(has(failureOf(folder.path()), "59 labels for the 60 images"));
  writeSmallIdx(folder.path());
  writeFileDurably(folder.path() / "t10k-images-idx3-ubyte", idxImages(20, 10, 12));
  QVERIFY(has(failureOf(folder.path()), "differ in size"));
  writeSmallIdx(folder.path());
  writeFileDurably(folder.path() / "emnist-train-labels-idx1-ubyte", idxLabels(60, 26));
  QVERIFY(has(failureOf(folder.path()), "two files for the same role"));
  std::filesystem::remove(folder.path() / "emnist-train-labels-idx1-ubyte");
  std::filesystem::remove(folder.path() / "t10k-labels-idx1-ubyte");
  QVERIFY(has(failureOf(folder.path()), "there is no t10k-labels-idx1-ubyte"));
}

void TestIdxFiles::relativesAreFoundByTheEndsOfTheirNames() {
  TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& bytes) {
    writeFileDurably(folder.path() / name, bytes);
  };
  write("emnist-letters-train-images-idx3-ubyte", idxImages(27, 4, 4));
  write("emnist-letters-train-labels-idx1-ubyte.gz", gzipped(idxLabels(27, 27)));
  write("emnist-letters-test-images.idx3-ubyte", idxImages(3, 4, 4));
  write("emnist-letters-test-labels.idx1-ubyte", idxLabels(3, 3));
  QVERIFY(hasIdxFiles(folder.path()));
  QCOMPARE(readIdxDataset(folder.path()).train.classNames.size(), std::size_t{27});
}

void TestIdxFiles::checksReportInsteadOfThrowing() {
  TemporaryFolder folder;
  QVERIFY(!checkIdxDataset(folder.path()).usable);
  QVERIFY(!checkIdxDataset(folder.path() / "nowhere").usable);
  writeSmallIdx(folder.path());
  const DataReport report = checkIdxDataset(folder.path());
  QVERIFY(report.usable && report.findings.empty());
  QCOMPARE(report.files.size(), std::size_t{4});
  QCOMPARE(report.files[1].countPerClass, std::vector<std::int64_t>(10, 6));
  QCOMPARE(report.info->trainCount, std::int64_t{60});
}

void TestIdxFiles::setsAreFoundWhereTorchvisionLaysThem() {
  TemporaryFolder folder;
  writeSmallIdx(folder.path() / "MNIST/raw");
  for (const char* place : {"", "MNIST", "MNIST/raw"}) {
    QVERIFY(hasIdxFiles(folder.path() / place));
    QCOMPARE(readIdxDataset(folder.path() / place).train.count(), std::size_t{60});
  }
  writeSmallIdx(folder.path() / "FashionMNIST/raw");
  const DataReport report = checkIdxDataset(folder.path());
  QVERIFY(
      has(report.findings.at(0).text, "several data sets, such as FashionMNIST/raw and MNIST/raw"));
}

void TestIdxFiles::foldersWithTheNamesOfFilesAreNoFiles() {
  TemporaryFolder folder;
  writeSmallIdx(folder.path() / "plain");
  for (const char* name : {"train-images-idx3-ubyte.gz",
                           "train-labels-idx1-ubyte",
                           "t10k-images-idx3-ubyte",
                           "t10k-labels-idx1-ubyte"}) {
    const std::filesystem::path own = folder.path() / "kaggle" / name;
    std::filesystem::create_directories(own);
    std::filesystem::copy_file(folder.path() / "plain" / name, own / name);
  }
  QCOMPARE(readIdxDataset(folder.path() / "kaggle").test.count(), std::size_t{20});
  // Other copies have the files beside these folders, with a dot in their names.
  for (const auto& [from, to] : {std::pair{"train-images-idx3-ubyte.gz", "train-images.idx3-ubyte"},
                                 {"train-labels-idx1-ubyte", "train-labels.idx1-ubyte"},
                                 {"t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte"},
                                 {"t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"}}) {
    std::filesystem::copy_file(folder.path() / "plain" / from, folder.path() / "kaggle" / to);
  }
  QCOMPARE(readIdxDataset(folder.path() / "kaggle").train.count(), std::size_t{60});
}

void TestIdxFiles::aTestClassThatTrainingLacksIsRefused() {
  TemporaryFolder folder;
  writeSmallIdx(folder.path());
  const std::filesystem::path labels = folder.path() / "train-labels-idx1-ubyte";
  writeFileDurably(labels, idxLabels(60, 5));
  QVERIFY2(has(failureOf(folder.path()),
               "t10k-labels-idx1-ubyte: has the label 5, of which there are no training images"),
           failureOf(folder.path()).c_str());
  QVERIFY(!checkIdxDataset(folder.path()).usable);
  writeFileDurably(labels, idxLabels(60, 10, /*first=*/100));
  QVERIFY(has(failureOf(folder.path()), "has the label 0, of which there are no training images"));
}

void TestIdxFiles::classesWithoutImagesAreNamed() {
  TemporaryFolder folder;
  writeSmallIdx(folder.path());
  QVERIFY(probeIdxDataset(folder.path()).notes.empty());
  writeFileDurably(folder.path() / "train-labels-idx1-ubyte", idxLabels(60, 10, /*first=*/1));
  writeFileDurably(folder.path() / "t10k-labels-idx1-ubyte", idxLabels(20, 10, /*first=*/1));
  const DataReport report = checkIdxDataset(folder.path());
  QVERIFY(report.usable);
  QCOMPARE(report.info->classes, 11);
  QVERIFY2(has(report.findings.at(0).text, "largest label, 10, but there are no images of 0"),
           report.findings.at(0).text.c_str());
  QVERIFY(has(probeIdxDataset(folder.path()).notes.at(0), "there are no images of 0. The network"));
  writeFileDurably(folder.path() / "train-labels-idx1-ubyte", idxLabels(60, 2, /*first=*/4));
  writeFileDurably(folder.path() / "t10k-labels-idx1-ubyte", idxLabels(20, 2, /*first=*/4));
  QVERIFY(has(checkIdxDataset(folder.path()).findings.at(0).text, "no images of 0 to 3"));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestIdxFiles)
#include "tst_idx_files.moc"
