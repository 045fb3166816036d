#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "tests/support/cuda_emulation/block_emulator.h"
#include "tests/support/device_core.h"
#include "tests/support/updated_network.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

namespace {

struct Case {
  UpdateRule rule = UpdateRule::sgd;
  double clip = 0;  ///< Largest norm of the gradients; 0 = no clipping.
  bool averages = false;
  double averageShare = 0.01;
  float loss = 1;
  Element element =
      Element::float32;  ///< Type of the gradients; with bfloat16, weights have copies.
};

UpdateRates ratesOf(const Case& one) {
  return {.rule = one.rule,
          .learningRate = 0.05,
          .momentum = 0.9,
          .beta1 = 0.9,
          .beta2 = 0.999,
          .epsilon = 1e-6,
          .averageShare = one.averageShare};
}

template <class T>
std::vector<T> valuesOf(const DeviceMemory& memory) {
  const std::vector<char> bytes = memory.read();
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// One weight tensor with its state and gradient in device memory.
struct DeviceWeights {
  DeviceWeights(const Weights<float>& of, const std::vector<float>& gradientOf, Element element)
      : weights(of.weights),
        rounded(of.rounded),
        firstMoment(of.firstMoment),
        secondMoment(of.secondMoment),
        average(of.average),
        gradient(ElementMap(gradientOf, element).bytes()) {}

  DeviceMemory weights, rounded, firstMoment, secondMoment, average, gradient;
};

/// Tensors whose sizes are near multiples of the kernel's blocks; some need several blocks.
class Network : public UpdatedNetwork {
 public:
  explicit Network(Element element = Element::float32)
      : UpdatedNetwork({1, 3, 127, 128, 129, 100, 4095, 4096, 4097, 9001}, element) {}

  /// All tensors after one update by the kernels; `norm` is the norm of the gradients.
  static std::vector<Weights<float>> updated(const std::vector<Weights<float>>& before,
                                             const Gradients& gradients,
                                             const Case& one,
                                             int count,
                                             double& norm) {
    const UpdateRates rates = ratesOf(one);
    std::vector<DeviceWeights> all;
    std::vector<CudaUpdatedWeights> described;
    std::vector<CudaUpdateBlock> blocks;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const DeviceWeights& each = all.emplace_back(before[i], gradients[i], one.element);
      const auto size = static_cast<std::int64_t>(before[i].weights.size());
      const auto floats = [](const DeviceMemory& memory) {
        return static_cast<float*>(memory.get());
      };
      described.push_back(
          {.size = size,
           .gradient = each.gradient.get(),
           .gradientElement = one.element,
           .weights = floats(each.weights),
           .rounded = static_cast<Bfloat16*>(each.rounded.get()),
           .firstMoment = one.rule == UpdateRule::sgd ? nullptr : floats(each.firstMoment),
           .secondMoment = isAdaptive(one.rule) ? floats(each.secondMoment) : nullptr,
           .average = one.averages ? floats(each.average) : nullptr,
           .rateFactor = static_cast<float>(before[i].rateFactor),
           .weightDecay = static_cast<float>(before[i].decay),
           .firstCorrection = static_cast<float>(1 / (1 - std::pow(rates.beta1, count))),
           .secondCorrection =
               static_cast<float>(1 / std::sqrt(1 - std::pow(rates.beta2, count)))});
      for (std::int32_t stretch = 0; stretch * kValuesPerBlock < size; ++stretch)
        blocks.push_back({static_cast<std::int32_t>(i), stretch});
    }
    const CudaUpdateStep step{static_cast<float>(rates.learningRate),
                              static_cast<float>(rates.averageShare)};
    const DeviceMemory deviceTensors(described), deviceBlocks(blocks),
        deviceStep(std::vector{step}), deviceLoss(std::vector{one.loss});
    const DeviceMemory squares(blocks.size() * sizeof(double)), deviceNorm(sizeof(double));
    CudaWeightUpdate update;
    update.rule = rates.rule;
    update.momentum = static_cast<float>(rates.momentum);
    update.oneMinusBeta1 = static_cast<float>(1 - rates.beta1);
    update.beta2 = static_cast<float>(rates.beta2);
    update.oneMinusBeta2 = static_cast<float>(1 - rates.beta2);
    update.epsilon = static_cast<float>(rates.epsilon);
    update.gradientClip = static_cast<float>(one.clip);
    update.tensors = static_cast<const CudaUpdatedWeights*>(deviceTensors.get());
    update.blocks = static_cast<const CudaUpdateBlock*>(deviceBlocks.get());
    update.blockCount = static_cast<std::int64_t>(blocks.size());
    update.step = static_cast<const CudaUpdateStep*>(deviceStep.get());
    update.loss = static_cast<const float*>(deviceLoss.get());
    update.squares = static_cast<double*>(squares.get());
    update.gradientNorm = static_cast<double*>(deviceNorm.get());
    requireCuda(lambdaCudaKernels()->updateWeights(update, {}));
    std::memcpy(&norm, deviceNorm.read().data(), sizeof norm);
    std::vector<Weights<float>> after;
    for (std::size_t i = 0; i < all.size(); ++i) {
      after.push_back({valuesOf<float>(all[i].weights),
                       valuesOf<float>(all[i].firstMoment),
                       valuesOf<float>(all[i].secondMoment),
                       valuesOf<float>(all[i].average),
                       before[i].rateFactor,
                       before[i].decay,
                       valuesOf<Bfloat16>(all[i].rounded)});
    }
    return after;
  }

  std::vector<Weights<float>> updated(const Case& one) const {
    std::vector<Weights<float>> all = tensors;
    double norm = 0;
    for (int step = 0; step < kUpdates; ++step)
      all = updated(all, gradients[step], one, step + 1, norm);
    return all;
  }

  std::vector<Weights<double>> expected(const Case& one) const {
    return UpdatedNetwork::expected(
        [&](const Gradients& all) {
          UpdateRates rates = ratesOf(one);
          const double norm = exactNormOf(all);
          if (one.clip > 0 && norm > one.clip) rates.gradientScale = one.clip / norm;
          return rates;
        },
        one.averages);
  }
};

}  // namespace

