#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

#include <QAction>
#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include "widgets/export/export_file.h"
#include "widgets/plots/axes/axis_tickers.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CurveSamples ramp(int from, int count, double slope = 1) {
  CurveSamples samples;
  for (int i = from; i < from + count; ++i) {
    samples.step.push_back(i);
    samples.epoch.push_back(i / 10.0);
    samples.seconds.push_back(i * 0.5);
    samples.y.push_back(1 + slope * i);
  }
  return samples;
}

CurveSeries series(std::string key, CurveSamples samples, int panel = 0) {
  CurveSeries result;
  result.key = result.label = std::move(key);
  result.samples = std::move(samples);
  result.panel = panel;
  return result;
}

/// A visible plot with two panels and one series of 100 points in the first.
struct Shown {
  CurvePlot plot{{{u"Loss"_s}, {u"Accuracy"_s, true}}};

  explicit Shown(CurveSamples samples = ramp(0, 100)) {
    plot.resize(600, 400);
    plot.setSeries({series("train", std::move(samples))});
    plot.show();
    [[maybe_unused]] const bool exposed = QTest::qWaitForWindowExposed(&plot);
  }

  void wheel(const QPoint& at, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(at,
                      plot.mapToGlobal(at),
                      {},
                      {0, 120 * notches},
                      Qt::NoButton,
                      modifiers,
                      Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(mouse(), &event);
  }

  /// The widget that receives mouse events.
  QWidget* mouse() { return plot.findChild<QWidget*>(); }

  void move(const QPoint& at) {
    QMouseEvent event(QEvent::MouseMove,
                      at,
                      mouse()->mapToGlobal(at),
                      Qt::NoButton,
                      Qt::NoButton,
                      Qt::NoModifier);
    QApplication::sendEvent(mouse(), &event);
  }

  /// Whether the view reaches from 0 to the last point, with small margins.
  bool showsWhole(double last) const {
    const auto [low, high] = plot.visibleRange();
    return low <= 0 && low > -0.02 * last && high >= last && high < 1.02 * last;
  }

  double width() const { return plot.visibleRange().second - plot.visibleRange().first; }
};

int countOfColor(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      const int distance = std::abs(pixel.red() - color.red()) +
                           std::abs(pixel.green() - color.green()) +
                           std::abs(pixel.blue() - color.blue());
      if (distance < 30) ++count;
    }
  }
  return count;
}

}  // namespace

