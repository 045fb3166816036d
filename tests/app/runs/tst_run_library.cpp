#include <algorithm>
#include <memory>
#include <sys/stat.h>

#include <QElapsedTimer>
#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QtTest/QtTest>

#include "app/runs/library/imported_log.h"
#include "app/runs/library/run_edits.h"
#include "app/runs/run_library.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kPatienceMs = 10000;
constexpr char kFirst[] = "2026-11-21_01-02-23_first";

const RunSummary* named(const RunLibrary& library, const std::string& name) {
  const auto found = std::find_if(library.runs().begin(),
                                  library.runs().end(),
                                  [&](const RunSummary& run) { return run.name == name; });
  return found == library.runs().end() ? nullptr : &*found;
}

std::vector<ImportedLog> readLogs(const fs::path& folder) {
  const auto never = [] { return false; };
  return LogFollower(never).read(findLogFolders(folder, never));
}

}  // namespace

class TestRunLibrary : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void listsTheRunsOfAFolder();
  void aRunOfAnotherProcessAppearsWithinTwoSeconds();
  void aRunIsLiveWhileSomebodyHoldsItsLock();
  void aDeletedRunDisappears();
  void aDamagedRecordIsListedWithItsProblem();
  void metricsFollowWhatIsAppended();
  void metricsStartOverWhenTheFileDoes();
  void tagsAndNotesAreWritten();
  void aLiveRunRefusesChanges();
  void renamingKeepsTheDate();
  void aTakenNameIsRefused();
  void badNamesAreRefused_data();
  void badNamesAreRefused();
  void trashedRunsCanBeBroughtBack();
  void checkpointsAreListedAndLinksCountOnce();
  void runsFromElsewhereAreRemembered();
  void aRunRemovedAtOnceStaysAway();
  void listsAreWrittenWhenTheyChange();
  void aMissingLogStaysInTheList();
  void aLogRemovedAtOnceStaysAway();
  void aLogIsFollowedWhileItIsWritten();
  void runsInDeeperFoldersAreFound();
  void aHugeFolderIsSearchedInPart();
  void aFolderThatIsNoRunIsRefused();
  void aMissingFolderIsReportedAndNoticedWhenItComes();
  void foreignLogsAreSplitIntoRuns();
  void damagedLogsAreReported();
  void ownRunsBelowAFolderAreListedAndNotImported();
  void whatIsNoFileIsNoLog();
  void theTuDelftRunsAreRead();
  void aThousandRunsAreReadInASecond();

 private:
  void open();

  fs::path at(const char* name) const { return folder_->path() / name; }

  std::unique_ptr<TemporaryFolder> trash_;
  std::unique_ptr<TemporaryFolder> folder_;
  std::unique_ptr<RunLibrary> library_;
};

void TestRunLibrary::initTestCase() {
  trash_ = std::make_unique<TemporaryFolder>();
  qputenv("XDG_DATA_HOME", QByteArray::fromStdString(trash_->path().string()));
}

void TestRunLibrary::init() {
  folder_ = std::make_unique<TemporaryFolder>();
  library_ = std::make_unique<RunLibrary>();
}

void TestRunLibrary::cleanup() {
  library_.reset();
  folder_.reset();
}

void TestRunLibrary::open() {
  library_->setFolder(folder_->path());
  QTRY_VERIFY_WITH_TIMEOUT(library_->state() != LibraryState::reading, kPatienceMs);
}

void TestRunLibrary::listsTheRunsOfAFolder() {
  writeRun(folder_->path(), "2026-11-21_02-00-00_second", finishedRecord("second"));
  writeRun(folder_->path(), kFirst, finishedRecord("first"));
  fs::create_directory(at("no run"));
  open();
  QCOMPARE(library_->state(), LibraryState::ready);
  QCOMPARE(library_->runs().size(), std::size_t(2));
  QCOMPARE(library_->runs().front().record, finishedRecord("first"));
  QCOMPARE(library_->find(at(kFirst)), &library_->runs().front());
  QVERIFY(!library_->find(at("nothing")));
}

