#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/formats/json/queue_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/runtime/error.h"
#include "tests/support/filled_values.h"

using namespace std::string_literals;

namespace lambda {

namespace {

using Json = nlohmann::json;

Json::json_pointer pointerTo(const std::string& path) {
  std::string text = "/";
  for (const char c : path) {
    if (c != ']') text += c == '.' || c == '[' ? '/' : c;
  }
  return Json::json_pointer(text);
}

RunConfig readRun(const Json& document) {
  std::vector<Problem> warnings;
  const RunConfig config = runConfigFromJson(document.dump(), "run.json", warnings);
  if (!warnings.empty()) throw Error("", "there are warnings");
  return config;
}

std::string refusalOf(const Json& document) {
  try {
    std::vector<Problem> warnings;
    documentFromJson(document.dump(), "run.json", warnings);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

Json filledDocument() {
  return Json::parse(toJson(filledRun()));
}

}  // namespace

class TestConfigJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyFieldComesBack();
  void everyFieldMayBeMissing();
  void fieldsAreReadByTheirFormerNames();
  void everyFieldRefusesWrongTypes();
  void everyNumberRefusesWhatIsOutOfRange();
  void equalBlocksAreWrittenOnce();
  void repeatsAreBounded();
  void schemaComesFirstAndIsRequired();
  void olderSchemasMeanTheSame_data();
  void olderSchemasMeanTheSame();
  void everyKindOfDocumentIsUpgraded();
  void optionsOfOtherKindsAreDroppedFromOlderSchemas();
  void unknownKeysWarnWithTheNearest();
  void mixersNeedAKindAndMayBeItsName();
  void sequencesAreNotAugmented();
  void documentsAreToldApart();
  void aDocumentOfAnotherKindIsRefusedByItsName();
};

void TestConfigJson::everyFieldComesBack() {
  const RunConfig filled = filledRun();
  RunConfig before = defaultRun();
  // The list of fields must contain all members, so the filler must have changed every member.
  QVERIFY(filled.architecture.stem.width != before.architecture.stem.width);
  std::vector<Problem> warnings;
  const std::string text = toJson(filled);
  QVERIFY(runConfigFromJson(text, "run.json", warnings) == filled);
  QCOMPARE(toJson(runConfigFromJson(text, "run.json", warnings)), text);
  const std::string network = toJson(filled.architecture);
  QVERIFY(architectureFromJson(network, "net.json", warnings) == filled.architecture);
  QVERIFY(runConfigFromJson(toJson(RunConfig{}), "run.json", warnings) == RunConfig{});
  QVERIFY(warnings.empty());
}

void TestConfigJson::everyFieldMayBeMissing() {
  const Json filled = filledDocument();
  RunConfig config = filledRun();
  RunConfig plain = defaultRun();
  plain.recipe.optimizer.kind = Adam{};
  plain.recipe.schedule.kind = LinearSchedule{};
  // The outputs have another key in each task.
  plain.architecture.task = config.architecture.task;
  QCOMPARE(config.recipe.optimizer.kind.index(), plain.recipe.optimizer.kind.index());
  QCOMPARE(config.recipe.schedule.kind.index(), plain.recipe.schedule.kind.index());
  const Json defaults = Json::parse(toJson(plain));
  int count = 0;
  visitLeaves(config, "", [&](const std::string& path, const Field& field, auto& member) {
    if (HasOptionsBeside<std::remove_cvref_t<decltype(member)>>) return;
    if (std::is_same_v<std::remove_cvref_t<decltype(member)>, Task>) return;
    const auto pointer = pointerTo(path);
    Json document = filled;
    document[pointer.parent_pointer()].erase(field.name);
    const Json back = Json::parse(toJson(readRun(document)));
    QVERIFY2(back[pointer] == defaults[pointer], path.c_str());
    QVERIFY2(filled[pointer] != defaults[pointer], path.c_str());
    ++count;
  });
  QVERIFY(count > 60);
  const auto without = Json::parse(
      R"({"schema": 3, "recipe": {"optimizer": {"momentum": 0.8}, "schedule": {"finalFactor": 0.2}}})");
  QVERIFY(readRun(without).recipe.optimizer.kind == OptimizerKind(Sgd{.momentum = 0.8}));
  QVERIFY(readRun(without).recipe.schedule.kind ==
          ScheduleKind(CosineSchedule{.finalFactor = 0.2}));
}

void TestConfigJson::fieldsAreReadByTheirFormerNames() {
  RunConfig config = filledRun();
  config.recipe.optimizer.kind = Muon{.muonLearningRate = 0.5};
  const Json filled = Json::parse(toJson(config));
  int count = 0;
  visitLeaves(config, "", [&](const std::string& path, const Field& field, auto&) {
    if (field.formerName == nullptr) return;
    Json document = filled;
    Json& parent = document[pointerTo(path).parent_pointer()];
    parent[field.formerName] = parent[field.name];
    parent.erase(field.name);
    QVERIFY2(readRun(document) == readRun(filled), path.c_str());
    ++count;
  });
  QVERIFY(count > 0);
}

void TestConfigJson::everyFieldRefusesWrongTypes() {
  const Json filled = filledDocument();
  RunConfig config = filledRun();
  visitLeaves(config, "", [&](const std::string& path, const Field&, auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    std::vector<Json> wrong{nullptr, Json::object(), Json::array({1})};
    if (!std::is_same_v<M, bool>) wrong.push_back(true);
    if (!std::is_arithmetic_v<M> || std::is_same_v<M, bool>) wrong.push_back(1);
    if (!std::is_same_v<M, std::string>) wrong.push_back("1");
    if (std::is_integral_v<M>) wrong.push_back(1.5);
    if (std::is_floating_point_v<M>) wrong.insert(wrong.end(), {"NaN", "Infinity"});
    for (const Json& value : wrong) {
      Json document = filled;
      document[pointerTo(path)] = value;
      const std::string refusal = refusalOf(document);
      QVERIFY2(refusal.find("run.json: " + path + ": ") == 0,
               (path + " = " + value.dump() + ": " + refusal).c_str());
    }
  });
}

void TestConfigJson::everyNumberRefusesWhatIsOutOfRange() {
  const Json filled = filledDocument();
  RunConfig config = filledRun();
  int count = 0;
  visitLeaves(config, "", [&](const std::string& path, const Field& field, auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_arithmetic_v<M> && !std::is_same_v<M, bool>) {
      Json document = filled;
      const auto pointer = pointerTo(path);
      std::vector<Json> wrong{-1e300, 1e300};
      if constexpr (std::is_same_v<M, int>) {
        QVERIFY2(std::isfinite(field.min) && std::isfinite(field.max), path.c_str());
        wrong.insert(
            wrong.end(),
            {static_cast<int>(field.min) - 1, static_cast<int>(field.max) + 1, 1LL << 62, ~0ULL});
        for (const double bound : {field.min, field.max}) {
          document[pointer] = static_cast<int>(bound);
          QVERIFY2(refusalOf(document).empty(), path.c_str());
        }
      } else if constexpr (std::is_same_v<M, double>) {
        wrong.insert(wrong.end(),
                     {std::nextafter(field.min, -1e9), std::nextafter(field.max, 1e9)});
      } else {
        wrong.push_back(-1);
      }
      for (const Json& value : wrong) {
        document[pointer] = value;
        QVERIFY2(refusalOf(document).find(path) != std::string::npos, path.c_str());
      }
      ++count;
    }
  });
  QVERIFY(count > 40);
}

void TestConfigJson::equalBlocksAreWrittenOnce() {
  Architecture architecture;
  Stage stage;
  const Block convolution;
  const Block lambda{LambdaMixer{}};
  stage.blocks = {convolution, convolution, lambda, convolution, lambda, lambda, lambda};
  architecture.stages = {stage};
  const std::string text = toJson(architecture);
  const Json blocks = Json::parse(text)["stages"][0]["blocks"];
  QCOMPARE(blocks.size(), std::size_t{4});
  QCOMPARE(blocks[0]["repeat"].get<int>(), 2);
  QVERIFY(!blocks[1].contains("repeat"));
  QCOMPARE(blocks[3]["repeat"].get<int>(), 3);
  std::vector<Problem> warnings;
  QVERIFY(architectureFromJson(text, "net.json", warnings) == architecture);
  QVERIFY(warnings.empty());
}

void TestConfigJson::repeatsAreBounded() {
  const auto refusal = [](const char* blocks) {
    return refusalOf(Json::parse(R"({"schema": 1, "stages": [{"blocks": )"s + blocks + "}]}"));
  };
  QVERIFY(refusal(R"([{"repeat": 256}])").empty());
  QVERIFY(refusal(R"([{"repeat": 0}])").find("stages[0].blocks[0].repeat") != std::string::npos);
  QVERIFY(!refusal(R"([{"repeat": 257}])").empty());
  QVERIFY(refusal(R"([{"repeat": 256}, {}])").find("stages[0].blocks") != std::string::npos);
  std::vector<Problem> warnings;
  const auto document = Json{{"schema", 1}, {"stages", Json(33, Json::object())}};
  QVERIFY(refusalOf(document).find("stages") != std::string::npos);
}

void TestConfigJson::schemaComesFirstAndIsRequired() {
  QCOMPARE(toJson(RunConfig{}).find("{\n  \"schema\": 3,"), std::size_t{0});
  Json document = filledDocument();
  document["schema"] = 4;
  QVERIFY(refusalOf(document).find("schema: 4 is newer") != std::string::npos);
  document["schema"] = 0;
  QVERIFY(!refusalOf(document).empty());
  document.erase("schema");
  QVERIFY(refusalOf(document).find("no \"schema\"") != std::string::npos);
  QVERIFY(!refusalOf(Json::array()).empty());
}

void TestConfigJson::olderSchemasMeanTheSame_data() {
  QTest::addColumn<QString>("file");
  for (const char* file : {"network-1.json", "network-2.json"}) {
    QTest::newRow(file) << QString::fromLatin1(file);
  }
}

void TestConfigJson::olderSchemasMeanTheSame() {
  QFETCH(QString, file);
  const std::string path = LAMBDA_TEST_DATA "/schema/" + file.toStdString();
  std::vector<Problem> warnings;
  const Architecture network = architectureFromJson(readFile(path, 1 << 20), path, warnings);
  QVERIFY2(warnings.empty(), toText(warnings).c_str());
  QVERIFY(network.stem.kind == StemKind(ResNetRsStem{}));
  QCOMPARE(network.stem.width, 32);
  QVERIFY(architectureFromJson(toJson(network), "copy", warnings) == network);
}

void TestConfigJson::everyKindOfDocumentIsUpgraded() {
  RunConfig config;
  config.architecture.stem.kind = ResNetDStem{};
  RunRecord record;
  record.config = config;
  CheckpointHeader header;
  header.config = config;
  // A file of the first schema with that stem, from a file of the present one.
  const auto old = [](const std::string& text) {
    Json document = Json::parse(text);
    document["schema"] = 1;
    return document.dump();
  };
  const auto meansFourConvolutions = [](const RunConfig& read) {
    return read.architecture.stem.kind == StemKind(ResNetRsStem{});
  };
  std::vector<Problem> warnings;
  QVERIFY(meansFourConvolutions(runConfigFromJson(old(toJson(config)), "run", warnings)));
  QVERIFY(meansFourConvolutions(
      std::get<RunConfig>(documentFromJson(old(toJson(config)), "document", warnings))));
  QVERIFY(
      meansFourConvolutions(runRecordFromJson(old(toJson(record)), "run.json", warnings).config));
  QVERIFY(
      meansFourConvolutions(checkpointHeaderFromJson(old(toJson(header)), "checkpoint").config));
  const std::vector<QueuedRun> queue{{.config = config, .obstacle = {}}};
  QVERIFY(meansFourConvolutions(queueFromJson(old(toJson(queue)), "queue").front().config));
  QVERIFY(runConfigFromJson(toJson(config), "run", warnings) == config);
  config.architecture.stem.kind = PatchStem{};
  QVERIFY(runConfigFromJson(old(toJson(config)), "run", warnings) == config);
}

void TestConfigJson::optionsOfOtherKindsAreDroppedFromOlderSchemas() {
  Json document = Json::parse(R"({"schema": 2, "recipe": {
    "optimizer": {"kind": "adamw", "momentum": 0.8, "beta1": 0.8, "filterRate": 0.1, "colour": 1},
    "schedule": {"kind": "triangular", "warmupEpochs": 5, "stepFactor": 0.2, "peakFraction": 0.3}}})");
  const auto read = [&](std::vector<Problem>& warnings) {
    const RunConfig config = runConfigFromJson(document.dump(), "run", warnings);
    QVERIFY(config.recipe.optimizer.kind == OptimizerKind(AdamW{{.beta1 = 0.8}}));
    QVERIFY(config.recipe.schedule.kind == ScheduleKind(TriangularSchedule{.peakFraction = 0.3}));
  };
  std::vector<Problem> warnings;
  read(warnings);
  QCOMPARE(warnings.size(), std::size_t{1});
  QCOMPARE(warnings.front().path, "recipe.optimizer.colour"s);
  document["schema"] = 3;
  warnings.clear();
  read(warnings);
  QCOMPARE(warnings.size(), std::size_t{5});
  document = Json::parse(R"({"schema": 2, "recipe": {"optimizer": 1}})");
  QVERIFY(refusalOf(document).find("recipe.optimizer: ") != std::string::npos);
  document["recipe"]["optimizer"] = {{"kind", 7}, {"momentum", 0.8}};
  QVERIFY(refusalOf(document).find("recipe.optimizer.kind: ") != std::string::npos);
}

