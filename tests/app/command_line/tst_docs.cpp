#include <filesystem>
#include <fstream>

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QRegularExpression>
#include <QtCore/QSet>
#include <QtTest/QtTest>

#include "engine/formats/inspection/png.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "tests/support/numbered_pictures.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_python.h"
#include "tests/support/tiny_run.h"
#include "tests/support/torch_file.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

const QDir kSources(QStringLiteral(LAMBDA_RESOURCES "/.."));
constexpr qint64 kMostBytesOfReadme = 10'000;

/// An option and a setting that do not exist. The program reports the first that it does not know:
/// if it reports these, it has accepted everything before them.
constexpr char kNoOption[] = "--no-such-option";
constexpr char kNoSetting[] = "no.such.setting";

/// How a command is tested that can't be run as it stands in a few seconds on any machine.
struct Exception {
  const char* begin;      ///< Of the command. The first line that fits is taken.
  const char* arguments;  ///< With these it runs; nullptr: its arguments are checked alone.
};

constexpr char kFewImages[] =
    " --set data.source.trainCount=600 --set data.validationCount=100"
    " --set data.source.testCount=100 --set recipe.epochs=1 --set recipe.batchSize=50"
    " --set device.threads=1";

constexpr char kFewSequences[] =
    " --set data.source.trainCount=50 --set recipe.epochs=1 --set recipe.batchSize=25"
    " --set device.threads=1";

constexpr Exception kExceptions[] = {
    {"lambda train quickstart --device cuda", nullptr},  // Needs a GPU.
    {"lambda train quickstart", kFewImages},
    {"lambda train text.json", " --set recipe.epochs=1"},
    {"lambda train recall-lambda", kFewSequences},
    {"lambda train text-rwkv", kFewSequences},
    {"lambda train own.json --data cifar10", nullptr},  // Need CIFAR-10.
    {"lambda train cpu-hybrid", nullptr},
    {"lambda train resnet18-imagenet", nullptr},  // Hours.
    {"lambda data get", nullptr},                 // A download.
    {"lambda bench", nullptr},                    // Minutes.
    {"lambda report", nullptr},                   // Needs lambda-studio.
    {"lambda experiment run NAME", ""},
    // tst_theory computes these.
    {"lambda experiment run small-initialisation", nullptr},
    {"lambda experiment run large-learning-rate", nullptr},
    {"lambda experiment run single-epoch", nullptr},
    {"lambda experiment run deep-linear-label-noise", nullptr},
    {"lambda experiment run kernel-regression", nullptr},
    {"lambda experiment run", nullptr},  // Minutes to hours.
};

/// Other programs that may stand in a command. Only that of the studio without a window is run.
const QSet<QString> kOtherPrograms{
    u"cmake"_s, u"(cd"_s, u"apt"_s, u"python3"_s, u"lambda-studio"_s};

struct Block {
  QString document;
  QString language;
  QString text;
};

/// The manual, the front page and CONTRIBUTING.md, as paths in the source folder.
QStringList documents() {
  QStringList names{u"README.md"_s, u"CONTRIBUTING.md"_s};
  const QDir manual(kSources.filePath(u"resources/docs"_s));
  for (const QString& name : manual.entryList({u"*.md"_s}, QDir::Files, QDir::Name)) {
    names << u"resources/docs/"_s + name;
  }
  return names;
}

