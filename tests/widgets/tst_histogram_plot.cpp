#include <cmath>
#include <numeric>

#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include "widgets/histograms/histogram_layout.h"
#include "widgets/histograms/histogram_plot.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kOne = 126 * kBinsPerOctave;  // The bin of magnitudes from 1 to 1.25.

/// A normal distribution of this deviation, with as many values.
std::shared_ptr<const Histogram> normal(double deviation, double count = 1e6) {
  auto histogram = std::make_shared<Histogram>();
  histogram->positive.first = histogram->negative.first = kOne - 60;
  for (int bin = kOne - 60; bin < kOne + 20; ++bin) {
    const double low = lowerMagnitude(bin) / (deviation * std::sqrt(2));
    const double high = lowerMagnitude(bin + 1) / (deviation * std::sqrt(2));
    const auto inside = static_cast<std::int64_t>(count / 2 * (std::erf(high) - std::erf(low)));
    histogram->positive.counts.push_back(inside);
    histogram->negative.counts.push_back(inside);
  }
  return histogram;
}

std::vector<HistogramColumn> widening() {
  return {{1, normal(0.5)}, {2, normal(0.6)}, {4, normal(0.8)}, {8, normal(1)}, {10, normal(1.2)}};
}

QImage drawn(const HistogramPlot& plot) {
  QImage image(plot.exportSize(), QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  plot.paintTo(painter, image.size(), lightColors());
  return image;
}

}  // namespace

/// The plot of histograms over the steps of a run.
class TestHistogramPlot : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void sharesFollowTheDistribution();
  void axesFitTheValues();
  void ticksAreRound();
  void stepsAreCellsUpToTheNext();
  void thePointerReadsStepValueAndShare();
  void keysWalkFromStepToStep();
  void valuesThatAreNotFiniteAreMarked();
  void bothFormsDrawTheirNumbers();
  void ridgesAreSpreadOverTheSteps();
  void anEmptyPlotSaysWhy();
};

void TestHistogramPlot::sharesFollowTheDistribution() {
  const auto histogram = normal(1);
  std::vector<double> places;
  for (int i = 0; i <= 120; ++i) places.push_back(-3 + i * 0.05);
  const std::vector<double> shares = sharesBetween(*histogram, {}, places);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double middle = (places[i] + places[i + 1]) / 2;
    const double expected = 0.05 * std::exp(-middle * middle / 2) / std::sqrt(2 * M_PI);
    QVERIFY2(std::abs(shares[i] - expected) < 0.06 * expected + 3e-4,
             qPrintable(u"%1: %2, %3"_s.arg(middle).arg(shares[i]).arg(expected)));
  }
  // A value that most share, such as the 0 of an activation, is in one cell.
  Histogram half = *histogram;
  half.zero = half.finiteCount();
  const std::vector<double> edges{-0.075, -0.025, 0.025, 0.075};
  const std::vector<double> around = sharesBetween(half, {}, edges);
  QVERIFY(around[1] > 0.5);
  QVERIFY(around[0] < 0.02 && around[2] < 0.02);
  QCOMPARE(sharesBetween({}, {}, edges), std::vector<double>(3, 0.0));
}

void TestHistogramPlot::axesFitTheValues() {
  const HistogramGrid linear = gridOf(widening(), false);
  QVERIFY(linear.low < -3 && linear.low > -6);
  QCOMPARE(linear.quantiles.size(), std::size_t{5});
  QVERIFY(std::abs(linear.quantiles[3][4] - 1.645) < 0.06);
  for (std::size_t column = 0; column < 5; ++column) {
    const auto first =
        linear.shares.begin() + static_cast<std::ptrdiff_t>(column * HistogramGrid::kRows);
    QVERIFY(std::accumulate(first, first + HistogramGrid::kRows, 0.0F) > 0.995F);
  }
  // Gradients that shrink a millionfold are still seen apart on a logarithmic axis.
  const HistogramGrid shrinking = gridOf({{1, normal(1)}, {2, normal(1e-4)}}, true);
  const auto widest = [&](std::size_t column) {
    int rows = 0;
    for (int row = 0; row < HistogramGrid::kRows; ++row) {
      if (shrinking.shareAt(column, row) > 0.001) ++rows;
    }
    return rows;
  };
  QVERIFY2(widest(1) > 20, qPrintable(QString::number(widest(1))));
  for (const HistogramGrid& each :
       {gridOf({}, false), gridOf({{1, std::make_shared<Histogram>()}}, true)}) {
    QVERIFY(each.low < each.high);
    QCOMPARE(each.greatestShare(), 0.0);
  }
}

