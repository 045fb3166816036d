#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QVBoxLayout>
#include <QtTest/QtTest>

#include "app/studio/commands/command_palette.h"
#include "app/studio/commands/fuzzy_match.h"
#include "app/studio/commands/shortcut_filter.h"
#include "app/studio/navigation_rail.h"
#include "app/studio/notice_bar.h"
#include "app/studio/preferences.h"
#include "app/studio/welcome/welcome_page.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

RunSummary finishedRun(const char* name, const char* started) {
  RunSummary run;
  run.path = std::string("/runs/") + name;
  run.name = name;
  run.record.config.name = name;
  run.record.pattern = "C-L";
  run.record.environment.started = started;
  return run;
}

QPushButton* buttonNamed(const QWidget& parent, const QString& text) {
  for (QPushButton* button : parent.findChildren<QPushButton*>()) {
    if (button->isVisibleTo(&parent) &&
        (button->text() == text || button->accessibleName().startsWith(text))) {
      return button;
    }
  }
  return nullptr;
}

}  // namespace

class TestWindowParts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void lettersAreFoundInTheirOrderAndWordsCountMore();
  void thePaletteDoesWhatIsTypedAndRemembersIt();
  void thePaletteSkipsWhatCannotBeDoneNow();
  void themeAndTextSizeAreRemembered();
  void welcomeLeadsToTheNewestRun();
  void welcomeOffersToWatchWhileTraining();
  void welcomeShowsItsCardsAtAnySize_data();
  void welcomeShowsItsCardsAtAnySize();
  void theRailIsAsWideAsItsNames();
  void aNoticeOffersWhatToDoAndLeavesThen();
  void aNoticeOfAPageIsShownOnlyBesideIt();
  void keysChooseInADropDownList_data();
  void keysChooseInADropDownList();
  void aSpaceIsPartOfANameThatIsTyped();
};

void TestWindowParts::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(QStringLiteral("lambda-studio-tests"));
  QSettings().clear();
}

void TestWindowParts::lettersAreFoundInTheirOrderAndWordsCountMore() {
  QVERIFY(!fuzzyScore(QStringLiteral("xyz"), QStringLiteral("File: Open")));
  QVERIFY(!fuzzyScore(QStringLiteral("ne"), QStringLiteral("en")));
  QVERIFY(fuzzyScore(QString(), QStringLiteral("File: Open")));
  const QString typed = QStringLiteral("op");
  QVERIFY(fuzzyScore(typed, QStringLiteral("File: Open")) >
          fuzzyScore(typed, QStringLiteral("Run: Stop now")));
  QVERIFY(fuzzyScore(QStringLiteral("tl"), QStringLiteral("Theme: Light")) >
          fuzzyScore(QStringLiteral("tl"), QStringLiteral("Run: Title")));
  QVERIFY(fuzzyScore(QStringLiteral("dark"), QStringLiteral("Theme: Dark")));
}

void TestWindowParts::thePaletteDoesWhatIsTypedAndRemembersIt() {
  QMainWindow window;
  window.show();
  QAction pause(QStringLiteral("Pause"));
  QAction stop(QStringLiteral("Stop"));
  QSignalSpy stopped(&stop, &QAction::triggered);
  CommandPalette palette(&window);
  palette.open({{&pause, {}, {}, {}}, {&stop, {}, {}, {}}});
  auto* input = palette.findChild<QLineEdit*>();
  auto* list = palette.findChild<QListView*>();
  QCOMPARE(list->model()->rowCount(), 2);
  QTest::keyClicks(input, QStringLiteral("sto"));
  QCOMPARE(list->model()->rowCount(), 1);
  QTest::keyClick(input, Qt::Key_Return);
  QVERIFY(!palette.isVisible());
  QTRY_COMPARE(stopped.count(), 1);
  palette.open({{&pause, {}, {}, {}}, {&stop, {}, {}, {}}});
  QCOMPARE(list->model()->index(0, 0).data().toString(), QStringLiteral("Stop"));
}

void TestWindowParts::thePaletteSkipsWhatCannotBeDoneNow() {
  QMainWindow window;
  window.show();
  QAction first(QStringLiteral("One"));
  QAction second(QStringLiteral("One more"));
  first.setEnabled(false);
  QSignalSpy done(&second, &QAction::triggered);
  CommandPalette palette(&window);
  palette.open({{&first, {}, {}, {}}, {&second, {}, {}, {}}});
  QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
  QTRY_COMPARE(done.count(), 1);
}

