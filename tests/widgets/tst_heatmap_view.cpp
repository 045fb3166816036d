#include <cmath>
#include <limits>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest/QtTest>

#include "tests/support/example_snapshot.h"
#include "widgets/export/export_file.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/large_picture.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

HeatmapData matrix(int rows, int columns) {
  HeatmapData data;
  data.array.shape = {rows, columns};
  for (int i = 0; i < rows * columns; ++i) data.array.values.push_back(static_cast<float>(i));
  data.rows.label = u"k"_s;
  data.columns.label = u"v"_s;
  return data;
}

/// Tiles whose values are numbered through all cells.
HeatmapData tiles(int count, int rows, int columns) {
  HeatmapData data = matrix(count * rows, columns);
  data.array.shape = {count, rows, columns};
  return data;
}

/// The largest RGB image of a PDF that is stored without loss; null where there is none.
QImage largestImageOfPdf(const QByteArray& pdf) {
  QImage largest;
  const auto numberAfter = [&pdf](const QByteArray& key, qsizetype from) {
    const qsizetype at = pdf.indexOf(key, from) + key.size();
    return pdf.mid(at, 12).simplified().split(' ').front().toInt();
  };
  for (qsizetype at = pdf.indexOf("/Subtype /Image"); at >= 0;
       at = pdf.indexOf("/Subtype /Image", at + 1)) {
    const qsizetype begin = pdf.indexOf("stream\n", at) + 7;
    const QByteArray head = pdf.mid(at, begin - at);
    if (!head.contains("/FlateDecode") || !head.contains("/DeviceRGB")) continue;
    const int width = numberAfter("/Width", at), height = numberAfter("/Height", at);
    if (width <= largest.width()) continue;
    const auto bytes = static_cast<quint32>(3 * width * height);
    QByteArray packed(4, '\0');
    qToBigEndian(bytes, packed.data());
    packed += pdf.mid(begin, pdf.indexOf("endstream", begin) - begin);
    const QByteArray pixels = qUncompress(packed);
    if (pixels.size() != static_cast<qsizetype>(bytes)) continue;
    largest = QImage(reinterpret_cast<const uchar*>(pixels.constData()),
                     width,
                     height,
                     3 * width,
                     QImage::Format_RGB888)
                  .copy();
  }
  return largest;
}

QColor colorFor(const HeatmapView& view, float value) {
  const Rgb color = colorOf(view.data().map, view.range(), value);
  return {color[0], color[1], color[2]};
}

/// The colour in the middle of a cell, where large cells have no frame or line.
QColor drawnAt(HeatmapView& view, const TileCell& cell, double pixelRatio) {
  QImage image(view.size() * pixelRatio, QImage::Format_RGB32);
  image.setDevicePixelRatio(pixelRatio);
  view.render(&image);
  const QRectF rect = view.cellRect(cell);
  return image.pixelColor(
      (rect.topLeft() + QPointF(rect.width() / 3, rect.height() / 3) * 1.0).toPoint() * pixelRatio);
}

}  // namespace

class TestHeatmapView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cellsAreDrawnInTheirColors_data();
  void cellsAreDrawnInTheirColors();
  void everyCellIsFoundWhereItIsDrawn();
  void clickActivatesTheCellUnderThePointer();
  void aDoubleClickOpensALargeViewThatEscapeCloses();
  void arrowKeysWalkAcrossTilesAndStopAtTheEdge();
  void zoomKeepsTheCellUnderThePointer();
  void dragMovesTheZoomedPictureAndActivatesNothing();
  void divergingRangesAreCentredAndSharedOnesStay();
  void aLockedRangeOutlivesItsData();
  void aScalePerTileShowsSmallTiles();
  void notFiniteValuesAreGreyAndCounted();
  void readsOutIndicesAndValue();
  void resizingFillsTheSpaceWithWholePixels();
  void emptyAndMisshapenArraysShowThePlaceholder();
  void exportsInEveryFormat();
  void aPdfHasTheExactColoursOfManyCells();
  void aFileHasWholeCaptions();
};

void TestHeatmapView::cellsAreDrawnInTheirColors_data() {
  QTest::addColumn<double>("pixelRatio");
  QTest::newRow("1x") << 1.0;
  QTest::newRow("2x") << 2.0;
}