void TestHistogramPlot::ticksAreRound() {
  QCOMPARE(valueTicks({}, -1.1, 1.1, 5), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  const ValueScale scale{true, 1e-4};
  const std::vector<double> ticks = valueTicks(scale, scale.placeOf(-2), scale.placeOf(2), 20);
  QVERIFY(std::ranges::find(ticks, 0.0) != ticks.end());
  QVERIFY(std::abs(ticks.back() - 1) < 1e-9);
  QVERIFY(std::abs(ticks.front() + 1) < 1e-9);
  for (const double place : {-3.0, 0.0, 0.5}) {
    QVERIFY(std::abs(scale.placeOf(scale.valueAt(place)) - place) < 1e-9);
  }
}

void TestHistogramPlot::stepsAreCellsUpToTheNext() {
  HistogramPlot plot;
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, widening());
  const QSize size(600, 400);
  const HistogramLayout layout(plot.picture(), size);
  QCOMPARE(layout.endOf(2), 8.0);
  QCOMPARE(layout.endOf(4), 12.0);
  const QRectF area = layout.area();
  const auto columnAt = [&](double share) {
    return layout.at({area.left() + share * area.width(), area.center().y()})->first;
  };
  QCOMPARE(columnAt(0.01), std::size_t{0});
  QCOMPARE(columnAt(0.5), std::size_t{2});
  QCOMPARE(columnAt(0.99), std::size_t{4});
  QVERIFY(!layout.at({area.left() - 5, area.center().y()}));
}

void TestHistogramPlot::thePointerReadsStepValueAndShare() {
  HistogramPlot plot;
  plot.resize(600, 400);
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, widening());
  plot.show();
  QVERIFY(QTest::qWaitForWindowExposed(&plot));
  QSignalSpy changed(&plot, &HistogramPlot::readoutChanged);
  const HistogramLayout layout(plot.picture(), plot.size());
  QTest::mouseMove(&plot, layout.area().center().toPoint());
  QTRY_VERIFY(!changed.isEmpty());
  QVERIFY2(plot.readout().startsWith(u"Step 4 · "_s), qPrintable(plot.readout()));
  QVERIFY(plot.readout().contains(u"median 0"_s) || plot.readout().contains(u"median "_s));
  QCOMPARE(plot.accessibleDescription(), plot.readout());
  // The crosshair stays at its step when newer steps arrive.
  std::vector<HistogramColumn> more = widening();
  more.push_back({12, normal(1.5)});
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, more);
  QVERIFY(plot.readout().startsWith(u"Step 4 · "_s));
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, {});
  QVERIFY(plot.readout().isEmpty());
}

void TestHistogramPlot::keysWalkFromStepToStep() {
  HistogramPlot plot;
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, widening());
  QTest::keyClick(&plot, Qt::Key_Left);
  QVERIFY(plot.readout().startsWith(u"Step 10 "_s));
  QTest::keyClick(&plot, Qt::Key_Left);
  QVERIFY(plot.readout().startsWith(u"Step 8 "_s));
  for (int i = 0; i < 9; ++i) QTest::keyClick(&plot, Qt::Key_Right);
  QVERIFY(plot.readout().startsWith(u"Step 10 "_s));
}

