#include <bit>
#include <cstring>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"
#include "engine/formats/tensors/safetensors.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

constexpr std::uint64_t kMany = 1 << 20;

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A file of the header's length, the header and the data.
std::string assemble(const std::string& header, const std::string& data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file.push_back(static_cast<char>(header.size() >> (8 * i)));
  return file + header + data;
}

std::string tensor(const std::string& name,
                   const std::string& dtype,
                   const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape +
         R"(],"data_offsets":[)" + offsets + "]}";
}

const std::string kGoldenHeader =
    R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   )";
const std::string kGoldenData("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);

SafeTensors parse(const std::string& file) {
  return parseSafeTensors(bytesOf(file), "test");
}

// A small checkpoint: several types, a scalar, empty tensors, names that need escaping.
std::string sampleFile(const TemporaryFolder& folder) {
  static const std::string kData = "0123456789abcdefghijklmnopqrstuv";
  const auto data = bytesOf(kData);
  std::vector<TensorView> tensors = {{"rng", DType::U8, {5}, data.first(5)},
                                     {"weight", DType::F32, {2, 3}, data.first(24)},
                                     {"step", DType::I64, {}, data.subspan(8, 8)},
                                     {"none", DType::F32, {0, 7}, {}},
                                     {"also none", DType::F32, {0}, {}},
                                     {"half \"λ\"\n", DType::BF16, {3}, data.subspan(1, 6)}};
  writeSafeTensors(folder.path() / "sample", std::move(tensors), {{"lambda_studio", R"({"a":1})"}});
  return readFile(folder.path() / "sample", kMany);
}

}  // namespace

class TestSafetensors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void writesTheGoldenFile();
  void readsTheGoldenFile();
  void roundTripKeepsEverything();
  void writerOrdersAsTheReference();
  void refusesWhatTheFormatForbids_data();
  void refusesWhatTheFormatForbids();
  void acceptsWhatTheFormatAllows_data();
  void acceptsWhatTheFormatAllows();
  void anotherFormatIsNamedAsSuch();
  void deepNestingIsRefused();
  void everyPrefixIsRefused();
  void digestFindsEveryFlippedBit();
  void foreignFilesHaveNoDigest();
  void mutationsThrowOrLoad();
  void writerRefusesWhatCannotBeRead();
  void failedWriteLeavesThePreviousFile();
  void metadataIsReadAlone();
};

void TestSafetensors::writesTheGoldenFile() {
  const TemporaryFolder folder;
  writeSafeTensors(folder.path() / "golden",
                   {{"w", DType::F32, {2}, bytesOf(kGoldenData)}},
                   {{"format", "pt"}},
                   {.digest = false});
  const std::string file = readFile(folder.path() / "golden", kMany);
  QCOMPARE(file.size(), std::size_t{104});
  QCOMPARE(file, assemble(kGoldenHeader, kGoldenData));
  QCOMPARE(sha256Hex(file).substr(0, 16), std::string("dfaf80a0d67223f9"));
}