void TestRunLibrary::aRunOfAnotherProcessAppearsWithinTwoSeconds() {
  open();
  QVERIFY(library_->runs().empty());
  QSignalSpy changes(library_.get(), &RunLibrary::changed);
  QElapsedTimer timer;
  timer.start();
  RunRecord record = finishedRecord("first");
  record.status = RunStatus::running;
  writeRun(folder_->path(), kFirst, record);
  QTRY_VERIFY(library_->find(at(kFirst)));
  QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
  QVERIFY(!changes.isEmpty());

  QSignalSpy news(library_.get(), &RunLibrary::runChanged);
  changes.clear();
  timer.restart();
  record.epochsDone = 3;
  writeRunRecord(at(kFirst) / "run.json", record);
  QTRY_COMPARE(library_->find(at(kFirst))->record.epochsDone, 3);
  QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
  QCOMPARE(news.size(), 1);
  QVERIFY(changes.isEmpty());
}

void TestRunLibrary::aRunIsLiveWhileSomebodyHoldsItsLock() {
  RunRecord record = finishedRecord("first");
  record.status = RunStatus::running;
  writeRun(folder_->path(), kFirst, record);
  auto lock = std::make_unique<RunLock>(RunFolder::open(at(kFirst)));
  open();
  QVERIFY(library_->find(at(kFirst))->isLive);
  lock.reset();
  QTRY_VERIFY(!library_->find(at(kFirst))->isLive);
}

void TestRunLibrary::aDeletedRunDisappears() {
  writeRun(folder_->path(), kFirst, finishedRecord("first"));
  open();
  fs::remove_all(at(kFirst));
  QTRY_VERIFY(library_->runs().empty());
}

void TestRunLibrary::aDamagedRecordIsListedWithItsProblem() {
  writeRun(folder_->path(), kFirst, finishedRecord("first"));
  appendText(at(kFirst) / "run.json", "}");
  open();
  const RunSummary* run = library_->find(at(kFirst));
  QVERIFY(run);
  QVERIFY(QString::fromStdString(run->problem).contains(u"run.json"_s));
  writeRunRecord(at(kFirst) / "run.json", finishedRecord("repaired"));
  QTRY_VERIFY(library_->find(at(kFirst))->problem.empty());
}

