#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

#include <QTest>

#include "engine/formats/cifar/cifar_files.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha1.h"
#include "engine/formats/files/sha256.h"
#include "engine/runtime/random.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/small_cifar10.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;
namespace fs = std::filesystem;

namespace {

Cifar parse(const std::string& bytes) {
  return parseCifarArchive(std::as_bytes(std::span(bytes)), "test.tar.gz", kSmallLayout);
}

std::string reasonOf(const std::vector<TarEntry>& entries) {
  const auto error = errorOf([&] { parse(tarOf(entries)); });
  return error ? error->what() : "";
}

std::string findingsOf(const DataReport& report) {
  std::string text;
  for (const DataFinding& finding : report.findings) {
    text += (finding.severity == Severity::error ? "error " : "warning ") + finding.place + ": " +
            finding.text + "\n";
  }
  return text;
}

void compareWithSmallSet(const Cifar& set) {
  QCOMPARE(set.train.count(), std::size_t{50});
  QCOMPARE(set.test.count(), std::size_t{10});
  QCOMPARE(set.train.pixels.size(), std::size_t{50 * 3072});
  QCOMPARE(set.train.classNames[9], std::string("truck"));
  for (std::size_t n = 0; n < 60; ++n) {
    const LabeledImages& images = n < 50 ? set.train : set.test;
    const std::size_t i = n < 50 ? n : n - 50;
    QCOMPARE(images.labels[i], 9 - n % 10);
    for (const std::size_t p : {0, 1, 1023, 1024, 3071}) {
      QCOMPARE(images.pixels[i * 3072 + p], (n / 10 * 40 + n % 10 + p) % 251);
    }
  }
}

}  // namespace

class TestCifar10Files : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsFoldersAndArchives();
  void goodSetHasNoFindings();
  void archiveOtherThanThePublishedIsAWarning();
  void allDefectsAreFoundAtOnce();
  void missingPlacesAreExplained();
  void unreadableFileIsAFinding();
  void otherVersionsAreRecognised_data();
  void otherVersionsAreRecognised();
  void archiveDefectsAreErrors_data();
  void archiveDefectsAreErrors();
  void bombsAreNotUnpacked();
  void everyPrefixOfTheArchiveIsHandled();
  void flippedBitsInAnArchiveAreFound();
  void filesOtherThanThePublishedAreAWarning();
  void mutatedArchivesThrowOrLoad();
  void unequalClassesAreAWarning();
  void classNamesAreReadOrReplaced();
  void realSetIsRead();
};

void TestCifar10Files::readsFoldersAndArchives() {
  const TemporaryFolder folder;
  writeSmallCifar10(folder.path() / "outer" / "cifar-10-batches-bin");
  compareWithSmallSet(readCifar(folder.path() / "outer", kSmallLayout));
  compareWithSmallSet(readCifar(folder.path() / "outer" / "cifar-10-batches-bin", kSmallLayout));

  const fs::path archive = folder.path() / "cifar-10-binary.tar.gz";
  writeFileDurably(archive, tarOf(smallEntries()));
  compareWithSmallSet(readCifar(archive, kSmallLayout));
  compareWithSmallSet(readCifar(folder.path(), kSmallLayout));
  compareWithSmallSet(parse(tarOf(smallEntries())));
  compareWithSmallSet(parse(tarOf(smallEntries(), false)));
}

