#include <QFile>
#include <QLabel>
#include <QPainter>
#include <QPointer>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest/QtTest>

#include "tests/support/example_snapshot.h"
#include "widgets/export/export_file.h"
#include "widgets/pictures/bar_list.h"
#include "widgets/pictures/explanation.h"
#include "widgets/pictures/images/image_conversion.h"
#include "widgets/pictures/images/image_grid.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/pictures/large_picture.h"
#include "widgets/plots/lines/spectrum_view.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// Images of one colour: image i has red = i and green = blue = 8.
std::shared_ptr<const LabeledImages> plainImages(int count) {
  auto images = std::make_shared<LabeledImages>();
  images->height = images->width = 4;
  for (int i = 0; i < count; ++i) {
    images->pixels.insert(images->pixels.end(), 16, static_cast<std::uint8_t>(i % 256));
    images->pixels.insert(images->pixels.end(), 32, std::uint8_t{8});
    images->labels.push_back(0);
  }
  return images;
}

std::vector<GridImage> allOf(int count) {
  std::vector<GridImage> all;
  for (int i = 0; i < count; ++i) all.push_back({.index = i, .caption = QString::number(i)});
  return all;
}

/// Fills a view with 6 x 5 positions over an image of 30 x 30 pixels.
void fill(ImageView& view, const InspectionSnapshot& snapshot) {
  view.resize(420, 400);
  view.setImage(snapshot.image);
  view.setPositions(snapshot.layer.height, snapshot.layer.width);
  view.setQuery(Cell{snapshot.queryRow, snapshot.queryColumn});
}

}  // namespace

class TestImageWidgets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void clickChoosesThePositionUnderThePointer();
  void aDoubleClickOpensALargeViewThatChoosesThePositionToo();
  void arrowKeysWalkTheQueryAndStopAtTheEdge();
  void theOverlayIsDrawnOverItsPosition_data();
  void theOverlayIsDrawnOverItsPosition();
  void tenThousandImagesPaintOnlyWhatIsVisible();
  void keysWalkTheGridAndActivate();
  void theCurrentImageSurvivesAnotherChoice();
  void aStripScrollsSideways();
  void thumbnailsKeepTheirChannels();
  void ownPicturesAreCutFromTheMiddle();
  void explanationShowsNumbersOfTheMomentAndClosesOnEscape();
  void barsAndSpectraSpeakTheirNumbers();
  void exportsInEveryFormat();
  void namesOfClassesAreWholeBesideShortBars();
};

void TestImageWidgets::clickChoosesThePositionUnderThePointer() {
  ImageView view;
  fill(view, exampleSnapshot());
  QSignalSpy chosen(&view, &ImageView::queryChosen);
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellRect({3, 1}).center().toPoint());
  QCOMPARE(chosen.count(), 1);
  QCOMPARE(chosen[0], (QVariantList{3, 1}));
  QCOMPARE(*view.query(), (Cell{3, 1}));
  QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(1, 1));
  QCOMPARE(chosen.count(), 1);
}

void TestImageWidgets::aDoubleClickOpensALargeViewThatChoosesThePositionToo() {
  ImageView view;
  fill(view, exampleSnapshot());
  view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  QTest::mouseDClick(&view, Qt::LeftButton, {}, view.cellRect({2, 3}).center().toPoint());
  const QPointer<LargePicture> large = view.findChild<LargePicture*>();
  QVERIFY(large && large->isVisible());
  auto& shown = static_cast<ImageView&>(large->view());
  QCOMPARE(shown.query(), view.query());
  QSignalSpy chosen(&view, &ImageView::queryChosen);
  QTest::mouseClick(&shown, Qt::LeftButton, {}, shown.cellRect({4, 1}).center().toPoint());
  QCOMPARE(chosen.count(), 1);
  QCOMPARE(view.query(), std::optional(Cell{4, 1}));
  // It follows the small one.
  view.setQuery(Cell{0, 2});
  QCOMPARE(shown.query(), std::optional(Cell{0, 2}));
  QTest::keyClick(&shown, Qt::Key_Escape);
  QTRY_VERIFY(!large);
  QVERIFY(view.isVisible());
}

void TestImageWidgets::arrowKeysWalkTheQueryAndStopAtTheEdge() {
  ImageView view;
  fill(view, exampleSnapshot());
  view.setQuery(Cell{0, 4});
  QSignalSpy chosen(&view, &ImageView::queryChosen);
  QTest::keyClick(&view, Qt::Key_Right);
  QTest::keyClick(&view, Qt::Key_Right);
  QTest::keyClick(&view, Qt::Key_Up);
  QCOMPARE(chosen.count(), 1);
  QCOMPARE(chosen[0], (QVariantList{0, 5}));
  QTest::keyClick(&view, Qt::Key_Down, Qt::ControlModifier);
  QCOMPARE(*view.query(), (Cell{4, 5}));
}

