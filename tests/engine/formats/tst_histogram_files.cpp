#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include <QTest>

#include <protozero/pbf_reader.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/histograms_csv.h"
#include "engine/formats/metrics/histograms_json.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/formats/tensorboard/tfrecord.h"
#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "tests/support/temporary_folder.h"

namespace lambda {

namespace {

constexpr int kOne = 126 * kBinsPerOctave;  // The bin of magnitudes from 1 to 1.25.

/// Values from -1.25 to -1, at 0, from 1 to 1.25 and from 2 to 2.5, with some that are not finite.
Histogram example() {
  return {.negative = {kOne, {6}},
          .zero = 2,
          .positive = {kOne, {4, 0, 0, 0, 8}},
          .negativeInfinity = 1,
          .positiveInfinity = 3,
          .notANumber = 5};
}

HistogramRecord recordOf(std::int64_t step) {
  return {.step = step,
          .epoch = 1,
          .seconds = 0.25,
          .layers = {{"stem", HistogramKind::weights, example()},
                     {"stage1.block1.mixer", HistogramKind::positionNorms, {}}}};
}

}  // namespace

/// Histograms as values, and in their files.
class TestHistogramFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void binsCoverAllFloats();
  void quantilesAndCountsFollowTheBins();
  void linesComeBack();
  void linesHaveTheDocumentedKeys();
  void damagedLinesAreRefused();
  void aTailGivesWholeLinesAndNoticesCuts();
  void csvHasALineForEachBin();
  void tensorBoardReadsTheHistograms();
};

void TestHistogramFiles::binsCoverAllFloats() {
  QCOMPARE(lowerMagnitude(0), double{std::numeric_limits<float>::min()});
  QCOMPARE(lowerMagnitude(kOne), 1.0);
  QCOMPARE(lowerMagnitude(kOne + 3), 1.75);
  QCOMPARE(lowerMagnitude(kOne + 4), 2.0);
  QCOMPARE(lowerMagnitude(kMagnitudeBins), std::ldexp(1.0, 128));
}

void TestHistogramFiles::quantilesAndCountsFollowTheBins() {
  const Histogram histogram = example();
  QCOMPARE(histogram.finiteCount(), 20);
  QCOMPARE(histogram.notFiniteCount(), 9);
  QCOMPARE(quantileOf(histogram, 0), -1.25);
  QCOMPARE(quantileOf(histogram, 0.15), -1.125);
  QVERIFY(std::abs(quantileOf(histogram, 0.35)) < 1e-30);
  QCOMPARE(quantileOf(histogram, 0.5), 1.125);
  QCOMPARE(quantileOf(histogram, 0.8), 2.25);
  QCOMPARE(quantileOf(histogram, 1), 2.5);
  QVERIFY(std::isnan(quantileOf({}, 0.5)));

  const std::vector<double> edges{-2, -1.125, -0.5, 0.5, 2.25, 9};
  const std::vector<double> expected{3, 3, 2, 8, 4};
  const std::vector<double> counts = countsBetween(histogram, edges);
  QCOMPARE(counts.size(), expected.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    QVERIFY2(std::abs(counts[i] - expected[i]) < 1e-9, std::to_string(counts[i]).c_str());
  }
}

void TestHistogramFiles::linesComeBack() {
  const HistogramRecord record = recordOf(7);
  const std::string line = toLine(record);
  QVERIFY(line.ends_with("]}\n"));
  QVERIFY(histogramsFromLine(line) == record);
  QCOMPARE(stepOfHistogramsLine(line).value(), 7);
  QVERIFY(!stepOfHistogramsLine("{\"kind\": 1}"));
}

void TestHistogramFiles::linesHaveTheDocumentedKeys() {
  HistogramRecord record = recordOf(7);
  record.layers.pop_back();
  QCOMPARE(toLine(record),
           std::string("{\"step\": 7, \"epoch\": 1, \"seconds\": 0.25, \"layers\": [{\"layer\": "
                       "\"stem\", \"kind\": "
                       "\"weights\", \"negative\": {\"first\": 504, \"counts\": [6]}, \"zero\": 2, "
                       "\"positive\": {\"first\": 504, \"counts\": [4,0,0,0,8]}, "
                       "\"negativeInfinity\": 1, \"positiveInfinity\": 3, \"nan\": 5}]}\n"));
}

