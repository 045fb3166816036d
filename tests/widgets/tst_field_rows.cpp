#include <map>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/values/config/kinds.h"
#include "tests/support/filled_values.h"
#include "widgets/forms/field_rows.h"
#include "widgets/forms/number_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

FieldValue otherThan(const FieldRow& row) {
  if (const auto* flag = std::get_if<bool>(&row.value)) return !*flag;
  if (const auto* text = std::get_if<std::string>(&row.value)) return *text + "x";
  if (const auto* whole = std::get_if<std::int64_t>(&row.value)) return *whole + 1;
  if (const auto* number = std::get_if<double>(&row.value)) return *number + 0.125;
  Choice choice = std::get<Choice>(row.value);
  choice.index = (choice.index + 1) % static_cast<int>(choice.names.size());
  return choice;
}

std::map<std::string, FieldValue> asMap(const std::vector<FieldRow>& rows) {
  std::map<std::string, FieldValue> map;
  for (const FieldRow& row : rows) map[row.path] = row.value;
  return map;
}

/// Sets each field to another value and checks that nothing else changed.
template <class T>
void checkEveryField(const T& start, int atLeast) {
  const std::vector<FieldRow> rows = rowsOf(start);
  QVERIFY(static_cast<int>(rows.size()) >= atLeast);
  for (const FieldRow& row : rows) {
    // A change of the kind or of the task changes the fields too.
    if (row.path == "architecture.task") continue;
    if (row.path.ends_with(".kind") && row.path != "device.kind" &&
        row.path != "architecture.stem.kind")
      continue;
    T value = start;
    QVERIFY2(setField(value, row.path, otherThan(row)), row.path.c_str());
    std::map<std::string, FieldValue> expected = asMap(rows);
    expected[row.path] = otherThan(row);
    QVERIFY2(asMap(rowsOf(value)) == expected, row.path.c_str());
    QVERIFY2(!(value == start), row.path.c_str());
  }
}

}  // namespace

class TestFieldRows : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyFieldHasARow();
  void settingAFieldSetsItAlone();
  void listElementsAreReached();
  void wrongPathsAndTypesAreRefused();
  void aMixersKindBringsItsDefaults();
  void aNumberTakesTheIndexOfAChoice();
  void thePrecisionCanBeLeftToTheDevice();
  void numbersReadAsPeopleWriteThem_data();
  void numbersReadAsPeopleWriteThem();
  void stepsSuitTheQuantity();
};

void TestFieldRows::everyFieldHasARow() {
  const RunConfig config;
  std::map<std::string, FieldValue> rows = asMap(rowsOf(config));
  std::size_t leaves = 0;
  visitLeaves(config, "", [&](const std::string& path, const Field& field, const auto&) {
    ++leaves;
    QVERIFY2(rows.contains(path), path.c_str());
    const std::vector<FieldRow> all = rowsOf(config);
    QCOMPARE(findRow(all, path)->meaning, std::string(field.meaning));
    QVERIFY(!findRow(all, path)->label.empty());
  });
  QVERIFY(rows.contains("data.source.kind"));
  QCOMPARE(rows.size(), leaves + 1);
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    const Block block{valueOfKind<Mixer>(kind)};
    rows = asMap(rowsOf(block, "b"));
    visitLeaves(block, "b", [&](const std::string& path, const Field&, const auto&) {
      QVERIFY2(rows.contains(path), path.c_str());
    });
    QVERIFY(rows.contains("b.mixer.kind"));
  }
}

void TestFieldRows::settingAFieldSetsItAlone() {
  checkEveryField(filledRun(), 50);
  checkEveryField(Block{LambdaMixer{}}, 13);
  checkEveryField(Block{ConvolutionMixer{}}, 5);
}

void TestFieldRows::listElementsAreReached() {
  RunConfig config = defaultRun();
  QVERIFY(setField(config, "architecture.stages[1].width", std::int64_t{96}));
  QCOMPARE(config.architecture.stages[1].width, 96);
  QCOMPARE(config.architecture.stages[0].width, 64);
  QVERIFY(setField(config, "architecture.stages[0].blocks[0].mixer.h", std::int64_t{8}));
  QCOMPARE(std::get<LambdaMixer>(config.architecture.stages[0].blocks[0].mixer).heads, 8);
}

void TestFieldRows::wrongPathsAndTypesAreRefused() {
  const RunConfig start = defaultRun();
  RunConfig config = start;
  QVERIFY(!setField(config, "recipe.epoch", std::int64_t{3}));
  QVERIFY(!setField(config, "recipe.epochs", 3.0));
  QVERIFY(!setField(config, "recipe.epochs.x", std::int64_t{3}));
  QVERIFY(!setField(config, "", std::int64_t{3}));
  QVERIFY(!setField(config, "architecture.stages[2].width", std::int64_t{3}));
  QVERIFY(!setField(config, "architecture.stages[x].width", std::int64_t{3}));
  QVERIFY(!setField(config, "architecture.stages[0", std::int64_t{3}));
  QVERIFY(!setField(config, "architecture.family", Choice{7, {}}));
  QVERIFY(!setField(config, "device.index", Choice{-1, {}}));
  QVERIFY(!setField(config, "architecture.stages[0].blocks[1].mixer.h", std::int64_t{3}));
  QVERIFY(config == start);
}

