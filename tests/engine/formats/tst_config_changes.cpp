#include <QTest>

#include "engine/formats/json/config_changes.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

class TestConfigChanges : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalConfigurationsHaveNone();
  void everyChangedFieldIsNamedWithBothValues();
  void aListOfAnotherLengthIsOneChange();
};

void TestConfigChanges::equalConfigurationsHaveNone() {
  QVERIFY(configChanges(tinyRun(), tinyRun()).empty());
}

void TestConfigChanges::everyChangedFieldIsNamedWithBothValues() {
  RunConfig after = tinyRun();
  after.seed = 4;
  after.recipe.batchSize = 45;
  after.architecture.stages[1].width = 24;
  QCOMPARE(QString::fromStdString(toText(configChanges(tinyRun(), after))),
           QStringLiteral("seed 3 -> 4, architecture.stages[1].width 16 -> 24, "
                          "recipe.batchSize 30 -> 45"));
}

void TestConfigChanges::aListOfAnotherLengthIsOneChange() {
  RunConfig after = tinyRun();
  after.architecture.stages.pop_back();
  const std::vector<ConfigChange> changes = configChanges(tinyRun(), after);
  QCOMPARE(changes.size(), std::size_t{1});
  QCOMPARE(changes[0].path, std::string("architecture.stages"));
}

QTEST_GUILESS_MAIN(TestConfigChanges)
#include "tst_config_changes.moc"
