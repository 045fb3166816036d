#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/weight_update_kernel.h"
#include "tests/support/exact_update.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

constexpr int kUpdates = 3;

struct Case {
  UpdateRule rule = UpdateRule::sgd;
  bool clips = false;
  bool averages = false;
  double averageShare = 0.01;
};

/// One tensor of weights and all that goes with it.
template <class Number>
struct Weights {
  bool operator==(const Weights&) const = default;

  std::vector<Number> weights, first, second, average;
  double decay = 0;
  bool hasGradient = true;
};

UpdateRates ratesOf(const Case& one) {
  return {.rule = one.rule,
          .learningRate = 0.05,
          .momentum = 0.9,
          .beta1 = 0.9,
          .beta2 = 0.99,
          .epsilon = 1e-6,
          .gradientScale = one.clips ? 0.3 : 1,
          .averageShare = one.averageShare};
}

/// Tensors of odd sizes, some in many blocks; one has no gradient.
class Network {
 public:
  Network() {
    for (const std::size_t size : {1, 3, 15, 16, 17, 100, 8191, 8192, 8193, 40007}) {
      const std::vector<float> zeros(size);
      tensors.push_back(
          {random(size), zeros, zeros, random(size), size % 2 == 0 ? 0.1 : 0, size != 100});
      for (std::vector<std::vector<float>>& step : gradients) step.push_back(random(size));
    }
  }

  std::vector<Weights<float>> updated(const Case& one, const ParallelFor& parallelFor) const {
    std::vector<Weights<float>> all = tensors;
    for (std::size_t step = 0; step < kUpdates; ++step) {
      std::vector<UpdatedWeights> described;
      for (std::size_t i = 0; i < all.size(); ++i) {
        Weights<float>& each = all[i];
        described.push_back({static_cast<std::int64_t>(each.weights.size()),
                             each.hasGradient ? gradients[step][i].data() : nullptr,
                             each.weights.data(),
                             one.rule == UpdateRule::sgd ? nullptr : each.first.data(),
                             isAdaptive(one.rule) ? each.second.data() : nullptr,
                             one.averages ? each.average.data() : nullptr,
                             each.decay,
                             static_cast<double>(step + 1)});
      }
      updateWeights(ratesOf(one), described, parallelFor);
    }
    return all;
  }

  std::vector<Weights<double>> expected(const Case& one) const {
    const UpdateRates rates = ratesOf(one);
    std::vector<Weights<double>> all;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      Weights<double> each{exact(tensors[i].weights),
                           exact(tensors[i].first),
                           exact(tensors[i].second),
                           exact(tensors[i].average),
                           tensors[i].decay};
      for (std::size_t step = 0; step < kUpdates; ++step) {
        for (std::size_t k = 0; k < each.weights.size(); ++k) {
          if (tensors[i].hasGradient) {
            updateExactly(rates,
                          static_cast<double>(gradients[step][i][k]),
                          each.decay,
                          static_cast<int>(step) + 1,
                          each.weights[k],
                          each.first[k],
                          each.second[k]);
          }
          if (one.averages)
            each.average[k] += rates.averageShare * (each.weights[k] - each.average[k]);
        }
      }
      all.push_back(each);
    }
    return all;
  }

  std::vector<Weights<float>> tensors;
  std::vector<std::vector<float>> gradients[kUpdates];

 private:
  std::vector<float> random(std::size_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = normal_(generator_);
    return values;
  }

  static std::vector<double> exact(const std::vector<float>& values) {
    return {values.begin(), values.end()};
  }

  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

double normOfAll(const std::vector<std::vector<float>>& tensors, const ParallelFor& parallelFor) {
  std::vector<SummedValues> described;
  for (const std::vector<float>& each : tensors) {
    described.push_back({each.data(), static_cast<std::int64_t>(each.size())});
  }
  return normOf(described, parallelFor);
}

}  // namespace

class TestWeightUpdateKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsTheFormulasInDouble_data();
  void equalsTheFormulasInDouble();
  void aShareOfOneCopiesTheWeights();

  void theSameBitsWithAnyNumberOfThreads_data() { equalsTheFormulasInDouble_data(); }

  void theSameBitsWithAnyNumberOfThreads();
  void theNormIsExact();
  void theNormHidesNothingThatIsNotFinite();
  void nothingIsNothing();
};

