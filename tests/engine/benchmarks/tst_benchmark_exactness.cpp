// The check of the forms against float64 that comes before anything is timed.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <c10/core/CPUAllocator.h>

#include <QtTest/QtTest>

#include "engine/benchmarks/core/core_check.h"
#include "engine/benchmarks/core/core_forms.h"
#include "engine/benchmarks/exactness.h"
#include "engine/runtime/error.h"
#include "engine/runtime/tensor_memory.h"

namespace lambda {

namespace {

constexpr CoreCase kSmall{3, 32};

/// The attention order whose output `spoil` changes.
CoreForm wrongForm(const std::function<at::Tensor(const at::Tensor&)>& spoil) {
  CoreForm form = attentionOrder();
  const auto right = form.apply;
  form.name = "wrong";
  form.apply = [right, spoil](const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
    return spoil(right(operands, embeddings));
  };
  return form;
}

/// Whether a form passes the check against float64.
bool isExact(const CoreForm& form) {
  at::manual_seed(1);
  try {
    checkForms({form},
               makeCoreTensors(kSmall, 3, at::kFloat),
               makeEmbeddings(kSmall, at::kFloat),
               Precision::float32);
    return true;
  } catch (const Error& error) {
    [&] { QCOMPARE(error.place(), form.name); }();
    return false;
  }
}

}  // namespace

class TestBenchmarkExactness : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allFormsOfTheCorePass();
  void fusedCoresTakeTheOrderAskedFor();
  void wrongOutputsAreCaught();
  void wrongGradientsAreCaught();
  void unwrittenOutputsAreCaught();
  void poisonedTensorsAreNaN();
  void exactOutcomesInPartsAreThoseOfAll();
  void distancesAreRelativeToEachTensor();
};

void TestBenchmarkExactness::allFormsOfTheCorePass() {
  at::manual_seed(2);
  for (const CoreCase& shape :
       {CoreCase{3, 32}, CoreCase{1, 16}, CoreCase{5, 32, 3}, CoreCase{4, 32, 3}}) {
    const std::vector<CoreForm> forms = coreForms(shape);
    const auto distances = checkForms(forms,
                                      makeCoreTensors(shape, 2, at::kFloat),
                                      makeEmbeddings(shape, at::kFloat),
                                      Precision::float32);
    QCOMPARE(distances.size(), forms.size());
    for (const double distance : distances) QVERIFY(distance > 0 && distance < 1e-5);
  }
}

void TestBenchmarkExactness::fusedCoresTakeTheOrderAskedFor() {
  at::manual_seed(3);
  const CoreCase shape{5, 32};
  const CoreTensors tensors = makeCoreTensors(shape, 3, at::kFloat);
  const CoreEmbeddings embeddings = makeEmbeddings(shape, at::kFloat);
  std::vector<std::vector<at::Tensor>> outcomes;
  for (const CoreOrder order : {CoreOrder::queriesFirst, CoreOrder::lambdasFirst}) {
    const CoreForm fused = coreForms(shape, order).front();
    checkForms({fused}, tensors, embeddings, Precision::float32);
    const at::Tensor y = fused.apply(tensors.operands, embeddings);
    outcomes.push_back(gradientsOf(fused, y, tensors, embeddings));
    outcomes.back().push_back(y);
  }
  // The same sums in another order are rounded differently.
  for (std::size_t i = 0; i < outcomes[0].size(); ++i)
    QVERIFY(!outcomes[0][i].equal(outcomes[1][i]));
}