void TestCifar10Files::goodSetHasNoFindings() {
  const TemporaryFolder folder;
  writeSmallCifar10(folder.path());
  DataReport report = checkCifar(folder.path(), kSmallLayout);
  QVERIFY(report.usable);
  QCOMPARE(findingsOf(report), std::string());
  QCOMPARE(report.files.size(), std::size_t{7});
  QCOMPARE(report.files[0].bytes, std::uint64_t{30'730});
  QCOMPARE(report.files[0].countPerClass, std::vector<std::int64_t>(10, 1));
  QVERIFY(report.sha256.empty());

  const fs::path archive = folder.path() / "a.tar.gz";
  writeFileDurably(archive, tarOf(smallEntries()));
  report = checkCifar(archive, kSmallLayout);
  QVERIFY(report.usable);
  QCOMPARE(report.sha256, sha256OfFile(archive));
  QCOMPARE(findingsOf(report), std::string());
}

void TestCifar10Files::archiveOtherThanThePublishedIsAWarning() {
  const TemporaryFolder folder;
  const fs::path archive = folder.path() / "a.tar.gz";
  writeFileDurably(archive, tarOf(smallEntries()));
  const std::string digest = sha256OfFile(archive);
  CifarLayout layout = kSmallLayout;
  layout.archiveSha256 = digest;
  QCOMPARE(findingsOf(checkCifar(archive, layout)), std::string());

  layout.archiveSha256 = kCifar10ArchiveSha256;
  const DataReport report = checkCifar(archive, layout);
  QVERIFY(report.usable);
  QCOMPARE(report.findings.size(), std::size_t{1});
  const DataFinding& finding = report.findings[0];
  QVERIFY(finding.severity == Severity::warning);
  QCOMPARE(finding.place, archive.string());
  QVERIFY(finding.text.find(digest) != std::string::npos);
  QVERIFY(finding.text.find(kCifar10ArchiveSha256) != std::string::npos);
  QVERIFY(!finding.hint.empty());

  // A folder has no digest of an archive, and for a broken archive other findings say more.
  writeSmallCifar10(folder.path() / "folder");
  QCOMPARE(findingsOf(checkCifar(folder.path() / "folder", layout)), std::string());
  std::vector<TarEntry> entries = smallEntries();
  entries.pop_back();
  writeFileDurably(archive, tarOf(entries));
  QCOMPARE(findingsOf(checkCifar(archive, layout)),
           std::string("error data_batch_2.bin: is missing\n"));
}

void TestCifar10Files::allDefectsAreFoundAtOnce() {
  const TemporaryFolder folder;
  writeSmallCifar10(folder.path());
  fs::remove(folder.path() / "data_batch_2.bin");
  fs::remove(folder.path() / "batches.meta.txt");
  fs::resize_file(folder.path() / "data_batch_3.bin", 30'000);
  std::string bad = smallBatch(3);
  bad[3 * 3073] = 10;
  writeFileDurably(folder.path() / "data_batch_4.bin", bad);
  const DataReport report = checkCifar(folder.path(), kSmallLayout);
  QVERIFY(!report.usable);
  QCOMPARE(
      findingsOf(report),
      std::string(
          "error data_batch_3.bin: has 30000 bytes instead of 30730\n"
          "error data_batch_4.bin: record 3 (byte 9219) has the label 10, which is not in 0 to 9\n"
          "error data_batch_2.bin: is missing\n"
          "warning batches.meta.txt: is missing: the published class names are used\n"));
  const auto error = errorOf([&] { readCifar(folder.path(), kSmallLayout); });
  QVERIFY(error);
  QCOMPARE(error->place(), (folder.path() / "data_batch_3.bin").string());
  QVERIFY(!error->hint().empty());
}

void TestCifar10Files::missingPlacesAreExplained() {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "empty");
  for (const char* place : {"none", "empty"}) {
    const auto error = errorOf([&] { readCifar(folder.path() / place, kSmallLayout); });
    QVERIFY(error);
    QCOMPARE(error->place(), (folder.path() / place).string());
    QVERIFY(!error->hint().empty());
    QVERIFY(!checkCifar(folder.path() / place, cifar10Layout()).usable);
  }
}

void TestCifar10Files::unreadableFileIsAFinding() {
  const TemporaryFolder folder;
  writeSmallCifar10(folder.path());
  fs::remove(folder.path() / "test_batch.bin");
  fs::create_directory(folder.path() / "test_batch.bin");
  QCOMPARE(findingsOf(checkCifar(folder.path(), kSmallLayout)),
           std::string("error test_batch.bin: is a folder, not a file\n"));
  fs::remove(folder.path() / "test_batch.bin");
  if (::geteuid() == 0) QSKIP("permissions do not apply to root");
  writeFileDurably(folder.path() / "test_batch.bin", smallBatch(5));
  ::chmod((folder.path() / "test_batch.bin").c_str(), 0);
  const DataReport report = checkCifar(folder.path(), kSmallLayout);
  QVERIFY(findingsOf(report).find("Permission denied") != std::string::npos);
}

void TestCifar10Files::otherVersionsAreRecognised_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("says");
  QTest::newRow("python") << std::string("cifar-10-batches-py/data_batch_1")
                          << std::string("Python version");
  QTest::newRow("matlab") << std::string("cifar-10-batches-mat/data_batch_1.mat")
                          << std::string("MATLAB");
  QTest::newRow("100") << std::string("cifar-100-binary/train.bin") << std::string("CIFAR-100");
}

void TestCifar10Files::otherVersionsAreRecognised() {
  QFETCH(const std::string, file);
  QFETCH(const std::string, says);
  const std::string fromArchive = reasonOf({{file, "some bytes"}});
  QVERIFY2(fromArchive.find(says) != std::string::npos, fromArchive.c_str());

  const TemporaryFolder folder;
  fs::create_directories((folder.path() / file).parent_path());
  writeFileDurably(folder.path() / file, "some bytes");
  for (const fs::path& path : {folder.path(), (folder.path() / file).parent_path()}) {
    const std::string findings = findingsOf(checkCifar(path, kSmallLayout));
    QVERIFY2(findings.find(says) != std::string::npos, findings.c_str());
  }
}

void TestCifar10Files::archiveDefectsAreErrors_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("says");
  const auto row = [](const char* fact, const std::string& bytes, const char* says) {
    QTest::newRow(fact) << bytes << std::string(says);
  };
  const auto changed = [](auto change) {
    std::vector<TarEntry> entries = smallEntries();
    change(entries);
    return tarOf(entries);
  };
  row("no archive", "plain text, for example a web page that says not found", "not a gzipped tar");
  row("empty file", "", "");
  row("gzip of no tar", tarOf({}).substr(0, 12) + "xxxx", "");
  row("empty archive", tarOf({}), "none of CIFAR-10's files");
  row("missing entry", changed([](auto& e) { e.pop_back(); }), "data_batch_2.bin: is missing");
  row("doubled entry",
      changed([](auto& e) { e.push_back(e[1]); }),
      "data_batch_1.bin: is there twice");
  row("wrong size",
      changed([](auto& e) { e[3].content.push_back('x'); }),
      "30731 bytes instead of 30730");
  row("bad label", changed([](auto& e) { e[5].content[0] = 11; }), "test_batch.bin: record 0");
  row("symbolic link",
      changed([](auto& e) {
        e[3] = {e[3].path, "", AE_IFLNK};
      }),
      "not a regular file");
  row("folder in a file's place", changed([](auto& e) { e[3] = {e[3].path, "", AE_IFDIR}; }), "");
}

