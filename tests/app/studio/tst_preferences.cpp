#include <sys/stat.h>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QHelpEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QRadioButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QToolTip>

#include "app/runs/run_library.h"
#include "app/session/data_location.h"
#include "app/session/studio_settings.h"
#include "app/studio/notice_bar.h"
#include "app/studio/settings/folder_row.h"
#include "app/studio/settings/preferences_window.h"
#include "app/studio/settings/shortcut_registry.h"
#include "tests/support/studio_window.h"
#include "widgets/export/export_folder.h"
#include "widgets/forms/field_form.h"
#include "widgets/forms/number_box.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

/// The window of the preferences in the studio's, through its real fields.
class TestPreferences : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void settingsThatCannotBeReadAreSetAside_data();
  void settingsThatCannotBeReadAreSetAside();

  void initTestCase() { QApplication::setOrganizationName(u"lambda-studio-preferences-tests"_s); }

  void init() { studio_ = std::make_unique<StudioWindow>(); }

  void cleanup() { studio_.reset(); }

  void aKeyOpensThePageAndEscapeClosesIt();
  void everySectionFitsTheSmallestWindow_data();
  void everySectionFitsTheSmallestWindow();
  void theThemeAndTheTextSizeChangeAtOnce();
  void aFolderIsTakenOnlyIfFilesCanBeWrittenThere();
  void newRunsBeginWithTheChosenSettings();
  void defaultsThatDoNotFitANewRunAreLeftOut();
  void closingDoesNotAskWhoDoesNotWantToBeAsked();
  void everyQuestionIsRemembered();
  void everyCommandIsInTheTableOnce();
  void aPressedKeyIsTheNewShortcut();
  void aKeyOfAnotherCommandIsNamedAndSwappedOrKept();
  void ofSeveralKeysThePressedOneMoves();
  void keysOfTwoPagesAreTakenOverOneByOne();
  void tipsShowTheKeysOnceAndAsTheyAre();
  void keysOfTwoPagesDoNotConflict();
  void keysThatMoveThroughTheWindowAreRefused();
  void shortcutsAreRememberedAndReset();
  void damagedSettingsAreIgnoredWithAMessage();

 private:
  PreferencesWindow& open();
  void goTo(const QString& section);
  void select(const QString& command);
  void press(const QKeySequence& keys);
  void press(const QString& checkBox);
  QAction* action(const QString& text);
  void setKeys(const QString& command, const QKeySequence& keys);

  template <class Part>
  Part* part(const QString& name) {
    for (Part* found : open().findChildren<Part*>()) {
      if (found->accessibleName() == name || found->property("text").toString() == name)
        return found;
    }
    return nullptr;
  }

  std::unique_ptr<StudioWindow> studio_;
};

PreferencesWindow& TestPreferences::open() {
  auto* window = (*studio_)->findChild<PreferencesWindow*>();
  if (!window || !window->isVisible()) {
    action(u"Preferences …"_s)->trigger();
    window = (*studio_)->findChild<PreferencesWindow*>();
  }
  return *window;
}

void TestPreferences::goTo(const QString& section) {
  auto* names = open().findChild<QListWidget*>();
  names->setCurrentItem(names->findItems(section, Qt::MatchExactly).value(0));
}

QAction* TestPreferences::action(const QString& text) {
  for (QAction* found : (*studio_)->actionsOfMenus()) {
    if (found->text() == text) return found;
  }
  return nullptr;
}

void TestPreferences::select(const QString& command) {
  goTo(u"Shortcuts"_s);
  auto* table = part<QTableView>(u"Shortcuts"_s);
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    const QString place = table->model()->index(row, 1).data().toString();
    if (place + u": "_s + table->model()->index(row, 0).data().toString() == command) {
      table->selectRow(row);
      return;
    }
  }
  QFAIL(qPrintable(u"no command "_s + command));
}

void TestPreferences::setKeys(const QString& command, const QKeySequence& keys) {
  auto* registry = (*studio_)->findChild<ShortcutRegistry*>();
  const auto found = std::ranges::find(registry->commands(), command, titleOf);
  QVERIFY2(found != registry->commands().end(), qPrintable(command));
  registry->set(static_cast<std::size_t>(found - registry->commands().begin()), keys);
}

void TestPreferences::press(const QKeySequence& keys) {
  auto* field = open().findChild<QKeySequenceEdit*>();
  field->setFocus();
  QTest::keyClick(field, keys[0].key(), keys[0].keyboardModifiers());
}

void TestPreferences::press(const QString& checkBox) {
  auto* box = part<QCheckBox>(checkBox);
  box->setFocus();
  QTest::keyClick(box, Qt::Key_Space);
}

