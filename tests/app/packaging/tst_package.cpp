#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <QtCore/QJsonArray>
#include <QtCore/QRegularExpression>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

const QString kFivePictures =
    u"find pictures-of-shapes -name '*.png' -print0 | sort -z | head -z -n 5 | "_s;

}  // namespace

/// Tests the files of `cmake --install`, which are also those of the target `package`, after they
/// are moved to another folder.
class TestPackage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void noLibraryIsTakenFromTheBuild();
  void noLibraryIsTakenFromTheCurrentFolder_data();
  void noLibraryIsTakenFromTheCurrentFolder();
  void thePresetsAreItsOwn();
  void theExperimentsAreIncluded();
  void itTrains();
  void theStudioStarts();
  void aProgramInCppClassifiesAsLambdaDoes();
  void everyCommandHasAManualPage();

 private:
  ProgramOutcome run(const QString& script) const {
    return Program(folder_.path())
        .runScript(u"unset LD_LIBRARY_PATH LAMBDA_PRESETS; export QT_QPA_PLATFORM=offscreen; "_s +
                   script);
  }

  TemporaryFolder folder_;
};

void TestPackage::initTestCase() {
  const ProgramOutcome installed =
      run(QStringLiteral("cmake --install '" LAMBDA_BUILD "' --prefix \"$PWD/first\" >log && "
                         "mkdir deep && mv first 'deep/moved here'"));
  QVERIFY2(installed.status == 0, installed.errors.constData());
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  std::ofstream(folder_.path() / "tiny.json") << toJson(config);
}

void TestPackage::noLibraryIsTakenFromTheBuild() {
  const ProgramOutcome libraries = run(
      u"for file in 'deep/moved here'/bin/* 'deep/moved here'/lib/*.so 'deep/moved here'/lib/*/*.so; do ldd \"$file\" || exit 1; done"_s);
  QVERIFY2(libraries.status == 0, libraries.errors.constData());
  QVERIFY2(!libraries.output.contains("not found"), libraries.output.constData());
  for (const char* place : {LAMBDA_BUILD, LAMBDA_TORCH}) {
    QVERIFY2(!libraries.output.contains(place), libraries.output.constData());
  }
  QVERIFY(libraries.output.contains("deep/moved here/bin/../lib/lambda-studio/torch/lib/"));
  // No library is searched for in the build folder either.
  const ProgramOutcome headers = run(
      u"for file in 'deep/moved here'/bin/* 'deep/moved here'/lib/*.so 'deep/moved here'/lib/*/*.so; do readelf -d \"$file\"; done"_s);
  QCOMPARE(headers.status, 0);
  const QRegularExpression path(u"\\((?:RUNPATH|RPATH)\\).*\\[(.*)\\]"_s);
  auto found = path.globalMatch(QString::fromUtf8(headers.output));
  QVERIFY(found.hasNext());
  while (found.hasNext()) {
    for (const QString& entry : found.next().captured(1).split(u':')) {
      QVERIFY2(entry.startsWith(u"$ORIGIN"), qPrintable(entry));
    }
  }
}

void TestPackage::noLibraryIsTakenFromTheCurrentFolder_data() {
  QTest::addColumn<QString>("folder");
  QTest::newRow("what is built") << QStringLiteral(LAMBDA_BUILD);
  QTest::newRow("what is packaged") << u"deep/moved here"_s;
}

// An element of RPATH or RUNPATH that is empty or relative is searched from the current folder.
void TestPackage::noLibraryIsTakenFromTheCurrentFolder() {
  QFETCH(const QString, folder);
  const ProgramOutcome headers =
      run(u"find '%1' -type f \\( -perm -u+x -o -name '*.so*' \\) -exec "
          u"env LC_ALL=C readelf -d {} + 2>/dev/null"_s.arg(folder));
  const QRegularExpression line(u"^File: (.*)$|\\((?:RUNPATH|RPATH)\\).*\\[(.*)\\]"_s,
                                QRegularExpression::MultilineOption);
  QString file;
  int count = 0;
  auto found = line.globalMatch(QString::fromUtf8(headers.output));
  while (found.hasNext()) {
    const QRegularExpressionMatch match = found.next();
    if (!match.captured(1).isEmpty()) {
      file = match.captured(1);
      continue;
    }
    ++count;
    for (const QString& entry : match.captured(2).split(u':')) {
      QVERIFY2(entry.startsWith(u"$ORIGIN") || entry.startsWith(u'/'),
               qPrintable(file + u": "_s + match.captured(2)));
    }
  }
  QVERIFY(count >= 3);
}

void TestPackage::thePresetsAreItsOwn() {
  const QJsonObject info = run(u"'deep/moved here/bin/lambda' info --json"_s).json();
  QCOMPARE(
      info[u"presetFolders"_s][0].toString().toStdString(),
      (fs::canonical(folder_.path()) / "deep/moved here/share/lambda-studio/presets").string());
  const QJsonObject presets = run(u"'deep/moved here/bin/lambda' presets --json"_s).json();
  QStringList names;
  for (const QJsonValue preset : presets[u"presets"_s].toArray()) {
    names << preset[u"name"_s].toString();
  }
  for (const auto& file :
       fs::directory_iterator(folder_.path() / "deep/moved here/share/lambda-studio/presets")) {
    QVERIFY2(names.contains(QString::fromStdString(file.path().stem().string())),
             file.path().c_str());
  }
  const ProgramOutcome described =
      run(u"'deep/moved here/bin/lambda' describe quickstart --json"_s);
  QVERIFY2(described.status == 0, described.errors.constData());
}