void TestCifar10Files::archiveDefectsAreErrors() {
  QFETCH(const std::string, bytes);
  QFETCH(const std::string, says);
  const auto error = errorOf([&] { parse(bytes); });
  QVERIFY(error);
  QVERIFY2(std::string(error->what()).find(says) != std::string::npos, error->what());
  QVERIFY(error->place().starts_with("test.tar.gz"));

  const TemporaryFolder folder;
  writeFileDurably(folder.path() / "a.tar.gz", bytes);
  QVERIFY(!checkCifar(folder.path() / "a.tar.gz", kSmallLayout).usable);
}

void TestCifar10Files::bombsAreNotUnpacked() {
  std::vector<TarEntry> entries = smallEntries();
  entries.insert(entries.begin(), {"filler", std::string(20U << 20, '\0')});
  QVERIFY(reasonOf(entries).find("unpacks to more") != std::string::npos);
  entries = std::vector<TarEntry>(300, {"filler", ""});
  QVERIFY(reasonOf(entries).find("256 entries") != std::string::npos);
}

void TestCifar10Files::everyPrefixOfTheArchiveIsHandled() {
  const std::string bytes = tarOf(smallEntries());
  std::size_t shortestThatLoads = bytes.size();
  for (std::size_t length = 0; length < bytes.size(); length += 1 + (length % 7)) {
    if (!errorOf([&] { compareWithSmallSet(parse(bytes.substr(0, length))); })) {
      shortestThatLoads = std::min(shortestThatLoads, length);
    }
  }
  QCOMPARE(shortestThatLoads, bytes.size());
}

/// Most flipped bits in an image leave a valid image, so only the checksum finds them.
void TestCifar10Files::flippedBitsInAnArchiveAreFound() {
  const std::string bytes = tarOf(smallEntries());
  const TemporaryFolder folder;
  const fs::path archive = folder.path() / "a.tar.gz";
  KeyedRandom random({17});
  for (int i = 0; i < 400; ++i) {
    std::string damaged = bytes;
    // After gzip's header of ten bytes, some of which do not affect the content.
    const std::size_t byte = 10 + random.below(static_cast<std::uint32_t>(bytes.size() - 10));
    damaged[byte] ^= static_cast<char>(1 << random.below(8));
    const auto error = errorOf([&] { compareWithSmallSet(parse(damaged)); });
    if (!error) {
      // This was a padding bit of deflate: the content has not changed.
      QVERIFY(byte + 9 == bytes.size());
      continue;
    }
    QVERIFY(!error->hint().empty());
    writeFileDurably(archive, damaged);
    QVERIFY2(!checkCifar(archive, kSmallLayout).usable, error->what());
  }
  std::string damaged = bytes;
  damaged[bytes.size() - 5] ^= 1;  // A bit of the checksum.
  writeFileDurably(archive, damaged);
  QCOMPARE(findingsOf(checkCifar(archive, kSmallLayout)),
           "error " + archive.string() +
               ": the archive is damaged: its content does not match its checksum (CRC-32)\n");
}