void TestRunLibrary::metricsFollowWhatIsAppended() {
  const fs::path run = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  appendText(run / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  open();
  QSignalSpy news(library_.get(), &RunLibrary::metricsChanged);
  QVERIFY(!library_->metrics(run));
  QTRY_VERIFY(library_->metrics(run));
  const auto before = library_->metrics(run);
  QCOMPARE(before->epochs.size(), std::size_t(1));
  const std::string line = toLine(epochRecord(2, 0.6));
  appendText(run / "metrics.jsonl", line.substr(0, 20));
  appendText(run / "metrics.jsonl", line.substr(20));
  QTRY_COMPARE(library_->metrics(run)->epochs.size(), std::size_t(2));
  QCOMPARE(library_->metrics(run)->epochs.back(), epochRecord(2, 0.6));
  QCOMPARE(before->epochs.size(), std::size_t(1));
  QVERIFY(news.size() >= 2);
}

void TestRunLibrary::metricsStartOverWhenTheFileDoes() {
  const fs::path run = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  appendText(
      run / "metrics.jsonl",
      toLine(epochRecord(1, 0.5)) + toLine(epochRecord(2, 0.6)) + toLine(epochRecord(3, 0.7)));
  open();
  library_->metrics(run);
  QTRY_VERIFY(library_->metrics(run));
  QCOMPARE(library_->metrics(run)->epochs.size(), std::size_t(3));
  fs::remove(run / "metrics.jsonl");
  appendText(run / "metrics.jsonl", toLine(epochRecord(1, 0.4)));
  QTRY_COMPARE(library_->metrics(run)->epochs.size(), std::size_t(1));
}

void TestRunLibrary::tagsAndNotesAreWritten() {
  const fs::path run = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  open();
  library_->setTags(run, {"good", "seed 0"});
  library_->setNotes(run, "Two lines\nof notes");
  QTRY_COMPARE(library_->find(run)->record.notes, std::string("Two lines\nof notes"));
  std::vector<Problem> warnings;
  RunRecord expected = finishedRecord("first");
  expected.tags = {"good", "seed 0"};
  expected.notes = "Two lines\nof notes";
  QCOMPARE(readRunRecord(run / "run.json", warnings), expected);
}

void TestRunLibrary::aLiveRunRefusesChanges() {
  RunRecord record = finishedRecord("first");
  record.status = RunStatus::running;
  const fs::path run = writeRun(folder_->path(), kFirst, record);
  const RunLock lock(RunFolder::open(run));
  open();
  QSignalSpy refusals(library_.get(), &RunLibrary::refused);
  library_->setTags(run, {"new"});
  library_->rename(run, u"other"_s);
  library_->moveToTrash(run);
  QTRY_COMPARE(refusals.size(), 3);
  for (const QList<QVariant>& refusal : refusals) {
    QVERIFY(refusal.at(1).toString().contains(u"another process is training this run"_s));
  }
  std::vector<Problem> warnings;
  QCOMPARE(readRunRecord(run / "run.json", warnings), record);
}

void TestRunLibrary::renamingKeepsTheDate() {
  const fs::path run = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  open();
  QSignalSpy renamings(library_.get(), &RunLibrary::renamed);
  library_->rename(run, u" Größe: k = 8 "_s);
  QTRY_COMPARE(renamings.size(), 1);
  const auto to = renamings.first().at(1).value<fs::path>();
  QCOMPARE(to.filename().string(), std::string("2026-11-21_01-02-23_Größe--k---8"));
  QTRY_VERIFY(library_->find(to));
  QVERIFY(!library_->find(run));
  QCOMPARE(library_->find(to)->record.config.name, std::string("Größe: k = 8"));
  QCOMPARE(folderNameFor("my run", "new name"), std::string("new-name"));
  QCOMPARE(folderNameFor("my run", "größer λ 中文"), std::string("größer-λ-中文"));
}

void TestRunLibrary::aTakenNameIsRefused() {
  const fs::path run = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  writeRun(folder_->path(), "2026-11-21_01-02-23_other", finishedRecord("other"));
  open();
  QSignalSpy refusals(library_.get(), &RunLibrary::refused);
  library_->rename(run, u"other"_s);
  QTRY_COMPARE(refusals.size(), 1);
  std::vector<Problem> warnings;
  QCOMPARE(readRunRecord(run / "run.json", warnings), finishedRecord("first"));
}

void TestRunLibrary::badNamesAreRefused_data() {
  QTest::addColumn<QString>("name");
  QTest::newRow("empty") << QString();
  QTest::newRow("spaces") << u"  \t"_s;
  QTest::newRow("line break") << u"a\nb"_s;
  QTest::newRow("long") << QString(81, u'x');
}

void TestRunLibrary::badNamesAreRefused() {
  QFETCH(QString, name);
  QVERIFY_THROWS_EXCEPTION(Error, folderNameFor(kFirst, name.toStdString()));
}

void TestRunLibrary::trashedRunsCanBeBroughtBack() {
  const fs::path run = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  open();
  QSignalSpy trashings(library_.get(), &RunLibrary::trashed);
  QSignalSpy refusals(library_.get(), &RunLibrary::refused);
  library_->moveToTrash(run);
  QTRY_VERIFY(trashings.size() + refusals.size() > 0);
  if (!refusals.isEmpty()) QSKIP("this file system has no trash");
  QTRY_VERIFY(library_->runs().empty());
  QVERIFY(!fs::exists(run));
  const auto trashed = trashings.first().at(1).value<fs::path>();
  QVERIFY(fs::exists(trashed / "run.json"));
  library_->restore(trashed, run);
  QTRY_VERIFY(library_->find(run));
  QCOMPARE(library_->find(run)->record, finishedRecord("first"));
}

void TestRunLibrary::checkpointsAreListedAndLinksCountOnce() {
  const fs::path run = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  const std::uint64_t recordBytes = fs::file_size(run / "run.json");
  appendText(run / "checkpoints" / "epoch-0001.safetensors", std::string(1000, 'a'));
  appendText(run / "checkpoints" / "epoch-0002.safetensors", std::string(2000, 'b'));
  fs::create_hard_link(run / "checkpoints" / "epoch-0002.safetensors",
                       run / "checkpoints" / "best.safetensors");
  open();
  QSignalSpy lists(library_.get(), &RunLibrary::filesListed);
  library_->listFiles(run);
  QTRY_COMPARE(lists.size(), 1);
  const auto files = lists.first().at(1).value<RunFiles>();
  QCOMPARE(files.totalBytes, recordBytes + 3000);
  QCOMPARE(files.checkpoints.size(), std::size_t(3));
  QCOMPARE(files.checkpoints.front().path.filename().string(),
           std::string("epoch-0002.safetensors"));
  QCOMPARE(files.checkpoints.front().bytes, std::uint64_t(2000));
}

void TestRunLibrary::runsFromElsewhereAreRemembered() {
  const TemporaryFolder elsewhere;
  const fs::path run = writeRun(elsewhere.path(), "guest", finishedRecord("guest"));
  open();
  library_->addRun(run);
  QTRY_VERIFY(library_->find(run));
  QSettings settings(toText(elsewhere.path() / "settings.ini"), QSettings::IniFormat);
  library_->saveTo(settings);
  library_ = std::make_unique<RunLibrary>();
  library_->restoreFrom(settings);
  QTRY_VERIFY(library_->find(run));
  QCOMPARE(library_->folder(), folder_->path());
  library_->removeRun(run);
  QTRY_VERIFY(!library_->find(run));
  QVERIFY(fs::exists(run));
}

void TestRunLibrary::aRunRemovedAtOnceStaysAway() {
  const TemporaryFolder elsewhere;
  const fs::path run = writeRun(elsewhere.path(), "guest", finishedRecord("guest"));
  writeRun(folder_->path(), kFirst, finishedRecord("first"));
  open();
  library_->addRun(run);
  library_->removeRun(run);
  QSignalSpy lists(library_.get(), &RunLibrary::filesListed);
  library_->listFiles(run);  // Answered after everything that was asked before.
  QTRY_COMPARE(lists.size(), 1);
  QVERIFY(library_->addedRuns().empty());
  QVERIFY(!library_->find(run));
}

void TestRunLibrary::listsAreWrittenWhenTheyChange() {
  const TemporaryFolder elsewhere;
  const fs::path run = writeRun(elsewhere.path(), "guest", finishedRecord("guest"));
  fs::create_directory(elsewhere.path() / "foreign");
  EventWriter(elsewhere.path() / "foreign").add(1, {{"loss", 0.5}});
  const QString file = toText(elsewhere.path() / "settings.ini");
  {
    QSettings settings(file, QSettings::IniFormat);
    settings.beginGroup(u"library"_s);
    library_->restoreFrom(settings);
  }
  const auto written = [&](const QString& key) {
    QSettings settings(file, QSettings::IniFormat);
    return settings.value(u"library/"_s + key).toStringList();
  };
  library_->setFolder(folder_->path());
  library_->addRun(run);
  QCOMPARE(written(u"folder"_s), QStringList{toText(folder_->path())});
  QCOMPARE(written(u"addedRuns"_s), QStringList{toText(run)});
  library_->importLog(elsewhere.path() / "foreign");
  QTRY_COMPARE(written(u"importedLogs"_s), QStringList{toText(elsewhere.path() / "foreign")});
  // Nothing but the file tells what would be left after a kill.
  QTRY_VERIFY(QFile::exists(file));
  library_->removeLog(elsewhere.path() / "foreign");
  library_->removeRun(run);
  QVERIFY(written(u"importedLogs"_s).isEmpty());
  QVERIFY(written(u"addedRuns"_s).isEmpty());
}

void TestRunLibrary::aMissingLogStaysInTheList() {
  const TemporaryFolder elsewhere;
  const fs::path log = elsewhere.path() / "foreign";
  fs::create_directory(log);
  EventWriter(log).add(1, {{"loss", 0.5}});
  open();
  library_->importLog(log);
  QTRY_COMPARE(library_->importedLogs().size(), std::size_t(1));
  QSettings settings(toText(folder_->path() / "settings.ini"), QSettings::IniFormat);
  library_->saveTo(settings);
  fs::rename(log, elsewhere.path() / "away");
  // A close before the logs have been read forgets none.
  library_ = std::make_unique<RunLibrary>();
  library_->restoreFrom(settings);
  library_->saveTo(settings);
  library_ = std::make_unique<RunLibrary>();
  library_->restoreFrom(settings);
  QTRY_COMPARE(library_->importedLogs().size(), std::size_t(1));
  QCOMPARE(library_->importedLogs().front().path, log);
  QVERIFY(!library_->importedLogs().front().remarks.empty());
  fs::rename(elsewhere.path() / "away", log);
  library_->refresh();
  QTRY_VERIFY(library_->importedLogs().front().remarks.empty());
  QCOMPARE(library_->importedLogs().front().curves.size(), std::size_t(1));
}

void TestRunLibrary::aLogRemovedAtOnceStaysAway() {
  const TemporaryFolder elsewhere;
  EventWriter(elsewhere.path()).add(1, {{"loss", 0.5}});
  QSettings settings(toText(folder_->path() / "settings.ini"), QSettings::IniFormat);
  settings.setValue(u"importedLogs"_s, QStringList{toText(elsewhere.path())});
  library_->restoreFrom(settings);
  library_->removeLog(elsewhere.path());
  QSignalSpy lists(library_.get(), &RunLibrary::filesListed);
  library_->listFiles(elsewhere.path());
  QTRY_COMPARE(lists.size(), 1);
  QVERIFY(library_->importedLogs().empty());
}

void TestRunLibrary::aLogIsFollowedWhileItIsWritten() {
  const TemporaryFolder elsewhere;
  EventWriter writer(elsewhere.path());
  writer.add(1, {{"loss", 0.5}});
  open();
  library_->importLog(elsewhere.path());
  QTRY_COMPARE(library_->importedLogs().size(), std::size_t(1));
  const auto points = [&] {
    std::size_t count = 0;
    for (const Curve& curve : library_->importedLogs().front().curves) count += curve.points.size();
    return count;
  };
  QCOMPARE(points(), std::size_t(1));
  writer.add(2, {{"loss", 0.4}});
  QTRY_COMPARE(points(), std::size_t(2));
  // Another file, in a folder that is new.
  fs::create_directory(elsewhere.path() / "validation");
  EventWriter(elsewhere.path() / "validation").add(1, {{"accuracy", 0.5}});
  QTRY_COMPARE(points(), std::size_t(3));
}

void TestRunLibrary::runsInDeeperFoldersAreFound() {
  const fs::path near = writeRun(at("sweep"), "near", finishedRecord("near"));
  const fs::path folders = at("a") / "b" / "c" / "d" / "e" / "f";
  const fs::path deep = writeRun(folders, "deep", finishedRecord("deep"));
  writeRun(folders / "g", "too-deep", finishedRecord("too deep"));
  writeRun(at(".hidden"), "run", finishedRecord("hidden"));
  writeRun(near, "inside", finishedRecord("inside"));
  fs::create_directory_symlink("..", at("sweep") / "loop");
  fs::create_directory(at("locked"));
  fs::permissions(at("locked"), fs::perms::none);
  const TemporaryFolder elsewhere;
  writeRun(elsewhere.path(), "linked", finishedRecord("linked"));
  fs::create_directory_symlink(elsewhere.path() / "linked", at("link"));
  open();
  QTRY_COMPARE(library_->runs().size(), std::size_t(3));
  QVERIFY(library_->find(near));
  QVERIFY(library_->find(deep));
  QVERIFY(library_->find(at("link")));
  QVERIFY(library_->stateText().isEmpty());
  const fs::path late = writeRun(at("sweep"), "late", finishedRecord("late"));
  QTRY_VERIFY(library_->find(late));
  fs::permissions(at("locked"), fs::perms::owner_all);
}

void TestRunLibrary::aHugeFolderIsSearchedInPart() {
  const fs::path near = writeRun(folder_->path(), kFirst, finishedRecord("first"));
  fs::create_directory(at("z"));
  for (int i = 0; i < 20'001; ++i) appendText(at("z") / std::to_string(i), {});
  open();
  QVERIFY(library_->find(near));
  QCOMPARE(library_->state(), LibraryState::ready);
  QVERIFY(library_->stateText().contains(u"too many folders"_s));
}

void TestRunLibrary::aFolderThatIsNoRunIsRefused() {
  open();
  QSignalSpy refusals(library_.get(), &RunLibrary::refused);
  library_->addRun(folder_->path());
  library_->importLog(folder_->path());
  QTRY_COMPARE(refusals.size(), 2);
  QVERIFY(refusals.first().at(1).toString().contains(u"run.json"_s));
}

void TestRunLibrary::aMissingFolderIsReportedAndNoticedWhenItComes() {
  library_->setFolder(at("later"));
  QTRY_COMPARE(library_->state(), LibraryState::missing);
  QVERIFY(library_->stateText().contains(u"later"_s));
  writeRun(at("later"), kFirst, finishedRecord("first"));
  QTRY_COMPARE(library_->state(), LibraryState::ready);
  QVERIFY(named(*library_, kFirst));
}

void TestRunLibrary::foreignLogsAreSplitIntoRuns() {
  fs::create_directories(at("a") / "train");
  fs::create_directories(at("a") / "validation");
  fs::create_directories(at("b"));
  EventWriter(at("a") / "train").add(1, {{"loss", 0.5}});
  EventWriter(at("a") / "validation").add(1, {{"loss", 0.6}});
  EventWriter(at("b")).add(1, {{"val/accuracy", 0.7}});
  const std::vector<ImportedLog> logs = readLogs(folder_->path());
  QCOMPARE(logs.size(), std::size_t(2));
  QCOMPARE(logs[0].path, at("a"));
  QCOMPARE(logs[0].curves.size(), std::size_t(2));
  QCOMPARE(logs[0].curves[0].name, std::string("train"));
  QCOMPARE(logs[1].path, at("b"));
  QCOMPARE(logs[1].name, (folder_->path().filename() / "b").string());
  QCOMPARE(logs[1].curves[0].name, std::string("val/accuracy"));
}

void TestRunLibrary::damagedLogsAreReported() {
  fs::create_directories(at("a"));
  fs::path file;
  {
    EventWriter writer(at("a"));
    writer.add(1, {{"loss", 0.5}});
    writer.add(2, {{"loss", 0.4}});
    file = writer.path();
  }
  fs::resize_file(file, fs::file_size(file) - 3);
  const std::vector<ImportedLog> logs = readLogs(at("a"));
  QCOMPARE(logs.size(), std::size_t(1));
  QCOMPARE(logs[0].curves[0].points.size(), std::size_t(1));
  QVERIFY(QString::fromStdString(logs[0].remarks).contains(u"cut off at its end"_s));
}

void TestRunLibrary::ownRunsBelowAFolderAreListedAndNotImported() {
  const TemporaryFolder elsewhere;
  const fs::path run = writeRun(elsewhere.path(), "own", finishedRecord("own"));
  appendText(run / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  EventWriter(run).add(1, {{"loss", 0.5}});
  fs::create_directory(elsewhere.path() / "foreign");
  EventWriter(elsewhere.path() / "foreign").add(1, {{"loss", 0.5}});
  open();
  library_->importLog(elsewhere.path());
  QTRY_VERIFY(library_->find(run));
  QCOMPARE(library_->importedLogs().size(), std::size_t(1));
  QCOMPARE(library_->importedLogs().front().path, elsewhere.path() / "foreign");
  // The runs in the library's own folder are already listed.
  writeRun(folder_->path(), kFirst, finishedRecord("first"));
  QTRY_VERIFY(library_->find(at(kFirst)));
  library_->importLog(folder_->path());
  QTRY_COMPARE(library_->runs().size(), std::size_t(2));
  QCOMPARE(library_->addedRuns().size(), std::size_t(1));
}

void TestRunLibrary::whatIsNoFileIsNoLog() {
  fs::create_directories(at("a") / "events.out.tfevents.folder");
  QCOMPARE(::mkfifo((at("a") / "events.out.tfevents.pipe").c_str(), 0600), 0);
  fs::create_directory_symlink("..", at("a") / "events.out.tfevents.loop");
  fs::create_symlink("/dev/zero", at("a") / "events.out.tfevents.endless");
  QVERIFY_THROWS_EXCEPTION(Error, readLogs(folder_->path()));
}

void TestRunLibrary::theTuDelftRunsAreRead() {
  const QByteArray place = qgetenv("LAMBDA_TUDELFT_RUNS");
  if (place.isEmpty()) QSKIP("LAMBDA_TUDELFT_RUNS does not name a folder of event files");
  library_->importLog(place.toStdString());
  QTRY_COMPARE(library_->importedLogs().size(), std::size_t(2));
  const ImportedLog& lambda = library_->importedLogs().front();
  QVERIFY(QString::fromStdString(lambda.name).startsWith(u"Lambda/"_s));
  QCOMPARE(lambda.curves.size(), std::size_t(4));
  QCOMPARE(lambda.curves.front().name, std::string("Accuracy_Test"));
  QCOMPARE(lambda.curves.front().points.size(), std::size_t(90));
  QVERIFY(std::abs(lambda.curves.front().points.back().value - 81.37) < 0.01);
  QVERIFY(lambda.remarks.empty());
}

void TestRunLibrary::aThousandRunsAreReadInASecond() {
  const std::string text = toJson(finishedRecord("one of many"));
  for (int i = 0; i < 1000; ++i) {
    const fs::path run = folder_->path() / ("2026-11-21_01-02-23_run" + std::to_string(i));
    fs::create_directory(run);
    appendText(run / "run.json", text);
  }
  QElapsedTimer timer;
  timer.start();
  open();
  const qint64 cold = timer.elapsed();
  QCOMPARE(library_->runs().size(), std::size_t(1000));
  qInfo("1,000 runs read in %lld ms", static_cast<long long>(cold));
  QVERIFY2(cold < 1000, qPrintable(QString::number(cold)));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRunLibrary)
#include "tst_run_library.moc"
