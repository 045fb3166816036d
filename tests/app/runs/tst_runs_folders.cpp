#include <QComboBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QUrl>

#include "app/runs/panels/fork_dialog.h"
#include "app/runs/panels/run_legend.h"
#include "app/runs/table/run_columns.h"
#include "app/runs/table/run_filter_bar.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "tests/support/runs_page_stage.h"
#include "widgets/forms/field_form.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

class TestRunsFolders : public QObject, private RunsPageStage {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { beginAll(); }

  void init() { begin(); }

  void cleanup() { end(); }

  void aMissingFolderIsReported();
  void aRunStartedElsewhereShowsUpAndFollows();
  void f2RenamesInTheTable();
  void aFolderMayVanishWhileItIsInHand();
  void notesAndTagsAreWrittenAsTheyAreTyped();
  void deletingAsksAndCanBeUndone();
  void aQuestionIsOnlyAboutTheSelectedRuns();
  void whatWasUndoneIsNotOfferedForUndoing();
  void undoBelongsToTheRunsAndSaysWhatItUndoes();
  void whatWasTakenOffTheListComesBack();
  void aLogWithoutFilesComesBackToo();
  void renamingARunKeepsItsForkDialog();
  void escapeKeepsTheRun();
  void droppedLogsAreImportedAndOverlaid();
  void aDroppedFolderThatIsNothingIsReported();
  void aDroppedFileOfSomethingElseIsReported();
  void namesOutOfFilesAreShownAsTheyAre();
  void aDamagedRunIsComparedWithNothing();
  void moreRunsThanCanBeToldApartAreNotAllDrawn();
  void aRunIsSelectedAsSoonAsItIsThere();
  void endsWhileSomethingIsUnderWay();
  void aThousandRunsOpenInASecond();
};

void TestRunsFolders::aMissingFolderIsReported() {
  library_->setFolder(folder_->path() / "gone");
  QTRY_VERIFY(hasLabel(u"The library folder is not there"_s));
  QTRY_VERIFY(button(u"Choose another folder …"_s));
}

void TestRunsFolders::aRunStartedElsewhereShowsUpAndFollows() {
  open(0);
  QElapsedTimer timer;
  timer.start();
  RunRecord record = smallRecord("live");
  record.status = RunStatus::running;
  record.epochsDone = 1;
  const fs::path run = write("live", record);
  const RunLock lock(RunFolder::open(run));
  appendText(run / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  QTRY_COMPARE(rows().rowCount(), 1);
  QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
  QTRY_COMPARE(rows().index(0, columnOf(RunColumn::status)).data().toString(), u"Training"_s);
  const auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(1));
  QTRY_COMPARE(legend.entries().front().value, u"50.00 %"_s);
  appendText(run / "metrics.jsonl", toLine(epochRecord(2, 0.75)));
  record.epochsDone = 2;
  writeRunRecord(run / "run.json", record);
  QTRY_COMPARE(legend.entries().front().value, u"75.00 %"_s);
  QTRY_COMPARE(rows().index(0, columnOf(RunColumn::epochs)).data().toString(), u"2 / 6"_s);
}

void TestRunsFolders::f2RenamesInTheTable() {
  write("a", smallRecord("first"));
  open(1);
  table().setFocus();
  action(u"Rename"_s)->trigger();
  auto* editor = table().findChild<QLineEdit*>();
  QTRY_VERIFY(editor && editor->isVisible());
  editor->setText(u"renamed"_s);
  QTest::keyClick(editor, Qt::Key_Return);
  const fs::path to = folder_->path() / "2026-11-21_01-02-23_renamed";
  QTRY_VERIFY(library_->find(to));
  QTRY_COMPARE(table().currentRun(), to);
  QCOMPARE(rows().index(0, columnOf(RunColumn::name)).data().toString(), u"renamed"_s);
}