void TestPreferences::aKeyOpensThePageAndEscapeClosesIt() {
  QVERIFY(!(*studio_)->findChild<PreferencesWindow*>());
  QTest::keyClick(&**studio_, Qt::Key_Comma, Qt::ControlModifier);
  auto* window = (*studio_)->findChild<PreferencesWindow*>();
  QVERIFY(window && window->isVisible());
  QVERIFY(!window->isModal());
  QTest::keyClick(window, Qt::Key_Escape);
  QVERIFY(!window->isVisible());
}

void TestPreferences::everySectionFitsTheSmallestWindow_data() {
  QTest::addColumn<double>("textSize");
  QTest::newRow("100 %") << 1.0;
  QTest::newRow("200 %") << 2.0;
}

void TestPreferences::everySectionFitsTheSmallestWindow() {
  QFETCH(double, textSize);
  studio_->preferences().setTextSize(textSize);
  PreferencesWindow& window = open();
  QVERIFY(window.width() <= 1280 && window.height() <= 800);
  auto* names = window.findChild<QListWidget*>();
  for (int i = 0; i < names->count(); ++i) {
    names->setCurrentRow(i);
    QCoreApplication::processEvents();
    QVERIFY2(window.width() <= 1280 && window.height() <= 800, qPrintable(names->item(i)->text()));
    QVERIFY(!window.grab().isNull());
  }
}

void TestPreferences::theThemeAndTheTextSizeChangeAtOnce() {
  QTest::mouseClick(part<QRadioButton>(u"Dark"_s), Qt::LeftButton);
  QVERIFY(QApplication::palette().color(QPalette::Window).lightness() < 128);
  auto* size = part<QSlider>(u"Text size in percent"_s);
  size->setFocus();
  QTest::keyClick(size, Qt::Key_End);
  QTRY_COMPARE(textScale(), 2.0);
  studio_->preferences().setTextSize(1.5);
  QCOMPARE(size->value(), 150);
}

void TestPreferences::aFolderIsTakenOnlyIfFilesCanBeWrittenThere() {
  goTo(u"Folders"_s);
  QTemporaryDir good;
  const RunLibrary& library = studio_->workspaces().library();
  const std::filesystem::path before = library.folder();
  auto* runs = part<QLineEdit>(u"Folder: Runs"_s);
  const auto enter = [](QLineEdit& field, const QString& text) {
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text);
    QTest::keyClick(&field, Qt::Key_Return);
  };
  const auto isTold = [this](const QString& text) {
    for (const QLabel* label : open().findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().startsWith(text)) return true;
    }
    return false;
  };
  for (const QString& bad : {u"."_s, u"/proc"_s, good.filePath(u"missing"_s), u"/etc/hostname"_s}) {
    enter(*runs, bad);
    QTRY_VERIFY2(isTold(u"Could not use this folder"_s), qPrintable(bad));
    QCOMPARE(library.folder(), before);
  }
  enter(*runs, good.path());
  QTRY_COMPARE(library.folder(), std::filesystem::path(good.path().toStdString()));
  enter(*part<QLineEdit>(u"Folder: Data sets"_s), good.path());
  QTRY_COMPARE(standardDataFolder().parent_path(),
               std::filesystem::path(good.path().toStdString()));
  enter(*part<QLineEdit>(u"Folder: Exports"_s), good.path());
  QTRY_COMPARE(exportFolder(), good.path());
  rememberExport(u"/tmp/elsewhere.png"_s);
  QCOMPARE(exportFolder(), good.path());
}

void TestPreferences::newRunsBeginWithTheChosenSettings() {
  goTo(u"Training"_s);
  auto* form = open().findChild<FieldForm*>();
  auto* every = form->editorOf("checkpoints.everyEpochs")->findChild<NumberBox*>();
  every = every ? every : qobject_cast<NumberBox*>(form->editorOf("checkpoints.everyEpochs"));
  QVERIFY(every);
  every->setFocus();
  QTest::keyClick(every, Qt::Key_Up);
  QCOMPARE(withRunDefaults(RunConfig()).checkpoints.everyEpochs, 2);
  auto* files = part<QSpinBox>(u"Reading and writing files"_s);
  files->setValue(5);
  QCOMPARE(readStudioSettings().fileThreads, 5);
  studio_->open();
  QCOMPARE(studio_->document().config().checkpoints.everyEpochs, 2);
  QCOMPARE(studio_->preferences().settings().fileThreads, 5);
}

