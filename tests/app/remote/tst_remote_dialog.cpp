#include <filesystem>
#include <memory>

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

#include "app/remote/remote_dialog.h"
#include "app/remote/remote_runs.h"
#include "tests/support/temporary_folder.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestRemoteDialog : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void aPlaceIsFollowedByTypingAndEnter() {
    Shown shown;
    QVERIFY(shown.says(u"No folder is followed yet."_s));
    QVERIFY(!shown.button(u"Stop following"_s)->isEnabled());
    shown.type(0, u"far"_s);
    QTest::keyClick(shown.lines()[0], Qt::Key_Return);
    QVERIFY(shown.says(u"The folder of runs there is missing, such as runs."_s));
    QVERIFY(shown.remote.places().empty());
    shown.type(1, u"runs"_s);
    QTest::keyClick(shown.lines()[1], Qt::Key_Return);
    QCOMPARE(shown.remote.places().size(), std::size_t{1});
    QCOMPARE(shown.list()->count(), 1);
    QVERIFY(shown.list()->item(0)->text().startsWith(u"far:runs"_s));
    QVERIFY(!shown.says(u"No folder is followed yet."_s));
    // The dialog stays open, and the form is ready for the next one.
    QVERIFY(shown.dialog.isVisible());
    QVERIFY(shown.lines()[0]->text().isEmpty());
    QCOMPARE(shown.lines()[2]->text(), u"lambda"_s);
  }

  void aLostConnectionIsExplainedAndTriedAgain() {
    Shown shown;
    shown.remote.add({u"far"_s, u"runs"_s});
    QTRY_VERIFY(shown.list()->item(0)->text().contains(u"Permission denied"_s));
    QTRY_VERIFY(shown.button(u"Connect now"_s)->isEnabled());
    QTest::mouseClick(shown.button(u"Connect now"_s), Qt::LeftButton);
    QTRY_VERIFY(shown.list()->item(0)->text().contains(u"Permission denied"_s));
    QTest::mouseClick(shown.button(u"Stop following"_s), Qt::LeftButton);
    QVERIFY(shown.remote.places().empty());
    QVERIFY(shown.says(u"No folder is followed yet."_s));
  }

  void everythingHasANameForScreenReaders() {
    Shown shown;
    QVERIFY(!shown.list()->accessibleName().isEmpty());
    for (const QLineEdit* line : shown.lines()) {
      const QLabel* label = nullptr;
      for (const QLabel* each : shown.dialog.findChildren<QLabel*>()) {
        if (each->buddy() == line) label = each;
      }
      QVERIFY(label);
    }
  }

 private:
  struct Shown {
    TemporaryFolder folder;
    RemoteRuns remote{[](const RemotePlace&) {
      return QStringList{u"/bin/sh"_s, u"-c"_s, u"echo Permission denied >&2; exit 255"_s};
    }};
    RemoteDialog dialog{remote};

    Shown() {
      remote.setLibrary(folder.path());
      dialog.show();
      [[maybe_unused]] const bool exposed = QTest::qWaitForWindowExposed(&dialog);
    }

    QList<QLineEdit*> lines() const { return dialog.findChildren<QLineEdit*>(); }

    QListWidget* list() const { return dialog.findChild<QListWidget*>(); }

    void type(int line, const QString& text) const { QTest::keyClicks(lines()[line], text); }

    QPushButton* button(const QString& text) const {
      for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
        if (button->text() == text) return button;
      }
      return nullptr;
    }

    bool says(const QString& text) const {
      for (const QLabel* label : dialog.findChildren<QLabel*>()) {
        if (label->isVisible() && label->text() == text) return true;
      }
      return false;
    }
  };
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRemoteDialog)
#include "tst_remote_dialog.moc"