void TestConfigJson::unknownKeysWarnWithTheNearest() {
  Json document = filledDocument();
  document["recipe"]["batchsiz"] = 3;
  document["architecture"]["stages"][1]["blocks"][0]["mixer"]["heads"] = 3;
  std::vector<Problem> warnings;
  const RunConfig config = runConfigFromJson(document.dump(), "run.json", warnings);
  QVERIFY(config == filledRun());
  QCOMPARE(warnings.size(), std::size_t{2});
  QCOMPARE(warnings[0].path, "architecture.stages[1].blocks[0].mixer.heads"s);
  QCOMPARE(warnings[1].path, "recipe.batchsiz"s);
  QVERIFY(warnings[1].text.find("batchSize") != std::string::npos);
  QVERIFY(warnings[1].severity == Severity::warning);
}

void TestConfigJson::mixersNeedAKindAndMayBeItsName() {
  Json document = filledDocument();
  Json& mixer = document["architecture"]["stages"][0]["blocks"][0]["mixer"];
  mixer = "lambda";
  QVERIFY(readRun(document).architecture.stages[0].blocks[0].mixer == Mixer{LambdaMixer{}});
  mixer = {{"k", 8}};
  QVERIFY(refusalOf(document).find("blocks[0].mixer: a mixer needs") != std::string::npos);
  mixer = {{"kind", "attention"}};
  const std::string refusal = refusalOf(document);
  QVERIFY(refusal.find("mixer.kind: expected one of convolution, lambda") != std::string::npos);
}