void TestRunsFolders::aFolderMayVanishWhileItIsInHand() {
  const fs::path renamed = write("a", smallRecord("first"));
  const fs::path forked = write("b", smallRecord("second"));
  const fs::path noted = write("c", smallRecord("third"));
  open(3);
  table().selectRun(renamed);
  table().setFocus();
  action(u"Rename"_s)->trigger();
  const QPointer<QLineEdit> editor = table().findChild<QLineEdit*>();
  QTRY_VERIFY(editor && editor->isVisible());
  editor->setText(u"too late"_s);
  fs::remove_all(renamed);
  QTRY_COMPARE(rows().rowCount(), 2);
  QTRY_VERIFY(!editor || !editor->isVisible());

  table().selectRun(forked);
  action(u"Fork …"_s)->trigger();
  const QPointer<ForkDialog> dialog = page_->findChild<ForkDialog*>();
  QVERIFY(dialog && dialog->isVisible());
  fs::remove_all(forked);
  QTRY_COMPARE(rows().rowCount(), 1);
  QTRY_VERIFY(!dialog);
  QVERIFY(messageBar().text().contains(u"no longer there"_s));

  table().selectRun(noted);
  action(u"Edit notes"_s)->trigger();
  QTest::keyClicks(page_->findChild<QPlainTextEdit*>(), u"for nobody"_s);
  action(u"Move to the trash"_s)->trigger();
  fs::remove_all(noted);
  QTRY_VERIFY(hasLabel(u"No runs yet"_s));
}

void TestRunsFolders::notesAndTagsAreWrittenAsTheyAreTyped() {
  const fs::path run = write("a", smallRecord("first"));
  const fs::path other = write("b", smallRecord("second"));
  open(2);
  table().selectRun(run);
  action(u"Edit tags"_s)->trigger();
  QCOMPARE(page_->findChild<QTabWidget*>()->currentIndex(), 4);
  QWidget* tags = QApplication::focusWidget();
  QVERIFY(qobject_cast<QLineEdit*>(tags));
  QTest::keyClicks(tags, u"good, seed 1, good"_s);
  QTest::keyClick(tags, Qt::Key_Return);
  QTRY_COMPARE(library_->find(run)->record.tags, (std::vector<std::string>{"good", "seed 1"}));
  action(u"Edit notes"_s)->trigger();
  QTest::keyClicks(QApplication::focusWidget(), u"Learns late."_s);
  // Selecting another run writes the typed text, and to the run for which it was typed.
  table().selectRun(other);
  QTRY_COMPARE(library_->find(run)->record.notes, std::string("Learns late."));
  QVERIFY(library_->find(other)->record.notes.empty());
  QVERIFY(library_->find(other)->record.tags.empty());
}

void TestRunsFolders::deletingAsksAndCanBeUndone() {
  const fs::path run = write("a", smallRecord("first"));
  write("b", smallRecord("second"));
  open(2);
  table().selectRun(run);
  QTest::keyClick(&table(), Qt::Key_Delete);
  QVERIFY(messageBar().isVisible());
  QVERIFY(messageBar().text().contains(u"first"_s));
  QVERIFY(fs::exists(run));
  QTest::keyClick(messageBar().actionButton(), Qt::Key_Return);
  QTRY_VERIFY(messageBar().isVisible());
  if (messageBar().text().contains(u"no trash"_s)) QSKIP("this file system has no trash");
  QTRY_COMPARE(rows().rowCount(), 1);
  QTRY_COMPARE(messageBar().actionButton()->text(), u"Undo"_s);
  QVERIFY(!fs::exists(run));
  QTest::mouseClick(messageBar().actionButton(), Qt::LeftButton);
  QTRY_COMPARE(rows().rowCount(), 2);
  QTRY_COMPARE(table().currentRun(), run);
  QCOMPARE(library_->find(run)->record, smallRecord("first"));
}

void TestRunsFolders::aQuestionIsOnlyAboutTheSelectedRuns() {
  const fs::path first = write("a", smallRecord("same name"));
  const fs::path second = write("b", smallRecord("same name"));
  open(2);
  for (const QString& question : {u"Move to the trash"_s, u"Continue for more epochs …"_s}) {
    table().selectRun(first);
    action(question)->trigger();
    QVERIFY(messageBar().isVisible());
    write("c", smallRecord("another"));
    library_->refresh();
    QTRY_COMPARE(rows().rowCount(), 3);
    QVERIFY(messageBar().isVisible());
    table().selectRun(second);
    QVERIFY(!messageBar().isVisible());
  }
  QVERIFY(fs::exists(first) && fs::exists(second));
}

