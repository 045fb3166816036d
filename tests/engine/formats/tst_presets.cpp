#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/formats/json/presets.h"
#include "engine/runtime/error.h"
#include "engine/values/config/validate.h"
#include "tests/support/temporary_folder.h"

namespace lambda {

class TestPresets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyPresetIsSound_data();
  void everyPresetIsSound();
  void theResNet50VariantsAreThere();
  void noPresetIsSlowOnSomeProcessors();
  void wrongNamesSuggestTheNearest();
  void aFolderOfTheEnvironmentComesFirst();
};

void TestPresets::everyPresetIsSound_data() {
  QTest::addColumn<QByteArray>("name");
  for (const std::string& name : presetNames()) {
    QTest::newRow(name.c_str()) << QByteArray::fromStdString(name);
  }
}

void TestPresets::everyPresetIsSound() {
  QFETCH(QByteArray, name);
  std::vector<Problem> warnings;
  const RunConfig config = loadPreset(name.toStdString(), warnings);
  QVERIFY2(warnings.empty(), toText(warnings).c_str());
  QCOMPARE(config.name, name.toStdString());
  QVERIFY(!config.architecture.name.empty() && !config.architecture.description.empty());
  QVERIFY(runConfigFromJson(toJson(config), "copy", warnings) == config);

  const std::vector<Problem> problems = validate(config);
  QVERIFY2(!hasErrors(problems), toText(problems).c_str());
}

void TestPresets::theResNet50VariantsAreThere() {
  const std::vector<std::string> names = presetNames();
  QVERIFY(std::is_sorted(names.begin(), names.end()));
  for (const auto& [name, pattern] : {std::pair{"resnet50-cifar", "C-C-C-C"},
                                      std::pair{"resnet50-cifar-ccll", "C-C-L-L"},
                                      std::pair{"resnet50-cifar-llll", "L-L-L-L"},
                                      std::pair{"resnet50-imagenet", "C-C-C-C"},
                                      std::pair{"resnet50-imagenet-ccll", "C-C-L-L"},
                                      std::pair{"resnet50-imagenet-llll", "L-L-L-L"},
                                      std::pair{"tudelft-conv", "C-C-C-C"},
                                      std::pair{"tudelft-lambda", "L-L-L-L"}}) {
    std::vector<Problem> warnings;
    QCOMPARE(patternOf(loadPreset(name, warnings).architecture), std::string(pattern));
  }
}

// The faster precision depends on the device, so no preset may fix bfloat16.
void TestPresets::noPresetIsSlowOnSomeProcessors() {
  for (const std::string& name : presetNames()) {
    std::vector<Problem> warnings;
    QVERIFY2(loadPreset(name, warnings).recipe.precision != Precision::bfloat16, name.c_str());
  }
  std::vector<Problem> warnings;
  QVERIFY(loadPreset("cpu-hybrid", warnings).recipe.precision == Precision::automatic);
}

void TestPresets::wrongNamesSuggestTheNearest() {
  try {
    presetFile("resnet50-cifr");
    QFAIL("A wrong name was accepted.");
  } catch (const Error& error) {
    QVERIFY(error.hint().find("Did you mean resnet50-cifar?") == 0);
  }
  QVERIFY_THROWS_EXCEPTION(Error, presetFile("../presets/resnet50-cifar"));
  QVERIFY_THROWS_EXCEPTION(Error, presetFile(""));
}

void TestPresets::aFolderOfTheEnvironmentComesFirst() {
  const TemporaryFolder folder;
  RunConfig mine;
  mine.name = "mine";
  std::ofstream(folder.path() / "resnet50-cifar.json") << toJson(mine);
  qputenv("LAMBDA_PRESETS", QByteArray::fromStdString(folder.path().string()));
  std::vector<Problem> warnings;
  const RunConfig loaded = loadPreset("resnet50-cifar", warnings);
  const std::size_t count = presetNames().size();
  qunsetenv("LAMBDA_PRESETS");
  QVERIFY(loaded == mine);
  QCOMPARE(count, presetNames().size());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPresets)
#include "tst_presets.moc"
