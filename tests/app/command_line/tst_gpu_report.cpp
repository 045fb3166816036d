#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/gpu_report.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kScreenRows = 24;
constexpr const char* kTooOld = "the GPU's compute capability is below 8.0";

/// A machine with GPUs of these major compute capabilities, as the plugin judges them.
GpuReport reportOn(const std::vector<int>& capabilities, const std::string& graphObstacle = {}) {
  GpuReport report;
  report.facts.driver.isOpen = true;
  report.facts.driver.version = "580.65.06";
  report.facts.driver.newestCuda = 13000;
  report.facts.torch.version = 13000;
  report.facts.torch.gpus = static_cast<int>(capabilities.size());
  for (const int major : capabilities) {
    report.facts.driver.gpus.push_back(
        {"GPU of " + std::to_string(major), major, 0, 150'000'000'000, 148'000'000'000});
    report.support.push_back(cudaSupport(major < 8 ? kTooOld : "", graphObstacle));
  }
  return report;
}

std::string textOf(const GpuReport& report) {
  FactList facts;
  addGpuFacts(facts, report);
  return facts.text();
}

/// The line with this beginning, single spaces between its words; empty if there is none.
QString lineOf(const GpuReport& report, const QString& start) {
  for (const QString& line : QString::fromStdString(textOf(report)).split(u'\n')) {
    if (line.simplified().startsWith(start)) return line.simplified();
  }
  return {};
}

}  // namespace

class TestGpuReport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aGpuIsNamedWithWhatServesIt();
  void aPartThatFallsBackSaysWhy();
  void gpusThatDifferAreTold();
  void manyGpusFitOnAScreen();
  void whatIsMissingForAGpuIsSaid();
  void jsonHasEveryFact();
  void theDocsNameTheDriver();
};

void TestGpuReport::aGpuIsNamedWithWhatServesIt() {
  const GpuReport report = reportOn({9});
  QCOMPARE(lineOf(report, u"NVIDIA driver"_s), u"NVIDIA driver 580.65.06, for CUDA up to 13.0"_s);
  QCOMPARE(lineOf(report, u"cuda:0"_s),
           u"cuda:0 GPU of 9, compute capability 9.0, 150 GB, 148 GB free"_s);
  QCOMPARE(
      lineOf(report, u"CUDA kernels"_s),
      u"CUDA kernels lambda core in float32, lambda core in bfloat16, batches of images, update "
      "of the weights, recorded steps"_s);
  QCOMPARE(
      lineOf(report, u"except for"_s),
      u"except for a query depth k above 64 (plain LibTorch operations), images of more than 4 "
      "channels (the CPU), the filters of Muon (plain LibTorch operations)"_s);
  QVERIFY(lineOf(report, u"no CUDA kernels"_s).isEmpty());
}

void TestGpuReport::aPartThatFallsBackSaysWhy() {
  const GpuReport unrecorded = reportOn({9}, "the plugin can't be opened");
  QVERIFY(lineOf(unrecorded, u"CUDA kernels"_s).endsWith(u"update of the weights"_s));
  QCOMPARE(lineOf(unrecorded, u"no CUDA kernels"_s),
           u"no CUDA kernels recorded steps: the plugin can't be opened"_s);
  const GpuReport old = reportOn({7});
  QVERIFY(lineOf(old, u"CUDA kernels"_s).isEmpty());
  QCOMPARE(lineOf(old, u"no CUDA kernels"_s),
           u"no CUDA kernels lambda core in float32, lambda core in bfloat16, batches of images, "
           "update of the weights, recorded steps: the GPU's compute capability is below 8.0"_s);
}

void TestGpuReport::gpusThatDifferAreTold() {
  const GpuReport report = reportOn({9, 7, 8});
  QVERIFY(lineOf(report, u"cuda:2"_s).startsWith(u"cuda:2 GPU of 8, compute capability 8.0"_s));
  QVERIFY(lineOf(report, u"CUDA kernels on cuda:0, cuda:2"_s).contains(u"recorded steps"_s));
  QVERIFY(lineOf(report, u"no CUDA kernels on cuda:1"_s).endsWith(u"below 8.0"_s));
}

void TestGpuReport::manyGpusFitOnAScreen() {
  // The other facts of the machine take eight rows.
  const std::string text = textOf(reportOn({9, 9, 9, 9, 9, 9, 9, 7}));
  QVERIFY2(std::ranges::count(text, '\n') <= kScreenRows - 8, text.c_str());
}

void TestGpuReport::whatIsMissingForAGpuIsSaid() {
  QCOMPARE(lineOf({}, u"for a GPU"_s),
           u"for a GPU install an NVIDIA driver, 580 or later, and run app/setup again"_s);
  GpuReport old = reportOn({9});
  old.facts.driver.version = "535.183.01";
  old.facts.driver.newestCuda = 12020;
  old.support.clear();
  QCOMPARE(lineOf(old, u"for a GPU"_s), u"for a GPU install driver 580 or later"_s);
  QCOMPARE(lineOf(old, u"NVIDIA driver"_s), u"NVIDIA driver 535.183.01, for CUDA up to 12.2"_s);
  QVERIFY(!lineOf(old, u"cuda:0"_s).isEmpty());
}

void TestGpuReport::jsonHasEveryFact() {
  const nlohmann::ordered_json json = gpuJson(reportOn({9, 7}));
  QVERIFY(json["usable"] == true);
  QVERIFY(json["driver"] == "580.65.06");
  QVERIFY(json["driverCuda"] == "13.0");
  QVERIFY(json["torchCuda"] == "13.0");
  QCOMPARE(json["gpus"].size(), 2U);
  const auto& gpu = json["gpus"][1];
  QVERIFY(gpu["device"] == "cuda:1");
  QVERIFY(gpu["computeCapability"] == "7.0");
  QVERIFY(gpu["memoryBytes"] == 150'000'000'000);
  QVERIFY(gpu["freeBytes"] == 148'000'000'000);
  QCOMPARE(gpu["kernels"].size(), 5U);
  QVERIFY(gpu["kernels"][0]["served"] == false);
  QVERIFY(gpu["kernels"][0]["reason"] == kTooOld);
  QVERIFY(json["gpus"][0]["kernels"][4]["served"] == true);
  const nlohmann::ordered_json none = gpuJson({});
  QVERIFY(none["usable"] == false);
  QVERIFY(none["reason"] == "no NVIDIA driver is installed");
  QVERIFY(none["gpus"].empty());
  QVERIFY(none["torchCuda"].is_null());
}

void TestGpuReport::theDocsNameTheDriver() {
  std::ifstream file(LAMBDA_RESOURCES "/docs/gpu.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  QVERIFY(page.find("driver " + driverNeededFor(13000) + " or later") != std::string::npos);
  QVERIFY(page.find("--device cuda:1") != std::string::npos);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestGpuReport)
#include "tst_gpu_report.moc"