class TestCurvePlot : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void showsAllPointsWhileItFollows() {
    Shown shown;
    QVERIFY(shown.showsWhole(99.0));
    shown.plot.append("train", ramp(100, 50));
    QVERIFY(shown.showsWhole(149.0));
  }

  void zoomStaysWhilePointsArrive() {
    Shown shown;
    shown.wheel({300, 100}, 3);
    QVERIFY(!shown.plot.follow());
    const auto before = shown.plot.visibleRange();
    QVERIFY(before.second - before.first < 60);
    shown.plot.append("train", ramp(100, 50));
    QCOMPARE(shown.plot.visibleRange(), before);
    shown.plot.followAction()->trigger();
    QVERIFY(shown.plot.follow());
    QVERIFY(shown.showsWhole(149.0));
  }

  void wheelZoomsAtThePointer() {
    Shown shown;
    shown.move({200, 100});
    const double before = *shown.plot.crosshair();
    shown.wheel({200, 100}, 2);
    QVERIFY(std::abs(*shown.plot.crosshair() - before) < 1e-6);
  }

  void modifiersZoomOneDirection() {
    Shown shown;
    const QImage before = shown.plot.grab().toImage();
    shown.wheel({300, 100}, 2, Qt::ControlModifier);
    QVERIFY(shown.showsWhole(99.0));
    QVERIFY(!shown.plot.follow());
    QTRY_VERIFY(shown.plot.grab().toImage() != before);
    shown.wheel({300, 100}, 2, Qt::ShiftModifier);
    QVERIFY(shown.width() < 99);
  }

  void dragZoomsIntoTheBox() {
    Shown shown;
    shown.move({200, 100});
    const double left = *shown.plot.crosshair();
    shown.move({400, 100});
    const double right = *shown.plot.crosshair();
    QTest::mousePress(shown.mouse(), Qt::LeftButton, {}, {200, 80});
    shown.move({300, 100});
    QTest::mouseRelease(shown.mouse(), Qt::LeftButton, {}, {400, 120});
    const auto [low, high] = shown.plot.visibleRange();
    QVERIFY(std::abs(low - left) < 0.5 && std::abs(high - right) < 0.5);
    QVERIFY(!shown.plot.follow());
  }

  void middleDragMoves() {
    Shown shown;
    shown.plot.setVisibleRange(40, 60);
    QTest::mousePress(shown.mouse(), Qt::MiddleButton, {}, {300, 100});
    shown.move({200, 100});
    QTest::mouseRelease(shown.mouse(), Qt::MiddleButton, {}, {200, 100});
    QVERIFY(shown.plot.visibleRange().first > 42);
    QVERIFY(std::abs(shown.width() - 20) < 1e-6);
  }

  void spaceDragMovesAndSpaceAloneIsReported() {
    Shown shown;
    QSignalSpy tapped(&shown.plot, &CurvePlot::spaceTapped);
    shown.plot.setVisibleRange(40, 60);
    shown.plot.setFocus();
    QTest::keyPress(&shown.plot, Qt::Key_Space);
    QTest::mousePress(shown.mouse(), Qt::LeftButton, {}, {300, 100});
    shown.move({200, 100});
    QTest::mouseRelease(shown.mouse(), Qt::LeftButton, {}, {200, 100});
    QTest::keyRelease(&shown.plot, Qt::Key_Space);
    QVERIFY(shown.plot.visibleRange().first > 42);
    QCOMPARE(tapped.count(), 0);
    QTest::keyClick(&shown.plot, Qt::Key_Space);
    QCOMPARE(tapped.count(), 1);
  }

  void doubleClickAndKeysShowEverything() {
    Shown shown;
    shown.plot.setVisibleRange(40, 60);
    QTest::mouseDClick(shown.mouse(), Qt::LeftButton, {}, {300, 100});
    QVERIFY(shown.showsWhole(99.0));
    for (const Qt::Key key : {Qt::Key_0, Qt::Key_F}) {
      QTest::keyClick(&shown.plot, Qt::Key_Plus);
      QTest::keyClick(&shown.plot, Qt::Key_Right);
      QVERIFY(shown.width() < 90);
      QVERIFY(!shown.plot.follow());
      QTest::keyClick(&shown.plot, key);
      QVERIFY(shown.showsWhole(99.0));
      QVERIFY(shown.plot.follow());
    }
  }

  void aPlotWithoutPointsTakesEveryKeyAndWheel() {
    Shown shown{CurveSamples{}};
    shown.wheel({300, 100}, 30);
    for (const Qt::Key key : {Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Left, Qt::Key_Up, Qt::Key_F}) {
      QTest::keyClick(&shown.plot, key);
    }
    shown.move({300, 100});
    QVERIFY(!shown.plot.grab().isNull());
    QVERIFY(shown.plot.toCsv().isEmpty());
  }

  void zoomingEndlesslyStaysFinite() {
    Shown shown;
    shown.wheel({300, 100}, 2000);
    QVERIFY(std::isfinite(shown.plot.visibleRange().first) && shown.width() > 0);
    shown.wheel({300, 100}, -2000);
    QVERIFY(std::isfinite(shown.plot.visibleRange().first) && shown.width() <= 3 * 100);
  }

  void notFiniteIsRedAndCounted() {
    CurveSamples samples = ramp(0, 100);
    Shown clean(samples);
    const int redBefore = countOfColor(clean.plot.grab().toImage(), lightColors().error);
    samples.y[50] = kNaN;
    samples.y[70] = std::numeric_limits<double>::infinity();
    Shown shown(samples);
    const int red = countOfColor(shown.plot.grab().toImage(), lightColors().error);
    QVERIFY2(red > redBefore + 20, qPrintable(QString::number(red)));
    QVERIFY(shown.showsWhole(99.0));
  }

  void axesConvertWhatIsShown() {
    Shown shown;
    QSignalSpy changed(&shown.plot, &CurvePlot::axisChanged);
    shown.plot.setAxis(CurveAxis::epochs);
    QVERIFY(shown.showsWhole(9.9));
    shown.plot.setAxis(CurveAxis::time);
    QVERIFY(shown.showsWhole(49.5));
    QCOMPARE(changed.count(), 2);
  }

  void clickOnALineNamesIt() {
    Shown shown{ramp(0, 100, 0)};
    QSignalSpy clicked(&shown.plot, &CurvePlot::seriesClicked);
    for (int y = 30; y < 180 && clicked.isEmpty(); y += 3) {
      QTest::mouseClick(shown.mouse(), Qt::LeftButton, {}, {300, y});
    }
    QCOMPARE(clicked.count(), 1);
    QCOMPARE(clicked[0][0].value<std::string>(), std::string("train"));
  }

  void aNameStandsWhereItsLineLeaves() {
    CurveSamples samples;
    samples.step = {0, 100};
    samples.y = {0, 1};
    Shown shown(samples);
    QSignalSpy clicked(&shown.plot, &CurvePlot::seriesClicked);
    const auto heightOfName = [&] {
      clicked.clear();
      for (int y = 30; y < 200; ++y) {
        QTest::mouseClick(shown.mouse(), Qt::LeftButton, {}, {shown.plot.width() - 20, y});
        if (!clicked.isEmpty()) return y;
      }
      return -1;
    };
    const int atEnd = heightOfName();
    QVERIFY(atEnd > 0);
    // The view ends in the middle of the only segment.
    shown.plot.setVisibleRange(0, 50);
    QTest::qWait(20);
    const int inTheMiddle = heightOfName();
    QVERIFY2(inTheMiddle > atEnd + 30, qPrintable(u"%1 %2"_s.arg(atEnd).arg(inTheMiddle)));
    QVERIFY(inTheMiddle < 180);
  }

  void aNameStandsBesideTheEndOfAShorterLine() {
    Shown shown;
    shown.plot.setSeries({series("long", ramp(0, 100)), series("short", ramp(0, 20, 4))});
    QTest::qWait(20);
    QSignalSpy clicked(&shown.plot, &CurvePlot::seriesClicked);
    QPoint found;
    for (int x = 560; x > 60 && found.isNull(); x -= 5) {
      for (int y = 30; y < 200 && found.isNull(); y += 5) {
        clicked.clear();
        QTest::mouseClick(shown.mouse(), Qt::LeftButton, {}, {x, y});
        if (!clicked.isEmpty() && clicked[0][0].value<std::string>() == "short") found = {x, y};
      }
    }
    // The line ends at a fifth of the width.
    QVERIFY2(!found.isNull() && found.x() < 250, qPrintable(QString::number(found.x())));
  }

  void aLineKeepsItsWidthWhereAnotherCoincidesWithIt() {
    Shown shown;
    std::vector<CurveSeries> lines;
    for (const char* key : {"a", "b", "c", "d"}) {
      lines.push_back(series(key, ramp(0, 100, 0)));
      lines.back().colorIndex = static_cast<int>(lines.size()) - 1;
    }
    shown.plot.setSeries(lines);
    QTest::qWait(20);
    const Colors& colors = colorsOf(shown.plot);
    // In the row of pixels across the lines, what is not the page; tick marks are further left.
    const auto thickness = [&](const QImage& picture) {
      int pixels = 0;
      for (int y = 40; y < picture.height() / 2 - 20; ++y) {
        const QColor color = picture.pixelColor(picture.width() / 2, y);
        pixels += color.saturation() > 60;
      }
      return pixels;
    };
    const int onScreen = thickness(shown.plot.grab().toImage());
    QVERIFY2(onScreen >= 1 && onScreen <= 3, qPrintable(QString::number(onScreen)));
    QImage exported(600, 400, QImage::Format_RGB32);
    exported.fill(colors.page);
    QPainter painter(&exported);
    shown.plot.paintTo(painter, exported.size(), colors);
    painter.end();
    QCOMPARE(thickness(exported), onScreen);
  }

  void theNamesAtTheRightSayWhichLinesCoincide() {
    Shown shown;
    const auto namesFromTheTop = [&shown](CurveSamples other) {
      shown.plot.setSeries({series("train (epoch)", std::move(other)),
                            series("validation", ramp(0, 100, 0)),
                            series("apart", ramp(0, 100))});
      QTest::qWait(20);
      QSignalSpy clicked(&shown.plot, &CurvePlot::seriesClicked);
      std::vector<std::pair<std::string, int>> names;
      const int x = shown.plot.width() - 75;  // In the names, beside the lines.
      for (int y = 20; y < 200; ++y) {
        QTest::mouseClick(shown.mouse(), Qt::LeftButton, {}, {x, y});
        if (clicked.isEmpty()) continue;
        const auto name = clicked.takeFirst().constFirst().value<std::string>();
        if (names.empty() || names.back().first != name) names.emplace_back(name, y);
      }
      return names;
    };
    const auto together = namesFromTheTop(ramp(0, 100, 0));
    QCOMPARE(together.size(), std::size_t{3});
    QCOMPARE(together[1].first, std::string("validation"));
    QCOMPARE(together[2].first, std::string("train (epoch)"));
    // Directly below the name of the line that is seen.
    QVERIFY(together[2].second - together[1].second < 25);
    const auto inOrder = namesFromTheTop(ramp(0, 100, 0.5));
    QCOMPARE(inOrder.size(), std::size_t{3});
    QCOMPARE(inOrder[1].first, std::string("train (epoch)"));
  }

  void aLineIsPartedFromThoseBelowIt() {
    Shown shown;
    CurveSamples rising;
    rising.step = {0, 99};
    rising.y = {0, 2};
    CurveSeries above = series("above", rising);
    above.colorIndex = 1;
    shown.plot.setSeries({series("level", ramp(0, 100, 0)), above});
    QTest::qWait(20);
    const QImage picture = shown.plot.grab().toImage();
    const QColor level = colorsOf(shown.plot).series[0];
    // The level line has a gap where the other one crosses it.
    for (int y = 40; y < picture.height() / 2 - 20; ++y) {
      if (picture.pixelColor(picture.width() / 4, y) != level) continue;
      int gap = 0;
      for (int x = picture.width() / 4; x < picture.width() * 3 / 4; ++x) {
        gap += picture.pixelColor(x, y).saturation() < level.saturation() / 2;
      }
      QVERIFY(gap >= 2);
      return;
    }
    QFAIL("the level line is not drawn");
  }

  void theLossIsLogarithmicOverMoreThanTwoDecades() {
    CurvePlot plot({{.title = u"Loss"_s, .automaticLog = true}, {.title = u"Accuracy"_s}});
    CurveToolbar toolbar(plot, 0);
    CurveSamples falling = ramp(0, 3);
    falling.y = {2.3, 0.1, 0.03};
    plot.setSeries({series("loss", falling), series("accuracy", ramp(0, 300), 1)});
    QVERIFY(!plot.isLogScale(0));
    CurveSamples further = ramp(3, 1);
    further.y = {0.02};
    plot.append("loss", further);
    QVERIFY(plot.isLogScale(0));
    QVERIFY(!plot.isLogScale(1));
    QVERIFY(toolbar.logAction()->isChecked());
    // What a person has chosen stays, also after the next start.
    toolbar.logAction()->trigger();
    QVERIFY(!plot.isLogScale(0));
    plot.append("loss", ramp(4, 1, 1000));
    QVERIFY(!plot.isLogScale(0));
    QTemporaryDir folder;
    QSettings settings(folder.filePath(u"layout.ini"_s), QSettings::IniFormat);
    toolbar.saveLayout(settings);
    plot.releaseLogScale(0);
    QVERIFY(plot.isLogScale(0));
    toolbar.restoreLayout(settings);
    QVERIFY(!plot.isLogScale(0));
    settings.clear();
    toolbar.restoreLayout(settings);
    QVERIFY(plot.isLogScale(0));
  }

  void epochsAreWholeNumbers() {
    const auto labels = [](double low, double high) {
      const QSharedPointer<QCPAxisTicker> ticker = placeTicker(CurveAxis::epochs);
      QVector<double> ticks;
      QVector<QString> texts;
      ticker->generate({low, high}, QLocale::c(), u'f', 3, ticks, nullptr, &texts);
      return QStringList(texts.begin(), texts.end());
    };
    const QStringList two = labels(1, 2.01);
    QVERIFY(two.contains(u"1"_s) && two.contains(u"2"_s));
    QVERIFY(two.filter(u"."_s).isEmpty());
    QVERIFY(labels(0, 12).filter(u"."_s).isEmpty());
    QVERIFY2(!labels(3.2, 3.6).filter(u"."_s).isEmpty(), "within an epoch there are parts of it");
  }

  void theFirstDotIsWhole() {
    constexpr double kRadius = 2.5;
    Shown shown;
    for (const std::vector<double>& steps : {std::vector<double>{1, 2, 3}, {0, 10, 20}}) {
      CurveSamples samples;
      samples.step = steps;
      samples.y = {1, 3, 2};
      shown.plot.setSeries({series("dots", samples)});
      const auto [low, high] = shown.plot.visibleRange();
      const double pixels = (steps.front() - low) / (high - low) * shown.plot.width() / 2;
      QVERIFY2(pixels >= kRadius, qPrintable(QString::number(pixels)));
    }
  }

  void aSinglePointIsShownFromZero() {
    CurveSamples samples;
    samples.step = {624};
    samples.y = {0.53};
    Shown shown(samples);
    const auto [low, high] = shown.plot.visibleRange();
    QVERIFY2(low <= 0 && high > 624 && high < 640, qPrintable(u"%1 %2"_s.arg(low).arg(high)));
    const QImage picture = shown.plot.grab().toImage();
    // Near the top of its panel, since the panel begins at 0, too.
    int y = 0;
    while (y < picture.height() &&
           countOfColor(picture.copy(0, y, picture.width(), 1), lightColors().series[0]) == 0) {
      ++y;
    }
    QVERIFY2(y > 20 && y < 60, qPrintable(QString::number(y)));
  }

  void placeOfAnEventIsBroughtIntoView() {
    Shown shown;
    shown.plot.setVisibleRange(0, 10);
    shown.plot.showPlace(
        {.step = 80, .epoch = 8, .seconds = 40, .kind = CurveMarkKind::checkpoint, .text = {}});
    QCOMPARE(*shown.plot.crosshair(), 80.0);
    QVERIFY(shown.plot.visibleRange().first < 80 && shown.plot.visibleRange().second > 80);
    QVERIFY(!shown.plot.follow());
  }

  void numbersAreExportedAsTheyAre() {
    CurveSamples samples;
    samples.step = {1, 2, 3};
    samples.y = {1, kNaN, 4};
    CurveSeries one = series("a, b", samples);
    one.faintRaw = true;
    CurvePlot plot({{u"Loss"_s}});
    plot.setSmoothing(0.5);
    plot.setSeries({one});
    QCOMPARE(plot.toCsv(),
             u"series,panel,step,epoch,seconds,value,smoothed\n"
             "\"a, b\",Loss,1,,,1,1\n\"a, b\",Loss,2,,,NaN,NaN\n\"a, b\",Loss,3,,,4,3\n"_s);
  }

  void exportsInOtherColoursAndSizesAndComesBack() {
    Shown shown;
    const QImage before = shown.plot.grab().toImage();
    ExportOptions options;
    options.size = {800, 500};
    options.colors = &darkColors();
    const QImage dark = toImage(shown.plot, options);
    QVERIFY(countOfColor(dark, darkColors().page) > dark.width() * dark.height() / 2);
    QVERIFY(countOfColor(dark, darkColors().series[0]) > 100);
    QTest::qWait(0);
    QCOMPARE(shown.plot.grab().toImage(), before);
  }

  void strokesThatMeetAreAsDarkInFilesAsOnTheScreen() {
    Shown shown;
    CurveSamples upAndDown;
    for (int i = 0; i < 4000; ++i) {
      upAndDown.step.push_back(i);
      upAndDown.y.push_back(i % 2);
    }
    CurveSeries noise = series("noise", upAndDown);
    noise.faintRaw = true;
    shown.plot.setSmoothing(0.99);
    shown.plot.setSeries({noise});
    QTest::qWait(20);
    const auto lightness = [](const QImage& picture) {
      double sum = 0;
      for (int x = 200; x < 300; ++x) sum += picture.pixelColor(x, 70).lightnessF();
      return sum / 100;
    };
    const double onScreen = lightness(shown.plot.grab().toImage());
    QImage exported(600, 400, QImage::Format_RGB32);
    exported.fill(colorsOf(shown.plot).page);
    QPainter painter(&exported);
    shown.plot.paintTo(painter, exported.size(), colorsOf(shown.plot));
    painter.end();
    const double inFile = lightness(exported);
    QVERIFY2(onScreen < 0.9 && std::abs(inFile - onScreen) < 0.02,
             qPrintable(u"%1 on the screen, %2 in the file"_s.arg(onScreen).arg(inFile)));
  }

  void followsTheThemeAtRunTime() {
    Shown shown;
    applyTheme(*qApp, ThemeChoice::dark);
    QTRY_VERIFY(countOfColor(shown.plot.grab().toImage(), darkColors().page) > 100'000);
    applyTheme(*qApp, ThemeChoice::light);
    QTRY_VERIFY(countOfColor(shown.plot.grab().toImage(), lightColors().page) > 100'000);
  }

  void logarithmicScaleSurvivesWhatIsNotPositive() {
    CurveSamples samples = ramp(0, 100);
    samples.y[10] = 0;
    samples.y[20] = -5;
    Shown shown(samples);
    shown.plot.setLogScale(0, true);
    QVERIFY(shown.plot.isLogScale(0));
    QVERIFY(!shown.plot.grab().isNull());
    shown.wheel({300, 100}, 5);
    QVERIFY(!shown.plot.grab().isNull());
    shown.plot.setLogScale(0, false);
    QVERIFY(!shown.plot.grab().isNull());
  }

  void toolbarAndPlotAgree() {
    CurvePlot plot({{u"Loss"_s}});
    CurveToolbar toolbar(plot, 0);
    toolbar.logAction()->trigger();
    QVERIFY(plot.isLogScale(0));
    plot.setSmoothing(0.9);
    auto* slider = toolbar.findChild<QSlider*>();
    QCOMPARE(slider->value(), 20);
    slider->setValue(slider->maximum());
    QCOMPARE(plot.smoothing(), 0.999);
    slider->setValue(0);
    QCOMPARE(plot.smoothing(), 0.0);
    plot.setAxis(CurveAxis::time);
    const auto buttons = toolbar.findChildren<QToolButton*>();
    QVERIFY(std::ranges::any_of(
        buttons, [](QToolButton* b) { return b->isChecked() && b->text() == u"Time"_s; }));
  }

  /// The aim is 30 frames per second; because machines differ, a third of it passes.
  void hundredThousandPointsPanSmoothly() {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, 0.2);
    std::vector<CurveSeries> all;
    for (int panel = 0; panel < 2; ++panel) {
      for (const char* key : {"train", "validation"}) {
        CurveSamples samples;
        for (int i = 0; i < 100'000; ++i) {
          samples.step.push_back(i);
          samples.y.push_back(std::exp(-i / 30'000.0) + 0.5 + normal(random));
        }
        CurveSeries one = series(key, std::move(samples), panel);
        one.colorIndex = static_cast<int>(all.size());
        one.faintRaw = true;
        all.push_back(std::move(one));
      }
    }
    CurvePlot plot({{u"Loss"_s}, {u"Accuracy"_s}});
    plot.resize(1400, 800);
    plot.setSmoothing(0.9);
    plot.setSeries(std::move(all));
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.grab();

    constexpr int kFrames = 20;
    // Processor time measures only the drawing, not the other work of the machine.
    const std::clock_t start = std::clock();
    for (int frame = 0; frame < kFrames; ++frame) {
      plot.setVisibleRange(20'000 + 500 * frame, 80'000 + 500 * frame);
      QTest::qWait(0);
      plot.repaint();
    }
    const double milliseconds =
        1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kFrames;
    qInfo("a frame of four curves of 100,000 points: %.1f ms, %.0f frames/s",
          milliseconds,
          1000 / milliseconds);
    QVERIFY(milliseconds < 100);
  }
};

}  // namespace lambda

QTEST_MAIN(lambda::TestCurvePlot)
#include "tst_curve_plot.moc"
