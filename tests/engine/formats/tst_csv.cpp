#include <charconv>
#include <cmath>
#include <limits>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/csv.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestCsv : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tableIsWritten();
  void textIsQuotedWhereNeeded();
  void namesAreNoFormulas();
  void numbersComeBackExactly();
  void valuesMustFillTheTable();
};

void TestCsv::tableIsWritten() {
  const TemporaryFolder folder;
  const FloatTable table = {.corner = "k",
                            .rows = {"r0", "r1"},
                            .columns = {"c0", "c1", "c2"},
                            .values = {1.0F, 0.1F, -2.5F, 1e-20F, 0.0F, 3e30F}};
  writeCsv(folder.path() / "a.csv", table);
  QCOMPARE(readFile(folder.path() / "a.csv", 1000),
           std::string("k,c0,c1,c2\nr0,1,0.1,-2.5\nr1,1e-20,0,3e+30\n"));
}

void TestCsv::textIsQuotedWhereNeeded() {
  const FloatTable table = {
      .corner = "",
      .rows = {"say \"x\"", "line\nbreak"},
      .columns = {"a,b"},
      .values = {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}};
  QCOMPARE(encodeCsv(table),
           std::string(",\"a,b\"\n\"say \"\"x\"\"\",nan\n\"line\nbreak\",-inf\n"));
}

void TestCsv::namesAreNoFormulas() {
  const FloatTable table = {
      .corner = "@x", .rows = {"=1+1", "-2"}, .columns = {"+cmd"}, .values = {-0.5F, 1.0F}};
  QCOMPARE(encodeCsv(table), std::string("'@x,'+cmd\n'=1+1,-0.5\n-2,1\n"));
}

void TestCsv::numbersComeBackExactly() {
  KeyedRandom random({4});
  for (int i = 0; i < 10'000; ++i) {
    const auto value =
        static_cast<float>(random.uniform(-1, 1) * std::pow(10, random.between(-30, 30)));
    const std::string csv =
        encodeCsv({.corner = "", .rows = {""}, .columns = {""}, .values = {value}});
    float back = 0;
    std::from_chars(csv.data() + 3, csv.data() + csv.size(), back);
    QVERIFY2(back == value, csv.c_str());
  }
}

void TestCsv::valuesMustFillTheTable() {
  QVERIFY(
      errorOf([] { encodeCsv({.corner = "", .rows = {"a"}, .columns = {"b"}, .values = {}}); }));
}

QTEST_GUILESS_MAIN(TestCsv)
#include "tst_csv.moc"
