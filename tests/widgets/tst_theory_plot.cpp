#include <cmath>

#include <QTest>

#include "widgets/plots/lines/theory_plot.h"
#include "widgets/qcustomplot_include.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

const double kNaN = std::nan("");

TheoryFigure figureOf(std::vector<TheorySeries> series) {
  TheoryFigure figure;
  figure.title = "Losses";
  figure.xTitle = "step";
  figure.yTitle = "loss";
  figure.series = std::move(series);
  return figure;
}

}  // namespace

/// How the figure of a theory experiment is drawn.
class TestTheoryPlot : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valuesThatAreNotFiniteAreGaps();
  void aLogarithmicAxisLeavesOutWhatIsNotPositive();
  void pointsAreNotConnected();
  void theAxesFollowTheFigure();
  void aFigureWithoutValuesSaysSo();

 private:
  static QCustomPlot& drawnBy(const TheoryPlot& plot) { return *plot.findChild<QCustomPlot*>(); }
};

void TestTheoryPlot::valuesThatAreNotFiniteAreGaps() {
  TheoryPlot plot;
  plot.setFigure(figureOf({{"a", {0, 1, 2, kNaN}, {3, kNaN, 5, 100}}}));
  const auto& data = *drawnBy(plot).graph(0)->data();
  QCOMPARE(data.size(), 3);
  QVERIFY(std::isnan(data.at(1)->value));
  QCOMPARE(data.at(2)->value, 5.0);
  QVERIFY(drawnBy(plot).yAxis->range().contains(3));
  QVERIFY(drawnBy(plot).yAxis->range().upper < 6);
  QCOMPARE(plot.toCsv(), u"series,step,loss\na,0,3\na,1,\na,2,5\na,,100\n"_s);
}

void TestTheoryPlot::aLogarithmicAxisLeavesOutWhatIsNotPositive() {
  TheoryFigure figure = figureOf({{"a", {0, 1, 2}, {0, 1e-6, 10}}});
  figure.isYLogarithmic = true;
  TheoryPlot plot;
  plot.setFigure(figure);
  const QCustomPlot& drawn = drawnBy(plot);
  QCOMPARE(drawn.yAxis->scaleType(), QCPAxis::stLogarithmic);
  QCOMPARE(drawn.xAxis->scaleType(), QCPAxis::stLinear);
  QVERIFY(std::isnan(drawn.graph(0)->data()->at(0)->value));
  QVERIFY(drawn.yAxis->range().lower > 1e-8 && drawn.yAxis->range().lower < 1e-6);
}

void TestTheoryPlot::pointsAreNotConnected() {
  TheoryPlot plot;
  plot.setFigure(figureOf({{"line", {0, 1}, {1, 2}}, {"points", {0, 1}, {2, 1}, true}}));
  const QCustomPlot& drawn = drawnBy(plot);
  QCOMPARE(drawn.graph(0)->lineStyle(), QCPGraph::lsLine);
  QVERIFY(drawn.graph(0)->scatterStyle().isNone());
  QCOMPARE(drawn.graph(1)->lineStyle(), QCPGraph::lsNone);
  QVERIFY(!drawn.graph(1)->scatterStyle().isNone());
}

void TestTheoryPlot::theAxesFollowTheFigure() {
  TheoryPlot plot;
  TheoryFigure figure = figureOf({{"a", {1, 100}, {1e-4, 1}}});
  figure.isYLogarithmic = true;
  plot.setFigure(figure);
  plot.setFigure(figureOf({{"a", {-1, 1}, {-2, 2}}}));
  const QCustomPlot& drawn = drawnBy(plot);
  QCOMPARE(drawn.yAxis->scaleType(), QCPAxis::stLinear);
  QVERIFY(drawn.yAxis->range().lower < -2 && drawn.yAxis->range().lower > -3);
  QVERIFY(drawn.xAxis->range().lower < -1 && drawn.xAxis->range().lower > -2);
  plot.setFigure(figureOf({{"a", {1, 2}, {1, 100}}}));
  QCOMPARE(drawn.yAxis->range().lower, 0.0);
}

void TestTheoryPlot::aFigureWithoutValuesSaysSo() {
  TheoryPlot plot;
  plot.setFigure(figureOf({{"a", {0, 1}, {kNaN, kNaN}}}));
  QVERIFY(drawnBy(plot).isHidden());
  QCOMPARE(plot.toCsv(), QString());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTheoryPlot)
#include "tst_theory_plot.moc"
