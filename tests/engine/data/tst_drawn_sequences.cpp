#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include <QTest>

#include "engine/data/sequences/drawn_sequences.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

constexpr Split kParts[] = {Split::train, Split::validation, Split::test};

/// The places of a sequence that are scored.
std::vector<int> scoredPlaces(const TokenSequence& sequence) {
  std::vector<int> places;
  for (int at = 0; at < static_cast<int>(sequence.targets.size()); ++at) {
    if (sequence.targets[at] != kNotScored) places.push_back(at);
  }
  return places;
}

/// The problems of options, without a path.
template <class Options>
std::string problemsText(const Options& options) {
  return toText(problemsOf(options, ""));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::vector<RecallSource> kRecalls{
    {},
    {.vocabulary = 5, .pairs = 1, .length = 4, .minimumDistance = 2},
    {.vocabulary = 17, .pairs = 8, .length = 24, .minimumDistance = 1},
    {.vocabulary = 1000, .pairs = 64, .length = 1024, .minimumDistance = 256}};

const std::vector<CopySource> kCopies{
    {}, {.vocabulary = 3, .length = 4}, {.vocabulary = 300, .length = 1000}};

}  // namespace

class TestDrawnSequences : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aSequenceDependsOnItsKeyAlone();
  void partsAndSeedsShareNoSequence();
  void recallAsksOnceForEachPair();
  void recallHidesItsValuesFromShortMemories();
  void recallAnswersFollowFromNothingElse();
  void recallDistancesAreSpreadOverTheLength();
  void copyScoresTheSecondHalf();
  void copyHidesItsSymbolsFromShortMemories();
  void tokensAreEquallyLikely();
  void optionsThatDoNotFitAreProblems();
  void fewDifferentSequencesAreAWarning();
};

void TestDrawnSequences::aSequenceDependsOnItsKeyAlone() {
  const RecallSource recall{.vocabulary = 20, .pairs = 3, .length = 16, .minimumDistance = 4};
  // The same on every machine.
  const std::int32_t no = kNotScored;
  const TokenSequence recalled{{8, 10, 7, 11, 5, 13, 0, 0, 0, 0, 8, 0, 0, 7, 5, 0},
                               {no, no, no, no, no, no, no, no, no, no, 10, no, no, 11, 13, no}};
  QVERIFY(drawSequence(recall, 1, Split::train, 5) == recalled);
  const CopySource copy{.vocabulary = 20, .length = 8};
  const TokenSequence copied{{19, 18, 5, 10, 0, 19, 18, 5}, {no, no, no, no, 19, 18, 5, 10}};
  QVERIFY(drawSequence(copy, 1, Split::train, 5) == copied);
  const auto last = ~std::uint64_t{0};
  QVERIFY(drawSequence(copy, last, Split::test, last) ==
          drawSequence(copy, last, Split::test, last));
}

void TestDrawnSequences::partsAndSeedsShareNoSequence() {
  std::set<std::vector<std::int32_t>> recalls, copies;
  for (const std::uint64_t seed : {0, 1}) {
    for (const Split part : kParts) {
      for (std::uint64_t index = 0; index < 500; ++index) {
        QVERIFY(recalls.insert(drawSequence(RecallSource(), seed, part, index).tokens).second);
        QVERIFY(copies.insert(drawSequence(CopySource(), seed, part, index).tokens).second);
      }
    }
  }
}

void TestDrawnSequences::recallAsksOnceForEachPair() {
  for (const RecallSource& options : kRecalls) {
    const int keys = (options.vocabulary - 1) / 2;
    for (std::uint64_t index = 0; index < 50; ++index) {
      const TokenSequence sequence = drawSequence(options, 3, Split::train, index);
      QCOMPARE(sequence.tokens.size(), static_cast<std::size_t>(options.length));
      QCOMPARE(sequence.targets.size(), sequence.tokens.size());
      std::map<int, int> valueOf;
      for (int pair = 0; pair < options.pairs; ++pair) {
        const int key = sequence.tokens[2 * pair];
        const int value = sequence.tokens[2 * pair + 1];
        QVERIFY(key >= 1 && key <= keys);
        QVERIFY(value > keys && value < options.vocabulary);
        QVERIFY(valueOf.emplace(key, value).second);
      }
      for (int at = 2 * options.pairs; at < options.length; ++at) {
        if (sequence.tokens[at] == 0) {
          QCOMPARE(sequence.targets[at], kNotScored);
          continue;
        }
        // A key that has not been asked for yet, with its value.
        const auto found = valueOf.find(sequence.tokens[at]);
        QVERIFY(found != valueOf.end());
        QCOMPARE(sequence.targets[at], found->second);
        valueOf.erase(found);
      }
      QVERIFY(valueOf.empty());
      const auto pairs = std::span(sequence.targets).first(2 * options.pairs);
      QVERIFY(std::ranges::all_of(pairs, [](int target) { return target == kNotScored; }));
    }
  }
}

