#include <cerrno>
#include <fstream>
#include <optional>

#include <QTest>

#include "engine/data/download.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"
#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/http_server.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

constexpr std::size_t kBytes = 300'000;

std::string someBytes(std::uint64_t seed) {
  KeyedRandom random({seed});
  std::string bytes(kBytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.bits());
  return bytes;
}

ServedFile fileOf(const std::string& bytes) {
  ServedFile file;
  file.bytes = bytes;
  return file;
}

ServedFile cutFile(const std::string& bytes, std::size_t cutAfter) {
  ServedFile file = fileOf(bytes);
  file.cutAfter = cutAfter;
  return file;
}

// A server, an empty folder, and the request that downloads the server's file into the folder.
struct Fixture {
  explicit Fixture(ServedFile file) : bytes(file.bytes), server(std::move(file)) {
    request.url = server.url();
    request.domain = "example.org";
    request.sha256 = sha256Hex(bytes);
    request.bytes = bytes.size();
    request.destination = folder.path() / "sub" / "set.tar.gz";
    request.allowLoopbackHttp = true;
    request.stallSeconds = 10;
  }

  std::filesystem::path part() const { return request.destination.string() + ".part"; }

  bool arrived() const {
    return readFile(request.destination, 2 * kBytes) == bytes &&
           std::distance(std::filesystem::directory_iterator(folder.path() / "sub"), {}) == 1;
  }

  std::optional<Error> failure() const {
    return errorOf([&] { download(request); });
  }

  std::string bytes;
  HttpServer server;
  TemporaryFolder folder;
  DownloadRequest request;
};

bool mentions(const std::optional<Error>& error, const char* text) {
  return error && std::string(error->what()).find(text) != std::string::npos &&
         !error->hint().empty();
}

}  // namespace

class TestDownload : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bringsTheFileAndNothingElse();
  void knowsAFileThatIsThere();
  void leavesAnotherFileOfThatNameAlone();
  void resumesAfterEveryCut();
  void resumesAcrossManyCuts();
  void beginsAgainWhereTheServerKnowsNoRanges();
  void beginsAgainWhenTheFileChanged();
  void beginsAgainAfterAWrongRange();
  void deletesWrongBytes();
  void checksAPartThatIsWhole();
  void dropsAPartThatIsTooLong();
  void refusesAnotherLength();
  void refusesAPageInPlaceOfTheFile_data();
  void refusesAPageInPlaceOfTheFile();
  void refusesARedirectElsewhere_data();
  void refusesARedirectElsewhere();
  void refusesHttpUnlessAllowed();
  void cancelKeepsWhatCame();
  void reportsProgressInOrder();
  void noServerIsAnErrorToActOn();
  void fullDiskIsAnErrorAndCanBeResumed();
  void onlyOneAttemptAtATime();
};

void TestDownload::bringsTheFileAndNothingElse() {
  Fixture fixture(fileOf(someBytes(1)));
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
}

void TestDownload::knowsAFileThatIsThere() {
  Fixture fixture(fileOf(someBytes(1)));
  download(fixture.request);
  QVERIFY(download(fixture.request) == DownloadOutcome::alreadyPresent);
  QCOMPARE(fixture.server.ranges().size(), std::size_t{1});
}

void TestDownload::leavesAnotherFileOfThatNameAlone() {
  Fixture fixture(fileOf(someBytes(1)));
  std::filesystem::create_directories(folderOf(fixture.request.destination));
  writeFileDurably(fixture.request.destination, "mine");
  QVERIFY(mentions(fixture.failure(), "other content"));
  QCOMPARE(readFile(fixture.request.destination, 100), std::string("mine"));
  QVERIFY(fixture.server.ranges().empty());
}