void TestHeatmapView::cellsAreDrawnInTheirColors() {
  QFETCH(double, pixelRatio);
  HeatmapView view;
  view.resize(500, 400);
  view.setData(tiles(3, 4, 5));
  for (const TileCell& cell : {TileCell{0, 0, 0}, TileCell{1, 2, 3}, TileCell{2, 3, 4}}) {
    const float value = view.data().valueAt(cell.tile, cell.row, cell.column);
    QCOMPARE(drawnAt(view, cell, pixelRatio), colorFor(view, value));
  }
}

void TestHeatmapView::everyCellIsFoundWhereItIsDrawn() {
  HeatmapView view;
  view.resize(333, 277);
  view.setData(tiles(7, 5, 9));
  for (int tile = 0; tile < 7; ++tile) {
    for (int row = 0; row < 5; ++row) {
      for (int column = 0; column < 9; ++column) {
        const TileCell cell{tile, row, column};
        const QRectF rect = view.cellRect(cell);
        QVERIFY(view.rect().contains(rect.toRect()));
        QCOMPARE(view.cellAt(rect.center()).value_or(TileCell{-1}), cell);
        QCOMPARE(view.cellAt(rect.topLeft() + QPointF(0.01, 0.01)).value_or(TileCell{-1}), cell);
      }
    }
  }
  QVERIFY(!view.cellAt({-1, -1}));
  QVERIFY(!view.cellAt(QPointF(view.width() - 1, view.height() - 1)));
}

void TestHeatmapView::clickActivatesTheCellUnderThePointer() {
  HeatmapView view;
  view.resize(400, 300);
  view.setData(tiles(2, 6, 6));
  QSignalSpy activated(&view, &HeatmapView::cellActivated);
  const QPoint at = view.cellRect({1, 4, 2}).center().toPoint();
  QTest::mouseClick(&view, Qt::LeftButton, {}, at);
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated[0], (QVariantList{1, 4, 2}));
  QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(1, 1));
  QCOMPARE(activated.count(), 1);
}

void TestHeatmapView::aDoubleClickOpensALargeViewThatEscapeCloses() {
  HeatmapView view;
  view.resize(200, 150);
  view.setData(matrix(4, 6));
  view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  QTest::mouseDClick(&view, Qt::LeftButton, {}, view.rect().center());
  const QPointer<LargePicture> large = view.findChild<LargePicture*>();
  QVERIFY(large && large->isVisible());
  auto& shown = static_cast<HeatmapView&>(large->view());
  QCOMPARE(shown.data(), view.data());
  QCOMPARE(shown.range(), view.range());
  // It follows the small one.
  view.setData(matrix(3, 5));
  view.setRange(ColorRange{-2, 40});
  QCOMPARE(shown.data(), view.data());
  QCOMPARE(shown.range(), view.range());
  QTest::keyClick(large, Qt::Key_Escape);
  QTRY_VERIFY(!large);
  QVERIFY(view.isVisible());
}

void TestHeatmapView::arrowKeysWalkAcrossTilesAndStopAtTheEdge() {
  HeatmapView view;
  view.resize(400, 200);
  view.setTilesPerRow(2);
  view.setData(tiles(4, 2, 2));
  view.setCursorCell(TileCell{0, 0, 1});
  QTest::keyClick(&view, Qt::Key_Right);
  QCOMPARE(*view.cursorCell(), (TileCell{1, 0, 0}));
  QTest::keyClick(&view, Qt::Key_Down);
  QTest::keyClick(&view, Qt::Key_Down);
  QCOMPARE(*view.cursorCell(), (TileCell{3, 0, 0}));
  for (int i = 0; i < 5; ++i) QTest::keyClick(&view, Qt::Key_Right);
  QCOMPARE(*view.cursorCell(), (TileCell{3, 0, 1}));
  for (int i = 0; i < 9; ++i) QTest::keyClick(&view, Qt::Key_Up);
  for (int i = 0; i < 9; ++i) QTest::keyClick(&view, Qt::Key_Left);
  QCOMPARE(*view.cursorCell(), (TileCell{0, 0, 0}));
  QSignalSpy activated(&view, &HeatmapView::cellActivated);
  QTest::keyClick(&view, Qt::Key_Return);
  QCOMPARE(activated.value(0), (QVariantList{0, 0, 0}));
}

