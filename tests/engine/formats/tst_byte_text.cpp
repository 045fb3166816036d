#include <fcntl.h>
#include <fstream>
#include <numeric>
#include <sys/stat.h>
#include <unistd.h>

#include <QtTest/QtTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/text/byte_text.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace lambda;

namespace {

/// A folder with files that a test names.
class Texts {
 public:
  fs::path write(const fs::path& name, const std::string& content) const {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

std::string contentOf(const ByteText& text) {
  std::vector<std::uint8_t> bytes(text.size());
  text.copy(0, bytes);
  return {bytes.begin(), bytes.end()};
}

std::string partOf(const ByteText& text, std::uint64_t offset, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  text.copy(offset, bytes);
  return {bytes.begin(), bytes.end()};
}

/// The message of the error that opening throws; empty = none.
std::string failureOf(const fs::path& path) {
  const std::optional<Error> error = errorOf([&] { ByteText::open(path); });
  return error ? error->what() : "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// All findings, a line each.
std::string findingsOf(const ByteText& text) {
  std::string lines;
  for (const DataFinding& finding : text.findings()) {
    lines += finding.text + "; " + finding.hint + "\n";
  }
  return lines;
}

/// More than is looked at whole.
std::string largeText() {
  std::string text(9 << 20, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  return text;
}

}  // namespace

class TestByteText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFileIsItsBytes();
  void filesOfAFolderAreJoinedInTheOrderOfTheirPaths();
  void whatIsNotTextInAFolderIsLeftOutAndCounted();
  void aFileWithSeveralNamesIsReadOnce();
  void aLinkToItsOwnFolderEndsTheSearch();
  void byteOrderMarksAreNoPartOfTheText();
  void lineEndsOfTwoBytesAreKeptAndCounted();
  void whatIsNoTextIsRefused_data();
  void whatIsNoTextIsRefused();
  void charactersOfManyBytesAreText();
  void largeFilesAreLookedAtInSamples();
  void offsetsReachBeyondFourGigabytes();
  void nothingEmptyAndNothingThereAreRefused();
  void pipesAndDevicesAreRefusedWithoutWaiting();
  void filesWithoutPermissionAreRefused();
  void aFileThatShrinksIsAnError();
  void moreFilesThanStayOpenAreRead();
  void bytesOutsideAreRefused();
};

void TestByteText::aFileIsItsBytes() {
  const Texts texts;
  const ByteText text = ByteText::open(texts.write("a.txt", "one\ntwo\n"));
  QCOMPARE(text.size(), std::uint64_t{8});
  QCOMPARE(contentOf(text), std::string("one\ntwo\n"));
  QCOMPARE(partOf(text, 4, 3), std::string("two"));
  QCOMPARE(partOf(text, 8, 0), std::string());
  QVERIFY(text.findings().empty());
}

void TestByteText::filesOfAFolderAreJoinedInTheOrderOfTheirPaths() {
  const Texts texts;
  texts.write("b.txt", "4");
  texts.write("a/z.txt", "2");
  texts.write("a/b/c.txt", "1");
  texts.write("a.txt", "3 without a line break");
  const ByteText text = ByteText::open(texts.path());
  QCOMPARE(contentOf(text), std::string("123 without a line break4"));
  QCOMPARE(text.fileCount(), std::size_t{4});
  QVERIFY(text.findings().empty());
  for (std::uint64_t offset = 0; offset < text.size(); ++offset) {
    const auto rest = static_cast<std::size_t>(text.size() - offset);
    QCOMPARE(partOf(text, offset, rest), contentOf(text).substr(offset));
    QCOMPARE(partOf(text, offset, 1), contentOf(text).substr(offset, 1));
  }
}

void TestByteText::whatIsNotTextInAFolderIsLeftOutAndCounted() {
  const Texts texts;
  texts.write("a.txt", "text");
  texts.write("empty.txt", "");
  texts.write("1.png", std::string("\x89PNG\0", 5));
  texts.write("2.png", std::string("\x89PNG\0", 5));
  texts.write("data", std::string("\0", 1));
  texts.write(".hidden.txt", "hidden");
  texts.write(".git/config", "hidden");
  texts.write("__MACOSX/a.txt", "hidden");
  texts.write("Thumbs.db", "hidden");
  fs::create_symlink("nowhere", texts.path() / "broken.txt");
  QCOMPARE(::mkfifo((texts.path() / "pipe.txt").c_str(), 0600), 0);
  const ByteText text = ByteText::open(texts.path());
  QCOMPARE(contentOf(text), std::string("text"));
  const std::string findings = findingsOf(text);
  QVERIFY2(has(findings, "1 empty file is not read: empty.txt"), findings.c_str());
  QVERIFY2(has(findings, "2 .png files are not read, such as 1.png; 2.png has a NUL"),
           findings.c_str());
  QVERIFY2(has(findings, "1 extensionless file is not read: data; data has a NUL byte at offset 0"),
           findings.c_str());
  QVERIFY2(has(findings, "2 hidden files are not read"), findings.c_str());
  QVERIFY2(has(findings, "2 hidden folders are not read"), findings.c_str());
  QVERIFY2(has(findings, "1 broken link is not read"), findings.c_str());
  QVERIFY2(has(findings, "1 special file is not read: pipe.txt"), findings.c_str());
  QCOMPARE(text.findings().size(), std::size_t{7});
}

void TestByteText::aFileWithSeveralNamesIsReadOnce() {
  const Texts texts;
  texts.write("b/text.txt", "text");
  fs::create_symlink("b/text.txt", texts.path() / "a.txt");
  fs::create_hard_link(texts.path() / "b/text.txt", texts.path() / "c.txt");
  fs::create_directory_symlink("b", texts.path() / "d");
  const ByteText text = ByteText::open(texts.path());
  QCOMPARE(contentOf(text), std::string("text"));
  QVERIFY(has(findingsOf(text), "3 repeated files are not read, such as b/text.txt"));
}

void TestByteText::aLinkToItsOwnFolderEndsTheSearch() {
  const Texts texts;
  texts.write("a/text.txt", "text");
  fs::create_directory_symlink("..", texts.path() / "a/above");
  const ByteText text = ByteText::open(texts.path());
  QCOMPARE(contentOf(text), std::string("text"));
  QVERIFY(has(findingsOf(text), "1 circular link is not read: a/above"));
}

void TestByteText::byteOrderMarksAreNoPartOfTheText() {
  const Texts texts;
  const ByteText alone = ByteText::open(texts.write("b.txt", "\xef\xbb\xbfmarked"));
  QCOMPARE(contentOf(alone), std::string("marked"));
  QVERIFY(has(findingsOf(alone), "byte order mark at the start is left out"));
  texts.write("a.txt", "first ");
  texts.write("c.txt", "\xef\xbb\xbf");
  const ByteText text = ByteText::open(texts.path());
  QCOMPARE(contentOf(text), std::string("first marked"));
  QVERIFY(has(findingsOf(text), "(in b.txt)"));
  QVERIFY(has(findingsOf(text), "1 empty file is not read: c.txt"));
  QVERIFY(has(failureOf(texts.path() / "c.txt"), "is empty"));
}

void TestByteText::lineEndsOfTwoBytesAreKeptAndCounted() {
  const Texts texts;
  const ByteText alone = ByteText::open(texts.write("b.txt", "a\r\nb\r\nc\rd\ne\r"));
  QCOMPARE(alone.size(), std::uint64_t{12});
  QVERIFY(has(findingsOf(alone), "2 line ends are CR LF, which counts as two bytes; "));
  texts.write("a.txt", "a\r\n");
  const ByteText text = ByteText::open(texts.path());
  QVERIFY(has(findingsOf(text), "3 line ends are CR LF"));
  QVERIFY(has(findingsOf(text), "(in 2 files, such as a.txt)"));
}

void TestByteText::whatIsNoTextIsRefused_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::addColumn<QByteArray>("reason");
  QTest::newRow("a NUL byte") << QByteArray("abc\0def", 7) << QByteArray("NUL byte at offset 3");
  QTest::newRow("Latin-1") << QByteArray("caf\xe9 noir") << QByteArray("not UTF-8 at offset 3");
  QTest::newRow("a continuation alone") << QByteArray("a\x80") << QByteArray("offset 1");
  QTest::newRow("an overlong form") << QByteArray("\xc0\xaf") << QByteArray("offset 0");
  QTest::newRow("a surrogate") << QByteArray("ab\xed\xa0\x80") << QByteArray("offset 2");
  QTest::newRow("UTF-16") << QByteArray(
                                 "\xff\xfe"
                                 "a\0",
                                 4)
                          << QByteArray("offset");
  QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08") << QByteArray("not UTF-8 at offset 1");
}

void TestByteText::whatIsNoTextIsRefused() {
  QFETCH(QByteArray, content);
  QFETCH(QByteArray, reason);
  const Texts texts;
  const std::string failure = failureOf(texts.write("a.txt", content.toStdString()));
  QVERIFY2(has(failure, reason.toStdString()), failure.c_str());
  QVERIFY(has(failure, "iconv"));
  const std::string ofFolder = failureOf(texts.path());
  QVERIFY2(has(ofFolder, "holds no text, but 1 .txt file"), ofFolder.c_str());
}

void TestByteText::charactersOfManyBytesAreText() {
  const Texts texts;
  const std::string text = "aé€😀";
  for (std::size_t bytes = 1; bytes <= text.size(); ++bytes) {
    // Also where the end cuts a character.
    QCOMPARE(contentOf(ByteText::open(texts.write("a.txt", text.substr(0, bytes)))),
             text.substr(0, bytes));
  }
}

void TestByteText::largeFilesAreLookedAtInSamples() {
  const Texts texts;
  std::string content = largeText();
  QCOMPARE(contentOf(ByteText::open(texts.write("a.txt", content))), content);
  // A character of three bytes at every place: each sample begins and ends within one.
  std::string wide = "a";
  while (wide.size() < content.size()) wide += "€";
  QCOMPARE(ByteText::open(texts.write("wide.txt", wide)).size(), std::uint64_t{wide.size()});

  content.replace(100, 2, "\r\n");
  content.back() = '\0';
  QVERIFY(has(failureOf(texts.write("b.txt", content)),
              "NUL byte at offset " + std::to_string(content.size() - 1)));
  content.back() = 'a';
  content[1000] = '\0';
  QVERIFY(has(failureOf(texts.write("b.txt", content)), "NUL byte at offset 1000"));
  content[1000] = 'a';
  QVERIFY(has(findingsOf(ByteText::open(texts.write("b.txt", content))), "at least 1 line end is"));
}

void TestByteText::offsetsReachBeyondFourGigabytes() {
  const Texts texts;
  const fs::path file = texts.path() / "a.txt";
  // It is sparse: only what is looked at is written. The rest is full of NUL bytes.
  constexpr std::uint64_t kSize = 5'000'000'000;
  constexpr std::uint64_t kLast = kSize - (64 << 10);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const auto write = [&](std::uint64_t offset, std::size_t count) {
    const std::string text(count, 'x');
    return ::pwrite(descriptor, text.data(), count, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(count);
  };
  QVERIFY(write(0, 1 << 20));
  for (std::uint64_t i = 1; i < 64; ++i) QVERIFY(write(kLast / 64 * i, 64 << 10));
  QVERIFY(write(kLast, 64 << 10));
  QCOMPARE(::pwrite(descriptor, "here", 4, 4'999'999'000), ssize_t{4});
  ::close(descriptor);
  const ByteText text = ByteText::open(file);
  QCOMPARE(text.size(), kSize);
  QCOMPARE(partOf(text, 4'999'998'999, 6), std::string("xherex"));
}

void TestByteText::nothingEmptyAndNothingThereAreRefused() {
  const Texts texts;
  const std::string missing = failureOf(texts.path() / "nothing.txt");
  QVERIFY(has(missing, "nothing.txt") && has(missing, "No such file") && has(missing, "spelling"));
  QVERIFY(has(failureOf(texts.path()), "holds no text"));
  QVERIFY(has(failureOf(texts.write("a.txt", "")), "is empty"));
  QVERIFY(has(failureOf(texts.path()), "holds no text, but 1 empty file"));
}

void TestByteText::pipesAndDevicesAreRefusedWithoutWaiting() {
  const Texts texts;
  const fs::path pipe = texts.path() / "pipe";
  QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
  QVERIFY(has(failureOf(pipe), "not a regular file"));
  QVERIFY(has(failureOf("/dev/zero"), "not a regular file"));
  QVERIFY(has(failureOf(texts.path()), "holds no text, but 1 special file"));
}

void TestByteText::filesWithoutPermissionAreRefused() {
  if (::geteuid() == 0) QSKIP("permissions do not apply to root");
  const Texts texts;
  const fs::path file = texts.write("a.txt", "text");
  fs::permissions(file, fs::perms::none);
  QVERIFY(has(failureOf(file), "permission"));
  QVERIFY(has(failureOf(texts.path()), "permission"));
}

void TestByteText::aFileThatShrinksIsAnError() {
  const Texts texts;
  texts.write("a.txt", "first");
  const fs::path file = texts.write("b.txt", "second text");
  const ByteText text = ByteText::open(texts.path());
  fs::resize_file(file, 3);
  QCOMPARE(partOf(text, 0, 8), std::string("firstsec"));
  const auto error = errorOf([&] { partOf(text, 4, 8); });
  QVERIFY(error && error->place() == file.string() && has(error->reason(), "too early"));
}

void TestByteText::moreFilesThanStayOpenAreRead() {
  const Texts texts;
  std::string expected;
  for (int i = 1000; i < 1300; ++i) {
    const std::string content = std::to_string(i) + (i % 50 == 0 ? "\xef\xbb\xbf" : "");
    texts.write(std::to_string(i), (i % 50 == 0 ? "\xef\xbb\xbf" : "") + content);
    expected += content;
  }
  const ByteText text = ByteText::open(texts.path());
  QCOMPARE(contentOf(text), expected);
  fs::resize_file(texts.path() / "1299", 1);
  QVERIFY(errorOf([&] { contentOf(text); }).has_value());
}

void TestByteText::bytesOutsideAreRefused() {
  const Texts texts;
  const ByteText text = ByteText::open(texts.write("a.txt", "text"));
  QVERIFY(errorOf([&] { partOf(text, 0, 5); }).has_value());
  QVERIFY(errorOf([&] { partOf(text, 5, 0); }).has_value());
  QVERIFY(errorOf([&] { partOf(text, ~std::uint64_t{0}, 2); }).has_value());
}

QTEST_GUILESS_MAIN(TestByteText)
#include "tst_byte_text.moc"
