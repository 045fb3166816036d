#include <algorithm>

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/inspection_files.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"

namespace lambda::test {

namespace {

Array ramp(std::vector<std::int64_t> shape) {
  Array array{std::move(shape), {}};
  std::int64_t count = 1;
  for (const std::int64_t size : array.shape) count *= size;
  for (std::int64_t i = 0; i < count; ++i) {
    array.values.push_back(static_cast<float>(i) - static_cast<float>(count) / 3);
  }
  return array;
}

/// A snapshot with k = 3, h = 2, v = 4 on a map of 5x6.
InspectionSnapshot snapshot() {
  InspectionSnapshot seen;
  seen.layer = {.name = "stage1.block1.mixer",
                .queryDepth = 3,
                .heads = 2,
                .intraDepth = 1,
                .valueDepth = 4,
                .height = 5,
                .width = 6,
                .embedding = PositionEmbedding::relative};
  seen.step = 120;
  seen.queryRow = 2;
  seen.queryColumn = 4;
  seen.image = {12, 10, std::vector<std::uint8_t>(360, 100)};
  seen.label = 1;
  seen.classNames = {"cat", "dog"};
  seen.probabilities = {0.75f, 0.25f};
  seen.queries = ramp({2, 3});
  seen.lambdas = {ramp({3, 4}), ramp({3, 4}), ramp({3, 4})};
  seen.lambdas.total.values[11] = 90;
  seen.singularValues = {{{3}, {3, 2, 1}}, {{3}, {6, 5, 4}}, {{3}, {9, 8, 7}}};
  seen.contributions = {ramp({2, 1, 5, 6}), ramp({2, 1, 5, 6}), ramp({2, 1, 5, 6})};
  seen.effect = ramp({2, 5, 6});
  seen.embeddings = {
      .tiles = ramp({3, 1, 9, 11}), .change = {}, .norms = {1, 3, 2}, .order = {1, 2, 0}};
  seen.keys = {ramp({3, 1, 5, 6}), {1.5f, 2, 2.5f}};
  seen.residual = {1e-6, 2e-7};
  return seen;
}

nlohmann::json summaryIn(const TemporaryFolder& folder) {
  const auto file = folder.path() / "summary.json";
  return parseJson(readFile(file, 1 << 20), file.string());
}

}  // namespace

class TestInspectionFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void writesEveryPartOnce() {
    const TemporaryFolder folder;
    std::vector<std::string> files = writeInspection(folder.path(), snapshot());
    QCOMPARE(static_cast<std::ptrdiff_t>(files.size()), folder.entryCount());
    for (const char* name : {"image.png",
                             "lambda-content.csv",
                             "lambda-position.npy",
                             "lambda-total.png",
                             "contribution-content.png",
                             "contribution-total.npy",
                             "contribution-total-head2.csv",
                             "effect.png",
                             "embeddings.png",
                             "keys.npy",
                             "queries.csv",
                             "singular-values.csv",
                             "probabilities.csv",
                             "summary.json"}) {
      QVERIFY2(std::ranges::find(files, name) != files.end(), name);
    }
    QVERIFY(std::ranges::find(files, "embeddings-change.png") == files.end());
  }

  void everyHeadHasItsSingularValues() {
    const TemporaryFolder folder;
    InspectionSnapshot seen = snapshot();
    seen.singularValues = {{}, {{2, 2}, {6, 5, 4, 3}}, {{2, 2}, {9, 8, 7, 6}}};
    writeInspection(folder.path(), seen);
    QCOMPARE(readFile(folder.path() / "singular-values.csv", 1 << 20),
             std::string("part,s0,s1\nposition-head1,6,5\nposition-head2,4,3\n"
                         "total-head1,9,8\ntotal-head2,7,6\n"));
  }

  void partsShareOneScale() {
    const TemporaryFolder folder;
    writeInspection(folder.path(), snapshot());
    const nlohmann::json pictures = summaryIn(folder)["pictures"];
    for (const char* name : {"lambda-content", "lambda-position", "lambda-total"}) {
      QCOMPARE(pictures[name]["high"].get<double>(), 90.0);
      QCOMPARE(pictures[name]["low"].get<double>(), -90.0);
    }
  }

  void summaryNamesWhatWasSeen() {
    const TemporaryFolder folder;
    writeInspection(folder.path(), snapshot());
    const nlohmann::json summary = summaryIn(folder);
    QCOMPARE(summary["layer"]["name"].get<std::string>(), std::string("stage1.block1.mixer"));
    QCOMPARE(summary["label"].get<std::string>(), std::string("dog"));
    QCOMPARE(summary["predicted"].get<std::string>(), std::string("cat"));
    QCOMPARE(summary["step"].get<int>(), 120);
    QCOMPARE(summary["query"]["column"].get<int>(), 4);
    QCOMPARE(summary["residual"]["relative"].get<double>(), 2e-7);
    QCOMPARE(summary["embeddingOrder"].get<std::vector<int>>(), (std::vector<int>{1, 2, 0}));
  }

  void tablesHoldTheNumbers() {
    const TemporaryFolder folder;
    writeInspection(folder.path(), snapshot());
    const std::string lambda = readFile(folder.path() / "lambda-total.csv", 1 << 20);
    QVERIFY2(lambda.rfind(",v0,v1,v2,v3\nk0,-4,-3,-2,-1\n", 0) == 0, lambda.c_str());
    const std::string classes = readFile(folder.path() / "probabilities.csv", 1 << 20);
    QCOMPARE(classes, std::string("class,probability\ncat,0.75\ndog,0.25\n"));
  }

  void absentPartsLeaveNoFiles() {
    const TemporaryFolder folder;
    InspectionSnapshot seen = snapshot();
    seen.lambdas.position = seen.contributions.position = seen.singularValues.position = {};
    seen.embeddings = {};
    seen.image = {};
    for (const std::string& name : writeInspection(folder.path() / "new" / "folder", seen)) {
      QVERIFY2(name.find("position") == std::string::npos &&
                   name.find("embeddings") == std::string::npos && name != "image.png",
               name.c_str());
    }
  }

  void intraDepthHasItsOwnTiles() {
    const TemporaryFolder folder;
    InspectionSnapshot seen = snapshot();
    seen.layer.intraDepth = 2;
    seen.contributions = {ramp({2, 2, 5, 6}), ramp({2, 2, 5, 6}), ramp({2, 2, 5, 6})};
    const auto files = writeInspection(folder.path(), seen);
    QVERIFY(std::ranges::find(files, "contribution-total-head2-depth2.csv") != files.end());
  }

  void saysWhichFolderCannotBeMade() {
    const TemporaryFolder folder;
    writeFileDurably(folder.path() / "file", "");
    try {
      writeInspection(folder.path() / "file", snapshot());
      QFAIL("The files were written although the folder is a file.");
    } catch (const Error& error) {
      QVERIFY(error.place() == (folder.path() / "file").string());
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestInspectionFiles)
#include "tst_inspection_files.moc"
