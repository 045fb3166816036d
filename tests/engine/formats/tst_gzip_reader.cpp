#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <QTest>

#include <zlib.h>

#include "engine/formats/archives/gzip_reader.h"
#include "engine/runtime/random.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Unpacks with reads of `pieceBytes` from a source that returns as many bytes at a time.
std::string unpacked(const std::string& packed, std::size_t pieceBytes = 4096) {
  std::size_t used = 0;
  GzipReader reader([&](std::span<std::byte> bytes) {
    const std::size_t count = std::min({bytes.size(), packed.size() - used, pieceBytes});
    std::memcpy(bytes.data(), packed.data() + used, count);
    used += count;
    return count;
  });
  std::string text;
  std::vector<std::byte> piece(pieceBytes);
  while (const std::size_t count = reader.read(piece)) {
    text.append(reinterpret_cast<const char*>(piece.data()), count);
  }
  return text;
}

std::string randomText(std::size_t bytes) {
  KeyedRandom random({5});
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>('a' + random.below(20));
  return text;
}

}  // namespace

class TestGzipReader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void unpacksWhatWasPacked();
  void membersFollowEachOther();
  void otherStreamsPassUnchanged();
  void everyFlippedBitIsSeen();
  void everyCutIsSeen();
};

void TestGzipReader::unpacksWhatWasPacked() {
  for (const std::size_t bytes : {0, 1, 1000, 300'000}) {
    const std::string text = randomText(bytes);
    for (const std::size_t piece : {1, 7, 4096, 1 << 20}) {
      if (bytes / piece > 100'000) continue;
      QVERIFY(unpacked(gzipped(text), piece) == text);
    }
  }
}

void TestGzipReader::membersFollowEachOther() {
  const std::string both = gzipped("first ") + gzipped("second");
  for (const std::size_t piece : {1, 2, 3, 4096}) {
    QCOMPARE(unpacked(both, piece), std::string("first second"));
    QCOMPARE(unpacked(both + "\n\n\n", piece), std::string("first second"));
  }
}

void TestGzipReader::otherStreamsPassUnchanged() {
  for (const std::string& text : {std::string(), std::string("x"), std::string("plain text")}) {
    for (const std::size_t piece : {1, 4096}) QCOMPARE(unpacked(text, piece), text);
  }
}

/// Except for the header's bits that do not affect the content: text flag, time, level and system.
void TestGzipReader::everyFlippedBitIsSeen() {
  const std::string text = randomText(600), packed = gzipped(text);
  int unseen = 0;
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    const bool isInNote = bit == 24 || (bit / 8 >= 4 && bit / 8 < 10);
    const bool isInMagic = bit / 8 < 2;  // Without it the data is read as a plain stream.
    if (isInNote || isInMagic) continue;
    std::string damaged = packed;
    damaged[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    // The last byte of the deflate code may have unused bits.
    std::string result;
    const bool isSeen = errorOf([&] { result = unpacked(damaged); }).has_value();
    QVERIFY2(isSeen || result == text, qPrintable(QString::number(bit)));
    unseen += isSeen ? 0 : 1;
  }
  QVERIFY(unseen < 8);
}

void TestGzipReader::everyCutIsSeen() {
  const std::string packed = gzipped(randomText(600));
  for (std::size_t length = 2; length < packed.size(); ++length) {
    QVERIFY2(errorOf([&] { unpacked(packed.substr(0, length)); }),
             qPrintable(QString::number(length)));
  }
}

QTEST_GUILESS_MAIN(TestGzipReader)
#include "tst_gzip_reader.moc"
