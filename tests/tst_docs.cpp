#include <filesystem>
#include <fstream>

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtTest/QtTest>

#include "engine/formats/inspection/png.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_python.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

struct Block {
  QString document;
  QString text;  ///< Without its indentation.
};

/// The indented blocks of all documents.
QList<Block> blocksOfDocs() {
  QList<Block> blocks;
  const QDir folder(QStringLiteral(LAMBDA_RESOURCES "/docs"));
  for (const QString& name : folder.entryList({u"*.md"_s}, QDir::Files, QDir::Name)) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    QString block;
    for (const QString& line : QString::fromUtf8(file.readAll() + "\n").split(u'\n')) {
      if (line.startsWith(u"    "_s)) {
        block += line.mid(4) + u'\n';
      } else if (!block.isEmpty()) {
        blocks.append({name, block});
        block.clear();
      }
    }
  }
  return blocks;
}

}  // namespace

/// Runs every command and every program of resources/docs, in the order of the documents.
class TestDocs : public QObject {
  Q_OBJECT

 private:
  ProgramOutcome shell(const QString& command) const { return program_.runScript(command); }

  TemporaryFolder folder_;
  Program program_{folder_.path()};

 private Q_SLOTS:

  void initTestCase() {
    RunConfig config = tinyRun();
    config.recipe.epochs = 1;
    std::ofstream(folder_.path() / "tiny.json") << toJson(config);
    std::ofstream(folder_.path() / "mine.json") << toJson(config);
    Experiment experiment;
    experiment.name = "NAME";
    experiment.question = "Does the batch size matter?";
    experiment.base = config;
    experiment.variants = {{"usual", {}}, {"half", {"recipe.batchSize=10"}}};
    experiment.seeds = {0};
    std::ofstream(folder_.path() / "experiment.json") << toJson(experiment);
    std::filesystem::copy_file(LAMBDA_TEST_DATA "/pytorch/timm-global.safetensors",
                               folder_.path() / "layer.safetensors");
    const ProgramOutcome outcome = shell(
        u"$LAMBDA train tiny.json --quiet && mv runs/* RUN && echo picture.png > names.txt && "
        "$LAMBDA experiment run experiment.json --quiet"_s);
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    Image picture{40, 32, std::vector<std::uint8_t>(3 * 40 * 32, 90)};
    writePng(folder_.path() / "picture.png", picture);
  }

  void everyCommandRuns() {
    int commands = 0;
    for (const Block& block : blocksOfDocs()) {
      for (const QString& line : block.text.split(u'\n')) {
        if (!line.startsWith(u"lambda "_s)) continue;
        const ProgramOutcome outcome = shell(u"$LAMBDA "_s + line.mid(7));
        QVERIFY2(outcome.status == 0,
                 qPrintable(block.document + u": "_s + line + u'\n' +
                            QString::fromUtf8(outcome.errors)));
        ++commands;
      }
    }
    QVERIFY2(commands >= 8, qPrintable(QString::number(commands)));
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
  }

  void everyPythonProgramRuns() {
    QFETCH(QStringList, modules);
    QFETCH(QString, begin);
    QFETCH(QString, before);
    const TestPython python;
    const QString missing = python.missing(modules);
    if (!missing.isEmpty()) QSKIP(qPrintable(missing));
    int found = 0;
    for (const Block& block : blocksOfDocs()) {
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