void TestConfigJson::sequencesAreNotAugmented() {
  const auto augmentationOf = [](const std::string& data) {
    std::vector<Problem> warnings;
    const std::string text = R"({"schema": 3, "data": )" + data + "}";
    return runConfigFromJson(text, "run.json", warnings).data.augmentation;
  };
  for (const char* data : {R"({"source": {"kind": "text", "path": "book.txt"}})",
                           R"({"source": "recall"})",
                           R"({"augmentation": {}, "source": "copy"})"}) {
    const AugmentationConfig none = augmentationOf(data);
    QVERIFY2(none.cropPadding == 0 && !none.horizontalFlip, data);
  }
  // What is said stays, so that it can be refused.
  const AugmentationConfig said =
      augmentationOf(R"({"augmentation": {"cropPadding": 2}, "source": "copy"})");
  QVERIFY(said.cropPadding == 2 && !said.horizontalFlip);
  QVERIFY(augmentationOf(R"({"source": "shapes10"})") == AugmentationConfig());
}

void TestConfigJson::documentsAreToldApart() {
  std::vector<Problem> warnings;
  const RunConfig filled = filledRun();
  const auto run = documentFromJson(toJson(filled), "a.json", warnings);
  QVERIFY(std::get<RunConfig>(run) == filled);
  const auto network = documentFromJson(toJson(filled.architecture), "a.json", warnings);
  QVERIFY(std::get<Architecture>(network) == filled.architecture);
}

