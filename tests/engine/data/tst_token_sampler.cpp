#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include <QTest>

#include "engine/data/sequences/token_sampler.h"
#include "engine/runtime/error.h"

using namespace lambda;

namespace {

const std::vector<float> kLogits{1.5F, -0.5F, 0.25F, 3, -4, 2.5F, 0};

/// softmax(logits / temperature)
std::vector<double> softmax(const std::vector<float>& logits, double temperature = 1) {
  std::vector<double> values;
  for (const float logit : logits) values.push_back(std::exp(logit / temperature));
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
  return values;
}

/// How often each token is drawn at the positions from 0 on.
std::vector<int> countsOf(const std::vector<float>& logits,
                          const SamplingOptions& options,
                          int draws) {
  TokenSampler sampler(options);
  std::vector<int> counts(logits.size());
  for (int position = 0; position < draws; ++position) {
    const SampledToken drawn = sampler.sample(logits, static_cast<std::uint64_t>(position));
    ++counts[static_cast<std::size_t>(drawn.token)];
  }
  return counts;
}

std::set<std::size_t> drawnOf(const std::vector<float>& logits, const SamplingOptions& options) {
  const std::vector<int> counts = countsOf(logits, options, 2000);
  std::set<std::size_t> drawn;
  for (std::size_t token = 0; token < counts.size(); ++token) {
    if (counts[token] > 0) drawn.insert(token);
  }
  return drawn;
}

using Tokens = std::set<std::size_t>;

}  // namespace

