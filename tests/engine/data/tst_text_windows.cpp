#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include <QTest>

#include "engine/data/sequences/text_windows.h"
#include "engine/formats/files/durable_file.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestTextWindows : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theTextIsSplitByPosition();
  void partsCoverATextOfAnySize();
  void sharesOutsideTheirRangesAreProblems();
  void aPartThatIsTooShortIsAProblemThatSaysWhatHelps();
  void trainingWindowsDependOnTheirKeyAlone();
  void trainingWindowsLieWithinTheirPart();
  void everyPlaceOfATrainingWindowIsEquallyLikely();
  void placesBeyondFourGigabytesAreDrawn();
  void consecutiveWindowsScoreEachByteOnce();
  void targetsAreTheNextBytes();
  void partsWithoutAWindowAreRefused();
};

void TestTextWindows::theTextIsSplitByPosition() {
  QVERIFY((splitByPosition(1000, {}) == TextSplit{{0, 900}, {900, 950}, {950, 1000}}));
  QVERIFY((splitByPosition(1000, {.validation = 0.1, .test = 0.2}) ==
           TextSplit{{0, 700}, {700, 800}, {800, 1000}}));
  QVERIFY((splitByPosition(19, {}) == TextSplit{{0, 19}, {19, 19}, {19, 19}}));
}

void TestTextWindows::partsCoverATextOfAnySize() {
  for (const std::uint64_t bytes : {std::uint64_t{0},
                                    std::uint64_t{1},
                                    std::uint64_t{12'345'678'901},
                                    std::numeric_limits<std::uint64_t>::max()}) {
    const TextSplit split = splitByPosition(bytes, {});
    QCOMPARE(split.training.begin, std::uint64_t{0});
    QVERIFY(split.training.begin <= split.training.end);
    QCOMPARE(split.training.end, split.validation.begin);
    QVERIFY(split.validation.begin <= split.validation.end);
    QCOMPARE(split.validation.end, split.test.begin);
    QVERIFY(split.test.begin <= split.test.end);
    QCOMPARE(split.test.end, bytes);
  }
}

void TestTextWindows::sharesOutsideTheirRangesAreProblems() {
  for (const double share : {0.0, -0.1, 0.5, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const TextShares shares{.validation = share};
    const auto problems = splitProblems(1'000'000, shares, 10, "data.source");
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].path, std::string("data.source.validation"));
    QVERIFY(problems[0].fix.has_value());
    QVERIFY(errorOf([&] { splitByPosition(1'000'000, shares); }).has_value());
  }
}

void TestTextWindows::aPartThatIsTooShortIsAProblemThatSaysWhatHelps() {
  QVERIFY(splitProblems(220, {}, 10, "data").empty());
  const auto problems = splitProblems(219, {}, 10, "data");
  QCOMPARE(problems.size(), std::size_t{2});
  QCOMPARE(problems[0].path, std::string("data"));
  QCOMPARE(problems[0].text,
           std::string("the part for validation has 10 bytes, but sequences of 10 bytes need 11, "
                       "for their last target too: take a text of at least 220 bytes, or "
                       "sequences of at most 9 bytes"));
  QVERIFY(splitProblems(219, {}, 9, "data").empty());
  // Nothing is short enough for a part of one byte.
  QCOMPARE(splitProblems(20, {}, 10, "data").back().text.find("or sequences"), std::string::npos);
  QCOMPARE(splitProblems(0, {}, 1, "data").size(), std::size_t{3});
}