void TestConfigJson::aDocumentOfAnotherKindIsRefusedByItsName() {
  Experiment experiment;
  experiment.name = "rates";
  experiment.base = filledRun();
  experiment.variants = {{"slow", {"recipe.optimizer.learningRate=0.05"}}};
  RunRecord record;
  record.config = filledRun();
  const auto refusal = [](const std::string& text) { return refusalOf(Json::parse(text)); };
  QVERIFY(refusal(toJson(experiment)).find("run.json: this is an experiment, not") == 0);
  QVERIFY(refusal(toJson(record)).find("run.json: this is the record of a run, not") == 0);
  QVERIFY(refusal(R"({"schema": 2, "runs": []})").find("none of its keys belongs to one") !=
          std::string::npos);
  QVERIFY(refusal(R"({"name": "left-pad", "version": "1.3.0", "license": "MIT", "files": []})")
              .find("this is") != std::string::npos);
  QCOMPARE(refusal(R"({"schema": 2, "name": "empty"})"), ""s);

  QVERIFY(documentKind(toJson(experiment), "") == DocumentKind::experiment);
  QVERIFY(documentKind(toJson(record), "") == DocumentKind::runRecord);
  QVERIFY(documentKind(toJson(filledRun()), "") == DocumentKind::run);
  QVERIFY(documentKind(toJson(filledRun().architecture), "") == DocumentKind::network);

  std::vector<Problem> warnings;
  QVERIFY(experimentFromJson(toJson(experiment), "file", warnings) == experiment);
  try {
    experimentFromJson(toJson(filledRun().architecture), "net.json", warnings);
    QFAIL("a network is no experiment");
  } catch (const Error& error) {
    QCOMPARE(error.reason(), "this is a network, not an experiment"s);
  }
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestConfigJson)
#include "tst_config_json.moc"