void TestWindowParts::themeAndTextSizeAreRemembered() {
  {
    Preferences preferences(*qApp);
    preferences.setTheme(ThemeChoice::dark);
    preferences.setTextSize(1.5);
    QWidget widget;
    QVERIFY(colorsOf(widget).dark);
  }
  Preferences preferences(*qApp);
  QCOMPARE(preferences.theme(), ThemeChoice::dark);
  QCOMPARE(preferences.textSize(), 1.5);
  preferences.toggleDarkAction()->trigger();
  QCOMPARE(preferences.theme(), ThemeChoice::light);
  preferences.setTextSize(1);
}

void TestWindowParts::welcomeLeadsToTheNewestRun() {
  WelcomePage page;
  page.resize(1280, 800);
  page.show();
  QPushButton* inspect = buttonNamed(page, QStringLiteral("Inspect its lambdas"));
  QVERIFY(inspect);
  QVERIFY(!inspect->isEnabled());
  RunSummary damaged = finishedRun("damaged", "2026-11-23T00:00:00Z");
  damaged.problem = "run.json is cut";
  page.setRuns({finishedRun("old", "2026-11-20T00:00:00Z"),
                finishedRun("new", "2026-11-21T00:00:00Z"),
                damaged});
  QSignalSpy inspected(&page, &WelcomePage::inspectRequested);
  QTest::mouseClick(inspect, Qt::LeftButton);
  QCOMPARE(inspected.count(), 1);
  QCOMPARE(inspected.front().front().value<std::filesystem::path>(),
           std::filesystem::path("/runs/new"));
  QTRY_VERIFY(buttonNamed(page, QStringLiteral("old")));
  QVERIFY(!buttonNamed(page, QStringLiteral("damaged")));
}

void TestWindowParts::welcomeOffersToWatchWhileTraining() {
  WelcomePage page;
  page.resize(1280, 800);
  page.show();
  QSignalSpy started(&page, &WelcomePage::quickstartRequested);
  QSignalSpy watched(&page, &WelcomePage::watchRequested);
  QTest::mouseClick(buttonNamed(page, QStringLiteral("Train the quickstart")), Qt::LeftButton);
  QCOMPARE(started.count(), 1);
  page.setTraining(true);
  QTest::mouseClick(buttonNamed(page, QStringLiteral("Watch the training")), Qt::LeftButton);
  QCOMPARE(started.count(), 1);
  QCOMPARE(watched.count(), 1);
}

void TestWindowParts::welcomeShowsItsCardsAtAnySize_data() {
  QTest::addColumn<double>("scale");
  QTest::addColumn<QSize>("size");
  QTest::newRow("small") << 1.0 << QSize(1000, 620);
  QTest::newRow("large text") << 1.5 << QSize(1208, 680);
  QTest::newRow("huge text") << 2.0 << QSize(1848, 1010);
}

void TestWindowParts::welcomeShowsItsCardsAtAnySize() {
  QFETCH(double, scale);
  QFETCH(QSize, size);
  applyTheme(*qApp, ThemeChoice::light, scale);
  const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
  WelcomePage page;
  page.setRuns({finishedRun(std::string(300, 'W').c_str(), "2026-11-20T00:00:00Z")});
  page.resize(size);
  page.show();
  QVERIFY(QTest::qWaitForWindowExposed(&page));
  const QSize least = page.minimumSizeHint();
  QVERIFY(least.width() <= 920 && least.height() <= 560);
  for (const char* name : {"Train the quickstart", "Inspect its lambdas", "Open the designer"}) {
    const QPushButton* button = buttonNamed(page, QLatin1String(name));
    const QRect box(button->mapTo(&page, QPoint()), button->size());
    QVERIFY2(page.rect().contains(box), name);
  }
  QCOMPARE(page.findChild<QScrollArea*>()->horizontalScrollBar()->maximum(), 0);
}

void TestWindowParts::theRailIsAsWideAsItsNames() {
  for (const double scale : {1.0, 1.5, 2.0}) {
    applyTheme(*qApp, ThemeChoice::light, scale);
    const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
    QAction welcome(QStringLiteral("Welcome"));
    NavigationRail rail;
    rail.addWorkspace(&welcome, QStringLiteral("welcome"));
    rail.show();
    const auto* button = rail.findChild<QToolButton*>();
    QVERIFY(button->width() >= QFontMetrics(button->font()).horizontalAdvance(welcome.text()) + 4);
    QVERIFY(rail.width() <= 76 * scale);
  }
}

