#include <cmath>

#include <QSignalSpy>
#include <QtTest/QtTest>

#include "widgets/plots/axes/axis_tickers.h"
#include "widgets/plots/scatter/scatter_plot.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<ScatterPoint> somePoints() {
  return {{"a", u"a"_s, 1e5, 0.8, 0},
          {"b", u"b, the second"_s, 1e6, 0.9, 1},
          {"worse", u"worse"_s, 2e6, 0.85, -1},
          {"unknown", u"unknown"_s, 3e6, kNaN, -1}};
}

}  // namespace

class TestScatterPlot : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void theFrontHasWhatNothingBeats();
  void theFrontTakesOneOfEqualPoints();
  void lessMayBeBetter();
  void alongXMoreMayBeBetter();
  void pointsLieWhereTheirValuesSay();
  void clickingSelectsTheNearestPoint();
  void keysWalkAlongX();
  void ticksAreRoundAndWithinTheRange_data();
  void ticksAreRoundAndWithinTheRange();
  void wheelAndBoxZoomAndADoubleClickShowsEverything();
  void csvLeavesOutWhatIsNotKnown();
  void withoutPointsItSaysWhatToDo();
  void themeTextAndFocusRepaintIt();

 private:
  std::unique_ptr<ScatterPlot> plot_;
};

void TestScatterPlot::init() {
  plot_ = std::make_unique<ScatterPlot>();
  plot_->resize(600, 400);
  plot_->setAxes({u"Parameters"_s, ValueUnit::count, true},
                 {u"Validation"_s, ValueUnit::percent, false});
  plot_->setPoints(somePoints());
}

void TestScatterPlot::theFrontHasWhatNothingBeats() {
  QCOMPARE(paretoFront(somePoints()), (std::vector<std::size_t>{0, 1}));
  QVERIFY(paretoFront({}).empty());
}

void TestScatterPlot::lessMayBeBetter() {
  const std::vector<ScatterPoint> points{{"small", u"small"_s, 1, 3},
                                         {"beaten", u"beaten"_s, 2, 4},
                                         {"cheap", u"cheap"_s, 3, 1},
                                         {"equal", u"equal"_s, 4, 1}};
  QCOMPARE(paretoFront(points, {.y = Better::lower}), (std::vector<std::size_t>{0, 2}));
  plot_->setPoints(points);
  plot_->setAxes({u"Parameters"_s, ValueUnit::count, true},
                 {u"Time"_s, ValueUnit::number, false},
                 {.y = Better::lower});
  QVERIFY(plot_->toCsv().contains(u"beaten,2,4,0"_s));
  QVERIFY(plot_->toCsv().contains(u"cheap,3,1,1"_s));
}

void TestScatterPlot::theFrontTakesOneOfEqualPoints() {
  const std::vector<ScatterPoint> points{
      {"a", {}, 2, 0.5}, {"b", {}, 1, 0.5}, {"c", {}, 1, 0.5}, {"d", {}, 1, 0.4}};
  QCOMPARE(paretoFront(points), std::vector<std::size_t>{1});
}

void TestScatterPlot::alongXMoreMayBeBetter() {
  const std::vector<ScatterPoint> points{{"slow", u"slow"_s, 100, 0.9},
                                         {"beaten", u"beaten"_s, 150, 0.7},
                                         {"fast", u"fast"_s, 300, 0.8},
                                         {"equal", u"equal"_s, 200, 0.8}};
  QCOMPARE(paretoFront(points, {.x = Better::higher}), (std::vector<std::size_t>{2, 0}));
  plot_->setAxes({u"Images per second"_s}, {u"Accuracy"_s}, {.x = Better::higher});
  plot_->setPoints(points);
  QVERIFY(plot_->toCsv().contains(u"fast,300,0.8,1\nequal,200,0.8,0"_s));
}