void TestHistogramFiles::damagedLinesAreRefused() {
  const auto layered = [](const std::string& layer) {
    return "{\"step\": 1, \"epoch\": 1, \"seconds\": 1, \"layers\": [" + layer + "]}";
  };
  for (const std::string& line : {
           std::string("[]"),
           std::string("{\"step\": -1, \"epoch\": 1, \"seconds\": 1, \"layers\": []}"),
           std::string("{\"step\": 1, \"epoch\": 1, \"seconds\": 1}"),
           std::string("{\"step\": 1, \"epoch\": 1, \"seconds\": \"1\", \"layers\": []}"),
           layered("3"),
           layered("{\"layer\": \"stem\", \"kind\": \"other\"}"),
           layered("{\"layer\": \"stem\", \"kind\": \"weights\", \"zero\": 1.5}"),
           layered("{\"layer\": \"stem\", \"kind\": \"weights\", \"negative\": {\"first\": 1015, "
                   "\"counts\": [1, 1]}}"),
           layered("{\"layer\": \"stem\", \"kind\": \"weights\", \"nan\": 18446744073709551615}"),
           layered("{\"layer\": \"stem\", \"kind\": \"weights\", \"zero\": 9007199254740992}"),
       }) {
    QVERIFY_THROWS_EXCEPTION(Error, histogramsFromLine(line));
  }
  const std::string line = toLine(recordOf(1));
  KeyedRandom random{1};
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = line;
    damaged[random.below(static_cast<std::uint32_t>(line.size()))] =
        static_cast<char>(random.below(256));
    try {
      const HistogramRecord read = histogramsFromLine(damaged);
      for (const LayerHistogram& each : read.layers) quantileOf(each.histogram, 0.5);
    } catch (const Error&) {
    }
  }
}

void TestHistogramFiles::aTailGivesWholeLinesAndNoticesCuts() {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "histograms.jsonl";
  QVERIFY(readHistograms(file).empty());
  const std::string first = toLine(recordOf(1)), second = toLine(recordOf(2));
  std::ofstream(file) << first << second.substr(0, 40);
  HistogramsTail tail(file);
  QCOMPARE(tail.poll().records.size(), std::size_t{1});
  std::ofstream(file, std::ios::app) << second.substr(40) << "damaged\n";
  HistogramsTail::Update update = tail.poll();
  QVERIFY(!update.restarted);
  QCOMPARE(update.records.size(), std::size_t{1});
  QVERIFY(update.records.front() == recordOf(2));
  std::ofstream(file) << second;
  update = tail.poll();
  QVERIFY(update.restarted);
  QCOMPARE(update.records.size(), std::size_t{1});
}

void TestHistogramFiles::csvHasALineForEachBin() {
  HistogramRecord record = recordOf(7);
  std::string csv(kHistogramsCsvHead);
  appendCsv(record, csv);
  QVERIFY(
      csv.starts_with("step,epoch,layer,kind,low,high,count\n"
                      "7,1,stem,weights,-Infinity,-Infinity,1\n"
                      "7,1,stem,weights,-1.25,-1,6\n"));
  QVERIFY(csv.find("7,1,stem,weights,2,2.5,8\n7,1,stem,weights,Infinity,Infinity,3\n"
                   "7,1,stem,weights,NaN,NaN,5\n") != std::string::npos);
}

void TestHistogramFiles::tensorBoardReadsTheHistograms() {
  const TemporaryFolder folder;
  const Histogram histogram = example();
  std::filesystem::path file;
  {
    EventWriter writer(folder.path());
    writer.add(1, std::vector<Scalar>{{"loss", 0.5}});
    writer.add(2, std::vector<TaggedHistogram>{{"weights/stem", &histogram}});
    file = writer.path();
  }
  QCOMPARE(readEvents(file).values.size(), std::size_t{1});  // Other readers see the scalar alone.

  const std::string bytes = readFile(file, 1 << 20);
  TfRecordReader records(bytes);
  std::string_view payload;
  for (int i = 0; i < 3; ++i) QVERIFY(records.next(payload) == TfRecordReader::Status::record);
  // Field numbers of event.proto, summary.proto and histogram.proto.
  protozero::pbf_reader event(payload.data(), payload.size());
  QVERIFY(event.next(5));
  protozero::pbf_reader summary = event.get_message();
  QVERIFY(summary.next(1));
  protozero::pbf_reader value = summary.get_message();
  QVERIFY(value.next(1));
  QCOMPARE(value.get_string(), std::string("weights/stem"));
  QVERIFY(value.next(5));
  protozero::pbf_reader histo = value.get_message();
  std::map<int, double> numbers;
  std::vector<double> limits, counts;
  while (histo.next()) {
    if (histo.tag() <= 5) {
      numbers[static_cast<int>(histo.tag())] = histo.get_double();
    } else {
      for (const double each : histo.get_packed_double()) {
        (histo.tag() == 6 ? limits : counts).push_back(each);
      }
    }
  }
  QCOMPARE(numbers[1], -1.25);
  QCOMPARE(numbers[2], 2.5);
  QCOMPARE(numbers[3], 20.0);
  QCOMPARE(numbers[4], -6 * 1.125 + 4 * 1.125 + 8 * 2.25);
  QCOMPARE(limits.size(), counts.size());
  // -1.25 to -1, a gap, 0, a gap, 1 to 2 and 2 to 2.5.
  QVERIFY((counts == std::vector<double>{6, 0, 2, 0, 4, 8}));
  QCOMPARE(limits.front(), -1.0);
  QCOMPARE(limits.back(), 2.5);
  QVERIFY(std::ranges::is_sorted(limits));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestHistogramFiles)
#include "tst_histogram_files.moc"
