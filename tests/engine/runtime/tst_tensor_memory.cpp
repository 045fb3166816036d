#include <sys/resource.h>
#include <vector>

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include "engine/runtime/tensor_memory.h"
#include "tests/support/sanitizer.h"

namespace lambda::test {

class TestTensorMemory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tensorsUseTheMemoryOfThoseBefore();
  void tensorsOutliveTheReuse();
  void tensorsFromBeforeMayEndWithin();
  void memoryOfKernelsStaysWithTheProcess();
  void storagesGrow();
  void tooLargeATensorIsAnErrorThatSaysSo();
};

void TestTensorMemory::tensorsUseTheMemoryOfThoseBefore() {
  const TensorMemoryReuse reuse;
  const void* first = at::empty({1000, 1000}).data_ptr();
  const at::Tensor second = at::empty({1000, 1000});
  QCOMPARE(second.const_data_ptr(), first);
  QVERIFY(at::ones({1000, 1000}).sum().item<float>() == 1e6F);
}

void TestTensorMemory::tensorsOutliveTheReuse() {
  at::Tensor kept;
  {
    const TensorMemoryReuse reuse;
    kept = at::ones({1000, 1000});
  }
  QCOMPARE(kept.sum().item<float>(), 1e6F);
  kept = at::Tensor();
  QCOMPARE(at::ones({1000, 1000}).sum().item<float>(), 1e6F);
}

void TestTensorMemory::tensorsFromBeforeMayEndWithin() {
  at::Tensor before = at::ones({1000, 1000});
  const TensorMemoryReuse reuse;
  const TensorMemoryReuse another;
  before = before + 1;
  QCOMPARE(before.sum().item<float>(), 2e6F);
}

void TestTensorMemory::memoryOfKernelsStaysWithTheProcess() {
#ifdef LAMBDA_SANITIZED
  QSKIP("The sanitizer has its own allocator.");
#endif
  const TensorMemoryReuse reuse;
  const auto compute = [] {
    std::vector<std::vector<char>> buffers;
    for (int i = 0; i < 4; ++i) buffers.emplace_back(std::size_t{10} << 20, 'x');
  };
  const auto faults = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  compute();
  const long before = faults();
  for (int i = 0; i < 5; ++i) compute();
  QVERIFY2(faults() - before < 1000, "each call has 10,000 pages, which the system would clear");
}

void TestTensorMemory::storagesGrow() {
  const TensorMemoryReuse reuse;
  at::Tensor tensor = at::arange(100000);
  tensor.resize_({4000000});
  QVERIFY(tensor.slice(0, 0, 100000).equal(at::arange(100000)));
}

void TestTensorMemory::tooLargeATensorIsAnErrorThatSaysSo() {
  const TensorMemoryReuse reuse;
  try {
    at::empty({std::int64_t{1} << 60}, at::kByte);
    QFAIL("The allocation of an exabyte succeeded.");
  } catch (const c10::Error& error) {
    QVERIFY(std::string(error.what()).find("can't allocate memory") != std::string::npos);
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestTensorMemory)
#include "tst_tensor_memory.moc"
