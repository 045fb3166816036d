#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/token_step/reference.h"
#include "engine/kernels/token_step/token_step_kernel.h"
#include "engine/kernels/wkv/reference.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr double kTolerance = 2e-6;

Doubles wide(const Floats& values) {
  return {values.begin(), values.end()};
}

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

struct Projection {
  Projection(std::int64_t inputs, std::int64_t outputs, unsigned seed)
      : share(normalValues(inputs, seed)), weight(normalValues(inputs * outputs, seed + 1)) {}

  ShiftedProjection pointers() const { return {share.data(), weight.data()}; }

  Doubles of(const Floats& now, const Floats& before) const {
    return projected(wide(weight), shifted(wide(share), wide(now), wide(before)));
  }

  Floats share, weight;
};

/// A token, the one before it, and the state of the wkv before it.
struct Token {
  Token(std::int64_t inputs, std::int64_t channels)
      : now(normalValues(inputs, 1)),
        before(normalValues(inputs, 2)),
        state(normalValues(kWkvStateRows * channels, 3)) {
    for (std::int64_t i = channels; i < 2 * channels; ++i)
      state[size(i)] = 0.5F + std::abs(state[size(i)]);
  }

  TokenPair pair() const { return {now.data(), before.data()}; }

  Floats now, before, state;
};

/// What the time mixing of a token gives.
struct MixedTime {
  Floats y, after;
};

class TimeMixing {
 public:
  TimeMixing(std::int64_t inputs_, std::int64_t channels_)
      : inputs(inputs_),
        channels(channels_),
        key(inputs, channels, 10),
        value(inputs, channels, 12),
        receptance(inputs, channels, 14),
        output(normalValues(channels * channels, 16)),
        decay(normalValues(channels, 17)),
        bonus(normalValues(channels, 18)) {}

  MixedTime mixed(const Token& token, std::int64_t threads = 1) const {
    MixedTime made{Floats(size(channels)), Floats(token.state.size())};
    mixTime({inputs,
             channels,
             key.pointers(),
             value.pointers(),
             receptance.pointers(),
             output.data(),
             decay.data(),
             bonus.data()},
            token.pair(),
            token.state.data(),
            made.after.data(),
            made.y.data(),
            withThreads(threads));
    return made;
  }

  ReferenceWkv<double> wkv(const Token& token) const {
    return {{.batch = 1, .length = 1, .channels = channels},
            key.of(token.now, token.before),
            value.of(token.now, token.before),
            wide(decay),
            wide(bonus),
            wide(token.state)};
  }

  Doubles expected(const Token& token) const {
    return projected(wide(output),
                     gated(receptance.of(token.now, token.before), wkv(token).outputs()));
  }

  std::int64_t inputs, channels;
  Projection key, value, receptance;
  Floats output, decay, bonus;
};

class ChannelMixing {
 public:
  ChannelMixing(std::int64_t channels_, std::int64_t hidden_)
      : channels(channels_),
        hidden(hidden_),
        key(channels, hidden, 20),
        receptance(channels, channels, 22),
        value(normalValues(channels * hidden, 24)) {}

  Floats mixed(const Token& token, std::int64_t threads = 1) const {
    Floats y(size(channels));
    mixChannels({channels, hidden, key.pointers(), receptance.pointers(), value.data()},
                token.pair(),
                y.data(),
                withThreads(threads));
    return y;
  }

  Doubles expected(const Token& token) const {
    return gated(receptance.of(token.now, token.before),
                 projected(wide(value), squared(key.of(token.now, token.before))));
  }

  std::int64_t channels, hidden;
  Projection key, receptance;
  Floats value;
};

}  // namespace

class TestTokenStepKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void layersAreThoseOfTheFormulas_data();
  void layersAreThoseOfTheFormulas();
  void gatesOfAnySizeAreExact();
  void nanStaysNan();
  void aLargeMeanTakesNothingFromTheVariance();
};

void TestTokenStepKernel::layersAreThoseOfTheFormulas_data() {
  QTest::addColumn<int>("inputs");
  QTest::addColumn<int>("channels");
  for (const auto& [inputs, channels] : {std::pair{1, 1}, {5, 7}, {16, 16}, {33, 20}, {200, 300}})
    QTest::addRow("%d to %d", inputs, channels) << inputs << channels;
}

void TestTokenStepKernel::layersAreThoseOfTheFormulas() {
  QFETCH(int, inputs);
  QFETCH(int, channels);
  const Token token(inputs, channels);
  const TimeMixing time(inputs, channels);
  const MixedTime mixed = time.mixed(token);
  QVERIFY(distance(mixed.y, time.expected(token)) < kTolerance);
  const Doubles state = time.wkv(token).finalState();
  for (std::size_t i = 0; i < size(channels); ++i) {
    const auto at = [&](const auto& of, std::size_t row) {
      return static_cast<double>(of[row * size(channels) + i]);
    };
    const double found = std::log(at(mixed.after, 1)) + at(mixed.after, 2);
    QVERIFY(std::abs(found - std::log(at(state, 1)) - at(state, 2)) < 1e-5);
  }
  const ChannelMixing channelMixing(inputs, channels);
  QVERIFY(distance(channelMixing.mixed(token), channelMixing.expected(token)) < kTolerance);
  for (const std::int64_t threads : {2, 5}) {
    QVERIFY(time.mixed(token, threads).y == mixed.y);
    QVERIFY(channelMixing.mixed(token, threads) == channelMixing.mixed(token));
  }

  const Floats weight = normalValues(inputs, 30), bias = normalValues(inputs, 31);
  Floats y(size(inputs));
  normalizeToken(inputs, {token.now.data(), weight.data(), bias.data()}, 1e-5F, y.data());
  QVERIFY(distance(y, normalized(wide(token.now), wide(weight), wide(bias), 1e-5)) < kTolerance);
}

void TestTokenStepKernel::gatesOfAnySizeAreExact() {
  const Token token(40, 40);
  for (const float factor : {1e-6F, 30.0F, 1e4F, 1e30F}) {
    ChannelMixing mixing(40, 40);
    for (float& weight : mixing.receptance.weight) weight *= factor;
    const Floats y = mixing.mixed(token);
    QVERIFY2(distance(y, mixing.expected(token)) < 1e-4, qPrintable(QString::number(factor)));
  }
}

void TestTokenStepKernel::nanStaysNan() {
  const Token token(20, 20);
  ChannelMixing channels(20, 20);
  channels.receptance.weight[0] = std::numeric_limits<float>::quiet_NaN();
  QVERIFY(std::isnan(channels.mixed(token)[0]) && !std::isnan(channels.mixed(token)[1]));
  TimeMixing time(20, 20);
  time.receptance.weight[0] = std::numeric_limits<float>::quiet_NaN();
  QVERIFY(std::isnan(time.mixed(token).y[0]));
}

void TestTokenStepKernel::aLargeMeanTakesNothingFromTheVariance() {
  Floats x = normalValues(100, 1), y(100);
  for (float& value : x) value += 1000;
  const Floats weight(100, 1), bias(100, 0);
  normalizeToken(100, {x.data(), weight.data(), bias.data()}, 1e-5F, y.data());
  QVERIFY(distance(y, normalized(wide(x), wide(weight), wide(bias), 1e-5)) < 1e-4);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestTokenStepKernel)
#include "tst_token_step_kernel.moc"