class TestTokenSampler : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void drawsHaveTheProbabilitiesAtTheTemperature() {
    constexpr int kDraws = 40000;
    for (const double temperature : {0.5, 1.0, 3.0}) {
      const std::vector<double> expected = softmax(kLogits, temperature);
      const std::vector<int> counts =
          countsOf(kLogits, {.temperature = temperature, .seed = 7}, kDraws);
      for (std::size_t token = 0; token < expected.size(); ++token) {
        const double deviation = std::sqrt(kDraws * expected[token] * (1 - expected[token]));
        const double distance = std::abs(counts[token] - kDraws * expected[token]);
        QVERIFY2(distance < 4.5 * deviation + 1, std::to_string(distance).c_str());
      }
    }
  }

  void theNucleusKeepsTheProportionsOfItsTokens() {
    constexpr int kDraws = 40000;
    // The probabilities are 0.51, 0.31, 0.11, ...: two tokens reach 0.8.
    const std::vector<int> counts = countsOf(kLogits, {.topP = 0.8, .seed = 7}, kDraws);
    QCOMPARE(counts[3] + counts[5], kDraws);
    const std::vector<double> all = softmax(kLogits);
    const double expected = kDraws * all[3] / (all[3] + all[5]);
    QVERIFY2(std::abs(counts[3] - expected) < 450, std::to_string(counts[3]).c_str());
  }

  void theProbabilityIsThatOfTheNetwork() {
    const std::vector<double> expected = softmax(kLogits);
    for (const SamplingOptions& options : {SamplingOptions{},
                                           SamplingOptions{.temperature = 0},
                                           SamplingOptions{.temperature = 5},
                                           SamplingOptions{.temperature = 2, .topP = 0.7}}) {
      TokenSampler sampler(options);
      for (std::uint64_t position = 0; position < 50; ++position) {
        const SampledToken drawn = sampler.sample(kLogits, position);
        const double distance =
            std::abs(drawn.probability - expected[static_cast<std::size_t>(drawn.token)]);
        QVERIFY2(distance < 1e-12, std::to_string(distance).c_str());
      }
    }
  }

  void theLikeliestTokensComeByTheirProbability() {
    const std::vector<float> logits{0, 3, 1, 3, -1};
    const std::vector<SampledToken> three = likeliestTokens(logits, 3);
    QCOMPARE(three.size(), std::size_t{3});
    QCOMPARE(three[0].token, std::int64_t{1});
    QCOMPARE(three[1].token, std::int64_t{3});
    QCOMPARE(three[2].token, std::int64_t{2});
    const double sum = 1 + 2 * std::exp(3.0) + std::exp(1.0) + std::exp(-1.0);
    QVERIFY(std::abs(three[0].probability - std::exp(3.0) / sum) < 1e-15);
    QVERIFY(std::abs(three[2].probability - std::exp(1.0) / sum) < 1e-15);
    QCOMPARE(likeliestTokens(logits, 9).size(), std::size_t{5});
    QVERIFY(likeliestTokens({}, 3).empty());
  }

  void aDrawDependsOnSeedAndPositionAlone() {
    const std::vector<float> equal(1000, 0.5F);
    const auto drawn = [&](std::uint64_t seed, std::uint64_t first) {
      TokenSampler sampler({.seed = seed});
      std::vector<std::int64_t> tokens;
      for (std::uint64_t position = first; position < 20; ++position) {
        tokens.push_back(sampler.sample(equal, position).token);
      }
      return tokens;
    };
    const std::vector<std::int64_t> all = drawn(3, 0);
    QVERIFY(all == drawn(3, 0));
    QVERIFY(all != drawn(4, 0));
    QVERIFY(std::vector(all.begin() + 5, all.end()) == drawn(3, 5));
    QVERIFY(std::set(all.begin(), all.end()).size() > 15);
  }

  void temperatureZeroTakesTheMostProbableToken() {
    QVERIFY((drawnOf(kLogits, {.temperature = 0}) == Tokens{3}));
    // Of equal ones, the lowest.
    QVERIFY((drawnOf({1, 2, 2, 2}, {.temperature = 0}) == Tokens{1}));
    // The smallest temperatures come near to it, without an overflow.
    QVERIFY((drawnOf(kLogits, {.temperature = std::numeric_limits<double>::denorm_min()}) ==
             Tokens{3}));
  }

  void equalLogitsAreDrawnAlike() {
    const std::vector<int> counts = countsOf(std::vector<float>(4, -7), {}, 10000);
    for (const int count : counts) QVERIFY2(std::abs(count - 2500) < 200, "not uniform");
  }

  void theNucleusEndsWhereItsSumReachesTopP() {
    const std::vector<float> equal(4, 1);
    QVERIFY((drawnOf(equal, {.topP = 0.5}) == Tokens{0, 1}));
    QVERIFY((drawnOf(equal, {.topP = std::nextafter(0.5, 1)}) == Tokens{0, 1, 2}));
    QVERIFY((drawnOf(equal, {.topP = 0.75}) == Tokens{0, 1, 2}));
    QVERIFY((drawnOf(equal, {.topP = 1}) == Tokens{0, 1, 2, 3}));
    // There is always one, and never one less probable in place of another.
    const double least = std::numeric_limits<double>::denorm_min();
    QVERIFY((drawnOf(equal, {.topP = least}) == Tokens{0}));
    QVERIFY((drawnOf(kLogits, {.topP = least}) == Tokens{3}));
    QVERIFY((drawnOf({0, 5, 0, 5}, {.topP = 0.9}) == Tokens{1, 3}));
    // It is that of the probabilities at the temperature.
    QVERIFY((drawnOf({0, 1}, {.topP = 0.7}) == Tokens{1}));
    QVERIFY((drawnOf({0, 1}, {.temperature = 10, .topP = 0.7}) == Tokens{0, 1}));
  }

  void logitsOfAnySizeHaveProbabilities() {
    const float highest = std::numeric_limits<float>::max();
    TokenSampler sampler({});
    const SampledToken drawn = sampler.sample(std::vector<float>{-highest, highest, -highest}, 0);
    QCOMPARE(drawn.token, std::int64_t{1});
    QCOMPARE(drawn.probability, 1.0);
    QCOMPARE(sampler.sample(std::vector<float>{-highest}, 0).probability, 1.0);
  }

  void whatIsNotFiniteIsRefused() {
    for (const float value : {std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity()}) {
      for (const double temperature : {0.0, 1.0}) {
        TokenSampler sampler({.temperature = temperature});
        try {
          sampler.sample(std::vector<float>{0, value, 1}, 0);
          QFAIL("it was taken");
        } catch (const Error& error) {
          QVERIFY(error.reason().find("not finite") != std::string::npos);
        }
      }
    }
    QVERIFY_THROWS_EXCEPTION(Error, TokenSampler({}).sample({}, 0));
  }

  void optionsOutsideTheirRangesAreRefused() {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (const double temperature : {-0.1, 100.1, kNan}) {
      QVERIFY_THROWS_EXCEPTION(Error, TokenSampler({.temperature = temperature}));
    }
    for (const double topP : {0.0, -1.0, 1.01, kNan}) {
      QVERIFY_THROWS_EXCEPTION(Error, TokenSampler({.topP = topP}));
    }
    TokenSampler({.temperature = 100, .topP = 1});
  }
};

QTEST_GUILESS_MAIN(TestTokenSampler)
#include "tst_token_sampler.moc"
