#include <QtTest/QtTest>

#include "widgets/theme/flow_layout.h"

namespace lambda::test {

class TestFlowLayout : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void whatFitsStandsInOneLine();
  void whatDoesNotFitContinuesInTheNextLine();
  void hiddenWidgetsTakeNoSpace();
  void itIsAsNarrowAsItsWidestWidget();

 private:
  void layOut(int width);

  std::unique_ptr<QWidget> holder_;
  QWidget* first_ = nullptr;
  QWidget* second_ = nullptr;
  QWidget* last_ = nullptr;
};

void TestFlowLayout::init() {
  holder_ = std::make_unique<QWidget>();
  auto* row = new FlowLayout(10, holder_.get());
  for (QWidget** each : {&first_, &second_, &last_}) {
    *each = new QWidget;
    (*each)->setFixedSize(100, 20);
    if (each == &last_) row->beginRight();
    row->addWidget(*each);
  }
}

void TestFlowLayout::layOut(int width) {
  holder_->resize(width, holder_->layout()->heightForWidth(width));
  holder_->layout()->activate();
}

void TestFlowLayout::whatFitsStandsInOneLine() {
  layOut(500);
  QCOMPARE(holder_->height(), 20);
  QCOMPARE(first_->pos(), QPoint(0, 0));
  QCOMPARE(second_->pos(), QPoint(110, 0));
  QCOMPARE(last_->pos(), QPoint(400, 0));
}

void TestFlowLayout::whatDoesNotFitContinuesInTheNextLine() {
  layOut(319);
  QCOMPARE(holder_->height(), 50);
  QCOMPARE(second_->pos(), QPoint(110, 0));
  QCOMPARE(last_->pos(), QPoint(0, 30));
  layOut(110);
  QCOMPARE(holder_->height(), 80);
  layOut(320);
  QCOMPARE(holder_->height(), 20);
}

void TestFlowLayout::hiddenWidgetsTakeNoSpace() {
  second_->hide();
  layOut(210);
  QCOMPARE(holder_->height(), 20);
  QCOMPARE(last_->pos(), QPoint(110, 0));
}

void TestFlowLayout::itIsAsNarrowAsItsWidestWidget() {
  second_->setFixedSize(150, 20);
  QCOMPARE(holder_->minimumSizeHint().width(), 150);
  QCOMPARE(holder_->sizeHint(), QSize(370, 20));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestFlowLayout)
#include "tst_flow_layout.moc"
