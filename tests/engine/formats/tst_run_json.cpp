#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "engine/formats/json/run_json.h"
#include "engine/runtime/error.h"
#include "tests/support/filled_values.h"
#include "tests/support/temporary_folder.h"

using namespace std::string_literals;

namespace lambda {

namespace {

using Json = nlohmann::json;

RunRecord filledRecord() {
  RunRecord record;
  record.config = defaultRun();
  Filler().fill(record);
  record.parameters = (1LL << 53) - 1;
  return record;
}

std::string refusalOf(const Json& document) {
  try {
    std::vector<Problem> warnings;
    runRecordFromJson(document.dump(), "run.json", warnings);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

class TestRunJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyFieldComesBack();
  void nothingMeasuredComesBackAsNothing();
  void aRecordFromBeforePrecisionsWereMeasuredIsRead();
  void testEvaluationsAreReadByTheirFormerName();
  void wrongContentIsRefusedWithItsPlace();
  void filesComeBack();
};

void TestRunJson::everyFieldComesBack() {
  const RunRecord record = filledRecord();
  const RunRecord untouched;
  visitFields(record, [&](const Field& field, const auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    visitFields(untouched, [&](const Field& other, const auto& before) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(before)>, M>) {
        if (field.name == std::string(other.name)) QVERIFY2(!(member == before), field.name);
      }
    });
  });
  std::vector<Problem> warnings;
  const std::string text = toJson(record);
  QCOMPARE(text.find("{\n  \"schema\": 3,"), std::size_t{0});
  QVERIFY(runRecordFromJson(text, "run.json", warnings) == record);
  QVERIFY2(warnings.empty(), toText(warnings).c_str());
}

void TestRunJson::nothingMeasuredComesBackAsNothing() {
  std::vector<Problem> warnings;
  QVERIFY(runRecordFromJson(toJson(RunRecord{}), "run.json", warnings) == RunRecord{});
  RunRecord withoutKeys;
  withoutKeys.config.recipe.lastBatch = LastBatch::drop;  // What runs did before the setting.
  QVERIFY(runRecordFromJson("{\"schema\": 1}", "run.json", warnings) == withoutKeys);
  QVERIFY(warnings.empty());
}

void TestRunJson::aRecordFromBeforePrecisionsWereMeasuredIsRead() {
  RunRecord record = filledRecord();
  Json document = Json::parse(toJson(record));
  QCOMPARE(document["environment"].erase("precisionRates"), std::size_t{1});
  record.environment.precisionRates = {};
  std::vector<Problem> warnings;
  QVERIFY(runRecordFromJson(document.dump(), "run.json", warnings) == record);
  QVERIFY(warnings.empty());
}

void TestRunJson::testEvaluationsAreReadByTheirFormerName() {
  std::vector<Problem> warnings;
  const RunRecord record =
      runRecordFromJson(R"({"schema": 1, "testLooks": 3})", "run.json", warnings);
  QCOMPARE(record.testEvaluations, 3);
  QVERIFY2(warnings.empty(), toText(warnings).c_str());
}

void TestRunJson::wrongContentIsRefusedWithItsPlace() {
  const Json good = Json::parse(toJson(filledRecord()));
  QVERIFY(refusalOf(good).empty());
  const auto refusal = [&](const char* pointer, const Json& value) {
    Json document = good;
    document[Json::json_pointer(pointer)] = value;
    return refusalOf(document);
  };
  const auto expect = [&](const char* pointer, const Json& value, const std::string& text) {
    const std::string found = refusal(pointer, value);
    QVERIFY2(found.find("run.json: " + text) == 0, (pointer + (": " + found)).c_str());
  };
  expect("/schema", 4, "schema: 4 is newer");
  expect("/status", "done", "status: expected one of running, paused");
  expect("/testAccuracy", 1.01, "testAccuracy: 1.01 is outside 0 .. 1");
  expect("/testAccuracy", "NaN", "testAccuracy: NaN is outside 0 .. 1");
  expect("/epochsDone", -1, "epochsDone: -1 is outside");
  expect("/tags", "a", "tags: expected a list");
  expect("/tags/0", 1, "tags[0]: expected a text");
  expect("/environment/threads", "2", "environment.threads: expected a whole number");
  expect("/environment/precisionRates/float32",
         "fast",
         "environment.precisionRates.float32: expected a number");
  expect("/config/recipe/precision", "half", "config.recipe.precision: expected one of automatic");
  expect("/lineage/parentStep", 1e19, "lineage.parentStep: ");
  expect("/parameters", 1ULL << 63, "parameters: ");
  expect("/config/recipe/epochs", 0, "config.recipe.epochs: 0 is outside");
}

void TestRunJson::filesComeBack() {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "run.json";
  std::vector<Problem> warnings;
  QVERIFY_THROWS_EXCEPTION(Error, readRunRecord(file, warnings));
  writeRunRecord(file, filledRecord());
  QVERIFY(readRunRecord(file, warnings) == filledRecord());
  writeRunRecord(file, RunRecord{});
  QVERIFY(readRunRecord(file, warnings) == RunRecord{});
  QCOMPARE(folder.entryCount(), std::ptrdiff_t{1});
  std::filesystem::resize_file(file, 100);
  QVERIFY_THROWS_EXCEPTION(Error, readRunRecord(file, warnings));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestRunJson)
#include "tst_run_json.moc"