void TestSafetensors::readsTheGoldenFile() {
  const SafeTensors file = parse(assemble(kGoldenHeader, kGoldenData));
  QCOMPARE(file.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  QCOMPARE(file.tensors.size(), std::size_t{1});
  const TensorView* w = file.find("w");
  QVERIFY(w != nullptr);
  QVERIFY(w->dtype == DType::F32);
  QCOMPARE(w->shape, (std::vector<std::int64_t>{2}));
  float values[2];
  std::memcpy(values, w->bytes.data(), sizeof values);
  QCOMPARE(values[0], 1.0F);
  QCOMPARE(values[1], -2.0F);
  QVERIFY(file.find("v") == nullptr);
}

void TestSafetensors::roundTripKeepsEverything() {
  const TemporaryFolder folder;
  sampleFile(folder);
  const SafeTensors file = readSafeTensors(folder.path() / "sample");
  QCOMPARE(file.tensors.size(), std::size_t{6});
  QCOMPARE(textOf(file.find("rng")->bytes), std::string("01234"));
  QCOMPARE(textOf(file.find("weight")->bytes), std::string("0123456789abcdefghijklmn"));
  QCOMPARE(file.find("weight")->shape, (std::vector<std::int64_t>{2, 3}));
  QVERIFY(file.find("step")->shape.empty());
  QCOMPARE(file.find("none")->shape, (std::vector<std::int64_t>{0, 7}));
  QCOMPARE(textOf(file.find("half \"λ\"\n")->bytes), std::string("123456"));
  QCOMPARE(file.metadata.at("lambda_studio"), std::string(R"({"a":1})"));
  verifyDigest(file, "sample");

  const SafeTensors copy = file;
  QCOMPARE(copy.find("rng")->bytes.data(), file.find("rng")->bytes.data());
}

void TestSafetensors::writerOrdersAsTheReference() {
  const TemporaryFolder folder;
  const std::string file = sampleFile(folder);
  std::string order;
  for (const TensorView& tensor : parse(file).tensors) order += tensor.name + ",";
  QCOMPARE(order, std::string("step,also none,none,weight,half \"λ\"\n,rng,"));
  const auto header = static_cast<unsigned char>(file[0]);
  QCOMPARE(header % 8, 0);
}

void TestSafetensors::refusesWhatTheFormatForbids_data() {
  QTest::addColumn<std::string>("header");
  QTest::addColumn<std::string>("says");
  const auto row = [](const char* fact, const std::string& header, const std::string& says) {
    QTest::newRow(fact) << header << says;
  };
  row("leading space", " {}", "expected");
  row("trailing text", "{} x", "expected");
  row("trailing newline", "{}\n", "expected");
  row("no object", "[]", "expected");
  row("not closed", "{\"a\":{}", "needs");
  row("two values", "{}{}", "JSON");
  row("bad UTF-8", "{\"\xff\":{}}", "JSON");
  row("tensor is a number", R"({"a":1})", "unexpected a number");
  row("tensor is null", R"({"a":null})", "unexpected null");
  row("unknown dtype", "{" + tensor("a", "F33", "2", "0,8") + "}", "unknown dtype");
  row("unknown key",
      R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8],"x":1}})",
      "unknown key");
  row("dtype cut in a character",
      "{" + tensor("a", std::string(31, 'x') + "é", "2", "0,8") + "}",
      "unknown dtype \"" + std::string(31, 'x') + "\"");
  row("no shape", R"({"a":{"dtype":"U8","data_offsets":[0,8]}})", "needs");
  row("one offset", "{" + tensor("a", "U8", "8", "8") + "}", "needs");
  row("three offsets", "{" + tensor("a", "U8", "8", "0,8,8") + "}", "two data offsets");
  row("negative size", "{" + tensor("a", "U8", "-8", "0,8") + "}", "negative");
  row("fractional size", "{" + tensor("a", "U8", "8.0", "0,8") + "}", "integer");
  row("size beyond 64 bits",
      "{" + tensor("a", "U8", "18446744073709551616", "0,8") + "}",
      "integer");
  row("size beyond 63 bits",
      "{" + tensor("a", "U8", "9223372036854775808", "0,8") + "}",
      "64 bits");
  row("product overflows",
      "{" + tensor("a", "U8", "4294967296,4294967296,8", "0,8") + "}",
      "impossibly");
  row("product overflows beside a zero",
      "{" + tensor("b", "U8", "8", "0,8") + "," +
          tensor("a", "U8", "4294967296,4294967296,0", "8,8") + "}",
      "impossibly");
  row("half a byte", "{" + tensor("a", "F4", "3", "0,8") + "}", "impossibly");
  row("shape too small", "{" + tensor("a", "F32", "1", "0,8") + "}", "needs 4");
  row("shape too large", "{" + tensor("a", "F32", "3", "0,8") + "}", "needs 12");
  row("hole at the start", "{" + tensor("a", "U8", "7", "1,8") + "}", "follow byte 0");
  row("hole between",
      "{" + tensor("a", "U8", "3", "0,3") + "," + tensor("b", "U8", "4", "4,8") + "}",
      "follow byte 3");
  row("overlap",
      "{" + tensor("a", "U8", "5", "0,5") + "," + tensor("b", "U8", "4", "4,8") + "}",
      "follow byte 5");
  row("beyond the end", "{" + tensor("a", "U8", "9", "0,9") + "}", "of 8");
  row("offsets backwards", "{" + tensor("a", "U8", "8", "8,0") + "}", "follow");
  row("bytes after the end", "{" + tensor("a", "U8", "7", "0,7") + "}", "1 bytes follow");
  row("no tensor for the data", "{}", "8 bytes follow");
  row("doubled tensor",
      "{" + tensor("a", "U8", "0", "0,0") + "," + tensor("a", "U8", "8", "0,8") + "}",
      "twice");
  row("doubled key",
      R"({"a":{"dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
      "twice");
  row("doubled metadata",
      R"({"__metadata__":{},"__metadata__":{},)" + tensor("a", "U8", "8", "0,8") + "}",
      "two __metadata__");
  row("doubled metadata key",
      R"({"__metadata__":{"k":"1","k":"2"},)" + tensor("a", "U8", "8", "0,8") + "}",
      "twice");
  row("metadata of numbers",
      R"({"__metadata__":{"k":1},)" + tensor("a", "U8", "8", "0,8") + "}",
      "unexpected a number");
  row("metadata of lists",
      R"({"__metadata__":{"k":[]},)" + tensor("a", "U8", "8", "0,8") + "}",
      "unexpected a list");
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  row("65 dimensions", "{" + tensor("a", "F64", ones, "0,8") + "}", "64 dimensions");
}