QString textOf(const QString& document) {
  QFile file(kSources.filePath(document));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Splits a document into its fenced blocks and the text around them.
QList<Block> blocksOf(const QString& document, QString* prose = nullptr) {
  QList<Block> blocks;
  bool isInside = false;
  for (const QString& line : textOf(document).split(u'\n')) {
    if (line.startsWith(u"```"_s)) {
      isInside = !isInside;
      if (isInside) blocks.append({document, line.mid(3), {}});
    } else if (isInside) {
      blocks.last().text += line + u'\n';
    } else if (prose != nullptr) {
      *prose += line + u'\n';
    }
  }
  return blocks;
}

QStringList commandsOf(const QString& document) {
  QStringList commands;
  for (const Block& block : blocksOf(document)) {
    if (block.language == u"sh"_s) commands << block.text.split(u'\n', Qt::SkipEmptyParts);
  }
  return commands;
}

/// The texts between backticks outside of blocks.
QStringList codeIn(const QString& document) {
  QString prose;
  blocksOf(document, &prose);
  static const QRegularExpression code(u"`([^`]+)`"_s);
  QStringList found;
  for (const auto& match : code.globalMatch(prose)) {
    found << match.captured(1).simplified();
  }
  return found;
}

/// The anchor that a forge makes of a heading.
QString anchorOf(const QString& heading) {
  QString anchor;
  for (const QChar c : heading.toLower()) {
    if (c == u' ') anchor += u'-';
    if (c.isLetterOrNumber() || c == u'-' || c == u'_') anchor += c;
  }
  return anchor;
}

QSet<QString> anchorsOf(const QString& document) {
  QString prose;
  blocksOf(document, &prose);
  QSet<QString> anchors;
  static const QRegularExpression heading(u"^#+ (.*)$"_s, QRegularExpression::MultilineOption);
  for (const auto& match : heading.globalMatch(prose)) anchors << anchorOf(match.captured(1));
  return anchors;
}

const Exception* exceptionOf(const QString& command) {
  for (const Exception& each : kExceptions) {
    if (command.startsWith(QLatin1String(each.begin))) return &each;
  }
  return nullptr;
}

}  // namespace

/// Runs every command and every program of the documents, in their order, in a folder with what
/// the documents call RUN, PATH, mine.json and so on.
class TestDocs : public QObject {
  Q_OBJECT

 private:
  /// Runs a line of a document as it stands there.
  ProgramOutcome shell(const QString& line) const {
    return program_.runScript(u"PATH=\"$PWD/bin:$PATH\"; "_s + line);
  }

  /// Why the program refuses the arguments of a command; empty if it does not.
  QString refusal(const QString& command) const {
    const ProgramOutcome parsed = shell(command + u' ' + QLatin1String(kNoOption));
    if (parsed.status != 2 || !parsed.errors.contains(kNoOption)) {
      return QString::fromUtf8(parsed.errors);
    }
    static const QRegularExpression changesSettings(u"^lambda (train|experiment run|bench)\\b"_s);
    if (!command.contains(changesSettings)) return {};
    const ProgramOutcome set = shell(command + u" --set "_s + QLatin1String(kNoSetting) + u"=1"_s);
    if (set.status == 2 && set.errors.contains(kNoSetting)) return {};
    return QString::fromUtf8(set.errors);
  }

  QString helpOf(const QString& command) const {
    return QString::fromUtf8(shell(command + u" --help"_s).output);
  }

  /// The names of the commands that a help lists.
  static QStringList commandsIn(const QString& help) {
    static const QRegularExpression line(u"^  (\\w+)  "_s, QRegularExpression::MultilineOption);
    const QString list = help.section(u"\nCommands:\n"_s, 1).section(u"\nExamples:"_s, 0, 0);
    QStringList names;
    for (const auto& match : line.globalMatch(list)) names << match.captured(1);
    return names;
  }

  TemporaryFolder folder_;
  Program program_{folder_.path()};

 private Q_SLOTS:

