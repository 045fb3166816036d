#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <QtCore/QFile>
#include <QtCore/QStandardPaths>
#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include "engine/formats/json/config_json.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/values/text/text_safety.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

/// A name that sets a colour, clears the screen with the one-byte form of ESC [, changes the
/// direction of writing, and forges a line.
const std::string kName = "evil\x1b[31m\u009b2J\u202etxt.exe\u200f\r\nlambda: all is well\x7f";

bool isObeyedByNoTerminal(const QByteArray& text) {
  return terminalText(text.toStdString(), LineBreaks::kept) == text.toStdString();
}

}  // namespace

/// Runs every command with names, tags and paths that could control a terminal, shell or parser.
class TestHostileText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void nothingReachesTheTerminal_data();
  void nothingReachesTheTerminal();
  void everyReportIsJson_data();
  void everyReportIsJson();
  void theNextCommandsAreWordsOfAShell_data();
  void theNextCommandsAreWordsOfAShell();
  void presetsOfOthersAreShownSafely();

 private:
  /// Adds a row with a script for sh for every command with a hostile argument.
  void addCommands() const;
  QString inFolder(const QString& script) const;

  TemporaryFolder folder_;
  Program program_{folder_.path()};
  ProgramOutcome training_;
};

void TestHostileText::initTestCase() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  std::ofstream(folder_.path() / "tiny.json") << toJson(config);
  config.name = config.architecture.name = config.architecture.description = kName;
  std::ofstream(folder_.path() / "evil.json") << toJson(config);
  config.recipe.batchSize = 1000;
  std::ofstream(folder_.path() / "invalid.json") << toJson(config);
  std::ofstream(folder_.path() / "torn\x1b[2J.json") << "{\"a\x1b[2J\": ";
  std::ofstream(folder_.path() / "unknown.json")
      << R"({"schema": 1, "architecture": {"evil\u001b[2J\u009b": 1}})";
  fs::create_directories(folder_.path() / "log" / "sub\x1b[2J");
  for (const char* place : {"log", "log/sub\x1b[2J"}) {
    EventWriter(folder_.path() / place).add(1, {{"tag\x1b[31m\n\u202e\xff\xfe", 0.5F}});
  }
  fs::create_directories(folder_.path() / "data");
  std::ofstream(folder_.path() / "data" / "cifar-100-\x1b[2J") << "x";

  training_ = program_.runScript(
      u"out=\"=$(printf \"it's; \\$HOME\\033[2J\")\"; "
      u"\"$LAMBDA\" train evil.json --out \"$out\" && ln -s \"$out\"/* run"_s);
  QVERIFY2(training_.status == 0, training_.errors.constData());
}

void TestHostileText::addCommands() const {
  QTest::addColumn<QString>("arguments");
  const auto row = [](const char* arguments) {
    QTest::newRow(arguments) << QString::fromLatin1(arguments);
  };
  row("info run");
  row("info \"$(printf 'none\\377\\033[2J')\"");
  row("evaluate run");
  row("evaluate run --split validation");
  row("inspect run --list");
  row("inspect run --out \"$(printf 'look\\033[2J')\"");
  row("inspect run --out look --layer \"$(printf '\\377\\033[2J')\"");
  row("export run --to csv");
  row("export run --to json --out \"$(printf 'out\\033[2J\\377.json')\"");
  row("export run --to safetensors");
  row("export run --to \"$(printf '\\377\\033[2J')\"");
  row("curves run log");
  row("curves \"$(printf 'none\\377\\033[2J')\"");
  row("describe run");
  row("describe invalid.json");
  row("describe unknown.json");
  row("describe \"$(printf 'torn\\033[2J.json')\"");
  row("describe \"$(printf 'none\\377\\033[2J')\"");
  row("train invalid.json");
  row("train tiny.json --name \"$(printf '\\377\\033[2J')\"");
  row("train tiny.json --out \"$(printf 'out\\377\\033[2J')\"");
  row("train tiny.json --data \"$(printf 'none\\033[2J')\"");
  row("train tiny.json --set \"$(printf 'evil\\377\\033[2J=1')\"");
  row("train tiny.json --set \"$(printf 'name=\\377\\033[2J')\"");
  row("train \"$(printf -- '--\\377\\033[2J')\"");
  row("fork run --epochs 2 --out forks");
  row("resume \"$(printf 'none\\377\\033[2J')\"");
  row("resume run");
  row("data check data");
  row("data check \"$(printf 'none\\377\\033[2J')\"");
  row("\"$(printf '\\377\\033[2J')\"");
}

