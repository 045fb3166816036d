#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/formats/tensorboard/tfrecord.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

constexpr std::uint64_t kMany = 1 << 24;
constexpr double kWall = 1.7e9;

std::string fromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Writes Protobuf's wire format by hand, so that the messages are checked against the published
// numbers.
std::string field(int number, int wireType, const std::string& content) {
  return std::string(1, static_cast<char>(number << 3 | wireType)) + content;
}

std::string message(int number, const std::string& content) {
  return field(number, 2, std::string(1, static_cast<char>(content.size())) + content);
}

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string record(int step, const std::string& what, double wall = kWall) {
  return encodeTfRecord(field(1, 1, raw(wall)) +
                        field(2, 0, std::string(1, static_cast<char>(step))) + what);
}

std::string summary(const std::string& tag, const std::string& value) {
  return message(5, message(1, message(1, tag) + value));
}

std::string simple(int step, const std::string& tag, float value, double wall = kWall) {
  return record(step, summary(tag, field(2, 5, raw(value))), wall);
}

std::string tensor(int step, int dtype, const std::string& content) {
  return record(
      step,
      summary("t", message(8, field(1, 0, std::string(1, static_cast<char>(dtype))) + content)));
}

std::string restart(int step) {
  return record(step, message(7, field(1, 0, "\x01")));
}

const std::string kVersion = encodeVersionEvent(kWall);

EventLog parse(const std::string& bytes) {
  return parseEvents(bytes, "test");
}

std::string valuesOf(const EventLog& log) {
  std::string text;
  for (const EventValue& value : log.values) {
    text += value.tag + "@" + std::to_string(value.step) + "=" +
            std::to_string(static_cast<int>(value.value)) + " ";
  }
  return text;
}

std::string valuesOf(const EventFolder& folder) {
  EventLog log;
  for (const Curve& curve : folder.curves) {
    for (const CurvePoint& point : curve.points) {
      log.values.push_back({curve.name, point.step, point.wallTime, point.value});
    }
  }
  return valuesOf(log);
}

std::filesystem::path eventFileIn(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  return folder / "events.out.tfevents.1.host.1.0";
}

std::string namesOf(const std::vector<Curve>& curves) {
  std::string names;
  for (const Curve& curve : curves) names += curve.name + " ";
  return names;
}

}  // namespace

class TestTensorboardEvents : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void crcMatchesThePublishedVectors();
  void firstRecordIsTheGoldenOne();
  void writtenScalarsAreRead();
  void everyFormOfAScalarIsRead();
  void whatIsNoScalarIsLeftOut();
  void restartDropsLaterSteps();
  void resumedWriterTakesBackOrphanedSteps();
  void aLaterFileSortsBehindAnEarlierOneOfTheSameSecond();
  void everyPrefixIsAPrefixOfTheValues();
  void damagedRecordIsSteppedOver();
  void damagedLengthEndsTheFile();
  void hugeLengthIsNotAllocated();
  void foreignFilesAreRefused();
  void mutationsThrowOrLoad();
  void failedWriteLeavesWholeRecords();
  void foldersBecomeCurves();
  void folderWithoutEventsIsAnError();
  void damageInAFolderIsNamedByFile();
  void aLongRecordIsSteppedOver();
  void aRestartWithoutAMarkReplacesAbandonedSteps();
  void stepsThatAreLoggedTwiceStayOtherwise_data();
  void stepsThatAreLoggedTwiceStayOtherwise();
  void publishedRunsAreRead();
};

void TestTensorboardEvents::crcMatchesThePublishedVectors() {
  static_assert(crc32c("123456789") == 0xE3069283U);
  QCOMPARE(maskedCrc32c("123456789"), 0xC78AB0E5U);
  QCOMPARE(maskedCrc32c(std::string(8, '\0')), 0x07980329U);
}

void TestTensorboardEvents::firstRecordIsTheGoldenOne() {
  QCOMPARE(
      kVersion,
      fromHex("290000000000000037ff5f00"
              "0900000040fc54d9411a0d627261696e2e4576656e743a32520f0a0d6c616d6264612d73747564696f"
              "58e59a2b"));
}