  void initTestCase() {
    const fs::path& folder = folder_.path();
    fs::create_directory(folder / "bin");
    fs::create_symlink(LAMBDA_PROGRAM, folder / "bin" / "lambda");
    const fs::path studio = fs::path(LAMBDA_PROGRAM).parent_path() / "lambda-studio";
    if (fs::exists(studio)) fs::create_symlink(studio, folder / "bin" / "lambda-studio");

    RunConfig config = tinyRun();
    config.recipe.epochs = 1;
    std::ofstream(folder / "tiny.json") << toJson(config);
    Experiment experiment;
    experiment.name = "NAME";
    experiment.question = "Does the batch size matter?";
    experiment.base = config;
    experiment.variants = {{"usual", {}}, {"half", {"recipe.batchSize=10"}}};
    experiment.seeds = {0};
    std::ofstream(folder / "experiment.json") << toJson(experiment);
    config.data.source = ImageFolderSource{.path = "PATH", .size = 32};
    std::ofstream(folder / "mine.json") << toJson(config);
    fs::copy_file(LAMBDA_TEST_DATA "/pytorch/timm-global.safetensors",
                  folder / "layer.safetensors");
    writePng(folder / "picture.png", {40, 32, std::vector<std::uint8_t>(3 * 40 * 32, 90)});
    std::ofstream(folder / "names.txt") << "picture.png\n";
    writeNumberedPictures(folder / "people", 240);
    for (const Block& block : blocksOf(u"resources/docs/sequences.md"_s)) {
      if (block.language != u"json"_s) continue;
      std::ofstream(folder / "text.json") << block.text.toStdString();
    }
    // As many bytes as have the 100 sequences for validation that the page names.
    std::string book;
    while (book.size() < 128100) book += "The book of " + std::to_string(book.size()) + " bytes.\n";
    std::ofstream(folder / "book.txt") << book.substr(0, 128100);
    // What a stranger has: the weights, and no images of ImageNet.
    writeTorchFile(folder / "resnet50.pth", torchResNet50());
    writeTorchFile(folder / "rwkv-4.pth", torchRwkv(50277, 8, 2));
    fs::copy_file(LAMBDA_TEST_DATA "/tokenizer/small.json", folder / "tokenizer.json");
    for (const char* line : {
             "lambda data export shapes10 --out PATH/train --set data.source.trainCount=240",
             "lambda data export shapes10 --out PATH/test --split test"
             " --set data.source.testCount=20",
             "lambda train tiny.json --out . --folder RUN --epochs 2 --until-epoch 1 --quiet",
             "lambda train tiny.json --out . --folder TEACHER --quiet",
             "mkdir FOLDER_OF_EVENT_FILES && cp RUN/events.* FOLDER_OF_EVENT_FILES",
             "lambda experiment run experiment.json --quiet",
         }) {
      const ProgramOutcome outcome = shell(QLatin1String(line));
      QVERIFY2(outcome.status == 0, outcome.errors.constData());
    }
  }

  void everyCommandWorks_data() {
    QTest::addColumn<QString>("document");
    for (const QString& document : documents()) {
      if (!commandsOf(document).isEmpty()) QTest::addRow("%s", qPrintable(document)) << document;
    }
  }

  void everyCommandWorks() {
    QFETCH(QString, document);
    for (const QString& command : commandsOf(document)) {
      const QString first = command.section(u' ', 0, 0);
      if (first != u"lambda"_s) {
        const bool isInSources = first.contains(u'/') && kSources.exists(first);
        QVERIFY2(isInSources || kOtherPrograms.contains(first), qPrintable(command));
        if (first == u"app/run"_s && command != first) {
          const QString text = refusal(u"lambda "_s + command.section(u' ', 1));
          QVERIFY2(text.isEmpty(), qPrintable(command + u'\n' + text));
        }
        const bool hasStudio = fs::exists(folder_.path() / "bin" / "lambda-studio");
        if (!hasStudio || !command.startsWith(u"lambda-studio --render"_s)) continue;
      }
      const Exception* exception = exceptionOf(command);
      if (exception != nullptr && exception->arguments == nullptr) {
        const QString text = refusal(command);
        QVERIFY2(text.isEmpty(), qPrintable(command + u'\n' + text));
        continue;
      }
      const QString arguments = exception ? QLatin1String(exception->arguments) : QLatin1String();
      const ProgramOutcome outcome = shell(command + arguments);
      QVERIFY2(outcome.status == 0,
               qPrintable(command + u'\n' + QString::fromUtf8(outcome.errors + outcome.output)));
    }
  }

