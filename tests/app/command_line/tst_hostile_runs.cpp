#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/values/text/text_safety.h"
#include "tests/support/folder_content.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

/// Folders of runs that others have prepared: what the program does with them must not reach beyond
/// them.
class TestHostileRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void noLinkInARunIsFollowed_data();
  void noLinkInARunIsFollowed();
  void aLinkToARunIsFollowed();
  void noPipeInARunIsWaitedFor_data();
  void noPipeInARunIsWaitedFor();
  void aBrokenRecordControlsNoTerminal();
  void aListOfPicturesThatCanNotBeReadIsAnError_data();
  void aListOfPicturesThatCanNotBeReadIsAnError();

 private:
  static bool isObeyedByNoTerminal(const QByteArray& text) {
    return terminalText(text.toStdString(), LineBreaks::kept) == text.toStdString();
  }

  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

void TestHostileRuns::initTestCase() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 2;
  config.monitoring.histograms = true;
  std::ofstream(folder_.path() / "tiny.json") << toJson(config);
  // It ends before its last epoch, so that there is something to resume.
  const ProgramOutcome training = program_.runScript(
      u"\"$LAMBDA\" train tiny.json --out runs --until-epoch 1 --quiet && mv runs/* original && "
      u"\"$LAMBDA\" evaluate original --split validation --quiet"_s);
  QVERIFY2(training.status == 0, training.errors.constData());
}

void TestHostileRuns::init() {
  std::error_code error;
  for (const char* each : {"run", "user"}) fs::remove_all(folder_.path() / each, error);
  fs::copy(folder_.path() / "original", folder_.path() / "run", fs::copy_options::recursive);
  fs::create_directory(folder_.path() / "user");
}

void TestHostileRuns::noLinkInARunIsFollowed_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("isRefused");
  for (const char* name : {"metrics.jsonl", "run.json", "run.log", "inspection", "checkpoints"}) {
    QTest::newRow(name) << QString::fromLatin1(name) << true;
  }
  // A run resumes from another checkpoint, and without its histograms.
  for (const char* name : {"histograms.jsonl",
                           "evaluations.jsonl",
                           "checkpoints/last.safetensors",
                           "checkpoints/best.safetensors"}) {
    QTest::newRow(name) << QString::fromLatin1(name) << false;
  }
}

void TestHostileRuns::noLinkInARunIsFollowed() {
  QFETCH(const QString, name);
  QFETCH(const bool, isRefused);
  const fs::path run = folder_.path() / "run";
  const fs::path target = folder_.path() / "user" / "own";
  // The user's file is the one that the run expects, so that nothing else stops the program.
  fs::rename(run / name.toStdString(), target);
  if (fs::is_directory(target)) {
    std::ofstream(target / "epoch-0009.safetensors") << "of the user";
    std::ofstream(target / "own.safetensors.link") << "of the user";
  }
  fs::create_symlink(target, run / name.toStdString());
  const std::string before = contentOfFolder(folder_.path() / "user");
  for (const QString& command : {u"resume run"_s,
                                 u"resume run --epochs 3"_s,
                                 u"evaluate run"_s,
                                 u"evaluate run/checkpoints/best.safetensors"_s,
                                 u"info run"_s,
                                 u"inspect run --list"_s,
                                 u"fork run --epochs 3 --out forks"_s,
                                 u"export run --to csv --out metrics.csv"_s}) {
    const ProgramOutcome outcome = program_.runScript(u"\"$LAMBDA\" "_s + command);
    QVERIFY2(outcome.status >= 0, qPrintable(command));
    QVERIFY2(contentOfFolder(folder_.path() / "user") == before, qPrintable(command));
  }
  const ProgramOutcome resumed = program_.runScript(u"\"$LAMBDA\" resume run --epochs 4"_s);
  QCOMPARE(resumed.status, isRefused ? 1 : 0);
  if (isRefused) QVERIFY2(resumed.errors.contains("link"), resumed.errors.constData());
}

void TestHostileRuns::aLinkToARunIsFollowed() {
  fs::create_symlink("run", folder_.path() / "linked");
  const ProgramOutcome outcome = program_.runScript(u"\"$LAMBDA\" resume linked"_s);
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  fs::remove(folder_.path() / "linked");
}

void TestHostileRuns::noPipeInARunIsWaitedFor_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"metrics.jsonl",
                           "histograms.jsonl",
                           "evaluations.jsonl",
                           "run.json",
                           "run.log",
                           "checkpoints/last.safetensors"}) {
    QTest::newRow(name) << QString::fromLatin1(name);
  }
}

void TestHostileRuns::noPipeInARunIsWaitedFor() {
  QFETCH(const QString, name);
  const fs::path file = folder_.path() / "run" / name.toStdString();
  fs::remove(file);
  QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
  for (const char* command : {"resume run", "evaluate run", "info run"}) {
    const auto process = program_.start(QString::fromLatin1(command).split(u' '));
    const ProgramOutcome outcome = Program::end(*process, 30000);
    QVERIFY2(outcome.status >= 0, command);
  }
}

void TestHostileRuns::aBrokenRecordControlsNoTerminal() {
  std::ofstream(folder_.path() / "run/run.json")
      << "{\"schema\": 1, \"evil\\u009b2J\\u202e\\u007f\\nlambda: all is well\": "
         "\u009b2J\u202e\x7f}";
  for (const char* command :
       {"evaluate run", "info run", "resume run", "inspect run --list", "export run --to csv"}) {
    const ProgramOutcome outcome = program_.run(QString::fromLatin1(command).split(u' '));
    QVERIFY2(isObeyedByNoTerminal(outcome.output + outcome.errors), outcome.errors.constData());
    QVERIFY2(!outcome.errors.contains("\nlambda: all is well"), outcome.errors.constData());
  }
}

void TestHostileRuns::aListOfPicturesThatCanNotBeReadIsAnError_data() {
  QTest::addColumn<QString>("list");
  QTest::addColumn<QByteArray>("reason");
  QTest::newRow("missing") << u"none.txt"_s << QByteArray("No such file");
  QTest::newRow("folder") << u"user"_s << QByteArray("Is a directory");
  QTest::newRow("standard input is a folder") << u"- <user"_s << QByteArray("Is a directory");
  QTest::newRow("fails in the middle") << u"/proc/self/mem"_s << QByteArray("can't be read");
  QTest::newRow("a line that is too long")
      << u"$(head -c 2000000 /dev/zero | tr '\\0' y >long; echo long)"_s
      << QByteArray("a line of more than");
  QTest::newRow("zeros without an end")
      << u"/dev/zero"_s << QByteArray("a NUL byte without a name");
}

void TestHostileRuns::aListOfPicturesThatCanNotBeReadIsAnError() {
  QFETCH(const QString, list);
  QFETCH(const QByteArray, reason);
  const ProgramOutcome outcome =
      program_.runScript(u"ulimit -v 40000000; \"$LAMBDA\" predict run --list "_s + list);
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains(reason), outcome.errors.constData());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestHostileRuns)
#include "tst_hostile_runs.moc"