QString TestHostileText::inFolder(const QString& script) const {
  return u"\"$LAMBDA\" "_s + script;
}

void TestHostileText::nothingReachesTheTerminal_data() {
  addCommands();
}

void TestHostileText::nothingReachesTheTerminal() {
  QVERIFY2(isObeyedByNoTerminal(training_.output), training_.output.constData());
  QVERIFY2(isObeyedByNoTerminal(training_.errors), training_.errors.constData());
  QVERIFY(!training_.errors.contains("\nlambda: all is well"));
  QFETCH(const QString, arguments);
  const ProgramOutcome outcome = program_.runScript(inFolder(arguments));
  QVERIFY2(outcome.status >= 0 && outcome.status <= 2, outcome.errors.constData());
  QVERIFY(!outcome.output.isEmpty() || !outcome.errors.isEmpty());
  QVERIFY2(isObeyedByNoTerminal(outcome.output), outcome.output.constData());
  QVERIFY2(isObeyedByNoTerminal(outcome.errors), outcome.errors.constData());
  QVERIFY(!(outcome.output + outcome.errors).contains("\nlambda: all is well"));
}

void TestHostileText::everyReportIsJson_data() {
  addCommands();
}

void TestHostileText::everyReportIsJson() {
  QFETCH(const QString, arguments);
  const ProgramOutcome outcome = program_.runScript(inFolder(arguments + u" --json"_s));
  QVERIFY2(outcome.status >= 0 && outcome.status <= 2, outcome.errors.constData());
  QVERIFY2(nlohmann::json::accept(outcome.output.toStdString()), outcome.output.constData());
  QVERIFY2(isObeyedByNoTerminal(outcome.output), outcome.output.constData());
}

void TestHostileText::theNextCommandsAreWordsOfAShell_data() {
  QTest::addColumn<QString>("shell");
  for (const char* shell : {"bash", "zsh", "dash"}) {
    QTest::newRow(shell) << QString::fromLatin1(shell);
  }
}

void TestHostileText::theNextCommandsAreWordsOfAShell() {
  QFETCH(const QString, shell);
  if (QStandardPaths::findExecutable(shell).isEmpty()) QSKIP("the shell is not installed");
  int tried = 0;
  for (const QByteArray& line : training_.output.split('\n')) {
    const QByteArray command = line.trimmed();
    if (!command.startsWith("lambda inspect ") && !command.startsWith("lambda export ")) continue;
    // The purpose of the command follows after two spaces.
    const QByteArray words = command.left(command.lastIndexOf("  "));
    std::ofstream(folder_.path() / "next") << "lambda() { \"$LAMBDA\" \"$@\"; }\n"
                                           << words.toStdString() << "\n";
    const ProgramOutcome outcome = program_.runScript(shell + u" ./next"_s);
    QVERIFY2(outcome.status == 0, (words + "\n" + outcome.errors).constData());
    ++tried;
  }
  QCOMPARE(tried, 2);
}

void TestHostileText::presetsOfOthersAreShownSafely() {
  fs::create_directory(folder_.path() / "presets");
  fs::copy(folder_.path() / "evil.json", folder_.path() / "presets" / "evil\x1b[2J\xff.json");
  fs::copy(folder_.path() / "evil.json", folder_.path() / "presets" / "evil.json");
  fs::copy(folder_.path() / "torn\x1b[2J.json", folder_.path() / "presets" / "torn\x1b[2J.json");
  for (const char* arguments :
       {"presets", "presets evil", "presets evli", "info", "describe evil"}) {
    for (const char* json : {"", " --json"}) {
      const ProgramOutcome outcome =
          program_.runScript(u"export LAMBDA_PRESETS=presets; "_s +
                             inFolder(QString::fromLatin1(arguments) + QString::fromLatin1(json)));
      QVERIFY2(isObeyedByNoTerminal(outcome.output), outcome.output.constData());
      QVERIFY2(isObeyedByNoTerminal(outcome.errors), outcome.errors.constData());
      if (*json == '\0') continue;
      QVERIFY2(nlohmann::json::accept(outcome.output.toStdString()), outcome.output.constData());
    }
  }
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestHostileText)
#include "tst_hostile_text.moc"
