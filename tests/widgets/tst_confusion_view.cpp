#include <QSignalSpy>
#include <QtTest/QtTest>

#include "widgets/tables/confusion_layout.h"
#include "widgets/tables/confusion_view.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// A matrix of 3 classes with 8 of 10, 5 of 5 and 0 of 0 correct predictions.
ConfusionMatrix smallMatrix() {
  return {3, {8, 2, 0, 0, 5, 0, 0, 0, 0}};
}

}  // namespace

class TestConfusionView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void everyCellIsFoundWhereItIsDrawn();
  void placesOutsideAreNoCell();
  void aSmallPictureGivesNamesUpBeforeCells();
  void clickingChoosesTheCell();
  void arrowKeysWalkAndStopAtTheEdges();
  void sentencesTellCountsAndShares();
  void csvHasTheCounts();
  void paintsInBothThemesAndAtAnySize();
  void wrongAnswersAreTheirOwnColor();
  void aChoiceOutsideOfTheNextMatrixIsDropped();

 private:
  std::unique_ptr<ConfusionView> view_;
};

void TestConfusionView::init() {
  view_ = std::make_unique<ConfusionView>();
  view_->resize(500, 460);
  view_->setMatrix(smallMatrix(), {u"cat"_s, u"dog, big"_s}, u"run"_s);
}

void TestConfusionView::everyCellIsFoundWhereItIsDrawn() {
  for (const QSize& size : {QSize(500, 460), QSize(300, 700), QSize(900, 300)}) {
    view_->resize(size);
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) {
        const QRectF rect = view_->rectOf({row, column});
        QVERIFY(view_->rect().contains(rect.toAlignedRect()));
        QCOMPARE(view_->cellAt(rect.center()), std::optional(Cell{row, column}));
        QCOMPARE(view_->cellAt(rect.topLeft() + QPointF(1, 1)), std::optional(Cell{row, column}));
      }
    }
  }
}

void TestConfusionView::placesOutsideAreNoCell() {
  QVERIFY(!view_->cellAt({0, 0}));
  QVERIFY(!view_->cellAt(view_->rectOf({2, 2}).bottomRight() + QPointF(3, 3)));
  ConfusionView empty;
  QVERIFY(!empty.cellAt({10, 10}));
}

void TestConfusionView::aSmallPictureGivesNamesUpBeforeCells() {
  ConfusionPicture picture;
  picture.matrix = {10, std::vector<std::int64_t>(100, 3)};
  for (int i = 0; i < 10; ++i) picture.classNames << u"automobile"_s;
  QVERIFY(layoutOf(picture, {600, 500}).nameHeight > 0);
  const ConfusionLayout low = layoutOf(picture, {480, 240});
  QCOMPARE(low.nameHeight, 0.0);
  QVERIFY(low.nameWidth > 0);
  QVERIFY(low.cell >= 15);
  const ConfusionLayout tiny = layoutOf(picture, {200, 160});
  QCOMPARE(tiny.nameWidth, 0.0);
  QVERIFY(tiny.cell >= 8);
}

void TestConfusionView::clickingChoosesTheCell() {
  QSignalSpy chosen(view_.get(), &ConfusionView::cellChosen);
  QTest::mouseClick(view_.get(), Qt::LeftButton, {}, view_->rectOf({0, 1}).center().toPoint());
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(chosen.first().first().value<Cell>(), (Cell{0, 1}));
  QCOMPARE(view_->current(), std::optional(Cell{0, 1}));
}

void TestConfusionView::arrowKeysWalkAndStopAtTheEdges() {
  QSignalSpy chosen(view_.get(), &ConfusionView::cellChosen);
  QTest::keyClick(view_.get(), Qt::Key_Right);
  QCOMPARE(view_->current(), std::optional(Cell{0, 0}));
  for (int i = 0; i < 5; ++i) QTest::keyClick(view_.get(), Qt::Key_Right);
  QTest::keyClick(view_.get(), Qt::Key_Down);
  QCOMPARE(view_->current(), std::optional(Cell{1, 2}));
  QCOMPARE(chosen.last().first().value<Cell>(), (Cell{1, 2}));
  QSignalSpy cleared(view_.get(), &ConfusionView::choiceCleared);
  QTest::keyClick(view_.get(), Qt::Key_Escape);
  QCOMPARE(cleared.size(), 1);
  QVERIFY(!view_->current());
}

void TestConfusionView::sentencesTellCountsAndShares() {
  QCOMPARE(view_->sentenceFor({0, 1}), u"2 of 10 cat images (20.0 %) were predicted as dog, big"_s);
  QCOMPARE(view_->sentenceFor({1, 1}),
           u"5 of 5 dog, big images (100.0 %) were predicted correctly"_s);
  QCOMPARE(view_->sentenceFor({2, 2}), u"0 of 0 2 images (0.0 %) were predicted correctly"_s);
}

void TestConfusionView::csvHasTheCounts() {
  QCOMPARE(view_->toCsv(),
           u"true class,cat,\"dog, big\",2\ncat,8,2,0\n\"dog, big\",0,5,0\n2,0,0,0\n"_s);
  QVERIFY(ConfusionView().toCsv().isEmpty());
}

void TestConfusionView::paintsInBothThemesAndAtAnySize() {
  ConfusionMatrix large{100, std::vector<std::int64_t>(10000, 3)};
  view_->setMatrix(large, {}, {});
  view_->setScale(ConfusionScale::rowShares);
  for (const Colors* colors : {&lightColors(), &darkColors()}) {
    view_->setPalette(paletteOf(*colors));
    for (const QSize& size : {QSize(280, 260), QSize(1200, 900), QSize(20, 20)}) {
      view_->resize(size);
      QVERIFY(!view_->grab().isNull());
    }
  }
}

void TestConfusionView::wrongAnswersAreTheirOwnColor() {
  view_->setPalette(paletteOf(lightColors()));
  const QImage image = view_->grab().toImage();
  const auto groundAt = [&](const Cell& cell) {
    return image.pixelColor((view_->rectOf(cell).topLeft() + QPointF(4, 4)).toPoint());
  };
  const QColor right = groundAt({1, 1}), wrong = groundAt({0, 1});
  QVERIFY(right.blue() > right.red());
  QVERIFY(wrong.red() > wrong.blue());
  QCOMPARE(groundAt({0, 2}), lightColors().surface);
}

void TestConfusionView::aChoiceOutsideOfTheNextMatrixIsDropped() {
  view_->setCurrent(Cell{2, 2});
  view_->setMatrix({2, {1, 0, 0, 1}}, {}, {});
  QVERIFY(!view_->current());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestConfusionView)
#include "tst_confusion_view.moc"