void TestPreferences::defaultsThatDoNotFitANewRunAreLeftOut() {
  QSettings().setValue(
      u"newRuns/settings"_s,
      QStringList{u"data.source.trainCount=500"_s, u"checkpoints.everyEpochs=2"_s});
  RunConfig config;
  config.data.source = Cifar10Source();
  const RunConfig begun = withRunDefaults(config);
  QVERIFY(begun.data.source == config.data.source);
  QCOMPARE(begun.checkpoints.everyEpochs, 2);
}

void TestPreferences::closingDoesNotAskWhoDoesNotWantToBeAsked() {
  goTo(u"Questions"_s);
  press(u"Ask before closing stops a training"_s);
  RunConfig config = studio_->document().config();
  config.recipe.epochs = 100000;
  studio_->training().start(config, NewRunPlace(studio_->folder.path().toStdString()));
  (*studio_)->close();
  QVERIFY(!visibleQuestion(**studio_));
  QTRY_VERIFY(!(*studio_)->isVisible());
}

void TestPreferences::everyQuestionIsRemembered() {
  goTo(u"Questions"_s);
  press(u"Ask before the test set is scored"_s);
  auto* notification = part<QComboBox>(u"Notifications of the desktop"_s);
  notification->setFocus();
  QTest::keyClick(notification, Qt::Key_End);
  studio_->open();
  const StudioSettings& settings = studio_->preferences().settings();
  QVERIFY(!settings.asksBeforeTestScore);
  QVERIFY(settings.asksBeforeStopping);
  QCOMPARE(settings.endNotification, EndNotification::never);
  goTo(u"Questions"_s);
  QVERIFY(!part<QCheckBox>(u"Ask before the test set is scored"_s)->isChecked());
}

void TestPreferences::everyCommandIsInTheTableOnce() {
  const auto* registry = (*studio_)->findChild<ShortcutRegistry*>();
  QSet<QString> titles;
  for (const ShortcutCommand& command : registry->commands()) {
    QVERIFY2(!titles.contains(titleOf(command)), qPrintable(titleOf(command)));
    titles << titleOf(command);
  }
  for (int i = 0; i < 5; ++i) {
    const Page* page = studio_->workspaces().page(static_cast<Workspace>(i));
    if (!page) continue;
    for (const QAction* action : page->pageActions()) {
      if (!action || action->menu() || action->text().isEmpty()) continue;
      QVERIFY2(std::ranges::any_of(
                   registry->commands(),
                   [action](const ShortcutCommand& command) { return command.action == action; }),
               qPrintable(action->text()));
    }
  }
}

void TestPreferences::aPressedKeyIsTheNewShortcut() {
  select(u"File: Save"_s);
  press(QKeySequence(u"Ctrl+Alt+S"_s));
  QCOMPARE(action(u"Save"_s)->shortcuts(), QList{QKeySequence(u"Ctrl+Alt+S"_s)});
  QSignalSpy saved(action(u"Save"_s), &QAction::triggered);
  QTest::keyClick(&**studio_, Qt::Key_S, Qt::ControlModifier);
  QCOMPARE(saved.count(), 0);
  QTest::mouseClick(part<QPushButton>(u"Remove"_s), Qt::LeftButton);
  QVERIFY(action(u"Save"_s)->shortcuts().isEmpty());
}

void TestPreferences::aKeyOfAnotherCommandIsNamedAndSwappedOrKept() {
  const QKeySequence saves = action(u"Save"_s)->shortcut();
  const QKeySequence opens = action(u"Open …"_s)->shortcut();
  select(u"File: Save"_s);
  press(opens);
  QCOMPARE(action(u"Save"_s)->shortcut(), saves);
  bool isNamed = false;
  for (const QLabel* label : open().findChildren<QLabel*>())
    isNamed = isNamed || (label->isVisible() && label->text().contains(u"“File: Open”"_s));
  QVERIFY(isNamed);
  QTest::mouseClick(part<QPushButton>(u"Keep as it is"_s), Qt::LeftButton);
  QCOMPARE(action(u"Save"_s)->shortcut(), saves);
  press(opens);
  QTest::mouseClick(part<QPushButton>(u"Swap them"_s), Qt::LeftButton);
  QCOMPARE(action(u"Save"_s)->shortcut(), opens);
  QCOMPARE(action(u"Open …"_s)->shortcut(), saves);
  press(saves);
  QTest::mouseClick(part<QPushButton>(u"Take it over"_s), Qt::LeftButton);
  QCOMPARE(action(u"Save"_s)->shortcut(), saves);
  QVERIFY(action(u"Open …"_s)->shortcut().isEmpty());
  QVERIFY(!part<QPushButton>(u"Swap them"_s)->isVisible());
}