void TestSafetensors::refusesWhatTheFormatForbids() {
  QFETCH(const std::string, header);
  QFETCH(const std::string, says);
  const auto error = errorOf([&] { parse(assemble(header, kGoldenData)); });
  QVERIFY(error);
  QCOMPARE(error->place(), std::string("test"));
  QVERIFY2(error->reason().find(says) != std::string::npos, error->what());
}

void TestSafetensors::acceptsWhatTheFormatAllows_data() {
  QTest::addColumn<std::string>("header");
  QTest::newRow("padded") << "{" + tensor("a", "U8", "8", "0,8") + "}      ";
  QTest::newRow("scalar") << "{" + tensor("a", "F64", "", "0,8") + "}";
  QTest::newRow("empty tensors anywhere") << "{" + tensor("a", "U8", "0", "0,0") + "," +
                                                 tensor("c", "I64", "3,0", "8,8") + "," +
                                                 tensor("b", "U8", "8", "0,8") + "}";
  QTest::newRow("any order") << "{" + tensor("b", "U8", "4", "4,8") + "," +
                                    tensor("a", "U8", "4", "0,4") + "}";
  QTest::newRow("4-bit values") << "{" + tensor("a", "F4", "16", "0,8") + "}";
  QTest::newRow("6-bit values") << "{" + tensor("a", "F6_E3M2", "4", "0,3") + "," +
                                       tensor("b", "U8", "5", "3,8") + "}";
}

void TestSafetensors::acceptsWhatTheFormatAllows() {
  QFETCH(const std::string, header);
  const SafeTensors file = parse(assemble(header, kGoldenData));
  std::size_t bytes = 0;
  for (const TensorView& tensor : file.tensors) bytes += tensor.bytes.size();
  QCOMPARE(bytes, kGoldenData.size());
}

void TestSafetensors::anotherFormatIsNamedAsSuch() {
  const auto error = errorOf([] { parse("y@y@y@yx this is no header"); });
  QVERIFY(error);
  QVERIFY2(error->reason().starts_with("this is not a safetensors file"), error->what());
}

