#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/wkv/wkv_kernel.h"
#include "tests/support/kernel_checks.h"
#include "tests/support/wkv_sequences.h"

namespace lambda::test {

namespace {

/// Some roundings of float32.
constexpr double kTolerance = 2e-6;

WkvResults resultsOf(const WkvSequences& of, const ParallelFor& parallelFor = withThreads(1)) {
  const std::size_t stateSize =
      static_cast<std::size_t>(of.shape.batch * kWkvStateRows * of.shape.channels);
  const std::vector<float> values(of.values.size());
  const std::vector<float> rates(of.decay.size());
  WkvResults found{values, std::vector<float>(stateSize), values, values, rates, rates};
  std::vector<float> chunks(stateSize * static_cast<std::size_t>(of.shape.chunks()));
  const float* before = of.before.empty() ? nullptr : of.before.data();
  wkvForward(of.shape,
             of.inputs(),
             {before, found.after.data(), chunks.data()},
             found.out.data(),
             parallelFor);
  wkvBackward(of.shape,
              of.inputs(),
              chunks.data(),
              of.dOut.data(),
              {found.dKeys.data(), found.dValues.data(), found.dDecay.data(), found.dBonus.data()},
              parallelFor);
  return found;
}

/// The outputs of all sequences in pieces of these lengths, each from the state after the one
/// before.
std::vector<float> outputsInPieces(const WkvSequences& of,
                                   const std::vector<std::int64_t>& lengths,
                                   std::vector<float>& after) {
  std::vector<float> out(of.values.size());
  after = of.before;
  std::int64_t first = 0;
  for (const std::int64_t length : lengths) {
    WkvSequences piece = of.piece(first, length);
    piece.before = after;
    const WkvResults found = resultsOf(piece);
    for (std::int64_t b = 0; b < of.shape.batch; ++b) {
      const std::int64_t size = length * of.shape.channels;
      std::copy_n(found.out.begin() + b * size,
                  size,
                  out.begin() + (b * of.shape.length + first) * of.shape.channels);
    }
    after = found.after;
    first += length;
  }
  return out;
}

std::vector<double> exact(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

class TestWkvKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsTheDefinition_data();
  void equalsTheDefinition();
  void gradientsOfTheDefinitionMatchCentralDifferences();
  void piecesEqualTheWhole();
  void theFirstTokenGivesItsValue();
  void aNumberAddedToAllKeysChangesNothing_data();
  void aNumberAddedToAllKeysChangesNothing();
  void keysOfAnySizeAreStable();
  void slowRatesArePreciseBesideLargeKeys();
  void laterTokensChangeNothingBefore();
  void theSameBitsWithAnyNumberOfThreads();
  void withoutBonusATokenDoesNotSeeItself();
  void withoutDecayItIsAMean();
  void fastDecayForgetsAllButTwoTokens();
  void nothingHidesANan();
};

void TestWkvKernel::equalsTheDefinition_data() {
  QTest::addColumn<std::int64_t>("length");
  QTest::addColumn<std::int64_t>("channels");
  QTest::addColumn<bool>("hasState");
  for (const std::int64_t length : {std::int64_t{1},
                                    std::int64_t{2},
                                    kWkvChunk - 1,
                                    kWkvChunk,
                                    kWkvChunk + 1,
                                    3 * kWkvChunk + 5}) {
    for (const std::int64_t channels : {1, 7, 64, 67, 131}) {
      for (const bool hasState : {false, true}) {
        QTest::addRow("%d tokens, %d channels%s",
                      static_cast<int>(length),
                      static_cast<int>(channels),
                      hasState ? ", from a state" : "")
            << length << channels << hasState;
      }
    }
  }
}

void TestWkvKernel::equalsTheDefinition() {
  QFETCH(std::int64_t, length);
  QFETCH(std::int64_t, channels);
  QFETCH(bool, hasState);
  const WkvSequences sequences({3, length, channels}, hasState);
  QVERIFY(furthest(resultsOf(sequences, withThreads(2)), sequences) < kTolerance);
}

void TestWkvKernel::gradientsOfTheDefinitionMatchCentralDifferences() {
  for (const bool hasState : {false, true}) {
    const WkvSequences sequences({2, 9, 3}, hasState);
    const std::vector<double> dOut = exact(sequences.dOut);
    ReferenceWkv<double> wkv = sequences.reference();
    const ReferenceWkvGradients<double> gradients = wkv.gradients(dOut);
    const auto loss = [&] {
      const std::vector<double> out = wkv.outputs();
      double sum = 0;
      for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * dOut[i];
      return sum;
    };
    const auto compare = [&](std::vector<double>& leaves, const std::vector<double>& expected) {
      constexpr double kStep = 1e-5;
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const double value = leaves[i];
        leaves[i] = value + kStep;
        const double above = loss();
        leaves[i] = value - kStep;
        const double slope = (above - loss()) / (2 * kStep);
        leaves[i] = value;
        QVERIFY(std::abs(slope - expected[i]) < 1e-8 * (1 + std::abs(slope)));
      }
    };
    compare(wkv.keys, gradients.keys);
    compare(wkv.values, gradients.values);
    compare(wkv.decay, gradients.decay);
    compare(wkv.bonus, gradients.bonus);
  }
}

void TestWkvKernel::piecesEqualTheWhole() {
  for (const bool hasState : {false, true}) {
    const WkvSequences sequences({2, 50, 19}, hasState);
    const WkvResults whole = resultsOf(sequences);
    for (const std::vector<std::int64_t>& lengths :
         {std::vector<std::int64_t>{20, 30}, {33, 1, 16}, std::vector<std::int64_t>(50, 1)}) {
      std::vector<float> after;
      QVERIFY(outputsInPieces(sequences, lengths, after) == whole.out);
      QVERIFY(after == whole.after);
    }
  }
}

void TestWkvKernel::theFirstTokenGivesItsValue() {
  for (const float bonus : {-1e30F, -1000.0F, 0.0F, 1000.0F}) {
    WkvSequences sequences({3, 1, 17});
    std::ranges::fill(sequences.bonus, bonus);
    QVERIFY(resultsOf(sequences).out == sequences.values);
  }
}

void TestWkvKernel::aNumberAddedToAllKeysChangesNothing_data() {
  QTest::addColumn<float>("number");
  for (const float number : {-1000.0F, -20.0F, 20.0F, 1000.0F})
    QTest::addRow("%g", static_cast<double>(number)) << number;
}

void TestWkvKernel::aNumberAddedToAllKeysChangesNothing() {
  QFETCH(float, number);
  WkvSequences sequences({2, 3 * kWkvChunk + 5, 19});
  // Their sums with the number are floats, too.
  for (float& key : sequences.keys) key = std::round(key * 1024) / 1024;
  const WkvResults without = resultsOf(sequences);
  for (float& key : sequences.keys) key += number;
  const WkvResults with = resultsOf(sequences);
  QVERIFY(distance(with.out, exact(without.out)) < kTolerance);
  QVERIFY(distance(with.dKeys, exact(without.dKeys)) < kTolerance);
  QVERIFY(distance(with.dValues, exact(without.dValues)) < kTolerance);
  QVERIFY(distance(with.dDecay, exact(without.dDecay)) < kTolerance);
  QVERIFY(distance(with.dBonus, exact(without.dBonus)) < kTolerance);
}

void TestWkvKernel::keysOfAnySizeAreStable() {
  for (const float size : {100.0F, 1000.0F, 1e4F, 1e30F}) {
    WkvSequences sequences({2, 70, 19});
    for (float& key : sequences.keys) key *= size;
    const WkvResults found = resultsOf(sequences);
    QVERIFY(distance(found.out, sequences.reference().outputs()) < kTolerance);
    const auto areFinite = [](const std::vector<float>& values) {
      return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
    };
    QVERIFY(areFinite(found.dKeys) && areFinite(found.dValues));
    QVERIFY(areFinite(found.dDecay) && areFinite(found.dBonus));
    // The gradients of keys further apart underflow.
    if (size < 2000) QVERIFY(furthest(found, sequences) < kTolerance);
  }
}

// The same roundings in each of many tokens add up. A maximum of 1000 in float32 would lose a rate
// below 3e-5 altogether.
void TestWkvKernel::slowRatesArePreciseBesideLargeKeys() {
  WkvSequences sequences({1, 700, 5});
  for (float& key : sequences.keys) key = std::round(key * 1024) / 1024 + 1000;
  sequences.decay = {-12, -10, -8, -6, -4};
  QVERIFY(furthest(resultsOf(sequences), sequences) < 1e-5);
}

void TestWkvKernel::laterTokensChangeNothingBefore() {
  const WkvSequences sequences({1, 50, 19});
  const std::vector<float> out = resultsOf(sequences).out;
  for (const std::int64_t token : {1, 31, 32, 49}) {
    WkvSequences others = sequences;
    const std::int64_t first = token * others.shape.channels;
    for (std::int64_t c = 0; c < others.shape.channels; ++c) {
      others.keys[static_cast<std::size_t>(first + c)] += 100;
      others.values[static_cast<std::size_t>(first + c)] -= 3;
    }
    const std::vector<float> changed = resultsOf(others).out;
    QVERIFY(std::equal(out.begin(), out.begin() + first, changed.begin()));
    QVERIFY(!std::equal(out.begin() + first, out.end(), changed.begin() + first));
  }
}

void TestWkvKernel::theSameBitsWithAnyNumberOfThreads() {
  const WkvSequences sequences({3, 3 * kWkvChunk + 5, 200}, true);
  const WkvResults found = resultsOf(sequences);
  for (const std::int64_t threads : {2, 3, 7})
    QVERIFY(resultsOf(sequences, withThreads(threads)) == found);
}

void TestWkvKernel::withoutBonusATokenDoesNotSeeItself() {
  WkvSequences sequences({1, 40, 19});
  std::ranges::fill(sequences.bonus, -1e30F);
  const WkvResults found = resultsOf(sequences);
  QVERIFY(furthest(found, sequences) < kTolerance);
  WkvSequences others = sequences;
  for (std::size_t i = others.values.size() - 19; i < others.values.size(); ++i)
    others.values[i] += 1;
  QVERIFY(resultsOf(others).out == found.out);
}

void TestWkvKernel::withoutDecayItIsAMean() {
  WkvSequences sequences({1, 100, 3});
  std::ranges::fill(sequences.keys, 2.5F);
  std::ranges::fill(sequences.bonus, 0.0F);
  std::ranges::fill(sequences.decay, -1e30F);
  std::vector<double> means;
  std::vector<double> sums(3);
  for (std::size_t i = 0; i < sequences.values.size(); ++i) {
    sums[i % 3] += static_cast<double>(sequences.values[i]);
    means.push_back(sums[i % 3] / static_cast<double>(i / 3 + 1));
  }
  QVERIFY(distance(resultsOf(sequences).out, means) < kTolerance);
}

void TestWkvKernel::fastDecayForgetsAllButTwoTokens() {
  WkvSequences sequences({1, 40, 19});
  std::ranges::fill(sequences.decay, 100.0F);
  const WkvResults found = resultsOf(sequences);
  QVERIFY(std::ranges::all_of(found.dDecay, [](float gradient) { return gradient == 0; }));
  const WkvSequences lastTwo = sequences.piece(38, 2);
  const std::vector<float> expected = resultsOf(lastTwo).out;
  QVERIFY(std::equal(expected.begin() + 19, expected.end(), found.out.begin() + 39 * 19));
}

void TestWkvKernel::nothingHidesANan() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  WkvSequences sequences({1, 40, 2});
  sequences.keys[2 * 35] = nan;
  const WkvResults found = resultsOf(sequences);
  for (std::size_t i = 0; i < found.out.size(); ++i)
    QCOMPARE(std::isnan(found.out[i]), i % 2 == 0 && i >= 2 * 35);
  for (const float gradient : {found.dKeys[0], found.dValues[0], found.dDecay[0], found.dBonus[0]})
    QVERIFY(std::isnan(gradient));
  for (const float gradient : {found.dKeys[1], found.dValues[1], found.dDecay[1], found.dBonus[1]})
    QVERIFY(std::isfinite(gradient));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestWkvKernel)
#include "tst_wkv_kernel.moc"