void TestScatterPlot::pointsLieWhereTheirValuesSay() {
  const QPointF a = plot_->positionOf(plot_->points()[0]);
  const QPointF b = plot_->positionOf(plot_->points()[1]);
  const QPointF middle = plot_->positionOf({"", {}, std::sqrt(1e5 * 1e6), 0.85});
  QVERIFY(plot_->rect().contains(a.toPoint()) && plot_->rect().contains(b.toPoint()));
  QVERIFY(a.x() < b.x() && a.y() > b.y());
  QVERIFY(std::abs(middle.x() - (a.x() + b.x()) / 2) < 1e-6);
  QVERIFY(std::abs(middle.y() - (a.y() + b.y()) / 2) < 1e-6);
}

void TestScatterPlot::clickingSelectsTheNearestPoint() {
  QSignalSpy clicks(plot_.get(), &ScatterPlot::pointClicked);
  const QPoint b = plot_->positionOf(plot_->points()[1]).toPoint();
  QTest::mouseClick(plot_.get(), Qt::LeftButton, {}, b + QPoint(4, 4));
  QCOMPARE(clicks.size(), 1);
  QCOMPARE(clicks.first().first().value<std::string>(), std::string("b"));
  QTest::mouseClick(plot_.get(), Qt::LeftButton, {}, b + QPoint(0, 60));
  QCOMPARE(clicks.size(), 1);
}

void TestScatterPlot::keysWalkAlongX() {
  QSignalSpy clicks(plot_.get(), &ScatterPlot::pointClicked);
  for (int i = 0; i < 4; ++i) QTest::keyClick(plot_.get(), Qt::Key_Right);
  QStringList keys;
  for (const auto& click : clicks)
    keys << QString::fromStdString(click.first().value<std::string>());
  QCOMPARE(keys, (QStringList{u"a"_s, u"b"_s, u"worse"_s, u"worse"_s}));
}

void TestScatterPlot::ticksAreRoundAndWithinTheRange_data() {
  QTest::addColumn<PlotAxis>("axis");
  QTest::addColumn<double>("low");
  QTest::addColumn<double>("high");
  QTest::addColumn<QStringList>("texts");
  using List = QStringList;
  const PlotAxis percent{{}, ValueUnit::percent, false};
  const PlotAxis counts{{}, ValueUnit::count, true};
  const PlotAxis times{{}, ValueUnit::seconds, true};
  QTest::newRow("percent") << percent << 0.78 << 0.92
                           << List{u"80.0 %"_s, u"82.5 %"_s, u"85.0 %"_s, u"87.5 %"_s, u"90.0 %"_s};
  QTest::newRow("small percent") << percent << 0.871 << 0.8745
                                 << List{u"87.1 %"_s, u"87.2 %"_s, u"87.3 %"_s, u"87.4 %"_s};
  QTest::newRow("quarters of a tenth") << PlotAxis{{}, ValueUnit::number, false} << 89.86 << 89.96
                                       << List{u"89.875"_s, u"89.900"_s, u"89.925"_s, u"89.950"_s};
  QTest::newRow("counts") << counts << 9e4 << 1.2e6
                          << List{u"100 k"_s, u"200 k"_s, u"500 k"_s, u"1 M"_s};
  QTest::newRow("wide counts") << counts << 2e4 << 5e7 << List{u"100 k"_s, u"1 M"_s, u"10 M"_s};
  QTest::newRow("narrow counts") << counts << 1.1e6 << 1.25e6
                                 << List{u"1.1 M"_s,
                                         u"1.125 M"_s,
                                         u"1.15 M"_s,
                                         u"1.175 M"_s,
                                         u"1.2 M"_s,
                                         u"1.225 M"_s,
                                         u"1.25 M"_s};
  QTest::newRow("times") << times << 50.0 << 900.0
                         << List{u"1 min"_s, u"2 min"_s, u"5 min"_s, u"10 min"_s, u"15 min"_s};
}