void TestTensorboardEvents::writtenScalarsAreRead() {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  QVERIFY(writer.path().filename().string().starts_with("events.out.tfevents."));
  writer.add(1, {{"loss", 0.5}, {"accuracy", 0.25}}, kWall);
  writer.add(std::int64_t{1} << 40, {{"loss", std::nan("")}}, kWall + 1);
  writer.add(3, {}, kWall);
  writer.flush();
  const EventLog log = readEvents(writer.path());
  QCOMPARE(log.values.size(), std::size_t{3});
  QVERIFY((log.values[0] == EventValue{"loss", 1, kWall, 0.5}));
  QVERIFY((log.values[1] == EventValue{"accuracy", 1, kWall, 0.25}));
  QCOMPARE(log.values[2].step, std::int64_t{1} << 40);
  QVERIFY(std::isnan(log.values[2].value));
  QVERIFY(!log.incomplete && log.damagedRecords == 0);

  const EventWriter second(folder.path());
  QVERIFY(second.path() != writer.path());
}

void TestTensorboardEvents::everyFormOfAScalarIsRead() {
  std::string bytes = kVersion + simple(1, "s", 7.0F);
  bytes += tensor(2, 1, field(5, 5, raw(8.0F)));  // float_val, not packed
  bytes += tensor(3, 1, message(5, raw(9.0F)));   // float_val, packed
  bytes += tensor(4, 1, message(4, raw(10.0F)));  // tensor_content
  bytes += tensor(5, 2, message(6, raw(11.0)));   // double_val
  bytes += tensor(6, 2, message(4, raw(12.0)));
  bytes += tensor(7, 3, field(7, 0, "\x0d"));                      // int_val
  bytes += tensor(8, 9, field(10, 0, "\x0e"));                     // int64_val
  bytes += tensor(9, 1, message(2, "") + message(4, raw(15.0F)));  // a shape without dimensions
  bytes += record(10,
                  message(5,
                          message(1,
                                  message(1, "t") + message(9, message(1, message(1, "scalars"))) +
                                      message(8, field(1, 0, "\x01") + message(4, raw(16.0F))))));
  QCOMPARE(valuesOf(parse(bytes)),
           std::string("s@1=7 t@2=8 t@3=9 t@4=10 t@5=11 t@6=12 t@7=13 t@8=14 t@9=15 t@10=16 "));
}

void TestTensorboardEvents::whatIsNoScalarIsLeftOut() {
  std::string bytes = kVersion;
  bytes +=
      tensor(1, 1, message(2, message(2, field(1, 0, "\x01"))) + message(4, raw(1.0F)));  // rank 1
  bytes += tensor(1, 7, message(8, "text"));                                              // strings
  bytes += tensor(1, 1, message(4, "abc"));                                               // 3 bytes
  bytes += tensor(1, 1, "");  // no value
  bytes += record(1, summary("i", message(4, "image")));
  bytes += record(1, message(4, "graph"));
  bytes += record(1,
                  message(5,
                          message(1,
                                  message(1, "h") + message(9, message(1, message(1, "hparams"))) +
                                      message(8, field(1, 0, "\x01") + message(4, raw(1.0F))))));
  bytes += simple(2, "s", 3.0F);
  const EventLog log = parse(bytes);
  QCOMPARE(valuesOf(log), std::string("s@2=3 "));
  QCOMPARE(log.damagedRecords, 0);
}

void TestTensorboardEvents::restartDropsLaterSteps() {
  std::string bytes = kVersion;
  for (int step = 1; step <= 6; ++step) bytes += simple(step, "s", static_cast<float>(step));
  bytes += restart(5) + simple(5, "s", 50) + simple(6, "s", 60);
  bytes += restart(4) + simple(4, "s", 40);
  bytes += restart(6) + simple(6, "s", 66);
  QCOMPARE(valuesOf(parse(bytes)), std::string("s@1=1 s@2=2 s@3=3 s@4=40 s@6=66 "));
}

void TestTensorboardEvents::resumedWriterTakesBackOrphanedSteps() {
  const TemporaryFolder folder;
  {
    EventWriter killed(folder.path());
    for (int step = 1; step <= 5; ++step) killed.add(step, {{"loss", 1.0 * step}});
  }
  EventWriter resumed(folder.path(), 3);
  resumed.add(3, {{"loss", 30}});
  const std::vector<Curve> curves = readEventFolder(folder.path()).curves;
  QCOMPARE(curves.size(), std::size_t{1});
  std::vector<double> values;
  for (const CurvePoint& point : curves[0].points) values.push_back(point.value);
  QCOMPARE(values, (std::vector<double>{1, 2, 30}));
}