void TestDownload::resumesAfterEveryCut() {
  const std::string bytes = someBytes(1);
  for (const std::size_t cut :
       {std::size_t{1}, std::size_t{2}, std::size_t{16'384}, std::size_t{100'001}, kBytes - 1}) {
    Fixture fixture(cutFile(bytes, cut));
    QVERIFY(mentions(fixture.failure(), "connection broke"));
    QVERIFY(!std::filesystem::exists(fixture.request.destination));
    fixture.server.serve(fileOf(bytes));
    QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
    QVERIFY(fixture.arrived());
    QCOMPARE(fixture.server.ranges().back(), "bytes=" + std::to_string(cut) + "-");
  }
}

void TestDownload::resumesAcrossManyCuts() {
  constexpr std::size_t kPiece = 7'001;
  Fixture fixture(cutFile(someBytes(1), kPiece));
  int cuts = 0;
  while (cuts < 100 && fixture.failure()) ++cuts;
  QCOMPARE(cuts, static_cast<int>(kBytes / kPiece));
  QVERIFY(fixture.arrived());
}

void TestDownload::beginsAgainWhereTheServerKnowsNoRanges() {
  ServedFile file = cutFile(someBytes(1), 1000);
  file.ranges = false;
  Fixture fixture(file);
  QVERIFY(fixture.failure());
  file.cutAfter = kBytes;
  fixture.server.serve(file);
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
}

void TestDownload::beginsAgainWhenTheFileChanged() {
  Fixture fixture(cutFile(someBytes(1), 1000));
  QVERIFY(fixture.failure());
  const std::string changed = someBytes(2);
  fixture.server.serve(fileOf(changed));
  fixture.bytes = changed;
  fixture.request.sha256 = sha256Hex(changed);
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
  QCOMPARE(fixture.server.ranges(), (std::vector<std::string>{"", "bytes=1000-", ""}));
}

void TestDownload::beginsAgainAfterAWrongRange() {
  Fixture fixture(cutFile(someBytes(1), 1000));
  QVERIFY(fixture.failure());
  ServedFile file = fileOf(fixture.bytes);
  file.rangeError = 1;
  fixture.server.serve(file);
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
}

void TestDownload::deletesWrongBytes() {
  Fixture fixture(fileOf(someBytes(1)));
  fixture.request.sha256 = sha256Hex("something else");
  QVERIFY(mentions(fixture.failure(), "they were deleted"));
  QCOMPARE(std::distance(std::filesystem::directory_iterator(fixture.folder.path() / "sub"), {}),
           std::ptrdiff_t{0});
}

void TestDownload::checksAPartThatIsWhole() {
  Fixture fixture(cutFile(someBytes(1), 1000));
  QVERIFY(fixture.failure());
  std::ofstream(fixture.part(), std::ios::binary | std::ios::trunc) << fixture.bytes;
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
  QCOMPARE(fixture.server.ranges().size(), std::size_t{1});
}

void TestDownload::dropsAPartThatIsTooLong() {
  Fixture fixture(cutFile(someBytes(1), 1000));
  QVERIFY(fixture.failure());
  std::ofstream(fixture.part(), std::ios::binary | std::ios::trunc) << fixture.bytes << "more";
  fixture.server.serve(fileOf(fixture.bytes));
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
}

void TestDownload::refusesAnotherLength() {
  for (const bool stated : {true, false}) {
    ServedFile file = fileOf(someBytes(1));
    file.length = stated;
    Fixture fixture(file);
    fixture.request.bytes = kBytes - 5;
    QVERIFY(mentions(fixture.failure(), "the server offers"));
  }
}

void TestDownload::refusesAPageInPlaceOfTheFile_data() {
  QTest::addColumn<int>("status");
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("gone") << 404 << QByteArray("not there any more");
  QTest::newRow("out of order") << 503 << QByteArray("overloaded");
  QTest::newRow("forbidden") << 403 << QByteArray("status 403");
  QTest::newRow("no content") << 204 << QByteArray("status 204");
}