void TestDrawnSequences::recallHidesItsValuesFromShortMemories() {
  for (const RecallSource& options : kRecalls) {
    const int keys = (options.vocabulary - 1) / 2;
    for (std::uint64_t index = 0; index < 50; ++index) {
      const TokenSequence sequence = drawSequence(options, 3, Split::test, index);
      for (const int query : scoredPlaces(sequence)) {
        for (int seen = query - options.minimumDistance + 1; seen <= query; ++seen) {
          QVERIFY(sequence.tokens[seen] <= keys);
        }
      }
    }
  }
}

void TestDrawnSequences::recallAnswersFollowFromNothingElse() {
  // Neither the key nor the place of the pair or of the query says anything about the value.
  const RecallSource options{.vocabulary = 9, .pairs = 4, .length = 20, .minimumDistance = 4};
  std::map<int, std::array<int, 9>> byKey, byPlace, byQuery;
  for (std::uint64_t index = 0; index < 4000; ++index) {
    const TokenSequence sequence = drawSequence(options, 3, Split::train, index);
    for (int pair = 0; pair < options.pairs; ++pair) {
      ++byPlace[pair].at(sequence.tokens[2 * pair + 1]);
    }
    for (const int query : scoredPlaces(sequence)) {
      ++byKey[sequence.tokens[query]].at(sequence.targets[query]);
      ++byQuery[query].at(sequence.targets[query]);
    }
  }
  for (const auto& counts : {byKey, byPlace, byQuery}) {
    for (const auto& [what, values] : counts) {
      int sum = 0;
      for (const int count : values) sum += count;
      // Values are 5 to 8. The standard deviation of a share is below 0.01.
      for (int value = 5; value < 9; ++value) {
        QVERIFY(std::abs(static_cast<double>(values[value]) / sum - 0.25) < 0.05);
      }
    }
  }
}

void TestDrawnSequences::recallDistancesAreSpreadOverTheLength() {
  const RecallSource options{.vocabulary = 64, .pairs = 8, .length = 271, .minimumDistance = 16};
  std::array<int, 8> places{};  // 240 places of queries in 8 equal ranges.
  std::set<int> distances;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const TokenSequence sequence = drawSequence(options, 3, Split::train, index);
    for (const int query : scoredPlaces(sequence)) {
      const auto key = std::ranges::find(sequence.tokens, sequence.tokens[query]);
      const int value = static_cast<int>(key - sequence.tokens.begin()) + 1;
      distances.insert(query - value);
      ++places.at((query - 31) / 30);
    }
  }
  QCOMPARE(*distances.begin(), options.minimumDistance);
  QCOMPARE(*distances.rbegin(), options.length - 2);
  QCOMPARE(distances.size(), std::size_t{254});
  // The standard deviation is below 30.
  for (const int count : places)
    QVERIFY2(std::abs(count - 1000) < 150, std::to_string(count).c_str());
}

void TestDrawnSequences::copyScoresTheSecondHalf() {
  for (const CopySource& options : kCopies) {
    const int half = options.length / 2;
    for (std::uint64_t index = 0; index < 20; ++index) {
      const TokenSequence sequence = drawSequence(options, 3, Split::train, index);
      QCOMPARE(sequence.tokens.size(), static_cast<std::size_t>(options.length));
      QCOMPARE(sequence.targets.size(), sequence.tokens.size());
      QCOMPARE(sequence.tokens[half], 0);
      for (int i = 0; i < half; ++i) {
        QVERIFY(sequence.tokens[i] >= 1 && sequence.tokens[i] < options.vocabulary);
        QCOMPARE(sequence.targets[i], kNotScored);
        QCOMPARE(sequence.targets[half + i], sequence.tokens[i]);
        // Each target is the next token, as in a text.
        if (i + 1 < half) QCOMPARE(sequence.tokens[half + i + 1], sequence.targets[half + i]);
      }
    }
  }
}