void TestHistogramPlot::valuesThatAreNotFiniteAreMarked() {
  HistogramPlot plot;
  auto broken = std::make_shared<Histogram>(*normal(1));
  auto nothingFinite = std::make_shared<Histogram>();
  nothingFinite->notANumber = 5;
  broken->notANumber = 7;
  std::vector<HistogramColumn> columns = widening();
  columns.push_back({12, broken});
  columns.push_back({14, nothingFinite});
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, columns);
  const QImage image = drawn(plot);
  const HistogramLayout layout(plot.picture(), image.size());
  const auto markAt = [&](double step) {
    return image.pixelColor(QPointF(layout.xOfStep(step + 0.5), layout.area().top() - 2).toPoint());
  };
  QCOMPARE(markAt(12), lightColors().error);
  QCOMPARE(markAt(14), lightColors().error);
  QVERIFY(markAt(8) != lightColors().error);
  QTest::keyClick(&plot, Qt::Key_Left);
  QCOMPARE(plot.readout(), u"Step 14 · not finite: 5 of 5"_s);
  QVERIFY(plot.toCsv().endsWith(u"14,NaN,NaN,5\n"_s));
}

void TestHistogramPlot::bothFormsDrawTheirNumbers() {
  HistogramPlot plot;
  plot.resize(640, 400);
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, widening());
  const QImage heatmap = drawn(plot);
  const HistogramLayout layout(plot.picture(), heatmap.size());
  // The middle of the last step is brighter than its edge, where no values are.
  const double x = layout.xOfStep(11);
  const QColor middle = heatmap.pixelColor(QPointF(x, layout.positionOf(0.3)).toPoint());
  const QColor edge = heatmap.pixelColor(QPointF(x, layout.area().top() + 1).toPoint());
  QVERIFY(middle.lightness() < 250);
  QVERIFY(middle != edge);
  plot.setQuantilesVisible(false);
  QVERIFY(drawn(plot) != heatmap);
  plot.setForm(HistogramForm::ridges);
  const QImage ridges = drawn(plot);
  QVERIFY(ridges != heatmap);
  plot.setLogarithmic(true);
  QVERIFY(drawn(plot) != ridges);
  QVERIFY(plot.toCsv().startsWith(u"step,low,high,count\n1,"_s));
}

void TestHistogramPlot::ridgesAreSpreadOverTheSteps() {
  HistogramPlot plot;
  std::vector<HistogramColumn> columns;
  for (int step = 1; step <= 500; ++step) columns.push_back({step, normal(1)});
  plot.setHistograms(u"stem · Weights"_s, u"weight"_s, columns);
  plot.setForm(HistogramForm::ridges);
  const HistogramLayout layout(plot.picture(), {600, 400});
  QVERIFY(layout.ridges().size() >= 10 && layout.ridges().size() <= 40);
  QCOMPARE(layout.ridges().front(), std::size_t{0});
  QCOMPARE(layout.ridges().back(), std::size_t{499});
  // The newest lies in front, at the bottom.
  QVERIFY(layout.baselineOf(layout.ridges().size() - 1) > layout.baselineOf(0));
  QCOMPARE(layout.baselineOf(layout.ridges().size() - 1), layout.area().bottom());
  QVERIFY(layout.baselineOf(0) - layout.ridgeHeight() >= layout.area().top() - 1);
}

void TestHistogramPlot::anEmptyPlotSaysWhy() {
  HistogramPlot plot;
  plot.resize(400, 300);
  plot.setEmptyText(u"Nothing yet."_s);
  const QImage before = plot.grab().toImage();
  plot.setEmptyText({});
  QVERIFY(plot.grab().toImage() != before);
  QVERIFY(plot.toCsv().isEmpty());
  QTest::keyClick(&plot, Qt::Key_Right);
  QVERIFY(plot.readout().isEmpty());
}

}  // namespace lambda

QTEST_MAIN(lambda::TestHistogramPlot)
#include "tst_histogram_plot.moc"