void TestWindowParts::aNoticeOffersWhatToDoAndLeavesThen() {
  QWidget window;
  NoticeBar bar(&window);
  window.show();
  QVERIFY(!bar.isVisible());
  bool isDone = false;
  bar.tell(
      NoticeBar::Kind::failure,
      QStringLiteral("It failed"),
      {{QStringLiteral("Try again"), [&] { isDone = true; }}, {QStringLiteral("Leave it"), [] {}}});
  QVERIFY(bar.isVisible());
  QTest::mouseClick(buttonNamed(bar, QStringLiteral("Try again")), Qt::LeftButton);
  QVERIFY(isDone);
  QVERIFY(!bar.isVisible());
}

void TestWindowParts::aNoticeOfAPageIsShownOnlyBesideIt() {
  QWidget window, inspect, runs;
  NoticeBar bar(&window);
  window.show();
  bar.setPage(&runs);
  bar.tell(NoticeBar::Kind::failure, u"It is not shown any more"_s, {}, &inspect);
  QVERIFY(!bar.isVisible());
  QVERIFY(bar.text().isEmpty());
  bar.setPage(&inspect);
  QVERIFY(bar.isVisible());
  QCOMPARE(bar.text(), u"It is not shown any more"_s);
  bar.tell(NoticeBar::Kind::failure, u"The disk is full"_s);
  bar.setPage(&runs);
  QVERIFY(bar.isVisible());
  QCOMPARE(bar.text(), u"The disk is full"_s);
  bar.setPage(&inspect);
  bar.withdraw(u"The disk is full"_s);
  QCOMPARE(bar.text(), u"It is not shown any more"_s);
  bar.withdraw(u"It is not shown any more"_s);
  QVERIFY(!bar.isVisible());
}

void TestWindowParts::keysChooseInADropDownList_data() {
  QTest::addColumn<Qt::Key>("key");
  QTest::addColumn<QString>("chosen");
  QTest::newRow("Return") << Qt::Key_Return << u"Adam"_s;
  QTest::newRow("Enter") << Qt::Key_Enter << u"Adam"_s;
  QTest::newRow("Select") << Qt::Key_Select << u"Adam"_s;
  QTest::newRow("Space") << Qt::Key_Space << u"Adam"_s;
  QTest::newRow("Escape") << Qt::Key_Escape << u"SGD"_s;
  QTest::newRow("F4") << Qt::Key_F4 << u"SGD"_s;
}

void TestWindowParts::keysChooseInADropDownList() {
  QFETCH(Qt::Key, key);
  QFETCH(QString, chosen);
  // As in every window of the studio. Return is also the key of a dialog's default button.
  ShortcutFilter filter;
  QDialog dialog;
  auto* column = new QVBoxLayout(&dialog);
  auto* list = new QComboBox;
  list->addItems({u"SGD"_s, u"Adam"_s, u"Muon"_s});
  auto* button = new QPushButton(u"Start"_s);
  button->setDefault(true);
  column->addWidget(list);
  column->addWidget(button);
  QSignalSpy activated(list, &QComboBox::textActivated);
  QSignalSpy pressed(button, &QPushButton::clicked);
  dialog.show();
  QVERIFY(QTest::qWaitForWindowActive(&dialog));
  list->setFocus();
  list->showPopup();
  QTRY_VERIFY(list->view()->isVisible());
  // Through the window, as the keyboard's events come.
  QTest::keyClick(dialog.windowHandle(), Qt::Key_Down);
  QTest::keyClick(dialog.windowHandle(), key);
  QTRY_VERIFY(!list->view()->isVisible());
  QCOMPARE(list->currentText(), chosen);
  QCOMPARE(activated.count(), chosen == u"Adam"_s ? 1 : 0);
  QCOMPARE(pressed.count(), 0);
  // The next press is a new one.
  button->setFocus();
  QTest::keyClick(dialog.windowHandle(), Qt::Key_Space);
  QCOMPARE(pressed.count(), 1);
}

void TestWindowParts::aSpaceIsPartOfANameThatIsTyped() {
  ShortcutFilter filter;
  QMainWindow window;
  auto* list = new QComboBox;
  list->addItems({u"dot at the left"_s, u"dot below"_s});
  window.setCentralWidget(list);
  window.show();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  list->setFocus();
  list->showPopup();
  QTRY_VERIFY(list->view()->isVisible());
  for (const char letter : {'d', 'o', 't', ' ', 'b'}) {
    QTest::keyClick(window.windowHandle(), letter);
  }
  QVERIFY(list->view()->isVisible());
  QTest::keyClick(window.windowHandle(), Qt::Key_Return);
  QCOMPARE(list->currentText(), u"dot below"_s);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestWindowParts)

#include "tst_window_parts.moc"
