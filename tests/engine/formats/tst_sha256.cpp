#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestSha256 : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void matchesThePublishedVectors();
  void piecesMakeTheWhole();
  void readsAFileInPieces();
};

void TestSha256::matchesThePublishedVectors() {
  QCOMPARE(sha256Hex(""),
           std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  QCOMPARE(sha256Hex("abc"),
           std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

void TestSha256::piecesMakeTheWhole() {
  Sha256 digest;
  digest.update("a");
  digest.update("");
  digest.update("bc");
  QCOMPARE(digest.hex(), sha256Hex("abc"));
}

void TestSha256::readsAFileInPieces() {
  const TemporaryFolder folder;
  const std::string bytes(1'000'003, 'x');
  writeFileDurably(folder.path() / "file", bytes);
  QCOMPARE(sha256OfFile(folder.path() / "file"), sha256Hex(bytes));
  QVERIFY(errorOf([&] { sha256OfFile(folder.path() / "none"); }));
}

QTEST_GUILESS_MAIN(TestSha256)
#include "tst_sha256.moc"