void TestCifar10Files::filesOtherThanThePublishedAreAWarning() {
  const TemporaryFolder folder;
  writeSmallCifar10(folder.path() / "set");
  CifarLayout layout = kSmallLayout;
  std::vector<std::string> digests;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string batch = smallBatch(i);
    digests.push_back(sha1Hex(std::as_bytes(std::span(batch))));
  }
  for (std::size_t i = 0; i < 6; ++i) layout.files[i].sha1 = digests[i];
  DataReport report = checkCifar(folder.path() / "set", layout);
  QCOMPARE(findingsOf(report), std::string());
  QCOMPARE(report.files[5].sha1, digests[5]);

  layout.files[2].sha1 = cifar10Layout().files[2].sha1;
  report = checkCifar(folder.path() / "set", layout);
  QVERIFY(report.usable);
  QCOMPARE(findingsOf(report),
           "warning data_batch_3.bin: is not the published file, though its content is "
           "well-formed: its SHA-1 is " +
               digests[2] + ", the published one's " + std::string(cifar10Layout().files[2].sha1) +
               "\n");
  compareWithSmallSet(readCifar(folder.path() / "set", layout));

  // Repacking did not change the files.
  layout.files[2].sha1 = digests[2];
  layout.archiveSha256 = kCifar10ArchiveSha256;
  const fs::path archive = folder.path() / "a.tar.gz";
  writeFileDurably(archive, tarOf(smallEntries()));
  report = checkCifar(archive, layout);
  QVERIFY(report.usable);
  QCOMPARE(report.findings.size(), std::size_t{1});
  QVERIFY(report.findings[0].text.find("its six data files are the published ones") !=
          std::string::npos);
}

void TestCifar10Files::mutatedArchivesThrowOrLoad() {
  for (const bool gzipped : {true, false}) {
    const std::string bytes = tarOf(smallEntries(), gzipped);
    int loaded = 0;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      const bool failed =
          errorOf([&] {
            const Cifar set = parse(mutated(bytes, 3, i));
            QCOMPARE(set.train.pixels.size(), std::size_t{50 * 3072});
            QVERIFY(std::ranges::all_of(set.train.labels, [](auto n) { return n < 10; }));
          }).has_value();
      loaded += failed ? 0 : 1;
    }
    QVERIFY(loaded < 1'000);
  }
}

void TestCifar10Files::unequalClassesAreAWarning() {
  const TemporaryFolder folder;
  writeSmallCifar10(folder.path());
  std::string batch = smallBatch(5);
  batch[0] = 0;
  writeFileDurably(folder.path() / "test_batch.bin", batch);
  const DataReport report = checkCifar(folder.path(), kSmallLayout);
  QVERIFY(report.usable);
  QCOMPARE(
      findingsOf(report),
      std::string("warning test set: images per class, not the published equal counts: 2 1 1 1 1 1 "
                  "1 1 1 0\n"));
}

void TestCifar10Files::classNamesAreReadOrReplaced() {
  const TemporaryFolder folder;
  writeSmallCifar10(folder.path());
  const fs::path names = folder.path() / "batches.meta.txt";
  writeFileDurably(names, "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh\r\ni\r\nj\r\n");
  QCOMPARE(readCifar(folder.path(), kSmallLayout).test.classNames[9], std::string("j"));
  writeFileDurably(names, "a\nb\n\x1b[2J\n");
  QCOMPARE(readCifar(folder.path(), kSmallLayout).test.classNames[9], std::string("truck"));
  QVERIFY(checkCifar(folder.path(), kSmallLayout).usable);
  writeFileDurably(names, std::string(10'000, 'x'));
  QVERIFY(!checkCifar(folder.path(), kSmallLayout).usable);
}

void TestCifar10Files::realSetIsRead() {
  const char* path = std::getenv("LAMBDA_CIFAR10");
  if (path == nullptr) QSKIP("LAMBDA_CIFAR10 does not name a copy of CIFAR-10");
  const DataReport report = checkCifar(path, cifar10Layout());
  QVERIFY2(report.usable, findingsOf(report).c_str());
  const Cifar set = readCifar(path, cifar10Layout());
  QCOMPARE(set.train.count(), std::size_t{50'000});
  QCOMPARE(set.test.count(), std::size_t{10'000});
  for (const auto label : {0, 9}) {
    QCOMPARE(std::ranges::count(set.train.labels, label), 5'000);
    QCOMPARE(std::ranges::count(set.test.labels, label), 1'000);
  }
  // The published mean of the red channel is 0.4914.
  double sum = 0;
  for (std::size_t i = 0; i < set.train.count(); ++i) {
    for (std::size_t p = 0; p < 1024; ++p) sum += set.train.pixels[i * 3072 + p];
  }
  QVERIFY(std::abs(sum / (255.0 * 1024 * 50'000) - 0.4914) < 0.002);
}

QTEST_GUILESS_MAIN(TestCifar10Files)
#include "tst_cifar10_files.moc"