void TestRunsFolders::whatWasUndoneIsNotOfferedForUndoing() {
  const fs::path first = write("a", smallRecord("first"));
  const fs::path second = write("b", smallRecord("second"));
  open(2);
  for (const fs::path& run : {first, second}) {
    table().selectRun(run);
    action(u"Move to the trash"_s)->trigger();
    messageBar().actionButton()->click();
    QTRY_VERIFY(!fs::exists(run) || messageBar().text().contains(u"no trash"_s));
    if (fs::exists(run)) QSKIP("this file system has no trash");
    QTRY_COMPARE(messageBar().actionButton()->text(), u"Undo"_s);
  }
  page_->undoAction()->trigger();
  QTRY_VERIFY(fs::exists(second));
  QCOMPARE(messageBar().text(), u"second restored."_s);
  QVERIFY(!messageBar().actionButton()->isVisible());
  QVERIFY(!fs::exists(first));
}

void TestRunsFolders::undoBelongsToTheRunsAndSaysWhatItUndoes() {
  const fs::path first = write("a", smallRecord("first"));
  const fs::path second = write("b", smallRecord("second"));
  write("c", smallRecord("third"));
  open(3);
  QAction* undo = page_->undoAction();
  QAction* redo = page_->redoAction();
  QVERIFY(undo && redo && !undo->isEnabled() && !redo->isEnabled());
  const auto trash = [&] {
    action(u"Move to the trash"_s)->trigger();
    messageBar().actionButton()->click();
  };
  table().selectRun(first);
  trash();
  QTRY_VERIFY(undo->isEnabled() || messageBar().text().contains(u"no trash"_s));
  if (!undo->isEnabled()) QSKIP("this file system has no trash");
  QCOMPARE(undo->text(), u"Undo: move first to the trash"_s);
  QTRY_COMPARE(rows().rowCount(), 2);
  table().selectAll();
  trash();
  QTRY_COMPARE(undo->text(), u"Undo: move 2 runs to the trash"_s);
  QTRY_COMPARE(rows().rowCount(), 0);
  undo->trigger();
  QTRY_COMPARE(rows().rowCount(), 2);
  QCOMPARE(undo->text(), u"Undo: move first to the trash"_s);
  QCOMPARE(redo->text(), u"Redo: move 2 runs to the trash"_s);
  undo->trigger();
  QTRY_COMPARE(rows().rowCount(), 3);
  QTRY_COMPARE(table().currentRun(), first);
  QVERIFY(!undo->isEnabled());
  redo->trigger();
  QTRY_COMPARE(rows().rowCount(), 2);
  QTRY_COMPARE(undo->text(), u"Undo: move first to the trash"_s);
  QCOMPARE(redo->text(), u"Redo: move 2 runs to the trash"_s);
  // Something new can't be followed by a redo.
  table().selectRun(second);
  trash();
  QTRY_COMPARE(undo->text(), u"Undo: move second to the trash"_s);
  QVERIFY(!redo->isEnabled());
}

void TestRunsFolders::whatWasTakenOffTheListComesBack() {
  const TemporaryFolder elsewhere;
  const fs::path guest = writeRun(elsewhere.path(), "guest", smallRecord("guest"));
  write("a", smallRecord("own"));
  open(1);
  page_->open(guest);
  QTRY_COMPARE(table().currentRun(), guest);
  action(u"Remove from the list"_s)->trigger();
  QTRY_COMPARE(rows().rowCount(), 1);
  QCOMPARE(page_->undoAction()->text(), u"Undo: remove guest from the list"_s);
  page_->undoAction()->trigger();
  QTRY_COMPARE(table().currentRun(), guest);
}

void TestRunsFolders::aLogWithoutFilesComesBackToo() {
  const TemporaryFolder elsewhere;
  const fs::path log = elsewhere.path() / "foreign";
  fs::create_directory(log);
  EventWriter(log).add(1, {{"loss", 0.5}});
  write("a", smallRecord("own"));
  open(1);
  page_->open(log);
  QTRY_COMPARE(table().currentRun(), log);
  fs::remove_all(log);
  action(u"Remove from the list"_s)->trigger();
  QTRY_COMPARE(rows().rowCount(), 1);
  page_->undoAction()->trigger();
  QTRY_COMPARE(rows().rowCount(), 2);
  QTRY_COMPARE(library_->importedLogs().size(), std::size_t(1));
  QVERIFY(!library_->importedLogs().front().remarks.empty());
}