void TestImageWidgets::theOverlayIsDrawnOverItsPosition_data() {
  QTest::addColumn<double>("pixelRatio");
  QTest::newRow("1x") << 1.0;
  QTest::newRow("2x") << 2.0;
}

void TestImageWidgets::theOverlayIsDrawnOverItsPosition() {
  QFETCH(double, pixelRatio);
  ImageView view;
  fill(view, exampleSnapshot());
  Array cells{{5, 6}, std::vector<float>(30, 0)};
  cells.values[2 * 6 + 4] = 1;
  view.setOverlay({.cells = cells, .range = {-1, 1}, .quantity = u"A"_s, .name = u"map"_s});
  view.setOpacity(1);
  QImage drawn(view.size() * pixelRatio, QImage::Format_RGB32);
  drawn.setDevicePixelRatio(pixelRatio);
  view.render(&drawn);
  const auto colorIn = [&](const Cell& cell) {
    return drawn.pixelColor((view.cellRect(cell).center() * pixelRatio).toPoint());
  };
  const Rgb high = colorAt(ColorMap::diverging, 1), zero = colorAt(ColorMap::diverging, 0.5);
  QCOMPARE(colorIn({2, 4}), QColor(high[0], high[1], high[2]));
  QCOMPARE(colorIn({4, 2}), QColor(zero[0], zero[1], zero[2]));
  QCOMPARE(view.readoutOf({2, 4}), u"row 2, column 4, A 1.000"_s);
}

void TestImageWidgets::tenThousandImagesPaintOnlyWhatIsVisible() {
  constexpr int kCount = 10000;
  ImageGrid grid;
  grid.resize(600, 400);
  grid.setImages(plainImages(kCount), allOf(kCount));
  grid.grab();
  QVERIFY(grid.paintedCount() > 40);
  QVERIFY(grid.paintedCount() < 120);
  grid.verticalScrollBar()->setValue(grid.verticalScrollBar()->maximum());
  grid.grab();
  QVERIFY(grid.paintedCount() > 20);
  QVERIFY(grid.paintedCount() < 120);
}

void TestImageWidgets::keysWalkTheGridAndActivate() {
  ImageGrid grid;
  grid.resize(600, 400);
  grid.setImages(plainImages(500), allOf(500));
  grid.show();
  grid.setCurrentImage(0);
  QSignalSpy activated(&grid, &ImageGrid::imageActivated);
  QTest::keyClick(&grid, Qt::Key_Left);
  QCOMPARE(activated.count(), 0);
  QTest::keyClick(&grid, Qt::Key_Right);
  QCOMPARE(activated.takeFirst()[0].toInt(), 1);
  QTest::keyClick(&grid, Qt::Key_Down);
  const int below = activated.takeFirst()[0].toInt();
  QVERIFY(below > 5);
  QTest::keyClick(&grid, Qt::Key_End);
  QCOMPARE(activated.takeFirst()[0].toInt(), 499);
  grid.grab();
  QCOMPARE(grid.verticalScrollBar()->value(), grid.verticalScrollBar()->maximum());
  QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, QPoint(20, 20));
  QVERIFY(activated.takeFirst()[0].toInt() > 400);
}

void TestImageWidgets::theCurrentImageSurvivesAnotherChoice() {
  ImageGrid grid;
  const auto images = plainImages(20);
  grid.setImages(images, allOf(20));
  grid.setCurrentImage(7);
  grid.setImages(images, {{.index = 3}, {.index = 7}, {.index = 11}});
  QCOMPARE(grid.currentImage(), 7);
  grid.setImages(images, {{.index = 3}});
  QCOMPARE(grid.currentImage(), -1);
}

void TestImageWidgets::aStripScrollsSideways() {
  ImageGrid grid(ImageGrid::Arrangement::strip);
  grid.resize(500, grid.sizeHint().height());
  grid.setImages(plainImages(1000), allOf(1000));
  grid.grab();
  QVERIFY(grid.paintedCount() < 15);
  QCOMPARE(grid.verticalScrollBar()->maximum(), 0);
  grid.setCurrentImage(900);
  grid.grab();
  QVERIFY(grid.horizontalScrollBar()->value() > 40000);
}

void TestImageWidgets::thumbnailsKeepTheirChannels() {
  const auto images = plainImages(300);
  QCOMPARE(thumbnailAt(*images, 200).pixelColor(2, 2), QColor(200, 8, 8));
  QCOMPARE(toQImage(imageAt(*images, 200)).pixelColor(3, 1), QColor(200, 8, 8));
  QVERIFY(thumbnailAt(*images, 300).isNull());
  const LabeledImages grey{1, 1, 1, {77}, {0}, {}};
  QCOMPARE(thumbnailAt(grey, 0).pixelColor(0, 0), QColor(77, 77, 77));
}

