#include <QAction>
#include <QLabel>

#include "app/studio/tour/tour.h"
#include "app/studio/tour/tour_card.h"
#include "app/studio/tour/tour_frame.h"
#include "tests/support/studio_window.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

/// The tour through the real window.
class TestTour : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { QApplication::setOrganizationName(u"lambda-studio-tour-tests"_s); }

  void init() { studio_ = std::make_unique<StudioWindow>(); }

  void cleanup() { studio_.reset(); }

  void isOfferedOnceAndOnlyWhereItIsAskedFor();
  void keysLeadThroughEveryPage();
  void escapeEndsItAndHelpRepeatsIt();
  void workGoesOnBesideIt();
  void fitsTheWindow_data();
  void fitsTheWindow();

 private:
  Tour& tour() { return *(*studio_)->findChild<Tour*>(); }

  TourCard* card() { return (*studio_)->findChild<TourCard*>(); }

  std::unique_ptr<StudioWindow> studio_;
};

void TestTour::isOfferedOnceAndOnlyWhereItIsAskedFor() {
  QVERIFY(!tour().isActive());
  (*studio_)->offerTour();
  QVERIFY(tour().isActive());
  tour().end();
  (*studio_)->offerTour();
  QVERIFY(!tour().isActive());
  studio_->open();
  (*studio_)->offerTour();
  QVERIFY(!tour().isActive());
}

void TestTour::keysLeadThroughEveryPage() {
  tour().begin();
  QSet<Workspace> seen;
  QVERIFY(QApplication::focusWidget() && card()->isAncestorOf(QApplication::focusWidget()));
  for (int stop = 0; tour().isActive(); ++stop) {
    QVERIFY(stop < 9);
    QCOMPARE(tour().current(), stop);
    QVERIFY(!card()->accessibleName().isEmpty() && !card()->accessibleDescription().isEmpty());
    const auto* frame = (*studio_)->findChild<QWidget*>(u"tourFrame"_s);
    QVERIFY2(frame && frame->isVisible(), qPrintable(card()->accessibleName()));
    seen << studio_->workspaces().current();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
  }
  QCOMPARE(seen.size(), 5);
  tour().begin();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  QCOMPARE(tour().current(), 1);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Left);
  QCOMPARE(tour().current(), 0);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Left);
  QCOMPARE(tour().current(), 0);
}

void TestTour::escapeEndsItAndHelpRepeatsIt() {
  for (int i = 0; i < 2; ++i) {
    for (QAction* action : (*studio_)->actionsOfMenus()) {
      if (action->text() == u"Tour of the pages"_s) action->trigger();
    }
    QVERIFY(tour().isActive());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!tour().isActive());
  }
  tour().begin();
  QTest::mouseClick(visibleButton(**studio_, u"Skip the tour"_s), Qt::LeftButton);
  QVERIFY(!tour().isActive());
}

void TestTour::workGoesOnBesideIt() {
  tour().begin();
  studio_->workspaces().goTo(Workspace::runs);
  QTest::keyClick(&**studio_, Qt::Key_1, Qt::ControlModifier);
  QCOMPARE(studio_->workspaces().current(), Workspace::design);
  const auto* frame = (*studio_)->findChild<QWidget*>(u"tourFrame"_s);
  QVERIFY(frame->testAttribute(Qt::WA_TransparentForMouseEvents));
  (*studio_)->close();
  QTRY_VERIFY(!(*studio_)->isVisible());
}

void TestTour::fitsTheWindow_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<double>("textSize");
  QTest::newRow("small") << QSize(1280, 800) << 1.0;
  QTest::newRow("small, large text") << QSize(1280, 800) << 2.0;
  QTest::newRow("large") << QSize(1920, 1080) << 1.0;
  QTest::newRow("least, large text") << QSize(760, 600) << 2.0;
}

void TestTour::fitsTheWindow() {
  QFETCH(QSize, size);
  QFETCH(double, textSize);
  studio_->preferences().setTextSize(textSize);
  tour().begin();
  while (tour().isActive()) {
    (*studio_)->resize(size);
    QCoreApplication::processEvents();
    QTRY_VERIFY2((*studio_)->rect().contains(card()->geometry()),
                 qPrintable(card()->accessibleName()));
    for (const QLabel* label : card()->findChildren<QLabel*>()) {
      QVERIFY(label->height() >= label->heightForWidth(label->width()));
    }
    (*studio_)->resize(size + QSize(60, 40));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTour)

#include "tst_tour.moc"