void TestRunsFolders::renamingARunKeepsItsForkDialog() {
  const fs::path run = write("a", smallRecord("first"));
  appendText(run / "checkpoints" / "epoch-0002.safetensors", "x");
  appendText(run / "checkpoints" / "last.safetensors", "xx");
  open(1);
  action(u"Fork …"_s)->trigger();
  const QPointer<ForkDialog> dialog = page_->findChild<ForkDialog*>();
  auto* checkpoints = dialog->findChild<QComboBox*>();
  QTRY_COMPARE(checkpoints->count(), 2);
  checkpoints->setCurrentIndex(1);
  Q_EMIT dialog->findChild<FieldForm*>()->edited("recipe.batchSize", std::int64_t{17}, {});
  library_->rename(run, u"renamed"_s);
  const fs::path to = folder_->path() / "2026-11-21_01-02-23_renamed";
  QTRY_VERIFY(library_->find(to));
  QVERIFY(dialog && dialog->isVisible());
  QTRY_COMPARE(dialog->windowTitle(), u"Fork renamed"_s);
  QCOMPARE(dialog->config().recipe.batchSize, 17);
  QSignalSpy requests(dialog.get(), &ForkDialog::forkRequested);
  for (QPushButton* each : dialog->findChildren<QPushButton*>()) {
    if (each->text() == u"Start the fork"_s) each->click();
  }
  QCOMPARE(requests.size(), 1);
  QCOMPARE(requests[0][0].value<fs::path>(), to / "checkpoints" / "epoch-0002.safetensors");
}

void TestRunsFolders::escapeKeepsTheRun() {
  const fs::path run = write("a", smallRecord("first"));
  open(1);
  action(u"Move to the trash"_s)->trigger();
  QTest::keyClick(messageBar().actionButton(), Qt::Key_Escape);
  QVERIFY(!messageBar().isVisible());
  QVERIFY(fs::exists(run));
}

void TestRunsFolders::droppedLogsAreImportedAndOverlaid() {
  const TemporaryFolder logs;
  fs::create_directory(logs.path() / "foreign");
  {
    EventWriter writer(logs.path() / "foreign");
    for (int epoch = 0; epoch < 5; ++epoch) {
      // The test set must not choose an epoch: the last counts, not the best.
      writer.add(epoch, {{"Accuracy_Test", 64.0 - epoch}}, 1000 + 10 * epoch);
    }
  }
  write("a", smallRecord("own"));
  open(1);
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(toText(logs.path() / "foreign"))});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(page_.get(), &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(page_.get(), &drop);
  QTRY_COMPARE(rows().rowCount(), 2);
  table().selectRun(logs.path() / "foreign");
  QTest::keyClick(&table(), Qt::Key_Space);
  const auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(1));
  QTRY_COMPARE(legend.entries().front().value, u"60.00 %"_s);
  const int foreign = table().currentIndex().row();
  QCOMPARE(rows().index(foreign, columnOf(RunColumn::test)).data().toString(), u"60.00 %"_s);
  QVERIFY(!action(u"Move to the trash"_s)->isEnabled());
  action(u"Remove from the list"_s)->trigger();
  QTRY_COMPARE(rows().rowCount(), 1);
  QVERIFY(fs::exists(logs.path() / "foreign"));
}

void TestRunsFolders::aDroppedFolderThatIsNothingIsReported() {
  write("a", smallRecord("own"));
  open(1);
  page_->open(home_->path() / "nothing");
  QTRY_VERIFY(messageBar().isVisible());
  QVERIFY2(messageBar().text().contains(u"nothing"_s), qPrintable(messageBar().text()));
}

void TestRunsFolders::aDroppedFileOfSomethingElseIsReported() {
  const fs::path run = write("a", smallRecord("own"));
  write("b", smallRecord("other"));
  open(2);
  appendText(home_->path() / "picture.png", "x");
  page_->open(home_->path() / "picture.png");
  QTRY_VERIFY(messageBar().isVisible());
  QVERIFY2(messageBar().text().contains(u"picture.png: it is neither"_s),
           qPrintable(messageBar().text()));
  page_->open(run / "run.json");
  QTRY_COMPARE(table().currentRun(), run);
}

