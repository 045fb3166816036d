#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <QAction>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/documents/document_actions.h"
#include "app/session/documents/document_recovery.h"
#include "app/session/documents/project_document.h"
#include "app/session/machine_memory.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/formats/json/presets.h"
#include "engine/formats/json/run_json.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/validate.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

RunConfig withEpochs(RunConfig config, int epochs) {
  config.recipe.epochs = epochs;
  return config;
}

RunConfig namedConfig(const char* name) {
  RunConfig config;
  config.name = name;
  Stage stage;
  stage.blocks = {Block{LambdaMixer{}}};
  config.architecture.stages = {stage};
  return config;
}

}  // namespace

class TestProjectDocument : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void failuresBeginWithWhatFailed();
  void onlyNetworksAndConfigurationsAreReplaced();
  void aNetworkBeyondTheMachinesMemoryIsAnError();
  void everyEditCanBeUndoneAndRedone();
  void aDragIsOneStepAndTwoDragsAreTwo();
  void aDragThatEndsWhereItBeganLeavesNothing();
  void aFixIsOneStepAndClearsItsProblem();
  void whatIsSavedOpensAsItWas();
  void aRunIsNamedAfterTheFileUnlessAPersonHasNamedIt();
  void aDamagedFileLeavesTheDocumentAsItWas();
  void aNetworkAloneKeepsTheRecipe();
  void savedIsWhatDifferencesAreShownAgainst();
  void unsavedChangesOutliveACrash();
  void nothingIsRescuedFromAProgramThatRunsOrHasSaved();
  void aDamagedRescueIsPassedOver();
  void aPipeInPlaceOfARescueIsPassedOver();
  void theNewestOfManyRescuesIsOffered();
  void whatKilledProgramsLeftEmptyIsRemoved();
  void changesAreKeptWithoutAsking();
  void filesUsedLastComeFirst();

 private:
  QString path(const char* name) const { return folder_->filePath(QString::fromLatin1(name)); }

  std::unique_ptr<QTemporaryDir> folder_;
};

void TestProjectDocument::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(QStringLiteral("lambda-studio-document-tests"));
}

void TestProjectDocument::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  QSettings().clear();
}

void TestProjectDocument::everyEditCanBeUndoneAndRedone() {
  ProjectDocument document;
  document.startFrom(namedConfig("a"));
  QVERIFY(!document.isModified());
  const RunConfig before = document.config();
  QSignalSpy changed(&document, &ProjectDocument::changed);
  document.edit(withEpochs(before, 7), QStringLiteral("Set epochs to 7"));
  document.edit(withEpochs(before, 8), QStringLiteral("Set epochs to 8"));
  QVERIFY(document.isModified());
  QCOMPARE(document.undoStack().undoText(), QStringLiteral("Set epochs to 8"));
  document.undoStack().undo();
  QCOMPARE(document.config().recipe.epochs, 7);
  document.undoStack().undo();
  QVERIFY(document.config() == before);
  QVERIFY(!document.isModified());
  document.undoStack().redo();
  QCOMPARE(document.config().recipe.epochs, 7);
  QCOMPARE(changed.count(), 5);
}

void TestProjectDocument::aDragIsOneStepAndTwoDragsAreTwo() {
  ProjectDocument document;
  document.startFrom(namedConfig("a"));
  for (int epochs = 1; epochs <= 10; ++epochs) {
    document.edit(withEpochs(document.config(), epochs),
                  QStringLiteral("Set epochs"),
                  QStringLiteral("first"));
  }
  QCOMPARE(document.undoStack().count(), 1);
  for (int epochs = 11; epochs <= 20; ++epochs) {
    document.edit(withEpochs(document.config(), epochs),
                  QStringLiteral("Set epochs"),
                  QStringLiteral("second"));
  }
  QCOMPARE(document.undoStack().count(), 2);
  document.undoStack().undo();
  QCOMPARE(document.config().recipe.epochs, 10);
}

void TestProjectDocument::aDragThatEndsWhereItBeganLeavesNothing() {
  ProjectDocument document;
  document.startFrom(namedConfig("a"));
  const int before = document.config().recipe.epochs;
  for (const int epochs : {before + 1, before + 2, before}) {
    document.edit(withEpochs(document.config(), epochs),
                  QStringLiteral("Set epochs"),
                  QStringLiteral("drag"));
  }
  QCOMPARE(document.undoStack().count(), 0);
  QVERIFY(!document.isModified());
}