  /// A test of a command that no document has would hide that the command is no longer tested.
  void everyExceptionIsNeeded() {
    QSet<const Exception*> needed;
    for (const QString& document : documents()) {
      for (const QString& command : commandsOf(document)) needed << exceptionOf(command);
    }
    for (const Exception& each : kExceptions) QVERIFY2(needed.contains(&each), each.begin);
  }

  /// Commands in a sentence may lack what a command requires, but their words and options exist.
  void everyMentionedCommandExists() {
    for (const QString& document : documents()) {
      for (const QString& code : codeIn(document)) {
        if (!code.startsWith(u"lambda "_s)) continue;
        const ProgramOutcome outcome = shell(code + u' ' + QLatin1String(kNoOption));
        const bool isKnown =
            outcome.errors.contains(kNoOption) || outcome.errors.contains("is required");
        QVERIFY2(outcome.status == 2 && isKnown,
                 qPrintable(document + u": "_s + code + u'\n' + QString::fromUtf8(outcome.errors)));
      }
    }
  }

  void thePageOfTheCommandLineListsEveryCommand() {
    const QString page = textOf(u"resources/docs/command-line.md"_s);
    const QStringList commands = commandsIn(helpOf(u"lambda"_s));
    QVERIFY(commands.size() > 10);
    for (const QString& name : commands) {
      QVERIFY2(page.contains(u"`lambda "_s + name + u'`'), qPrintable(name));
    }
  }

  void everyExampleOfTheHelpIsAccepted() {
    static const QRegularExpression example(u"^  (lambda [^|>\\n]*)"_s,
                                            QRegularExpression::MultilineOption);
    QStringList commands{u"lambda"_s};
    int examples = 0;
    while (!commands.isEmpty()) {
      const QString command = commands.takeFirst();
      const QString help = helpOf(command);
      for (const QString& name : commandsIn(help)) commands << command + u' ' + name;
      for (const auto& match : example.globalMatch(help)) {
        ++examples;
        const ProgramOutcome outcome = shell(match.captured(1) + u' ' + QLatin1String(kNoOption));
        const bool isHelp = match.captured(1).contains(u"--help"_s);
        QVERIFY2(isHelp || outcome.errors.contains(kNoOption),
                 qPrintable(match.captured(1) + QString::fromUtf8(outcome.errors)));
      }
    }
    QVERIFY(examples > 50);
  }

  void everyMentionedSettingExists() {
    QSet<QString> known;
    const QJsonObject settings = shell(u"lambda settings --json"_s).json();
    for (const QJsonValue& part : settings[u"parts"_s].toArray()) {
      for (const QJsonValue& setting : part[u"settings"_s].toArray()) {
        known << part[u"path"_s].toString() + u'.' + setting[u"name"_s].toString();
      }
    }
    QVERIFY(known.contains(u"recipe.batchSize"_s));
    static const QRegularExpression setting(
        u"^(?:--set )?((?:recipe|data|device|monitoring|checkpoints|start)(?:\\.[a-z]\\w*)+)(?:=.*)?$"_s);
    for (const QString& document : documents()) {
      for (const QString& code : codeIn(document)) {
        const auto match = setting.match(code);
        if (!match.hasMatch()) continue;
        QVERIFY2(known.contains(match.captured(1)), qPrintable(document + u": "_s + code));
      }
    }
  }

  void everyMentionedSourceExists() {
    static const QRegularExpression source(u"^(?:app|engine|resources|tests|widgets)/[\\w./-]+$"_s);
    for (const QString& document : documents()) {
      for (const QString& code : codeIn(document)) {
        if (!source.match(code).hasMatch()) continue;
        QVERIFY2(kSources.exists(code), qPrintable(document + u": "_s + code));
      }
    }
  }