void TestRunsFolders::namesOutOfFilesAreShownAsTheyAre() {
  RunRecord record = smallRecord("<b>two</b>\nlines \u202Egpj.exe & %1 %2");
  record.notes = "<script>";
  const fs::path run = write("a", record);
  write("b", smallRecord(std::string(3000, 'x')));
  open(2);
  const QString shown = u"<b>two</b> lines gpj.exe & %1 %2"_s;
  table().selectRun(run);
  showTab(4);
  QTRY_VERIFY(hasLabel(shown));
  const QModelIndex name = rows().index(table().currentIndex().row(), columnOf(RunColumn::name));
  QCOMPARE(name.data().toString(), shown);
  const QString notes =
      name.siblingAtColumn(columnOf(RunColumn::notes)).data(Qt::ToolTipRole).toString();
  QVERIFY2(notes.contains(u"&lt;script&gt;"_s), qPrintable(notes));
  action(u"Move to the trash"_s)->trigger();
  QVERIFY(messageBar().text().contains(shown));
  for (const QLabel* label : page_->findChildren<QLabel*>()) {
    if (label->text().contains(shown)) QCOMPARE(label->textFormat(), Qt::PlainText);
  }
  QVERIFY(page_->minimumSizeHint().width() <= 920);
}

void TestRunsFolders::aDamagedRunIsComparedWithNothing() {
  const fs::path damaged = write("a", smallRecord("first"));
  appendText(damaged / "run.json", "}");
  appendText(write("b", smallRecord("second")) / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  write("c", smallRecord("third"));
  open(3);
  table().selectAll();
  QTest::keyClick(&table(), Qt::Key_Space);
  const auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(3));
  QCOMPARE(legend.entries()[0].detail, u"its record can't be read"_s);
  QTRY_COMPARE(legend.entries()[2].detail, u"no epoch scored yet"_s);
  table().selectRun(damaged);
  showTab(4);
  QTRY_VERIFY(hasLabel(u"Fix the file"_s));
  QVERIFY(!hasLabel(u">Fork<"_s));
}

void TestRunsFolders::moreRunsThanCanBeToldApartAreNotAllDrawn() {
  for (int i = 0; i < 60; ++i) {
    write(std::to_string(i), smallRecord("run " + std::to_string(i)));
  }
  open(60);
  table().selectAll();
  QTest::keyClick(&table(), Qt::Key_Space);
  const auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(40));
  QVERIFY(hasLabel(u"40 of 60 runs are drawn"_s));
}

void TestRunsFolders::aRunIsSelectedAsSoonAsItIsThere() {
  write("b", smallRecord("second"));
  open(1);
  const fs::path later = folder_->path() / "2026-11-21_01-02-23_a";
  page_->selectRun(later);
  write("a", smallRecord("first"));
  QTRY_COMPARE(table().currentRun(), later);
}

void TestRunsFolders::endsWhileSomethingIsUnderWay() {
  write("a", smallRecord("first"));
  open(1);
  showTab(2);
  QTRY_VERIFY(button(u"Classify the validation images"_s));
  QTest::mouseClick(button(u"Classify the validation images"_s), Qt::LeftButton);
  library_->refresh();
  action(u"Edit notes"_s)->trigger();
  QTest::keyClicks(QApplication::focusWidget(), u"typed last"_s);
  page_.reset();
  QTRY_COMPARE(library_->runs().front().record.notes, std::string("typed last"));
}

void TestRunsFolders::aThousandRunsOpenInASecond() {
  const std::string text = toJson(smallRecord("one of many"));
  for (int i = 0; i < 1000; ++i) {
    const fs::path run = folder_->path() / ("2026-11-21_01-02-23_run" + std::to_string(i));
    fs::create_directory(run);
    appendText(run / "run.json", text);
  }
  page_.reset();
  QElapsedTimer timer;
  timer.start();
  makePage();
  library_->setFolder(folder_->path());
  QTRY_COMPARE(rows().rowCount(), 1000);
  page_->repaint();
  const qint64 elapsed = timer.elapsed();
  qInfo("a table of 1,000 runs opened in %lld ms", static_cast<long long>(elapsed));
  QVERIFY2(elapsed < 1000, qPrintable(QString::number(elapsed)));

  timer.restart();
  table().sortByColumn(columnOf(RunColumn::name), Qt::AscendingOrder);
  QTest::keyClicks(page_->findChild<RunFilterBar*>()->searchField(), u"many"_s);
  page_->repaint();
  qInfo("sorted by name and searched in %lld ms", static_cast<long long>(timer.elapsed()));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRunsFolders)
#include "tst_runs_folders.moc"
