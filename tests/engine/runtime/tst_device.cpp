#include <string>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>
#include <c10/core/impl/FakeGuardImpl.h>

#include <QTest>

#include "engine/kernels/instruction_set.h"
#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/resolved_config.h"
#include "tests/support/machine_with_gpus.h"

using namespace lambda;
using test::withGpus;
using namespace std::string_literals;

namespace {

ComputeDevice withThreads(int threads) {
  ComputeDevice device;
  device.threads = threads;
  return device;
}

}  // namespace

class TestDevice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aThreadsSettingIsItsOwn();
  void aGpuIsChosenByItsNumber();
  void aGpuThatIsMissingIsReportedWithTheOthers_data();
  void aGpuThatIsMissingIsReportedWithTheOthers();
  void withoutCudaTheCpuComputesUnlessAGpuIsWanted();
  void aRunUsesItsGpuAlone();
  void aBuildForAnyMachineLacksNothing();
};

// An inspection uses few threads while a training uses many; both must give the same bits as alone.
void TestDevice::aThreadsSettingIsItsOwn() {
  useThreads(withThreads(3));
  int others = 0;
  std::thread other([&] {
    useThreads(withThreads(2));
    others = at::get_num_threads();
  });
  other.join();
  QCOMPARE(others, 2);
  QCOMPARE(at::get_num_threads(), 3);
}

void TestDevice::aGpuIsChosenByItsNumber() {
  const CudaFacts two = withGpus({"NVIDIA H200", "NVIDIA A100"});
  for (const DeviceKind kind : {DeviceKind::automatic, DeviceKind::cuda}) {
    const ComputeDevice first = selectDevice({.kind = kind}, two);
    QCOMPARE(first.kind, DeviceKind::cuda);
    QCOMPARE(first.reason, "NVIDIA H200 as cuda:0, one of 2 GPUs"s);
    QVERIFY(torchDevice(first) == at::Device(at::kCUDA, 0));
    const ComputeDevice second = selectDevice({.kind = kind, .index = 1}, two);
    QCOMPARE(second.name, "NVIDIA A100"s);
    QCOMPARE(second.reason, "NVIDIA A100 as cuda:1, one of 2 GPUs"s);
    QVERIFY(torchDevice(second) == at::Device(at::kCUDA, 1));
    QCOMPARE(second.gpus, (std::vector{"NVIDIA H200"s, "NVIDIA A100"s}));
  }
  QCOMPARE(selectDevice({}, withGpus({"NVIDIA H200"})).reason, "NVIDIA H200, the only GPU"s);
  const ComputeDevice cpu = selectDevice({.kind = DeviceKind::cpu, .index = 1}, two);
  QVERIFY(torchDevice(cpu) == at::Device(at::kCPU));
}

void TestDevice::aGpuThatIsMissingIsReportedWithTheOthers_data() {
  QTest::addColumn<int>("index");
  QTest::addColumn<int>("gpus");
  QTest::addColumn<std::string>("reason");
  QTest::newRow("one GPU") << 1 << 1
                           << "there is no GPU cuda:1; this machine has only cuda:0 (GPU 0)"s;
  QTest::newRow("three GPUs") << 7 << 3
                              << "there is no GPU cuda:7; this machine has cuda:0 (GPU 0), cuda:1 "
                                 "(GPU 1) and cuda:2 (GPU 2)"s;
  QTest::newRow("a number beyond any GPU's")
      << 300 << 1 << "there is no GPU cuda:300; this machine has only cuda:0 (GPU 0)"s;
  QTest::newRow("a negative number")
      << -1 << 1 << "there is no GPU cuda:-1; this machine has only cuda:0 (GPU 0)"s;
}

void TestDevice::aGpuThatIsMissingIsReportedWithTheOthers() {
  QFETCH(int, index);
  QFETCH(int, gpus);
  QFETCH(std::string, reason);
  std::vector<std::string> names;
  for (int i = 0; i < gpus; ++i) names.push_back("GPU " + std::to_string(i));
  for (const DeviceKind kind : {DeviceKind::automatic, DeviceKind::cuda}) {
    try {
      selectDevice({.kind = kind, .index = index}, withGpus(names));
      QFAIL("a GPU that is missing was chosen");
    } catch (const Error& error) {
      QCOMPARE(error.place(), "device.index"s);
      QCOMPARE(error.reason(), reason);
      QCOMPARE(error.hint(), "choose one of these, for example --device cuda:0"s);
    }
  }
}

void TestDevice::withoutCudaTheCpuComputesUnlessAGpuIsWanted() {
  const ComputeDevice device = selectDevice({.index = 1, .threads = 2}, CudaFacts());
  QCOMPARE(device.kind, DeviceKind::cpu);
  QCOMPARE(device.reason, "CPU with 2 threads: no NVIDIA driver is installed"s);
  QVERIFY(device.gpus.empty());
  try {
    selectDevice({.kind = DeviceKind::cuda}, CudaFacts());
    QFAIL("CUDA was chosen without a driver");
  } catch (const Error& error) {
    QCOMPARE(error.place(), "device.kind"s);
    QCOMPARE(error.reason(), "CUDA can't be used: no NVIDIA driver is installed"s);
    QVERIFY(error.hint().starts_with("choose the CPU (--device cpu), or install an NVIDIA driver"));
  }
}

/// The guard of CUDA is a fake, which keeps the current GPU of each thread.
void TestDevice::aRunUsesItsGpuAlone() {
  using FakeGuard = c10::impl::FakeGuardImpl<c10::DeviceType::CUDA>;
  const c10::impl::DeviceGuardImplRegistrar registrar(c10::DeviceType::CUDA, new FakeGuard());
  RunConfig config;
  config.recipe.precision = Precision::float32;
  config.device = {.kind = DeviceKind::cuda, .index = 2};
  const CudaFacts three = withGpus({"NVIDIA H200", "NVIDIA H200", "NVIDIA H200"});
  const ResolvedConfig resolved(config, selectDevice(config.device, three));
  QCOMPARE(FakeGuard::getDeviceIndex(), 2);
  const ResolvedConfig onCpu(config, selectDevice({.kind = DeviceKind::cpu}, three));
  QCOMPARE(FakeGuard::getDeviceIndex(), 2);
}

void TestDevice::aBuildForAnyMachineLacksNothing() {
  QVERIFY(instructionSetsHere() != 0);
  QCOMPARE(lackingInstructionSet(), ""s);
  QVERIFY2(!lackingInstructionSet(/*supported=*/0).empty(), "a CPU without any is named");
}

QTEST_GUILESS_MAIN(TestDevice)
#include "tst_device.moc"