void TestDrawnSequences::copyHidesItsSymbolsFromShortMemories() {
  // The symbols at different places are independent, so that it is enough that the last length / 2
  // tokens hold all symbols but the one that is to be predicted.
  const CopySource options{.vocabulary = 1000, .length = 12};
  std::uint64_t index = 0;
  const auto hasDifferentSymbols = [](const TokenSequence& sequence) {
    return std::set(sequence.tokens.begin(), sequence.tokens.begin() + 6).size() == 6;
  };
  TokenSequence sequence = drawSequence(options, 3, Split::train, index);
  while (!hasDifferentSymbols(sequence)) {
    sequence = drawSequence(options, 3, Split::train, ++index);
  }
  for (int at = 6; at < 12; ++at) {
    const auto end = sequence.tokens.begin() + at + 1;
    QVERIFY(std::find(end - 6, end, sequence.targets[at]) == end);
    QVERIFY(std::find(end - 7, end, sequence.targets[at]) == end - 7);
  }
}

void TestDrawnSequences::tokensAreEquallyLikely() {
  const CopySource copy{.vocabulary = 11, .length = 200};
  std::array<int, 11> symbols{};
  for (std::uint64_t index = 0; index < 100; ++index) {
    const TokenSequence sequence = drawSequence(copy, 3, Split::train, index);
    for (int i = 0; i < 100; ++i) ++symbols.at(sequence.tokens[i]);
  }
  QCOMPARE(symbols[0], 0);
  for (int symbol = 1; symbol < 11; ++symbol) QVERIFY(std::abs(symbols[symbol] - 1000) < 150);

  const RecallSource recall{.vocabulary = 21, .pairs = 5, .length = 32, .minimumDistance = 4};
  std::array<int, 21> tokens{};
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const TokenSequence sequence = drawSequence(recall, 3, Split::train, index);
    for (int i = 0; i < 10; ++i) ++tokens.at(sequence.tokens[i]);
  }
  for (int token = 1; token < 21; ++token) QVERIFY(std::abs(tokens[token] - 1000) < 150);
}

void TestDrawnSequences::optionsThatDoNotFitAreProblems() {
  QVERIFY(problemsText(RecallSource()).empty());
  QVERIFY(problemsText(CopySource()).empty());
  const auto keys = problemsOf(RecallSource{.vocabulary = 64, .pairs = 32}, "data.source");
  QCOMPARE(keys.size(), std::size_t{1});
  QCOMPARE(keys[0].path, std::string("data.source.vocabulary"));
  QCOMPARE(keys[0].text, std::string("32 pairs need as many keys, but a vocabulary of 64 has 31"));
  QCOMPARE(keys[0].fix->value, std::string("65"));
  const RecallSource tooShort{.length = 38};
  QVERIFY(has(problemsText(tooShort), "need at least 39 tokens"));
  QCOMPARE(problemsOf(tooShort, "")[0].fix->value, std::string("39"));
  QVERIFY(!has(problemsText(RecallSource{.length = 39}), "error"));
  const RecallSource far{.minimumDistance = 110};
  QVERIFY(has(problemsText(far), "8 pairs and as many queries, 110 tokens behind them"));
  for (const RecallSource& wrong : {RecallSource{.vocabulary = 4},
                                    RecallSource{.pairs = 0},
                                    RecallSource{.length = -1},
                                    RecallSource{.minimumDistance = 0},
                                    tooShort,
                                    far}) {
    QVERIFY(has(problemsText(wrong), "error"));
    QVERIFY(errorOf([&] { drawSequence(wrong, 1, Split::test, 1); }).has_value());
  }
  for (const CopySource& wrong : {CopySource{.vocabulary = 2},
                                  CopySource{.vocabulary = 70'000},
                                  CopySource{.length = 2},
                                  CopySource{.length = 127}}) {
    QVERIFY(has(problemsText(wrong), "error"));
    QVERIFY(errorOf([&] { drawSequence(wrong, 1, Split::test, 1); }).has_value());
  }
}

void TestDrawnSequences::fewDifferentSequencesAreAWarning() {
  const CopySource copy{.vocabulary = 3, .length = 78};
  QVERIFY(has(problemsText(copy), "warning at : there are only 2^39 different sequences"));
  QVERIFY(problemsText(CopySource{.vocabulary = 3, .length = 80}).empty());
  const RecallSource recall{.vocabulary = 9, .pairs = 4, .length = 20, .minimumDistance = 4};
  QVERIFY(has(problemsText(recall), "warning at "));
  // One key, one query: 2 keys, 2 values and one place.
  QVERIFY(has(problemsText(kRecalls[1]), "2^2 different sequences"));
  drawSequence(recall, 1, Split::test, 1);
}

QTEST_GUILESS_MAIN(TestDrawnSequences)
#include "tst_drawn_sequences.moc"