void TestProjectDocument::aFixIsOneStepAndClearsItsProblem() {
  RunConfig config = namedConfig("a");
  std::get<LambdaMixer>(config.architecture.stages[0].blocks[0].mixer).heads = 5;
  ProjectDocument document;
  document.startFrom(config);
  const auto fixable = std::find_if(
      document.problems().begin(), document.problems().end(), [](const Problem& problem) {
        return problem.severity == Severity::error && problem.fix;
      });
  QVERIFY(fixable != document.problems().end());
  const std::string place = fixable->path;
  QCOMPARE(document.applyFix(Fix(*fixable->fix)), QString());
  for (const Problem& problem : document.problems()) QVERIFY(problem.path != place);
  QCOMPARE(document.undoStack().count(), 1);
  QVERIFY(!document.applyFix({"Set nothing", "architecture.nothing", "1"}).isEmpty());
  QCOMPARE(document.undoStack().count(), 1);
}

void TestProjectDocument::whatIsSavedOpensAsItWas() {
  ProjectDocument document;
  document.startFrom(namedConfig("a"));
  document.edit(withEpochs(document.config(), 77), QStringLiteral("Set epochs"));
  QCOMPARE(document.saveAs(path("a.json")), QString());
  QVERIFY(!document.isModified());
  ProjectDocument other;
  QCOMPARE(other.open(path("a.json")), QString());
  QVERIFY(other.ignored().isEmpty());
  QVERIFY(other.config() == document.config());
  QCOMPARE(other.title(), QStringLiteral("a"));
}

void TestProjectDocument::aRunIsNamedAfterTheFileUnlessAPersonHasNamedIt() {
  ProjectDocument document;
  std::vector<Problem> ignored;
  document.startFrom(loadPreset("quickstart", ignored));
  QCOMPARE(document.runConfig().name, std::string("quickstart"));
  QCOMPARE(document.saveAs(path("mine.json")), QString());
  QCOMPARE(document.runConfig().name, std::string("mine"));
  QCOMPARE(document.saveAs(path("other.json")), QString());
  QCOMPARE(document.runConfig().name, std::string("other"));
  RunConfig named = document.config();
  named.name = "wide";
  document.edit(named, QStringLiteral("Set the name"));
  QCOMPARE(document.runConfig().name, std::string("wide"));
  document.undoStack().undo();
  QCOMPARE(document.runConfig().name, std::string("other"));

  ProjectDocument opened;
  QFile::copy(path("mine.json"), path("copy.json"));
  for (const char* name : {"mine", "other"}) {
    QCOMPARE(opened.open(path(name) + QStringLiteral(".json")), QString());
    QCOMPARE(opened.runConfig().name, std::string(name));
  }
  // A name in a file that is neither the file's nor a preset's is one that somebody has chosen.
  QCOMPARE(opened.open(path("copy.json")), QString());
  QCOMPARE(opened.runConfig().name, std::string("mine"));
  QFile::copy(QString::fromStdString(presetFile("cpu-hybrid").string()), path("preset.json"));
  QCOMPARE(opened.open(path("preset.json")), QString());
  QCOMPARE(opened.runConfig().name, std::string("preset"));
}

void TestProjectDocument::aDamagedFileLeavesTheDocumentAsItWas() {
  std::ofstream(path("damaged.json").toStdString())
      << R"({"schema": 1, "architecture": {}, "recipe": {"epochs": "many"}})";
  ProjectDocument document;
  document.startFrom(namedConfig("a"));
  document.edit(withEpochs(document.config(), 5), QStringLiteral("Set epochs"));
  const RunConfig before = document.config();
  for (const char* name : {"damaged.json", "missing.json"}) {
    const QString problem = document.open(path(name));
    QVERIFY2(problem.contains(path(name)), qPrintable(problem));
    QVERIFY(document.config() == before);
    QCOMPARE(document.undoStack().count(), 1);
  }
  QVERIFY(!document.saveAs(path("no/such/folder.json")).isEmpty());
  QVERIFY(document.isModified());
}