void TestPreferences::ofSeveralKeysThePressedOneMoves() {
  QAction* sheet = action(u"Keyboard shortcuts"_s);
  QAction* save = action(u"Save"_s);
  const QKeySequence saves = save->shortcut();
  const QList<QKeySequence> standard = sheet->shortcuts();
  QVERIFY(standard.size() > 1);
  select(u"File: Save"_s);
  press(standard.last());
  QTest::mouseClick(part<QPushButton>(u"Swap them"_s), Qt::LeftButton);
  QCOMPARE(save->shortcuts(), QList{standard.last()});
  QCOMPARE(sheet->shortcuts(), QList{saves});
  QTest::mouseClick(part<QPushButton>(u"Reset all"_s), Qt::LeftButton);
  press(standard.last());
  QTest::mouseClick(part<QPushButton>(u"Take it over"_s), Qt::LeftButton);
  QCOMPARE(save->shortcuts(), QList{standard.last()});
  QVERIFY(sheet->shortcuts().isEmpty());
}

void TestPreferences::keysOfTwoPagesAreTakenOverOneByOne() {
  const QKeySequence keys(u"Ctrl+Alt+J"_s);
  setKeys(u"Train: Start training"_s, keys);
  setKeys(u"Runs: Refresh"_s, keys);
  select(u"File: Save"_s);
  press(keys);
  QVERIFY(!part<QPushButton>(u"Swap them"_s)->isVisible());
  auto* takeOver = part<QPushButton>(u"Take it over"_s);
  QTest::mouseClick(takeOver, Qt::LeftButton);
  QVERIFY(action(u"Save"_s)->shortcut() != keys);
  QTest::mouseClick(takeOver, Qt::LeftButton);
  QCOMPARE(action(u"Save"_s)->shortcut(), keys);
  QVERIFY(!takeOver->isVisible());
}

void TestPreferences::tipsShowTheKeysOnceAndAsTheyAre() {
  const auto tipOf = [](QWidget& widget) {
    QToolTip::hideText();
    QHelpEvent help(QEvent::ToolTip, QPoint(4, 4), widget.mapToGlobal(QPoint(4, 4)));
    QApplication::sendEvent(&widget, &help);
    return QToolTip::text();
  };
  for (QToolButton* button : (*studio_)->findChildren<QToolButton*>()) {
    const QAction* action = button->defaultAction();
    if (!action || action->shortcut().isEmpty()) continue;
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    const QString tip = tipOf(*button);
    QVERIFY2(tip.endsWith(u'(' + keys + u')'), qPrintable(tip));
    QCOMPARE(tip.count(u'(' + keys + u')'), 1);
  }
  auto* start = (*studio_)->findChild<QPushButton*>(u"start"_s);
  QVERIFY2(tipOf(*start).endsWith(u"settings (F5)"_s), qPrintable(tipOf(*start)));
  setKeys(u"Train: Start training"_s, QKeySequence(Qt::Key_F8));
  QVERIFY2(tipOf(*start).endsWith(u"settings (F8)"_s), qPrintable(tipOf(*start)));
  setKeys(u"Runs: Show curves"_s, QKeySequence(Qt::Key_F9));
  const QList<QTabWidget*> tabs = (*studio_)->findChildren<QTabWidget*>();
  QVERIFY(std::ranges::any_of(
      tabs, [](const QTabWidget* each) { return each->tabToolTip(0) == u"F9"_s; }));
}

void TestPreferences::keysOfTwoPagesDoNotConflict() {
  auto* registry = (*studio_)->findChild<ShortcutRegistry*>();
  std::optional<std::size_t> train, runs;
  for (std::size_t i = 0; i < registry->commands().size(); ++i) {
    if (registry->commands()[i].place == u"Train"_s) train = i;
    if (registry->commands()[i].place == u"Runs"_s) runs = i;
  }
  QVERIFY(train && runs);
  const QKeySequence keys(u"Ctrl+Alt+J"_s);
  registry->set(*train, keys);
  QVERIFY(!registry->ownerOf(keys, *runs));
  QCOMPARE(registry->ownerOf(keys, 0), train);
}