void TestFieldRows::aNumberTakesTheIndexOfAChoice() {
  RunConfig config;
  QVERIFY(setField(config, "device.index", Choice{2, {"a", "b", "c"}}));
  QCOMPARE(config.device.index, 2);
}

void TestFieldRows::thePrecisionCanBeLeftToTheDevice() {
  RunConfig config;
  QVERIFY(setField(config, "recipe.precision", Choice{0, {}}));
  QVERIFY(config.recipe.precision == Precision::automatic);
  const std::vector<FieldRow> rows = rowsOf(config);
  const FieldRow* row = findRow(rows, "recipe.precision");
  QCOMPARE(textOf(*row, row->value), std::string("Automatic: the faster one"));
  QVERIFY(row->meaning.find("measured") != std::string::npos);
}

void TestFieldRows::aMixersKindBringsItsDefaults() {
  Block block;
  QVERIFY(setField(block, "mixer.kind", Choice{1, {}}));
  QVERIFY(std::get<LambdaMixer>(block.mixer) == LambdaMixer{});
  QVERIFY(setField(block, "mixer.k", std::int64_t{8}));
  QVERIFY(setField(block, "mixer.kind", Choice{1, {}}));
  QCOMPARE(std::get<LambdaMixer>(block.mixer).queryDepth, 8);
  QVERIFY(!setField(block, "mixer.kind", Choice{static_cast<int>(kMixerKindCount), {}}));
}

void TestFieldRows::numbersReadAsPeopleWriteThem_data() {
  QTest::addColumn<double>("number");
  QTest::addColumn<QString>("text");
  QTest::newRow("zero") << 0.0 << u"0"_s;
  QTest::newRow("tenth") << 0.1 << u"0.1"_s;
  QTest::newRow("learning rate") << 5e-4 << u"5e-4"_s;
  QTest::newRow("thousandth") << 1e-3 << u"0.001"_s;
  QTest::newRow("epsilon") << 1e-16 << u"1e-16"_s;
  QTest::newRow("whole") << 1000.0 << u"1000"_s;
  QTest::newRow("million") << 1e6 << u"1e6"_s;
  QTest::newRow("third") << 1.0 / 3 << u"0.3333333333333333"_s;
}

void TestFieldRows::numbersReadAsPeopleWriteThem() {
  QFETCH(double, number);
  QFETCH(QString, text);
  QCOMPARE(QString::fromStdString(shortestText(number)), text);
  QCOMPARE(*numberOf(text.toStdString()), number);
  QCOMPARE(*numberOf(" " + text.toUpper().replace(u'.', u',').toStdString() + " "), number);
  QVERIFY(!numberOf(text.toStdString() + "x"));
  QVERIFY(!numberOf("inf") && !numberOf("nan") && !numberOf("") && !numberOf("5e-"));
}

void TestFieldRows::stepsSuitTheQuantity() {
  QCOMPARE(stepped(60, 1, Stepping::eights, 1, 8192, true), 64.0);
  QCOMPARE(stepped(64, -1, Stepping::eights, 1, 8192, true), 56.0);
  QCOMPARE(stepped(0, 1, Stepping::odd, 0, 255, true), 3.0);
  QCOMPARE(stepped(3, -1, Stepping::odd, 0, 255, true), 0.0);
  QCOMPARE(stepped(3, -1, Stepping::odd, 1, 31, true), 1.0);
  QCOMPARE(stepped(5, 2, Stepping::odd, 1, 31, true), 9.0);
  QCOMPARE(stepped(12, 1, Stepping::doubling, 1, 256, true), 16.0);
  QCOMPARE(stepped(256, 1, Stepping::doubling, 1, 256, true), 256.0);
  QCOMPARE(stepped(0.29, 1, Stepping::hundredth, 0, 1, false), 0.3);
  QCOMPARE(stepped(0.1, 1, Stepping::oneTwoFive, 0, 1000, false), 0.2);
  QCOMPARE(stepped(5e-4, 1, Stepping::oneTwoFive, 0, 1000, false), 1e-3);
  QCOMPARE(stepped(1e-3, -1, Stepping::oneTwoFive, 0, 1000, false), 5e-4);
  QCOMPARE(stepped(5000, 1, Stepping::oneTwoFive, 0, 1e6, true), 10000.0);
}

}  // namespace lambda

QTEST_APPLESS_MAIN(lambda::TestFieldRows)
#include "tst_field_rows.moc"