void TestProjectDocument::aNetworkAloneKeepsTheRecipe() {
  std::ofstream(path("network.json").toStdString())
      << R"({"schema": 1, "name": "alone", "stages": []})";
  ProjectDocument document;
  document.startFrom(withEpochs(namedConfig("a"), 99));
  QCOMPARE(document.open(path("network.json")), QString());
  QCOMPARE(document.config().architecture.name, std::string("alone"));
  QCOMPARE(document.config().recipe.epochs, 99);
}

void TestProjectDocument::savedIsWhatDifferencesAreShownAgainst() {
  ProjectDocument document;
  document.startFrom(namedConfig("a"));
  document.edit(withEpochs(document.config(), 5), QStringLiteral("Set epochs"));
  QVERIFY(document.savedConfig() != document.config());
  QCOMPARE(document.saveAs(path("a.json")), QString());
  QVERIFY(document.savedConfig() == document.config());
}

void TestProjectDocument::unsavedChangesOutliveACrash() {
  const QString recovery = path("recovery");
  {
    ProjectDocument document;
    DocumentRecovery copy(document, recovery);
    document.startFrom(namedConfig("a"));
    QCOMPARE(document.saveAs(path("a.json")), QString());
    document.edit(withEpochs(document.config(), 55), QStringLiteral("Set epochs"));
    copy.saveNow();
    // The program ends here as in a crash: the document is neither saved nor discarded.
  }
  ProjectDocument document;
  DocumentRecovery copy(document, recovery);
  const std::optional<RescuedDocument> rescued = copy.rescued();
  QVERIFY(rescued);
  QCOMPARE(rescued->config.recipe.epochs, 55);
  QCOMPARE(rescued->path, path("a.json"));
  document.recover(rescued->saved, rescued->config, rescued->path);
  QVERIFY(document.isModified());
  QCOMPARE(document.title(), QStringLiteral("a"));
  QCOMPARE(document.config().recipe.epochs, 55);
  QVERIFY(document.savedConfig() == namedConfig("a"));
  document.undoStack().undo();
  QVERIFY(document.config() == document.savedConfig() && !document.isModified());
  copy.discard(*rescued);
  QVERIFY(!copy.rescued());
}

void TestProjectDocument::nothingIsRescuedFromAProgramThatRunsOrHasSaved() {
  const QString recovery = path("recovery");
  ProjectDocument running;
  DocumentRecovery runningCopy(running, recovery);
  running.startFrom(namedConfig("a"));
  running.edit(withEpochs(running.config(), 5), QStringLiteral("Set epochs"));
  runningCopy.saveNow();
  ProjectDocument other;
  const DocumentRecovery otherCopy(other, recovery);
  QVERIFY(!otherCopy.rescued());
  {
    ProjectDocument saved;
    DocumentRecovery savedCopy(saved, recovery);
    saved.startFrom(namedConfig("b"));
    saved.edit(withEpochs(saved.config(), 6), QStringLiteral("Set epochs"));
    savedCopy.saveNow();
    QCOMPARE(saved.saveAs(path("b.json")), QString());
  }
  QVERIFY(!otherCopy.rescued());
}

void TestProjectDocument::aDamagedRescueIsPassedOver() {
  const QString recovery = path("recovery");
  QVERIFY(QDir().mkpath(recovery + QStringLiteral("/gone")));
  std::ofstream((recovery + QStringLiteral("/gone/document.json")).toStdString()) << "{ cut";
  ProjectDocument document;
  const DocumentRecovery copy(document, recovery);
  QVERIFY(!copy.rescued());
}

void TestProjectDocument::aPipeInPlaceOfARescueIsPassedOver() {
  const QString recovery = path("recovery");
  for (const char* name : {"document.json", "origin.txt", "saved.json"}) {
    const QString folder = recovery + u'/' + QString::fromLatin1(name);
    QVERIFY(QDir().mkpath(folder));
    std::ofstream((folder + u"/document.json"_s).toStdString()) << toJson(namedConfig("a"));
    QFile::remove(folder + u'/' + QString::fromLatin1(name));
    QCOMPARE(mkfifo((folder + u'/' + QString::fromLatin1(name)).toStdString().c_str(), 0600), 0);
  }
  ProjectDocument document;
  const std::optional<RescuedDocument> rescued = DocumentRecovery(document, recovery).rescued();
  QVERIFY(rescued);
  QVERIFY(rescued->path.isEmpty());
  document.recover(rescued->saved, rescued->config, rescued->path);
  QVERIFY(document.isModified());
}