void TestTensorboardEvents::aLaterFileSortsBehindAnEarlierOneOfTheSameSecond() {
  const TemporaryFolder folder;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  // The names of processes with larger numbers, as after a wrap of the system's counter.
  for (int ahead = 0; ahead < 2; ++ahead) {
    writeFileDurably(folder.path() / ("events.out.tfevents." +
                                      std::to_string(seconds.count() + ahead) + ".zzz.99999.0"),
                     "");
  }
  EventWriter(folder.path()).add(1, {{"loss", 0.5}});
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  QCOMPARE(files.size(), std::size_t{3});
  QVERIFY(std::filesystem::file_size(files.back()) > 0);
}

void TestTensorboardEvents::everyPrefixIsAPrefixOfTheValues() {
  const std::string bytes =
      kVersion + simple(1, "s", 1) + restart(1) + simple(2, "s", 2) + simple(3, "s", 3);
  const std::string all = valuesOf(parse(bytes));
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    const EventLog log = parse(bytes.substr(0, length));
    if (length > kVersion.size() + simple(1, "s", 1).size() + restart(1).size()) {
      QVERIFY(all.starts_with(valuesOf(log)));
    }
    QCOMPARE(log.damagedRecords, 0);
  }
  QVERIFY(parse(bytes.substr(0, bytes.size() - 1)).incomplete);
  QVERIFY(!parse(bytes).incomplete);
}

void TestTensorboardEvents::damagedRecordIsSteppedOver() {
  std::string bytes = kVersion + simple(1, "s", 1);
  const std::size_t inPayload = bytes.size() + 20;
  bytes += simple(2, "s", 2) + simple(3, "s", 3);
  bytes[inPayload] ^= 1;
  bytes += encodeTfRecord("\xff\xff\xff\xff") + simple(4, "s", 4);
  const EventLog log = parse(bytes);
  QCOMPARE(valuesOf(log), std::string("s@1=1 s@3=3 s@4=4 "));
  QCOMPARE(log.damagedRecords, 2);
}

void TestTensorboardEvents::damagedLengthEndsTheFile() {
  std::string bytes = kVersion + simple(1, "s", 1);
  const std::size_t length = bytes.size();
  bytes += simple(2, "s", 2) + simple(3, "s", 3);
  bytes[length] ^= 1;
  const EventLog log = parse(bytes);
  QCOMPARE(valuesOf(log), std::string("s@1=1 "));
  QVERIFY(log.incomplete);
}

void TestTensorboardEvents::hugeLengthIsNotAllocated() {
  for (const std::uint64_t length :
       {~std::uint64_t{0}, ~std::uint64_t{0} - 15, std::uint64_t{1} << 30 | 1}) {
    const std::string head = raw(length);
    const std::string bytes = kVersion + head + raw(maskedCrc32c(head)) + std::string(64, 'x');
    QVERIFY(parse(bytes).incomplete);
    QVERIFY(errorOf([&] { parse(bytes.substr(kVersion.size())); }));
  }
}

void TestTensorboardEvents::foreignFilesAreRefused() {
  for (const std::string& bytes : {std::string(100, '\0'),
                                   std::string("{\"epoch\": 1, \"loss\": 0.5}"),
                                   encodeTfRecord("not an event"),
                                   encodeTfRecord("")}) {
    const auto error = errorOf([&] { parse(bytes); });
    QVERIFY(error);
    QCOMPARE(error->place(), std::string("test"));
  }
  QVERIFY(errorOf([] { readEvents("/nonexistent/tfevents"); }));
}

void TestTensorboardEvents::mutationsThrowOrLoad() {
  std::string bytes =
      kVersion + simple(1, "s", 1) + restart(1) + tensor(2, 1, message(5, raw(9.0F)));
  for (int step = 3; step < 10; ++step) bytes += simple(step, "s", static_cast<float>(step));
  const std::vector<EventValue> known = parse(bytes).values;
  int loaded = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    errorOf([&] {
      const EventLog log = parse(mutated(bytes, 2, i));
      ++loaded;
      // The CRCs reject every value that was not written, but the mark of a restart may be lost.
      for (const EventValue& value : log.values) {
        QVERIFY(std::ranges::find(known, value) != known.end() || value.step == 1);
      }
    });
  }
  QVERIFY(loaded > 1000);
}

