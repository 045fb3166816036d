#include <QtTest/QtTest>

#include "engine/formats/cifar/cifar_files.h"
#include "engine/runtime/error.h"
#include "tests/support/small_cifar10.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"

namespace lambda {

namespace {

std::vector<TarEntry> entries() {
  const std::string folder = "cifar-100-binary/";
  return {{folder, "", AE_IFDIR},
          {folder + "coarse_label_names.txt", numberedLines("coarse", 20)},
          {folder + "test.bin", smallCifar100(100, 7)},
          {folder + "fine_label_names.txt", numberedLines("fine", 100)},
          {folder + "train.bin", smallCifar100(200, 0)}};
}

/// The message of the error that reading throws; empty = none.
std::string failureOf(const std::filesystem::path& path) {
  try {
    readCifar(path, smallCifar100Layout(Cifar100Labels::fine));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

class TestCifar100Files : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eitherLabelCanBeRead();
  void archivesHoldTheSame();
  void everyDamagedByteOfAnArchiveIsSeen();
  void wrongSizesAndLabelsAreNamed();
  void namesThatAreMissingBecomeNumbers();
  void checksCountTheClasses();
  void aTestClassThatTrainingLacksIsRefused();
  void thePythonVersionIsNamed();
};

void TestCifar100Files::eitherLabelCanBeRead() {
  TemporaryFolder folder;
  writeSmallCifar100(folder.path());
  const Cifar fine = readCifar(folder.path(), smallCifar100Layout(Cifar100Labels::fine));
  QCOMPARE(fine.train.count(), std::size_t{200});
  QCOMPARE(fine.test.count(), std::size_t{100});
  QCOMPARE(fine.train.classNames.size(), std::size_t{100});
  QCOMPARE(fine.train.classNames[57], std::string("fine 57"));
  QCOMPARE(int{fine.train.labels[157]}, 57);
  QCOMPARE(int{fine.train.pixels[3 * 3072 + 5]}, 8);
  QCOMPARE(int{fine.test.pixels[5]}, 12);
  const Cifar coarse = readCifar(folder.path(), smallCifar100Layout(Cifar100Labels::coarse));
  QCOMPARE(coarse.train.classNames.size(), std::size_t{20});
  QCOMPARE(coarse.train.classNames[17], std::string("coarse 17"));
  QCOMPARE(int{coarse.train.labels[157]}, 17);
  QVERIFY(coarse.train.pixels == fine.train.pixels);
}

void TestCifar100Files::archivesHoldTheSame() {
  TemporaryFolder folder;
  writeSmallCifar100(folder.path() / "files");
  const Cifar expected =
      readCifar(folder.path() / "files", smallCifar100Layout(Cifar100Labels::fine));
  for (const bool isGzipped : {true, false}) {
    const std::filesystem::path archive = folder.path() / "cifar-100-binary.tar.gz";
    writeFileDurably(archive, tarOf(entries(), isGzipped));
    for (const auto& path : {archive, folder.path()}) {
      const Cifar read = readCifar(path, smallCifar100Layout(Cifar100Labels::fine));
      QVERIFY(read.train == expected.train);
      QVERIFY(read.test == expected.test);
    }
  }
}

void TestCifar100Files::everyDamagedByteOfAnArchiveIsSeen() {
  TemporaryFolder folder;
  const std::filesystem::path archive = folder.path() / "cifar-100-binary.tar.gz";
  const std::string whole = tarOf(entries());
  // The loop starts after gzip's header of ten bytes, whose time and system do not affect the data.
  for (std::size_t at = 10; at < whole.size(); at += whole.size() / 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    writeFileDurably(archive, damaged);
    QVERIFY2(!failureOf(archive).empty(), std::to_string(at).c_str());
  }
  writeFileDurably(archive, whole.substr(0, whole.size() - 1));
  QVERIFY(!failureOf(archive).empty());
  writeFileDurably(archive, whole + "x");
  QVERIFY(!failureOf(archive).empty());
}

void TestCifar100Files::wrongSizesAndLabelsAreNamed() {
  TemporaryFolder folder;
  writeSmallCifar100(folder.path());
  const std::string train = smallCifar100(200, 0);
  writeFileDurably(folder.path() / "train.bin", train.substr(0, train.size() - 3074));
  QVERIFY2(failureOf(folder.path()).find("train.bin: has ") != std::string::npos,
           failureOf(folder.path()).c_str());
  for (const auto& [offset, value] : {std::pair<std::size_t, int>{0, 20}, {1, 100}}) {
    std::string wrong = train;
    wrong[5 * 3074 + offset] = static_cast<char>(value);
    writeFileDurably(folder.path() / "train.bin", wrong);
    QVERIFY(failureOf(folder.path()).find("record 5 (byte 15370)") != std::string::npos);
  }
  std::filesystem::remove(folder.path() / "train.bin");
  QVERIFY(failureOf(folder.path()).find("train.bin: is missing") != std::string::npos);
}

void TestCifar100Files::namesThatAreMissingBecomeNumbers() {
  TemporaryFolder folder;
  writeSmallCifar100(folder.path());
  writeFileDurably(folder.path() / "fine_label_names.txt", "only one\n");
  const Cifar set = readCifar(folder.path(), smallCifar100Layout(Cifar100Labels::fine));
  QCOMPARE(set.train.classNames[99], std::string("class 99"));
  const DataReport report = checkCifar(folder.path(), smallCifar100Layout(Cifar100Labels::fine));
  QVERIFY(report.usable);
  QCOMPARE(report.findings.size(), std::size_t{1});
}

void TestCifar100Files::checksCountTheClasses() {
  TemporaryFolder folder;
  writeSmallCifar100(folder.path());
  const DataReport report = checkCifar(folder.path(), smallCifar100Layout(Cifar100Labels::coarse));
  QVERIFY(report.usable && report.findings.empty());
  QCOMPARE(report.files[0].countPerClass, std::vector<std::int64_t>(20, 10));
  QVERIFY(report.info.has_value());
  QCOMPARE(report.info->classes, 20);
  QCOMPARE(report.info->trainCount, std::int64_t{200});
  const DataReport none = checkCifar(folder.path() / "no", cifar100Layout(Cifar100Labels::fine));
  QVERIFY(!none.usable && !none.info && !none.findings.empty());
}

void TestCifar100Files::aTestClassThatTrainingLacksIsRefused() {
  TemporaryFolder folder;
  writeSmallCifar100(folder.path());
  std::string train = smallCifar100(200, 0);
  constexpr std::size_t kRecordBytes = 3074;
  for (const std::size_t image : {7, 107}) train[image * kRecordBytes + 1] = 8;
  writeFileDurably(folder.path() / "train.bin", train);
  QVERIFY2(failureOf(folder.path())
                   .find("test.bin: has images of the class fine 7, of which there "
                         "are no training images") != std::string::npos,
           failureOf(folder.path()).c_str());
  QVERIFY(checkCifar(folder.path(), smallCifar100Layout(Cifar100Labels::coarse)).usable);
}

void TestCifar100Files::thePythonVersionIsNamed() {
  TemporaryFolder folder;
  for (const char* name : {"meta", "train", "test"}) {
    std::filesystem::create_directories(folder.path() / "cifar-100-python");
    writeFileDurably(folder.path() / "cifar-100-python" / name, "pickle");
  }
  for (const std::filesystem::path& path : {folder.path(), folder.path() / "cifar-100-python"}) {
    QVERIFY(holdsCifar(path, cifar100Layout(Cifar100Labels::fine)));
    QVERIFY2(failureOf(path).find("is the Python version") != std::string::npos,
             failureOf(path).c_str());
  }
  const std::filesystem::path archive = folder.path() / "cifar-100-python.tar.gz";
  writeFileDurably(archive, tarOf({{"cifar-100-python/meta", "pickle"}}));
  QVERIFY2(failureOf(archive).find("is the Python version") != std::string::npos,
           failureOf(archive).c_str());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestCifar100Files)
#include "tst_cifar100_files.moc"