void TestProjectDocument::theNewestOfManyRescuesIsOffered() {
  const QString recovery = path("recovery");
  constexpr int kCount = 300;
  for (int i = 0; i < kCount; ++i) {
    const QString folder = recovery + u"/%1"_s.arg(i);
    QVERIFY(QDir().mkpath(folder));
    const std::filesystem::path file = (folder + u"/document.json"_s).toStdString();
    std::ofstream(file) << toJson(withEpochs(namedConfig("a"), i + 1));
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(kCount - i));
  }
  ProjectDocument document;
  DocumentRecovery copy(document, recovery);
  const std::optional<RescuedDocument> newest = copy.rescued();
  QVERIFY(newest);
  QCOMPARE(newest->config.recipe.epochs, kCount);
  copy.discard(*newest);
  QCOMPARE(copy.rescued()->config.recipe.epochs, kCount - 1);
}

void TestProjectDocument::whatKilledProgramsLeftEmptyIsRemoved() {
  const QString recovery = path("recovery");
  const auto left = [&](const QString& name, std::chrono::minutes age) {
    const QString folder = recovery + u'/' + name;
    QVERIFY(QDir().mkpath(folder));
    // The lock of a process that is over: numbers of processes are smaller.
    std::ofstream((folder + u"/lock"_s).toStdString())
        << "999999999\ntst_project_document\n"
        << QSysInfo::machineHostName().toStdString() << "\n";
    std::filesystem::last_write_time(folder.toStdString(),
                                     std::filesystem::file_time_type::clock::now() - age);
  };
  for (int i = 0; i < 30; ++i) left(u"over-%1"_s.arg(i), std::chrono::minutes(10));
  left(u"starting"_s, std::chrono::minutes(0));
  left(u"unsaved"_s, std::chrono::minutes(10));
  std::ofstream((recovery + u"/unsaved/document.json"_s).toStdString()) << "{ cut";
  ProjectDocument document;
  const DocumentRecovery copy(document, recovery);
  const auto folders = [&] { return QDir(recovery).entryList(QDir::Dirs | QDir::NoDotAndDotDot); };
  QTRY_COMPARE(folders().size(), 3);
  QVERIFY(folders().contains(u"starting"_s));
  QVERIFY(folders().contains(u"unsaved"_s));
}

void TestProjectDocument::changesAreKeptWithoutAsking() {
  const QString recovery = path("recovery");
  ProjectDocument document;
  DocumentRecovery copy(document, recovery);
  const auto kept = [&] {
    return QDir(recovery + u'/' + QDir(recovery).entryList(QDir::Dirs | QDir::NoDotAndDotDot)[0])
        .exists(QStringLiteral("document.json"));
  };
  document.startFrom(namedConfig("a"));
  document.edit(withEpochs(document.config(), 5), QStringLiteral("Set epochs"));
  QTRY_VERIFY(kept());
  document.undoStack().undo();
  QTRY_VERIFY(!kept());
}

void TestProjectDocument::filesUsedLastComeFirst() {
  ProjectDocument document;
  QWidget window;
  DocumentActions actions(document, path("recovery"), window);
  document.startFrom(namedConfig("a"));
  QCOMPARE(document.saveAs(path("a.json")), QString());
  QCOMPARE(document.saveAs(path("b.json")), QString());
  actions.openFile(path("a.json"));
  actions.openFile(path("b.json"));
  actions.openFile(path("a.json"));
  QCOMPARE(actions.recentFiles(), QStringList({path("a.json"), path("b.json")}));
  QSignalSpy failed(&actions, &DocumentActions::failed);
  actions.openFile(path("missing.json"));
  QCOMPARE(failed.count(), 1);
  QCOMPARE(actions.recentFiles().size(), 2);
}