void TestTensorboardEvents::failedWriteLeavesWholeRecords() {
  for (int n = 1; n < 8; ++n) {
    const TemporaryFolder folder;
    FaultyFileSystem system(n, ENOSPC, false);
    std::filesystem::path path;
    errorOf([&] {
      EventWriter writer(folder.path(), std::nullopt, system);
      path = writer.path();
      for (int step = 1; step <= 4; ++step) {
        errorOf([&] { writer.add(step, {{"s", 1.0 * step}}); });
      }
    });
    if (path.empty()) continue;
    const EventLog log = readEvents(path);
    QVERIFY(!log.incomplete);
    QVERIFY(log.values.size() >= 3);
  }
}

void TestTensorboardEvents::foldersBecomeCurves() {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    writeFileDurably(eventFileIn(folder.path() / name), kVersion + bytes);
  };
  write(".", simple(2, "rate", 5) + simple(1, "rate", 4));
  write("Loss_Test", simple(1, "Loss", 1));
  write("Loss_Train", simple(1, "Loss", 2));
  write("both/train", simple(1, "a", 1) + simple(1, "b", 2));
  write("both/test", simple(1, "a", 1) + simple(1, "b", 2));
  writeFileDurably(folder.path() / "both" / "tfevents-notes.txt", "this is no event file");
  const std::vector<Curve> curves = readEventFolder(folder.path()).curves;
  QCOMPARE(
      namesOf(curves),
      std::string("Loss_Test Loss_Train both/test/a both/test/b both/train/a both/train/b rate "));
  QCOMPARE(curves.back().points.front(), (CurvePoint{1, kWall, 4}));
}

void TestTensorboardEvents::folderWithoutEventsIsAnError() {
  const TemporaryFolder folder;
  const auto empty = errorOf([&] { readEventFolder(folder.path()); });
  QVERIFY(empty);
  QCOMPARE(empty->place(), folder.path().string());
  QVERIFY(errorOf([&] { readEventFolder(folder.path() / "missing"); }));
  writeFileDurably(eventFileIn(folder.path()), "this is no event file");
  QVERIFY(errorOf([&] { readEventFolder(folder.path()); }));
}

void TestTensorboardEvents::damageInAFolderIsNamedByFile() {
  const TemporaryFolder folder;
  std::string damaged = kVersion + simple(1, "s", 1) + simple(2, "s", 2);
  damaged[kVersion.size() + 20] ^= 1;
  writeFileDurably(folder.path() / "events.tfevents.1", damaged);
  std::string torn = kVersion + simple(3, "s", 3) + simple(4, "s", 4);
  torn.resize(torn.size() - 3);
  writeFileDurably(folder.path() / "events.tfevents.2", torn);
  writeFileDurably(folder.path() / "events.tfevents.3", "this is no event file");
  writeFileDurably(folder.path() / "events.tfevents.4", kVersion + simple(5, "s", 5));
  const EventFolder read = readEventFolder(folder.path());
  QCOMPARE(valuesOf(read), std::string("s@2=2 s@3=3 s@5=5 "));
  const std::vector<EventRemark> expected = {
      {folder.path() / "events.tfevents.1", "1 damaged record left out"},
      {folder.path() / "events.tfevents.2", "cut off at its end"},
      {folder.path() / "events.tfevents.3",
       "left out: does not begin as a TensorBoard event file"}};
  QCOMPARE(read.remarks, expected);
}

void TestTensorboardEvents::aLongRecordIsSteppedOver() {
  const std::string picture(70 << 20, 'x');
  const EventLog log =
      parse(kVersion + simple(1, "s", 1) + encodeTfRecord(picture) + simple(2, "s", 2));
  QCOMPARE(valuesOf(log), std::string("s@1=1 s@2=2 "));
  QVERIFY(!log.incomplete);
}

void TestTensorboardEvents::aRestartWithoutAMarkReplacesAbandonedSteps() {
  const TemporaryFolder folder;
  std::string first = kVersion;
  for (int step = 1; step <= 6; ++step) first += simple(step, "s", static_cast<float>(step));
  first += simple(1, "once", 7);
  writeFileDurably(folder.path() / "events.tfevents.1", first);
  writeFileDurably(folder.path() / "events.tfevents.2",
                   kVersion + simple(4, "s", 40) + simple(5, "s", 50) + simple(2, "once", 8));
  writeFileDurably(folder.path() / "events.tfevents.3", kVersion + simple(5, "s", 55));
  const EventFolder read = readEventFolder(folder.path());
  QCOMPARE(valuesOf(read), std::string("once@1=7 once@2=8 s@1=1 s@2=2 s@3=3 s@4=40 s@5=55 "));
  const std::string text =
      "it begins again at an earlier step, and replaces 3 values of earlier files, from step 4 on";
  QCOMPARE(read.remarks.size(), std::size_t{2});
  QCOMPARE(read.remarks[0], (EventRemark{folder.path() / "events.tfevents.2", text}));
  QVERIFY(read.remarks[1].text.find("replaces 1 value") != std::string::npos);
}

