#include <string>
#include <vector>

#include <QTest>

#include "engine/runtime/error.h"
#include "engine/runtime/plugin.h"
#include "engine/runtime/processes/nccl_plugin.h"
#include "engine/runtime/processes/rank_device.h"
#include "tests/support/machine_with_gpus.h"
#include "tests/support/ranks_in_threads.h"

using namespace lambda;
using namespace std::string_literals;
using test::inThreads;
using test::withGpus;

namespace {

constexpr std::uint16_t kAnyPort = 1;

/// The GPU of the rank with this number on its host.
int gpuOf(int localRank, int first, const CudaFacts& facts) {
  return gpuOfRank(first, test::launchHere(localRank, 8, kAnyPort), facts);
}

ComputeDevice gpuCalled(const std::string& uuid) {
  return {.kind = DeviceKind::cuda, .name = "H200", .reason = "H200, the only GPU", .uuid = uuid};
}

/// What the ranks say who compute on these devices.
std::vector<std::string> failuresOf(const std::vector<ComputeDevice>& devices) {
  return inThreads(static_cast<int>(devices.size()), [&](Processes& processes) {
    connectDevices(processes, devices[static_cast<std::size_t>(processes.rank())]);
  });
}

bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  qWarning("\"%s\" lacks \"%s\"", text.c_str(), part.c_str());
  return false;
}

}  // namespace

class TestRankDevice : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void eachRankOfAHostHasItsGpu() {
    const CudaFacts four = withGpus({"H200", "H200", "H200", "H200"});
    for (const int localRank : {0, 1, 2, 3}) QCOMPARE(gpuOf(localRank, 0, four), localRank);
    QCOMPARE(gpuOf(0, 2, four), 2);
    QCOMPARE(gpuOf(1, 2, four), 3);
  }

  void aProcessThatSeesOneGpuHasThat() {
    CudaFacts one = withGpus({"H200"});
    one.visibleGpus = "3";
    for (const int localRank : {0, 3}) QCOMPARE(gpuOf(localRank, 0, one), 0);
  }

  void withoutGpusNoneIsChosen() { QCOMPARE(gpuOf(2, 0, CudaFacts()), 0); }

  void aHostWithFewerGpusThanRanksIsSaid() {
    CudaFacts two = withGpus({"H200", "H200"});
    two.visibleGpus = "4,5";
    try {
      gpuOf(2, 0, two);
      QFAIL("two ranks share a GPU");
    } catch (const Error& error) {
      QVERIFY(contains(error.reason(), "rank 2 on "));
      QVERIFY(contains(error.reason(), "needs cuda:2, a GPU of its own"));
      QVERIFY(contains(error.reason(), "this host has only 2"));
    }
    QVERIFY_THROWS_EXCEPTION(Error, gpuOf(1, 0, withGpus({"H200"})));
  }

  void ranksOnTheCpuNeedNoConnection() {
    const ComputeDevice cpu{.name = "cpu", .reason = "CPU with 1 thread"};
    QCOMPARE(failuresOf({cpu, cpu, cpu}), std::vector(3, ""s));
  }

  void aRankOnAnotherKindOfDeviceIsNamed() {
    const ComputeDevice cpu{.name = "cpu", .reason = "CPU with 8 threads: no driver"};
    for (const std::string& each : failuresOf({gpuCalled("a"), gpuCalled("b"), cpu})) {
      QVERIFY(contains(each, "rank 2 on "));
      QVERIFY(contains(each, "computes on the CPU (CPU with 8 threads: no driver), but rank 0"));
    }
  }

  void ranksWithTheSameGpuAreNamed() {
    for (const std::string& each : failuresOf({gpuCalled("a"), gpuCalled("b"), gpuCalled("a")})) {
      QVERIFY(contains(each, "rank 2 on "));
      QVERIFY(contains(each, "has the same GPU as rank 0 on "));
    }
  }

  void aMissingPluginIsSaid() {
    const NcclPlugin none = openNcclPlugin("/nowhere/lambda-nccl-cuda.so");
    QVERIFY(none.connect == nullptr);
    QVERIFY(contains(none.obstacle, "/nowhere/lambda-nccl-cuda.so"));
    if (selectDevice({}).kind == DeviceKind::cuda) return;
    // The CPU's LibTorch does not have the plugin's undefined symbols.
    for (const std::string& each : failuresOf({gpuCalled("a"), gpuCalled("b")})) {
      QVERIFY(contains(each, "NCCL can't connect it to the GPUs of the other ranks"));
      QVERIFY(contains(each, manyGpusObstacle()));
    }
    if (!exists(pluginFile("lambda-nccl-cuda.so"))) QSKIP("the plugin is not built");
    QVERIFY(contains(manyGpusObstacle(), "undefined symbol"));
  }
};

QTEST_GUILESS_MAIN(TestRankDevice)
#include "tst_rank_device.moc"