class TestWeightUpdateCudaEmulated : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsTheFormulasInDouble_data();
  void equalsTheFormulasInDouble();
  void aShareOfOneCopiesTheWeights();
  void noThreadRunsAheadOfABarrier();
  void theNormIsExact();
  void aNormOrLossThatIsNotFiniteMovesNothing();
  void refusesWhatIsMissing();
};

void TestWeightUpdateCudaEmulated::equalsTheFormulasInDouble_data() {
  QTest::addColumn<Case>("one");
  for (const auto& [name, rule] : kUpdateRules) {
    QTest::addRow("%s", name) << Case{rule};
    QTest::addRow("%s, clipped", name) << Case{rule, 5};
    QTest::addRow("%s, below the clip", name) << Case{rule, 1e6};
    QTest::addRow("%s, averaged", name) << Case{rule, 5, true};
    QTest::addRow("%s, average near its start", name) << Case{rule, 0, true, 0.8};
    QTest::addRow("%s, bfloat16", name)
        << Case{.rule = rule, .clip = 5, .averages = true, .element = Element::bfloat16};
  }
}

void TestWeightUpdateCudaEmulated::equalsTheFormulasInDouble() {
  QFETCH(Case, one);
  const Network network(one.element);
  const std::vector<Weights<float>> found = network.updated(one);
  const std::vector<Weights<double>> expected = network.expected(one);
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

void TestWeightUpdateCudaEmulated::aShareOfOneCopiesTheWeights() {
  for (const Weights<float>& each : Network().updated({UpdateRule::nesterov, 0, true, 1}))
    QVERIFY(each.average == each.weights);
}

void TestWeightUpdateCudaEmulated::noThreadRunsAheadOfABarrier() {
  const Network network;
  const Case one{UpdateRule::adamw, 5, true};
  emulation::setOrder(emulation::Order::backward);
  const std::vector<Weights<float>> backward = network.updated(one);
  emulation::setOrder(emulation::Order::forward);
  QVERIFY(network.updated(one) == backward);
}

void TestWeightUpdateCudaEmulated::theNormIsExact() {
  double norm = 0;
  for (const Element element : {Element::bfloat16, Element::float32}) {
    const Network network(element);
    Network::updated(network.tensors, network.gradients[0], {.element = element}, 1, norm);
    QVERIFY(std::abs(norm / exactNormOf(network.gradients[0]) - 1) < 1e-14);
  }
  const Network network;
  // These squares overflow float32.
  Gradients large = network.gradients[0];
  for (std::vector<float>& each : large) std::fill(each.begin(), each.end(), 0.0F);
  large.front()[0] = 3e30F;
  large.back()[9000] = 4e30F;
  Network::updated(network.tensors, large, {}, 1, norm);
  QVERIFY(std::abs(norm / 5e30 - 1) < 1e-7);
}

void TestWeightUpdateCudaEmulated::aNormOrLossThatIsNotFiniteMovesNothing() {
  const Network network;
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {0, 4096, 9000}) {
      Gradients broken = network.gradients[0];
      broken.back()[at] = value;
      double norm = 0;
      QVERIFY(Network::updated(network.tensors, broken, {UpdateRule::adamw, 5, true}, 1, norm) ==
              network.tensors);
      QVERIFY(!std::isfinite(norm));
    }
    const Case lost{.rule = UpdateRule::adamw, .averages = true, .loss = value};
    QVERIFY(network.updated(lost) == network.tensors);
  }
}

void TestWeightUpdateCudaEmulated::refusesWhatIsMissing() {
  QCOMPARE(lambdaCudaKernels()->updateWeights({}, {}).code, -1);
  CudaWeightUpdate update;
  update.blockCount = 1;
  QCOMPARE(lambdaCudaKernels()->updateWeights(update, {}).code, -1);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestWeightUpdateCudaEmulated)

#include "tst_weight_update_cuda_emulated.moc"
