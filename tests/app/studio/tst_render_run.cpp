#include <fstream>
#include <functional>

#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/training/training_session.h"
#include "app/studio/picture_writer.h"
#include "app/studio/render_run.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/formats/json/run_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "tests/support/example_snapshot.h"
#include "tests/support/scripted_engine.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestRenderRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void writesCurvesOfARunInEveryFormat();
  void aFolderThatIsNoRunIsAnErrorThatNamesIt();
  void aPlaceThatCannotBeWrittenIsAnError();
  void aRunWithoutAStepHasNothingToDraw();
  void theLayersOfTheLastEpochAreDrawn();
  void arraysThatDoNotFitAreAnErrorThatNamesTheFile();
  void nothingIsWrittenOutsideOfTheFolder();
  void picturesOfOneNameGetNumbers();

 private:
  QString trainedRun();

  /// A run with the probe of its only lambda layer, which `change` has changed.
  QString runWithProbe(const std::function<void(ProbeLayer&)>& change);

  QTemporaryDir folder_;
};

QString TestRenderRun::trainedRun() {
  ScriptedEngine engine;
  RunConfig config;
  config.name = "short";
  config.recipe.epochs = 2;
  LambdaMixer small;
  small.queryDepth = 4;
  small.heads = 2;
  config.architecture.stages = {Stage{8, 1, {Block{small}}}};
  RunControl control;
  Observer observer;
  return QString::fromStdString(
      engine.trainRun(config, toPath(folder_.path()), control, observer).run);
}

void TestRenderRun::writesCurvesOfARunInEveryFormat() {
  const QStringList files = renderRun(trainedRun(), folder_.filePath(QStringLiteral("pictures")));
  QSet<QString> names;
  for (const QString& file : files) {
    QVERIFY2(QFileInfo(file).size() > 200, qPrintable(file));
    names << QFileInfo(file).fileName();
  }
  for (const char* name : {"curves.png", "curves.svg", "curves.pdf", "curves.csv"}) {
    QVERIFY2(names.contains(QString::fromLatin1(name)), name);
  }
  const QImage image(folder_.filePath(QStringLiteral("pictures/curves.png")));
  QVERIFY(image.width() > 800);
  QCOMPARE(image.pixelColor(0, 0), QColor(Qt::white));
  QSet<QRgb> colors;
  for (int y = 0; y < image.height(); y += 3) {
    for (int x = 0; x < image.width(); x += 3) colors << image.pixel(x, y);
  }
  QVERIFY2(colors.size() > 10, "the picture is empty");
}

void TestRenderRun::aFolderThatIsNoRunIsAnErrorThatNamesIt() {
  const QString nothing = folder_.filePath(QStringLiteral("nothing"));
  try {
    renderRun(nothing, folder_.path());
    QFAIL("A folder that is no run was accepted.");
  } catch (const Error& error) {
    QVERIFY(QString::fromStdString(error.what()).contains(nothing));
  }
}

void TestRenderRun::aPlaceThatCannotBeWrittenIsAnError() {
  const QString file = folder_.filePath(QStringLiteral("file"));
  std::ofstream(file.toStdString()) << "x";
  QVERIFY_THROWS_EXCEPTION(Error, renderRun(trainedRun(), file + QStringLiteral("/pictures")));
}

void TestRenderRun::aRunWithoutAStepHasNothingToDraw() {
  const QString run = trainedRun();
  std::ofstream((run + QStringLiteral("/metrics.jsonl")).toStdString(), std::ios::trunc);
  const QString place = folder_.filePath(QStringLiteral("empty"));
  try {
    renderRun(run, place);
    QFAIL("A run without steps was accepted.");
  } catch (const Error& error) {
    QVERIFY2(QString::fromStdString(error.what()).contains(QStringLiteral("nothing to draw")),
             error.what());
  }
  QVERIFY(QDir(place).isEmpty());
}

QString TestRenderRun::runWithProbe(const std::function<void(ProbeLayer&)>& change) {
  const QString run = trainedRun();
  std::vector<Problem> ignored;
  const RunFolder folder = RunFolder::open(run.toStdString());
  const RunConfig config = readRunRecord(folder.record(), ignored).config;
  const InspectableLayer layer = inspectableLayers(config.architecture).front();
  const InspectionSnapshot seen = exampleSnapshot({.layer = layer});
  ProbeLayer stored{.name = layer.name,
                    .lambdaContent = seen.lambdas.content,
                    .lambdaPosition = seen.lambdas.position,
                    .contributionsContent = seen.contributions.content,
                    .contributionsPosition = seen.contributions.position,
                    .embeddings = seen.embeddings.tiles};
  change(stored);
  writeProbeSnapshot(folder.inspection() / "epoch-0002.safetensors",
                     {.epoch = 2, .step = 40, .layers = {stored}});
  return run;
}

void TestRenderRun::theLayersOfTheLastEpochAreDrawn() {
  const QString place = folder_.filePath(QStringLiteral("layers"));
  const QStringList files = renderRun(runWithProbe([](ProbeLayer&) {}), place);
  QCOMPARE(files.size(), 4 * 4);
  for (const char* quantity : {"lambda", "contributions", "embeddings"}) {
    const QString stem = QStringLiteral("/stage1.block1.mixer-") + QString::fromLatin1(quantity);
    QVERIFY2(files.contains(place + stem + QStringLiteral(".svg")), quantity);
  }
}

void TestRenderRun::arraysThatDoNotFitAreAnErrorThatNamesTheFile() {
  const QString run = runWithProbe([](ProbeLayer& layer) {
    layer.lambdaContent = {{1, 1}, {1}};
    layer.lambdaPosition = {{300, 300}, std::vector<float>(90'000, 1.5F)};
  });
  try {
    renderRun(run, folder_.filePath(QStringLiteral("misfit")));
    QFAIL("Arrays of other shapes were accepted.");
  } catch (const Error& error) {
    QVERIFY2(QString::fromStdString(error.what()).contains(QStringLiteral("epoch-0002")),
             error.what());
  }
}

void TestRenderRun::nothingIsWrittenOutsideOfTheFolder() {
  QTemporaryDir outer;
  const QString place = outer.filePath(QStringLiteral("in/side"));
  for (const QString& name : {QStringLiteral("../escaped"), outer.filePath(u"absolute"_s)}) {
    const QString run = runWithProbe([&](ProbeLayer& layer) { layer.name = name.toStdString(); });
    QVERIFY_THROWS_EXCEPTION(Error, renderRun(run, place));
    HeatmapView view;
    view.setData({.array = {{1, 2}, {1, 2}}, .name = name});
    PictureWriter writer(place);
    writer.write(view);
    for (const QString& file : writer.files()) QCOMPARE(QFileInfo(file).path(), place);
  }
  QCOMPARE(QDir(outer.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
           QStringList{u"in"_s});
  QCOMPARE(QDir(outer.filePath(u"in"_s)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
           QStringList{u"side"_s});
}

void TestRenderRun::picturesOfOneNameGetNumbers() {
  HeatmapView view;
  view.setData({.array = {{1, 2}, {1, 2}}, .name = QStringLiteral("a")});
  PictureWriter writer(folder_.filePath(QStringLiteral("twice")));
  writer.write(view);
  writer.write(view);
  QCOMPARE(writer.files().size(), 8);
  QCOMPARE(QFileInfo(writer.files().back()).fileName(), QStringLiteral("a-2.csv"));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRenderRun)

#include "tst_render_run.moc"