  void everyLinkLeadsSomewhere() {
    static const QRegularExpression link(u"\\]\\(([^)\\s]+)\\)"_s);
    const QStringList others{
        u"resources/experiments/RESULTS.md"_s, u"tests/README.md"_s, u"tests/bench/README.md"_s};
    for (const QString& document : documents() + others) {
      QString prose;
      blocksOf(document, &prose);
      const QDir folder(QFileInfo(kSources.filePath(document)).path());
      for (const auto& match : link.globalMatch(prose)) {
        const QString target = match.captured(1);
        if (target.startsWith(u"https://"_s)) continue;
        const QString file = target.section(u'#', 0, 0);
        const QString path = file.isEmpty() ? kSources.filePath(document) : folder.filePath(file);
        const QByteArray place = (document + u": "_s + target).toUtf8();
        QVERIFY2(QFileInfo::exists(path), place.constData());
        const QString anchor = target.section(u'#', 1);
        if (anchor.isEmpty()) continue;
        const QString name = kSources.relativeFilePath(path);
        QVERIFY2(anchorsOf(name).contains(anchor), place.constData());
      }
    }
  }

  void theManualListsEveryPage() {
    const QString index = textOf(u"resources/docs/README.md"_s);
    for (const QString& document : documents()) {
      if (!document.startsWith(u"resources/docs/"_s)) continue;
      const QString name = document.section(u'/', -1);
      QVERIFY2(name == u"README.md"_s || index.contains(u"]("_s + name + u')'), qPrintable(name));
    }
  }

  void theFrontPageIsShort() {
    const qint64 bytes = textOf(u"README.md"_s).toUtf8().size();
    QVERIFY2(bytes > 0 && bytes < kMostBytesOfReadme, qPrintable(QString::number(bytes)));
  }

  void everyPythonProgramRuns_data() {
    QTest::addColumn<QStringList>("modules");
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("before");
    QTest::newRow("the program of an export")
        << QStringList{u"torch"_s, u"safetensors"_s} << u"python3 net/model.py"_s << QString();
    QTest::newRow("its functions")
        << QStringList{u"torch"_s, u"safetensors"_s} << u"from model import"_s
        << u"import os, shutil; shutil.copy('picture.png', 'net'); os.chdir('net')\n"
           "import sys; sys.path.insert(0, '.')\n"_s;
    QTest::newRow("ONNX Runtime") << QStringList{u"onnxruntime"_s, u"numpy"_s}
                                  << u"import numpy, onnxruntime"_s
                                  << u"import numpy\npixels = numpy.full((2, 3, 32, 32), 90)\n"_s;
    QTest::newRow("ONNX Runtime, one token after the other")
        << QStringList{u"onnxruntime"_s, u"numpy"_s} << u"import json, numpy, onnxruntime"_s
        << QString();
  }

  void everyPythonProgramRuns() {
    QFETCH(QStringList, modules);
    QFETCH(QString, begin);
    QFETCH(QString, before);
    const TestPython python;
    const QString missing = python.missing(modules);
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
    int found = 0;
    QList<Block> blocks;
    for (const QString& document : documents()) blocks << blocksOf(document);
    for (const Block& block : blocks) {
      if (!block.text.startsWith(begin)) continue;
      ++found;
      std::ofstream(folder_.path() / "block.py") << (before + block.text).toStdString();
      const bool isCommand = begin.startsWith(u"python3 "_s);
      const ProgramOutcome outcome =
          shell(isCommand ? QString(block.text).replace(u"python3"_s, u"$LAMBDA_TEST_PYTHON"_s)
                          : u"$LAMBDA_TEST_PYTHON block.py"_s);
      QVERIFY2(outcome.status == 0, outcome.errors.constData());
    }
    QCOMPARE(found, 1);
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestDocs)
#include "tst_docs.moc"
