#include <cmath>
#include <limits>

#include <QDateTime>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QRegularExpression>
#include <QTest>

#include "engine/values/text/quantities.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

class TestQuantityText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyQuantityHasOneRule_data();
  void everyQuantityHasOneRule();
  void theStudioWritesTheSameInEveryLocale();
  void momentsNameTheYearWhereItIsAnother();
  void pathsThatAreNotUtf8AreShown();
  void aRoleIsAppliedWhereItChanges();
  void nothingElseWritesQuantities();
};

void TestQuantityText::everyQuantityHasOneRule_data() {
  QTest::addColumn<QString>("shown");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const std::string& written, const QString& expected) {
    QTest::newRow(name) << QString::fromStdString(written) << expected;
  };
  row("fixed", formatFixed(0.5, 2), u"0.50"_s);
  row("fixed, not finite", formatFixed(-kInfinity, 2), u"-Infinity"_s);
  row("measured", formatMeasured(0.041684), u"0.0417"_s);
  row("measured, whole digits stay", formatMeasured(12345.6), u"12346"_s);
  row("measured, rounded up", formatMeasured(9.996), u"10.0"_s);
  row("measured, small", formatMeasured(3.14e-7), u"3.14e-7"_s);
  row("measured, rounded up to 0.001", formatMeasured(0.00099999), u"1.00e-3"_s);
  row("measured, large", formatMeasured(-2.5e12), u"-2.50e12"_s);
  row("measured, zero", formatMeasured(0), u"0"_s);
  row("measured, NaN", formatMeasured(kNaN), u"NaN"_s);
  row("rounded", formatRounded(0.05), u"0.05"_s);
  row("rounded, digits", formatRounded(0.123456), u"0.1235"_s);
  row("rounded, whole", formatRounded(120), u"120"_s);
  row("rounded, small", formatRounded(5e-4), u"5e-4"_s);
  row("rounded, zero", formatRounded(0), u"0"_s);
  row("count", formatCount(1234567), u"1,234,567"_s);
  row("count, negative", formatCount(-1000), u"-1,000"_s);
  row("one", formatCounted(1, "epoch"), u"1 epoch"_s);
  row("many", formatCounted(3000, "image"), u"3,000 images"_s);
  row("epochs", formatCounted(2, "epoch"), u"2 epochs"_s);
  row("batches", formatCounted(2, "batch"), u"2 batches"_s);
  row("short count", formatShortCount(456), u"456"_s);
  row("short count, thousands", formatShortCount(1234), u"1.23 k"_s);
  row("short count, rounded up", formatShortCount(999999), u"1.00 M"_s);
  row("short count, two digits", formatShortCount(303400000, 2), u"303 M"_s);
  row("short count, negative", formatShortCount(-1500), u"-1.50 k"_s);
  row("bytes", formatBytes(512), u"512 B"_s);
  row("bytes, decimal", formatBytes(1024), u"1.02 kB"_s);
  row("bytes, two digits", formatBytes(5240000, 2), u"5.2 MB"_s);
  row("bytes, memory", formatBytes(16'900'000'000), u"16.9 GB"_s);
  row("cache", formatCacheSize(48 * 1024), u"48 KiB"_s);
  row("cache, large", formatCacheSize(2 << 20), u"2.0 MiB"_s);
  row("percent", formatPercent(0.8649), u"86.5 %"_s);
  row("percent, whole", formatPercent(1), u"100.0 %"_s);
  row("percent, not quite whole", formatPercent(0.99996), u">99.9 %"_s);
  row("percent, not quite whole, no decimals", formatPercent(0.998, 0), u">99 %"_s);
  row("percent, the mean of ten ones", formatPercent(10 * 0.1 - 1e-16), u"100.0 %"_s);
  row("percent, nothing", formatPercent(0), u"0.0 %"_s);
  row("percent, hardly anything", formatPercent(1e-6), u"<0.1 %"_s);
  row("percent, NaN", formatPercent(kNaN), u"NaN"_s);
  row("accuracy", formatAccuracy(0.8649), u"86.49 %"_s);
  row("accuracy, one wrong of 50,000", formatAccuracy(49999.0 / 50000), u">99.99 %"_s);
  row("seconds", formatDuration(4.21), u"4.2 s"_s);
  row("whole seconds", formatDuration(41.7), u"42 s"_s);
  row("minutes, rounded up", formatDuration(59.6), u"1 min 00 s"_s);
  row("minutes", formatDuration(200), u"3 min 20 s"_s);
  row("hours", formatDuration(3725), u"1 h 02 min"_s);
  row("days", formatDuration(200'000), u"2 d 7 h"_s);
  row("duration not known", formatDuration(-1), u"?"_s);
  row("clock", formatClock(42.4), u"0:42"_s);
  row("clock, hours", formatClock(3760), u"1:02:40"_s);
  row("clock, before", formatClock(-42), u"-0:42"_s);
}

void TestQuantityText::everyQuantityHasOneRule() {
  QFETCH(QString, shown);
  QFETCH(QString, expected);
  QCOMPARE(shown, expected);
}

void TestQuantityText::theStudioWritesTheSameInEveryLocale() {
  const QLocale own;
  for (const QLocale& locale :
       {QLocale::c(), QLocale(QLocale::German, QLocale::Germany), QLocale(QLocale::Hindi)}) {
    QLocale::setDefault(locale);
    QCOMPARE(countText(1234567), u"1,234,567"_s);
    QCOMPARE(shortCountText(1234), u"1.23 k"_s);
    QCOMPARE(bytesText(5240000), u"5.24 MB"_s);
    QCOMPARE(accuracyText(0.8649), u"86.49 %"_s);
    QCOMPARE(roundedText(0.05), u"0.05"_s);
    QCOMPARE(numberText(-3.14e-7), u"−3.14e−7"_s);
    QCOMPARE(numberText(-kInfinity), u"−∞"_s);
    QCOMPARE(durationText(kNaN), u"–"_s);
    QCOMPARE(clockText(kInfinity), u"–"_s);
    const QDate day(2021, 12, 10);
    QCOMPARE(momentText(QDateTime(day, QTime(12, 0))), u"10 Dec 2021"_s);
  }
  QLocale::setDefault(own);
}

void TestQuantityText::momentsNameTheYearWhereItIsAnother() {
  const QDate today = QDate::currentDate();
  QCOMPARE(momentText(QDateTime(QDate(today.year(), 3, 9), QTime(7, 5))), u"9 Mar, 07:05"_s);
  QCOMPARE(momentText(QDateTime(QDate(2021, 4, 10), QTime(12, 0))), u"10 Apr 2021"_s);
  QCOMPARE(momentText(kNaN), QString());
}

void TestQuantityText::pathsThatAreNotUtf8AreShown() {
  const std::filesystem::path path("runs/\xff-1");
  QVERIFY(toText(path).startsWith(u"runs/"_s));
  QCOMPARE(toPath(u"runs/größer"_s), std::filesystem::path("runs/größer"));
}

void TestQuantityText::aRoleIsAppliedWhereItChanges() {
  QLabel label;
  setRole(label, u"error"_s);
  QCOMPARE(label.property(kRole).toString(), u"error"_s);
  setRole(label, {});
  QCOMPARE(label.property(kRole).toString(), QString());
}

/// Numbers for files and for input fields have their own notation.
void TestQuantityText::nothingElseWritesQuantities() {
  const QStringList rules{u"widgets/text/quantity_text.cpp"_s,
                          u"widgets/text/path_text.h"_s,
                          u"widgets/theme/shown_text.h"_s,
                          u"widgets/theme/widget_role.h"_s};
  static const QRegularExpression formatting(
      u"QLocale\\(|shownLocale\\(\\)\\.|formattedDataSize|decodeName|unpolish\\(&widget|"
      u"(number|arg)\\([^;]*, '[efgEFG]'"_s);
  const QString root = QStringLiteral(LAMBDA_RESOURCES "/..");
  QStringList found;
  for (const QString& folder : {u"/widgets"_s, u"/app"_s}) {
    QDirIterator files(
        root + folder, {u"*.cpp"_s, u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString name = files.next().mid(root.size() + 1);
      if (rules.contains(name)) continue;
      QFile file(files.filePath());
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QString text = QString::fromUtf8(file.readAll());
      if (text.contains(formatting)) found << name;
    }
  }
  QCOMPARE(found.join(u' '), QString());
}

}  // namespace lambda

QTEST_MAIN(lambda::TestQuantityText)
#include "tst_quantity_text.moc"