void TestProjectDocument::failuresBeginWithWhatFailed() {
  ProjectDocument document;
  QWidget window;
  DocumentActions actions(document, path("recovery"), window);
  document.startFrom(namedConfig("a"));
  QSignalSpy failed(&actions, &DocumentActions::failed);
  QFile broken(path("broken.json"));
  QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{\"schema\": 1, ") > 0);
  broken.close();
  actions.openFile(broken.fileName());
  QVERIFY(failed.takeFirst().first().toString().startsWith(
      QStringLiteral("Could not open broken.json: line 1")));
  actions.reopen(path("gone.json"));
  QVERIFY(failed.takeFirst().first().toString().startsWith(
      QStringLiteral("Could not open gone.json: ")));
  actions.reopen({});
  QCOMPARE(failed.count(), 0);
  QVERIFY(QDir(path("")).mkpath(QStringLiteral("folder")));
  QCOMPARE(document.saveAs(path("folder/a.json")), QString());
  QVERIFY(QDir(path("folder")).removeRecursively());
  actions.saveAction()->trigger();
  QVERIFY(
      failed.takeFirst().first().toString().startsWith(QStringLiteral("Could not save a.json: ")));
  QCOMPARE(actions.recentFiles().size(), 0);
}

void TestProjectDocument::onlyNetworksAndConfigurationsAreReplaced() {
  const auto write = [this](const char* name, const std::string& text) {
    std::ofstream(path(name).toStdString()) << text;
    return path(name);
  };
  Experiment experiment;
  experiment.name = "sweep";
  RunRecord record;
  record.config = namedConfig("trained");
  const std::pair<QString, const char*> kept[] = {
      {write("sweep.json", toJson(experiment)), "it is an experiment"},
      {write("run.json", toJson(record)), "it is the record of a run"},
      {write("package.json", R"({"dependencies": {}})"), "it is not a network"},
      {write("notes.json", "buy milk"), "it is not a network"},
  };
  ProjectDocument document;
  document.startFrom(namedConfig("a"));
  for (const auto& [file, reason] : kept) {
    QFile before(file);
    QVERIFY(before.open(QIODevice::ReadOnly));
    const QByteArray content = before.readAll();
    const QString problem = document.saveAs(file);
    QVERIFY2(problem.startsWith(QString::fromLatin1(reason)), qPrintable(problem));
    QVERIFY(problem.endsWith(QStringLiteral("choose another name")));
    QVERIFY(document.path().isEmpty());
    QFile after(file);
    QVERIFY(after.open(QIODevice::ReadOnly));
    QCOMPARE(after.readAll(), content);
  }
  for (const QString& file : {write("network.json", toJson(namedConfig("b").architecture)),
                              write("configuration.json", toJson(namedConfig("b"))),
                              write("empty.json", {})}) {
    QCOMPARE(document.saveAs(file), QString());
  }
  // The document's own file may have been damaged.
  write("empty.json", "{");
  QCOMPARE(document.saveAs(path("empty.json")), QString());
}

void TestProjectDocument::aNetworkBeyondTheMachinesMemoryIsAnError() {
  const long long machine = machineMemory();
  if (machine == 0) QSKIP("This system does not report its memory.");
  ProjectDocument document;
  std::vector<Problem> warnings;
  RunConfig config = loadPreset("quickstart", warnings);
  document.edit(config, QStringLiteral("A network that fits"));
  QVERIFY(!hasErrors(document.problems()));
  config = loadPreset("cpu-hybrid", warnings);
  Stage& stage = config.architecture.stages.front();
  stage.width = 8192;
  stage.blocks.resize(256, stage.blocks.front());
  QVERIFY(validate(config).empty());
  QVERIFY(trainingBytes(costOf(config.architecture), config.recipe) > machine);
  document.edit(config, QStringLiteral("A network that does not"));
  QVERIFY(hasErrors(document.problems()));
  QCOMPARE(document.problems().back().path, std::string("recipe.batchSize"));
  const std::size_t problems = document.problems().size();
  config.device.kind = DeviceKind::cuda;
  document.edit(config, QStringLiteral("On a GPU"));
  QCOMPARE(document.problems().size(), problems - 1);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestProjectDocument)

#include "tst_project_document.moc"