void TestImageWidgets::ownPicturesAreCutFromTheMiddle() {
  QImage picture(300, 100, QImage::Format_RGB32);
  picture.fill(Qt::red);
  QPainter painter(&picture);
  painter.fillRect(100, 0, 100, 100, Qt::blue);
  painter.end();
  const Image fitted = fittedPicture(picture, 32, 32);
  QCOMPARE(fitted.width, 32);
  QCOMPARE(fitted.height, 32);
  QCOMPARE(fitted.rgb.size(), std::size_t{32 * 32 * 3});
  for (const auto& [x, y] : {std::pair(0, 0), std::pair(31, 31), std::pair(16, 5)}) {
    QCOMPARE(toQImage(fitted).pixelColor(x, y), QColor(Qt::blue));
  }
  QCOMPARE(fittedPicture(QImage(), 32, 32), Image());
}

void TestImageWidgets::explanationShowsNumbersOfTheMomentAndClosesOnEscape() {
  QWidget window;
  window.resize(800, 600);
  QString number = u"1"_s;
  QToolButton* button = makeExplanationButton(window, [&] {
    return ExplanationText{u"Lambda"_s, u"y = q"_s, u"Text"_s, {{u"norm"_s, number}}};
  });
  window.show();
  const auto shownText = [&] {
    QString all;
    for (const QLabel* label : window.findChildren<QLabel*>()) all += label->text();
    return all;
  };
  button->click();
  QVERIFY(window.findChild<Explanation*>());
  QVERIFY(shownText().contains(u"<td align='right'>1</td>"_s));
  number = u"2"_s;
  QTRY_VERIFY(shownText().contains(u"<td align='right'>2</td>"_s));
  QTest::keyClick(window.findChild<Explanation*>(), Qt::Key_Escape);
  QTRY_VERIFY(!window.findChild<Explanation*>());
  button->click();
  button->click();
  QTRY_VERIFY(!window.findChild<Explanation*>());
}

void TestImageWidgets::barsAndSpectraSpeakTheirNumbers() {
  BarList bars;
  bars.setBars({{u"cat"_s, 0.25, true, false}, {u"dog"_s, 0.75, false, true}});
  QVERIFY(bars.accessibleDescription().contains(u"cat 25.0 % (true class)"_s));
  QCOMPARE(bars.toCsv(),
           u"class,probability,true,predicted\n\"cat\",0.25,1,0\n\"dog\",0.75,0,1\n"_s);
  SpectrumView spectrum;
  spectrum.setSpectra({{u"content"_s, {}}, {u"total"_s, {2, 2}}});
  QCOMPARE(spectrum.accessibleDescription(), u"total, rank 2.00"_s);
  QCOMPARE(spectrum.toCsv(), u"matrix,number,value\ntotal,1,2\ntotal,2,2\n"_s);
}

void TestImageWidgets::exportsInEveryFormat() {
  const QTemporaryDir folder;
  ImageView view;
  fill(view, exampleSnapshot());
  view.setOverlay({.cells = {{5, 6}, std::vector<float>(30, 0.5F)},
                   .range = {-1, 1},
                   .quantity = u"A"_s,
                   .name = u"map"_s});
  ImageGrid grid;
  grid.setImages(plainImages(30), allOf(30));
  BarList bars;
  bars.setBars({{u"cat"_s, 0.25}});
  SpectrumView spectrum;
  spectrum.setSpectra({{u"total"_s, {2, 1}}});
  for (const Exportable* source : {static_cast<Exportable*>(&view),
                                   static_cast<Exportable*>(&grid),
                                   static_cast<Exportable*>(&bars),
                                   static_cast<Exportable*>(&spectrum)}) {
    for (const QString& suffix : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s}) {
      const QString path = folder.filePath(source->exportName() + u'.' + suffix);
      QCOMPARE(writeExport(*source, path, {}), QString());
      QVERIFY(QFile(path).size() > 20);
      if (suffix == u"png"_s) QCOMPARE(QImage(path).size(), exportedSize(*source, {}) * 2);
    }
  }
}

/// Names that differ in the middle look alike where they are cut there.
void TestImageWidgets::namesOfClassesAreWholeBesideShortBars() {
  const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
  applyTheme(*qApp, ThemeChoice::light, 2.0);
  const auto drawn = [](const QString& name) {
    BarList bars;
    bars.setBars({{name, 0.25}});
    const double width = QFontMetricsF(bodyFont()).horizontalAdvance(name);
    bars.resize(qRound(1.9 * width), bars.sizeHint().height());
    return bars.grab().toImage();
  };
  QVERIFY(drawn(u"dot left of a square"_s) != drawn(u"dot left fo a square"_s));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestImageWidgets)
#include "tst_image_widgets.moc"