void TestWeightUpdateKernel::equalsTheFormulasInDouble_data() {
  QTest::addColumn<Case>("one");
  const std::pair<const char*, UpdateRule> rules[] = {{"sgd", UpdateRule::sgd},
                                                      {"momentum", UpdateRule::momentum},
                                                      {"nesterov", UpdateRule::nesterov},
                                                      {"adam", UpdateRule::adam},
                                                      {"adamw", UpdateRule::adamw}};
  for (const auto& [name, rule] : rules) {
    for (const bool clips : {false, true}) {
      for (const bool averages : {false, true}) {
        QTest::addRow("%s%s%s", name, clips ? ", clipped" : "", averages ? ", averaged" : "")
            << Case{rule, clips, averages};
      }
    }
    QTest::addRow("%s, average near its start", name) << Case{rule, false, true, 0.8};
  }
}

void TestWeightUpdateKernel::equalsTheFormulasInDouble() {
  QFETCH(Case, one);
  const Network network;
  const std::vector<Weights<float>> found = network.updated(one, withThreads(1));
  const std::vector<Weights<double>> expected = network.expected(one);
  for (std::size_t i = 0; i < found.size(); ++i) {
    QVERIFY(distance(found[i].weights, expected[i].weights) < 3e-7);
    QVERIFY(distance(found[i].first, expected[i].first) < 3e-7);
    QVERIFY(distance(found[i].second, expected[i].second) < 3e-7);
    QVERIFY(distance(found[i].average, expected[i].average) < 3e-7);
    if (!network.tensors[i].hasGradient) QVERIFY(found[i].weights == network.tensors[i].weights);
  }
}

void TestWeightUpdateKernel::aShareOfOneCopiesTheWeights() {
  const Network network;
  for (const Weights<float>& each :
       network.updated({UpdateRule::nesterov, false, true, 1}, withThreads(1))) {
    QVERIFY(each.average == each.weights);
  }
}

void TestWeightUpdateKernel::theSameBitsWithAnyNumberOfThreads() {
  QFETCH(Case, one);
  const Network network;
  const std::vector<Weights<float>> found = network.updated(one, withThreads(1));
  const double norm = normOfAll(network.gradients[0], withThreads(1));
  for (const std::int64_t threads : {2, 5}) {
    QVERIFY(network.updated(one, withThreads(threads)) == found);
    QCOMPARE(normOfAll(network.gradients[0], withThreads(threads)), norm);
  }
}

void TestWeightUpdateKernel::theNormIsExact() {
  const Network network;
  long double squares = 0;
  for (const std::vector<float>& each : network.gradients[0]) {
    for (const float value : each)
      squares += static_cast<long double>(value) * static_cast<long double>(value);
  }
  const auto expected = static_cast<double>(std::sqrt(squares));
  QVERIFY(std::abs(normOfAll(network.gradients[0], withThreads(2)) / expected - 1) < 1e-14);
  // Squares that float32 has no room for.
  QVERIFY(std::abs(normOfAll({{3e30F}, {4e30F}}, withThreads(1)) / 5e30 - 1) < 1e-7);
}

// A run that diverges is found by its norm.
void TestWeightUpdateKernel::theNormHidesNothingThatIsNotFinite() {
  std::vector<std::vector<float>> tensors = Network().gradients[0];
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {0, 8192, 40006}) {
      std::vector<std::vector<float>> broken = tensors;
      broken.back()[at] = value;
      QVERIFY(!std::isfinite(normOfAll(broken, withThreads(2))));
    }
  }
}

void TestWeightUpdateKernel::nothingIsNothing() {
  QCOMPARE(normOfAll({}, withThreads(2)), 0.0);
  QCOMPARE(normOfAll({{}, {}}, withThreads(2)), 0.0);
  updateWeights({}, {}, withThreads(2));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestWeightUpdateKernel)
#include "tst_weight_update_kernel.moc"