void TestPackage::theExperimentsAreIncluded() {
  const fs::path folder = folder_.path() / "deep/moved here/share/lambda-studio/experiments";
  const fs::path source = fs::path(LAMBDA_SOURCE) / "resources/experiments";
  for (const auto& file : fs::recursive_directory_iterator(source)) {
    if (!file.is_regular_file()) continue;
    const fs::path installed = folder / fs::relative(file.path(), source);
    QVERIFY2(fs::is_regular_file(installed), file.path().c_str());
  }
}

void TestPackage::itTrains() {
  const ProgramOutcome trained =
      run(u"'deep/moved here/bin/lambda' train tiny.json --json --quiet"_s);
  QVERIFY2(trained.status == 0, trained.errors.constData());
  QCOMPARE(trained.json()[u"status"_s].toString(), u"finished"_s);
}

void TestPackage::theStudioStarts() {
  const ProgramOutcome version = run(u"'deep/moved here/bin/lambda-studio' --version"_s);
  QVERIFY2(version.status == 0, version.errors.constData());
  QVERIFY(version.output.contains("0."));
  // Rendering a run needs the same libraries as the window, and the engine.
  const ProgramOutcome rendered =
      run(u"'deep/moved here/bin/lambda-studio' --render runs/* --out pictures"_s);
  QVERIFY2(rendered.status == 0, rendered.errors.constData());
  QVERIFY(!fs::is_empty(folder_.path() / "pictures"));
}

void TestPackage::aProgramInCppClassifiesAsLambdaDoes() {
  const ProgramOutcome built = run(
      u"cmake -S 'deep/moved here/share/doc/lambda-studio/docs/cpp' -B classify-build "
      u"-DCMAKE_PREFIX_PATH=\"$PWD/deep/moved here\" -DCMAKE_BUILD_TYPE=Release >cmake.log 2>&1 "
      u"&& cmake --build classify-build >>cmake.log 2>&1 || { cat cmake.log >&2; exit 1; }"_s);
  QVERIFY2(built.status == 0, built.errors.constData());
  const ProgramOutcome pictures = run(
      u"'deep/moved here/bin/lambda' data export shapes10 --split test --out pictures-of-shapes "
      u"--set data.source.testCount=20 --quiet"_s);
  QVERIFY2(pictures.status == 0, pictures.errors.constData());
  const ProgramOutcome classified =
      run(kFivePictures + u"xargs -0 ./classify-build/classify runs/*"_s);
  QVERIFY2(classified.status == 0, classified.errors.constData());
  const QJsonObject expected =
      run(kFivePictures +
          u"xargs -0 'deep/moved here/bin/lambda' predict --top 1 --json --quiet runs/*"_s)
          .json();
  const QByteArrayList lines = classified.output.trimmed().split('\n');
  QCOMPARE(lines.size(), 5);
  const QJsonArray images = expected[u"predictions"_s].toArray();
  QCOMPARE(images.size(), 5);
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const QByteArrayList words = lines[i].split('\t');
    const QJsonObject best = images[i][u"top"_s][0].toObject();
    QCOMPARE(QString::fromUtf8(words[1]), best[u"class"_s].toString());
    const double percent = words[2].split(' ').front().toDouble();
    QVERIFY(std::abs(percent - 100 * best[u"probability"_s].toDouble()) < 1e-3);
  }
  const ProgramOutcome refused = run(u"./classify-build/classify nothing x.png"_s);
  QCOMPARE(refused.status, 1);
  QVERIFY(refused.errors.startsWith("nothing"));
}

void TestPackage::everyCommandHasAManualPage() {
  const ProgramOutcome pages = run(u"ls 'deep/moved here/share/man/man1'"_s);
  if (pages.status != 0) QSKIP("help2man was missing when the build was configured");
  const QByteArrayList names = pages.output.split('\n');
  QVERIFY(names.contains("lambda.1.gz"));
  QVERIFY(names.contains("lambda-studio.1.gz"));
  const QString help = QString::fromUtf8(run(u"'deep/moved here/bin/lambda' --help"_s).output);
  const QRegularExpression command(u"^  ([a-z]+) {2,}"_s, QRegularExpression::MultilineOption);
  auto found = command.globalMatch(help.mid(help.indexOf(u"Commands:"_s)));
  int count = 0;
  for (; found.hasNext(); ++count) {
    const QByteArray page = "lambda-" + found.next().captured(1).toUtf8() + ".1.gz";
    QVERIFY2(names.contains(page), page.constData());
  }
  QVERIFY(count > 15);
  const ProgramOutcome text = run(u"zcat 'deep/moved here/share/man/man1/lambda-train.1.gz'"_s);
  QVERIFY(text.output.contains("passes over the training images"));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPackage)
#include "tst_package.moc"