void TestHeatmapView::zoomKeepsTheCellUnderThePointer() {
  HeatmapView view;
  view.resize(400, 400);
  view.setData(tiles(9, 20, 20));
  const TileCell before{4, 7, 12};
  const QPointF at = view.cellRect(before).center();
  for (int i = 0; i < 6; ++i) view.zoomBy(1.3, at);
  QVERIFY(view.zoom() > 4);
  QCOMPARE(*view.cellAt(at), before);
  QVERIFY(view.cellRect(before).width() > 15);
  view.resetZoom();
  QCOMPARE(view.zoom(), 1.0);
  QCOMPARE(*view.cellAt(at), before);
}

void TestHeatmapView::dragMovesTheZoomedPictureAndActivatesNothing() {
  HeatmapView view;
  view.resize(400, 400);
  view.setData(matrix(40, 40));
  view.zoomBy(4, QPointF(200, 200));
  QSignalSpy activated(&view, &HeatmapView::cellActivated);
  const TileCell grabbed = *view.cellAt({200, 200});
  QTest::mousePress(&view, Qt::LeftButton, {}, {200, 200});
  QTest::mouseMove(&view, {240, 230});
  QTest::mouseRelease(&view, Qt::LeftButton, {}, {240, 230});
  QCOMPARE(*view.cellAt({240, 230}), grabbed);
  QCOMPARE(activated.count(), 0);
}

void TestHeatmapView::divergingRangesAreCentredAndSharedOnesStay() {
  HeatmapView view;
  HeatmapData data = matrix(2, 2);
  data.array.values = {-1, 0, 2, 4};
  view.setData(data);
  QCOMPARE(view.range(), (ColorRange{-4, 4}));
  view.setRange(ColorRange{-9, 9});
  QCOMPARE(view.range(), (ColorRange{-9, 9}));
  data.array.values = {-1, 0, 2, 100};
  view.setData(data);
  QCOMPARE(view.range(), (ColorRange{-9, 9}));
  view.setRange(std::nullopt);
  QCOMPARE(view.range(), (ColorRange{-100, 100}));
}

void TestHeatmapView::aLockedRangeOutlivesItsData() {
  HeatmapView view;
  HeatmapData data = matrix(2, 2);
  view.setData(data);
  view.setRangeLocked(true);
  data.array.values = {50, 60, 70, 80};
  view.setData(data);
  QCOMPARE(view.range(), (ColorRange{-3, 3}));
  view.setRangeLocked(false);
  QCOMPARE(view.range(), (ColorRange{-80, 80}));
}

void TestHeatmapView::aScalePerTileShowsSmallTiles() {
  HeatmapView view;
  view.resize(400, 300);
  HeatmapData data = tiles(2, 1, 2);
  data.array.values = {-100, 100, -0.01F, 0.01F};
  view.setData(data);
  const QColor faint = drawnAt(view, {1, 0, 1}, 1);
  view.setScalePerTile(true);
  const QColor strong = drawnAt(view, {1, 0, 1}, 1);
  QCOMPARE(strong, drawnAt(view, {0, 0, 1}, 1));
  QVERIFY(faint != strong);
}

void TestHeatmapView::notFiniteValuesAreGreyAndCounted() {
  HeatmapView view;
  view.resize(300, 300);
  HeatmapData data = matrix(2, 2);
  data.array.values = {1, kNaN, std::numeric_limits<float>::infinity(), 2};
  view.setData(data);
  QCOMPARE(view.data().notFiniteCount(), 2);
  QCOMPARE(view.range(), (ColorRange{-2, 2}));
  const QColor grey(kNotFiniteColor[0], kNotFiniteColor[1], kNotFiniteColor[2]);
  QCOMPARE(drawnAt(view, {0, 0, 1}, 1), grey);
  QCOMPARE(drawnAt(view, {0, 1, 0}, 1), grey);
  QVERIFY(view.readoutOf({0, 0, 1}).endsWith(u"NaN"_s));
}