void TestScatterPlot::ticksAreRoundAndWithinTheRange() {
  QFETCH(PlotAxis, axis);
  QFETCH(double, low);
  QFETCH(double, high);
  QFETCH(QStringList, texts);
  const QSharedPointer<QCPAxisTicker> ticker = valueTicker(axis.unit, axis.logarithmic);
  ticker->setTickCount(4);
  QVector<double> ticks;
  QVector<QString> labels;
  ticker->generate({low, high}, {}, u'g', 6, ticks, nullptr, &labels);
  QStringList found;
  for (qsizetype i = 0; i < ticks.size(); ++i) {
    if (ticks[i] >= low && ticks[i] <= high) found << labels[i];
  }
  QCOMPARE(found, texts);
}

void TestScatterPlot::wheelAndBoxZoomAndADoubleClickShowsEverything() {
  plot_->show();
  const ScatterPoint& a = plot_->points()[0];
  const ScatterPoint& b = plot_->points()[1];
  const double whole = plot_->positionOf(b).x() - plot_->positionOf(a).x();
  const QPointF middle = QRectF(plot_->rect()).center();
  QWheelEvent wheel(middle,
                    plot_->mapToGlobal(middle),
                    {},
                    {0, 120},
                    Qt::NoButton,
                    Qt::NoModifier,
                    Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(plot_.get(), &wheel);
  const double zoomed = plot_->positionOf(b).x() - plot_->positionOf(a).x();
  QVERIFY(zoomed > 1.1 * whole);
  QTest::mouseDClick(plot_.get(), Qt::LeftButton, {}, {300, 300});
  QCOMPARE(plot_->positionOf(b).x() - plot_->positionOf(a).x(), whole);
  QTest::mousePress(plot_.get(), Qt::LeftButton, {}, {200, 100});
  QTest::mouseMove(plot_.get(), {400, 300});
  QTest::mouseRelease(plot_.get(), Qt::LeftButton, {}, {400, 300});
  QVERIFY(plot_->positionOf(b).x() - plot_->positionOf(a).x() > 2 * whole);
  QTest::keyClick(plot_.get(), Qt::Key_F);
  QCOMPARE(plot_->positionOf(b).x() - plot_->positionOf(a).x(), whole);
}

void TestScatterPlot::csvLeavesOutWhatIsNotKnown() {
  QCOMPARE(plot_->toCsv(),
           u"name,Parameters,Validation,no point is better\na,100000,0.8,1\n"
           "\"b, the second\",1000000,0.9,1\nworse,2000000,0.85,0\n"_s);
}

void TestScatterPlot::withoutPointsItSaysWhatToDo() {
  plot_->setPalette(paletteOf(lightColors()));
  plot_->setPoints({});
  const QImage before = plot_->grab().toImage();
  plot_->setEmptyText(u"Train a network first."_s);
  QVERIFY(plot_->grab().toImage() != before);
  QVERIFY(plot_->toCsv().isEmpty());
}

void TestScatterPlot::themeTextAndFocusRepaintIt() {
  struct Paints : QObject {
    int count = 0;

    bool eventFilter(QObject*, QEvent* event) override {
      if (event->type() == QEvent::Paint) ++count;
      return false;
    }
  } paints;

  plot_->installEventFilter(&paints);
  plot_->show();
  QVERIFY(QTest::qWaitForWindowExposed(plot_.get()));
  const auto repaints = [&](const auto& change) {
    QTest::qWait(0);
    paints.count = 0;
    change();
    return QTest::qWaitFor([&] { return paints.count > 0; }, 500);
  };
  QVERIFY(repaints([&] { plot_->setPalette(paletteOf(darkColors())); }));
  QVERIFY(repaints([&] {
    QFont font = plot_->font();
    font.setPixelSize(31);
    plot_->setFont(font);
  }));
  plot_->activateWindow();
  QTRY_VERIFY(plot_->isActiveWindow());
  plot_->clearFocus();
  QVERIFY(repaints([&] { plot_->setFocus(); }));
  QVERIFY(plot_->hasFocus());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestScatterPlot)
#include "tst_scatter_plot.moc"