void TestTextWindows::trainingWindowsDependOnTheirKeyAlone() {
  const ByteRange part{100, 100'000};
  const auto windows = trainingWindows(part, 64, 7, 3, 32);
  QCOMPARE(trainingWindows(part, 64, 7, 3, 32), windows);
  auto fewer = trainingWindows(part, 64, 7, 3, 8);
  QVERIFY(std::equal(fewer.begin(), fewer.end(), windows.begin()));
  QVERIFY(trainingWindows(part, 64, 7, 4, 32) != windows);
  QVERIFY(trainingWindows(part, 64, 8, 3, 32) != windows);
  // The same on every machine.
  fewer.resize(3);
  QCOMPARE(fewer, (std::vector<std::uint64_t>{62327, 69562, 12445}));
}

void TestTextWindows::trainingWindowsLieWithinTheirPart() {
  const ByteRange part{50, 70};
  std::set<std::uint64_t> found;
  for (std::uint64_t step = 0; step < 100; ++step) {
    for (const std::uint64_t offset : trainingWindows(part, 16, 1, step, 4)) found.insert(offset);
  }
  // The last one's target behind its end is the last byte.
  QCOMPARE(found, (std::set<std::uint64_t>{50, 51, 52, 53}));
  QCOMPARE(trainingWindows({50, 67}, 16, 1, 0, 2), (std::vector<std::uint64_t>{50, 50}));
  QVERIFY(trainingWindows(part, 16, 1, 0, 0).empty());
}

void TestTextWindows::everyPlaceOfATrainingWindowIsEquallyLikely() {
  std::array<int, 10> counts{};
  for (std::uint64_t step = 0; step < 1000; ++step) {
    for (const std::uint64_t offset : trainingWindows({0, 1000 + 8}, 8, 5, step, 10)) {
      ++counts.at(offset / 100);
    }
  }
  // The standard deviation is 30.
  for (const int count : counts)
    QVERIFY2(count > 850 && count < 1150, std::to_string(count).c_str());
}

void TestTextWindows::placesBeyondFourGigabytesAreDrawn() {
  const ByteRange part{1'000'000'000, 100'000'000'000};
  const auto windows = trainingWindows(part, 1024, 5, 0, 1000);
  QVERIFY(std::ranges::min(windows) >= part.begin);
  QVERIFY(std::ranges::min(windows) < 3'000'000'000);
  QVERIFY(std::ranges::max(windows) > 98'000'000'000);
  QVERIFY(std::ranges::max(windows) + 1024 < part.end);
}

void TestTextWindows::consecutiveWindowsScoreEachByteOnce() {
  for (std::uint64_t bytes = 6; bytes < 40; ++bytes) {
    const ByteRange part{1000, 1000 + bytes};
    const ConsecutiveWindows windows(part, 5);
    std::vector<std::uint64_t> targets;
    for (std::uint64_t i = 0; i < windows.count(); ++i) {
      for (std::uint64_t at = 0; at < 5; ++at) targets.push_back(windows.offset(i) + at + 1);
    }
    std::vector<std::uint64_t> expected(bytes - 1 - windows.leftOut());
    std::iota(expected.begin(), expected.end(), 1001);
    QCOMPARE(targets, expected);
    QVERIFY(windows.leftOut() < 5);
  }
}

void TestTextWindows::targetsAreTheNextBytes() {
  const TemporaryFolder folder;
  writeFileDurably(folder.path() / "a.txt", "abc\xc3\xa9 the end");
  const ByteText text = ByteText::open(folder.path() / "a.txt");
  const TokenSequence window = windowAt(text, 1, 4);
  QCOMPARE(window.tokens, (std::vector<std::int32_t>{'b', 'c', 0xc3, 0xa9}));
  QCOMPARE(window.targets, (std::vector<std::int32_t>{'c', 0xc3, 0xa9, ' '}));
  const int whole = static_cast<int>(text.size()) - 1;
  QCOMPARE(windowAt(text, 0, whole).targets.back(), std::int32_t{'d'});
  QVERIFY(errorOf([&] { windowAt(text, 1, whole); }).has_value());
}

void TestTextWindows::partsWithoutAWindowAreRefused() {
  QVERIFY(errorOf([] { trainingWindows({5, 15}, 10, 1, 0, 1); }).has_value());
  QVERIFY(errorOf([] { trainingWindows({5, 5}, 1, 1, 0, 1); }).has_value());
  QVERIFY(errorOf([] { trainingWindows({5, 15}, 0, 1, 0, 1); }).has_value());
  QVERIFY(errorOf([] { trainingWindows({5, 15}, 3, 1, 0, -1); }).has_value());
  QVERIFY(errorOf([] { ConsecutiveWindows({5, 15}, 10); }).has_value());
  QVERIFY(errorOf([] { ConsecutiveWindows({5, 15}, -1); }).has_value());
}

QTEST_GUILESS_MAIN(TestTextWindows)
#include "tst_text_windows.moc"