void TestHeatmapView::readsOutIndicesAndValue() {
  HeatmapView view;
  HeatmapData data = tiles(2, 3, 3);
  data.rows = {.label = u"dy"_s, .first = -1, .hasZero = true};
  data.columns = {.label = u"dx"_s, .first = -1, .hasZero = true};
  data.captions = {u"k 0"_s, u"k 1"_s};
  data.array.values[9] = -0.25F;
  view.setData(data);
  QCOMPARE(view.readoutOf({1, 0, 0}), u"k 1, dy −1, dx −1: −0.2500"_s);
  view.setCursorCell(TileCell{1, 0, 0});
  QCOMPARE(view.accessibleDescription(), u"k 1, dy −1, dx −1: −0.2500"_s);
}

void TestHeatmapView::resizingFillsTheSpaceWithWholePixels() {
  HeatmapView view;
  view.setData(matrix(16, 32));
  for (const int width : {300, 431, 777}) {
    view.resize(width, 600);
    view.grab();
    const double side = view.cellRect({0, 0, 0}).width();
    QCOMPARE(side, std::floor(side));
    QVERIFY(33 * side > width - 110);  // The axis and the colour bar need the rest.
  }
}

void TestHeatmapView::emptyAndMisshapenArraysShowThePlaceholder() {
  HeatmapView view;
  view.resize(200, 100);
  HeatmapData wrong;
  wrong.array = {{2, 3}, {1, 2, 3}};
  view.setPlaceholder(u"This layer has no content lambda."_s);
  for (const HeatmapData& data : {HeatmapData{}, wrong}) {
    view.setData(data);
    QVERIFY(!view.cellAt({100, 50}));
    QVERIFY(!view.grab().isNull());
    QVERIFY(view.toCsv().isEmpty());
  }
}

void TestHeatmapView::exportsInEveryFormat() {
  const QTemporaryDir folder;
  HeatmapView view;
  HeatmapData data = tiles(2, 3, 4);
  data.name = u"stage2-lambda"_s;
  data.captions = {u"content"_s, u"a \"quoted\" one"_s};
  view.setData(data);
  QCOMPARE(view.exportName(), u"stage2-lambda"_s);
  for (const QString& suffix : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s}) {
    const QString path = folder.filePath(u"picture."_s + suffix);
    QCOMPARE(writeExport(view, path, {}), QString());
    QVERIFY(QFile(path).size() > 100);
  }
  const QImage png(folder.filePath(u"picture.png"_s));
  QCOMPARE(png.size(), exportedSize(view, {}) * 2);
  QFile svg(folder.filePath(u"picture.svg"_s));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  QVERIFY(!svg.readAll().contains("<image"));
  const QStringList lines = view.toCsv().split(u'\n', Qt::SkipEmptyParts);
  QCOMPARE(lines.size(), 1 + 24);
  QCOMPARE(lines[0], u"tile,k,v,value"_s);
  QCOMPARE(lines[24], u"\"a \"\"quoted\"\" one\",2,3,23"_s);
}

void TestHeatmapView::aPdfHasTheExactColoursOfManyCells() {
  const QTemporaryDir folder;
  HeatmapView view;
  constexpr int kRows = 150, kColumns = 200;  // Too many for vectors.
  view.setData(matrix(kRows, kColumns));
  const QString path = folder.filePath(u"picture.pdf"_s);
  QCOMPARE(writeExport(view, path, {}), QString());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QImage stored = largestImageOfPdf(file.readAll());
  QVERIFY(!stored.isNull());
  QCOMPARE(stored.width() % kColumns, 0);
  const int side = stored.width() / kColumns;
  QVERIFY2(side >= 4, "a reader smooths small images");
  QCOMPARE(stored.height(), side * kRows);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      const auto value = static_cast<float>(row * kColumns + column);
      for (const int inside : {0, side - 1}) {
        QCOMPARE(stored.pixelColor(column * side + inside, row * side + inside),
                 colorFor(view, value));
      }
    }
  }
}

void TestHeatmapView::aFileHasWholeCaptions() {
  const QTemporaryDir folder;
  HeatmapView view;
  HeatmapData data = tiles(4, 3, 3);
  const QString caption = u"stage2.block1.mixer, position embedding of query channel 1"_s;
  data.captions = {caption, caption, caption, caption};
  view.setData(data);
  const QString path = folder.filePath(u"picture.svg"_s);
  QCOMPARE(writeExport(view, path, {}), QString());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  QCOMPARE(file.readAll().count(caption.toUtf8()), 4);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestHeatmapView)
#include "tst_heatmap_view.moc"
