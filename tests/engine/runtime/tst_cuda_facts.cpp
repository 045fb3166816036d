#include <fstream>
#include <string>

#include <QtTest/QtTest>

#include "engine/runtime/cuda_facts.h"
#include "tests/support/temporary_folder.h"

using namespace std::string_literals;

namespace lambda {

namespace {

/// A machine on which CUDA can be used.
CudaFacts usable() {
  CudaFacts facts;
  facts.driver = {.isOpen = true,
                  .openFailure = {},
                  .version = "580.65.06",
                  .newestCuda = 13000,
                  .failureCode = 0,
                  .failure = {},
                  .gpus = {{"NVIDIA H200", 9, 0, 150'000'000'000, std::nullopt}}};
  facts.torch = {.version = 13000, .failure = {}, .gpus = 1};
  return facts;
}

using Change = void (*)(CudaFacts&);

}  // namespace

class TestCudaFacts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void whatKeepsFromCudaIsSaid_data();
  void whatKeepsFromCudaIsSaid();
  void anyCudaOfTheSameMajorVersionRuns();
  void theVersionIsInTheTextOfEitherModule_data();
  void theVersionIsInTheTextOfEitherModule();
  void aDriverListsItsGpus();
  void withoutNvmlTheFreeMemoryIsUnknown();
  void aDriverThatDoesNotStartSaysWhy();
  void aMissingDriverIsNoDriver();
};

void TestCudaFacts::init() {
  for (const char* each :
       {"FAKE_CUDA_INIT", "FAKE_CUDA_VERSION", "FAKE_CUDA_GPUS", "FAKE_NVML_INIT"}) {
    qunsetenv(each);
  }
}

void TestCudaFacts::whatKeepsFromCudaIsSaid_data() {
  QTest::addColumn<Change>("change");
  QTest::addColumn<std::string>("reason");
  QTest::addColumn<std::string>("remedy");
  const auto add = [](const char* name, Change change, const char* reason, const char* remedy) {
    QTest::newRow(name) << change << std::string(reason) << std::string(remedy);
  };
  add(
      "no driver",
      [](CudaFacts& facts) { facts.driver = {}; },
      "no NVIDIA driver is installed",
      "install an NVIDIA driver, 580 or later, and run app/setup again");
  add(
      "the kernel's part of a driver alone",
      [](CudaFacts& facts) {
        facts.driver = {};
        facts.driver.version = "580.65.06";
        facts.driver.openFailure = "libcuda.so.1: no such file";
      },
      "the NVIDIA driver 580.65.06 is loaded, but its library can't be opened (libcuda.so.1: no "
      "such file)",
      "install the whole driver; a container must be started with access to the GPUs");
  add(
      "LibTorch without CUDA",
      [](CudaFacts& facts) { facts.torch = {.version = 0, .failure = "no such file", .gpus = 0}; },
      "this LibTorch was fetched without CUDA (no such file)",
      "run app/setup again, which fetches the one with CUDA");
  add(
      "a driver that is too old",
      [](CudaFacts& facts) {
        facts.driver.version = "535.183.01";
        facts.driver.newestCuda = 12020;
        facts.torch.gpus = 0;
      },
      "the NVIDIA driver 535.183.01 is too old: it serves CUDA up to 12.2, and this LibTorch is "
      "built for CUDA 13.0, which needs driver 580 or later",
      "install driver 580 or later");
  add(
      "an old driver of unknown version",
      [](CudaFacts& facts) {
        facts.driver.version.clear();
        facts.driver.newestCuda = 11080;
        facts.torch.version = 12060;
      },
      "the NVIDIA driver is too old: it serves CUDA up to 11.8, and this LibTorch is built for "
      "CUDA 12.6, which needs driver 525.60.13 or later",
      "install driver 525.60.13 or later");
  add(
      "a driver that is too old for an unknown CUDA",
      [](CudaFacts& facts) { facts.torch.version = 14010; },
      "the NVIDIA driver 580.65.06 is too old: it serves CUDA up to 13.0, and this LibTorch is "
      "built for CUDA 14.1, which needs a newer driver",
      "install a newer driver");
  add(
      "no GPU",
      [](CudaFacts& facts) {
        facts.driver.gpus.clear();
        facts.driver.failureCode = kCudaNoDevice;
        facts.driver.failure = "no CUDA-capable device is detected";
      },
      "the NVIDIA driver 580.65.06 reports no GPU",
      "install one");
  add(
      "hidden GPUs",
      [](CudaFacts& facts) {
        facts.driver.gpus.clear();
        facts.visibleGpus = "";
      },
      "the NVIDIA driver 580.65.06 reports no GPU, and CUDA_VISIBLE_DEVICES is \"\"",
      "unset CUDA_VISIBLE_DEVICES, which hides GPUs");
  add(
      "a driver that fails",
      [](CudaFacts& facts) {
        facts.driver.gpus.clear();
        facts.driver.failureCode = 802;
        facts.driver.failure = "system not yet initialized";
      },
      "the NVIDIA driver 580.65.06 can't list its GPUs: system not yet initialized (CUDA error "
      "802)",
      "make nvidia-smi list them; a restart helps after an update of the driver");
  add(
      "GPUs that LibTorch can't use",
      [](CudaFacts& facts) { facts.torch.gpus = 0; },
      "LibTorch can use none of the GPUs that the NVIDIA driver 580.65.06 lists",
      "choose a GPU that LibTorch supports");
}

void TestCudaFacts::whatKeepsFromCudaIsSaid() {
  QFETCH(Change, change);
  QFETCH(std::string, reason);
  QFETCH(std::string, remedy);
  CudaFacts facts = usable();
  QVERIFY(!cudaObstacle(facts));
  change(facts);
  const std::optional<CudaObstacle> obstacle = cudaObstacle(facts);
  QVERIFY(obstacle);
  QCOMPARE(obstacle->reason, reason);
  QCOMPARE(obstacle->remedy, remedy);
}

void TestCudaFacts::anyCudaOfTheSameMajorVersionRuns() {
  CudaFacts facts = usable();
  facts.torch.version = 13020;
  QVERIFY(!cudaObstacle(facts));
  facts.driver.newestCuda = 14000;
  QVERIFY(!cudaObstacle(facts));
  facts.driver.newestCuda = 0;
  QVERIFY2(!cudaObstacle(facts), "an unknown version says nothing");
}

void TestCudaFacts::theVersionIsInTheTextOfEitherModule_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("version");
  QTest::newRow("proprietary")
      << "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\nGCC version:  gcc version 12.2.0\n"s
      << "535.183.01"s;
  QTest::newRow("open")
      << "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder)\n"s
      << "580.65.06"s;
  QTest::newRow("none") << "NVRM version:\nGCC version:  gcc version 12.2.0\n"s
                        << ""s;
  QTest::newRow("empty") << ""s
                         << ""s;
}

void TestCudaFacts::theVersionIsInTheTextOfEitherModule() {
  QFETCH(std::string, text);
  QFETCH(std::string, version);
  QCOMPARE(driverVersionIn(text), version);
}

void TestCudaFacts::aDriverListsItsGpus() {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "version").string();
  std::ofstream(file) << "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.1  Sun\n";
  const CudaDriver driver = readCudaDriver({LAMBDA_FAKE_DRIVER, LAMBDA_FAKE_DRIVER, file});
  QVERIFY2(driver.isOpen, driver.openFailure.c_str());
  QCOMPARE(driver.version, "570.1"s);
  QCOMPARE(driver.newestCuda, 13000);
  QCOMPARE(driver.failureCode, 0);
  QCOMPARE(driver.gpus.size(), 2U);
  const Gpu first{
      "NVIDIA H200", 9, 0, 150'000'000'000, 148'000'000'000, "28282828282828282828282828282828"};
  const Gpu second{
      "Tesla T4", 7, 5, 16'000'000'000, 12'000'000'000, "29292929292929292929292929292929"};
  QVERIFY(driver.gpus[0] == first);
  QVERIFY(driver.gpus[1] == second);
  const CudaDriver unnamed = readCudaDriver({LAMBDA_FAKE_DRIVER, LAMBDA_FAKE_DRIVER, "/nowhere"});
  QCOMPARE(unnamed.version, "580.65.06"s);
}

void TestCudaFacts::withoutNvmlTheFreeMemoryIsUnknown() {
  for (const bool isMissing : {true, false}) {
    qputenv("FAKE_NVML_INIT", "999");
    const CudaDriver driver = readCudaDriver(
        {LAMBDA_FAKE_DRIVER, isMissing ? "/nowhere/libnvidia-ml.so" : LAMBDA_FAKE_DRIVER, ""});
    QCOMPARE(driver.version, ""s);
    QCOMPARE(driver.gpus.size(), 2U);
    QCOMPARE(driver.gpus[0].memoryBytes, 150'000'000'000U);
    QVERIFY(!driver.gpus[0].freeBytes);
  }
}

void TestCudaFacts::aDriverThatDoesNotStartSaysWhy() {
  qputenv("FAKE_CUDA_INIT", "802");
  qputenv("FAKE_CUDA_VERSION", "12040");
  const CudaDriver driver = readCudaDriver({LAMBDA_FAKE_DRIVER, "", ""});
  QVERIFY(driver.isOpen);
  QCOMPARE(driver.newestCuda, 12040);
  QCOMPARE(driver.failureCode, 802);
  QCOMPARE(driver.failure, "system not yet initialized"s);
  QVERIFY(driver.gpus.empty());
}

void TestCudaFacts::aMissingDriverIsNoDriver() {
  const CudaDriver driver = readCudaDriver({"/nowhere/libcuda.so.1", "/nowhere/ml.so", "/nowhere"});
  QVERIFY(!driver.isOpen);
  QVERIFY(driver.openFailure.find("/nowhere/libcuda.so.1") != std::string::npos);
  QVERIFY(driver.gpus.empty());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestCudaFacts)
#include "tst_cuda_facts.moc"