void TestSafetensors::deepNestingIsRefused() {
  QVERIFY(errorOf([] { parse(assemble("{\"a\":" + std::string(200'000, '[') + "}", "")); }));
  std::string objects = "{";
  for (int i = 0; i < 100'000; ++i) objects += "\"a\":{";
  QVERIFY(errorOf([&] { parse(assemble(objects + "}", "")); }));
}

void TestSafetensors::everyPrefixIsRefused() {
  const TemporaryFolder folder;
  const std::string file = sampleFile(folder);
  const auto cut = folder.path() / "cut";
  for (std::size_t length = 0; length < file.size(); ++length) {
    const std::string prefix = file.substr(0, length);
    QVERIFY(errorOf([&] { parse(prefix); }));
    if (length % 16 != 0) continue;
    writeFileDurably(cut, prefix);
    const auto error = errorOf([&] { readSafeTensors(cut); });
    QVERIFY(error);
    QCOMPARE(error->place(), cut.string());
  }
}

void TestSafetensors::digestFindsEveryFlippedBit() {
  const TemporaryFolder folder;
  const std::string file = sampleFile(folder);
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const auto error = errorOf([&] { verifyDigest(parse(flipped), "test"); });
    QVERIFY2(error, qPrintable(QString::number(bit)));
  }
}

void TestSafetensors::foreignFilesHaveNoDigest() {
  const SafeTensors file = parse(assemble(kGoldenHeader, kGoldenData));
  QVERIFY(!hasDigest(file));
  const auto error = errorOf([&] { verifyDigest(file, "place"); });
  QVERIFY(error);
  QCOMPARE(error->place(), std::string("place"));
}

void TestSafetensors::mutationsThrowOrLoad() {
  const TemporaryFolder folder;
  const std::string file = sampleFile(folder);
  int loaded = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::string bytes = mutated(file, 1, i);
    const auto error = errorOf([&] {
      const SafeTensors result = parse(bytes);
      ++loaded;
      // A file that loads and has the digest must have the saved content; its JSON may differ.
      verifyDigest(result, "test");
      const SafeTensors original = parse(file);
      for (const TensorView& tensor : original.tensors) {
        QVERIFY(result.find(tensor.name) != nullptr);
        QCOMPARE(textOf(result.find(tensor.name)->bytes), textOf(tensor.bytes));
      }
    });
  }
  QVERIFY(loaded > 100);
}

void TestSafetensors::writerRefusesWhatCannotBeRead() {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  const auto data = bytesOf(kGoldenData);
  const TensorView good = {"a", DType::F32, {2}, data};
  const auto refused = [&](std::vector<TensorView> tensors) {
    return errorOf([&] { writeSafeTensors(path, std::move(tensors)); }).has_value();
  };
  QVERIFY(refused({good, good}));
  QVERIFY(refused({{"", DType::F32, {2}, data}}));
  QVERIFY(refused({{"__metadata__", DType::F32, {2}, data}}));
  QVERIFY(refused({{"a", DType::F32, {3}, data}}));
  QVERIFY(refused({{"a", DType::F32, {-2}, data}}));
  QVERIFY(refused({{"\xff", DType::F32, {2}, data}}));
  QCOMPARE(folder.entryCount(), 0);
}

void TestSafetensors::failedWriteLeavesThePreviousFile() {
  const TemporaryFolder folder;
  const std::string previous = sampleFile(folder);
  const auto path = folder.path() / "sample";
  for (int n = 0;; ++n) {
    FaultyFileSystem system(n, ENOSPC, true);
    errorOf([&] {
      writeSafeTensors(path, {{"w", DType::F32, {2}, bytesOf(kGoldenData)}}, {}, {}, system);
    });
    verifyDigest(readSafeTensors(path), path.string());
    QCOMPARE(folder.entryCount(), 1);
    if (!system.anyFailed()) break;
    if (readSafeTensors(path).find("w") != nullptr) continue;
    QCOMPARE(readFile(path, kMany), previous);
  }
}

void TestSafetensors::metadataIsReadAlone() {
  const TemporaryFolder folder;
  sampleFile(folder);
  const auto metadata = readSafeTensorsMetadata(folder.path() / "sample");
  QCOMPARE(metadata.at("lambda_studio"), std::string(R"({"a":1})"));
  QCOMPARE(metadata.at("sha256").size(), std::size_t{64});
}

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