void TestTensorboardEvents::stepsThatAreLoggedTwiceStayOtherwise_data() {
  QTest::addColumn<QByteArray>("first");
  QTest::addColumn<QByteArray>("second");
  QTest::addColumn<QByteArray>("values");
  QTest::addColumn<QByteArray>("remark");
  const auto bytes = [](const std::string& text) { return QByteArray::fromStdString(text); };
  QTest::newRow("two programs at once")
      << bytes(simple(1, "s", 1, 10) + simple(2, "s", 2, 30))
      << bytes(simple(1, "s", 3, 20) + simple(2, "s", 4, 40))
      << QByteArray("s@1=1 s@1=3 s@2=2 s@2=4 ") << QByteArray("written at the same time");
  QTest::newRow("another tag") << bytes(simple(5, "train", 1)) << bytes(simple(1, "test", 2))
                               << QByteArray("test@1=2 train@5=1 ") << QByteArray();
  QTest::newRow("within one file")
      << bytes(simple(1, "s", 1) + simple(2, "s", 2) + simple(1, "s", 3)) << QByteArray()
      << QByteArray("s@1=1 s@1=3 s@2=2 ") << QByteArray("its steps go back");
  QTest::newRow("one step") << bytes(simple(1, "s", 1) + simple(1, "s", 2)) << QByteArray()
                            << QByteArray("s@1=1 s@1=2 ") << QByteArray();
}

void TestTensorboardEvents::stepsThatAreLoggedTwiceStayOtherwise() {
  QFETCH(QByteArray, first);
  QFETCH(QByteArray, second);
  QFETCH(QByteArray, values);
  QFETCH(QByteArray, remark);
  const TemporaryFolder folder;
  writeFileDurably(folder.path() / "events.tfevents.1", kVersion + first.toStdString());
  writeFileDurably(folder.path() / "events.tfevents.2", kVersion + second.toStdString());
  const EventFolder read = readEventFolder(folder.path());
  QCOMPARE(valuesOf(read), values.toStdString());
  QCOMPARE(read.remarks.empty(), remark.isEmpty());
  if (!remark.isEmpty()) {
    QVERIFY2(read.remarks[0].text.find(remark.toStdString()) != std::string::npos,
             read.remarks[0].text.c_str());
  }
}

void TestTensorboardEvents::publishedRunsAreRead() {
  const char* runs = std::getenv("LAMBDA_TUDELFT_RUNS");
  if (runs == nullptr) QSKIP("LAMBDA_TUDELFT_RUNS does not name the published runs");

  struct Expected {
    const char* folder;
    double last;
    double best;
  };

  for (const Expected& expected :
       {Expected{"Lambda", 81.37, 81.82}, Expected{"baseline", 84.61, 84.62}}) {
    const auto parent = std::filesystem::path(runs) / expected.folder;
    const auto run = std::filesystem::directory_iterator(parent)->path();
    const std::vector<Curve> curves = readEventFolder(run).curves;
    QCOMPARE(namesOf(curves), std::string("Accuracy_Test Accuracy_Train Loss_Test Loss_Train "));
    const std::vector<CurvePoint>& points = curves[0].points;
    QCOMPARE(points.size(), std::size_t{90});
    QCOMPARE(points.front().step, std::int64_t{0});
    QCOMPARE(points.back().step, std::int64_t{89});
    const auto best = std::ranges::max(points, {}, &CurvePoint::value).value;
    QVERIFY(std::abs(points.back().value - expected.last) < 0.005);
    QVERIFY(std::abs(best - expected.best) < 0.005);
    QCOMPARE(readEventFolder(parent).curves.size(), std::size_t{4});
  }
}

QTEST_GUILESS_MAIN(TestTensorboardEvents)
#include "tst_tensorboard_events.moc"