void TestBenchmarkExactness::wrongOutputsAreCaught() {
  QVERIFY(isExact(attentionOrder()));
  QVERIFY(isExact(wrongForm([](const at::Tensor& y) { return y * 1.000'001; })));
  QVERIFY(!isExact(wrongForm([](const at::Tensor& y) { return y * 1.000'1; })));
  QVERIFY(!isExact(wrongForm([](const at::Tensor& y) { return y.flip(1); })));
  // Only half of the digits are correct, as in a kernel with lower precision.
  QVERIFY(
      !isExact(wrongForm([](const at::Tensor& y) { return y.to(at::kBFloat16).to(at::kFloat); })));
}

void TestBenchmarkExactness::wrongGradientsAreCaught() {
  // The output stays correct, but its gradient doubles.
  QVERIFY(!isExact(wrongForm([](const at::Tensor& y) { return 2 * y - y.detach(); })));
  CoreForm forgetsKeys = attentionOrder();
  const auto right = forgetsKeys.apply;
  forgetsKeys.name = "wrong";
  forgetsKeys.apply = [right](const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
    const LambdaOperands halved{
        operands.queries,
        operands.keys.detach() + 0.5 * (operands.keys - operands.keys.detach()),
        operands.values};
    return right(halved, embeddings);
  };
  QVERIFY(!isExact(forgetsKeys));
}

void TestBenchmarkExactness::unwrittenOutputsAreCaught() {
  QVERIFY(!isExact(wrongForm([](const at::Tensor& y) {
    at::Tensor partly = at::empty_like(y);
    partly.slice(0, 1).copy_(y.slice(0, 1));
    return partly;
  })));
}

void TestBenchmarkExactness::poisonedTensorsAreNaN() {
  {
    const PoisonedTensors poisoned;
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16})
      QVERIFY(at::empty({1000}, type).isnan().all().item<bool>());
  }
  c10::Allocator* const usual = c10::GetCPUAllocator();
  {
    const PoisonedTensors poisoned;
    QVERIFY(c10::GetCPUAllocator() != usual);
  }
  QCOMPARE(c10::GetCPUAllocator(), usual);
  // Reused memory must be poisoned too.
  const TensorMemoryReuse reuse;
  c10::Allocator* const reusing = c10::GetCPUAllocator();
  constexpr std::int64_t kLarge = 1 << 20;
  at::zeros({kLarge});
  {
    const PoisonedTensors poisoned;
    QVERIFY(at::empty({kLarge}).isnan().all().item<bool>());
  }
  QCOMPARE(c10::GetCPUAllocator(), reusing);
}

void TestBenchmarkExactness::exactOutcomesInPartsAreThoseOfAll() {
  at::manual_seed(4);
  const CoreTensors tensors = makeCoreTensors(kSmall, 5, at::kFloat);
  const CoreEmbeddings embeddings = makeEmbeddings(kSmall, at::kFloat);
  const std::vector<at::Tensor> all = exactOutcomes(tensors, embeddings);
  const std::int64_t scoresOfImage = kSmall.positions() * kSmall.positions() * kSmall.heads;
  for (const std::int64_t scores : {std::int64_t{1}, 2 * scoresOfImage, 100 * scoresOfImage})
    QVERIFY(relativeDistance(exactOutcomes(tensors, embeddings, scores), all) < 1e-14);
}

void TestBenchmarkExactness::distancesAreRelativeToEachTensor() {
  const at::Tensor large = at::ones({100}, at::kDouble) * 1e6, small = at::ones({100}, at::kDouble);
  QCOMPARE(relativeDistance({large, small}, {large, small}), 0.0);
  QVERIFY(std::abs(relativeDistance({large, small * 1.01}, {large, small}) - 0.01) < 1e-9);
  // A tensor that should be 0 is compared relative to the largest one.
  const at::Tensor zero = at::zeros({100}, at::kDouble);
  QVERIFY(std::abs(relativeDistance({large, small}, {large, zero}) - 1e-6) < 1e-12);
  QVERIFY(std::isinf(relativeDistance({large * std::nan(""), small}, {large, small})));
  QVERIFY_THROWS_EXCEPTION(Error, requireExact("form", 1.1e-5, Precision::float32));
  QVERIFY_THROWS_EXCEPTION(Error, requireExact("form", std::nan(""), Precision::float32));
  requireExact("form", 9e-3, Precision::bfloat16);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestBenchmarkExactness)
#include "tst_benchmark_exactness.moc"