void TestPreferences::keysThatMoveThroughTheWindowAreRefused() {
  const QKeySequence saves = action(u"Save"_s)->shortcut();
  select(u"File: Save"_s);
  press(QKeySequence(Qt::Key_Up));
  QCOMPARE(action(u"Save"_s)->shortcut(), saves);
  QVERIFY(!ShortcutRegistry::problemOf(QKeySequence(Qt::Key_Return)).isEmpty());
  QVERIFY(!ShortcutRegistry::problemOf(QKeySequence(u"Ctrl+K, Ctrl+S"_s)).isEmpty());
  QVERIFY(ShortcutRegistry::problemOf(QKeySequence(u"Ctrl+Return"_s)).isEmpty());
  QVERIFY(ShortcutRegistry::problemOf(QKeySequence(Qt::Key_L)).isEmpty());
}

void TestPreferences::shortcutsAreRememberedAndReset() {
  const QList<QKeySequence> standard = action(u"Keyboard shortcuts"_s)->shortcuts();
  QVERIFY(standard.size() > 1);
  select(u"Help: Keyboard shortcuts"_s);
  press(QKeySequence(Qt::Key_F9));
  studio_->open();
  QCOMPARE(action(u"Keyboard shortcuts"_s)->shortcuts(), QList{QKeySequence(Qt::Key_F9)});
  select(u"Help: Keyboard shortcuts"_s);
  QTest::mouseClick(part<QPushButton>(u"Reset"_s), Qt::LeftButton);
  QCOMPARE(action(u"Keyboard shortcuts"_s)->shortcuts(), standard);
  press(QKeySequence(Qt::Key_F9));
  QTest::mouseClick(part<QPushButton>(u"Reset all"_s), Qt::LeftButton);
  QCOMPARE(action(u"Keyboard shortcuts"_s)->shortcuts(), standard);
  studio_->open();
  QCOMPARE(action(u"Keyboard shortcuts"_s)->shortcuts(), standard);
}

void TestPreferences::settingsThatCannotBeReadAreSetAside_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("kind");
  const QString organization = QApplication::organizationName();
  for (const QString& name : {organization + u".conf"_s,
                              organization + u'/' + QApplication::applicationName() + u".conf"_s}) {
    for (const char* kind : {"pipe", "large", "folder", "usual"}) {
      QTest::addRow("%s, %s", qPrintable(name), kind) << name << QString::fromLatin1(kind);
    }
  }
}

void TestPreferences::settingsThatCannotBeReadAreSetAside() {
  QFETCH(QString, name);
  QFETCH(QString, kind);
  const QTemporaryDir folder;
  const QString file = folder.filePath(name);
  QVERIFY(QDir().mkpath(QFileInfo(file).path()));
  if (kind == u"pipe"_s) {
    QCOMPARE(mkfifo(qPrintable(file), 0600), 0);
  } else if (kind == u"folder"_s) {
    QVERIFY(QDir().mkpath(file));
  } else {
    QFile settings(file);
    QVERIFY(settings.open(QIODevice::WriteOnly));
    settings.write("[look]\ntheme=" + QByteArray(kind == u"large"_s ? 10'000'000 : 1, '1'));
  }
  const QStringList told = setUnusableSettingsAside(folder.path());
  if (kind == u"usual"_s) {
    QVERIFY(told.isEmpty());
    QVERIFY(QFileInfo::exists(file));
    return;
  }
  QCOMPARE(told, QStringList{u"all in %1, which is kept as %1.damaged"_s.arg(file)});
  QVERIFY(!QFileInfo::exists(file));
  QVERIFY(QFileInfo::exists(file + u".damaged"_s));
}

void TestPreferences::damagedSettingsAreIgnoredWithAMessage() {
  QSettings settings;
  settings.setValue(
      u"shortcuts/changed"_s,
      QStringList{
          u"File: Save\tCtrl+O"_s, u"File: Nothing\tCtrl+J"_s, u"no keys"_s, u"File: Quit\tUp"_s});
  settings.setValue(u"threads/files"_s, u"many"_s);
  settings.setValue(u"look/theme"_s, 17);
  settings.setValue(u"ask/beforeStopping"_s, u"perhaps"_s);
  settings.setValue(u"newRuns/settings"_s, QStringList{u"checkpoints.everyEpochs=-3"_s});
  settings.sync();
  studio_->open();
  const QString told = (*studio_)->findChild<NoticeBar*>()->text();
  for (const char* part : {"File: Save",
                           "File: Nothing",
                           "no keys",
                           "File: Quit",
                           "threads/files",
                           "look/theme",
                           "ask/beforeStopping",
                           "newRuns/settings"}) {
    QVERIFY2(told.contains(QString::fromLatin1(part)), qPrintable(told));
  }
  QCOMPARE(action(u"Save"_s)->shortcut(), QKeySequence(QKeySequence::Save));
  QCOMPARE(studio_->preferences().settings(), StudioSettings());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestPreferences)

#include "tst_preferences.moc"