void TestDownload::refusesAPageInPlaceOfTheFile() {
  QFETCH(int, status);
  QFETCH(QByteArray, text);
  ServedFile file = fileOf(someBytes(1));
  file.status = status;
  Fixture fixture(file);
  QVERIFY(mentions(fixture.failure(), text.constData()));
  QCOMPARE(std::filesystem::file_size(fixture.part()), std::uintmax_t{0});
}

void TestDownload::refusesARedirectElsewhere_data() {
  QTest::addColumn<QByteArray>("location");
  QTest::newRow("another domain") << QByteArray("https://example.com/file");
  QTest::newRow("a name that only ends alike") << QByteArray("https://notexample.org/file");
  QTest::newRow("without encryption") << QByteArray("http://example.org/file");
  QTest::newRow("a local file") << QByteArray("file:///etc/hostname");
}

void TestDownload::refusesARedirectElsewhere() {
  QFETCH(QByteArray, location);
  ServedFile file = fileOf(someBytes(1));
  file.status = 302;
  file.redirect = location.toStdString();
  Fixture fixture(file);
  QVERIFY(mentions(fixture.failure(), "not an https address of example.org"));
}

void TestDownload::refusesHttpUnlessAllowed() {
  Fixture fixture(fileOf(someBytes(1)));
  fixture.request.allowLoopbackHttp = false;
  QVERIFY(mentions(fixture.failure(), "not an https address"));
  QVERIFY(fixture.server.ranges().empty());
}

void TestDownload::cancelKeepsWhatCame() {
  Fixture fixture(fileOf(someBytes(1)));
  const auto untilSome = [](const DownloadProgress& progress) {
    return progress.receivedBytes == 0;
  };
  QVERIFY(download(fixture.request, untilSome) == DownloadOutcome::cancelled);
  const auto received = std::filesystem::file_size(fixture.part());
  QVERIFY(received > 0 && received < kBytes);
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
  QCOMPARE(fixture.server.ranges().back(), "bytes=" + std::to_string(received) + "-");
}

void TestDownload::reportsProgressInOrder() {
  Fixture fixture(fileOf(someBytes(1)));
  std::vector<DownloadProgress> seen;
  download(fixture.request, [&](const DownloadProgress& progress) {
    seen.push_back(progress);
    return true;
  });
  QVERIFY(seen.size() >= 2);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    QCOMPARE(seen[i].totalBytes, std::uint64_t{kBytes});
    if (i > 0) QVERIFY(seen[i].receivedBytes >= seen[i - 1].receivedBytes);
  }
  QVERIFY(seen.back().phase == DownloadPhase::check);
  QCOMPARE(seen.back().receivedBytes, std::uint64_t{kBytes});
}

void TestDownload::noServerIsAnErrorToActOn() {
  std::string url;
  { url = HttpServer(fileOf("x")).url(); }
  Fixture fixture(fileOf(someBytes(1)));
  fixture.request.url = url;
  QVERIFY(mentions(fixture.failure(), "connection broke after 0 of"));
}

void TestDownload::fullDiskIsAnErrorAndCanBeResumed() {
  // The first calls open the part file and empty it; this one is in the body.
  constexpr int kCalls = 4;
  Fixture fixture(fileOf(someBytes(1)));
  FaultyFileSystem full(kCalls, ENOSPC, true);
  const auto error = errorOf([&] { download(fixture.request, {}, full); });
  QVERIFY(full.anyFailed());
  QVERIFY(mentions(error, "No space left"));
  QVERIFY(!std::filesystem::exists(fixture.request.destination));
  QVERIFY(download(fixture.request) == DownloadOutcome::downloaded);
  QVERIFY(fixture.arrived());
}

void TestDownload::onlyOneAttemptAtATime() {
  Fixture fixture(fileOf(someBytes(1)));
  std::optional<Error> second;
  download(fixture.request, [&](const DownloadProgress&) {
    if (!second) second = fixture.failure();
    return true;
  });
  QVERIFY(mentions(second, "under way"));
  QVERIFY(fixture.arrived());
}

QTEST_GUILESS_MAIN(TestDownload)
#include "tst_download.moc"
