#include <cmath>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/update/weight_update_kernel.h"
#include "tests/support/kernel_checks.h"
#include "tests/support/updated_network.h"

namespace lambda::test {

namespace {

struct Case {
  UpdateRule rule = UpdateRule::sgd;
  bool clips = false;
  bool averages = false;
  double averageShare = 0.01;
  Element element =
      Element::float32;  ///< Type of the gradients; with bfloat16, weights have copies.
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

/// Tensors of unusual sizes, some of many blocks.
class Network : public UpdatedNetwork {
 public:
  explicit Network(Element element = Element::float32)
      : UpdatedNetwork({1, 3, 15, 16, 17, 100, 8191, 8192, 8193, 40007}, element) {}

  std::vector<Weights<float>> updated(const Case& one, const ParallelFor& parallelFor) const {
    std::vector<Weights<float>> all = tensors;
    for (int update = 0; update < kUpdates; ++update) {
      std::vector<ElementMap> maps;
      for (const std::vector<float>& gradient : gradients[update])
        maps.emplace_back(gradient, element());
      std::vector<UpdatedWeights> described;
      for (std::size_t i = 0; i < all.size(); ++i) {
        Weights<float>& each = all[i];
        described.push_back(
            {.size = static_cast<std::int64_t>(each.weights.size()),
             .gradient = gradients[update][i].empty() ? nullptr : maps[i].data(),
             .gradientElement = element(),
             .weights = each.weights.data(),
             .rounded = each.rounded.empty() ? nullptr : each.rounded.data(),
             .firstMoment = one.rule == UpdateRule::sgd ? nullptr : each.firstMoment.data(),
             .secondMoment = isAdaptive(one.rule) ? each.secondMoment.data() : nullptr,
             .average = one.averages ? each.average.data() : nullptr,
             .rateFactor = each.rateFactor,
             .weightDecay = each.decay,
             .steps = static_cast<double>(update + 1)});
      }
      updateWeights(ratesOf(one), described, parallelFor);
    }
    return all;
  }
};

double normOfAll(const Gradients& tensors,
                 const ParallelFor& parallelFor,
                 Element element = Element::float32) {
  std::vector<ElementMap> maps;
  for (const std::vector<float>& each : tensors) maps.emplace_back(each, element);
  std::vector<SummedValues> described;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    described.push_back({maps[i].data(), element, static_cast<std::int64_t>(tensors[i].size())});
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
  for (const auto& [name, rule] : kUpdateRules) {
    for (const bool clips : {false, true}) {
      for (const bool averages : {false, true}) {
        QTest::addRow("%s%s%s", name, clips ? ", clipped" : "", averages ? ", averaged" : "")
            << Case{rule, clips, averages};
      }
    }
    QTest::addRow("%s, average near its start", name) << Case{rule, false, true, 0.8};
    QTest::addRow("%s, bfloat16", name) << Case{rule, true, true, 0.01, Element::bfloat16};
    QTest::addRow("%s, bfloat16, no average", name)
        << Case{rule, false, false, 0.01, Element::bfloat16};
  }
}

void TestWeightUpdateKernel::equalsTheFormulasInDouble() {
  QFETCH(Case, one);
  const Network network(one.element);
  const std::vector<Weights<float>> found = network.updated(one, withThreads(1));
  const std::vector<Weights<double>> expected =
      network.expected([&](const Gradients&) { return ratesOf(one); }, one.averages);
  for (std::size_t i = 0; i < found.size(); ++i) {
    QVERIFY(isClose(found[i], expected[i]));
    if (network.gradients[0][i].empty()) {
      QVERIFY(found[i].weights == network.tensors[i].weights);
      QVERIFY(found[i].rounded == network.tensors[i].rounded);
    } else if (one.element == Element::bfloat16) {
      QVERIFY(areRounded(found[i]));
    }
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
  const Network network(one.element);
  const std::vector<Weights<float>> found = network.updated(one, withThreads(1));
  const double norm = normOfAll(network.gradients[0], withThreads(1), one.element);
  for (const std::int64_t threads : {2, 5}) {
    QVERIFY(network.updated(one, withThreads(threads)) == found);
    QCOMPARE(normOfAll(network.gradients[0], withThreads(threads), one.element), norm);
  }
}

void TestWeightUpdateKernel::theNormIsExact() {
  for (const Element element : {Element::float32, Element::bfloat16}) {
    const Network network(element);
    const double expected = exactNormOf(network.gradients[0]);
    const double found = normOfAll(network.gradients[0], withThreads(2), element);
    QVERIFY(std::abs(found / expected - 1) < 1e-14);
  }
  // These squares overflow float32.
  QVERIFY(std::abs(normOfAll({{3e30F}, {4e30F}}, withThreads(1)) / 5e30 - 1) < 1e-7);
}

// A run detects divergence by the norm of its gradients.
void TestWeightUpdateKernel::theNormHidesNothingThatIsNotFinite() {
  const Gradients whole = Network().gradients[0];
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {0, 8192, 40006}) {
      Gradients broken = whole;
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
